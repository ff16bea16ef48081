//! # Backward: pre* of the one pushdown system
//! From the ends that are asked for: all stacks that a reader accepts ([`super::reader`]), with the
//! tuple at the end kept by the states of the reader. A transition leads from a control state to
//! a state of the reader, or to another control state, if all of its symbol is popped. The rules
//! are those of the symbolic pre* [Schwoon 2002, Sec. 3.3], with relations as labels.
//!
//! A tuple p₂, …, p_k, p′ at the end is a solution if the start with the guess p₂, …, p_k can get
//! there.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use selvedge_bdd::Bdd;

use super::frames::Frame;
use super::reader::{Reading, Wanted, step};
use super::rules::{Effect, Pushdown, Rule, Written};
use super::tuples::Tuples;
use crate::Stop;

/// The end of a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Target {
    /// To a control state in this round: the symbol is popped.
    Control(usize),
    /// To a state of the reader.
    Read(Reading),
}

/// A transition from a control state in a round. The last thread comes first: its rules are the
/// first that lead to an end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Key {
    thread: std::cmp::Reverse<u32>,
    round: std::cmp::Reverse<usize>,
    frame: Frame,
    target: Target,
}

/// A pre* saturation in progress.
pub(super) struct Backward<'a> {
    pushdown: &'a Pushdown,
    wanted: Option<&'a Wanted<'a>>,
    rounds: usize,
    known: FxHashMap<Key, Bdd>,
    fresh: BTreeMap<Key, Bdd>,
    /// Where the transitions of a symbol in a round lead.
    targets: FxHashMap<(usize, Frame), Vec<Target>>,
    /// The rules by the top symbol that they write, and by the one below.
    by_top: FxHashMap<Frame, Vec<Rule>>,
    by_under: FxHashMap<Frame, Vec<(Frame, Rule)>>,
    switching: Vec<BTreeSet<Frame>>,
    keep: Vec<Bdd>,
}

impl<'a> Backward<'a> {
    /// Saturates from the ends that are asked for, a set of tuples. What can get there from the
    /// start of the first thread: a relation between the first tuple and the last.
    pub fn solve(
        tuples: &mut Tuples,
        pushdown: &'a Pushdown,
        rounds: usize,
        wanted: Option<&'a Wanted<'a>>,
        ends: Bdd,
        keep: &[Bdd],
    ) -> Result<Bdd, Stop> {
        let mut backward = Backward {
            pushdown,
            wanted,
            rounds,
            known: FxHashMap::default(),
            fresh: BTreeMap::new(),
            targets: FxHashMap::default(),
            by_top: FxHashMap::default(),
            by_under: FxHashMap::default(),
            switching: pushdown.switching(),
            keep: keep.to_vec(),
        };
        let identity = tuples.identity(0..rounds)?;
        let ends = tuples.bdds.and(ends, identity)?;
        let first = Reading::start(wanted, pushdown.threads);
        backward.add(tuples, 0, Frame::Done, Target::Read(first), ends)?;
        for rule in &pushdown.rules {
            match rule.written {
                Written::One(top) => backward.by_top.entry(top).or_default().push(*rule),
                Written::Two { top, under } => {
                    backward.by_top.entry(top).or_default().push(*rule);
                    backward.by_under.entry(under).or_default().push((top, *rule));
                }
                Written::Nothing => backward.pop(tuples, rule)?,
            }
        }
        while let Some((key, new)) = backward.fresh.pop_first() {
            tuples.bdds.limit().0.check()?;
            tuples.collect(|| {
                let own = backward.known.values().chain(backward.fresh.values());
                own.chain(&backward.keep).copied().chain([new]).collect()
            });
            backward.apply(tuples, key, new)?;
        }
        let all = Target::Read(Reading::Top { threads: 0, found: true });
        Ok(backward.get(0, Frame::first(pushdown.threads), all))
    }

    fn key(round: usize, frame: Frame, target: Target) -> Key {
        let thread = std::cmp::Reverse(frame.thread());
        Key { thread, round: std::cmp::Reverse(round), frame, target }
    }

    fn get(&self, round: usize, frame: Frame, target: Target) -> Bdd {
        self.known.get(&Self::key(round, frame, target)).copied().unwrap_or(Bdd::FALSE)
    }

    fn add(
        &mut self,
        tuples: &mut Tuples,
        round: usize,
        frame: Frame,
        target: Target,
        set: Bdd,
    ) -> Result<(), Stop> {
        if set == Bdd::FALSE {
            return Ok(());
        }
        let key = Self::key(round, frame, target);
        let targets = &mut self.targets;
        let known = self.known.entry(key).or_insert_with(|| {
            targets.entry((round, frame)).or_default().push(target);
            Bdd::FALSE
        });
        let new = tuples.grow(known, set)?;
        if new != Bdd::FALSE {
            let fresh = self.fresh.entry(key).or_insert(Bdd::FALSE);
            *fresh = tuples.bdds.or(*fresh, new)?;
        }
        Ok(())
    }

    /// A rule that pops its symbol leads to a control state, in every round.
    fn pop(&mut self, tuples: &mut Tuples, rule: &Rule) -> Result<(), Stop> {
        for round in 0..self.rounds {
            let set = match rule.effect {
                Effect::Step(step) => tuples.whole_step(self.pushdown, step, round, self.rounds)?,
                Effect::Nothing(_) => tuples.identity(0..self.rounds)?,
            };
            self.add(tuples, round, rule.from, Target::Control(round), set)?;
        }
        Ok(())
    }

    /// Goes on from where a transition leads, over a symbol: where to, with the relation of both.
    fn over(
        &self,
        tuples: &mut Tuples,
        target: Target,
        frame: Frame,
        set: Bdd,
    ) -> Result<Vec<(Target, Bdd)>, Stop> {
        match target {
            Target::Read(reading) => {
                let next = step(self.wanted, reading, frame);
                Ok(next.map(|next| (Target::Read(next), set)).into_iter().collect())
            }
            Target::Control(round) => {
                let mut found = Vec::new();
                for &next in self.targets.get(&(round, frame)).into_iter().flatten() {
                    let second = self.get(round, frame, next);
                    found.push((next, tuples.compose(set, second, self.rounds)?));
                }
                Ok(found)
            }
        }
    }

    /// All rules that lead to a transition.
    fn apply(&mut self, tuples: &mut Tuples, key: Key, new: Bdd) -> Result<(), Stop> {
        let Key { round: std::cmp::Reverse(round), frame, target, .. } = key;
        let pushdown = self.pushdown;
        for rule in self.by_top.get(&frame).cloned().unwrap_or_default() {
            let after = match rule.written {
                Written::Two { under, .. } => self.over(tuples, target, under, new)?,
                _ => vec![(target, new)],
            };
            for (target, after) in after {
                let before = tuples.before(pushdown, rule.effect, round, after)?;
                self.add(tuples, round, rule.from, target, before)?;
            }
        }
        // What lies below, where all that a push has begun is popped in this round.
        for (top, rule) in self.by_under.get(&frame).cloned().unwrap_or_default() {
            for begun in 0..=round {
                let first = self.get(begun, top, Target::Control(round));
                if first != Bdd::FALSE {
                    let after = tuples.compose(first, new, self.rounds)?;
                    let before = tuples.before(pushdown, rule.effect, begun, after)?;
                    self.add(tuples, begun, rule.from, target, before)?;
                }
            }
        }
        if frame.can_switch()
            && let Some(before) = round.checked_sub(1)
        {
            self.add(tuples, before, frame, target, new)?;
        }
        let last = match frame {
            Frame::Start(thread) => thread.checked_sub(1),
            Frame::Done => {
                pushdown.threads.checked_sub(1).and_then(|last| u32::try_from(last).ok())
            }
            _ => None,
        };
        if let (Some(last), 0) = (last, round) {
            for under in self.switching[last as usize].clone() {
                for (target, after) in self.over(tuples, target, under, new)? {
                    self.add(tuples, self.rounds - 1, under, target, after)?;
                }
            }
        }
        Ok(())
    }
}
