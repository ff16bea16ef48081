//! # Symbols of the one pushdown system
//! They are what Fig. 4 of Lal and Reps makes them.

use selvedge_model::SymbolId;

/// A stack symbol of the one pushdown system. Threads do not share symbols, even where they share
/// a template: the stacks of all of them lie on each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Frame {
    /// The start of a thread, eᵢ: it unfolds into the stack that the thread has in the initial
    /// state of the run.
    Start(u32),
    /// The lowest symbols of the stack that a thread has in an initial state, with the bottom,
    /// still to be unfolded.
    Rest { thread: u32, initial: u32, height: u32 },
    /// A symbol on the bottom, still to be unfolded: what a thread pushes two symbols on, if its
    /// stack is empty.
    Over(u32, SymbolId),
    /// A symbol of a thread.
    Symbol(u32, SymbolId),
    /// What a thread with an empty stack has: threads never empty their stacks.
    Bottom(u32),
    /// All threads are done: e_{n+1}.
    Done,
}

impl Frame {
    /// The thread that it belongs to; after all of them, the end.
    pub fn thread(self) -> u32 {
        match self {
            Frame::Start(thread)
            | Frame::Rest { thread, .. }
            | Frame::Over(thread, _)
            | Frame::Symbol(thread, _)
            | Frame::Bottom(thread) => thread,
            Frame::Done => u32::MAX,
        }
    }

    /// Whether the thread may be interrupted there: not before its stack is unfolded.
    pub fn can_switch(self) -> bool {
        matches!(self, Frame::Symbol(..) | Frame::Bottom(_))
    }

    /// Where the first thread starts; the end if there are none.
    pub fn first(threads: usize) -> Self {
        if threads == 0 { Frame::Done } else { Frame::Start(0) }
    }

    /// Where the next thread starts; the end after the last one.
    pub fn start_after(thread: u32, threads: usize) -> Self {
        if thread as usize + 1 < threads { Frame::Start(thread + 1) } else { Frame::Done }
    }
}
