//! Every verdict has evidence that is accepted, through its text and by another run; evidence that
//! was tampered with is refused.

mod certificates;
mod cover;
mod endless;
mod examples;
mod heights;
mod texts;
mod violations;

use std::collections::BTreeMap;

use selvedge_analysis::engine::{Method, Outcome, Question, check, verify};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::Evidence;
use selvedge_evidence::format::{Document, Options, Subject, digest};
use selvedge_model::{Pattern, Property, SharedId, System, Tables, TopPattern};

/// No state with this shared state is reached.
fn unreachable(system: &Tables, shared: SharedId) -> Property {
    let tops = system.threads().iter().map(|_| TopPattern::Any).collect();
    Property::Unreachable(Pattern::Tuple { shared: Some(shared), tops })
}

fn question<'a>(
    system: &'a dyn System,
    properties: &'a [Property],
    method: Method,
) -> Question<'a> {
    Question { system, properties, method, symmetry: true, evidence: true }
}

/// From both sides.
fn verified(system: &dyn System, properties: &[Property], method: Method) -> Outcome {
    verify(&question(system, properties, method), &Budget::default(), &|_| {})
}

/// From below only.
fn checked(system: &dyn System, properties: &[Property], method: Method) -> Outcome {
    check(&question(system, properties, method), Bound::contexts(12), &Budget::default(), &|_| {})
}

fn subject() -> Subject {
    Subject {
        file: "system.cpds".to_owned(),
        digest: digest("text"),
        options: Options::default(),
        chosen: BTreeMap::new(),
        property: "a target".to_owned(),
    }
}

/// The evidence as text.
fn text_of(system: &dyn System, evidence: &Evidence) -> String {
    Document::new(system, subject(), evidence).expect("it can be written").to_text()
}

/// The evidence as another run reads it.
fn through_text(system: &dyn System, evidence: &Evidence, other_run: &dyn System) -> Evidence {
    let document = Document::parse(&text_of(system, evidence)).expect("it can be read");
    document.check_subject(&digest("text"), &Options::default()).expect("it is about this");
    document.evidence(other_run).expect("its keys are known")
}
