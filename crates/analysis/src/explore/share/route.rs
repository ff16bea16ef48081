//! # A run through states that others have
//! Each worker tells the states of a run that belong to it, in words that are the same everywhere ([`Share::waypoint`](super::Share::waypoint)). Whoever puts them together stores those, and
//! no others; what a step makes of each is looked at again.

use selvedge_evidence::Trace;
use selvedge_model::{Property, System};

use super::super::reached::Reached;
use super::super::shortest::{Stride, lost};
use super::super::stacks::Stacks;
use super::wire::{self, Kind, Names, garbled};
use super::{Terms, hear_word};
use crate::Stop;

/// The states of a run, as they are told one after the other.
pub struct Route<'a> {
    reached: Reached<'a, Stacks>,
    /// The first state, and what follows it.
    first: Option<Vec<u32>>,
    strides: Vec<Stride>,
    /// The entry that moves from the last state, and the entry that it becomes, if that is known.
    moves: Option<(u32, Option<u32>)>,
}

impl<'a> Route<'a> {
    /// A run that is not known yet.
    pub fn new(system: &'a dyn System, terms: Terms) -> Result<Self, Stop> {
        let mut reached = Reached::new(system, Stacks::default(), terms.symmetry)?;
        reached.space.most_threads = terms.most_threads;
        Ok(Route { reached, first: None, strides: Vec::new(), moves: None })
    }

    /// Adds the next state. Where nobody moves, another way begins with the state that comes next, which is this one.
    pub fn add(&mut self, bytes: &[u8], is_last: bool) -> Result<(), Stop> {
        let space = &mut self.reached.space;
        let mut names = Names::new(0, 1);
        let rest =
            &mut names.hear(0, bytes, |kind, content| wire::read_name(space, kind, content))?;
        let after = match wire::read(rest)? {
            0 => None,
            _ => Some(names.heard(0, Kind::Entry, rest)?),
        };
        let mut word = Vec::new();
        let moves = hear_word(space, &names, 0, rest, &mut word)?;
        if !rest.is_empty() {
            return Err(garbled());
        }
        if moves.is_none() && !is_last {
            return Ok(());
        }
        match (&self.first, self.moves.take()) {
            (None, _) => self.first = Some(word),
            (Some(_), Some((moves, after))) => self.strides.push(Stride { moves, after, to: word }),
            (Some(_), None) => return Err(lost()),
        }
        self.moves = moves.map(|moves| (moves, after));
        Ok(())
    }

    /// The schedule, with real threads.
    pub fn trace(mut self, properties: &[Property]) -> Result<Trace, Stop> {
        let first = self.first.take().ok_or_else(lost)?;
        self.reached.follow(&first, &self.strides, properties)
    }
}
