//! # What is done at local heads, remembered
//! What a thread does at a local head is the same at all shared states, and leaves the shared state alone. So the system is asked once for each such
//! head, and not once for each state in which a thread passes it.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::{Action, SharedId, SymbolId, TemplateId, is_of_runs};

/// No more heads than this are remembered; at others the system is asked each time.
const MOST_HEADS: usize = 1 << 16;

/// Local heads, with what is done there.
#[derive(Default)]
pub(super) struct Remembered {
    known: RwLock<FxHashMap<(TemplateId, SymbolId), RememberedActions>>,
}

struct RememberedActions {
    actions: Arc<[Action]>,
    /// Whether somebody asked who follows runs: the system notes where they get to.
    is_of_runs: bool,
}

impl Remembered {
    /// The actions of a thread at a head, with this shared state, if they are known and asking again would note nothing new.
    pub fn at(&self, head: (TemplateId, SymbolId), shared: SharedId) -> Option<Vec<Action>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(&head).filter(|known| known.is_of_runs || !is_of_runs())?;
        Some(known.actions.iter().map(|action| Action { shared, ..*action }).collect())
    }

    /// Keeps what a thread does at a local head, if it can act there and nothing of it goes wrong.
    pub fn keep(&self, head: (TemplateId, SymbolId), shared: SharedId, actions: &[Action]) {
        let rides = |action: &Action| action.shared == shared && action.spawn.is_none();
        if actions.is_empty() || !actions.iter().all(rides) {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_HEADS || known.contains_key(&head) {
            known.insert(
                head,
                RememberedActions { actions: actions.into(), is_of_runs: is_of_runs() },
            );
        }
    }
}
