//! # Semaphores, condition variables and barriers
//!
//! **Question.** Threads wait for each other in more ways than by locks. Which statements over counters mean the same,
//! such that nothing behind the language has to know these ways?
//!
//! **Idea.** A thread that sleeps stands at a statement that is blocked. How many sleep, and how many of them were told to
//! go on, are two numbers; which of them goes on is the choice of the scheduler. So that nobody takes a call that
//! came before they slept, *nobody falls asleep while a call is still open*: those who were called go first. They can do so
//! at any time and touch nothing else, so that this order costs no behaviour.
//!
//! **Claim.** Let a notification pick the threads that it wakes at once. Every run of that is a run of these statements, in
//! which those who were picked leave right after the notification. For a run of these statements, let a notification pick
//! those that will take its calls: all who sleep while a call is open slept when it was made, so this is a
//! run of the other kind. A state in which nobody can act has no open call, so the deadlocks are the
//! same. Threads are counted and never named: they can be exchanged for each other. Whoever sleeps for some time only may also
//! leave as one of those who were not called, if there is one: another one is never taken for it, as all who are called stay called.
//!
//! **Needs.** Places that stay the same from one statement to the next: no choices in their indices and, where there is more
//! than one step, only local variables.

use crate::make::{assign, binary, equal, if_then_else, not, number, read, stmt};
use crate::{BinaryOp, Expr, Place, Span, StmtKind};

/// What a counter is for that threads wait at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitKind {
    /// Counts how often a semaphore can be acquired.
    Semaphore,
    /// Counts who sleeps at a condition, or who was called there.
    Condition,
    /// Counts who has arrived at a barrier, or who may leave it.
    Barrier,
    /// Counts the messages of a channel.
    Channel,
}

/// A counter that is never less than 0. Any thread may add to it.
#[derive(Clone, Debug)]
pub struct Semaphore {
    /// How often it can be acquired.
    pub free: Place,
}

impl Semaphore {
    /// Waits until the counter is positive and takes one from it, in one step.
    #[must_use]
    pub fn acquire(&self, span: Span) -> StmtKind {
        take_one(&self.free, span)
    }

    /// Adds one to the counter, in one step.
    #[must_use]
    pub fn release(&self, span: Span) -> StmtKind {
        assign(vec![(self.free.clone(), plus(read(self.free.clone()), number(1)))], span).kind
    }
}

/// A place where threads sleep until they are called.
#[derive(Clone, Debug)]
pub struct Condition {
    /// How many threads sleep that were not called yet.
    pub sleeping: Place,
    /// How many threads were called and did not go on yet.
    pub called: Place,
}

impl Condition {
    /// Releases a lock and sleeps, in one step; goes on when called; takes the lock again.
    #[must_use]
    pub fn wait(&self, lock: Place, span: Span) -> [StmtKind; 3] {
        let nobody_is_called = equal(read(self.called.clone()), number(0));
        let one_more = plus(read(self.sleeping.clone()), number(1));
        let sleep = StmtKind::Atomic(vec![
            stmt(StmtKind::Assume(nobody_is_called), span),
            stmt(StmtKind::Release(lock.clone()), span),
            assign(vec![(self.sleeping.clone(), one_more)], span),
        ]);
        [sleep, take_one(&self.called, span), StmtKind::Acquire(lock)]
    }

    /// Releases a lock and sleeps for some time at most, in one step; goes on when called or when the time is over; takes the lock again. Where some
    /// are called and others are not, `by_itself` says as which of them it goes on.
    #[must_use]
    pub fn wait_in_time(&self, lock: Place, by_itself: Expr, span: Span) -> [StmtKind; 3] {
        let (sleeping, called) = (|| read(self.sleeping.clone()), || read(self.called.clone()));
        let nobody_else = equal(sleeping(), number(0));
        let as_called = binary(BinaryOp::Or, nobody_else, not(by_itself));
        let as_called = || binary(BinaryOp::And, positive(called()), as_called.clone());
        let less = if_then_else(positive(sleeping()), minus_one(sleeping()), number(0));
        let asleep = if_then_else(as_called(), sleeping(), less);
        let left = if_then_else(as_called(), minus_one(called()), called());
        let leave =
            assign(vec![(self.sleeping.clone(), asleep), (self.called.clone(), left)], span);
        let [sleep, _, acquire] = self.wait(lock, span);
        [sleep, leave.kind, acquire]
    }

    /// Calls one of those who sleep, if there is one, in one step.
    #[must_use]
    pub fn notify(&self, span: Span) -> StmtKind {
        let (sleeping, called) = (|| read(self.sleeping.clone()), || read(self.called.clone()));
        let fewer = if_then_else(positive(sleeping()), minus_one(sleeping()), number(0));
        let more = if_then_else(positive(sleeping()), plus(called(), number(1)), called());
        assign(vec![(self.sleeping.clone(), fewer), (self.called.clone(), more)], span).kind
    }

    /// Calls all who sleep, in one step.
    #[must_use]
    pub fn notify_all(&self, span: Span) -> StmtKind {
        let all = plus(read(self.called.clone()), read(self.sleeping.clone()));
        assign(vec![(self.sleeping.clone(), number(0)), (self.called.clone(), all)], span).kind
    }
}

/// A place where threads wait until so many are there; then all of them go on, and it can be used again.
#[derive(Clone, Debug)]
pub struct Barrier {
    /// How many threads it takes; at least 1.
    pub parties: u32,
    /// How many are there and wait: from 0 to one less than it takes.
    pub arrived: Place,
    /// How many may go on and did not yet: from 0 to as many as it takes.
    pub leaving: Place,
}

impl Barrier {
    /// Arrives, when all of the last time have left, and goes on when as many as it takes have arrived.
    #[must_use]
    pub fn wait(&self, span: Span) -> [StmtKind; 2] {
        let arrived = || read(self.arrived.clone());
        let is_last = || equal(arrived(), number(self.parties.saturating_sub(1)));
        let there = if_then_else(is_last(), number(0), plus(arrived(), number(1)));
        let free = if_then_else(is_last(), number(self.parties), number(0));
        let all_left = equal(read(self.leaving.clone()), number(0));
        let arrive = StmtKind::Atomic(vec![
            stmt(StmtKind::Assume(all_left), span),
            assign(vec![(self.arrived.clone(), there), (self.leaving.clone(), free)], span),
        ]);
        [arrive, take_one(&self.leaving, span)]
    }
}

/// Waits until a counter is positive and takes one from it, in one step.
fn take_one(counter: &Place, span: Span) -> StmtKind {
    let less = minus_one(read(counter.clone()));
    StmtKind::Atomic(vec![
        stmt(StmtKind::Assume(positive(read(counter.clone()))), span),
        assign(vec![(counter.clone(), less)], span),
    ])
}

fn positive(e: Expr) -> Expr {
    binary(BinaryOp::Gt, e, number(0))
}

fn plus(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Add, a, b)
}

fn minus_one(e: Expr) -> Expr {
    binary(BinaryOp::Sub, e, number(1))
}
