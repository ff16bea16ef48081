//! Which threads of the states that are new at a bound have moved already.

use std::sync::atomic::{AtomicU8, Ordering};

use rustc_hash::FxHashSet;

/// Threads that have moved, by the number of the state among the new ones and the position of the
/// thread.
pub(super) struct Moved {
    /// As many bytes for each state as the positions so far need.
    bits: Vec<AtomicU8>,
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
                .is_some_and(|b| b.load(Ordering::Relaxed) & bit != 0),
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
            self.bits.resize_with((state as usize + 1) * self.width, AtomicU8::default);
        }
        let moved = self.bits[at].get_mut();
        let new = *moved & bit == 0;
        *moved |= bit;
        new
    }

    /// Makes room for so many states with so many threads each, so that workers can note side by side that threads move.
    pub fn make_room(&mut self, states: usize, threads: usize) {
        if threads.div_ceil(8) > self.width {
            self.widen(threads.div_ceil(8).min(WIDEST));
        }
        if self.bits.len() < states * self.width {
            self.bits.resize_with(states * self.width, AtomicU8::default);
        }
    }

    /// Reads what is noted of a state, so that it is near at hand.
    #[inline]
    pub fn touch(&self, state: u32) -> u8 {
        let noted = self.bits.get(state as usize * self.width);
        noted.map_or(0, |bits| bits.load(Ordering::Relaxed))
    }

    /// As [`Moved::set`], where there is room. No other worker is at the same state.
    #[inline]
    pub fn set_within(&self, state: u32, position: u32) -> bool {
        let (byte, bit) = (position as usize / 8, 1 << (position % 8));
        let moved = &self.bits[state as usize * self.width + byte];
        let before = moved.load(Ordering::Relaxed);
        // Memory that is only read is near to all workers at the same time.
        let new = before & bit == 0;
        if new {
            moved.store(before | bit, Ordering::Relaxed);
        }
        new
    }

    fn widen(&mut self, width: usize) {
        let mut bits = Vec::with_capacity(self.bits.len() / self.width * width);
        for state in self.bits.chunks_exact_mut(self.width) {
            bits.extend(state.iter_mut().map(|byte| AtomicU8::new(*byte.get_mut())));
            bits.resize_with(bits.len() + width - self.width, AtomicU8::default);
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
                let set = if most <= 64 && rng.bool() {
                    moved.make_room(60, most as usize);
                    moved.set_within(thread.0, thread.1)
                } else {
                    moved.set(thread.0, thread.1)
                };
                assert_eq!(set, seen.insert(thread));
            }
        }
    }
}
