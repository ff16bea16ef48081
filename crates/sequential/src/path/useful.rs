//! # What leads to the goal
//!
//! **Question.** To count steps, the relations of a thread are split by lengths. A thread that calls many
//! procedures one after the other has many lengths at each place, and each of them is a relation
//! between all variables. Which configurations are worth it?
//!
//! **Idea.** Those from which the goal can be reached. Backwards from the goal, through the relations of
//! the exploration without lengths; a call is one step, over its summary. Most of what is reached
//! does not lead to the goal: what is left has few values, and with them few lengths.
//!
//! **Claim.** Every configuration outside of all calls on a run to the goal is among them.
//!
//! **Needs.** One round, and a thread that goes wrong.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_bdd::Bdd;
use selvedge_core::{Control, EdgeId, Loc};
use selvedge_program::ProcId;

use super::Goal;
use crate::Result;
use crate::summaries::{Entered, Key, Thread};
use selvedge_evidence::relations::Steps;
use selvedge_evidence::relations::{Local, Shared, Space};

/// The configurations outside of all calls from which the goal can be reached, by location; `None`
/// if that is not to be found in this way.
pub(super) fn configurations(
    space: &mut Space<'_>,
    steps: &mut Steps,
    thread: &Thread,
    goal: Goal,
    rounds: usize,
) -> Result<Option<FxHashMap<Loc, Bdd>>> {
    if goal != Goal::Wrong || rounds != 1 {
        return Ok(None);
    }
    let mut search = Backwards {
        into: FxHashMap::default(),
        useful: FxHashMap::default(),
        work: BTreeSet::new(),
        space,
        steps,
        thread,
    };
    search.begin()?;
    while let Some(key) = search.work.pop_last() {
        search.space.bdds.limit().0.check()?;
        search.follow(key)?;
    }
    Ok(Some(search.useful))
}

struct Backwards<'s, 'a> {
    /// The edges that lead to each location.
    into: FxHashMap<Loc, Vec<EdgeId>>,
    useful: FxHashMap<Loc, Bdd>,
    /// Where something is new, the last places first.
    work: BTreeSet<Key>,
    space: &'s mut Space<'a>,
    steps: &'s mut Steps,
    thread: &'s Thread,
}

impl Backwards<'_, '_> {
    fn key(&self, loc: Loc) -> Key {
        self.thread.key(loc, None, 0, 0)
    }

    fn add(&mut self, loc: Loc, set: Bdd) -> Result<()> {
        let known = self.useful.entry(loc).or_insert(Bdd::FALSE);
        let all = self.space.bdds.or(*known, set)?;
        if std::mem::replace(known, all) != all {
            self.work.insert(self.thread.key(loc, None, 0, 0));
        }
        Ok(())
    }

    /// The configurations that go wrong in the next step, or inside of a call.
    fn begin(&mut self) -> Result<()> {
        let inside = self.thread.unwind(self.space, 0, self.thread.wrongs(0))?;
        let flow = self.space.lowering.code();
        for (id, edge) in (0..).map(EdgeId).zip(&flow.edges) {
            let set = self.thread.set(self.key(edge.from));
            if set == Bdd::FALSE {
                continue;
            }
            if !(edge.control == Control::Return) {
                self.into.entry(edge.to).or_default().push(id);
            }
            let step = self.steps.get(self.space, id, self.thread.owner(), 0)?;
            let wrong = self.space.bdds.and(set, step.wrong)?;
            self.add(edge.from, wrong)?;
            if let Control::Call(proc) = edge.control {
                let enters = self.key(edge.from).enters(self.space, id, proc);
                let ends = inside.get(&Some((proc, enters))).cloned().unwrap_or_default();
                for end in ends.into_values() {
                    let set = self.callers(id, (proc, enters), end)?;
                    self.add(edge.from, set)?;
                }
            }
        }
        Ok(())
    }

    /// The configurations before those of a place.
    fn follow(&mut self, key: Key) -> Result<()> {
        let after = self.useful[&key.loc];
        for id in self.into.get(&key.loc).cloned().unwrap_or_default() {
            let edge = self.space.lowering.code().edge(id);
            if let Control::Call(proc) = edge.control {
                let enters = self.key(edge.from).enters(self.space, id, proc);
                for summary in self.thread.summary(proc, enters, 0).into_values() {
                    let end = self.space.bdds.and(summary, after)?;
                    let set = self.callers(id, (proc, enters), end)?;
                    self.add(edge.from, set)?;
                }
                continue;
            }
            let step = self.steps.get(self.space, id, self.thread.owner(), 0)?;
            let set = self.thread.set(self.key(edge.from));
            let set = step.before(self.space, set, after)?;
            self.add(edge.from, set)?;
        }
        Ok(())
    }

    /// The configurations of a caller whose call can come to this, a relation to what the
    /// procedure is entered with.
    fn callers(
        &mut self,
        call: EdgeId,
        (callee, enters): (ProcId, Entered),
        end: Bdd,
    ) -> Result<Bdd> {
        let space = &mut *self.space;
        let (next, out) = (
            space.touched(enters.variant, Shared::Next(0)),
            space.touched(enters.variant, Shared::Out(0)),
        );
        let ended = [out.clone(), space.results(callee)].concat();
        let mut all = Bdd::FALSE;
        for called in self.thread.called((call, None, 0)).into_values() {
            let set = space.join(called, end, &ended)?;
            let params = space.params(callee, Local::Next);
            let set = space.forget(set, &params)?;
            let set = space.rename(set, &[(next.clone(), out.clone())])?;
            all = space.bdds.or(all, set)?;
        }
        Ok(all)
    }
}
