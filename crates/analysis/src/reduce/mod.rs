//! # The sequential reduction
//!
//! **Question.** Which shared states do k rounds reach, and do they break a property? Can a
//! concurrent system be analysed as *one* pushdown system?
//!
//! **Idea.** Run the threads one after the other, each through all its k contexts, in the place of
//! one round after the other. The first thread starts with guesses of the shared states p₂, …, p_k
//! at which its later contexts begin; each thread hands on the shared states at which its contexts
//! ended. The guesses were right if the last thread hands on just these, shifted by one round. A
//! thread that is done stays on the stack, under the next one ([`sequential`]).
//!
//! **Claim** [Lal, Reps 2008, Thm. 1, for n threads]. The system can go from the initial state with
//! shared state p to ⟨p′, c₁, …, cₙ⟩ within k rounds if and only if, for some p₂, …, p_k, the
//! pushdown system goes from ⟨(1, p, p₂, …, p_k), e₁⟩ to
//! ⟨(1, p₂, …, p_k, p′), e_{n+1} cₙ … c₁⟩. A list p₂, …, p_k, p′ for which this holds is a
//! *solution*. Both directions find exactly the solutions: [`forward`] by post*, [`backward`] by
//! pre*.
//!
//! **Guesses.** Only the solutions for k - 1 rounds are guessed for k rounds. That is enough: the
//! first k - 1 rounds of an execution are an execution, so the shared states at the ends of its
//! rounds but the last are a solution. And it leaves no wrong guess for the start of a round; what
//! may be wrong is only which stacks go with it.
//!
//! **Implicit check.** The theorem compares two configurations of one run. So that one saturation
//! does for all guesses, the guess lies under all stacks, as a symbol that nobody touches.
//!
//! **Needs.** A fixed set of threads, and finitely many shared states and symbols. The number of
//! control states grows with the power k of the number of shared states: for small systems only.
//! That no shared state is new in a round proves nothing, since the stacks may be new: the answer is
//! never more than bounded.

pub mod backward;
pub mod forward;
mod frames;
mod reader;
pub mod sequential;

use std::collections::BTreeSet;

use selvedge_model::{Fault, Property, SharedId, State, System};

use crate::bound::needs_fixed_threads;
use crate::{Budget, Stop};
use backward::Backward;
use reader::Wanted;

/// In which direction the pushdown system is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// post* from the initial states.
    Forward,
    /// pre* from what must not be reached.
    Backward,
}

/// The shared states at the ends of the rounds of an execution, with the number of the initial
/// state in which it starts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Solution {
    /// The number of the initial state.
    pub initial: u32,
    /// The shared state at the end of each round.
    pub ends: Vec<SharedId>,
}

/// What a number of rounds reaches.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// The number of rounds.
    pub rounds: usize,
    /// All solutions, sorted.
    pub solutions: Vec<Solution>,
    /// A property that is broken, by its number.
    pub violated: Option<usize>,
}

impl Rounds {
    /// The shared states that are reached.
    #[must_use]
    pub fn shared(&self, initial: &[State]) -> BTreeSet<SharedId> {
        let last = |solution: &Solution| match solution.ends.last() {
            Some(&shared) => Some(shared),
            None => initial.get(solution.initial as usize).map(|state| state.shared),
        };
        self.solutions.iter().filter_map(last).collect()
    }
}

/// Analyses a system round by round, each time with another pushdown system.
pub struct Reduction<'a> {
    system: &'a dyn System,
    properties: &'a [Property],
    initial: Vec<State>,
    /// For the direction backward: what it knows of the system.
    backward: Option<Backward>,
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
                           stacks: use `--engine auto`";
            return Err(Fault { message: message.to_owned(), line: None }.into());
        }
        let initial = system.initial()?;
        let mut violated = None;
        for state in &initial {
            violated = violated.or(Property::first_broken(properties, system, state)?);
        }
        let numbers = 0..initial.len() as u32;
        let solutions = numbers.map(|initial| Solution { initial, ends: Vec::new() }).collect();
        let backward = match direction {
            Direction::Forward => None,
            Direction::Backward => Some(Backward::new(system, budget)?),
        };
        let last = Rounds { rounds: 0, solutions, violated };
        Ok(Reduction { system, properties, initial, backward, last })
    }

    /// What was found for the current number of rounds.
    #[must_use]
    pub fn rounds(&self) -> &Rounds {
        &self.last
    }

    /// The shared states that the current number of rounds reaches.
    #[must_use]
    pub fn shared(&self) -> BTreeSet<SharedId> {
        self.last.shared(&self.initial)
    }

    /// Allows one more round.
    pub fn advance(&mut self, budget: &Budget) -> Result<&Rounds, Stop> {
        let wanted: Vec<Wanted> =
            self.properties.iter().map(|p| Wanted::new(self.system, p)).collect();
        let guesses = &self.last.solutions;
        let (mut solutions, violated) = match &self.backward {
            None => forward::solve(self.system, guesses, &wanted, budget)?,
            Some(known) => known.solve(self.system, guesses, &wanted, budget)?,
        };
        solutions.sort_unstable();
        solutions.dedup();
        self.last = Rounds { rounds: self.last.rounds + 1, solutions, violated };
        Ok(&self.last)
    }
}
