//! # Ids of started threads
//!
//! **Idea.** The id of a thread is the number of its slot, counted from 1, and `none` is 0. A
//! slot notes its end, and `join` waits for that. A `join` of `none` looks at an element that there is not, and goes
//! wrong as it does in the original. All threads that were dropped have one number, the last: whoever joins one of them waits for ever, as
//! for a thread that never acts.
//!
//! **Needs.** Where threads may be dropped, that ids are only kept, joined and compared with `none`: nobody can tell then that two of them
//! have one number. That no local variable is read as `none` before it is set, and no procedure returns an id: variables that
//! are not ids have no first value.

use super::replace::Maker;
use crate::flow::{Flow, FlowError};
use crate::make::{self, binary, read};
use crate::{
    BinaryOp, Block, Expr, GlobalId, LocalId, Place, Program, Stmt, StmtKind, Type, VarRef,
    Variable, visit, walk,
};

/// Whether ids of started threads are kept in variables.
pub(super) fn are_kept(program: &Program) -> bool {
    let locals = program.procs.iter().flat_map(|p| &p.locals);
    program.globals.iter().chain(locals).any(is_id) || are_joined(program)
}

/// Whether some thread waits for the end of another.
pub(super) fn are_joined(program: &Program) -> bool {
    let joins = |s: &Stmt| matches!(s.kind, StmtKind::Join(_));
    program.procs.iter().any(|proc| walk::any(&proc.body, &joins))
}

fn is_id(variable: &Variable) -> bool {
    *variable.ty.scalar() == Type::ThreadId
}

/// The first obstacle to numbers in the place of ids.
pub(super) fn refuse(program: &Program, flow: &Flow) -> Result<(), FlowError> {
    for (proc, entry) in program.procs.iter().zip(&flow.entries) {
        if proc.results.iter().any(|ty| *ty.scalar() == Type::ThreadId) {
            let message = format!(
                "`{}` returns the id of a thread; where a fixed set of threads is needed, an id cannot be \
                 returned: leave it in a variable",
                proc.name
            );
            return Err(FlowError { message, span: proc.span });
        }
        let live = &flow.live[entry.index()];
        let mut locals = (0..).map(LocalId).zip(&proc.locals).skip(proc.params);
        if let Some((_, unset)) = locals.find(|(id, local)| is_id(local) && live.has(*id)) {
            let message = format!(
                "`{}` may be read before it is set; where a fixed set of threads is needed, set it first: \
                 `{} := none;`",
                unset.name, unset.name
            );
            return Err(FlowError { message, span: proc.span });
        }
    }
    Ok(())
}

impl Maker {
    /// Lets ids be numbers: of so many slots, whose ends are in an array.
    pub(super) fn number_ids(&mut self, slots: u32, ended: Option<GlobalId>) {
        let number = make::range(0, slots);
        let program = &mut self.program;
        let locals = program.procs.iter_mut().flat_map(|proc| &mut proc.locals);
        for variable in program.globals.iter_mut().chain(locals) {
            change(&mut variable.ty, &number);
        }
        for proc in &mut program.procs {
            statements(&mut proc.body, &number, ended);
        }
    }
}

/// The type with numbers in the place of ids.
fn change(ty: &mut Type, number: &Type) {
    match ty {
        Type::ThreadId => *ty = number.clone(),
        Type::Array { element, .. } => change(element, number),
        _ => {}
    }
}

fn statements(block: &mut Block, number: &Type, ended: Option<GlobalId>) {
    for stmt in block {
        for place in visit::places_mut(&mut stmt.kind) {
            change(&mut place.ty, number);
        }
        for e in visit::every_expr_mut(&mut stmt.kind) {
            visit::change(e, &mut |part| {
                change(&mut part.ty, number);
                if let crate::ExprKind::Read(place) | crate::ExprKind::Primed(place) =
                    &mut part.kind
                {
                    change(&mut place.ty, number);
                }
            });
        }
        if let StmtKind::Join(thread) = &stmt.kind {
            stmt.kind = match ended {
                Some(ended) => StmtKind::Assume(read(element(ended, thread.clone()))),
                // There is no thread to wait for.
                None => StmtKind::Assert(make::truth(false)),
            };
        }
        for inner in walk::inside_mut(stmt) {
            statements(inner, number, ended);
        }
    }
}

/// Whether the thread with an id has ended.
fn element(ended: GlobalId, id: Expr) -> Place {
    let index = binary(BinaryOp::Sub, id, make::number(1));
    Place { indices: vec![index], ..make::variable(VarRef::Global(ended), &Type::Bool) }
}
