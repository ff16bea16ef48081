//! Which slots the variables of a program take.

use crate::{ProcId, Program, Type, Value, VarRef, Variable};

/// The first slot of every variable, and what the locals of a procedure start with.
pub(super) struct Layout {
    globals: Vec<usize>,
    locals: Vec<Vec<usize>>,
    fresh: Vec<Vec<Value>>,
    /// The slots of each procedure that hold thread ids.
    threads: Vec<Vec<usize>>,
    /// The shared slots that hold thread ids.
    shared_threads: Vec<usize>,
    /// The shared slots that are locks.
    locks: Vec<usize>,
}

impl Layout {
    pub fn new(program: &Program) -> Self {
        let locals = program.procs.iter().map(|p| offsets(&p.locals)).collect();
        let fresh = program.procs.iter().map(|p| p.locals.iter().flat_map(unset).collect());
        Layout {
            globals: offsets(&program.globals),
            locals,
            fresh: fresh.collect(),
            threads: program.procs.iter().map(|p| slots_of(&p.locals, &Type::ThreadId)).collect(),
            shared_threads: slots_of(&program.globals, &Type::ThreadId),
            locks: slots_of(&program.globals, &Type::Lock),
        }
    }

    /// The slots of a procedure that hold thread ids.
    pub fn thread_slots(&self, proc: ProcId) -> &[usize] {
        &self.threads[proc.index()]
    }

    /// The shared slots that hold thread ids.
    pub fn shared_thread_slots(&self) -> &[usize] {
        &self.shared_threads
    }

    /// The shared slots that are locks.
    pub fn lock_slots(&self) -> &[usize] {
        &self.locks
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

/// The slots of a scalar type.
fn slots_of(variables: &[Variable], ty: &Type) -> Vec<usize> {
    let types = variables.iter().flat_map(|v| std::iter::repeat_n(v.ty.scalar(), v.ty.slots()));
    types.enumerate().filter(|(_, scalar)| *scalar == ty).map(|(slot, _)| slot).collect()
}

fn unset(variable: &Variable) -> Vec<Value> {
    let value = match variable.ty.scalar() {
        Type::ThreadId => Value::Small(0),
        _ => Value::Open,
    };
    vec![value; variable.ty.slots()]
}
