//! Two engines side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::Duration;

use crate::Budget;

/// How often the engines are asked whether they have an answer.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What an engine comes to.
pub trait Answer: Send {
    /// Whether the question is answered.
    fn is_answer(&self) -> bool;
}

/// What one engine answers, or another one that begins a little later, if it is faster. The first
/// one always has an outcome; if neither knows, that is it.
pub fn beside<A: Answer>(
    first: impl Fn(&Budget) -> A + Sync,
    second: impl FnOnce(&Budget) -> Option<A> + Send,
    head_start: Duration,
    budget: &Budget,
) -> A {
    let answered = Arc::new(AtomicBool::new(false));
    let mut shared = budget.clone();
    shared.cancelled.push(Arc::clone(&answered));
    let shared = &shared;
    let first = &first;
    thread::scope(|scope| {
        let (send, of_first) = mpsc::channel();
        scope.spawn(move || send.send(first(shared)).is_ok());
        let mut unknown = match of_first.recv_timeout(head_start) {
            Ok(outcome) if outcome.is_answer() => return outcome,
            early => early.ok(),
        };
        let (send, of_second) = mpsc::channel();
        scope.spawn(move || send.send(second(shared)).is_ok());
        let outcome = loop {
            match of_first.recv_timeout(LOOK_EVERY) {
                Ok(outcome) if outcome.is_answer() => break outcome,
                Ok(outcome) => unknown = Some(outcome),
                Err(_) => {}
            }
            match (of_second.try_recv(), unknown.take()) {
                (Ok(Some(outcome)), _) => break outcome,
                // The second one has given up, or was ended together with the first one.
                (Ok(None) | Err(TryRecvError::Disconnected), Some(outcome)) => break outcome,
                (_, waiting) => unknown = waiting,
            }
        };
        answered.store(true, Ordering::Relaxed);
        outcome
    })
}
