//! # A program as `.bp` text
//!
//! Boolean programs in the classic style, one statement a line. What is Boolean is printed as it
//! is. What other languages have more is written out:
//!
//! | in the program | in the text |
//! | --- | --- |
//! | a lock | a variable; acquiring is an atomic section that waits until it is 0 and sets it |
//! | `trylock`, `cas` | an atomic section with a test |
//! | `atomic { … }` | `atomic_begin; … atomic_end;`, ended wherever a jump leaves it |
//! | a call inside `atomic` | a call of a copy of the procedure without sections of its own |
//! | `either … or …` | `if * then … else … fi` |
//! | `break`, `continue` | jumps |
//! | threads that exist from the start | a `main` that creates them |
//!
//! Predicates are left out.
//!
//! **Otherwise.** Integers, enumerations, arrays and thread ids have no place in a Boolean program:
//! the answer is [`NotBoolean`], with the first of them. So it is where the text does not show that
//! a lock is released by the thread that holds it: a variable does not know who does.

mod body;
mod expressions;
mod jumps;
mod names;
mod refuse;
#[cfg(test)]
mod tests;

use std::fmt;

use self::body::{Body, Surroundings};
use self::names::Names;
use crate::{Count, ProcId, Program, Span, StmtKind, ThreadDecl, walk};

pub use self::names::BP_KEYWORDS;

/// Why a program cannot be written as a Boolean program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotBoolean {
    /// What is not Boolean, for people.
    pub what: String,
    /// Where it stands.
    pub span: Span,
}

impl NotBoolean {
    fn new(span: Span, what: impl Into<String>) -> Self {
        NotBoolean { what: what.into(), span }
    }
}

impl fmt::Display for NotBoolean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for NotBoolean {}

/// More threads than this are not listed one by one.
const MOST_THREADS: u32 = 1000;

/// The program as a Boolean program, or the first thing that stands against it.
pub fn bp(program: &Program) -> Result<String, NotBoolean> {
    refuse::refuse(program)?;
    let names = Names::new(program, own_main(program));
    let mut text = globals(program, &names);
    if own_main(program).is_none() {
        text += &made_main(program, &names)?;
    }
    for index in 0..program.procs.len() {
        let proc = ProcId(index as u32);
        let mut variants = vec![(names.proc(proc), Surroundings::Open)];
        variants.extend(names.atomic_proc(proc).map(|name| (name, Surroundings::Atomic)));
        for (name, surroundings) in variants {
            text += &procedure(program, &names, proc, name, surroundings)?;
        }
    }
    text.truncate(text.trim_end().len() + 1);
    Ok(text)
}

fn globals(program: &Program, names: &Names) -> String {
    let mut text = String::new();
    for (variable, name) in program.globals.iter().zip(&names.globals) {
        text += &match variable.init.first().and_then(crate::Value::small) {
            Some(value) => format!("decl {name} := {value};\n"),
            None => format!("decl {name};\n"),
        };
    }
    if !text.is_empty() {
        text += "\n";
    }
    text
}

/// The procedure `main`, if running it in one thread is all that the program does at the start.
fn own_main(program: &Program) -> Option<ProcId> {
    match program.threads.as_slice() {
        [ThreadDecl { count: Count::Fixed(1), proc, args, .. }] if args.is_empty() => {
            (program.procs[proc.index()].name == "main").then_some(*proc)
        }
        _ => None,
    }
}

/// A `main` that starts the threads. A thread may always begin late, so starting them one after
/// the other leaves nothing out.
fn made_main(program: &Program, names: &Names) -> Result<String, NotBoolean> {
    let mut text = "void main() begin\n".to_owned();
    for thread in &program.threads {
        let args = thread.args.iter().map(expressions::constant);
        let args = args.collect::<Result<Vec<_>, _>>()?;
        let proc = names.proc(thread.proc);
        let with_name: Vec<&str> =
            std::iter::once(proc).chain(args.iter().map(String::as_str)).collect();
        let create = format!("thread_create({});", with_name.join(", "));
        match thread.count {
            Count::Any => text += &format!("  while * do\n    {create}\n  od;\n"),
            Count::Fixed(1)
                if program.threads.len() == 1 && may_be_called(program, thread.proc) =>
            {
                text += &format!("  {proc}({});\n", args.join(", "));
            }
            Count::Fixed(n) if n > MOST_THREADS => {
                let what = format!("{n} threads `{}` are too many to list", thread.name);
                return Err(NotBoolean::new(thread.span, what));
            }
            Count::Fixed(n) => {
                for _ in 0..n {
                    text += &format!("  {create}\n");
                }
            }
        }
    }
    text += "end\n\n";
    Ok(text)
}

/// Whether a procedure may be called: one that begins or ends threads in its midst may not.
fn may_be_called(program: &Program, proc: ProcId) -> bool {
    let body = &program.procs[proc.index()].body;
    !walk::any(body, &|s| matches!(s.kind, StmtKind::StartThread(_) | StmtKind::EndThread))
}

fn procedure(
    program: &Program,
    names: &Names,
    id: ProcId,
    name: &str,
    surroundings: Surroundings,
) -> Result<String, NotBoolean> {
    let proc = &program.procs[id.index()];
    let body = Body::print(program, names, id, surroundings)?;
    let results = match proc.results.len() {
        0 => "void".to_owned(),
        1 => "bool".to_owned(),
        n => format!("bool<{n}>"),
    };
    let (params, locals) = names.locals[id.index()].split_at(proc.params);
    let mut text = format!("{results} {name}({}) begin\n", params.join(", "));
    let declared: Vec<&str> = locals.iter().chain(&body.temporaries).map(String::as_str).collect();
    for row in declared.chunks(8) {
        text += &format!("  decl {};\n", row.join(", "));
    }
    text += &body.text;
    text += "end\n\n";
    Ok(text)
}
