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
//!
//! **Lengths.** To find a shortest run, the same rules count steps: relations are then split by
//! the number of steps since the procedure was entered, the shortest first. For that all entries
//! must be known beforehand ([`Thread::measured`]).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use selvedge_bdd::Bdd;
use selvedge_program::flow::{Command, EdgeId, Loc};
use selvedge_program::{ProcId, ThreadStart};

use crate::Result;
use crate::places::END;
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

/// When and how a procedure was entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entered {
    /// The round.
    pub round: usize,
    /// Whether it was called inside of an atomic section: then nothing else happens until it
    /// returns.
    pub atomic: bool,
}

/// Which relation: where the thread is, in which round, and when the procedure was entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The steps since the procedure was entered, if they are counted; otherwise 0.
    pub length: usize,
    /// The present round.
    pub round: usize,
    /// The place of the location in a walk through its procedure.
    rank: u32,
    /// The location.
    pub loc: Loc,
    /// When the procedure was entered; none for the procedure that the thread itself is.
    pub entered: Option<Entered>,
}

impl Key {
    /// How a procedure is entered that is called here.
    #[must_use]
    pub fn enters(&self, space: &Space<'_>) -> Entered {
        let atomic = space.is_atomic(self.loc);
        let inherited = self.entered.is_some_and(|entered| entered.atomic);
        Entered { round: self.round, atomic: atomic || inherited }
    }

    /// Whether another thread may go on now.
    #[must_use]
    pub fn can_switch(&self, space: &Space<'_>) -> bool {
        !self.enters(space).atomic && space.received_at(self.loc).is_none()
    }
}

/// A call: the edge, when the procedure of the caller was entered, and the round of the call.
pub type CallKey = (EdgeId, Option<Entered>, usize);

/// Seen from outside: which procedure, and when it was entered; none is the thread itself.
pub type Of = Option<(ProcId, Entered)>;

/// Sets by the number of steps.
pub type ByLength = BTreeMap<usize, Bdd>;

/// The analysis of one thread.
pub struct Thread {
    start: ThreadStart,
    history: bool,
    calls_mode: Calls,
    /// What a step counts: 1, or 0 if steps are not counted.
    cost: usize,
    /// The inputs of the rounds, if they are known beforehand.
    inputs: Vec<Bdd>,
    /// Longer runs are of no interest.
    longest: usize,
    /// The relations.
    sets: FxHashMap<Key, Bdd>,
    /// The relations for all lengths, as those of length 0.
    known: FxHashMap<Key, Bdd>,
    /// What is new in them and was not looked at.
    fresh: FxHashMap<Key, Bdd>,
    work: BTreeSet<Key>,
    /// With which values procedures were entered.
    entries: FxHashMap<(ProcId, Entered), Bdd>,
    /// At calls: with the values that the procedure is entered with, as next ones.
    calls: FxHashMap<CallKey, ByLength>,
    /// Summaries by the rounds of entry and return, with the values at the entry as next ones.
    summaries: FxHashMap<(ProcId, Entered, usize), ByLength>,
    /// The values with which a procedure goes wrong in a round.
    wrong: FxHashMap<(Of, usize), ByLength>,
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
            cost: 0,
            inputs: Vec::new(),
            longest: usize::MAX,
            sets: FxHashMap::default(),
            known: FxHashMap::default(),
            fresh: FxHashMap::default(),
            work: BTreeSet::new(),
            entries: FxHashMap::default(),
            calls: FxHashMap::default(),
            summaries: FxHashMap::default(),
            wrong: FxHashMap::default(),
            callers,
            ranks: space.ranks(),
        }
    }

    /// The same analysis again, for known inputs, with steps counted.
    pub fn measured(self, space: &mut Space<'_>, inputs: Vec<Bdd>) -> Result<Self> {
        let mut entries: Vec<_> = self.entries.into_iter().collect();
        entries.sort_unstable();
        let start = Thread::new(space, self.start, self.history, Calls::Eager);
        let mut thread = Thread { cost: 1, inputs, ..start };
        for ((proc, entered), set) in entries {
            let loc = space.lowering.flow().entries[proc.index()];
            thread.arrive(space, thread.key(loc, Some(entered), entered.round, 0), set)?;
        }
        Ok(thread)
    }

    /// All diagrams that are kept.
    pub fn diagrams(&self) -> impl Iterator<Item = Bdd> {
        let sets = self.sets.values().chain(self.known.values()).chain(self.fresh.values());
        let lengths = self.calls.values().chain(self.summaries.values());
        let lengths = lengths.chain(self.wrong.values()).flat_map(BTreeMap::values);
        sets.chain(lengths).chain(self.entries.values()).chain(&self.inputs).copied()
    }

    /// The procedure that the thread is.
    #[must_use]
    pub fn proc(&self) -> ProcId {
        self.start.proc
    }

    /// The thread as an owner of locks.
    #[must_use]
    pub fn owner(&self) -> u32 {
        self.start.owner
    }

    /// The relation of a key.
    #[must_use]
    pub fn set(&self, key: Key) -> Bdd {
        self.sets.get(&key).copied().unwrap_or(Bdd::FALSE)
    }

    /// The values of a call, by length.
    #[must_use]
    pub fn called(&self, call: CallKey) -> ByLength {
        self.calls.get(&call).cloned().unwrap_or_default()
    }

    /// The summary of a procedure between two rounds, by length.
    #[must_use]
    pub fn summary(&self, proc: ProcId, entered: Entered, round: usize) -> ByLength {
        self.summaries.get(&(proc, entered, round)).cloned().unwrap_or_default()
    }

    /// The key of a relation.
    #[must_use]
    pub fn key(&self, loc: Loc, entered: Option<Entered>, round: usize, length: usize) -> Key {
        let rank = self.ranks.get(loc.index()).copied().unwrap_or(u32::MAX);
        Key { length, round, rank, loc, entered }
    }

    /// The procedure of a place.
    fn proc_at(&self, space: &Space<'_>, loc: Loc) -> ProcId {
        space.proc_at(loc).unwrap_or(self.start.proc)
    }

    /// Begins a round, with the inputs that are possible there: a relation between the contexts so
    /// far and the start of the next.
    pub fn enter(&mut self, space: &mut Space<'_>, round: usize, inputs: Bdd) -> Result<()> {
        let inputs = begins(space, round, inputs)?;
        let Some(before) = round.checked_sub(1) else { return self.begin(space, inputs) };
        if self.calls_mode == Calls::Eager {
            self.enter_all_procedures(space, round)?;
        }
        let mut keys: Vec<Key> = self.sets.keys().copied().collect();
        keys.retain(|key| key.round == before && key.can_switch(space));
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
        if self.calls_mode == Calls::Eager && self.cost == 0 {
            self.enter_all_procedures(space, 0)?;
        }
        self.arrive(space, self.key(entry, None, 0, 0), set)
    }

    /// R0: every procedure is entered with all values.
    fn enter_all_procedures(&mut self, space: &mut Space<'_>, round: usize) -> Result<()> {
        let called = (0..self.callers.len()).filter(|&proc| !self.callers[proc].is_empty());
        for proc in called.collect::<Vec<_>>() {
            for atomic in [false, true] {
                let entered = Entered { round, atomic };
                self.enter_procedure(space, ProcId(proc as u32), entered, Bdd::TRUE)?;
            }
        }
        Ok(())
    }

    /// Adds configurations at a location, where values that are never read are forgotten.
    fn arrive(&mut self, space: &mut Space<'_>, key: Key, set: Bdd) -> Result<()> {
        let dead = space.dead_at(key.loc);
        let set = space.forget(set, &dead)?;
        self.add(space, key, set)
    }

    fn add(&mut self, space: &mut Space<'_>, key: Key, set: Bdd) -> Result<()> {
        let known = self.known.entry(Key { length: 0, ..key }).or_insert(Bdd::FALSE);
        let new = grow(space, known, set)?;
        if new != Bdd::FALSE {
            for map in [&mut self.sets, &mut self.fresh] {
                let set = map.entry(key).or_insert(Bdd::FALSE);
                *set = space.bdds.or(*set, new)?;
            }
            self.work.insert(key);
        }
        Ok(())
    }

    /// Applies the rules until nothing is new; whether there is more, but too long. `keep` are
    /// diagrams that others need.
    pub fn saturate(
        &mut self,
        space: &mut Space<'_>,
        steps: &mut Steps,
        keep: &[Bdd],
    ) -> Result<bool> {
        while let Some(key) = self.work.pop_first() {
            if key.length >= self.longest {
                self.work.insert(key);
                return Ok(true);
            }
            if space.bdds.should_collect() {
                let roots = self.diagrams().chain(steps.diagrams()).chain(keep.iter().copied());
                space.bdds.collect(roots);
            }
            let new = self.fresh.remove(&key).unwrap_or(Bdd::FALSE);
            self.step(space, steps, key, new)?;
        }
        Ok(false)
    }

    /// Follows runs of fewer steps only, for now.
    pub fn shorter_than(&mut self, length: usize) {
        self.longest = length;
    }

    fn step(&mut self, space: &mut Space<'_>, steps: &mut Steps, key: Key, new: Bdd) -> Result<()> {
        let lowering = space.lowering;
        let flow = lowering.flow();
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
            match edge.command {
                Command::Call { proc: callee, .. } => {
                    let called = space.bdds.and(new, step.call)?;
                    let out = space.shared(Shared::Out(key.round));
                    let called = space.rename(called, &[(out, space.shared(Shared::Next))])?;
                    self.call(space, key, id, callee, called)?;
                }
                Command::Return(_) if key.entered.is_none() => {
                    if space.is_atomic(key.loc) {
                        let after = step.image(space, new)?;
                        let forgotten = [space.locals(proc, Local::Now), space.results(proc)];
                        let after = space.forget(after, &forgotten.concat())?;
                        self.add(space, self.key(END, None, key.round, length), after)?;
                    }
                }
                Command::Return(_) => {
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
        if self.calls_mode == Calls::Lazy {
            let mut forgotten = space.activation(self.proc_at(space, key.loc));
            if !self.history {
                forgotten.extend(space.contexts(key.round));
            }
            let entry = space.forget(new, &forgotten)?;
            self.enter_procedure(space, callee, key.enters(space), entry)?;
        }
        for round in key.round..space.rounds {
            for (length, summary) in self.summary(callee, key.enters(space), round) {
                let length = key.length + self.cost + length;
                self.resume(space, (edge, key.entered, callee), (round, length), new, summary)?;
            }
        }
        Ok(())
    }

    /// Enters a procedure with the values that are the next ones.
    fn enter_procedure(
        &mut self,
        space: &mut Space<'_>,
        proc: ProcId,
        entered: Entered,
        entry: Bdd,
    ) -> Result<()> {
        let round = entered.round;
        let renamed = space.at_entry(proc, true);
        let entry = space.rename(entry, &renamed)?;
        let (old, now) = (space.shared(Shared::Entry), space.shared(Shared::Out(round)));
        let same = space.same(&old, &now)?;
        let (old, now) = (space.params(proc, Local::Entry), space.params(proc, Local::Now));
        let params = space.same(&old, &now)?;
        let same = space.bdds.and(same, params)?;
        let set = space.bdds.and(entry, same)?;
        let known = self.entries.entry((proc, entered)).or_insert(Bdd::FALSE);
        grow(space, known, set)?;
        let loc = space.lowering.flow().entries[proc.index()];
        self.arrive(space, self.key(loc, Some(entered), round, 0), set)
    }

    /// R3 and R2: a procedure returns.
    fn returns(&mut self, space: &mut Space<'_>, key: Key, proc: ProcId, after: Bdd) -> Result<()> {
        let Some(entered) = key.entered else { return Ok(()) };
        let summary = self.summary_form(space, proc, after)?;
        let known = self.summaries.entry((proc, entered, key.round)).or_default();
        let new = grow(space, known.entry(key.length).or_insert(Bdd::FALSE), summary)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        for ((edge, of, _), length, called) in self.calls_of(space, proc, entered) {
            let length = length + self.cost + key.length;
            self.resume(space, (edge, of, proc), (key.round, length), called, new)?;
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
        let both = |round| [false, true].map(|atomic| Some(Entered { round, atomic }));
        let outer = || std::iter::once(None).chain((0..=round).flat_map(both));
        let edges = self.callers[proc.index()].iter();
        let keys = edges.flat_map(|&edge| outer().map(move |of| (edge, of, round)));
        let fits = |(edge, of, _): &CallKey| {
            let from = space.lowering.flow().edge(*edge).from;
            self.key(from, *of, round, 0).enters(space) == entered
        };
        let calls = keys.filter(fits).filter_map(|key| Some((key, self.calls.get(&key)?)));
        calls.flat_map(|(key, sets)| sets.iter().map(move |(n, set)| (key, *n, *set))).collect()
    }

    /// A call goes on after it, over a summary.
    fn resume(
        &mut self,
        space: &mut Space<'_>,
        (edge, entered, callee): (EdgeId, Option<Entered>, ProcId),
        (round, length): (usize, usize),
        called: Bdd,
        summary: Bdd,
    ) -> Result<()> {
        let mut forgotten = space.next_entry(callee);
        let to = space.lowering.flow().edge(edge).to;
        if space.received_at(to).is_none() {
            forgotten.extend(space.results(callee));
        }
        let after = space.join(called, summary, &forgotten)?;
        if after == Bdd::FALSE {
            return Ok(());
        }
        self.arrive(space, self.key(to, entered, round, length), after)
    }

    /// A relation at a procedure without its locals, with the values at its entry as next ones.
    fn summary_form(&self, space: &mut Space<'_>, proc: ProcId, set: Bdd) -> Result<Bdd> {
        let locals = space.locals(proc, Local::Now);
        let set = space.forget(set, &locals)?;
        let renamed = space.at_entry(proc, false);
        space.rename(set, &renamed)
    }

    /// What is known at a location, seen from outside of the procedure: with history the contexts
    /// of the thread, without it a relation to the entry of the procedure.
    fn outside(
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

/// The inputs of a round are what its context begins with.
pub fn begins(space: &mut Space<'_>, round: usize, inputs: Bdd) -> Result<Bdd> {
    let (input, output) = (space.shared(Shared::In(round)), space.shared(Shared::Out(round)));
    let same = space.same(&input, &output)?;
    space.bdds.and(inputs, same)
}

/// Adds to a set; what was new.
fn grow(space: &mut Space<'_>, known: &mut Bdd, set: Bdd) -> Result<Bdd> {
    let new = space.bdds.diff(set, *known)?;
    *known = space.bdds.or(*known, new)?;
    Ok(new)
}
