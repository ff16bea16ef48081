//! # Backwards
//! From a configuration to one before it, in a ring further in, until the entry of the procedure.

use selvedge_bdd::{Bdd, Var};
use selvedge_core::{Control, EdgeId, Loc};
use selvedge_program::ProcId;

use super::{Point, Taken, Walk, lost};
use crate::Result;
use crate::places::END;
use crate::summaries::{Entered, Key, begins};
use selvedge_evidence::relations::{Local, Shared};

impl Walk<'_, '_> {
    /// The steps from the entry of its procedure to a configuration.
    pub(super) fn walk(
        &mut self,
        mut key: Key,
        mut point: Point,
        taken: &mut Vec<Taken>,
    ) -> Result<()> {
        let mut steps: Vec<Vec<Taken>> = Vec::new();
        while key.length > 0 || key.round > first_round(key) {
            self.space.bdds.limit().0.check()?;
            // A point is no diagram: between two steps nothing else is needed.
            if self.space.bdds.should_collect() {
                let roots = self.thread.diagrams().chain(self.steps.diagrams());
                self.space.bdds.collect(roots.chain(self.keep.iter().copied()));
            }
            let mut piece = Vec::new();
            let (before, at) = self.before(key, &point, &mut piece)?;
            steps.push(piece);
            (key, point) = (before, at);
        }
        taken.extend(steps.into_iter().rev().flatten());
        Ok(())
    }

    /// A configuration before another one, and the steps between them.
    pub(super) fn before(
        &mut self,
        key: Key,
        point: &Point,
        taken: &mut Vec<Taken>,
    ) -> Result<(Key, Point)> {
        let cube = self.cube(point)?;
        if let Some(round) = key.round.checked_sub(1)
            && key.can_switch(self.space)
        {
            let before = self.thread.key(key.loc, key.entered, round, key.length);
            let begins = begins(self.space, key.round, self.inputs[key.round])?;
            let set = self.space.bdds.and(self.thread.set(before), begins)?;
            let set = self.space.bdds.and(set, cube)?;
            if let Some(point) = self.pick(set, &self.vars(before)) {
                return Ok((before, point));
            }
        }
        let flow = self.space.lowering.code();
        for (index, edge) in flow.edges.iter().enumerate() {
            let id = EdgeId(index as u32);
            let ends = key.loc == END && (edge.control == Control::Return);
            if !ends && (edge.to != key.loc || (edge.control == Control::Return)) {
                continue;
            }
            if let Control::Call(callee) = edge.control {
                if let Some(found) = self.before_call(key, cube, (id, edge.from, callee), taken)? {
                    let inside = key.is_inside(self.space);
                    taken.push(self.taken(id, key.loc, (key.round, inside), point));
                    return Ok(found);
                }
                continue;
            }
            let Some(length) = key.length.checked_sub(1) else { continue };
            let before = self.thread.key(edge.from, key.entered, key.round, length);
            let step = self.steps.get(self.space, id, self.thread.owner(), key.round)?;
            let set = step.before(self.space, self.thread.set(before), cube)?;
            if let Some(at) = self.pick(set, &self.vars(before)) {
                let inside = key.is_inside(self.space);
                taken.push(self.taken(id, key.loc, (key.round, inside), point));
                return Ok((before, at));
            }
        }
        Err(lost())
    }

    /// A caller before a configuration after its call, and the steps of the call.
    pub(super) fn before_call(
        &mut self,
        key: Key,
        cube: Bdd,
        (edge, from, callee): (EdgeId, Loc, ProcId),
        taken: &mut Vec<Taken>,
    ) -> Result<Option<(Key, Point)>> {
        for round in first_round(key)..=key.round {
            let caller = self.thread.key(from, key.entered, round, 0);
            let enters = caller.enters(self.space, edge, callee);
            let summaries = self.thread.summary(callee, enters, key.round);
            for (before, called) in self.thread.called((edge, key.entered, round)) {
                let Some(inside) = key.length.checked_sub(before + 1) else { continue };
                let Some(&summary) = summaries.get(&inside) else { continue };
                let set = self.space.bdds.and(called, summary)?;
                let set = self.space.bdds.and(set, cube)?;
                let mut vars = self.frame(from, key.entered);
                vars.extend(self.space.next_entry(callee, enters.variant, enters.round));
                let outcome = self.space.shared(Shared::Out(key.round));
                let results = self.space.results(callee);
                let all = [vars, outcome.clone(), results.clone()].concat();
                let Some(point) = self.pick(set, &all) else { continue };
                let part = |vars: &[Var]| -> Point {
                    vars.iter().map(|&var| (var, point[&var])).collect()
                };
                let next = part(&self.space.next_entry(callee, enters.variant, enters.round));
                let caller = part(&self.frame(from, key.entered));
                // The call, the way to the return, and the return.
                let at = self.thread.key(from, key.entered, round, before);
                let mut after = part(&outcome);
                after.extend(part(&results));
                self.returned((callee, enters), (key.round, inside), &next, &after, taken)?;
                let now = self.entered_now(enters, &next, &after);
                let params =
                    (self.space.params(callee, Local::Next), self.space.params(callee, Local::Now));
                let entry = self.space.lowering.code().proc(callee).entry;
                let at_entry = (enters.round, enters.atomic);
                let inside = self.renamed(&now, &[params]);
                let first = self.taken(edge, entry, at_entry, &inside);
                taken.insert(0, first);
                let mut point = caller;
                let out = self.space.shared(Shared::Out(round));
                point.extend(out.iter().map(|var| (*var, now[var])));
                return Ok(Some((at, point)));
            }
        }
        Ok(None)
    }

    /// The steps from the entry of a procedure to its return; not the return itself.
    pub(super) fn returned(
        &mut self,
        (proc, entered): (ProcId, Entered),
        (round, length): (usize, usize),
        next: &Point,
        after: &Point,
        taken: &mut Vec<Taken>,
    ) -> Result<()> {
        let entry = self.entry((proc, entered), next)?;
        let after = self.cube(after)?;
        let flow = self.space.lowering.code();
        for (index, edge) in flow.edges.iter().enumerate() {
            if self.proc(edge.from) != proc || !(edge.control == Control::Return) {
                continue;
            }
            let key = self.thread.key(edge.from, Some(entered), round, length - 1);
            let id = EdgeId(index as u32);
            let step = self.steps.get(self.space, id, self.thread.owner(), round)?;
            let set = self.space.bdds.and(self.thread.set(key), entry)?;
            let set = step.before(self.space, set, after)?;
            if let Some(point) = self.pick(set, &self.vars(key)) {
                return self.walk(key, point, taken);
            }
        }
        Err(lost())
    }
}

/// The round in which the procedure of a configuration was entered.
fn first_round(key: Key) -> usize {
    key.entered.map_or(0, |entered| entered.round)
}
