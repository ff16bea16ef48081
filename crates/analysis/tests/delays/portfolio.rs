//! Where a single context never ends, rounds and delays have an answer all the same.

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, Verdict, verify};
use selvedge_evidence::recheck;
use selvedge_model::{Property, System};

use super::support::system;

/// The counter has no largest value, and counting is one context.
const COUNTING: &str = "
shared int n := 0;
shared bool late := false;

void counter() {
  while (true) n := n + 1;
}

void watcher() {
  wait(n == 3);
  late := true;
  assert n != 5;
}

thread counter;
thread watcher;
";

#[test]
fn a_context_without_end_does_not_hide_a_violation() {
    let system = system(COUNTING);
    let properties = [Property::NeverWrong];
    let question = Question {
        system: &system,
        properties: &properties,
        method: Method::Auto,
        symmetry: true,
        evidence: true,
    };
    assert_eq!(system.threads().len(), 2);
    let outcome = verify(&question, &Budget::default(), &|_| {});
    let Verdict::Unsafe { .. } = outcome.verdict else { panic!("{outcome:?}") };
    assert_eq!(outcome.engine, "delays");
    recheck(&system, &properties, &outcome.evidence.expect("evidence")).expect("accepted");
}
