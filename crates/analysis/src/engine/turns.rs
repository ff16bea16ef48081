//! # Two engines that take turns
//!
//! **Question.** Two engines look for the same answer, and nobody knows which one is faster. How
//! does the answer, and who gives it, not depend on the clock?
//!
//! **Idea.** One of them works at a time. Every look at the budget is so much work done
//! ([`Budget::after`]); when its share is used up, the other one goes on from where it was. The one
//! that seems to be on the right track has the larger share.
//!
//! **Claim.** The order of all work is the same in every run, if the work of each engine is. The one
//! with the larger share costs at most a quarter more than alone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::beside::Answer;
use crate::Budget;

/// How much is done in a turn, in moves of an explorer, by who is not favoured.
const SHARE: u64 = 1 << 15;

/// How many times as much is done by who is.
const FAVOUR: u64 = 4;

/// One of two engines that take turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The one that begins, and is favoured at first.
    First,
    /// The other one.
    Second,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// The place of an engine among those that take turns.
#[derive(Clone)]
pub struct Turn {
    turns: Arc<Turns>,
    side: Side,
}

struct Turns {
    now: Mutex<Now>,
    changed: Condvar,
}

struct Now {
    /// Whose turn it is.
    whose: Side,
    /// How much work is left in it.
    left: u64,
    favoured: Side,
    /// Who has come to an end.
    over: Option<Side>,
}

impl Now {
    fn pass_to(&mut self, side: Side) {
        self.whose = side;
        self.left = if side == self.favoured { SHARE * FAVOUR } else { SHARE };
    }
}

impl Turn {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.turns.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So much work was done: comes back when there is a share for more.
    pub(crate) fn spend(&self, work: u64) {
        let mut now = self.now();
        now.left = now.left.saturating_sub(work);
        if now.left > 0 {
            return;
        }
        let next = if now.over.is_some() { self.side } else { self.side.other() };
        now.pass_to(next);
        self.turns.changed.notify_all();
        self.wait(now);
    }

    fn wait(&self, mut now: MutexGuard<'_, Now>) {
        while now.whose != self.side {
            now = self.turns.changed.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives a side the larger share, from its next turn on.
    pub fn favour(&self, side: Side) {
        self.now().favoured = side;
    }
}

/// Ends the turns of an engine, however it ends.
struct Ending<'t>(&'t Turn);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let mut now = self.0.now();
        now.over = Some(self.0.side);
        now.pass_to(self.0.side.other());
        self.0.turns.changed.notify_all();
    }
}

/// What one of two engines answers, whoever comes to it first when they take turns. The first one
/// always has an outcome; if neither knows, that is it.
pub fn in_turns<A: Answer>(
    first: impl FnOnce(&Budget, &Turn) -> A,
    second: impl FnOnce(&Budget) -> Option<A> + Send,
    budget: &Budget,
) -> A {
    let now = Now { whose: Side::First, left: SHARE * FAVOUR, favoured: Side::First, over: None };
    let turns = Arc::new(Turns { now: Mutex::new(now), changed: Condvar::new() });
    let answered = Arc::new(AtomicBool::new(false));
    let taking = |side: Side| {
        let turn = Turn { turns: Arc::clone(&turns), side };
        let mut budget = budget.clone();
        budget.cancelled.push(Arc::clone(&answered));
        budget.turn = Some(turn.clone());
        (budget, turn)
    };
    let ((first_budget, first_turn), (second_budget, second_turn)) =
        (taking(Side::First), taking(Side::Second));
    let answered = &answered;
    thread::scope(|scope| {
        let second = scope.spawn(move || {
            let _ending = Ending(&second_turn);
            second_turn.wait(second_turn.now());
            if answered.load(Ordering::Relaxed) {
                return None;
            }
            let outcome = second(&second_budget).filter(Answer::is_answer);
            answered.fetch_or(outcome.is_some(), Ordering::Relaxed);
            outcome
        });
        let of_first = {
            let _ending = Ending(&first_turn);
            let outcome = first(&first_budget, &first_turn);
            answered.fetch_or(outcome.is_answer(), Ordering::Relaxed);
            outcome
        };
        match second.join() {
            Ok(Some(of_second)) if !of_first.is_answer() => of_second,
            Ok(_) => of_first,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    impl Answer for Result<&'static str, Stop> {
        fn is_answer(&self) -> bool {
            self.is_ok()
        }
    }

    fn work(budget: &Budget, name: &'static str, amount: u64) -> Result<&'static str, Stop> {
        (0..amount).try_for_each(|_| budget.after(1))?;
        Ok(name)
    }

    fn who(first: u64, second: u64, favoured: Side) -> &'static str {
        let answer = in_turns(
            |budget, turn| {
                turn.favour(favoured);
                work(budget, "first", first)
            },
            |budget| Some(work(budget, "second", second)),
            &Budget::default(),
        );
        answer.expect("an answer")
    }

    #[test]
    fn work_decides_who_answers() {
        let turn = SHARE;
        for _ in 0..3 {
            assert_eq!(who(FAVOUR * turn, 1, Side::First), "second");
            assert_eq!(who(FAVOUR * turn - 1, 1, Side::First), "first");
            assert_eq!(who(9 * turn, 2 * turn, Side::First), "first");
            assert_eq!(who(9 * turn, 2 * turn - 1, Side::First), "second");
            assert_eq!(who(9 * turn, 8 * turn, Side::First), "first");
            assert_eq!(who(9 * turn, 8 * turn, Side::Second), "second");
        }
    }

    #[test]
    fn who_gives_up_leaves_the_rest_to_the_other_one() {
        let gives_up = |_: &Budget| None::<Result<&str, Stop>>;
        let first = |budget: &Budget, _: &Turn| work(budget, "first", 20 * SHARE);
        assert_eq!(in_turns(first, gives_up, &Budget::default()), Ok("first"));
        let second = |budget: &Budget| Some(work(budget, "second", 20 * SHARE));
        let stops = |_: &Budget, _: &Turn| Err(Stop::HighStack);
        assert_eq!(in_turns(stops, second, &Budget::default()), Ok("second"));
        assert_eq!(in_turns(stops, gives_up, &Budget::default()), Err(Stop::HighStack));
    }
}
