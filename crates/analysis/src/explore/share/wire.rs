//! # States on the wire
//! Numbers of shared states and threads are given out as they are met, by each worker on its own. So a worker that sends a state says
//! once, to each other worker, what its numbers stand for, in words that are the same everywhere ([`selvedge_model::Keys`]); after that a state is a few
//! small numbers. Whose a state is follows from the hash of such words: the sum over the shared state and the threads, in any order, or over a part of them ([`super::split`]).
//!
//! **Needs.** That what one worker sends to another arrives in the order in which it was sent.

use selvedge_model::{Fault, SharedId, Stack, SymbolId, System, TemplateId};
use selvedge_store::hash;

use super::super::Locals;
use super::super::classes::Classes;
use super::super::space::{Entry, Space};
use super::super::stacks::Stacks;
use super::super::visible::Glimpse;
use super::rows::Form;
use crate::Stop;

/// A parcel is sent when it has this many bytes.
const FULL: usize = 1 << 15;

/// Bytes from one worker to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parcel {
    /// The worker that gets it.
    pub to: usize,
    /// The worker that sent it.
    pub from: usize,
    /// The encoded message.
    pub bytes: Vec<u8>,
}

/// Tells what a number stands for: a shared state, or a thread with its stack. Each kind has a dictionary of its own. What is seen of a thread is hashed, and never sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Shared,
    Entry,
    Glimpse,
}

const KINDS: usize = 3;

/// The number of kinds that are sent: all but glimpses.
const SENT: usize = 2;

/// Marks a number that was not heard of, or was not told.
const NONE: u32 = u32::MAX;

/// Numbers that two workers have in common.
#[derive(Default)]
struct Link {
    /// By kind and number of this worker, the number on the wire.
    told: [Vec<u32>; SENT],
    /// How many there are on the wire.
    count: [u32; SENT],
    /// By kind and number on the wire that the other one told, the number of this worker.
    heard: [Vec<u32>; SENT],
    /// How many parcels went to the other one, and how many came.
    sent: u64,
    received: u64,
    /// What is to be sent: what numbers stand for, and states.
    names: Vec<u8>,
    items: Vec<u8>,
}

/// What this worker and each other one know of each other's numbers.
pub(super) struct Names {
    links: Vec<Link>,
    /// By kind and number, the hash of what it stands for; 0 where nobody has looked.
    hashes: [Vec<u64>; KINDS],
    index: usize,
    /// How the states of a parcel are said, as its first bytes say it.
    form: Vec<u8>,
    /// Parcels that are to be sent.
    pub ready: Vec<Parcel>,
}

impl Names {
    pub fn new(index: usize, peers: usize) -> Self {
        let links = (0..peers).map(|_| Link::default()).collect();
        Names { links, hashes: Default::default(), index, form: Vec::new(), ready: Vec::new() }
    }

    /// The hash of what a number stands for.
    #[inline]
    pub fn hash(&mut self, kind: Kind, number: u32, content: impl FnOnce(&mut Vec<u8>)) -> u64 {
        match self.hashes[kind as usize].get(number as usize) {
            Some(&known) if known != 0 => known,
            _ => self.find_hash(kind, number, content),
        }
    }

    #[cold]
    fn find_hash(&mut self, kind: Kind, number: u32, content: impl FnOnce(&mut Vec<u8>)) -> u64 {
        let mut bytes = vec![kind as u8];
        content(&mut bytes);
        let known = hash::of(&bytes[..]).max(1);
        let hashes = &mut self.hashes[kind as usize];
        if hashes.len() <= number as usize {
            hashes.resize(number as usize + 1, 0);
        }
        hashes[number as usize] = known;
        known
    }

    /// How many workers there are.
    pub fn peers(&self) -> usize {
        self.links.len()
    }

    /// The worker that a state with this key belongs to.
    #[inline]
    pub fn owner(&self, key: u64) -> usize {
        owner(key, self.links.len())
    }

    /// The number on the wire of a number of this worker; before its first use, says what it stands for.
    #[inline]
    pub fn name(
        &mut self,
        to: usize,
        kind: Kind,
        number: u32,
        content: impl FnOnce(&mut Vec<u8>),
    ) -> u32 {
        match self.links[to].told[kind as usize].get(number as usize) {
            Some(&wire) if wire != NONE => wire,
            _ => self.introduce(to, kind, number, content),
        }
    }

    #[cold]
    fn introduce(
        &mut self,
        to: usize,
        kind: Kind,
        number: u32,
        content: impl FnOnce(&mut Vec<u8>),
    ) -> u32 {
        let link = &mut self.links[to];
        let told = &mut link.told[kind as usize];
        if told.len() <= number as usize {
            told.resize(number as usize + 1, NONE);
        }
        let wire = link.count[kind as usize];
        // There are no more numbers on the wire than numbers that are told.
        link.count[kind as usize] += 1;
        told[number as usize] = wire;
        let mut bytes = Vec::new();
        content(&mut bytes);
        link.names.push(kind as u8);
        write(bytes.len() as u64, &mut link.names);
        link.names.extend_from_slice(&bytes);
        wire
    }

    /// Adds a number of a state to what is sent to a worker; before its first use, says what it stands for.
    #[inline]
    pub fn tell(&mut self, to: usize, kind: Kind, number: u32, content: impl FnOnce(&mut Vec<u8>)) {
        let wire = self.name(to, kind, number, content);
        write(u64::from(wire), &mut self.links[to].items);
    }

    /// Says how the states are said that come next: as rows of some form, or number by number. A parcel has one form.
    pub fn set_form(&mut self, form: Option<&Form>) {
        let mut bytes = Vec::new();
        match form {
            Some(form) => form.write(&mut bytes),
            None => write(0, &mut bytes),
        }
        if bytes != self.form {
            self.flush();
            self.form = bytes;
        }
    }

    /// Begins a state that is sent to be stored: a parcel begins with its form.
    #[inline]
    pub fn begin(&mut self, to: usize) {
        let items = &mut self.links[to].items;
        if items.is_empty() {
            items.extend_from_slice(&self.form);
        }
    }

    /// Adds a state as a record of so many bytes.
    #[inline]
    pub fn say(&mut self, to: usize, record: u128, size: usize) {
        self.begin(to);
        let items = &mut self.links[to].items;
        let end = items.len() + size;
        // Copying a fixed number of bytes is quicker than counting them.
        match size {
            ..=8 => items.extend_from_slice(&(record as u64).to_le_bytes()),
            _ => items.extend_from_slice(&record.to_le_bytes()),
        }
        items.truncate(end);
        self.end(to);
    }

    /// Adds a plain number to what is sent to a worker.
    #[inline]
    pub fn tell_number(&mut self, to: usize, number: u32) {
        write(u64::from(number), &mut self.links[to].items);
    }

    /// Ends what is said of a state: a parcel that is full is ready.
    #[inline]
    pub fn end(&mut self, to: usize) {
        if self.links[to].items.len() >= FULL {
            self.pack(to);
        }
    }

    /// Makes parcels of all that is to be sent.
    pub fn flush(&mut self) {
        (0..self.links.len()).for_each(|to| self.pack(to));
    }

    fn pack(&mut self, to: usize) {
        let link = &mut self.links[to];
        if link.items.is_empty() && link.names.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(link.names.len() + link.items.len() + 5);
        write(link.sent, &mut bytes);
        link.sent += 1;
        write(link.names.len() as u64, &mut bytes);
        bytes.extend_from_slice(&link.names);
        bytes.extend_from_slice(&link.items);
        link.names.clear();
        link.items.clear();
        self.ready.push(Parcel { to, from: self.index, bytes });
    }

    /// Reads what numbers stand for, and leaves the states.
    pub fn hear<'p>(
        &mut self,
        from: usize,
        bytes: &'p [u8],
        mut number: impl FnMut(u8, &[u8]) -> Result<u32, Stop>,
    ) -> Result<&'p [u8], Stop> {
        let rest = &mut { bytes };
        let link = self.links.get_mut(from).ok_or_else(garbled)?;
        // A parcel that is missing, or out of order, would give numbers another meaning.
        if read(rest)? != link.received {
            return Err(garbled());
        }
        link.received += 1;
        let names = read(rest)? as usize;
        let (mut names, items) = rest.split_at_checked(names).ok_or_else(garbled)?;
        while let Some((&kind, after)) = names.split_first() {
            names = after;
            let length = read(&mut names)? as usize;
            let (content, after) = names.split_at_checked(length).ok_or_else(garbled)?;
            names = after;
            let heard = link.heard.get_mut(usize::from(kind)).ok_or_else(garbled)?;
            heard.push(number(kind, content)?);
        }
        Ok(items)
    }

    /// Reads a number of a state, as this worker has it.
    #[inline]
    pub fn heard(&self, from: usize, kind: Kind, rest: &mut &[u8]) -> Result<u32, Stop> {
        let wire = u32::try_from(read(rest)?).map_err(|_| garbled())?;
        self.named(from, kind, wire)
    }

    /// A number of a state as this worker has it, by the number on the wire.
    #[inline]
    pub fn named(&self, from: usize, kind: Kind, wire: u32) -> Result<u32, Stop> {
        self.links[from].heard[kind as usize].get(wire as usize).copied().ok_or_else(garbled)
    }
}

/// The worker, out of `workers`, that owns the states with this key.
#[inline]
pub(super) fn owner(key: u64, workers: usize) -> usize {
    let spread = hash::of_row(u128::from(key));
    ((u128::from(spread) * workers as u128) >> 64) as usize
}

/// Writes a shared state so that every worker understands it.
pub(super) fn write_shared(system: &dyn System, shared: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(system.keys().shared_key(SharedId(shared)).as_bytes());
}

/// Writes a thread with its stack so that every worker understands it.
pub(super) fn write_entry(space: &Space<'_, Stacks>, entry: u32, out: &mut Vec<u8>) {
    let (class, local) = space.entry(entry);
    write_class(&space.classes, class, out);
    let stack = space.locals.get(local);
    write(stack.iter().count() as u64, out);
    stack.iter().for_each(|symbol| write_symbol(&*space.system, symbol, out));
}

/// Writes what is visible of a thread so that every worker understands it.
pub(super) fn write_glimpse(space: &Space<'_, Stacks>, (class, top): Glimpse, out: &mut Vec<u8>) {
    write_class(&space.classes, class, out);
    write(u64::from(top.is_some()), out);
    if let Some(top) = top {
        write_symbol(&*space.system, top, out);
    }
}

/// Reads what a number of a state stands for.
pub(super) fn read_name(
    space: &mut Space<'_, Stacks>,
    kind: u8,
    content: &[u8],
) -> Result<u32, Stop> {
    match kind {
        kind if kind == Kind::Shared as u8 => read_shared(space, content),
        kind if kind == Kind::Entry as u8 => read_entry(space, content),
        _ => Err(garbled()),
    }
}

fn read_shared(space: &mut Space<'_, Stacks>, bytes: &[u8]) -> Result<u32, Stop> {
    let key = std::str::from_utf8(bytes).map_err(|_| garbled())?;
    let shared = space.system.keys().find_shared_key(key).ok_or_else(garbled)?;
    space.meet_shared(shared);
    Ok(shared.0)
}

fn read_entry(space: &mut Space<'_, Stacks>, bytes: &[u8]) -> Result<u32, Stop> {
    let rest = &mut { bytes };
    let class = read_class(&mut space.classes, rest)?;
    let height = read(rest)?;
    let system = &*space.system;
    let symbols: Result<Vec<_>, Stop> = (0..height).map(|_| read_symbol(system, rest)).collect();
    let local = space.locals.of_stack(class, &Stack::top_first(symbols?))?;
    let entry: Entry = (class, local);
    if rest.is_empty() { Ok(space.meet(entry)?) } else { Err(garbled()) }
}

/// Classes of threads that are started are numbered as they are met: their templates have names.
fn write_class(classes: &Classes, class: u32, out: &mut Vec<u8>) {
    let is_started = classes.is_started(class);
    write(u64::from(is_started), out);
    write(u64::from(if is_started { classes.template(class).0 } else { class }), out);
}

fn read_class(classes: &mut Classes, rest: &mut &[u8]) -> Result<u32, Stop> {
    let is_started = read(rest)? != 0;
    let number = u32::try_from(read(rest)?).map_err(|_| garbled())?;
    match is_started {
        true => Ok(classes.of_started(TemplateId(number))),
        false if classes.of_threads().contains(&number) => Ok(number),
        false => Err(garbled()),
    }
}

fn write_symbol(system: &dyn System, symbol: SymbolId, out: &mut Vec<u8>) {
    let key = system.keys().symbol_key(symbol);
    write(key.len() as u64, out);
    out.extend_from_slice(key.as_bytes());
}

fn read_symbol(system: &dyn System, rest: &mut &[u8]) -> Result<SymbolId, Stop> {
    let length = read(rest)? as usize;
    let (key, after) = rest.split_at_checked(length).ok_or_else(garbled)?;
    *rest = after;
    let key = std::str::from_utf8(key).map_err(|_| garbled())?;
    system.keys().find_symbol_key(key).ok_or_else(garbled)
}

/// Writes a number, seven bits a byte, the lowest first.
#[inline]
pub(super) fn write(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number as `write` encodes it.
#[inline]
pub(super) fn read(rest: &mut &[u8]) -> Result<u64, Stop> {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, after)) = rest.split_first() {
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
        shift += 7;
        if shift > 63 {
            break;
        }
    }
    Err(garbled())
}

/// The reason to stop when a parcel does not describe a state of this system.
#[cold]
pub(super) fn garbled() -> Stop {
    Stop::Fault(Fault::new("another worker sent what is no state of this system"))
}

#[cfg(test)]
mod tests {
    use super::{read, write};

    #[test]
    fn numbers_are_read_again() {
        let numbers = [0, 1, 127, 128, 300, 1 << 20, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| write(number, &mut bytes));
        let rest = &mut &bytes[..];
        for number in numbers {
            assert_eq!(read(rest).unwrap(), number);
        }
        assert!(rest.is_empty());
        assert!(read(rest).is_err());
        assert!(read(&mut &[0x80; 12][..]).is_err());
    }
}
