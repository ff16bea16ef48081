//! Any number of recursive threads, through the engine: random programs, held against an enumeration of the runs of
//! one, two and three threads with low stacks.

use crate::support;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, verify};
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_evidence::{Evidence, recheck};
use selvedge_model::{Property, State, System, ThreadId, step};
use selvedge_program::{Lowering, Source, ThreadCounts};
use support::{many, read_weave};

const NEVER_WRONG: [Property; 1] = [Property::NeverWrong];

/// Higher stacks are not looked at.
const HIGHEST: usize = 4;

/// Nor are more configurations.
const MOST: usize = 2_500;

fn program(text: &str) -> Lowering {
    let source = Arc::new(Source::new("test.weave", text));
    let lowering =
        Lowering::for_any_number(Arc::new(read_weave(text)), source, &ThreadCounts::new());
    lowering.unwrap_or_else(|e| panic!("{text}\n{e}")).dropping_threads()
}

fn with_threads(text: &str, counts: &[(&str, u32)]) -> Option<Lowering> {
    let source = Arc::new(Source::new("test.weave", text));
    let counts = counts.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
    Lowering::new(Arc::new(read_weave(text)), source, &counts).ok()
}

/// Enough work for most of the random programs.
const LITTLE: u64 = 1 << 21;

/// Enough for a large one.
const MUCH: u64 = 1 << 28;

fn verified(system: &dyn System, properties: &[Property], work: u64) -> Outcome {
    let budget = Budget::default().with_work(work);
    let question =
        Question { system, properties, method: Method::Auto, symmetry: true, evidence: true };
    let outcome = verify(&question, &budget, &|_| {});
    if let Some(evidence) = &outcome.evidence {
        recheck(system, properties, evidence).unwrap_or_else(|e| panic!("{e}"));
    }
    outcome
}

/// A small program with recursion: procedures that call each other under choices and tests.
fn random(seed: u64) -> (String, Vec<&'static str>, usize) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut text = "int[0..2] g := 0;\nbool b := false;\n".to_owned();
    for name in ["p", "q"] {
        text += &format!("void {name}() {{\n");
        for _ in 0..rng.usize(2..=4) {
            let (c, call) = (rng.u32(0..3), ["p", "q"][rng.usize(0..2)]);
            let line = match rng.u32(0..12) {
                0 | 1 => format!("g := {c};"),
                2 => format!("assume g == {c};"),
                3 => "b := !b;".to_owned(),
                4 => "atomic { assume !b; b := true; }".to_owned(),
                5 => "b := false;".to_owned(),
                6 | 7 => format!("if (*) {call}();"),
                8 => format!("if (g == {c}) {call}();"),
                9 => format!("if (b) g := {c};"),
                10 => format!("atomic {{ assume g == {c}; g := {}; }}", rng.u32(0..3)),
                _ => format!("assert g != {c} || {}b;", ["", "!"][rng.usize(0..2)]),
            };
            text += &format!("  {line}\n");
        }
        text += &format!("  if (*) {name}();\n");
        if rng.bool() {
            let (c, not) = (rng.u32(0..3), ["", "!"][rng.usize(0..2)]);
            text += &format!("  assert g != {c} || {not}b;\n");
        }
        text += "}\n";
    }
    let mut any = vec!["v"];
    text += "thread v * any = p();\n";
    let fixed = match rng.u32(0..3) {
        0 => {
            any.push("w");
            text += "thread w * any = q();\n";
            0
        }
        1 => {
            text += "thread w = q();\n";
            1
        }
        _ => 0,
    };
    (text, any, fixed)
}

/// The fewest contexts with which so many threads go wrong, as far as is looked.
fn fewest_contexts(text: &str, any: &[&str], fixed: usize, threads: usize) -> Option<usize> {
    let more = threads.checked_sub(fixed)? as u32;
    let ways = (0..=more).filter(|&first| any.len() > 1 || first == more);
    let counts = ways.map(|first| match any {
        [a, b] => vec![(*a, first), (*b, more - first)],
        _ => vec![(any[0], first)],
    });
    let systems = counts.filter_map(|counts| with_threads(text, &counts));
    systems.filter_map(|system| contexts(&system)).min()
}

/// The fewest contexts of a run that goes wrong: a state with who acted last, by the number of contexts.
fn contexts(system: &dyn System) -> Option<usize> {
    let mut best: HashMap<(State, Option<ThreadId>), usize> = HashMap::new();
    let mut work: VecDeque<(State, Option<ThreadId>, usize)> =
        system.initial().unwrap().into_iter().map(|state| (state, None, 0)).collect();
    while let Some((state, last, used)) = work.pop_front() {
        let known = best.entry((state.clone(), last)).or_insert(usize::MAX);
        if *known <= used {
            continue;
        }
        *known = used;
        if system.wrong(state.shared).is_some() {
            return Some(used);
        }
        if best.len() > MOST {
            return None;
        }
        for thread in state.thread_ids() {
            for (_, next) in step(system, &state, thread).unwrap() {
                if next.threads.iter().all(|thread| thread.stack.0.len() <= HIGHEST) {
                    match last == Some(thread) {
                        true => work.push_front((next, last, used)),
                        false => work.push_back((next, Some(thread), used + 1)),
                    }
                }
            }
        }
    }
    None
}

#[test]
fn few_threads_agree() {
    let (mut safe, mut broken, mut open, mut recursive) = (0, [0; 4], 0, 0);
    for seed in 0..many(60) {
        let (text, any, fixed) = random(seed);
        let system = program(&text);
        let outcome = verified(&system, &NEVER_WRONG, LITTLE);
        recursive += usize::from(outcome.engine != "coverability");
        let first = fixed.max(1);
        let found: Vec<(usize, Option<usize>)> =
            (first..=3).map(|n| (n, fewest_contexts(&text, &any, fixed, n))).collect();
        match outcome.verdict {
            Verdict::Safe(_) => {
                assert!(found.iter().all(|(_, contexts)| contexts.is_none()), "{text}\n{found:?}");
                assert!(matches!(outcome.evidence, Some(Evidence::Cover(_))), "{text}");
                safe += 1;
            }
            Verdict::Unsafe { bound, trace, .. } => {
                let threads = trace.initial.threads.len();
                let shown = trace.contexts();
                for &(fewer, contexts) in &found {
                    let Some(contexts) = contexts else { continue };
                    if bound.resource == Resource::Threads {
                        assert_eq!(bound.count, threads, "{text}");
                        assert!(fewer >= threads, "{text}\n{fewer} threads, not {threads}");
                    } else {
                        assert!(fewer >= threads || contexts > shown, "{text}\n{found:?} {bound}");
                    }
                    if fewer == threads && outcome.engine == "growing-threads" {
                        assert!(contexts >= shown, "{text}\n{contexts} contexts, not {shown}");
                    }
                }
                broken[threads.min(3)] += 1;
            }
            Verdict::Unknown { stop: Stop::Work, completed } => {
                for (threads, contexts) in found {
                    let Some(Bound { resource: Resource::ContextsOf { threads: most }, count }) =
                        completed
                    else {
                        continue;
                    };
                    let within = contexts.is_some_and(|contexts| contexts <= count);
                    assert!(threads > most || !within, "{text}");
                }
                open += 1;
            }
            other => panic!("{text}\n{other:?}"),
        }
    }
    println!(
        "{safe} safe, {open} open, unsafe by threads {broken:?}; {recursive} by cuts or growing"
    );
    assert!(safe > 10 && broken[1] > 3 && broken[2] > 3, "{safe} {broken:?}");
    assert!(recursive > 20, "{recursive}");
}

/// Where one more thread may undo a violation, there is no answer, and it says why.
#[test]
fn deadlocks_are_refused() {
    let text = "lock a; lock b;
                void p() { if (*) p(); acquire a; acquire b; release b; release a; }
                void q() { if (*) q(); acquire b; acquire a; release a; release b; }
                thread p * any; thread q * any;";
    let source = Arc::new(Source::new("test.weave", text));
    let lowering =
        Lowering::for_any_number(Arc::new(read_weave(text)), source, &ThreadCounts::new());
    let system = lowering.unwrap().choosing_at_once();
    let outcome = verified(&system, &[Property::ANY_DEADLOCK], MUCH);
    let Verdict::Unknown { stop: stop @ Stop::OnlyDeadlocks { .. }, .. } = outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    let why = stop.to_string();
    assert!(why.contains("deadlocks cannot be decided where there may be any number"), "{why}");
}

/// The depth of the calls of one thread is the number of others that are inside: no cut knows it.
#[test]
fn heights_are_compared_with_numbers_of_threads() {
    let text = |again: &str| {
        format!(
            "enum Bell {{ Silent, Comes, Goes }}
             Bell bell := Silent;
             bool closed := false;
             void visit() {{
               atomic {{ assume bell == Silent && !closed; bell := Comes; }}
               assert !closed;
               atomic {{ assume bell == Silent; bell := Goes; }} {again}
             }}
             void keep() {{
               while (true) {{
                 wait(bell != Silent);
                 if (bell == Goes) {{ bell := Silent; return; }}
                 bell := Silent;
                 keep();
               }}
             }}
             thread keeper {{
               wait(bell == Comes);
               bell := Silent;
               keep();
               atomic {{ if (bell == Silent) closed := true; }}
             }}
             thread visitor * any = visit();"
        )
    };
    let right = verified(&program(&text("")), &NEVER_WRONG, MUCH);
    assert!(matches!(right.verdict, Verdict::Safe(_)), "{:?}", right.verdict);
    let Some(Evidence::Cover(certificate)) = right.evidence else { panic!("no evidence") };
    assert!(!certificate.relations.is_empty());
    let twice = text("atomic { assume bell == Silent; bell := Goes; }");
    let wrong = verified(&program(&twice), &NEVER_WRONG, MUCH);
    let Verdict::Unsafe { bound, .. } = wrong.verdict else { panic!("{:?}", wrong.verdict) };
    assert_eq!(bound, Bound::threads(3));
}
