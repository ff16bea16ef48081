//! # Evidence
//! What evidence is about, and where it goes.

use std::path::Path;

use selvedge_analysis::engine::Outcome;
use selvedge_evidence::Evidence;
use selvedge_model::Property;
use selvedge_report::evidence::{Document, Options, Subject, digest};
use selvedge_report::property;

use crate::args::InputOptions;
use crate::exit::Failure;
use crate::input::Opened;
use crate::save;

/// The options that make another system of the same text, or ask for something else.
pub fn options(options: &InputOptions, deadlock: bool) -> Options {
    Options {
        threads: options.threads.iter().cloned().collect(),
        consts: options.consts.iter().map(|(name, n)| (name.clone(), n.to_string())).collect(),
        init: options.init.clone(),
        target: options.target.clone(),
        deadlock,
    }
}

/// Writes the evidence of an outcome to a file; whether there was any.
pub fn save(
    path: &Path,
    opened: &Opened,
    input: &InputOptions,
    outcome: &Outcome,
) -> Result<bool, Failure> {
    let Some(evidence) = &outcome.evidence else { return Ok(false) };
    let property = property::name(&*opened.system, &opened.properties);
    write(path, opened, input, property, evidence)?;
    Ok(true)
}

/// Writes evidence to a file.
pub fn write(
    path: &Path,
    opened: &Opened,
    input: &InputOptions,
    property: String,
    evidence: &Evidence,
) -> Result<(), Failure> {
    let subject = Subject {
        file: opened.source.name().to_owned(),
        digest: digest(opened.source.text()),
        options: options(input, opened.properties.contains(&Property::NoDeadlock)),
        property,
    };
    let document = Document::new(&*opened.system, subject, evidence).map_err(Failure::bug)?;
    save::save(&[(path, &document.to_text())])
}
