//! The examples of Johnson and Wahl, *Delay-Bounded Scheduling Without Delay* (CAV 2021), Sec. 5 and 6:
//! the numbers of abstract states, and what they prove. `docs/decisions/0021-predicates.md` has the
//! differences.

use crate::support;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_predicates::Conclusion;
use selvedge_predicates::count::abstract_states;
use selvedge_predicates::sample::{BreadthFirst, explore};
use selvedge_predicates::search::Failure;
use selvedge_program::Lowering;
use selvedge_smt::prepared::Prepared;
use support::{Example, example, has_solver};

const ALPHA_1: &[&str] = &["p"];
const ALPHA_2: &[&str] = &["p", "m_is_1"];
const ALPHA_3: &[&str] = &["p", "m_is_1", "m_is_0"];

/// How many abstract states are reached; the labels are those of the places.
fn reached(example: &Example, most: usize) -> Vec<(String, Vec<Option<bool>>)> {
    let Example { program, source, counts, property } = example;
    let prepared = Prepared::new(program, source).expect("a flow graph");
    let layout = prepared.layout(counts).expect("a layout");
    let system = Lowering::new(Arc::clone(program), Arc::clone(source), counts).expect("lowered");
    let order = &mut BreadthFirst::default();
    let found = explore(&system, property, most, order, &Budget::default()).expect("explored");
    let predicates: Vec<_> = program.predicates.iter().collect();
    let all = abstract_states(&layout, &predicates, &found.snapshots(&system, &layout));
    all.into_iter().map(|(place, bits)| (layout.place_key(place), bits)).collect()
}

fn program_p(names: &[&str], threads: u32) -> Example {
    example("program-p.weave").only(names).with("p", threads)
}

#[test]
fn program_p_has_the_abstract_states_of_the_paper() {
    let count = |names, threads, most| reached(&program_p(names, threads), most).len();
    assert_eq!(count(ALPHA_1, 2, 1000), 7);
    assert_eq!(count(ALPHA_2, 2, 1000), 12);
    assert_eq!(count(ALPHA_2, 3, 3000), 13);
    assert_eq!(count(ALPHA_3, 3, 3000), 14);
    assert_eq!(count(ALPHA_3, 4, 10_000), 14);
}

/// The ticket lock, from the first ticket on: 4 abstract states, as the paper counts, if leaving and
/// drawing the next ticket are two steps; 3, if line 1 of the figure is one step. The predicates of the
/// figure alone prove both, for any number of threads.
#[test]
fn the_ticket_lock_has_the_abstract_states_of_the_paper() {
    let apart = "      }\n  L2: l := fetch_and_add(t);\n";
    let together = "      l := fetch_and_add(t);\n      }\n";
    let text = example("ticket-lock.weave").source.text().to_owned();
    assert!(text.contains(apart));
    let one_step = text.replace(apart, together);
    for (text, expected) in [(&text, 4), (&one_step, 3)] {
        for threads in [2, 3] {
            let all = reached(&Example::of(text).with("client", threads), 10_000);
            // The first place is before the first ticket.
            let with_ticket = all.iter().filter(|(place, _)| place != "client@0");
            assert_eq!(with_ticket.count(), expected);
        }
        if has_solver("the_ticket_lock_has_the_abstract_states_of_the_paper") {
            let given = Example::of(text);
            let Conclusion::Safe(proof) = given.verify(true).answer else { panic!("no proof") };
            assert!(given.recheck(&proof.certificate).is_ok());
        }
    }
}

fn obstacle(example: &Example) -> String {
    match example.verify(true).answer {
        Conclusion::Unknown(failure @ Failure::Obstacle { .. }) => failure.to_string(),
        Conclusion::Unknown(failure) => panic!("{failure}"),
        Conclusion::Safe(proof) => panic!("a proof: {}", proof.checked),
        Conclusion::Unsafe { .. } => panic!("a violation"),
    }
}

/// α1 knows neither whether a thread may pass line 1 (the obstacle of the paper) nor what a step of
/// *another* thread at line 2 does to `s = l`.
#[test]
fn alpha_1_does_not_prove_program_p() {
    if !has_solver("alpha_1_does_not_prove_program_p") {
        return;
    }
    let text = obstacle(&program_p(ALPHA_1, 2));
    let (wrong, lost) =
        text.split_once("; what no run was seen to do begins with ").expect("where it begins");
    assert!(wrong.contains(" of p at L3 ") && wrong.contains("assertion failed"), "{text}");
    assert!(lost.contains(" of p at L2 "), "{text}");
}

/// Bounds that the text shows are known beside the predicates: m is not negative, and with n threads
/// at most n. With them, the answers are those of the paper. α2 proves two threads, and not three: there
/// m may be 0 or 2 where it is not 1. α3 proves any number. The paper's own test is another one, see
/// `one_thread.rs`.
#[test]
fn what_alpha_2_and_3_prove_of_program_p() {
    if !has_solver("what_alpha_2_and_3_prove_of_program_p") {
        return;
    }
    let proved = |example: Example, bound: &str| {
        let report = example.verify(true);
        let Conclusion::Safe(proof) = report.answer else { panic!("no proof") };
        assert!(example.recheck(&proof.certificate).is_ok());
        assert!(proof.certificate.bounds.iter().any(|b| b == bound), "{:?}", proof.certificate);
        report.seen.last().and_then(|seen| seen.abstract_states)
    };
    assert_eq!(proved(program_p(ALPHA_2, 2), "(<= |m| 2)"), Some(12));
    let text = obstacle(&program_p(ALPHA_2, 3));
    let (_, lost) =
        text.split_once("; what no run was seen to do begins with ").expect("where it begins");
    assert!(lost.contains(" of p at L0 beside p at L0 and p at L0"), "{text}");
    assert_eq!(proved(example("program-p.weave"), "(<= 0 |m|)"), Some(14));
}

/// Removes an abstract state from a proof by abstract states, one after the other.
#[test]
fn a_proof_without_one_of_its_views_is_refused() {
    if !has_solver("a_proof_without_one_of_its_views_is_refused") {
        return;
    }
    let two = program_p(ALPHA_3, 2);
    let Conclusion::Safe(proof) = two.verify(true).answer else { panic!("no proof") };
    for (index, entry) in proof.certificate.entries.iter().enumerate() {
        let views = entry.views.as_ref().map_or(0, |(_, views)| views.len());
        for view in 0..views {
            let mut without = proof.certificate.clone();
            if let Some((_, views)) = &mut without.entries[index].views {
                views.remove(view);
            }
            assert!(two.recheck(&without).is_err(), "{:?}: {view}", entry.places);
        }
    }
}
