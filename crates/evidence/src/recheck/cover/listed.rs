//! The contents of a certificate, indexed for look-ups.

use rustc_hash::FxHashMap;
use selvedge_model::{SharedId, SymbolId, System, TemplateId, Thread};

use crate::recheck::Refusal;
use crate::recheck::form::{form, show_shared};
use crate::recheck::sets::Set;
use crate::{CountedState, CoverCertificate, CoverThread};

use super::relations::Weights;
use super::stacks::Guessed;

/// Larger sets of kinds, all together, in words of 64 bits, are not made.
const MOST_WORDS: usize = 1 << 25;

pub(super) struct Checker<'a> {
    pub system: &'a dyn System,
    pub certificate: &'a CoverCertificate,
    /// The number of threads of each template that has a limit.
    pub limits: FxHashMap<TemplateId, u32>,
    numbers: FxHashMap<&'a CoverThread, u32>,
    pub places: FxHashMap<SharedId, Listed>,
    pub dangerous: FxHashMap<SharedId, Vec<&'a CountedState>>,
    pub below: Guessed,
    pub relations: Vec<Weights>,
}

/// The kinds that may be in a shared state.
pub(super) struct Listed {
    /// The group of each kind.
    pub group_of: FxHashMap<u32, usize>,
    /// The kinds that may be there beside each group.
    pub beside: Vec<Set>,
}

impl Listed {
    /// The kinds that may be there beside a kind.
    pub fn beside(&self, kind: u32) -> Option<&Set> {
        self.group_of.get(&kind).map(|&group| &self.beside[group])
    }
}

impl<'a> Checker<'a> {
    /// Reads the certificate; refuses what has not the form of one.
    pub fn new(system: &'a dyn System, certificate: &'a CoverCertificate) -> Result<Self, Refusal> {
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
            below: Guessed::new(certificate)?,
            relations: Vec::new(),
        };
        for (number, kind) in (0..).zip(&certificate.kinds) {
            if checker.numbers.insert(kind, number).is_some() {
                return Err(form(format!("kind {number} is there twice")));
            }
        }
        let known = certificate.kinds.len();
        let groups: usize = certificate.places.iter().map(|place| place.groups.len()).sum();
        if groups.saturating_mul(known.div_ceil(64)) > MOST_WORDS {
            return Err(form("it has too many groups of kinds to be looked at"));
        }
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
        for relation in &certificate.relations {
            let weights = Weights::new(&checker, relation)?;
            checker.relations.push(weights);
        }
        Ok(checker)
    }

    /// Whether a kind is listed, and all of a set beside it; and it beside them.
    pub fn may_be_beside(&self, shared: SharedId, kind: u32, others: &Set) -> bool {
        let Some(place) = self.places.get(&shared) else { return false };
        let beside = |other: u32| place.beside(other).is_some_and(|set| set.contains(kind));
        place.beside(kind).is_some_and(|set| others.is_subset(set)) && others.members().all(beside)
    }

    /// Whether threads of these kinds are listed beside each other.
    pub fn may_be_together(&self, shared: SharedId, kinds: &[u32]) -> bool {
        let Some(place) = self.places.get(&shared) else { return false };
        kinds.iter().enumerate().all(|(at, &kind)| {
            let set = place.beside(kind);
            let meets = |(other_at, &other): (usize, &u32)| {
                other_at == at || set.is_some_and(|set| set.contains(other))
            };
            set.is_some() && kinds.iter().enumerate().all(meets)
        })
    }

    /// Whether some allowed state may cover this one.
    pub fn may_be_allowed(&self, state: &CountedState) -> bool {
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
        counts.iter().all(within)
            && !self.is_dangerous(state)
            && !self.relations.iter().any(|weights| weights.exclude(self, state))
    }

    /// Whether a state covers a dangerous one.
    pub fn is_dangerous(&self, state: &CountedState) -> bool {
        let list = self.dangerous.get(&state.shared);
        list.into_iter().flatten().any(|dangerous| {
            dangerous.threads.iter().all(|&(kind, count)| {
                let at = state.threads.binary_search_by_key(&kind, |&(kind, _)| kind);
                at.is_ok_and(|at| state.threads[at].1 >= count)
            })
        })
    }

    /// The number of a thread's kind, if that is listed at a shared state.
    pub fn listed(&self, shared: SharedId, thread: &Thread) -> Result<Option<u32>, Refusal> {
        let symbols: Vec<SymbolId> = thread.stack.iter().collect();
        let local = self.below.cut(self.system, thread.template, &symbols, false)?;
        Ok(self.find(shared, &local))
    }

    /// The number of a local state, if that is listed at a shared state.
    pub fn find(&self, shared: SharedId, local: &CoverThread) -> Option<u32> {
        let kind = *self.numbers.get(local)?;
        self.places.get(&shared)?.group_of.contains_key(&kind).then_some(kind)
    }

    pub fn show(&self, shared: SharedId) -> String {
        show_shared(self.system, shared)
    }
}
