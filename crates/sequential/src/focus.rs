//! # The shared variables that matter
//!
//! **Question.** A program has many shared variables, and interfaces relate all of them, for every
//! round. The question may depend on a few. On which?
//!
//! **Idea** [Kurshan 1994; Clarke et al. 2000]. All but a few variables are *hidden*: they have no
//! bits, so that reading one gives any value and writing one does nothing. Every run of the program
//! is still a run, step by step and round by round. So if nothing goes wrong, nothing goes wrong
//! in the program. If something does, its steps are taken in the program. Where that fails, threads
//! are interrupted at the same places, with all variables seen and any steps between. Where that
//! fails, too, the run has read hidden variables with other values than they have: one of them is
//! hidden no more, and all begins again.
//!
//! **Claim.** The answer is the same as with all variables, and so is the smallest number of
//! rounds. There are at most as many attempts as variables.

use std::collections::BTreeSet;

use selvedge_core::EdgeId;
use selvedge_core::machine::{Becomes, Case};
use selvedge_core::{Declared, Slot, Value};
use selvedge_evidence::relations::{FEW_BITS, bits_for};
use selvedge_program::Lowering;

use crate::Result;

/// Which shared variables are seen, by slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Focus(Vec<bool>);

impl Focus {
    /// Sees all shared variables.
    #[must_use]
    pub fn all(program: &Lowering) -> Self {
        Focus(vec![true; program.code().shared.len()])
    }

    /// Sees no shared variable.
    #[must_use]
    pub fn none(program: &Lowering) -> Self {
        Focus(vec![false; program.code().shared.len()])
    }

    /// Those that are read by a step that may go wrong.
    pub fn needed(program: &Lowering) -> Result<Self> {
        let mut focus = Self::none(program);
        for id in (0..program.code().edges.len() as u32).map(EdgeId) {
            let cases = program.relation(id, 1)?;
            if cases.iter().any(|case| matches!(case.effect, Becomes::Wrong(_))) {
                focus.see(&cases);
            }
        }
        Ok(focus)
    }

    /// Those that are needed, or all if there are few.
    pub fn chosen(program: &Lowering) -> Result<Self> {
        let all = Self::all(program);
        if all.bits(program) < FEW_BITS { Ok(all) } else { Self::needed(program) }
    }

    /// How many bits the variables that are seen have.
    #[must_use]
    pub fn bits(&self, program: &Lowering) -> u32 {
        let bits = |slot: &Declared| slot.kind.span().map_or(0, |span| bits_for(span.count));
        let seen = program.code().shared.iter().zip(&self.0).filter(|(_, seen)| **seen);
        seen.map(|(ty, _)| bits(ty)).sum()
    }

    /// Whether each shared variable is seen.
    #[must_use]
    pub fn seen(&self) -> &[bool] {
        &self.0
    }

    /// Whether all shared variables are seen.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.iter().all(|seen| *seen)
    }

    /// Sees one more of the variables that the edges of a run read: the one that the fewest
    /// commands read or write. The others have more ways to get the values that they should have.
    /// Everything, if the run reads nothing that is hidden.
    pub fn widen(&mut self, program: &Lowering, run: &[EdgeId]) -> Result<()> {
        let mut mentioned = vec![0usize; self.0.len()];
        let mut read = vec![false; self.0.len()];
        for id in (0..program.code().edges.len() as u32).map(EdgeId) {
            let cases = program.relation(id, 1)?;
            let globals = |slots: &[(Slot, Value)]| -> Vec<usize> {
                let slots = slots.iter().filter_map(|(slot, _)| match slot {
                    Slot::Global(index) => Some(*index),
                    _ => None,
                });
                slots.collect()
            };
            let reads: BTreeSet<_> = cases.iter().flat_map(|case| globals(&case.reads)).collect();
            let writes = cases.iter().flat_map(|case| globals(&case.writes)).collect();
            reads.union(&writes).for_each(|&index| mentioned[index] += 1);
            if run.contains(&id) {
                reads.iter().for_each(|&index| read[index] = true);
            }
        }
        let hidden = (0..self.0.len()).filter(|&index| read[index] && !self.0[index]);
        match hidden.min_by_key(|&index| mentioned[index]) {
            Some(index) => self.0[index] = true,
            None => self.0.fill(true),
        }
        Ok(())
    }

    /// Sees the shared variables that some cases read.
    fn see(&mut self, cases: &[Case]) {
        for (slot, _) in cases.iter().flat_map(|case| &case.reads) {
            if let Slot::Global(index) = slot {
                self.0[*index] = true;
            }
        }
    }
}
