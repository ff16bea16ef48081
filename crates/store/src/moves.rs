//! # Remembered moves
//! What can be done somewhere is found once: the moves of a *head*, such as a shared state with a
//! thread. The moves of all heads lie one after the other; a hash table says where those of a
//! head are. Heads are small and looked for all the time, so they are in the table itself.

use std::hash::Hash;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::ops::Range;

use crate::{Bytes, Full, Id, hash};

/// The moves of each head that is known.
#[derive(Clone, Debug)]
pub struct Moves<H, M> {
    /// A power of two of slots, at most three quarters full.
    slots: Vec<Option<Known<H>>>,
    heads: usize,
    moves: Vec<M>,
}

/// A head, and where its moves are.
#[derive(Clone, Copy, Debug)]
struct Known<H> {
    head: H,
    start: u32,
    /// Where they end, plus one.
    end: NonZeroU32,
}

const SMALLEST: usize = 64;

/// How many heads are taken over at once.
const TAKEN_TOGETHER: usize = 64;

impl<H, M> Default for Moves<H, M> {
    fn default() -> Self {
        Moves { slots: Vec::new(), heads: 0, moves: Vec::new() }
    }
}

impl<H> Known<H> {
    #[inline]
    fn range(&self) -> Range<u32> {
        self.start..self.end.get() - 1
    }
}

impl<H: Hash + Eq + Copy, M> Moves<H, M> {
    /// The moves of a head, if they are known: where they are among all moves.
    #[must_use]
    #[inline]
    pub fn find(&self, head: &H) -> Option<Range<u32>> {
        let known = self.slots.get(self.slot(head))?.as_ref()?;
        Some(known.range())
    }

    /// Reads the slot at which a look-up begins, so that it is near at hand.
    #[inline]
    pub fn touch(&self, head: &H) -> u32 {
        let slot = hash::of(head) as usize & self.slots.len().wrapping_sub(1);
        self.slots.get(slot).and_then(Option::as_ref).map_or(0, |known| known.start)
    }

    /// The slot of a head, or the empty one where it belongs.
    #[inline]
    fn slot(&self, head: &H) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hash::of(head) as usize & mask;
        while let Some(Some(known)) = self.slots.get(slot)
            && known.head != *head
        {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Remembers the moves of a head that are not known.
    pub fn remember(
        &mut self,
        head: H,
        moves: impl IntoIterator<Item = M>,
    ) -> Result<Range<u32>, Full> {
        let mut slot = self.slot(&head);
        if let Some(Some(known)) = self.slots.get(slot) {
            return Ok(known.range());
        }
        if self.heads >= self.slots.len() / 4 * 3 {
            self.grow();
            slot = self.slot(&head);
        }
        let before = self.moves.len();
        self.moves.extend(moves);
        let number = |count: usize| u32::from_index(count);
        let end = number(self.moves.len()).and_then(|end| NonZeroU32::MIN.checked_add(end));
        let (Some(start), Some(end)) = (number(before), end) else {
            self.moves.truncate(before);
            return Err(Full { what: "moves", most: before });
        };
        let known = Known { head, start, end };
        self.slots[slot] = Some(known);
        self.heads += 1;
        Ok(known.range())
    }

    /// Takes over moves that were found elsewhere, of heads that are not known here.
    pub fn append(&mut self, mut others: Moves<H, M>) -> Result<(), Full> {
        let (before, more) = (self.moves.len(), others.moves.len());
        // Numbers go up to one after the last move, and there is one that means none.
        let Some(start) = u32::from_index(before + more + 1).map(|_| before as u32) else {
            return Err(Full { what: "moves", most: before });
        };
        while self.heads + others.heads >= self.slots.len() / 4 * 3 {
            self.grow();
        }
        self.moves.append(&mut others.moves);
        let others_known: Vec<Known<H>> = others.slots.into_iter().flatten().collect();
        for some in others_known.chunks(TAKEN_TOGETHER) {
            // Touches the memory of all look-ups first, so that they wait for it together.
            black_box(some.iter().fold(0, |sum, known| sum ^ self.touch(&known.head)));
            for known in some {
                let slot = self.slot(&known.head);
                let end = known.end.saturating_add(start);
                self.slots[slot] = Some(Known { start: known.start + start, end, ..*known });
            }
        }
        self.heads += others_known.len();
        Ok(())
    }

    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(SMALLEST);
        let old = std::mem::replace(&mut self.slots, vec![None; length]);
        for known in old.into_iter().flatten() {
            let slot = self.slot(&known.head);
            self.slots[slot] = Some(known);
        }
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

    /// The heads whose moves are known, in some order that is always the same.
    pub fn heads(&self) -> impl Iterator<Item = H> {
        self.slots.iter().flatten().map(|known| known.head)
    }
}

impl<H, M> Bytes for Moves<H, M> {
    fn bytes(&self) -> usize {
        let slots = self.slots.capacity() * size_of::<Option<Known<H>>>();
        slots + self.moves.capacity() * size_of::<M>()
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
        let mut heads: Vec<_> = moves.heads().collect();
        heads.sort_unstable();
        assert_eq!(heads, [(0, 0), (0, 1), (7, 0)]);
    }

    /// Moves that were remembered elsewhere are those of the same heads afterwards.
    #[test]
    fn moves_are_taken_over() {
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut all, mut count) = (Moves::default(), 0);
        for _ in 0..30 {
            let mut others = Moves::default();
            for _ in 0..rng.u64(0..200) {
                let moves = (0..count % 4).map(|number| count + number);
                assert!(others.remember(count * 3, moves).is_ok());
                count += 1;
            }
            assert_eq!(all.append(others), Ok(()));
        }
        assert_eq!(all.heads().count() as u64, count);
        for head in 0..count {
            let range = all.find(&(head * 3)).expect("it is known");
            let expected: Vec<u64> = (0..head % 4).map(|number| head + number).collect();
            assert_eq!(all.slice(range), expected);
            assert_eq!(all.find(&(head * 3 + 1)), None);
        }
    }

    #[test]
    fn many_heads_keep_their_moves() {
        let mut moves: Moves<u64, u64> = Moves::default();
        for head in 0..5000 {
            let range = moves.remember(head * head, [head; 2].into_iter().take(head as usize % 3));
            assert_eq!(range.map(|range| range.len()), Ok(head as usize % 3));
        }
        for head in 0..5000 {
            let range = moves.find(&(head * head)).expect("it is known");
            assert_eq!(range.len(), head as usize % 3);
            assert!(moves.slice(range).iter().all(|&found| found == head));
            assert!(moves.find(&(head * head + 2)).is_none());
        }
        assert_eq!(moves.heads().count(), 5000);
    }
}
