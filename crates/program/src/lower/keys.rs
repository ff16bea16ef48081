//! # Keys
//! Shared states and frames as short text that says the same in every run on the same input: a
//! certificate is written by one run and read by another, whose numbers are different.
//!
//! ```text
//! 0,1,?                      the values of the shared variables; `?` is open
//! 0,1,? r3 h1:2 e1 w14:why   with results on their way, thread ids on stacks (id 1 twice), threads
//!                            that have ended, what went wrong
//! 12:0,?                     a frame at location 12 with its locals
//! 12:0,?^2                   the same, as the second owner of locks
//! @1                         the bottom of the stack of thread 1
//! ```
//!
//! Text is a key exactly if writing what it was read as gives it back.

use std::fmt::Write;

use num_bigint::BigInt;

use selvedge_core::{Layout, Memory};

use super::Lowering;
use super::intern::Symbol;
use crate::Value;
use crate::flow::{EdgeId, Loc};
use selvedge_core::machine::{Frame, Shared, Wrong};

/// Larger thread ids are in no state that can be met.
const LARGEST_ID: u32 = 1 << 30;

fn write_list(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl Lowering {
    /// The key of a shared state.
    pub(super) fn write_shared(&self, shared: &Shared) -> String {
        let globals: Vec<Value> = shared.memory.values(&self.machine.shared).collect();
        let mut key = write_list(&globals);
        if let Some(results) = &shared.returned {
            let _ = write!(key, " r{}", write_list(results));
        }
        if !shared.held.is_empty() {
            let held: Vec<_> =
                shared.held.iter().map(|(id, count)| format!("{id}:{count}")).collect();
            let _ = write!(key, " h{}", held.join(","));
        }
        if !shared.ended.is_empty() {
            let _ = write!(key, " e{}", write_list(&shared.ended));
        }
        if let Some(wrong) = &shared.wrong {
            let _ = write!(key, " w{}:{}", wrong.edge.0, wrong.reason);
        }
        key
    }

    /// The key of a stack symbol.
    pub(super) fn write_symbol(&self, symbol: &Symbol) -> String {
        match symbol {
            Symbol::Bottom { id, results: false } => format!("@{id}"),
            Symbol::Bottom { id, results: true } => format!("@{id}!"),
            Symbol::Frame(frame) => {
                let Frame { loc, owner, .. } = frame;
                let owner = if *owner > 0 { format!("^{owner}") } else { String::new() };
                format!("{}:{}{owner}", loc.0, write_list(&self.locals(frame)))
            }
        }
    }

    /// The shared state of a key.
    pub(super) fn read_shared(&self, key: &str) -> Option<Shared> {
        let (head, wrong) = match key.split_once(" w") {
            Some((head, wrong)) => (head, Some(read_wrong(wrong)?)),
            None => (key, None),
        };
        let mut parts = head.split(' ');
        let memory = read_memory(&self.machine.shared, &read_values(parts.next()?)?)?;
        let mut shared = Shared { wrong: wrong.map(Box::new), ..Shared::new(memory) };
        for part in parts {
            let (kind, rest) = part.split_at_checked(1)?;
            match kind {
                "r" => shared.returned = Some(read_values(rest)?),
                "h" => {
                    shared.held = read_list(rest, |item| {
                        let (id, count) = item.split_once(':')?;
                        let id = id.parse().ok().filter(|&id| id <= LARGEST_ID)?;
                        Some((id, count.parse().ok()?))
                    })?;
                }
                "e" => shared.ended = read_list(rest, |n| n.parse().ok())?,
                _ => return None,
            }
        }
        let known_edge = |w: &Wrong| w.edge.index() < self.flow.edges.len();
        let fits = shared.ended.is_sorted_by(|a, b| a < b)
            && shared.held.is_sorted_by(|a, b| a.0 < b.0)
            && shared.wrong.as_deref().is_none_or(known_edge);
        (fits && self.write_shared(&shared) == key).then_some(shared)
    }

    /// The stack symbol of a key.
    pub(super) fn read_symbol(&self, key: &str) -> Option<Symbol> {
        let symbol = match key.strip_prefix('@') {
            Some(bottom) => {
                let (id, results) = match bottom.strip_suffix('!') {
                    Some(id) => (id, true),
                    None => (bottom, false),
                };
                Symbol::Bottom { id: id.parse().ok()?, results }
            }
            None => Symbol::Frame(self.read_frame(key)?),
        };
        (self.write_symbol(&symbol) == key).then_some(symbol)
    }

    fn read_frame(&self, key: &str) -> Option<Frame> {
        let (loc, rest) = key.split_once(':')?;
        let (locals, owner) = match rest.split_once('^') {
            Some((locals, owner)) => (locals, owner.parse().ok()?),
            None => (rest, 0),
        };
        let loc = Loc(loc.parse().ok()?);
        let proc = self.flow.locations.get(loc.index())?.proc;
        let memory = read_memory(&self.machine.frames[proc.index()], &read_values(locals)?)?;
        Some(Frame { loc, memory, owner })
    }
}

/// The memory with these values, if there is one.
fn read_memory(layout: &Layout, values: &[Value]) -> Option<Memory> {
    let fits = values.len() == layout.slots()
        && values.iter().enumerate().all(|(slot, value)| layout.holds(slot, value));
    fits.then(|| layout.memory(values))
}

fn read_wrong(text: &str) -> Option<Wrong> {
    let (edge, reason) = text.split_once(':')?;
    Some(Wrong { edge: EdgeId(edge.parse().ok()?), reason: reason.to_owned() })
}

fn read_values(text: &str) -> Option<Box<[Value]>> {
    read_list(text, |value| match value {
        "?" => Some(Value::Open),
        number => {
            let small = number.parse().ok().map(Value::Small);
            small.or_else(|| number.parse::<BigInt>().ok().map(Value::from_big))
        }
    })
}

fn read_list<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<Box<[T]>> {
    if text.is_empty() {
        return Some(Box::default());
    }
    text.split(',').map(read).collect()
}
