//! What the lowering makes of tiny programs, statement by statement: each test is a text and what
//! the naive enumerator finds.

use crate::support;

mod atomic;
mod deadlocks;
mod fair;
mod large;
mod locks;
mod results;
mod statements;
mod threads;
mod values;
mod wrong;

use std::collections::BTreeSet;

use expect_test::Expect;
use selvedge_analysis::naive::Naive;
use selvedge_model::System;
use selvedge_program::Lowering;

/// Programs are followed up to this number of contexts.
const BOUND: usize = 5;

/// What a program comes to: whether it goes wrong and how soon, and with which values of the shared
/// variables all threads have ended.
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&summary(&support::system(text)));
}

fn summary(system: &Lowering) -> String {
    let naive = match explored(system) {
        Ok(naive) => naive,
        Err(why) => return why,
    };
    let wrong = naive.states().filter_map(|(s, k)| Some((k, system.wrong(s.shared)?))).min();
    let verdict =
        wrong.map_or("safe".to_owned(), |(bound, why)| format!("wrong at {bound}: {why}"));
    let ended = naive.states().filter(|(s, _)| s.threads.iter().all(|t| t.has_ended()));
    let ends: BTreeSet<String> =
        ended.map(|(s, _)| system.describe().show_shared(s.shared)).collect();
    let ends: Vec<String> = ends.into_iter().collect();
    match ends.as_slice() {
        [] => format!("{verdict}; never ends"),
        ends => format!("{verdict}; ends: {}", ends.join(" | ")),
    }
}

/// The states of a system, or why they are not known.
fn explored(system: &Lowering) -> Result<Naive<'_>, String> {
    let mut naive = Naive::with_limit(system, 20_000).map_err(|e| e.to_string())?;
    for _ in 0..BOUND {
        if naive.advance().map_err(|e| e.to_string())?.has_collapsed() {
            break;
        }
    }
    Ok(naive)
}

/// How many steps a program takes that has one thread and makes no choices, without the last
/// return.
fn steps(text: &str) -> usize {
    let system = support::system(text);
    let naive = explored(&system).expect("small");
    assert_eq!(summary(&system).matches('|').count(), 0, "no choices: {text}");
    naive.states().count() - 2
}
