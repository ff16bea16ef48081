//! # Chains of interfaces
//!
//! **Question.** Which inputs can a thread have in its next context?
//!
//! **Idea.** Thread by thread, the end of a context is the start of the next one; after the last
//! thread the first goes on, a round later. The interfaces of the threads before one are a
//! *prefix*: from what the first thread starts its rounds with to what this thread starts its
//! rounds with. The interfaces of the threads after it are a *suffix*. A prefix with one more
//! round than the suffix, closed up, says which input follows on the contexts so far.
//!
//! The cost is one composition for each thread and round, whatever the others do.

use selvedge_bdd::{Bdd, Var};

use crate::Result;
use selvedge_evidence::relations::{Shared, Space};

/// A prefix or suffix that does nothing.
fn nothing(
    space: &mut Space<'_>,
    rounds: std::ops::RangeInclusive<usize>,
    left: fn(usize) -> Shared,
    right: fn(usize) -> Shared,
) -> Result<Bdd> {
    let (left, right) = (copies(space, rounds.clone(), left), copies(space, rounds, right));
    space.same(&left, &right)
}

/// The variables of some rounds.
fn copies(
    space: &Space<'_>,
    rounds: std::ops::RangeInclusive<usize>,
    copy: fn(usize) -> Shared,
) -> Vec<Var> {
    rounds.flat_map(|round| space.shared(copy(round))).collect()
}

/// No threads before: the first round starts with the first values, the later ones with what is
/// to be found out. A relation from `Other` (from the second round on) to `Out`.
pub fn no_prefix(space: &mut Space<'_>, last: usize) -> Result<Bdd> {
    let same = nothing(space, 1..=last, Shared::Other, Shared::Out)?;
    let initial = space.initial(Shared::Out(0))?;
    space.bdds.and(same, initial)
}

/// A prefix with one more thread.
pub fn extend_prefix(space: &mut Space<'_>, last: usize, prefix: Bdd, effect: Bdd) -> Result<Bdd> {
    let inputs = copies(space, 0..=last, Shared::In);
    let before = as_inputs(space, last, prefix)?;
    space.join(before, effect, &inputs)
}

/// Makes the outputs of a prefix the inputs of the next thread.
pub fn as_inputs(space: &mut Space<'_>, last: usize, prefix: Bdd) -> Result<Bdd> {
    let pair = (copies(space, 0..=last, Shared::Out), copies(space, 0..=last, Shared::In));
    space.rename(prefix, &[pair])
}

/// No threads after. A relation from `In` to `Out`.
pub fn no_suffix(space: &mut Space<'_>, last: usize) -> Result<Bdd> {
    nothing(space, 0..=last, Shared::In, Shared::Out)
}

/// A suffix with one more thread before it.
pub fn extend_suffix(space: &mut Space<'_>, last: usize, suffix: Bdd, effect: Bdd) -> Result<Bdd> {
    let (inputs, outputs, between) = (
        copies(space, 0..=last, Shared::In),
        copies(space, 0..=last, Shared::Out),
        copies(space, 0..=last, Shared::Other),
    );
    let effect = space.rename(effect, &[(outputs, between.clone())])?;
    let suffix = space.rename(suffix, &[(inputs, between.clone())])?;
    space.join(effect, suffix, &between)
}

/// The two sides of a thread that is about to begin this round: what comes before it, from
/// `Other` to `In`; and what comes after it in the rounds before, from `Out` to `Other`.
pub fn sides(
    space: &mut Space<'_>,
    round: usize,
    prefix: Bdd,
    suffix: Option<Bdd>,
) -> Result<(Bdd, Bdd)> {
    Ok((as_inputs(space, round, prefix)?, after(space, round, suffix)?))
}

/// What comes after a thread in the rounds before: from what it ends its contexts with to what
/// the first thread begins the next rounds with.
fn after(space: &mut Space<'_>, round: usize, suffix: Option<Bdd>) -> Result<Bdd> {
    let (Some(last), Some(suffix)) = (round.checked_sub(1), suffix) else { return Ok(Bdd::TRUE) };
    let (inputs, outputs) =
        (copies(space, 0..=last, Shared::In), copies(space, 0..=last, Shared::Out));
    let next = copies(space, 1..=round, Shared::Other);
    space.rename(suffix, &[(inputs, outputs.clone()), (outputs, next)])
}

/// The outputs of a prefix's last context, where the threads after it connect to the next rounds.
pub fn ends(space: &mut Space<'_>, round: usize, prefix: Bdd, suffix: Option<Bdd>) -> Result<Bdd> {
    let after = after(space, round, suffix)?;
    let mut forgotten = copies(space, 1..=round, Shared::Other);
    forgotten.extend((0..round).flat_map(|earlier| space.shared(Shared::Out(earlier))));
    space.join(prefix, after, &forgotten)
}

/// What the last thread ends its context with: what it has ended the contexts before with is what
/// the first thread has begun the next rounds with.
pub fn last_ends(space: &mut Space<'_>, round: usize, prefix: Bdd, effect: Bdd) -> Result<Bdd> {
    let before = as_inputs(space, round, prefix)?;
    let others = copies(space, 1..=round, Shared::Other);
    let outputs = (0..round).flat_map(|earlier| space.shared(Shared::Out(earlier))).collect();
    let effect = space.rename(effect, &[(outputs, others.clone())])?;
    let inputs = copies(space, 0..=round, Shared::In);
    space.join(before, effect, &[inputs, others].concat())
}

/// Which input a thread can have in this round, for the contexts that it has had: a relation
/// between its inputs up to this round and its outputs before.
pub fn inputs(
    space: &mut Space<'_>,
    round: usize,
    prefix: Bdd,
    suffix: Option<Bdd>,
) -> Result<Bdd> {
    let (before, after) = sides(space, round, prefix, suffix)?;
    let others = copies(space, 1..=round, Shared::Other);
    space.join(before, after, &others)
}

/// Which input a thread can have in this round after what its last context ended with: inputs
/// without the contexts before.
pub fn near(space: &mut Space<'_>, round: usize, inputs: Bdd) -> Result<Bdd> {
    let Some(last) = round.checked_sub(1) else { return Ok(inputs) };
    let mut forgotten = copies(space, 0..=last, Shared::In);
    forgotten.extend((0..last).flat_map(|earlier| space.shared(Shared::Out(earlier))));
    space.forget(inputs, &forgotten)
}
