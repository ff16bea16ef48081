//! # Turns
//! What the interface of a thread means where all others have had their contexts: with which
//! contexts it goes wrong, and which shared states it leaves behind.
//!
//! Where inputs that occur are known, they are a relation between all contexts of the thread. With
//! eager guesses nobody needs that relation, and it would be the largest of all: it remembers
//! where all *other* threads can be. So the two sides of the thread are put together with
//! everything forgotten but the end of the last context; the work is then to walk two diagrams
//! side by side.

use selvedge_bdd::Bdd;

use super::{Guesses, Rounds};
use crate::Result;
use crate::chain;
use selvedge_evidence::relations::Shared;

/// A thread in a round, and what is around it.
pub(super) struct Turn {
    pub round: usize,
    pub thread: usize,
    /// The threads before, in this round and all before.
    pub prefix: Bdd,
    /// The threads after, in the rounds before; none in the first round.
    pub suffix: Option<Bdd>,
    /// The inputs that occur, if they are known.
    pub inputs: Option<Bdd>,
}

impl Rounds<'_> {
    /// The prefixes of a round: before each thread up to one.
    pub(crate) fn prefixes(&mut self, round: usize, thread: usize) -> Result<Vec<Bdd>> {
        let mut prefixes = vec![chain::no_prefix(&mut self.space, round)?];
        for before in 0..thread {
            let effect = self.effects[round][before];
            prefixes.push(chain::extend_prefix(&mut self.space, round, prefixes[before], effect)?);
        }
        Ok(prefixes)
    }

    /// The suffixes of the rounds before, after each thread; none if there are no rounds before.
    pub(crate) fn suffixes(&mut self, round: usize) -> Result<Vec<Bdd>> {
        let Some(last) = round.checked_sub(1) else { return Ok(Vec::new()) };
        let mut suffix = chain::no_suffix(&mut self.space, last)?;
        let mut suffixes = vec![suffix];
        // What comes after the last thread comes before the first.
        for &effect in self.effects[last].iter().skip(1).rev() {
            suffix = chain::extend_suffix(&mut self.space, last, suffix, effect)?;
            suffixes.push(suffix);
        }
        suffixes.reverse();
        Ok(suffixes)
    }

    /// The inputs that occur, for the contexts that the thread has had.
    pub(super) fn inputs(&mut self, round: usize, prefix: Bdd, suffix: Option<Bdd>) -> Result<Bdd> {
        let inputs = chain::inputs(&mut self.space, round, prefix, suffix)?;
        if round == 0 { self.space.bdds.and(inputs, self.first) } else { Ok(inputs) }
    }

    /// The contexts with which the thread goes wrong, if there are any that fit.
    pub(super) fn goes_wrong(&mut self, turn: &Turn, wrong: Bdd) -> Result<Option<Bdd>> {
        let contexts = match turn.inputs {
            Some(inputs) => self.space.bdds.and(wrong, inputs)?,
            None => {
                let wrong = self.begun(turn, wrong)?;
                let fits = wrong != Bdd::FALSE && self.ends(turn, wrong)?.0 != Bdd::FALSE;
                if fits { wrong } else { Bdd::FALSE }
            }
        };
        Ok((contexts != Bdd::FALSE).then_some(contexts))
    }

    /// Notes the shared states at the end of the context. The prefix of the next thread.
    pub(super) fn take(&mut self, turn: &Turn, effect: Bdd) -> Result<Bdd> {
        let (ends, prefix) = match turn.inputs {
            Some(inputs) => {
                let forgotten = self.space.contexts(turn.round);
                let ends = self.space.join(effect, inputs, &forgotten)?;
                let prefix = match self.is_last(turn) {
                    true => turn.prefix,
                    false => {
                        chain::extend_prefix(&mut self.space, turn.round, turn.prefix, effect)?
                    }
                };
                (ends, prefix)
            }
            None => self.ends(turn, effect)?,
        };
        let space = &mut self.space;
        let pair = (space.shared(Shared::Out(turn.round)), space.shared(Shared::Next(0)));
        let ends = space.rename(ends, &[pair])?;
        self.reached = space.bdds.or(self.reached, ends)?;
        Ok(prefix)
    }

    /// The part of an interface that begins with first values that matter.
    fn begun(&mut self, turn: &Turn, part: Bdd) -> Result<Bdd> {
        if turn.round == 0 { self.space.bdds.and(part, self.first) } else { Ok(part) }
    }

    fn is_last(&self, turn: &Turn) -> bool {
        turn.thread + 1 == self.of_thread.len()
    }

    /// What the context ends with, for a part of the interface; and the prefix with this part.
    fn ends(&mut self, turn: &Turn, part: Bdd) -> Result<(Bdd, Bdd)> {
        debug_assert_eq!(self.options.guesses, Guesses::Eager);
        let part = self.begun(turn, part)?;
        if self.is_last(turn) {
            let ends = chain::last_ends(&mut self.space, turn.round, turn.prefix, part)?;
            return Ok((ends, turn.prefix));
        }
        let prefix = chain::extend_prefix(&mut self.space, turn.round, turn.prefix, part)?;
        Ok((chain::ends(&mut self.space, turn.round, prefix, turn.suffix)?, prefix))
    }
}
