//! Threads that must not be at places at the same time, with unbounded integers: proofs for two threads and for any
//! number, violations, and what is refused.

use crate::support;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_evidence::replay;
use selvedge_model::Property;
use selvedge_predicates::Conclusion;
use selvedge_predicates::sample::{BreadthFirst, explore};
use selvedge_program::Lowering;
use selvedge_smt::certificate::Certificate;
use support::{Example, example, has_solver};

fn proof(example: &Example) -> Certificate {
    let proof = match example.verify(false).answer {
        Conclusion::Safe(proof) => proof,
        Conclusion::Unknown(failure) => panic!("no proof: {failure}"),
        Conclusion::Unsafe { .. } => panic!("a violation"),
    };
    assert!(example.recheck(&proof.certificate).is_ok());
    proof.certificate
}

/// P2 of the ticket lock: two threads in the critical section.
#[test]
fn the_ticket_lock_excludes_others() {
    if !has_solver("the_ticket_lock_excludes_others") {
        return;
    }
    let ticket = || example("ticket-lock.weave").only(&[]);
    for both in [
        ticket().target("client@L1,client@L1"),
        ticket().with("client", 2).target("client@L1,client@L1"),
        // More threads than a view has: every two of them are excluded.
        ticket().target("client@L1,client@L1,client@L1"),
        example("ticket-lock-calls.weave").target("client@CS,client@CS"),
        // A place in a procedure that is called.
        example("ticket-lock-calls.weave").target("client@CS,leave@23"),
    ] {
        let certificate = proof(&both);
        for index in (0..certificate.entries.len()).step_by(3) {
            let mut without = certificate.clone();
            without.entries.remove(index);
            assert!(both.recheck(&without).is_err(), "without the places {index}");
        }
        let mut nothing = certificate.clone();
        nothing.entries.clear();
        assert!(both.recheck(&nothing).is_err());
    }
}

/// A proof for one target, or for assertions, is none for another.
#[test]
fn a_proof_is_about_its_own_target() {
    if !has_solver("a_proof_is_about_its_own_target") {
        return;
    }
    let ticket = || example("ticket-lock.weave").only(&[]);
    let certificate = proof(&ticket().target("client@L1,client@L1"));
    for target in ["client@L0,client@L0", "client@L1", "client@L0,client@L1", "client@L2,client@L2"]
    {
        assert!(ticket().target(target).recheck(&certificate).is_err(), "{target}");
    }
    // The assertion is not what was shown: the proof of the target may say less than it needs.
    let plain =
        Example::of("int x := 0;\nvoid p() { L0: x++; L1: assert x == 1; }\nthread p * any;\n");
    let apart = Example::of(
        "int x := 0;\nvoid p() { wait(x == 0); x := -1; L0: skip; L1: assert x == 0; }\nthread p;\nthread q = p();",
    );
    assert!(matches!(plain.verify(false).answer, Conclusion::Unsafe { .. }));
    let target = Example { property: apart_target(), ..apart };
    let certificate = proof(&target);
    let asserted = Example { property: Property::NeverWrong, ..target };
    assert!(asserted.recheck(&certificate).is_err());
}

fn apart_target() -> Property {
    Example::of("int x := 0;\nvoid p() { wait(x == 0); x := -1; L0: skip; L1: assert x == 0; }\nthread p;\nthread q = p();")
        .target("p@L1,p@L1,p@L1")
        .property
}

#[test]
fn targets_that_are_reached_come_with_a_run() {
    let broken = [
        example("ticket-lock-broken.weave").target("client@L2,client@L2"),
        example("ticket-lock-calls-broken.weave").target("client@CS,client@CS"),
        example("ticket-lock.weave").target("client@L0,client@L1"),
        // A label before the `return` of a procedure that is called.
        Example::of(
            "int x := 0;\nvoid f() { if (x >= 0) { L: return; } x := 1; }\nvoid p() { while (true) { f(); } }\nthread p * any;",
        )
        .target("p@L,f@L"),
        // Behind its only statement, a thread has left.
        example("ticket-lock-calls.weave").target("client@CS,leave@24"),
    ];
    for example in broken {
        let Conclusion::Unsafe { system, trace, .. } = example.verify(false).answer else {
            panic!("no violation")
        };
        let states = replay(&*system, &trace).expect("it can be replayed");
        let properties = std::slice::from_ref(&example.property);
        let last = states.last().expect("a state");
        let broken = Property::first_broken(properties, &*system, last).expect("decided");
        assert_eq!(broken, Some(0));
    }
}

/// Random programs with a section that is guarded or not: what is said to be apart is apart with four threads, and what
/// is reached can be replayed.
#[test]
fn random_targets() {
    if !has_solver("random_targets") {
        return;
    }
    let (mut safe, mut reached, mut open) = (0, 0, 0);
    for seed in 0..40 {
        let text = program(&mut fastrand::Rng::with_seed(seed));
        let example =
            Example::of(&text).target(["p@C,p@C", "p@C,p@D", "p@C,p@C,p@D"][seed as usize % 3]);
        match example.verify(false).answer {
            Conclusion::Unknown(_) => open += 1,
            Conclusion::Unsafe { system, trace, .. } => {
                reached += 1;
                let states = replay(&*system, &trace).expect("it can be replayed");
                let properties = std::slice::from_ref(&example.property);
                let last = states.last().expect("a state");
                let broken = Property::first_broken(properties, &*system, last).expect("decided");
                assert_eq!(broken, Some(0), "{text}");
            }
            Conclusion::Safe(proof) => {
                safe += 1;
                assert!(example.recheck(&proof.certificate).is_ok(), "{text}");
                let Example { program, source, counts, property } = example.with("p", 4);
                let system = Lowering::new(Arc::clone(&program), Arc::clone(&source), &counts)
                    .expect("lowered");
                let order = &mut BreadthFirst::default();
                let found = explore(&system, &property, 20_000, order, &Budget::default());
                assert!(found.expect("explored").violation.is_none(), "{text}");
            }
        }
    }
    eprintln!("{safe} safe, {reached} reached, {open} open");
    assert!(safe >= 5 && reached >= 5, "{safe} safe, {reached} reached, {open} open");
}

fn program(seeds: &mut fastrand::Rng) -> String {
    let guard = |seeds: &mut fastrand::Rng| {
        let value = seeds.i32(0..2);
        match seeds.usize(0..4) {
            0 => format!("atomic {{ assume x == {value}; x := {}; }}", 1 - value),
            1 => format!("wait(x == {value});"),
            2 => format!("l := fetch_and_add(y); if (l != {value}) {{ assume false; }}"),
            _ => "if (cas(x, 0, 1)) { skip; } else { assume false; }".to_owned(),
        }
    };
    let leave = ["x := 0;", "x := 1;", "y := 0;", "skip;", "y := y + 1;"];
    format!(
        "shared int x := {}, y := 0;\nvoid p(int l) {{\n  while (true) {{\n  {}\n  C: {}\n  {}\n  D: {}\n  }}\n}}\n\
         thread p * any = p(0);\n",
        seeds.i32(0..2),
        guard(seeds),
        leave[seeds.usize(0..leave.len())],
        guard(seeds),
        leave[seeds.usize(0..leave.len())],
    )
}
