//! The counts from below and from above, with marks for plateaus.

use selvedge_analysis::engine::{CutSeen, Outcome, Table};
use selvedge_analysis::explore::Observation;
use selvedge_model::System;
use serde::Serialize;

use crate::table;

/// A number of states. Those that a page cannot calculate with are a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Amount {
    /// A number that is exact in a browser, too.
    Number(u64),
    /// A larger one, in decimal.
    Text(String),
}

impl Amount {
    /// The number, if it is known.
    #[must_use]
    pub fn new(number: Option<u128>) -> Option<Self> {
        /// Browsers calculate with 53 bits.
        const EXACT: u64 = 1 << 53;
        let number = number?;
        Some(match u64::try_from(number) {
            Ok(small) if small < EXACT => Amount::Number(small),
            _ => Amount::Text(number.to_string()),
        })
    }
}

/// The counts at a bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Below {
    /// The bound.
    pub bound: usize,
    /// How many states; nothing where there are infinitely many.
    pub states: Option<Amount>,
    /// How many of them need this bound.
    pub new_states: Option<Amount>,
    /// How many visible states.
    pub visible: Option<Amount>,
    /// How many of them need this bound.
    pub new_visible: Option<Amount>,
    /// `plateau`: nothing visible is new, though more may follow; `collapsed`: nothing follows.
    pub mark: Option<&'static str>,
    /// The visible states that are new, if they are few.
    pub which: Option<Vec<String>>,
}

impl Below {
    /// An observation, before it is known what follows.
    #[must_use]
    pub fn new(seen: &Observation) -> Self {
        Below {
            bound: seen.bound.count,
            states: Amount::new(seen.states),
            new_states: Amount::new(seen.new_states),
            visible: Amount::new(seen.visible),
            new_visible: Amount::new(seen.new_visible),
            mark: (seen.new_visible == Some(0)).then_some(table::PLATEAU),
            which: None,
        }
    }
}

/// The counts that one cut leaves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Above {
    /// How many symbols of each stack are kept.
    pub depth: usize,
    /// Whether the heights of stacks are compared.
    pub heights: bool,
    /// How many visible states are left.
    pub visible: Option<Amount>,
    /// Whether a violation is among them. Nothing where none was looked for.
    pub violated: Option<bool>,
    /// Whether these are exactly the reachable ones.
    pub exact: bool,
}

impl Above {
    /// The counts of a cut; `looked` says whether violations were looked for.
    #[must_use]
    pub fn new(seen: &CutSeen, looked: bool) -> Self {
        Above {
            depth: seen.cut.depth,
            heights: seen.cut.heights,
            visible: Amount::new(seen.visible),
            violated: looked.then_some(seen.violated),
            exact: seen.exact,
        }
    }
}

/// The observations of a run, and of the table that was made beside it, if that got further.
pub(super) fn below(system: &dyn System, outcome: &Outcome, table: Option<&Table>) -> Vec<Below> {
    let further = table.filter(|table| {
        let same = |o: &Outcome| o.observations.first().map(|seen| seen.bound.resource);
        same(outcome).is_none() || same(outcome) == same(&table.outcome)
    });
    let further =
        further.filter(|t| t.outcome.observations.len() >= outcome.observations.len().min(2));
    let seen = further.map_or(outcome, |table| &table.outcome);
    let collapse = collapse(outcome, table);
    let one = |(index, seen): (usize, &Observation)| {
        let which = further.and_then(|table| table.new_visible.get(index)?.as_ref());
        let which = which.map(|list| list.iter().map(|s| table::show(system, s)).collect());
        let below = Below::new(seen);
        let ends = collapse.is_some_and(|last| seen.bound.count > last);
        let mark = below.mark.map(|mark| if ends { table::COLLAPSED } else { mark });
        Below { mark, which, ..below }
    };
    seen.observations.iter().enumerate().map(one).collect()
}

/// The bound after which no visible state is new.
pub(super) fn collapse(outcome: &Outcome, table: Option<&Table>) -> Option<usize> {
    let of_table = table.and_then(|table| table.outcome.collapse);
    outcome.collapse.or(of_table).map(|bound| bound.count)
}

/// The cuts: those of the run, then those that only the table has.
pub(super) fn above(outcome: &Outcome, table: Option<&Table>) -> Vec<Above> {
    let mut cuts: Vec<Above> = outcome.cuts.iter().map(|seen| Above::new(seen, true)).collect();
    for seen in table.iter().flat_map(|table| &table.outcome.cuts) {
        if !outcome.cuts.iter().any(|other| other.cut == seen.cut) {
            cuts.push(Above::new(seen, false));
        }
    }
    cuts.sort_by_key(|cut| (cut.depth, cut.heights));
    cuts
}
