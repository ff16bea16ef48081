//! # What is not Boolean
//! Looks through the declarations before anything is printed, so that the answer names a variable
//! rather than some expression with it.

use super::NotBoolean;
use crate::flow;
use crate::{Cond, Program, Span, StmtKind, Type, walk};

/// The first variable, result or statement that has no place in a Boolean program.
pub(super) fn refuse(program: &Program) -> Result<(), NotBoolean> {
    for variable in &program.globals {
        let what = || format!("the shared variable `{}`", variable.name);
        boolean(program, &variable.ty, variable.span, &what)?;
    }
    for proc in &program.procs {
        for variable in &proc.locals {
            let what = || format!("the variable `{}` of `{}`", variable.name, proc.name);
            boolean(program, &variable.ty, variable.span, &what)?;
        }
        for ty in &proc.results {
            boolean(program, ty, proc.span, &|| format!("a result of `{}`", proc.name))?;
        }
    }
    no_mixed_sections(program)?;
    no_owners(program)
}

/// A variable does not know who holds it as a lock: refuses programs in which that matters (see
/// [`flow::Flow::tracks_owners`]). What has no flow graph has no behaviour that could be lost.
fn no_owners(program: &Program) -> Result<(), NotBoolean> {
    let Ok(flow) = flow::build(program) else { return Ok(()) };
    match flow::doubtful_release(program, &flow) {
        Some(span) => Err(NotBoolean::new(
            span,
            "this release may be executed by a thread that does not hold the lock, which goes \
             wrong; a Boolean variable does not know which thread holds it",
        )),
        None => Ok(()),
    }
}

fn boolean(
    program: &Program,
    ty: &Type,
    span: Span,
    what: &dyn Fn() -> String,
) -> Result<(), NotBoolean> {
    if matches!(ty, Type::Bool | Type::Lock) {
        return Ok(());
    }
    Err(NotBoolean::new(span, format!("{} has type `{}`", what(), type_name(program, ty))))
}

fn type_name(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Int | Type::Range { .. } | Type::Machine { .. } => {
            ty.integer_name().unwrap_or_default()
        }
        Type::Enum(id) => program.enums[id.index()].name.clone(),
        Type::Lock => "lock".to_owned(),
        Type::ThreadId => "tid".to_owned(),
        Type::Array { .. } => {
            let (mut lengths, mut inner) = (String::new(), ty);
            while let Type::Array { element, length } = inner {
                lengths += &format!("[{length}]");
                inner = element;
            }
            type_name(program, inner) + &lengths
        }
    }
}

/// Sections that are printed and sections that are there already would end each other: refuses
/// programs with both. No language has both.
fn no_mixed_sections(program: &Program) -> Result<(), NotBoolean> {
    let (mut own, mut made) = (None, None);
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s| {
            let found = match &s.kind {
                StmtKind::AtomicBegin | StmtKind::AtomicEnd | StmtKind::StartThread(_) => &mut own,
                StmtKind::Atomic(_)
                | StmtKind::Acquire(_)
                | StmtKind::Release(_)
                | StmtKind::Attempt { .. }
                | StmtKind::If { cond: Cond::Attempt { .. }, .. }
                | StmtKind::While { cond: Cond::Attempt { .. }, .. } => &mut made,
                _ => return,
            };
            found.get_or_insert(s.span);
        });
    }
    match (own, made) {
        (Some(_), Some(span)) => {
            let what = "`atomic_begin` or `start_thread` together with atomic blocks or locks";
            Err(NotBoolean::new(span, what))
        }
        _ => Ok(()),
    }
}
