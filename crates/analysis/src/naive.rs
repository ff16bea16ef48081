//! # The naive enumerator
//! **Question.** Which states do at most k contexts, or at most k rounds, reach?
//! **Idea.** Do what the definition says. A *configuration* is a state together with the thread
//! that acted last. The thread that acted last goes on within its context; any other begins a
//! new one. With rounds, the thread that acted last and those after it in the order of threads
//! go on within the round; those before it wait for the next one. Configurations are found in the
//! order of bounds first, steps second, each with the step that led to it, so that the first way
//! to a state has the smallest bound and, among those ways, the fewest steps.
//! **Claim.** After [`Naive::advance`] was called k times, [`Naive::states`] is R_k exactly. If
//! a bound adds no state, no later one does: every thread could have acted from every state
//! within that bound, so that no step leaves the states.
//! **Needs.** Each context reaches finitely many states. A limit on the number of
//! configurations ends the search where that is not so. Rounds need a fixed set of threads.
//!
//! Speed is no aim: this is the measure that every engine is held against. It uses the step
//! function of the model and nothing else.
//!
//! The running example of the CUBA paper (Fig. 1): the visible states stutter at k = 3 and go on
//! growing.
//!
//! ```
//! use selvedge_analysis::naive::Naive;
//! use selvedge_model::{Tables, Word};
//!
//! let mut t = Tables::builder();
//! let q = ["0", "1", "2", "3"].map(|name| t.shared(name));
//! let (t1, t2) = (t.template("T1"), t.template("T2"));
//! let [s1, s2] = ["1", "2"].map(|name| t.symbol(t1, name));
//! let [s4, s5, s6] = ["4", "5", "6"].map(|name| t.symbol(t2, name));
//! t.rule(t1, q[0], Some(s1), q[1], Word::Rewrite(s2));
//! t.rule(t1, q[3], Some(s2), q[0], Word::Rewrite(s1));
//! t.rule(t2, q[0], Some(s4), q[0], Word::Pop);
//! t.rule(t2, q[0], Some(s6), q[0], Word::Pop);
//! t.rule(t2, q[1], Some(s4), q[2], Word::Rewrite(s5));
//! t.rule(t2, q[2], Some(s5), q[3], Word::Push { top: s4, under: s6 });
//! t.thread("T1", t1, vec![s1]);
//! t.thread("T2", t2, vec![s4]);
//! t.initial(q[0]);
//! let system = t.build();
//!
//! let mut naive = Naive::new(&system)?;
//! let mut new_visible = vec![naive.level().new_visible];
//! for _ in 1..=5 {
//!     new_visible.push(naive.advance()?.new_visible);
//! }
//! assert_eq!(new_visible, [1, 2, 3, 0, 1, 1]);
//! # Ok::<(), selvedge_analysis::naive::NaiveError>(())
//! ```

mod delays;
mod error;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_evidence::Trace;
use selvedge_model::{Action, State, System, ThreadId, VisibleState, step};

use crate::Resource;
use crate::bound::needs_fixed_threads;
pub use delays::NaiveDelays;
pub use error::NaiveError;

/// The counts at a bound: what is new, and what was reached so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The number of contexts, or of rounds.
    pub bound: usize,
    /// How many states need exactly this bound.
    pub new_states: usize,
    /// How many visible states need exactly this bound.
    pub new_visible: usize,
    /// How many states are reached within the bound.
    pub states: usize,
    /// How many visible states are reached within the bound.
    pub visible: usize,
}

impl Level {
    /// Whether the states have collapsed: nothing is new here, so nothing is new ever after.
    #[must_use]
    pub fn has_collapsed(&self) -> bool {
        self.new_states == 0
    }
}

/// The limit on the number of configurations, unless another one is set.
pub const DEFAULT_LIMIT: usize = 1_000_000;

/// A configuration: a state, who acted last, and how it was first reached.
struct Configuration {
    state: usize,
    last: Option<ThreadId>,
    /// The number of steps from the start.
    steps: usize,
    parent: Option<(usize, Action)>,
}

/// A step that was seen but not yet followed.
struct Candidate {
    state: State,
    thread: ThreadId,
    parent: usize,
    action: Action,
}

/// The enumerator. See the module.
pub struct Naive<'s> {
    system: &'s dyn System,
    resource: Resource,
    limit: usize,
    /// The states in the order in which they were found, with their bounds.
    states: Vec<(State, usize)>,
    numbers: FxHashMap<State, usize>,
    visible: FxHashMap<VisibleState, usize>,
    configurations: Vec<Configuration>,
    known: FxHashSet<(usize, Option<ThreadId>)>,
    /// The configurations of the last bound start here.
    frontier: usize,
    level: Level,
    /// Set once a bound could not be completed.
    stopped: Option<NaiveError>,
}

impl<'s> Naive<'s> {
    /// Starts with R_0, the initial states.
    pub fn new(system: &'s dyn System) -> Result<Self, NaiveError> {
        Naive::with_limit(system, DEFAULT_LIMIT)
    }

    /// Starts with R_0 and a limit on the number of configurations: pairs of a state and the
    /// thread that acted last.
    pub fn with_limit(system: &'s dyn System, limit: usize) -> Result<Self, NaiveError> {
        Naive::of(Resource::Contexts, system, limit)
    }

    /// Like [`Naive::with_limit`], but counts rounds instead of contexts.
    pub fn rounds(system: &'s dyn System, limit: usize) -> Result<Self, NaiveError> {
        match needs_fixed_threads(system) {
            Some(fault) => Err(fault.into()),
            None => Naive::of(Resource::Rounds, system, limit),
        }
    }

    fn of(resource: Resource, system: &'s dyn System, limit: usize) -> Result<Self, NaiveError> {
        let level = Level { bound: 0, new_states: 0, new_visible: 0, states: 0, visible: 0 };
        let mut naive = Naive {
            system,
            resource,
            limit,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            visible: FxHashMap::default(),
            configurations: Vec::new(),
            known: FxHashSet::default(),
            frontier: 0,
            level,
            stopped: None,
        };
        for state in system.initial()? {
            naive.add(state, None, 0, None, 0)?;
        }
        naive.level = naive.measure(0);
        Ok(naive)
    }

    /// The last completed bound, and what was new there.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Allows one more context, or one more round.
    ///
    /// After an error the enumeration is over: every further call repeats the error.
    pub fn advance(&mut self) -> Result<Level, NaiveError> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        let bound = self.level.bound + 1;
        let end = self.configurations.len();
        match self.fill(bound) {
            Ok(()) => {
                self.frontier = end;
                self.level = self.measure(bound);
                Ok(self.level)
            }
            Err(error) => {
                self.stopped = Some(error.clone());
                Err(error)
            }
        }
    }

    /// The states that were reached, each with the least bound that reaches it.
    /// If a bound could not be completed, some of its states are there and others are not.
    pub fn states(&self) -> impl Iterator<Item = (&State, usize)> {
        self.states.iter().map(|(state, bound)| (state, *bound))
    }

    /// The visible states that were reached, each with the least bound that reaches it, in
    /// no particular order.
    pub fn visible(&self) -> impl Iterator<Item = (&VisibleState, usize)> {
        self.visible.iter().map(|(state, bound)| (state, *bound))
    }

    /// The least bound that reaches a state, if it was reached.
    #[must_use]
    pub fn bound_of(&self, state: &State) -> Option<usize> {
        self.numbers.get(state).map(|&number| self.states[number].1)
    }

    /// The least bound that reaches a visible state, if it was reached.
    #[must_use]
    pub fn bound_of_visible(&self, state: &VisibleState) -> Option<usize> {
        self.visible.get(state).copied()
    }

    /// A run to a state that was reached and is wanted: within the smallest bound, and among
    /// those with the fewest steps.
    pub fn trace_to(&self, wanted: impl Fn(&State) -> bool) -> Option<Trace> {
        // Configurations are in the order of bounds and steps, so the first one is it.
        let mut at = self.configurations.iter().position(|c| wanted(&self.states[c.state].0))?;
        let mut steps = Vec::with_capacity(self.configurations[at].steps);
        while let Configuration { parent: Some((parent, action)), last: Some(thread), .. } =
            self.configurations[at]
        {
            steps.push((thread, action));
            at = parent;
        }
        steps.reverse();
        Some(Trace { initial: self.states[self.configurations[at].state].0.clone(), steps })
    }

    /// Whether a thread acts within the bound of the one that acted last.
    fn goes_on(&self, last: Option<ThreadId>, thread: ThreadId) -> bool {
        match self.resource {
            Resource::Contexts | Resource::ContextsOf { .. } => last == Some(thread),
            Resource::Rounds => last.is_some_and(|last| last <= thread),
            Resource::Threads => true,
            // They are not explored by this enumerator: see `NaiveDelays`.
            Resource::RoundRobin { .. } => false,
        }
    }

    /// Adds all configurations that need exactly this bound.
    fn fill(&mut self, bound: usize) -> Result<(), NaiveError> {
        // Steps to follow, by the length of the run that they end.
        let mut queue: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
        for at in self.frontier..self.configurations.len() {
            let last = self.configurations[at].last;
            for thread in self.states[self.configurations[at].state].0.thread_ids() {
                if !self.goes_on(last, thread) {
                    self.follow(at, thread, &mut queue)?;
                }
            }
        }
        while let Some((steps, candidates)) = queue.pop_first() {
            for Candidate { state, thread, parent, action } in candidates {
                let parent = Some((parent, action));
                let Some(at) = self.add(state, Some(thread), steps, parent, bound)? else {
                    continue;
                };
                for next in self.states[self.configurations[at].state].0.thread_ids() {
                    if self.goes_on(Some(thread), next) {
                        self.follow(at, next, &mut queue)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Queues the steps of a thread from a configuration.
    fn follow(
        &self,
        parent: usize,
        thread: ThreadId,
        queue: &mut BTreeMap<usize, Vec<Candidate>>,
    ) -> Result<(), NaiveError> {
        let from = &self.configurations[parent];
        let steps = step(self.system, &self.states[from.state].0, thread)?;
        if !steps.is_empty() {
            let candidate = |(action, state)| Candidate { state, thread, parent, action };
            queue.entry(from.steps + 1).or_default().extend(steps.into_iter().map(candidate));
        }
        Ok(())
    }

    /// Adds a configuration, if it is new.
    fn add(
        &mut self,
        state: State,
        last: Option<ThreadId>,
        steps: usize,
        parent: Option<(usize, Action)>,
        bound: usize,
    ) -> Result<Option<usize>, NaiveError> {
        let number = self.numbers.get(&state).copied().unwrap_or(self.states.len());
        if self.known.contains(&(number, last)) {
            return Ok(None);
        }
        let at = self.configurations.len();
        if at >= self.limit {
            let completed = (bound > 0).then(|| bound - 1);
            return Err(NaiveError::TooLarge { limit: self.limit, completed });
        }
        if number == self.states.len() {
            self.visible.entry(state.visible()).or_insert(bound);
            self.numbers.insert(state.clone(), number);
            self.states.push((state, bound));
        }
        self.known.insert((number, last));
        self.configurations.push(Configuration { state: number, last, steps, parent });
        Ok(Some(at))
    }

    fn measure(&self, bound: usize) -> Level {
        let (states, visible) = (self.states.len(), self.visible.len());
        Level {
            bound,
            new_states: states - self.level.states,
            new_visible: visible - self.level.visible,
            states,
            visible,
        }
    }
}

#[cfg(test)]
mod tests;
