//! # Commands as diagrams
//! What each edge does to a set of configurations, built from the cases of
//! [`Lowering::relation`](selvedge_program::Lowering::relation). The thread is in some round: the
//! shared variables now are those of the end of its context there, so far.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_bdd::{Bdd, Var};
use selvedge_core::machine::{Becomes, Case};
use selvedge_core::{Control, EdgeId};
use selvedge_core::{ProcId, Slot, Value};

use super::Result;
use super::space::{Local, Scalar, Shared, Space};

/// The relation of an edge in a round.
#[derive(Clone)]
pub struct EdgeRelation {
    /// What it does where it goes on, by what is written: `x[i] := 1` has a part for each
    /// element, so that no part has to say that the other elements stay as they are.
    parts: Rc<[Part]>,
    /// For a call: values now, and the next ones of the parameters of the procedure.
    pub call: Bdd,
    /// Values now with which the thread goes wrong.
    pub wrong: Bdd,
}

/// The relation of those cases of an edge that write the same variables.
struct Part {
    /// Values now, and the next ones of what is written.
    relation: Bdd,
    /// The variables that have new values afterwards, or are not needed any more.
    replaced: Vec<Var>,
    /// The next values, and the variables that they become the values of.
    renamed: (Vec<Var>, Vec<Var>),
}

/// The steps of the threads of a program, made when they are asked for.
#[derive(Default)]
pub struct Steps {
    cases: FxHashMap<(EdgeId, u32), Vec<Case>>,
    steps: FxHashMap<(EdgeId, u32, usize), EdgeRelation>,
}

impl EdgeRelation {
    /// Where a set of configurations gets to.
    pub fn image(&self, space: &mut Space<'_>, set: Bdd) -> Result<Bdd> {
        let mut all = Vec::new();
        for part in self.parts.iter() {
            let after = space.join(set, part.relation, &part.replaced)?;
            if after != Bdd::FALSE {
                all.push(space.rename(after, std::slice::from_ref(&part.renamed))?);
            }
        }
        any_of(space, all)
    }

    /// The configurations of a set from which this edge leads to a configuration of another.
    pub fn before(&self, space: &mut Space<'_>, set: Bdd, after: Bdd) -> Result<Bdd> {
        let mut all = Vec::new();
        for part in self.parts.iter() {
            // Most elements of an array are not the one that is written here.
            if space.bdds.is_disjoint(set, part.relation)? {
                continue;
            }
            let (next, now) = part.renamed.clone();
            // Variables that are not needed any more have no value afterwards.
            let after = space.forget(after, &part.forgotten())?;
            let after = space.rename(after, &[(now, next.clone())])?;
            let related = space.join(part.relation, after, &next)?;
            all.push(space.bdds.and(set, related)?);
        }
        any_of(space, all)
    }

    fn diagrams(&self) -> impl Iterator<Item = Bdd> {
        self.parts.iter().map(|part| part.relation).chain([self.call, self.wrong])
    }
}

impl Part {
    fn forgotten(&self) -> Vec<Var> {
        self.replaced.iter().copied().filter(|var| !self.renamed.1.contains(var)).collect()
    }
}

impl Steps {
    /// The relation of an edge in a round, for a thread as an owner of locks.
    pub fn get(
        &mut self,
        space: &mut Space<'_>,
        id: EdgeId,
        owner: u32,
        round: usize,
    ) -> Result<EdgeRelation> {
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
        self.steps.values().flat_map(EdgeRelation::diagrams)
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
            Slot::Global(index) => Scalar::Shared(index, Shared::Next(self.round)),
            Slot::Local(index) => Scalar::Local(self.proc, index, Local::Next),
            // Results have no values before.
            Slot::Result(index) => Scalar::Result(self.proc, index),
        }
    }
}

fn build(space: &mut Space<'_>, id: EdgeId, round: usize, cases: &[Case]) -> Result<EdgeRelation> {
    let flow = space.lowering.code();
    let edge = flow.edge(id);
    let proc = flow.location(edge.from).proc;
    let (other, received) = match edge.control {
        Control::Call(proc) => (proc, Vec::new()),
        Control::Receive(from) => (from, space.results(from)),
        _ => (proc, Vec::new()),
    };
    let view = View { proc, other, round };
    let written = written_together(cases);
    let mut goes = vec![Vec::new(); written.len()];
    let (mut calls, mut wrongs) = (Vec::new(), Vec::new());
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
            Becomes::Goto | Becomes::Return => {
                for (slot, value) in &case.writes {
                    demand(space, view.next(*slot), value);
                }
            }
            Becomes::Call(values) => {
                let params =
                    values.iter().take(space.lowering.code().proc(other).params).enumerate();
                for (index, value) in params {
                    demand(space, Scalar::Local(other, index, Local::Next), value);
                }
            }
            Becomes::Wrong(_) => {}
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
            Becomes::Goto | Becomes::Return => {
                let own = slots_of(case);
                let fits = |part: &Vec<Slot>| own.iter().all(|slot| part.contains(slot));
                let Some(part) = written.iter().position(fits) else { continue };
                for &slot in written[part].iter().filter(|slot| !own.contains(slot)) {
                    let (now, next) = (space.scalar(view.now(slot)), space.scalar(view.next(slot)));
                    let same = space.same(&now, &next)?;
                    diagram = space.bdds.and(diagram, same)?;
                }
                goes[part].push(diagram);
            }
            Becomes::Call(_) => calls.push(diagram),
            Becomes::Wrong(_) => wrongs.push(diagram),
        }
    }
    let mut parts = Vec::with_capacity(goes.len());
    for (written, goes) in written.into_iter().zip(goes) {
        let moved = written.iter().filter(|slot| !matches!(slot, Slot::Result(_)));
        let now: Vec<Var> = moved.clone().flat_map(|&slot| space.scalar(view.now(slot))).collect();
        let next: Vec<Var> = moved.flat_map(|&slot| space.scalar(view.next(slot))).collect();
        let replaced = now.iter().chain(&received).copied().collect();
        parts.push(Part { relation: any_of(space, goes)?, replaced, renamed: (next, now) });
    }
    Ok(EdgeRelation {
        parts: parts.into(),
        call: any_of(space, calls)?,
        wrong: any_of(space, wrongs)?,
    })
}

/// The slots that a case writes, in rising order.
fn slots_of(case: &Case) -> Vec<Slot> {
    let mut slots: Vec<Slot> = case.writes.iter().map(|(slot, _)| *slot).collect();
    slots.sort_unstable();
    slots
}

/// The sets of slots that cases write, without those that are part of another.
fn written_together(cases: &[Case]) -> Vec<Vec<Slot>> {
    let goes = |case: &&Case| matches!(case.effect, Becomes::Goto | Becomes::Return);
    let sets: BTreeSet<Vec<Slot>> = cases.iter().filter(goes).map(slots_of).collect();
    let mut sets: Vec<Vec<Slot>> = sets.into_iter().collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let mut largest: Vec<Vec<Slot>> = Vec::new();
    for set in sets {
        if !largest.iter().any(|known| set.iter().all(|slot| known.contains(slot))) {
            largest.push(set);
        }
    }
    largest
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
