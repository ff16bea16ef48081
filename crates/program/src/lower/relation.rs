//! The parts of a program that engines ask for beside its actions: relations of edges, and the values in states.

use selvedge_core::machine::{Case, Frame};
use selvedge_model::{Fault, SharedId, SymbolId};

use super::Lowering;
use super::intern::Symbol;
use crate::flow::{EdgeId, Loc};
use crate::{GlobalId, ProcId, Value, compile};

/// The start of a thread: its procedure and first values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ThreadStart {
    /// The procedure that the thread runs.
    pub proc: ProcId,
    /// The first values of the locals, slot by slot.
    pub locals: Box<[Value]>,
    /// The thread as the owner of locks; 0 where locks do not remember their owners.
    pub owner: u32,
}

impl Lowering {
    /// The cases of an edge, for all configurations of a thread.
    pub fn relation(&self, id: EdgeId, owner: u32) -> Result<Vec<Case>, Fault> {
        self.machine.cases(id, owner).map_err(|fault| self.fault(fault))
    }

    /// The slots of a shared variable among those of all.
    #[must_use]
    pub fn global_slots(&self, global: GlobalId) -> std::ops::Range<usize> {
        let first = compile::first_slots(&self.program.globals)[global.index()];
        first..first + self.program.globals[global.index()].ty.slots()
    }

    /// The slots of a local variable that may still be read at a location.
    #[must_use]
    pub fn live_slots(&self, loc: Loc) -> Vec<usize> {
        let live = &self.flow.live[loc.index()].slots;
        live.iter().flat_map(|(_, slots)| slots.clone()).collect()
    }

    /// The first values of the shared variables, slot by slot.
    #[must_use]
    pub fn initial_globals(&self) -> Vec<Value> {
        self.program.globals.iter().flat_map(|g| g.init.iter().cloned()).collect()
    }

    /// The values of the shared variables in a shared state, slot by slot.
    #[must_use]
    pub fn values_of(&self, shared: SharedId) -> Box<[Value]> {
        self.shared_state(shared).memory.values(&self.machine.shared).collect()
    }

    /// The results that are on their way in a shared state.
    #[must_use]
    pub fn results_of(&self, shared: SharedId) -> Box<[Value]> {
        self.shared_state(shared).returned.unwrap_or_default()
    }

    /// The location of a stack symbol and the values of its locals; none at the bottom of a stack.
    #[must_use]
    pub fn frame_of_symbol(&self, symbol: SymbolId) -> Option<(Loc, Box<[Value]>)> {
        match self.symbol(symbol) {
            Symbol::Frame(frame) => Some((frame.loc, self.locals(&frame))),
            Symbol::Bottom { .. } => None,
        }
    }

    /// How many threads there are at the start.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        self.entries.len()
    }

    /// The start of a thread.
    #[must_use]
    pub fn start_of(&self, thread: usize) -> ThreadStart {
        let frame = &self.entries[thread];
        let proc = self.flow.location(frame.loc).proc;
        ThreadStart { proc, locals: self.locals(frame), owner: frame.owner }
    }

    /// The values of the locals of a frame, slot by slot.
    pub(super) fn locals(&self, frame: &Frame) -> Box<[Value]> {
        let proc = self.flow.location(frame.loc).proc;
        frame.memory.values(&self.machine.frames[proc.index()]).collect()
    }
}
