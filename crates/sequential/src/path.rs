//! # Shortest runs of a thread
//!
//! **Question.** The inputs and outputs of a thread are known: which steps does it take?
//!
//! **Idea.** The rules of [`crate::summaries`] with steps counted split the relations into rings.
//! From the goal a run is walked backwards: a configuration in one ring has a configuration before
//! it in a ring further in; over a call, the lengths of the call and of the summary add up, and
//! the summary is walked in the same way.

use rustc_hash::FxHashMap;
use selvedge_analysis::Stop;
use selvedge_bdd::{Bdd, Var};
use selvedge_model::Fault;
use selvedge_program::flow::{Command, EdgeId, Loc};
use selvedge_program::{ProcId, ThreadStart, Value};

use crate::Result;
use crate::places::END;
use crate::space::{Local, Scalar, Shared, Space};
use crate::steps::Steps;
use crate::summaries::{ByLength, Calls, Entered, Key, Of, Thread, begins};

/// Where a thread should get to, in the last of its rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// It goes wrong.
    Wrong,
    /// It stops, with these values of the shared variables.
    Stop(Bdd),
}

/// One step of a thread, and what is known afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The round.
    pub round: usize,
    /// What it did.
    pub edge: EdgeId,
    /// Whether it is then inside of an atomic section, so that the step is not over.
    pub inside: bool,
    /// Where it stands; nowhere if it went wrong.
    pub loc: Option<Loc>,
    /// The shared variables.
    pub globals: Vec<Value>,
    /// The locals that may still be read, by slot.
    pub locals: Vec<(usize, Value)>,
    /// After a return, the results.
    pub results: Vec<Value>,
}

/// Values of variables.
type Point = FxHashMap<Var, bool>;

/// A walk through the rings of a thread.
pub struct Walk<'s, 'a> {
    space: &'s mut Space<'a>,
    steps: &'s mut Steps,
    thread: Thread,
    inputs: Vec<Bdd>,
    goal: Goal,
    last: usize,
}

/// A shortest run of a thread to a goal in the last of some rounds with known inputs: for each
/// round a relation between the contexts so far and the input. `None` if there is none.
pub fn shortest(
    space: &mut Space<'_>,
    steps: &mut Steps,
    start: ThreadStart,
    inputs: &[Bdd],
    goal: Goal,
    keep: &[Bdd],
) -> Result<Option<Vec<Taken>>> {
    let mut keep = keep.to_vec();
    keep.extend(inputs);
    if let Goal::Stop(values) = goal {
        keep.push(values);
    }
    let mut thread = Thread::new(space, start, false, Calls::Lazy);
    for (round, &input) in inputs.iter().enumerate() {
        thread.enter(space, round, input)?;
        thread.saturate(space, steps, &keep)?;
    }
    let mut thread = thread.measured(space, inputs.to_vec())?;
    thread.enter(space, 0, inputs[0])?;
    let last = inputs.len() - 1;
    let mut walk = Walk { space, steps, thread, inputs: inputs.to_vec(), goal, last };
    let Some((goals, length)) = walk.measure(&keep)? else { return Ok(None) };
    let mut taken = Vec::new();
    walk.reach(&goals, None, length, Bdd::TRUE, &mut taken)?;
    Ok(Some(taken))
}

impl Walk<'_, '_> {
    /// How far each procedure on the way is from the goal, and the least number of steps.
    fn measure(&mut self, keep: &[Bdd]) -> Result<Option<(FxHashMap<Of, ByLength>, usize)>> {
        let mut length = 16;
        loop {
            self.thread.shorter_than(length);
            let more = self.thread.saturate(self.space, self.steps, keep)?;
            let goals = self.goals()?;
            let nearest = goals.get(&None).and_then(|sets| sets.keys().next().copied());
            // A run of so many steps stays within rings that are no longer.
            if nearest.is_some_and(|found| found <= length) || !more {
                return Ok(nearest.map(|found| (goals, found)));
            }
            length *= 2;
        }
    }

    fn goals(&mut self) -> Result<FxHashMap<Of, ByLength>> {
        let found = match self.goal {
            Goal::Wrong => self.thread.wrongs(self.last),
            Goal::Stop(values) => self.thread.stops(self.space, self.last, values)?,
        };
        let mut goals = self.thread.unwind(self.space, self.last, found)?;
        for sets in goals.values_mut() {
            sets.retain(|_, set| *set != Bdd::FALSE);
        }
        Ok(goals)
    }

    /// The steps from the entry of a procedure (with these values, as old ones) to the goal.
    fn reach(
        &mut self,
        goals: &FxHashMap<Of, ByLength>,
        of: Of,
        length: usize,
        entry: Bdd,
        taken: &mut Vec<Taken>,
    ) -> Result<()> {
        let entered = of.map(|(_, entered)| entered);
        if let Some((key, point, edge)) = self.goal_here(of, length, entry)? {
            self.walk(key, point, taken)?;
            taken.extend(edge.map(|edge| Taken {
                round: key.round,
                edge,
                inside: false,
                loc: None,
                globals: Vec::new(),
                locals: Vec::new(),
                results: Vec::new(),
            }));
            return Ok(());
        }
        // Otherwise in a call that does not return.
        for (&inner, sets) in goals {
            let Some((callee, enters)) = inner else { continue };
            for (call, before, called) in self.thread.calls_of(self.space, callee, enters) {
                let from = self.space.lowering.flow().edge(call.0).from;
                let proc = self.proc(from);
                if call.1 != entered || of.is_some_and(|(outer, _)| outer != proc) {
                    continue;
                }
                let Some(&rest) = length.checked_sub(before + 1).and_then(|n| sets.get(&n)) else {
                    continue;
                };
                let found = self.space.bdds.and(called, rest)?;
                let found = self.space.bdds.and(found, entry)?;
                let Some((caller, next)) = self.at_call(found, from, entered, callee)? else {
                    continue;
                };
                let key = self.thread.key(from, entered, enters.round, before);
                self.call(key, caller, &next, call.0, callee, taken)?;
                let entry = self.entry(callee, &next)?;
                return self.reach(goals, inner, length - before - 1, entry, taken);
            }
        }
        Err(lost())
    }

    /// A goal in a procedure itself, so many steps after its entry; and the step that goes wrong.
    fn goal_here(
        &mut self,
        of: Of,
        length: usize,
        entry: Bdd,
    ) -> Result<Option<(Key, Point, Option<EdgeId>)>> {
        let entered = of.map(|(_, entered)| entered);
        let locations = 0..self.space.lowering.flow().locations.len() as u32;
        for loc in locations.map(Loc).chain([END]) {
            if of.is_some_and(|(proc, _)| Some(proc) != self.space.proc_at(loc)) {
                continue;
            }
            let edges: Vec<Option<EdgeId>> = match self.goal {
                Goal::Wrong => self.space.edges_at(loc).iter().copied().map(Some).collect(),
                Goal::Stop(_) => vec![None],
            };
            for edge in edges {
                let (length, wanted) = match (self.goal, edge) {
                    (Goal::Wrong, Some(edge)) => {
                        let owner = self.thread.owner();
                        let step = self.steps.get(self.space, edge, owner, self.last)?;
                        (length.checked_sub(1), step.wrong)
                    }
                    (Goal::Stop(values), _) => (Some(length), values),
                    (Goal::Wrong, None) => (None, Bdd::FALSE),
                };
                let Some(length) = length else { continue };
                let key = self.thread.key(loc, entered, self.last, length);
                if edge.is_none() && !key.can_switch(self.space) {
                    continue;
                }
                let set = self.space.bdds.and(self.thread.set(key), wanted)?;
                let set = self.space.bdds.and(set, entry)?;
                if let Some(point) = self.pick(set, &self.vars(key)) {
                    return Ok(Some((key, point, edge)));
                }
            }
        }
        Ok(None)
    }

    fn proc(&self, loc: Loc) -> ProcId {
        self.space.proc_at(loc).unwrap_or(self.thread.proc())
    }

    /// The variables of a configuration: what it was entered with, and what may still be read.
    fn vars(&self, key: Key) -> Vec<Var> {
        let mut vars = self.frame(key.loc, key.entered);
        vars.extend(self.space.shared(Shared::Out(key.round)));
        vars
    }

    /// The same without the shared variables of now.
    fn frame(&self, loc: Loc, entered: Option<Entered>) -> Vec<Var> {
        let space = &*self.space;
        let proc = self.proc(loc);
        let mut vars = Vec::new();
        if entered.is_some() {
            vars.extend(space.shared(Shared::Entry));
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

    fn pick(&self, set: Bdd, vars: &[Var]) -> Option<Point> {
        let values = self.space.bdds.pick_total(set, vars)?;
        Some(vars.iter().copied().zip(values).collect())
    }

    /// The set that consists of a point.
    fn cube(&mut self, point: &Point) -> Result<Bdd> {
        let mut literals: Vec<_> = point.iter().map(|(&var, &value)| (var, value)).collect();
        literals.sort_unstable();
        self.space.bdds.cube_of(&literals)
    }

    /// The point with some variables under other names.
    fn renamed(&self, point: &Point, lists: &[(Vec<Var>, Vec<Var>)]) -> Point {
        let pairs = lists.iter().flat_map(|(from, to)| from.iter().zip(to));
        let names: FxHashMap<Var, Var> = pairs.map(|(&from, &to)| (from, to)).collect();
        point.iter().map(|(var, &value)| (*names.get(var).unwrap_or(var), value)).collect()
    }

    /// A caller and what it enters a procedure with, as next values.
    fn at_call(
        &self,
        set: Bdd,
        from: Loc,
        entered: Option<Entered>,
        callee: ProcId,
    ) -> Result<Option<(Point, Point)>> {
        let next = self.space.next_entry(callee);
        let frame = self.frame(from, entered);
        let all: Vec<Var> = frame.iter().chain(&next).copied().collect();
        let Some(point) = self.pick(set, &all) else { return Ok(None) };
        let part = |vars: &[Var]| vars.iter().map(|&var| (var, point[&var])).collect();
        Ok(Some((part(&frame), part(&next))))
    }

    /// What a procedure was entered with, from what it is about to be entered with.
    fn entry(&mut self, callee: ProcId, next: &Point) -> Result<Bdd> {
        let old = self.renamed(next, &self.space.at_entry(callee, true));
        self.cube(&old)
    }

    /// The steps to a call, and the call itself.
    fn call(
        &mut self,
        key: Key,
        caller: Point,
        next: &Point,
        edge: EdgeId,
        callee: ProcId,
        taken: &mut Vec<Taken>,
    ) -> Result<()> {
        let (shared, out) =
            (self.space.shared(Shared::Next), self.space.shared(Shared::Out(key.round)));
        let now = self.renamed(next, &[(shared, out)]);
        let mut point = caller;
        point.extend(self.space.shared(Shared::Out(key.round)).iter().map(|var| (*var, now[var])));
        self.walk(key, point, taken)?;
        let entry = self.space.lowering.flow().entries[callee.index()];
        let params =
            (self.space.params(callee, Local::Next), self.space.params(callee, Local::Now));
        let inside = self.renamed(&now, &[params]);
        let enters = key.enters(self.space);
        taken.push(self.taken(edge, entry, enters, &inside));
        Ok(())
    }

    /// What is known after a step, in the round and inside of the section that a call from there
    /// would be in.
    fn taken(&self, edge: EdgeId, loc: Loc, at: Entered, point: &Point) -> Taken {
        let Entered { round, atomic: inside } = at;
        let space = &*self.space;
        let bit = |var: Var| point.get(&var).copied().unwrap_or(false);
        let known = |place: Scalar| space.scalar(place).iter().all(|var| point.contains_key(var));
        let globals = 0..space.lowering.global_types().len();
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

    /// The steps from the entry of its procedure to a configuration.
    fn walk(&mut self, mut key: Key, mut point: Point, taken: &mut Vec<Taken>) -> Result<()> {
        let mut steps: Vec<Vec<Taken>> = Vec::new();
        while key.length > 0 || key.round > first_round(key) {
            let mut piece = Vec::new();
            let (before, at) = self.before(key, &point, &mut piece)?;
            steps.push(piece);
            (key, point) = (before, at);
        }
        taken.extend(steps.into_iter().rev().flatten());
        Ok(())
    }

    /// A configuration before another one, and the steps between them.
    fn before(&mut self, key: Key, point: &Point, taken: &mut Vec<Taken>) -> Result<(Key, Point)> {
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
        let flow = self.space.lowering.flow();
        for (index, edge) in flow.edges.iter().enumerate() {
            let id = EdgeId(index as u32);
            let ends = key.loc == END && matches!(edge.command, Command::Return(_));
            if !ends && (edge.to != key.loc || matches!(edge.command, Command::Return(_))) {
                continue;
            }
            if let Command::Call { proc: callee, .. } = edge.command {
                if let Some(found) = self.before_call(key, cube, (id, edge.from, callee), taken)? {
                    taken.push(self.taken(id, key.loc, key.enters(self.space), point));
                    return Ok(found);
                }
                continue;
            }
            let Some(length) = key.length.checked_sub(1) else { continue };
            let before = self.thread.key(edge.from, key.entered, key.round, length);
            let step = self.steps.get(self.space, id, self.thread.owner(), key.round)?;
            let set = step.before(self.space, self.thread.set(before), cube)?;
            if let Some(at) = self.pick(set, &self.vars(before)) {
                taken.push(self.taken(id, key.loc, key.enters(self.space), point));
                return Ok((before, at));
            }
        }
        Err(lost())
    }

    /// A caller before a configuration after its call, and the steps of the call.
    fn before_call(
        &mut self,
        key: Key,
        cube: Bdd,
        (edge, from, callee): (EdgeId, Loc, ProcId),
        taken: &mut Vec<Taken>,
    ) -> Result<Option<(Key, Point)>> {
        for round in first_round(key)..=key.round {
            let caller = self.thread.key(from, key.entered, round, 0);
            let enters = caller.enters(self.space);
            let summaries = self.thread.summary(callee, enters, key.round);
            for (before, called) in self.thread.called((edge, key.entered, round)) {
                let Some(inside) = key.length.checked_sub(before + 1) else { continue };
                let Some(&summary) = summaries.get(&inside) else { continue };
                let set = self.space.bdds.and(called, summary)?;
                let set = self.space.bdds.and(set, cube)?;
                let mut vars = self.frame(from, key.entered);
                vars.extend(self.space.next_entry(callee));
                let outcome = self.space.shared(Shared::Out(key.round));
                let results = self.space.results(callee);
                let all = [vars, outcome.clone(), results.clone()].concat();
                let Some(point) = self.pick(set, &all) else { continue };
                let part = |vars: &[Var]| -> Point {
                    vars.iter().map(|&var| (var, point[&var])).collect()
                };
                let next = part(&self.space.next_entry(callee));
                let caller = part(&self.frame(from, key.entered));
                // The call, the way to the return, and the return.
                let at = self.thread.key(from, key.entered, round, before);
                let mut after = part(&outcome);
                after.extend(part(&results));
                self.returned((callee, enters), (key.round, inside), &next, &after, taken)?;
                let (shared, out) =
                    (self.space.shared(Shared::Next), self.space.shared(Shared::Out(round)));
                let now = self.renamed(&next, &[(shared, out.clone())]);
                let params =
                    (self.space.params(callee, Local::Next), self.space.params(callee, Local::Now));
                let entry = self.space.lowering.flow().entries[callee.index()];
                let first = self.taken(edge, entry, enters, &self.renamed(&now, &[params]));
                taken.insert(0, first);
                let mut point = caller;
                point.extend(out.iter().map(|var| (*var, now[var])));
                return Ok(Some((at, point)));
            }
        }
        Ok(None)
    }

    /// The steps from the entry of a procedure to its return; not the return itself.
    fn returned(
        &mut self,
        (proc, entered): (ProcId, Entered),
        (round, length): (usize, usize),
        next: &Point,
        after: &Point,
        taken: &mut Vec<Taken>,
    ) -> Result<()> {
        let entry = self.entry(proc, next)?;
        let after = self.cube(after)?;
        let flow = self.space.lowering.flow();
        for (index, edge) in flow.edges.iter().enumerate() {
            if self.proc(edge.from) != proc || !matches!(edge.command, Command::Return(_)) {
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

/// The rings always have a way back.
fn lost() -> Stop {
    let message = "a run that was found cannot be walked back: please report this as a bug";
    Stop::Fault(Fault { message: message.to_owned(), line: None })
}

/// The round in which the procedure of a configuration was entered.
fn first_round(key: Key) -> usize {
    key.entered.map_or(0, |entered| entered.round)
}
