//! Alg. 1 of Johnson and Wahl (CAV 2021) with predicates as the abstraction: Sec. 5 as printed, and beside it a test for
//! closure that proves something.

use crate::support;

use selvedge_analysis::Budget;
use selvedge_evidence::replay;
use selvedge_model::System;
use selvedge_predicates::delays::{Course, Test, verify};
use selvedge_predicates::search::Failure;
use selvedge_predicates::{Conclusion, Question, Report};
use selvedge_smt::solver::SolverOptions;
use support::{Example, example, has_solver};

fn run(example: &Example, test: Test) -> Report {
    let question = Question {
        program: &example.program,
        source: &example.source,
        counts: &example.counts,
        property: &example.property,
        solver: SolverOptions::default(),
        only_given: true,
    };
    verify(&question, test, &Budget::default(), &|_| {}, &mut |_, _| {})
}

fn abstract_states(course: &Course) -> usize {
    course.points.last().expect("a point").abstract_states
}

const ALPHA_1: &[&str] = &["p"];
const ALPHA_2: &[&str] = &["p", "m_is_1"];
const ALPHA_3: &[&str] = &["p", "m_is_1", "m_is_0"];

fn program_p(names: &[&str], threads: u32) -> Example {
    example("program-p.weave").only(names).with("p", threads)
}

/// Sec. 5.1 and 5.2: 7 abstract states, and the `if` leads out; 12, closed; 13 with three threads, and `m++` leads out; 14,
/// closed. Fig. 1 (right) ends with a plateau of one round and n - 1 delays.
#[test]
fn the_published_test_gives_the_published_answers() {
    if !has_solver("the_published_test_gives_the_published_answers") {
        return;
    }
    let cases = [
        (ALPHA_1, 2, 7, Some("of p at L1")),
        (ALPHA_2, 2, 12, None),
        (ALPHA_2, 3, 13, Some("of p at L0")),
        (ALPHA_3, 3, 14, None),
        (ALPHA_3, 4, 14, None),
    ];
    for (names, threads, count, leaves) in cases {
        let report = run(&program_p(names, threads), Test::Published);
        let [course] = &report.courses[..] else { panic!("one number of threads") };
        assert_eq!(abstract_states(course), count, "{names:?} {threads}");
        let plateau = threads as usize - 1;
        let (end, tail) = course.points.split_last().expect("points");
        let start = tail[tail.len() - plateau];
        assert_eq!((end.rounds, end.delays), (start.rounds, start.delays + plateau));
        assert!(course.points.iter().rev().take(plateau + 2).all(|p| p.abstract_states == count));
        // Sec. 5.1 says where.
        if threads == 2 {
            assert_eq!((end.rounds, end.delays), (7, 4));
        }
        match (report.answer, leaves) {
            (Conclusion::Unknown(Failure::NotClosed { states, own }), Some(at)) => {
                assert!(states == count && own.contains(at), "{own}");
            }
            // It says safe, which is no proof: other threads lead out.
            (Conclusion::Unknown(Failure::OnlyPublished { states, others }), None) => {
                assert!(states == count && others.is_some());
            }
            _ => panic!("{names:?} with {threads} threads: another answer"),
        }
    }
}

/// Every two threads, and the actions of all: α1 proves nothing, α2 two threads and not three, α3 any number.
#[test]
fn the_repaired_test_proves_what_it_says() {
    if !has_solver("the_repaired_test_proves_what_it_says") {
        return;
    }
    for (names, threads, is_proved) in
        [(ALPHA_1, 2, false), (ALPHA_2, 2, true), (ALPHA_2, 3, false), (ALPHA_3, 3, true)]
    {
        let example = program_p(names, threads);
        match run(&example, Test::Repaired).answer {
            Conclusion::Safe(proof) => {
                assert!(is_proved, "{names:?} {threads}");
                assert!(example.recheck(&proof.certificate).is_ok());
            }
            Conclusion::Unknown(_) => assert!(!is_proved, "{names:?} {threads}"),
            Conclusion::Unsafe { .. } => panic!("a violation"),
        }
    }
    // Any number of threads: 1, 2, … until one more shows nothing new, which is at 4.
    let any = example("program-p.weave");
    let report = run(&any, Test::Repaired);
    let counts: Vec<_> = report.courses.iter().map(|c| (c.threads, abstract_states(c))).collect();
    assert_eq!(counts[1..], [(2, 12), (3, 14), (4, 14)]);
    let Conclusion::Safe(proof) = report.answer else { panic!("no proof") };
    assert!(any.recheck(&proof.certificate).is_ok());
}

/// The published test would call this safe; it goes wrong with the ninth step of one thread.
const MISLEADING: &str = "\
shared int s := 0;
void P(int l, int c) {
  L0: s, l, c := (c == 8 ? s + 1 : s), (c == 8 ? l + 1 : l), c + 1;
  L1: assert s == l;
      goto L0;
}
thread p * 2 = P(0, 0);
predicate p in P: s == l;
";

#[test]
fn nothing_is_safe_by_the_published_test() {
    if !has_solver("nothing_is_safe_by_the_published_test") {
        return;
    }
    let misleading = Example::of(MISLEADING);
    let report = run(&misleading, Test::Published);
    let Conclusion::Unknown(Failure::OnlyPublished { states: 2, others: Some(_) }) = report.answer
    else {
        panic!("another answer")
    };
    assert!(!matches!(run(&misleading, Test::Repaired).answer, Conclusion::Safe(_)));
}

#[test]
fn violations_are_found_on_the_way() {
    let broken = Example::of(&MISLEADING.replace("c == 8", "c == 0"));
    for test in [Test::Published, Test::Repaired] {
        let Conclusion::Unsafe { system, trace, .. } = run(&broken, test).answer else {
            panic!("no violation")
        };
        let states = replay(&*system, &trace).expect("it can be replayed");
        assert!(states.last().is_some_and(|last| system.wrong(last.shared).is_some()));
    }
}
