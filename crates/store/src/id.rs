//! # Ids
//! An id is the position of a thing in the order in which things came. Ids have few bits; there may
//! be more things than that. So making an id of a position is a question, and [`Full`] one of its
//! answers: an exploration that hears it ends as *unknown*, with what was completed.

use std::fmt;
use std::hash::Hash;

/// There are more things than ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full {
    /// The plural name of the things that there are too many of.
    pub what: &'static str,
    /// The most of them that there can be.
    pub most: usize,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there are more than {} {}, which is all that can be stored",
            self.most, self.what
        )
    }
}

impl std::error::Error for Full {}

/// The number of the next of so many things, where running out of numbers cannot be told to anybody.
///
/// # Panics
/// If there are 2³² things: they take more than 100 GiB. To stop is better than to give two of them one
/// number.
#[must_use]
#[inline]
pub fn number(count: usize) -> u32 {
    u32::from_index(count).expect("there are fewer than 2^32 things")
}

/// The number of a thing. The id with all bits set is never given: it is free to mean *none*.
pub trait Id: Copy + Eq + Ord + Hash + fmt::Debug {
    /// How wide a slot of a hash table of such ids is.
    type Slot: Slot;

    /// The id of a position, if there is one.
    fn from_index(index: usize) -> Option<Self>;

    /// The position of the id.
    fn index(self) -> usize;
}

/// A slot of a hash table: an id and a part of a hash, in as many bits as the id alone may need.
pub trait Slot: Copy + Send + Sync + fmt::Debug {
    /// How many bits a slot has.
    const BITS: u32;

    /// A slot with these bits; those that it has no room for are left out.
    fn truncate(bits: u64) -> Self;

    /// The bits of the slot.
    fn bits(self) -> u64;
}

macro_rules! ids {
    ($($int:ty)*) => { $(
        impl Id for $int {
            type Slot = $int;

            #[inline]

            fn from_index(index: usize) -> Option<Self> {
                <$int>::try_from(index).ok().filter(|&id| id != <$int>::MAX)
            }

            #[inline]

            fn index(self) -> usize {
                self as usize
            }
        }

        impl Slot for $int {
            const BITS: u32 = <$int>::BITS;

            #[inline]

            fn truncate(bits: u64) -> Self {
                bits as $int
            }

            #[inline]

            fn bits(self) -> u64 {
                self as u64
            }
        }
    )* };
}

ids!(u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn ids_end_before_the_last_number() {
        assert_eq!(u8::from_index(0), Some(0));
        assert_eq!(u8::from_index(254), Some(254));
        assert_eq!(u8::from_index(255), None);
        assert_eq!(u8::from_index(256), None);
        assert_eq!(u32::from_index(u32::MAX as usize - 1), Some(u32::MAX - 1));
        assert_eq!(u32::from_index(u32::MAX as usize), None);
        assert_eq!(u32::from_index(1 << 32), None);
        assert_eq!(u64::from_index(1 << 32), Some(1 << 32));
    }
}
