//! # Whose system it is
//! An exploration mostly borrows its system. One that is kept, so that it can go on when its first question is answered, has a share
//! in it.

use std::ops::Deref;
use std::sync::Arc;

use selvedge_model::System;

/// A system that is explored.
#[derive(Clone)]
pub enum SystemRef<'a> {
    /// A borrowed system.
    Lent(&'a dyn System),
    /// One that lives as long as the exploration.
    Shared(Arc<dyn System>),
}

impl<'a> Deref for SystemRef<'a> {
    type Target = dyn System + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            SystemRef::Lent(system) => *system,
            SystemRef::Shared(system) => &**system,
        }
    }
}

impl<'a> From<&'a dyn System> for SystemRef<'a> {
    fn from(system: &'a dyn System) -> Self {
        SystemRef::Lent(system)
    }
}
