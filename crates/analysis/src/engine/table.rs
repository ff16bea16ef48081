//! The observation table: what is new at each bound [CUBA, Fig. 1].

use selvedge_automata::Dfa;
use selvedge_model::{Fault, SharedId, VisibleState};

use super::below::{Below, Start};
use super::exploration::explore;
use super::pincer::pincer;
use super::{Listener, Outcome, Question, Verdict, refuse_any_number, threads_needed};
use crate::converge::above::Above;
use crate::converge::finite_contexts::{
    ContextAutomaton, FiniteContexts, context_automata, finite_contexts,
};
use crate::converge::generators::GeneratorTest;
use crate::explore::Explorer;
use crate::explore::windows::Cut;
use crate::{Budget, Resource, Stop};

/// An observation table: what is new at each bound.
#[derive(Clone, Debug)]
pub struct Table {
    /// The observations, and whether and where they collapsed. `Safe` says that they did,
    /// `Bounded` that the bound came first.
    pub outcome: Outcome,
    /// The visible states that are new at each bound, sorted; `None` where they are too many to be
    /// listed. Of states that differ by a permutation of interchangeable threads, one is given.
    pub new_visible: Vec<Option<Vec<VisibleState>>>,
    /// Whether contexts of threads of each template reach finitely many states; `None` if the
    /// budget ended before that was known.
    pub finite_contexts: Option<FiniteContexts>,
    /// G, Z and G ∩ Z, if they were asked for; or why they could not be found.
    pub generators: Option<Result<GeneratorTest, Stop>>,
    /// Stacks as automata, if they were asked for.
    pub automata: Option<Automata>,
    /// The parts of the table that were asked for.
    pub shown: Shown,
}

/// Selects what a table shows besides its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    /// The most new states to list for each bound.
    pub listed: usize,
    /// G, Z and G ∩ Z, and one bound more than the collapse, at which the generator test passes if it
    /// ever does. For contexts and a fixed set of threads.
    pub generators: bool,
    /// The states themselves, with sets of stacks.
    pub automata: bool,
}

/// Asks for nothing but lists of at most this many states.
impl From<usize> for Shown {
    fn from(listed: usize) -> Self {
        Shown { listed, ..Shown::default() }
    }
}

/// The states of an exploration, and what single contexts do, as automata.
#[derive(Clone, Debug, Default)]
pub struct Automata {
    /// The states that are new at each bound; `None` where they are too many to be listed. Of states that
    /// differ by a permutation of interchangeable threads, one is given.
    pub new_states: Vec<Option<Vec<SymbolicState>>>,
    /// What a context of each kind of thread may leave on its stack; `None` if the budget ended first.
    pub contexts: Option<Vec<ContextAutomaton>>,
}

/// A shared state and a set of stacks for each thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicState {
    /// The shared state.
    pub shared: SharedId,
    /// The stacks that each thread may have, whatever the others have.
    pub stacks: Vec<Dfa>,
}

/// Explores until the visible states collapse, or up to a number of contexts or rounds, whatever
/// the properties are.
///
/// Where threads are started and no number of contexts is given, k contexts are explored with as
/// many threads as they need, for growing k, until no thread is left out.
pub fn table(
    question: &Question<'_>,
    resource: Resource,
    most: Option<usize>,
    shown: impl Into<Shown>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Table {
    let shown = shown.into();
    // Both sides count the same: with rounds, all threads are different.
    let symmetry = question.symmetry && resource == Resource::Contexts;
    let question = Question { properties: &[], symmetry, ..*question };
    let mut kept = Kept::new(shown);
    let outcome = if let Some(outcome) = refuse_any_number(&question, resource) {
        outcome
    } else if question.system.starts_threads() {
        with_started_threads(&question, resource, most, budget, tell, &mut kept)
            .unwrap_or_else(|stop| Outcome::unknown(stop, resource))
    } else {
        explore(Start::of(&question, resource, None), None, |below| {
            pincer(&question, below, &[], most, budget, tell, Some(&mut kept))
        })
        .unwrap_or_else(|stop| Outcome::unknown(stop, resource))
    };
    let Question { system, .. } = question;
    let automata = shown.automata.then(|| {
        // Where nothing was explored, there is nothing to say; where threads are started, no more of them
        // are looked at than before.
        let explore = || {
            let (cut, most) = (Cut::tight(1), outcome.most_threads);
            let above = Above::with_at_most_threads(system, cut, symmetry, most, budget)?;
            context_automata(system, &above, budget)
        };
        let contexts = (!outcome.observations.is_empty()).then(explore).and_then(Result::ok);
        Automata { new_states: std::mem::take(&mut kept.new_states), contexts }
    });
    kept.into_table(outcome, automata)
}

fn with_started_threads(
    question: &Question<'_>,
    resource: Resource,
    most: Option<usize>,
    budget: &Budget,
    tell: Listener<'_>,
    kept: &mut Kept,
) -> Result<Outcome, Stop> {
    let mut last: Option<Outcome> = None;
    for bound in most.unwrap_or(1).. {
        let threads = Some(threads_needed(question, bound));
        let mut below = Below::new(Start::of(question, resource, threads))?;
        let verdict = below.run(question, bound, budget, tell, |_| false);
        if matches!(verdict, Verdict::Unknown { .. })
            && let Some(before) = last
        {
            // The run before got further.
            return Ok(Outcome { verdict, ..before });
        }
        let Question { system, symmetry, .. } = *question;
        let finite = Above::with_at_most_threads(system, Cut::tight(1), symmetry, threads, budget)
            .and_then(|above| finite_contexts(system, &above, budget));
        kept.fill(&*below.explorer, question, finite.ok(), budget);
        let is_bounded = matches!(verdict, Verdict::Bounded { .. });
        let outcome = below.outcome(verdict);
        if !is_bounded || most.is_some() {
            return Ok(outcome);
        }
        last = Some(outcome);
    }
    last.ok_or(Stop::Cancelled)
}

/// What an exploration records for its table.
pub(super) struct Kept {
    pub shown: Shown,
    new_visible: Vec<Option<Vec<VisibleState>>>,
    new_states: Vec<Option<Vec<SymbolicState>>>,
    generators: Option<Result<GeneratorTest, Stop>>,
    finite: Option<FiniteContexts>,
}

impl Kept {
    pub fn new(shown: Shown) -> Self {
        let (new_visible, new_states) = (Vec::new(), Vec::new());
        Kept { shown, new_visible, new_states, generators: None, finite: None }
    }

    /// Builds the table.
    pub fn into_table(self, outcome: Outcome, automata: Option<Automata>) -> Table {
        let Kept { shown, new_visible, generators, finite: finite_contexts, .. } = self;
        Table { outcome, new_visible, finite_contexts, generators, automata, shown }
    }

    pub fn fill(
        &mut self,
        explorer: &dyn Explorer,
        question: &Question<'_>,
        finite: Option<FiniteContexts>,
        budget: &Budget,
    ) {
        let Shown { listed, generators, automata } = self.shown;
        let bounds = || 0..=explorer.bound();
        let list = |bound| {
            let mut states = explorer.new_visible(bound);
            states.sort_unstable();
            (states.len() <= listed).then_some(states)
        };
        self.new_visible = bounds().map(list).collect();
        if automata {
            let sets = |bound| {
                let is_short = explorer.new_stored(bound) <= listed;
                is_short.then(|| {
                    let new = explorer.new_sets(bound).into_iter();
                    new.map(|(shared, stacks)| SymbolicState { shared, stacks }).collect()
                })
            };
            self.new_states = bounds().map(sets).collect();
        }
        if generators {
            let Question { system, symmetry, .. } = *question;
            let test = generators_refused(question).map_or_else(
                || GeneratorTest::new(system, symmetry, budget),
                |fault| Err(fault.into()),
            );
            self.generators = Some(test.map(|mut test| {
                test.look(explorer);
                test
            }));
        }
        self.finite = finite;
    }
}

/// Generators are defined for a fixed set of threads.
fn generators_refused(question: &Question<'_>) -> Option<Fault> {
    question.system.starts_threads().then(|| {
        Fault::new("generators are defined for a fixed set of threads, and this system starts some")
    })
}
