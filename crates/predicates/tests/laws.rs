//! Laws of counting: that they hold in all states that are reached, what they prove, and that no others are believed.

use crate::support;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_predicates::Conclusion;
use selvedge_predicates::sample::{BreadthFirst, explore};
use selvedge_program::Lowering;
use selvedge_smt::invariant::subsets;
use selvedge_smt::laws::laws;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::term::Val;
use support::{Example, example, has_solver};

/// The laws of a program as text. They are compared with what is reached with three threads of each kind: for all threads,
/// and for all choices of some of them.
fn shown(example: &Example) -> Vec<String> {
    let Example { program, source, counts, property } = example;
    let prepared = Prepared::new(program, source).expect("a flow graph");
    let layout = prepared.layout(counts).expect("a layout");
    let all = laws(&layout, source).expect("laws");
    let mut fixed = counts.clone();
    for class in layout.classes.iter().filter(|class| class.count.is_none()) {
        fixed.insert(class.name.clone(), 3);
    }
    let plain = Arc::clone(&prepared.inlined.program);
    let system = Lowering::new(plain, Arc::clone(source), &fixed).expect("lowered");
    let order = &mut BreadthFirst::default();
    let found = explore(&system, property, 3000, order, &Budget::default()).expect("explored");
    for state in found.snapshots(&system, &layout) {
        let places = state.places();
        let everyone: Vec<usize> = (0..places.len()).collect();
        for count in 0..=places.len() {
            for some in subsets(&everyone, count) {
                let some: Vec<_> = some.into_iter().map(|thread| places[thread]).collect();
                for law in &all {
                    let value = law.among(&some).value(&|var| state.value(&[], var));
                    assert_eq!(value, Some(Val::Bool(true)), "{}: {state:?}", law.show(&layout));
                }
            }
        }
    }
    all.iter().map(|law| law.show(&layout)).collect()
}

#[test]
fn laws_are_what_no_step_changes() {
    let cases: [(&str, &[&str]); 5] = [
        // What one takes, and gives back.
        (
            "void p() { while (1) { x--; y++; x++; y--; } }\nthread p * any;",
            &["x + 1 * #{p@3} + 1 * #{p@4} = 2", "-y + 1 * #{p@4} + 1 * #{p@5} = 0"],
        ),
        // In one step: two variables that go together.
        (
            "void p() { while (1) { x, y := x + 1, y + 1; } }\nthread p * any;",
            &["x - y = 2", "-x + y = -2"],
        ),
        // How often it was taken: not the same on all ways.
        ("void p() { while (1) { if (*) { x--; } } }\nthread p * any;", &[]),
        // Set to a value: no sum.
        ("void p() { x := 1; x--; }\nthread p * 2;", &[]),
        // Threads that give and never take.
        ("void p() { x++; }\nvoid q() { x--; }\nthread p * 2;\nthread q * any;", &[]),
    ];
    for (text, expected) in cases {
        let text = format!("shared int x := 2, y := 0;\n{text}\n");
        let mut all = shown(&Example::of(&text));
        all.sort();
        let mut expected: Vec<String> = expected.iter().map(|law| (*law).to_owned()).collect();
        expected.sort();
        assert_eq!(all, expected, "{text}");
    }
}

#[test]
fn laws_hold_of_random_programs() {
    let mut found = 0;
    for seed in 0..40 {
        let seeds = &mut fastrand::Rng::with_seed(seed);
        let change = |seeds: &mut fastrand::Rng| {
            let name = ["x", "y", "z"][seeds.usize(0..3)];
            let op = ["++", "--"][seeds.usize(0..2)];
            match seeds.usize(0..4) {
                0 => format!("atomic {{ assume {name} > 0; {name}--; }}"),
                1 => format!("x, z := x + {}, z - 1;", seeds.i32(-1..2)),
                _ => format!("{name}{op};"),
            }
        };
        let mut bodies = [String::new(), String::new()];
        for body in &mut bodies {
            for _ in 0..seeds.usize(1..5) {
                *body += &change(seeds);
                if seeds.usize(0..5) == 0 {
                    *body +=
                        &format!("if (x > y) {{ {} }} else {{ {} }}", change(seeds), change(seeds));
                }
            }
        }
        let text = format!(
            "shared int x := {}, y := 0, z := 1;\nvoid p() {{ while (1) {{ {} }} }}\nvoid q() {{ {} }}\n\
             thread p * any;\nthread q * {};\n",
            seeds.i32(0..4),
            bodies[0],
            bodies[1],
            ["any", "2"][seeds.usize(0..2)],
        );
        found += shown(&Example::of(&text)).len();
    }
    assert!(found >= 20, "{found} laws");
}

#[test]
fn the_semaphore_is_proved_by_counting() {
    if !has_solver("the_semaphore_is_proved_by_counting") {
        return;
    }
    let semaphore = example("semaphore.weave");
    let Conclusion::Safe(proof) = semaphore.verify(false).answer else { panic!("no proof") };
    let certificate = proof.certificate;
    assert!(!certificate.laws.is_empty());
    assert!(semaphore.recheck(&certificate).is_ok());
    // Without its laws it does not hold, and other laws are not believed.
    let mut without = certificate.clone();
    without.laws.clear();
    assert!(semaphore.recheck(&without).is_err());
    for number in 0..certificate.laws.len() {
        let mut fewer = certificate.clone();
        fewer.laws.remove(number);
        assert!(semaphore.recheck(&fewer).is_err(), "{}", certificate.laws[number]);
        for (from, to) in [(" = 2", " = 1"), (" = 2", " = 3"), ("1 * ", "2 * "), ("inside", "free")]
        {
            let mut other = certificate.clone();
            other.laws[number] = other.laws[number].replace(from, to);
            let same = other.laws == certificate.laws;
            assert!(same || semaphore.recheck(&other).is_err(), "{}", other.laws[number]);
        }
    }
    // Those of the semaphore with a gap prove nothing: it goes wrong.
    let broken = example("semaphore-broken.weave");
    assert!(broken.recheck(&certificate).is_err());
    assert!(matches!(broken.verify(false).answer, Conclusion::Unsafe { .. }));
}
