//! # What the samples allow
//!
//! **Question.** Some views are known to belong to the invariant: reached ones, and those that a step
//! leads to from views that belong to it. What is the strongest statement of a given form that holds
//! of all of them?
//!
//! **Idea.** As *views*: exactly the abstract states that were seen, which is predicate abstraction.
//! As *clauses*: all those of at most so many literals that no sample refutes, without those that
//! follow from shorter ones. A clause that a new sample refutes is replaced by its weakenings.
//!
//! **Claim.** Statements only get weaker, there are finitely many, and the statement is the strongest
//! of its form that all samples satisfy. So if samples are added until every step stays inside, what
//! is left is the strongest inductive statement of the form (for clauses this is the algorithm
//! *Houdini* of Flanagan and Leino).

use std::fmt;

use rustc_hash::FxHashSet;
use selvedge_smt::invariant::{Fact, Form, Literal};
use selvedge_smt::term::{Term, Val, Var};

/// The form of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All clauses with at most so many literals.
    Clauses(usize),
    /// Abstract states.
    Views,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Clauses(1) => f.write_str("single predicates"),
            Shape::Clauses(most) => write!(f, "clauses of up to {most} predicates"),
            Shape::Views => f.write_str("abstract states"),
        }
    }
}

/// What is known at a combination of places.
pub struct Learner {
    /// The predicates.
    pub predicates: Vec<Term>,
    shape: Shape,
    clauses: Vec<Vec<Literal>>,
    views: FxHashSet<Box<[bool]>>,
}

impl Learner {
    /// Nothing was seen yet: the statement is *false*.
    #[must_use]
    pub fn new(predicates: Vec<Term>, shape: Shape) -> Self {
        Learner { predicates, shape, clauses: vec![Vec::new()], views: FxHashSet::default() }
    }

    /// Takes a view into account; whether the statement got weaker. A predicate whose value is not
    /// known there may be either.
    pub fn add(&mut self, value: &dyn Fn(Var) -> Option<Val>) -> bool {
        let truth = |term: &Term| term.value(value).and_then(Val::truth);
        let sample: Vec<Option<bool>> = self.predicates.iter().map(truth).collect();
        match self.shape {
            Shape::Views => {
                let known: Option<Box<[bool]>> = sample.into_iter().collect();
                known.is_some_and(|view| self.views.insert(view))
            }
            Shape::Clauses(most) => self.weaken(&sample, most),
        }
    }

    fn weaken(&mut self, sample: &[Option<bool>], most: usize) -> bool {
        let holds = |l: &Literal| sample[l.predicate as usize].is_none_or(|b| b == l.holds);
        let (kept, refuted): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.clauses).into_iter().partition(|c| c.iter().any(holds));
        self.clauses = kept;
        if refuted.is_empty() {
            return false;
        }
        let units: FxHashSet<Literal> =
            self.clauses.iter().filter(|c| c.len() == 1).map(|c| c[0]).collect();
        let mut known: FxHashSet<Vec<Literal>> =
            self.clauses.iter().filter(|c| c.len() > 1).cloned().collect();
        for clause in refuted.into_iter().filter(|clause| clause.len() < most) {
            for (predicate, value) in (0_u32..).zip(sample.iter()) {
                if clause.iter().any(|l| l.predicate == predicate) {
                    continue;
                }
                let signs = match value {
                    Some(value) => vec![*value],
                    None => vec![true, false],
                };
                for holds in signs {
                    let literal = Literal { predicate, holds };
                    if units.contains(&literal) {
                        continue;
                    }
                    let mut weaker = clause.clone();
                    weaker.push(literal);
                    weaker.sort_unstable();
                    if !follows(&weaker, &known) && known.insert(weaker.clone()) {
                        self.clauses.push(weaker);
                    }
                }
            }
        }
        true
    }

    /// Whether nothing was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self.shape {
            Shape::Views => self.views.is_empty(),
            Shape::Clauses(_) => self.clauses.iter().any(Vec::is_empty),
        }
    }

    /// How many abstract states or clauses there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.shape {
            Shape::Views => self.views.len(),
            Shape::Clauses(_) => self.clauses.len(),
        }
    }

    /// The statement.
    #[must_use]
    pub fn fact(&self) -> Fact {
        let form = match self.shape {
            Shape::Views => {
                let mut views: Vec<_> = self.views.iter().cloned().collect();
                views.sort_unstable();
                Form::Views(views)
            }
            Shape::Clauses(_) => Form::Clauses(self.clauses.clone()),
        };
        Fact { predicates: self.predicates.clone(), form }
    }
}

/// Whether a clause follows from a shorter one, of at least two literals.
fn follows(clause: &[Literal], known: &FxHashSet<Vec<Literal>>) -> bool {
    clause.len() > 2
        && (0..clause.len()).any(|without| {
            let mut shorter = clause.to_vec();
            shorter.remove(without);
            known.contains(&shorter)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(learner: &mut Learner, bits: [bool; 3]) -> bool {
        learner.add(&|var| match var {
            Var::Global(slot) => Some(Val::Bool(bits[slot])),
            _ => None,
        })
    }

    fn learner(shape: Shape) -> Learner {
        Learner::new((0..3).map(|slot| Term::Var(Var::Global(slot))).collect(), shape)
    }

    /// Every clause that all samples satisfy follows from one that is listed, and the other way round.
    #[test]
    fn clauses_are_all_that_samples_allow() {
        let all: Vec<[bool; 3]> = (0..8).map(|n| [n & 1 != 0, n & 2 != 0, n & 4 != 0]).collect();
        for chosen in 0u32..256 {
            let mut learner = learner(Shape::Clauses(2));
            let samples: Vec<_> =
                (0..8).filter(|n| chosen & (1 << n) != 0).map(|n| all[n]).collect();
            for sample in &samples {
                bits(&mut learner, *sample);
            }
            let literal = |l: &Literal, s: &[bool; 3]| s[l.predicate as usize] == l.holds;
            let holds = |c: &[Literal]| samples.iter().all(|s| c.iter().any(|l| literal(l, s)));
            assert!(learner.clauses.iter().all(|c| holds(c)));
            let lit = |n: u32| Literal { predicate: n / 2, holds: n.is_multiple_of(2) };
            for a in 0..6 {
                for b in a..6 {
                    let clause = [lit(a), lit(b)];
                    let plain = clause[0].predicate == clause[1].predicate && a != b;
                    let listed =
                        learner.clauses.iter().any(|c| c.iter().all(|l| clause.contains(l)));
                    assert!(plain || holds(&clause) == listed, "{samples:?} {clause:?}");
                }
            }
        }
    }

    #[test]
    fn views_are_what_was_seen() {
        let mut learner = learner(Shape::Views);
        assert!(learner.is_empty());
        assert!(bits(&mut learner, [true, false, true]));
        assert!(!bits(&mut learner, [true, false, true]));
        assert_eq!(learner.len(), 1);
    }
}
