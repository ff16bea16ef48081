//! Systems that start threads: no violation within the bound is missed for want of threads, and a
//! repetition is a proof only if none was wanting.

use std::sync::Arc;

use selvedge_analysis::engine::{Method, Question, Verdict, check, verify};
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::{Bound, Budget};
use selvedge_frontend::check::CheckOptions;
use selvedge_frontend::{check as checker, weave};
use selvedge_model::{Pattern, Property, Rule, State, System, Tables, Word};
use selvedge_program::{Lowering, Source, ThreadCounts};

const NEVER_WRONG: [Property; 1] = [Property::NeverWrong];

fn program(text: &str) -> Lowering {
    let source = Source::new("test.weave", text);
    let (tree, mistakes) = weave::parse(&source);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (program, mistakes) = checker::check(&tree, &CheckOptions::default());
    let program = program.unwrap_or_else(|| panic!("{mistakes:?}"));
    let lowering = Lowering::new(Arc::new(program), Arc::new(source), &ThreadCounts::new());
    lowering.unwrap_or_else(|e| panic!("{e}")).dropping_threads()
}

fn checked(system: &dyn System, properties: &[Property], contexts: usize) -> Verdict {
    let question =
        Question { system, properties, method: Method::Auto, symmetry: true, evidence: false };
    check(&question, Bound::contexts(contexts), &Budget::default(), &|_| {}).verdict
}

/// The threads that are there from the start do not take the place of those that are started.
#[test]
fn many_first_threads_leave_room_for_started_ones() {
    let system = program(
        "bool go := false;
         void child() { go := true; }
         void main() { async child(); }
         void watcher() { assert !go; }
         void idle() { skip; }
         thread main; thread watcher; thread idle * 4;",
    );
    assert!(matches!(
        checked(&system, &NEVER_WRONG, 2),
        Verdict::Bounded { bound: Bound { count: 2, .. } }
    ));
    let found = checked(&system, &NEVER_WRONG, 3);
    assert!(matches!(found, Verdict::Unsafe { bound: Bound { count: 3, .. }, .. }), "{found:?}");
}

/// A target may be about a thread that was started and has not moved.
#[test]
fn a_target_may_be_a_thread_that_never_moved() {
    let mut tables = Tables::builder();
    let shared = tables.shared("q");
    let template = tables.template("w");
    let [main, child] = ["main", "child"].map(|name| tables.symbol(template, name));
    let word = Word::Rewrite(main);
    let top = Some(main);
    let spawn = Some(child);
    tables.add_rule(template, Rule { shared, top, to_shared: shared, word, spawn, line: 0 });
    tables.thread("w", template, vec![main]);
    tables.initial(shared);
    let system = tables.build().dropping_threads();
    let somewhere = Pattern::Somewhere { shared: None, template: None, symbol: child };
    let found = checked(&system, &[Property::Unreachable(somewhere)], 1);
    assert!(matches!(found, Verdict::Unsafe { bound: Bound { count: 1, .. }, .. }), "{found:?}");
}

#[test]
fn a_repetition_is_a_proof_if_no_thread_was_left_out() {
    let verdict = |system: &dyn System, budget: &Budget| {
        let question = Question {
            system,
            properties: &NEVER_WRONG,
            method: Method::Auto,
            symmetry: true,
            evidence: false,
        };
        verify(&question, budget, &|_| {}).verdict
    };
    let two = program(
        "int[0..2] total := 0;
         void add() { atomic { assert total < 2; total := total + 1; } }
         void main() { async add(); async add(); }",
    );
    assert!(matches!(
        checked(&two, &NEVER_WRONG, 2),
        Verdict::Bounded { bound: Bound { count: 2, .. } }
    ));
    assert!(matches!(verdict(&two, &Budget::default()), Verdict::Safe(_)));

    // The third one goes wrong, and two threads with three contexts do not show it.
    let any_number = program(
        "int[0..2] total := 0;
         void add() { atomic { assert total < 2; total := total + 1; } }
         void main() { while (*) { async add(); } }",
    );
    assert!(matches!(
        checked(&any_number, &NEVER_WRONG, 3),
        Verdict::Bounded { bound: Bound { count: 3, .. } }
    ));
    let found = verdict(&any_number, &Budget::default());
    assert!(matches!(found, Verdict::Unsafe { bound: Bound { count: 4, .. }, .. }), "{found:?}");
}

/// Threads that move in waves show what they show without: also where none was started yet, so that all states have the same length.
#[test]
fn what_is_visible_before_a_thread_is_started() {
    let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
    for text in [
        "lock m; int[0..1] g;
         void p() { acquire m; release m; }
         thread a { g := 1 - g; acquire m; p(); release m; async p(); }",
        "int[0..1] g; int[0..30] x := 0;
         void f() { skip; }
         void h() { g := 1 - g; }
         thread a { h(); while (x < 20) x := x + 1; assert false; async f(); }",
        "int[0..1] g := 0; int[0..9] x := 0; int[0..9] y := 0;
         void f() { skip; }
         void h() { g := 1; }
         thread b { wait(g == 1); g := 0; wait(g == 1); }
         thread a { h(); while (x < 8) { y := 0; while (y < 8) y := y + 1; x := x + 1; } assert x != 8; async f(); }",
    ] {
        let system = crate::support::system(text).choosing_at_once();
        let mut naive = Naive::new(&system).expect("it begins somewhere");
        let mut explorers = [1, 2].map(|crew| {
            let explorer = ContextExplorer::new(&system, Stacks::default(), true).expect("starts");
            (explorer.with_waves_from(0), Budget { crew, ..Budget::default() })
        });
        let mut is_broken = false;
        for bound in 1..=3 {
            let level = naive.advance().expect("it is finite");
            let breaks = |state: &State| Property::first_broken(&both, &system, state).unwrap();
            let new = naive.states().filter(|&(_, least)| least == bound);
            let expected = new.map(|(state, _)| state).any(|state| breaks(state).is_some());
            is_broken |= expected;
            for (explorer, budget) in &mut explorers {
                let seen = explorer.advance(budget).expect("goes on");
                assert_eq!(seen.new_visible, Some(level.new_visible as u128), "{bound}\n{text}");
                let found = explorer.violation(bound, &both).expect("it can be asked");
                assert_eq!(found.is_some(), expected, "{bound}\n{text}");
            }
        }
        assert!(is_broken, "{text}");
    }
}
