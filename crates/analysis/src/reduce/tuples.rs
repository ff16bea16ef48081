//! # Tuples of shared states as diagrams
//! A control state of the one pushdown system is (k, p₁, …, p_K). The round k is a part of every
//! key; the tuples are sets. A transition of a pushdown store automaton goes from one control
//! state to another (the one at the moment when the symbols below were written), so its label is
//! a relation between two tuples, over decision diagrams.
//!
//! The rounds stand one after the other in the order, and in each of them the copies of one bit:
//! what a rule does not touch is the same in both tuples, which costs three nodes a bit, and a
//! step of a thread changes one block. The initial state of the run stands before all of them; it
//! never changes.

use rustc_hash::FxHashMap;
use selvedge_bdd::{Bdd, Manager, Var};

use super::rules::{Effect, Pushdown};
use crate::Limits;
use crate::{Budget, Stop};

/// Which of the two tuples of a relation; or one in between, while relations are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tuple {
    /// Where a transition begins.
    Now,
    /// The tuple in the middle, while two relations are composed.
    Next,
    /// Where a transition ends.
    Then,
}

const COPIES: u32 = 3;

/// More variables than this are not put in order.
const MOST_VARIABLES: u64 = 1 << 24;

/// Relations between tuples of shared states, as decision diagrams.
pub(super) struct Tuples {
    pub bdds: Manager<Limits>,
    /// The bits of a shared state, and of the number of an initial state.
    bits: u32,
    initial_bits: u32,
    /// The steps in each round.
    steps: FxHashMap<(usize, usize), Bdd>,
}

impl Tuples {
    pub fn new(pushdown: &Pushdown, budget: &Budget) -> Self {
        Tuples {
            bdds: Manager::new(Limits(budget.clone())),
            bits: bits_for(pushdown.shared.len()),
            initial_bits: bits_for(pushdown.initial.len()),
            steps: FxHashMap::default(),
        }
    }

    /// Whether there are enough variables for this many rounds.
    pub fn has_room(&self, rounds: usize) -> bool {
        let block = u64::from(self.bits * COPIES);
        let all = (rounds as u64).checked_mul(block);
        all.is_some_and(|all| all + u64::from(self.initial_bits) < MOST_VARIABLES)
    }

    fn var(&self, round: usize, bit: u32, tuple: Tuple) -> Var {
        // There is room for all rounds: see `has_room`. Others have no variables.
        let round = u32::try_from(round).unwrap_or(u32::MAX);
        let before = round.saturating_mul(self.bits).saturating_add(bit).saturating_mul(COPIES);
        before.saturating_add(self.initial_bits).saturating_add(tuple as u32)
    }

    fn block(&self, round: usize, tuple: Tuple) -> impl Iterator<Item = Var> + '_ {
        (0..self.bits).map(move |bit| self.var(round, bit, tuple))
    }

    /// The variables of some rounds.
    pub fn vars(&self, rounds: std::ops::Range<usize>, tuple: Tuple) -> Vec<Var> {
        rounds.flat_map(|round| self.block(round, tuple)).collect()
    }

    fn literals(&self, round: usize, tuple: Tuple, number: u32) -> Vec<(Var, bool)> {
        self.block(round, tuple).enumerate().map(|(bit, v)| (v, number >> bit & 1 == 1)).collect()
    }

    /// Requires that a shared state is one of `numbers`.
    pub fn is_one_of(
        &mut self,
        round: usize,
        tuple: Tuple,
        numbers: impl IntoIterator<Item = u32>,
    ) -> Result<Bdd, Stop> {
        let mut any = Bdd::FALSE;
        for number in numbers {
            let literals = self.literals(round, tuple, number);
            let cube = self.bdds.cube_of(&literals)?;
            any = self.bdds.or(any, cube)?;
        }
        Ok(any)
    }

    /// Requires that the run starts in this initial state.
    pub fn starts_in(&mut self, initial: u32) -> Result<Bdd, Stop> {
        let literal = |bit| (bit, initial >> bit & 1 == 1);
        let literals: Vec<_> = (0..self.initial_bits).map(literal).collect();
        self.bdds.cube_of(&literals)
    }

    /// Requires that two lists of variables have the same values.
    pub fn same(&mut self, left: &[Var], right: &[Var]) -> Result<Bdd, Stop> {
        let mut pairs: Vec<_> = left.iter().zip(right).collect();
        pairs.sort_unstable_by_key(|(left, _)| std::cmp::Reverse(**left));
        let mut all = Bdd::TRUE;
        for (&left, &right) in pairs {
            let (left, right) = (self.bdds.var(left)?, self.bdds.var(right)?);
            let same = self.bdds.iff(left, right)?;
            all = self.bdds.and(same, all)?;
        }
        Ok(all)
    }

    /// Requires that nothing happens: both tuples are the same.
    pub fn identity(&mut self, rounds: std::ops::Range<usize>) -> Result<Bdd, Stop> {
        let (now, then) = (self.vars(rounds.clone(), Tuple::Now), self.vars(rounds, Tuple::Then));
        self.same(&now, &then)
    }

    /// A diagram over other variables.
    pub fn rename(&mut self, diagram: Bdd, from: &[Var], to: &[Var]) -> Result<Bdd, Stop> {
        let pairs: Vec<_> = from.iter().copied().zip(to.iter().copied()).collect();
        let renaming = self.bdds.renaming(&pairs);
        self.bdds.rename(diagram, renaming)
    }

    /// Quantifies the variables of a tuple away.
    pub fn forget(&mut self, diagram: Bdd, rounds: usize, tuple: Tuple) -> Result<Bdd, Stop> {
        let vars = self.vars(0..rounds, tuple);
        let cube = self.bdds.cube(&vars);
        self.bdds.exists(diagram, cube)
    }

    /// Two diagrams together, without a tuple.
    pub fn join(
        &mut self,
        left: Bdd,
        right: Bdd,
        rounds: usize,
        tuple: Tuple,
    ) -> Result<Bdd, Stop> {
        let vars = self.vars(0..rounds, tuple);
        let cube = self.bdds.cube(&vars);
        self.bdds.and_exists(left, right, cube)
    }

    /// One relation after the other.
    pub fn compose(&mut self, first: Bdd, second: Bdd, rounds: usize) -> Result<Bdd, Stop> {
        let [now, next, then] =
            [Tuple::Now, Tuple::Next, Tuple::Then].map(|tuple| self.vars(0..rounds, tuple));
        let first = self.rename(first, &then, &next)?;
        let second = self.rename(second, &now, &next)?;
        self.join(first, second, rounds, Tuple::Next)
    }

    /// A step in a round: a relation from `Now` to `Next`.
    fn step(&mut self, pushdown: &Pushdown, step: usize, round: usize) -> Result<Bdd, Stop> {
        if let Some(&known) = self.steps.get(&(step, round)) {
            return Ok(known);
        }
        let mut any = Bdd::FALSE;
        for &(from, to) in &pushdown.steps[step] {
            let mut literals = self.literals(round, Tuple::Now, from);
            literals.extend(self.literals(round, Tuple::Next, to));
            let cube = self.bdds.cube_of(&literals)?;
            any = self.bdds.or(any, cube)?;
        }
        self.steps.insert((step, round), any);
        Ok(any)
    }

    /// A step as a relation between whole tuples.
    pub fn whole_step(
        &mut self,
        pushdown: &Pushdown,
        step: usize,
        round: usize,
        rounds: usize,
    ) -> Result<Bdd, Stop> {
        let step = self.step(pushdown, step, round)?;
        let next = self.vars(round..round + 1, Tuple::Next);
        let then = self.vars(round..round + 1, Tuple::Then);
        let step = self.rename(step, &next, &then)?;
        let before = self.identity(0..round)?;
        let after = self.identity(round + 1..rounds)?;
        let others = self.bdds.and(before, after)?;
        self.bdds.and(step, others)
    }

    /// A relation after the effect of a rule on what it begins with.
    pub fn after(
        &mut self,
        pushdown: &Pushdown,
        effect: Effect,
        round: usize,
        set: Bdd,
    ) -> Result<Bdd, Stop> {
        let Effect::Step(step) = effect else { return self.nothing(effect, set) };
        let step = self.step(pushdown, step, round)?;
        let now = self.vars(round..round + 1, Tuple::Now);
        let next = self.vars(round..round + 1, Tuple::Next);
        let cube = self.bdds.cube(&now);
        let after = self.bdds.and_exists(set, step, cube)?;
        self.rename(after, &next, &now)
    }

    /// A relation before the effect of a rule on what it begins with.
    pub fn before(
        &mut self,
        pushdown: &Pushdown,
        effect: Effect,
        round: usize,
        set: Bdd,
    ) -> Result<Bdd, Stop> {
        let Effect::Step(step) = effect else { return self.nothing(effect, set) };
        let step = self.step(pushdown, step, round)?;
        let now = self.vars(round..round + 1, Tuple::Now);
        let next = self.vars(round..round + 1, Tuple::Next);
        let set = self.rename(set, &now, &next)?;
        let cube = self.bdds.cube(&next);
        self.bdds.and_exists(set, step, cube)
    }

    fn nothing(&mut self, effect: Effect, set: Bdd) -> Result<Bdd, Stop> {
        let Effect::Nothing(Some(initial)) = effect else { return Ok(set) };
        let starts = self.starts_in(initial)?;
        self.bdds.and(set, starts)
    }

    /// Adds to a set; what was new.
    pub fn grow(&mut self, known: &mut Bdd, set: Bdd) -> Result<Bdd, Stop> {
        let new = self.bdds.diff(set, *known)?;
        *known = self.bdds.or(*known, new)?;
        Ok(new)
    }

    /// Frees diagrams that are not needed any more, if it is worth while.
    pub fn collect(&mut self, keep: impl FnOnce() -> Vec<Bdd>) {
        if self.bdds.should_collect() {
            let keep = keep().into_iter().chain(self.steps.values().copied()).collect::<Vec<_>>();
            self.bdds.collect(keep);
        }
    }
}

/// The number of bits that tell `count` values apart.
fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}
