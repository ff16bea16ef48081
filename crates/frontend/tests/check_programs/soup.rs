//! Random programs, right and wrong: the checker never panics, whatever the parser gives it, and
//! there is a program exactly if there is no error.

use proptest::prelude::*;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, weave};
use selvedge_program::Source;

const ITEMS: &[&str] = &[
    "const N = 2;",
    "const M = N * N - 1;",
    "const N = M;",
    "enum E { A, B }",
    "enum B { A }",
    "bool x, y := 1;",
    "int[0..N] n := N;",
    "int big := 99999999999999999999;",
    "int[0..3] a[N] := {1, *};",
    "bool t[2][N] := {{0, 1}, *};",
    "E e := B;",
    "lock m, locks[N];",
    "semaphore s := N, few[2] := {1, 0};",
    "semaphore[0..N] s := 1;",
    "condition c, d[N];",
    "barrier b := N;",
    "enum condition { A }",
    "tid last := none;",
    "bool f(bool x) { return !x; }",
    "(bool, int) g() { return x, 1; }",
    "void main() { f(x); }",
    "thread w { L: skip; goto L; }",
    "thread k[i] * N { assert i < N; }",
    "thread f * any = f(*);",
    "predicate p: x == y;",
    "predicate in work: #{i : at L} > 1 && forall j: j.x != x;",
    "predicate q in work: exists i != self: i.at L && self.x;",
];

const STATEMENTS: &[&str] = &[
    "skip;",
    ";",
    "bool x;",
    "bool x := x;",
    "int[0..3] k[2] := {n, 1};",
    "tid t := async f(1);",
    "bool r := f(*);",
    "{ bool x := f(y); }",
    "x, y := y, x constrain 'x != y;",
    "n := {0, 1, n};",
    "n := {0 .. N} + a[n % N];",
    "big := -big / 3;",
    "e := x ? A : *;",
    "a[N] := 9;",
    "a[0], t[1][0] := 1, 1;",
    "havoc x, a, e;",
    "acquire s; release few[n];",
    "wait c, m;",
    "wait(d[n], locks[0]);",
    "wait b;",
    "notify c; notify all d[1];",
    "notify x; x := s + c;",
    "assume e != A ==> x;",
    "assert last == none;",
    "if (trylock(m)) release m;",
    "while (!cas(n, 0, N)) { continue; }",
    "while (*) { bool x; break; }",
    "either { return; } or { return x; }",
    "L: acquire locks[n];",
    "K: L:",
    "goto L, K;",
    "atomic { K: x := true; goto L; }",
    "x, big := g();",
    "n := fetch_and_add(n, x);",
    "join last;",
    "z := nothing + A * true;",
    "N := a;",
    "f := g;",
];

proptest! {
    #[test]
    fn there_is_a_program_or_an_error(
        items in prop::collection::vec(prop::sample::select(ITEMS), 0..14),
        body in prop::collection::vec(prop::sample::select(STATEMENTS), 0..14),
    ) {
        let text = format!("{}\nvoid work(int p) {{ {} }}\n", items.join("\n"), body.join("\n"));
        let source = Source::new("t.weave", text);
        let (file, syntax) = weave::parse(&source);
        let (program, problems) = check(&file, &CheckOptions::default());
        let found = Diagnostics::new(source, problems);
        prop_assert_eq!(program.is_none(), found.has_errors());
        prop_assert_eq!(&syntax, &[], "each piece is right as far as the syntax goes");
        prop_assert_eq!(found.render(false).is_empty(), found.list.is_empty());
    }
}
