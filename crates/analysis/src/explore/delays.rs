//! # Rounds and delays
//!
//! **Question.** Which states are reached under round-robin scheduling with at most r rounds and d
//! delays: R(r, d)? A round is one step of each thread, in their order; a delay lets a thread miss
//! its step. A thread that cannot act is passed over for nothing.
//!
//! **Idea.** A *configuration* is a state with the thread whose turn it is; a *point* is a
//! configuration with the turns and the delays that it took to get there. A point at turn t with e
//! delays leads to turn t + 1: with e delays by a step, with e + 1 by a delay. All points lie in the
//! rectangle of n · r turns and d delays, which grows by a column of n turns or by a row of one delay.
//! Only its edge matters: a new column follows from the last one, a new row from the last one.
//!
//! A point that another one of its configuration beats or equals in both turns and delays adds
//! nothing, now and later. In a new column all points are later than all others of their
//! configuration, so they need fewer delays than the fewest so far. In a new row all have more delays,
//! so they need fewer turns. Two numbers for each configuration are enough to know what is beaten,
//! exactly.
//!
//! **Claim.** The states are R(r, d) exactly [Johnson, Wahl 2021, Def. 1]. The algorithm of the
//! paper keeps the first point of each configuration only; Lemma 9 is wrong for it, and so is
//! Cor. 10: see `docs/decisions/0018-rounds-and-delays.md`. If the edge is empty, nothing is ever new.
//!
//! **Threads that are alike** have turns at different times, so that R(r, d) tells them apart. If
//! they are *interchanged*, they may change places at any time: states are counted as in
//! [`super::Classes`], and at its turn a thread does what any that is like it could do. What is reached
//! within a bound is R(r, d) or more, and reachable, since permutations of reachable states are. All
//! that is said of plateaus and closure stays true: at a turn of a thread its actions are taken. So
//! this is for proofs, where the bounds do not matter; a violation has its bounds from R(r, d).
//!
//! **Needs.** A fixed set of threads. Every R(r, d) is finite, even where one context is not.

mod images;

use selvedge_evidence::Evidence;
use selvedge_model::{Property, System, VisibleState};
use selvedge_store::Full;

use super::Locals;
use super::reached::{Observation, Reached};
use super::stacks::Stacks;
use crate::bound::needs_fixed_threads;
use crate::{Bound, Budget, Pace, Resource, Stop};
use images::Images;

/// Explores round by round and delay by delay, in any order.
pub struct DelayExplorer<'a> {
    reached: Reached<'a, Stacks>,
    interchanged: bool,
    threads: usize,
    rounds: usize,
    delays: usize,
    /// For each configuration, the fewest turns and the fewest delays that it takes.
    fewest: Vec<Fewest>,
    /// The points with the most delays, by turn: their states.
    row: Vec<Vec<u32>>,
    /// The points at the last turn, by delays: their states.
    column: Vec<Vec<u32>>,
    images: Images,
}

#[derive(Clone, Copy)]
struct Fewest {
    turns: u32,
    delays: u32,
}

const NEVER: Fewest = Fewest { turns: u32::MAX, delays: u32::MAX };

/// Which side of the rectangle grows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Growth {
    Column,
    Row,
}

/// How many points are looked at between two looks at the budget.
const POINTS_PER_CHECK: usize = 1 << 14;

impl<'a> DelayExplorer<'a> {
    /// Starts with R(0, 0): the initial states.
    pub fn new(system: &'a dyn System) -> Result<Self, Stop> {
        Self::starting(system, false)
    }

    /// Like [`DelayExplorer::new`], but interchanges threads that are alike.
    pub fn interchanging(system: &'a dyn System) -> Result<Self, Stop> {
        Self::starting(system, true)
    }

    fn starting(system: &'a dyn System, interchanged: bool) -> Result<Self, Stop> {
        if let Some(fault) = needs_fixed_threads(system) {
            return Err(fault.into());
        }
        let reached = Reached::new(system, Stacks::default(), interchanged)?;
        let initial: Vec<u32> = (0..reached.states.end()).collect();
        let mut explorer = DelayExplorer {
            interchanged,
            threads: system.threads().len(),
            rounds: 0,
            delays: 0,
            fewest: Vec::new(),
            row: vec![initial.clone()],
            column: vec![initial],
            images: Images::default(),
            reached,
        };
        explorer.make_room();
        for state in explorer.row[0].clone() {
            let configuration = state as usize * explorer.threads;
            if let Some(fewest) = explorer.fewest.get_mut(configuration) {
                *fewest = Fewest { turns: 0, delays: 0 };
            }
        }
        let bound = explorer.bound();
        explorer.reached.observe(bound, &Budget::default())?;
        Ok(explorer)
    }

    /// Follows states in waves once there are this many.
    #[must_use]
    pub fn with_waves_from(mut self, states: u32) -> Self {
        self.reached.waves_from = states;
        self
    }

    /// The current rounds and delays.
    #[must_use]
    pub fn bound(&self) -> Bound {
        let interchanged = self.interchanges();
        Resource::RoundRobin { delays: self.delays, interchanged }.bound(self.rounds)
    }

    /// The current number of delays.
    #[must_use]
    pub fn delays(&self) -> usize {
        self.delays
    }

    /// The states that were reached.
    #[must_use]
    pub fn reached(&self) -> &Reached<'a, Stacks> {
        &self.reached
    }

    /// What was seen at each bound so far, in the order in which the bounds were raised.
    #[must_use]
    pub fn observations(&self) -> &[Observation] {
        &self.reached.observations
    }

    /// Whether there are threads that are alike, and interchanged.
    #[must_use]
    pub fn interchanges(&self) -> bool {
        self.interchanged && !self.reached.space.classes.are_single()
    }

    /// Whether nothing will ever be new, however the bounds are raised.
    #[must_use]
    pub fn has_collapsed(&self) -> bool {
        self.threads == 0 || self.row.iter().chain(&self.column).all(Vec::is_empty)
    }

    /// How many points were followed: computations of an image, as the paper counts them.
    #[must_use]
    pub fn images(&self) -> u64 {
        self.images.followed
    }

    /// How many words are stored, and the bytes that everything takes.
    #[must_use]
    pub fn stored(&self) -> (usize, usize) {
        let points = self.row.iter().chain(&self.column).map(|list| list.capacity() * 4 + 24);
        let Images { begins, edges, .. } = &self.images;
        let all = selvedge_store::total(&[&self.reached, begins, edges, &self.fewest]);
        (self.reached.states.len(), all + points.sum::<usize>())
    }

    /// A visible state that is new since the last bound was raised and breaks one of the properties.
    pub fn violation(
        &self,
        properties: &[Property],
    ) -> Result<Option<(usize, VisibleState)>, Stop> {
        self.reached.violation(self.reached.observations.len() - 1, properties)
    }

    /// The states that were reached, as a certificate. It holds if no step leaves them.
    #[must_use]
    pub fn certificate(&self) -> Evidence {
        Stacks::certify(&self.reached)
    }

    /// Allows one more round. If the budget ends first, the explorer is of no further use.
    pub fn advance_round(&mut self, budget: &Budget) -> Result<&Observation, Stop> {
        self.expect(self.rounds + 1, self.delays)?;
        self.reached.states.limit(budget.states);
        self.reached.new_from = self.reached.states.end();
        let first = self.rounds * self.threads;
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); self.threads];
        for delays in 0..=self.delays {
            let mut layers = vec![std::mem::take(&mut self.column[delays])];
            for offset in 0..self.threads {
                let from = (&layers[offset][..], &below[offset][..]);
                let turn = first + offset;
                layers.push(self.layer(from, turn, delays, Growth::Column, budget)?);
            }
            if delays == self.delays {
                self.row.extend_from_slice(&layers[1..]);
            }
            self.column[delays] = layers.pop().unwrap_or_default();
            below = layers;
        }
        self.rounds += 1;
        self.reached.observe(self.bound(), budget)?;
        Ok(self.last())
    }

    /// Allows one more delay. If the budget ends first, the explorer is of no further use.
    pub fn advance_delay(&mut self, budget: &Budget) -> Result<&Observation, Stop> {
        self.expect(self.rounds, self.delays + 1)?;
        self.reached.states.limit(budget.states);
        self.reached.new_from = self.reached.states.end();
        let below = std::mem::take(&mut self.row);
        let mut layers = vec![Vec::new()];
        for (turn, delayed) in below[..below.len() - 1].iter().enumerate() {
            let from = (&layers[turn][..], &delayed[..]);
            layers.push(self.layer(from, turn, self.delays + 1, Growth::Row, budget)?);
        }
        self.column.push(layers[layers.len() - 1].clone());
        self.row = layers;
        self.delays += 1;
        self.reached.observe(self.bound(), budget)?;
        Ok(self.last())
    }

    fn last(&self) -> &Observation {
        let observations = &self.reached.observations;
        &observations[observations.len() - 1]
    }

    /// The points at the turn after `turn`, with so many delays: steps from the first states, which
    /// have as many, and delays of the others, which have one less.
    fn layer(
        &mut self,
        (moving, delayed): (&[u32], &[u32]),
        turn: usize,
        delays: usize,
        growth: Growth,
        budget: &Budget,
    ) -> Result<Vec<u32>, Stop> {
        let thread = turn % self.threads;
        let mut layer = Vec::new();
        let mut pace = Pace::new(budget);
        for batch in moving.chunks(POINTS_PER_CHECK) {
            budget.check()?;
            self.images.followed += batch.len() as u64;
            let acting = (thread, self.threads);
            self.images.find(&mut self.reached, batch, acting, &mut pace, budget)?;
            self.make_room();
            for &state in batch {
                let begin = self.images.begins[state as usize * self.threads + thread] as usize;
                let end = begin + 1 + self.images.edges[begin] as usize;
                for edge in begin + 1..end {
                    let state = self.images.edges[edge];
                    self.add(state, turn + 1, delays, growth, &mut layer);
                }
            }
        }
        for &state in delayed {
            self.add(state, turn + 1, delays, growth, &mut layer);
        }
        Ok(layer)
    }

    /// Adds a point, unless another one is as good.
    fn add(&mut self, state: u32, turn: usize, delays: usize, growth: Growth, to: &mut Vec<u32>) {
        let fewest = &mut self.fewest[state as usize * self.threads + turn % self.threads];
        // They fit: see `expect`.
        let (turns, delays) = (turn as u32, delays as u32);
        let is_beaten = match growth {
            Growth::Column => fewest.delays <= delays,
            Growth::Row => fewest.turns <= turns,
        };
        if !is_beaten {
            fewest.turns = fewest.turns.min(turns);
            fewest.delays = fewest.delays.min(delays);
            to.push(state);
        }
    }

    /// Whether turns and delays up to these have 32-bit numbers.
    fn expect(&self, rounds: usize, delays: usize) -> Result<(), Full> {
        let most = u32::MAX as usize - 1;
        let turns = rounds.saturating_mul(self.threads);
        if turns.max(delays) > most { Err(Full { what: "turns", most }) } else { Ok(()) }
    }

    /// Room for the configurations of all states.
    fn make_room(&mut self) {
        let configurations = self.reached.states.len() * self.threads;
        self.fewest.resize(configurations, NEVER);
        self.images.begins.resize(configurations, 0);
    }
}
