//! # The conditions of a reduction, looked at while it runs
//! A system that says of itself at every head what it says without this, and compares: what a thread does at a local head is the same
//! at all shared states where it can act at all. Where it is not, there is a [`Fault`]. For tests: it remembers all local heads.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Local;
use crate::{Action, Fault, SharedId, Spawn, SymbolId, System, TemplateId, Word};

/// Wraps a system and checks, while it is used, that its local heads are local.
pub struct Conditions {
    system: Arc<dyn System>,
    local: Local,
    known: Mutex<FxHashMap<(TemplateId, SymbolId), Vec<Done>>>,
}

/// The effect of an action, without the shared state at which it is taken.
type Done = (Outcome, Option<Spawn>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// The top is replaced.
    Rides(Word),
    /// The thread goes wrong.
    Wrong(String),
    /// Something else that is seen by others.
    Seen(SharedId, Word),
}

impl Conditions {
    /// Watches what a system does at these heads.
    #[must_use]
    pub fn new(system: Arc<dyn System>, local: Local) -> Self {
        Conditions { system, local, known: Mutex::default() }
    }

    /// At how many heads something was compared.
    #[must_use]
    pub fn heads(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn compare(
        &self,
        head: (TemplateId, SymbolId),
        shared: SharedId,
        actions: &[Action],
    ) -> Result<(), Fault> {
        let done = |action: &Action| {
            let outcome = match self.system.wrong(action.shared) {
                Some(why) => Outcome::Wrong(why),
                None if action.shared == shared => Outcome::Rides(action.word),
                None => Outcome::Seen(action.shared, action.word),
            };
            (outcome, action.spawn)
        };
        let mut done: Vec<Done> = actions.iter().map(done).collect();
        done.sort_unstable();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.entry(head).or_insert_with(|| done.clone());
        let is_seen = |done: &Done| matches!(done.0, Outcome::Seen(..)) || done.1.is_some();
        match *before == done && !done.iter().any(is_seen) {
            true => Ok(()),
            false => Err(Fault::new(format!(
                "a step at {} is said to be local, and is not",
                self.system.describe().show_symbol(head.1)
            ))),
        }
    }
}

impl System for Conditions {
    crate::delegate_to_system!(with its threads);

    fn actions(
        &self,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
        out: &mut Vec<Action>,
    ) -> Result<(), Fault> {
        let start = out.len();
        self.system.actions(template, shared, top, out)?;
        // Where something went wrong, or a result is on its way, nobody else acts at all.
        let is_still = self.system.wrong(shared).is_some() || self.system.is_between(shared);
        match top.filter(|&top| !is_still && self.local.contains(&*self.system, top)) {
            Some(top) => self.compare((template, top), shared, &out[start..]),
            None => Ok(()),
        }
    }
}
