//! # Proofs in words
//! One sentence for each rule by which nothing more can happen.

use selvedge_analysis::engine::{Outcome, Proof};

use crate::amount::amount;
use crate::text::count;

/// Why nothing more can happen.
pub(crate) fn in_words(outcome: &Outcome, proof: Proof, is_equality: bool) -> String {
    match proof {
        Proof::Repetition { bound } => {
            let states = outcome.observations.last().map(|o| o.states).filter(Option::is_some);
            let all = match states {
                None => String::new(),
                Some(Some(1)) => ": the one state was seen".to_owned(),
                Some(n) => format!(": all {} were seen", amount(n, "state")),
            };
            format!("no state is new at {bound}{all}")
        }
        Proof::Generators { bound, generators } => format!(
            "the generator test passes at {bound}: nothing visible is new, and {} that may be reached \
             {} seen",
            match generators {
                0 => "no generator".to_owned(),
                1 => "the one generator".to_owned(),
                n => format!("all {n} generators"),
            },
            if generators == 0 {
                "is left to be"
            } else if generators == 1 {
                "was"
            } else {
                "were"
            }
        ),
        Proof::Schedules { states, waits } => format!(
            "every schedule was followed: {} {} met; at {waits} of them some threads wait, since the order does not matter",
            amount(Some(states as u128), "state"),
            if states == 1 { "was" } else { "were" }
        ),
        Proof::Summaries => {
            "the summaries of all procedures: every value that reaches a place was followed"
                .to_owned()
        }
        Proof::Coverability { dangerous: 0 } => {
            "coverability: one thread or two, whatever the others do, are never seen in a violation"
                .to_owned()
        }
        Proof::Coverability { dangerous } => format!(
            "coverability: a violation has to go through {}, or one with more threads; no number of \
             threads gets there",
            if dangerous == 1 {
                "a dangerous state".to_owned()
            } else {
                format!("one of {dangerous} dangerous states")
            }
        ),
        Proof::CutsAndCounting { depth, dangerous, relations } => {
            cuts_and_counting(depth, dangerous, relations)
        }
        Proof::Closure { bound, top, some_shared, states } => {
            let shared = if some_shared { "some shared variables" } else { "the shared state" };
            let observed = match top {
                0 => shared.to_owned(),
                1 => format!("{shared} and the top symbol of each stack"),
                n => format!("{shared} and the top {n} symbols of each stack"),
            };
            format!(
                "of {observed}, {} were reached by {bound}; no step leads from what is behind them \
                 to others",
                amount(Some(states as u128), "combination")
            )
        }
        Proof::Cut(cut) => {
            let seen = outcome.cuts.iter().find(|seen| seen.cut == cut);
            let kept = match cut.depth {
                1 => "the top symbol".to_owned(),
                n => format!("the top {n} symbols"),
            };
            let left = match is_equality {
                true => "exactly the visible states that were reached".to_owned(),
                false => {
                    let visible = seen.and_then(|seen| seen.visible);
                    format!("{}, none a violation", amount(visible, "visible state"))
                }
            };
            let heights = if cut.heights { " and their heights compared" } else { "" };
            format!("stack cut of depth {}: {kept} of each stack kept{heights}, {left}", cut.depth)
        }
    }
}

/// Stacks that are cut, threads that are counted.
fn cuts_and_counting(depth: usize, dangerous: usize, relations: usize) -> String {
    let kept = match depth {
        1 => "the top symbol".to_owned(),
        n => format!("the top {n} symbols"),
    };
    let tied = match relations {
        0 => String::new(),
        n => {
            format!(", {} between heights of stacks and numbers of threads", count(n, "relation"))
        }
    };
    let states = match dangerous {
        0 => {
            return format!(
                "stacks cut and threads counted: {kept} of each stack kept{tied}; no violation is left, \
                 whatever the other threads do"
            );
        }
        1 => "a dangerous state".to_owned(),
        n => format!("one of {n} dangerous states"),
    };
    format!(
        "stacks cut and threads counted: {kept} of each stack kept{tied}; a violation has to go through \
         {states}, and no number of threads gets there"
    )
}
