//! Sets of small numbers, as bits.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Set(Box<[u64]>);

impl Set {
    /// The set of these numbers, which are below `size`.
    pub fn new(size: usize, members: &[u32]) -> Self {
        let mut words = vec![0; size.div_ceil(64)];
        for &member in members {
            words[member as usize / 64] |= 1 << (member % 64);
        }
        Set(words.into())
    }

    pub fn contains(&self, member: u32) -> bool {
        self.0.get(member as usize / 64).is_some_and(|word| word >> (member % 64) & 1 == 1)
    }

    /// The intersection of both sets.
    pub fn and(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub fn is_subset(&self, of: &Set) -> bool {
        self.0.iter().zip(&of.0).all(|(a, b)| a & !b == 0)
    }

    pub fn members(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.0).flat_map(|(at, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        })
    }
}
