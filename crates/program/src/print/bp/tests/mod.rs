//! Programs made by hand, and their texts.

mod make;

use expect_test::{Expect, expect};

use self::make::{
    A, B, L, M, X, Y, any, at, binary, bit, branch, call, expr, main_with, not, place, procedure,
    program, read, repeat, set, stmt, thread, variable,
};
use super::bp;
use crate::{
    AtomicOp, BinaryOp, Cond, Count, Expr, ExprKind, ProcId, Program, StmtKind, Type, Value,
};

fn check(program: &Program, expected: Expect) {
    let text = bp(program).unwrap_or_else(|e| format!("not Boolean: {e} at {:?}\n", e.span));
    expected.assert_eq(&text);
}

#[test]
fn what_is_boolean_is_printed_as_it_is() {
    let primed = expr(ExprKind::Primed(place(X)));
    let skip = || stmt(StmtKind::Skip);
    let body = vec![
        at(
            vec![A, B],
            StmtKind::Assign {
                targets: vec![place(X), place(L)],
                values: vec![any(), bit(false)],
                constrain: Some(binary(primed, BinaryOp::Implies, read(X))),
            },
        ),
        stmt(StmtKind::Havoc(vec![place(X), place(Y)])),
        stmt(StmtKind::Assume(binary(
            binary(read(X), BinaryOp::And, binary(read(Y), BinaryOp::And, not(read(L)))),
            BinaryOp::Or,
            not(binary(read(X), BinaryOp::Ne, any())),
        ))),
        branch(
            Cond::Expr(read(X)),
            vec![skip()],
            vec![branch(Cond::Expr(read(Y)), vec![skip()], vec![set(X, bit(true))])],
        ),
        repeat(Cond::Expr(any()), vec![stmt(StmtKind::Goto(vec![A, B]))]),
        stmt(StmtKind::AtomicBegin),
        stmt(StmtKind::StartThread(A)),
        stmt(StmtKind::AtomicEnd),
        stmt(StmtKind::Assert(expr(ExprKind::Schoose(Box::new(read(X)), Box::new(read(Y)))))),
        stmt(StmtKind::Async { dest: None, proc: ProcId(0), args: Vec::new() }),
        set(
            X,
            expr(ExprKind::IfThenElse(
                Box::new(read(X)),
                Box::new(expr(ExprKind::OneOf(vec![read(X), read(Y), read(L)]))),
                Box::new(read(Y)),
            )),
        ),
        stmt(StmtKind::EndThread),
    ];
    check(
        &main_with(body),
        expect![[r#"
            decl x;
            decl y := 1;
            decl m := 0;

            void main() begin
              decl l;
              A: B: x, l := *, 0 constrain 'x => x;
              dead x, y;
              assume((x & y & !l) | !(x != *));
              if x then
                skip;
              elsif y then
                skip;
              else
                x := 1;
              fi;
              while * do
                goto A, B;
              od;
              atomic_begin;
                start_thread goto A;
              atomic_end;
              assert(schoose[x, y]);
              thread_create(main);
              x := x ? (* ? x : * ? y : l) : y;
              end_thread;
            end
        "#]],
    );
}

#[test]
fn locks_are_variables() {
    let try_it = || AtomicOp::TryLock(place(M));
    let cas = AtomicOp::CompareAndSwap {
        place: place(X),
        expected: binary(read(L), BinaryOp::Or, read(Y)),
        new: not(read(Y)),
    };
    let release = || stmt(StmtKind::Release(place(M)));
    let body = vec![
        at(vec![A], StmtKind::Acquire(place(M))),
        release(),
        stmt(StmtKind::Attempt { dest: Some(place(L)), op: try_it() }),
        stmt(StmtKind::Attempt { dest: None, op: cas }),
        branch(Cond::Attempt { op: try_it(), negated: false }, vec![release()], vec![]),
        repeat(Cond::Attempt { op: try_it(), negated: true }, vec![stmt(StmtKind::Skip)]),
        stmt(StmtKind::Atomic(vec![stmt(StmtKind::Acquire(place(M))), release()])),
    ];
    check(
        &main_with(body),
        expect![[r#"
            decl x;
            decl y := 1;
            decl m := 0;

            void main() begin
              decl l;
              A: atomic_begin;
                assume(!m);
                m := 1;
              atomic_end;
              atomic_begin;
                assert(m);
                m := 0;
              atomic_end;
              atomic_begin;
                if !m then
                  m := 1;
                  l := 1;
                else
                  l := 0;
                fi;
              atomic_end;
              atomic_begin;
                if x = (l | y) then
                  x := !y;
                fi;
              atomic_end;
              atomic_begin;
              if !m then
                m := 1;
                atomic_end;
                atomic_begin;
                  assert(m);
                  m := 0;
                atomic_end;
              else
                atomic_end;
              fi;
              again: atomic_begin;
              if !m then
                m := 1;
                atomic_end;
              else
                atomic_end;
                skip;
                goto again;
              fi;
              atomic_begin;
                assume(!m);
                m := 1;
                assert(m);
                m := 0;
              atomic_end;
            end
        "#]],
    );
}

#[test]
fn jumps_end_atomic_sections() {
    let body = vec![
        at(
            vec![A],
            StmtKind::While {
                cond: Cond::Expr(read(X)),
                body: vec![stmt(StmtKind::Atomic(vec![
                    branch(Cond::Expr(read(Y)), vec![stmt(StmtKind::Break)], vec![]),
                    at(vec![B], StmtKind::Goto(vec![A, B])),
                    repeat(Cond::Expr(read(Y)), vec![stmt(StmtKind::Continue)]),
                    repeat(Cond::Expr(read(Y)), vec![stmt(StmtKind::Break)]),
                    stmt(StmtKind::Continue),
                ]))],
            },
        ),
        stmt(StmtKind::Atomic(vec![stmt(StmtKind::Return(vec![read(X), bit(true)]))])),
        stmt(StmtKind::Atomic(vec![stmt(StmtKind::Return(vec![read(L), bit(true)]))])),
    ];
    let threads = vec![thread(0, Count::Fixed(1), Vec::new())];
    let mut p = program(vec![procedure("main", 0, 2, body)], threads);
    p.procs[0].locals.push(variable("result", Type::Bool, Value::Open));
    check(
        &p,
        expect![[r#"
            decl x;
            decl y := 1;
            decl m := 0;

            bool<2> main() begin
              decl l, result, result_2, result_3;
              A: while x do
                atomic_begin;
                  if y then
                    atomic_end;
                    goto after;
                  fi;
                  B: if * then atomic_end; goto A; fi;
                  goto B;
                  again: while y do
                    goto again;
                  od;
                  while y do
                    goto after_2;
                  od;
                  after_2: atomic_end;
                  goto A;
              od;
              after: atomic_begin;
                result_2, result_3 := x, 1;
                atomic_end;
                return result_2, result_3;
              atomic_begin;
                atomic_end;
                return l, 1;
            end
        "#]],
    );
}

#[test]
fn calls_in_atomic_sections_go_to_copies() {
    let main = vec![
        stmt(StmtKind::Atomic(vec![call(1, vec![read(X)], vec![place(L)])])),
        call(1, vec![any()], Vec::new()),
    ];
    let f = vec![
        stmt(StmtKind::Acquire(place(M))),
        stmt(StmtKind::Atomic(vec![set(X, bit(false)), call(1, vec![bit(true)], Vec::new())])),
        stmt(StmtKind::Return(vec![read(X)])),
    ];
    let procs = vec![procedure("main", 0, 0, main), procedure("f", 1, 1, f)];
    check(
        &program(procs, vec![thread(0, Count::Fixed(1), Vec::new())]),
        expect![[r#"
            decl x;
            decl y := 1;
            decl m := 0;

            void main() begin
              decl l;
              atomic_begin;
                l := f_atomic(x);
              atomic_end;
              f(*);
            end

            bool f(l) begin
              atomic_begin;
                assume(!m);
                m := 1;
              atomic_end;
              atomic_begin;
                x := 0;
                f_atomic(1);
              atomic_end;
              return x;
            end

            bool f_atomic(l) begin
              assume(!m);
              m := 1;
              x := 0;
              f_atomic(1);
              return x;
            end
        "#]],
    );
}

#[test]
fn threads_are_started_by_main() {
    let body = vec![stmt(StmtKind::Choose(vec![
        vec![stmt(StmtKind::Skip)],
        vec![],
        vec![stmt(StmtKind::Choose(vec![])), stmt(StmtKind::Choose(vec![vec![]]))],
    ]))];
    let procs = vec![procedure("main", 0, 0, body), procedure("work", 1, 0, vec![])];
    let threads = vec![
        thread(0, Count::Fixed(2), vec![]),
        thread(1, Count::Any, vec![any()]),
        thread(1, Count::Fixed(1), vec![bit(true)]),
    ];
    let mut p = program(procs, threads);
    check(
        &p,
        expect![[r#"
            decl x;
            decl y := 1;
            decl m := 0;

            void main() begin
              thread_create(main_2);
              thread_create(main_2);
              while * do
                thread_create(work, *);
              od;
              thread_create(work, 1);
            end

            void main_2() begin
              decl l;
              if * then
                skip;
              elsif * then
              else
                assume(0);
                skip;
              fi;
            end

            void work(l) begin
            end
        "#]],
    );
    p.threads = vec![thread(1, Count::Fixed(1), vec![bit(true)])];
    p.procs.swap_remove(0);
    p.threads[0].proc = ProcId(0);
    check(
        &p,
        expect![[r#"
            decl x;
            decl y := 1;
            decl m := 0;

            void main() begin
              work(1);
            end

            void work(l) begin
            end
        "#]],
    );
}

#[test]
fn names_are_made_to_fit() {
    let mut p = main_with(vec![set(X, read(L)), at(vec![B], StmtKind::Goto(vec![B]))]);
    p.globals[0].name = "begin".to_owned();
    p.globals[1].name = "größe".to_owned();
    p.globals[2].name = "l".to_owned();
    p.procs[0].labels[1] = "fi".to_owned();
    check(
        &p,
        expect![[r#"
            decl begin_;
            decl gr__e := 1;
            decl l := 0;

            void main() begin
              decl l_2;
              begin_ := l_2;
              fi_: goto fi_;
            end
        "#]],
    );
}

#[test]
fn what_is_not_boolean_is_named() {
    let mut p = main_with(vec![]);
    p.globals[1].ty = Type::Array { element: Box::new(Type::Bool), length: 4 };
    check(
        &p,
        expect![[r#"
        not Boolean: the shared variable `y` has type `bool[4]` at Span { start: 3, end: 4 }
    "#]],
    );
    p.globals[1].ty = Type::Range { lo: 0.into(), hi: 3.into() };
    check(
        &p,
        expect![[r#"
        not Boolean: the shared variable `y` has type `int[0..3]` at Span { start: 3, end: 4 }
    "#]],
    );
    let mut p = main_with(vec![stmt(StmtKind::Join(read(X)))]);
    check(
        &p,
        expect![[r#"
        not Boolean: `join`: waiting for a thread at Span { start: 0, end: 0 }
    "#]],
    );
    p.procs[0].locals[0].ty = Type::ThreadId;
    check(
        &p,
        expect![[r#"
        not Boolean: the variable `l` of `main` has type `tid` at Span { start: 3, end: 4 }
    "#]],
    );
    let number = || Expr { ty: Type::Int, ..bit(true) };
    let p = main_with(vec![stmt(StmtKind::Assume(binary(number(), BinaryOp::Lt, number())))]);
    check(
        &p,
        expect![[r#"
        not Boolean: arithmetic, or a comparison of numbers at Span { start: 0, end: 0 }
    "#]],
    );
    let p = main_with(vec![stmt(StmtKind::AtomicBegin), stmt(StmtKind::Acquire(place(M)))]);
    check(
        &p,
        expect![[r#"
        not Boolean: `atomic_begin` or `start_thread` together with atomic blocks or locks at Span { start: 0, end: 0 }
    "#]],
    );
    let mut p = main_with(vec![]);
    p.threads[0].count = Count::Fixed(u32::MAX);
    check(
        &p,
        expect![[r#"
        not Boolean: 4294967295 threads `t` are too many to list at Span { start: 0, end: 0 }
    "#]],
    );
}
