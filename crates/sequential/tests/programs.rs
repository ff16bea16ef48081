//! Small programs whose answers are known by hand.

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Proof, Verdict};
use selvedge_evidence::replay;
use selvedge_frontend::check::{CheckOptions, check as check_types};
use selvedge_frontend::weave;
use selvedge_model::{Property, System};
use selvedge_program::{Lowering, Source, ThreadCounts};
use selvedge_sequential::engine::{RoundsQuestion, check};
use selvedge_sequential::{Calls, Guesses, Options};

fn lower(text: &str) -> Lowering {
    let source = Arc::new(Source::new("test.weave", text));
    let (file, mistakes) = weave::parse(&source);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (program, mistakes) = check_types(&file, &CheckOptions::default());
    let program = program.unwrap_or_else(|| panic!("{mistakes:?}"));
    Lowering::new(Arc::new(program), source, &ThreadCounts::new()).expect("lowered")
}

const ALL: [Options; 4] = [
    Options { guesses: Guesses::Near, calls: Calls::Lazy },
    Options { guesses: Guesses::Lazy, calls: Calls::Lazy },
    Options { guesses: Guesses::Eager, calls: Calls::Lazy },
    Options { guesses: Guesses::Eager, calls: Calls::Eager },
];

/// The first round in which the program goes wrong; its run is replayed.
fn first_wrong(text: &str, rounds: usize) -> Option<usize> {
    let program = lower(text);
    let answers = ALL.map(|options| {
        let asked = RoundsQuestion {
            program: &program,
            properties: &[Property::NeverWrong],
            evidence: false,
        };
        match check(&asked, rounds, options, &Budget::default(), &|_| {}).verdict {
            Verdict::Unsafe { bound, trace, .. } => {
                let states = replay(&program, &trace).expect("it replays");
                assert!(program.wrong(states.last().expect("a state").shared).is_some());
                Some(bound.count)
            }
            Verdict::Safe(_) | Verdict::Bounded { .. } => None,
            Verdict::Unknown { stop, .. } => panic!("{stop}"),
        }
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    answers[0]
}

#[test]
fn a_procedure_that_is_called_in_an_atomic_section_is_not_interrupted() {
    let with = |open: &str, close: &str| {
        format!(
            "int[0..2] x := 0;
             void twice() {{ x := x + 1; x := x - 1; }}
             void a() {{ {open} twice(); {close} }}
             void b() {{ assert x == 0; }}
             thread a; thread b;"
        )
    };
    assert_eq!(first_wrong(&with("atomic {", "}"), 3), None);
    assert_eq!(first_wrong(&with("", ""), 3), Some(1));
}

#[test]
fn rounds_are_counted_as_needed() {
    // b answers a, and a answers b: two rounds; one more exchange, three.
    let text = "int[0..4] step := 0;
        void a() { wait(step == 0); step := 1; wait(step == 2); step := 3; wait(step == 4); assert false; }
        void b() { wait(step == 1); step := 2; wait(step == 3); step := 4; }
        thread a; thread b;";
    assert_eq!(first_wrong(text, 2), None);
    assert_eq!(first_wrong(text, 4), Some(3));
}

#[test]
fn a_call_lasts_over_several_rounds() {
    let text = "bool asked := false; bool answered := false;
        bool ask(int[0..3] depth) {
          bool r := false;
          if (depth > 0) { r := ask(depth - 1); } else { asked := true; wait(answered); r := true; }
          return r;
        }
        void a() { bool r := ask(3); assert !r; }
        void b() { wait(asked); answered := true; }
        thread a; thread b;";
    assert_eq!(first_wrong(text, 1), None);
    assert_eq!(first_wrong(text, 2), Some(2));
}

#[test]
fn a_program_with_one_thread_is_proved() {
    // The recursion has no bound, and 40 flags are never listed.
    let flags: String = (0..40).map(|n| format!("bool f{n} := false;\n")).collect();
    let sets: String = (0..40).map(|n| format!("if (*) {{ f{n} := true; }}\n")).collect();
    let text = format!(
        "{flags} bool deep := false;
         void down() {{ if (*) {{ {sets} down(); deep := true; }} }}
         void main() {{ down(); assert deep || !f7; }}
         thread main;"
    );
    let program = lower(&text);
    for options in ALL {
        let asked = RoundsQuestion {
            program: &program,
            properties: &[Property::NeverWrong],
            evidence: false,
        };
        let outcome = check(&asked, 1, options, &Budget::default(), &|_| {});
        assert!(matches!(outcome.verdict, Verdict::Safe(Proof::Summaries)), "{options:?}");
    }
    assert_eq!(first_wrong(&text.replace("deep || !f7", "!deep || !f7"), 1), Some(1));
}

#[test]
fn any_number_of_rounds_may_be_asked_for() {
    let one = "bool a := true; void t() { a := false; assert a; } thread t;";
    let two = "bool ready := false; bool seen := false;
        void first() { ready := true; assert !seen; }
        void second() { wait(ready); seen := true; }
        thread first; thread second;";
    for rounds in [1 << 20, 1 << 32, usize::MAX] {
        assert_eq!(first_wrong(one, rounds), Some(1));
        assert_eq!(first_wrong(two, rounds), Some(2));
    }
}
