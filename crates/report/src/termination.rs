//! # Why no fair run goes on for ever
//! What a proof of fair termination says, for people: the sets of states that runs can go round in,
//! and who would have to help, and never does, in each of them.

use std::collections::BTreeMap;

use selvedge_evidence::{FairTermination, Helpful, thread_name};
use selvedge_model::{Endless, Fairness, State, System, ThreadId};

use crate::style::{Paint, Role};
use crate::text::count;

/// More sets than this are not listed.
const MOST_SETS: usize = 30;

/// The sets of states that runs can go round in, each with the reason why none is fair.
#[must_use]
pub fn text(system: &dyn System, proof: &FairTermination, paint: Paint) -> String {
    let FairTermination { endless, states } = proof;
    // The states that have the same ranks up to a level, and a helper there.
    let mut sets: BTreeMap<Vec<u32>, (Helpful, Vec<&State>)> = BTreeMap::new();
    for (state, levels) in states {
        for (depth, level) in levels.iter().enumerate() {
            let Some(helpful) = level.helpful else { continue };
            let ranks = levels[..=depth].iter().map(|level| level.rank).collect();
            sets.entry(ranks).or_insert_with(|| (helpful, Vec::new())).1.push(state);
        }
    }
    let all = count(states.len(), "state");
    if sets.is_empty() {
        return format!("{}\n", paint.paint(Role::Heading, &format!("{all}, none twice in a run")));
    }
    let heading = format!("{all}; runs can go round in {}:", count(sets.len(), "set"));
    let mut text = format!("{}\n", paint.paint(Role::Heading, &heading));
    for (ranks, (helpful, states)) in sets.iter().take(MOST_SETS) {
        let within = "  ".repeat(ranks.len());
        let of = if ranks.len() > 1 { "of these, " } else { "" };
        let why = why(system, *endless, states, *helpful);
        text += &format!("{within}{of}{}: {why}\n", count(states.len(), "state"));
    }
    if let Some(more) = sets.len().checked_sub(MOST_SETS).filter(|more| *more > 0) {
        text += &format!("  and {} more\n", count(more, "set"));
    }
    text
}

/// Why no fair run stays in a set of states.
fn why(system: &dyn System, endless: Endless, states: &[&State], helpful: Helpful) -> String {
    let (Helpful::Thread(thread) | Helpful::Choice(thread, _)) = helpful;
    let there = |state: &&&State| thread.index() < state.threads.len();
    let Some(state) = states.iter().find(there) else { return String::new() };
    let name = thread_name(system, state, thread);
    match helpful {
        Helpful::Choice(_, choice) => {
            let line = system.describe().fair_place_line(choice.place);
            let line = line.map_or(String::new(), |line| format!(" in line {line}"));
            let way = choice.outcome;
            format!("the fair choice of {name}{line} never comes out {way}")
        }
        Helpful::Thread(_) if has_ended(state, thread) => format!("{name} has ended"),
        Helpful::Thread(_) if endless.fairness == Fairness::Weak => {
            format!("{name} can act all the time, and does not")
        }
        Helpful::Thread(_) => {
            format!("{name} can act again and again, and does not")
        }
    }
}

fn has_ended(state: &State, thread: ThreadId) -> bool {
    state.threads[thread.index()].has_ended()
}
