//! # Evidence as files
//! One JSON object: what it is about (the file by its digest, the options), and the certificate or
//! the violation. Ids of a run mean nothing to another, so the file has *keys*
//! ([`shared_key`](selvedge_model::Keys::shared_key)) in tables, and numbers that refer to the tables:
//!
//! ```json
//! { "selvedge": "0.1.0", "evidence": 3, "file": "fig1.cpds", "digest": "sha256:…",
//!   "options": {}, "property": "0|1,6", "kind": "cut",
//!   "cut": { "depth": 1, "classes": [["T1"], ["T2"]],
//!            "shared": ["0", "1"], "symbols": ["0:1", "1:4"],
//!            "guesses": [[1, [3], 4, false]],
//!            "kinds": [[0, [0], false], [1, [1], false]],
//!            "states": [[0, 0, 1, 1, 1]] } }
//! ```
//!
//! Every field is checked but one, which is a remark: `file`. [`Document::parse`] refuses versions and formats that it does not know, fields
//! that it does not know, names that are said twice, and a part of another kind; [`Document::check_subject`] the digest and the options,
//! [`Document::check_property`] what it is about. The rest is the matter of the checkers. The page `docs/evidence.md` has a table of all fields.
//!
//! Where of some threads there is any number, a run may say of how many it is one (`"chosen":
//! {"worker": 2}`); a proof is about all numbers, and says nothing of the kind.
//!
//! Threads that are started later have classes by template (`started`), after those of the first
//! threads. A guess is a class, symbols, the symbol below the last of them, and whether there is more below that. A
//! kind of thread is a class, the top of the stack (or the number of a set of stacks), and whether
//! something is hidden below. A state is a shared state, then kinds with how many threads there are
//! of each. A measure (`measures`, if there are any) has the weights of the classes, and the least
//! value in each state or null. A set of stacks is a list of states of an automaton: whether it
//! accepts, then symbols with the state to go to. A lasso is two schedules, the stem and the period
//! (`lasso`). A proof of fair termination is a list of states with ranks (`termination`). A proof by
//! summaries is a list of nodes of decision diagrams, and which of them belongs to which place
//! (`summaries`).

mod cover;
mod keys;
mod lasso;
mod layout;
mod local;
mod once;
mod summaries;
mod termination;
mod views;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};

use selvedge_model::{Budget, Stop, System};
use selvedge_smt::certificate::Certificate;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::watch::unfinished;
use crate::{Evidence, ReducedCertificate};
use cover::CoverText;
use keys::{AggregateText, CutText, ViolationText};
use lasso::LassoText;
use local::LocalText;
use summaries::SummariesText;
use termination::TerminationText;
use views::ViewsText;

/// The format that is written, and the only one that is read.
const FORMAT: u64 = 3;

/// The version of Selvedge that writes.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The input and the property that evidence is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The name of the file; for people only.
    pub file: String,
    /// The digest of its text; see [`digest`].
    pub digest: String,
    /// The options that the input was read with.
    pub options: Options,
    /// Of the threads of which there is any number: how many the run has that the evidence shows, by
    /// template. A proof has none of these.
    pub chosen: BTreeMap<String, u32>,
    /// The property, as [`crate::property`] names it.
    pub property: String,
}

/// The command-line options about an input, as evidence keeps them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// `--threads NAME=N`
    #[serde(default, deserialize_with = "once::map", skip_serializing_if = "BTreeMap::is_empty")]
    pub threads: BTreeMap<String, u32>,
    /// `--const NAME=VALUE`
    #[serde(
        default,
        rename = "const",
        deserialize_with = "once::map",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub consts: BTreeMap<String, String>,
    /// `--init STATE`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// `--target STATE`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `--deadlock`
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deadlock: bool,
    /// Whether it is about deadlocks in which some thread waits for another one, by more than `assume`: unless somebody asks for
    /// something else, they count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// What is asked of a program in C, by name, as far as it makes another program of the text.
    #[serde(default, deserialize_with = "once::map", skip_serializing_if = "BTreeMap::is_empty")]
    pub c: BTreeMap<String, String>,
}

impl fmt::Display for Options {
    /// As they are written on the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all: Vec<String> = Vec::new();
        all.extend(self.threads.iter().map(|(name, n)| format!("--threads {name}={n}")));
        all.extend(self.consts.iter().map(|(name, value)| format!("--const {name}={value}")));
        all.extend(self.init.iter().map(|init| format!("--init '{init}'")));
        all.extend(self.target.iter().map(|target| format!("--target '{target}'")));
        all.extend(self.deadlock.then(|| "--deadlock".to_owned()));
        all.extend(self.c.iter().map(|(name, value)| format!("{name}: {value}")));
        if all.is_empty() { f.write_str("no options") } else { f.write_str(&all.join(" ")) }
    }
}

/// The digest of a text.
#[must_use]
pub fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Evidence as it stands in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The version of Selvedge that wrote it.
    selvedge: String,
    /// The version of the format.
    evidence: u64,
    /// A remark: the name of the file.
    file: String,
    digest: String,
    options: Options,
    #[serde(default, deserialize_with = "once::map", skip_serializing_if = "BTreeMap::is_empty")]
    chosen: BTreeMap<String, u32>,
    property: String,
    /// Which of the following it has.
    kind: Kind,
    /// Where local steps ride along, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    local: Option<LocalText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut: Option<CutText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aggregate: Option<AggregateText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cover: Option<CoverText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summaries: Option<SummariesText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    violation: Option<ViolationText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lasso: Option<LassoText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    termination: Option<TerminationText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    views: Option<ViewsText>,
}

/// The kind of evidence in a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Cut,
    Aggregate,
    Cover,
    Summaries,
    Violation,
    Lasso,
    Termination,
    Views,
}

/// The fields that every version of the format has.
#[derive(Deserialize)]
struct Version {
    selvedge: Option<String>,
    evidence: Option<u64>,
}

/// Why text is no evidence, or none for this input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceError(String);

impl EvidenceError {
    fn new(message: impl Into<String>) -> Self {
        EvidenceError(message.into())
    }

    /// The budget ended before the check did.
    #[must_use]
    pub fn unfinished(stop: &Stop) -> Self {
        EvidenceError(unfinished(stop))
    }
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EvidenceError {}

impl Document {
    /// A document that says nothing yet.
    fn about(subject: Subject, kind: Kind) -> Self {
        let Subject { file, digest, options, chosen, property } = subject;
        Document {
            selvedge: VERSION.to_owned(),
            evidence: FORMAT,
            file,
            digest,
            options,
            chosen,
            property,
            kind,
            local: None,
            cut: None,
            aggregate: None,
            cover: None,
            summaries: None,
            violation: None,
            lasso: None,
            termination: None,
            views: None,
        }
    }

    /// Repeats the text, the options and the property that the document names.
    fn subject(&self) -> Subject {
        Subject {
            file: self.file.clone(),
            digest: self.digest.clone(),
            options: self.options.clone(),
            chosen: self.chosen.clone(),
            property: self.property.clone(),
        }
    }

    /// Writes an invariant over views down.
    #[must_use]
    pub fn of_views(subject: Subject, certificate: &Certificate) -> Self {
        let views = Some(ViewsText::new(certificate));
        Document { views, ..Document::about(subject, Kind::Views) }
    }

    /// The invariant over views, if the evidence is one.
    pub fn views(&self) -> Result<Option<Certificate>, EvidenceError> {
        self.views.as_ref().filter(|_| self.kind == Kind::Views).map(ViewsText::read).transpose()
    }

    /// Writes evidence down, with keys in the place of the ids of this run.
    pub fn new(
        system: &dyn System,
        subject: Subject,
        evidence: &Evidence,
    ) -> Result<Self, EvidenceError> {
        let mut document = Document::about(subject, Kind::Violation);
        match evidence {
            Evidence::Cut(certificate) => {
                document.kind = Kind::Cut;
                document.cut = Some(CutText::new(system, certificate));
            }
            Evidence::Aggregate(certificate) => {
                document.kind = Kind::Aggregate;
                document.aggregate = Some(AggregateText::new(system, certificate));
            }
            Evidence::Cover(certificate) => {
                document.kind = Kind::Cover;
                document.cover = Some(CoverText::new(system, certificate));
            }
            Evidence::Summaries(certificate) => {
                document.kind = Kind::Summaries;
                document.summaries = Some(SummariesText::new(certificate));
            }
            Evidence::Reduced(reduced) => {
                let subject = document.subject();
                document = Document::new(system, subject, &reduced.proof)?;
                document.local = Some(LocalText::new(system, reduced));
            }
            Evidence::Violation(violation) => {
                document.violation = Some(ViolationText::new(system, violation)?);
            }
            Evidence::Lasso(lasso) => {
                document.kind = Kind::Lasso;
                document.lasso = Some(LassoText::new(system, lasso)?);
            }
            Evidence::Termination(certificate) => {
                document.kind = Kind::Termination;
                document.termination = Some(TerminationText::new(system, certificate));
            }
        }
        Ok(document)
    }

    /// Whether it claims to be about deadlocks in which some thread waits for another one, by more than `assume`.
    #[must_use]
    pub fn is_about_waits(&self) -> bool {
        self.options.waits
    }

    /// Reads what was written. That it is JSON of the right form says nothing about what it shows.
    pub fn parse(text: &str) -> Result<Self, EvidenceError> {
        Self::parse_within(text, &Budget::default())
    }

    /// [`Document::parse`], unless the budget ends before: what is read takes more memory than its text.
    pub fn parse_within(text: &str, budget: &Budget) -> Result<Self, EvidenceError> {
        let version: Version = read(text, budget)?;
        match (version.evidence, version.selvedge) {
            (Some(FORMAT), Some(by)) => {
                check_version(&by)?;
                let document: Document = read(text, budget)?;
                document.check_kind()?;
                Ok(document)
            }
            (Some(format), Some(by)) => Err(EvidenceError::new(format!(
                "this is evidence in format {format}, written by Selvedge {by}; Selvedge {VERSION} \
                 reads format {FORMAT}{}",
                if format > FORMAT { ": check it with a newer Selvedge" } else { "" }
            ))),
            (Some(_), None) => Err(EvidenceError::new(
                "this is no evidence: it does not say which Selvedge wrote it",
            )),
            (None, _) => Err(EvidenceError::new("this is no evidence: it does not say its format")),
        }
    }

    /// Refuses a document that has another body than the one of its kind: what is not checked is not there.
    fn check_kind(&self) -> Result<(), EvidenceError> {
        let bodies = [
            (Kind::Cut, self.cut.is_some()),
            (Kind::Aggregate, self.aggregate.is_some()),
            (Kind::Cover, self.cover.is_some()),
            (Kind::Summaries, self.summaries.is_some()),
            (Kind::Violation, self.violation.is_some()),
            (Kind::Lasso, self.lasso.is_some()),
            (Kind::Termination, self.termination.is_some()),
            (Kind::Views, self.views.is_some()),
        ];
        let is_about_states = matches!(self.kind, Kind::Cut | Kind::Aggregate | Kind::Cover);
        if self.local.is_some() && !is_about_states {
            let message =
                format!("local steps do not ride along in evidence of kind {:?}", self.kind);
            return Err(EvidenceError::new(message));
        }
        match bodies.iter().find(|(kind, is_there)| *is_there && *kind != self.kind) {
            Some((other, _)) => Err(EvidenceError::new(format!(
                "it is said to be of kind {:?}, and has a part of kind {other:?} as well",
                self.kind
            ))),
            None => Ok(()),
        }
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        layout::print(self)
    }

    /// Whether it is about runs that never end: then who can act where matters, and nothing else.
    #[must_use]
    pub fn is_about_endless_runs(&self) -> bool {
        matches!(self.kind, Kind::Lasso | Kind::Termination)
    }

    /// Whether it counts all deadlocks as violations.
    #[must_use]
    pub fn is_about_deadlocks(&self) -> bool {
        self.options.deadlock
    }

    /// Whether it is a run that goes wrong.
    #[must_use]
    pub fn is_violation(&self) -> bool {
        self.kind == Kind::Violation
    }

    /// Whether it is a run: what happens with some number of threads happens with any number of them.
    #[must_use]
    pub fn is_run(&self) -> bool {
        matches!(self.kind, Kind::Violation | Kind::Lasso)
    }

    /// How many threads there are of templates of which there is any number, if it says so.
    #[must_use]
    pub fn chosen(&self) -> &BTreeMap<String, u32> {
        &self.chosen
    }

    /// The options about the input, given on the command line or chosen by an engine.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The property in words.
    #[must_use]
    pub fn property(&self) -> &str {
        &self.property
    }

    /// Refuses evidence about another text, or about the same text with other options.
    pub fn check_subject(&self, digest: &str, options: &Options) -> Result<(), EvidenceError> {
        if self.digest != digest {
            return Err(EvidenceError::new(format!(
                "the evidence is about another text: {} had the digest {}, this file has {digest}",
                self.file, self.digest
            )));
        }
        if self.options != *options {
            return Err(EvidenceError::new(format!(
                "the evidence was made with {}, not with {options}; give the same options",
                self.options
            )));
        }
        Ok(())
    }

    /// Refuses evidence that claims something else than what is asked.
    pub fn check_property(&self, asked: &str) -> Result<(), EvidenceError> {
        match self.property == asked {
            true => Ok(()),
            false => Err(EvidenceError::new(format!(
                "it claims to be about `{}`, and what is asked about is `{asked}`",
                self.property
            ))),
        }
    }

    /// The evidence, with the ids of this run.
    pub fn evidence(&self, system: &dyn System) -> Result<Evidence, EvidenceError> {
        self.evidence_within(system, &Budget::default())
    }

    /// [`Document::evidence`], unless the budget ends before: a short schedule may stand for a long run.
    pub fn evidence_within(
        &self,
        system: &dyn System,
        budget: &Budget,
    ) -> Result<Evidence, EvidenceError> {
        let evidence = self.body(system, budget)?;
        let Some(local) = &self.local else { return Ok(evidence) };
        let (later, waiting) = (local.later, local.waiting());
        let (local, proof) = (local.read(system)?, Box::new(evidence));
        Ok(Evidence::Reduced(ReducedCertificate { local, later, waiting, proof }))
    }

    fn body(&self, system: &dyn System, budget: &Budget) -> Result<Evidence, EvidenceError> {
        let missing =
            || EvidenceError::new(format!("it is said to be of kind {:?}, but is not", self.kind));
        match self.kind {
            Kind::Cut => self.cut.as_ref().ok_or_else(missing)?.read(system).map(Evidence::Cut),
            Kind::Aggregate => {
                self.aggregate.as_ref().ok_or_else(missing)?.read(system).map(Evidence::Aggregate)
            }
            Kind::Cover => {
                self.cover.as_ref().ok_or_else(missing)?.read(system).map(Evidence::Cover)
            }
            Kind::Summaries => {
                self.summaries.as_ref().ok_or_else(missing)?.read().map(Evidence::Summaries)
            }
            Kind::Violation => {
                let found = self.violation.as_ref().ok_or_else(missing)?;
                found.read(system, budget).map(Evidence::Violation)
            }
            Kind::Lasso => {
                self.lasso.as_ref().ok_or_else(missing)?.read(system, budget).map(Evidence::Lasso)
            }
            Kind::Termination => {
                let found = self.termination.as_ref().ok_or_else(missing)?;
                found.read(system).map(Evidence::Termination)
            }
            // Checked by a solver, from the program alone: see `Document::views`.
            Kind::Views => Err(missing()),
        }
    }
}

/// Reads JSON within a budget.
fn read<T: DeserializeOwned>(text: &str, budget: &Budget) -> Result<T, EvidenceError> {
    let mut source = Watched { text: text.as_bytes(), budget, left: 0, stopped: None };
    serde_json::from_reader(&mut source).map_err(|error| match source.stopped {
        Some(stop) => EvidenceError::unfinished(&stop),
        None if error.is_eof() => EvidenceError::new(format!("the file ends too early: {error}")),
        None if !text.trim_start().starts_with('{') => EvidenceError::new(
            "this is no evidence: it is not JSON, as `--evidence FILE` writes it",
        ),
        None => EvidenceError::new(format!("this is no evidence: {error}")),
    })
}

/// How many bytes are read between two looks at the budget.
const PIECE: usize = 1 << 14;

/// A text that ends with an error when the budget does.
struct Watched<'a> {
    text: &'a [u8],
    budget: &'a Budget,
    /// How many bytes may be read before the next look.
    left: usize,
    stopped: Option<Stop>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            if let Err(stop) = self.budget.check() {
                self.stopped = Some(stop);
                return Err(io::Error::other("the budget was used up"));
            }
            self.left = PIECE;
        }
        let most = buffer.len().min(self.left);
        let count = self.text.read(&mut buffer[..most])?;
        self.left -= count;
        Ok(count)
    }
}

/// Refuses a version that is none, or that this one cannot know.
fn check_version(by: &str) -> Result<(), EvidenceError> {
    match (numbers(by), numbers(VERSION)) {
        (None, _) => {
            let message = format!("this is no evidence: there is no version `{by}` of Selvedge");
            Err(EvidenceError::new(message))
        }
        (Some(theirs), Some(ours)) if theirs > ours => Err(EvidenceError::new(format!(
            "it was written by Selvedge {by}, which is newer than this one, {VERSION}: check it with a \
             newer Selvedge"
        ))),
        _ => Ok(()),
    }
}

/// The three numbers of a version: `0.1.0`.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let is_plain = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (*part == "0" || !part.starts_with('0'))
    };
    let parts: Vec<u32> = version
        .split('.')
        .map(|part| Some(part).filter(is_plain)?.parse().ok())
        .collect::<Option<_>>()?;
    parts.try_into().ok()
}

#[cfg(test)]
mod tests;
