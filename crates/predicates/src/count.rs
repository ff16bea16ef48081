//! # Abstract states of a user
//! The number of abstract states as the delay-bounded paper counts them: where one thread stands, and
//! the truth values of the predicates for it, in all states that are reached with so many threads.
//! (Johnson and Wahl, Delay-Bounded Scheduling Without Delay, Sec. 5.)

use std::collections::BTreeSet;

use selvedge_program::Predicate;
use selvedge_smt::layout::{Layout, Standing};
use selvedge_smt::plain::About;
use selvedge_smt::term::Val;

use crate::sample::Snapshot;

/// The counts of states for one number of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampled {
    /// The number of threads.
    pub threads: usize,
    /// The number of states.
    pub states: usize,
    /// The number of abstract states, if there are predicates of the user.
    pub abstract_states: Option<usize>,
    /// Whether these are all states.
    pub complete: bool,
}

/// An abstract state: the place of a thread, and whether each predicate holds; `None` where that is
/// not known, because a variable has no value there, and where the predicate is about another procedure than
/// the thread is in.
pub type AbstractState = (Standing, Vec<Option<bool>>);

/// The abstract states of all threads in these states.
#[must_use]
pub fn abstract_states(
    layout: &Layout<'_>,
    predicates: &[&Predicate],
    states: &[Snapshot],
) -> BTreeSet<AbstractState> {
    abstract_states_of(layout, predicates, states, |_| true)
}

/// The abstract states of some threads, by their numbers.
#[must_use]
pub fn abstract_states_of(
    layout: &Layout<'_>,
    predicates: &[&Predicate],
    states: &[Snapshot],
    looked_at: impl Fn(usize) -> bool,
) -> BTreeSet<AbstractState> {
    let mut all = BTreeSet::new();
    for state in states {
        let places = state.places();
        let everyone: Vec<usize> = (0..places.len()).collect();
        for (own, &place) in places.iter().enumerate().filter(|(own, _)| looked_at(*own)) {
            let proc = layout.classes[place.class].proc;
            let about = About { layout, threads: &places, own: Some(own), proc, instance: None };
            let truth = |predicate: &&Predicate| {
                if predicate.scope.is_some_and(|scope| scope != proc) {
                    return None;
                }
                let term = about.term(&predicate.expr)?;
                term.value(&|var| state.value(&everyone, var)).and_then(Val::truth)
            };
            all.insert((place, predicates.iter().map(truth).collect()));
        }
    }
    all
}
