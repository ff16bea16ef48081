//! # The naive enumerator
//! **Question.** Which states do at most k contexts reach?
//! **Idea.** Do what the definition says. A *configuration* is a state together with the thread
//! that acted last. The thread that acted last goes on within its context; any other begins a
//! new one. Configurations are found in the order of contexts first, steps second, each with
//! the step that led to it, so that the first way to a state has the fewest contexts and,
//! among those ways, the fewest steps.
//! **Claim.** After [`Naive::advance`] was called k times, [`Naive::states`] is R_k exactly. If
//! a bound adds no state, no later one does: R_{k+1} is what one context reaches from R_k, so a
//! repetition is a fixed point.
//! **Needs.** Each context reaches finitely many states. A limit on the number of
//! configurations ends the search where that is not so.
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

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_evidence::Trace;
use selvedge_model::{Action, Fault, State, System, ThreadId, VisibleState, step};

/// What is new at a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The number of contexts.
    pub bound: usize,
    /// How many states need exactly this many contexts.
    pub new_states: usize,
    /// How many visible states need exactly this many contexts.
    pub new_visible: usize,
    /// How many states at most this many contexts reach.
    pub states: usize,
    /// How many visible states at most this many contexts reach.
    pub visible: usize,
}

impl Level {
    /// Whether the states have collapsed: nothing is new here, so nothing is new ever after.
    #[must_use]
    pub fn has_collapsed(&self) -> bool {
        self.new_states == 0
    }
}

/// Why the enumeration cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NaiveError {
    /// There are more configurations than the limit allows; perhaps infinitely many.
    TooLarge {
        /// The limit.
        limit: usize,
        /// The largest bound that was completed.
        completed: Option<usize>,
    },
    /// The system cannot say what its actions are.
    System(Fault),
}

impl fmt::Display for NaiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NaiveError::TooLarge { limit, completed } => {
                write!(f, "more than {limit} configurations")?;
                completed.map_or(Ok(()), |k| write!(f, "; bound {k} was completed"))
            }
            NaiveError::System(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for NaiveError {}

impl From<Fault> for NaiveError {
    fn from(fault: Fault) -> Self {
        NaiveError::System(fault)
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
        let level = Level { bound: 0, new_states: 0, new_visible: 0, states: 0, visible: 0 };
        let mut naive = Naive {
            system,
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

    /// Allows one more context.
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

    /// The states that were reached, each with the least number of contexts that reaches it.
    /// If a bound could not be completed, some of its states are there and others are not.
    pub fn states(&self) -> impl Iterator<Item = (&State, usize)> {
        self.states.iter().map(|(state, bound)| (state, *bound))
    }

    /// The visible states that were reached, each with the least number of contexts that
    /// reaches it, in no particular order.
    pub fn visible(&self) -> impl Iterator<Item = (&VisibleState, usize)> {
        self.visible.iter().map(|(state, bound)| (state, *bound))
    }

    /// The least number of contexts that reaches a state, if it was reached.
    #[must_use]
    pub fn bound_of(&self, state: &State) -> Option<usize> {
        self.numbers.get(state).map(|&number| self.states[number].1)
    }

    /// The least number of contexts that reaches a visible state, if it was reached.
    #[must_use]
    pub fn bound_of_visible(&self, state: &VisibleState) -> Option<usize> {
        self.visible.get(state).copied()
    }

    /// A run to a state that was reached and is wanted: with the fewest contexts, and among
    /// those with the fewest steps.
    pub fn trace_to(&self, wanted: impl Fn(&State) -> bool) -> Option<Trace> {
        // Configurations are in the order of contexts and steps, so the first one is it.
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

    /// Adds all configurations that need exactly `bound` contexts.
    fn fill(&mut self, bound: usize) -> Result<(), NaiveError> {
        // Steps to follow, by the length of the run that they end.
        let mut queue: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
        for at in self.frontier..self.configurations.len() {
            let last = self.configurations[at].last;
            for thread in self.states[self.configurations[at].state].0.thread_ids() {
                if last != Some(thread) {
                    self.follow(at, thread, &mut queue)?;
                }
            }
        }
        while let Some((steps, candidates)) = queue.pop_first() {
            for Candidate { state, thread, parent, action } in candidates {
                let parent = Some((parent, action));
                if let Some(at) = self.add(state, Some(thread), steps, parent, bound)? {
                    self.follow(at, thread, &mut queue)?;
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
