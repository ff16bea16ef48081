//! # Shortest runs of a thread
//!
//! **Question.** The inputs and outputs of a thread are known: which steps does it take?
//!
//! **Idea.** The rules of [`crate::summaries`] with steps counted split the relations into rings.
//! From the goal a run is walked backwards: a configuration in one ring has a configuration before
//! it in a ring further in; over a call, the lengths of the call and of the summary add up, and
//! the summary is walked in the same way.

mod back;
mod point;
mod useful;

use rustc_hash::FxHashMap;
use selvedge_analysis::Stop;
use selvedge_bdd::{Bdd, Var};
use selvedge_core::{EdgeId, Loc};
use selvedge_model::Fault;
use selvedge_program::{ThreadStart, Value};

use crate::Result;
use crate::places::END;
use crate::summaries::{ByLength, Calls, Key, Of, Thread};
use selvedge_evidence::relations::Steps;
use selvedge_evidence::relations::{Shared, Space};

/// Where a thread should get to, in the last of its rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The thread goes wrong.
    Wrong,
    /// The thread stops, with these values of the shared variables.
    Stop(Bdd),
}

/// One step of a thread, and what is known afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The round in which the step is taken.
    pub round: usize,
    /// The edge that the thread took.
    pub edge: EdgeId,
    /// Whether it is then inside of an atomic section, so that the step is not over.
    pub inside: bool,
    /// Where it stands; nowhere if it went wrong.
    pub loc: Option<Loc>,
    /// The values of the shared variables afterwards.
    pub globals: Vec<Value>,
    /// The locals that may still be read, by slot.
    pub locals: Vec<(usize, Value)>,
    /// After a return, the results.
    pub results: Vec<Value>,
}

/// An assignment of the variables of diagrams.
type Point = FxHashMap<Var, bool>;

/// A walk through the rings of a thread.
pub struct Walk<'s, 'a> {
    space: &'s mut Space<'a>,
    steps: &'s mut Steps,
    thread: Thread,
    inputs: Vec<Bdd>,
    goal: Goal,
    last: usize,
    /// Diagrams that are needed all along.
    keep: Vec<Bdd>,
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
    let within = useful::configurations(space, steps, &thread, goal, inputs.len())?;
    let mut thread = thread.measured(space, inputs.to_vec(), within)?;
    thread.enter(space, 0, inputs[0])?;
    let last = inputs.len() - 1;
    let mut walk = Walk { space, steps, thread, inputs: inputs.to_vec(), goal, last, keep };
    let Some((goals, length)) = walk.measure()? else { return Ok(None) };
    walk.keep.extend(goals.values().flat_map(ByLength::values));
    let mut taken = Vec::new();
    walk.reach(&goals, None, length, Bdd::TRUE, &mut taken)?;
    Ok(Some(taken))
}

impl Walk<'_, '_> {
    /// The distances to the goal within each procedure on the way, and the least number of steps.
    fn measure(&mut self) -> Result<Option<(FxHashMap<Of, ByLength>, usize)>> {
        let mut length = 16;
        loop {
            self.thread.shorter_than(length);
            let more = self.thread.saturate(self.space, self.steps, &self.keep)?;
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
                let from = self.space.lowering.code().edge(call.0).from;
                let proc = self.proc(from);
                if call.1 != entered || of.is_some_and(|(outer, _)| outer != proc) {
                    continue;
                }
                let Some(&rest) = length.checked_sub(before + 1).and_then(|n| sets.get(&n)) else {
                    continue;
                };
                let found = self.space.bdds.and(called, rest)?;
                let found = self.space.bdds.and(found, entry)?;
                let inner_call = (callee, enters);
                let Some((caller, next)) = self.at_call(found, from, entered, inner_call)? else {
                    continue;
                };
                let key = self.thread.key(from, entered, enters.round, before);
                let untouched = self.space.untouched(enters.variant, Shared::Out(enters.round));
                let others = untouched.into_iter().map(|var| (var, caller[&var])).collect();
                self.call(key, caller, &next, call.0, callee, taken)?;
                let others = self.cube(&others)?;
                let entry = self.entry(inner_call, &next)?;
                let entry = self.space.bdds.and(entry, others)?;
                return self.reach(goals, inner, length - before - 1, entry, taken);
            }
        }
        Err(lost())
    }

    /// A goal within this procedure, `length` steps after its entry, and the step that goes wrong.
    fn goal_here(
        &mut self,
        of: Of,
        length: usize,
        entry: Bdd,
    ) -> Result<Option<(Key, Point, Option<EdgeId>)>> {
        let entered = of.map(|(_, entered)| entered);
        let locations = 0..self.space.lowering.code().locations.len() as u32;
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
}

/// The rings always have a way back.
fn lost() -> Stop {
    let message = "a run that was found cannot be walked back: please report this as a bug";
    Stop::Fault(Fault::new(message))
}
