//! # Hashes that are always the same
//! A hash here depends on what is hashed and on nothing else: neither on the run nor on the process
//! nor on the width of a pointer. All of it is one operation: multiply two 64-bit numbers
//! and add the halves of the product without carry.

use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Odd numbers whose bits look random: the digits of π.
const PI: [u64; 3] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1];

/// For maps and sets of the standard library.
pub type BuildStable = BuildHasherDefault<Stable>;

/// A hasher without a seed.
#[derive(Clone, Debug)]
pub struct Stable(u64);

impl Default for Stable {
    #[inline]
    fn default() -> Self {
        Stable(PI[0])
    }
}

impl Hasher for Stable {
    #[inline]
    fn finish(&self) -> u64 {
        fold(self.0, PI[2])
    }

    fn write(&mut self, bytes: &[u8]) {
        let (whole, rest) = bytes.as_chunks::<8>();
        whole.iter().for_each(|&number| self.write_u64(u64::from_le_bytes(number)));
        if !rest.is_empty() {
            let mut number = [0; 8];
            number[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(number));
        }
        self.write_u64(bytes.len() as u64);
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = fold(self.0 ^ number, PI[1]);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// The hash of a thing.
#[must_use]
#[inline]
pub fn of<T: Hash + ?Sized>(thing: &T) -> u64 {
    let mut hasher = Stable::default();
    thing.hash(&mut hasher);
    hasher.finish()
}

/// The hash of a list of numbers.
#[must_use]
#[inline]
pub fn of_word(word: &[u32]) -> u64 {
    let pair = |pair: &[u32]| match *pair {
        [first, second] => u64::from(first) << 32 | u64::from(second),
        _ => pair.first().map_or(0, |&last| u64::from(last)),
    };
    let start = PI[0] ^ word.len() as u64;
    fold(word.chunks(2).fold(start, |hash, numbers| fold(hash ^ pair(numbers), PI[1])), PI[2])
}

/// The hash of a row of up to 128 bits.
#[must_use]
#[inline]
pub fn of_row(row: u128) -> u64 {
    fold(fold(row as u64 ^ PI[0], PI[1]) ^ (row >> 64) as u64, PI[2])
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
