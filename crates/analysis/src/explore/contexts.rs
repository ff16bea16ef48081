//! # Contexts
//!
//! **Question.** Which states do at most k contexts reach, and what is new at each k?
//!
//! **Idea.** Bound by bound. A state that is new at bound k was reached in the contexts of some of
//! its threads; those go on within the bound. At bound k + 1 all the others have their turn. So
//! every thread moves from every state exactly once, at the first bound that allows it, and only
//! states that were new at the last bound are looked at again.
//!
//! **Claim.** After k calls of [`ContextExplorer::advance`], the states are R_k exactly
//! [CUBA, Sec. 2.3]; with [`super::languages`] they are the aggregate configurations of Qadeer and
//! Rehof, whose union is R_k [Thm. 3]. If nothing is new at a bound, nothing is new at any later
//! one [CUBA, Lemma 7]; for sets of stacks too, since a bound depends only on what was new before.
//!
//! **Needs.** With [`super::stacks`]: each context reaches finitely many states, or the run ends
//! by its budget.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{Property, SharedId, State, System, VisibleState};

use super::classes::{Classes, arrangements};
use super::target::Target;
use super::visible::{Seen, Visible};
use super::words::Layout;
use super::{Locals, Move, StateSet};
use crate::{Budget, Stop};

/// What is seen at a bound. Numbers are without symmetry reduction; `None` is too large to count,
/// or infinite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The number of contexts.
    pub contexts: usize,
    /// How many states at most this many contexts reach.
    pub states: Option<u128>,
    /// How many of them need exactly this many.
    pub new_states: Option<u128>,
    /// How many visible states at most this many contexts reach.
    pub visible: Option<u128>,
    /// How many of them need exactly this many.
    pub new_visible: Option<u128>,
    /// How many words of the explorer are new: 0 means that the sequence has collapsed.
    pub new_stored: usize,
}

/// A thread of a state: its class and its local. Entries are numbered; a state is the shared
/// state followed by the sorted entries of its threads.
type Entry = (u32, u32);

/// Explores context by context.
pub struct ContextExplorer<'a, L> {
    system: &'a dyn System,
    locals: L,
    classes: Classes,
    layout: Layout,
    /// States with more threads than this are not followed.
    most_threads: Option<usize>,
    entries: Vec<Entry>,
    entry_numbers: FxHashMap<Entry, u32>,
    states: StateSet,
    /// What a thread can do: moves by shared state and entry, as ranges of `moves`.
    known_moves: FxHashMap<(u32, u32), (u32, u32)>,
    moves: Vec<EntryMove>,
    /// The first state that is new at the current bound.
    new_from: u32,
    /// Which threads of the new states have moved already.
    moved: Moved,
    visible: Visible,
    /// The first visible state that is new at each bound.
    visible_from: Vec<u32>,
    observations: Vec<Observation>,
}

/// A move with entries in the place of locals.
#[derive(Clone, Debug)]
struct EntryMove {
    shared: SharedId,
    entry: u32,
    /// Entries of started threads.
    spawns: Box<[u32]>,
}

/// How many moves are made between two looks at the budget.
const MOVES_PER_CHECK: usize = 4096;

impl<'a, L: Locals> ContextExplorer<'a, L> {
    /// Starts at bound 0: the initial states.
    pub fn new(system: &'a dyn System, locals: L, symmetry: bool) -> Result<Self, Stop> {
        let initial = system.initial()?;
        let layout = Layout::for_threads(system.threads().len());
        let mut explorer = ContextExplorer {
            system,
            locals,
            classes: Classes::new(&initial, symmetry),
            layout,
            most_threads: None,
            entries: Vec::new(),
            entry_numbers: FxHashMap::default(),
            states: StateSet::default(),
            known_moves: FxHashMap::default(),
            moves: Vec::new(),
            new_from: 0,
            moved: Moved::default(),
            visible: Visible::new(layout),
            visible_from: Vec::new(),
            observations: Vec::new(),
        };
        for state in &initial {
            let word = explorer.word_of(state);
            explorer.states.insert(&word);
        }
        explorer.observe();
        Ok(explorer)
    }

    /// Does not follow states with more threads than this.
    #[must_use]
    pub fn with_at_most_threads(mut self, most: usize) -> Self {
        self.most_threads = Some(most);
        self
    }

    /// The current bound.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.observations.len() - 1
    }

    /// What was seen at each bound so far.
    #[must_use]
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// Whether nothing was new at the current bound, so that nothing will ever be.
    #[must_use]
    pub fn has_collapsed(&self) -> bool {
        self.observations.last().is_some_and(|o| o.new_stored == 0)
    }

    /// The locals.
    #[must_use]
    pub fn locals(&self) -> &L {
        &self.locals
    }

    /// The locals, for another exploration.
    #[must_use]
    pub fn into_locals(self) -> L {
        self.locals
    }

    /// Whether some visible state is reached that another explorer of the same system does not
    /// reach, if what it reaches is known to be among what this one reaches.
    #[must_use]
    pub fn sees_more_than<M: Locals>(&self, other: &ContextExplorer<'_, M>) -> bool {
        self.visible.len() > other.visible.len()
    }

    /// The visible states that are new at a bound. Of states that differ by a permutation of
    /// interchangeable threads, one is given.
    pub fn new_visible(&self, bound: usize) -> impl Iterator<Item = VisibleState> {
        let end = self.visible_from.get(bound + 1).copied().unwrap_or(self.visible.len());
        (self.visible_from[bound]..end).map(|number| self.arrange(number))
    }

    /// A visible state that is new at a bound and breaks one of the properties, with the number of
    /// the property.
    #[must_use]
    pub fn violation(
        &self,
        bound: usize,
        properties: &[Property],
    ) -> Option<(usize, VisibleState)> {
        let targets: Vec<_> = properties.iter().map(|p| Target::new(p, &self.classes)).collect();
        let end = self.visible_from.get(bound + 1).copied().unwrap_or(self.visible.len());
        (self.visible_from[bound]..end).find_map(|number| {
            let (shared, threads) = self.visible.get(number);
            let hit = targets
                .iter()
                .position(|t| t.is_hit(self.system, &self.classes, shared, &threads))?;
            Some((hit, self.arrange(number)))
        })
    }

    /// One of the visible states that a stored one stands for.
    fn arrange(&self, number: u32) -> VisibleState {
        let (shared, mut threads) = self.visible.get(number);
        let mut take = |class: u32| {
            let wanted = |((c, _), count): &&mut (Seen, u32)| *c == class && *count > 0;
            let (seen, count) = threads.iter_mut().find(wanted)?;
            *count -= 1;
            Some(seen.1)
        };
        let first = self.system.threads().len();
        let mut tops: Vec<_> =
            (0..first).filter_map(|thread| take(self.classes.of_thread(thread))).collect();
        for ((_, top), count) in threads {
            tops.extend(std::iter::repeat_n(top, count as usize));
        }
        VisibleState { shared: SharedId(shared), tops }
    }

    /// How many words are stored.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.states.len()
    }

    /// The bytes that the stored states take.
    #[must_use]
    pub fn state_bytes(&self) -> usize {
        self.states.bytes()
    }

    /// Goes to the next bound. If the budget ends first, the explorer is of no further use; what
    /// was seen at earlier bounds stays true.
    pub fn advance(&mut self, budget: &Budget) -> Result<&Observation, Stop> {
        let frontier = self.new_from..self.states.len() as u32;
        let before = std::mem::take(&mut self.moved);
        self.new_from = frontier.end;
        let mut work: Vec<(u32, u32)> = Vec::new();
        let mut until_check = MOVES_PER_CHECK;
        for state in frontier.clone() {
            let kinds = self.layout.entries(self.states.get(state)).count() as u32;
            let waiting = |&position: &u32| !before.has(state - frontier.start, position);
            work.extend((0..kinds).filter(waiting).map(|position| (state, position)));
            while let Some((state, position)) = work.pop() {
                self.move_thread(state, position, &mut work)?;
                until_check -= 1;
                if until_check == 0 {
                    budget.check()?;
                    until_check = MOVES_PER_CHECK;
                }
            }
        }
        budget.check()?;
        self.observe();
        Ok(&self.observations[self.observations.len() - 1])
    }

    /// Makes all moves of one thread of a state.
    fn move_thread(
        &mut self,
        state: u32,
        position: u32,
        work: &mut Vec<(u32, u32)>,
    ) -> Result<(), Stop> {
        let word = self.states.get(state).to_vec();
        let Some((from, _)) = self.layout.entries(&word).nth(position as usize) else {
            return Ok(());
        };
        let (start, end) = self.moves_of(SharedId(word[0]), from)?;
        let mut next = Vec::with_capacity(word.len() + 2);
        for index in start..end {
            let step = &self.moves[index as usize];
            next.clone_from(&word);
            next[0] = step.shared.0;
            self.layout.replace(&mut next, from, step.entry);
            if !step.spawns.is_empty() {
                for &spawn in &step.spawns {
                    self.layout.add(&mut next, spawn);
                }
                if self.most_threads.is_some_and(|most| self.layout.threads(&next) > most) {
                    continue;
                }
            }
            let (number, _) = self.states.insert(&next);
            let Some(new) = number.checked_sub(self.new_from) else {
                continue; // all threads move from there at this bound at the latest
            };
            let position = self.layout.position(&next, step.entry);
            if self.moved.set(new, position) && !L::WHOLE_CONTEXTS {
                work.push((number, position));
            }
        }
        Ok(())
    }

    /// The moves of a thread, as a range of `moves`; remembered.
    fn moves_of(&mut self, shared: SharedId, entry: u32) -> Result<(u32, u32), Stop> {
        if let Some(&range) = self.known_moves.get(&(shared.0, entry)) {
            return Ok(range);
        }
        let (class, local) = self.entries[entry as usize];
        let template = self.classes.template(class);
        let mut found = Vec::new();
        self.locals.moves(self.system, template, shared, local, &mut found)?;
        found.sort_unstable();
        found.dedup();
        let start = self.moves.len() as u32;
        for Move { shared, local, spawns } in found {
            let entry = self.entry((class, local));
            let spawns = spawns.into_iter().map(|(template, local)| {
                let class = self.classes.of_started(template);
                self.entry((class, local))
            });
            let spawns = spawns.collect();
            self.moves.push(EntryMove { shared, entry, spawns });
        }
        let range = (start, self.moves.len() as u32);
        self.known_moves.insert((shared.0, entry), range);
        Ok(range)
    }

    fn entry(&mut self, entry: Entry) -> u32 {
        let next = self.entries.len() as u32;
        let number = *self.entry_numbers.entry(entry).or_insert(next);
        if number == next {
            self.entries.push(entry);
        }
        number
    }

    fn word_of(&mut self, state: &State) -> Vec<u32> {
        let threads = state.threads.iter().enumerate();
        let entries = threads.map(|(index, thread)| {
            let local = self.locals.of_stack(thread.template, &thread.stack);
            self.entry((self.classes.of_thread(index), local))
        });
        let entries = entries.collect();
        self.layout.word(state.shared.0, entries)
    }

    /// Counts what is new at this bound.
    fn observe(&mut self) {
        let first_visible = self.visible.len();
        self.visible_from.push(first_visible);
        let mut new_states = Some(0u128);
        for number in self.new_from..self.states.len() as u32 {
            let word = self.states.get(number);
            let kinds: Vec<(Entry, u32)> = self
                .layout
                .entries(word)
                .map(|(entry, count)| (self.entries[entry as usize], count))
                .collect();
            let single = !L::WHOLE_CONTEXTS;
            let weight = arrangements(kinds.iter().map(|&((class, _), count)| (class, count)));
            new_states = sum(new_states, weight.filter(|_| single));
            let seen = |((class, local), count): &(Entry, u32)| {
                let tops = self.locals.tops(*local).into_iter();
                (tops.map(|top| (*class, top)).collect(), *count)
            };
            let threads: Vec<_> = kinds.iter().map(seen).collect();
            self.visible.add(word[0], &threads);
        }
        let new_visible = (first_visible..self.visible.len())
            .try_fold(0, |total, number| sum(Some(total), self.visible.weight(number)));
        let last = self.observations.last();
        self.observations.push(Observation {
            contexts: self.observations.len(),
            states: sum(last.map_or(Some(0), |o| o.states), new_states),
            new_states,
            visible: sum(last.map_or(Some(0), |o| o.visible), new_visible),
            new_visible,
            new_stored: self.states.len() - self.new_from as usize,
        });
    }
}

fn sum(a: Option<u128>, b: Option<u128>) -> Option<u128> {
    a?.checked_add(b?)
}

/// Which threads of the new states have moved, by the number of the state among the new ones and
/// the position of the thread.
#[derive(Default)]
struct Moved {
    bits: Vec<u64>,
    /// Positions that have no bit.
    beyond: FxHashSet<(u32, u32)>,
}

impl Moved {
    fn has(&self, state: u32, position: u32) -> bool {
        match 1u64.checked_shl(position) {
            Some(bit) => self.bits.get(state as usize).is_some_and(|bits| bits & bit != 0),
            None => self.beyond.contains(&(state, position)),
        }
    }

    /// Notes that a thread moves; whether that is new.
    fn set(&mut self, state: u32, position: u32) -> bool {
        let Some(bit) = 1u64.checked_shl(position) else {
            return self.beyond.insert((state, position));
        };
        if self.bits.len() <= state as usize {
            self.bits.resize(state as usize + 1, 0);
        }
        let bits = &mut self.bits[state as usize];
        let new = *bits & bit == 0;
        *bits |= bit;
        new
    }
}
