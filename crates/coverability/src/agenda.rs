//! # What is looked at next
//! The last thing comes first: so a stack that grows is soon found to be high. Shared states may have no end either (each thread
//! keeps the id of another one, say), and the further one follows them, the longer they are. What is many steps away waits
//! until nothing else is left.

/// The first horizon, in steps: what is farther away waits. The horizon doubles when nothing nearer is left.
const NEAR: u32 = 1 << 6;

/// Things to look at, with how far away they are.
pub(crate) struct Agenda<T> {
    now: Vec<T>,
    later: Vec<(u32, T)>,
    horizon: u32,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Agenda { now: Vec::new(), later: Vec::new(), horizon: NEAR }
    }
}

impl<T> Agenda<T> {
    /// Adds a thing that is `far` steps away.
    pub fn push(&mut self, far: u32, thing: T) {
        if far <= self.horizon {
            self.now.push(thing);
        } else {
            self.later.push((far, thing));
        }
    }

    /// The next thing that is near enough.
    pub fn pop(&mut self) -> Option<T> {
        self.now.pop()
    }

    /// Doubles the horizon.
    pub fn widen(&mut self) {
        self.horizon = self.horizon.saturating_mul(2);
        let near = |(far, _): &mut (u32, T)| *far <= self.horizon;
        self.now.extend(self.later.extract_if(.., near).map(|(_, thing)| thing));
    }

    /// Whether nothing is left, near or far.
    pub fn is_empty(&self) -> bool {
        self.now.is_empty() && self.later.is_empty()
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.now.clear();
        self.later.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Agenda, NEAR};

    #[test]
    fn everything_comes_and_what_is_far_comes_last() {
        let mut agenda = Agenda::default();
        for far in [5 * NEAR, 0, u32::MAX, NEAR, NEAR + 1] {
            agenda.push(far, far);
        }
        let mut came = Vec::new();
        while !agenda.is_empty() {
            match agenda.pop() {
                Some(far) => came.push(far),
                None => agenda.widen(),
            }
        }
        assert_eq!(came, [NEAR, 0, NEAR + 1, 5 * NEAR, u32::MAX]);
    }
}
