//! # Points
//! One configuration of a thread: a value for each variable that matters at a place. What is not
//! read any more has no value.

use rustc_hash::FxHashMap;
use selvedge_bdd::{Bdd, Var};
use selvedge_core::{EdgeId, Loc};
use selvedge_program::ProcId;

use super::{Point, Taken, Walk};
use crate::Result;
use crate::summaries::{Entered, Key};
use selvedge_evidence::relations::{Local, Scalar, Shared};

impl Walk<'_, '_> {
    pub(super) fn proc(&self, loc: Loc) -> ProcId {
        self.space.proc_at(loc).unwrap_or(self.thread.proc())
    }

    /// The variables of a configuration: what it was entered with, and what may still be read.
    pub(super) fn vars(&self, key: Key) -> Vec<Var> {
        let mut vars = self.frame(key.loc, key.entered);
        vars.extend(self.space.shared(Shared::Out(key.round)));
        vars
    }

    /// The variables of a configuration, without the present values of shared ones.
    pub(super) fn frame(&self, loc: Loc, entered: Option<Entered>) -> Vec<Var> {
        let space = &*self.space;
        let proc = self.proc(loc);
        let mut vars = Vec::new();
        if let Some(entered) = entered {
            vars.extend(space.shared(Shared::Entry(entered.round)));
            vars.extend(space.params(proc, Local::Entry));
        }
        for place in space.live_at(loc) {
            vars.extend(space.scalar(place));
        }
        if let Some(proc) = space.received_at(loc) {
            vars.extend(space.results(proc));
        }
        vars
    }

    pub(super) fn pick(&self, set: Bdd, vars: &[Var]) -> Option<Point> {
        let values = self.space.bdds.pick_total(set, vars)?;
        Some(vars.iter().copied().zip(values).collect())
    }

    /// The set that consists of a point.
    pub(super) fn cube(&mut self, point: &Point) -> Result<Bdd> {
        let mut literals: Vec<_> = point.iter().map(|(&var, &value)| (var, value)).collect();
        literals.sort_unstable();
        self.space.bdds.cube_of(&literals)
    }

    /// The point with some variables under other names.
    pub(super) fn renamed(&self, point: &Point, lists: &[(Vec<Var>, Vec<Var>)]) -> Point {
        let pairs = lists.iter().flat_map(|(from, to)| from.iter().zip(to));
        let names: FxHashMap<Var, Var> = pairs.map(|(&from, &to)| (from, to)).collect();
        point.iter().map(|(var, &value)| (*names.get(var).unwrap_or(var), value)).collect()
    }

    /// A caller and what it enters a procedure with, as next values.
    pub(super) fn at_call(
        &self,
        set: Bdd,
        from: Loc,
        entered: Option<Entered>,
        (callee, enters): (ProcId, Entered),
    ) -> Result<Option<(Point, Point)>> {
        let next = self.space.next_entry(callee, enters.variant, enters.round);
        let mut frame = self.frame(from, entered);
        frame.extend(self.space.untouched(enters.variant, Shared::Out(enters.round)));
        let all: Vec<Var> = frame.iter().chain(&next).copied().collect();
        let Some(point) = self.pick(set, &all) else { return Ok(None) };
        let part = |vars: &[Var]| vars.iter().map(|&var| (var, point[&var])).collect();
        Ok(Some((part(&frame), part(&next))))
    }

    /// The values with which a procedure is entered, from those that a call prepares.
    pub(super) fn entry(
        &mut self,
        (callee, enters): (ProcId, Entered),
        next: &Point,
    ) -> Result<Bdd> {
        let old =
            self.renamed(next, &self.space.at_entry(callee, enters.variant, enters.round, true));
        self.cube(&old)
    }

    /// The steps to a call, and the call itself.
    pub(super) fn call(
        &mut self,
        key: Key,
        caller: Point,
        next: &Point,
        edge: EdgeId,
        callee: ProcId,
        taken: &mut Vec<Taken>,
    ) -> Result<()> {
        let enters = key.enters(self.space, edge, callee);
        let now = self.entered_now(enters, next, &caller);
        let mut point = caller;
        point.extend(self.space.shared(Shared::Out(key.round)).iter().map(|var| (*var, now[var])));
        self.walk(key, point, taken)?;
        let entry = self.space.lowering.code().proc(callee).entry;
        let params =
            (self.space.params(callee, Local::Next), self.space.params(callee, Local::Now));
        let inside = self.renamed(&now, &[params]);
        taken.push(self.taken(edge, entry, (enters.round, enters.atomic), &inside));
        Ok(())
    }

    /// The values with which a procedure is entered as those of now, with what it does not touch.
    pub(super) fn entered_now(&self, enters: Entered, next: &Point, others: &Point) -> Point {
        let (space, out) = (&*self.space, Shared::Out(enters.round));
        let touched = (
            space.touched(enters.variant, Shared::Next(enters.round)),
            space.touched(enters.variant, out),
        );
        let mut now = self.renamed(next, &[touched]);
        now.extend(space.untouched(enters.variant, out).iter().map(|var| (*var, others[var])));
        now
    }

    /// The values that are known after a step, in a round, inside of an atomic section or not.
    pub(super) fn taken(
        &self,
        edge: EdgeId,
        loc: Loc,
        (round, inside): (usize, bool),
        point: &Point,
    ) -> Taken {
        let space = &*self.space;
        let bit = |var: Var| point.get(&var).copied().unwrap_or(false);
        let known = |place: Scalar| space.scalar(place).iter().all(|var| point.contains_key(var));
        let globals = 0..space.lowering.code().shared.len();
        let globals = globals.map(|slot| Scalar::Shared(slot, Shared::Out(round)));
        let globals = globals.map(|place| space.value(place, &bit)).collect();
        let locals = space.live_at(loc).into_iter().filter(|place| known(*place));
        let locals = locals.filter_map(|place| match place {
            Scalar::Local(_, slot, _) => Some((slot, space.value(place, &bit))),
            _ => None,
        });
        let locals = locals.collect();
        let results = space.received_at(loc).map(|proc| {
            let count = space.lowering.program().procs[proc.index()].results.len();
            (0..count).map(|slot| space.value(Scalar::Result(proc, slot), &bit)).collect()
        });
        let results = results.unwrap_or_default();
        Taken { round, edge, inside, loc: Some(loc), globals, locals, results }
    }
}
