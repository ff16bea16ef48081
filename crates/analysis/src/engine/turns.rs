//! # Engines that take turns
//!
//! **Question.** Several engines look for the same answer, and nobody knows which one is fastest. How
//! does the answer, and who gives it, not depend on the clock?
//!
//! **Idea.** Work is handed out in portions, round after round. Every look at the budget is so much work done
//! ([`Budget::after`]); an engine whose portion is used up waits for its next one. The one
//! that seems to be on the right track has the largest portion, and some begin only when the others have worked for a
//! while in vain. In a round, engines work one after the other, or as many at a time as there are workers; if several come to
//! an answer in one round, the first in the list has it.
//!
//! **Claim.** The answer is the same in every run and with any number of workers, if the work of each engine depends on
//! nothing that another one does. An engine that has n shares of m costs at most m / n times as much as alone, once all have
//! begun.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use selvedge_model::Meter;

use crate::{Budget, Stop};

/// How much is done in a turn with one share, in moves of an explorer.
const SHARE: u64 = 1 << 15;

/// How many shares a favoured engine has: at most a quarter is lost to another one that has one.
pub const FAVOURED: u64 = 4;

/// How many shares an engine has that most questions are answered by, where those beside it have one and catch up later ([`Candidate::beside`]).
pub const LEADING: u64 = 2 * FAVOURED;

/// How much work all do before those beside the leading one have as many shares, in moves: a few seconds.
const BEFORE_EQUAL_SHARES: u64 = 1 << 23;

/// An outcome of an engine that takes turns: an answer, or none.
pub trait Reply: Send {
    /// Whether the question is answered.
    fn is_answer(&self) -> bool;
}

/// An engine that is to take turns with others.
pub struct Candidate<'a, A> {
    /// How much work the others do before it begins, unless they give up before.
    pub after: u64,
    /// How many shares it has at first.
    pub shares: u64,
    /// Other shares that it has later.
    pub later: Option<Later>,
    /// The engine. `None` if it has nothing to say.
    pub run: Run<'a, A>,
}

/// The shares of an engine from some moment on.
#[derive(Clone, Copy)]
pub struct Later {
    /// How much work all have done by then.
    pub after: u64,
    /// The number of shares.
    pub shares: u64,
}

/// An engine that runs within a budget, and knows its place among those that take turns.
pub type Run<'a, A> = Box<dyn FnOnce(&Budget, &Turn) -> Option<A> + Send + 'a>;

impl<'a, A> Candidate<'a, A> {
    /// An engine that begins at once.
    pub fn new(
        shares: u64,
        run: impl FnOnce(&Budget, &Turn) -> Option<A> + Send + 'a,
    ) -> Candidate<'a, A> {
        Candidate { after: 0, shares, later: None, run: Box::new(run) }
    }

    /// An engine beside a leading one: it has an eighth of its work at first, and as much as that one where there is no answer for long.
    pub fn beside(run: impl FnOnce(&Budget, &Turn) -> Option<A> + Send + 'a) -> Candidate<'a, A> {
        Candidate::new(1, run).with_later(LEADING, BEFORE_EQUAL_SHARES)
    }

    /// Gives it `shares` shares once all engines together have done `after` work.
    #[must_use]
    pub fn with_later(self, shares: u64, after: u64) -> Self {
        Candidate { later: Some(Later { after, shares }), ..self }
    }

    /// Lets the others work alone at first.
    #[must_use]
    pub fn after(self, work: u64) -> Self {
        Candidate { after: work, ..self }
    }
}

/// The place of an engine among those that take turns.
#[derive(Clone)]
pub struct Turn {
    turns: Arc<Turns>,
    seat: usize,
}

struct Turns {
    seats: Mutex<Vec<Seat>>,
    changed: Condvar,
}

struct Seat {
    after: u64,
    shares: u64,
    later: Option<Later>,
    /// How much work is left of its portion; none while it waits.
    left: u64,
    /// How much work it has done.
    done: u64,
    /// How much more it may do; `None`: any amount.
    most: Option<u64>,
    /// Whether it has had a portion.
    has_begun: bool,
    /// Whether it has come to an end.
    over: bool,
}

impl Turns {
    fn seats(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something holds of the seats.
    fn wait<'t>(&'t self, mut seats: MutexGuard<'t, Vec<Seat>>, holds: impl Fn(&[Seat]) -> bool) {
        while !holds(&seats) {
            seats = self.changed.wait(seats).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Who has a portion in the next round: all that have begun and not ended; and if there are none, the first one that
    /// has not begun.
    fn next(&self) -> Vec<usize> {
        let mut seats = self.seats();
        let done = seats.iter().fold(0, |sum: u64, seat| sum.saturating_add(seat.done));
        for seat in seats.iter_mut() {
            if let Some(later) = seat.later.take_if(|later| later.after <= done) {
                seat.shares = later.shares;
            }
        }
        let waiting = || (0..seats.len()).filter(|&seat| !seats[seat].over);
        let begun: Vec<usize> = waiting().filter(|&seat| seats[seat].after <= done).collect();
        if !begun.is_empty() {
            return begun;
        }
        let first = waiting().min_by_key(|&seat| (seats[seat].after, seat));
        if let Some(seat) = first {
            seats[seat].after = 0;
        }
        first.into_iter().collect()
    }

    /// Lets all that have begun go on to their ends: they hear that it is over.
    fn end(&self) {
        loop {
            let seats = self.seats();
            let on_their_way = |&seat: &usize| seats[seat].has_begun && !seats[seat].over;
            let on_their_way: Vec<usize> = (0..seats.len()).filter(on_their_way).collect();
            drop(seats);
            if on_their_way.is_empty() {
                return;
            }
            self.hand_out(&on_their_way);
        }
    }

    /// Hands out portions to some, and waits until they are used up.
    fn hand_out(&self, to: &[usize]) {
        let mut seats = self.seats();
        for &seat in to {
            seats[seat].left = SHARE * seats[seat].shares;
            seats[seat].has_begun = true;
        }
        self.changed.notify_all();
        self.wait(seats, |seats| to.iter().all(|&seat| seats[seat].left == 0));
    }
}

impl Turn {
    /// Gives the engine at `seat` this many shares, from its next portion on.
    pub fn give(&self, seat: usize, shares: u64) {
        if let Some(seat) = self.turns.seats().get_mut(seat) {
            seat.shares = shares;
        }
    }

    /// Lets one of the engines do so much more work, and ends it then.
    pub fn limit(&self, seat: usize, work: u64) {
        if let Some(seat) = self.turns.seats().get_mut(seat) {
            seat.most = Some(seat.most.map_or(work, |most| most.min(work)));
        }
    }

    /// How much work all have done so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.turns.seats().iter().fold(0, |sum, seat| sum.saturating_add(seat.done))
    }

    /// Waits for a portion.
    fn wait(&self) {
        self.turns.wait(self.turns.seats(), |seats| seats[self.seat].left > 0);
    }
}

impl Meter for Turn {
    fn spend(&self, work: u64) -> Result<(), Stop> {
        let mut seats = self.turns.seats();
        let seat = &mut seats[self.seat];
        if seat.over {
            return Ok(()); // nobody hands out portions any more
        }
        seat.done = seat.done.saturating_add(work);
        if let Some(most) = &mut seat.most {
            *most = most.saturating_sub(work);
            if *most == 0 {
                return Err(Stop::Cancelled);
            }
        }
        seat.left = seat.left.saturating_sub(work);
        if seat.left == 0 {
            self.turns.changed.notify_all();
            self.turns.wait(seats, |seats| seats[self.seat].left > 0);
        }
        Ok(())
    }
}

/// Ends the turns of an engine, however it ends.
struct Ending<'t>(&'t Turn);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let mut seats = self.0.turns.seats();
        let seat = &mut seats[self.0.seat];
        (seat.over, seat.left) = (true, 0);
        self.0.turns.changed.notify_all();
    }
}

/// What the first of these engines answers that comes to an answer when they take turns. If none does, what the first
/// one in the list has to say, or the next one that has something to say.
pub fn in_turns<A: Reply>(mut candidates: Vec<Candidate<'_, A>>, budget: &Budget) -> Option<A> {
    let seat = |c: &Candidate<'_, A>| Seat {
        after: c.after,
        shares: c.shares.max(1),
        later: c.later,
        left: 0,
        done: 0,
        most: None,
        has_begun: false,
        over: false,
    };
    let turns = Arc::new(Turns {
        seats: Mutex::new(candidates.iter().map(seat).collect()),
        changed: Condvar::new(),
    });
    if candidates.len() == 1 {
        // A single engine need not take turns.
        let turn = Turn { turns, seat: 0 };
        return candidates.pop().and_then(|candidate| (candidate.run)(budget, &turn));
    }
    let answered = Arc::new(AtomicBool::new(false));
    let said: Vec<Mutex<Option<A>>> = candidates.iter().map(|_| Mutex::new(None)).collect();
    let has_answer = |seat: usize| {
        let said = said[seat].lock().unwrap_or_else(PoisonError::into_inner);
        said.as_ref().is_some_and(A::is_answer)
    };
    let workers = budget.workers.max(1);
    // The first engine to answer among those that work now: its answer counts, and the others need not go on.
    let first = AtomicUsize::new(0);
    let mut waiting: Vec<Option<Candidate<'_, A>>> = candidates.into_iter().map(Some).collect();
    let winner = thread::scope(|scope| {
        // An engine has a thread of its own once it has a portion: most questions are answered before the second one has.
        let mut begin = |seat: usize| {
            let Some(candidate) = waiting[seat].take() else { return };
            let turn = Turn { turns: Arc::clone(&turns), seat };
            let mut budget = budget.clone();
            budget.cancelled.push(Arc::clone(&answered));
            budget.meters.push(Arc::new(turn.clone()));
            // Engines inside of an engine are not independent of each other.
            budget.workers = 1;
            let (said, first, answered) = (&said, &first, Arc::clone(&answered));
            scope.spawn(move || {
                let _ending = Ending(&turn);
                turn.wait();
                let outcome = (candidate.run)(&budget, &turn);
                let is_answer = outcome.as_ref().is_some_and(A::is_answer);
                if is_answer && first.load(Ordering::Relaxed) == seat {
                    answered.store(true, Ordering::Relaxed);
                }
                *said[seat].lock().unwrap_or_else(PoisonError::into_inner) = outcome;
            });
        };
        loop {
            let round = turns.next();
            if round.is_empty() {
                return None;
            }
            for together in round.chunks(workers) {
                first.store(together[0], Ordering::Relaxed);
                together.iter().for_each(|&seat| begin(seat));
                turns.hand_out(together);
                let winner = together.iter().copied().find(|&seat| has_answer(seat));
                if winner.is_some() {
                    answered.store(true, Ordering::Relaxed);
                    turns.end();
                    return winner;
                }
            }
        }
    });
    let said =
        said.into_iter().map(|said| said.into_inner().unwrap_or_else(PoisonError::into_inner));
    match winner {
        Some(winner) => said.into_iter().nth(winner).flatten(),
        None => said.into_iter().flatten().next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Reply for Result<&'static str, Stop> {
        fn is_answer(&self) -> bool {
            self.is_ok()
        }
    }

    type Said = Result<&'static str, Stop>;

    fn work(budget: &Budget, name: &'static str, amount: u64) -> Said {
        (0..amount).try_for_each(|_| budget.after(1))?;
        Ok(name)
    }

    fn candidate(name: &'static str, shares: u64, amount: u64) -> Candidate<'static, Said> {
        Candidate::new(shares, move |budget, _| Some(work(budget, name, amount)))
    }

    fn who(first: u64, second: u64, shares: (u64, u64)) -> &'static str {
        let candidates =
            vec![candidate("first", shares.0, first), candidate("second", shares.1, second)];
        in_turns(candidates, &Budget::default()).and_then(Result::ok).expect("an answer")
    }

    #[test]
    fn work_decides_who_answers() {
        for _ in 0..3 {
            assert_eq!(who(4 * SHARE, 1, (4, 1)), "second");
            assert_eq!(who(4 * SHARE - 1, 1, (4, 1)), "first");
            assert_eq!(who(9 * SHARE, 2 * SHARE, (4, 1)), "first");
            assert_eq!(who(9 * SHARE, 2 * SHARE - 1, (4, 1)), "second");
            assert_eq!(who(9 * SHARE, 8 * SHARE, (1, 4)), "second");
        }
    }

    #[test]
    fn workers_change_nothing_but_the_time() {
        for workers in [1, 2, 3, 8] {
            let budget = Budget { workers, ..Budget::default() };
            for amounts in [[40, 9, 7, 5], [3, 3, 3, 3], [9, 2, 1, 1], [8, 9, 2, 40]] {
                let names = ["a", "b", "c", "d"];
                let list = || {
                    names.iter().zip(amounts).map(|(n, amount)| candidate(n, 1, amount * SHARE - 1))
                };
                let alone = in_turns(list().collect(), &Budget::default());
                assert_eq!(in_turns(list().collect(), &budget), alone, "{workers} {amounts:?}");
            }
        }
    }

    #[test]
    fn who_begins_later_lets_the_others_work_alone() {
        let late = |after| {
            let second = candidate("second", 1, 1).after(after);
            let candidates = vec![candidate("first", 1, 9 * SHARE), second];
            in_turns(candidates, &Budget::default()).and_then(Result::ok)
        };
        assert_eq!(late(9 * SHARE + 1), Some("first"));
        assert_eq!(late(8 * SHARE), Some("second"));
    }

    #[test]
    fn shares_may_grow() {
        let who = |after| {
            let second = candidate("second", 1, 9 * SHARE).with_later(8, after);
            let candidates = vec![candidate("first", 4, 30 * SHARE), second];
            in_turns(candidates, &Budget::default()).and_then(Result::ok)
        };
        assert_eq!(who(u64::MAX), Some("first"));
        assert_eq!(who(10 * SHARE), Some("second"));
    }

    #[test]
    fn who_gives_up_leaves_the_rest_to_the_others() {
        let gives_up = || Candidate::new(1, |_: &Budget, _: &Turn| None::<Said>);
        let stops = || Candidate::new(1, |_: &Budget, _: &Turn| Some(Err(Stop::HighStack)));
        let work = |name| candidate(name, 1, 20 * SHARE);
        let run = |list| in_turns(list, &Budget::default());
        assert_eq!(run(vec![work("first"), gives_up()]), Some(Ok("first")));
        assert_eq!(run(vec![stops(), work("second").after(u64::MAX)]), Some(Ok("second")));
        assert_eq!(run(vec![gives_up(), stops(), gives_up()]), Some(Err(Stop::HighStack)));
        assert_eq!(run(vec![gives_up()]), None);
        assert_eq!(run(Vec::new()), None);
    }

    #[test]
    fn turns_within_turns() {
        let inner = || {
            Candidate::new(1, |budget: &Budget, _: &Turn| {
                let inner = vec![candidate("a", 1, 6 * SHARE), candidate("b", 1, 3 * SHARE)];
                in_turns(inner, budget)
            })
        };
        for _ in 0..3 {
            // `b` answers after six shares of the inner work.
            let run = |other| in_turns(vec![inner(), candidate("c", 1, other)], &Budget::default());
            assert_eq!(run(7 * SHARE), Some(Ok("b")));
            assert_eq!(run(4 * SHARE), Some(Ok("c")));
        }
    }

    /// Who keeps the budget of an engine beyond its end does not wait for a portion that never comes.
    #[test]
    fn a_budget_outlives_its_turn() {
        let mut kept = None;
        let keeps = Candidate::new(1, |budget: &Budget, _: &Turn| {
            kept = Some(Budget { cancelled: Vec::new(), ..budget.clone() });
            Some(Ok("kept"))
        });
        assert_eq!(
            in_turns(vec![keeps, candidate("other", 1, 1)], &Budget::default()),
            Some(Ok("kept"))
        );
        assert_eq!(kept.map(|budget| budget.after(9 * SHARE)), Some(Ok(())));
    }

    #[test]
    fn an_engine_that_is_limited_ends() {
        let other = Candidate::new(1, |budget: &Budget, turn: &Turn| {
            turn.limit(0, 2 * SHARE);
            Some(work(budget, "other", 9 * SHARE))
        });
        let answer = in_turns(vec![candidate("limited", 1, 5 * SHARE), other], &Budget::default());
        assert_eq!(answer, Some(Ok("other")));
    }
}
