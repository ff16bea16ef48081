//! # Quantification
//! **Question.** For which values of the other variables is there one of these that makes f true?
//!
//! **Idea.** At a variable of the set, the disjunction of both halves; below the last variable of
//! the set, nothing changes. The relational product, the conjunction under the quantifiers, is
//! computed in one pass [Burch et al. 1990], so the conjunction, often far larger than operands and
//! result, is never built.

use rustc_hash::FxHashMap;

use crate::cache::{MAX_ARGUMENT, Operation};
use crate::connectives::simple_and;
use crate::handle::checked;
use crate::limit::Halt;
use crate::{Bdd, Limit, Manager, Var};

/// A set of variables of one [`Manager`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarSet(u32);

/// All sets of variables that were asked for; equal ones have equal numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sets {
    sets: Vec<Set>,
    ids: FxHashMap<Box<[u64]>, u32>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Set {
    /// A bit for each variable up to the last.
    members: Box<[u64]>,
    /// The first variable after the last.
    end: Var,
}

impl Sets {
    fn intern(&mut self, vars: &[Var]) -> u32 {
        let end = vars.iter().max().map_or(0, |&last| checked(last) + 1);
        let mut members = vec![0u64; end.div_ceil(64) as usize].into_boxed_slice();
        for &var in vars {
            members[(var / 64) as usize] |= 1 << (var % 64);
        }
        if let Some(&id) = self.ids.get(&members) {
            return id;
        }
        assert!(self.sets.len() < MAX_ARGUMENT, "too many sets of variables");
        let id = self.sets.len() as u32;
        // Twice the bits, the entry of the map, and the set.
        self.bytes += 16 * members.len() + 64;
        self.ids.insert(members.clone(), id);
        self.sets.push(Set { members, end });
        id
    }

    /// The first variable after the last of the set.
    #[inline]
    fn end(&self, set: u32) -> Var {
        self.sets[set as usize].end
    }

    /// Whether the set has the variable, which must be before its end.
    #[inline]
    fn has(&self, set: u32, var: Var) -> bool {
        self.sets[set as usize].members[(var / 64) as usize] >> (var % 64) & 1 == 1
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<L: Limit> Manager<L> {
    /// A set of variables to quantify. The same variables always give the same set.
    pub fn cube(&mut self, vars: &[Var]) -> VarSet {
        VarSet(self.sets.intern(vars))
    }

    /// Where f holds for some values of the variables of the set.
    pub fn exists(&mut self, f: Bdd, set: VarSet) -> Result<Bdd, L::Stop> {
        let result = self.project(f, set.0);
        self.answer(result)
    }

    /// Where f holds for all values of the variables of the set.
    pub fn forall(&mut self, f: Bdd, set: VarSet) -> Result<Bdd, L::Stop> {
        Ok(!self.exists(!f, set)?)
    }

    /// Where f and g hold together for some values of the variables of the set.
    pub fn and_exists(&mut self, f: Bdd, g: Bdd, set: VarSet) -> Result<Bdd, L::Stop> {
        let result = self.product(f, g, set.0);
        self.answer(result)
    }

    fn project(&mut self, f: Bdd, set: u32) -> Result<Bdd, Halt> {
        let var = self.table.var(f);
        if var >= self.sets.end(set) {
            return Ok(f);
        }
        if let Some(result) = self.recall(Operation::Exists(set), f, Bdd::FALSE) {
            return Ok(result);
        }
        let (f0, f1) = self.split(f, var);
        let low = self.project(f0, set)?;
        let result = if self.sets.has(set, var) {
            if low == Bdd::TRUE {
                low
            } else {
                let high = self.project(f1, set)?;
                self.disjoin(low, high)?
            }
        } else {
            let high = self.project(f1, set)?;
            self.make(var, low, high)?
        };
        self.remember(Operation::Exists(set), f, Bdd::FALSE, result)
    }

    fn product(&mut self, f: Bdd, g: Bdd, set: u32) -> Result<Bdd, Halt> {
        if let Some(both) = simple_and(f, g) {
            return self.project(both, set);
        }
        let var = self.table.var(f).min(self.table.var(g));
        if var >= self.sets.end(set) {
            return self.conjoin(f, g);
        }
        let (f, g) = (f.min(g), f.max(g));
        if let Some(result) = self.recall(Operation::AndExists(set), f, g) {
            return Ok(result);
        }
        let (f0, f1) = self.split(f, var);
        let (g0, g1) = self.split(g, var);
        let low = self.product(f0, g0, set)?;
        let result = if self.sets.has(set, var) {
            // If low is f1 or g1, the other half is part of it already.
            if low == Bdd::TRUE || low == f1 || low == g1 {
                low
            } else {
                let high = self.product(f1, g1, set)?;
                self.disjoin(low, high)?
            }
        } else {
            let high = self.product(f1, g1, set)?;
            self.make(var, low, high)?
        };
        self.remember(Operation::AndExists(set), f, g, result)
    }
}
