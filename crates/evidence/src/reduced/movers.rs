//! # What locks protect, checked
//!
//! **Question.** A proof says of some places that whoever stands there holds a lock, and of some slots that they are touched at such
//! places only. Is that so, and can steps from the places that it names be exchanged with steps of others?
//!
//! **Idea.** Every sentence is held against every edge of the code. A lock is a slot, or an element of an array as a procedure calls it ([`Name`]).
//!
//! - A lock is free at the beginning, and no edge names it, or what it may be, but to take it when it is free, or to give it back where it is held (or where the code
//!   looks whose it is).
//! - A place is one where a lock is held only if every edge that leads there takes the lock, or comes from such a place, does not give it back, and
//!   does not write what its name is made of. Threads do not begin there. A call comes back to such a place only if no procedure that may be called in between gives the lock
//!   back; and within a call there are other names.
//! - What is protected is no lock and no id of a thread, and every edge that names it leaves a place where its lock is held: for an element, the lock with the same
//!   index.
//!
//! **Claim.** By induction over a run: a thread that stands where a lock is held took it, and nobody gave it back since; so no two threads stand at such
//! places at the same time with the same lock, and what is protected is touched by one of them alone. Two names that are held at one place are two locks, since a lock is
//! taken when it is free. With that, whether a step can be exchanged is a matter of its place: see the theory page.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::{
    Binary, Code, Control, Edge, EdgeId, Expr, Index, Instruction, Kind, Loc, Name, Place, ProcId,
    Slots, Source, Target, Unary, Value,
};
use selvedge_model::{Guard, Movers, PlaceId, System};

use super::concern_of_place;
use crate::recheck::{Flaw, Refusal};

/// Refuses what is said about locks unless it is so.
pub fn check(system: &dyn System, code: &Code, movers: &Movers) -> Result<(), Refusal> {
    let Movers { guards, inside, releases, takes, commits } = movers;
    let held = guards.iter().flat_map(|guard| guard.held.iter().chain([&guard.lock]));
    let mut named = held.chain(inside).chain(releases).chain(takes).chain(commits);
    if let Some(place) = named.find(|place| place.0 as usize >= code.locations.len()) {
        return Err(super::none("place", &place.0.to_string()));
    }
    let claims = Claims::new(system, code, guards)?;
    claims.check_locks()?;
    claims.guards.iter().try_for_each(|(lock, guard)| claims.check_held(lock, guard))?;
    claims.check_protected()?;
    let all = |places: &BTreeSet<PlaceId>, check: &dyn Fn(Loc) -> Result<(), Refusal>| {
        places.iter().try_for_each(|place| check(Loc(place.0)))
    };
    all(inside, &|loc| claims.check_inside(loc))?;
    all(releases, &|loc| claims.check_release(loc))?;
    all(takes, &|loc| claims.check_take(loc))?;
    all(commits, &|loc| claims.check_commit(loc))
}

/// A lock as it is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Lock {
    /// A lock in a slot of its own.
    Slot(usize),
    /// An element of an array, as a frame of a procedure calls it.
    Element(ProcId, Name),
}

impl Lock {
    /// The slots that it may be.
    fn slots(&self) -> std::ops::Range<usize> {
        match self {
            Lock::Slot(slot) => *slot..slot + 1,
            Lock::Element(_, name) => name.start..name.end,
        }
    }

    fn meets(&self, other: &Lock) -> bool {
        let (a, b) = (self.slots(), other.slots());
        a.start < b.end && b.start < a.end
    }

    /// The slots of the frame that its name is made of.
    fn made_of(&self) -> BTreeSet<usize> {
        match self {
            Lock::Slot(_) => BTreeSet::new(),
            Lock::Element(_, name) => name.made_of(),
        }
    }
}

/// The effect of an edge that only takes or frees a lock.
enum Does {
    Takes(Lock),
    /// Whether the code looks whose it is.
    GivesBack(Lock, bool),
}

/// The code, with the claims about its locks that are checked.
struct Claims<'c> {
    code: &'c Code,
    /// The locations at which threads begin.
    starts: BTreeSet<Loc>,
    /// For each edge, its effect on a lock and the shared places that it names.
    edges: Vec<(Option<Does>, Vec<Place>)>,
    guards: BTreeMap<Lock, &'c Guard>,
    /// The lock that protects each slot.
    protected: BTreeMap<usize, Lock>,
    /// The array of locks that protects each array element by element, both by their first slots.
    elements: BTreeMap<usize, usize>,
    /// The slots of locks that each procedure, or one that it calls, gives back.
    given_back: Vec<Slots>,
}

impl<'c> Claims<'c> {
    fn new(system: &dyn System, code: &'c Code, guards: &'c [Guard]) -> Result<Self, Refusal> {
        let edge = |edge: &Edge| (does(code, edge), edge.shared_places());
        let edges: Vec<_> = code.edges.iter().map(edge).collect();
        let mut claims = Claims {
            code,
            starts: starts(system, code)?,
            given_back: given_back(code, &edges),
            edges,
            guards: BTreeMap::new(),
            protected: BTreeMap::new(),
            elements: BTreeMap::new(),
        };
        for guard in guards {
            let [edge] = code.location(Loc(guard.lock.0)).edges[..] else {
                return Err(refusal(format!("place {} does not take a lock", guard.lock.0)));
            };
            let Some(Does::Takes(lock)) = &claims.edges[edge.index()].0 else {
                return Err(refusal(format!("place {} does not take a lock", guard.lock.0)));
            };
            let lock = lock.clone();
            for &slot in &guard.protects {
                let slot = slot as usize;
                let other = match &lock {
                    Lock::Slot(_) => claims.protected.insert(slot, lock.clone()).is_some(),
                    // Every element of the array has a guard that says so.
                    Lock::Element(_, name) => {
                        let before = claims.elements.insert(slot, name.first);
                        before.is_some_and(|before| before != name.first)
                    }
                };
                if other {
                    return Err(refusal(format!("slot {slot} is protected twice")));
                }
            }
            if claims.guards.insert(lock, guard).is_some() {
                return Err(refusal("a lock is there twice".to_owned()));
            }
        }
        Ok(claims)
    }

    fn called(&self, lock: &Lock) -> String {
        let declared = self.code.shared.get(lock.slots().start);
        format!("lock {}", declared.map_or("", |declared| &declared.name))
    }

    fn is_held(&self, lock: &Lock, loc: Loc) -> bool {
        self.guards.get(lock).is_some_and(|guard| guard.held.contains(&PlaceId(loc.0)))
    }

    /// Whether locks are taken and given back, and nothing else.
    fn check_locks(&self) -> Result<(), Refusal> {
        for lock in self.guards.keys() {
            let refuse = |why: String| Err(refusal(format!("{}: {why}", self.called(lock))));
            let mut declared = lock.slots().map(|slot| self.code.shared.get(slot));
            if !declared.all(|slot| slot.is_some_and(|slot| slot.first == Value::Small(0))) {
                return refuse("it is not free at the beginning".to_owned());
            }
            for (edge, (does, shared)) in self.code.edges.iter().zip(&self.edges) {
                let from = edge.from.0;
                if !shared.iter().any(|place| overlap(&place.slots(), &lock.slots())) {
                    continue;
                }
                match does {
                    Some(Does::Takes(_)) => {}
                    Some(Does::GivesBack(given, looks)) => {
                        if !looks && !self.is_held(given, edge.from) {
                            return refuse(format!(
                                "it may not be held where place {from} gives it back"
                            ));
                        }
                    }
                    None => {
                        return refuse(format!(
                            "a step from place {from} does something else with it"
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a lock is held where it is said to be.
    fn check_held(&self, lock: &Lock, guard: &Guard) -> Result<(), Refusal> {
        let refuse = |why: String| Err(refusal(format!("{}: {why}", self.called(lock))));
        let is_held = |loc: Loc| guard.held.contains(&PlaceId(loc.0));
        if let Some(start) = self.starts.iter().find(|&&start| is_held(start)) {
            return refuse(format!("it is not held at place {}, where a thread begins", start.0));
        }
        let made_of = lock.made_of();
        for place in &guard.held {
            let at = self.code.location(Loc(place.0));
            let is_dead = |slot: &usize| at.dead.iter().any(|range| range.contains(slot));
            let is_elsewhere = matches!(lock, Lock::Element(proc, _) if *proc != at.proc);
            if is_elsewhere || made_of.iter().any(is_dead) {
                return refuse(format!("it has no such name at place {}", place.0));
            }
        }
        for (edge, (does, _)) in self.code.edges.iter().zip(&self.edges) {
            let takes = matches!(does, Some(Does::Takes(taken)) if taken == lock);
            let gives_back = match does {
                // Another one that is held is another lock.
                Some(Does::GivesBack(given, _)) if given != lock => {
                    given.meets(lock) && !self.is_held(given, edge.from)
                }
                Some(Does::GivesBack(..)) => true,
                _ => false,
            };
            let is_renamed = edge.renames(&made_of);
            let is_held_after = (takes || is_held(edge.from) && !gives_back) && !is_renamed;
            let leads_to = match edge.control {
                Control::Goto | Control::Receive(_) => vec![(edge.to, is_held_after)],
                Control::Call(proc) => {
                    let given = &self.given_back[proc.index()];
                    let is_given_back = lock.slots().any(|slot| given.contains(slot));
                    let is_known_there = is_held_after && matches!(lock, Lock::Slot(_));
                    let entry = self.code.proc(proc).entry;
                    vec![(entry, is_known_there), (edge.to, is_held_after && !is_given_back)]
                }
                Control::Return => Vec::new(),
            };
            for (to, is_held_there) in leads_to {
                if is_held(to) && !is_held_there {
                    let from = edge.from.0;
                    return refuse(format!(
                        "place {} is reached without it from place {from}",
                        to.0
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether what is protected is touched with its lock alone.
    fn check_protected(&self) -> Result<(), Refusal> {
        let is_lock = |slot: usize| self.guards.keys().any(|lock| lock.slots().contains(&slot));
        let can_be = |slot: usize| {
            let declared = self.code.shared.get(slot);
            declared.is_some_and(|declared| declared.kind != Kind::Thread) && !is_lock(slot)
        };
        let arrays = self.elements.keys();
        if let Some(slot) = self.protected.keys().chain(arrays).find(|&&slot| !can_be(slot)) {
            return Err(refusal(format!("slot {slot} cannot be protected")));
        }
        // The slots of every array of which elements are protected.
        let mut within = Slots::default();
        for place in self.edges.iter().flat_map(|(_, shared)| shared) {
            if self.elements.contains_key(&place.first) {
                within.add(place.slots());
            }
        }
        if let Some(slot) =
            within.iter().find(|slot| !can_be(*slot) || self.protected.contains_key(slot))
        {
            return Err(refusal(format!("slot {slot} cannot be protected")));
        }
        self.check_shapes()?;
        for (edge, (_, shared)) in self.code.edges.iter().zip(&self.edges) {
            for place in shared {
                if !self.has_its_locks(edge.from, place, &within) {
                    return Err(refusal(format!(
                        "place {} touches {} without its lock",
                        edge.from.0, place.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether an element of an array that is protected element by element has one index, and an index one lock: arrays of such elements have no slot in common, and all places of an
    /// array of elements or locks have the same dimensions.
    fn check_shapes(&self) -> Result<(), Refusal> {
        let mut shapes: BTreeMap<usize, Vec<(u32, usize)>> = BTreeMap::new();
        let mut slots: BTreeMap<usize, Slots> = BTreeMap::new();
        let arrays: BTreeSet<usize> =
            self.elements.iter().flat_map(|(&array, &locks)| [array, locks]).collect();
        let named = self.edges.iter().flat_map(|(_, shared)| shared);
        for place in named.filter(|place| arrays.contains(&place.first)) {
            let of = |index: &Index| (index.length, index.stride);
            let shape: Vec<_> = place.indices.iter().map(of).collect();
            let steps_over = |pair: &[(u32, usize)]| pair[0].1 >= pair[1].0 as usize * pair[1].1;
            let is_told_apart =
                shape.windows(2).all(steps_over) && shape.last().is_none_or(|last| last.1 > 0);
            let known = shapes.entry(place.first).or_insert_with(|| shape.clone());
            if *known != shape || !is_told_apart {
                return Err(refusal(format!("{} has elements of several shapes", place.name)));
            }
            if self.elements.contains_key(&place.first) {
                slots.entry(place.first).or_default().add(place.slots());
            }
        }
        let of_one = slots.values().map(|slots| slots.iter().count()).sum::<usize>();
        let all: BTreeSet<usize> = slots.values().flat_map(Slots::iter).collect();
        if all.len() != of_one {
            return Err(refusal("an element is protected twice".to_owned()));
        }
        Ok(())
    }

    /// Whether all locks are held that protect a part of a place; elements of the slots `within` have locks of their own.
    fn has_its_locks(&self, loc: Loc, place: &Place, within: &Slots) -> bool {
        match self.elements.get(&place.first) {
            Some(array) => self.has_element(loc, place, *array),
            None => place.slots().all(|slot| {
                let lock = self.protected.get(&slot);
                !within.contains(slot) && lock.is_none_or(|lock| self.is_held(lock, loc))
            }),
        }
    }

    /// Whether the element with the same index of an array of locks is held.
    fn has_element(&self, loc: Loc, place: &Place, array: usize) -> bool {
        let Some(name) = place.shared_name().filter(|name| !name.indices.is_empty()) else {
            return false;
        };
        // Which element is meant must not change within the step.
        let (at, made_of) = (self.code.location(loc), name.made_of());
        if at.edges.iter().any(|&edge| self.code.edge(edge).renames(&made_of)) {
            return false;
        }
        let proc = at.proc;
        self.guards.keys().any(|lock| match lock {
            Lock::Element(of, element) => {
                *of == proc
                    && element.first == array
                    && element.indices == name.indices
                    && self.is_held(lock, loc)
            }
            Lock::Slot(_) => false,
        })
    }

    /// Why a step concerns others that touches a shared place here, if it does.
    fn unprotected(&self, loc: Loc, place: &Place) -> Option<&'static str> {
        let is_held =
            |slot: usize| self.protected.get(&slot).is_some_and(|lock| self.is_held(lock, loc));
        let is_hidden = match self.elements.get(&place.first) {
            Some(array) => self.has_element(loc, place, *array),
            None => place.slots().all(is_held),
        };
        (!is_hidden).then_some("it touches something that no lock protects which is held there")
    }

    fn check_inside(&self, loc: Loc) -> Result<(), Refusal> {
        let why = concern_of_place(self.code, loc, &|place| self.unprotected(loc, place));
        why.map_or(Ok(()), |why| Err(wrong_place(loc, why)))
    }

    fn check_release(&self, loc: Loc) -> Result<(), Refusal> {
        let here = self.code.location(loc).edges.iter();
        let given: Vec<&Lock> = here
            .filter_map(|edge| match &self.edges[edge.index()].0 {
                Some(Does::GivesBack(lock, _)) => Some(lock),
                _ => None,
            })
            .collect();
        if !given.iter().all(|lock| self.is_held(lock, loc)) {
            return Err(wrong_place(loc, "it gives a lock back that is not known to be held"));
        }
        let proc = self.code.location(loc).proc;
        // No other edge names a lock: that was looked at.
        let gives_back =
            |place: &Place| lock_of(proc, place).is_some_and(|lock| given.contains(&&lock));
        let why = concern_of_place(self.code, loc, &|place| match gives_back(place) {
            true => None,
            false => self.unprotected(loc, place),
        });
        why.map_or(Ok(()), |why| Err(wrong_place(loc, why)))
    }

    fn check_take(&self, loc: Loc) -> Result<(), Refusal> {
        let takes = |edge: &EdgeId| match &self.edges[edge.index()].0 {
            Some(Does::Takes(lock)) => self.guards.contains_key(lock),
            _ => false,
        };
        if !self.code.location(loc).edges.iter().all(takes) {
            return Err(wrong_place(loc, "it does something else than taking a lock"));
        }
        let why = concern_of_place(self.code, loc, &|_| None);
        why.map_or(Ok(()), |why| Err(wrong_place(loc, why)))
    }

    fn check_commit(&self, loc: Loc) -> Result<(), Refusal> {
        if let Some(why) = concern_of_place(self.code, loc, &|_| None) {
            return Err(wrong_place(loc, why));
        }
        let can_always = |edge: &EdgeId| {
            let edge = self.code.edge(*edge);
            let waits = |i: &Instruction| matches!(i, Instruction::Assume(_));
            edge.control == Control::Goto && !edge.code.iter().any(waits)
        };
        match self.code.location(loc).edges.iter().any(can_always) {
            true => Ok(()),
            false => Err(wrong_place(loc, "it may have to wait")),
        }
    }
}

fn overlap(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn refusal(why: String) -> Refusal {
    Refusal::new(Flaw::Local, why)
}

fn wrong_place(loc: Loc, why: &str) -> Refusal {
    refusal(format!(
        "place {}: a step from there is said to be part of another one, but {why}",
        loc.0
    ))
}

/// Where threads begin: those of the first states, any number of others, and those that the code starts.
fn starts(system: &dyn System, code: &Code) -> Result<BTreeSet<Loc>, Refusal> {
    let initial = system.initial().map_err(|fault| refusal(fault.to_string()))?;
    let first = initial.iter().flat_map(|state| &state.threads).map(|thread| thread.stack.top());
    let any = system.any_number().into_iter().map(|spawn| spawn.stack.top());
    let tops: BTreeSet<_> = first.chain(any).flatten().collect();
    let mut starts: BTreeSet<Loc> = BTreeSet::new();
    for top in tops {
        let place = system.place_of(top);
        let place =
            place.ok_or_else(|| refusal("a thread begins nowhere in the text".to_owned()))?;
        starts.insert(Loc(place.0));
    }
    for instruction in code.edges.iter().flat_map(|edge| &edge.code) {
        match instruction {
            Instruction::Frame { proc, for_thread: true } => {
                starts.insert(code.proc(*proc).entry);
            }
            Instruction::Fork { at, .. } => {
                starts.insert(*at);
            }
            _ => {}
        }
    }
    Ok(starts)
}

/// The slots of locks that each procedure, or one that it calls, gives back.
fn given_back(code: &Code, edges: &[(Option<Does>, Vec<Place>)]) -> Vec<Slots> {
    let mut given: Vec<Slots> = vec![Slots::default(); code.procs.len()];
    loop {
        let before = given.clone();
        for (edge, (does, _)) in code.edges.iter().zip(edges) {
            let proc = code.location(edge.from).proc.index();
            if let Some(Does::GivesBack(lock, _)) = does {
                given[proc].add(lock.slots());
            }
            if let Control::Call(callee) = edge.control {
                for slot in before[callee.index()].iter() {
                    given[proc].add(slot..slot + 1);
                }
            }
        }
        if given == before {
            return given;
        }
    }
}

/// The name of a place that is a lock.
fn lock_of(proc: ProcId, place: &Place) -> Option<Lock> {
    let name = place.shared_name()?;
    Some(match name.end - name.start {
        1 => Lock::Slot(name.start),
        _ => Lock::Element(proc, name),
    })
}

/// What an edge does to a lock, if that is all it does: it looks at one slot; takes it if it is free, and is not taken otherwise; or complains if it is
/// free, perhaps also if it is not its own, and sets it free.
fn does(code: &Code, edge: &Edge) -> Option<Does> {
    let (Instruction::Locate(at, place), rest) = edge.code.split_first()? else { return None };
    let (Instruction::Let(old, Expr::Temp(read)), rest) = rest.split_first()? else { return None };
    let lock = lock_of(code.location(edge.from).proc, place).filter(|_| read == at)?;
    if edge.control != Control::Goto || edge.shared_places().len() != 1 {
        return None;
    }
    let is_old = |value: &Expr| matches!(value, Expr::Temp(temp) if temp == old);
    let is_zero = |value: &Expr| matches!(value, Expr::Int(Value::Small(0)));
    let is_free = |value: &Expr| match value {
        Expr::Binary(Binary::Eq, left, right, _) => is_old(left) && is_zero(right),
        _ => false,
    };
    let is_mine = |value: &Expr| match value {
        Expr::Binary(Binary::Eq, left, right, _) => is_old(left) && matches!(**right, Expr::Me),
        _ => false,
    };
    let is_held = |value: &Expr| match value {
        Expr::Unary(Unary::Not, value) => is_free(value),
        _ => false,
    };
    let stores_to = |to: &Target| matches!(to, Target::Located(temp) if temp == at);
    let gives_back = |store: &Instruction| match store {
        Instruction::Store { to, value: Source::Value(value), when: None } => {
            stores_to(to) && is_zero(value)
        }
        _ => false,
    };
    match rest {
        [
            Instruction::Let(free, is),
            Instruction::Store { to, value: Source::Value(Expr::Me), when: Some(Expr::Temp(when)) },
            Instruction::Assume(Expr::Temp(assumed)),
        ] if is_free(is) && stores_to(to) && when == free && assumed == free => {
            Some(Does::Takes(lock))
        }
        [Instruction::Check(held, _), store] if is_held(held) && gives_back(store) => {
            Some(Does::GivesBack(lock, false))
        }
        [Instruction::Check(held, _), Instruction::Check(mine, _), store]
            if is_held(held) && is_mine(mine) && gives_back(store) =>
        {
            Some(Does::GivesBack(lock, true))
        }
        _ => None,
    }
}
