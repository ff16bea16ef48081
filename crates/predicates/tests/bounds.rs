//! Bounds that the text shows: what they are, that they hold of all states that are reached, and that
//! no others are believed.

use crate::support;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_predicates::Conclusion;
use selvedge_predicates::sample::{BreadthFirst, explore};
use selvedge_program::Lowering;
use selvedge_smt::bounds::bounds;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::term::Val;
use support::{Example, example, has_solver};

/// The bounds of a program as text, and with how many states they were compared.
fn shown(example: &Example) -> (Vec<String>, usize) {
    let Example { program, source, counts, property } = example;
    let prepared = Prepared::new(program, source).expect("a flow graph");
    let layout = prepared.layout(counts).expect("a layout");
    let all = bounds(&layout, source).expect("bounds");
    let mut seen = 0;
    // Where there is any number of threads, three of each kind.
    let mut fixed = counts.clone();
    for class in layout.classes.iter().filter(|class| class.count.is_none()) {
        fixed.insert(class.name.clone(), 3);
    }
    let system = Lowering::new(Arc::clone(program), Arc::clone(source), &fixed).expect("lowered");
    let order = &mut BreadthFirst::default();
    let found = explore(&system, property, 4000, order, &Budget::default()).expect("explored");
    for state in &found.snapshots(&system, &layout) {
        for bound in &all {
            // What has no value yet is not bounded either.
            if let Some(value) = bound.value(&|var| state.value(&[], var)) {
                assert_eq!(value, Val::Bool(true), "{bound:?}: {state:?}");
                seen += 1;
            }
        }
    }
    let name = |var| layout.name(var, &[]);
    (all.iter().map(|bound| bound.show(&name).to_string()).collect(), seen)
}

#[test]
fn bounds_are_what_steps_add_up_to() {
    let cases: [(&str, &[&str]); 9] = [
        // Once for each thread.
        ("void p() { x++; }\nthread p * 3;", &["(<= 2 x)", "(<= x 5)"]),
        ("void p() { x++; x := x + 2; }\nthread p * 2;", &["(<= 2 x)", "(<= x 8)"]),
        (
            "void p() { x--; }\nvoid q() { x++; }\nthread p * 2;\nthread q;",
            &["(<= 0 x)", "(<= x 3)"],
        ),
        // On a cycle, or by any number of threads: without end.
        ("void p() { while (1) { x++; } }\nthread p;", &["(<= 2 x)"]),
        ("void p() { x--; }\nthread p * any;", &["(<= x 2)"]),
        // The first value is forgotten, and comes back.
        ("void p() { x := 7; x--; }\nthread p * 2;", &["(<= 0 x)", "(<= x 7)"]),
        ("void p() { if (cas(x, 2, 9)) { x++; } }\nthread p;", &["(<= 2 x)", "(<= x 10)"]),
        ("void p() { atomic { x++; x++; } }\nthread p * 2;", &["(<= 2 x)", "(<= x 6)"]),
        // Anything else is none.
        ("void p() { x := x + x; }\nthread p;", &[]),
    ];
    for (text, expected) in cases {
        let (found, seen) = shown(&Example::of(&format!("shared int x := 2;\n{text}\n")));
        assert_eq!(found, expected, "{text}");
        assert!(seen > 0 || expected.is_empty(), "{text}");
    }
}

#[test]
fn bounds_hold_of_what_is_reached() {
    let mut compared = 0;
    for name in ["program-p", "ticket-lock", "barrier", "sequence-lock", "cas-counter"] {
        let (found, seen) = shown(&example(&format!("{name}.weave")));
        println!("{name}: {found:?}, {seen} compared");
        compared += seen;
    }
    assert!(compared > 10_000);
}

/// Random programs: counters that are set and counted up and down, in branches, loops and atomic blocks.
#[test]
fn bounds_hold_of_random_programs() {
    let mut rng = fastrand::Rng::with_seed(24);
    let (mut programs, mut compared) = (0, 0);
    for _ in 0..300 {
        let body = |rng: &mut fastrand::Rng| {
            let mut text = String::new();
            for _ in 0..rng.usize(1..5) {
                let x = ["x", "y"][rng.usize(0..2)];
                let n = rng.i32(0..4);
                let simple = match rng.usize(0..5) {
                    0 => format!("{x} := {n};"),
                    1 => format!("{x}--;"),
                    2 => format!("{x} := {x} + {n};"),
                    _ => format!("{x}++;"),
                };
                text += &match rng.usize(0..6) {
                    0 => format!("if (x < y) {{ {simple} }}\n"),
                    1 => format!("while (x < {n}) {{ {simple} }}\n"),
                    2 => format!("atomic {{ {simple} x++; }}\n"),
                    3 => format!("if (cas({x}, {n}, 3)) {{ {simple} }}\n"),
                    _ => format!("{simple}\n"),
                };
            }
            text
        };
        let (p, q) = (body(&mut rng), body(&mut rng));
        let text = format!(
            "shared int x := 1, y := 0;\nvoid p() {{\n{p}}}\nvoid q() {{\n{q}}}\n\
             thread p * {};\nthread q;\n",
            rng.u32(1..4)
        );
        let (found, seen) = shown(&Example::of(&text));
        programs += usize::from(!found.is_empty());
        compared += seen;
    }
    println!("{programs} programs with bounds, {compared} compared");
    assert!(programs > 150 && compared > 50_000);
}

#[test]
fn a_bound_that_the_text_does_not_show_is_refused() {
    if !has_solver("a_bound_that_the_text_does_not_show_is_refused") {
        return;
    }
    let example = example("program-p.weave").with("p", 2).only(&["p", "m_is_1"]);
    let Conclusion::Safe(proof) = example.verify(true).answer else { panic!("no proof") };
    let certificate = proof.certificate;
    assert!(certificate.bounds.contains(&"(<= |m| 2)".to_owned()), "{:?}", certificate.bounds);
    assert!(example.recheck(&certificate).is_ok());
    for wrong in ["(<= |m| 1)", "(<= |m| 3)", "(= |m| 0)", "(<= |l@0| 2)", "false", "(<= |m|"] {
        let mut changed = certificate.clone();
        changed.bounds.push(wrong.to_owned());
        let refused = example.recheck(&changed).expect_err(wrong).to_string();
        assert!(refused.contains(wrong), "{refused}");
    }
    let mut without = certificate;
    without.bounds.clear();
    assert!(example.recheck(&without).is_err());
}
