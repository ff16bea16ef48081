//! Functions by number: a node, and whether its function is negated.

use std::ops::Not;

/// A variable, which is its level: a smaller one is nearer to the root.
pub type Var = u32;

/// The largest variable; the numbers after it have another meaning. Far smaller ones are wise.
pub(crate) const LAST_VAR: Var = Var::MAX - 2;

/// The variable, which must not be larger than the last one.
pub(crate) fn checked(var: Var) -> Var {
    assert!(var <= LAST_VAR, "variables should be numbered from 0");
    var
}

/// A function of one [`Manager`](crate::Manager): equal handles are equal functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bdd(pub(crate) u32);

impl Bdd {
    /// The function that is always false.
    pub const FALSE: Bdd = Bdd(0);
    /// The function that is always true.
    pub const TRUE: Bdd = Bdd(1);

    /// Whether this is one of the two constants.
    #[must_use]
    #[inline]
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The constant of a value.
    #[must_use]
    #[inline]
    pub fn constant(value: bool) -> Bdd {
        Bdd(u32::from(value))
    }

    /// The number of the node.
    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// 1 if the function is the negation of its node's, else 0.
    #[inline]
    pub(crate) fn mark(self) -> u32 {
        self.0 & 1
    }

    /// Negated if the mark is 1.
    #[inline]
    pub(crate) fn flip(self, mark: u32) -> Bdd {
        Bdd(self.0 ^ mark)
    }
}

/// Negation needs no manager.
impl Not for Bdd {
    type Output = Bdd;

    #[inline]
    fn not(self) -> Bdd {
        Bdd(self.0 ^ 1)
    }
}
