//! Statements that are made of others are the programs that one would write by hand.

use selvedge_frontend::{Input, LoadError, LoadOptions, parse};

use super::program as read;

/// The program as text, with labels numbered in the order of their names in the text.
fn printed(text: &str) -> String {
    let mut program = read(text);
    for proc in &mut program.procs {
        for (number, label) in proc.labels.iter_mut().enumerate() {
            *label = format!("L{number}");
        }
    }
    selvedge_program::print::weave(&program)
}

/// Both texts are the same program, and what is printed of it is, too.
pub fn same(short: &str, long: &str) {
    assert_eq!(printed(short), printed(long));
    assert_eq!(printed(&printed(short)), printed(short));
}

#[test]
fn for_loops() {
    same(
        "int n := 0; thread t { for (int i := 0; i < 3; i++) { n := n + i; } }",
        "int n := 0; thread t { int i := 0; while (i < 3) { n := n + i; i := i + 1; } }",
    );
    same(
        "int n := 0; thread t { for (;;) if (n == 1) break; else continue; }",
        "int n := 0; thread t { while (true) if (n == 1) break; else continue; }",
    );
    same(
        "int n; thread t { for (n := 0; n < 9; n += 2) { if (n == 4) continue; while (*) { continue; } atomic { continue; } } }",
        "int n; thread t { n := 0; while (n < 9) { if (n == 4) goto L; while (*) { continue; } atomic { goto L; } L: n := n + 2; } }",
    );
    // Each loop has a step of its own to go on with.
    same(
        "int n; thread t { for (n := 0; n < 2; n++) { for (int j := 0; j < 2; j++) { if (*) continue; skip; } continue; } }",
        "int n; thread t { n := 0; while (n < 2) { int j := 0; while (j < 2) { if (*) goto L; skip; L: j := j + 1; } goto M; M: n := n + 1; } }",
    );
    // The word is not reserved.
    read("int for := 0; thread t { for := for + 1; }");
}

#[test]
fn guarded_choices() {
    same(
        "int n := 0; thread t { either when n == 0 { n := 1; } or when n > 1 { } or { n := 3; } n := 4; }",
        "int n := 0; thread t {
           atomic { either { assume n == 0; goto A; } or { assume n > 1; goto B; } or { assume true; goto C; } }
           A: n := 1; goto D; B: goto D; C: n := 3; D: n := 4; }",
    );
    same(
        "bool b; thread t { while true { either when b { break; } or when !b { continue; } } }",
        "bool b; thread t { while true { atomic { either { assume b; goto A; } or { assume !b; goto B; } }
           A: break; goto C; B: continue; C: skip; } }",
    );
}

#[test]
fn quantified_indices() {
    same(
        "int a[3]; bool m[2][2]; const N = 2; thread t { assert forall i: a[i] != i; assume exists j: m[1][j];
           assert #{k : a[k] == N} == 1; assert forall i: exists j: m[i][j]; }",
        "int a[3]; bool m[2][2]; thread t { assert (a[0] != 0 && a[1] != 1) && a[2] != 2; assume m[1][0] || m[1][1];
           assert ((a[0] == 2 ? 1 : 0) + (a[1] == 2 ? 1 : 0)) + (a[2] == 2 ? 1 : 0) == 1;
           assert (m[0][0] || m[0][1]) && (m[1][0] || m[1][1]); }",
    );
    // Where the index decides, what is outside of the array is left out.
    same(
        "int a[3]; thread t { assert forall i: i > 0 ==> a[i - 1] <= a[i]; assert forall i: i == 2 || a[i] != a[i + 1];
           assert exists i: i < 2 && a[i + 1] == a[i]; }",
        "int a[3]; thread t { assert (true && (1 > 0 ==> a[1 - 1] <= a[1])) && (2 > 0 ==> a[2 - 1] <= a[2]);
           assert ((0 == 2 || a[0] != a[0 + 1]) && (1 == 2 || a[1] != a[1 + 1])) && true;
           assert ((0 < 2 && a[0 + 1] == a[0]) || (1 < 2 && a[1 + 1] == a[1])) || false; }",
    );
}

#[test]
fn invariants_and_texts() {
    same(
        "int n := 0; invariant n < 2; invariant n >= 0, \"never less\"; thread t { n := 1; assert n == 1, \"one\"; }",
        "int n := 0; thread invariant { assert n < 2; } thread invariant2 { assert n >= 0, \"never less\"; }
           thread t { n := 1; assert (n == 1, \"one\"); }",
    );
    // Where no other thread is declared, `main` runs.
    same(
        "int n := 0; void main() { n := 3; } invariant n < 2;",
        "int n := 0; void main() { n := 3; } thread invariant { assert n < 2; } thread main;",
    );
    // The word is not reserved.
    read("enum invariant { a, b } invariant x := a; thread t { x := b; }");
    read("bool invariant; thread t { invariant := true; }");
}

#[test]
fn what_is_wrong_with_them() {
    let told =
        |text: &str| match parse("t.weave".as_ref(), text.to_owned(), &LoadOptions::default()) {
            Err(LoadError::Invalid(wrong)) => wrong.list[0].message.clone(),
            Ok(Input::Program { warnings, .. }) => warnings.list[0].message.clone(),
            other => panic!("{other:?}"),
        };
    for (text, message) in [
        (
            "int a[2]; int b[3]; thread t { assert forall i: a[i] == b[i]; }",
            "`i` is an index of arrays of different lengths",
        ),
        (
            "int a[3]; thread t { assert forall i: a[i] <= a[i + 1]; }",
            "there is no element 3 in `a`",
        ),
        (
            "int a[3]; thread t { assert forall i: i < 3 || a[i] == a[i - 1]; assert forall i: i == 0 && a[i - 1] == a[i]; }",
            "there is no element -1 in `a`",
        ),
        (
            "bool a[65][65]; thread t { assert forall i: exists j: a[i][j]; }",
            "this would be written 4225 times",
        ),
        ("bool b; thread t { assert forall i: b; }", "`i` is the index of no array here"),
        ("int a[2]; thread t { assert exists i != self: a[i] == 1; }", "an index is no thread"),
        ("thread t { assert true, 3; }", "write a text here, not `3`"),
        (
            "bool b; thread t { either { assume b; } or { skip; } }",
            "this branch is chosen before its condition is looked at",
        ),
    ] {
        assert_eq!(told(text), message, "{text}");
    }
}

#[test]
fn calls_in_expressions() {
    let f = "int n := 0; int f(int x) { return x + 1; } bool g() { return *; }";
    let both = |short: &str, long: &str| same(&format!("{f} {short}"), &format!("{f} {long}"));
    both(
        "thread t { n := f(1) + f(f(2)); assert f(n) == 3; }",
        "thread t { int f_result, f_result_2, f_result_3, f_result_4;
           f_result := f(1); f_result_2 := f(2); f_result_3 := f(f_result_2); n := f_result + f_result_3;
           f_result_4 := f(n); assert f_result_4 == 3; }",
    );
    both(
        "int h(int x) { if (x <= 1) return 1; return h(x - 1) + h(x - 2); } thread t { int a[3] := 0; a[f(0)]++; n := h(a[1]); }",
        "int h(int x) { int h_result, h_result_2; if (x <= 1) return 1;
           h_result := h(x - 1); h_result_2 := h(x - 2); return h_result + h_result_2; }
         thread t { int a[3] := 0; int f_result; f_result := f(0); a[f_result] := a[f_result] + 1; n := h(a[1]); }",
    );
    // A condition, and one of a loop, which is computed each time.
    both(
        "thread t { if (g() && n == 0) n := 1; else if (!g()) n := 2; }",
        "thread t { bool g_result, g_result_2; g_result := g(); if (g_result && n == 0) n := 1;
           else { g_result_2 := g(); if (!g_result_2) n := 2; } }",
    );
    both(
        "thread t { while (f(n) < 3) { if (*) continue; n := n + 1; } }",
        "thread t { int f_result; while (true) { f_result := f(n); if (f_result < 3) { } else { break; }
           if (*) continue; n := n + 1; } }",
    );
    // Several values at once; names that are taken; a label stands before the first call.
    both(
        "thread t { int f_result; L: n, f_result := f(1), f(2); goto L; }",
        "thread t { int f_result, f_result_2, f_result_3; L: f_result_2 := f(1); f_result_3 := f(2);
           n, f_result := f_result_2, f_result_3; goto L; }",
    );
}
