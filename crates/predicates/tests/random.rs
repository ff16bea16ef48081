//! Random programs for any number of threads: whatever is said to be safe has no violation with four
//! threads, more than the search looks at, among 30,000 states.

use crate::support;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_predicates::Conclusion;
use selvedge_predicates::sample::{BreadthFirst, explore};
use selvedge_program::Lowering;
use support::{Example, has_solver};

/// A program with finitely many states for each number of threads, though its integers have no bounds.
fn program(seeds: &mut fastrand::Rng) -> String {
    let place = |seeds: &mut fastrand::Rng| ["x", "y", "l"][seeds.usize(0..3)];
    let value = |seeds: &mut fastrand::Rng| match seeds.usize(0..5) {
        0 | 1 => seeds.i32(0..3).to_string(),
        2 => format!("({} + 1) % 3", place(seeds)),
        _ => place(seeds).to_owned(),
    };
    let cond = |seeds: &mut fastrand::Rng| {
        let op = ["==", "!=", "<", "<="][seeds.usize(0..4)];
        format!("{} {op} {}", place(seeds), value(seeds))
    };
    let mut body = String::new();
    for _ in 0..seeds.usize(2..6) {
        body += &match seeds.usize(0..8) {
            0 => format!("assume {};\n", cond(seeds)),
            1 => format!("if ({}) {{ {} := {}; }}\n", cond(seeds), place(seeds), value(seeds)),
            2 => format!(
                "if (cas(x, {}, {})) {{ y := {}; }}\n",
                value(seeds),
                value(seeds),
                value(seeds)
            ),
            3 => format!(
                "atomic {{ assume {}; {} := {}; }}\n",
                cond(seeds),
                place(seeds),
                value(seeds)
            ),
            4 => format!(
                "atomic {{ {} := {}; {} := {}; }}\n",
                place(seeds),
                value(seeds),
                place(seeds),
                value(seeds)
            ),
            _ => format!("{} := {};\n", place(seeds), value(seeds)),
        };
        if seeds.usize(0..3) == 0 {
            body += &format!("assert {};\n", cond(seeds));
        }
    }
    let (first, last) = if seeds.bool() { ("while (1) {\n", "}\n") } else { ("", "") };
    format!(
        "shared int x := 0, y := {};\nvoid p(int l) {{\n{first}{body}assert {};\n{last}}}\n\
         thread p * any = p(0);\n",
        seeds.i32(0..2),
        cond(seeds)
    )
}

#[test]
fn what_is_safe_has_no_violation_with_more_threads() {
    if !has_solver("what_is_safe_has_no_violation_with_more_threads") {
        return;
    }
    let (mut safe, mut refuted, mut open) = (0, 0, 0);
    for seed in 0..120 {
        let text = program(&mut fastrand::Rng::with_seed(seed));
        let example = Example::of(&text);
        match example.verify(false).answer {
            Conclusion::Unsafe { .. } => refuted += 1,
            Conclusion::Unknown(_) => open += 1,
            Conclusion::Safe(proof) => {
                safe += 1;
                assert!(example.recheck(&proof.certificate).is_ok(), "{text}");
                let Example { program, source, counts, property } = example.with("p", 4);
                let system = Lowering::new(Arc::clone(&program), Arc::clone(&source), &counts)
                    .expect("lowered");
                let order = &mut BreadthFirst::default();
                let found = explore(&system, &property, 30_000, order, &Budget::default());
                assert!(found.expect("explored").violation.is_none(), "{text}");
            }
        }
    }
    eprintln!("{safe} safe, {refuted} refuted, {open} open");
    assert!(safe >= 10 && refuted >= 10, "{safe} safe, {refuted} refuted, {open} open");
}
