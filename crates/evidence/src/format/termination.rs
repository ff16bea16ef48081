//! # Proofs of fair termination as text
//!
//! ```json
//! "termination": { "fairness": "strong", "ended": false,
//!   "templates": ["0:one"], "shared": ["0"], "symbols": ["3:"], "threads": [[0, [0]], [0, []]],
//!   "helpers": [{"thread": 0}, {"choice": [0, 120, true]}],
//!   "states": [[[0, 0], [1, 1]], [[0, 1], [0, 0]]] }
//! ```
//!
//! A thread is a template and a stack, top first. A state is a shared state and its threads; then
//! its levels, each a rank and a helper, counted from 1, or 0 for none.

use crate::{FairTermination, Helpful, Level};
use selvedge_model::{FairChoice, FairPlace, Stack, State, System, Thread, ThreadId};
use serde::{Deserialize, Serialize};

use super::EvidenceError;
use super::keys::{Table, at, find};
use super::lasso::read_endless;

/// A [`FairTermination`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TerminationText {
    fairness: String,
    ended: bool,
    templates: Vec<String>,
    shared: Vec<String>,
    symbols: Vec<String>,
    threads: Vec<(u32, Vec<u32>)>,
    helpers: Vec<HelpfulText>,
    states: Vec<(Vec<u32>, Vec<u32>)>,
}

/// A [`Helpful`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum HelpfulText {
    Thread(u32),
    Choice(u32, u32, bool),
}

impl TerminationText {
    pub fn new(system: &dyn System, certificate: &FairTermination) -> Self {
        let mut templates = Table::new(|template| system.keys().template_key(template));
        let mut shared = Table::new(|shared| system.keys().shared_key(shared));
        let mut symbols = Table::new(|symbol| system.keys().symbol_key(symbol));
        let mut threads = Table::new(|thread: &Thread| {
            let stack = thread.stack.iter().map(|symbol| symbols.number(symbol)).collect();
            (templates.number(thread.template), stack)
        });
        let mut helpers = Table::new(|helpful: Helpful| match helpful {
            Helpful::Thread(thread) => HelpfulText::Thread(thread.0),
            Helpful::Choice(thread, FairChoice { place, outcome }) => {
                HelpfulText::Choice(thread.0, place.0, outcome)
            }
        });
        let mut states = Vec::with_capacity(certificate.states.len());
        for (state, levels) in &certificate.states {
            let mut row = vec![shared.number(state.shared)];
            row.extend(state.threads.iter().map(|thread| threads.number(thread)));
            let levels = levels.iter().flat_map(|level| {
                [level.rank, level.helpful.map_or(0, |helpful| helpers.number(helpful) + 1)]
            });
            states.push((row, levels.collect()));
        }
        TerminationText {
            fairness: certificate.endless.fairness.to_string(),
            ended: certificate.endless.ended,
            states,
            helpers: helpers.keys,
            threads: threads.keys,
            templates: templates.keys,
            shared: shared.keys,
            symbols: symbols.keys,
        }
    }

    pub fn read(&self, system: &dyn System) -> Result<FairTermination, EvidenceError> {
        let templates =
            find(&self.templates, "template", |key| system.keys().find_template_key(key))?;
        let shared = find(&self.shared, "shared state", |key| system.keys().find_shared_key(key))?;
        let symbols = find(&self.symbols, "symbol", |key| system.keys().find_symbol_key(key))?;
        let mut threads = Vec::with_capacity(self.threads.len());
        for (template, stack) in &self.threads {
            let template = at(&templates, *template, "template")?;
            let stack = stack.iter().map(|&s| at(&symbols, s, "symbol"));
            let stack = Stack::top_first(stack.collect::<Result<Vec<_>, _>>()?);
            threads.push(Thread { template, stack });
        }
        let helper = |helper: &HelpfulText| match *helper {
            HelpfulText::Thread(thread) => Helpful::Thread(ThreadId(thread)),
            HelpfulText::Choice(thread, place, outcome) => {
                let choice = FairChoice { place: FairPlace(place), outcome };
                Helpful::Choice(ThreadId(thread), choice)
            }
        };
        let helpers: Vec<Helpful> = self.helpers.iter().map(helper).collect();
        let mut states = Vec::with_capacity(self.states.len());
        for (number, (row, levels)) in self.states.iter().enumerate() {
            let wrong =
                || EvidenceError::new(format!("state {number} is not written as it should"));
            let (first, of_threads) = row.split_first().ok_or_else(wrong)?;
            let of_threads = of_threads
                .iter()
                .map(|&thread| threads.get(thread as usize).cloned().ok_or_else(wrong));
            let state = State {
                shared: at(&shared, *first, "shared state")?,
                threads: of_threads.collect::<Result<_, _>>()?,
            };
            if levels.len() % 2 != 0 {
                return Err(wrong());
            }
            let levels = levels.chunks_exact(2).map(|pair| {
                let helpful = match pair[1].checked_sub(1) {
                    Some(helper) => Some(at(&helpers, helper, "helper")?),
                    None => None,
                };
                Ok(Level { rank: pair[0], helpful })
            });
            states.push((state, levels.collect::<Result<_, EvidenceError>>()?));
        }
        Ok(FairTermination { endless: read_endless(&self.fairness, self.ended)?, states })
    }
}
