//! # Where states came from
//! For each state of an exploration, the state before it and the move between them, as they were
//! when it was first reached. A run to a state is read off from its end. Where states are
//! numbered breadth first, it is a shortest one.

use crate::bytes::make_room;
use crate::{Bytes, Full, Id};

/// Predecessors by number of state.
#[derive(Clone, Debug, Default)]
pub struct Links {
    links: Vec<Link>,
}

/// How a state was first reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Link {
    /// The state before; [`START`] if there is none.
    parent: u32,
    step: u32,
}

/// Marks an initial state, which has no predecessor.
const START: u32 = u32::MAX;

impl Links {
    /// Adds the next state, an initial one. Its number.
    pub fn start(&mut self) -> Result<u32, Full> {
        self.push(Link { parent: START, step: 0 })
    }

    /// Adds the next state, which `step` leads to from `parent`. Its number.
    pub fn follow(&mut self, parent: u32, step: u32) -> Result<u32, Full> {
        self.push(Link { parent, step })
    }

    fn push(&mut self, link: Link) -> Result<u32, Full> {
        let full = Full { what: "states", most: START as usize - 1 };
        let number = u32::from_index(self.links.len()).ok_or(full)?;
        make_room(&mut self.links, 1);
        self.links.push(link);
        Ok(number)
    }

    /// The state before, and the step from there.
    #[must_use]
    pub fn before(&self, state: u32) -> Option<(u32, u32)> {
        let link = self.links[state as usize];
        (link.parent != START).then_some((link.parent, link.step))
    }

    /// The run to a state: the initial state that it starts from, then each step with the state after.
    #[must_use]
    pub fn run_to(&self, state: u32) -> (u32, Vec<(u32, u32)>) {
        let (mut at, mut steps) = (state, Vec::new());
        while let Some((parent, step)) = self.before(at) {
            steps.push((step, at));
            at = parent;
        }
        steps.reverse();
        (at, steps)
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// The number of the state that comes next.
    #[must_use]
    pub fn end(&self) -> u32 {
        // There are no more than numbers: see `push`.
        u32::try_from(self.links.len()).unwrap_or(START)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}

impl Bytes for Links {
    fn bytes(&self) -> usize {
        self.links.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::Links;
    use crate::{Full, StateSet};

    #[test]
    fn runs_are_read_from_their_end() -> Result<(), Full> {
        let mut links = Links::default();
        let first = links.start()?;
        let second = links.start()?;
        let third = links.follow(second, 7)?;
        let fourth = links.follow(third, 8)?;
        assert_eq!(links.run_to(first), (first, vec![]));
        assert_eq!(links.run_to(fourth), (second, vec![(7, third), (8, fourth)]));
        assert_eq!(links.before(third), Some((second, 7)));
        Ok(())
    }

    /// Breadth first over numbers with two moves, times two and plus three: runs are as short as the
    /// distance says.
    #[test]
    fn breadth_first_runs_are_shortest() -> Result<(), Full> {
        let moves = [|n: u32| n * 2 % 1009, |n: u32| (n + 3) % 1009];
        let (mut states, mut links) = (StateSet::default(), Links::default());
        states.insert(&[1])?;
        links.start()?;
        let mut distances = vec![0];
        for at in 0.. {
            if at as usize == states.len() {
                break;
            }
            let number = states.get(at)[0];
            for (step, make) in (0..).zip(&moves) {
                if states.insert(&[make(number)])?.1 {
                    links.follow(at, step)?;
                    distances.push(distances[at as usize] + 1);
                }
            }
        }
        assert_eq!(states.len(), 1009);
        for state in 0..1009 {
            let (start, run) = links.run_to(state);
            assert_eq!((start, run.len()), (0, distances[state as usize]));
            let end = run.iter().fold(1, |n, &(step, _)| moves[step as usize](n));
            assert_eq!(end, states.get(state)[0]);
        }
        Ok(())
    }
}
