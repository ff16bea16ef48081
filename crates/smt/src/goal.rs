//! # The claim of a proof
//! That no thread goes wrong, or that threads are never at some places at the same time.

use std::collections::BTreeSet;

use selvedge_model::{Pattern, PlaceId, Property, TemplateId, ThreadAt, can_assign};
use selvedge_program::flow::Loc;

use crate::Refusal;
use crate::invariant::key;
use crate::layout::{Layout, Standing};

/// Targets with more combinations of places than this are refused.
const MOST_COMBINATIONS: usize = 2000;

/// The property that an invariant has to imply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// No thread goes wrong.
    NeverWrong,
    /// There are never different threads, one for each of these, that stand at one of its places.
    Apart(Vec<Vec<Standing>>),
}

impl Goal {
    /// Reads a property of a program.
    pub fn new(layout: &Layout<'_>, property: &Property) -> Result<Goal, Refusal> {
        let wanted = match property {
            Property::NeverWrong => return Ok(Goal::NeverWrong),
            Property::Unreachable(Pattern::Together(wanted)) => wanted,
            Property::NoDeadlock(_) => return Err(Refusal::new("deadlocks are asked about", None)),
            Property::Unreachable(_) => {
                return Err(Refusal::new("whole states are asked about", None));
            }
        };
        let places = |(template, at): &(Option<TemplateId>, PlaceId)| {
            let (template, at) = (*template, *at);
            let classes = layout.classes.iter().enumerate();
            let meant = classes.filter_map(move |(class, info)| {
                let runs = template.is_none_or(|template| template.index() == info.decl);
                let proc = layout.flow.locations.get(at.0 as usize)?.proc;
                let loc = Some(Loc(at.0));
                (runs && proc == info.proc).then_some(Standing { class, loc })
            });
            meant.collect::<Vec<_>>()
        };
        let of = |at: &ThreadAt| -> Vec<Standing> {
            let all: BTreeSet<Standing> = at.places.iter().flat_map(places).collect();
            all.into_iter().collect()
        };
        let wanted: Vec<Vec<Standing>> = wanted.iter().map(of).collect();
        // With no thread at the target, the proof would be about nothing.
        if wanted.iter().any(Vec::is_empty) {
            return Err(Refusal::new("no thread of the program is ever at the target", None));
        }
        let combinations = wanted.iter().try_fold(1usize, |n, of| n.checked_mul(of.len()));
        if combinations.is_none_or(|n| n > MOST_COMBINATIONS) {
            return Err(Refusal::new("the target means too many combinations of places", None));
        }
        Ok(Goal::Apart(wanted))
    }

    /// Whether threads at these places are where they must not be, whatever the values are.
    #[must_use]
    pub fn forbids(&self, threads: &[Standing]) -> bool {
        let Goal::Apart(wanted) = self else { return false };
        can_assign(wanted.len(), &vec![1; threads.len()], |item, thread| {
            wanted[item].contains(&threads[thread])
        })
    }

    /// The combinations of more than `width` places that are forbidden, each once.
    pub(crate) fn combinations(&self, width: usize) -> BTreeSet<Vec<Standing>> {
        let Goal::Apart(wanted) = self else { return BTreeSet::new() };
        if wanted.len() <= width {
            return BTreeSet::new();
        }
        let mut all = vec![Vec::new()];
        for places in wanted {
            let longer = |chosen: Vec<Standing>| {
                places.iter().map(move |&place| {
                    let mut longer = chosen.clone();
                    longer.push(place);
                    longer
                })
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all.into_iter().map(key).collect()
    }
}
