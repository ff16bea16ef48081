//! Certificates for any number of threads, with keys in the place of ids, and back.

use selvedge_evidence::{CoverCertificate, CoverGroup, CoverPlace, CoverThread};
use selvedge_model::System;
use serde::{Deserialize, Serialize};

use super::EvidenceError;
use super::keys::{Table, at, find, read_states, write_states};

/// A [`CoverCertificate`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CoverText {
    unlimited: Vec<u32>,
    templates: Vec<String>,
    shared: Vec<String>,
    symbols: Vec<String>,
    /// A template and a stack, top first.
    kinds: Vec<(u32, Vec<u32>)>,
    /// A shared state, and groups: kinds, and those that may be beside them.
    places: Vec<(u32, Vec<Group>)>,
    dangerous: Vec<Vec<u32>>,
}

/// Kinds, and those that may be beside them.
type Group = (Vec<u32>, Vec<u32>);

impl CoverText {
    pub fn new(system: &dyn System, certificate: &CoverCertificate) -> Self {
        let mut templates = Table::new(|template| system.template_key(template));
        let mut shared = Table::new(|shared| system.shared_key(shared));
        let mut symbols = Table::new(|symbol| system.symbol_key(symbol));
        let kind = |CoverThread { template, stack }: &CoverThread| {
            (templates.number(*template), stack.iter().map(|&s| symbols.number(s)).collect())
        };
        let kinds = certificate.kinds.iter().map(kind).collect();
        let group = |CoverGroup { kinds, beside }: &CoverGroup| (kinds.to_vec(), beside.to_vec());
        let place = |CoverPlace { shared: at, groups }: &CoverPlace| {
            (shared.number(*at), groups.iter().map(group).collect())
        };
        let places = certificate.places.iter().map(place).collect();
        CoverText {
            unlimited: certificate.unlimited.iter().map(|&t| templates.number(t)).collect(),
            kinds,
            places,
            dangerous: write_states(&certificate.dangerous, &mut shared),
            templates: templates.keys,
            shared: shared.keys,
            symbols: symbols.keys,
        }
    }

    pub fn read(&self, system: &dyn System) -> Result<CoverCertificate, EvidenceError> {
        let templates = find(&self.templates, "template", |key| system.find_template_key(key))?;
        let shared = find(&self.shared, "shared state", |key| system.find_shared_key(key))?;
        let symbols = find(&self.symbols, "symbol", |key| system.find_symbol_key(key))?;
        let template = |&number: &u32| at(&templates, number, "template");
        let mut kinds = Vec::with_capacity(self.kinds.len());
        for (of, stack) in &self.kinds {
            let stack =
                stack.iter().map(|&s| at(&symbols, s, "symbol")).collect::<Result<_, _>>()?;
            kinds.push(CoverThread { template: template(of)?, stack });
        }
        let mut places = Vec::with_capacity(self.places.len());
        for (number, groups) in &self.places {
            let group = |(kinds, beside): &Group| CoverGroup {
                kinds: kinds.as_slice().into(),
                beside: beside.as_slice().into(),
            };
            let groups = groups.iter().map(group).collect();
            places.push(CoverPlace { shared: at(&shared, *number, "shared state")?, groups });
        }
        Ok(CoverCertificate {
            unlimited: self.unlimited.iter().map(template).collect::<Result<_, _>>()?,
            kinds,
            places,
            dangerous: read_states(&self.dangerous, &shared)?,
        })
    }
}
