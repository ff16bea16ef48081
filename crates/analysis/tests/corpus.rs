//! Published systems, through the engine: the verdicts, the bounds and the sequences that are
//! known from independent searches. The corpus is kept outside of the project; without it, these
//! tests say that they were skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check, table, verify};
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_evidence::replay;
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Property, System};
use selvedge_program::{Lowering, ThreadCounts};

/// Systems that take too long for a test without full optimization.
const TOO_LARGE: [&str; 2] = ["bluetooth3-33", "bluetooth3-34"];

/// Reads a list of systems, row by row, by the titles of its columns.
fn rows(list: &str) -> Vec<BTreeMap<String, String>> {
    let path = corpus(list);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return Vec::new();
    };
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let titles: Vec<String> = lines.next().into_iter().flatten().collect();
    lines.map(|row| titles.iter().cloned().zip(row).collect()).collect()
}

fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(path)
}

/// A system in the form that engines want, and its properties.
fn open(path: &Path) -> (Box<dyn System>, Vec<Property>) {
    match load(path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")) {
        Input::Tables { input, .. } => (Box::new(input.tables.dropping_threads()), input.targets),
        Input::Program { program, source, .. } => {
            let lowering = Lowering::new(program, source, &ThreadCounts::new());
            let system = lowering.unwrap_or_else(|e| panic!("{e}")).dropping_threads();
            (Box::new(system), vec![Property::NeverWrong])
        }
    }
}

fn question<'a>(system: &'a dyn System, properties: &'a [Property]) -> Question<'a> {
    Question { system, properties, method: Method::Auto, symmetry: true, evidence: false }
}

fn numbers(field: &str) -> Vec<u128> {
    field.split(' ').map(|n| n.parse().expect("a list of numbers")).collect()
}

fn list(
    outcome: &Outcome,
    of: fn(&selvedge_analysis::explore::Observation) -> Option<u128>,
) -> Vec<u128> {
    let until = outcome.collapse.map_or(usize::MAX, |bound| bound.count + 1);
    outcome.observations.iter().take(until).map(|o| of(o).expect("countable")).collect()
}

/// The number of contexts (or of threads) of a violation, with a schedule that can be replayed and ends in it;
/// `None` if the system is safe.
fn violation(name: &str, question: &Question<'_>) -> Option<usize> {
    match verify(question, &Budget::default(), &|_| {}).verdict {
        Verdict::Safe(_) => None,
        Verdict::Unsafe { bound, trace, .. } => {
            let states = replay(question.system, &trace).unwrap_or_else(|e| panic!("{name}: {e}"));
            let last = states.last().expect("a state");
            let broken = Property::first_broken(question.properties, question.system, last);
            assert!(broken.is_ok_and(|broken| broken.is_some()), "{name}");
            let counted = match bound.resource {
                Resource::Threads => last.threads.len(),
                _ => trace.contexts(),
            };
            assert_eq!(counted, bound.count, "{name}");
            Some(bound.count)
        }
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn published_systems_have_the_known_sequences_and_verdicts() {
    for row in rows("cpds/pldi18/SEQUENCES.tsv") {
        let start = Instant::now();
        let name = &row["name"];
        let (family, _) = name.rsplit_once('-').expect("a family and a variant");
        let path = corpus("cpds/pldi18").join(family).join(name).with_extension("pds");
        let (system, targets) = open(&path);
        let question = question(system.as_ref(), &targets);

        let found = table(&question, Resource::Contexts, None, 0, &Budget::default(), &|_| {});
        assert_eq!(
            list(&found.outcome, |o| o.new_visible),
            numbers(&row["recomputed_new_visible"]),
            "{name}"
        );
        let collapse = found.outcome.collapse.expect("it collapses");
        assert_eq!(collapse.count.to_string(), row["recomputed_collapse_k"], "{name}");
        let all_finite = found.finite_contexts.expect("known").iter().all(|(_, finite)| *finite);
        assert_eq!(all_finite, row["tool_mode"] == "explicit", "{name}");
        if row["recomputed_new_global"] != "-" {
            let states = list(&found.outcome, |o| o.new_states);
            assert_eq!(states, numbers(&row["recomputed_new_global"]), "{name}");
        }

        assert_eq!(targets.is_empty(), row["target"] == "-", "{name}");
        let expected = row["recomputed_target_k"].parse().ok();
        assert_eq!(violation(name, &question), expected, "{name}");
        println!("{name}: {:.2} s", start.elapsed().as_secs_f64());
    }
}

#[test]
fn larger_systems_have_the_known_totals() {
    for row in rows("cpds/scaled/SCALED.tsv") {
        let start = Instant::now();
        let name = &row["name"];
        let path = corpus("cpds/scaled").join(name).with_extension("pds");
        if TOO_LARGE.contains(&name.as_str()) || !path.exists() {
            continue;
        }
        let (system, targets) = open(&path);
        let found = table(
            &question(system.as_ref(), &targets),
            Resource::Contexts,
            None,
            0,
            &Budget::default(),
            &|_| {},
        );
        let collapse = found.outcome.collapse.expect("it collapses");
        let last = found.outcome.observations[collapse.count].clone();
        let visible = list(&found.outcome, |o| o.visible);
        println!(
            "{name}: collapse {collapse}, {:?} visible, {:?} states, {:.2} s",
            last.visible,
            last.states,
            start.elapsed().as_secs_f64()
        );
        let known = |title: &str, found: String| {
            let expected = &row[title];
            assert!(expected == "-" || *expected == found, "{name}: {expected} {found}");
        };
        known("collapse_k", collapse.count.to_string());
        known("visible_total", last.visible.expect("countable").to_string());
        if row["global_total"] != "infinite" {
            known("global_total", last.states.expect("countable").to_string());
        }
        if row["visible_after_k0_k1_etc"] != "-" {
            assert_eq!(visible, numbers(&row["visible_after_k0_k1_etc"]), "{name}");
        }
    }
}

/// Threads are started in an endless loop: with contexts, the safe ones can only be checked up to a
/// bound; for any number of threads they are proved.
#[test]
fn programs_that_start_threads_have_the_known_verdicts() {
    let manifest = corpus("MANIFEST.tsv");
    let Ok(manifest) = std::fs::read_to_string(&manifest) else {
        println!("skipped: there is no {}", manifest.display());
        return;
    };
    let mut seen = (0, 0);
    for line in manifest.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let name = fields[0];
        if !name.starts_with("bp/satabs") || !name.ends_with(".bp") {
            continue;
        }
        let start = Instant::now();
        let (system, properties) = open(&corpus(name));
        let question = question(system.as_ref(), &properties);
        match fields[4] {
            "unsafe" => {
                let threads = violation(name, &question).expect("unsafe");
                let question = Question { method: Method::Explicit, ..question };
                let contexts = violation(name, &question).expect("unsafe");
                let time = start.elapsed().as_secs_f64();
                println!("{name}: {threads} threads, {contexts} contexts, {time:.2} s");
                seen.0 += 1;
            }
            "safe" => {
                assert_eq!(violation(name, &question), None, "{name}");
                let outcome = check(&question, Bound::contexts(4), &Budget::default(), &|_| {});
                let bounded = matches!(outcome.verdict, Verdict::Bounded { bound } if bound == Bound::contexts(4));
                assert!(bounded, "{name}: {:?}", outcome.verdict);
                println!("{name}: bounded, {:.2} s", start.elapsed().as_secs_f64());
                seen.1 += 1;
            }
            other => panic!("{name}: {other}"),
        }
    }
    assert_eq!(seen, (12, 2));
}
