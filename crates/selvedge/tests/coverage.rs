//! Answers say what some schedule reaches: exactly, where all schedules were followed. Held against the plain enumeration.

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge::{
    Answer, Bound, InputOptions, Options, Paint, Subject, TraceOptions, VerdictName, check, verify,
};
use selvedge_analysis::naive::Naive;
use selvedge_model::System;
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Lowering, Source, ThreadCounts, print};

fn subject(text: &str) -> Subject {
    Subject::parse("test.weave", text, InputOptions::default())
        .unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// The lines of an answer about what is reached.
fn said(answer: &Answer) -> Vec<String> {
    let text = answer.text(TraceOptions { full: false, paint: Paint { colours: false } });
    let about = |line: &&str| line.starts_with("  reached ") || line.starts_with("  never ");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().filter(about).map(words).collect()
}

const VACUOUS: &str = "bool go := false;\nint[0..3] x := 0;\nthread t {\n  assume go;\n  x := 2;\n  assert x == 1;\n}\nthread u {\n  \
                       x := 1;\n  if (x == 0) {\n    assert false;\n  }\n  assert x >= 0;\n}\n";

#[test]
fn nothing_is_proved_vacuously_in_silence() {
    let options = Options { jobs: 1, ..Options::default() };
    let answer = verify(&subject(VACUOUS), &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe);
    assert_eq!(
        said(&answer),
        [
            "reached 2 of 3 assertions: no schedule gets to the assertion in line 6",
            "never lines 5, 6: no schedule executes them"
        ]
    );
    let bounded = check(&subject(VACUOUS), Bound::contexts(1), &options).unwrap();
    assert_eq!(
        said(&bounded),
        [
            "reached 2 of 3 assertions: no schedule within 1 context gets to the assertion in line 6",
            "never lines 5, 6: no schedule within 1 context executes them"
        ]
    );
    assert_eq!(bounded.object().coverage.unwrap().unexecuted_lines, Some(vec![5, 6]));
}

/// How many assertions of `false` count as reached, and the lines of those that do not. Nobody sets `go`.
#[track_caller]
fn check_false(body: &str, reached: usize, unreached: &[u32]) {
    let text = format!(
        "bool go := false, on := true;\nint[0..2] x := 0;\nvoid wrong() {{ assert false; }}\nthread t {{\n{body}\n}}\n"
    );
    let answer = verify(&subject(&text), &Options { jobs: 1, ..Options::default() }).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe, "{text}");
    let covered = answer.object().coverage.unwrap();
    assert_eq!(
        (covered.reached, covered.unreached_lines.as_slice()),
        (reached, unreached),
        "{text}"
    );
}

#[test]
fn what_asserts_false_counts_if_the_test_directly_before_it_is_reached() {
    // The proof is that nobody gets there.
    check_false("if (go) assert false; if (go) wrong();", 2, &[]);
    check_false("if (x == 0) skip; else { assert false; } if (go) wrong();", 2, &[]);
    check_false("if (go) goto bad; if (go) wrong(); return;\nbad: assert false;", 2, &[]);
    check_false("atomic { if (go) { assert false; } } if (go) wrong();", 2, &[]);
    // A statement before it that nobody executes says that nothing is known of what comes after it.
    check_false("if (go) {\nx := 1;\nassert false; }\nif (go) wrong();", 1, &[7]);
    check_false("if (go) { x := 1; wrong(); }", 0, &[3]);
    check_false("atomic { if (go) {\nx := 1; assert false; } }\nif (go) wrong();", 1, &[6]);
    // So does a test that nobody gets to, or one whose outcome is to wait.
    check_false("if (go) { if (x == 2)\nassert false; }\nif (go) wrong();", 1, &[6]);
    check_false("assume go;\nif (x == 2) wrong();", 0, &[3]);
    check_false("if (x == 0) { assume go;\nassert false; }\nif (go) wrong();", 0, &[3, 6]);
    // Nobody calls it.
    check_false("skip;", 0, &[3]);
    // What a run gets to behind statements is reached, for all that.
    check_false("if (on) {\nx := 1; if (x == 2) { assert false; } if (x == 2) wrong(); }", 2, &[]);
}

#[test]
fn whoever_requires_it_has_no_proof_of_what_is_not_reached() {
    let options = Options { require_reached: true, ..Options::default() };
    let answer = verify(&subject(VACUOUS), &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Unknown);
    assert_eq!(answer.sentence(), "no schedule gets to the assertion in line 6");
    let text = answer.text(TraceOptions { full: false, paint: Paint { colours: false } });
    assert!(text.contains("  completed  no schedule of these 2 threads "), "{text}");
    let bounded = check(&subject(VACUOUS), Bound::contexts(1), &options).unwrap();
    let text = bounded.text(TraceOptions { full: false, paint: Paint { colours: false } });
    assert!(text.contains("  completed  no violation within 1 context "), "{text}");
    let set = VACUOUS.replace("thread u {", "thread v { go := true; }\nthread u {");
    let reached = set.replace("assert x == 1", "assert x != 0");
    let answer = verify(&subject(&reached), &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe);
    assert_eq!(said(&answer), ["reached all 3 assertions"]);
}

#[test]
fn proofs_from_elsewhere_have_tried_some_schedules() {
    // Any number of threads: coverability, which follows no runs.
    let text = "lock m;\nbool busy := false;\nbool go := false;\nthread w * any {\n  acquire(m);\n  assert !busy;\n  busy := true;\n  \
                busy := false;\n  release(m);\n  assume go;\n  assert busy;\n}\n";
    let answer = verify(&subject(text), &Options::default()).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe, "{}", answer.sentence());
    let expected = "reached 1 of 2 assertions: the assertion in line 11 is not known to be reached: no schedule that was tried gets \
                    there";
    assert_eq!(said(&answer), [expected]);
}

#[test]
fn lines_of_c_are_not_looked_at() {
    let text = "int x;\nint main(void) {\n  if (x) {\n    x = 2;\n  }\n  return 0;\n}\n";
    let subject = Subject::parse("test.i", text, InputOptions::default()).unwrap();
    let answer = verify(&subject, &Options::default()).unwrap();
    let covered = answer.object().coverage.unwrap();
    assert_eq!((covered.schedules, covered.unexecuted_lines), ("all", None));
}

/// How many random cases to try; `SELVEDGE_SEEDS=2000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The lines at which a thread stands in a reachable state; `None` if there are too many states to be listed.
fn stood_at(system: &dyn System) -> Option<BTreeSet<u32>> {
    let mut naive = Naive::with_limit(system, 5_000).ok()?;
    let mut states = 0;
    while naive.states().count() > states {
        states = naive.states().count();
        naive.advance().ok()?;
    }
    let tops = naive.states().flat_map(|(state, _)| state.threads.iter().map(|t| t.stack.top()));
    let tops: BTreeSet<_> = tops.flatten().collect();
    Some(tops.into_iter().filter_map(|top| system.describe().symbol_line(top)).collect())
}

#[test]
fn what_all_schedules_reach_is_what_the_enumeration_reaches() {
    let shapes = [
        Shape { recursion: false, dynamic_threads: false, ..Shape::default() },
        Shape { recursion: false, boolean_programs: false, ..Shape::default() },
    ];
    let (mut compared, mut unreached) = (0, 0);
    for seed in 0..many(400) {
        let shape = &shapes[(seed % shapes.len() as u64) as usize];
        let text = print::weave(&random_program(seed, shape));
        // Nobody stands inside of an atomic section.
        if text.contains("atomic") {
            continue;
        }
        let subject = subject(&text);
        let Some(program) = subject.counted_program().unwrap() else { continue };
        let source = Arc::new(Source::new("test.weave", text.as_str()));
        let Ok(system) = Lowering::new(program, source, &ThreadCounts::new()) else { continue };
        let Some(stood_at) = stood_at(&system) else { continue };
        for reduction in [true, false] {
            let options = Options { solver: None, reduction, jobs: 1, ..Options::default() };
            let Ok(answer) = verify(&subject, &options) else { continue };
            let Some(covered) = answer.object().coverage else { continue };
            let Some(unexecuted) = covered.unexecuted_lines else { continue };
            for line in unexecuted.iter().chain(&covered.unreached_lines) {
                assert!(!stood_at.contains(line), "seed {seed}, line {line}\n{text}");
            }
            for (line, statement) in (1..).zip(text.lines()) {
                let is_assertion = statement.trim_start().starts_with("assert ");
                if is_assertion && !statement.contains("assert false") && !stood_at.contains(&line)
                {
                    assert!(
                        covered.unreached_lines.contains(&line),
                        "seed {seed}, line {line}\n{text}"
                    );
                    unreached += 1;
                }
            }
            compared += 1;
        }
    }
    println!("{compared} compared, {unreached} assertions that nobody reaches");
    assert!(compared > many(400) / 20 && unreached > 0, "{compared}, {unreached}");
}
