//! # Memory that was not written
//!
//! **Question.** `int *p = malloc(sizeof *p); if (*p == 1) …` reads one of 2³² values. Which of them need a look?
//!
//! **Idea.** What a variable or an object holds at first is a value from outside that was given where it is declared or made. So the analysis of those
//! ([`Choices`]) says which values are enough, once the pointer analysis knows that the memory may hold such a value.
//!
//! **Claim.** Where [`Unset::looks`] has values and runs do not end at limits, the runs with any value are those with these, but for the value itself: the claim of
//! `choices`. It is made for integers only: what a pointer leads to depends on more than its tests.
//!
//! **Otherwise** there are no values for a proof, and a run that reads such memory cannot be followed. For a violation some are tried: each of them
//! is one that the memory may hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_bigint::BigInt;
use selvedge_program::{Span, Type, Value};

use super::Lower;
use super::access::strip;
use super::choices::Choices;
use super::memory::Leaf;
use super::points::Target;
use super::unread::read_early;
use crate::c::typed::{ObjectId, Unit};
use crate::c::types::Type as CType;

/// Where more than so many variables and objects may be read before they are written, none is looked at.
const MOST_SITES: usize = 200;

/// More values than this are not enough: reading all of them takes too long.
const MOST_LOOKS: usize = 48;

/// What is known of values that nobody has written.
#[derive(Debug, Default)]
pub(super) struct Unset {
    /// Where variables and objects are declared or made that may be read before they are written, and what is there.
    sites: BTreeMap<Span, Kinds>,
    /// What happens to their first values.
    choices: Choices,
}

/// The types of what is at a site.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    scalars: Vec<CType>,
    /// How many bits a pointer has.
    pointer: u32,
}

impl Kinds {
    /// Whether whoever reads a value as one of this type knows it by its tests: nothing else of the same size has another sign, and what was made wider was made so by the rules of C.
    pub(super) fn keep(&self, ty: &CType) -> bool {
        self.scalars.iter().all(|kind| match (kind, strip(ty)) {
            (CType::Bool, _) | (_, CType::Bool) => true,
            (CType::Int { bits: from, signed: a, .. }, CType::Int { bits: to, signed: b, .. }) => {
                from > to || a == b || !a && *b && from < to
            }
            // A pointer is compared as a number without a sign.
            (CType::Int { bits, .. }, CType::Pointer(_)) => *bits != self.pointer,
            _ => true,
        })
    }
}

impl Unset {
    /// Looks at all variables and objects that may be read before they are written.
    pub(super) fn new(lower: &mut Lower<'_>) -> Self {
        let unit = lower.unit;
        let sites = sites(lower, unit);
        if sites.is_empty() || sites.len() > MOST_SITES {
            return Unset::default();
        }
        let pointer = 8 * lower.shapes.types.pointer_size() as u32;
        let mut kinds: BTreeMap<Span, Kinds> = BTreeMap::new();
        for (site, ty, bytes) in sites.values() {
            let leaves = ty.as_ref().and_then(|ty| lower.leaves_in(ty, *bytes).ok());
            let here = || Kinds { scalars: Vec::new(), pointer };
            let known = &mut kinds.entry(*site).or_insert_with(here).scalars;
            // Of what has no place, nothing is read.
            for leaf in leaves.unwrap_or_default() {
                let c = strip(&leaf.c).clone();
                if !known.contains(&c) {
                    known.push(c);
                }
            }
        }
        let mut points = lower.points.clone();
        points.hold(sites.iter().map(|(target, (site, ..))| (*target, Target::Choice(*site))));
        let choices = Choices::of_memory(unit, &mut points, &lower.single, kinds.clone());
        let sites = kinds;
        Unset { sites, choices }
    }

    /// The values that a scalar of a variable or an object is given where it is read before it was written; `None` if it cannot be read then, if it has few values
    /// anyway, or if no proof can be made of some values, and a proof is wanted.
    pub(super) fn looks(
        &self,
        site: Span,
        leaf: &Leaf,
        for_violations: bool,
    ) -> Option<Arc<[Value]>> {
        // What was looked at is what is stored.
        let kinds = self.sites.get(&site)?;
        if !kinds.scalars.contains(strip(&leaf.c)) {
            return None;
        }
        let Type::Machine { bits, .. } = leaf.ty else { return None };
        let number = |n: BigInt| i128::try_from(n).ok();
        let (least, greatest) = leaf.ty.bounds()?;
        let (least, greatest) = (number(least)?, number(greatest)?);
        let mut values = match strip(&leaf.c) {
            CType::Int { .. } if bits > 16 => {
                let enough = self.choices.enough(site, least, greatest);
                let enough = enough.filter(|values| values.len() <= MOST_LOOKS);
                let some = || self.choices.samples(site, least, greatest);
                enough.or_else(|| for_violations.then(some))?
            }
            // Nowhere, or somewhere where nothing is.
            CType::Pointer(_) if for_violations => vec![0, 1],
            _ => return None,
        };
        // What people would think of comes first.
        values.sort_by_key(|value| (value.unsigned_abs(), *value < 0));
        Some(values.into_iter().map(|value| Value::from_big(BigInt::from(value))).collect())
    }
}

/// Where something is declared or made, its type, and how many bytes it has if its type alone does not say that.
type Site = (Span, Option<CType>, Option<u64>);

/// What may be read before it is written.
fn sites(lower: &mut Lower<'_>, unit: &Unit) -> BTreeMap<Target, Site> {
    let mut sites = BTreeMap::new();
    for target in read_early(unit, true) {
        if let Target::Local(function, local) = target {
            let function = &unit.functions[function.index()];
            if local.index() >= function.params {
                let declared = &function.locals[local.index()];
                sites.insert(target, (declared.span, Some(declared.ty.clone()), None));
            }
        }
    }
    for (number, object) in unit.objects.iter().enumerate() {
        if object.is_extern {
            let target = Target::Object(ObjectId(number as u32));
            sites.insert(target, (object.span, Some(object.ty.clone()), None));
        }
    }
    for site in lower.points.heap.clone() {
        let (ty, bytes) = lower.heap_shape(site).map(|(ty, room)| (ty, room.bytes)).unzip();
        sites.insert(Target::Heap(site), (site, ty, bytes));
    }
    sites
}

impl Lower<'_> {
    /// See [`Unset::looks`].
    pub(super) fn looks(&self, site: Span, leaf: &Leaf) -> Option<Arc<[Value]>> {
        self.unset.looks(site, leaf, self.options.ends_at_limits)
    }
}
