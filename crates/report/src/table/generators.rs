//! G, Z and G ∩ Z of a table [CUBA, Sec. 4.1].

use selvedge_analysis::Resource;
use selvedge_analysis::converge::generators::GeneratorTest;
use selvedge_model::{System, VisibleState};
use serde::Serialize;

use super::{TableReport, show};
use crate::amount::amount;
use crate::json;

/// Longer lists are left out of the text.
const SHORT_LIST: usize = 12;

impl TableReport<'_> {
    /// The generator test, if it was asked for and G and Z were found.
    pub(super) fn test(&self) -> Option<&GeneratorTest> {
        self.table.generators.as_ref()?.as_ref().ok()
    }

    /// Which generators that may be reached are not seen at a bound at which a plateau is new.
    pub(super) fn unseen_at_plateau(&self, bound: usize) -> Option<String> {
        let test = self.test().filter(|test| test.is_new_plateau(bound))?;
        let unseen: Vec<_> = test.unseen(bound).map(|state| show(self.system, state)).collect();
        Some(match unseen.len() {
            0 => "every generator of Z was seen".to_owned(),
            n if n > SHORT_LIST => format!("unseen: {}", amount(Some(n as u128), "generator")),
            _ => format!("unseen: {}", unseen.join(" ")),
        })
    }

    /// Lines about G, Z and what the test says.
    pub(super) fn about_generators(&self) -> Vec<(&'static str, String)> {
        let test = match &self.table.generators {
            None => return Vec::new(),
            Some(Err(stop)) => return vec![("generators", format!("not known: {stop}"))],
            Some(Ok(test)) => test,
        };
        let list = |shown: Vec<String>, what: &str| match shown.len() {
            0 => "none".to_owned(),
            n if n > SHORT_LIST => amount(Some(n as u128), what),
            _ => shown.join(" "),
        };
        let in_z = test.in_z.iter().map(|(state, seen)| {
            let when = match seen {
                Some(bound) => format!("seen at {bound}"),
                None => "never seen".to_owned(),
            };
            format!("{} ({when})", show(self.system, state))
        });
        let patterns = patterns(self.system, test);
        let z: Vec<_> = test.z.iter().map(|state| show(self.system, state)).collect();
        let z = match z.len() {
            n if n > SHORT_LIST => amount(test.z_count, "visible state"),
            _ => format!("{}: {}", amount(test.z_count, "visible state"), z.join(" ")),
        };
        vec![
            ("G", list(patterns, "pattern")),
            ("Z", z),
            ("G ∩ Z", list(in_z.collect(), "visible state")),
            ("generator test", self.conclusion_of(test)),
        ]
    }

    fn conclusion_of(&self, test: &GeneratorTest) -> String {
        let bounds = self.observations().len();
        if let Some(bound) = (0..bounds).find(|&bound| test.passes(bound)) {
            return format!(
                "passes at {}, with the plateau that begins at {}: T(R) = Z",
                Resource::Contexts.bound(bound),
                bound - 1
            );
        }
        match (0..bounds).rfind(|&bound| test.is_new_plateau(bound)) {
            None => "not asked: there is no plateau".to_owned(),
            Some(bound) => {
                let unseen = test.unseen(bound).count() as u128;
                format!(
                    "fails at the plateau that begins at {}: {} of Z unseen",
                    bound - 1,
                    amount(Some(unseen), "generator")
                )
            }
        }
    }

    pub(super) fn json_generators(&self) -> Option<JsonGenerators> {
        let test = self.test()?;
        let shown = |state: &VisibleState| show(self.system, state);
        let bounds = 0..self.observations().len();
        Some(JsonGenerators {
            g: patterns(self.system, test),
            z: (test.z.len() <= self.table.shown.listed)
                .then(|| test.z.iter().map(shown).collect()),
            z_count: json::small(test.z_count),
            in_z: (test.in_z.iter())
                .map(|(state, seen_at)| SeenGenerator { state: shown(state), seen_at: *seen_at })
                .collect(),
            plateaus: bounds
                .filter(|&bound| test.is_new_plateau(bound))
                .map(|bound| TestedPlateau {
                    begins: bound - 1,
                    unseen: test.unseen(bound).map(shown).collect(),
                })
                .collect(),
        })
    }
}

/// The generators as patterns: `*` is any thread.
fn patterns(system: &dyn System, test: &GeneratorTest) -> Vec<String> {
    let threads = system.threads().len();
    let patterns = test.generators.patterns().into_iter().map(|(thread, shared, top)| {
        let mut tops = vec!["*".to_owned(); threads];
        tops[thread] = top.map_or("-".to_owned(), |symbol| system.describe().show_symbol(symbol));
        format!("⟨{}|{}⟩", system.describe().show_shared(shared), tops.join(","))
    });
    patterns.collect()
}

/// G, Z and G ∩ Z.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonGenerators {
    /// The generators, as patterns.
    pub g: Vec<String>,
    /// Z; of states that differ by a permutation of interchangeable threads, one. Not listed where it is
    /// too large.
    pub z: Option<Vec<String>>,
    /// How many states Z has, without symmetry reduction.
    pub z_count: Option<u64>,
    /// The generators that are in Z.
    pub in_z: Vec<SeenGenerator>,
    /// The plateaus, and what the test says there.
    pub plateaus: Vec<TestedPlateau>,
}

/// A generator of Z.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SeenGenerator {
    /// The visible state.
    pub state: String,
    /// The number of contexts at which it was seen, if it was.
    pub seen_at: Option<usize>,
}

/// A plateau at which the test was made: it passes if nothing is unseen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TestedPlateau {
    /// The bound at which something was new for the last time before it.
    pub begins: usize,
    /// The generators of Z that were not seen there.
    pub unseen: Vec<String>,
}
