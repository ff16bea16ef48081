//! # Connectives
//! **Idea.** A connective is carried out on the two halves of its operands at the topmost variable;
//! the cache keeps what was computed, so at most one step is taken for each combination of nodes.
//! Conjunction, exclusive or and if-then-else recurse; all else is one of them with complements.

use crate::cache::Operation;
use crate::limit::Halt;
use crate::{Bdd, Limit, Manager};

impl<L: Limit> Manager<L> {
    /// The negation of f. `!f` does it without a manager.
    pub fn not(&mut self, f: Bdd) -> Result<Bdd, L::Stop> {
        Ok(!f)
    }

    /// The conjunction of f and g.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, L::Stop> {
        let result = self.conjoin(f, g);
        self.answer(result)
    }

    /// The disjunction of f and g.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, L::Stop> {
        let result = self.disjoin(f, g);
        self.answer(result)
    }

    /// The exclusive or of f and g.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, L::Stop> {
        let result = self.differ(f, g);
        self.answer(result)
    }

    /// The equivalence of f and g.
    pub fn iff(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, L::Stop> {
        self.xor(f, !g)
    }

    /// The implication from f to g.
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, L::Stop> {
        self.or(!f, g)
    }

    /// The conjunction of f and the negation of g.
    pub fn diff(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, L::Stop> {
        self.and(f, !g)
    }

    /// If f then g, else h.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, L::Stop> {
        let result = self.choose(f, g, h);
        self.answer(result)
    }

    /// Whether f and g hold nowhere together. No node is made.
    pub fn is_disjoint(&mut self, f: Bdd, g: Bdd) -> Result<bool, L::Stop> {
        let result = self.disjoint(f, g);
        self.answer(result)
    }

    /// Whether g holds wherever f does. No node is made.
    pub fn is_subset(&mut self, f: Bdd, g: Bdd) -> Result<bool, L::Stop> {
        self.is_disjoint(f, !g)
    }

    pub(crate) fn conjoin(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Halt> {
        if let Some(result) = simple_and(f, g) {
            return Ok(result);
        }
        let (f, g) = (f.min(g), f.max(g));
        if let Some(result) = self.recall(Operation::And, f, g) {
            return Ok(result);
        }
        let var = self.table.var(f).min(self.table.var(g));
        let (f0, f1) = self.split(f, var);
        let (g0, g1) = self.split(g, var);
        let low = self.conjoin(f0, g0)?;
        let high = self.conjoin(f1, g1)?;
        let result = self.make(var, low, high)?;
        self.remember(Operation::And, f, g, result)
    }

    #[inline]
    pub(crate) fn disjoin(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Halt> {
        Ok(!self.conjoin(!f, !g)?)
    }

    fn differ(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Halt> {
        // Marks pass through, so that the cache sees pairs of nodes only.
        let mark = f.mark() ^ g.mark();
        let (f, g) = (f.flip(f.mark()), g.flip(g.mark()));
        let (f, g) = (f.min(g), f.max(g));
        if f == g {
            return Ok(Bdd::FALSE.flip(mark));
        }
        if f == Bdd::FALSE {
            return Ok(g.flip(mark));
        }
        if let Some(result) = self.recall(Operation::Xor, f, g) {
            return Ok(result.flip(mark));
        }
        let var = self.table.var(f).min(self.table.var(g));
        let (f0, f1) = self.split(f, var);
        let (g0, g1) = self.split(g, var);
        let low = self.differ(f0, g0)?;
        let high = self.differ(f1, g1)?;
        let result = self.make(var, low, high)?;
        Ok(self.remember(Operation::Xor, f, g, result)?.flip(mark))
    }

    pub(crate) fn choose(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, Halt> {
        if f.is_constant() {
            return Ok(if f == Bdd::TRUE { g } else { h });
        }
        let g = if g == f { Bdd::TRUE } else { g };
        let g = if g == !f { Bdd::FALSE } else { g };
        let h = if h == f { Bdd::FALSE } else { h };
        let h = if h == !f { Bdd::TRUE } else { h };
        match (g, h) {
            _ if g == h => return Ok(g),
            _ if g == !h => return self.differ(f, h),
            (Bdd::TRUE, _) => return self.disjoin(f, h),
            (Bdd::FALSE, _) => return self.conjoin(!f, h),
            (_, Bdd::TRUE) => return self.disjoin(!f, g),
            (_, Bdd::FALSE) => return self.conjoin(f, g),
            _ => {}
        }
        // One of four equivalent triples: neither f nor g has a mark.
        let (f, g, h) = if f.mark() == 0 { (f, g, h) } else { (!f, h, g) };
        let mark = g.mark();
        let (g, h) = (g.flip(mark), h.flip(mark));
        if let Some(result) = self.recall(Operation::Ite(h), f, g) {
            return Ok(result.flip(mark));
        }
        let var = self.table.var(f).min(self.table.var(g)).min(self.table.var(h));
        let (f0, f1) = self.split(f, var);
        let (g0, g1) = self.split(g, var);
        let (h0, h1) = self.split(h, var);
        let low = self.choose(f0, g0, h0)?;
        let high = self.choose(f1, g1, h1)?;
        let result = self.make(var, low, high)?;
        Ok(self.remember(Operation::Ite(h), f, g, result)?.flip(mark))
    }

    fn disjoint(&mut self, f: Bdd, g: Bdd) -> Result<bool, Halt> {
        if let Some(result) = simple_and(f, g) {
            return Ok(result == Bdd::FALSE);
        }
        // Two functions that both hold where all variables are false.
        if f.mark() & g.mark() == 1 {
            return Ok(false);
        }
        let (f, g) = (f.min(g), f.max(g));
        if let Some(result) = self.recall(Operation::Disjoint, f, g) {
            return Ok(result == Bdd::TRUE);
        }
        let var = self.table.var(f).min(self.table.var(g));
        let (f0, f1) = self.split(f, var);
        let (g0, g1) = self.split(g, var);
        let result = self.disjoint(f0, g0)? && self.disjoint(f1, g1)?;
        self.remember(Operation::Disjoint, f, g, Bdd::constant(result))?;
        Ok(result)
    }
}

/// A conjunction that needs no recursion.
#[inline]
pub(crate) fn simple_and(f: Bdd, g: Bdd) -> Option<Bdd> {
    if f == g || g == Bdd::TRUE {
        Some(f)
    } else if f == Bdd::TRUE {
        Some(g)
    } else if f == Bdd::FALSE || g == Bdd::FALSE || f == !g {
        Some(Bdd::FALSE)
    } else {
        None
    }
}
