//! # States
//! What all threads see, and a frame. Written as words they are the same in every run and in every process.

use super::Machine;
use crate::memory::{read_number, write_number};
use crate::{EdgeId, Layout, Loc, Memory, Value};

/// The part of a state that all threads see: shared slots, results on their way, names of threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shared {
    /// The values of the shared slots.
    pub memory: Memory,
    /// The results of a call that has returned and are not yet received. While there are some,
    /// only the receiving thread goes on.
    pub returned: Option<Box<[Value]>>,
    /// The thread ids that are on stacks, in rising order, each with how often: see [`super::Names`].
    /// Empty where nobody looks at ids.
    pub held: Box<[(u32, u32)]>,
    /// The threads that have ended and whose ids somebody still holds, sorted; empty where nothing is
    /// joined.
    pub ended: Box<[u32]>,
    /// Set once a thread went wrong.
    pub wrong: Option<Box<Wrong>>,
}

/// What went wrong, and where.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wrong {
    /// The edge that went wrong.
    pub edge: EdgeId,
    /// Why the edge went wrong.
    pub reason: String,
}

/// A frame: where a thread stands, with the values of its locals.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// Where the thread stands.
    pub loc: Loc,
    /// The values of its slots.
    pub memory: Memory,
    /// The thread as the owner of locks, from 1; 0 where locks do not remember their owners.
    pub owner: u32,
}

const RETURNED: u64 = 1;
const HELD: u64 = 2;
const ENDED: u64 = 4;
const WRONG: u64 = 8;

impl Shared {
    /// The state with these values, and nothing else.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        Shared { memory, returned: None, held: Box::default(), ended: Box::default(), wrong: None }
    }

    /// Writes the state behind what is there: its memory, and what else there is.
    pub fn write(&self, out: &mut Vec<u64>) {
        self.memory.write(out);
        let flag = |is: bool, flag: u64| if is { flag } else { 0 };
        let flags = flag(self.returned.is_some(), RETURNED)
            | flag(!self.held.is_empty(), HELD)
            | flag(!self.ended.is_empty(), ENDED)
            | flag(self.wrong.is_some(), WRONG);
        if flags == 0 {
            return;
        }
        out.push(flags);
        if let Some(results) = &self.returned {
            out.push(results.len() as u64);
            results.iter().for_each(|value| write_value(value, out));
        }
        if !self.held.is_empty() {
            out.push(self.held.len() as u64);
            out.extend(self.held.iter().map(|&(id, count)| u64::from(id) << 32 | u64::from(count)));
        }
        if !self.ended.is_empty() {
            out.push(self.ended.len() as u64);
            out.extend(self.ended.iter().map(|&id| u64::from(id)));
        }
        if let Some(wrong) = &self.wrong {
            out.push(u64::from(wrong.edge.0) << 32 | wrong.reason.len() as u64);
            out.extend(wrong.reason.as_bytes().chunks(8).map(|chunk| {
                let mut bytes = [0; 8];
                bytes[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(bytes)
            }));
        }
    }

    /// The state of words that were written with this layout.
    #[must_use]
    pub fn again(layout: &Layout, words: &[u64]) -> Self {
        match layout.plain(words) {
            Some(memory) => Shared::new(memory),
            None => Shared::read(layout, words).expect("what was written can be read"),
        }
    }

    /// Becomes the state of words that were written with this layout, in the memory that it has.
    pub fn become_again(&mut self, layout: &Layout, words: &[u64]) {
        let mut memory = std::mem::take(&mut self.memory);
        *self = match layout.copy_plain(words, &mut memory) {
            true => Shared::new(memory),
            false => Shared::again(layout, words),
        };
    }

    /// The state that was written; `None` for words that none is written as.
    #[must_use]
    pub fn read(layout: &Layout, words: &[u64]) -> Option<Self> {
        let (memory, mut rest) = layout.read(words)?;
        let mut shared = Shared::new(memory);
        if rest.is_empty() {
            return Some(shared);
        }
        let rest = &mut rest;
        let flags = take(rest)?;
        if flags & RETURNED != 0 {
            let count = take(rest)?;
            shared.returned = Some((0..count).map(|_| read_value(rest)).collect::<Option<_>>()?);
        }
        if flags & HELD != 0 {
            let pair = |word: u64| ((word >> 32) as u32, word as u32);
            let count = take(rest)?;
            shared.held = (0..count).map(|_| take(rest).map(pair)).collect::<Option<_>>()?;
        }
        if flags & ENDED != 0 {
            let count = take(rest)?;
            let id = |word: u64| u32::try_from(word).ok();
            shared.ended = (0..count).map(|_| take(rest).and_then(id)).collect::<Option<_>>()?;
        }
        if flags & WRONG != 0 {
            let head = take(rest)?;
            let length = head as u32 as usize;
            let words = (0..length.div_ceil(8)).map(|_| take(rest));
            let words = words.collect::<Option<Vec<_>>>()?;
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.truncate(length);
            let reason = String::from_utf8(bytes).ok()?;
            shared.wrong = Some(Box::new(Wrong { edge: EdgeId((head >> 32) as u32), reason }));
        }
        // Text that is written in another way is rejected.
        let mut again = Vec::new();
        shared.write(&mut again);
        (again == words).then_some(shared)
    }

    /// How many variables on stacks hold a name, with the thread that bears it.
    #[must_use]
    pub fn held(&self, id: u32) -> u32 {
        let at = self.held.binary_search_by_key(&id, |&(id, _)| id);
        at.map_or(0, |at| self.held[at].1)
    }

    /// Whether the thread of a name has ended.
    #[must_use]
    pub fn has_ended(&self, id: u32) -> bool {
        self.ended.binary_search(&id).is_ok()
    }
}

impl Frame {
    /// Writes the frame behind what is there: its location and owner, then its memory.
    pub fn write(&self, out: &mut Vec<u64>) {
        out.push(u64::from(self.loc.0) << 32 | u64::from(self.owner));
        self.memory.write(out);
    }

    /// The location of a frame that was written as these words.
    #[must_use]
    pub fn location_of(words: &[u64]) -> Loc {
        Loc((words[0] >> 32) as u32)
    }

    /// The frame of words that were written by this machine.
    #[must_use]
    pub fn again(machine: &Machine, words: &[u64]) -> Self {
        let loc = Frame::location_of(words);
        let layout = &machine.frames[machine.code.location(loc).proc.index()];
        match layout.plain(&words[1..]) {
            Some(memory) => Frame { loc, memory, owner: words[0] as u32 },
            None => Frame::read(|_| Some(layout), words).expect("what was written can be read"),
        }
    }

    /// Becomes the frame of words that were written by this machine, in the memory that it has.
    pub fn become_again(&mut self, machine: &Machine, words: &[u64]) {
        let loc = Frame::location_of(words);
        let layout = &machine.frames[machine.code.location(loc).proc.index()];
        let mut memory = std::mem::take(&mut self.memory);
        *self = match layout.copy_plain(&words[1..], &mut memory) {
            true => Frame { loc, memory, owner: words[0] as u32 },
            false => Frame::again(machine, words),
        };
    }

    /// The frame that was written, with the layout of its location.
    pub fn read<'l>(layout: impl FnOnce(Loc) -> Option<&'l Layout>, words: &[u64]) -> Option<Self> {
        let (&head, words) = words.split_first()?;
        let loc = Loc((head >> 32) as u32);
        let (memory, rest) = layout(loc)?.read(words)?;
        rest.is_empty().then_some(Frame { loc, memory, owner: head as u32 })
    }
}

fn write_value(value: &Value, out: &mut Vec<u64>) {
    match value.to_big() {
        None => out.push(u64::MAX),
        Some(number) => write_number(&number, out),
    }
}

fn read_value(words: &mut &[u64]) -> Option<Value> {
    if words.first() == Some(&u64::MAX) {
        *words = &words[1..];
        return Some(Value::Open);
    }
    read_number(words)
}

fn take(words: &mut &[u64]) -> Option<u64> {
    let (&first, rest) = words.split_first()?;
    *words = rest;
    Some(first)
}
