//! # Footprints
//!
//! **Question.** What may a step read and write? Two steps that do not touch the same slot can be exchanged;
//! one that touches its own frame only concerns nobody else.
//!
//! **Idea.** The evaluator runs once more, in a domain of [`Interval`]s that writes down every slot it sees. An
//! index is known as far as its kind and the expression tell, so `a[i]` is a piece of `a`.
//!
//! **Claim.** Whatever a run of the edge reads or writes, from any state, is in its footprint. Reading a slot
//! that is open chooses its value, so it is written, too. (What a run touches exactly at one state is
//! [`crate::Machine::touched`].)

mod intervals;
mod slots;

use std::ops::Range;

use crate::{Area, Code, Control, Edge, Instruction, Kind, Source, Target, Value, evaluate};
use intervals::Intervals;

pub use intervals::Interval;
pub use slots::Slots;

/// The slots that a step reads and writes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// The shared slots that it reads.
    pub reads: Slots,
    /// The shared slots that it writes.
    pub writes: Slots,
    /// The slots of its frame that it reads.
    pub own_reads: Slots,
    /// The slots of its frame that it writes.
    pub own_writes: Slots,
    /// Whether threads are started, joined or counted, or results are on their way.
    pub others: bool,
}

impl Footprint {
    /// Whether nobody else can tell that it was taken, and nobody else can prevent it.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && !self.others
    }

    /// Whether two steps of different threads do the same in either order.
    #[must_use]
    pub fn commutes_with(&self, other: &Footprint) -> bool {
        let meet = self.writes.meets(&other.reads)
            || self.writes.meets(&other.writes)
            || self.reads.meets(&other.writes);
        let both_concern_others = self.others && other.others;
        !meet && !both_concern_others
    }

    /// Whether everything that the other touches is touched here.
    #[must_use]
    pub fn covers(&self, other: &Footprint) -> bool {
        self.reads.covers(&other.reads)
            && self.writes.covers(&other.writes)
            && self.own_reads.covers(&other.own_reads)
            && self.own_writes.covers(&other.own_writes)
            && (self.others || !other.others)
    }

    pub(crate) fn read(&mut self, area: Area, slots: Range<usize>) {
        match area {
            Area::Shared => self.reads.add(slots),
            Area::Frame => self.own_reads.add(slots),
            Area::New | Area::Results => {}
        }
    }

    pub(crate) fn write(&mut self, area: Area, slots: Range<usize>) {
        match area {
            Area::Shared => self.writes.add(slots),
            Area::Frame => self.own_writes.add(slots),
            Area::Results => self.others = true,
            Area::New => {}
        }
    }
}

/// The footprints of all edges of a program.
#[must_use]
pub fn footprints(code: &Code) -> Vec<Footprint> {
    let open = Slots::may_be_open(code);
    code.edges.iter().map(|edge| footprint(code, &open, edge)).collect()
}

fn footprint(code: &Code, open: &Slots, edge: &Edge) -> Footprint {
    let mut domain = Intervals { open, footprint: Footprint::default() };
    // Intervals follow every way, so nothing stops them.
    let Ok(()) = evaluate::execute(&mut domain, &edge.code, edge.temps);
    let mut footprint = domain.footprint;
    let holds_threads = |proc| code.proc(proc).frame.iter().any(|slot| slot.kind == Kind::Thread);
    let proc = code.location(edge.from).proc;
    let entered = match edge.control {
        Control::Call(proc) => holds_threads(proc),
        Control::Receive(_) => true,
        _ => false,
    };
    let shares = |slot: usize| code.shared[slot].kind == Kind::Thread;
    footprint.others |= edge.starts
        || entered
        || holds_threads(proc)
        || footprint.writes.iter().any(shares)
        || (edge.control == Control::Return && !code.proc(proc).results.is_empty());
    footprint
}

impl Slots {
    /// The shared slots that may be open in some state.
    fn may_be_open(code: &Code) -> Slots {
        let mut open = Slots::default();
        for (slot, declared) in code.shared.iter().enumerate() {
            if declared.first == Value::Open {
                open.add(slot..slot + 1);
            }
        }
        for edge in &code.edges {
            for instruction in &edge.code {
                let Instruction::Store { to, value: Source::Any | Source::Result(..), .. } =
                    instruction
                else {
                    continue;
                };
                let place = match to {
                    Target::Place(place) => Some(place),
                    Target::Located(temp) => edge.code.iter().find_map(|other| match other {
                        Instruction::Locate(found, place) if found == temp => Some(place),
                        _ => None,
                    }),
                };
                if let Some(place) = place.filter(|place| place.area == Area::Shared) {
                    open.add(place.slots());
                }
            }
        }
        open
    }
}
