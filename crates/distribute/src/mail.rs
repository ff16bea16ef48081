//! # What workers say to each other
//! Parcels of states, which circulate within a bound; commands of the one who asks, and what is answered to them.

use crate::Usage;
use crate::checkpoint::Kept;
use selvedge_analysis::Stop;
use selvedge_analysis::explore::share::{Hunt, Hunted, Parcel, Place, Split, Terms, Traffic};
use selvedge_model::Fault;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A parcel as it is sent, or the receipt for some.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Mail {
    pub to: u64,
    pub from: u64,
    /// How many parcels the sender has read of those that came from where this goes.
    pub read: u64,
    /// The parcel; empty for a receipt.
    #[serde(serialize_with = "write_bytes", deserialize_with = "read_bytes")]
    pub bytes: Vec<u8>,
}

impl From<Parcel> for Mail {
    fn from(Parcel { to, from, bytes }: Parcel) -> Self {
        Mail { to: to as u64, from: from as u64, read: 0, bytes }
    }
}

impl From<Mail> for Parcel {
    fn from(Mail { to, from, bytes, .. }: Mail) -> Self {
        Parcel { to: to as usize, from: from as usize, bytes }
    }
}

fn write_bytes<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bytes(bytes)
}

/// Reads bytes in one go, not one by one.
fn read_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    struct All;
    impl de::Visitor<'_> for All {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }
    }
    from.deserialize_byte_buf(All)
}

/// A command that all workers carry out, one after another.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Command {
    /// Begins an exploration at bound 0.
    Open {
        form: String,
        symmetry: bool,
        highest: Option<u32>,
        most_threads: Option<u64>,
        split: Part,
    },
    /// Explores the next bound. All workers do it together.
    Advance,
    /// Looks at what is visible of the states before this bound, or of those that are new.
    Show { earlier: bool },
    /// Counts the states that are new at this bound.
    Notice,
    /// Sends all states to the first worker. All workers do it together.
    Collect,
    /// Begins to look for the way back from violations, or from a place of a worker.
    Hunt { from: Option<(u32, u32)>, contexts: u32, within: u32, until: u32 },
    /// Goes a step back. All workers do it together.
    Back,
    /// Tells a place of the way that a worker has.
    Waypoint { worker: u32, number: u32 },
    /// Says which places of the text were reached.
    Places,
    /// Writes what there is after a bound, under names of this attempt.
    Save { attempt: String },
    /// Reads what was written after a bound, in the place of what is there.
    Load { shares: Vec<Kept>, bound: u64 },
    /// Ends what is being done, at once.
    Abort,
    /// Ends everything; the code says how the process ends that asks.
    End { code: u8 },
}

/// The part of a state that says whose it is.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Part {
    shared: bool,
    classes: u64,
}

impl From<Split> for Part {
    fn from(Split { shared, classes }: Split) -> Self {
        Part { shared, classes }
    }
}

impl From<Part> for Split {
    fn from(Part { shared, classes }: Part) -> Self {
        Split { shared, classes }
    }
}

impl Command {
    pub fn open(form: &str, terms: Terms, split: Split) -> Self {
        let Terms { symmetry, highest, most_threads } = terms;
        let most_threads = most_threads.map(|most| most as u64);
        let (form, split) = (form.to_owned(), split.into());
        Command::Open { form, symmetry, highest, most_threads, split }
    }

    pub fn hunt(hunt: Hunt) -> Self {
        let Hunt { from, contexts, within, until } = hunt;
        let from = from.map(|Place { worker, number }| (worker, number));
        Command::Hunt { from, contexts, within, until }
    }
}

/// A reply of a worker to the one who asks.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Said {
    /// The command was carried out, without a result.
    Done,
    /// A bound was explored.
    Advanced { is_visible: bool, left_out: bool },
    /// The counts of new states at a bound.
    Noticed(Count),
    /// The counts so far, while a bound is explored. The answer follows.
    Working(Count),
    /// How many places on the way back are new, and one at which it ends: its rank, its number, and the contexts that it needs.
    Hunted { new: u64, end: Option<(u32, u32, u32)> },
    /// A place on the way, and what comes next.
    Waypoint { bytes: Vec<u8>, next: Option<(u32, u32)> },
    /// The places that were reached.
    Places(Vec<u32>),
    /// The share was written.
    Saved(Kept),
    /// The share could not be written, and why.
    NotSaved(String),
    /// The command ended early, for this reason.
    Failed(Why),
    /// The worker cannot go on. The others do not know yet; an answer follows when all have ended.
    Stuck,
}

impl Said {
    pub fn failed(stop: Stop) -> Self {
        Said::Failed(stop.into())
    }
}

impl From<Hunted> for Said {
    fn from(Hunted { new, end }: Hunted) -> Self {
        Said::Hunted { new: new as u64, end: end.map(|end| (end.rank, end.number, end.needed)) }
    }
}

/// The counts of a worker at a bound.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Count {
    pub new_stored: u64,
    pub new_states: Option<u128>,
    pub new_visible: Option<u128>,
    pub broken: Option<u64>,
    pub largest: u64,
    /// How many states it stores, and the bytes that they take.
    pub states: u64,
    pub bytes: u64,
    /// How many bytes its process uses, if that is known.
    pub memory: u64,
    pub moves: u64,
    pub sent: u64,
    pub spared: u64,
    pub sent_bytes: u64,
    pub parcels: u64,
    pub received: u64,
    pub known: u64,
}

impl Count {
    pub fn with_traffic(self, traffic: Traffic) -> Self {
        let Traffic { moves, sent, spared, bytes, parcels, received, known } = traffic;
        Count { moves, sent, spared, sent_bytes: bytes, parcels, received, known, ..self }
    }
}

impl Count {
    /// The resources that a worker has used by this count.
    pub fn usage(&self) -> Usage {
        let &Count { states, bytes, memory, moves, sent, spared, sent_bytes, parcels, .. } = self;
        let &Count { received, known, .. } = self;
        Usage { states, bytes, memory, moves, sent, spared, sent_bytes, parcels, received, known }
    }
}

/// An answer, and whose it is.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub worker: u64,
    pub said: Said,
}

/// Why a worker ended early.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Why {
    Timeout,
    Memory,
    Cancelled,
    HighStack,
    InfiniteContext,
    Other { message: String, line: Option<u32> },
}

impl From<Stop> for Why {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Timeout => Why::Timeout,
            Stop::Memory => Why::Memory,
            Stop::Cancelled => Why::Cancelled,
            Stop::HighStack => Why::HighStack,
            Stop::InfiniteContext => Why::InfiniteContext,
            Stop::Fault(fault) => Why::Other { message: fault.message, line: fault.line },
            other => Why::Other { message: other.to_string(), line: None },
        }
    }
}

impl From<Why> for Stop {
    fn from(why: Why) -> Self {
        match why {
            Why::Timeout => Stop::Timeout,
            Why::Memory => Stop::Memory,
            Why::Cancelled => Stop::Cancelled,
            Why::HighStack => Stop::HighStack,
            Why::InfiniteContext => Stop::InfiniteContext,
            Why::Other { message, line } => Stop::Fault(Fault { line, ..Fault::new(message) }),
        }
    }
}
