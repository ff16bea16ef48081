//! Where local steps ride along, as text: `{ "places": [4, 7] }` of a program, `{ "symbols": ["0:3"] }` of a table; with `"later": true` if
//! threads begin after the local steps that come first.

use std::collections::BTreeSet;

use selvedge_model::{Local, PlaceId, System};
use serde::{Deserialize, Serialize};

use super::EvidenceError;

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
}

impl LocalText {
    pub(super) fn new(system: &dyn System, local: &Local, later: bool) -> Self {
        let key = |&symbol| system.keys().symbol_key(symbol);
        LocalText {
            places: local.places.iter().map(|place| place.0).collect(),
            symbols: local.symbols.iter().map(key).collect(),
            later,
        }
    }

    pub(super) fn read(&self, system: &dyn System) -> Result<Local, EvidenceError> {
        let unknown = |key: &str| EvidenceError::new(format!("there is no symbol `{key}`"));
        let find = |key: &String| system.keys().find_symbol_key(key).ok_or_else(|| unknown(key));
        let local = Local {
            places: self.places.iter().copied().map(PlaceId).collect(),
            symbols: self.symbols.iter().map(find).collect::<Result<BTreeSet<_>, _>>()?,
        };
        let said = self.places.len() + self.symbols.len();
        match local.places.len() + local.symbols.len() == said && said > 0 {
            true => Ok(local),
            false => Err(EvidenceError::new(
                "it says nothing about where local steps ride along, or something twice",
            )),
        }
    }
}
