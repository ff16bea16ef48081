//! Calls that are written out: the program without them reaches the same shared values and goes wrong where the original does, and a
//! run that goes wrong is one of the original.

use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_evidence::{Trace, replay};
use selvedge_frontend::target::target;
use selvedge_model::{State, System};
use selvedge_predicates::Conclusion;
use selvedge_predicates::sample::{BreadthFirst, Reached, explore};
use selvedge_program::{Lowering, Program};
use selvedge_smt::prepared::Prepared;
use support::{Example, has_solver};

fn reached(example: &Example, program: &Arc<Program>) -> (Lowering, Reached) {
    let Example { source, counts, property, .. } = example;
    let system = Lowering::new(Arc::clone(program), Arc::clone(source), counts).expect("lowered");
    let order = &mut BreadthFirst::default();
    let found = explore(&system, property, 60_000, order, &Budget::default()).expect("explored");
    (system, found)
}

fn shared(system: &Lowering, found: &Reached) -> BTreeSet<String> {
    found.states.iter().map(|state| format!("{:?}", system.values_of(state.shared))).collect()
}

/// Compares which targets are reached; how many are.
fn compare_targets(example: Example, prepared: &Prepared, targets: &[&str]) -> usize {
    let mut count = 0;
    let Example { program, source, counts, .. } = example;
    for text in targets {
        let property = target(text, &program, &source).unwrap_or_else(|why| panic!("{why:?}"));
        let meant = prepared.property(&property).expect("places of its own");
        let (program, source, counts) = (Arc::clone(&program), Arc::clone(&source), counts.clone());
        let asked = Example { program, source, counts, property };
        let (_, in_original) = reached(&asked, &asked.program);
        let asked_of_inlined = Example { property: meant, ..asked };
        let (_, in_inlined) = reached(&asked_of_inlined, &prepared.inlined.program);
        let is_reached = in_original.violation.is_some();
        let text = asked_of_inlined.source.text();
        assert_eq!(is_reached, in_inlined.violation.is_some(), "{targets:?}: {text}");
        count += usize::from(is_reached);
    }
    count
}

/// Compares a program with the one without calls; whether it goes wrong, and how many targets are reached.
fn compare(text: &str) -> (bool, usize) {
    let example = Example::of(text);
    let prepared = Prepared::new(&example.program, &example.source).expect("not recursive");
    assert!(prepared.inlined.changed, "{text}");
    let labels = ["*@A", "*@B", "g@C", "*@G", "p@H", "*@A,*@A", "f@B,g@G", "*@G,p@H"];
    let labels = if text.contains("H: ") { &labels[..] } else { &[] };
    let targets = compare_targets(Example::of(text), &prepared, labels);
    let (original, in_original) = reached(&example, &example.program);
    let (inlined, in_inlined) = reached(&example, &prepared.inlined.program);
    let is_wrong = in_original.violation.is_some();
    assert_eq!(is_wrong, in_inlined.violation.is_some(), "{text}");
    if !is_wrong {
        assert!(in_original.complete && in_inlined.complete, "{text}");
        assert_eq!(shared(&original, &in_original), shared(&inlined, &in_inlined), "{text}");
    } else if let Some(trace) = &in_inlined.violation {
        // The run without calls is one of the original.
        let states = replay(&inlined, trace).expect("it can be replayed");
        let threads = trace.steps.iter().map(|(thread, _)| *thread);
        let run: Vec<_> = threads.zip(states.into_iter().skip(1)).collect();
        let wanted = |state: &State| Ok(original.wrong(state.shared).is_some());
        let lifted = prepared.inlined.lift(&inlined, &trace.initial, &run, &original, &wanted);
        let (initial, steps) = lifted.expect("lifted").unwrap_or_else(|| panic!("lost: {text}"));
        let states = replay(&original, &Trace { initial, steps }).expect("it can be replayed");
        assert!(states.last().is_some_and(|last| original.wrong(last.shared).is_some()), "{text}");
    }
    (is_wrong, targets)
}

#[test]
fn calls_in_all_places() {
    let cases = [
        // Results to shared variables and elements, in conditions of the way, and dropped.
        "int x := 0; int a[2] := 0;\nint f(int n) { if (n > 1) { return n - 2; } x := (x + n) % 3; return n; }\n\
         void p() { while (true) { a[x % 2] := f(a[0] + 1); f(1); x := f(x); } }\nthread p * 2;",
        // A return out of loops and atomic blocks; labels and jumps in two bodies.
        "int x := 0;\nvoid f(int n) { again: while (true) { atomic { x := (x + 1) % 4; if (x == n) { return; } } \
         if (x == 3) { goto again; } } }\nvoid p() { f(1); f(2); assert x != 3; }\nthread p * 2;",
        // Calls of calls, in an atomic block, and variables that start anew with each call.
        "int x := 0; bool b := false;\nint g() { bool c; if (c) { return 1; } return 2; }\n\
         int f() { int r; r := g(); x := (x + r) % 3; return r; }\n\
         void p() { int s; atomic { s := f(); s := f(); } assert s < 3; b := x == 0; }\nthread p * 2;",
        // Who falls off the end returns anything.
        "int[0..3] x := 0;\nint[0..3] f(bool c) { if (c) { return 1; } }\nvoid p() { x := f(x == 0); x := f(false); }\nthread p;",
        // A value that does not fit the parameter.
        "int x := 0;\nvoid f(int[0..2] n) { x := n; }\nvoid p() { f(x + 1); f(x + 1); f(x + 1); }\nthread p;",
        // The result is handed over before anybody else acts.
        "int x := 0;\nint f() { return x + 1; }\nvoid p() { x := f(); x := f(); }\n\
         void q() { assert x != 3; x := 7; assert x >= 7; }\nthread p * 2; thread q;",
    ];
    for case in cases {
        compare(case);
    }
}

#[test]
fn random_programs_with_calls() {
    let (mut wrong, mut targets) = (0, 0);
    for seed in 0..50 {
        let (is_wrong, reached) = compare(&program(&mut fastrand::Rng::with_seed(seed)));
        wrong += usize::from(is_wrong);
        targets += reached;
    }
    assert!((50..350).contains(&targets), "{targets} of 400 targets are reached");
    assert!((5..45).contains(&wrong), "{wrong} go wrong");
}

/// Procedures `f` (with a result), `g` (which may call `f`) and `p` (which calls both), over numbers below 3.
fn program(seeds: &mut fastrand::Rng) -> String {
    fn value(seeds: &mut fastrand::Rng, names: &[&str]) -> String {
        let name = names[seeds.usize(0..names.len())];
        match seeds.usize(0..4) {
            0 => seeds.i32(0..3).to_string(),
            1 => format!("({name} + 1) % 3"),
            _ => name.to_owned(),
        }
    }
    fn body(seeds: &mut fastrand::Rng, names: &[&str], calls: &[&str], result: bool) -> String {
        let mut text = String::new();
        for _ in 0..seeds.usize(1..4) {
            let place = names[seeds.usize(0..names.len())];
            let (a, b) = (value(seeds, names), value(seeds, names));
            text += &match seeds.usize(0..8) {
                0 if result => format!("if ({a} == {b}) {{ return {a}; }}\n"),
                0 => format!("if ({a} == {b}) {{ return; }}\n"),
                1 => format!("assume {a} != {b} || x == y;\n"),
                2 => format!("atomic {{ x := {a}; y := {b}; }}\n"),
                3 | 4 if calls.contains(&"f") => format!("{place} := f({a});\n"),
                5 if calls.contains(&"g") => format!("atomic {{ g({a}); {place} := {b}; }}\n"),
                6 if calls.contains(&"g") => format!("g({a});\n"),
                7 => format!("if ({a} < {b}) {{ {place} := {b}; }} else {{ {place} := {a}; }}\n"),
                _ => format!("{place} := {a};\n"),
            };
        }
        text
    }
    let f = body(seeds, &["x", "y", "n", "m"], &[], true);
    let g = body(seeds, &["x", "y", "n", "m"], &["f"], false);
    let p = body(seeds, &["x", "y", "l"], &["f", "g"], false);
    let (first, second) = (value(seeds, &["x", "l"]), value(seeds, &["y", "l"]));
    format!(
        "int x := 0, y := 1;\nint f(int n) {{ int m := 0;\nA: skip;\n{f}B: return m; }}\n\
         void g(int n) {{ int m := 2;\nC: {g}if (x == y) {{ G: return; }} }}\n\
         void p(int l) {{\n{p}l := f(l);\ng(l);\nH: assert {first} != {second} || x <= y;\n}}\nthread p * 2 = p(0);\n"
    )
}

#[test]
fn recursion_is_refused_and_searched_from_below() {
    let recursive = Example::of(
        "int x := 0;\nvoid f(int n) { x := x + n; if (*) { f(n + 1); } assert x < 9; }\nthread f * any = f(1);",
    );
    let Err(refusal) = Prepared::new(&recursive.program, &recursive.source) else { panic!("no") };
    assert!(refusal.to_string().starts_with("line 2: `f` is recursive"), "{refusal}");
    let Conclusion::Unsafe { system, trace, .. } = recursive.verify(false).answer else {
        panic!("no violation")
    };
    let states = replay(&*system, &trace).expect("it can be replayed");
    assert!(states.last().is_some_and(|last| system.wrong(last.shared).is_some()));
    // Where nothing goes wrong, the answer says why there is no proof.
    let safe = Example::of(
        "int x := 0;\nvoid f(int n) { x := x + n; if (*) { f(n + 1); } }\nthread f * any = f(1);",
    );
    let report = safe.verify(false);
    let Conclusion::Unknown(why) = report.answer else { panic!("an answer") };
    assert!(why.to_string().contains("recursive") && report.seen.len() == 3, "{why}");
}

/// The proof of the lock with procedures, and what is left of it when places or clauses are changed.
#[test]
fn proofs_about_calls_are_checked() {
    if !has_solver("proofs_about_calls_are_checked") {
        return;
    }
    let lock = support::example("ticket-lock-calls.weave");
    let Conclusion::Safe(proof) = lock.verify(false).answer else { panic!("no proof") };
    assert!(lock.recheck(&proof.certificate).is_ok());
    let broken = support::example("ticket-lock-calls-broken.weave");
    assert!(broken.recheck(&proof.certificate).is_err());
    for index in (0..proof.certificate.entries.len()).step_by(7) {
        let mut without = proof.certificate.clone();
        without.entries.remove(index);
        assert!(lock.recheck(&without).is_err(), "without the places {index}");
    }
}

/// A predicate of a procedure that is called is one of its bodies.
#[test]
fn predicates_of_called_procedures_prove_something() {
    if !has_solver("predicates_of_called_procedures_prove_something") {
        return;
    }
    let text = "int g := 0;\nvoid up() { g := g + 1; }\nint look() { int s; s := g; L: assert s <= g; return s; }\n\
                void writer() { while (true) { up(); } }\nvoid reader(int t) { while (true) { t := look(); } }\n\
                thread writer;\nthread reader * any = reader(0);\npredicate p in look: s <= g;\n";
    let example = Example::of(text);
    let report = example.verify(true);
    let Conclusion::Safe(proof) = report.answer else { panic!("no proof") };
    assert!(example.recheck(&proof.certificate).is_ok());
    assert!(report.seen.iter().all(|seen| seen.abstract_states.is_none()));
}
