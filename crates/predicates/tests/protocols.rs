//! Protocols with unbounded integers: proofs, for any number of threads where the program says so, and
//! refutations of broken variants. Every proof is checked again, and refused once it is changed.

use crate::support;

use selvedge_evidence::replay;
use selvedge_model::System;
use selvedge_predicates::Conclusion;
use selvedge_smt::certificate::Certificate;
use support::{Example, example, has_solver};

fn proof(name: &str, example: &Example) -> Certificate {
    match example.verify(false).answer {
        Conclusion::Safe(proof) => proof.certificate,
        Conclusion::Unknown(failure) => panic!("{name}: {failure}"),
        Conclusion::Unsafe { .. } => panic!("{name}: a violation"),
    }
}

/// Whatever is left out or turned round, the proof does not hold any more, or it was not needed.
fn changed_proofs_are_refused(name: &str, example: &Example, certificate: &Certificate) {
    assert!(example.recheck(certificate).is_ok(), "{name}");
    let mut refused = 0;
    for index in 0..certificate.entries.len() {
        let mut without = certificate.clone();
        without.entries.remove(index);
        assert!(example.recheck(&without).is_err(), "{name}: without the places {index}");
        let clauses = certificate.entries[index].clauses.clone().unwrap_or_default();
        for clause in 0..clauses.len() {
            for literal in 0..clauses[clause].len() {
                let mut turned = certificate.clone();
                if let Some(clauses) = &mut turned.entries[index].clauses {
                    clauses[clause][literal] *= -1;
                }
                refused += usize::from(example.recheck(&turned).is_err());
            }
        }
    }
    assert!(refused > 0, "{name}");
}

#[test]
fn protocols_are_proved() {
    if !has_solver("protocols_are_proved") {
        return;
    }
    for name in ["program-p", "ticket-lock", "bakery", "cas-counter"] {
        let without = example(&format!("{name}.weave")).only(&[]);
        let certificate = proof(name, &without);
        assert!(without.recheck(&certificate).is_ok(), "{name}");
        // The predicates of the file do no harm.
        proof(name, &example(&format!("{name}.weave")));
    }
}

#[test]
fn a_changed_proof_is_refused() {
    if !has_solver("a_changed_proof_is_refused") {
        return;
    }
    for name in ["program-p.weave", "ticket-lock.weave"] {
        let example = example(name).only(&[]);
        changed_proofs_are_refused(name, &example, &proof(name, &example));
    }
    // A proof for two threads is none for any number.
    let two = example("program-p.weave").with("p", 2);
    let certificate = proof("two threads", &two);
    let any = example("program-p.weave");
    assert!(two.recheck(&certificate).is_ok() && any.recheck(&certificate).is_err());
}

#[test]
fn the_barrier_is_proved_with_views_of_all_threads() {
    if !has_solver("the_barrier_is_proved_with_views_of_all_threads") {
        return;
    }
    let barrier = example("barrier.weave");
    let certificate = proof("barrier", &barrier);
    assert_eq!(certificate.width, 3);
    assert!(barrier.recheck(&certificate).is_ok());
}

#[test]
fn broken_protocols_are_refuted() {
    for name in ["ticket-lock", "bakery", "sequence-lock", "barrier", "cas-counter"] {
        let broken = example(&format!("{name}-broken.weave"));
        let Conclusion::Unsafe { system, trace, .. } = broken.verify(false).answer else {
            panic!("{name}: no violation")
        };
        let states = replay(&*system, &trace).expect("it replays");
        assert!(system.wrong(states.last().expect("a state").shared).is_some(), "{name}");
    }
}

/// The numbers of instances are different, and that may be all that a proof rests on.
#[test]
fn instances_are_different() {
    if !has_solver("instances_are_different") {
        return;
    }
    let owners = "shared int owner := -1, last := -1;
        void p(int id) {
          if (cas(owner, -1, id)) { last := id; }
          L1: if (owner == id) { assert last == id; }
        }
        thread q[i] * any = p(i);";
    let example = Example::of(owners);
    let certificate = proof("instances", &example);
    assert!(example.recheck(&certificate).is_ok());
    // Where all have the same number, one of them is taken for the owner before it says so.
    let same = Example::of(&owners.replace("q[i] * any = p(i)", "q * any = p(0)"));
    assert!(matches!(same.verify(false).answer, Conclusion::Unsafe { .. }));
    assert!(same.recheck(&certificate).is_err());
}
