//! # The check of summaries
//!
//! Every rule once, for every place: the first values, steps, calls, returns, and what goes wrong.
//! No search is seen from here: what bits are, what steps do to them and which edges leave a place is in
//! [`crate::relations`].

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_bdd::{Bdd, Var};
use selvedge_core::{Control, EdgeId, Loc};
use selvedge_model::{Budget, Property, System};
use selvedge_program::{Lowering, ProcId};

use super::scalar;
use crate::relations::{self, EdgeRelation, Layout, Limits, Local, Scalar, Shared, Space, Steps};
use crate::{Checked, Flaw, Refusal, SummaryCertificate, SummaryPlace};

/// Whether a certificate shows that a program with one thread never goes wrong.
pub fn recheck(
    program: &Lowering,
    properties: &[Property],
    certificate: &SummaryCertificate,
    budget: &Budget,
) -> Result<Checked, Refusal> {
    let is_about_assertions = properties.iter().all(|p| *p == Property::NeverWrong);
    let one = program.thread_count() == 1 && program.any_number().is_empty();
    if !one || program.starts_threads() || !is_about_assertions {
        let message = "summaries show that assertions hold in a program with one thread, and this \
                       is another question";
        return Err(Refusal::new(Flaw::Claim, message));
    }
    let limits = Limits(budget.clone());
    let seen = vec![true; program.code().shared.len()];
    let space = Space::new(program, 1, Layout::ByVariable, &seen, limits)?;
    let mut check = Check {
        space,
        steps: Steps::default(),
        owner: program.start_of(0).owner,
        thread: BTreeMap::new(),
        procedures: BTreeMap::new(),
        summaries: FxHashMap::default(),
    };
    check.read(certificate)?;
    check.initial()?;
    check.summarise()?;
    check.closed()?;
    let places = check.thread.len() + check.procedures.len();
    Ok(Checked::Summaries { places, nodes: certificate.nodes.len() })
}

/// The relations of a certificate, in a space of their own.
struct Check<'a> {
    space: Space<'a>,
    steps: Steps,
    /// The thread as an owner of locks.
    owner: u32,
    thread: BTreeMap<Loc, Bdd>,
    procedures: BTreeMap<Loc, Bdd>,
    /// The values with which calls of a procedure return; those at its entry are the next ones.
    summaries: FxHashMap<ProcId, Bdd>,
}

/// Whether a procedure was called, or is what the thread begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Thread,
    Called,
}

type Checking<T> = Result<T, Refusal>;

fn form(message: impl Into<String>) -> Refusal {
    Refusal::new(Flaw::Form, message)
}

impl Check<'_> {
    /// Builds the diagrams. Each relation speaks of the values at its place and of nothing else.
    fn read(&mut self, certificate: &SummaryCertificate) -> Checking<()> {
        let mut variables: Vec<Bdd> = Vec::with_capacity(certificate.variables.len());
        for (number, &bit) in certificate.variables.iter().enumerate() {
            let bits = scalar(&self.space, bit).map(|place| self.space.scalar(place));
            let var = bits.and_then(|bits| bits.get(bit.bit as usize).copied());
            let var =
                var.ok_or_else(|| form(format!("variable {number}: there is no such bit")))?;
            variables.push(self.space.bdds.var(var)?);
        }
        let mut diagrams = vec![Bdd::FALSE, Bdd::TRUE];
        for (number, node) in certificate.nodes.iter().enumerate() {
            let variable = variables.get(node.variable as usize);
            let low = diagrams.get(node.low as usize);
            let high = diagrams.get(node.high as usize);
            let (Some(&variable), Some(&low), Some(&high)) = (variable, low, high) else {
                return Err(form(format!("node {number} refers to what is not there before it")));
            };
            let diagram = self.space.bdds.ite(variable, high, low)?;
            diagrams.push(diagram);
        }
        for (family, places) in
            [(Family::Thread, &certificate.thread), (Family::Called, &certificate.procedures)]
        {
            for place in places {
                self.read_place(family, place, &diagrams)?;
            }
        }
        Ok(())
    }

    fn read_place(
        &mut self,
        family: Family,
        place: &SummaryPlace,
        diagrams: &[Bdd],
    ) -> Checking<()> {
        let loc = Loc(place.location);
        let said = |why: &str| form(format!("place {}: {why}", place.location));
        let proc = self.space.proc_at(loc).ok_or_else(|| said("there is no such place"))?;
        let diagram = diagrams.get(place.diagram as usize).copied();
        let diagram = diagram.ok_or_else(|| said("there is no such diagram"))?;
        let allowed = self.allowed(family, proc, loc);
        if self.space.bdds.support(diagram).iter().any(|var| !allowed.contains(var)) {
            return Err(said("the relation speaks of variables that have no value there"));
        }
        if self.family_mut(family).insert(loc, diagram).is_some() {
            return Err(said("it is listed twice"));
        }
        Ok(())
    }

    /// The variables that have values at a place.
    fn allowed(&self, family: Family, proc: ProcId, loc: Loc) -> Vec<Var> {
        let space = &self.space;
        let mut vars = space.shared(Shared::Out(0));
        vars.extend(space.locals(proc, Local::Now));
        vars.extend(space.received_at(loc).into_iter().flat_map(|from| space.results(from)));
        if family == Family::Called {
            vars.extend(space.shared(Shared::Entry(0)));
            vars.extend(space.params(proc, Local::Entry));
        }
        vars.sort_unstable();
        vars
    }

    fn family(&self, family: Family) -> &BTreeMap<Loc, Bdd> {
        match family {
            Family::Thread => &self.thread,
            Family::Called => &self.procedures,
        }
    }

    fn family_mut(&mut self, family: Family) -> &mut BTreeMap<Loc, Bdd> {
        match family {
            Family::Thread => &mut self.thread,
            Family::Called => &mut self.procedures,
        }
    }

    /// All places, with the relations there.
    fn places(&self) -> Vec<(Family, Loc, Bdd)> {
        let of = |family| self.family(family).iter().map(move |(loc, set)| (family, *loc, *set));
        of(Family::Thread).chain(of(Family::Called)).collect()
    }

    /// Checks that a set is contained in the relation at a place.
    fn contained(
        &mut self,
        set: Bdd,
        (family, loc): (Family, Loc),
        refusal: impl FnOnce(&Self) -> Refusal,
    ) -> Checking<()> {
        let relation = self.family(family).get(&loc).copied().unwrap_or(Bdd::FALSE);
        match self.space.bdds.is_subset(set, relation)? {
            true => Ok(()),
            false => Err(refusal(self)),
        }
    }

    /// The first values are at the first place.
    fn initial(&mut self) -> Checking<()> {
        let start = self.space.lowering.start_of(0);
        let entry = self.space.lowering.code().proc(start.proc).entry;
        let mut first = self.space.initial(Shared::Out(0))?;
        for (slot, value) in start.locals.iter().enumerate() {
            let place = Scalar::Local(start.proc, slot, Local::Now);
            let value = self.space.has_value(place, value)?;
            first = self.space.bdds.and(first, value)?;
        }
        self.contained(first, (Family::Thread, entry), |_| {
            Refusal::new(Flaw::Initial, "first values are missing where the thread begins")
        })
    }

    fn step(&mut self, edge: EdgeId) -> Checking<EdgeRelation> {
        self.steps.get(&mut self.space, edge, self.owner, 0).map_err(Refusal::from)
    }

    /// Collects the values with which procedures return, from the relations at their ends.
    fn summarise(&mut self) -> Checking<()> {
        for (family, loc, set) in self.places() {
            for id in self.space.edges_at(loc).to_vec() {
                let is_return = self.space.lowering.code().edge(id).control == Control::Return;
                let Some(proc) = self.space.proc_at(loc) else { continue };
                if family == Family::Thread || !is_return {
                    continue;
                }
                let step = self.step(id)?;
                let summary = self.returned(&step, proc, set)?;
                let known = self.summaries.entry(proc).or_insert(Bdd::FALSE);
                *known = self.space.bdds.or(*known, summary)?;
            }
        }
        Ok(())
    }

    fn returned(&mut self, step: &EdgeRelation, proc: ProcId, set: Bdd) -> relations::Result<Bdd> {
        let after = step.image(&mut self.space, set)?;
        let locals = self.space.locals(proc, Local::Now);
        let after = self.space.forget(after, &locals)?;
        let renamed = self.space.at_entry(proc, Space::whole(proc), 0, false);
        self.space.rename(after, &renamed)
    }

    /// No step, call or return leaves the relations, and none goes wrong.
    fn closed(&mut self) -> Checking<()> {
        for (family, loc, set) in self.places() {
            self.space.bdds.limit().0.check()?;
            for id in self.space.edges_at(loc).to_vec() {
                self.collect();
                let step = self.step(id)?;
                if !self.space.bdds.is_disjoint(set, step.wrong)? {
                    let message = format!("{}: values go wrong there", self.line(id));
                    return Err(Refusal::new(Flaw::Harmful, message));
                }
                let edge = self.space.lowering.code().edge(id);
                match edge.control {
                    Control::Call(callee) => {
                        self.call((family, loc), id, &step, callee, set)?;
                    }
                    Control::Return => {} // seen from where it was called
                    _ => {
                        let after = step.image(&mut self.space, set)?;
                        let to = edge.to;
                        self.contained(after, (family, to), |check| check.leaves(id, "a step"))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A call enters the procedure with values that are known there, and goes on with what it
    /// returns.
    fn call(
        &mut self,
        (family, loc): (Family, Loc),
        id: EdgeId,
        step: &EdgeRelation,
        callee: ProcId,
        set: Bdd,
    ) -> Checking<()> {
        let called = self.called(step, set)?;
        let entered = self.entered(loc, callee, called)?;
        let entry = self.space.lowering.code().proc(callee).entry;
        self.contained(entered, (Family::Called, entry), |check| check.leaves(id, "a call"))?;
        let to = self.space.lowering.code().edge(id).to;
        let after = self.resumed(to, callee, called)?;
        self.contained(after, (family, to), |check| check.leaves(id, "a return"))
    }

    /// The values of the caller, with those that the procedure is entered with as the next ones.
    fn called(&mut self, step: &EdgeRelation, set: Bdd) -> relations::Result<Bdd> {
        let called = self.space.bdds.and(set, step.call)?;
        let pair = (self.space.shared(Shared::Out(0)), self.space.shared(Shared::Next(0)));
        self.space.rename(called, &[pair])
    }

    /// A procedure has just been entered: the values now are those at its entry.
    fn entered(&mut self, from: Loc, callee: ProcId, called: Bdd) -> relations::Result<Bdd> {
        let space = &mut self.space;
        let Some(caller) = space.proc_at(from) else { return Ok(Bdd::FALSE) };
        let forgotten = space.activation(caller, None);
        let entry = space.forget(called, &forgotten)?;
        let renamed = space.at_entry(callee, Space::whole(callee), 0, true);
        let entry = space.rename(entry, &renamed)?;
        let (then, now) = (space.shared(Shared::Entry(0)), space.shared(Shared::Out(0)));
        let shared = space.same(&then, &now)?;
        let (then, now) = (space.params(callee, Local::Entry), space.params(callee, Local::Now));
        let params = space.same(&then, &now)?;
        let same = space.bdds.and(shared, params)?;
        space.bdds.and(entry, same)
    }

    /// The caller goes on, with what the procedure has returned.
    fn resumed(&mut self, to: Loc, callee: ProcId, called: Bdd) -> relations::Result<Bdd> {
        let summary = self.summaries.get(&callee).copied().unwrap_or(Bdd::FALSE);
        let mut forgotten = self.space.next_entry(callee, Space::whole(callee), 0);
        if self.space.received_at(to).is_none() {
            forgotten.extend(self.space.results(callee));
        }
        self.space.join(called, summary, &forgotten)
    }

    /// Frees diagrams that are not needed any more.
    fn collect(&mut self) {
        if self.space.bdds.should_collect() {
            let sets = self.thread.values().chain(self.procedures.values());
            let sets = sets.chain(self.summaries.values()).copied();
            self.space.bdds.collect(sets.chain(self.steps.diagrams()).collect::<Vec<_>>());
        }
    }

    fn leaves(&self, id: EdgeId, what: &str) -> Refusal {
        let message = format!("{}: {what} leads to values that are missing", self.line(id));
        Refusal::new(Flaw::NotClosed, message)
    }

    fn line(&self, id: EdgeId) -> String {
        let site = self.space.lowering.code().edge(id).site;
        format!("line {}", self.space.lowering.source().line(site.0))
    }
}
