//! Which threads of the states that are new at a bound have moved already.

use rustc_hash::FxHashSet;

/// Threads that have moved, by the number of the state among the new ones and the position of the
/// thread.
pub(super) struct Moved {
    /// As many bytes for each state as the positions so far need.
    bits: Vec<u8>,
    width: usize,
    /// Positions that have no bit.
    beyond: FxHashSet<(u32, u32)>,
}

/// The most bytes that a state has.
const WIDEST: usize = 8;

impl Default for Moved {
    fn default() -> Self {
        Moved { bits: Vec::new(), width: 1, beyond: FxHashSet::default() }
    }
}

impl Moved {
    /// Whether a thread has moved.
    pub fn has(&self, state: u32, position: u32) -> bool {
        let (byte, bit) = (position as usize / 8, 1 << (position % 8));
        match byte {
            WIDEST.. => self.beyond.contains(&(state, position)),
            _ if byte >= self.width => false,
            _ => self
                .bits
                .get(state as usize * self.width + byte)
                .is_some_and(|noted| noted & bit != 0),
        }
    }

    /// Notes that a thread moves; whether that is new.
    pub fn set(&mut self, state: u32, position: u32) -> bool {
        let (byte, bit) = (position as usize / 8, 1 << (position % 8));
        if byte >= WIDEST {
            return self.beyond.insert((state, position));
        }
        if byte >= self.width {
            self.widen(byte + 1);
        }
        let at = state as usize * self.width + byte;
        if self.bits.len() <= at {
            self.bits.resize((state as usize + 1) * self.width, 0);
        }
        let moved = &mut self.bits[at];
        let new = *moved & bit == 0;
        *moved |= bit;
        new
    }

    /// Reads what is noted of a state, so that it is near at hand.
    #[inline]
    pub fn touch(&self, state: u32) -> u8 {
        self.bits.get(state as usize * self.width).copied().unwrap_or(0)
    }

    fn widen(&mut self, width: usize) {
        let mut bits = Vec::with_capacity(self.bits.len() / self.width * width);
        for state in self.bits.chunks_exact(self.width) {
            bits.extend_from_slice(state);
            bits.resize(bits.len() + width - self.width, 0);
        }
        (self.bits, self.width) = (bits, width);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Moved;

    #[test]
    fn threads_move_once() {
        let mut rng = fastrand::Rng::with_seed(4);
        for most in [3, 9, 30, 64, 100] {
            let mut moved = Moved::default();
            let mut seen = HashSet::new();
            for _ in 0..2000 {
                let thread = (rng.u32(0..60), rng.u32(0..most));
                assert_eq!(moved.has(thread.0, thread.1), seen.contains(&thread));
                assert_eq!(moved.set(thread.0, thread.1), seen.insert(thread));
            }
        }
    }
}
