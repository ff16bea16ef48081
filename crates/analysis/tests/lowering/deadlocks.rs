//! What waits for ever, and what only seems to.

use expect_test::{Expect, expect};
use selvedge_analysis::naive::Naive;
use selvedge_model::{Property, System};
use selvedge_program::Lowering;
use selvedge_program::testing::{Shape, random_program};

use crate::support::{self, Behaviour, lower};

/// The first deadlock of a program whose values are chosen at once: the number of contexts, and who
/// waits where.
fn check(text: &str, expect: Expect) {
    let system = support::system(text).choosing_at_once();
    expect.assert_eq(&first_deadlock(&system));
}

fn first_deadlock(system: &Lowering) -> String {
    let naive = match crate::lowering::explored(system) {
        Ok(naive) => naive,
        Err(why) => return why,
    };
    let mut found = Vec::new();
    for (state, bound) in naive.states() {
        match Property::first_broken(&[Property::ANY_DEADLOCK], system, state) {
            Ok(Some(_)) => {
                let tops = state.threads.iter().map(|t| t.stack.top());
                let waits = |top| system.describe().statement(top).unwrap_or_default();
                let waits: Vec<_> = tops.map(|t| t.map_or("-".to_owned(), waits)).collect();
                found.push(format!("{bound}: {}", waits.join(" | ")));
            }
            Ok(None) => {}
            Err(fault) => return fault.to_string(),
        }
    }
    found.into_iter().min().unwrap_or_else(|| "none".to_owned())
}

#[test]
fn locks_in_a_circle() {
    check(
        "lock a, b;
         thread one { acquire a; acquire b; release b; release a; }
         thread two { acquire b; acquire a; release a; release b; }",
        expect!["2: acquire b | acquire a"],
    );
    check(
        "lock a, b;
         thread one { acquire a; acquire b; release b; release a; }
         thread two { acquire a; acquire b; release b; release a; }",
        expect!["none"],
    );
    check("lock a; thread t { acquire a; acquire a; }", expect!["1: acquire a"]);
}

/// What ends, goes wrong or goes round in circles does not wait.
#[test]
fn no_deadlocks() {
    check("thread t { skip; }", expect!["none"]);
    check("thread t { assert false; }", expect!["none"]);
    check("bool x := false; thread t { while (!x) { skip; } }", expect!["none"]);
    check("thread t { assume *; }", expect!["none"]);
    check("thread t { L: goto L; }", expect!["none"]);
}

/// A thread waits while another one goes round in circles; when that one ends, nobody is left.
#[test]
fn all_have_to_wait() {
    check(
        "bool x := false; thread t { assume x; } thread u { while (true) { skip; } }",
        expect!["none"],
    );
    check(
        "bool x := false; thread t { assume x; } thread u { while (*) { skip; } }",
        expect!["1: assume x | -"],
    );
}

/// A variable without a first value has some value all the same.
#[test]
fn values_are_fixed_before_they_are_read() {
    check("bool x; thread t { assume x; }", expect!["0: assume x"]);
    check("bool x := true; thread t { havoc x; assume x; }", expect!["1: assume x"]);
    check("thread t { bool y; assume y; }", expect!["0: assume y"]);
    check("void f(bool p) { assume p; } thread t { f(*); }", expect!["1: assume p"]);
    check("void f(bool p) { assume p; } thread t = f(*);", expect!["0: assume p"]);
    check("bool f() { return *; } thread t { bool y := f(); assume y; }", expect!["1: assume y"]);
    check(
        "thread t { bool y; async f(); } void f() { bool z; assume z; }",
        expect!["1: - | assume z"],
    );
    // Inside of an atomic block, a choice that leads nowhere was never made.
    check("bool x := true; thread t { atomic { havoc x; assume x; } }", expect!["none"]);
    // What is never read needs no value.
    check("thread t { int y; int z; skip; z := 1; assume z == 1; }", expect!["none"]);
    check(
        "int x; thread t { assume x > 0; }",
        expect![
            "line 1: `x` may be any integer here: give it a value before it is read, or choose from a range, as in {0 .. 9}"
        ],
    );
}

#[test]
fn threads_that_are_joined() {
    check(
        "bool go := false;
         void child() { assume go; }
         thread main { tid c := async child(); join c; go := true; }",
        expect!["1: join c | assume go"],
    );
    check(
        "bool go := false;
         void child() { assume go; }
         thread main { tid c := async child(); go := true; join c; }",
        expect!["none"],
    );
}

#[test]
fn a_block_waits_for_what_is_inside() {
    check(
        "bool x := false; thread t { atomic { skip; if (*) assume x; else assume !true; } }",
        expect!["0: atomic { … assume x … assume !true … }"],
    );
}

/// When values are chosen makes no difference to what goes wrong, nor how soon.
#[test]
fn choosing_at_once_reaches_the_same() {
    let shape =
        Shape { globals: 2, procs: 2, locals: 1, statements: 5, depth: 2, ..Shape::boolean() };
    let shapes =
        [Shape { calls: false, ..shape.clone() }, Shape { atomic: false, ..shape.clone() }];
    let (mut compared, mut wrong) = (0, 0);
    for (shape, seed) in shapes.iter().flat_map(|shape| (0..120).map(move |seed| (shape, seed))) {
        let program = random_program(seed, shape);
        let (Ok(late), Ok(at_once)) = (lower(&program, ""), lower(&program, "")) else { continue };
        let late = Behaviour::of(&late, 3, 1_500);
        let at_once = Behaviour::of(&at_once.choosing_at_once(), 3, 6_000);
        let completed = late.completed().min(at_once.completed());
        let within = |b: &Behaviour| b.wrong_at().filter(|&bound| Some(bound) <= completed);
        assert_eq!(within(&late), within(&at_once), "seed {seed}");
        compared += usize::from(completed == Some(3));
        wrong += usize::from(within(&late).is_some());
    }
    println!("{compared} compared to the end, {wrong} go wrong");
    assert!(compared > 100 && wrong > 20);
}

/// Nothing that may be read is open, so nothing is shown as open.
#[test]
fn nothing_is_open() {
    let text =
        "bool x; bool a[2]; thread t { bool y; havoc x; assume x == y; havoc a; x := a[0]; }";
    let system = support::system(text).choosing_at_once();
    let mut naive = Naive::new(&system).expect("starts");
    while !naive.advance().expect("goes on").has_collapsed() {}
    for (state, _) in naive.states() {
        let values = system.describe().shared_values(state.shared).into_iter();
        let tops = state.threads.iter().filter_map(|t| t.stack.top());
        let mut all = values.chain(tops.flat_map(|top| system.describe().symbol_values(top)));
        assert!(all.all(|(_, value)| !value.to_string().contains('?')));
    }
}

/// A value that is overwritten before it is read is never chosen, element by element.
#[test]
fn what_is_overwritten_is_not_chosen() {
    let starts = |body: &str| {
        let text = format!("int[0..2] x := 0; void up() {{ {body} }} thread u * 2 = up();");
        support::system(&text).choosing_at_once().initial().expect("starts").len()
    };
    assert_eq!(starts("int[0..2] rs[3] := 0; rs[0] := x; x := rs[2];"), 1);
    assert_eq!(starts("int[0..2] rs[3]; rs[0] := x; rs[1] := x; x := rs[0] + rs[1];"), 1);
    // What may be read without having been set is chosen: one element of three values, for each of two threads.
    assert_eq!(starts("int[0..2] rs[3]; rs[0] := x; rs[1] := x; x := rs[2];"), 9);
    assert_eq!(starts("int[0..2] rs[2]; int[0..1] i := 0; rs[i] := x; x := rs[0];"), 9);
    assert_eq!(starts("int[0..2] rs[2]; rs[0] := x; x := rs[{0 .. 1}];"), 9);
    assert_eq!(starts("int[0..2] rs[2][2]; rs[1][0] := x; x := rs[1][1];"), 9);
    assert_eq!(starts("int[0..2] rs[2][2]; rs[1][0] := x; rs[0][1] := x; x := rs[1][0];"), 1);
}
