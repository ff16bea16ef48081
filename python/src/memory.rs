//! # Memory
//! How many bytes are in use, by the count of the allocator of this module: all that Selvedge has in this process, and
//! nothing of Python.

use std::alloc::System;

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// How many bytes are in use.
pub fn in_use() -> usize {
    ALLOCATOR.allocated()
}
