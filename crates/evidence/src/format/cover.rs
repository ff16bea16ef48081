//! Certificates for any number of threads, with keys in the place of ids, and back.

use crate::{
    CoverCertificate, CoverCut, CoverGroup, CoverGuess, CoverPlace, CoverThread, Relation,
};
use selvedge_model::System;
use serde::{Deserialize, Serialize};

use super::EvidenceError;
use super::keys::{Table, at, find, read_states, write_states};

/// A [`CoverCertificate`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cut: Option<CutStacks>,
    /// Weights of shared states and of kinds, and of heights by template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    relations: Vec<Weights>,
}

/// How stacks are cut: how many symbols are kept, which kinds have more below, and what may lie below what (a
/// template, a symbol, the symbol below it, and whether there is more below that).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CutStacks {
    depth: usize,
    hidden: Vec<u32>,
    guesses: Vec<(u32, u32, u32, bool)>,
}

/// Weights of shared states and of kinds, and of heights by template.
type Weights = (Vec<i32>, Vec<i32>, Vec<(u32, i32)>);

/// Kinds, and those that may be beside them.
type Group = (Vec<u32>, Vec<u32>);

impl CoverText {
    pub fn new(system: &dyn System, certificate: &CoverCertificate) -> Self {
        let mut templates = Table::new(|template| system.keys().template_key(template));
        let mut shared = Table::new(|shared| system.keys().shared_key(shared));
        let mut symbols = Table::new(|symbol| system.keys().symbol_key(symbol));
        let kind = |CoverThread { template, stack, .. }: &CoverThread| {
            (templates.number(*template), stack.iter().map(|&s| symbols.number(s)).collect())
        };
        let kinds = certificate.kinds.iter().map(kind).collect();
        let hidden = (0..).zip(&certificate.kinds).filter(|(_, kind)| kind.hidden);
        let mut guess = |&CoverGuess { template, lowest, below, more }: &CoverGuess| {
            (templates.number(template), symbols.number(lowest), symbols.number(below), more)
        };
        let cut = certificate.cut.as_ref().map(|CoverCut { depth, guesses }| CutStacks {
            depth: *depth,
            hidden: hidden.map(|(number, _)| number).collect(),
            guesses: guesses.iter().map(&mut guess).collect(),
        });
        let relation = |Relation { places, kinds, heights }: &Relation| {
            let heights = heights.iter().map(|&(t, weight)| (templates.number(t), weight));
            (places.clone(), kinds.clone(), heights.collect())
        };
        let relations = certificate.relations.iter().map(relation).collect();
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
            cut,
            relations,
            templates: templates.keys,
            shared: shared.keys,
            symbols: symbols.keys,
        }
    }

    pub fn read(&self, system: &dyn System) -> Result<CoverCertificate, EvidenceError> {
        let templates =
            find(&self.templates, "template", |key| system.keys().find_template_key(key))?;
        let shared = find(&self.shared, "shared state", |key| system.keys().find_shared_key(key))?;
        let symbols = find(&self.symbols, "symbol", |key| system.keys().find_symbol_key(key))?;
        let template = |&number: &u32| at(&templates, number, "template");
        let mut kinds = Vec::with_capacity(self.kinds.len());
        let symbol = |number: u32| at(&symbols, number, "symbol");
        for (of, stack) in &self.kinds {
            let stack = stack.iter().map(|&s| symbol(s)).collect::<Result<_, _>>()?;
            kinds.push(CoverThread { template: template(of)?, stack, hidden: false });
        }
        let mut cut = None;
        if let Some(CutStacks { depth, hidden, guesses }) = &self.cut {
            for &number in hidden {
                let unknown = || EvidenceError::new(format!("there is no kind number {number}"));
                kinds.get_mut(number as usize).ok_or_else(unknown)?.hidden = true;
            }
            let guess = |&(of, lowest, below, more): &(u32, u32, u32, bool)| {
                let (lowest, below) = (symbol(lowest)?, symbol(below)?);
                Ok(CoverGuess { template: template(&of)?, lowest, below, more })
            };
            let guesses = guesses.iter().map(guess).collect::<Result<_, _>>()?;
            cut = Some(CoverCut { depth: *depth, guesses });
        }
        let relation = |(places, kinds, heights): &Weights| {
            let height = |&(of, weight): &(u32, i32)| Ok((template(&of)?, weight));
            let heights = heights.iter().map(height).collect::<Result<_, _>>()?;
            Ok(Relation { places: places.clone(), kinds: kinds.clone(), heights })
        };
        let relations = self.relations.iter().map(relation).collect::<Result<_, _>>()?;
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
            cut,
            relations,
        })
    }
}
