//! # Bits for numbers
//!
//! **Question.** A Boolean program has no numbers, enumerations and arrays. What is the Boolean
//! program that does the same?
//!
//! **Idea.** A variable with finitely many values is a group of Booleans: `x` of type `int[lo..hi]`
//! becomes `x_b0`, `x_b1`, …, the bits of x − lo, the least one first; an array becomes a group for
//! each element, `a_0_b0`. What an expression can be is enumerated: for each value, the condition under which
//! it has this value. A bit of the result is true under the conditions of the values that have it.
//! Codes that no value has mean the greatest value, so every code means something, and a free choice
//! is a free choice of the bits.
//!
//! Whatever may go wrong is an assertion first (see [`crate::explicit`]); after it, nothing has to
//! be said about values outside of a range.
//!
//! **Claim.** The result goes wrong exactly if the program does, in as many contexts.
//!
//! **Otherwise.** [`NotBoolean`], with the place: unbounded integers, thread ids, statements with
//! too many cases, results of calls that cannot be received bit by bit.

mod body;
mod cases;
mod layout;

use crate::explicit::{self, NotExplicit};
use crate::print::NotBoolean;
use crate::{
    Count, Expr, ExprKind, Procedure, Program, StmtKind, ThreadDecl, Type, Value, lower, visit,
    walk,
};
use body::Body;
use layout::Layout;

/// The program with Booleans in the place of numbers, enumerations and arrays. A program that is
/// Boolean already stays as it is. Predicates are left out.
pub fn to_booleans(program: &Program) -> Result<Program, NotBoolean> {
    let counted = fixed_threads(program).and_then(|n| lower::narrow::counters_up_to(program, n));
    encode(counted.as_ref().unwrap_or(program), true)
}

/// The same; `checks` says whether statements may still go wrong in their midst, so that assertions
/// are needed.
pub(crate) fn encode(program: &Program, checks: bool) -> Result<Program, NotBoolean> {
    if is_boolean(program) {
        return Ok(program.clone());
    }
    let options = explicit::Options {
        check: |span| span,
        silent: |span| span,
        alone: has_one_thread(program),
        choices_first: true,
        checks,
    };
    let explicit = explicit::explicit(program, options)
        .map_err(|NotExplicit { message, span }| NotBoolean { what: message, span })?;
    let layout = Layout::new(&explicit)?;
    let mut procs = Vec::with_capacity(explicit.procs.len());
    for (id, proc) in crate::flow::procs(&explicit) {
        let body = Body::encode(&explicit, &layout, id)?;
        let bits = proc.results.iter().map(|ty| layout::bits(&explicit, ty, proc.span));
        let bits: usize = bits.collect::<Result<Vec<_>, _>>()?.iter().sum();
        procs.push(Procedure {
            params: layout.params(id),
            locals: body.locals,
            results: vec![Type::Bool; bits],
            body: body.block,
            ..proc.clone()
        });
    }
    let mut threads = Vec::new();
    for thread in &explicit.threads {
        encode_thread(&explicit, &layout, thread, &mut threads)?;
    }
    let globals = layout.globals();
    Ok(Program { globals, procs, threads, ..Program::default() })
}

fn is_boolean(program: &Program) -> bool {
    let locals = program.procs.iter().flat_map(|p| &p.locals);
    let mut variables = program.globals.iter().chain(locals);
    let results = program.procs.iter().flat_map(|p| &p.results);
    variables.all(|v| matches!(v.ty, Type::Bool | Type::Lock))
        && results.into_iter().all(|ty| *ty == Type::Bool)
        && !program.threads.iter().flat_map(|t| &t.args).any(mentions_numbers)
        && !program.procs.iter().any(|p| walk::any(&p.body, &|s| has_numbers(&s.kind)))
}

/// Whether a statement computes with numbers: `1 < 2` has no variable.
fn has_numbers(kind: &StmtKind) -> bool {
    visit::StepParts::of(kind).exprs.into_iter().any(mentions_numbers)
}

fn mentions_numbers(e: &Expr) -> bool {
    visit::any_part(e, &|part| part.ty != Type::Bool)
}

fn has_one_thread(program: &Program) -> bool {
    fixed_threads(program) == Some(1)
}

/// The number of threads, if none is started and the text gives the number of each kind.
fn fixed_threads(program: &Program) -> Option<usize> {
    let starts =
        |kind: &StmtKind| matches!(kind, StmtKind::Async { .. } | StmtKind::StartThread(_));
    if program.procs.iter().any(|p| walk::any(&p.body, &|s| starts(&s.kind))) {
        return None;
    }
    let count = |thread: &ThreadDecl| match thread.count {
        Count::Fixed(n) => usize::try_from(n).ok(),
        Count::Any => None,
    };
    program.threads.iter().map(count).sum()
}

/// A thread with bits for arguments; one for each instance if they are different.
fn encode_thread(
    program: &Program,
    layout: &Layout,
    thread: &ThreadDecl,
    out: &mut Vec<ThreadDecl>,
) -> Result<(), NotBoolean> {
    let numbered = |e: &Expr| visit::any_part(e, &|p| matches!(p.kind, ExprKind::Instance));
    let different = thread.args.iter().any(numbered);
    let instances = match thread.count {
        Count::Fixed(n) if different => n,
        _ => 1,
    };
    for instance in 0..instances {
        let params = &program.procs[thread.proc.index()].locals;
        let mut args = Vec::new();
        for (arg, param) in thread.args.iter().zip(params) {
            let mut arg = arg.clone();
            visit::change(&mut arg, &mut |e| {
                if matches!(e.kind, ExprKind::Instance) {
                    e.kind = ExprKind::Const(Value::Small(instance.into()));
                }
            });
            let cases = cases::Cases { program, layout, proc: thread.proc };
            args.extend(cases.encode(&arg, &param.ty)?);
        }
        let (name, count) = if different {
            (format!("{}_{}", thread.name, instance + 1), Count::Fixed(1))
        } else {
            (thread.name.clone(), thread.count)
        };
        out.push(ThreadDecl { name, count, args, ..thread.clone() });
    }
    Ok(())
}
