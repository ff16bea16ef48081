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
use selvedge_model::Fault;

use crate::modular::{Modular, Transition};

/// Larger tables of pairs, in words of 64 bits, are not made.
const MOST_WORDS: usize = 1 << 24;

/// How many pairs are looked at between two questions whether to go on.
const ASK_EVERY: usize = 1 << 10;

/// A set of local states.
type Row = Box<[u64]>;

fn has(row: &[u64], kind: u32) -> bool {
    row[kind as usize / 64] >> (kind % 64) & 1 == 1
}

fn insert(row: &mut [u64], kind: u32) -> bool {
    let is_new = !has(row, kind);
    row[kind as usize / 64] |= 1 << (kind % 64);
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
pub(crate) struct Views<'a> {
    words: usize,
    /// For each shared state: the local states there, with those that can be there beside each.
    partners: Vec<FxHashMap<u32, Row>>,
    movers: Vec<Movers>,
    /// The steps of each local state in each shared state.
    steps: FxHashMap<(u32, u32), Vec<&'a Transition>>,
    singles: Vec<(u32, u32)>,
    pairs: Vec<(u32, u32, u32)>,
}

impl<'a> Views<'a> {
    /// The pairs; `None` if their table would be too large.
    pub fn new<S: From<Fault>>(
        modular: &'a Modular,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<Option<Self>, S> {
        let words = modular.kinds.len().div_ceil(64);
        let rows: usize = modular.places.iter().map(|place| place.kinds.len()).sum();
        if rows.saturating_mul(words) > MOST_WORDS {
            return Ok(None);
        }
        let mut views = Views {
            words,
            partners: vec![FxHashMap::default(); modular.places.len()],
            movers: vec![Movers::new(); modular.places.len()],
            steps: FxHashMap::default(),
            singles: Vec::new(),
            pairs: Vec::new(),
        };
        for step in &modular.transitions {
            views.steps.entry((step.from, step.actor)).or_default().push(step);
            if step.from != step.to {
                let movers = &mut views.movers[step.from as usize];
                let at = movers.iter().position(|(to, _)| *to == step.to).unwrap_or_else(|| {
                    movers.push((step.to, vec![0; words].into()));
                    movers.len() - 1
                });
                insert(&mut movers[at].1, step.actor);
            }
        }
        for (place, kinds) in &modular.initial {
            // Of those of which there is any number, two are enough to be seen together.
            let any = modular.any.iter().flat_map(|&kind| [kind, kind]);
            let all: Vec<u32> = kinds.iter().copied().chain(any).collect();
            for (at, &kind) in all.iter().enumerate() {
                views.add_single(*place, kind);
                all[..at].iter().for_each(|&other| views.add_pair(*place, kind, other));
            }
        }
        views.close(go_on)?;
        Ok(Some(views))
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
            } else if let Some((place, a, b)) = self.pairs.pop() {
                self.step_beside(place, a, b);
                if a != b {
                    self.step_beside(place, b, a);
                }
                self.step_of_third(place, a, b);
            } else {
                return Ok(());
            }
        }
    }

    fn add_single(&mut self, place: u32, kind: u32) {
        let words = self.words;
        self.partners[place as usize].entry(kind).or_insert_with(|| {
            self.singles.push((place, kind));
            vec![0; words].into()
        });
    }

    fn add_pair(&mut self, place: u32, a: u32, b: u32) {
        self.add_single(place, a);
        self.add_single(place, b);
        let rows = &mut self.partners[place as usize];
        let mut is_new = false;
        for (one, other) in [(a, b), (b, a)] {
            is_new |= rows.get_mut(&one).is_some_and(|row| insert(row, other));
        }
        if is_new {
            self.pairs.push((place, a, b));
        }
    }

    fn step_alone(&mut self, place: u32, kind: u32) {
        for at in 0..self.steps.get(&(place, kind)).map_or(0, Vec::len) {
            let &Transition { to, after, spawn, .. } = self.steps[&(place, kind)][at];
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
            let &Transition { to, after, spawn, .. } = self.steps[&(place, actor)][at];
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
            _ => vec![0; self.words].into(),
        }
    }

    fn add_pairs(&mut self, place: u32, kind: u32, others: &Row) {
        let new: Row = match self.partners[place as usize].get(&kind) {
            Some(row) => others.iter().zip(row).map(|(others, row)| others & !row).collect(),
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
