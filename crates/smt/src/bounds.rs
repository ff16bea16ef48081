//! # Bounds that the text shows
//!
//! **Question.** Between which numbers does a shared integer stay that has no bounds by its type,
//! whatever the threads do?
//!
//! **Idea.** Every step sets it to a constant, adds a constant to it, or leaves it as it is. What it is
//! then is its first value or one of the constants, and what was added since. Steps on no cycle
//! of a thread are taken by it once at most, so that together they add no more than a sum over the
//! threads; steps on a cycle, and steps of any number of threads, may add without end.
//!
//! **Claim.** In every reachable state, `low <= x` and `x <= high`. Each follows from the steps alone, not
//! from the answer of a solver, so that it may be assumed before and after every step.
//!
//! **Needs.** Steps that can be written as formulas, see [`crate::symbolic`]. A variable with any other
//! change has no bounds.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::{BigInt, Sign};
use selvedge_core::Kind;
use selvedge_program::Source;

use crate::Refusal;
use crate::layout::{Layout, Standing};
use crate::symbolic::{Outcome, paths};
use crate::term::{Arith, Term, Var};

/// The bounds of the shared variables, each a comparison of a variable with a constant.
pub fn bounds(layout: &Layout<'_>, source: &Source) -> Result<Vec<Term>, Refusal> {
    let steps = steps(layout, source)?;
    let mut all = Vec::new();
    let first = layout.code.shared.iter().map(|slot| &slot.first);
    for (slot, (info, first)) in layout.globals.iter().zip(first).enumerate() {
        let (Kind::Int, Some(first)) = (&info.kind, first.to_big()) else { continue };
        let var = Var::Global(slot);
        let Some(range) = range(&steps, var, first) else { continue };
        all.extend(range.low.map(|low| Term::le(Term::Int(low), Term::Var(var))));
        all.extend(range.high.map(|high| Term::le(Term::Var(var), Term::Int(high))));
    }
    Ok(all)
}

/// The effect of a step on the shared variables, and how often it can be taken.
struct CountedStep {
    writes: Vec<(Var, Term)>,
    /// How often all threads together take it at most; `None` is without end.
    times: Option<u32>,
}

/// The change of a variable by a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    To(BigInt),
    By(BigInt),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Range {
    low: Option<BigInt>,
    high: Option<BigInt>,
}

/// A step that leads on.
pub(crate) struct Move {
    pub from: Standing,
    pub to: Standing,
    pub writes: Vec<(Var, Term)>,
}

/// The steps of a class, from places that its threads can get to. Those that go wrong lead nowhere, and
/// nothing is claimed of them.
pub(crate) fn moves(
    layout: &Layout<'_>,
    source: &Source,
    class: usize,
) -> Result<Vec<Move>, Refusal> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([layout.entry(class)]);
    let mut work = vec![layout.entry(class)];
    while let Some(from) = work.pop() {
        for path in paths(layout, source, from)? {
            let loc = match path.to {
                Outcome::At(loc) => Some(loc),
                Outcome::Ends => None,
                Outcome::Wrong(_) => continue,
            };
            let to = Standing { class, loc };
            if seen.insert(to) {
                work.push(to);
            }
            found.push(Move { from, to, writes: path.writes });
        }
    }
    Ok(found)
}

/// All steps, with how often they are taken.
fn steps(layout: &Layout<'_>, source: &Source) -> Result<Vec<CountedStep>, Refusal> {
    let mut all = Vec::new();
    for class in 0..layout.classes.len() {
        let found = moves(layout, source, class)?;
        let mut next: BTreeMap<Standing, Vec<Standing>> = BTreeMap::new();
        for step in &found {
            next.entry(step.from).or_default().push(step.to);
        }
        for Move { from, to, writes } in found {
            let once = !reaches(&next, to, from);
            let times = layout.classes[class].count.filter(|_| once);
            all.push(CountedStep { writes, times });
        }
    }
    Ok(all)
}

fn reaches(next: &BTreeMap<Standing, Vec<Standing>>, from: Standing, to: Standing) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        if at == to {
            return true;
        }
        let after = next.get(&at).into_iter().flatten();
        work.extend(after.filter(|place| seen.insert(**place)));
    }
    false
}

/// Where a variable stays; `None` if a step does something else to it.
fn range(steps: &[CountedStep], var: Var, first: BigInt) -> Option<Range> {
    let (mut low, mut high) = (first.clone(), first);
    let (mut less, mut more) = (Some(BigInt::ZERO), Some(BigInt::ZERO));
    for step in steps {
        let Some((_, term)) = step.writes.iter().find(|(written, _)| *written == var) else {
            continue;
        };
        // The largest that one step of this kind may take away or add.
        let (mut down, mut up) = (BigInt::ZERO, BigInt::ZERO);
        for change in changes(term, var)? {
            match change {
                Change::To(value) => {
                    low = low.min(value.clone());
                    high = high.max(value);
                }
                Change::By(amount) if amount.sign() == Sign::Minus => down = down.max(-amount),
                Change::By(amount) => up = up.max(amount),
            }
        }
        less = add(less, down, step.times);
        more = add(more, up, step.times);
    }
    Some(Range { low: less.map(|less| low - less), high: more.map(|more| high + more) })
}

/// A sum with an amount that comes so often; `None` is without end.
fn add(sum: Option<BigInt>, amount: BigInt, times: Option<u32>) -> Option<BigInt> {
    if amount.sign() == Sign::NoSign { sum } else { Some(sum? + amount * times?) }
}

/// What a term may be as the new value of a variable; `None` if that is neither a constant nor the
/// old value with a constant.
pub(crate) fn changes(term: &Term, var: Var) -> Option<Vec<Change>> {
    match term {
        Term::Var(old) if *old == var => Some(vec![Change::By(BigInt::ZERO)]),
        Term::Int(value) => Some(vec![Change::To(value.clone())]),
        Term::Ite(_, a, b) => {
            let mut all = changes(a, var)?;
            all.extend(changes(b, var)?);
            Some(all)
        }
        Term::Arith(Arith::Add, a, b) => match (&**a, &**b) {
            (other, Term::Int(n)) | (Term::Int(n), other) => shifted(changes(other, var)?, n),
            _ => None,
        },
        Term::Arith(Arith::Sub, a, b) => match &**b {
            Term::Int(n) => shifted(changes(a, var)?, &-n),
            _ => None,
        },
        _ => None,
    }
}

fn shifted(changes: Vec<Change>, by: &BigInt) -> Option<Vec<Change>> {
    let shift = |change| match change {
        Change::To(value) => Change::To(value + by),
        Change::By(amount) => Change::By(amount + by),
    };
    Some(changes.into_iter().map(shift).collect())
}
