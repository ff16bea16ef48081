//! # The rules
//! What follows from new configurations at one place: a step, a call, a return, a switch.

use selvedge_bdd::Bdd;
use selvedge_core::{Control, EdgeId};
use selvedge_program::ProcId;

use super::{CallKey, Calls, Entered, Key, Thread, begins, grow};
use crate::Result;
use crate::places::END;
use selvedge_evidence::relations::Steps;
use selvedge_evidence::relations::{Local, Shared, Space};

impl Thread {
    pub(super) fn step(
        &mut self,
        space: &mut Space<'_>,
        steps: &mut Steps,
        key: Key,
        new: Bdd,
    ) -> Result<()> {
        let lowering = space.lowering;
        let flow = lowering.code();
        let proc = self.proc_at(space, key.loc);
        let length = key.length + self.cost;
        if let Some(&inputs) = self.inputs.get(key.round + 1)
            && key.can_switch(space)
        {
            let inputs = begins(space, key.round + 1, inputs)?;
            let set = space.bdds.and(new, inputs)?;
            self.add(space, Key { round: key.round + 1, ..key }, set)?;
        }
        for id in space.edges_at(key.loc).to_vec() {
            let edge = flow.edge(id);
            let step = steps.get(space, id, self.start.owner, key.round)?;
            let wrong = space.bdds.and(new, step.wrong)?;
            if wrong != Bdd::FALSE {
                let (of, set) = self.outside(space, key, proc, wrong)?;
                let known = self.wrong.entry((of, key.round)).or_default();
                grow(space, known.entry(length).or_insert(Bdd::FALSE), set)?;
            }
            match edge.control {
                Control::Call(callee) => {
                    let called = space.bdds.and(new, step.call)?;
                    let variant = key.enters(space, id, callee).variant;
                    let out = space.touched(variant, Shared::Out(key.round));
                    let next = space.touched(variant, Shared::Next(key.round));
                    let called = space.rename(called, &[(out, next)])?;
                    self.call(space, key, id, callee, called)?;
                }
                Control::Return if key.entered.is_none() => {
                    if space.is_atomic(key.loc) {
                        let after = step.image(space, new)?;
                        let forgotten = [space.locals(proc, Local::Now), space.results(proc)];
                        let after = space.forget(after, &forgotten.concat())?;
                        self.add(space, self.key(END, None, key.round, length), after)?;
                    }
                }
                Control::Return => {
                    let after = step.image(space, new)?;
                    self.returns(space, Key { length, ..key }, proc, after)?;
                }
                _ => {
                    let after = step.image(space, new)?;
                    if after != Bdd::FALSE {
                        let to = self.key(edge.to, key.entered, key.round, length);
                        self.arrive(space, to, after)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// R7 and R2: a call with new values.
    fn call(
        &mut self,
        space: &mut Space<'_>,
        key: Key,
        edge: EdgeId,
        callee: ProcId,
        called: Bdd,
    ) -> Result<()> {
        let known = self.calls.entry((edge, key.entered, key.round)).or_default();
        let new = grow(space, known.entry(key.length).or_insert(Bdd::FALSE), called)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        let enters = key.enters(space, edge, callee);
        if self.calls_mode == Calls::Lazy {
            let mut forgotten =
                space.activation(self.proc_at(space, key.loc), key.entered.map(|e| e.round));
            forgotten.extend(space.untouched(enters.variant, Shared::Out(key.round)));
            if !self.history {
                forgotten.extend(space.contexts(key.round));
            }
            let entry = space.forget(new, &forgotten)?;
            self.enter_procedure(space, callee, enters, entry)?;
        }
        for round in key.round..space.rounds {
            for (length, summary) in self.summary(callee, enters, round) {
                let length = key.length + self.cost + length;
                let call = (edge, key.entered, callee);
                self.resume(space, call, enters, (round, length), new, summary)?;
            }
        }
        Ok(())
    }

    /// Enters a procedure with the values that are the next ones.
    pub(super) fn enter_procedure(
        &mut self,
        space: &mut Space<'_>,
        proc: ProcId,
        entered: Entered,
        entry: Bdd,
    ) -> Result<()> {
        let Entered { round, variant, .. } = entered;
        let renamed = space.at_entry(proc, variant, round, true);
        let entry = space.rename(entry, &renamed)?;
        let old = space.touched(variant, Shared::Entry(round));
        let now = space.touched(variant, Shared::Out(round));
        let same = space.same(&old, &now)?;
        let (old, now) = (space.params(proc, Local::Entry), space.params(proc, Local::Now));
        let params = space.same(&old, &now)?;
        let same = space.bdds.and(same, params)?;
        let set = space.bdds.and(entry, same)?;
        let known = self.entries.entry((proc, entered)).or_insert(Bdd::FALSE);
        grow(space, known, set)?;
        let loc = space.lowering.code().proc(proc).entry;
        self.arrive(space, self.key(loc, Some(entered), round, 0), set)
    }

    /// R3 and R2: a procedure returns.
    fn returns(&mut self, space: &mut Space<'_>, key: Key, proc: ProcId, after: Bdd) -> Result<()> {
        let Some(entered) = key.entered else { return Ok(()) };
        let summary = self.summary_form(space, proc, entered, after)?;
        let known = self.summaries.entry((proc, entered, key.round)).or_default();
        let new = grow(space, known.entry(key.length).or_insert(Bdd::FALSE), summary)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        for ((edge, of, _), length, called) in self.calls_of(space, proc, entered) {
            let length = length + self.cost + key.length;
            let call = (edge, of, proc);
            self.resume(space, call, entered, (key.round, length), called, new)?;
        }
        Ok(())
    }

    /// The calls that enter a procedure in this way.
    #[must_use]
    pub fn calls_of(
        &self,
        space: &Space<'_>,
        proc: ProcId,
        entered: Entered,
    ) -> Vec<(CallKey, usize, Bdd)> {
        let round = entered.round;
        let from = |edge: EdgeId| space.lowering.code().edge(edge).from;
        let outer = |edge: EdgeId| {
            let variants = space.touched.variants(self.proc_at(space, from(edge)));
            let rounds = variants.flat_map(move |variant| (0..=round).map(move |r| (variant, r)));
            let both = |(variant, round)| {
                [false, true].map(|atomic| Some(Entered { round, atomic, variant }))
            };
            std::iter::once(None).chain(rounds.flat_map(both))
        };
        let edges = self.callers[proc.index()].iter();
        let keys = edges.flat_map(|&edge| outer(edge).map(move |of| (edge, of, round)));
        let fits = |(edge, of, _): &CallKey| {
            self.key(from(*edge), *of, round, 0).enters(space, *edge, proc) == entered
        };
        let calls = keys.filter(fits).filter_map(|key| Some((key, self.calls.get(&key)?)));
        calls.flat_map(|(key, sets)| sets.iter().map(move |(n, set)| (key, *n, *set))).collect()
    }

    /// A call goes on after it, over a summary.
    fn resume(
        &mut self,
        space: &mut Space<'_>,
        (edge, entered, callee): (EdgeId, Option<Entered>, ProcId),
        enters: Entered,
        (round, length): (usize, usize),
        called: Bdd,
        summary: Bdd,
    ) -> Result<()> {
        let mut forgotten = space.next_entry(callee, enters.variant, enters.round);
        let to = space.lowering.code().edge(edge).to;
        if space.received_at(to).is_none() {
            forgotten.extend(space.results(callee));
        }
        let after = space.join(called, summary, &forgotten)?;
        if after == Bdd::FALSE {
            return Ok(());
        }
        self.arrive(space, self.key(to, entered, round, length), after)
    }
}
