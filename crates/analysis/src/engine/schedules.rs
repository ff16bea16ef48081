//! # All schedules, with threads that wait
//! The question without a bound, where the system says who may wait ([`selvedge_model::Stubborn`]). It proves, and leaves violations to those who count contexts.

use selvedge_evidence::{Evidence, ReducedCertificate};
use selvedge_model::{Local, Property};

use super::below::SUSPICIOUS_HEIGHT;
use super::{MANY_STARTED, Method, Outcome, Proof, Question, STUBBORN_SETS, Verdict};
use crate::Budget;
use crate::explore::ScheduleExplorer;

/// The name of the engine in reports.
const NAME: &str = "schedules-explicit";

/// Whether the question is one that threads may wait for.
pub(super) fn fits(question: &Question<'_>) -> bool {
    let names_places = |property: &Property| matches!(property, Property::Unreachable(_));
    question.method == Method::Auto
        && !question.is_about_everything()
        && !question.properties.iter().any(names_places)
        && question.system.any_number().is_empty()
        && question.system.chooser().is_some()
}

/// A proof that no schedule breaks a property, if there is one.
pub(super) fn verify(question: &Question<'_>, budget: &Budget) -> Option<Outcome> {
    let Question { system, properties, symmetry, .. } = *question;
    let most = system.starts_threads().then(|| system.threads().len() + MANY_STARTED);
    let explorer = ScheduleExplorer::new(system, symmetry, SUSPICIOUS_HEIGHT, most);
    let mut explorer = explorer.ok().flatten()?;
    let violation = explorer.run(properties, budget).ok()?;
    if violation.is_some() || explorer.has_left_out() {
        return None;
    }
    let evidence = question.evidence.then(|| {
        let (proof, waiting) = explorer.certificate();
        let (local, proof) = (Local::default(), Box::new(proof));
        Evidence::Reduced(ReducedCertificate { local, later: false, waiting, proof })
    });
    let (states, waits) = (explorer.states(), explorer.waits());
    let verdict = Verdict::Safe(Proof::Schedules { states, waits });
    Some(Outcome { reductions: vec![STUBBORN_SETS], evidence, ..Outcome::new(NAME, verdict) })
}
