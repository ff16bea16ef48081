//! Printed programs: names that must change, and statements of every kind.

use expect_test::{Expect, expect};

use super::weave;
use crate::testing::{Shape, random_program};
use crate::{
    Count, EnumType, Expr, ExprKind, GlobalId, LabelId, LocalId, Place, ProcId, Procedure, Program,
    Span, Stmt, StmtKind, ThreadDecl, Type, Value, VarRef, Variable,
};

#[track_caller]
fn check(program: &Program, want: Expect) {
    want.assert_eq(&weave(program));
}

fn variable(name: &str, ty: Type, init: &[i64]) -> Variable {
    let init = init.iter().map(|&n| Value::Small(n)).collect();
    Variable {
        name: name.to_owned(),
        ty,
        init,
        counts_threads: false,
        looks: None,
        span: Span::default(),
    }
}

fn place(var: VarRef) -> Place {
    Place { var, indices: Vec::new(), ty: Type::Bool, span: Span::default() }
}

fn read(var: VarRef) -> Expr {
    Expr { kind: ExprKind::Read(place(var)), ty: Type::Bool, span: Span::default() }
}

fn stmt(labels: &[u32], kind: StmtKind) -> Stmt {
    Stmt { labels: labels.iter().copied().map(LabelId).collect(), kind, span: Span::default() }
}

fn assign(target: VarRef, value: Expr) -> StmtKind {
    StmtKind::Assign { targets: vec![place(target)], values: vec![value], constrain: None }
}

fn procedure(name: &str, locals: &[&str], labels: &[&str], body: Vec<Stmt>) -> Procedure {
    Procedure {
        name: name.to_owned(),
        params: 0,
        locals: locals.iter().map(|l| variable(l, Type::Bool, &[])).collect(),
        results: Vec::new(),
        labels: labels.iter().map(|&l| l.to_owned()).collect(),
        body,
        span: Span::default(),
    }
}

fn main_thread(proc: u32, name: &str) -> ThreadDecl {
    let proc = ProcId(proc);
    let name = name.to_owned();
    ThreadDecl { name, count: Count::Fixed(1), proc, args: Vec::new(), span: Span::default() }
}

const G: VarRef = VarRef::Global(GlobalId(0));
const L: [VarRef; 3] =
    [VarRef::Local(LocalId(0)), VarRef::Local(LocalId(1)), VarRef::Local(LocalId(2))];

#[test]
fn names_change_only_where_they_must() {
    let program = Program {
        reasons: Default::default(),
        texts: Default::default(),
        waited_for: Default::default(),
        telling: None,
        globals: vec![variable("x", Type::Bool, &[0]), variable("lock", Type::Bool, &[1])],
        procs: vec![
            // Two variables of different blocks, one of which hid the shared one there.
            procedure(
                "f",
                &["x", "y", "y"],
                &["if", "a.b"],
                vec![
                    stmt(&[0, 1], assign(L[0], read(G))),
                    stmt(&[], assign(L[1], read(L[2]))),
                    stmt(&[], StmtKind::Goto(vec![LabelId(0), LabelId(1)])),
                ],
            ),
            // Here nothing is lost by hiding.
            procedure("main$1", &["x"], &[], vec![stmt(&[], assign(L[0], read(L[0])))]),
            procedure("switch", &[], &[], Vec::new()),
        ],
        threads: vec![main_thread(1, "main$1"), main_thread(2, "switch")],
        ..Program::default()
    };
    check(
        &program,
        expect![[r#"
        bool x := false;
        bool lock_ := true;

        void f() {
          bool x_, y, y_;
          if_: a_b: x_ := x;
          y := y_;
          goto if_, a_b;
        }

        void main$1() {
          bool x;
          x := x;
        }

        void switch_() {
        }

        thread main$1;
        thread switch_;
    "#]],
    );
}

#[test]
fn a_procedure_is_not_called_like_a_variable() {
    let program = Program {
        globals: vec![variable("first", Type::Bool, &[0])],
        procs: vec![procedure("first", &[], &[], vec![stmt(&[], assign(G, read(G)))])],
        threads: vec![main_thread(0, "first")],
        ..Program::default()
    };
    check(
        &program,
        expect![[r#"
        bool first := false;

        void first_() {
          first := first;
        }

        thread first_;
    "#]],
    );
}

#[test]
fn arrays_with_first_values() {
    let array = |element: Type, length| Type::Array { element: Box::new(element), length };
    let program = Program {
        reasons: Default::default(),
        texts: Default::default(),
        waited_for: Default::default(),
        telling: None,
        enums: vec![EnumType {
            name: "E".to_owned(),
            enumerators: vec!["A".to_owned(), "B".to_owned()],
        }],
        globals: vec![
            variable("same", array(Type::Int, 3), &[7, 7, 7]),
            variable("list", array(Type::Enum(crate::EnumId(0)), 2), &[0, 1]),
            variable("grid", array(array(Type::Int, 3), 2), &[1, 2, 3, -4, 5, 6]),
            variable("locks", array(Type::Lock, 2), &[0, 0]),
        ],
        ..Program::default()
    };
    check(
        &program,
        expect![[r#"
        enum E { A, B }

        int same[3] := 7;
        E list[2] := {A, B};
        int grid[2][3] := {{1, 2, 3}, {-4, 5, 6}};
        lock locks[2];
    "#]],
    );
}

#[test]
fn a_random_program() {
    check(
        &random_program(12, &Shape { statements: 3, ..Shape::default() }),
        expect![[r#"
            void p0() {
              skip;
              skip;
              if ({-3 * 7 .. 3 / 5} >= 6) {
                if ((0 % -4 < 6) != (false || false ==> !true)) {
                  if (false ? {true && true, 6 < 6, *} : true ==> (true ? false : true)) {
                    skip;
                  } else {
                    skip;
                    L0: skip;
                    atomic_begin;
                    skip;
                    atomic_end;
                  }
                }
                skip;
              }
            }

            void p1(bool l0) {
            }

            thread t0 * any = p0();
            thread p1 * 2 = p1(true);
        "#]],
    );
}
