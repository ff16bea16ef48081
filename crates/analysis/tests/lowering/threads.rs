//! Threads that are started and waited for.

use std::path::Path;

use expect_test::expect;
use selvedge_analysis::naive::Naive;
use selvedge_frontend::{Input, LoadOptions, load};

use crate::lowering::check;
use crate::support::lower;

#[test]
fn join_waits() {
    check(
        "int[0..9] n := 0; void f(int[0..9] k) { n := n + k; }
         void main() { tid t := async f(3); join t; assert n == 3; tid u := async f(4); join u; join t; assert n == 7; }",
        expect!["safe; ends: n=7 ended={}"],
    );
    check(
        "int[0..9] n := 0; void f() { n := 1; } void main() { async f(); assert n == 0; }",
        expect!["wrong at 3: line 1: assertion failed; ends: n=1"],
    );
    check(
        "tid t; void f() { join t; } void main() { t := async f(); join t; }",
        expect!["safe; never ends"],
    );
}

#[test]
fn thread_ids_are_values() {
    check(
        "tid a, b; void f() {} void main() { a := async f(); b := a; assert a == b; b := async f(); assert a != b && b != none; a := none; b := none; }",
        expect!["safe; ends: a=none b=none"],
    );
    check(
        "bool done := false; void f() { done := true; } void wait_for(tid t) { join t; }
         void main() { tid t := async f(); wait_for(t); assert done; }",
        expect!["safe; ends: done=true ended={}"],
    );
}

#[test]
fn a_thread_that_is_joined_has_ended_with_its_calls() {
    check(
        "int[0..9] n := 0; void g() { n := n + 1; } void f() { g(); g(); }
         void main() { tid t := async f(); join t; assert n == 2; }",
        expect!["safe; ends: n=2 ended={}"],
    );
}

/// Figure 4 of the paper on context bounds: threads without end, but two at a time.
#[test]
fn fork_and_join_of_the_paper() {
    let path = "../../examples/context-bounded/fig4-forkjoin.weave";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let Ok(Input::Program { program, source, .. }) = load(&path, &LoadOptions::default()) else {
        panic!("{} cannot be read", path.display())
    };
    let system = lower(&program, source.text()).expect("a flow graph");
    let mut naive = Naive::with_limit(&system, 20_000).expect("starts");
    for bound in 1..=7_usize {
        naive.advance().expect("small");
        let alive = |s: &selvedge_model::State| s.threads.iter().filter(|t| !t.has_ended()).count();
        let most = naive.states().map(|(s, _)| s.threads.len()).max();
        let most_alive = naive.states().map(|(s, _)| alive(s)).max();
        // Each further thread takes a context of its own and one of the first thread.
        assert_eq!((most, most_alive), (Some(1 + bound.div_ceil(2)), Some(2)), "{bound} contexts");
    }
}

#[test]
fn threads_started_at_a_label_have_copies() {
    let text = |then: &str| {
        format!(
            "int[0..9] n := 0;
             void main() {{
               int[0..9] k := 3; start_thread goto L; k := 4; n := k; end_thread;
               L: {then}
             }}"
        )
    };
    check(&text("assert k == 3; k := 5; n := n + k;"), expect!["safe; ends: n=4 | n=9"]);
    check(&text("assume n == 4; assert k == 3;"), expect!["safe; ends: n=4"]);
}

#[test]
fn a_copy_of_an_open_local_is_the_same_value() {
    check(
        "bool first; bool set := false;
         void main() {
           bool b; start_thread goto L; first := b; set := true; end_thread;
           L: assume set; assert first == b;
         }",
        expect!["safe; ends: first=false set=true | first=true set=true"],
    );
    check(
        "bool f, g;
         void main() {
           bool b; start_thread goto L; b := *; f := b; end_thread;
           L: g := b;
         }",
        expect!["safe; ends: f=false g=false | f=false g=true | f=true g=false | f=true g=true"],
    );
    check(
        "bool f, g; bool set := false;
         void main() {
           bool b[2]; start_thread goto L; b[1] := false; f := b[0]; g := b[1]; set := true; end_thread;
           L: assume set; assert f == b[0]; if (b[1]) { f := true; g := true; }
         }",
        expect!["safe; ends: f=false g=false set=true | f=true g=false set=true | f=true g=true set=true"],
    );
}

/// Locals that are never read by both stay open, however many there are.
#[test]
fn a_copy_that_is_not_read_is_not_chosen() {
    let names: Vec<String> = (0..60).map(|i| format!("b{i}")).collect();
    check(
        &format!(
            "bool x := false; void main() {{ bool {}; int n; start_thread goto L; skip; end_thread; L: x := b0 || true; }}",
            names.join(", ")
        ),
        expect!["safe; ends: x=true"],
    );
}

#[test]
fn instances() {
    check("int[0..9] n := 0; thread a[i] * 3 { n := n + i; }", expect!["safe; ends: n=3"]);
    check(
        "int[0..9] n := 0; void f(int[0..3] k) { n := n + k; } thread a[i] * 2 = f(2 * i + 1);",
        expect!["safe; ends: n=4"],
    );
    check(
        "int[0..9] n := 0; void f(int[1..2] k) { n := n + k; } thread a * 2 = f(*);",
        expect!["safe; ends: n=2 | n=3 | n=4"],
    );
    check(
        "int[0..9] n := 0; void f(bool b, int[0..3] k) { n := n + (b ? k : 0); }
         thread a[i] * 3 = f(i != 1 && !(i > 2), i == 2 ? 3 : i);",
        expect!["safe; ends: n=3"],
    );
}

#[test]
fn an_argument_that_is_right_for_few_threads_only() {
    let text = "void f(int[0..9] k) {} thread a[i] * 2 = f(6 / (3 - i));";
    let program = std::sync::Arc::new(crate::support::read_weave(text));
    let source = std::sync::Arc::new(selvedge_program::Source::new("test.weave", text));
    let with = |count| {
        let counts = [("a".to_owned(), count)].into();
        let lowering = selvedge_program::Lowering::new(program.clone(), source.clone(), &counts);
        lowering.err().map_or("fine".to_owned(), |e| e.to_string())
    };
    expect!["fine"].assert_eq(&with(3));
    expect!["instance 4 of thread `a`: division by zero"].assert_eq(&with(4));
    expect!["instance 4 of thread `a`: division by zero"].assert_eq(&with(5));
}
