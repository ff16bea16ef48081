//! # Forward: post* of the one pushdown system
//! From all guesses at once. A pushdown store automaton reads the stacks: from a control state, a
//! symbol leads to the control state at the moment when what lies below was written, and a new
//! state of the automaton is made for each symbol and round that a push begins with. Below all
//! stacks is the tuple that was guessed. The rules are those of the symbolic post* [Schwoon 2002,
//! Sec. 3.3] with relations as labels.
//!
//! In the end the stacks are read: a solution is a tuple (p₂, …, p_k, p′) at the end of all threads
//! with the guess p₂, …, p_k below them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_bdd::Bdd;

use super::frames::Frame;
use super::reader::{Reading, Wanted, step};
use super::rules::{Pushdown, Written};
use super::tuples::{Tuple, Tuples};
use crate::Stop;

/// A state of the automaton: with which symbol, in which round, a push began; none is the bottom.
type Target = Option<(Frame, usize)>;

/// A transition from a control state in a round. Threads and rounds come in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Key {
    thread: u32,
    round: usize,
    frame: Frame,
    target: Target,
}

/// A saturated automaton.
pub(super) struct Forward<'a> {
    pushdown: &'a Pushdown,
    rounds: usize,
    /// The relations of transitions from control states, and what is new in them.
    known: FxHashMap<Key, Bdd>,
    fresh: BTreeMap<Key, Bdd>,
    /// Where nothing is left of what a push has begun.
    popped: BTreeMap<(Target, usize), Bdd>,
    /// The other transitions: what lies below what a push has begun.
    below: FxHashMap<Target, BTreeMap<(Frame, Target), Bdd>>,
    identity: Bdd,
    /// What others need.
    keep: Bdd,
}

impl<'a> Forward<'a> {
    /// Saturates from a start: a relation between the first tuple and the guess.
    pub fn saturate(
        tuples: &mut Tuples,
        pushdown: &'a Pushdown,
        rounds: usize,
        start: Bdd,
        keep: Bdd,
    ) -> Result<Self, Stop> {
        let mut forward = Forward {
            pushdown,
            rounds,
            known: FxHashMap::default(),
            fresh: BTreeMap::new(),
            popped: BTreeMap::new(),
            below: FxHashMap::default(),
            identity: tuples.identity(0..rounds)?,
            keep,
        };
        forward.add(tuples, 0, Frame::first(pushdown.threads), None, start)?;
        while let Some((key, new)) = forward.fresh.pop_first() {
            tuples.bdds.limit().0.check()?;
            tuples.collect(|| forward.diagrams().chain([new]).collect());
            forward.apply(tuples, key, new)?;
        }
        Ok(forward)
    }

    fn diagrams(&self) -> impl Iterator<Item = Bdd> + '_ {
        let maps = self.known.values().chain(self.fresh.values()).chain(self.popped.values());
        let below = self.below.values().flat_map(BTreeMap::values);
        maps.chain(below).copied().chain([self.identity, self.keep])
    }

    fn add(
        &mut self,
        tuples: &mut Tuples,
        round: usize,
        frame: Frame,
        target: Target,
        set: Bdd,
    ) -> Result<(), Stop> {
        let key = Key { thread: frame.thread(), round, frame, target };
        let new = tuples.grow(self.known.entry(key).or_insert(Bdd::FALSE), set)?;
        if new != Bdd::FALSE {
            let fresh = self.fresh.entry(key).or_insert(Bdd::FALSE);
            *fresh = tuples.bdds.or(*fresh, new)?;
        }
        Ok(())
    }

    /// All rules at a symbol.
    fn apply(&mut self, tuples: &mut Tuples, key: Key, new: Bdd) -> Result<(), Stop> {
        let Key { round, frame, target, .. } = key;
        let pushdown = self.pushdown;
        for &rule in pushdown.of.get(&frame).into_iter().flatten() {
            let rule = pushdown.rules[rule];
            let after = tuples.after(pushdown, rule.effect, round, new)?;
            if after == Bdd::FALSE {
                continue;
            }
            match rule.written {
                Written::Nothing => self.pop(tuples, round, target, after)?,
                Written::One(frame) => self.add(tuples, round, frame, target, after)?,
                Written::Two { top, under } => {
                    self.push(tuples, (round, top), under, target, after)?;
                }
            }
        }
        if frame.can_switch() {
            if round + 1 < self.rounds {
                return self.add(tuples, round + 1, frame, target, new);
            }
            let start = Frame::start_after(frame.thread(), pushdown.threads);
            self.push(tuples, (0, start), frame, target, new)?;
        }
        Ok(())
    }

    fn push(
        &mut self,
        tuples: &mut Tuples,
        (round, top): (usize, Frame),
        under: Frame,
        target: Target,
        after: Bdd,
    ) -> Result<(), Stop> {
        let begun = Some((top, round));
        let entered = tuples.forget(after, self.rounds, Tuple::Then)?;
        let entered = tuples.bdds.and(entered, self.identity)?;
        self.add(tuples, round, top, begun, entered)?;
        let below = self.below.entry(begun).or_default().entry((under, target));
        let new = tuples.grow(below.or_insert(Bdd::FALSE), after)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        for round in 0..self.rounds {
            if let Some(&popped) = self.popped.get(&(begun, round)) {
                let after = tuples.compose(popped, new, self.rounds)?;
                self.add(tuples, round, under, target, after)?;
            }
        }
        Ok(())
    }

    fn pop(
        &mut self,
        tuples: &mut Tuples,
        round: usize,
        target: Target,
        after: Bdd,
    ) -> Result<(), Stop> {
        let known = self.popped.entry((target, round)).or_insert(Bdd::FALSE);
        let new = tuples.grow(known, after)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        let below: Vec<_> = self.below.get(&target).into_iter().flatten().collect();
        let below: Vec<_> = below.into_iter().map(|(&(f, t), &set)| (f, t, set)).collect();
        for (under, target, set) in below {
            let after = tuples.compose(new, set, self.rounds)?;
            self.add(tuples, round, under, target, after)?;
        }
        Ok(())
    }

    /// Reads all stacks at the end of all threads, or those that break a property, where the last
    /// tuple is one of those that are asked for: a relation between the last tuple and the guess.
    pub fn read(
        &self,
        tuples: &mut Tuples,
        wanted: Option<&Wanted<'_>>,
        ends: Bdd,
        keep: &[Bdd],
    ) -> Result<Bdd, Stop> {
        let threads = self.pushdown.threads;
        let end = Some((Frame::Done, 0));
        let done = Key { thread: u32::MAX, round: 0, frame: Frame::Done, target: end };
        let mut known: BTreeMap<(Target, Reading), Bdd> = BTreeMap::new();
        let mut fresh: BTreeMap<(Target, Reading), Bdd> = BTreeMap::new();
        if let Some(&set) = self.known.get(&done) {
            let set = tuples.bdds.and(set, ends)?;
            fresh.insert((end, Reading::start(wanted, threads)), set);
        }
        let mut read = Bdd::FALSE;
        while let Some(((target, reading), new)) = fresh.pop_first() {
            tuples.bdds.limit().0.check()?;
            tuples.collect(|| {
                let own = known.values().chain(fresh.values()).copied();
                self.diagrams().chain(own).chain([new, read]).chain(keep.iter().copied()).collect()
            });
            let new = tuples.grow(known.entry((target, reading)).or_insert(Bdd::FALSE), new)?;
            if new == Bdd::FALSE {
                continue;
            }
            if target.is_none() && reading.is_end() {
                read = tuples.bdds.or(read, new)?;
            }
            for (&(frame, next), &below) in self.below.get(&target).into_iter().flatten() {
                let Some(reading) = step(wanted, reading, frame) else { continue };
                let set = tuples.compose(new, below, self.rounds)?;
                let waiting = fresh.entry((next, reading)).or_insert(Bdd::FALSE);
                *waiting = tuples.bdds.or(*waiting, set)?;
            }
        }
        Ok(read)
    }
}
