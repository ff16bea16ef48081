//! Invariants over views, as they stand in a file.

use selvedge_smt::certificate::{Certificate, Entry};
use serde::{Deserialize, Serialize};

use super::EvidenceError;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewsText {
    /// How many threads a view has.
    width: usize,
    /// SMT-LIB terms about shared variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bounds: Vec<String>,
    /// Sums of shared variables and numbers of threads at places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    laws: Vec<String>,
    /// SMT-LIB terms.
    predicates: Vec<String>,
    entries: Vec<EntryText>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryText {
    places: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clauses: Option<Vec<Vec<i64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    views: Option<Vec<String>>,
}

impl ViewsText {
    pub fn new(certificate: &Certificate) -> Self {
        let entry = |entry: &Entry| EntryText {
            places: entry.places.clone(),
            clauses: entry.clauses.clone(),
            about: entry.views.as_ref().map(|(about, _)| about.clone()),
            views: entry.views.as_ref().map(|(_, views)| views.clone()),
        };
        ViewsText {
            width: certificate.width,
            bounds: certificate.bounds.clone(),
            laws: certificate.laws.clone(),
            predicates: certificate.predicates.clone(),
            entries: certificate.entries.iter().map(entry).collect(),
        }
    }

    pub fn read(&self) -> Result<Certificate, EvidenceError> {
        let entry = |entry: &EntryText| match (&entry.about, &entry.views) {
            (Some(_), None) | (None, Some(_)) => Err(EvidenceError::new(format!(
                "{:?}: `about` and `views` go together, and one of them is missing",
                entry.places
            ))),
            (about, views) => Ok(Entry {
                places: entry.places.clone(),
                clauses: entry.clauses.clone(),
                views: about.clone().zip(views.clone()),
            }),
        };
        Ok(Certificate {
            width: self.width,
            bounds: self.bounds.clone(),
            laws: self.laws.clone(),
            predicates: self.predicates.clone(),
            entries: self.entries.iter().map(entry).collect::<Result<_, _>>()?,
        })
    }
}
