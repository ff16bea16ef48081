//! # Certificates for any number of threads
//!
//! **Claim.** If [`check`] accepts, every reachable state is *allowed*, and no allowed state breaks a
//! property, however many threads there are. A state is allowed if its shared state is listed, every
//! thread has a local state that is listed there, every other one has one that is listed beside it,
//! no template has more threads than its limit, and the state covers no dangerous one.
//!
//! **Proof.** Initial states are allowed, with as many threads as one likes of those of which there
//! is any number (*initial*). Let a thread of an allowed state (q, X) act and go from l to l', start
//! a thread at s, and lead to q'. At q', l' and s are listed, beside each other and beside all that may
//! be beside l at q; and two that may be beside each other and beside l at q may be so at q'
//! (*closed*). Since the limits hold, too, all threads are listed beside all others. If the state after covered a dangerous
//! (q', U), then X would have the thread at l and, beside it, whatever U has beside l' and s: it
//! would cover (q, U ⊖ {l', s} ⊕ {l}). But that is not allowed (*closed*), and then X is not allowed
//! either. Last, each violation covers a smallest one, and none of these is allowed (*harmless*).

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{
    Action, Property, SharedId, State, SymbolId, System, TemplateId, Thread, Word,
    smallest_violations,
};

use super::form::{form, show_shared};
use super::sets::Set;
use super::{Checked, Flaw, Refusal};
use crate::{CountedState, CoverCertificate, CoverThread};

pub(super) fn check(
    system: &dyn System,
    properties: &[Property],
    certificate: &CoverCertificate,
) -> Result<Checked, Refusal> {
    let checker = Checker::new(system, certificate)?;
    checker.check_initial()?;
    checker.check_closed()?;
    checker.check_harmless(properties)?;
    let pairs = checker.places.values().map(|place| place.group_of.len()).sum();
    Ok(Checked::Cover { dangerous: certificate.dangerous.len(), pairs })
}

struct Checker<'a> {
    system: &'a dyn System,
    certificate: &'a CoverCertificate,
    /// How many threads there are of each template that has a limit.
    limits: FxHashMap<TemplateId, u32>,
    numbers: FxHashMap<&'a CoverThread, u32>,
    places: FxHashMap<SharedId, Listed>,
    dangerous: FxHashMap<SharedId, Vec<&'a CountedState>>,
}

/// The kinds that may be in a shared state.
struct Listed {
    /// The group of each.
    group_of: FxHashMap<u32, usize>,
    /// What may be there beside each group.
    beside: Vec<Set>,
}

impl Listed {
    /// What may be there beside a kind.
    fn beside(&self, kind: u32) -> Option<&Set> {
        self.group_of.get(&kind).map(|&group| &self.beside[group])
    }
}

impl<'a> Checker<'a> {
    /// Reads the certificate; refuses what has not the form of one.
    fn new(system: &'a dyn System, certificate: &'a CoverCertificate) -> Result<Self, Refusal> {
        let mut limits: FxHashMap<TemplateId, u32> = FxHashMap::default();
        for thread in system.threads() {
            *limits.entry(thread.template).or_default() += 1;
        }
        for unlimited in &certificate.unlimited {
            limits.remove(unlimited);
        }
        let mut checker = Checker {
            system,
            certificate,
            limits,
            numbers: FxHashMap::default(),
            places: FxHashMap::default(),
            dangerous: FxHashMap::default(),
        };
        for (number, kind) in (0..).zip(&certificate.kinds) {
            if checker.numbers.insert(kind, number).is_some() {
                return Err(form(format!("kind {number} is there twice")));
            }
        }
        let known = certificate.kinds.len();
        for (number, place) in certificate.places.iter().enumerate() {
            let wrong = |what: &str| Err(form(format!("shared state {number}: {what}")));
            let mut listed = Listed { group_of: FxHashMap::default(), beside: Vec::new() };
            for (at, group) in place.groups.iter().enumerate() {
                let mut all = group.kinds.iter().chain(&group.beside);
                if all.any(|&kind| kind as usize >= known) {
                    return wrong("there is no such kind");
                }
                if group.kinds.iter().any(|&kind| listed.group_of.insert(kind, at).is_some()) {
                    return wrong("a kind is in two groups");
                }
                listed.beside.push(Set::new(known, &group.beside));
            }
            if checker.places.insert(place.shared, listed).is_some() {
                return wrong("it is there twice");
            }
        }
        for (number, state) in certificate.dangerous.iter().enumerate() {
            let rising = state.threads.is_sorted_by(|a, b| a.0 < b.0);
            let exists = |&(kind, count): &(u32, u32)| {
                (kind as usize) < known && count > 0 && count < u32::MAX
            };
            if !rising || !state.threads.iter().all(exists) {
                let message = "its kinds are not in rising order, do not exist, or have no threads";
                return Err(form(format!("dangerous state {number}: {message}")));
            }
            checker.dangerous.entry(state.shared).or_default().push(state);
        }
        Ok(checker)
    }

    /// Every initial state is allowed, with any number of those threads of which there is any.
    fn check_initial(&self) -> Result<(), Refusal> {
        let refused = |state: &State, why: &str| {
            let shared = show_shared(self.system, state.shared);
            let message = format!("the initial state at {shared} {why}");
            Err(Refusal::new(Flaw::Initial, message))
        };
        let any: Vec<Thread> = self.system.any_number().into_iter().map(Thread::from).collect();
        for state in self.system.initial()? {
            let mut any_kinds = FxHashSet::default();
            for thread in &any {
                match self.listed(state.shared, thread) {
                    Some(kind) if !self.limits.contains_key(&thread.template) => {
                        any_kinds.insert(kind);
                    }
                    Some(_) => return refused(&state, "has more threads than the limits say"),
                    None => return refused(&state, "has a thread that is not listed there"),
                }
            }
            let mut kinds = Vec::with_capacity(state.threads.len());
            for thread in &state.threads {
                match self.listed(state.shared, thread) {
                    Some(kind) => kinds.push(kind),
                    None => return refused(&state, "has a thread that is not listed there"),
                }
            }
            // Two of those of which there is any number stand for all of them.
            let all: Vec<u32> =
                kinds.iter().copied().chain(any_kinds.iter().flat_map(|&k| [k, k])).collect();
            if !self.may_be_together(state.shared, &all) {
                return refused(&state, "has threads that are not listed beside each other");
            }
            let mut first = CountedState::of_kinds(state.shared, kinds);
            // As many as any dangerous state may ask for.
            for &kind in &any_kinds {
                first = with_count(&first, kind, u32::MAX);
            }
            if self.is_dangerous(&first) {
                return refused(&state, "covers a dangerous state");
            }
        }
        Ok(())
    }

    /// No step leads from an allowed state to one that is not.
    fn check_closed(&self) -> Result<(), Refusal> {
        let mut seen: FxHashSet<(SharedId, usize)> = FxHashSet::default();
        for place in &self.certificate.places {
            let Some(listed) = self.places.get(&place.shared) else { continue };
            seen.clear();
            for (number, group) in place.groups.iter().enumerate() {
                for &kind in &group.kinds {
                    let CoverThread { template, stack } = &self.certificate.kinds[kind as usize];
                    let mut actions = Vec::new();
                    let top = stack.first().copied();
                    self.system.actions(*template, place.shared, top, &mut actions)?;
                    for action in actions {
                        let (after, started) = self.step(place.shared, kind, &action)?;
                        let to = action.shared;
                        let beside = &listed.beside[number];
                        let moved = [Some(after), started].into_iter().flatten();
                        if !moved.into_iter().all(|kind| self.may_be_beside(to, kind, beside))
                            || started.is_some_and(|s| !self.may_be_together(to, &[after, s]))
                        {
                            return Err(self.not_beside(place.shared, kind, to));
                        }
                        if to != place.shared && seen.insert((to, number)) {
                            self.check_others(place.shared, listed, beside, to)?;
                        }
                        self.check_before(place.shared, kind, to, (after, started))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Those that can be there beside each other and beside a thread can be where it goes.
    fn check_others(
        &self,
        from: SharedId,
        listed: &Listed,
        beside: &Set,
        to: SharedId,
    ) -> Result<(), Refusal> {
        for kind in beside.members() {
            // What is listed beside something, and not itself, is nowhere.
            let Some(others) = listed.beside(kind) else { continue };
            if !self.may_be_beside(to, kind, &others.and(beside)) {
                return Err(self.not_beside(from, kind, to));
            }
        }
        Ok(())
    }

    fn not_beside(&self, from: SharedId, kind: u32, to: SharedId) -> Refusal {
        let (from, to) = (self.show(from), self.show(to));
        let message = format!(
            "a step from {from} to {to} leaves threads beside one of kind {kind}, or what that \
             becomes, which are not listed beside each other there"
        );
        Refusal::new(Flaw::NotClosed, message)
    }

    /// Whether a kind is listed, and all of a set beside it; and it beside them.
    fn may_be_beside(&self, shared: SharedId, kind: u32, others: &Set) -> bool {
        let Some(place) = self.places.get(&shared) else { return false };
        let beside = |other: u32| place.beside(other).is_some_and(|set| set.contains(kind));
        place.beside(kind).is_some_and(|set| others.is_subset(set)) && others.members().all(beside)
    }

    /// Whether threads of these kinds are listed beside each other.
    fn may_be_together(&self, shared: SharedId, kinds: &[u32]) -> bool {
        let Some(place) = self.places.get(&shared) else { return false };
        kinds.iter().enumerate().all(|(at, &kind)| {
            let set = place.beside(kind);
            let meets = |(other_at, &other): (usize, &u32)| {
                other_at == at || set.is_some_and(|set| set.contains(other))
            };
            set.is_some() && kinds.iter().enumerate().all(meets)
        })
    }

    /// The kinds that a step leads to: what the thread becomes, and the one that it starts.
    fn step(
        &self,
        shared: SharedId,
        kind: u32,
        action: &Action,
    ) -> Result<(u32, Option<u32>), Refusal> {
        let CoverThread { template, stack } = &self.certificate.kinds[kind as usize];
        let left = |what: &str| {
            let (from, to) = (show_shared(self.system, shared), self.show(action.shared));
            let message = format!("a step of kind {kind} from {from} to {to} {what}");
            Refusal::new(Flaw::NotClosed, message)
        };
        let after = self.find(action.shared, *template, after(stack, action.word));
        let after = after.ok_or_else(|| left("leads to a local state that is not listed there"))?;
        let Some(spawn) = action.spawn else { return Ok((after, None)) };
        if self.limits.contains_key(&spawn.template)
            || !self.certificate.unlimited.contains(&spawn.template)
        {
            return Err(left("starts a thread of a template that is not unlimited"));
        }
        let started = self.find(action.shared, spawn.template, spawn.stack.symbols().collect());
        let started = started.ok_or_else(|| left("starts a thread that is not listed there"))?;
        Ok((after, Some(started)))
    }

    /// A state from which a step leads to a dangerous one is not allowed.
    fn check_before(
        &self,
        from: SharedId,
        kind: u32,
        to: SharedId,
        (after, started): (u32, Option<u32>),
    ) -> Result<(), Refusal> {
        for state in self.dangerous.get(&to).into_iter().flatten() {
            let mut before = without(state, after);
            if let Some(started) = started {
                before = without(&before, started);
            }
            let before = CountedState { shared: from, ..before.with(kind) };
            if self.may_be_allowed(&before) {
                let (from, to) = (self.show(from), self.show(to));
                let message = format!(
                    "a thread of kind {kind} can go from {from} to {to}, where the state is \
                     dangerous, from a state that is not"
                );
                return Err(Refusal::new(Flaw::NotClosed, message));
            }
        }
        Ok(())
    }

    /// No allowed state breaks a property.
    fn check_harmless(&self, properties: &[Property]) -> Result<(), Refusal> {
        for (&shared, place) in &self.places {
            let mut listed: Vec<u32> = place.group_of.keys().copied().collect();
            listed.sort_unstable();
            let thread = |&kind: &u32| {
                let CoverThread { template, stack } = &self.certificate.kinds[kind as usize];
                (*template, stack.first().copied())
            };
            let threads: Vec<_> = listed.iter().map(thread).collect();
            let violations = smallest_violations(self.system, properties, shared, &threads)
                .map_err(|why| Refusal::new(Flaw::Form, why.to_string()))?;
            for violation in violations {
                let kinds = violation.iter().map(|&at| listed[at as usize]).collect();
                if self.may_be_allowed(&CountedState::of_kinds(shared, kinds)) {
                    let shared = self.show(shared);
                    let message = format!("a violation at {shared} covers no dangerous state");
                    return Err(Refusal::new(Flaw::Harmful, message));
                }
            }
        }
        Ok(())
    }

    /// Whether some allowed state may cover this one.
    fn may_be_allowed(&self, state: &CountedState) -> bool {
        // Two of a kind stand for more of them.
        let some = state.threads.iter();
        let some = some.flat_map(|&(kind, count)| std::iter::repeat_n(kind, count.min(2) as usize));
        if !self.may_be_together(state.shared, &some.collect::<Vec<u32>>()) {
            return false;
        }
        let mut counts: FxHashMap<TemplateId, u64> = FxHashMap::default();
        for &(kind, count) in &state.threads {
            let template = self.certificate.kinds[kind as usize].template;
            *counts.entry(template).or_default() += u64::from(count);
        }
        let within = |(template, &count): (&TemplateId, &u64)| {
            self.limits.get(template).is_none_or(|&limit| count <= u64::from(limit))
        };
        counts.iter().all(within) && !self.is_dangerous(state)
    }

    /// Whether a state covers a dangerous one.
    fn is_dangerous(&self, state: &CountedState) -> bool {
        let list = self.dangerous.get(&state.shared);
        list.into_iter().flatten().any(|dangerous| {
            dangerous.threads.iter().all(|&(kind, count)| {
                let at = state.threads.binary_search_by_key(&kind, |&(kind, _)| kind);
                at.is_ok_and(|at| state.threads[at].1 >= count)
            })
        })
    }

    /// The number of a thread's kind, if that is listed at a shared state.
    fn listed(&self, shared: SharedId, thread: &Thread) -> Option<u32> {
        self.find(shared, thread.template, thread.stack.iter().collect())
    }

    fn find(&self, shared: SharedId, template: TemplateId, stack: Box<[SymbolId]>) -> Option<u32> {
        let kind = *self.numbers.get(&CoverThread { template, stack })?;
        self.places.get(&shared)?.group_of.contains_key(&kind).then_some(kind)
    }

    fn show(&self, shared: SharedId) -> String {
        show_shared(self.system, shared)
    }
}

/// A stack, top first, after a word has replaced its top.
fn after(stack: &[SymbolId], word: Word) -> Box<[SymbolId]> {
    word.symbols().chain(stack.iter().skip(1).copied()).collect()
}

/// A state with one thread less of a kind, if it has any.
fn without(state: &CountedState, kind: u32) -> CountedState {
    let fewer =
        |&(other, count): &(u32, u32)| (other, if other == kind { count - 1 } else { count });
    let threads = state.threads.iter().map(fewer).filter(|&(_, count)| count > 0);
    CountedState { shared: state.shared, threads: threads.collect() }
}

/// A state with so many threads of a kind.
fn with_count(state: &CountedState, kind: u32, count: u32) -> CountedState {
    let others = state.threads.iter().copied().filter(|&(other, _)| other != kind);
    let mut threads: Vec<(u32, u32)> = others.chain([(kind, count)]).collect();
    threads.sort_unstable();
    CountedState { shared: state.shared, threads: threads.into() }
}
