//! The examples of Johnson and Wahl, *Delay-Bounded Scheduling Without Delay* (CAV 2021), Sec. 5 and 6:
//! the numbers of abstract states, and what they prove. `docs/decisions/0021-predicates.md` has the
//! differences.

mod support;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_predicates::count::abstract_states;
use selvedge_predicates::sample::{BreadthFirst, explore};
use selvedge_predicates::search::Failure;
use selvedge_predicates::{Answer, flow_of};
use selvedge_program::Lowering;
use selvedge_smt::layout::Layout;
use support::{Example, example, has_solver};

const ALPHA_1: &[&str] = &["p"];
const ALPHA_2: &[&str] = &["p", "m_is_1"];
const ALPHA_3: &[&str] = &["p", "m_is_1", "m_is_0"];

/// How many abstract states are reached; the labels are those of the places.
fn reached(example: &Example, most: usize) -> Vec<(String, Vec<Option<bool>>)> {
    let Example { program, source, counts } = example;
    let flow = flow_of(program).unwrap_or_else(|e| panic!("{e}"));
    let layout = Layout::new(program, &flow, counts).expect("a layout");
    let system = Lowering::new(Arc::clone(program), Arc::clone(source), counts).expect("lowered");
    let order = &mut BreadthFirst::default();
    let found = explore(&system, &layout, most, order, &Budget::default()).expect("explored");
    let predicates: Vec<_> = program.predicates.iter().collect();
    let all = abstract_states(&layout, &predicates, &found.states);
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

/// The ticket lock, where every thread has a ticket: 3 abstract states if leaving and drawing the next
/// ticket are one step, as the text of the paper has it, and 4, as the paper counts, if they are two.
#[test]
fn the_ticket_lock_has_the_abstract_states_of_the_paper_with_one_step_more() {
    let drawing = "      l := fetch_and_add(t);\n      }\n";
    let apart = "      }\n      l := fetch_and_add(t);\n";
    for threads in [2, 3] {
        let with_tickets = |example: Example| {
            let all = reached(&example.with("client", threads), 10_000);
            all.iter().filter(|(_, bits)| bits.iter().all(Option::is_some)).count()
        };
        let as_written = example("ticket-lock.weave");
        let text = as_written.source.text().to_owned();
        assert!(text.contains(drawing));
        assert_eq!(with_tickets(as_written), 3);
        let two_steps = Example::of(&text.replace(drawing, apart));
        assert_eq!(with_tickets(two_steps), 4);
    }
}

fn obstacle(example: &Example) -> String {
    match example.verify(true).answer {
        Answer::Unknown(failure @ Failure::Obstacle { .. }) => failure.to_string(),
        Answer::Unknown(failure) => panic!("{failure}"),
        Answer::Safe(proof) => panic!("a proof: {}", proof.checked),
        Answer::Unsafe { .. } => panic!("a violation"),
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
    let (wrong, lost) = text.split_once("; they first lose track at ").expect("where it begins");
    assert!(wrong.contains(" of p at L3 ") && wrong.contains("assertion failed"), "{text}");
    assert!(lost.contains(" of p at L2 "), "{text}");
}

/// With α2, `m != 1` may be any other number: two threads may both find `m = 1` after their `m++`. The
/// paper looks at the steps of one thread alone, and does not see that. α3 excludes it for two and
/// three threads, with views of all of them. For any number it does not: over the integers `m++`
/// leads from m = -1 to m = 0. One predicate more does it.
#[test]
fn what_alpha_2_and_3_prove_of_program_p() {
    if !has_solver("what_alpha_2_and_3_prove_of_program_p") {
        return;
    }
    obstacle(&program_p(ALPHA_2, 2));
    for threads in [2, 3] {
        let all = program_p(ALPHA_3, threads);
        let Answer::Safe(proof) = all.verify(true).answer else { panic!("no proof") };
        assert!(all.recheck(&proof.certificate).is_ok());
    }
    obstacle(&example("program-p.weave"));
    let more = example("program-p.weave").with_text("predicate natural: m >= 0;");
    let Answer::Safe(proof) = more.verify(true).answer else { panic!("no proof") };
    assert!(more.recheck(&proof.certificate).is_ok());
}

/// Removes an abstract state from a proof by abstract states, one after the other.
#[test]
fn a_proof_without_one_of_its_views_is_refused() {
    if !has_solver("a_proof_without_one_of_its_views_is_refused") {
        return;
    }
    let two = program_p(ALPHA_3, 2);
    let Answer::Safe(proof) = two.verify(true).answer else { panic!("no proof") };
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
