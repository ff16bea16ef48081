//! Tables as programs.

use std::fmt::Write;

use expect_test::{Expect, expect};
use selvedge_program::{
    BinaryOp, Block, Expr, ExprKind, Place, Procedure, Program, StmtKind, Type, VarRef,
};

use super::super::{Format, to_program};
use super::read_with;

fn check(text: &str, target: Option<&str>, expect: Expect) {
    let input = read_with(Format::Cpds, text, None, target).expect("well formed");
    expect.assert_eq(&match to_program(&input.tables, &input.targets) {
        Ok(program) => show(&program),
        Err(error) => error.to_string(),
    });
}

/// The part of the language that the programs use.
fn show(program: &Program) -> String {
    let mut out = String::new();
    for variable in &program.globals {
        let first = program.datum(&variable.ty, &variable.init[0]);
        let _ = writeln!(out, "{} {} := {first}", show_type(program, &variable.ty), variable.name);
    }
    for proc in &program.procs {
        let params = proc.locals.iter().map(|v| show_type(program, &v.ty) + " " + &v.name);
        let _ = writeln!(out, "{}({})", proc.name, params.collect::<String>());
        show_block(program, proc, &proc.body, 1, &mut out);
    }
    for thread in &program.threads {
        let args: String = thread.args.iter().map(|e| show_expr(program, e)).collect();
        let entry = &program.procs[thread.proc.index()].name;
        let _ = writeln!(out, "thread {} {:?} = {entry}({args})", thread.name, thread.count);
    }
    out
}

fn show_type(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Range { lo, hi } => format!("int[{lo}..{hi}]"),
        Type::Enum(id) => {
            let decl = &program.enums[id.index()];
            format!("{} {{{}}}", decl.name, decl.enumerators.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn show_block(program: &Program, proc: &Procedure, block: &Block, depth: usize, out: &mut String) {
    for stmt in block {
        let labels: String =
            stmt.labels.iter().map(|l| proc.labels[l.index()].clone() + ": ").collect();
        let _ = write!(out, "{:1$}{labels}", "", 2 * depth);
        let list = |exprs: &[Expr]| {
            exprs.iter().map(|e| show_expr(program, e)).collect::<Vec<_>>().join(", ")
        };
        let name = |id: selvedge_program::ProcId| program.procs[id.index()].name.clone();
        let line = match &stmt.kind {
            StmtKind::Assume(e) => format!("assume {}", show_expr(program, e)),
            StmtKind::Assert(e) => format!("assert {}", show_expr(program, e)),
            StmtKind::Assign { targets, values, .. } => {
                let places: Vec<_> = targets.iter().map(show_place).collect();
                format!("{} := {}", places.join(", "), list(values))
            }
            StmtKind::Goto(labels) => format!("goto {}", proc.labels[labels[0].index()]),
            StmtKind::Call { proc, args, .. } => format!("{}({})", name(*proc), list(args)),
            StmtKind::Async { proc, args, .. } => format!("async {}({})", name(*proc), list(args)),
            StmtKind::Return(_) => "return".to_owned(),
            StmtKind::Atomic(block) => {
                *out += "atomic\n";
                show_block(program, proc, block, depth + 1, out);
                continue;
            }
            StmtKind::Choose(blocks) => {
                *out += "either\n";
                for (index, block) in blocks.iter().enumerate() {
                    if index > 0 {
                        let _ = writeln!(out, "{:1$}or", "", 2 * depth);
                    }
                    show_block(program, proc, block, depth + 1, out);
                }
                continue;
            }
            other => format!("{other:?}"),
        };
        *out += &line;
        *out += "\n";
    }
}

fn show_place(place: &Place) -> String {
    if matches!(place.var, VarRef::Global(_)) { "state" } else { "top" }.to_owned()
}

fn show_expr(program: &Program, expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Const(value) => program.datum(&expr.ty, value).to_string(),
        ExprKind::Read(place) => show_place(place),
        ExprKind::Binary(op, a, b) => {
            let op = if *op == BinaryOp::And { "&&" } else { "==" };
            format!("{} {op} {}", show_expr(program, a), show_expr(program, b))
        }
        ExprKind::OneOf(all) => {
            let all: Vec<_> = all.iter().map(|e| show_expr(program, e)).collect();
            format!("{{{}}}", all.join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn numbers() {
    let text = "shared 0..3\ninit 0\nthread T * 2 starts 4 {\n 0 4 -> 0 -\n 1 4 -> 2 5\n\
                2 5 -> 3 4 6\n}\nthread U starts 1 2 { }\n";
    check(
        text,
        Some("somewhere 3|6"),
        expect![[r#"
        int[0..3] state := 0
        run_T(int[4..6] top)
          loop: atomic
            either
              assume state == 3 && top == 6
              assert false
            or
              assume state == 0 && top == 4
              state := 0
              goto after_2
            or
              assume state == 1 && top == 4
              state, top := 2, 5
            or
              assume state == 2 && top == 5
              state, top := 3, 6
              goto after_1
          goto loop
          after_1: run_T(4)
          goto loop
          after_2: return
        run_U(int[1..2] top)
          loop: atomic
            assume false
          goto loop
        start_U()
          run_U(1)
          run_U(2)
        thread T Fixed(2) = run_T(4)
        thread U Fixed(1) = start_U()
    "#]],
    );
}

#[test]
fn names_and_choices() {
    let text = "shared idle busy\ninit idle busy\nthread W starts top | b c {\n\
                idle top -> busy b + c\n busy b -> idle - + c\n}\n";
    check(text, Some("busy|c"), expect!["a target is about one of several threads that are alike"]);
    check(
        text,
        None,
        expect![[r#"
        State {idle, busy, start} state := start
        run_W(W_symbol {b, c, top_2} top)
          loop: atomic
            either
              assume state == idle && top == top_2
              state, top := busy, b
              goto after_1
            or
              assume state == busy && top == b
              state := idle
              goto after_2
          goto loop
          after_1: async run_W(c)
          goto loop
          after_2: async run_W(c)
          return
        start_W()
          state := {idle, busy}
          either
            run_W(b)
            run_W(c)
          or
            run_W(top_2)
        thread W Fixed(1) = start_W()
    "#]],
    );
}

#[test]
fn not_expressible() {
    let text = "shared 0\ninit 0\nthread T starts - {\n 0 - -> 0 1\n}\nthread U starts 1 { }\n";
    check(text, None, expect!["a rule acts on the empty stack, where a program has ended"]);
    check(
        text,
        Some("0|1,1"),
        expect![
            "a target is about several threads at once, and no thread of a program sees where \
             another one is"
        ],
    );
    check(
        text,
        Some("0|*,-"),
        expect!["a target is about the empty stack, where a program has ended"],
    );
}

#[test]
fn targets_about_the_shared_state() {
    let text = "shared 0 1\ninit 0\nthread T starts 1 {\n 0 1 -> 1 -\n}\n";
    check(
        text,
        Some("1|*"),
        expect![[r#"
        int[0..1] state := 0
        run_T(int[1..1] top)
          loop: atomic
            either
              assume state == 0 && top == 1
              assert false
          goto loop
          after_1: return
        thread T Fixed(1) = run_T(1)
    "#]],
    );
    check(
        text,
        Some("0|*"),
        expect![[r#"
        int[0..1] state := 0
        run_T(int[1..1] top)
          loop: atomic
            either
              assume state == 0
              assert false
            or
              assume state == 0 && top == 1
              state := 1
              goto after_1
          goto loop
          after_1: return
        thread T Fixed(1) = run_T(1)
    "#]],
    );
}
