//! SARIF logs have the form of the standard: each object has the properties that it must have, none that
//! the standard does not know, and each of the right type. And they say what the trace says.

mod shape;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check, verify};
use selvedge_analysis::fair;
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::{Trace, replay};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Endless, Fairness, Property, System, Values};
use selvedge_program::{Lowering, Source, ThreadCounts};
use selvedge_report::advice::AdviceContext;
use selvedge_report::answer::{self, AboutStates};
use selvedge_report::json::{DiagnosticReport, FailureReport, VERSION};
use selvedge_report::{livelock, sarif};
use serde_json::Value;
use shape::check_log;

struct Opened {
    system: Arc<dyn System>,
    properties: Vec<Property>,
    source: Arc<Source>,
}

fn open(example: &str, deadlock: bool) -> Opened {
    let path = Path::new("../../examples").join(example);
    match load(&path, &LoadOptions::default()).unwrap() {
        Input::Program { program, source, .. } => {
            let lowering =
                Lowering::new(program, Arc::clone(&source), &ThreadCounts::default()).unwrap();
            let system: Arc<dyn System> = match deadlock {
                true => Arc::new(lowering.choosing_at_once()),
                false => Arc::new(lowering.dropping_threads()),
            };
            let mut properties = vec![Property::NeverWrong];
            properties.extend(deadlock.then_some(Property::ANY_DEADLOCK));
            Opened { system, properties, source }
        }
        Input::Tables { input, source } => {
            Opened { system: Arc::new(input.tables), properties: input.targets, source }
        }
    }
}

/// Asks, and gives the log and the trace.
fn ask(
    opened: &Opened,
    run: impl FnOnce(&Question<'_>) -> Outcome,
    exit: u8,
) -> (Value, Option<Trace>) {
    let question = Question {
        system: &*opened.system,
        properties: &opened.properties,
        method: Method::Auto,
        symmetry: true,
        evidence: false,
    };
    let outcome = run(&question);
    let trace = match &outcome.verdict {
        Verdict::Unsafe { trace, .. } => Some(trace.clone()),
        _ => None,
    };
    let states = trace.as_ref().map(|trace| replay(&*opened.system, trace).unwrap());
    let answer = AboutStates {
        processes: &[],
        file: opened.source.name(),
        system: &*opened.system,
        properties: &opened.properties,
        outcome: &outcome,
        asked: AdviceContext::default(),
        last: states.as_ref().and_then(|states| states.last()),
        covered: None,
        deadlocks: Default::default(),
        time: Duration::ZERO,
        peak_memory: 0,
    };
    let log = sarif::answer(&answer, &opened.source, exit);
    let log = serde_json::to_value(&log).unwrap();
    check_log(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(
        results[0]["message"]["text"].as_str().unwrap().starts_with(&answer::sentence(&answer)),
        "the sentence is the one that people read"
    );
    (log, trace)
}

fn verified(opened: &Opened, exit: u8) -> (Value, Option<Trace>) {
    ask(opened, |question| verify(question, &Budget::default(), &|_| {}), exit)
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().unwrap()
}

/// A value without the names of those who hold its locks.
fn without_holders(told: &str) -> String {
    let mut parts = told.split("held by ");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest =
        parts.map(|part| format!("held{}", &part[part.find([',', ']']).unwrap_or(part.len())..]));
    first + &rest.collect::<String>()
}

/// Each step of the schedule is in the flow of its thread, once, with the values after it.
fn flows_are_the_schedule(opened: &Opened, result: &Value, trace: &Trace) {
    let flows = result["codeFlows"][0]["threadFlows"].as_array().unwrap();
    let mut by_order: Vec<Option<(&str, &Value)>> = vec![None; trace.steps.len()];
    for flow in flows {
        let mut before = 0;
        for step in flow["locations"].as_array().unwrap() {
            let order = step["executionOrder"].as_u64().unwrap() as usize;
            assert!(order > before, "the steps of a thread are in their order");
            before = order;
            let seat = &mut by_order[order - 1];
            assert!(seat.is_none(), "two steps have the number {order}");
            *seat = Some((flow["id"].as_str().unwrap(), step));
        }
    }
    let states = replay(&*opened.system, trace).unwrap();
    for (number, seat) in by_order.iter().enumerate() {
        let (name, step) = seat.expect("every step has a place");
        let (thread, _) = trace.steps[number];
        let state = &states[number + 1];
        assert_eq!(name, selvedge_evidence::thread_name(&*opened.system, state, thread));
        for (variable, value) in opened.system.describe().shared_values(state.shared) {
            let top = state.threads[thread.index()].stack.top();
            let hides =
                top.map_or(Values::default(), |top| opened.system.describe().symbol_values(top));
            if hides.iter().all(|(local, _)| *local != variable) {
                let told = step["state"][variable.as_str()]["text"].as_str().unwrap();
                assert_eq!(without_holders(told), value.to_string());
            }
        }
    }
    let acting: std::collections::BTreeSet<_> =
        trace.steps.iter().map(|(thread, _)| thread).collect();
    assert_eq!(flows.len(), acting.len(), "one flow for each thread that acts");
}

#[test]
fn a_violation_is_a_failure_with_its_schedule() {
    let opened = open("start/race.weave", false);
    let (log, trace) = verified(&opened, 10);
    let [result] = results(&log) else { panic!("one violation is one result") };
    assert_eq!(result["kind"], "fail");
    assert_eq!(result["ruleId"], "assertion");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "../../examples/start/race.weave");
    let line = place["region"]["startLine"].as_u64().unwrap() as u32;
    let text = opened.source.line_text(line);
    assert!(text.contains("assert"), "the failing line is {line}: {text}");
    let column = place["region"]["startColumn"].as_u64().unwrap() as usize;
    assert_eq!(column, text.len() - text.trim_start().len() + 1);
    assert_eq!(place["region"]["endColumn"].as_u64().unwrap() as usize, text.trim_end().len() + 1);
    flows_are_the_schedule(&opened, result, &trace.unwrap());
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 10);
}

#[test]
fn targets_and_deadlocks_have_rules_of_their_own() {
    let opened = open("locks/philosophers.weave", true);
    let (log, trace) = verified(&opened, 10);
    let [result] = results(&log) else { panic!("one violation is one result") };
    assert_eq!(result["ruleId"], "deadlock");
    let trace = trace.unwrap();
    let last = replay(&*opened.system, &trace).unwrap().pop().unwrap();
    let waiting = last.threads.iter().filter(|thread| !thread.has_ended()).count();
    let related = result["relatedLocations"].as_array().map_or(0, Vec::len);
    assert_eq!(1 + related, waiting, "a location for each thread that waits");
    flows_are_the_schedule(&opened, result, &trace);

    let opened = open("any/handshake.tts", false);
    let (log, _) = verified(&opened, 0);
    assert!(results(&log).iter().all(|result| result["ruleId"] == "target"));
}

#[test]
fn a_proof_passes_and_the_rest_is_open() {
    let opened = open("start/mutex.weave", false);
    let (log, _) = verified(&opened, 0);
    let [result] = results(&log) else { panic!("one property is one result") };
    assert_eq!((&result["kind"], &result["level"]), (&"pass".into(), &"none".into()));
    assert!(result.get("codeFlows").is_none());

    let late = Budget { deadline: Some(std::time::Instant::now()), ..Budget::default() };
    let (log, _) = ask(&opened, |question| verify(question, &late, &|_| {}), 20);
    let [result] = results(&log) else { panic!("one property is one result") };
    assert_eq!(result["kind"], "open");
    let words = result["message"]["text"].as_str().unwrap();
    assert!(words.contains("time limit") && words.contains("try more time"), "{words}");

    let bounded =
        |question: &Question<'_>| check(question, Bound::contexts(1), &Budget::default(), &|_| {});
    let (log, _) = ask(&opened, bounded, 1);
    let [result] = results(&log) else { panic!("one property is one result") };
    assert_eq!(result["kind"], "open", "what holds up to a bound is no proof");
}

#[test]
fn a_table_without_a_target_has_nothing_to_pass() {
    let opened = open("delays/ex8.cpds", false);
    assert!(opened.properties.is_empty());
    let (log, _) = verified(&opened, 0);
    assert_eq!(results(&log)[0]["kind"], "notApplicable");
}

#[test]
fn a_run_that_never_ends_is_a_livelock() {
    let opened = open("start/livelock.weave", true);
    let endless = Endless { fairness: Fairness::Strong, ended: true };
    let question = fair::Question { system: &*opened.system, endless, evidence: false };
    let outcome = fair::search(&question, &Budget::default(), &|_| {});
    let fair::Verdict::Nonterminating { lasso, .. } = &outcome.verdict else {
        panic!("this example never ends")
    };
    let answer = livelock::AboutRuns {
        file: opened.source.name(),
        system: &*opened.system,
        endless,
        outcome: &outcome,
        unbounded: None,
        time: Duration::ZERO,
        peak_memory: 0,
    };
    let log = serde_json::to_value(sarif::endless(&answer, &opened.source, 11)).unwrap();
    check_log(&log);
    let [result] = results(&log) else { panic!("one result") };
    assert_eq!((&result["ruleId"], &result["kind"]), (&"livelock".into(), &"fail".into()));
    flows_are_the_schedule(&opened, result, &lasso.unrolled(1));
}

#[test]
fn a_wrong_input_is_a_notification() {
    let report = FailureReport {
        selvedge: VERSION,
        file: Some("a.weave".to_owned()),
        verdict: None,
        reason: Some("as a whole".to_owned()),
        diagnostics: vec![DiagnosticReport {
            file: "a.weave".to_owned(),
            severity: "error",
            message: "there is no variable `x`".to_owned(),
            line: 3,
            column: 7,
            hint: Some("declare it".to_owned()),
        }],
    };
    let log = serde_json::to_value(sarif::failure(&report, 65)).unwrap();
    check_log(&log);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolConfigurationNotifications"].as_array().unwrap().len(), 2);
    assert!(results(&log).is_empty());
}

#[test]
fn a_wrong_log_is_refused() {
    let opened = open("start/race.weave", false);
    let (log, _) = verified(&opened, 10);
    let broken = |change: fn(&mut Value)| {
        let mut log = log.clone();
        change(&mut log);
        std::panic::catch_unwind(|| check_log(&log)).is_err()
    };
    assert!(broken(|log| log["version"] = "2.0".into()));
    assert!(broken(|log| log["runs"][0]["results"][0]["kind"] = "maybe".into()));
    assert!(broken(|log| log["runs"][0]["results"][0]["extra"] = 1.into()));
    assert!(broken(|log| log["runs"][0]["results"][0]["message"] = "text".into()));
    assert!(broken(|log| log["runs"][0]["results"][0]["ruleIndex"] = 3.into()));
    assert!(broken(|log| {
        log["runs"][0]["results"][0].as_object_mut().unwrap().remove("message");
    }));
    assert!(broken(|log| {
        log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"] =
            Value::Array(Vec::new());
    }));
}
