//! # Seen from outside
//! What is known at the places of a thread, without its locals: a relation between the contexts of
//! the thread, or between the entry of a procedure and now. Calls that do not return are unwound:
//! what happens inside of them happens to the caller, and at last to the thread.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_bdd::Bdd;
use selvedge_core::{Control, Loc};
use selvedge_program::ProcId;

use super::{ByLength, Entered, Key, Of, Thread, grow};
use crate::Result;
use selvedge_evidence::relations::{Local, Shared, Space};

impl Thread {
    /// A relation at a procedure without its locals, with the values at its entry as next ones.
    pub(super) fn summary_form(
        &self,
        space: &mut Space<'_>,
        proc: ProcId,
        entered: Entered,
        set: Bdd,
    ) -> Result<Bdd> {
        let locals = space.locals(proc, Local::Now);
        let set = space.forget(set, &locals)?;
        let renamed = space.at_entry(proc, entered.variant, entered.round, false);
        space.rename(set, &renamed)
    }

    /// What is known at a location, seen from outside of the procedure: with history the contexts
    /// of the thread, without it a relation to the entry of the procedure.
    pub(super) fn outside(
        &self,
        space: &mut Space<'_>,
        key: Key,
        proc: ProcId,
        set: Bdd,
    ) -> Result<(Of, Bdd)> {
        match key.entered {
            Some(entered) if !self.history => {
                Ok((Some((proc, entered)), self.summary_form(space, proc, entered, set)?))
            }
            _ => {
                let forgotten = space.activation(proc, key.entered.map(|e| e.round));
                Ok((None, space.forget(set, &forgotten)?))
            }
        }
    }

    /// R11: the contexts that the thread can have had in this round, wherever it is.
    pub fn effect(&self, space: &mut Space<'_>, round: usize) -> Result<Bdd> {
        let stops = self.stops(space, round, Bdd::TRUE)?;
        let inside = self.unwind(space, round, stops)?;
        all_lengths(space, inside.get(&None))
    }

    /// Where the thread may stop in this round, with certain values.
    pub fn stops(
        &self,
        space: &mut Space<'_>,
        round: usize,
        values: Bdd,
    ) -> Result<FxHashMap<Of, ByLength>> {
        let mut seen: FxHashMap<Of, ByLength> = FxHashMap::default();
        let mut keys: Vec<Key> = self.sets.keys().copied().collect();
        keys.retain(|key| key.round == round && self.may_stop(space, key));
        keys.sort_unstable();
        for key in keys {
            let proc = self.proc_at(space, key.loc);
            let set = space.bdds.and(self.sets[&key], values)?;
            let (of, set) = self.outside(space, key, proc, set)?;
            let known = seen.entry(of).or_default().entry(key.length).or_insert(Bdd::FALSE);
            *known = space.bdds.or(*known, set)?;
        }
        Ok(seen)
    }

    /// The contexts with which the thread goes wrong in this round.
    pub fn wrong(&self, space: &mut Space<'_>, round: usize) -> Result<Bdd> {
        let inside = self.unwind(space, round, self.wrongs(round))?;
        all_lengths(space, inside.get(&None))
    }

    /// Where the thread goes wrong in this round.
    #[must_use]
    pub fn wrongs(&self, round: usize) -> FxHashMap<Of, ByLength> {
        let wrong = self.wrong.iter().filter(|((_, at), _)| *at == round);
        wrong.map(|((of, _), sets)| (*of, sets.clone())).collect()
    }

    /// What happens inside of calls that do not return, seen from each procedure that is on the
    /// way, and by the thread as a whole.
    pub fn unwind(
        &self,
        space: &mut Space<'_>,
        round: usize,
        mut inside: FxHashMap<Of, ByLength>,
    ) -> Result<FxHashMap<Of, ByLength>> {
        let items = inside.iter().flat_map(|(of, sets)| sets.iter().map(|(n, s)| ((*n, *of), *s)));
        let mut fresh: BTreeMap<(usize, Of), Bdd> = items.collect();
        let mut done: FxHashMap<Of, Bdd> = FxHashMap::default();
        while let Some(((length, of), new)) = fresh.pop_first() {
            let Some((callee, entered)) = of else { continue };
            // The shortest way is enough; recursion has ever longer ones.
            let new = grow(space, done.entry(of).or_insert(Bdd::FALSE), new)?;
            if new == Bdd::FALSE {
                continue;
            }
            for ((edge, caller_entered, _), before, called) in self.calls_of(space, callee, entered)
            {
                let forgotten = space.next_entry(callee, entered.variant, entered.round);
                let set = space.join(called, new, &forgotten)?;
                let from = space.lowering.code().edge(edge).from;
                let proc = self.proc_at(space, from);
                let key = self.key(from, caller_entered, round, 0);
                let (of, set) = self.outside(space, key, proc, set)?;
                let length = before + self.cost + length;
                let known = inside.entry(of).or_default().entry(length).or_insert(Bdd::FALSE);
                let new = grow(space, known, set)?;
                if new != Bdd::FALSE {
                    let waiting = fresh.entry((length, of)).or_insert(Bdd::FALSE);
                    *waiting = space.bdds.or(*waiting, new)?;
                }
            }
        }
        Ok(inside)
    }
}

impl Thread {
    /// R4 to R6, R8: the values with which each place is reached in a round, over the shared
    /// variables and the locals of now. Procedures that were summarised for all values are cut
    /// down to those that they are entered with.
    pub fn reachable(
        &self,
        space: &mut Space<'_>,
        round: usize,
        inputs: Bdd,
    ) -> Result<BTreeMap<Loc, Bdd>> {
        let entries = self.reachable_entries(space, inputs)?;
        let mut places = BTreeMap::new();
        for (key, &set) in self.sets.iter().filter(|(key, _)| key.round == round) {
            let proc = self.proc_at(space, key.loc);
            let entry = match key.entered {
                None => inputs,
                Some(entered) => entries.get(&(proc, entered)).copied().unwrap_or(Bdd::FALSE),
            };
            let mut forgotten = space.params(proc, Local::Entry);
            let entered = key.entered.map_or(0, |entered| entered.round);
            forgotten.extend(space.shared(Shared::Entry(entered)));
            forgotten.extend(space.contexts(round));
            let set = space.join(set, entry, &forgotten)?;
            let known = places.entry(key.loc).or_insert(Bdd::FALSE);
            *known = space.bdds.or(*known, set)?;
        }
        places.retain(|_, set| *set != Bdd::FALSE);
        Ok(places)
    }

    /// The values with which procedures are entered by calls that are reached.
    fn reachable_entries(
        &self,
        space: &mut Space<'_>,
        inputs: Bdd,
    ) -> Result<FxHashMap<(ProcId, Entered), Bdd>> {
        let mut entries: FxHashMap<(ProcId, Entered), Bdd> = FxHashMap::default();
        let mut calls: Vec<_> = self.calls.keys().copied().collect();
        calls.sort_unstable();
        loop {
            let mut is_new = false;
            for &(edge, of, round) in &calls {
                let flow = space.lowering.code();
                let (from, callee) = match flow.edge(edge).control {
                    Control::Call(proc) => (flow.edge(edge).from, proc),
                    _ => continue,
                };
                let caller = self.proc_at(space, from);
                let entered = match of {
                    None => inputs,
                    Some(of) => entries.get(&(caller, of)).copied().unwrap_or(Bdd::FALSE),
                };
                let called = all_lengths(space, self.calls.get(&(edge, of, round)))?;
                let mut forgotten = space.activation(caller, of.map(|e| e.round));
                forgotten.extend(space.contexts(round));
                let entry = space.join(called, entered, &forgotten)?;
                let enters = self.key(from, of, round, 0).enters(space, edge, callee);
                let renamed = space.at_entry(callee, enters.variant, round, true);
                let entry = space.rename(entry, &renamed)?;
                let known = entries.entry((callee, enters)).or_insert(Bdd::FALSE);
                is_new |= grow(space, known, entry)? != Bdd::FALSE;
            }
            if !is_new {
                return Ok(entries);
            }
        }
    }
}

fn all_lengths(space: &mut Space<'_>, sets: Option<&ByLength>) -> Result<Bdd> {
    let mut sets = sets.into_iter().flat_map(BTreeMap::values);
    sets.try_fold(Bdd::FALSE, |all, &set| space.bdds.or(all, set))
}
