//! Where local steps ride along, as text: `{ "places": [4, 7] }` of a program, `{ "symbols": ["0:3"] }` of a table; with `"later": true` if
//! threads begin after the local steps that come first. What locks protect is `"movers"`: for every lock (by a place that takes it) the places at which it is
//! `held` and the slots that it `protects`, and the places that are `inside`, give back (`releases`), take (`takes`) or may be seen (`commits`).
//! Who may wait is `"waiting"`: a list for every state at which threads do, of its number and then of their kinds.

use std::collections::BTreeSet;

use selvedge_model::{Guard, Local, Movers, PlaceId, System};
use serde::{Deserialize, Serialize};

use super::EvidenceError;
use crate::{LeftOut, ReducedCertificate};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LocalText {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    places: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<String>,
    /// Whether threads begin after the local steps that come first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) later: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    movers: Option<MoversText>,
    /// The number of a state, and the kinds of the threads that wait there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<(u32, Vec<u32>)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoversText {
    guards: Vec<GuardText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inside: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    releases: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    takes: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    commits: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GuardText {
    lock: u32,
    held: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    protects: Vec<u32>,
}

fn numbers(places: &BTreeSet<PlaceId>) -> Vec<u32> {
    places.iter().map(|place| place.0).collect()
}

/// Numbers, each of them once.
fn once<T: Ord>(said: &[u32], make: impl Fn(u32) -> T) -> Result<BTreeSet<T>, EvidenceError> {
    let set: BTreeSet<T> = said.iter().copied().map(make).collect();
    match set.len() == said.len() {
        true => Ok(set),
        false => Err(EvidenceError::new("it says twice where steps ride along")),
    }
}

impl MoversText {
    fn new(movers: &Movers) -> Self {
        let guard = |guard: &Guard| GuardText {
            lock: guard.lock.0,
            held: numbers(&guard.held),
            protects: guard.protects.iter().copied().collect(),
        };
        MoversText {
            guards: movers.guards.iter().map(guard).collect(),
            inside: numbers(&movers.inside),
            releases: numbers(&movers.releases),
            takes: numbers(&movers.takes),
            commits: numbers(&movers.commits),
        }
    }

    fn read(&self) -> Result<Movers, EvidenceError> {
        let guard = |text: &GuardText| {
            let (held, protects) = (once(&text.held, PlaceId)?, once(&text.protects, |slot| slot)?);
            Ok(Guard { lock: PlaceId(text.lock), held, protects })
        };
        Ok(Movers {
            guards: self.guards.iter().map(guard).collect::<Result<_, EvidenceError>>()?,
            inside: once(&self.inside, PlaceId)?,
            releases: once(&self.releases, PlaceId)?,
            takes: once(&self.takes, PlaceId)?,
            commits: once(&self.commits, PlaceId)?,
        })
    }
}

impl LocalText {
    pub(super) fn new(system: &dyn System, reduced: &ReducedCertificate) -> Self {
        let ReducedCertificate { local, later, waiting, .. } = reduced;
        let key = |&symbol| system.keys().symbol_key(symbol);
        LocalText {
            places: local.places.iter().map(|place| place.0).collect(),
            symbols: local.symbols.iter().map(key).collect(),
            later: *later,
            waiting: waiting.iter().map(|left| (left.state, left.kinds.to_vec())).collect(),
            movers: (!local.movers.is_empty()).then(|| MoversText::new(&local.movers)),
        }
    }

    /// Who waits where, as it is written: whether that is right is for the checker to say.
    pub(super) fn waiting(&self) -> Vec<LeftOut> {
        let left = |(state, kinds): &(u32, Vec<u32>)| LeftOut {
            state: *state,
            kinds: kinds.clone().into(),
        };
        self.waiting.iter().map(left).collect()
    }

    pub(super) fn read(&self, system: &dyn System) -> Result<Local, EvidenceError> {
        let unknown = |key: &str| EvidenceError::new(format!("there is no symbol `{key}`"));
        let find = |key: &String| system.keys().find_symbol_key(key).ok_or_else(|| unknown(key));
        let symbols = self.symbols.iter().map(find).collect::<Result<BTreeSet<_>, _>>()?;
        let movers = self.movers.as_ref().map(MoversText::read).transpose()?.unwrap_or_default();
        let local = Local { places: once(&self.places, PlaceId)?, symbols, movers };
        let says_something = !local.is_empty() || !self.waiting.is_empty();
        match local.symbols.len() == self.symbols.len() && says_something {
            true => Ok(local),
            false => Err(EvidenceError::new(
                "it says nothing about where local steps ride along, or something twice",
            )),
        }
    }
}
