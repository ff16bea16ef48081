//! # The evidence of an answer
//! What somebody who trusts no engine is given to check: proofs and runs as documents, and the questions that a solver has answered.

use selvedge_check::{Deadlocks as Asked, evidence_options};
use selvedge_evidence::format::{Document, Options as Given, Subject, digest};
use selvedge_evidence::property;
use selvedge_model::{Property, Waiting};
use selvedge_program::Source;
use selvedge_report::livelock;
use selvedge_smt::solver::Query;

use super::{Answer, By};
use crate::Failure;

impl Answer {
    /// The evidence for the answer, for [`recheck`](crate::recheck); only if it was asked for.
    pub fn evidence(&self) -> Result<Option<Document>, Failure> {
        let (opened, property, evidence) = match &self.by {
            By::Views(views) => {
                let subject = &views.subject;
                let property = subject.property_name();
                let options = evidence_options(&subject.options, Asked::No);
                let about = about(&subject.source, options, &[], property);
                return Ok(views.certificate().map(|proof| Document::of_views(about, proof)));
            }
            By::States { opened, outcome, .. } => {
                let property = property::name(&*opened.system, &opened.properties);
                (opened, property, &outcome.evidence)
            }
            By::Endless { opened, outcome, .. } => {
                (opened, livelock::PROPERTY.to_owned(), &outcome.evidence)
            }
        };
        let Some(evidence) = evidence else { return Ok(None) };
        let is_asked = |property: &Property| match property {
            Property::NoDeadlock(Waiting::Anywhere) => Some(Asked::All),
            Property::NoDeadlock(Waiting::At(_)) => Some(Asked::Waits),
            _ => None,
        };
        let deadlocks = opened.properties.iter().find_map(is_asked).unwrap_or(Asked::No);
        let options = evidence_options(&opened.options, deadlocks);
        let about = about(&opened.source, options, &opened.chosen, property);
        Document::new(&*opened.system, about, evidence).map(Some).map_err(Failure::bug)
    }

    /// The questions that the solver answered for a proof by predicates, each with what it is about.
    #[must_use]
    pub fn queries(&self) -> &[(String, Query)] {
        match &self.by {
            By::Views(views) if views.certificate().is_some() => &views.queries,
            _ => &[],
        }
    }
}

/// The subject that evidence is about.
fn about(source: &Source, options: Given, chosen: &[(String, u32)], property: String) -> Subject {
    Subject {
        file: source.name().to_owned(),
        digest: digest(source.text()),
        options,
        chosen: chosen.iter().cloned().collect(),
        property,
    }
}
