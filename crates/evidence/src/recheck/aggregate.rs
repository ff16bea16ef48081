//! # Certificates with sets of stacks
//!
//! **Claim.** If [`check`] accepts, every reachable state is *covered*, and no covered state breaks
//! a property. A state ⟨q | w₁ … wₙ⟩ is covered if the certificate has a state with shared state q
//! whose threads can be matched with those of the system, class by class, so that every wᵢ is in
//! the set of stacks of its partner. Threads that are forgotten ([`is_forgotten`]) need no partner:
//! they have no step, and no property can ask for them.
//!
//! **Proof.** The initial states are covered (*initial*), and the system has no others: of no thread
//! any number is there from the start (`form`). Let a thread of a covered state act: it
//! replaces the top γ of its stack γu by a word w. All stacks wu, for γu in the set of stacks of
//! its partner, are in the set of some kind of thread, and the certificate has the state in which
//! the partner is of that kind and all others are as before (*closed*); if a thread is started, it
//! also has one whose set of stacks contains the new stack. So the state after is covered by the
//! same matching. What is visible of a covered state is visible of the state that
//! covers it (*harmless*).
//!
//! The sets come from a computation of everything that is reachable in a context; the check looks
//! at single steps only, and computes nothing but inclusions.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_automata::Dfa;
use selvedge_model::{
    Action, Property, SharedId, Spawn, StackPattern, State, SymbolId, System, Thread, Word,
    can_assign, is_forgotten,
};

use super::form::{Classes, form, show_shared, show_symbols};
use super::harmless::Harmless;
use super::{Checked, Flaw, Refusal};
use crate::watch::Watch;
use crate::{AggregateCertificate, CountedState};

pub(super) fn check(
    system: &dyn System,
    properties: &[Property],
    certificate: &AggregateCertificate,
    watch: &Watch<'_>,
) -> Result<Checked, Refusal> {
    watch.spend(certificate.kinds.len() + certificate.states.len())?;
    let checker = Checker::new(system, certificate)?;
    for state in system.initial()? {
        watch.spend(certificate.states.len())?;
        checker.check_initial(&state)?;
    }
    checker.check_closed(watch)?;
    checker.check_harmless(properties, watch)?;
    let (states, languages) = (certificate.states.len(), certificate.languages.len());
    Ok(Checked::Aggregate { states, languages })
}

impl AggregateCertificate {
    /// The first of these states of the system that the certificate does not cover; see [`crate::recheck`].
    pub fn missing<'s>(
        &self,
        system: &dyn System,
        states: impl IntoIterator<Item = &'s State>,
    ) -> Result<Option<&'s State>, Refusal> {
        let checker = Checker::new(system, self)?;
        Ok(states.into_iter().find(|state| checker.check_initial(state).is_err()))
    }
}

struct Checker<'a> {
    system: &'a dyn System,
    certificate: &'a AggregateCertificate,
    classes: Classes<'a>,
    /// The number of each state.
    states: FxHashMap<&'a CountedState, usize>,
}

/// A step of threads of some kind.
struct Successor {
    shared: SharedId,
    /// Every kind that contains what the threads become.
    kinds: Vec<u32>,
    /// Whether they have all ended, and are forgotten.
    forgotten: bool,
    /// Every kind that contains a thread that is started.
    started: Option<Vec<u32>>,
}

impl<'a> Checker<'a> {
    /// Reads the certificate; refuses what has not the form of one.
    fn new(system: &'a dyn System, certificate: &'a AggregateCertificate) -> Result<Self, Refusal> {
        let classes = Classes::new(system, &certificate.classes, &certificate.started)?;
        let mut seen = FxHashSet::default();
        for (number, kind) in certificate.kinds.iter().enumerate() {
            if !seen.insert(kind) {
                return Err(form(format!("kind {number} is there twice")));
            }
            if kind.language as usize >= certificate.languages.len() {
                return Err(form(format!("kind {number}: there is no language {}", kind.language)));
            }
        }
        let of_kinds: Vec<u32> = certificate.kinds.iter().map(|kind| kind.class).collect();
        let states = classes.check_states(&of_kinds, &certificate.states)?;
        Ok(Checker { system, certificate, classes, states })
    }

    /// An initial state (or any other) is covered.
    fn check_initial(&self, state: &State) -> Result<(), Refusal> {
        let there = state.thread_ids().filter(|&t| !is_forgotten(self.system, state, t));
        let threads: Vec<&Thread> = there.map(|t| &state.threads[t.index()]).collect();
        let classes: Vec<u32> = threads
            .iter()
            .enumerate()
            .map(|(number, thread)| self.classes.of(number, thread.template))
            .collect::<Result<_, _>>()?;
        let covers = |candidate: &CountedState| {
            let supplies: Vec<u32> = candidate.threads.iter().map(|&(_, count)| count).collect();
            candidate.shared == state.shared
                && supplies.iter().map(|&count| u64::from(count)).sum::<u64>()
                    == classes.len() as u64
                && can_assign(classes.len(), &supplies, |thread, supply| {
                    let (kind, _) = candidate.threads[supply];
                    self.certificate.kinds[kind as usize].class == classes[thread]
                        && self.language(kind).contains(threads[thread].stack.iter())
                })
        };
        if self.certificate.states.iter().any(covers) {
            return Ok(());
        }
        let stacks: Vec<_> =
            state.threads.iter().map(|t| show_symbols(self.system, t.stack.iter())).collect();
        let message = format!(
            "the initial state at {} with stacks {} is not covered",
            show_shared(self.system, state.shared),
            stacks.join(", ")
        );
        Err(Refusal::new(Flaw::Initial, message))
    }

    /// No step leads from a covered state to one that is not covered.
    fn check_closed(&self, watch: &Watch<'_>) -> Result<(), Refusal> {
        let mut known: FxHashMap<(SharedId, u32), Vec<Successor>> = FxHashMap::default();
        for (number, state) in self.certificate.states.iter().enumerate() {
            for &(kind, _) in &state.threads {
                let successors = match known.entry((state.shared, kind)) {
                    Entry::Occupied(found) => found.into_mut(),
                    Entry::Vacant(vacant) => {
                        let found = self.successors(state.shared, kind, watch);
                        vacant.insert(found.map_err(|refusal| refusal.at(number))?)
                    }
                };
                watch.spend(successors.len())?;
                for Successor { shared, kinds, forgotten, started } in &*successors {
                    let is_in = |next: CountedState| match started {
                        Some(kinds) => {
                            kinds.iter().any(|&k| self.states.contains_key(&next.with(k)))
                        }
                        None => self.states.contains_key(&next),
                    };
                    let left_out = *forgotten && is_in(state.without(*shared, kind));
                    let goes_on = |&after: &u32| is_in(state.after(*shared, kind, after));
                    if !left_out && !kinds.iter().any(goes_on) {
                        let shared = show_shared(self.system, *shared);
                        let message = format!(
                            "a thread of kind {kind} can go to {shared} with stacks that no state \
                             of the set has there, all else being the same"
                        );
                        return Err(Refusal::new(Flaw::NotClosed, message).at(number));
                    }
                }
            }
        }
        Ok(())
    }

    /// No covered state breaks a property.
    fn check_harmless(&self, properties: &[Property], watch: &Watch<'_>) -> Result<(), Refusal> {
        let kinds = self.certificate.kinds.iter().zip(0..);
        let kinds: Vec<_> = kinds.map(|(kind, k)| (kind.class, self.language(k).tops())).collect();
        let may_have = |kind, pattern: &StackPattern| match pattern {
            StackPattern::Top(top) => {
                self.language(kind).tops().into_iter().any(|found| top.matches(found))
            }
            StackPattern::Whole(stack) => self.language(kind).contains(stack.iter().copied()),
        };
        Harmless::new(self.system, properties, &self.classes, &may_have).check_all(
            &self.certificate.states,
            &kinds,
            watch,
        )
    }

    /// The steps of threads of a kind.
    fn successors(
        &self,
        shared: SharedId,
        kind: u32,
        watch: &Watch<'_>,
    ) -> Result<Vec<Successor>, Refusal> {
        let class = self.certificate.kinds[kind as usize].class;
        let template = self.classes.templates[class as usize];
        let language = self.language(kind);
        let mut successors = Vec::new();
        for top in language.tops() {
            let mut actions = Vec::new();
            self.system.actions(template, shared, top, &mut actions)?;
            for Action { shared, word, spawn, .. } in actions {
                let mut kinds = Vec::new();
                for after in self.of_class(class) {
                    watch.spend(language.state_count())?;
                    if contains_after(language, top, word, self.language(after)) {
                        kinds.push(after);
                    }
                }
                let start = |spawn: Spawn| -> Result<Vec<u32>, Refusal> {
                    let class = self.classes.of_started(spawn.template)?;
                    let fits = |&kind: &u32| self.language(kind).contains(spawn.stack.symbols());
                    Ok(self.of_class(class).filter(fits).collect())
                };
                let started = spawn.map(start).transpose()?;
                let forgotten = self.classes.forgets(self.system, class)
                    && contains_after(language, top, word, &Dfa::word([]));
                successors.push(Successor { shared, kinds, forgotten, started });
            }
        }
        Ok(successors)
    }

    /// The kinds of a class.
    fn of_class(&self, class: u32) -> impl Iterator<Item = u32> {
        // States name kinds by 32 bits: none names a later one.
        let kinds = (0..=u32::MAX).zip(&self.certificate.kinds);
        kinds.filter(move |(_, kind)| kind.class == class).map(|(number, _)| number)
    }

    fn language(&self, kind: u32) -> &'a Dfa {
        &self.certificate.languages[self.certificate.kinds[kind as usize].language as usize]
    }
}

/// Whether `after` contains every stack of `before` with this top when a word has replaced it.
fn contains_after(before: &Dfa, top: Option<SymbolId>, word: Word, after: &Dfa) -> bool {
    if after.is_empty() {
        return false;
    }
    let word = word.symbols();
    let Some(top) = top else { return after.contains(word) };
    let Some(rest) = before.next(0, top) else { return true };
    let mut state = 0;
    for symbol in word {
        match after.next(state, symbol) {
            Some(to) => state = to,
            None => return false,
        }
    }
    is_included((before, rest), (after, state))
}

/// Whether what one automaton accepts from a state, the other accepts from its state. Every state
/// of them is on the way to acceptance.
fn is_included((small, from): (&Dfa, u32), (large, at): (&Dfa, u32)) -> bool {
    let mut seen = FxHashSet::from_iter([(from, at)]);
    let mut work = vec![(from, at)];
    while let Some((s, l)) = work.pop() {
        if small.accepts_at(s) && !large.accepts_at(l) {
            return false;
        }
        for &(symbol, to) in small.edges(s) {
            let Some(large_to) = large.next(l, symbol) else { return false };
            if seen.insert((to, large_to)) {
                work.push((to, large_to));
            }
        }
    }
    true
}
