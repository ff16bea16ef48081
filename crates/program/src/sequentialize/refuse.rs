//! # What cannot be sequentialized
//! Looked for before anything is transformed, so that the answer names a variable or a statement
//! of the program as it was written.

use super::NotSequential;
use super::marks::Mark;
use super::shared::written_globals;
use crate::walk;
use crate::{ExprKind, GlobalId, Program, Span, StmtKind, Type};

/// As many elements as the language lets a variable have, and all variables together.
const MOST_SLOTS: usize = 65_536;
const MOST_ELEMENTS: usize = 4 * MOST_SLOTS;
/// As many dimensions as an array may have.
const MOST_DIMENSIONS: usize = 3;

/// The first obstacle to sequentializing a program for this many rounds.
pub(super) fn refuse(program: &Program, rounds: u32) -> Result<(), NotSequential> {
    threads_that_start_threads(program)?;
    if rounds == 1 {
        return Ok(());
    }
    let written = written_globals(program);
    let mut total = 0;
    let ids = (0..).map(GlobalId);
    for ((global, id), _) in program.globals.iter().zip(ids).zip(written).filter(|(_, w)| *w) {
        let refuse = |why: String| Err(NotSequential::at(global.span, why));
        let name = &global.name;
        if *global.ty.scalar() == Type::Int {
            // Of what threads wait for, a semaphore has a range of its own.
            let (what, range) = match program.waited_for.contains_key(&id) {
                true => ("it", format!("a semaphore has a range, as in `semaphore[0..9] {name}`")),
                false => {
                    ("an unbounded `int`", format!("give it a range, as in `int[0..9] {name}`"))
                }
            };
            return refuse(format!(
                "the value of `{name}` has to be guessed at the beginning of each round but the \
                 first, and {what} has too many values to guess from: {range}, or ask for one round"
            ));
        }
        let slots = global.ty.slots().saturating_mul(rounds as usize);
        total += slots;
        if slots > MOST_SLOTS || total > MOST_ELEMENTS {
            return refuse(format!("`{name}` is too large for {rounds} copies"));
        }
        if dimensions(&global.ty) == MOST_DIMENSIONS {
            return refuse(format!(
                "the copies of `{name}` would be an array of more than {MOST_DIMENSIONS} dimensions"
            ));
        }
    }
    Ok(())
}

fn dimensions(ty: &Type) -> usize {
    match ty {
        Type::Array { element, .. } => 1 + dimensions(element),
        _ => 0,
    }
}

fn threads_that_start_threads(program: &Program) -> Result<(), NotSequential> {
    let mut found: Option<(Span, &str)> = None;
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s| {
            let what = match s.kind {
                StmtKind::Async { .. } => "`async` starts a thread",
                StmtKind::StartThread(_) => "`start_thread` starts a thread",
                StmtKind::Join(_) => "`join` waits for a thread that was started",
                _ => return,
            };
            found.get_or_insert((s.span, what));
        });
    }
    let locals = program.procs.iter().flat_map(|p| &p.locals);
    let tid = program.globals.iter().chain(locals).find(|v| *v.ty.scalar() == Type::ThreadId);
    let found = found.or(tid.map(|v| (v.span, "a `tid` is a thread that was started")));
    match found {
        Some((span, what)) => Err(NotSequential::at(
            span,
            format!(
                "{what}: only programs whose threads are all there from the start can be sequentialized"
            ),
        )),
        None => Ok(()),
    }
}

/// A fair choice in an expression that may go wrong is made before it, whether it is evaluated or not;
/// for a livelock that makes a difference.
pub(super) fn fair_choices_made_early(checked: &Program) -> Result<(), NotSequential> {
    let mut found = None;
    for proc in &checked.procs {
        walk::each(&proc.body, &mut |s| {
            if let (StmtKind::Assign { values, .. }, Mark::Silent(_)) = (&s.kind, Mark::of(s.span))
                && let Some(fair) = values.iter().find(|v| matches!(v.kind, ExprKind::Fair))
            {
                found.get_or_insert(fair.span);
            }
        });
    }
    found.map_or(Ok(()), |span| {
        Err(NotSequential::at(
            span,
            "a `fair *` in a statement that may go wrong: let it go to a local variable first",
        ))
    })
}
