//! # Memory
//! How many bytes are in use, by the allocator's own count.

use cap::Cap;
use selvedge_pages::LargePages;

#[global_allocator]
static ALLOCATOR: Cap<LargePages> = Cap::new(LargePages, usize::MAX);

/// How many bytes are in use.
pub fn in_use() -> usize {
    ALLOCATOR.allocated()
}
