//! # What each process used
//! Where several processes explore together, an answer says how the states were spread over them, what each of them used, and what was sent.

use serde::Serialize;

use crate::amount::{amount, bytes};
use crate::answer::Detail;

/// The resources that one process has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Process {
    /// Its number, from 0 on.
    pub process: usize,
    /// How many workers it has.
    pub workers: usize,
    /// How many states it stores.
    pub states: u64,
    /// The largest amount of memory that it was seen to use, 0 where nobody counts it.
    pub memory_bytes: u64,
    /// How many states it sent to others.
    pub sent_states: u64,
    /// How many it did not send because it had sent them a moment before.
    pub spared_states: u64,
    /// How many bytes of states it sent.
    pub sent_bytes: u64,
    /// How many states came from others.
    pub received_states: u64,
    /// How many of them it had already.
    pub known_states: u64,
}

/// Says it in lines, one for each process if there are few.
pub(crate) fn details(processes: &[Process]) -> Vec<Detail> {
    let [first, rest @ ..] = processes else { return Vec::new() };
    if rest.is_empty() && first.sent_states == 0 {
        return Vec::new();
    }
    let line = |of: &Process| {
        format!(
            "{}: {} with {}, {}",
            of.process,
            amount(Some(of.states.into()), "state"),
            amount(Some(of.workers as u128), "worker"),
            bytes(of.memory_bytes)
        )
    };
    let mut details: Vec<Detail> = match processes.len() {
        ..=FEW => processes.iter().map(|process| ("process", line(process))).collect(),
        many => {
            let states = || processes.iter().map(|process| process.states);
            let most = processes.iter().map(|process| process.memory_bytes).max().unwrap_or(0);
            let (least, largest) = (states().min().unwrap_or(0), states().max().unwrap_or(0));
            let words = format!(
                "{many}, with {least} to {largest} states and at most {} each",
                bytes(most)
            );
            vec![("processes", words)]
        }
    };
    let sum = |of: fn(&Process) -> u64| processes.iter().map(of).sum::<u64>();
    let (sent, size) = (sum(|p| p.sent_states), sum(|p| p.sent_bytes));
    if sent > 0 {
        details.push((
            "sent",
            format!(
                "{} in {}, {:.1} bytes each; known already: {}; not sent again: {}",
                amount(Some(sent.into()), "state"),
                bytes(size),
                size as f64 / sent as f64,
                sum(|p| p.known_states),
                sum(|p| p.spared_states)
            ),
        ));
    }
    details
}

/// How many processes have lines of their own.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_told_as_well_as_many() {
        let process = |process, states| Process {
            process,
            states,
            workers: process + 1,
            memory_bytes: 1 << 20,
            ..Process::default()
        };
        let sends = Process {
            sent_states: 1,
            sent_bytes: 9,
            known_states: 1,
            spared_states: 1,
            ..process(1, 20)
        };
        assert_eq!(
            details(&[process(0, 1), sends]),
            [
                ("process", "0: 1 state with 1 worker, 1.0 MiB".to_owned()),
                ("process", "1: 20 states with 2 workers, 1.0 MiB".to_owned()),
                (
                    "sent",
                    "1 state in 9 B, 9.0 bytes each; known already: 1; not sent again: 1"
                        .to_owned()
                ),
            ]
        );
    }
}
