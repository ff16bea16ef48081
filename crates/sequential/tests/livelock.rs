//! Livelocks in rounds: what the paper says of its examples, stacks that grow and shrink, and that
//! every lasso is one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use selvedge_analysis::fair::{self, Question, Rounds, Verdict, Within, search};
use selvedge_analysis::{Budget, Stop};
use selvedge_evidence::{Checked, Evidence, Flaw, Lasso, recheck};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Endless, Fairness, Meter};
use selvedge_program::{Lowering, Program, Source, ThreadCounts};
use selvedge_sequential::livelock::{self, Bounds, LivelockQuestion, find};

const STRONG: Endless = Endless { fairness: Fairness::Strong, ended: false };

fn lowered(program: &Arc<Program>) -> Lowering {
    let lowering =
        Lowering::new(Arc::clone(program), Arc::new(Source::default()), &ThreadCounts::new());
    lowering.expect("lowered").choosing_at_once()
}

fn example(name: &str, consts: &[(&str, i64)]) -> Lowering {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/livelock").join(name);
    let mut options = LoadOptions::default();
    for &(name, value) in consts {
        options.check.consts.insert(name.to_owned(), value.into());
    }
    match load(&path, &options) {
        Ok(Input::Program { program, .. }) => lowered(&program),
        _ => panic!("{name} is no program"),
    }
}

fn text(text: &str) -> Lowering {
    let path = std::env::temp_dir().join(format!(
        "selvedge-livelock-{}-{}.weave",
        std::process::id(),
        text.len()
    ));
    std::fs::write(&path, text).expect("a file");
    let read = load(&path, &LoadOptions::default());
    let _ = std::fs::remove_file(&path);
    match read {
        Ok(Input::Program { program, .. }) => lowered(&program),
        Ok(_) => panic!("not a program"),
        Err(error) => panic!("{error}"),
    }
}

/// A lasso within so many rounds. It is one.
fn lasso(program: &Lowering, stem: u32, lasso: u32, endless: Endless) -> Option<Lasso> {
    let counts = ThreadCounts::new();
    let asked = LivelockQuestion { program, counts: &counts, endless };
    let found = find(&asked, Bounds { stem, lasso }, &Budget::default());
    let found = found.unwrap_or_else(|stop| panic!("{stop}"))?;
    let checked = recheck(program, &[], &Evidence::Lasso(found.clone()));
    let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
    assert!(matches!(checked, Checked::Lasso { .. }), "{checked}");
    Some(found)
}

fn none(program: &Lowering, stem: u32, period: u32, endless: Endless) {
    assert_eq!(lasso(program, stem, period, endless), None);
}

#[test]
fn figure_1a_has_none_unless_threads_may_have_ended_or_starve() {
    let program = example("fig1a.weave", &[]);
    let ended = Endless { ended: true, ..STRONG };
    let unfair = Endless { fairness: Fairness::None, ended: false };
    for (stem, period) in [(1, 1), (2, 1), (1, 2), (3, 1)] {
        none(&program, stem, period, STRONG);
    }
    none(&program, 1, 1, ended);
    assert!(lasso(&program, 2, 1, ended).is_some());
    assert!(lasso(&program, 1, 1, unfair).is_some());
    let started = example("fig1a-started.weave", &[]);
    for (stem, period) in [(1, 1), (2, 1), (1, 2)] {
        none(&started, stem, period, STRONG);
        none(&started, stem, period, ended);
    }
    assert!(lasso(&started, 1, 1, unfair).is_some());
}

#[test]
fn figure_1b_is_found_with_one_round_each() {
    let program = example("fig1b.weave", &[]);
    let found = lasso(&program, 1, 1, STRONG).expect("a lasso");
    assert_eq!(found.period_contexts().len(), 2);
}

#[test]
fn figure_1c_repeats_its_values_in_two_rounds() {
    let program = example("fig1c.weave", &[]);
    none(&program, 1, 1, STRONG);
    none(&program, 2, 1, STRONG);
    assert!(lasso(&program, 1, 2, STRONG).is_some());
}

#[test]
fn figure_3a_is_found_for_every_number_of_philosophers() {
    for n in (2..=10).chain([50]) {
        let program = example("fig3a-philosophers.weave", &[("N", n)]);
        let start = std::time::Instant::now();
        let found = lasso(&program, 1, 1, STRONG).expect("a lasso");
        println!("N = {n}: {:?}", start.elapsed());
        assert!(found.period_contexts().len() as i64 >= n);
    }
}

#[test]
fn figure_3b_is_found_with_two_rounds_in_the_period() {
    let program = example("fig3b-optimistic-list.weave", &[]);
    let within = |stem, lasso| {
        let found = fair::within(&program, Rounds { stem, lasso }, STRONG, &Budget::default());
        found.unwrap_or_else(|stop| panic!("{stop}"))
    };
    assert_eq!(within(1, 1), Within::None);
    let Within::Lasso(found) = within(2, 2) else { panic!("no lasso") };
    recheck(&program, &[], &Evidence::Lasso(found)).expect("it is one");
}

/// Philosophers who take the lower fork first and spin until they have the other one: whoever has both
/// goes on, so that a run is endless only if somebody who can act never does.
const ORDERED: &str = "
    const N = 3;
    lock fork[N];
    proc philosopher(var n: int[0..N - 1]) {
      var low: int[0..N - 1] := n;
      var high: int[0..N - 1] := n;
      if (n == N - 1) low := 0; else high := n + 1;
      acquire fork[low];
      while (true) { if (trylock(fork[high])) break; }
      release fork[high];
      release fork[low];
    }
    thread phil[i] * N = philosopher(i);";

#[test]
fn unfair_runs_of_philosophers_are_not_reported() {
    let program = text(ORDERED);
    let ended = Endless { ended: true, ..STRONG };
    for endless in [STRONG, ended] {
        let question = Question { system: &program, endless, evidence: true };
        let outcome = search(&question, &Budget::default(), &|_| {});
        assert!(matches!(outcome.verdict, Verdict::Terminating { .. }), "{:?}", outcome.verdict);
        let proof = outcome.evidence.expect("a proof");
        recheck(&program, &[], &proof).expect("it is one");
        for (stem, period) in [(1, 1), (2, 1), (1, 2)] {
            none(&program, stem, period, endless);
        }
    }
    let unfair = Endless { fairness: Fairness::None, ended: false };
    let found = lasso(&program, 1, 1, unfair).expect("somebody spins for ever");
    for endless in [STRONG, ended] {
        let claimed = Evidence::Lasso(Lasso { endless, ..found.clone() });
        let refusal = recheck(&program, &[], &claimed).expect_err("it is not fair");
        assert_eq!(refusal.flaw, Flaw::Unfair, "{refusal}");
    }
}

/// Without fairness one philosopher who is left alone is enough; that is no livelock.
#[test]
fn an_unfair_run_of_figure_3a_is_refused_as_a_fair_one() {
    let program = example("fig3a-philosophers.weave", &[("N", 3)]);
    let unfair = Endless { fairness: Fairness::None, ended: false };
    let found = lasso(&program, 1, 1, unfair).expect("a run");
    let acting: std::collections::BTreeSet<_> = found.period.iter().map(|step| step.0).collect();
    assert!(acting.len() < 3, "{acting:?}");
    let claimed = Evidence::Lasso(Lasso { endless: STRONG, ..found });
    let refusal = recheck(&program, &[], &claimed).expect_err("it is not fair");
    assert_eq!(refusal.flaw, Flaw::Unfair, "{refusal}");
}

#[test]
fn figure_3c_is_found_without_a_fair_choice() {
    let ended = Endless { ended: true, ..STRONG };
    let program = example("fig3c-timeout.weave", &[]);
    assert!(lasso(&program, 1, 1, ended).is_some());
    for name in ["fig3c-timeout-fixed.weave", "fig3c-timeout-fair.weave"] {
        let program = example(name, &[]);
        for (stem, period) in [(1, 1), (2, 1), (1, 2)] {
            none(&program, stem, period, ended);
        }
    }
}

/// A thread that waits for a lock that is never freed, and one that is.
#[test]
fn who_waits_may_not_act() {
    let program = text(
        "lock m; thread holder { acquire m; while (true) skip; } \
         thread waiter { acquire m; release m; }",
    );
    assert!(lasso(&program, 1, 1, STRONG).is_some());
    let program = text(
        "lock m; thread holder { while (true) { acquire m; release m; } } \
         thread waiter { acquire m; release m; }",
    );
    none(&program, 1, 1, STRONG);
    none(&program, 2, 2, STRONG);
    let weak = Endless { fairness: Fairness::Weak, ended: false };
    assert!(lasso(&program, 1, 1, weak).is_some());
    let all_wait = text("bool b := false; thread one { assume b; } thread two { assume b; }");
    none(&all_wait, 1, 1, weak);
    none(&all_wait, 1, 2, STRONG);
}

#[test]
fn a_stack_may_grow_and_not_shrink() {
    let grows =
        text("void f(bool b) { f(!b); } thread one { f(true); } thread two { while (true) skip; }");
    assert!(lasso(&grows, 1, 1, STRONG).is_some());
    let shrinks = text(
        "bool up := true; void f() { if (up) f(); } \
         thread one { while (up) { f(); } } thread two { up := false; while (true) skip; }",
    );
    none(&shrinks, 1, 1, STRONG);
    // It grows for ever only while nobody says stop.
    let unfair = Endless { fairness: Fairness::None, ended: false };
    assert!(lasso(&shrinks, 1, 1, unfair).is_some());
}

#[test]
fn the_examples_with_recursion() {
    let grows = example("recursion-grows.weave", &[]);
    let found = lasso(&grows, 1, 1, STRONG).expect("a lasso");
    let checked = recheck(&grows, &[], &Evidence::Lasso(found)).expect("checked");
    let Checked::Lasso { threads, .. } = checked else { panic!("{checked}") };
    assert!(threads.iter().all(|thread| thread.growth > 0), "{threads:?}");
    let shrinks = example("recursion-shrinks.weave", &[]);
    for (stem, period) in [(1, 1), (2, 1), (1, 2)] {
        none(&shrinks, stem, period, STRONG);
    }
}

/// What a thread reads at an index that is chosen in the step itself is there in both rounds in which it acts at once. `one` reads what `two` takes away
/// before it lets `one` go on.
#[test]
fn an_element_that_is_chosen_is_the_same_in_both_rounds() {
    let endless = Endless { fairness: Fairness::None, ended: true };
    let program = |reads: &str, takes: &str| {
        text(&format!(
            "bool a[2] := true; bool go := false; int[0..1] x;
             thread one {{ bool y; while (true) {{ {reads} assume go; }} }}
             thread two {{ atomic {{ a[0] := false; {takes} go := true; }} }}"
        ))
    };
    for reads in [
        "assume a[{0..1}];",
        "assume a[{0, 1}] && *;",
        "atomic { assume a[{0..1}]; }",
        "y := a[{0..1}]; assume y;",
        "y := * constrain 'y == a[{0, 1}]; assume y;",
        "x := * constrain a['x];",
        "x := * constrain a[{0..'x}];",
    ] {
        let gone = program(reads, "a[1] := false;");
        for (stem, lasso) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            none(&gone, stem, lasso, endless);
        }
        // What is left is read for ever.
        let left = program(reads, "");
        assert!(lasso(&left, 2, 1, endless).is_some(), "{reads}");
        assert!(lasso(&left, 1, 2, endless).is_some(), "{reads}");
    }
}

#[test]
fn programs_that_start_threads_are_refused() {
    let program = text("void f() { skip; } thread main { async f(); while (true) skip; }");
    let counts = ThreadCounts::new();
    let asked = LivelockQuestion { program: &program, counts: &counts, endless: STRONG };
    let stop = find(&asked, Bounds { stem: 1, lasso: 1 }, &Budget::default()).expect_err("refused");
    assert!(
        matches!(&stop, Stop::Fault(fault) if fault.message.contains("starts a thread")),
        "{stop}"
    );
}

#[test]
fn a_small_memory_limit_holds() {
    let program = example("fig3b-optimistic-list.weave", &[]);
    let counts = ThreadCounts::new();
    let asked = LivelockQuestion { program: &program, counts: &counts, endless: STRONG };
    let budget = Budget { memory: Some(1 << 10), ..Budget::default() };
    let stop = find(&asked, Bounds { stem: 1, lasso: 1 }, &budget).expect_err("too little");
    assert!(matches!(stop, Stop::Memory), "{stop}");
}

#[test]
fn integers_without_bounds_are_refused_for_their_type() {
    let program =
        text("thread one { int x := 0; while (x < 10) x := x + 1; } thread two { skip; }");
    let counts = ThreadCounts::new();
    let asked = LivelockQuestion { program: &program, counts: &counts, endless: STRONG };
    let stop = find(&asked, Bounds { stem: 1, lasso: 1 }, &Budget::default()).expect_err("refused");
    assert!(
        matches!(&stop, Stop::Fault(fault) if fault.message.contains("bound them, as in")),
        "{stop}"
    );
}

/// Counts work, and lets everybody go on.
#[derive(Default)]
struct Counter(AtomicU64);

impl Meter for Counter {
    fn spend(&self, work: u64) -> Result<(), Stop> {
        self.0.fetch_add(work, Ordering::Relaxed);
        Ok(())
    }
}

/// How much work an answer takes; `None` if it takes more than this.
fn work_of(run: impl FnOnce(&Budget) -> fair::Outcome, most: u64) -> Option<u64> {
    let counter = Arc::new(Counter::default());
    let mut budget = Budget::default().with_work(most);
    budget.meters.push(Arc::clone(&counter) as Arc<dyn Meter>);
    match run(&budget).verdict {
        Verdict::Unknown { stop: Stop::Work, .. } => None,
        Verdict::Unknown { stop, .. } => panic!("{stop}"),
        _ => Some(counter.0.load(Ordering::Relaxed)),
    }
}

/// Engines that take turns do at most one and a half times the work of the one that would have been the best.
#[test]
fn no_engine_alone_does_much_less_work() {
    let mut cases: Vec<(&str, Vec<(&str, i64)>)> =
        (2..=10).map(|n| ("fig3a-philosophers.weave", vec![("N", n)])).collect();
    cases.push(("fig3a-philosophers.weave", vec![("N", 16)]));
    cases.push(("async-assert.weave", vec![("VERSIONS", 2)]));
    let others = ["fig1b", "fig1c", "fig3b-optimistic-list", "fig3c-timeout", "five-bits"];
    let others = others.map(|name| format!("{name}.weave"));
    cases.extend(others.iter().map(|name| (name.as_str(), Vec::new())));
    for (name, consts) in cases {
        let program = example(name, &consts);
        let counts = ThreadCounts::new();
        let asked = LivelockQuestion { program: &program, counts: &counts, endless: STRONG };
        let question = Question { system: &program, endless: STRONG, evidence: false };
        let together =
            |budget: &Budget| livelock::search_beside(&asked, &question, budget, &|_| {});
        let together = work_of(together, u64::MAX).expect("an answer");
        let exact = work_of(|budget| search(&question, budget, &|_| {}), together);
        let rounds = work_of(|budget| livelock::search(&asked, None, budget, &|_| {}), together);
        println!("{name} {consts:?}: {together}, exact {exact:?}, rounds {rounds:?}");
        for alone in [exact, rounds].into_iter().flatten() {
            assert!(together * 2 <= alone * 3, "{name} {consts:?}: {together} {alone}");
        }
    }
}
