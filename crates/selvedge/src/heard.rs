//! # What can be heard of a run
//! Engines tell what they have completed and what they try. Moves are counted beside that ([`Moves`]), so that whoever shows the
//! progress of a run knows how fast it is even while a bound takes minutes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use selvedge_analysis::engine::Event;
use selvedge_analysis::{Bound, Stop, fair};
use selvedge_model::Meter;
use selvedge_report::amount::{amount, bytes};

/// A callback for what engines do. Several threads may call it at once.
pub type Listener = Arc<dyn Fn(Heard<'_>) + Send + Sync>;

/// An event of a run, as a listener gets it.
#[derive(Clone, Copy)]
pub enum Heard<'a> {
    /// A bound was completed, or an over-approximation.
    Event(&'a Event<'a>),
    /// The search for a run that never ends went on.
    Endless(fair::Event),
    /// How far several processes are with a bound.
    Together(&'a Together),
    /// What an engine tries now, in words.
    Trying(&'a str),
    /// Something that the person who asked should know.
    Note(&'a str),
    /// Nothing new: another tenth of a second has passed.
    Tick,
}

/// The progress of several processes with a bound that they explore.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Together {
    /// The bound.
    pub bound: Bound,
    /// How many states they store.
    pub states: u64,
    /// How many bytes they have sent to each other.
    pub sent_bytes: u64,
    /// The states of the worker with most of them, divided by the mean.
    pub balance: f64,
}

impl Heard<'_> {
    /// What was done, or is tried, in words; with how far that is, if the largest bound is known. None for ticks and notes.
    #[must_use]
    pub fn words(&self, most: Option<Bound>) -> Option<String> {
        Some(match self {
            Heard::Event(Event::Bound { observation, stored }) => format!(
                "{}{}: {}, {} stored",
                observation.bound,
                of_most(observation.bound, most),
                amount(observation.new_visible, "new visible state"),
                stored.0,
            ),
            Heard::Event(Event::Cut(seen)) => {
                let result = if seen.violated { "does not exclude" } else { "excludes" };
                let heights = if seen.cut.heights { ", heights compared" } else { "" };
                format!(
                    "stack cut of depth {}{heights}: {}, {result} a violation",
                    seen.cut.depth,
                    amount(seen.visible, "visible state")
                )
            }
            Heard::Endless(fair::Event::States { found, followed }) => {
                format!("{found} states, {followed} followed")
            }
            Heard::Endless(fair::Event::Rounds(rounds)) => {
                format!("none within {} + {} rounds", rounds.stem, rounds.lasso)
            }
            Heard::Together(Together { bound, states, sent_bytes, balance }) => format!(
                "{bound}{} in progress: {states} stored, {} sent, balance {balance:.2}",
                of_most(*bound, most),
                bytes(*sent_bytes),
            ),
            Heard::Trying(words) => (*words).to_owned(),
            Heard::Note(_) | Heard::Tick => return None,
        })
    }
}

/// How far a bound is, if it is known where the end is.
fn of_most(bound: Bound, most: Option<Bound>) -> String {
    match most.filter(|most| most.resource == bound.resource) {
        Some(most) => format!(" of {}", most.count),
        None => String::new(),
    }
}

/// How many moves were made, by all engines that share it.
#[derive(Clone, Default)]
pub struct Moves(Arc<AtomicU64>);

impl Moves {
    /// The number of moves so far.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// A meter that counts moves in a budget.
    pub(crate) fn meter(&self) -> Arc<dyn Meter> {
        Arc::new(self.clone())
    }
}

impl Meter for Moves {
    fn spend(&self, work: u64) -> Result<(), Stop> {
        self.0.fetch_add(work, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_a_bound_is_is_told_where_the_end_is_known() {
        let three = Bound::contexts(3);
        assert_eq!(of_most(three, Some(Bound::contexts(6))), " of 6");
        assert_eq!(of_most(three, Some(Bound::rounds(6))), "", "contexts are no rounds");
        assert_eq!(of_most(three, None), "");
    }

    #[test]
    fn words_tell_what_is_tried_and_nothing_of_ticks() {
        assert_eq!(Heard::Trying("views").words(None).as_deref(), Some("views"));
        let states = fair::Event::States { found: 7, followed: 3 };
        assert_eq!(Heard::Endless(states).words(None).as_deref(), Some("7 states, 3 followed"));
        assert_eq!(Heard::Tick.words(None), None);
    }
}
