//! # What locks protect, by the text
//!
//! **Question.** Which locks does a thread hold at a place, and which variables does nobody touch without a certain lock?
//!
//! **Idea.** [`Held`] follows the flow graph: a lock is held where it is held on every way. A lock that is only taken and given back, always by
//! whoever holds it, protects every slot that is named only at places where it is held. Then what a step can be exchanged with
//! is a matter of its place.
//!
//! An element of an array of locks has the [`Name`] that the procedure gives it. It protects the element with the same index of
//! an array, if nobody ever touches an element of that array without its lock.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::{
    Area, Code, Control, Edge, EdgeId, Footprint, Instruction, Kind, Loc, Name, Place, ProcId,
    Slots, Value, footprints,
};
use selvedge_model::{Guard, Movers, PlaceId};

use super::local::goes_into_section;
use crate::flow::{Command, Flow, place};

/// A lock as it is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Lock {
    /// A lock in a slot of its own.
    Slot(usize),
    /// An element of an array, within a procedure.
    Element(ProcId, Name),
}

/// The effect of an edge on a lock.
#[derive(Clone, PartialEq)]
enum LockStep {
    Takes(Lock),
    Releases(Lock),
}

/// The places from which a step can be exchanged with steps of others, beside those that are local. Threads begin at `starts`, and where the code starts
/// them.
pub(super) fn movers(
    code: &Code,
    flow: &Flow,
    starts: impl Iterator<Item = Loc>,
    local: &[bool],
) -> Movers {
    let steps: Vec<Option<LockStep>> = flow
        .edges
        .iter()
        .zip(&code.edges)
        .map(|(edge, does)| step(code, &edge.command, does))
        .collect();
    if !steps.iter().any(Option::is_some) {
        return Movers::default();
    }
    let named: Vec<Vec<Place>> = code.edges.iter().map(Edge::shared_places).collect();
    let held = Held::of(code, &steps, starts);
    let mut text = Text {
        code,
        named,
        footprints: footprints(code),
        steps,
        held,
        sound: BTreeSet::new(),
        protecting: BTreeMap::new(),
        elements: BTreeMap::new(),
    };
    text.sound = text.sound(flow.tracks_owners);
    text.protecting = text.protecting();
    text.elements = text.elements();
    let mut movers = Movers { guards: text.guards(), ..Movers::default() };
    for (loc, at) in (0..).map(Loc).zip(&code.locations) {
        if at.atomic || at.edges.is_empty() || local[loc.index()] {
            continue;
        }
        let set = match text.kind(loc) {
            Some(Mover::Inside) => &mut movers.inside,
            Some(Mover::Releases) => &mut movers.releases,
            Some(Mover::Takes) => &mut movers.takes,
            Some(Mover::Commits) => &mut movers.commits,
            None => continue,
        };
        set.insert(place(loc));
    }
    movers
}

/// See the sets of [`Movers`].
#[derive(Clone, Copy, PartialEq)]
enum Mover {
    Inside,
    Releases,
    Takes,
    Commits,
}

/// The code, with the effects of its edges on locks.
struct Text<'c> {
    code: &'c Code,
    steps: Vec<Option<LockStep>>,
    /// The shared places that each edge names.
    named: Vec<Vec<Place>>,
    footprints: Vec<Footprint>,
    held: Held,
    /// Locks that are only taken and given back, by those who hold them.
    sound: BTreeSet<Lock>,
    /// The lock that protects a slot.
    protecting: BTreeMap<usize, Lock>,
    /// The array of locks that protects an array element by element, both by their first slots.
    elements: BTreeMap<usize, usize>,
}

impl Text<'_> {
    fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        (0..).map(EdgeId).zip(&self.code.edges)
    }

    fn sound(&self, tracks_owners: bool) -> BTreeSet<Lock> {
        let mut other_uses = Slots::default();
        for (slot, declared) in self.code.shared.iter().enumerate() {
            if declared.first != Value::Small(0) {
                other_uses.add(slot..slot + 1);
            }
        }
        for (id, edge) in self.edges() {
            let is_use = match &self.steps[id.index()] {
                Some(LockStep::Takes(_)) => true,
                Some(LockStep::Releases(lock)) => tracks_owners || self.held.is(lock, edge.from),
                None => false,
            };
            let places = self.named[id.index()].iter().filter(|_| !is_use);
            places.for_each(|place| other_uses.add(place.slots()));
        }
        let mut sound = BTreeSet::new();
        for (id, edge) in self.edges() {
            let is_all = self.code.location(edge.from).edges.len() == 1;
            if let (Some(LockStep::Takes(lock)), [place]) =
                (&self.steps[id.index()], &self.named[id.index()][..])
                && is_all
                && !place.slots().any(|slot| other_uses.contains(slot))
            {
                sound.insert(lock.clone());
            }
        }
        sound
    }

    /// The sound locks that are held at a place.
    fn held(&self, loc: Loc) -> impl Iterator<Item = &Lock> {
        self.held.at(loc).into_iter().flatten().filter(|lock| self.sound.contains(lock))
    }

    /// What edges touch that are no steps of sound locks, and where from.
    fn touches(&self) -> impl Iterator<Item = (Loc, &Place)> {
        let others = self.edges().filter(|(id, _)| match &self.steps[id.index()] {
            Some(LockStep::Takes(lock) | LockStep::Releases(lock)) => !self.sound.contains(lock),
            None => true,
        });
        others.flat_map(|(id, edge)| {
            self.named[id.index()].iter().map(move |place| (edge.from, place))
        })
    }

    /// For each slot that is touched only where some lock is held, the first such lock.
    fn protecting(&self) -> BTreeMap<usize, Lock> {
        let mut common: BTreeMap<usize, BTreeSet<&Lock>> = BTreeMap::new();
        for (from, place) in self.touches() {
            // What is never reached is never touched; but the checker does not know what is reached.
            let held: BTreeSet<&Lock> =
                self.held(from).filter(|lock| matches!(lock, Lock::Slot(_))).collect();
            for slot in place.slots() {
                let known = common.entry(slot).or_insert_with(|| held.clone());
                known.retain(|lock| held.contains(lock));
            }
        }
        let is_thread = |slot: usize| self.code.shared[slot].kind == Kind::Thread;
        let is_lock = |slot: usize| self.sound.contains(&Lock::Slot(slot));
        let protects = common.into_iter().filter(|&(slot, _)| !is_thread(slot) && !is_lock(slot));
        protects.filter_map(|(slot, locks)| Some((slot, (*locks.first()?).clone()))).collect()
    }

    /// The arrays of locks with an element held at a place that has this index.
    fn held_elements<'t>(&'t self, loc: Loc, place: &Place) -> BTreeSet<usize> {
        let Some(name) = place.shared_name() else { return BTreeSet::new() };
        // Which element is meant must not change within the step.
        let (edges, made_of) = (&self.code.location(loc).edges, name.made_of());
        if edges.iter().any(|&edge| self.code.edge(edge).renames(&made_of)) {
            return BTreeSet::new();
        }
        let same = |lock: &'t Lock| match lock {
            Lock::Element(_, element) if element.indices == name.indices => Some(element.first),
            _ => None,
        };
        self.held(loc).filter_map(same).collect()
    }

    fn elements(&self) -> BTreeMap<usize, usize> {
        let mut common: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (from, place) in self.touches().filter(|(_, place)| !place.indices.is_empty()) {
            let held = self.held_elements(from, place);
            let known = common.entry(place.first).or_insert_with(|| held.clone());
            known.retain(|array| held.contains(array));
        }
        let is_thread = |first: usize| self.code.shared[first].kind == Kind::Thread;
        let is_own = |first: usize| !self.protecting.contains_key(&first) && !is_thread(first);
        let first = |(array, locks): (usize, BTreeSet<usize>)| Some((array, *locks.first()?));
        common.into_iter().filter(|(array, _)| is_own(*array)).filter_map(first).collect()
    }

    fn guards(&self) -> Vec<Guard> {
        let mut guards = BTreeMap::new();
        for (id, edge) in self.edges() {
            let Some(LockStep::Takes(lock)) = &self.steps[id.index()] else { continue };
            if !self.sound.contains(lock) || self.code.location(edge.from).edges.len() != 1 {
                continue;
            }
            guards.entry(lock).or_insert_with(|| Guard {
                lock: place(edge.from),
                held: self.held.places(lock),
                protects: self.protected(lock),
            });
        }
        guards.into_values().collect()
    }

    fn protected(&self, lock: &Lock) -> BTreeSet<u32> {
        let slots: Vec<usize> = match lock {
            Lock::Slot(_) => {
                let by = self.protecting.iter().filter(|(_, by)| *by == lock);
                by.map(|(&slot, _)| slot).collect()
            }
            Lock::Element(_, name) => {
                let by = self.elements.iter().filter(|(_, array)| **array == name.first);
                by.map(|(&array, _)| array).collect()
            }
        };
        slots.into_iter().filter_map(|slot| u32::try_from(slot).ok()).collect()
    }

    fn kind(&self, loc: Loc) -> Option<Mover> {
        let edges = &self.code.location(loc).edges;
        if !edges.iter().all(|&edge| self.is_own(edge)) {
            return None;
        }
        let kinds: Option<Vec<Mover>> = edges.iter().map(|&edge| self.edge_kind(edge)).collect();
        match kinds.as_deref() {
            Some([Mover::Takes]) => Some(Mover::Takes),
            Some(kinds) if kinds.iter().all(|&kind| kind == Mover::Inside) => Some(Mover::Inside),
            Some(kinds) if !kinds.contains(&Mover::Takes) => Some(Mover::Releases),
            Some(_) => None,
            None => edges.iter().any(|&edge| self.can_always(edge)).then_some(Mover::Commits),
        }
    }

    /// Whether an edge concerns no other thread but by the shared slots that it names.
    fn is_own(&self, id: EdgeId) -> bool {
        let edge = self.code.edge(id);
        let mut names_results = false;
        let mut see = |place: &Place| names_results |= place.area == Area::Results;
        edge.code.iter().for_each(|instruction| instruction.each_place(&mut see));
        !self.footprints[id.index()].others && !names_results && !goes_into_section(self.code, edge)
    }

    fn edge_kind(&self, id: EdgeId) -> Option<Mover> {
        let from = self.code.edge(id).from;
        match &self.steps[id.index()] {
            Some(LockStep::Takes(lock)) => self.sound.contains(lock).then_some(Mover::Takes),
            Some(LockStep::Releases(lock)) => {
                let is_sound = self.sound.contains(lock) && self.held.is(lock, from);
                is_sound.then_some(Mover::Releases)
            }
            None => {
                let places = &self.named[id.index()];
                places.iter().all(|place| self.is_hidden(from, place)).then_some(Mover::Inside)
            }
        }
    }

    /// Whether a place is protected by a lock that is held.
    fn is_hidden(&self, from: Loc, place: &Place) -> bool {
        let is_held =
            |slot| self.protecting.get(&slot).is_some_and(|lock| self.held.is(lock, from));
        let by_element = self.elements.get(&place.first).is_some_and(|array| {
            !place.indices.is_empty() && self.held_elements(from, place).contains(array)
        });
        by_element || place.slots().all(is_held)
    }

    /// Whether nothing can prevent a step.
    fn can_always(&self, id: EdgeId) -> bool {
        let edge = self.code.edge(id);
        let waits = |i: &Instruction| matches!(i, Instruction::Assume(_));
        edge.control == Control::Goto && !edge.code.iter().any(waits)
    }
}

/// The effect of an edge on a lock that has a name.
fn step(code: &Code, command: &Command, edge: &Edge) -> Option<LockStep> {
    let located = || {
        edge.code.iter().find_map(|instruction| match instruction {
            Instruction::Locate(_, place) => Some(place),
            _ => None,
        })
    };
    let lock = || {
        let place = located()?;
        let (slots, name) = (place.slots(), place.shared_name()?);
        Some(match slots.len() {
            1 => Lock::Slot(slots.start),
            _ => Lock::Element(code.location(edge.from).proc, name),
        })
    };
    match command {
        Command::Acquire(_) => lock().map(LockStep::Takes),
        Command::Release(_) => lock().map(LockStep::Releases),
        _ => None,
    }
}

/// The locks that a thread certainly holds at each location; `None` where no thread comes to.
struct Held(Vec<Option<BTreeSet<Lock>>>);

impl Held {
    fn of(code: &Code, steps: &[Option<LockStep>], starts: impl Iterator<Item = Loc>) -> Self {
        let released = released(code, steps);
        let mut held = Held(vec![None; code.locations.len()]);
        let starts = starts.chain(code.edges.iter().filter_map(|edge| started(code, edge)));
        let mut work: Vec<(Loc, BTreeSet<Lock>)> =
            starts.map(|loc| (loc, BTreeSet::new())).collect();
        while let Some((loc, mut incoming)) = work.pop() {
            // A name is one as long as what it is made of is still read.
            let dead = &code.location(loc).dead;
            let is_dead = |slot: &usize| dead.iter().any(|range| range.contains(slot));
            incoming.retain(|lock| !made_of(lock).iter().any(is_dead));
            let merged = match &held.0[loc.index()] {
                Some(known) => known.intersection(&incoming).cloned().collect(),
                None => incoming,
            };
            if held.0[loc.index()].as_ref() == Some(&merged) {
                continue;
            }
            for &id in &code.location(loc).edges {
                let edge = code.edge(id);
                let mut after = merged.clone();
                match &steps[id.index()] {
                    Some(LockStep::Takes(lock)) => _ = after.insert(lock.clone()),
                    Some(LockStep::Releases(lock)) if after.contains(lock) => {
                        _ = after.remove(lock)
                    }
                    // Which one of those that may be this one is given back is not known.
                    Some(LockStep::Releases(lock)) => {
                        let given = slots_of(lock);
                        after.retain(|lock| !slots_of(lock).any(|slot| given.contains(&slot)));
                    }
                    None => {}
                }
                after.retain(|lock| !edge.renames(&made_of(lock)));
                match edge.control {
                    Control::Call(proc) => {
                        let known = |lock: &&Lock| matches!(lock, Lock::Slot(_));
                        let entering = after.iter().filter(known).cloned().collect();
                        work.push((code.proc(proc).entry, entering));
                        let released = &released[proc.index()];
                        after.retain(|lock| !slots_of(lock).any(|slot| released.contains(slot)));
                        work.push((edge.to, after));
                    }
                    Control::Goto | Control::Receive(_) => work.push((edge.to, after)),
                    Control::Return => {}
                }
            }
            held.0[loc.index()] = Some(merged);
        }
        held
    }

    fn at(&self, loc: Loc) -> Option<&BTreeSet<Lock>> {
        self.0[loc.index()].as_ref()
    }

    fn is(&self, lock: &Lock, loc: Loc) -> bool {
        self.at(loc).is_some_and(|held| held.contains(lock))
    }

    fn places(&self, lock: &Lock) -> BTreeSet<PlaceId> {
        let all = (0..).map(Loc).take(self.0.len());
        all.filter(|&loc| self.is(lock, loc)).map(place).collect()
    }
}

/// The slots of the frame that the name of a lock is made of.
fn made_of(lock: &Lock) -> BTreeSet<usize> {
    match lock {
        Lock::Slot(_) => BTreeSet::new(),
        Lock::Element(_, name) => name.made_of(),
    }
}

/// The slots that a lock may be.
fn slots_of(lock: &Lock) -> std::ops::Range<usize> {
    match lock {
        Lock::Slot(slot) => *slot..slot + 1,
        Lock::Element(_, name) => name.start..name.end,
    }
}

/// Where the thread begins that an edge starts.
fn started(code: &Code, edge: &Edge) -> Option<Loc> {
    edge.code.iter().find_map(|instruction| match instruction {
        Instruction::Frame { proc, for_thread: true } => Some(code.proc(*proc).entry),
        Instruction::Fork { at, .. } => Some(*at),
        _ => None,
    })
}

/// The slots of locks that each procedure, or one that it calls, gives back.
fn released(code: &Code, steps: &[Option<LockStep>]) -> Vec<Slots> {
    let mut released = vec![Slots::default(); code.procs.len()];
    let mut calls = Vec::new();
    for (edge, step) in code.edges.iter().zip(steps) {
        let proc = code.location(edge.from).proc.index();
        if let Some(LockStep::Releases(lock)) = step {
            released[proc].add(slots_of(lock));
        }
        if let Control::Call(callee) = edge.control {
            calls.push((proc, callee.index()));
        }
    }
    let mut grows = true;
    while std::mem::take(&mut grows) {
        for &(caller, callee) in &calls {
            let more: Vec<usize> = released[callee].iter().collect();
            for slot in more
                .into_iter()
                .filter(|&slot| !released[caller].contains(slot))
                .collect::<Vec<_>>()
            {
                released[caller].add(slot..slot + 1);
                grows = true;
            }
        }
    }
    released
}
