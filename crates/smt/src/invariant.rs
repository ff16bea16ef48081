//! # Invariants over views
//!
//! A *view* of a state is what is seen of `width` different threads: where they stand, their locals,
//! and the shared variables. An invariant says for each combination of places what holds there:
//! *for all different threads i, j at these places: φ(shared, i, j)*. Combinations that are not
//! listed do not occur.

use std::collections::BTreeMap;

use crate::laws::Law;
use crate::layout::Standing;
use crate::term::{Term, Var};

/// A predicate of a [`Fact`], or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The number of the predicate.
    pub predicate: u32,
    /// Whether it holds, or does not.
    pub holds: bool,
}

/// A fact about threads at some places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The predicates, over the threads in the order of the places.
    pub predicates: Vec<Term>,
    /// What the fact says with the predicates.
    pub form: Form,
}

/// The form of a fact: clauses or abstract states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// All of these, each of which is one or the other of some literals.
    Clauses(Vec<Vec<Literal>>),
    /// One of these: abstract states, with a truth value for each predicate.
    Views(Vec<Box<[bool]>>),
}

impl Fact {
    /// The fact as a term.
    #[must_use]
    pub fn term(&self) -> Term {
        let literal = |predicate: usize, holds: bool| {
            let term = self.predicates[predicate].clone();
            if holds { term } else { term.negated() }
        };
        match &self.form {
            Form::Clauses(clauses) => Term::all(clauses.iter().map(|clause| {
                Term::any(clause.iter().map(|l| literal(l.predicate as usize, l.holds)))
            })),
            Form::Views(views) => Term::any(views.iter().map(|view| {
                Term::all(view.iter().enumerate().map(|(index, &holds)| literal(index, holds)))
            })),
        }
    }
}

/// An invariant about every group of a few threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// How many threads a view has.
    pub width: usize,
    /// The fact for each list of places; the places are in rising order.
    pub facts: BTreeMap<Vec<Standing>, Fact>,
    /// What holds of the shared variables in every state, as [`crate::bounds`] finds it in the text. It
    /// is not kept by steps alone, and not asked of them.
    pub bounds: Vec<Term>,
    /// What holds of the shared variables and the numbers of threads at places, as [`crate::laws`] finds it.
    pub laws: Vec<Law>,
}

impl Invariant {
    /// What the invariant says of some of the threads: those at the positions in `of`.
    #[must_use]
    pub fn says(&self, threads: &[Standing], of: &[usize]) -> Term {
        let key = key(of.iter().map(|&p| threads[p]));
        let Some(fact) = self.facts.get(&key) else { return Term::FALSE };
        let fact = fact.term();
        let orders = orders(threads, of);
        Term::all(orders.into_iter().map(|order| {
            fact.substitute(&|var| {
                Term::Var(match var {
                    Var::Local(position, slot) => Var::Local(order[position], slot),
                    other => other,
                })
            })
        }))
    }
}

/// Places in the order in which an invariant lists them.
#[must_use]
pub fn key(places: impl IntoIterator<Item = Standing>) -> Vec<Standing> {
    let mut key: Vec<Standing> = places.into_iter().collect();
    key.sort_unstable();
    key
}

/// The ways to put threads in the order of their places: several if some are at the same place.
#[must_use]
pub fn orders(threads: &[Standing], of: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let key = key(of.iter().map(|&p| threads[p]));
    for place in key {
        let mut next = Vec::new();
        for order in all {
            let free = of.iter().filter(|&&p| threads[p] == place && !order.contains(&p));
            next.extend(free.map(|&p| {
                let mut longer = order.clone();
                longer.push(p);
                longer
            }));
        }
        all = next;
    }
    all
}

/// All subsets of this size.
#[must_use]
pub fn subsets(from: &[usize], count: usize) -> Vec<Vec<usize>> {
    match (count, from.split_first()) {
        (0, _) => vec![Vec::new()],
        (_, None) => Vec::new(),
        (_, Some((first, rest))) => {
            let mut with = subsets(rest, count - 1);
            with.iter_mut().for_each(|subset| subset.insert(0, *first));
            with.extend(subsets(rest, count));
            with
        }
    }
}
