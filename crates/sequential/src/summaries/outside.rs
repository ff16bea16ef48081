//! # Seen from outside
//! What is known at the places of a thread, without its locals: a relation between the contexts of
//! the thread, or between the entry of a procedure and now. Calls that do not return are unwound:
//! what happens inside of them happens to the caller, and at last to the thread.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_bdd::Bdd;
use selvedge_program::ProcId;

use super::{ByLength, Key, Of, Thread, grow};
use crate::Result;
use crate::space::{Local, Space};

impl Thread {
    /// A relation at a procedure without its locals, with the values at its entry as next ones.
    pub(super) fn summary_form(
        &self,
        space: &mut Space<'_>,
        proc: ProcId,
        set: Bdd,
    ) -> Result<Bdd> {
        let locals = space.locals(proc, Local::Now);
        let set = space.forget(set, &locals)?;
        let renamed = space.at_entry(proc, false);
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
                Ok((Some((proc, entered)), self.summary_form(space, proc, set)?))
            }
            _ => {
                let forgotten = space.activation(proc);
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
        keys.retain(|key| key.round == round && key.can_switch(space));
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
        while let Some(((length, of), new)) = fresh.pop_first() {
            let Some((callee, entered)) = of else { continue };
            for ((edge, caller_entered, _), before, called) in self.calls_of(space, callee, entered)
            {
                let forgotten = space.next_entry(callee);
                let set = space.join(called, new, &forgotten)?;
                let from = space.lowering.flow().edge(edge).from;
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

fn all_lengths(space: &mut Space<'_>, sets: Option<&ByLength>) -> Result<Bdd> {
    let mut sets = sets.into_iter().flat_map(BTreeMap::values);
    sets.try_fold(Bdd::FALSE, |all, &set| space.bdds.or(all, set))
}
