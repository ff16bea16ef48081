//! # Remembered moves
//! What can be done somewhere is found once: the moves of a *head*, such as a shared state with a
//! thread. The moves of all heads lie one after the other.

use std::hash::Hash;
use std::ops::Range;

use crate::{Bytes, Full, Id, Interner};

/// The moves of heads.
#[derive(Clone, Debug)]
pub struct Moves<H, M> {
    heads: Interner<H>,
    /// Where the moves of each head end; they begin where those of the head before it end.
    ends: Vec<u32>,
    moves: Vec<M>,
}

impl<H: Hash + Eq, M> Default for Moves<H, M> {
    fn default() -> Self {
        Moves { heads: Interner::of("heads of moves"), ends: Vec::new(), moves: Vec::new() }
    }
}

impl<H: Hash + Eq, M> Moves<H, M> {
    /// The moves of a head, if they are known: where they are among all moves.
    #[must_use]
    #[inline]
    pub fn find(&self, head: &H) -> Option<Range<u32>> {
        self.heads.find(head).map(|number| self.range(number as usize))
    }

    /// Remembers the moves of a head that are not known.
    pub fn remember(
        &mut self,
        head: H,
        moves: impl IntoIterator<Item = M>,
    ) -> Result<Range<u32>, Full> {
        let before = self.moves.len();
        self.moves.extend(moves);
        let end = u32::from_index(self.moves.len());
        let end = end.ok_or(Full { what: "moves", most: u32::MAX as usize - 1 });
        let known = end.and_then(|end| self.heads.intern(head).map(|number| (end, number)));
        match known {
            Ok((end, number)) if number as usize == self.ends.len() => {
                self.ends.push(end);
                Ok(self.range(number as usize))
            }
            // The head had moves: those stay.
            Ok((_, number)) => {
                self.moves.truncate(before);
                Ok(self.range(number as usize))
            }
            Err(full) => {
                self.moves.truncate(before);
                Err(full)
            }
        }
    }

    fn range(&self, head: usize) -> Range<u32> {
        head.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[head]
    }

    /// A move, by its number among all moves.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> &M {
        &self.moves[number as usize]
    }

    /// Moves that lie one after the other.
    #[must_use]
    #[inline]
    pub fn slice(&self, range: Range<u32>) -> &[M] {
        &self.moves[range.start as usize..range.end as usize]
    }

    /// The heads whose moves are known, in the order in which they came.
    #[must_use]
    pub fn heads(&self) -> &[H] {
        self.heads.things()
    }
}

impl<H, M> Bytes for Moves<H, M> {
    fn bytes(&self) -> usize {
        self.heads.bytes() + self.ends.bytes() + self.moves.capacity() * size_of::<M>()
    }
}

#[cfg(test)]
mod tests {
    use super::Moves;

    #[test]
    fn moves_are_remembered_once() {
        let mut moves: Moves<(u32, u32), char> = Moves::default();
        assert_eq!(moves.find(&(0, 0)), None);
        assert_eq!(moves.remember((0, 0), "ab".chars()), Ok(0..2));
        assert_eq!(moves.remember((0, 1), "".chars()), Ok(2..2));
        assert_eq!(moves.remember((7, 0), "c".chars()), Ok(2..3));
        assert_eq!(moves.remember((0, 0), "xyz".chars()), Ok(0..2));
        assert_eq!(moves.find(&(0, 1)), Some(2..2));
        assert_eq!(moves.find(&(7, 0)), Some(2..3));
        assert_eq!(moves.slice(0..2), ['a', 'b']);
        assert_eq!(*moves.get(2), 'c');
        assert_eq!(moves.heads(), [(0, 0), (0, 1), (7, 0)]);
    }
}
