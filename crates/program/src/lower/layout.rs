//! Which slots the variables of a program take.

use crate::{ProcId, Program, Type, Value, VarRef, Variable};

/// The first slot of every variable, and how many slots there are.
pub(super) struct Layout {
    globals: Vec<usize>,
    locals: Vec<Vec<usize>>,
    /// What a new frame of each procedure holds before its arguments are set.
    fresh: Vec<Vec<Value>>,
}

impl Layout {
    pub fn new(program: &Program) -> Self {
        let (globals, _) = offsets(&program.globals);
        let locals = program.procs.iter().map(|p| offsets(&p.locals).0).collect();
        let fresh = program.procs.iter().map(|p| p.locals.iter().flat_map(unset).collect());
        Layout { globals, locals, fresh: fresh.collect() }
    }

    /// The locals of a new frame: any values, and no threads.
    pub fn fresh(&self, proc: ProcId) -> Vec<Value> {
        self.fresh[proc.index()].clone()
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

fn unset(variable: &Variable) -> impl Iterator<Item = Value> + use<> {
    let value = match variable.ty.scalar() {
        Type::ThreadId => Value::Small(0),
        _ => Value::Open,
    };
    std::iter::repeat_n(value, variable.ty.slots())
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
