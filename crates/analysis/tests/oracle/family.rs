//! # Thread ids and chosen indices
//! Programs in which thread ids are kept, copied, compared and joined, threads are started in loops,
//! and atomic operations choose the element that they work on, against the interpreter: what engines
//! say, through dropped threads, ids that are given again and certificates, is what the text says.

use std::sync::Arc;

use selvedge_analysis::engine::{Method, Question, Verdict, check, verify};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::{CutCertificate, Evidence, Trace, recheck};
use selvedge_model::{Property, System};
use selvedge_program::flow::Command;
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Lowering, Program, Source, ThreadCounts, print};

use crate::oracle::search::{Limits, Reached, reached_with};
use crate::oracle::{Answer, BOUND, Tally, compare};
use crate::support::{lower, many, read_weave};

const NEVER_WRONG: [Property; 1] = [Property::NeverWrong];
/// Where more threads than this are started, the interpreter looks at some of the runs only.
const STARTS: usize = 3;
/// More states are too many.
const STATES: usize = 150;

fn question(system: &dyn System) -> Question<'_> {
    let properties = &NEVER_WRONG;
    Question { system, properties, method: Method::Auto, symmetry: true, evidence: true }
}

/// How much work is spent on random programs: what is not decided by then is not compared.
const LITTLE: u64 = 1 << 13;

/// How much work is spent on programs that have to be decided.
const MUCH: u64 = 1 << 28;

fn within(work: u64) -> Budget {
    Budget::default().with_work(work)
}

/// How many threads a run starts, those that are dropped included.
fn starts(system: &Lowering, trace: &Trace) -> usize {
    let edges = trace.steps.iter().flat_map(|(_, action)| system.edges_of(action.origin));
    let starts =
        |command: &Command| matches!(command, Command::Async { .. } | Command::StartThread { .. });
    edges.filter(|edge| starts(&system.flow().edge(*edge).command)).count()
}

fn must_hold(system: &dyn System, evidence: Option<&Evidence>, about: &str) {
    let evidence = evidence.unwrap_or_else(|| panic!("no evidence\n{about}"));
    recheck(system, &NEVER_WRONG, evidence).unwrap_or_else(|e| panic!("{e}\n{about}"));
}

/// What came of many comparisons with engines.
#[derive(Default, Debug)]
struct Decided {
    asked: usize,
    within: usize,
    safe: usize,
    unsafe_: usize,
    /// Those with more threads than the interpreter starts.
    beyond: usize,
}

impl Decided {
    /// Asks engines about a program with a fixed number of first threads.
    fn ask(&mut self, program: &Program, levels: &[Reached], work: u64, about: &str) {
        let text = print::weave(program);
        let about = &format!("{about}\n{text}");
        let Ok(system) = lower(program, &text) else { return };
        let system = system.dropping_threads();
        let first_wrong = levels.iter().position(|level| level.wrong);
        self.asked += 1;
        let outcome = check(&question(&system), Bound::contexts(BOUND), &within(work), &|_| {});
        match &outcome.verdict {
            Verdict::Unsafe { bound, trace, .. } => {
                self.within += 1;
                self.unsafe_ += 1;
                must_hold(&system, outcome.evidence.as_ref(), about);
                if starts(&system, trace) <= STARTS {
                    assert_eq!(Some(bound.count), first_wrong, "{about}");
                } else {
                    self.beyond += 1;
                    assert!(first_wrong.is_none_or(|first| bound.count <= first), "{about}");
                }
                return;
            }
            Verdict::Bounded { .. } | Verdict::Safe(_) => {
                self.within += 1;
                assert_eq!(first_wrong, None, "{about}");
            }
            _ => {}
        }
        let outcome = verify(&question(&system), &within(work), &|_| {});
        match &outcome.verdict {
            Verdict::Safe(_) => {
                self.safe += 1;
                assert_eq!(first_wrong, None, "{about}");
                must_hold(&system, outcome.evidence.as_ref(), about);
            }
            Verdict::Unsafe { .. } => {
                self.unsafe_ += 1;
                must_hold(&system, outcome.evidence.as_ref(), about);
            }
            _ => {}
        }
    }
}

fn everything() -> Limits {
    Limits { states: STATES, starts: usize::MAX }
}

fn few_starts() -> Limits {
    Limits { states: STATES, starts: STARTS }
}

/// Small programs of the family.
fn shapes() -> [(&'static str, Shape); 3] {
    let tiny = Shape {
        globals: 3,
        procs: 1,
        locals: 2,
        statements: 5,
        depth: 2,
        threads: 2,
        enums: false,
        jumps: false,
        recursion: false,
        predicates: false,
        boolean_programs: false,
        ..Shape::default()
    };
    let indices = Shape { chosen_indices: true, dynamic_threads: false, ..tiny.clone() };
    let ids = Shape { thread_ids: true, numbers: false, locks: false, arrays: false, ..tiny };
    let both = Shape { chosen_indices: true, arrays: true, numbers: true, ..ids.clone() };
    [("indices", indices), ("ids", ids), ("both", both)]
}

fn with_one_of_any(mut program: Program) -> Program {
    for thread in program.threads.iter_mut().filter(|t| t.count == Count::Any) {
        thread.count = Count::Fixed(1);
    }
    program
}

/// `SELVEDGE_SEEDS=5000` makes it thorough.
#[test]
fn ids_and_chosen_indices_are_what_the_text_says() {
    let mut tally = Tally::default();
    let mut decided = Decided::default();
    for (name, shape) in shapes() {
        for seed in 0..many(500) {
            let program = with_one_of_any(random_program(seed, &shape));
            let about = format!("{name} {seed}");
            let all = reached_with(&program, BOUND, &everything());
            tally.add(&program, all.as_deref(), &about);
            let levels = all.or_else(|| reached_with(&program, BOUND, &few_starts()));
            if let Some(levels) = levels {
                decided.ask(&program, &levels, LITTLE, &about);
            }
        }
    }
    println!("{decided:?}");
    let tally = tally.check();
    assert!(tally.compared > 700 && tally.wrong > 200, "{}", tally.compared);
    assert!(decided.asked > 700 && decided.within > 600, "{decided:?}");
    assert!(decided.safe > 50 && decided.unsafe_ > 200, "{decided:?}");
}

/// Any number of threads at once, against numbers of them.
#[test]
fn any_number_of_threads_is_what_numbers_of_them_are() {
    let (mut asked, mut safe, mut shown) = (0, 0, 0);
    for (name, shape) in shapes() {
        let shape = Shape { threads: 1, depth: 1, calls: false, ..shape };
        for seed in 0..many(700) {
            let mut program = random_program(seed, &shape);
            program.threads[0].count = Count::Any;
            let text = print::weave(&program);
            let about = format!("{name} {seed}\n{text}");
            let source = Arc::new(Source::new("test.weave", &text));
            let lowering =
                Lowering::for_any_number(Arc::new(program.clone()), source, &ThreadCounts::new());
            let Ok(system) = lowering else { continue };
            let system = system.dropping_threads();
            let outcome = verify(&question(&system), &within(LITTLE), &|_| {});
            let levels = |threads: u32| {
                let mut program = program.clone();
                program.threads[0].count = Count::Fixed(threads);
                reached_with(&program, BOUND, &few_starts())
            };
            match &outcome.verdict {
                Verdict::Safe(_) => {
                    must_hold(&system, outcome.evidence.as_ref(), &about);
                    // What few threads do, more can do.
                    let levels = [3, 2, 1].into_iter().find_map(levels);
                    assert!(!levels.is_some_and(|l| l[BOUND].wrong), "{about}");
                    safe += 1;
                }
                Verdict::Unsafe { trace, .. } => {
                    must_hold(&system, outcome.evidence.as_ref(), &about);
                    let threads = trace.initial.threads.len() as u32;
                    let few = threads <= 3 && starts(&system, trace) <= STARTS;
                    if few
                        && trace.contexts() <= BOUND
                        && let Some(levels) = levels(threads)
                    {
                        assert!(levels[trace.contexts()].wrong, "{threads} threads\n{about}");
                        shown += 1;
                    }
                }
                _ => continue,
            }
            asked += 1;
        }
    }
    println!("{asked} decided, {safe} safe, {shown} shown by few threads");
    assert!(asked > 700 && safe > 100 && shown > 200, "{asked} {safe} {shown}");
}

/// What each of these does is known; none of them may be said to do anything else.
#[test]
fn known_programs_of_the_family() {
    let texts = [
        ("thread main { tid t; tid u; t := async f(); u := async f(); assert t != u; }", None),
        ("thread main { tid t; tid u; t := async f(); u := async f(); assert t == u; }", Some(1)),
        (
            "tid s; thread main { tid t; t := async f(); s := t; t := async f(); assert s != t; }",
            None,
        ),
        (
            "thread main { tid t; t := async f(); join t; assert t != none; t := async f(); join t; }",
            None,
        ),
        // The name of the first is not given again while somebody holds it.
        (
            "thread main { tid t; tid u; t := async f(); join t; u := async f(); assert t != u; }",
            None,
        ),
        ("thread main { tid t; tid u; t := async f(); u := t; assert t == u; }", None),
        (
            "tid s; void g(tid me) { s := me; }
             thread main { tid t; t := async g(t); t := async g(t); join t; assert s != t; }",
            None,
        ),
        (
            "tid s; thread main { tid t; t := async f(); if (cas(s, none, t)) { assert s == t; }
             t := async f(); if (cas(s, t, none)) { assert false; } }",
            None,
        ),
        (
            "int[0..9] a[2] := 0; thread main { int[0..9] r := 0; a[1] := 5;
             r := fetch_and_add(a[{0 .. 1}], 1); assert a[0] + a[1] == 6; }",
            None,
        ),
        (
            "int[0..9] a[2] := 0; thread main { a[1] := 5;
             if (cas(a[{0, 1}], 0, 7)) { assert a[1] == 5; } }",
            None,
        ),
        (
            "int[0..9] a[2] := 0; thread main { bool b; a[1] := 5;
             b := cas(a[{0, 1}], 0, 7); assert b; }",
            Some(1),
        ),
    ];
    for (text, wrong_at) in texts {
        let program = read_weave(&format!("void f() {{ skip; }} {text}"));
        let levels = reached_with(&program, BOUND, &everything()).expect("small");
        assert!(matches!(compare(&program, Some(&levels)), Answer::Same { .. }), "{text}");
        assert_eq!(levels.iter().position(|level| level.wrong), wrong_at, "{text}");
        let mut decided = Decided::default();
        decided.ask(&program, &levels, MUCH, text);
        assert_eq!((decided.asked, decided.within), (1, 1), "{text}");
        assert_eq!(decided.safe + decided.unsafe_, 1, "{text}");
    }
}

/// Started again and again, and few at a time: there is an end.
#[test]
fn fork_and_join_in_a_loop_is_proved() {
    let texts = [
        "bool task := false;
         void work() { task := !task; }
         thread zero { tid t; bool v;
           while (true) { v := *; task := v; t := async work(); join t; assert task != v; } }",
        "bool task := false;
         void work() { task := !task; }
         void round(bool v) { tid t; t := async work(); join t; assert task != v; }
         thread zero { bool v; while (true) { v := *; task := v; round(v); } }",
        "int[0..2] n := 0;
         void work() { int[0..2] m; m := n; n := m + 1; }
         thread zero { tid t; tid u;
           while (true) { n := 0; t := async work(); join t; u := async work(); join u; assert n == 2; } }",
        "tid last; bool done := false;
         void work() { done := true; }
         thread zero { tid t;
           while (true) { t := async work(); last := t; join last; assert done; done := false; } }",
    ];
    for text in texts {
        let system = crate::support::system(text).dropping_threads();
        for method in [Method::Auto, Method::Explicit, Method::Symbolic] {
            let question = Question { method, ..question(&system) };
            let outcome = verify(&question, &within(MUCH), &|_| {});
            assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{method:?} {text}");
            must_hold(&system, outcome.evidence.as_ref(), text);
        }
        let all = crate::support::system(text).choosing_at_once();
        let properties = [Property::NeverWrong, Property::ANY_DEADLOCK];
        let question = Question { properties: &properties, ..question(&all) };
        let outcome = verify(&question, &within(MUCH), &|_| {});
        assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{text}");
        let evidence = outcome.evidence.expect("evidence");
        recheck(&all, &properties, &evidence).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

/// A proof with threads left out: only those that have ended may be.
#[test]
fn proofs_that_leave_out_too_much_are_refused() {
    let text = "bool task := false;
         void work() { task := !task; }
         thread zero { tid t; bool v;
           while (true) { v := *; task := v; t := async work(); join t; assert task != v; } }";
    let system = crate::support::system(text).dropping_threads();
    let asked = Question { method: Method::Explicit, ..question(&system) };
    let outcome = verify(&asked, &within(MUCH), &|_| {});
    let Some(Evidence::Cut(good)) = outcome.evidence else { panic!("{:?}", outcome.verdict) };
    let accepts = |certificate: CutCertificate| {
        recheck(&system, &NEVER_WRONG, &Evidence::Cut(certificate)).is_ok()
    };
    assert!(accepts(good.clone()));
    for state in 0..good.states.len() {
        let mut without = good.clone();
        without.states.remove(state);
        assert!(!accepts(without), "without state {state}");
        // A started thread that has not ended is left out of a state.
        for thread in 0..good.states[state].threads.len() {
            let (kind, count) = good.states[state].threads[thread];
            if good.kinds[kind as usize].class == 0 {
                continue;
            }
            assert!(!good.kinds[kind as usize].window.symbols.is_empty(), "it has ended");
            assert_eq!(count, 1);
            let mut changed = good.clone();
            let mut threads = changed.states[state].threads.to_vec();
            threads.remove(thread);
            changed.states[state].threads = threads.into();
            assert!(!accepts(changed), "state {state} without its thread of kind {kind}");
        }
    }
    let mut counts = good.clone();
    counts.started.clear();
    assert!(!accepts(counts), "nobody is started");
}
