//! # Certificates for any number of threads
//!
//! **Claim.** If [`check`] accepts, every reachable state is *allowed*, and no allowed state breaks a
//! property, however many threads there are. A state is allowed if its shared state is listed, every
//! thread has a local state that is listed there, every other one has one that is listed beside it,
//! no template has more threads than its limit, the value of each relation is not negative, and the state covers
//! no dangerous one. Where stacks are cut, the local state of a thread is the top of its stack, and from the lowest
//! symbol in sight downwards, every symbol with the one below it is a guess for its template.
//!
//! **Proof.** Initial states are allowed, with as many threads as one likes of those of which there
//! is any number (*initial*). Let a thread of an allowed state (q, X) act and go from l to l', start
//! a thread at s, and lead to q'. At q', l' and s are listed, beside each other and beside all that may
//! be beside l at q; and two that may be beside each other and beside l at q may be so at q'
//! (*closed*). Since the limits hold, too, all threads are listed beside all others. If the state after covered a dangerous
//! (q', U), then X would have the thread at l and, beside it, whatever U has beside l' and s: it
//! would cover (q, U ⊖ {l', s} ⊕ {l}). But that is not allowed (*closed*), and then X is not allowed
//! either. Where stacks are cut, l' is found as in [`cut`](super::cut): a pop of a stack with something hidden
//! uncovers one of the guesses, and all of them are tried; what falls out of sight has to be a guess, and so has what
//! lies below a symbol that takes the place of another (`stacks`). The value of a relation is not less after the
//! step than before (`relations`). Last, each violation covers a smallest one, and none of these is allowed (*harmless*).

mod listed;
mod relations;
mod stacks;

use rustc_hash::FxHashSet;
use selvedge_model::{Action, Property, SharedId, State, System, Thread, smallest_violations};

use super::form::show_shared;
use super::sets::Set;
use super::{Checked, Flaw, Refusal};
use crate::watch::Watch;
use crate::{CountedState, CoverCertificate, CoverThread};
use listed::{Checker, Listed};

pub(super) fn check(
    system: &dyn System,
    properties: &[Property],
    certificate: &CoverCertificate,
    watch: &Watch<'_>,
) -> Result<Checked, Refusal> {
    watch.spend(certificate.kinds.len() + certificate.dangerous.len())?;
    let checker = Checker::new(system, certificate)?;
    checker.check_initial(watch)?;
    checker.check_closed(watch)?;
    checker.check_harmless(properties, watch)?;
    let pairs = checker.places.values().map(|place| place.group_of.len()).sum();
    Ok(Checked::Cover {
        dangerous: certificate.dangerous.len(),
        pairs,
        depth: certificate.cut.as_ref().map(|cut| cut.depth),
        relations: certificate.relations.len(),
    })
}

impl Checker<'_> {
    /// Every initial state is allowed, with any number of those threads of which there is any.
    fn check_initial(&self, watch: &Watch<'_>) -> Result<(), Refusal> {
        let refused = |state: &State, why: &str| {
            let shared = show_shared(self.system, state.shared);
            let message = format!("the initial state at {shared} {why}");
            Err(Refusal::new(Flaw::Initial, message))
        };
        let any: Vec<Thread> = self.system.any_number().into_iter().map(Thread::from).collect();
        for state in self.system.initial()? {
            watch.spend(state.threads.len() + self.certificate.dangerous.len())?;
            let mut any_kinds = FxHashSet::default();
            for thread in &any {
                match self.listed(state.shared, thread)? {
                    Some(kind) if !self.limits.contains_key(&thread.template) => {
                        any_kinds.insert(kind);
                    }
                    Some(_) => return refused(&state, "has more threads than the limits say"),
                    None => return refused(&state, "has a thread that is not listed there"),
                }
            }
            let mut kinds = Vec::with_capacity(state.threads.len());
            for thread in &state.threads {
                match self.listed(state.shared, thread)? {
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
            if !self.relations.iter().all(|weights| weights.allow(self, &state, &any, &kinds)) {
                return refused(&state, "breaks a relation");
            }
            let mut first = CountedState::of_kinds(state.shared, kinds);
            // More threads than any dangerous state can ask for.
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
    fn check_closed(&self, watch: &Watch<'_>) -> Result<(), Refusal> {
        let mut seen: FxHashSet<(SharedId, usize)> = FxHashSet::default();
        for place in &self.certificate.places {
            let Some(listed) = self.places.get(&place.shared) else { continue };
            seen.clear();
            for (number, group) in place.groups.iter().enumerate() {
                for &kind in &group.kinds {
                    let CoverThread { template, stack, .. } =
                        &self.certificate.kinds[kind as usize];
                    let mut actions = Vec::new();
                    let top = stack.first().copied();
                    self.system.actions(*template, place.shared, top, &mut actions)?;
                    for action in actions {
                        let to = action.shared;
                        let beside = &listed.beside[number];
                        let steps = self.step(place.shared, kind, &action)?;
                        if !steps.is_empty() && to != place.shared && seen.insert((to, number)) {
                            self.check_others(place.shared, listed, (beside, to), watch)?;
                        }
                        let dangerous = self.dangerous.get(&to).map_or(0, Vec::len);
                        for moved in steps {
                            watch.spend(dangerous)?;
                            self.check_step(place.shared, (kind, beside), &action, moved)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that a step of a thread of this kind leads from allowed states to allowed ones.
    fn check_step(
        &self,
        from: SharedId,
        (kind, beside): (u32, &Set),
        action: &Action,
        (after, started): Moved,
    ) -> Result<(), Refusal> {
        let to = action.shared;
        let mut moved = [Some(after), started].into_iter().flatten();
        if !moved.all(|kind| self.may_be_beside(to, kind, beside))
            || started.is_some_and(|s| !self.may_be_together(to, &[after, s]))
        {
            return Err(self.not_beside(from, kind, to));
        }
        if !self
            .relations
            .iter()
            .all(|weights| weights.keep(self, from, kind, action, (after, started)))
        {
            let (from, to) = (self.show(from), self.show(to));
            let message = format!("a step of kind {kind} from {from} to {to} breaks a relation");
            return Err(Refusal::new(Flaw::NotClosed, message));
        }
        self.check_before(from, kind, to, (after, started))
    }

    /// Those that can be there beside each other and beside a thread can be where it goes.
    fn check_others(
        &self,
        from: SharedId,
        listed: &Listed,
        (beside, to): (&Set, SharedId),
        watch: &Watch<'_>,
    ) -> Result<(), Refusal> {
        for kind in beside.members() {
            watch.spend(1)?;
            // A kind that is listed beside another but has no entry of its own never occurs.
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

    /// The kinds that a step leads to: what the thread becomes, and the one that it starts.
    fn step(&self, shared: SharedId, kind: u32, action: &Action) -> Result<Vec<Moved>, Refusal> {
        let local = &self.certificate.kinds[kind as usize];
        let left = |what: &str| {
            let (from, to) = (show_shared(self.system, shared), self.show(action.shared));
            let message = format!("a step of kind {kind} from {from} to {to} {what}");
            Refusal::new(Flaw::NotClosed, message)
        };
        let mut started = None;
        if let Some(spawn) = action.spawn {
            if self.limits.contains_key(&spawn.template)
                || !self.certificate.unlimited.contains(&spawn.template)
            {
                return Err(left("starts a thread of a template that is not unlimited"));
            }
            let found = self.listed(action.shared, &Thread::from(spawn))?;
            started = Some(found.ok_or_else(|| left("starts a thread that is not listed there"))?);
        }
        let mut all = Vec::new();
        for after in self.below.after(self.system, local, action.word)? {
            let after = self.find(action.shared, &after);
            let after =
                after.ok_or_else(|| left("leads to a local state that is not listed there"))?;
            all.push((after, started));
        }
        Ok(all)
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
    fn check_harmless(&self, properties: &[Property], watch: &Watch<'_>) -> Result<(), Refusal> {
        for (&shared, place) in &self.places {
            watch.spend(place.group_of.len())?;
            let mut listed: Vec<u32> = place.group_of.keys().copied().collect();
            listed.sort_unstable();
            let thread = |&kind: &u32| {
                let CoverThread { template, stack, .. } = &self.certificate.kinds[kind as usize];
                (*template, stack.first().copied())
            };
            let threads: Vec<_> = listed.iter().map(thread).collect();
            let violations = smallest_violations(self.system, properties, shared, &threads)
                .map_err(|why| Refusal::new(Flaw::Form, why.to_string()))?;
            for violation in violations {
                watch.spend(self.certificate.dangerous.len())?;
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
}

/// The local states of a thread after its step, and of the thread that it starts.
type Moved = (u32, Option<u32>);

/// A state with one thread less of a kind, if it has any.
fn without(state: &CountedState, kind: u32) -> CountedState {
    let fewer =
        |&(other, count): &(u32, u32)| (other, if other == kind { count - 1 } else { count });
    let threads = state.threads.iter().map(fewer).filter(|&(_, count)| count > 0);
    CountedState { shared: state.shared, threads: threads.collect() }
}

/// The state with this many threads of a kind.
fn with_count(state: &CountedState, kind: u32, count: u32) -> CountedState {
    let others = state.threads.iter().copied().filter(|&(other, _)| other != kind);
    let mut threads: Vec<(u32, u32)> = others.chain([(kind, count)]).collect();
    threads.sort_unstable();
    CountedState { shared: state.shared, threads: threads.into() }
}
