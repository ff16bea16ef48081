//! The enumerator against the papers and against the bare definition.

use std::collections::BTreeSet;

use super::*;
use crate::testing::{fig1, random_tables};
use expect_test::expect;
use selvedge_evidence::replay;
use selvedge_model::{Tables, Word};

fn show(system: &Tables, state: &VisibleState) -> String {
    let top = |top: &Option<_>| top.map_or("-".to_owned(), |s| system.describe().show_symbol(s));
    let tops: Vec<_> = state.tops.iter().map(top).collect();
    format!("{}|{}", system.describe().show_shared(state.shared), tops.join(","))
}

#[test]
fn the_running_example_of_the_cuba_paper() {
    let system = fig1();
    let mut naive = Naive::new(&system).unwrap();
    for _ in 0..5 {
        naive.advance().unwrap();
    }
    let mut by_bound = vec![BTreeSet::new(); 6];
    for (state, bound) in naive.visible() {
        by_bound[bound].insert(show(&system, state));
    }
    let lines: Vec<_> = by_bound
        .iter()
        .map(|states| states.iter().cloned().collect::<Vec<_>>().join(" "))
        .collect();
    expect![[r#"
        0|1,4
        0|1,- 1|2,4
        1|2,- 2|2,5 3|2,4

        0|1,6
        1|2,6"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn the_trace_has_the_fewest_contexts_and_replays() {
    let system = fig1();
    let mut naive = Naive::new(&system).unwrap();
    let goal = |state: &State| show(&system, &state.visible()) == "1|2,6";
    for _ in 0..5 {
        assert!(naive.trace_to(goal).is_none());
        naive.advance().unwrap();
    }
    let trace = naive.trace_to(goal).unwrap();
    assert_eq!(trace.contexts(), 5);
    assert!(goal(replay(&system, &trace).unwrap().last().unwrap()));
}

#[test]
fn an_endless_context_is_an_error_that_stays() {
    let mut t = Tables::builder();
    let q = t.shared("q");
    let w = t.template("w");
    let a = t.symbol(w, "a");
    t.rule(w, q, Some(a), q, Word::Push { top: a, under: a });
    t.thread("w", w, vec![a]);
    t.initial(q);
    let system = t.build();
    let mut naive = Naive::with_limit(&system, 100).unwrap();
    let error = naive.advance().unwrap_err();
    assert_eq!(error.to_string(), "more than 100 configurations; bound 0 was completed");
    assert_eq!(naive.advance().unwrap_err(), error);
    assert_eq!(naive.level().bound, 0);
}

/// The definition once more, without bookkeeping: R_{k+1} is the union of what each thread
/// alone reaches from each state of R_k.
fn one_more_context(system: &Tables, reached: &BTreeSet<State>) -> BTreeSet<State> {
    let mut all = reached.clone();
    for state in reached {
        for thread in state.thread_ids() {
            let mut alone = BTreeSet::from([state.clone()]);
            let mut open = vec![state.clone()];
            while let Some(state) = open.pop() {
                for (_, next) in step(system, &state, thread).unwrap() {
                    if alone.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            all.extend(alone);
        }
    }
    all
}

/// One more round: each thread in turn reaches what it alone can reach from what is there.
fn one_more_round(system: &Tables, reached: &BTreeSet<State>) -> BTreeSet<State> {
    let mut all = reached.clone();
    for thread in (0..system.threads().len()).map(ThreadId::from) {
        let mut open: Vec<State> = all.iter().cloned().collect();
        while let Some(state) = open.pop() {
            for (_, next) in step(system, &state, thread).unwrap() {
                if all.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    all
}

#[test]
fn rounds_agree_with_the_bare_definition_on_random_systems() {
    let (mut compared, mut grown) = (0, 0);
    for seed in 0..400 {
        let system = random_tables(seed);
        if system.starts_threads() {
            let refused = Naive::rounds(&system, 500).err().unwrap();
            assert!(refused.to_string().contains("rounds need a fixed set of threads"));
            continue;
        }
        let mut naive = Naive::rounds(&system, 500).unwrap();
        let mut reached: BTreeSet<State> = system.initial().unwrap().into_iter().collect();
        for bound in 1..=4 {
            let Ok(level) = naive.advance() else { break };
            reached = one_more_round(&system, &reached);
            let found: BTreeSet<State> = naive.states().map(|(s, _)| s.clone()).collect();
            assert_eq!(found, reached, "seed {seed}, bound {bound}");
            if let Some((last, _)) = naive.states().last() {
                let trace = naive.trace_to(|state| state == last).unwrap();
                assert_eq!(Some(trace.rounds()), naive.bound_of(last));
                replay(&system, &trace).unwrap();
            }
            compared += 1;
            grown += usize::from(level.new_states > 0);
        }
    }
    assert!(compared > 600 && grown > 300, "{compared} levels compared, {grown} grew");
}

#[test]
fn agrees_with_the_bare_definition_on_random_systems() {
    let (mut compared, mut grown) = (0, 0);
    for seed in 0..300 {
        let system = random_tables(seed);
        let mut naive = Naive::with_limit(&system, 500).unwrap();
        let mut reached: BTreeSet<State> = system.initial().unwrap().into_iter().collect();
        for bound in 1..=4 {
            let Ok(level) = naive.advance() else { break };
            reached = one_more_context(&system, &reached);
            let found: BTreeSet<State> = naive.states().map(|(s, _)| s.clone()).collect();
            assert_eq!(found, reached, "seed {seed}, bound {bound}");
            compared += 1;
            grown += usize::from(level.new_states > 0);
        }
    }
    assert!(compared > 600 && grown > 300, "{compared} levels compared, {grown} grew");
}
