//! Which slots the variables of a program take.

use crate::{ProcId, Program, Type, Value, VarRef, Variable};

/// The first slot of every variable, and what the locals of a procedure start with.
pub(super) struct Layout {
    globals: Vec<usize>,
    locals: Vec<Vec<usize>>,
    fresh: Vec<Vec<Value>>,
}

impl Layout {
    pub fn new(program: &Program) -> Self {
        let locals = program.procs.iter().map(|p| offsets(&p.locals)).collect();
        let fresh = program.procs.iter().map(|p| p.locals.iter().flat_map(unset).collect());
        Layout { globals: offsets(&program.globals), locals, fresh: fresh.collect() }
    }

    /// The locals of a procedure before anything is set: open, thread ids `none`.
    pub fn fresh_locals(&self, proc: ProcId) -> Vec<Value> {
        self.fresh[proc.index()].clone()
    }

    /// How many slots the locals of a procedure take.
    pub fn local_slots(&self, proc: ProcId) -> usize {
        self.fresh[proc.index()].len()
    }

    /// The slots of a local variable, by its position.
    pub fn local_range(&self, proc: ProcId, local: usize) -> std::ops::Range<usize> {
        let firsts = &self.locals[proc.index()];
        let end = firsts.get(local + 1).copied().unwrap_or(self.fresh[proc.index()].len());
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

fn offsets(variables: &[Variable]) -> Vec<usize> {
    let mut next = 0;
    let firsts = variables.iter().map(|variable| {
        let first = next;
        next += variable.ty.slots();
        first
    });
    firsts.collect()
}

fn unset(variable: &Variable) -> Vec<Value> {
    let value = match variable.ty.scalar() {
        Type::ThreadId => Value::Small(0),
        _ => Value::Open,
    };
    vec![value; variable.ty.slots()]
}
