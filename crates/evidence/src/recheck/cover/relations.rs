//! # Relations between heights and numbers of threads
//! The *value* of a state is the weight of its shared state, and for each thread the weight of its kind and the
//! height of its stack times the weight of its template. It is not negative at the start (`allow`) and no step makes it
//! smaller (`keep`). So no reachable state covers one that can have negative values only (`exclude`).
//!
//! Numbers come from a file: weights and counts of 32 bits, heights that fit into memory, and sums of 128 bits, which
//! are too large to be exceeded.

use rustc_hash::FxHashMap;
use selvedge_model::{Action, SharedId, State, TemplateId, Thread};

use super::listed::Checker;
use crate::recheck::Refusal;
use crate::recheck::form::form;
use crate::{CountedState, CoverThread, Relation};

/// A relation, to be looked up.
pub(super) struct Weights {
    places: FxHashMap<SharedId, i128>,
    kinds: Vec<i128>,
    heights: FxHashMap<TemplateId, i128>,
    /// For each shared state, what other threads can add.
    others: FxHashMap<SharedId, Others>,
}

/// The most that threads which are not named can add to a value.
struct Others {
    /// Whether threads of which there is any number add nothing.
    bounded: bool,
    /// The greatest value that a thread of a limited template can add, if there is one.
    most: FxHashMap<TemplateId, Option<i128>>,
}

impl Weights {
    /// Reads a relation; refuses one without a weight for each shared state and kind.
    pub fn new(checker: &Checker<'_>, relation: &Relation) -> Result<Self, Refusal> {
        let certificate = checker.certificate;
        let (places, kinds) = (certificate.places.len(), certificate.kinds.len());
        if relation.places.len() != places || relation.kinds.len() != kinds {
            return Err(form(format!(
                "a relation has {} and {} weights; there are {places} shared states and {kinds} kinds",
                relation.places.len(),
                relation.kinds.len()
            )));
        }
        let mut heights = FxHashMap::default();
        for &(template, weight) in &relation.heights {
            if heights.insert(template, i128::from(weight)).is_some() {
                return Err(form("a relation has two weights for the heights of one template"));
            }
        }
        let shared = certificate.places.iter().map(|place| place.shared);
        let mut weights = Weights {
            places: shared.zip(relation.places.iter().map(|&w| i128::from(w))).collect(),
            kinds: relation.kinds.iter().map(|&weight| i128::from(weight)).collect(),
            heights,
            others: FxHashMap::default(),
        };
        for (&shared, listed) in &checker.places {
            let mut others = Others { bounded: true, most: FxHashMap::default() };
            for &kind in listed.group_of.keys() {
                let template = certificate.kinds[kind as usize].template;
                let value = weights.most(checker, kind);
                if checker.limits.contains_key(&template) {
                    let known = others.most.entry(template).or_insert(value);
                    *known = known.zip(value).map(|(a, b)| a.max(b));
                } else {
                    others.bounded &= value.is_some_and(|value| value <= 0);
                }
            }
            weights.others.insert(shared, others);
        }
        Ok(weights)
    }

    fn height(&self, template: TemplateId) -> i128 {
        self.heights.get(&template).copied().unwrap_or(0)
    }

    /// The greatest value that a thread of a kind can add, if there is one.
    fn most(&self, checker: &Checker<'_>, kind: u32) -> Option<i128> {
        let CoverThread { template, stack, hidden } = &checker.certificate.kinds[kind as usize];
        let weight = self.height(*template);
        // Where something is hidden, the stack has one symbol more at least.
        let height = stack.len() as i128 + i128::from(*hidden);
        (weight <= 0 || !hidden).then(|| self.kinds[kind as usize] + weight * height)
    }

    /// The value of a thread with its whole stack.
    fn value(&self, kind: u32, thread: &Thread) -> i128 {
        self.kinds[kind as usize] + self.height(thread.template) * thread.stack.0.len() as i128
    }

    /// Whether the value of an initial state is not negative, with threads of these kinds, and any number of others.
    pub fn allow(
        &self,
        checker: &Checker<'_>,
        state: &State,
        any: &[Thread],
        kinds: &[u32],
    ) -> bool {
        let Some(&first) = self.places.get(&state.shared) else { return false };
        let threads = state.threads.iter().zip(kinds);
        let total: i128 = threads.map(|(thread, &kind)| self.value(kind, thread)).sum();
        let grows = |thread: &Thread| {
            let kind = checker.listed(state.shared, thread).ok().flatten();
            kind.is_some_and(|kind| self.value(kind, thread) >= 0)
        };
        first + total >= 0 && any.iter().all(grows)
    }

    /// Whether a step makes the value no smaller.
    pub fn keep(
        &self,
        checker: &Checker<'_>,
        from: SharedId,
        kind: u32,
        action: &Action,
        (after, started): (u32, Option<u32>),
    ) -> bool {
        let place = |shared: SharedId| self.places.get(&shared).copied();
        let (Some(before), Some(now)) = (place(from), place(action.shared)) else { return false };
        let CoverThread { template, stack, .. } = &checker.certificate.kinds[kind as usize];
        let growth = action.word.symbols().count() as i128 - i128::from(!stack.is_empty());
        let moved = self.kinds[after as usize] - self.kinds[kind as usize];
        let added = match (started, action.spawn) {
            (Some(kind), Some(spawn)) => self.value(kind, &Thread::from(spawn)),
            _ => 0,
        };
        now - before + moved + self.height(*template) * growth + added >= 0
    }

    /// Whether every state that covers this one has a negative value.
    pub fn exclude(&self, checker: &Checker<'_>, state: &CountedState) -> bool {
        let (Some(others), Some(&first)) =
            (self.others.get(&state.shared), self.places.get(&state.shared))
        else {
            return false;
        };
        if !others.bounded {
            return false;
        }
        let mut total = first;
        let mut named: FxHashMap<TemplateId, i128> = FxHashMap::default();
        for &(kind, count) in &state.threads {
            let Some(value) = self.most(checker, kind) else { return false };
            total += value * i128::from(count);
            let template = checker.certificate.kinds[kind as usize].template;
            *named.entry(template).or_default() += i128::from(count);
        }
        for (template, &limit) in &checker.limits {
            let rest = i128::from(limit) - named.get(template).copied().unwrap_or(0);
            if rest > 0 {
                let Some(&Some(value)) = others.most.get(template) else { return false };
                total += value * rest;
            }
        }
        total < 0
    }
}
