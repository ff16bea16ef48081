//! # Summaries
//!
//! **Question.** Which valuations reach which location of one thread, round by round, if the
//! shared variables may change between its contexts?
//!
//! **Idea.** For every location a relation: the values with which its procedure was entered, the
//! shared variables at the start and at the end of each context so far, and the values now. A
//! summary is the relation at the end of a procedure. Calls are steps over summaries.
//!
//! The rules are those of Lal and Reps: R1 (a statement), R2 (a call whose summary is known), R3
//! (a summary), R7 (a procedure is entered with the values that it is called with), and R8/R9 (the
//! next context begins; [`Thread::enter`]). Of the paper's three tuples of shared states we keep
//! what is independent. While a procedure runs, contexts before its entry do not change, and those
//! after the present one have not begun: so one copy at the entry is enough, and relations are
//! indexed by the round of the entry and the present round.
//!
//! **Choices.** [`Calls::Eager`] (R0) summarises all procedures for all values; [`Calls::Lazy`]
//! only for those that occur. With *history*, a called procedure remembers the contexts before its
//! entry: that is needed to tell which values can come next, as the lazy algorithm does. Without,
//! its summary serves all callers.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_bdd::{Bdd, Var};
use selvedge_program::flow::{Command, EdgeId, Loc};
use selvedge_program::{ProcId, ThreadStart};

use crate::Result;
use crate::space::{Local, Scalar, Shared, Space};
use crate::steps::Steps;

/// For which values procedures are summarised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Calls {
    /// For all values, whether they occur or not.
    Eager,
    /// For the values that they are called with.
    #[default]
    Lazy,
}

/// Which relation: where the thread is, in which round, and when the procedure was entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The present round.
    pub round: usize,
    /// The place of the location in a walk through its procedure.
    rank: u32,
    /// The location.
    pub loc: Loc,
    /// The round in which the procedure was entered; none for the procedure that the thread
    /// itself is.
    pub entered: Option<usize>,
}

/// The analysis of one thread.
pub struct Thread {
    start: ThreadStart,
    history: bool,
    calls_mode: Calls,
    /// The relations.
    sets: FxHashMap<Key, Bdd>,
    /// What is new in them and was not looked at.
    fresh: FxHashMap<Key, Bdd>,
    work: BTreeSet<Key>,
    /// At calls: with the values that the procedure is entered with, as next ones.
    calls: FxHashMap<(EdgeId, Option<usize>, usize), Bdd>,
    /// Summaries by the rounds of entry and return, with the values at the entry as next ones.
    summaries: FxHashMap<(ProcId, usize, usize), Bdd>,
    /// The values with which a procedure (none: the thread) goes wrong in a round.
    wrong: FxHashMap<(Option<(ProcId, usize)>, usize), Bdd>,
    callers: Vec<Vec<EdgeId>>,
    ranks: Vec<u32>,
}

impl Thread {
    /// A thread that has not begun.
    #[must_use]
    pub fn new(space: &Space<'_>, start: ThreadStart, history: bool, calls: Calls) -> Self {
        let flow = space.lowering.flow();
        let mut callers = vec![Vec::new(); space.lowering.program().procs.len()];
        for (index, edge) in flow.edges.iter().enumerate() {
            if let Command::Call { proc, .. } = edge.command {
                callers[proc.index()].push(EdgeId(index as u32));
            }
        }
        Thread {
            start,
            history,
            calls_mode: calls,
            sets: FxHashMap::default(),
            fresh: FxHashMap::default(),
            work: BTreeSet::new(),
            calls: FxHashMap::default(),
            summaries: FxHashMap::default(),
            wrong: FxHashMap::default(),
            callers,
            ranks: ranks(space),
        }
    }

    /// All diagrams that are kept.
    pub fn diagrams(&self) -> impl Iterator<Item = Bdd> {
        let sets = self.sets.values().chain(self.fresh.values()).chain(self.calls.values());
        sets.chain(self.summaries.values()).chain(self.wrong.values()).copied()
    }

    /// The relations, by location.
    pub fn sets(&self) -> impl Iterator<Item = (Key, Bdd)> {
        self.sets.iter().map(|(key, set)| (*key, *set))
    }

    fn key(&self, loc: Loc, entered: Option<usize>, round: usize) -> Key {
        Key { round, rank: self.ranks[loc.index()], loc, entered }
    }

    /// Begins a round, with the inputs that are possible there: a relation between the contexts so
    /// far and the start of the next.
    pub fn enter(&mut self, space: &mut Space<'_>, round: usize, inputs: Bdd) -> Result<()> {
        let (input, output) = (space.shared(Shared::In(round)), space.shared(Shared::Out(round)));
        let same = space.same(&input, &output)?;
        let inputs = space.bdds.and(inputs, same)?;
        let Some(before) = round.checked_sub(1) else { return self.begin(space, inputs) };
        if self.calls_mode == Calls::Eager {
            self.enter_all_procedures(space, round)?;
        }
        let mut keys: Vec<Key> = self.sets.keys().copied().collect();
        keys.retain(|key| key.round == before && can_switch(space, key.loc));
        keys.sort_unstable();
        for key in keys {
            let set = space.bdds.and(self.sets[&key], inputs)?;
            self.add(space, Key { round, ..key }, set)?;
        }
        Ok(())
    }

    fn begin(&mut self, space: &mut Space<'_>, mut set: Bdd) -> Result<()> {
        let proc = self.start.proc;
        let entry = space.lowering.flow().entries[proc.index()];
        for (slot, value) in self.start.locals.clone().iter().enumerate() {
            let value = space.has_value(Scalar::Local(proc, slot, Local::Now), value)?;
            set = space.bdds.and(set, value)?;
        }
        if self.calls_mode == Calls::Eager {
            self.enter_all_procedures(space, 0)?;
        }
        self.arrive(space, self.key(entry, None, 0), set)
    }

    /// R0: every procedure is entered with all values.
    fn enter_all_procedures(&mut self, space: &mut Space<'_>, round: usize) -> Result<()> {
        let called = (0..self.callers.len()).filter(|&proc| !self.callers[proc].is_empty());
        for proc in called.collect::<Vec<_>>() {
            self.enter_procedure(space, ProcId(proc as u32), round, Bdd::TRUE)?;
        }
        Ok(())
    }

    /// Adds configurations at a location, where values that are never read are forgotten.
    fn arrive(&mut self, space: &mut Space<'_>, key: Key, set: Bdd) -> Result<()> {
        let dead = dead(space, key.loc);
        let set = space.forget(set, &dead)?;
        self.add(space, key, set)
    }

    fn add(&mut self, space: &mut Space<'_>, key: Key, set: Bdd) -> Result<()> {
        let known = self.sets.entry(key).or_insert(Bdd::FALSE);
        let new = grow(space, known, set)?;
        if new != Bdd::FALSE {
            let fresh = self.fresh.entry(key).or_insert(Bdd::FALSE);
            *fresh = space.bdds.or(*fresh, new)?;
            self.work.insert(key);
        }
        Ok(())
    }

    /// Applies the rules until nothing is new. `keep` are diagrams that others need.
    pub fn saturate(
        &mut self,
        space: &mut Space<'_>,
        steps: &mut Steps,
        keep: &[Bdd],
    ) -> Result<()> {
        while let Some(key) = self.work.pop_first() {
            if space.bdds.should_collect() {
                let roots = self.diagrams().chain(steps.diagrams()).chain(keep.iter().copied());
                space.bdds.collect(roots);
            }
            let new = self.fresh.remove(&key).unwrap_or(Bdd::FALSE);
            self.step(space, steps, key, new)?;
        }
        Ok(())
    }

    fn step(&mut self, space: &mut Space<'_>, steps: &mut Steps, key: Key, new: Bdd) -> Result<()> {
        let lowering = space.lowering;
        let flow = lowering.flow();
        let proc = flow.location(key.loc).proc;
        for &id in &flow.location(key.loc).edges {
            let edge = flow.edge(id);
            let step = steps.get(space, id, self.start.owner, key.round)?;
            let wrong = space.bdds.and(new, step.wrong)?;
            if wrong != Bdd::FALSE {
                self.goes_wrong(space, key, proc, wrong)?;
            }
            match edge.command {
                Command::Call { proc: callee, .. } => {
                    let called = space.bdds.and(new, step.call)?;
                    let out = space.shared(Shared::Out(key.round));
                    let called = space.rename(called, &[(out, space.shared(Shared::Next))])?;
                    self.call(space, key, id, callee, called)?;
                }
                Command::Return(_) if key.entered.is_none() => {}
                Command::Return(_) => {
                    let after = step.image(space, new)?;
                    self.returns(space, key, proc, after)?;
                }
                _ => {
                    let after = step.image(space, new)?;
                    if after != Bdd::FALSE {
                        let to = self.key(edge.to, key.entered, key.round);
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
        let known = self.calls.entry((edge, key.entered, key.round)).or_insert(Bdd::FALSE);
        let new = grow(space, known, called)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        if self.calls_mode == Calls::Lazy {
            let mut forgotten = space.activation(space.lowering.flow().location(key.loc).proc);
            if !self.history {
                forgotten.extend(space.contexts(key.round));
            }
            let entry = space.forget(new, &forgotten)?;
            self.enter_procedure(space, callee, key.round, entry)?;
        }
        for round in key.round..space.rounds {
            if let Some(&summary) = self.summaries.get(&(callee, key.round, round)) {
                self.resume(space, (edge, key.entered, callee), round, new, summary)?;
            }
        }
        Ok(())
    }

    /// Enters a procedure with the values that are the next ones.
    fn enter_procedure(
        &mut self,
        space: &mut Space<'_>,
        proc: ProcId,
        round: usize,
        entry: Bdd,
    ) -> Result<()> {
        let renamed = space.at_entry(proc, true);
        let entry = space.rename(entry, &renamed)?;
        let (old, now) = (space.shared(Shared::Entry), space.shared(Shared::Out(round)));
        let same = space.same(&old, &now)?;
        let (old, now) = (space.params(proc, Local::Entry), space.params(proc, Local::Now));
        let params = space.same(&old, &now)?;
        let same = space.bdds.and(same, params)?;
        let set = space.bdds.and(entry, same)?;
        let loc = space.lowering.flow().entries[proc.index()];
        self.arrive(space, self.key(loc, Some(round), round), set)
    }

    /// R3 and R2: a procedure returns.
    fn returns(&mut self, space: &mut Space<'_>, key: Key, proc: ProcId, after: Bdd) -> Result<()> {
        let Some(entered) = key.entered else { return Ok(()) };
        let summary = self.summary_form(space, proc, after)?;
        let known = self.summaries.entry((proc, entered, key.round)).or_insert(Bdd::FALSE);
        let new = grow(space, known, summary)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        for (edge, of, called) in self.calls_of(proc, entered) {
            self.resume(space, (edge, of, proc), key.round, called, new)?;
        }
        Ok(())
    }

    /// The calls of a procedure in a round.
    fn calls_of(&self, proc: ProcId, round: usize) -> Vec<(EdgeId, Option<usize>, Bdd)> {
        let entered = || std::iter::once(None).chain((0..=round).map(Some));
        let edges = self.callers[proc.index()].iter();
        let calls = edges.flat_map(|&edge| entered().map(move |of| (edge, of)));
        calls
            .filter_map(|(edge, of)| Some((edge, of, *self.calls.get(&(edge, of, round))?)))
            .collect()
    }

    /// A call goes on after it, over a summary.
    fn resume(
        &mut self,
        space: &mut Space<'_>,
        (edge, entered, callee): (EdgeId, Option<usize>, ProcId),
        round: usize,
        called: Bdd,
        summary: Bdd,
    ) -> Result<()> {
        let mut forgotten = space.next_entry(callee);
        let to = space.lowering.flow().edge(edge).to;
        if !space.lowering.flow().receives(to) {
            forgotten.extend(space.results(callee));
        }
        let after = space.join(called, summary, &forgotten)?;
        if after == Bdd::FALSE {
            return Ok(());
        }
        self.arrive(space, self.key(to, entered, round), after)
    }

    /// A relation at a procedure without its locals, with the values at its entry as next ones.
    fn summary_form(&self, space: &mut Space<'_>, proc: ProcId, set: Bdd) -> Result<Bdd> {
        let locals = space.locals(proc, Local::Now);
        let set = space.forget(set, &locals)?;
        let renamed = space.at_entry(proc, false);
        space.rename(set, &renamed)
    }

    fn goes_wrong(
        &mut self,
        space: &mut Space<'_>,
        key: Key,
        proc: ProcId,
        set: Bdd,
    ) -> Result<()> {
        let (of, set) = self.outside(space, key, proc, set)?;
        let known = self.wrong.entry((of, key.round)).or_insert(Bdd::FALSE);
        grow(space, known, set)?;
        Ok(())
    }

    /// What is known at a location, seen from outside of the procedure: with history the contexts
    /// of the thread, without it a relation to the entry of the procedure.
    fn outside(
        &self,
        space: &mut Space<'_>,
        key: Key,
        proc: ProcId,
        set: Bdd,
    ) -> Result<(Option<(ProcId, usize)>, Bdd)> {
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
        let mut keys: Vec<Key> = self.sets.keys().copied().collect();
        keys.retain(|key| key.round == round && can_switch(space, key.loc));
        keys.sort_unstable();
        let mut seen: FxHashMap<Option<(ProcId, usize)>, Bdd> = FxHashMap::default();
        for key in keys {
            let proc = space.lowering.flow().location(key.loc).proc;
            let (of, set) = self.outside(space, key, proc, self.sets[&key])?;
            let known = seen.entry(of).or_insert(Bdd::FALSE);
            *known = space.bdds.or(*known, set)?;
        }
        self.unwind(space, round, seen)
    }

    /// The contexts with which the thread goes wrong in this round.
    pub fn wrong(&self, space: &mut Space<'_>, round: usize) -> Result<Bdd> {
        let wrong = self.wrong.iter().filter(|((_, at), _)| *at == round);
        self.unwind(space, round, wrong.map(|((of, _), set)| (*of, *set)).collect())
    }

    /// What happens inside of calls that do not return, seen by the thread as a whole.
    fn unwind(
        &self,
        space: &mut Space<'_>,
        round: usize,
        mut inside: FxHashMap<Option<(ProcId, usize)>, Bdd>,
    ) -> Result<Bdd> {
        let mut fresh = inside.clone();
        while let Some(of) = fresh.keys().copied().flatten().min() {
            let new = fresh.remove(&Some(of)).unwrap_or(Bdd::FALSE);
            let (callee, entered) = of;
            for (edge, caller_entered, called) in self.calls_of(callee, entered) {
                let forgotten = space.next_entry(callee);
                let set = space.join(called, new, &forgotten)?;
                let from = space.lowering.flow().edge(edge).from;
                let proc = space.lowering.flow().location(from).proc;
                let key = self.key(from, caller_entered, round);
                let (of, set) = self.outside(space, key, proc, set)?;
                let known = inside.entry(of).or_insert(Bdd::FALSE);
                let new = grow(space, known, set)?;
                if new != Bdd::FALSE {
                    let waiting = fresh.entry(of).or_insert(Bdd::FALSE);
                    *waiting = space.bdds.or(*waiting, new)?;
                }
            }
        }
        Ok(inside.remove(&None).unwrap_or(Bdd::FALSE))
    }
}

/// Adds to a set; what was new.
fn grow(space: &mut Space<'_>, known: &mut Bdd, set: Bdd) -> Result<Bdd> {
    let new = space.bdds.diff(set, *known)?;
    *known = space.bdds.or(*known, new)?;
    Ok(new)
}

/// Whether another thread may go on when this one is here.
fn can_switch(space: &Space<'_>, loc: Loc) -> bool {
    let flow = space.lowering.flow();
    !flow.location(loc).atomic && !flow.receives(loc)
}

/// The variables of locals that are never read from a location on.
fn dead(space: &Space<'_>, loc: Loc) -> Vec<Var> {
    let proc = space.lowering.flow().location(loc).proc;
    let live = space.lowering.live_slots(loc);
    let all = 0..space.lowering.local_types(proc).len();
    let dead = all.filter(|slot| !live.contains(slot));
    dead.flat_map(|slot| space.scalar(Scalar::Local(proc, slot, Local::Now))).collect()
}

/// The place of each location in a walk through its procedure that sees what comes before first.
fn ranks(space: &Space<'_>) -> Vec<u32> {
    let flow = space.lowering.flow();
    let mut order = Vec::new();
    let mut seen = vec![false; flow.locations.len()];
    for &entry in &flow.entries {
        // Depth first; a location is done when all its edges are.
        let mut path = vec![(entry, 0)];
        seen[entry.index()] = true;
        while let Some((loc, next)) = path.last_mut() {
            match flow.location(*loc).edges.get(*next) {
                Some(&edge) => {
                    *next += 1;
                    let to = flow.edge(edge).to;
                    let leaves = matches!(flow.edge(edge).command, Command::Return(_));
                    if !leaves && !std::mem::replace(&mut seen[to.index()], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(*loc);
                    path.pop();
                }
            }
        }
    }
    let mut ranks = vec![0; flow.locations.len()];
    for (rank, loc) in order.into_iter().rev().enumerate() {
        ranks[loc.index()] = rank as u32;
    }
    ranks
}
