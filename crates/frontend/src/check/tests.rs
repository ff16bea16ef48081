//! Statements that only Boolean programs have, built by hand: threads that start at a label and
//! end, and atomic sections without structure. (Everything else is tested from `.weave` text in
//! the `tests` folder.)

use expect_test::{Expect, expect};
use selvedge_program::{Program, Span, StmtKind as Typed};

use super::{CheckOptions, check};
use crate::Diagnostic;
use crate::syntax::{Effect, EffectKind, File, Item, Name, ProcDecl, Stmt, StmtKind};

/// A name; its place is made up from its first letter, so that places differ.
fn name(text: &str) -> Name {
    let start = usize::from(text.as_bytes()[0]);
    Name { text: text.to_owned(), span: Span::new(start, start + text.len()) }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { labels: Vec::new(), kind, span: Span::new(1, 2) }
}

fn labelled(label: &str, kind: StmtKind) -> Stmt {
    Stmt { labels: vec![name(label)], ..stmt(kind) }
}

fn call(proc: &str) -> Stmt {
    let effect = Effect { kind: EffectKind::Call(name(proc), Vec::new()), span: Span::new(3, 4) };
    stmt(StmtKind::Effect { targets: Vec::new(), effect })
}

fn checked(procs: Vec<(&str, Vec<Stmt>)>) -> (Option<Program>, Vec<Diagnostic>) {
    let proc = |(text, body)| {
        let (params, results, span) = (Vec::new(), Vec::new(), Span::default());
        Item::Proc(ProcDecl { name: name(text), params, results, body, span, end: span })
    };
    let file = File { items: procs.into_iter().map(proc).collect(), ..Default::default() };
    check(&file, &CheckOptions::default())
}

fn mistakes(procs: Vec<(&str, Vec<Stmt>)>, expected: Expect) {
    let (program, problems) = checked(procs);
    assert_eq!(program.is_none(), !problems.is_empty());
    let say = |p: &Diagnostic| format!("{}\n  {}\n", p.message, p.hint.as_deref().unwrap_or("-"));
    expected.assert_eq(&problems.iter().map(say).collect::<String>());
}

#[test]
fn threads_end_where_nobody_waits() {
    let ends = || vec![labelled("l", StmtKind::StartThread(name("l"))), stmt(StmtKind::EndThread)];
    let (program, problems) = checked(vec![("main", ends())]);
    assert_eq!(problems, []);
    let body = &program.unwrap().procs[0].body;
    assert!(matches!(body[0].kind, Typed::StartThread(label) if body[0].labels == [label]));
    mistakes(
        vec![("f", ends()), ("main", vec![call("f")])],
        expect![[r#"
            a thread cannot end in `f`, which is called
              `return` goes back to the caller
        "#]],
    );
}

#[test]
fn threads_start_outside_of_atomic_blocks() {
    let start = || stmt(StmtKind::StartThread(name("l")));
    let atomic = stmt(StmtKind::Atomic(vec![labelled("l", StmtKind::Skip), start()]));
    mistakes(
        vec![("main", vec![atomic])],
        expect![[r#"
            `l` is inside of an atomic block, which cannot be entered by a jump
              an atomic block is executed as a whole: jump to a label before it
        "#]],
    );
}

#[test]
fn atomic_sections_begin_and_end() {
    let (begin, end) = (|| stmt(StmtKind::AtomicBegin), || stmt(StmtKind::AtomicEnd));
    assert_eq!(checked(vec![("main", vec![begin(), end()])]).1, []);
    mistakes(
        vec![("f", vec![end()]), ("main", vec![begin()])],
        expect![[r#"
            `atomic_end` without any `atomic_begin` in the procedure
              an atomic section begins and ends in the same procedure
            `atomic_begin` without any `atomic_end` in the procedure
              an atomic section begins and ends in the same procedure
        "#]],
    );
}
