//! # Commands as diagrams
//! What each edge does to a set of configurations, built from the cases of
//! [`Lowering::relation`](selvedge_program::Lowering::relation). The thread is in some round: the
//! shared variables now are those of the end of its context there, so far.

use rustc_hash::FxHashMap;
use selvedge_bdd::{Bdd, Var};
use selvedge_program::flow::{Command, EdgeId};
use selvedge_program::{Case, Effect, ProcId, Slot, Value};

use crate::Result;
use crate::space::{Local, Scalar, Shared, Space};

/// What an edge does in a round.
#[derive(Clone)]
pub struct Step {
    /// Values now, and the next ones of what is written.
    relation: Bdd,
    /// The variables that have new values afterwards, or are not needed any more.
    replaced: Vec<Var>,
    /// The next values, and the variables that they become the values of.
    renamed: (Vec<Var>, Vec<Var>),
    /// For a call: values now, and the next ones of the parameters of the procedure.
    pub call: Bdd,
    /// Values now with which the thread goes wrong.
    pub wrong: Bdd,
}

/// The steps of the threads of a program, made when they are asked for.
#[derive(Default)]
pub struct Steps {
    cases: FxHashMap<(EdgeId, u32), Vec<Case>>,
    steps: FxHashMap<(EdgeId, u32, usize), Step>,
}

impl Step {
    /// Where a set of configurations gets to.
    pub fn image(&self, space: &mut Space<'_>, set: Bdd) -> Result<Bdd> {
        let after = space.join(set, self.relation, &self.replaced)?;
        space.rename(after, std::slice::from_ref(&self.renamed))
    }

    /// The configurations of a set from which this edge leads to a configuration of another.
    pub fn before(&self, space: &mut Space<'_>, set: Bdd, after: Bdd) -> Result<Bdd> {
        let (next, now) = self.renamed.clone();
        // What is not needed any more has no value afterwards.
        let after = space.forget(after, &self.forgotten())?;
        let after = space.rename(after, &[(now, next.clone())])?;
        let related = space.join(self.relation, after, &next)?;
        space.bdds.and(set, related)
    }

    fn forgotten(&self) -> Vec<Var> {
        self.replaced.iter().copied().filter(|var| !self.renamed.1.contains(var)).collect()
    }

    fn diagrams(&self) -> [Bdd; 3] {
        [self.relation, self.call, self.wrong]
    }
}

impl Steps {
    /// What an edge does for a thread (as an owner of locks) in a round.
    pub fn get(
        &mut self,
        space: &mut Space<'_>,
        id: EdgeId,
        owner: u32,
        round: usize,
    ) -> Result<Step> {
        if let Some(step) = self.steps.get(&(id, owner, round)) {
            return Ok(step.clone());
        }
        let lowering = space.lowering;
        let cases = match self.cases.remove(&(id, owner)) {
            Some(cases) => cases,
            None => lowering.relation(id, owner)?,
        };
        let step = build(space, id, round, &cases)?;
        self.cases.insert((id, owner), cases);
        self.steps.insert((id, owner, round), step.clone());
        Ok(step)
    }

    /// All diagrams that are kept.
    pub fn diagrams(&self) -> impl Iterator<Item = Bdd> {
        self.steps.values().flat_map(Step::diagrams)
    }
}

/// Where scalars are, seen from an edge.
struct View {
    proc: ProcId,
    /// The procedure that is called, or whose results are received.
    other: ProcId,
    round: usize,
}

impl View {
    fn now(&self, slot: Slot) -> Scalar {
        match slot {
            Slot::Global(index) => Scalar::Shared(index, Shared::Out(self.round)),
            Slot::Local(index) => Scalar::Local(self.proc, index, Local::Now),
            Slot::Result(index) => Scalar::Result(self.other, index),
        }
    }

    fn next(&self, slot: Slot) -> Scalar {
        match slot {
            Slot::Global(index) => Scalar::Shared(index, Shared::Next),
            Slot::Local(index) => Scalar::Local(self.proc, index, Local::Next),
            // Results have no values before.
            Slot::Result(index) => Scalar::Result(self.proc, index),
        }
    }
}

fn build(space: &mut Space<'_>, id: EdgeId, round: usize, cases: &[Case]) -> Result<Step> {
    let flow = space.lowering.flow();
    let edge = flow.edge(id);
    let proc = flow.location(edge.from).proc;
    let (other, received) = match edge.command {
        Command::Call { proc, .. } => (proc, Vec::new()),
        Command::Receive { from, .. } => (from, space.results(from)),
        _ => (proc, Vec::new()),
    };
    let view = View { proc, other, round };
    let writes = cases.iter().filter(|case| !matches!(case.effect, Effect::Wrong(_)));
    let mut written: Vec<Slot> =
        writes.flat_map(|case| case.writes.iter().map(|(slot, _)| *slot)).collect();
    written.sort_unstable();
    written.dedup();
    let (mut goes, mut calls, mut wrongs) = (Vec::new(), Vec::new(), Vec::new());
    for case in cases {
        let mut literals = Vec::new();
        let mut rest = Vec::new();
        let mut fits = true;
        let mut demand = |space: &Space<'_>, place: Scalar, value: &Value| match value {
            Value::Open => rest.push(place),
            value => match space.literals(place, value) {
                Some(more) => literals.extend(more),
                None => fits = false,
            },
        };
        for (slot, value) in &case.reads {
            demand(space, view.now(*slot), value);
        }
        match &case.effect {
            Effect::Goto | Effect::Return => {
                for (slot, value) in &case.writes {
                    demand(space, view.next(*slot), value);
                }
            }
            Effect::Call(values) => {
                let params = values.iter().take(space.lowering.param_slots(other)).enumerate();
                for (index, value) in params {
                    demand(space, Scalar::Local(other, index, Local::Next), value);
                }
            }
            Effect::Wrong(_) => {}
        }
        if !fits {
            continue;
        }
        literals.sort_unstable();
        let mut diagram = space.bdds.cube_of(&literals)?;
        for place in rest {
            let any = space.has_value(place, &Value::Open)?;
            diagram = space.bdds.and(diagram, any)?;
        }
        match case.effect {
            Effect::Goto | Effect::Return => {
                let stays = written.iter().filter(|s| !case.writes.iter().any(|(w, _)| w == *s));
                for &slot in stays {
                    let (now, next) = (space.scalar(view.now(slot)), space.scalar(view.next(slot)));
                    let same = space.same(&now, &next)?;
                    diagram = space.bdds.and(diagram, same)?;
                }
                goes.push(diagram);
            }
            Effect::Call(_) => calls.push(diagram),
            Effect::Wrong(_) => wrongs.push(diagram),
        }
    }
    let moved: Vec<Slot> =
        written.into_iter().filter(|slot| !matches!(slot, Slot::Result(_))).collect();
    let now: Vec<Var> = moved.iter().flat_map(|&slot| space.scalar(view.now(slot))).collect();
    let next: Vec<Var> = moved.iter().flat_map(|&slot| space.scalar(view.next(slot))).collect();
    let replaced = now.iter().copied().chain(received).collect();
    Ok(Step {
        relation: any_of(space, goes)?,
        replaced,
        renamed: (next, now),
        call: any_of(space, calls)?,
        wrong: any_of(space, wrongs)?,
    })
}

/// The union of diagrams, neighbours first.
fn any_of(space: &mut Space<'_>, mut diagrams: Vec<Bdd>) -> Result<Bdd> {
    while diagrams.len() > 1 {
        let pairs = diagrams.chunks(2);
        let pairs = pairs.map(|pair| match *pair {
            [left, right] => space.bdds.or(left, right),
            _ => Ok(pair[0]),
        });
        diagrams = pairs.collect::<Result<_>>()?;
    }
    Ok(diagrams.first().copied().unwrap_or(Bdd::FALSE))
}
