//! # Names of places
//! `fork[(me + 1) % 3]` is the same place as long as nobody writes `me`. A name is what a place is called within a frame: two places of one
//! frame with the same name are the same, unless a slot was written in between that the name is made of.

use std::collections::BTreeSet;

use crate::{Area, Binary, Edge, Expr, Instruction, Place, Target};

/// A shared place as a frame calls it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name {
    /// The slot of the first element.
    pub first: usize,
    /// The first of the slots that it may be.
    pub start: usize,
    /// The slot after the last one that it may be.
    pub end: usize,
    /// Which element, one for each dimension.
    pub indices: Vec<Term>,
}

/// An index that is made of numbers and slots of the frame.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Term {
    /// A number.
    Number(i64),
    /// What a slot of the frame holds.
    Slot(usize),
    /// An operation on two of them.
    Of(Binary, Box<Term>, Box<Term>),
}

impl Place {
    /// What a shared place is called, if its indices are as simple as names must be.
    #[must_use]
    pub fn shared_name(&self) -> Option<Name> {
        let indices = self.indices.iter().map(|index| term(&index.value));
        let indices = indices.collect::<Option<Vec<Term>>>()?;
        let slots = self.slots();
        let name = Name { first: self.first, start: slots.start, end: slots.end, indices };
        (self.area == Area::Shared).then_some(name)
    }
}

impl Name {
    /// The slots of the frame that it is made of.
    #[must_use]
    pub fn made_of(&self) -> BTreeSet<usize> {
        let mut slots = BTreeSet::new();
        let mut open: Vec<&Term> = self.indices.iter().collect();
        while let Some(term) = open.pop() {
            match term {
                Term::Number(_) => {}
                Term::Slot(slot) => _ = slots.insert(*slot),
                Term::Of(_, left, right) => open.extend([&**left, &**right]),
            }
        }
        slots
    }
}

fn term(value: &Expr) -> Option<Term> {
    match value {
        Expr::Int(value) => value.small().map(Term::Number),
        Expr::Load(place) if place.area == Area::Frame && place.indices.is_empty() => {
            Some(Term::Slot(place.first))
        }
        Expr::Binary(op, left, right, _) => {
            Some(Term::Of(*op, Box::new(term(left)?), Box::new(term(right)?)))
        }
        _ => None,
    }
}

impl Edge {
    /// Whether something is stored that a name is made of, so that it may be another place before than after.
    #[must_use]
    pub fn renames(&self, made_of: &BTreeSet<usize>) -> bool {
        let mut renames = false;
        self.each_stored(&mut |place| {
            renames |=
                place.area == Area::Frame && place.slots().any(|slot| made_of.contains(&slot));
        });
        renames
    }

    /// The places that all threads see, as far as the code names them.
    #[must_use]
    pub fn shared_places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        let mut see = |place: &Place| {
            if place.area == Area::Shared {
                places.push(place.clone());
            }
        };
        self.code.iter().for_each(|instruction| instruction.each_place(&mut see));
        places
    }

    /// Tells every place in which something is stored.
    pub fn each_stored(&self, see: &mut dyn FnMut(&Place)) {
        let mut target = |to: &Target| match to {
            Target::Place(place) => see(place),
            Target::Located(temp) => {
                for instruction in &self.code {
                    if let Instruction::Locate(found, place) = instruction
                        && found == temp
                    {
                        see(place);
                    }
                }
            }
        };
        for instruction in &self.code {
            match instruction {
                Instruction::Store { to, .. } | Instruction::Start(Some(to)) => target(to),
                _ => {}
            }
        }
    }
}
