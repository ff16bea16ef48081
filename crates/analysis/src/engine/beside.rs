//! Two engines side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::Duration;

use super::Outcome;
use crate::Budget;

/// How often the engines are asked whether they have an answer.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What one engine answers, or another one that begins a little later, if it is faster. The first
/// one always has an outcome; if neither knows, that is it.
pub fn beside(
    first: impl Fn(&Budget) -> Outcome + Sync,
    second: impl FnOnce(&Budget) -> Option<Outcome> + Send,
    head_start: Duration,
    budget: &Budget,
) -> Outcome {
    let answered = Arc::new(AtomicBool::new(false));
    let mut shared = budget.clone();
    shared.cancelled.push(Arc::clone(&answered));
    let shared = &shared;
    let first = &first;
    thread::scope(|scope| {
        let (send, of_first) = mpsc::channel();
        scope.spawn(move || send.send(first(shared)).is_ok());
        if let Ok(outcome) = of_first.recv_timeout(head_start) {
            return outcome;
        }
        let (send, of_second) = mpsc::channel();
        scope.spawn(move || send.send(second(shared)).is_ok());
        let mut unknown = None;
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
