//! # Large pages
//! **Question.** A set of states is looked into at random. With pages of 4 KiB nearly every look-up also waits for the address of
//! its page. Can it be spared that?
//!
//! **Idea.** Linux gives pages of 2 MiB to who asks for them. So [`LargePages`] is the system's allocator, and says of each large block
//! that it would like such pages. It is a wish, and never a need: where it is not granted, or where there is no such call,
//! nothing changes but the speed.
//!
//! **Needs.** `unsafe`, as every allocator does; all of it is in this file.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, with large pages for large blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct LargePages;

/// Blocks of at least so many bytes have a whole page of 2 MiB in them, wherever they begin.
const LARGE: usize = 4 << 20;

// SAFETY: every call is passed on to the system's allocator as it is, and so is what it returns. The wish changes neither the block nor
// what is in it.
unsafe impl GlobalAlloc for LargePages {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what `alloc` of the system asks for.
        wish(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises what `alloc_zeroed` of the system asks for.
        wish(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises what `realloc` of the system asks for, and the block is the system's.
        wish(unsafe { System.realloc(block, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises what `dealloc` of the system asks for, and the block is the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

/// The block, with large pages wished for if it is large.
#[inline]
fn wish(block: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !block.is_null() {
        wish_for_large_pages(block, size);
    }
    block
}

/// The wish is for all pages that the block touches, and so for the whole of what the system mapped for it: a mapping with wishes for a part
/// is two mappings, and when the block grows, two cannot be moved as one; all would be copied.
#[cfg(target_os = "linux")]
#[cold]
fn wish_for_large_pages(block: *mut u8, size: usize) {
    // SAFETY: it reads a number that never changes.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(0);
    if !page.is_power_of_two() {
        return;
    }
    let before = block.addr() & (page - 1);
    // SAFETY: every page of this range has a part of a block that the allocator gave. `MADV_HUGEPAGE` changes how memory is mapped,
    // not what is in it. A refusal is no error: pages are small then.
    let _ = unsafe {
        libc::madvise(block.wrapping_sub(before).cast(), size + before, libc::MADV_HUGEPAGE)
    };
}

#[cfg(not(target_os = "linux"))]
fn wish_for_large_pages(_block: *mut u8, _size: usize) {}

/// Lets all threads have their small blocks from one place. The allocator of glibc would have a place for each thread, and keep there what the thread has freed: engines that
/// work one after the other, each in its thread, would have the sum of what each of them needs. To be called before there are other threads.
pub fn share_among_threads() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number of the allocator, which it reads when a thread asks for its first block.
    let _ = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Gives the system back what was freed and is kept for later. The allocator of glibc keeps it for each thread by itself, so that engines that
/// work one after the other, each in its thread, would have the sum of what each of them needs.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it touches nothing but what is free, and may be called by any thread at any time.
    let _ = unsafe { libc::malloc_trim(0) };
}

#[cfg(test)]
mod tests {
    use super::{LARGE, LargePages, give_back};

    #[global_allocator]
    static ALLOCATOR: LargePages = LargePages;

    /// Blocks of all sizes around the large ones keep what is in them while they grow and shrink.
    #[test]
    fn blocks_keep_what_is_in_them() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..40 {
            let mut block: Vec<u32> = Vec::new();
            let mut length = 0;
            for _ in 0..6 {
                let next = rng.usize(0..LARGE);
                block.truncate(next);
                if rng.bool() {
                    block.shrink_to_fit();
                }
                block.extend((block.len()..next).map(|number| number as u32));
                length = next;
            }
            assert_eq!(block.len(), length);
            assert!(block.iter().enumerate().all(|(place, &number)| place == number as usize));
        }
    }

    /// How many bytes the process has in memory.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn resident() -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
        pages.unwrap_or(0) * 4096
    }

    /// What another thread has freed is given back, although there are blocks after it that are still in use.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn what_is_free_is_given_back() {
        let work = || {
            let blocks: Vec<Vec<u8>> = (0..20_000).map(|_| vec![1; 2_000]).collect();
            blocks.into_iter().last()
        };
        let last = std::thread::spawn(work).join().ok().flatten();
        let before = resident();
        give_back();
        let after = resident();
        assert!(after + 30_000_000 < before, "{before} {after}");
        assert_eq!(last, Some(vec![1; 2_000]));
    }

    #[test]
    fn blocks_that_should_be_zero_are() {
        for _ in 0..4 {
            let mut block = vec![0_u64; LARGE];
            assert!(block.iter().all(|&number| number == 0));
            block.fill(u64::MAX);
        }
    }
}
