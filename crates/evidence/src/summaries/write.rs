//! # Writing summaries down
//! The relations of a thread that has been followed to the end, without the contexts that it had:
//! where it began is of no interest to an invariant.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_bdd::{Bdd, Var};
use selvedge_core::Loc;

use super::variables;
use crate::relations::{Result, Space};
use crate::{SummaryBit, SummaryCertificate, SummaryNode, SummaryPlace};

/// Larger certificates are not written: about a hundred megabytes of text.
const MOST_NODES: usize = 1 << 22;

/// The relations as a certificate: for each place, whether its procedure was called, and what may
/// be there. `None` if they are too large, or speak of anything else than values.
pub fn write(
    space: &mut Space<'_>,
    relations: Vec<(Loc, bool, Bdd)>,
) -> Result<Option<SummaryCertificate>> {
    let mut sets: BTreeMap<(bool, Loc), Bdd> = BTreeMap::new();
    let contexts = space.contexts(0);
    for (loc, called, relation) in relations {
        let relation = space.forget(relation, &contexts)?;
        let known = sets.entry((called, loc)).or_insert(Bdd::FALSE);
        *known = space.bdds.or(*known, relation)?;
    }
    let mut writer = Writer {
        space,
        known: variables(space),
        numbers: FxHashMap::default(),
        written: FxHashMap::from_iter([(Bdd::FALSE, 0), (Bdd::TRUE, 1)]),
        certificate: SummaryCertificate::default(),
    };
    for ((called, loc), set) in sets {
        let Some(diagram) = writer.diagram(set)? else { return Ok(None) };
        let place = SummaryPlace { location: loc.0, diagram };
        let certificate = &mut writer.certificate;
        if called { &mut certificate.procedures } else { &mut certificate.thread }.push(place);
    }
    Ok(Some(writer.certificate))
}

struct Writer<'a, 's> {
    space: &'a Space<'s>,
    known: FxHashMap<Var, SummaryBit>,
    /// The numbers of the variables that occur.
    numbers: FxHashMap<Var, u32>,
    /// The numbers of the diagrams that are written.
    written: FxHashMap<Bdd, u32>,
    certificate: SummaryCertificate,
}

impl Writer<'_, '_> {
    /// The number of a diagram, which is written if it is not yet.
    fn diagram(&mut self, root: Bdd) -> Result<Option<u32>> {
        let mut path = vec![root];
        while let Some(&top) = path.last() {
            let Some((var, low, high)) = self.space.bdds.node(top) else {
                path.pop(); // a constant
                continue;
            };
            if self.written.contains_key(&top) {
                path.pop();
                continue;
            }
            match (self.written.get(&low).copied(), self.written.get(&high).copied()) {
                (Some(low), Some(high)) => {
                    let Some(variable) = self.variable(var) else { return Ok(None) };
                    if self.certificate.nodes.len() >= MOST_NODES {
                        return Ok(None);
                    }
                    self.space.bdds.limit().0.check()?;
                    self.certificate.nodes.push(SummaryNode { variable, low, high });
                    self.written.insert(top, self.certificate.nodes.len() as u32 + 1);
                    path.pop();
                }
                (low_number, high_number) => {
                    path.extend(high_number.is_none().then_some(high));
                    path.extend(low_number.is_none().then_some(low));
                }
            }
        }
        Ok(self.written.get(&root).copied())
    }

    fn variable(&mut self, var: Var) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&var) {
            return Some(number);
        }
        let number = self.certificate.variables.len() as u32;
        self.certificate.variables.push(*self.known.get(&var)?);
        self.numbers.insert(var, number);
        Some(number)
    }
}
