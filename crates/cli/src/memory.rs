//! # Memory
//! How many bytes are in use, by the allocator's own count.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// How many bytes are in use.
pub fn in_use() -> usize {
    ALLOCATOR.allocated()
}
