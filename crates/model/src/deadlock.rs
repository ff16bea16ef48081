//! # Deadlocks
//! A state is a deadlock if some thread has not ended (its stack is not empty), no thread has an
//! action, and nothing went wrong. Whether a thread has an action depends on its head alone, so
//! visible states are enough; and they do not have to be looked at one by one.
//!
//! Which waiting is meant is another matter ([`Waiting`]): a thread that waits for a lock that nobody gives back is a mistake, and one in
//! front of a condition that never holds is often how a model says that something does not happen.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Action, Fault, PlaceId, SharedId, SymbolId, System, TemplateId};

/// Which threads that cannot act make a deadlock of a state in which nobody can.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// All that have not ended.
    Anywhere,
    /// Those that stand at one of these places of a program; others may be stuck beside them.
    At(Arc<BTreeSet<PlaceId>>),
}

impl Waiting {
    /// Whether a thread with this top is meant, if it cannot act.
    fn is_meant(&self, system: &dyn System, top: SymbolId) -> bool {
        match self {
            Waiting::Anywhere => true,
            Waiting::At(places) => system.place_of(top).is_some_and(|at| places.contains(&at)),
        }
    }
}

/// Whether threads can act, head by head. Each head is asked about once.
#[derive(Clone, Debug, Default)]
pub struct Heads {
    known: FxHashMap<(TemplateId, SharedId, Option<SymbolId>), bool>,
    actions: Vec<Action>,
    /// The tops of threads that cannot act, in the state that is looked at.
    stuck: Vec<SymbolId>,
}

impl Heads {
    /// Whether a thread of the template has an action at the head.
    pub fn can_act(
        &mut self,
        system: &dyn System,
        template: TemplateId,
        shared: SharedId,
        top: Option<SymbolId>,
    ) -> Result<bool, Fault> {
        if let Some(&known) = self.known.get(&(template, shared, top)) {
            return Ok(known);
        }
        self.actions.clear();
        // Where steps are fused, or threads may wait, the same threads can act.
        let plain = system.before_reduction().unwrap_or(system);
        plain.actions(template, shared, top, &mut self.actions)?;
        let acts = !self.actions.is_empty();
        self.known.insert((template, shared, top), acts);
        Ok(acts)
    }

    /// Whether threads like these can be in a deadlock: of each its template is known, and the tops
    /// that its stack may have. Several threads that are alike may be given as one.
    ///
    /// There is no answer for a system that drops threads: those that are missing might move.
    pub fn is_deadlock<'t>(
        &mut self,
        system: &dyn System,
        waiting: &Waiting,
        shared: SharedId,
        threads: impl IntoIterator<Item = (TemplateId, &'t [Option<SymbolId>])>,
    ) -> Result<bool, Fault> {
        if system.drops_threads() {
            let message = "whether nothing can move is not known where threads were dropped";
            return Err(Fault::new(message));
        }
        self.stuck.clear();
        for (template, tops) in threads {
            let mut is_stuck = false;
            for &top in tops {
                if !self.can_act(system, template, shared, top)? {
                    is_stuck = true;
                    self.stuck.extend(top);
                }
            }
            if !is_stuck {
                return Ok(false);
            }
        }
        let waits = self.stuck.iter().any(|&top| waiting.is_meant(system, top));
        Ok(waits && system.wrong(shared).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rule, Tables, TablesBuilder, Word};

    /// A waiter that needs `open`, and a thread whose empty stack may act at `idle`.
    fn builder() -> (TablesBuilder, [SharedId; 3], [SymbolId; 2]) {
        let mut tables = Tables::builder();
        let shared = ["idle", "open", "shut"].map(|name| tables.shared(name));
        let (waiter, opener) = (tables.template("waiter"), tables.template("opener"));
        let [wait, work] = [tables.symbol(waiter, "wait"), tables.symbol(opener, "work")];
        tables.rule(waiter, shared[1], Some(wait), shared[1], Word::Pop);
        tables.rule(opener, shared[0], None, shared[1], Word::Pop);
        tables.rule(opener, shared[2], Some(work), shared[2], Word::Pop);
        tables.thread("waiter", waiter, vec![wait]);
        tables.thread("opener", opener, vec![work]);
        tables.initial(shared[0]);
        (tables, shared, [wait, work])
    }

    #[test]
    fn somebody_waits_and_nobody_acts() {
        let (tables, [idle, open, shut], [wait, work]) = builder();
        let system = tables.build();
        let check = |shared, waiter: &[Option<SymbolId>], opener: &[Option<SymbolId>]| {
            let threads = [(TemplateId(0), waiter), (TemplateId(1), opener)];
            Heads::default()
                .is_deadlock(&system, &Waiting::Anywhere, shared, threads)
                .expect("tables have actions")
        };
        assert!(check(idle, &[Some(wait)], &[Some(work)]));
        assert!(!check(idle, &[Some(wait)], &[None]), "the empty stack acts");
        assert!(!check(open, &[Some(wait)], &[Some(work)]));
        assert!(check(open, &[None], &[Some(work)]));
        assert!(!check(open, &[None], &[None]), "all have ended");
        assert!(check(shut, &[Some(wait)], &[None]));
        // Of several tops, one that is stuck is enough; it may be another one that waits.
        assert!(check(shut, &[Some(wait)], &[None, Some(work)]));
        assert!(check(open, &[Some(wait), None], &[None, Some(work)]));
        assert!(!check(shut, &[None], &[Some(work), None]));
        assert!(!check(shut, &[None], &[Some(work)]));
    }

    #[test]
    fn with_dropped_threads_there_is_no_answer() {
        let (mut tables, [idle, ..], [wait, work]) = builder();
        let (to_shared, word, top) = (idle, Word::Pop, Some(work));
        let rule = Rule { shared: idle, top, to_shared, word, spawn: Some(work), line: 0 };
        tables.add_rule(TemplateId(1), rule);
        let system = tables.build();
        let threads = [(TemplateId(0), &[Some(wait)][..])];
        let ask = |system: &Tables| {
            Heads::default().is_deadlock(system, &Waiting::Anywhere, idle, threads)
        };
        assert_eq!(ask(&system), Ok(true));
        assert!(ask(&system.dropping_threads()).is_err());
    }
}
