//! Which threads of the states that are new at a bound have moved already.

use rustc_hash::FxHashSet;

/// Threads that have moved, by the number of the state among the new ones and the position of the
/// thread.
#[derive(Default)]
pub(super) struct Moved {
    bits: Vec<u64>,
    /// Positions that have no bit.
    beyond: FxHashSet<(u32, u32)>,
}

impl Moved {
    /// Whether a thread has moved.
    pub fn has(&self, state: u32, position: u32) -> bool {
        match 1u64.checked_shl(position) {
            Some(bit) => self.bits.get(state as usize).is_some_and(|bits| bits & bit != 0),
            None => self.beyond.contains(&(state, position)),
        }
    }

    /// Notes that a thread moves; whether that is new.
    pub fn set(&mut self, state: u32, position: u32) -> bool {
        let Some(bit) = 1u64.checked_shl(position) else {
            return self.beyond.insert((state, position));
        };
        if self.bits.len() <= state as usize {
            self.bits.resize(state as usize + 1, 0);
        }
        let bits = &mut self.bits[state as usize];
        let new = *bits & bit == 0;
        *bits |= bit;
        new
    }
}
