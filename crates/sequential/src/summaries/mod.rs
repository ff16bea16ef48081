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

mod outside;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use selvedge_bdd::Bdd;
use selvedge_core::{Control, EdgeId, Loc};
use selvedge_program::{ProcId, ThreadStart};

use crate::Result;
use crate::places::ranks;
use selvedge_evidence::relations::Steps;
use selvedge_evidence::relations::{Local, Scalar, Shared, Space};
use selvedge_evidence::relations::{Touched, Variant};

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
    /// The round in which it was entered.
    pub round: usize,
    /// Whether it was called inside of an atomic section: then nothing else happens until it
    /// returns.
    pub atomic: bool,
    /// The procedure, perhaps with certain arguments: what it touches.
    pub variant: Variant,
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
    /// The location of the thread.
    pub loc: Loc,
    /// When the procedure was entered; none for the procedure that the thread itself is.
    pub entered: Option<Entered>,
}

impl Key {
    /// How a procedure is entered by this call.
    #[must_use]
    pub fn enters(&self, space: &Space<'_>, edge: EdgeId, callee: ProcId) -> Entered {
        let own = || space.proc_at(self.loc).map(Touched::any);
        let caller = self.entered.map(|entered| entered.variant).or_else(own);
        let variant = caller.map(|caller| space.touched.called(caller, edge, callee));
        let variant = variant.unwrap_or(Touched::any(callee));
        Entered { round: self.round, atomic: self.is_inside(space), variant }
    }

    /// Whether the thread is inside of an atomic section.
    #[must_use]
    pub fn is_inside(&self, space: &Space<'_>) -> bool {
        space.is_atomic(self.loc) || self.entered.is_some_and(|entered| entered.atomic)
    }

    /// Whether another thread may go on now.
    #[must_use]
    pub fn can_switch(&self, space: &Space<'_>) -> bool {
        !self.is_inside(space) && space.received_at(self.loc).is_none()
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
    /// The length of a step: 1, or 0 if steps are not counted.
    cost: usize,
    /// The inputs of the rounds, if they are known beforehand.
    inputs: Vec<Bdd>,
    /// Longer runs are of no interest.
    longest: usize,
    /// The relation at each key.
    sets: FxHashMap<Key, Bdd>,
    /// The relations for all lengths, as those of length 0.
    known: FxHashMap<Key, Bdd>,
    /// The parts of the relations that are new and were not looked at.
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
    /// Where it may be interrupted, round by round; anywhere if nothing is said.
    stops_at: Option<Vec<Loc>>,
    /// The configurations outside of all calls that are followed, by location; all of them if
    /// nothing is said.
    within: Option<FxHashMap<Loc, Bdd>>,
}

impl Thread {
    /// A thread that has not begun.
    #[must_use]
    pub fn new(space: &Space<'_>, start: ThreadStart, history: bool, calls: Calls) -> Self {
        let flow = space.lowering.code();
        let mut callers = vec![Vec::new(); space.lowering.program().procs.len()];
        for (index, edge) in flow.edges.iter().enumerate() {
            if let Control::Call(proc) = edge.control {
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
            ranks: ranks(space),
            stops_at: None,
            within: None,
        }
    }

    /// The thread, interrupted at these places only, round by round.
    #[must_use]
    pub fn stopping_at(self, places: Vec<Loc>) -> Self {
        Thread { stops_at: Some(places), ..self }
    }

    /// Whether the thread may be interrupted, or end its last context.
    pub(super) fn may_stop(&self, space: &Space<'_>, key: &Key) -> bool {
        let place = self.stops_at.as_ref().and_then(|places| places.get(key.round));
        key.can_switch(space) && place.is_none_or(|place| *place == key.loc)
    }

    /// The analysis again, for known inputs, with steps counted, and of the configurations outside of
    /// all calls only with these, if there are any.
    pub fn measured(
        self,
        space: &mut Space<'_>,
        inputs: Vec<Bdd>,
        within: Option<FxHashMap<Loc, Bdd>>,
    ) -> Result<Self> {
        let mut entries: Vec<_> = self.entries.into_iter().collect();
        entries.sort_unstable();
        let start = Thread::new(space, self.start, self.history, Calls::Eager);
        let mut thread = Thread { cost: 1, inputs, within, ..start };
        for ((proc, entered), set) in entries {
            let loc = space.lowering.code().proc(proc).entry;
            thread.arrive(space, thread.key(loc, Some(entered), entered.round, 0), set)?;
        }
        Ok(thread)
    }

    /// All diagrams that are kept.
    pub fn diagrams(&self) -> impl Iterator<Item = Bdd> {
        let sets = self.sets.values().chain(self.known.values()).chain(self.fresh.values());
        let lengths = self.calls.values().chain(self.summaries.values());
        let lengths = lengths.chain(self.wrong.values()).flat_map(BTreeMap::values);
        let within = self.within.iter().flat_map(FxHashMap::values);
        let given = self.inputs.iter().chain(within);
        sets.chain(lengths).chain(self.entries.values()).chain(given).copied()
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

    /// The locations that are reached, some of them several times.
    pub fn places(&self) -> impl Iterator<Item = Loc> {
        self.sets.keys().map(|key| key.loc)
    }

    /// All relations: the location, which variant of its procedure was called, if it was, and the
    /// values.
    pub fn relations(&self) -> impl Iterator<Item = (Loc, Option<Variant>, Bdd)> {
        self.sets.iter().map(|(key, set)| (key.loc, key.entered.map(|e| e.variant), *set))
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
        keys.retain(|key| key.round == before && self.may_stop(space, key));
        keys.sort_unstable();
        for key in keys {
            let set = space.bdds.and(self.sets[&key], inputs)?;
            self.add(space, Key { round, ..key }, set)?;
        }
        Ok(())
    }

    fn begin(&mut self, space: &mut Space<'_>, mut set: Bdd) -> Result<()> {
        let proc = self.start.proc;
        let entry = space.lowering.code().proc(proc).entry;
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
                let proc = ProcId(proc as u32);
                let entered = Entered { round, atomic, variant: Touched::any(proc) };
                self.enter_procedure(space, proc, entered, Bdd::TRUE)?;
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

    fn add(&mut self, space: &mut Space<'_>, key: Key, mut set: Bdd) -> Result<()> {
        if let (Some(within), None) = (&self.within, key.entered) {
            set = space.bdds.and(set, within.get(&key.loc).copied().unwrap_or(Bdd::FALSE))?;
        }
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
            space.bdds.limit().0.check()?;
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

    /// Whether there is anything to apply the rules to.
    #[must_use]
    pub fn has_work(&self) -> bool {
        !self.work.is_empty()
    }

    /// Follows runs of fewer steps only, for now.
    pub fn shorter_than(&mut self, length: usize) {
        self.longest = length;
    }
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
