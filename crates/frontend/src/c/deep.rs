//! # A stack for deep texts
//!
//! **Question.** Parser, checker and whatever goes through a tree call themselves as deep as a text is nested. Is there room for that, whoever asks?
//!
//! **Idea.** How deep texts may be nested is limited, so a stack of a fixed size is enough. All of them run on a stack of that size, and nobody who calls has to
//! know: a thread of a test or of an editor has a stack of 2 MiB, which is too small for a program that is not optimized.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::thread;

/// Room for the deepest text in a program that is not optimized, several times over. Memory that nobody touches is not used.
const STACK: usize = 64 << 20;

thread_local! {
    /// Whether this thread has such a stack.
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Does some work on a stack that is large enough for the deepest text in C. Reading a text does so by itself; whoever reads many may do that here, on one such stack.
pub fn on_a_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if IS_DEEP.get() {
        return work();
    }
    let mut work = Some(work);
    let mut done = None;
    let mut run = || done = work.take().map(|work| work());
    let is_started = thread::scope(|scope| {
        let deep = || {
            IS_DEEP.set(true);
            run();
        };
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, deep);
        worker.map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).is_ok()
    });
    if !is_started {
        // Few texts are deep: where the system has no thread left, the stack of the caller has to do.
        run();
    }
    done.expect("the work is done here or there")
}
