//! # Laws of counting
//!
//! **Question.** What is always true of the shared integers together with the numbers of threads that
//! stand at places? A semaphore: *what is left, and how many hold a permit, are 3 together.*
//!
//! **Idea.** Take a sum of shared integers, each once, added or subtracted, that steps change by constants
//! only. Give each place of a thread a weight: what the thread has taken away from the sum on its way
//! there. If all ways to a place take away the same, no step changes the sum and the weights of all threads
//! together.
//!
//! **Claim.** If a thread's step from p to q changes the sum by weight(p) - weight(q), always, and threads
//! start with weight 0, then *sum + weights of all threads* is what it was at the start, whatever the number of
//! threads is. If no weight is negative, then *sum + weights of some threads* is not more than that. It
//! follows from the steps alone, not from the answer of a solver, so that it may be assumed of any
//! threads in any reachable state. (Such laws are the place invariants of a Petri net.)
//!
//! **Needs.** Steps that can be written as formulas, see [`crate::symbolic`]; first values that are known.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};
use selvedge_core::Kind;
use selvedge_program::Source;

use crate::Refusal;
use crate::bounds::{Change, Move, changes, moves};
use crate::layout::{Layout, Standing};
use crate::term::{Arith, Term, Var};

/// Sums are made of at most so many variables: all of their sums are tried.
const MOST_SUMMANDS: usize = 6;

/// A sum of shared integers and of weights of threads that never changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Law {
    /// The slots that are added, and those that are subtracted.
    sum: Vec<(usize, Direction)>,
    /// The weights of places; 0 where none is given. None is negative.
    weights: BTreeMap<Standing, BigInt>,
    /// The value of the sum and the weights together, in every state.
    total: BigInt,
}

/// Whether a variable is added or subtracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    Added,
    Subtracted,
}

impl Direction {
    fn of(self, amount: &BigInt) -> BigInt {
        match self {
            Direction::Added => amount.clone(),
            Direction::Subtracted => -amount,
        }
    }
}

impl Law {
    /// What the law says of some different threads at these places: the sum and their weights are not more
    /// than the total.
    #[must_use]
    pub fn among(&self, threads: &[Standing]) -> Term {
        let weights = threads.iter().filter_map(|place| self.weights.get(place));
        let left = weights.fold(self.total.clone(), |left, weight| left - weight);
        Term::le(self.term(), Term::Int(left))
    }

    /// The sum of the variables.
    fn term(&self) -> Term {
        let mut summands = self.sum.iter();
        let first = match summands.next() {
            Some((slot, Direction::Added)) => Term::Var(Var::Global(*slot)),
            Some((slot, Direction::Subtracted)) => {
                Term::arith(Arith::Sub, Term::int(0), Term::Var(Var::Global(*slot)))
            }
            None => Term::int(0),
        };
        summands.fold(first, |sum, (slot, direction)| {
            let op = match direction {
                Direction::Added => Arith::Add,
                Direction::Subtracted => Arith::Sub,
            };
            Term::arith(op, sum, Term::Var(Var::Global(*slot)))
        })
    }

    /// The law in words that are the same in every run: `free + 1 * #{user@3} = 2`.
    #[must_use]
    pub fn show(&self, layout: &Layout<'_>) -> String {
        let mut text = String::new();
        for (slot, direction) in &self.sum {
            text += match (direction, text.is_empty()) {
                (Direction::Added, true) => "",
                (Direction::Added, false) => " + ",
                (Direction::Subtracted, true) => "-",
                (Direction::Subtracted, false) => " - ",
            };
            text += &layout.globals[*slot].name;
        }
        for (&place, weight) in &self.weights {
            text += &format!(" + {weight} * #{{{}}}", layout.place_key(place));
        }
        format!("{text} = {}", self.total)
    }
}

/// The laws of a program whose weights are not negative.
pub fn laws(layout: &Layout<'_>, source: &Source) -> Result<Vec<Law>, Refusal> {
    let mut classes = Vec::new();
    for class in 0..layout.classes.len() {
        classes.push(moves(layout, source, class)?);
    }
    let mut summands = Vec::new();
    let first = layout.code.shared.iter().map(|slot| &slot.first);
    for (slot, (info, first)) in layout.globals.iter().zip(first).enumerate() {
        let (Kind::Int | Kind::Range(_), Some(first)) = (&info.kind, first.to_big()) else {
            continue;
        };
        let steps = classes.iter().flatten();
        let amounts: Option<Vec<BigInt>> = steps.map(|step| amount(step, slot)).collect();
        let changing = |amounts: &Vec<BigInt>| amounts.iter().any(|n| n.sign() != Sign::NoSign);
        if let Some(amounts) = amounts.filter(changing) {
            summands.push(Summand { slot, first, amounts });
        }
    }
    summands.truncate(MOST_SUMMANDS);
    let mut all = Vec::new();
    for choice in 1..3usize.pow(summands.len() as u32) {
        let mut digits = choice;
        let mut sum = Vec::new();
        for summand in &summands {
            match digits % 3 {
                1 => sum.push((summand, Direction::Added)),
                2 => sum.push((summand, Direction::Subtracted)),
                _ => {}
            }
            digits /= 3;
        }
        all.extend(law(layout, &classes, &sum));
    }
    // What is the sum of two others says nothing new.
    all.sort_by_key(|law: &Law| law.sum.len());
    let mut kept: Vec<Law> = Vec::new();
    for law in all {
        let rest = |part: &Law| -> Vec<(usize, Direction)> {
            law.sum.iter().copied().filter(|summand| !part.sum.contains(summand)).collect()
        };
        let is_part = |part: &Law| part.sum.iter().all(|summand| law.sum.contains(summand));
        let mut parts = kept.iter().filter(|part| is_part(part));
        if !parts.any(|part| kept.iter().any(|other| other.sum == rest(part))) {
            kept.push(law);
        }
    }
    Ok(kept)
}

/// A variable that steps change by constants only.
struct Summand {
    slot: usize,
    first: BigInt,
    /// By how much each step changes it.
    amounts: Vec<BigInt>,
}

/// By how much a step changes a variable, if that is always the same.
fn amount(step: &Move, slot: usize) -> Option<BigInt> {
    let var = Var::Global(slot);
    let Some((_, term)) = step.writes.iter().find(|(written, _)| *written == var) else {
        return Some(BigInt::ZERO);
    };
    let mut all = changes(term, var)?.into_iter().map(|change| match change {
        Change::By(amount) => Some(amount),
        Change::To(_) => None,
    });
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The law of a sum, if it has one.
fn law(layout: &Layout<'_>, classes: &[Vec<Move>], sum: &[(&Summand, Direction)]) -> Option<Law> {
    let mut weights: BTreeMap<Standing, BigInt> =
        (0..classes.len()).map(|class| (layout.entry(class), BigInt::ZERO)).collect();
    // Steps come in an order in which the places that they start from are known: they were found so.
    for (number, step) in classes.iter().flatten().enumerate() {
        let change: BigInt = sum.iter().map(|(s, d)| d.of(&s.amounts[number])).sum();
        let after = weights.get(&step.from)? - change;
        if weights.entry(step.to).or_insert_with(|| after.clone()) != &after {
            return None;
        }
    }
    if weights.values().any(|weight| weight.sign() == Sign::Minus) {
        return None;
    }
    weights.retain(|_, weight| weight.sign() != Sign::NoSign);
    let total = sum.iter().map(|(summand, d)| d.of(&summand.first)).sum();
    let sum = sum.iter().map(|(summand, direction)| (summand.slot, *direction)).collect();
    Some(Law { sum, weights, total })
}
