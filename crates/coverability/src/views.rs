//! # Two by two, from above
//!
//! **Question.** Which two local states can threads have at the same time, in which shared state?
//!
//! **Idea.** The same as in [`modular`](crate::modular), with pairs of threads in the place of single
//! ones. If two threads can be at a and b in q, and a third one with which each of them can be there
//! goes to q', then they can be at a and b in q'.
//!
//! **Claim** [Abdulla, Haziza, Holík 2013, Sec. 3, views of size 2]. The pairs contain every two local
//! states that threads have at the same time in a reachable state.
//!
//! Mutual exclusion is about two threads. Where single threads say nothing, these pairs keep the
//! search backward from ever looking at two threads in a critical section, and often are a proof by
//! themselves.

use rustc_hash::FxHashMap;
use selvedge_model::{Fault, System};

use crate::agenda::Agenda;
use crate::fault;
use crate::modular::{Halt, Modular, Transition};

/// Larger tables of pairs, in words of 64 bits, are not made.
const MOST_WORDS: usize = 1 << 24;

/// How many pairs are looked at between two questions whether to go on.
const ASK_EVERY: usize = 1 << 10;

/// A set of local states, as long as it needs to be.
type Row = Vec<u64>;

fn has(row: &[u64], kind: u32) -> bool {
    row.get(kind as usize / 64).is_some_and(|word| word >> (kind % 64) & 1 == 1)
}

fn insert(row: &mut Row, kind: u32) -> bool {
    let is_new = !has(row, kind);
    let at = kind as usize / 64;
    if row.len() <= at {
        row.resize(at + 1, 0);
    }
    row[at] |= 1 << (kind % 64);
    is_new
}

fn members(row: &[u64]) -> impl Iterator<Item = u32> {
    (0..).zip(row).flat_map(|(at, &word)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
    })
}

/// Where threads go from a shared state: to which one, and which local states do.
type Movers = Vec<(u32, Row)>;

/// Which two threads can be where.
#[derive(Default)]
pub(crate) struct Views {
    /// For each shared state: the local states there, with those that can be there beside each.
    partners: Vec<FxHashMap<u32, Row>>,
    movers: Vec<Movers>,
    /// The steps of each local state in each shared state.
    steps: FxHashMap<(u32, u32), Vec<Transition>>,
    /// How far away each shared state is.
    far: Vec<u32>,
    /// Both look equally far, and single threads come before pairs: what a thread does is known before what it does to others is asked.
    singles: Agenda<(u32, u32)>,
    pairs: Agenda<(u32, u32, u32)>,
    /// How many words the rows have at most.
    size: usize,
}

impl Views {
    /// The pairs; `None` if their table would be too large.
    pub fn new<S: From<Fault>>(
        modular: &Modular,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<Option<Self>, S> {
        let words = modular.kinds.len().div_ceil(64);
        let rows: usize = modular.places.iter().map(|place| place.kinds.len()).sum();
        if rows.saturating_mul(words) > MOST_WORDS {
            return Ok(None);
        }
        let mut views = Views::default();
        views.reach(modular);
        for step in &modular.transitions {
            views.note(*step);
        }
        views.begin(modular);
        views.close(go_on)?;
        Ok(Some(views))
    }

    /// The pairs, and what single threads can do: nothing is looked at but what the pairs allow. For whole stacks.
    ///
    /// Where a lock keeps threads apart, single threads know nothing of that, and what they do to what the lock protects may have no
    /// end.
    pub fn from_the_start<S: From<Fault>>(
        system: &dyn System,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<(Modular, Self), Halt<S>> {
        Modular::within_limits(system, |limits| {
            let mut modular = Modular::at_the_start(system, crate::Stacks::Whole, limits)?;
            let mut views = Views::default();
            views.reach(&modular);
            views.begin(&modular);
            let mut looked_at = 0;
            while !(views.singles.is_empty() && views.pairs.is_empty()) {
                if looked_at % ASK_EVERY == 0 {
                    go_on().map_err(Halt::Stop)?;
                }
                looked_at += 1;
                if let Some((place, kind)) = views.singles.pop() {
                    let known = modular.transitions.len();
                    modular.step_alone(system, place, kind)?;
                    views.reach(&modular);
                    for step in &modular.transitions[known..] {
                        views.note(*step);
                    }
                    views.step_alone(place, kind);
                } else if !views.next_pair() {
                    views.widen();
                }
                if views.size > MOST_WORDS {
                    let many = "there are too many pairs of local states: any number of threads can be decided only \
                                where threads have finitely many, and not too many, local states";
                    return Err(fault(many).into());
                }
            }
            Ok((modular, views))
        })
    }

    /// Makes room for all places.
    fn reach(&mut self, modular: &Modular) {
        self.partners.resize_with(modular.places.len(), FxHashMap::default);
        self.movers.resize_with(modular.places.len(), Movers::new);
        let new = &modular.places[self.far.len()..];
        self.far.extend(new.iter().map(|place| place.far));
    }

    /// Notes what a thread can do.
    fn note(&mut self, step: Transition) {
        self.steps.entry((step.from, step.actor)).or_default().push(step);
        if step.from != step.to {
            let movers = &mut self.movers[step.from as usize];
            let at = movers.iter().position(|(to, _)| *to == step.to).unwrap_or_else(|| {
                movers.push((step.to, Row::new()));
                movers.len() - 1
            });
            insert(&mut movers[at].1, step.actor);
        }
    }

    /// Adds the pairs of the initial states.
    fn begin(&mut self, modular: &Modular) {
        for (place, kinds) in &modular.initial {
            // Two threads are enough where there is any number of them: more are never seen together.
            let any = modular.any.iter().flat_map(|&kind| [kind, kind]);
            let all: Vec<u32> = kinds.iter().copied().chain(any).collect();
            for (at, &kind) in all.iter().enumerate() {
                self.add_single(*place, kind);
                all[..at].iter().for_each(|&other| self.add_pair(*place, kind, other));
            }
        }
    }

    /// Whether these threads may be there together, two by two. In rising order.
    pub fn may_be(&self, place: u32, kinds: &[u32]) -> bool {
        let rows = &self.partners[place as usize];
        kinds.iter().enumerate().all(|(at, kind)| {
            let row = rows.get(kind);
            row.is_some_and(|row| kinds[..at].iter().all(|&other| has(row, other)))
        })
    }

    /// Whether a thread may be there.
    pub fn may_have(&self, place: u32, kind: u32) -> bool {
        self.partners[place as usize].contains_key(&kind)
    }

    fn close<S>(&mut self, go_on: &dyn Fn() -> Result<(), S>) -> Result<(), S> {
        let mut looked_at = 0;
        loop {
            if looked_at % ASK_EVERY == 0 {
                go_on()?;
            }
            looked_at += 1;
            if let Some((place, kind)) = self.singles.pop() {
                self.step_alone(place, kind);
            } else if !self.next_pair() {
                if self.singles.is_empty() && self.pairs.is_empty() {
                    return Ok(());
                }
                self.widen();
            }
        }
    }

    /// Looks at shared states that are further away.
    fn widen(&mut self) {
        self.singles.widen();
        self.pairs.widen();
    }

    /// Looks at a pair that is new, if there is one near enough.
    fn next_pair(&mut self) -> bool {
        let Some((place, a, b)) = self.pairs.pop() else { return false };
        self.step_beside(place, a, b);
        if a != b {
            self.step_beside(place, b, a);
        }
        self.step_of_third(place, a, b);
        true
    }

    fn add_single(&mut self, place: u32, kind: u32) {
        self.partners[place as usize].entry(kind).or_insert_with(|| {
            self.singles.push(self.far[place as usize], (place, kind));
            Row::new()
        });
    }

    fn add_pair(&mut self, place: u32, a: u32, b: u32) {
        self.add_single(place, a);
        self.add_single(place, b);
        let rows = &mut self.partners[place as usize];
        let mut is_new = false;
        for (one, other) in [(a, b), (b, a)] {
            let Some(row) = rows.get_mut(&one) else { continue };
            self.size -= row.len();
            is_new |= insert(row, other);
            self.size += row.len();
        }
        if is_new {
            self.pairs.push(self.far[place as usize], (place, a, b));
        }
    }

    fn step_alone(&mut self, place: u32, kind: u32) {
        for at in 0..self.steps.get(&(place, kind)).map_or(0, Vec::len) {
            let Transition { to, after, spawn, .. } = self.steps[&(place, kind)][at];
            self.add_single(to, after);
            if let Some(started) = spawn {
                self.add_pair(to, after, started);
            }
        }
    }

    /// What a thread at `actor` does to one at `other`, and to all that can be there beside both.
    fn step_beside(&mut self, place: u32, actor: u32, other: u32) {
        let both = self.both(place, actor, other);
        for at in 0..self.steps.get(&(place, actor)).map_or(0, Vec::len) {
            let Transition { to, after, spawn, .. } = self.steps[&(place, actor)][at];
            self.add_pair(to, after, other);
            if let Some(started) = spawn {
                self.add_pair(to, started, other);
            }
            if to != place {
                self.add_pairs(to, other, &both);
            }
        }
    }

    /// Where a third thread goes that can be there beside both.
    fn step_of_third(&mut self, place: u32, a: u32, b: u32) {
        let both = self.both(place, a, b);
        for at in 0..self.movers[place as usize].len() {
            let (to, movers) = &self.movers[place as usize][at];
            if both.iter().zip(movers).any(|(b, m)| b & m != 0) {
                self.add_pair(*to, a, b);
            }
        }
    }

    fn both(&self, place: u32, a: u32, b: u32) -> Row {
        let row = |kind: u32| self.partners[place as usize].get(&kind);
        match (row(a), row(b)) {
            (Some(a), Some(b)) => a.iter().zip(b).map(|(a, b)| a & b).collect(),
            _ => Row::new(),
        }
    }

    fn add_pairs(&mut self, place: u32, kind: u32, others: &Row) {
        let new: Row = match self.partners[place as usize].get(&kind) {
            Some(row) => {
                let known = row.iter().copied().chain(std::iter::repeat(0));
                others.iter().zip(known).map(|(others, row)| others & !row).collect()
            }
            None => others.clone(),
        };
        members(&new).for_each(|other| self.add_pair(place, kind, other));
    }

    /// The local states that threads may have there: those that may be there beside the same ones
    /// together, with these.
    pub fn groups(&self, place: u32) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut groups: FxHashMap<&Row, Vec<u32>> = FxHashMap::default();
        for (&kind, row) in &self.partners[place as usize] {
            groups.entry(row).or_default().push(kind);
        }
        let mut groups: Vec<_> = groups
            .into_iter()
            .map(|(row, mut kinds)| {
                kinds.sort_unstable();
                (kinds, members(row).collect())
            })
            .collect();
        groups.sort_unstable();
        groups
    }
}
