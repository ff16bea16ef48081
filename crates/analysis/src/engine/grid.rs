//! # The grid of rounds and delays
//!
//! **Question.** How many abstract states does R(r, d) have, for all r up to R and d up to D [Johnson, Wahl
//! 2021, Table 1]? And how many images does it take to get there, from what was there before and from
//! the start each time [Table 3]?
//!
//! **Idea.** One exploration for each number of delays, round by round: every cell is exact. The *path* is
//! the way of Alg. 1 through the grid: from one round without delays, one more round until one shows
//! nothing new; then one more delay until n - 1 in a row show nothing new; whatever is new starts it again.
//! With the frontier, the path is one exploration; without, each of its cells is explored from the start.
//!
//! An image is a point that was followed: a state, whose turn it is, and the turns and delays so far
//! ([`crate::explore::delays`]). The published algorithm keeps fewer of them, and loses states by it.

use super::Question;
use crate::explore::{Abstraction, DelayExplorer, Observe};
use crate::{Budget, Stop};

/// The numbers of states and images of R(r, d), for all r and d up to a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// The largest number of rounds.
    pub rounds: usize,
    /// The largest number of delays.
    pub delays: usize,
    /// The cells that were completed, by delays and then by rounds from 0 on.
    pub columns: Vec<Vec<Cell>>,
    /// The way of Alg. 1, as far as it stays in the grid.
    pub path: Path,
    /// Why cells are missing, if some are.
    pub stop: Option<Stop>,
}

/// The counts of R(r, d): states, observations and images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// How many states it has.
    pub states: Option<u128>,
    /// The number of abstract states: visible ones, unless something else is observed.
    pub observed: Option<u128>,
    /// How many images it takes from the initial states.
    pub images: u64,
}

/// The way of Alg. 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// The rounds and delays of its cells.
    pub cells: Vec<(usize, usize)>,
    /// Whether it ends with a plateau in rounds and delays, so that closure is what is left to test.
    pub ends_in_plateau: bool,
    /// How many images it takes if only frontiers are followed.
    pub images: u64,
    /// How many of them came before the last plateau.
    pub images_before: u64,
    /// How many it takes if each cell begins at the initial states.
    pub images_from_start: u64,
}

/// Explores the whole grid, as far as the budget goes.
pub fn grid(
    question: &Question<'_>,
    observe: Option<&Observe>,
    (rounds, delays): (usize, usize),
    budget: &Budget,
) -> Grid {
    let (columns, path) = (Vec::new(), Path::default());
    let mut grid = Grid { rounds, delays, columns, path, stop: None };
    if let Err(stop) = fill(&mut grid, question, observe, budget) {
        grid.stop = Some(stop);
    }
    grid
}

fn fill(
    grid: &mut Grid,
    question: &Question<'_>,
    observe: Option<&Observe>,
    budget: &Budget,
) -> Result<(), Stop> {
    for delays in 0..=grid.delays {
        let mut column = Column::new(question, observe)?;
        for _ in 0..delays {
            column.explorer.advance_delay(budget)?;
        }
        let mut cells = vec![column.cell()?];
        let mut stop = None;
        for _ in 0..grid.rounds {
            let advanced = column.explorer.advance_round(budget).map(|_| ());
            match advanced.and_then(|()| column.cell()) {
                Ok(cell) => cells.push(cell),
                Err(reason) => {
                    stop = Some(reason);
                    break;
                }
            }
        }
        grid.columns.push(cells);
        stop.map_or(Ok(()), Err)?;
    }
    grid.path = path(grid, question, observe, budget)?;
    Ok(())
}

/// An exploration, with the abstraction of its states if one is observed.
struct Column<'a> {
    explorer: DelayExplorer<'a>,
    abstraction: Option<Abstraction<'a>>,
}

impl<'a> Column<'a> {
    fn new(question: &Question<'a>, observe: Option<&Observe>) -> Result<Self, Stop> {
        let system = question.system;
        let abstraction = observe.map(|observe| Abstraction::new(system, observe.clone()));
        Ok(Column { explorer: DelayExplorer::new(system)?, abstraction })
    }

    fn cell(&mut self) -> Result<Cell, Stop> {
        let last = self.explorer.observations().last();
        let (states, visible) = last.map_or((None, None), |seen| (seen.states, seen.visible));
        let observed = match &mut self.abstraction {
            None => visible,
            Some(abstraction) => {
                abstraction.look(self.explorer.reached())?;
                Some(abstraction.len() as u128)
            }
        };
        Ok(Cell { states, observed, images: self.explorer.images() })
    }
}

impl Grid {
    /// A cell, if it was completed.
    #[must_use]
    pub fn cell(&self, rounds: usize, delays: usize) -> Option<&Cell> {
        self.columns.get(delays)?.get(rounds)
    }

    /// The cells of the way of Alg. 1, and whether it ends in a plateau.
    fn way(&self, threads: usize) -> (Vec<(usize, usize)>, bool) {
        let observed = |(r, d)| self.cell(r, d).and_then(|cell| cell.observed);
        let mut at = (1, 0);
        let mut cells = vec![at];
        if self.cell(1, 0).is_none() {
            return (Vec::new(), false);
        }
        loop {
            // More rounds, until one of them shows nothing new.
            loop {
                let next = (at.0 + 1, at.1);
                if self.cell(next.0, next.1).is_none() {
                    return (cells, false);
                }
                let is_flat = observed(next) == observed(at);
                at = next;
                cells.push(at);
                if is_flat {
                    break;
                }
            }
            // More delays, until n - 1 of them in a row show nothing new.
            let before = observed(at);
            let mut flat = 0;
            while flat + 1 < threads {
                let next = (at.0, at.1 + 1);
                if self.cell(next.0, next.1).is_none() {
                    return (cells, false);
                }
                at = next;
                cells.push(at);
                if observed(at) != before {
                    break;
                }
                flat += 1;
            }
            if flat + 1 >= threads {
                return (cells, true);
            }
        }
    }
}

/// Follows the way of Alg. 1 with one exploration, and counts.
fn path(
    grid: &Grid,
    question: &Question<'_>,
    observe: Option<&Observe>,
    budget: &Budget,
) -> Result<Path, Stop> {
    let (cells, ends_in_plateau) = grid.way(question.system.threads().len());
    let mut path = Path { cells, ends_in_plateau, ..Path::default() };
    let mut column = Column::new(question, observe)?;
    let (mut at, mut seen) = ((0, 0), None);
    for &(rounds, delays) in &path.cells {
        while at.0 < rounds {
            column.explorer.advance_round(budget)?;
            at.0 += 1;
        }
        while at.1 < delays {
            column.explorer.advance_delay(budget)?;
            at.1 += 1;
        }
        let cell = column.cell()?;
        if cell.observed != seen {
            (path.images_before, seen) = (cell.images, cell.observed);
        }
        path.images = cell.images;
        path.images_from_start += grid.cell(rounds, delays).map_or(0, |cell| cell.images);
    }
    Ok(path)
}
