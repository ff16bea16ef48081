//! # The sequential reduction
//!
//! **Question.** Which shared states do k rounds reach, and do they break a property? Can a
//! concurrent system be analysed as *one* pushdown system?
//!
//! **Idea.** Run the threads one after the other, each through all its k contexts, in the place of
//! one round after the other. The first thread starts with guesses of the shared states p₂, …, p_k
//! at which its later contexts begin; each thread hands on the shared states at which its contexts
//! ended. The guesses were right if the last thread hands on just these, shifted by one round. A
//! thread that is done stays on the stack, under the next one (`rules`).
//!
//! **Claim** [Lal, Reps 2008, Thm. 1, for n threads]. The system can go from the initial state with
//! shared state p to ⟨p′, c₁, …, cₙ⟩ within k rounds if and only if, for some p₂, …, p_k, the
//! pushdown system goes from ⟨(1, p, p₂, …, p_k), e₁⟩ to
//! ⟨(1, p₂, …, p_k, p′), e_{n+1} cₙ … c₁⟩. A list p₂, …, p_k, p′ for which this holds is a
//! *solution*. Both directions find exactly the solutions: `forward` by post*, `backward` by
//! pre*.
//!
//! **Symbolic rules** [Schwoon 2002]. The control states are (k, p₁, …, p_K): too many to be
//! listed. So a rule is about all of them at once, and the automata that are saturated have
//! relations between tuples as labels, which are decision diagrams (`tuples`). Symbols are
//! listed.
//!
//! **Guesses.** Only the solutions for k - 1 rounds are guessed for k rounds. That is enough: the
//! first k - 1 rounds of an execution are an execution, so the shared states at the ends of its
//! rounds but the last are a solution. And it leaves no wrong guess for the start of a round; what
//! may be wrong is only which stacks go with it.
//!
//! **Implicit check.** The theorem compares two configurations of one run. So that one saturation
//! does for all guesses, labels at the bottom of all stacks lead to the guess (forward), and
//! those at the end to the tuple at the end (backward).
//!
//! **Needs.** A fixed set of threads, and finitely many shared states and symbols: they are listed
//! beforehand, from above. That no shared state is new in a round proves nothing, since the
//! stacks may be new: the answer is never more than bounded.

mod backward;
mod forward;
mod frames;
mod reader;
mod rules;
mod tuples;

use std::collections::BTreeSet;

use selvedge_bdd::Bdd;
use selvedge_model::{Fault, Property, SharedId, System};

use crate::bound::needs_fixed_threads;
use crate::{Budget, Stop};
use backward::Backward;
use forward::Forward;
use reader::Wanted;
use rules::Pushdown;
use tuples::{Tuple, Tuples};

/// In which direction the pushdown system is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// post* from the initial states.
    Forward,
    /// pre* from what must not be reached.
    Backward,
}

/// The shared states at the end of a number of rounds, and whether they break a property.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// The number of rounds.
    pub rounds: usize,
    /// The shared states at the end of the last one.
    pub shared: BTreeSet<SharedId>,
    /// A property that is broken, by its number.
    pub violated: Option<usize>,
}

/// Analyses a system round by round, each time with another pushdown system.
pub struct Reduction<'a> {
    system: &'a dyn System,
    properties: &'a [Property],
    direction: Direction,
    pushdown: Pushdown,
    tuples: Tuples,
    /// The solutions, as tuples of now.
    solutions: Bdd,
    last: Rounds,
}

impl<'a> Reduction<'a> {
    /// Starts with no round: the initial states.
    pub fn new(
        system: &'a dyn System,
        properties: &'a [Property],
        direction: Direction,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        if let Some(fault) = needs_fixed_threads(system) {
            return Err(fault.into());
        }
        if properties.iter().any(|property| !Wanted::can_read(property)) {
            let message = "the pushdown reduction has no answer about deadlocks, places and whole \
                           stacks: use the engine `auto`";
            return Err(Fault::new(message).into());
        }
        let (mut violated, mut shared) = (None, BTreeSet::new());
        for state in system.initial()? {
            violated = violated.or(Property::first_broken(properties, system, &state)?);
            shared.insert(state.shared);
        }
        let pushdown = Pushdown::new(system, budget)?;
        let tuples = Tuples::new(&pushdown, budget);
        let last = Rounds { rounds: 0, shared, violated };
        let solutions = Bdd::TRUE;
        Ok(Reduction { system, properties, direction, pushdown, tuples, solutions, last })
    }

    /// The result for the current number of rounds.
    #[must_use]
    pub fn rounds(&self) -> &Rounds {
        &self.last
    }

    /// The shared states that the current number of rounds reaches.
    #[must_use]
    pub fn shared(&self) -> &BTreeSet<SharedId> {
        &self.last.shared
    }

    /// How many nodes the diagrams have, and how many bytes.
    #[must_use]
    pub fn stored(&self) -> (usize, usize) {
        (self.tuples.bdds.live_nodes(), self.tuples.bdds.bytes())
    }

    /// Raises the number of rounds by one.
    pub fn advance(&mut self, budget: &Budget) -> Result<&Rounds, Stop> {
        budget.check()?;
        self.tuples.bdds.limit_mut().0 = budget.clone();
        let rounds = self.last.rounds + 1;
        if !self.tuples.has_room(rounds) {
            let message = "there are more rounds than decision diagrams can hold: ask for fewer";
            return Err(Fault::new(message).into());
        }
        let (solutions, violated) = match self.direction {
            Direction::Forward => self.forward(rounds)?,
            Direction::Backward => self.backward(rounds)?,
        };
        self.solutions = solutions;
        let shared = self.ends_of(rounds)?;
        self.last = Rounds { rounds, shared, violated };
        Ok(&self.last)
    }

    /// The solutions for so many rounds, and a property that is broken, by post*.
    fn forward(&mut self, rounds: usize) -> Result<(Bdd, Option<usize>), Stop> {
        let Reduction { tuples, pushdown, solutions, .. } = self;
        // The first tuple is an initial state, and then what is guessed, which is kept.
        let mut start = starts(tuples, pushdown)?;
        let guessed = tuples.identity(1..rounds)?;
        start = tuples.bdds.and(start, guessed)?;
        let from = tuples.vars(0..rounds - 1, Tuple::Now);
        let to = tuples.vars(1..rounds, Tuple::Then);
        let guesses = tuples.rename(*solutions, &from, &to)?;
        start = tuples.bdds.and(start, guesses)?;
        let saturated = Forward::saturate(tuples, pushdown, rounds, start, *solutions)?;
        // What was guessed is what has come.
        let (ends, guess) =
            (tuples.vars(0..rounds - 1, Tuple::Now), tuples.vars(1..rounds, Tuple::Then));
        let right = |tuples: &mut Tuples, read: Bdd| {
            let right = tuples.same(&ends, &guess)?;
            tuples.join(read, right, rounds, Tuple::Then)
        };
        // All rounds but the last are a solution for these rounds.
        let read = saturated.read(tuples, None, *solutions, &[])?;
        let solutions = right(tuples, read)?;
        for (number, property) in self.properties.iter().enumerate() {
            let wanted = Wanted::new(self.system, property);
            let broken = broken(tuples, pushdown, &wanted, rounds)?;
            let asked = tuples.bdds.and(solutions, broken)?;
            if asked == Bdd::FALSE {
                continue;
            }
            let read = saturated.read(tuples, Some(&wanted), asked, &[solutions])?;
            if right(tuples, read)? != Bdd::FALSE {
                return Ok((solutions, Some(number)));
            }
        }
        Ok((solutions, None))
    }

    /// The solutions for so many rounds, and a property that is broken, by pre*.
    fn backward(&mut self, rounds: usize) -> Result<(Bdd, Option<usize>), Stop> {
        let guesses = self.solutions;
        let solutions = self.ask(rounds, None, guesses, Bdd::TRUE)?;
        for (number, property) in self.properties.iter().enumerate() {
            let wanted = Wanted::new(self.system, property);
            let broken = broken(&mut self.tuples, &self.pushdown, &wanted, rounds)?;
            let asked = self.tuples.bdds.and(solutions, broken)?;
            if asked == Bdd::FALSE {
                continue;
            }
            if self.ask(rounds, Some(&wanted), asked, solutions)? != Bdd::FALSE {
                return Ok((solutions, Some(number)));
            }
        }
        Ok((solutions, None))
    }

    /// Which tuples at the end are solutions.
    fn ask(
        &mut self,
        rounds: usize,
        wanted: Option<&Wanted<'_>>,
        ends: Bdd,
        keep: Bdd,
    ) -> Result<Bdd, Stop> {
        let Reduction { tuples, pushdown, solutions, .. } = self;
        let keep = [*solutions, keep];
        let found = Backward::solve(tuples, pushdown, rounds, wanted, ends, &keep)?;
        let start = starts(tuples, pushdown)?;
        let found = tuples.bdds.and(found, start)?;
        let guess = tuples.vars(1..rounds, Tuple::Now);
        let ends = tuples.vars(0..rounds - 1, Tuple::Then);
        let right = tuples.same(&guess, &ends)?;
        let found = tuples.join(found, right, rounds, Tuple::Now)?;
        let (then, now) = (tuples.vars(0..rounds, Tuple::Then), tuples.vars(0..rounds, Tuple::Now));
        tuples.rename(found, &then, &now)
    }

    /// The shared states at the end of the last round.
    fn ends_of(&mut self, rounds: usize) -> Result<BTreeSet<SharedId>, Stop> {
        let mut shared = BTreeSet::new();
        for (number, &there) in (0..).zip(&self.pushdown.shared) {
            let is_it = self.tuples.is_one_of(rounds - 1, Tuple::Now, [number])?;
            if !self.tuples.bdds.is_disjoint(self.solutions, is_it)? {
                shared.insert(there);
            }
        }
        Ok(shared)
    }
}

/// Requires that the first tuple begins with the shared state of the run's initial state.
fn starts(tuples: &mut Tuples, pushdown: &Pushdown) -> Result<Bdd, Stop> {
    let mut any = Bdd::FALSE;
    for (initial, &number) in (0..).zip(&pushdown.initial) {
        let run = tuples.starts_in(initial)?;
        let first = tuples.is_one_of(0, Tuple::Now, [number])?;
        let both = tuples.bdds.and(run, first)?;
        any = tuples.bdds.or(any, both)?;
    }
    Ok(any)
}

/// Requires that the last round ends with a shared state at which a property can be broken.
fn broken(
    tuples: &mut Tuples,
    pushdown: &Pushdown,
    wanted: &Wanted<'_>,
    rounds: usize,
) -> Result<Bdd, Stop> {
    let numbers =
        (0..).zip(&pushdown.shared).filter(|(_, shared)| wanted.may_be_broken_at(**shared));
    tuples.is_one_of(rounds - 1, Tuple::Now, numbers.map(|(number, _)| number))
}
