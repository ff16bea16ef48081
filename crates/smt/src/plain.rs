//! # Expressions of declarations
//! Predicates and the arguments of threads as terms, over threads whose places are known. `forall`,
//! `exists` and `#{…}` are written out over the threads of a view: a statement about all threads
//! holds if it holds of every view.

use num_bigint::BigInt;
use selvedge_core::ProcId;
use selvedge_program::compile::{Claim, Who};
use selvedge_program::{Expr, Quantifier};

use crate::layout::{Layout, Standing};
use crate::symbolic::{binary, merge, unary};
use crate::term::{Arith, Term, Var};

/// The program and the threads that an expression is about.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The program.
    pub layout: &'a Layout<'a>,
    /// The threads of the view, by position.
    pub threads: &'a [Standing],
    /// The position of the thread itself, if it has one.
    pub own: Option<usize>,
    /// The procedure whose locals are meant.
    pub proc: ProcId,
    /// The number of the instance, in the arguments of a thread.
    pub instance: Option<Var>,
}

impl About<'_> {
    /// The expression as a term; `None` where it has no meaning, as for a local of a thread that runs
    /// another procedure.
    #[must_use]
    pub fn term(&self, expr: &Expr) -> Option<Term> {
        self.inner(&self.layout.claim(self.proc, expr)?, &mut Vec::new())
    }

    fn inner(&self, claim: &Claim, bound: &mut Vec<usize>) -> Option<Term> {
        match claim {
            Claim::Bool(b) => Some(Term::Bool(*b)),
            Claim::Int(n) => n.to_big().map(Term::Int),
            Claim::Shared(slot) => Some(Term::Var(Var::Global(*slot))),
            Claim::Local(who, slot) => self.local(self.position(*who, bound)?, *slot),
            Claim::At(who, locs) => {
                let at = self.threads[self.position(*who, bound)?].loc;
                Some(Term::Bool(at.is_some_and(|at| locs.contains(&at))))
            }
            Claim::Instance => self.instance.map(Term::Var),
            Claim::Any => None,
            Claim::Unary(op, a) => unary(*op, self.inner(a, bound)?),
            Claim::Binary(op, a, b) => binary(*op, self.inner(a, bound)?, self.inner(b, bound)?),
            Claim::If(parts) => {
                let [c, a, b] = &**parts;
                Some(merge(self.inner(c, bound)?, self.inner(a, bound)?, self.inner(b, bound)?))
            }
            Claim::Quantified { quantifier, others_only, body } => {
                let mut said = Vec::new();
                for (position, place) in self.threads.iter().enumerate() {
                    let runs_it = self.layout.classes[place.class].proc == self.proc;
                    if !runs_it || (*others_only && self.own == Some(position)) {
                        continue;
                    }
                    bound.push(position);
                    let said_of_it = self.inner(body, bound);
                    bound.pop();
                    said.push(said_of_it?);
                }
                Some(match quantifier {
                    Quantifier::Forall => Term::all(said),
                    Quantifier::Exists => Term::any(said),
                    Quantifier::Count => said.into_iter().fold(Term::int(0), |sum, one| {
                        let one = Term::ite(one, Term::int(1), Term::int(0));
                        Term::arith(Arith::Add, sum, one)
                    }),
                })
            }
        }
    }

    /// The position of the thread that is meant.
    fn position(&self, who: Who, bound: &[usize]) -> Option<usize> {
        match who {
            Who::Own => self.own,
            Who::Bound(depth) => nth(bound, depth),
        }
    }

    fn local(&self, position: usize, slot: usize) -> Option<Term> {
        let class = &self.layout.classes[self.threads[position].class];
        (class.proc == self.proc).then_some(Term::Var(Var::Local(position, slot)))
    }
}

fn nth(bound: &[usize], depth: u32) -> Option<usize> {
    bound.len().checked_sub(depth as usize + 1).map(|at| bound[at])
}

/// The number of an instance: at least 0, and below the number of threads where that is known.
#[must_use]
pub fn in_instances(instance: Var, count: Option<u32>) -> Term {
    let lo = Term::le(Term::int(0), Term::Var(instance));
    let hi = count.map(|n| Term::lt(Term::Var(instance), Term::Int(BigInt::from(n))));
    Term::all([Some(lo), hi].into_iter().flatten())
}
