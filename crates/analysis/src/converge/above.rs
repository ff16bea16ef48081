//! # From above
//!
//! **Question.** Can a visible state be excluded for every number of contexts, without exploring
//! them all?
//!
//! **Idea.** Cut the stacks ([`crate::explore::windows`]) and explore what is left to the end. The
//! result Z_j contains everything that is reachable; what is not in it is not reachable. The deeper
//! the cut, the smaller Z_j.
//!
//! **Claim.** T(R) ⊆ Z_{j+1} ⊆ Z_j, and each Z_j is an inductive invariant. The generator test of the
//! CUBA paper succeeds at some bound exactly if its Z equals T(R), so it proves no more than Z does.
//!
//! **Needs.** Finitely many shared states, or the run ends by its budget.

use rustc_hash::FxHashSet;
use selvedge_evidence::{Evidence, Guess, Measure};
use selvedge_model::System;

use super::heights::{Compared, compare};
use crate::explore::windows::{Cut, Windows};
use crate::explore::{ContextExplorer, Explorer, Locals};
use crate::{Budget, Stop};

/// A complete exploration of a system with cut stacks: an over-approximation of its reachable states.
pub struct Above<'a> {
    explorer: ContextExplorer<'a, Windows>,
    cut: Cut,
    /// Facts about stack heights in the states that are left.
    measures: Vec<Measure>,
    /// Guesses that none of them brings about.
    idle: FxHashSet<Guess>,
}

impl<'a> Above<'a> {
    /// Explores the system with cut stacks.
    pub fn explore(
        system: &'a dyn System,
        cut: Cut,
        symmetry: bool,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        Self::with_at_most_threads(system, cut, symmetry, None, budget)
    }

    /// The same for systems that start threads: states with more threads than this are not
    /// followed, if there is a limit.
    pub fn with_at_most_threads(
        system: &'a dyn System,
        cut: Cut,
        symmetry: bool,
        most: Option<usize>,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let mut windows = Windows::new(cut);
        loop {
            let explorer = ContextExplorer::new(system, windows, symmetry)?;
            let mut explorer = explorer.with_at_most_threads(most);
            while !explorer.has_collapsed() {
                explorer.advance(budget)?;
            }
            if !explorer.locals().has_grown() {
                let mut above =
                    Above { explorer, cut, measures: Vec::new(), idle: FxHashSet::default() };
                if cut.heights {
                    above.compare_heights(system, budget)?;
                }
                return Ok(above);
            }
            // A pop that was explored early may have had too few guesses: once more with all.
            windows = explorer.into_locals().again();
        }
    }

    /// Leaves out states whose stacks cannot have the heights that they would have to have. Whether
    /// there were any.
    pub fn compare_heights(&mut self, system: &dyn System, budget: &Budget) -> Result<bool, Stop> {
        self.cut.heights = true;
        let Some(Compared { possible, measures, idle }) =
            compare(system, self.explorer.reached(), budget)?
        else {
            return Ok(false);
        };
        self.explorer.keep(|number| possible[number as usize])?;
        self.measures = measures;
        self.idle = idle;
        Ok(true)
    }

    /// Makes a certificate of the states that are left.
    #[must_use]
    pub fn certificate(&self) -> Evidence {
        let mut evidence = self.explorer.certificate();
        if let Evidence::Cut(certificate) = &mut evidence {
            certificate.measures.clone_from(&self.measures);
            certificate.guesses.retain(|guess| !self.idle.contains(guess));
        }
        evidence
    }

    /// How the stacks were cut.
    #[must_use]
    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// The explorer that holds the states that are left.
    #[must_use]
    pub fn explorer(&self) -> &ContextExplorer<'a, Windows> {
        &self.explorer
    }

    /// The number of a property that a visible state of Z breaks.
    pub fn violation(
        &self,
        properties: &[selvedge_model::Property],
    ) -> Result<Option<usize>, Stop> {
        let bounds = 0..=self.explorer.bound();
        let found = bounds.map(|bound| self.explorer.violation(bound, properties).transpose());
        found.flatten().next().transpose()
    }

    /// Whether nothing was ever hidden, so that Z is exactly what is reachable.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let windows = self.explorer.locals();
        windows.locals().all(|local| windows.is_finite(local))
    }

    /// How many visible states Z has, without symmetry reduction.
    #[must_use]
    pub fn visible(&self) -> Option<u128> {
        self.explorer.observations().last().and_then(|o| o.visible)
    }
}
