//! # Questions
//! What is asked, about which subject, within which budget: all that an engine is given.

use std::sync::{Arc, OnceLock};

use selvedge_analysis::engine::delays::Options as Delays;
use selvedge_analysis::engine::grid::{Grid, grid};
use selvedge_analysis::engine::{self, Event, Method, Shown, Table};
use selvedge_analysis::explore::Observe;
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_model::{GOES_WRONG, Property, System};
use selvedge_report::advice::Started;

use crate::heard::Heard;
use crate::options::Options;
use crate::{EngineName, Failure};
use selvedge_check::{Opened, Subject, Wanted};

/// A question about a subject: whether a violation is reachable, within a bound or at all.
#[derive(Clone)]
pub struct Question {
    subject: Arc<Subject>,
    /// The opened system, once it was needed.
    opened: OnceLock<Opened>,
    /// Whether the system is another one than that of the subject.
    is_made: bool,
    bound: Option<Bound>,
    /// What is assumed of threads that are started, where they are slots.
    pub(crate) started: Option<Started>,
    options: Options,
    /// Whether another question is asked that says more.
    is_beside: bool,
    budget: Budget,
}

impl Question {
    pub(crate) fn new(
        subject: &Subject,
        bound: Option<Bound>,
        options: &Options,
        budget: Budget,
    ) -> Self {
        let (subject, options) = (Arc::new(subject.clone()), options.clone());
        let (opened, is_made, started) = (OnceLock::new(), false, None);
        Question { subject, opened, is_made, bound, started, options, is_beside: false, budget }
    }

    /// The question, where another one is asked that is about more: what this one leaves out need not be said.
    #[must_use]
    pub(crate) fn beside(self) -> Self {
        Question { is_beside: true, ..self }
    }

    /// The question about another system that was made of the subject, for one worker.
    #[must_use]
    pub(crate) fn about(&self, opened: Opened) -> Self {
        let budget = Budget { workers: 1, ..self.budget.clone() };
        Question { opened: OnceLock::from(opened), is_made: true, budget, ..self.clone() }
    }

    /// The same question with a system of its own, so that the numbers of its states depend on no other engine.
    #[must_use]
    pub(crate) fn alone(&self) -> Self {
        match self.is_made {
            true => self.clone(),
            false => Question { opened: OnceLock::new(), ..self.clone() },
        }
    }

    /// The question with another budget.
    #[must_use]
    pub(crate) fn within(&self, budget: &Budget) -> Self {
        Question { budget: budget.clone(), ..self.clone() }
    }

    /// The question with another bound, budget, limits and listener.
    #[must_use]
    pub(crate) fn going_on(&self, bound: Bound, options: &Options, budget: &Budget) -> Self {
        let Options { limits, listener, .. } = options.clone();
        let options = Options { limits, listener, ..self.options.clone() };
        Question { bound: Some(bound), options, budget: budget.clone(), ..self.clone() }
    }

    /// The question about a program in which this many started threads are slots.
    #[must_use]
    pub(crate) fn with_slots(&self, started: Started) -> Self {
        Question { started: Some(started), ..self.clone() }
    }

    /// Returns the program or table that is asked about.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The bound, if there is one.
    #[must_use]
    pub fn bound(&self) -> Option<Bound> {
        self.bound
    }

    /// The options of the search.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The budget of the search.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The system that is explored.
    pub fn opened(&self) -> Result<&Opened, Failure> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let decides = matches!(self.options.engine, EngineName::Auto | EngineName::Coverability);
        let any_number = self.bound.is_none() && (decides || self.is_other());
        let wanted = Wanted { deadlock: self.options.deadlock, any_number };
        let opened = self.subject.within(&self.whole_budget()).for_engine(wanted)?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// The budget without the turns of engines: a system may outlive them.
    pub(crate) fn whole_budget(&self) -> Budget {
        let cancelled = vec![Arc::clone(&self.options.limits.cancelled)];
        Budget { cancelled, meters: Vec::new(), ..self.budget.clone() }
    }

    /// Whether an engine is asked that is not built in.
    fn is_other(&self) -> bool {
        matches!(self.options.engine, EngineName::Other(_))
    }

    /// The question, for engines that follow states.
    pub(crate) fn explored<'a>(&self, opened: &'a Opened, method: Method) -> engine::Question<'a> {
        engine::Question {
            system: opened.system.as_ref(),
            properties: &opened.properties,
            method,
            symmetry: self.options.symmetry,
            evidence: self.options.evidence,
        }
    }

    pub(crate) fn tell(&self) -> impl Fn(Event<'_>) + Sync + '_ {
        |event| self.options.tell(Heard::Event(&event))
    }

    /// Tables what is new at each bound.
    pub(crate) fn table(
        &self,
        opened: &Opened,
        resource: Resource,
        most: Option<usize>,
        shown: Shown,
    ) -> Table {
        let method = match self.options.engine.method() {
            Method::Auto if shown.automata => Method::Symbolic,
            method => method,
        };
        let question = self.explored(opened, method);
        engine::table(&question, resource, most, shown, &self.budget, &self.tell())
    }

    /// What R(r, d) has, for all numbers of rounds and delays up to these.
    pub(crate) fn grid(&self, rounds: usize, delays: usize) -> Result<Grid, Failure> {
        let opened = self.opened()?;
        let observe = self.delays(opened)?.observe;
        let question = self.explored(opened, self.options.engine.method());
        Ok(grid(&question, observe.as_ref(), (rounds, delays), &self.budget))
    }

    /// How rounds and delays look for a proof.
    pub(crate) fn delays(&self, opened: &Opened) -> Result<Delays, Failure> {
        let observe = self.options.observe.as_deref();
        let observe = observe.map(|text| observed(text, &*opened.system)).transpose()?;
        Ok(Delays { observe, closure: self.options.closure })
    }

    /// Says that there is nothing to violate.
    pub(crate) fn note_missing_target(&self) {
        let Ok(opened) = self.opened() else { return };
        if opened.properties.is_empty() {
            let file = opened.source.name();
            let note = format!("note: {file} has no target; `target \"q|a,b\"` gives one");
            self.options.tell(Heard::Note(&note));
        }
        if let Some(program) = &opened.program
            && opened.properties == [Property::NeverWrong]
            && !self.is_beside
            && opened.system.describe().goes_wrong() == GOES_WRONG
            && !program.code().has_assertions()
        {
            // Where threads wait for each other, deadlocks count unless somebody has said otherwise, or nobody can say anything.
            let is_declined = self.bound.is_none() && self.subject.has_waits();
            let (checked, more) = match opened.system.describe().tells_statements() {
                true => ("memory, divisions", "`--deadlock`, `--property` and `selvedge livelock`"),
                false if is_declined => {
                    ("ranges, indices, divisions", "`--target` and `selvedge livelock`")
                }
                false => (
                    "ranges, indices, divisions",
                    "`--deadlock`, `--target` and `selvedge livelock`",
                ),
            };
            let note = format!(
                "note: there is no `assert` in the program, so that only {checked} and locks are checked; {more} \
                 ask for more"
            );
            self.options.tell(Heard::Note(&note));
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
                    "observe: `{word}` is no number of symbols: write a number: 0, 1, 2, …"
                ))
            })?;
        } else if known.iter().any(|name| name == word) {
            names.push(word.to_owned());
        } else if word != "shared" {
            known.sort_unstable();
            known.dedup();
            let list = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(Failure::usage(format!(
                "observe: there is no shared variable `{word}`; there are: {list}. `shared` means \
                 all of them, `top=2` the two topmost symbols of each stack"
            )));
        }
    }
    if !names.is_empty() && !text.split(',').any(|word| word.trim() == "shared") {
        observe.shared = Some(names);
    }
    Ok(observe)
}
