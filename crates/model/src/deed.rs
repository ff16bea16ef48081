//! # What a statement of a run did
//! Which variables it read and wrote, with their values: explanations of runs are made from it.

use crate::Datum;

/// What one statement of an action read and wrote.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deed {
    /// The frame in which it was executed, counted upward from the one with which the action began.
    pub level: usize,
    /// The variables that it read, with the values that it found.
    pub reads: Vec<Touched>,
    /// Where it read, one place after the other: a condition is read up to the part that decides it.
    pub order: Vec<Cell>,
    /// The variables that it wrote, with the values that it left.
    pub writes: Vec<Touched>,
}

/// A scalar or an element of an array that a statement read or wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The scalar or element that was touched.
    pub cell: Cell,
    /// Its name: `x`, `a[2]`; empty for what is not in the text.
    pub name: String,
    /// The value before the statement.
    pub before: Datum,
    /// The value after it; for one that is only read, the value that was read.
    pub value: Datum,
    /// Of one that is written: the places whose values went into its own. Those that said only where or whether to write are not among them.
    pub from: Vec<Cell>,
    /// Whether nothing wrote it: it had any value until the statement read it, and has this one since then.
    pub is_settled: bool,
}

/// The location of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cell {
    /// A slot that all threads see.
    Shared(usize),
    /// A slot in a frame of the thread that acts.
    Own {
        /// The frame, counted upward from the one with which the action began.
        frame: usize,
        /// The slot in that frame.
        slot: usize,
    },
}

/// Something that a thread waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// A change of this shared variable, which a condition reads.
    Variable(String),
    /// A lock, until it is free.
    Lock(String),
    /// The end of the thread of this number.
    Thread(u32),
    /// A semaphore, until somebody releases it.
    Semaphore(String),
    /// A condition at which it sleeps, until it is woken.
    Condition(String),
    /// A barrier, until all have arrived.
    Barrier(String),
    /// A condition or a barrier that it comes to, until those who may leave have gone on.
    Leaving(String),
    /// A channel, until there is a message, or room for one.
    Channel(String),
}

impl Awaited {
    /// The semaphore, condition, barrier or channel that is waited at: other threads end that by counting.
    #[must_use]
    pub fn counter(&self) -> Option<&str> {
        match self {
            Awaited::Semaphore(name)
            | Awaited::Condition(name)
            | Awaited::Barrier(name)
            | Awaited::Leaving(name)
            | Awaited::Channel(name) => Some(name),
            Awaited::Variable(_) | Awaited::Lock(_) | Awaited::Thread(_) => None,
        }
    }
}
