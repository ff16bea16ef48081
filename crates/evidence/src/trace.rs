//! # Traces
//! One run of a system: a first state, and who did what, step by step.

use selvedge_model::{Action, State, ThreadId};

/// A run. Whether it is one is for [`crate::replay`] to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The state in which it starts.
    pub initial: State,
    /// Who acts, and what the action is.
    pub steps: Vec<(ThreadId, Action)>,
}

impl Trace {
    /// The run that has not moved yet.
    #[must_use]
    pub fn start(initial: State) -> Self {
        Trace { initial, steps: Vec::new() }
    }

    /// How many contexts the run has: maximal pieces in which one thread acts. (A run with `k`
    /// contexts has `k - 1` switches; contexts are what bounds count.)
    #[must_use]
    pub fn contexts(&self) -> usize {
        self.context_numbers().last().copied().unwrap_or(0)
    }

    /// The context of each step, counted from 1.
    #[must_use]
    pub fn context_numbers(&self) -> Vec<usize> {
        let mut context = 0;
        let mut last = None;
        let number = |&(thread, _): &(ThreadId, Action)| {
            if last != Some(thread) {
                context += 1;
                last = Some(thread);
            }
            context
        };
        self.steps.iter().map(number).collect()
    }

    /// How many rounds the run needs: one context of each thread, in their order, any of which may
    /// be empty. A round ends where a thread acts after one that comes later in the order.
    #[must_use]
    pub fn rounds(&self) -> usize {
        let goes_back = |pair: &[(ThreadId, Action)]| pair[1].0 < pair[0].0;
        let ends = self.steps.windows(2).filter(|pair| goes_back(pair)).count();
        if self.steps.is_empty() { 0 } else { ends + 1 }
    }
}

/// Whether two actions do the same to every state. Where they come from may differ.
#[must_use]
pub fn same_effect(a: &Action, b: &Action) -> bool {
    (a.shared, a.word, a.spawn) == (b.shared, b.word, b.spawn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fig1, run};

    #[test]
    fn contexts_are_counted_not_switches() {
        let system = fig1();
        let trace = run(&system, &[(0, 0), (1, 0), (1, 0), (0, 0)]);
        assert_eq!(trace.context_numbers(), [1, 2, 2, 3]);
        assert_eq!(trace.contexts(), 3);
        assert_eq!(Trace::start(trace.initial).contexts(), 0);
    }

    #[test]
    fn a_round_has_all_threads_in_their_order() {
        let system = fig1();
        let trace = run(&system, &[(0, 0), (1, 0), (1, 0), (0, 0)]);
        assert_eq!(trace.rounds(), 2);
        assert_eq!(Trace { steps: trace.steps[..3].to_vec(), ..trace.clone() }.rounds(), 1);
        assert_eq!(Trace::start(trace.initial).rounds(), 0);
    }
}
