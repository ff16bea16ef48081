//! # Answers with and without the states between local steps
//! The same verdict and the same bound; a schedule wherever there is a violation, and evidence that is accepted.

use std::fmt::Write;

use selvedge::{
    Deadlocks, EngineName, Failure, InputOptions, Options, Subject, Verdict, VerdictName, recheck,
    verify,
};
use selvedge_analysis::naive::Naive;
use selvedge_model::{Property, State};
use selvedge_program::print;
use selvedge_program::testing::{Shape, random_program};

#[path = "../../analysis/tests/fused/generated.rs"]
mod generated;

/// How many random cases to try; `SELVEDGE_SEEDS=2000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The verdict, and the bound of a violation.
type Found = (VerdictName, Option<String>);

/// Asks, and checks what the answer rests on.
fn asked(text: &str, options: &Options) -> (Found, Vec<&'static str>) {
    asked_if_possible(text, options).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// Asks, unless something stands against the question.
fn asked_if_possible(text: &str, options: &Options) -> Result<(Found, Vec<&'static str>), Failure> {
    let subject = Subject::parse("test.weave", text, InputOptions::default())?;
    let options = Options { evidence: true, solver: None, ..options.clone() };
    let answer = verify(&subject, &options)?;
    let name = answer.name();
    if matches!(answer.verdict(), Verdict::Unsafe(_)) {
        assert!(answer.evidence().is_ok_and(|evidence| evidence.is_some()), "{text}");
    }
    if let Some(evidence) = answer.evidence().expect("evidence can be written") {
        // Checking has the time that it takes.
        let limits = selvedge::Limits::default();
        let options = Options { limits, ..options };
        let checked = recheck(&subject, &evidence.to_text(), &options).expect("it can be checked");
        if let Err(why) = checked {
            panic!("{why}\n{}\n{text}", answer.sentence());
        }
    }
    let bound = match answer.verdict() {
        Verdict::Unsafe(found) => Some(found.bound().to_string()),
        _ => None,
    };
    Ok(((name, bound), answer.object().reductions))
}

/// Asks with and without, and compares.
fn compare(text: &str, options: &Options) -> (Found, bool) {
    let (found, reductions) = asked(text, options);
    let (expected, none) = asked(text, &Options { reduction: false, ..options.clone() });
    assert_eq!(found, expected, "{text}");
    assert!(none.is_empty());
    (found, !reductions.is_empty())
}

#[test]
fn what_is_never_evaluated_is_named_all_the_same() {
    for text in [
        "const DEBUG = false; int[0..2] g := 0;
         thread a { int[0..2] x := 0; g := 1; if (DEBUG && g == 2) x := 1; assert x == 0; }
         thread b { g := 2; }",
        "bool s := false; thread a { int[0..3] i := 0; s := true; if (i <= 3 || s) i := 1; i := 2; assert i == 2; } \
         thread b { s := false; }",
        "bool f := false; void p(int[0..9] i) { int[0..2] x := 0; f := !f; if (i == 5 && f) x := 1; x := 2; assert x == 2; }
         thread a[i] * 2 = p(i);",
    ] {
        let (found, is_reduced) = compare(text, &Options::default());
        assert_eq!(found.0, VerdictName::Safe, "{text}");
        assert!(is_reduced, "{text}");
    }
}

#[test]
fn many_local_choices_and_long_local_ways() {
    let choices = "bool g := false; u16 s := 0; \
         thread a { g := true; u16 x := {0..20000}; skip; skip; skip; s := x; assert g; }";
    for engine in [EngineName::Auto, EngineName::Explicit] {
        let options = Options { engine, ..Options::default() };
        assert_eq!(compare(choices, &options).0.0, VerdictName::Safe);
    }
    let squares = "bool g := false; thread a { g := true; int[0..299] x := {0..299}; int[0..299] y := {0..299}; \
         assert !(x == 299 && y == 299); }";
    assert_eq!(compare(squares, &Options::default()).0.0, VerdictName::Unsafe);
    let mut long = "bool g := false; thread a { int[0..1] x := 0; g := true; ".to_owned();
    for _ in 0..9_000 {
        write!(long, "x := 1 - x; ").expect("texts grow");
    }
    long += "assert x == 1; }";
    assert_eq!(compare(&long, &Options::default()).0.0, VerdictName::Unsafe);
}

#[test]
fn started_threads_begin_later_and_have_schedules() {
    for text in [
        "void f() { skip; } thread main { tid t := async f(); join t; assert false; }",
        "void g() { skip; skip; } void f() { skip; g(); skip; } thread main { tid t := async f(); join t; assert false; }",
        "bool s := false; void f() { int[0..3] i := 0; while (i < 3) i := i + 1; s := i == 3; } \
         thread main { async f(); assert !s; }",
    ] {
        for engine in [EngineName::Auto, EngineName::Explicit, EngineName::Coverability] {
            let options = Options { engine, ..Options::default() };
            assert_eq!(compare(text, &options).0.0, VerdictName::Unsafe, "{text}");
        }
    }
}

/// A thread that is started with parameters that stand for shared variables has their names in its own.
#[test]
fn started_threads_that_are_handed_locks_have_schedules() {
    let text = "lock m, n; int[0..3] x := 0;
        void w(lock h, ref int[0..3] v) { acquire h; int[0..3] l := v; v := (l + 1) % 4; release h; }
        thread a { tid t, s; t := async w(m, x); s := async w(n, x); join t; join s; assert x == 2; }";
    let expected = (VerdictName::Unsafe, Some("5 contexts".to_owned()));
    assert_eq!(compare(text, &Options::default()).0, expected);
}

#[test]
fn what_cannot_be_listed_is_no_matter_before_it_is_executed() {
    let text = "bool s := false; void f() { u32 x := *; if (x > 3) s := true; } thread main { async f(); assert s; }";
    assert_eq!(
        compare(text, &Options::default()).0,
        (VerdictName::Unsafe, Some("1 context".to_owned()))
    );
}

#[test]
fn a_circle_of_local_steps_is_left() {
    for text in [
        "bool s := false; thread a { int[0..2] i := 0; s := true; while (true) i := (i + 1) % 3; } thread b { assert !s; }",
        "bool s := false; void f() { f(); } thread a { s := true; f(); } thread b { assert !s; }",
        "bool s := false; thread a { s := true; l: skip; goto l; } thread b { s := false; assert !s; }",
    ] {
        for deadlock in [Deadlocks::No, Deadlocks::Waits, Deadlocks::All] {
            compare(text, &Options { deadlock, ..Options::default() });
        }
    }
}

/// The fewest contexts to what is asked for, by the definition; `None` if there are too many states, or may be any number of threads.
fn enumerated(text: &str, deadlock: Deadlocks) -> Option<Option<usize>> {
    let subject = Subject::parse("test.weave", text, InputOptions::default()).ok()?;
    let wanted = selvedge_check::Wanted { deadlock, any_number: true };
    let opened = subject.for_engine(wanted).ok()?;
    if !opened.system.any_number().is_empty() {
        return None;
    }
    let mut naive = Naive::with_limit(&*opened.system, 5_000).ok()?;
    while !naive.advance().ok()?.has_collapsed() {}
    let breaks = |state: &State| Property::first_broken(&opened.properties, &*opened.system, state);
    let broken = naive.states().filter(|(state, _)| breaks(state).is_ok_and(|p| p.is_some()));
    Some(broken.map(|(_, bound)| bound).min())
}

#[test]
fn random_programs_have_the_same_answers() {
    let shapes = [
        Shape {
            locals: 4,
            statements: 6,
            dynamic_threads: false,
            boolean_programs: false,
            ..Shape::default()
        },
        Shape { locals: 3, boolean_programs: false, ..Shape::default() },
        Shape { locals: 3, recursion: false, ..Shape::default() },
    ];
    let (mut compared, mut reduced, mut wrong, mut listed) = (0, 0, 0, 0);
    for seed in 0..many(60) {
        let shape = &shapes[(seed % shapes.len() as u64) as usize];
        let text = match seed % 4 {
            0 => generated::random_locked(seed),
            1 => generated::random_ring(seed),
            _ => print::weave(&random_program(seed, shape)),
        };
        let deadlock = [Deadlocks::No, Deadlocks::Waits, Deadlocks::All][(seed / 3 % 3) as usize];
        let by_definition = enumerated(&text, deadlock);
        let mut first: Option<Found> = None;
        for (reduction, jobs) in [(true, 1), (true, 2), (false, 1), (false, 2)] {
            let limits = selvedge::Limits::work(1 << 20);
            let options = Options { deadlock, limits, reduction, jobs, ..Options::default() };
            let about = format!("seed {seed}, reduction {reduction}, {jobs} jobs\n{text}");
            let Ok((found, reductions)) = asked_if_possible(&text, &options) else { break };
            if found.0 == VerdictName::Unknown {
                continue;
            }
            let contexts = found.1.as_ref().filter(|bound| bound.contains("context"));
            if let Some(expected) = by_definition {
                let is_unsafe = found.0 == VerdictName::Unsafe;
                assert_eq!(is_unsafe, expected.is_some(), "{about}");
                let is_least =
                    |bound: &String| bound.split(' ').next().map(str::parse) == expected.map(Ok);
                assert!(contexts.is_none_or(is_least), "{contexts:?}, not {expected:?}: {about}");
                listed += 1;
            }
            if let Some(first) = &first {
                assert_eq!(found.0, first.0, "{about}");
                // Which engine is first depends on how much there is to explore.
                let in_contexts =
                    |found: &Found| found.1.as_ref().is_some_and(|bound| bound.contains("context"));
                if in_contexts(&found) && in_contexts(first) {
                    assert_eq!(found, *first, "{about}");
                }
                compared += u64::from(!reduction && jobs == 1);
            }
            reduced += u64::from(jobs == 1 && !reductions.is_empty());
            wrong += u64::from(jobs == 1 && reduction && found.0 == VerdictName::Unsafe);
            first.get_or_insert(found);
        }
    }
    println!(
        "{compared} compared, {reduced} with fewer states, {wrong} go wrong; {listed} answers by the definition"
    );
    assert!(compared * 2 > many(60) && reduced * 3 > compared, "{compared} {reduced}");
    assert!(listed > many(60) && wrong * 8 > compared, "{listed} {wrong}");
}

/// Programs whose locks look as if they protected more than they do; and locks whose claims the checker cannot follow.
#[test]
fn locks_protect_no_more_than_they_do() {
    const ARRAYS: &str = "lock k[2]; int[0..1] d[2] := 0; (int[0..1], int[0..1]) h() { return 1, 1; }
        void b() { int[0..1] j := 1; int[0..1] v := 0; acquire k[j]; d[j] := 0; v := d[j]; release k[j]; assert v == 0; }
        thread b;";
    let unsafe_ones = [
        // An index is written, and used, in one step.
        format!("{ARRAYS} void a() {{ int[0..1] i := 0; acquire k[i]; i, d[i] := h(); }} thread a;"),
        "lock k[2]; int[0..1] d[2] := 0;
         void a() { int[0..1] i := 0; acquire k[i]; i := * constrain 'd['i] == 1; assert i == 0; }
         void b() { int[0..1] j := 1; acquire k[j]; d[j] := 1; d[j] := 0; release k[j]; } thread a; thread b;"
            .to_owned(),
        // A lock that is also tried is no lock to rely on, and is taken without the other one.
        "lock m, n; bool z := false;
         void t() { bool l := false; bool v := false; acquire n; l := trylock(m); v := z; release n; assert l || !v; }
         void u() { acquire m; release m; z := true; } thread t; thread u;"
            .to_owned(),
    ];
    for text in unsafe_ones {
        assert_eq!(compare(&text, &Options::default()).0.0, VerdictName::Unsafe, "{text}");
    }
    for text in [
        // A place that is never reached.
        "lock m; int[0..2] x := 0; void p() { x := 1; x := 0; } void q() { goto E; p(); E: skip; }
         void w() { acquire m; p(); release m; q(); } thread a * 2 = w();",
        "lock m; lock k[2][2]; int[0..2] e[2][2] := 0;
         void w(int[0..1] i) { acquire m; acquire k[1][i]; e[1][i] := 1; e[1][i] := 0; release k[1][i]; release m; }
         thread a[i] * 2 = w(i);",
    ] {
        assert_eq!(compare(text, &Options::default()).0.0, VerdictName::Safe, "{text}");
    }
}

/// Programs that are large enough for threads to wait: contexts are counted first.
#[test]
fn threads_that_wait_give_the_same_answers() {
    let text = |rest: &str| {
        format!(
            "const N = 7; int[0..2] p[N] := 0; int[0..3] x := 0; int[0..9] z := 0;
             void w(int[0..N - 1] me) {{ while (p[me] < 2) p[me] := p[me] + 1; }}
             void f() {{ x := 1; }} int[0..3] g() {{ return 1; }}
             void h(int[0..9] n) {{ if (n < x) h(n + 1); else z := n; }}
             thread w[i] * N = w(i);
             {rest}"
        )
    };
    let all = "forall i: p[i] == 2";
    for rest in [
        // What a section calls, and what follows the call, is part of one step.
        "thread a { atomic { f(); } }",
        "thread a { atomic { x := g(); } }",
        "thread a { atomic { h(0); x := 1; } }",
        "thread a { atomic { f(); x := 0; f(); } }",
        // A procedure calls itself with ever larger numbers, as far as its condition tells.
        "thread a { x := 1; x := 2; x := 3; } thread c { h(0); assert z <= 3; }",
    ] {
        let fails = text(&format!("{rest}\nthread b {{ wait({all}); assert x != 0; }}"));
        let (found, _) = asked(&fails, &Options::default());
        assert_eq!(found.0, VerdictName::Unsafe, "{fails}");
        let holds = text(&format!("{rest}\nthread b {{ wait({all}); assert x <= 3; }}"));
        let (found, reductions) = asked(&holds, &Options::default());
        assert_eq!(found.0, VerdictName::Safe, "{holds}");
        assert!(reductions.contains(&"stubborn-sets"), "nobody waits: {reductions:?}\n{holds}");
    }
}

/// Deadlocks in which everybody acts are found with the fewest contexts where threads begin later; others are looked for once more.
#[test]
fn deadlocks_of_threads_that_act_and_of_some_that_do_not() {
    let dine = |threads: usize, more: &str| {
        format!(
            "const N = {threads}; lock fork[N];
             void dine(int[0..N - 1] me) {{
               while (true) {{
                 acquire fork[me]; acquire fork[(me + 1) % N];
                 release fork[(me + 1) % N]; release fork[me];
               }}
             }}
             thread philosopher[i] * N = dine(i);
             {more}"
        )
    };
    let options = Options { deadlock: Deadlocks::All, ..Options::default() };
    // One who does nothing but count has to be brought to where it waits, in a context of its own.
    let idle = "thread idle { int[0..3] x := 1; x := x + 1; assume false; }";
    for (threads, more, contexts) in [(3, "", 3), (5, "", 5), (3, idle, 4), (4, idle, 5)] {
        let text = dine(threads, more);
        let ((name, bound), is_reduced) = compare(&text, &options);
        assert_eq!(name, VerdictName::Unsafe, "{text}");
        assert_eq!(bound, Some(format!("{contexts} contexts")), "{text}");
        assert!(is_reduced, "{text}");
    }
    // Thinking or with a fork in hand: nobody begins twice.
    let subject =
        Subject::parse("dine.weave", dine(8, ""), InputOptions::default()).expect("it is right");
    let answer = verify(&subject, &options).expect("it can be asked");
    let stored = answer.object().stored_states.expect("states were stored");
    assert!(stored <= 1 << 8, "{stored} states");
}
