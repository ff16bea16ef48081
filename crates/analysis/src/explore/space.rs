//! # The space of states
//! What explorers have in common: threads as numbered entries, states as words, and the moves of
//! a thread, found once and remembered.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use selvedge_model::{Heads, SharedId, State, TemplateId, ThreadId, is_forgotten};
use selvedge_store::{Bytes, Full, Interner, Moves};

use super::target::Target;
use super::visible::Glimpse;
use super::words::Layout;
use super::{Classes, Locals, Move, SystemRef};
use crate::{Pace, Stop};

/// The work that finding the moves of a thread counts as, in known moves: it takes about as long.
const NEW_HEAD: usize = 16;

/// The number of the empty list of started threads.
const NOBODY: u32 = 0;

/// The class of no thread.
const NO_CLASS: u32 = u32::MAX;

/// A thread of a state: its class and its local.
pub type Entry = (u32, u32);

/// A move with entries in the place of locals.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryMove {
    pub shared: SharedId,
    pub entry: u32,
    /// The list of entries of started threads, by number.
    spawns: u32,
    /// Whether the thread has ended and is forgotten.
    pub forgotten: bool,
}

/// Moves that are known, for several workers.
#[derive(Clone, Copy)]
pub(super) struct Remembered<'s>(&'s Moves<u64, EntryMove>);

/// The moves that were known when others began to be found: see [`Space::set_aside`].
#[derive(Default)]
pub(super) struct Aside(Moves<u64, EntryMove>);

impl Aside {
    /// The moves, for several workers.
    pub fn remembered(&self) -> Remembered<'_> {
        Remembered(&self.0)
    }
}

impl<'s> Remembered<'s> {
    /// The moves of a thread, if they were asked for before.
    #[inline]
    pub fn moves(self, shared: u32, entry: u32) -> Option<&'s [EntryMove]> {
        Some(self.0.slice(self.0.find(&head(shared, entry))?))
    }

    /// Reads where the moves of a thread are looked for, so that it is near at hand.
    #[inline]
    pub fn touch(self, shared: u32, entry: u32) -> u32 {
        self.0.touch(&head(shared, entry))
    }
}

/// A system seen through one kind of locals.
pub(super) struct Space<'a, L> {
    pub system: SystemRef<'a>,
    pub locals: L,
    pub classes: Classes,
    pub layout: Layout,
    /// States with more threads than this are not followed.
    pub most_threads: Option<usize>,
    /// Whether such a state was met.
    left_out: Cell<bool>,
    entries: Interner<Entry>,
    /// The moves of an entry at a shared state, by [`head`].
    moves: Moves<u64, EntryMove>,
    /// Lists of started threads.
    spawns: Interner<Vec<u32>>,
    /// The largest numbers that a word can have by the moves that are known, if all words have the
    /// same length.
    pub largest: Option<Vec<u32>>,
    /// Whether one of the largest numbers has grown since this was last cleared.
    pub has_grown: bool,
    /// Lists that are used again for each head.
    found: Vec<Move>,
    new_moves: Vec<EntryMove>,
    /// The heads that can act, as far as a property has asked.
    pub heads: RefCell<Heads>,
}

impl<'a, L: Locals> Space<'a, L> {
    /// The space of a system, with its initial states as words.
    pub fn new(
        system: SystemRef<'a>,
        locals: L,
        symmetry: bool,
    ) -> Result<(Self, Vec<Vec<u32>>), Stop> {
        let initial = system.initial()?;
        let classes = Classes::new(&initial, symmetry);
        let layout = Layout::new(&classes);
        let mut space = Space {
            system,
            locals,
            classes,
            layout,
            most_threads: None,
            left_out: Cell::new(false),
            entries: Interner::of("different threads"),
            moves: Moves::default(),
            spawns: Interner::of("lists of started threads"),
            largest: None,
            has_grown: false,
            found: Vec::new(),
            new_moves: Vec::new(),
            heads: RefCell::default(),
        };
        space.spawns.intern(Vec::new())?;
        let words: Result<Vec<_>, Full> = initial.iter().map(|state| space.word(state)).collect();
        let words = words?;
        if let Layout::Listed(listed) = &space.layout
            && !space.system.starts_threads()
        {
            let mut largest = vec![0; 1 + listed.threads().len()];
            for word in words.iter().filter(|word| listed.is_all(word)) {
                largest.iter_mut().zip(word).for_each(|(most, &number)| *most = number.max(*most));
            }
            space.largest = Some(largest);
        }
        Ok((space, words))
    }

    /// How many entries there are.
    pub fn entry_count(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// The class and local of an entry.
    #[inline]
    pub fn entry(&self, number: u32) -> Entry {
        *self.entries.get(number)
    }

    /// What is seen of an entry that shows one top.
    pub fn top(&self, entry: u32) -> Glimpse {
        let (class, local) = self.entry(entry);
        (class, self.locals.tops(local).first().copied().flatten())
    }

    /// Whether a state was not followed because it has too many threads.
    pub fn has_left_out(&self) -> bool {
        self.left_out.get() || self.locals.has_left_out()
    }

    /// The kinds of threads of a state, with how many there are of each.
    pub fn kinds(&self, word: &[u32]) -> Vec<(Entry, u32)> {
        self.layout.entries(word).map(|(entry, count)| (self.entry(entry), count)).collect()
    }

    /// The shared states at which the moves of some thread were asked for, with its entry.
    pub fn heads(&self) -> impl Iterator<Item = (SharedId, Entry)> {
        let heads = self.moves.heads();
        heads.map(|head| (SharedId((head >> 32) as u32), self.entry(head as u32)))
    }

    /// The moves of a thread, as a range for [`Space::step`]; remembered.
    #[inline]
    pub fn moves_of(
        &mut self,
        shared: u32,
        entry: u32,
        pace: &mut Pace<'_>,
    ) -> Result<Range<u32>, Stop> {
        match self.known_moves(shared, entry) {
            Some(range) => Ok(range),
            None => self.find_moves(shared, entry, pace),
        }
    }

    /// The moves of a thread, if they were asked for before.
    #[inline]
    pub fn known_moves(&self, shared: u32, entry: u32) -> Option<Range<u32>> {
        self.moves.find(&head(shared, entry))
    }

    /// Reads where the moves of a thread are looked for, so that it is near at hand.
    #[inline]
    pub fn touch_moves(&self, shared: u32, entry: u32) -> u32 {
        self.moves.touch(&head(shared, entry))
    }

    #[cold]
    fn find_moves(
        &mut self,
        shared: u32,
        entry: u32,
        pace: &mut Pace<'_>,
    ) -> Result<Range<u32>, Stop> {
        let (class, local) = self.entry(entry);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let Space { system, locals, classes, .. } = &mut *self;
        let thread = (class, SharedId(shared), local);
        pace.spend(NEW_HEAD)?;
        locals.moves(&**system, classes, thread, pace, &mut found)?;
        found.sort_unstable();
        found.dedup();
        let mut moves = std::mem::take(&mut self.new_moves);
        for Move { shared, local, spawns } in found.drain(..) {
            let entry = self.entries.intern((class, local))?;
            let spawns = self.number_started(spawns)?;
            let forgotten = self.is_forgotten((class, local));
            self.expect(class, shared, entry);
            moves.push(EntryMove { shared, entry, spawns, forgotten });
        }
        let range = self.moves.remember(head(shared, entry), moves.drain(..));
        (self.found, self.new_moves) = (found, moves);
        Ok(range?)
    }

    /// The number of a list of started threads.
    fn number_started(&mut self, spawns: Vec<(TemplateId, u32)>) -> Result<u32, Full> {
        // Most moves start no thread.
        if spawns.is_empty() {
            return Ok(NOBODY);
        }
        let mut started = Vec::with_capacity(spawns.len());
        for (template, local) in spawns {
            let class = self.classes.of_started(template);
            started.push(self.entries.intern((class, local))?);
        }
        self.spawns.intern(started)
    }

    /// Notes that words may have this shared state, and this entry in a place of its class.
    fn expect(&mut self, class: u32, shared: SharedId, entry: u32) {
        if let (Some(largest), Layout::Listed(listed)) = (&mut self.largest, &self.layout) {
            // A column has bits, so what is expected is the greatest number of as many bits.
            let mut expect = |place: usize, number: u32| {
                if number > largest[place] {
                    self.has_grown = true;
                    largest[place] = u32::MAX >> number.leading_zeros();
                }
            };
            expect(0, shared.0);
            for (place, &thread) in listed.threads().iter().enumerate() {
                if self.classes.of_thread(thread) == class {
                    expect(1 + place, entry);
                }
            }
        }
    }

    /// Numbers a thread that was told of from elsewhere; words may contain it from now on.
    pub fn meet(&mut self, (class, local): Entry) -> Result<u32, Full> {
        let entry = self.entries.intern((class, local))?;
        self.expect(class, SharedId(0), entry);
        Ok(entry)
    }

    /// Notes a shared state that was told of from elsewhere; words may contain it from now on.
    pub fn meet_shared(&mut self, shared: SharedId) {
        self.expect(NO_CLASS, shared, 0);
    }

    /// Moves that lie one after the other.
    #[inline]
    pub fn moves(&self, range: Range<u32>) -> &[EntryMove] {
        self.moves.slice(range)
    }

    /// The moves that are known.
    #[inline]
    pub fn remembered(&self) -> Remembered<'_> {
        Remembered(&self.moves)
    }

    /// Sets the moves aside that are known, so that workers can make them while others are found. Until they are put back, only those others are known here.
    pub fn set_aside(&mut self) -> Aside {
        Aside(std::mem::take(&mut self.moves))
    }

    /// Puts moves back that were set aside. Those that were found meanwhile must not be among them.
    pub fn put_back(&mut self, Aside(aside): Aside) -> Result<(), Full> {
        let found = std::mem::replace(&mut self.moves, aside);
        self.moves.append(found)
    }

    /// Writes into `next` what a state becomes when a thread with entry `from` makes a move; the
    /// entry of that thread after; a thread that has ended may be no part of the state any more. `None`
    /// if there would be too many threads.
    pub fn step(&self, word: &[u32], from: u32, index: u32, next: &mut Vec<u32>) -> Option<u32> {
        let step = self.moves.get(index);
        next.clear();
        next.extend_from_slice(word);
        next[0] = step.shared.0;
        if step.forgotten {
            self.layout.remove(next, from);
        } else {
            self.layout.replace(next, from, step.entry);
        }
        let spawns = self.spawns.get(step.spawns);
        for &spawn in spawns {
            self.layout.add(next, spawn);
        }
        let limit = self.most_threads.filter(|_| !spawns.is_empty());
        let fits = limit.is_none_or(|most| self.layout.threads(next) <= most);
        if !fits {
            self.left_out.set(true);
        }
        fits.then_some(step.entry)
    }

    /// The entries of the threads that a move starts.
    pub fn started(&self, index: u32) -> &[u32] {
        self.spawns.get(self.moves.get(index).spawns)
    }

    /// What a state may have been before a move at a head, after which the thread has the entry `after`, or is forgotten; [`Space::step`]
    /// says whether it was. `None` if the state is no such one.
    pub fn step_back(
        &self,
        word: &[u32],
        after: u32,
        (shared, moves): (u32, u32),
        index: u32,
    ) -> Option<Vec<u32>> {
        let step = self.moves.get(index);
        if step.shared.0 != word[0] || !(step.forgotten || step.entry == after) {
            return None;
        }
        let mut before = word.to_vec();
        before[0] = shared;
        for &started in self.started(index) {
            self.layout.position(&before, started)?;
            self.layout.remove(&mut before, started);
        }
        if step.forgotten {
            self.layout.add(&mut before, moves);
        } else {
            self.layout.position(&before, after)?;
            self.layout.replace(&mut before, after, moves);
        }
        Some(before)
    }

    /// Whether a thread has ended and is no part of a state: see [`selvedge_model::is_forgotten`].
    fn is_forgotten(&self, (class, local): Entry) -> bool {
        self.system.forgets_ended() && self.classes.is_started(class) && self.locals.is_empty(local)
    }

    /// The first target that is hit at a shared state with the threads that are seen there.
    pub fn hit(
        &self,
        targets: &mut [Target],
        shared: u32,
        see: impl Fn() -> Vec<(Glimpse, u32)>,
    ) -> Result<Option<usize>, Stop> {
        let mut threads = None;
        for (number, target) in targets.iter_mut().enumerate() {
            if target.may_be_hit(&*self.system, shared) {
                let threads = threads.get_or_insert_with(&see);
                if target.is_hit(&*self.system, &self.heads, &self.classes, shared, threads)? {
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }

    /// The first target about whole stacks that a state hits. Where locals say too much of a stack,
    /// it may be hit.
    pub fn hit_stacks(&self, targets: &[Target], word: &[u32]) -> Option<usize> {
        let mut kinds = None;
        targets.iter().position(|target| {
            target.names_stacks() && {
                let kinds = kinds.get_or_insert_with(|| self.kinds(word));
                target.is_hit_by_stacks(word[0], kinds, |(class, local), pattern| {
                    self.locals.may_be(class, local, pattern)
                })
            }
        })
    }

    /// The number of an entry that was met.
    pub fn find(&self, entry: Entry) -> Option<u32> {
        self.entries.find(&entry)
    }

    /// The class of a thread of a state.
    pub fn class_of(&mut self, state: &State, thread: ThreadId) -> u32 {
        if thread.index() < self.system.threads().len() {
            self.classes.of_thread(thread.index())
        } else {
            self.classes.of_started(state.threads[thread.index()].template)
        }
    }

    /// A state as a word.
    pub fn word(&mut self, state: &State) -> Result<Vec<u32>, Full> {
        let places = match &self.layout {
            Layout::Listed(listed) => listed.threads(),
            Layout::Counted => &[],
        };
        let others = places.len()..state.threads.len();
        let threads = places.iter().copied().chain(others).map(ThreadId::from);
        let threads = threads.filter(|&thread| !is_forgotten(&*self.system, state, thread));
        let threads: Vec<ThreadId> = threads.collect();
        let mut entries = Vec::with_capacity(threads.len());
        for thread in threads {
            let class = self.class_of(state, thread);
            let local = self.locals.of_stack(class, &state.threads[thread.index()].stack)?;
            entries.push(self.entries.intern((class, local))?);
        }
        Ok(self.layout.word(state.shared.0, entries))
    }
}

impl<L> Bytes for Space<'_, L> {
    fn bytes(&self) -> usize {
        selvedge_store::total(&[&self.entries, &self.moves, &self.spawns])
    }
}

/// A shared state and an entry as one number.
#[inline]
fn head(shared: u32, entry: u32) -> u64 {
    u64::from(shared) << 32 | u64::from(entry)
}
