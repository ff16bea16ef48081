//! # Lassos
//!
//! **Question.** Can the period be repeated for ever, and is the run then fair?
//!
//! **Idea.** The stem and two periods are replayed by the one step function. That it goes on from
//! there is shown by induction, from the first period alone:
//!
//! - the shared state is the same after the period as before it;
//! - of each stack, only some topmost symbols were ever on top in the period. After it, the same
//!   symbols are on top again, and what lies below them is what was below them before, with
//!   something put in between that was not there (or nothing). So the period finds again all that it
//!   looks at; the rest is never looked at.
//!
//! Then the heads of all threads are the same in each period, so who can act where is the same, and
//! fairness is about the states of one period: a thread that does not act must not be able to
//! (strong: in all of them; weak: in one of them), and each fair choice that a thread makes comes
//! out both ways.
//!
//! Where ended threads are forgotten, a period may start threads if as many that were started end in it. A thread that it leaves
//! behind is the *heir* of one that was there before and has ended: its stack is what the other's was. In the
//! next period it does what the other one did, and ends, too. So each of them acts finitely often and is then not enabled: the run is
//! fair to it, and what it chose was chosen finitely often.
//!
//! **Needs.** Threads do not get more and more. For fairness, a system that does not drop threads. Where a run counts only if no
//! thread has ended, none is started in the period.

use std::collections::BTreeSet;

use selvedge_model::{
    Endless, FairChoice, FairPlace, Fairness, State, System, ThreadId, advance, is_forgotten,
};

use super::{Checked, Flaw, Refusal};
use crate::replay::{listed, replay_watched};
use crate::watch::Watch;
use crate::{Lasso, LassoThread, Part, thread_name};

pub(super) fn check(
    system: &dyn System,
    lasso: &Lasso,
    watch: &Watch<'_>,
) -> Result<Checked, Refusal> {
    let Lasso { stem, period, endless } = lasso;
    if period.is_empty() {
        return Err(Refusal::new(Flaw::Form, "the period is empty"));
    }
    if endless.fairness != Fairness::None && system.drops_threads() {
        let message = "whether a run is fair is not known where threads were dropped";
        return Err(Refusal::new(Flaw::System, message));
    }
    let start = replay_watched(system, stem, watch)?
        .map_err(|error| Refusal::new(Flaw::NotARun, format!("the stem: {error}")))?;
    let names: Vec<ThreadId> = start.thread_ids().collect();
    let walk = walk(system, &start, names, lasso, watch)?;
    if walk.after.shared != start.shared {
        let message = "the shared state after the period is not the one before it";
        return Err(Refusal::new(Flaw::NotPeriodic, message));
    }
    let heirs = walk.heirs(system, &start).ok_or_else(|| {
        let message = "the period starts threads, and as many of the same kind do not end in it";
        Refusal::new(Flaw::NotPeriodic, message)
    })?;
    let mut threads = Vec::with_capacity(start.threads.len());
    for (thread, &heir) in start.thread_ids().zip(&heirs) {
        if heir != thread {
            threads.push(LassoThread { part: Part::Acts, growth: 0 });
            continue;
        }
        let growth = walk.growth(&start, thread).ok_or_else(|| {
            let name = thread_name(system, &start, thread);
            let message = format!("the stack of {name} does not let the period be repeated");
            Refusal::new(Flaw::NotPeriodic, message)
        })?;
        threads.push(LassoThread { part: walk.part(system, &start, thread, *endless)?, growth });
    }
    if endless.fairness != Fairness::None {
        walk.check_choices(system, &start, &heirs)?;
    }
    self::walk(system, &walk.after, heirs, lasso, watch)?;
    Ok(Checked::Lasso { stem: stem.steps.len(), period: period.len(), endless: *endless, threads })
}

/// The observations of one period.
struct Walk {
    after: State,
    /// What each thread did in the period.
    threads: Vec<Deeds>,
}

#[derive(Clone, Default)]
struct Deeds {
    acts: bool,
    /// The height of the stack, without its top, when it was lowest before an action.
    lowest: usize,
    /// Whether it acted on the empty stack.
    bottomed: bool,
    /// Whether it asked to act in some state of the period.
    asks: bool,
    /// Whether there was a state of the period in which it did not.
    rests: bool,
    choices: BTreeSet<FairChoice>,
}

/// Walks through the period. The names say which threads those are now that it calls by their numbers; who is started gets one more.
fn walk(
    system: &dyn System,
    start: &State,
    mut names: Vec<ThreadId>,
    lasso: &Lasso,
    watch: &Watch<'_>,
) -> Result<Walk, Refusal> {
    let mut state = start.clone();
    let may_end = lasso.endless.ended || lasso.endless.fairness == Fairness::None;
    let lowest = usize::MAX;
    let mut threads = vec![Deeds { lowest, ..Deeds::default() }; start.threads.len()];
    for (index, (thread, action)) in lasso.period.iter().enumerate() {
        watch.spend(state.threads.len())?;
        // In the midst of a step no other thread waits.
        let seen = threads.iter_mut().filter(|_| !system.is_between(state.shared));
        for (id, seen) in state.thread_ids().zip(seen) {
            let asks = lasso.endless.asks(system, &state, id)?;
            seen.asks |= asks;
            seen.rests |= !asks;
        }
        let thread = &names.get(thread.index()).copied().unwrap_or(*thread);
        let action = listed(system, &state, *thread, action).map_err(|fault| {
            let error = crate::ReplayError { step: index + 1, fault };
            Refusal::new(Flaw::NotARun, format!("the period: {error}"))
        })?;
        if action.spawn.is_some() && !(may_end && system.forgets_ended()) {
            let message = format!("the period: step {} starts a thread", index + 1);
            return Err(Refusal::new(Flaw::NotPeriodic, message));
        }
        let height = state.threads[thread.index()].stack.0.len();
        // One that was started in the period ends, or has to be like one that was there before it.
        if let Some(seen) = threads.get_mut(thread.index()) {
            seen.acts = true;
            seen.bottomed |= height == 0;
            seen.lowest = seen.lowest.min(height.saturating_sub(1));
            seen.choices.extend(system.fair_choices(action.origin));
        }
        advance(&mut state, *thread, action);
        names.extend(state.thread_ids().last().filter(|_| action.spawn.is_some()));
    }
    Ok(Walk { after: state, threads })
}

impl Walk {
    /// Who does in the next period what a thread did in this one: the thread itself, or, if it ended in it, one like it that was
    /// started in it. `None` if threads that were started are left over.
    fn heirs(&self, system: &dyn System, start: &State) -> Option<Vec<ThreadId>> {
        let is_left = |thread: &ThreadId| !is_forgotten(system, &self.after, *thread);
        let mut started: Vec<ThreadId> =
            self.after.thread_ids().skip(start.threads.len()).filter(is_left).collect();
        let mut heir = |thread: ThreadId| {
            if is_left(&thread) || is_forgotten(system, start, thread) {
                return thread;
            }
            let before = &start.threads[thread.index()];
            let is_alike = |heir: &ThreadId| self.after.threads[heir.index()] == *before;
            let place = started.iter().position(is_alike);
            place.map_or(thread, |place| started.swap_remove(place))
        };
        let heirs = start.thread_ids().map(&mut heir).collect();
        started.is_empty().then_some(heirs)
    }

    /// By how much a stack grows in each period; `None` if the period cannot be repeated.
    fn growth(&self, start: &State, thread: ThreadId) -> Option<usize> {
        let seen = &self.threads[thread.index()];
        let before = &start.threads[thread.index()].stack.0;
        let after = &self.after.threads[thread.index()].stack.0;
        if !seen.acts || seen.bottomed {
            return (before == after).then_some(0);
        }
        // The first action of the thread touches the top, so this is below the top.
        let (untouched, touched) = before.split_at(seen.lowest.min(before.len()));
        let growth = after.len().checked_sub(before.len())?;
        (after.starts_with(untouched) && after.ends_with(touched)).then_some(growth)
    }

    /// Why the run is fair to a thread; refuses it if it is not.
    fn part(
        &self,
        system: &dyn System,
        start: &State,
        thread: ThreadId,
        endless: Endless,
    ) -> Result<Part, Refusal> {
        let seen = &self.threads[thread.index()];
        let ended = start.threads[thread.index()].has_ended();
        let unfair = |why: &str| {
            let name = thread_name(system, start, thread);
            Err(Refusal::new(Flaw::Unfair, format!("thread {name} {why}")))
        };
        Ok(match endless.fairness {
            _ if seen.acts => Part::Acts,
            Fairness::Strong | Fairness::Weak if ended && !endless.ended => {
                return unfair("has ended");
            }
            Fairness::Strong if seen.asks => {
                return unfair("can act in the period and does not");
            }
            Fairness::Weak if !seen.rests => {
                return unfair("can act all through the period and does not");
            }
            _ if ended => Part::Ended,
            Fairness::None if seen.asks => Part::Starved,
            _ if seen.asks => Part::Hindered,
            _ => Part::Waits,
        })
    }

    /// Refuses a period in which a fair choice comes out one way only.
    fn check_choices(
        &self,
        system: &dyn System,
        start: &State,
        heirs: &[ThreadId],
    ) -> Result<(), Refusal> {
        let stay = start.thread_ids().zip(heirs).zip(&self.threads);
        for ((thread, _), seen) in stay.filter(|((thread, heir), _)| thread == *heir) {
            let one_sided = seen.choices.iter().find(|c| !seen.choices.contains(&c.other()));
            if let Some(FairChoice { place, outcome }) = one_sided {
                let name = thread_name(system, start, thread);
                let place = show_place(system, *place);
                let message = format!("the fair choice of {name} {place} is always {outcome}");
                return Err(Refusal::new(Flaw::Unfair, message));
            }
        }
        Ok(())
    }
}

/// Where a fair choice is made, for people.
pub(super) fn show_place(system: &dyn System, place: FairPlace) -> String {
    match system.describe().fair_place_line(place) {
        Some(line) => format!("in line {line}"),
        None => format!("number {}", place.0),
    }
}

#[cfg(test)]
#[path = "lasso_tests.rs"]
mod tests;
