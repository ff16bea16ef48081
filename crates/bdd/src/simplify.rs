//! # Simplification
//! **Question.** Outside of a set nobody looks. Which function is equal to f inside, and small?
//!
//! **Idea** [Coudert, Madre 1990: restrict]. Where one half of the care set is empty, f is replaced
//! by its other half; variables that only the care set speaks of are quantified away first. If the
//! care set is a conjunction of literals, this is the cofactor.

use crate::cache::Operation;
use crate::limit::Halt;
use crate::{Bdd, Limit, Manager, Var};

impl<L: Limit> Manager<L> {
    /// f with values for some variables: the cofactor. If a variable has two values, the first
    /// counts.
    pub fn restrict(&mut self, f: Bdd, literals: &[(Var, bool)]) -> Result<Bdd, L::Stop> {
        let mut literals = literals.to_vec();
        literals.sort_by_key(|&(var, _)| var);
        literals.dedup_by_key(|&mut (var, _)| var);
        let cube = self.cube_of(&literals)?;
        let result = self.trim(f, cube);
        self.answer(result)
    }

    /// A function that is equal to f where `care` holds, and has no more nodes than f.
    pub fn simplify(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, L::Stop> {
        if care == Bdd::FALSE {
            return Ok(Bdd::FALSE);
        }
        let result = self.trim(f, care);
        let result = self.answer(result)?;
        Ok(if result == f || self.nodes(result) <= self.nodes(f) { result } else { f })
    }

    /// Simplifies f within a care set that is not empty.
    fn trim(&mut self, f: Bdd, care: Bdd) -> Result<Bdd, Halt> {
        if care == Bdd::TRUE || f.is_constant() {
            return Ok(f);
        }
        if f == care || f == !care {
            return Ok(Bdd::constant(f == care));
        }
        let mark = f.mark();
        let f = f.flip(mark);
        if let Some(result) = self.recall(Operation::Simplify, f, care) {
            return Ok(result.flip(mark));
        }
        let (top, care_top) = (self.table.var(f), self.table.var(care));
        let (care0, care1) = self.split(care, care_top.min(top));
        let result = if care_top < top {
            let care = self.disjoin(care0, care1)?;
            self.trim(f, care)?
        } else {
            let (f0, f1) = self.split(f, top);
            if care0 == Bdd::FALSE {
                self.trim(f1, care1)?
            } else if care1 == Bdd::FALSE {
                self.trim(f0, care0)?
            } else {
                let low = self.trim(f0, care0)?;
                let high = self.trim(f1, care1)?;
                self.make(top, low, high)?
            }
        };
        Ok(self.remember(Operation::Simplify, f, care, result)?.flip(mark))
    }
}
