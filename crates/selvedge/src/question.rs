//! # Questions
//! A system with what is asked about it, and the engines that follow its states.

use std::time::{Duration, Instant};

use selvedge_analysis::engine::delays::{self, Options as Delays};
use selvedge_analysis::engine::grid::{Grid, grid};
use selvedge_analysis::engine::{self, Event, Method, Outcome, Question, Shown, Table};
use selvedge_analysis::explore::Observe;
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_model::{Property, System};
use selvedge_report::advice::Started;
use selvedge_sequential::{self as summaries, engine as sequential};

use crate::options::{Heard, Options};
use crate::subject::Opened;
use crate::{Engine, Failure};

/// A question that is ready to be asked.
#[derive(Clone)]
pub struct Asked {
    /// What it is about.
    pub opened: Opened,
    /// The bound, if there is one.
    pub bound: Option<Bound>,
    /// What is assumed of threads that are started, where they are slots.
    pub(crate) started: Option<Started>,
    pub(crate) options: Options,
    pub(crate) budget: Budget,
}

impl Asked {
    pub(crate) fn new(opened: Opened, options: &Options, budget: Budget) -> Self {
        Asked { opened, bound: None, started: None, options: options.clone(), budget }
    }

    /// The same, for a while only.
    #[must_use]
    pub(crate) fn for_a_while(mut self, time: Duration) -> Self {
        let end = Instant::now() + time;
        self.budget.deadline = Some(self.budget.deadline.map_or(end, |deadline| deadline.min(end)));
        self
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> &dyn System {
        self.opened.system.as_ref()
    }

    fn question(&self) -> Question<'_> {
        Question {
            system: self.system(),
            properties: &self.opened.properties,
            method: self.options.engine.method(),
            symmetry: self.options.symmetry,
            evidence: self.options.evidence,
        }
    }

    fn tell(&self) -> impl Fn(Event<'_>) + Sync + '_ {
        |event| self.options.tell(Heard::Event(&event))
    }

    /// Whether a violation is reachable within the bound.
    pub(crate) fn check(&self, bound: Bound) -> Result<Outcome, Failure> {
        let engine = self.options.engine;
        let (guesses, program) = (engine.guesses(), self.opened.program.as_deref());
        if guesses.is_some() && program.is_none() {
            return Err(Failure::usage(
                "the engines `lazy`, `near` and `eager` need a program; for a table there are `explicit`, \
                 `symbolic`, `pds` and `pds-backward`",
            ));
        }
        let auto = engine == Engine::Auto && bound.resource == Resource::Rounds;
        let (question, budget, tell) = (self.question(), &self.budget, self.tell());
        Ok(match (program, guesses) {
            (Some(program), Some(guesses)) => {
                let Question { properties, evidence, .. } = question;
                let asked = sequential::Asked { program, properties, evidence };
                let options = summaries::Options { guesses, ..summaries::Options::default() };
                sequential::check(&asked, bound.count, options, budget, &tell)
            }
            (Some(program), None) if auto => {
                sequential::check_any(program, &question, bound.count, budget, &tell)
            }
            _ => engine::check(&question, bound, budget, &tell),
        })
    }

    /// Whether a violation is reachable at all.
    pub(crate) fn verify(&self) -> Result<Outcome, Failure> {
        let (question, budget, tell) = (self.question(), &self.budget, self.tell());
        Ok(match (self.options.engine, &self.opened.program) {
            (Engine::Delays, _) => delays::verify(&question, &self.delays()?, budget, &tell),
            (Engine::Auto, Some(program)) => sequential::verify(program, &question, budget, &tell),
            _ => engine::verify(&question, budget, &tell),
        })
    }

    /// What is new at each bound.
    pub(crate) fn table(&self, resource: Resource, most: Option<usize>, shown: Shown) -> Table {
        let mut question = self.question();
        if shown.automata && question.method == Method::Auto {
            question.method = Method::Symbolic;
        }
        engine::table(&question, resource, most, shown, &self.budget, &self.tell())
    }

    /// What R(r, d) has, for all numbers of rounds and delays up to these.
    pub(crate) fn grid(&self, rounds: usize, delays: usize) -> Result<Grid, Failure> {
        let observe = self.delays()?.observe;
        Ok(grid(&self.question(), observe.as_ref(), (rounds, delays), &self.budget))
    }

    /// How rounds and delays look for a proof.
    fn delays(&self) -> Result<Delays, Failure> {
        let observe = self.options.observe.as_deref();
        let observe = observe.map(|text| observed(text, self.system())).transpose()?;
        Ok(Delays { observe, closure: self.options.closure })
    }

    /// Says that there is nothing to violate.
    pub(crate) fn note_missing_target(&self) {
        let opened = &self.opened;
        if opened.properties.is_empty() {
            let file = opened.source.name();
            let note = format!("note: {file} has no target; --target \"q|a,b\" gives one");
            self.options.tell(Heard::Note(&note));
        }
        if let Some(program) = &opened.program
            && opened.properties == [Property::NeverWrong]
            && !program.code().has_assertions()
        {
            self.options.tell(Heard::Note(
                "note: there is no `assert` in the program, so that only ranges, indices, divisions and \
                 locks are checked; --deadlock, --target and `selvedge livelock` ask for more",
            ));
        }
    }
}

/// Reads what is observed.
fn observed(text: &str, system: &dyn System) -> Result<Observe, Failure> {
    let mut observe = Observe { shared: None, top: 0 };
    let mut names = Vec::new();
    let mut known = Vec::new();
    for state in system.initial()? {
        known.extend(
            system.describe().shared_values(state.shared).into_iter().map(|(name, _)| name),
        );
    }
    for word in text.split(',').map(str::trim) {
        if let Some(symbols) = word.strip_prefix("top=") {
            observe.top = symbols.parse().map_err(|_| {
                Failure::usage(format!(
                    "--observe: `{word}` is no number of symbols: write a number: 0, 1, 2, …"
                ))
            })?;
        } else if known.iter().any(|name| name == word) {
            names.push(word.to_owned());
        } else if word != "shared" {
            known.sort_unstable();
            known.dedup();
            let list = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(Failure::usage(format!(
                "--observe: there is no shared variable `{word}`; there are: {list}. `shared` means \
                 all of them, `top=2` the two topmost symbols of each stack"
            )));
        }
    }
    if !names.is_empty() && !text.split(',').any(|word| word.trim() == "shared") {
        observe.shared = Some(names);
    }
    Ok(observe)
}
