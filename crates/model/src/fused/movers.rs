//! # What locks protect
//!
//! **Question.** A variable that is touched only by whoever holds a lock is shared, and yet nobody else sees it in the meantime. Where
//! does a thread stand whose next step nobody can see before its lock is free again?
//!
//! **Idea.** [Lipton 1975; Flanagan and Qadeer 2003] A step inside of a lock that touches nothing but the frame and what the lock protects can be
//! exchanged with every step of others, in both directions; giving a lock back can be done *earlier*, taking it *later*. So what follows a step
//! as long as it is inside or gives a lock back is part of that step; and a step that takes a lock is part of the one step after it
//! that others may see, if that one cannot be prevented.
//!
//! **Needs.** That what is said here is so: whoever stands at a place of [`Guard::held`] holds the lock, and what is protected is touched
//! nowhere else.

use std::collections::BTreeSet;

use crate::PlaceId;

/// A lock, where it is held, and what it protects. Slots are numbered as the code numbers those that all threads see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// A place at which it is taken: it is called as it is called there. An element of an array of locks by
    /// variables of the procedure is a lock within that procedure.
    pub lock: PlaceId,
    /// Places at which a thread holds it.
    pub held: BTreeSet<PlaceId>,
    /// Slots that are touched only there. For an element of an array of locks: the first slots of arrays of which the element with the same
    /// index is touched only there.
    pub protects: BTreeSet<u32>,
}

/// Places from which a step can be exchanged with steps of others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Movers {
    /// The locks that make steps exchangeable.
    pub guards: Vec<Guard>,
    /// A step touches the frame, and what a lock protects that is held.
    pub inside: BTreeSet<PlaceId>,
    /// A step gives a lock back, or is like one inside.
    pub releases: BTreeSet<PlaceId>,
    /// A step takes a lock.
    pub takes: BTreeSet<PlaceId>,
    /// A step may be seen by others, but can always be taken.
    pub commits: BTreeSet<PlaceId>,
}

impl Movers {
    /// Whether nothing rides along.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inside.is_empty() && self.releases.is_empty() && self.commits.is_empty()
    }
}
