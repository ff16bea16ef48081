//! # The machine
//!
//! **Question.** What can a thread do at a head: a state that all threads see, and a frame?
//!
//! **Idea.** Every edge that leaves the location is executed in the concrete domain ([`Words`]), once for each
//! combination of free choices. Where that leads into an atomic section, it is followed to its end and
//! becomes a single move (`atomic.rs`).
//!
//! **Claims.** Nothing is approximated: the moves at a head are exactly what the program can do there.
//! What cannot be enumerated (a choice among all integers) is a [`Fault`], never a missing move. A slot
//! without a value is *open* until it is read; reading it chooses. That reaches the same assertions as
//! choosing at the start, since nothing can depend on a value that was never read.
//!
//! **Results of calls** travel through the shared state, as pushdown systems require. While a result is on
//! its way, only the thread that receives it goes on.

mod at_once;
mod atomic;
mod cases;
mod names;
mod retrace;
mod run;
mod state;
mod threads;
mod words;

pub use at_once::Start;
pub use atomic::{Move, Room, Way};
pub use cases::{Becomes, Case};
pub use names::{DROPPED, Names};
pub use retrace::Deed;
pub use run::{Call, Next, Outcome, Started};
pub use state::{Frame, Shared, Wrong};
pub use words::{Fault, Halt, Words};

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::{Choices, Code, Instruction, Kind, Layout, Loc, Memory, ProcId, Value, evaluate};

/// The choices of a statement are not tried in more combinations than this.
const MOST_COMBINATIONS: usize = 1 << 20;

/// Nor are more values copied for the outcomes of one step: long arrays have fewer combinations.
const MOST_VALUES: usize = 1 << 24;

/// Code with a layout, ready to be executed.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The code that is executed.
    pub code: Code,
    /// The layout of the shared slots.
    pub shared: Layout,
    /// The slots of the frames of each procedure.
    pub frames: Vec<Layout>,
    /// The bits that are kept at each location; the others are never read again.
    masks: Vec<Arc<[u64]>>,
    /// The initial memory of a frame of each procedure.
    fresh: Vec<Memory>,
    /// The slots of each procedure that hold thread ids.
    thread_slots: Vec<Vec<usize>>,
    /// The shared slots that hold thread ids.
    shared_threads: Vec<usize>,
    /// The shared slots that are locks.
    locks: Vec<usize>,
    /// How many threads there are at the beginning, where locks remember their owners.
    pub first_threads: u32,
    /// Which ids of started threads the program looks at, and how.
    pub names: Names,
    /// Whether a thread may be dropped when it is started.
    pub drops_threads: bool,
    /// Whether values are chosen at once, so that nothing that may be read is open.
    pub chooses_at_once: bool,
    /// Tells when an atomic section should not be followed any further.
    pub is_over: Option<IsOver>,
    /// So many configurations inside of one atomic section are followed; with more, it does not seem to end.
    pub most_inside: usize,
}

/// Tells whether to stop: on request, or because time or memory is used up.
#[derive(Clone)]
pub struct IsOver(Arc<dyn Fn() -> bool + Send + Sync>);

impl IsOver {
    /// Wraps a function that tells whether to stop.
    pub fn new(asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        IsOver(Arc::new(asked))
    }
}

impl fmt::Debug for IsOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IsOver")
    }
}

impl Machine {
    /// A machine for code in which these shared slots are locks.
    #[must_use]
    pub fn new(code: Code, locks: Vec<usize>, names: Names) -> Self {
        let shared = Layout::of(&code.shared);
        let frames: Vec<Layout> = code.procs.iter().map(|proc| Layout::of(&proc.frame)).collect();
        let mut known: FxHashSet<Arc<[u64]>> = FxHashSet::default();
        let masks = code.locations.iter().map(|at| {
            // Few of them differ.
            let mask: Arc<[u64]> = frames[at.proc.index()].mask(&at.dead).into();
            known.get(&mask).cloned().unwrap_or_else(|| {
                known.insert(mask.clone());
                mask
            })
        });
        let fresh = code
            .procs
            .iter()
            .zip(&frames)
            .map(|(proc, layout)| layout.memory(proc.frame.iter().map(|slot| &slot.first)));
        let threads = |slots: &[crate::Declared], without: &[usize]| {
            let numbered = slots.iter().enumerate();
            let threads = numbered.filter(|(slot, declared)| {
                declared.kind == Kind::Thread && !without.contains(slot)
            });
            threads.map(|(slot, _)| slot).collect()
        };
        Machine {
            masks: masks.collect(),
            fresh: fresh.collect(),
            thread_slots: code.procs.iter().map(|proc| threads(&proc.frame, &[])).collect(),
            shared_threads: threads(&code.shared, &locks),
            locks,
            first_threads: 0,
            names,
            drops_threads: false,
            chooses_at_once: false,
            is_over: None,
            most_inside: atomic::MOST_CONFIGURATIONS,
            shared,
            frames,
            code,
        }
    }

    /// A frame at a location. Values that are never read from there on are forgotten.
    #[must_use]
    pub fn frame(&self, loc: Loc, mut memory: Memory, owner: u32) -> Frame {
        let layout = &self.frames[self.code.location(loc).proc.index()];
        memory.forget(&self.masks[loc.index()], layout);
        Frame { loc, memory, owner }
    }

    /// The values of the first frame of a thread that runs a procedure, with code that stores one argument
    /// each. If that has no outcome, which argument it is, and why.
    pub fn first_frame(
        &self,
        proc: ProcId,
        args: &[Instruction],
    ) -> Result<Vec<Value>, (usize, Halt)> {
        let before = Shared::new(self.shared.open());
        let nowhere = Frame { loc: Loc(0), memory: Memory::default(), owner: 0 };
        let mut choices = Choices::default();
        let mut run = Words::new(self, &before, &nowhere, &mut choices);
        let make = [Instruction::Frame { proc, for_thread: false }];
        let made = evaluate::execute(&mut run, &make, 0);
        let stored = args.iter().enumerate().try_for_each(|(number, arg)| {
            let stored = evaluate::execute(&mut run, std::slice::from_ref(arg), 0);
            stored.map_err(|halt| (number, halt))
        });
        made.map_err(|halt| (0, halt)).and(stored)?;
        let layout = &self.frames[proc.index()];
        Ok(run.new.map_or_else(Vec::new, |new| new.memory.values(layout).collect()))
    }

    /// The initial memory of a frame of a procedure.
    #[must_use]
    pub fn fresh(&self, proc: ProcId) -> &Memory {
        &self.fresh[proc.index()]
    }

    /// The first values of the shared slots.
    #[must_use]
    pub fn first_memory(&self) -> Memory {
        self.shared.memory(self.code.shared.iter().map(|slot| &slot.first))
    }

    /// The layout of the frames at a location; `None` if there is no such location.
    #[must_use]
    pub fn layout_at(&self, loc: Loc) -> Option<&Layout> {
        let location = self.code.locations.get(loc.index())?;
        self.frames.get(location.proc.index())
    }
}
