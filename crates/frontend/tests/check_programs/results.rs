//! What the checker makes of a program.

use num_bigint::BigInt;
use selvedge_frontend::check::CheckOptions;
use selvedge_program::{
    Block, Count, ExprKind, LabelId, LocalId, Place, Procedure, Stmt, StmtKind, Type, Value, VarRef,
};

use crate::check_programs::{program, program_with};

/// The procedure `main` of a program that has no other.
fn main_of(text: &str) -> Procedure {
    program(text).procs.remove(0)
}

fn names(proc: &Procedure) -> Vec<&str> {
    proc.locals.iter().map(|local| local.name.as_str()).collect()
}

/// The kinds of statements, in short.
fn kinds(block: &Block) -> Vec<&'static str> {
    let kind = |stmt: &Stmt| match stmt.kind {
        StmtKind::Skip => "skip",
        StmtKind::Assign { .. } => "assign",
        StmtKind::Havoc(_) => "havoc",
        StmtKind::While { .. } => "while",
        StmtKind::Goto(_) => "goto",
        _ => "other",
    };
    block.iter().map(kind).collect()
}

#[test]
fn locals_of_sibling_blocks_have_different_names() {
    let main = main_of(
        "bool x_3; void main() { { bool x := true; } { bool x := false; int x_2 := 1; } { bool x; } }",
    );
    assert_eq!(names(&main), ["x", "x_4", "x_2", "x_5"]);
    assert_eq!(kinds(&main.body), ["assign", "assign", "assign"]);
}

#[test]
fn a_first_value_speaks_of_the_outer_variable() {
    let main = main_of("bool x; void main() { bool x := x; x := true; }");
    let StmtKind::Assign { targets, values, .. } = &main.body[0].kind else { panic!("{main:?}") };
    assert_eq!(targets[0].var, VarRef::Local(LocalId(0)));
    let ExprKind::Read(Place { var: VarRef::Global(_), .. }) = &values[0].kind else {
        panic!("{values:?}")
    };
}

#[test]
fn a_declaration_without_a_first_value_is_a_step_only_where_it_is_repeated() {
    assert_eq!(kinds(&main_of("void main() { bool x; x := true; }").body), ["assign"]);
    assert_eq!(
        kinds(&main_of("void main() { bool x; L: x := *; goto L; }").body),
        ["assign", "goto"]
    );
    assert_eq!(kinds(&main_of("void main() { L: bool x; goto L; }").body), ["havoc", "goto"]);
    let main = main_of("void main() { while (*) { bool x; skip; } }");
    let StmtKind::While { body, .. } = &main.body[0].kind else { panic!("{main:?}") };
    assert_eq!(kinds(body), ["havoc", "skip"]);
    assert!(main_of("void main() { tid t; }").body.is_empty(), "`none` is there already");
    assert_eq!(kinds(&main_of("void main() { L: tid t; goto L; }").body), ["assign", "goto"]);
}

#[test]
fn labels_move_to_the_next_statement() {
    let main = main_of("void main() { goto L; L: ; M: { N: skip; } { } goto L, M, N; E: }");
    assert_eq!(main.labels, ["L", "M", "N", "E"]);
    assert_eq!(kinds(&main.body), ["goto", "skip", "goto", "skip"]);
    assert_eq!(main.body[1].labels, [LabelId(0), LabelId(1), LabelId(2)]);
    assert_eq!(main.body[3].labels, [LabelId(3)], "a label at the end stands before a skip");
}

#[test]
fn elements_of_local_arrays_are_set_at_once() {
    let main = main_of("void main() { int[0..9] a[2][2] := {{1, 2}, 3}; }");
    let StmtKind::Assign { targets, values, .. } = &main.body[0].kind else { panic!("{main:?}") };
    assert_eq!((targets.len(), values.len()), (4, 4));
    let set: Vec<String> = values.iter().map(|v| format!("{:?}", v.kind)).collect();
    assert_eq!(set, ["Const(Small(1))", "Const(Small(2))", "Const(Small(3))", "Const(Small(3))"]);
}

#[test]
fn shared_variables_have_a_value_for_each_slot() {
    let program = program(
        "enum E { A, B } E e := B; bool b := 1; int i; lock m[2]; tid t; int n := *;
         int[-1..1] a[3] := {-1, *, 1}; int huge := 100000000000000000000; void main() { }",
    );
    let init: Vec<&[Value]> = program.globals.iter().map(|g| g.init.as_slice()).collect();
    let small = Value::Small;
    assert_eq!(init[0], [small(1)]);
    assert_eq!(init[1], [Value::TRUE]);
    assert_eq!(init[2], [Value::Open]);
    assert_eq!(init[3], [small(0), small(0)]);
    assert_eq!(init[4], [small(0)]);
    assert_eq!(init[5], [Value::Open]);
    assert_eq!(init[6], [small(-1), Value::Open, small(1)]);
    assert_eq!(init[7][0].to_big(), Some(BigInt::from(10).pow(20)));
}

#[test]
fn constants_come_in_any_order_and_can_be_replaced() {
    let text = "const A = B * 2; const B = C + 1; const C = 1; const FAST = A > 3;
                int[0..A] x := A; bool b := FAST; void main() { }";
    let range = |hi: i32| Type::Range { lo: BigInt::ZERO, hi: hi.into() };
    let before = program(text);
    assert_eq!((&before.globals[0].ty, &before.globals[1].init), (&range(4), &vec![Value::TRUE]));
    let options = CheckOptions { consts: [("B".to_owned(), 1.into())].into() };
    let after = program_with(text, &options);
    assert_eq!((&after.globals[0].ty, &after.globals[1].init), (&range(2), &vec![Value::FALSE]));
}

#[test]
fn a_long_chain_of_constants_is_not_a_deep_recursion() {
    let chain: String = (0..20_000).map(|i| format!("const c{i} = c{};\n", i + 1)).collect();
    let program = program(&format!("{chain} const c20000 = 7; int x := c0; void main() {{ }}"));
    assert_eq!(program.globals[0].init, [Value::Small(7)]);
}

#[test]
fn threads_get_constants_or_their_number() {
    let program = program(
        "void work(bool b, int[0..9] n) { } void idle() { }
         thread worker[i] * 3 = work(*, 2 * i + 1); thread one = work(1 == 1, 3 - 1);
         thread idle * any; thread own[k] * 2 { assert k >= 0; }",
    );
    let [worker, one, idle, own] = program.threads.as_slice() else { panic!("{program:?}") };
    assert_eq!(worker.count, Count::Fixed(3));
    assert!(matches!(worker.args[0].kind, ExprKind::Any));
    assert!(matches!(worker.args[1].kind, ExprKind::Binary(..)));
    assert!(matches!(one.args[0].kind, ExprKind::Const(Value::Small(1))));
    assert!(matches!(one.args[1].kind, ExprKind::Const(Value::Small(2))));
    assert_eq!((idle.count, idle.args.len()), (Count::Any, 0));
    assert!(matches!(own.args[0].kind, ExprKind::Instance));
    let body = &program.procs[own.proc.index()];
    assert_eq!((body.name.as_str(), body.params), ("own", 1));
}

#[test]
fn without_threads_main_is_run() {
    let program = program("void f() { } void main() { f(); }");
    assert_eq!(program.threads.len(), 1);
    assert_eq!(program.procs[program.threads[0].proc.index()].name, "main");
}

#[test]
fn predicates_count_threads_from_the_innermost() {
    let program = program(
        "void w(bool a) { bool l := a; here: skip; } thread w = w(true);
         predicate own in w: l == self.l;
         predicate nested in w: forall i: exists j != self: i.l == j.l && l == a;
         predicate counted: #{i : l && at here && (forall j: l == j.l)} >= 2;
         predicate here: at here;",
    );
    let text = |position: usize| format!("{:?}", program.predicates[position].expr);
    assert!(!text(0).contains("LocalOf"), "both are of the thread itself");
    assert!(text(1).contains("LocalOf { depth: 1") && text(1).contains("LocalOf { depth: 0"));
    assert!(text(1).contains("Read"), "without prefix: of the thread itself");
    assert!(text(2).contains("At { depth: Some(0)"));
    assert!(text(2).contains("LocalOf { depth: 1"), "without prefix: of the one that is counted");
    assert!(text(3).contains("At { depth: None"));
    assert!(program.predicates.iter().all(|p| p.scope.is_some()));
}
