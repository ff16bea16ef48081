//! # The numbers of threads
//!
//! **Question.** `thread node[i] * 3` has a parameter of type `int`, and what follows programs by the
//! bits of their variables needs to know an end. Which values can it have?
//!
//! **Idea.** A procedure that nobody calls or starts is entered by the threads of the beginning
//! only, and their arguments are known. A parameter that no statement writes keeps them. So its
//! type is the range of them.
//!
//! **Claim.** The program is the same but for the types of such parameters: no value that is stored
//! or read in any run lies outside.

use std::sync::Arc;

use num_bigint::BigInt;

use super::{Frame, Lowering};
use crate::visit::{self, StepParts};
use crate::walk;
use crate::{Block, ExprKind, LocalId, ProcId, Program, StmtKind, Type, Value, VarRef};

impl Lowering {
    /// The program in which parameters of threads have ranges; `None` if there is nothing to change.
    pub(super) fn narrowed(&self) -> Option<Program> {
        let mut narrowed: Option<Program> = None;
        for proc in entered_by_threads_only(&self.program) {
            for (param, ty) in self.ranges(proc) {
                let program = narrowed.get_or_insert_with(|| Program::clone(&self.program));
                let procedure = &mut program.procs[proc.index()];
                procedure.locals[param.index()].ty = ty.clone();
                retype(&mut procedure.body, param, &ty);
            }
        }
        narrowed
    }

    /// The parameters of a procedure that no statement writes, with the values that threads give.
    fn ranges(&self, proc: ProcId) -> Vec<(LocalId, Type)> {
        let procedure = &self.program.procs[proc.index()];
        let params = procedure.locals[..procedure.params].iter();
        let integers = (0..).map(LocalId).zip(params).filter(|(_, param)| param.ty == Type::Int);
        let kept = integers.filter(|(param, _)| !is_written(&procedure.body, *param));
        kept.filter_map(|(param, _)| Some((param, self.range(proc, param)?))).collect()
    }

    /// The values of a parameter where threads start. A value that is never read is forgotten by
    /// then; it may be anything.
    fn range(&self, proc: ProcId, param: LocalId) -> Option<Type> {
        let entry = self.flow.entries[proc.index()];
        let zero = || Type::Range { lo: BigInt::ZERO, hi: BigInt::ZERO };
        if !self.flow.live[entry.index()].has(param) {
            return Some(zero());
        }
        let slot = self.layout.local_range(proc, param.index()).start;
        let frames = self.entries.iter().chain(self.any_number.iter().map(|(_, frame)| frame));
        let values = frames.filter(|frame| frame.loc == entry).map(|frame: &Frame| {
            let value = &frame.locals[slot];
            if *value == Value::Open { None } else { value.to_big() }
        });
        let values: Vec<BigInt> = values.collect::<Option<_>>()?;
        let ends = values.iter().min().zip(values.iter().max());
        Some(ends.map_or_else(zero, |(lo, hi)| Type::Range { lo: lo.clone(), hi: hi.clone() }))
    }

    /// Gives parameters of threads their ranges.
    pub(super) fn narrow(&mut self) -> Result<(), super::LowerError> {
        if let Some(program) = self.narrowed() {
            self.flow = super::flow_of(&program)?;
            self.program = Arc::new(program);
        }
        Ok(())
    }
}

/// The procedures of threads that are not called or started by statements.
fn entered_by_threads_only(program: &Program) -> Vec<ProcId> {
    let mut entered = vec![false; program.procs.len()];
    program.threads.iter().for_each(|thread| entered[thread.proc.index()] = true);
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s| {
            if let StmtKind::Call { proc, .. } | StmtKind::Async { proc, .. } = s.kind {
                entered[proc.index()] = false;
            }
        });
    }
    (0..).map(ProcId).zip(entered).filter(|(_, entered)| *entered).map(|(proc, _)| proc).collect()
}

fn is_written(body: &Block, local: LocalId) -> bool {
    walk::any(body, &|s| {
        StepParts::of(&s.kind).written.iter().any(|place| place.var == VarRef::Local(local))
    })
}

/// Gives a variable its type wherever it is read.
fn retype(body: &mut Block, local: LocalId, ty: &Type) {
    for statement in body {
        for e in visit::every_expr_mut(&mut statement.kind) {
            visit::change(e, &mut |part| {
                if let ExprKind::Read(place) | ExprKind::Primed(place) = &mut part.kind
                    && place.var == VarRef::Local(local)
                {
                    place.ty = ty.clone();
                    part.ty = ty.clone();
                }
            });
        }
        for inner in walk::inside_mut(statement) {
            retype(inner, local, ty);
        }
    }
}
