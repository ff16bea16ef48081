//! # What a proof with fewer states leaves out
//!
//! **Question.** A certificate under reduction has no states within a fused step. Which values are seen there?
//!
//! **Idea.** From every head of the certificate, the steps that ride along are taken. A thread at such a head may be left there while others go on; so
//! it is seen beside all that is seen where its steps lead to. And what a thread changes while it holds a lock is there for others,
//! wherever they are.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_model::{Datum, Local, PlaceId, SharedId, SymbolId, System, TemplateId, Thread, Word};

use crate::invariant::{Head, Seen};

type Top = (TemplateId, Option<SymbolId>);

/// Adds what the steps that ride along lead through.
pub(crate) fn add(system: &dyn System, local: &Local, seen: &mut Seen) {
    let mut riding = Riding::of(system, local);
    riding.open = seen.heads.iter().copied().collect();
    let any: Vec<Thread> = system.any_number().into_iter().map(Thread::from).collect();
    for state in system.initial().unwrap_or_default() {
        let threads = state.threads.iter().chain(&any);
        riding.open.extend(threads.map(|t| (state.shared, t.template, t.stack.top())));
    }
    riding.walk();
    let mut beside: BTreeMap<Top, BTreeSet<SharedId>> = BTreeMap::new();
    for &(shared, template, top) in seen.heads.iter().chain(&riding.met) {
        beside.entry((template, top)).or_default().insert(shared);
    }
    riding.spread(&mut beside);
    for &(template, top) in riding.next.keys() {
        for shared in beside.remove(&(template, top)).unwrap_or_default() {
            let head = (shared, template, top);
            if seen.heads.insert(head) && !riding.met.contains(&head) {
                seen.left.insert(head);
            }
        }
    }
    seen.meanwhile = riding.meanwhile();
    seen.own = riding.own();
    seen.untold = riding.in_parts(&seen.meanwhile);
}

struct Riding<'s> {
    system: &'s dyn System,
    local: &'s Local,
    open: Vec<Head>,
    /// The heads within fused steps.
    met: BTreeSet<Head>,
    /// The heads that follow such a head.
    next: BTreeMap<Top, BTreeSet<Top>>,
    /// The symbols that may come up when one is popped.
    below: BTreeMap<TemplateId, BTreeSet<Top>>,
    /// Shared states before and after a step of a thread that holds a lock.
    changes: BTreeSet<(SharedId, SharedId)>,
    /// Shared states before and after a step that takes a lock, by its place.
    taken: BTreeMap<PlaceId, BTreeSet<(SharedId, SharedId)>>,
}

impl<'s> Riding<'s> {
    fn of(system: &'s dyn System, local: &'s Local) -> Self {
        Riding {
            system,
            local,
            open: Vec::new(),
            met: BTreeSet::new(),
            next: BTreeMap::new(),
            below: BTreeMap::new(),
            changes: BTreeSet::new(),
            taken: BTreeMap::new(),
        }
    }

    fn rides(&self, top: SymbolId) -> bool {
        let movers = &self.local.movers;
        let is_mover = |place| {
            [&movers.inside, &movers.releases, &movers.commits]
                .iter()
                .any(|set| set.contains(&place))
        };
        self.local.contains(self.system, top) || self.system.place_of(top).is_some_and(is_mover)
    }

    fn takes(&self, top: SymbolId) -> bool {
        self.system.place_of(top).is_some_and(|place| self.local.movers.takes.contains(&place))
    }

    fn walk(&mut self) {
        // Where a step pops, what comes up is one of those that were pushed upon: they may come later.
        let mut popped: BTreeSet<(SharedId, TemplateId)> = BTreeSet::new();
        while let Some((shared, template, top)) = self.open.pop() {
            let mut actions = Vec::new();
            if self.system.actions(template, shared, top, &mut actions).is_err() {
                continue;
            }
            let rides = top.is_some_and(|top| self.rides(top));
            for action in actions {
                if self.system.wrong(action.shared).is_some() {
                    continue;
                }
                if let Word::Push { under, .. } = action.word {
                    let is_new =
                        self.below.entry(template).or_default().insert((template, Some(under)));
                    let at: Vec<SharedId> = popped
                        .iter()
                        .filter(|(_, of)| *of == template && is_new)
                        .map(|&(shared, _)| shared)
                        .collect();
                    at.into_iter().for_each(|shared| self.meet((shared, template, Some(under))));
                }
                let takes = top.is_some_and(|top| self.takes(top));
                if action.shared != shared && (rides || takes) {
                    self.changes.insert((shared, action.shared));
                }
                let place = top.filter(|_| takes).and_then(|top| self.system.place_of(top));
                if let Some(place) = place {
                    self.taken.entry(place).or_default().insert((shared, action.shared));
                }
                let after = (template, action.word.top());
                if rides {
                    self.next.entry((template, top)).or_default().insert(after);
                }
                if after.1.is_none() && popped.insert((action.shared, template)) {
                    let below = self.below.get(&template).cloned().unwrap_or_default();
                    below
                        .into_iter()
                        .for_each(|(_, top)| self.meet((action.shared, template, top)));
                }
                self.meet((action.shared, after.0, after.1));
                if let Some(spawn) = action.spawn {
                    self.meet((action.shared, spawn.template, spawn.stack.top()));
                }
            }
        }
    }

    /// Goes on from a head, if it is within a fused step.
    fn meet(&mut self, head: Head) {
        if head.2.is_some_and(|top| self.rides(top)) && self.met.insert(head) {
            self.next.entry((head.1, head.2)).or_default();
            self.open.push(head);
        }
    }

    /// Puts each head beside what is beside those that follow it.
    fn spread(&self, beside: &mut BTreeMap<Top, BTreeSet<SharedId>>) {
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for (&head, after) in &self.next {
                let popped = after.contains(&(head.0, None));
                let lower = self.below.get(&head.0).into_iter().flatten().filter(|_| popped);
                let more: BTreeSet<SharedId> = after
                    .iter()
                    .chain(lower)
                    .filter_map(|after| beside.get(after))
                    .flatten()
                    .copied()
                    .collect();
                let known = beside.entry(head).or_default();
                let before = known.len();
                known.extend(more);
                grows |= known.len() > before;
            }
        }
    }

    /// The arrays that several threads may be changing at the same time, each in elements of its own.
    fn in_parts(&self, meanwhile: &BTreeMap<String, BTreeSet<Datum>>) -> BTreeSet<String> {
        let slots = self.system.describe().slots();
        let is_in_parts = |name: &String| {
            let of: Vec<u32> =
                (0..).zip(&slots).filter(|(_, of)| *of == name).map(|(n, _)| n).collect();
            let guards = &self.local.movers.guards;
            let by_one =
                guards.iter().any(|guard| of.iter().all(|slot| guard.protects.contains(slot)));
            of.len() > 1 && !by_one
        };
        let changed = meanwhile.keys().flat_map(|name| crate::invariant::variables(name));
        changed.filter(is_in_parts).collect()
    }

    /// The variables that nobody else changes while a thread is at a place: a lock that it holds, and what that protects as a whole.
    fn own(&self) -> BTreeMap<PlaceId, BTreeSet<String>> {
        let (slots, describe) = (self.system.describe().slots(), self.system.describe());
        let mut own: BTreeMap<PlaceId, BTreeSet<String>> = BTreeMap::new();
        for guard in &self.local.movers.guards {
            let is_whole = |name: &String| {
                let mut all = (0..).zip(&slots).filter(|(_, of)| *of == name);
                all.all(|(slot, _)| guard.protects.contains(&slot))
            };
            let mut names: BTreeSet<String> = guard
                .protects
                .iter()
                .filter_map(|&slot| slots.get(slot as usize).cloned())
                .filter(is_whole)
                .collect();
            for &(before, after) in self.taken.get(&guard.lock).into_iter().flatten() {
                let values =
                    describe.shared_values(before).into_iter().zip(describe.shared_values(after));
                let changed = values.filter(|(before, after)| before.1 != after.1);
                // Of an array of locks one is held, the others are anybody's.
                names.extend(
                    changed
                        .map(|((name, _), _)| name)
                        .filter(|name| slots.iter().filter(|slot| *slot == name).count() == 1),
                );
            }
            for &place in &guard.held {
                own.entry(place).or_default().extend(names.iter().cloned());
            }
        }
        own
    }

    /// The values, within fused steps, of the variables that are changed there.
    fn meanwhile(&self) -> BTreeMap<String, BTreeSet<Datum>> {
        let values = |shared| self.system.describe().shared_values(shared);
        let mut meanwhile: BTreeMap<String, BTreeSet<Datum>> = BTreeMap::new();
        for &(before, after) in &self.changes {
            let both = values(before).into_iter().zip(values(after));
            for ((name, old), (_, new)) in both.filter(|(old, new)| old.1 != new.1) {
                meanwhile.entry(name).or_default().extend([old, new]);
            }
        }
        meanwhile
    }
}
