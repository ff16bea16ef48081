//! Which slots the variables of a program take.

use crate::{ProcId, Program, VarRef, Variable};

/// The first slot of every variable, and how many slots there are.
pub(super) struct Layout {
    globals: Vec<usize>,
    locals: Vec<Vec<usize>>,
    local_slots: Vec<usize>,
}

impl Layout {
    pub fn new(program: &Program) -> Self {
        let (globals, _) = offsets(&program.globals);
        let (locals, local_slots) = program.procs.iter().map(|p| offsets(&p.locals)).unzip();
        Layout { globals, locals, local_slots }
    }

    pub fn local_slots(&self, proc: ProcId) -> usize {
        self.local_slots[proc.index()]
    }

    /// The slots of a local variable, by its position.
    pub fn local_range(&self, proc: ProcId, local: usize) -> std::ops::Range<usize> {
        let firsts = &self.locals[proc.index()];
        let end = firsts.get(local + 1).copied().unwrap_or(self.local_slots(proc));
        firsts[local]..end
    }

    /// The first slot of a variable, among the shared ones or those of a frame of `proc`.
    pub fn first_slot(&self, proc: ProcId, var: VarRef) -> usize {
        match var {
            VarRef::Global(id) => self.globals[id.index()],
            VarRef::Local(id) => self.locals[proc.index()][id.index()],
        }
    }
}

fn offsets(variables: &[Variable]) -> (Vec<usize>, usize) {
    let mut next = 0;
    let firsts = variables.iter().map(|variable| {
        let first = next;
        next += variable.ty.slots();
        first
    });
    (firsts.collect(), next)
}
