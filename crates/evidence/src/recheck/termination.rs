//! # Fair termination
//!
//! **Question.** Does no run that counts (see [`Endless`]) go on for ever?
//!
//! **Idea.** The certificate has all states that can be reached: the initial ones are in it, and no
//! step leaves it. Each state has levels. For a step from s to s', they are walked through: at each
//! one the rank falls, which is fine, or stays the same. Then both have the same helper, the step is
//! not what the helper would do, and either
//!
//! - the helper was asked for (strong fairness: it asks to act at s or s'; a choice: the step makes
//!   the choice, and it comes out the other way): fine; or
//! - nobody asked, and the next level is looked at. With weak fairness a thread has to ask at both.
//!
//! **Claim.** A run that goes on for ever has from some point on the same rank at the first level,
//! and so the same helper, who never helps. If the helper is asked for infinitely often, the run is
//! not fair; otherwise all steps from some point on go on to the second level, where the same holds;
//! and there are finitely many levels, of which none may be the last.
//!
//! **Places.** Where ended threads are forgotten and threads may have ended, a started thread takes the place of one that has ended
//! ([`advance_in_place`]), and threads are told apart by their places. A place in which nobody acts from some point on is taken at most
//! once more, and has the same thread from then on: the argument holds as it is. A place that is taken again and again has many
//! threads, and none of them makes a choice for ever: a step that starts a thread in the place of the helper excludes nothing by what it chooses.
//!
//! **Needs.** Finitely many states; a system that drops no threads, and in which of no thread any
//! number is there from the start: the states would be those of one number only.

use rustc_hash::FxHashMap;
use selvedge_model::{
    Action, Endless, Fairness, State, System, ThreadId, advance, advance_in_place, enabled,
};

use super::form::require_fixed_numbers;
use super::{Checked, Flaw, Refusal};
use crate::watch::Watch;
use crate::{FairTermination, Helpful, Level, thread_name};

pub(super) fn check(
    system: &dyn System,
    certificate: &FairTermination,
    watch: &Watch<'_>,
) -> Result<Checked, Refusal> {
    let FairTermination { endless, states } = certificate;
    if system.drops_threads() {
        let message = "whether a run is fair is not known where threads were dropped";
        return Err(Refusal::new(Flaw::System, message));
    }
    require_fixed_numbers(system)?;
    watch.spend(states.len())?;
    let mut numbers = FxHashMap::default();
    for (number, (state, _)) in states.iter().enumerate() {
        if numbers.insert(state, number).is_some() {
            return Err(Refusal::new(Flaw::Form, format!("state {number} is there twice")));
        }
    }
    if system.initial()?.iter().any(|state| !numbers.contains_key(state)) {
        return Err(Refusal::new(Flaw::Initial, "an initial state is missing"));
    }
    let gives_places_again = endless.ended || endless.fairness == Fairness::None;
    for (number, (state, levels)) in states.iter().enumerate() {
        watch.spend(state.threads.len())?;
        for thread in state.thread_ids() {
            for action in enabled(system, state, thread)? {
                let mut after = state.clone();
                match gives_places_again {
                    true => advance_in_place(system, &mut after, thread, action),
                    false => advance(&mut after, thread, action),
                }
                let Some(&next) = numbers.get(&after) else {
                    let name = thread_name(system, state, thread);
                    let message = format!("a step of {name} leads to a state that is missing");
                    return Err(Refusal::new(Flaw::NotClosed, message).at(number));
                };
                let taken = CheckedStep { system, endless: *endless, state, thread, action, after };
                taken.check(levels, &states[next].1).map_err(|refusal| refusal.at(number))?;
            }
        }
    }
    let levels = states.iter().map(|(_, levels)| levels.len()).max().unwrap_or(0);
    Ok(Checked::Termination { states: states.len(), levels, endless: *endless })
}

/// A step of the system.
struct CheckedStep<'a> {
    system: &'a dyn System,
    endless: Endless,
    state: &'a State,
    thread: ThreadId,
    action: Action,
    after: State,
}

/// The judgement of one level about a step.
enum Says {
    Fine,
    Next,
    Wrong(&'static str),
}

impl CheckedStep<'_> {
    /// Checks the levels in order, until one excludes the step from being taken for ever.
    fn check(&self, before: &[Level], after: &[Level]) -> Result<(), Refusal> {
        for (level, (before, after)) in before.iter().zip(after).enumerate() {
            let says = match before.rank.cmp(&after.rank) {
                std::cmp::Ordering::Greater => Says::Fine,
                std::cmp::Ordering::Less => Says::Wrong("raises the rank"),
                std::cmp::Ordering::Equal if before.helpful != after.helpful => {
                    Says::Wrong("keeps the rank and changes the helper")
                }
                std::cmp::Ordering::Equal => match before.helpful {
                    None => Says::Wrong("keeps the rank, and nobody could help"),
                    Some(helpful) => self.says(helpful)?,
                },
            };
            match says {
                Says::Fine => return Ok(()),
                Says::Next => {}
                Says::Wrong(what) => return Err(self.refusal(what, level)),
            }
        }
        Err(self.refusal("is excluded by no level", before.len().min(after.len())))
    }

    /// Judges a step that keeps the rank.
    fn says(&self, helpful: Helpful) -> Result<Says, Refusal> {
        let (Helpful::Thread(helper) | Helpful::Choice(helper, _)) = helpful;
        if helper.index() >= self.state.threads.len() {
            return Ok(Says::Wrong("has a helper that is not there"));
        }
        let fairness = self.endless.fairness;
        if fairness == Fairness::None {
            return Ok(Says::Wrong("keeps the rank, and nobody has to be fair"));
        }
        if let Helpful::Choice(_, choice) = helpful {
            if self.starts_at(helper) {
                return Ok(Says::Wrong("starts a thread in the place of the helper"));
            }
            if helper != self.thread {
                return Ok(Says::Next);
            }
            let made = self.system.fair_choices(self.action.origin);
            return Ok(match (made.contains(&choice), made.contains(&choice.other())) {
                (true, _) => Says::Wrong("is the choice that would help"),
                (false, true) => Says::Fine,
                (false, false) => Says::Next,
            });
        }
        if helper == self.thread {
            return Ok(Says::Wrong("is a step of the helper"));
        }
        let asks = |state| self.endless.asks(self.system, state, helper);
        Ok(match (fairness, asks(self.state)?, asks(&self.after)?) {
            (Fairness::Weak, true, true) => Says::Fine,
            (Fairness::Weak, ..) => Says::Wrong("is at a state where the helper does not ask"),
            (_, false, false) => Says::Next,
            _ => Says::Fine,
        })
    }

    /// Whether the step starts a thread in this place, which another one had.
    fn starts_at(&self, place: ThreadId) -> bool {
        let has_ended = |state: &State| state.threads[place.index()].has_ended();
        place != self.thread && has_ended(self.state) && !has_ended(&self.after)
    }

    fn refusal(&self, what: &str, level: usize) -> Refusal {
        let name = thread_name(self.system, self.state, self.thread);
        let message = format!("a step of {name} {what}, at level {level}");
        Refusal::new(Flaw::Rank, message)
    }
}
