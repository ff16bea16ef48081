//! What the paper says of its examples.

use std::collections::BTreeSet;

use selvedge_analysis::engine::delays::{Options, verify};
use selvedge_analysis::engine::{Method, Proof, Question, Verdict};
use selvedge_analysis::explore::DelayExplorer;
use selvedge_analysis::naive::NaiveDelays;
use selvedge_analysis::{Bound, Budget};
use selvedge_model::{System, Tables, Word};

use super::exact::states;
use super::lemma9::changing;

/// Ex. 8: three threads, three shared states.
fn example_8() -> Tables {
    changing(&[&[(0, 1)], &[(0, 1)], &[(0, 2)]])
}

/// Table 1, by the definition and by the explorer.
#[test]
fn table_1() {
    let system = example_8();
    let naive = NaiveDelays::new(&system, 3, 4, 10_000).expect("small");
    for rounds in 1..=3 {
        for delays in 0..=4 {
            let expected: &[u32] = if delays < 2 { &[0, 1] } else { &[0, 1, 2] };
            let mut explorer = DelayExplorer::new(&system).expect("starts");
            for _ in 0..rounds {
                explorer.advance_round(&Budget::default()).expect("goes on");
            }
            for _ in 0..delays {
                explorer.advance_delay(&Budget::default()).expect("goes on");
            }
            for reached in [naive.within(rounds, delays), states(&explorer, &system)] {
                let shared: Vec<u32> = reached.iter().map(|state| state.shared.0).collect();
                assert_eq!(shared, expected, "{rounds} rounds, {delays} delays");
            }
        }
    }
}

/// The way through Table 1 to the plateau at (3, 4). A delay plateau of length 1 is not enough.
#[test]
fn the_way_through_table_1() {
    let system = example_8();
    let question = Question {
        system: &system,
        properties: &[],
        method: Method::Auto,
        symmetry: true,
        evidence: false,
    };
    let outcome = verify(&question, &Options::default(), &Budget::default(), &|_| {});
    let way: Vec<Bound> = outcome.observations.iter().map(|o| o.bound).collect();
    let published = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (3, 2), (3, 3), (3, 4)];
    assert_eq!(way, published.map(|(r, d)| Bound::round_robin(r, d)));
    let Verdict::Safe(Proof::Repetition { bound }) = outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!(bound, Bound::round_robin(3, 4));
}

/// Ex. 12: `0: t := !t  1: if t then  2: s := 1`, by any number of threads.
fn example_12(threads: usize) -> Tables {
    let mut tables = Tables::builder();
    let mut shared = Vec::new();
    for s in 0..2 {
        shared.push([0, 1].map(|t| tables.shared(format!("s={s} t={t}"))));
    }
    let template = tables.template("P");
    let at = [0, 1, 2].map(|pc: usize| tables.symbol(template, pc.to_string()));
    for s in 0..2 {
        for t in 0..2 {
            let here = shared[s][t];
            tables.rule(template, here, Some(at[0]), shared[s][1 - t], Word::Rewrite(at[1]));
            let word = if t == 1 { Word::Rewrite(at[2]) } else { Word::Pop };
            tables.rule(template, here, Some(at[1]), here, word);
            tables.rule(template, here, Some(at[2]), shared[1][t], Word::Pop);
        }
    }
    for thread in 0..threads {
        tables.thread(format!("T{thread}"), template, vec![at[0]]);
    }
    tables.initial(shared[0][0]);
    tables.build()
}

/// R(3, 0, 1) is not within R(r, 0, 2), for any r: more threads can reach less.
#[test]
fn more_threads_are_not_more_states() {
    let shared = |system: &Tables, rounds: usize| -> BTreeSet<String> {
        let naive = NaiveDelays::new(system, rounds, 0, 10_000).expect("small");
        naive
            .within(rounds, 0)
            .iter()
            .map(|state| system.describe().show_shared(state.shared))
            .collect()
    };
    let s_is_set = |states: &BTreeSet<String>| states.iter().any(|state| state.contains("s=1"));
    let (one, two) = (example_12(1), example_12(2));
    assert!(!s_is_set(&shared(&one, 2)) && s_is_set(&shared(&one, 3)));
    // From some round on nothing is new without delays, so that these are all rounds.
    let mut explorer = DelayExplorer::new(&two).expect("starts");
    let mut quiet = 0;
    while quiet < 20 {
        let seen = explorer.advance_round(&Budget::default()).expect("goes on");
        quiet = if seen.new_stored == 0 { quiet + 1 } else { 0 };
    }
    let reached = states(&explorer, &two);
    assert!(reached.iter().all(|state| !two.describe().show_shared(state.shared).contains("s=1")));
    assert!(!s_is_set(&shared(&two, 10)));
    // One delay is enough.
    explorer.advance_delay(&Budget::default()).expect("goes on");
    let reached = states(&explorer, &two);
    assert!(reached.iter().any(|state| two.describe().show_shared(state.shared).contains("s=1")));
}
