//! # Summaries as evidence
//!
//! **Question.** A proof by summaries says that every value that reaches a place was followed. Why
//! should anybody believe that?
//!
//! **Idea.** What the search has in the end is an inductive invariant: at each place a relation
//! between the values with which the procedure was entered and those now. `write` puts the
//! relations down, as diagrams; [`recheck`] reads them, in a space of its own with all variables,
//! and applies each step, call and return once.
//!
//! **Claim** [Lal, Reps 2008, Fig. 3, rules R1 to R3 and R7; Reps, Horwitz, Sagiv 1995]. Sets that
//! contain the first values and are closed under the rules contain all that is reachable, whoever
//! made them. If a relation was found with some variables hidden, it holds for all values of these.
//!
//! **Needs.** One thread. What a step does to bits ([`crate::relations`]) is taken as the search takes it, from
//! [`selvedge_program::Lowering::relation`].

mod check;
mod write;

use rustc_hash::FxHashMap;
use selvedge_bdd::Var;
use selvedge_program::ProcId;

use crate::relations::{Local, Scalar, Shared, Space};
use crate::{SummaryBit, SummaryScalar};

pub use check::recheck;
pub use write::write;

/// A scalar at a moment; `None` if there is none.
fn scalar(space: &Space<'_>, SummaryBit { scalar, entry, .. }: SummaryBit) -> Option<Scalar> {
    let program = space.lowering.program();
    let proc = |number: u32| {
        Some(ProcId(number)).filter(|proc: &ProcId| proc.index() < program.procs.len())
    };
    let (shared, local) =
        if entry { (Shared::Entry(0), Local::Entry) } else { (Shared::Out(0), Local::Now) };
    match scalar {
        SummaryScalar::Shared(slot) => {
            let slots = space.lowering.code().shared.len();
            ((slot as usize) < slots).then_some(Scalar::Shared(slot as usize, shared))
        }
        SummaryScalar::Local(of, slot) => {
            let of = proc(of)?;
            let slots = if entry {
                space.lowering.code().proc(of).params
            } else {
                space.lowering.code().proc(of).frame.len()
            };
            ((slot as usize) < slots).then_some(Scalar::Local(of, slot as usize, local))
        }
        SummaryScalar::Result(of, slot) => {
            let of = proc(of)?;
            let results = program.procs[of.index()].results.len();
            (!entry && (slot as usize) < results).then_some(Scalar::Result(of, slot as usize))
        }
    }
}

/// The variables of the diagrams of certificates, and what they are.
fn variables(space: &Space<'_>) -> FxHashMap<Var, SummaryBit> {
    let procs = 0..space.lowering.program().procs.len() as u32;
    let shared = (0..space.lowering.code().shared.len() as u32).map(SummaryScalar::Shared);
    let locals = procs.clone().flat_map(|proc| {
        let slots = space.lowering.code().proc(ProcId(proc)).frame.len() as u32;
        (0..slots).map(move |slot| SummaryScalar::Local(proc, slot))
    });
    let results = procs.flat_map(|proc| {
        let slots = space.lowering.program().procs[proc as usize].results.len() as u32;
        (0..slots).map(move |slot| SummaryScalar::Result(proc, slot))
    });
    let mut found = FxHashMap::default();
    for of in shared.chain(locals).chain(results) {
        for entry in [false, true] {
            let first = SummaryBit { scalar: of, entry, bit: 0 };
            let Some(place) = scalar(space, first) else { continue };
            for (bit, var) in (0..).zip(space.scalar(place)) {
                found.insert(var, SummaryBit { bit, ..first });
            }
        }
    }
    found
}
