//! # Engines
//!
//! An engine has a name and a word on what it does; it refuses a question with a sentence, or answers it within a budget
//! of counted work. Where no engine is named, those that find a place for themselves take turns ([`portfolio`](crate::verify)).
//! Adding one is a file of its own and one line in [`Engines::default`]; the help of the command line, Python and the page
//! read that list.

mod name;
mod predicates;
mod rounds;
mod states;

use std::fmt;
use std::sync::Arc;

use selvedge_analysis::Resource;
use selvedge_analysis::engine::{FAVOURED, LEADING, Method};
use selvedge_analysis::reduce::Direction;
use selvedge_sequential::Guesses;

use crate::answer::Answer;
use crate::question::Question;
use crate::{Failure, suggest};
pub use name::EngineName;
use predicates::ByPredicates;
use rounds::InRounds;
use states::OfStates;

/// A way to answer questions.
pub trait Engine: Send + Sync {
    /// The name of the engine.
    fn name(&self) -> EngineName;

    /// What the engine does, in words for people.
    fn about(&self) -> &'static str;

    /// Why it does not answer questions with a bound on this, or without a bound, if it does not.
    fn refuses_bound(&self, resource: Option<Resource>) -> Option<Failure>;

    /// Why it does not answer a question that has such a bound, if it does not.
    fn refuses(&self, _question: &Question) -> Option<Failure> {
        None
    }

    /// When it begins and how much it works where no engine is named; `None` if it only comes when it is called.
    fn place(&self, _question: &Question) -> Option<Portions> {
        None
    }

    /// Answers, within the budget of the question: every look at the budget is counted work.
    fn answer(&self, question: &Question) -> Result<Answer, Failure>;
}

/// The place of an engine among those that take turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Portions {
    /// How much work the others do before it begins, in moves of an explorer: a million is about a second.
    pub after: u64,
    /// How large its portions are at first: with 4, four times those of an engine with 1.
    pub shares: u64,
    /// Whether they become as large as those of a leading engine where there is no answer for long.
    pub catches_up: bool,
}

impl Portions {
    /// At once, with portions so large that what others do beside it is hardly noticed.
    pub const FIRST: Portions = Portions { after: 0, shares: 8 * FAVOURED, catches_up: false };

    /// At once, where another engine is [beside](Portions::beside) it.
    pub const LEADING: Portions = Portions { after: 0, shares: LEADING, catches_up: false };

    /// After a while, with small portions as long as an answer of the leading engine may come soon.
    #[must_use]
    pub const fn beside(after: u64) -> Portions {
        Portions { after, shares: 1, catches_up: true }
    }

    /// After a while, with portions of one size.
    #[must_use]
    pub const fn later(after: u64, shares: u64) -> Portions {
        Portions { after, shares, catches_up: false }
    }
}

/// The engines that there are.
#[derive(Clone)]
pub struct Engines(Vec<Arc<dyn Engine>>);

impl Default for Engines {
    fn default() -> Self {
        use EngineName as Name;
        let states = |name, method| Arc::new(OfStates { name, method }) as Arc<dyn Engine>;
        let rounds = |name, guesses| Arc::new(InRounds { name, guesses }) as Arc<dyn Engine>;
        Engines(vec![
            states(Name::Contexts, Method::Auto),
            states(Name::Explicit, Method::Explicit),
            states(Name::Symbolic, Method::Symbolic),
            states(Name::Cuts, Method::Cuts),
            states(Name::Generators, Method::Generators),
            states(Name::Pds, Method::Reduction(Direction::Forward)),
            states(Name::PdsBackward, Method::Reduction(Direction::Backward)),
            rounds(Name::Lazy, Guesses::Lazy),
            rounds(Name::Near, Guesses::Near),
            rounds(Name::Eager, Guesses::Eager),
            Arc::new(states::InDelays),
            states(Name::Coverability, Method::Coverability),
            Arc::new(ByPredicates),
        ])
    }
}

impl Engines {
    /// Adds an engine.
    #[must_use]
    pub fn with(mut self, engine: impl Engine + 'static) -> Self {
        self.0.push(Arc::new(engine));
        self
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Engine> {
        self.0.iter().map(|engine| &**engine)
    }

    /// The names that can be given, with a word on each.
    pub fn names(&self) -> impl Iterator<Item = (EngineName, &'static str)> {
        let auto = (EngineName::Auto, "All engines that fit the question, in turns");
        std::iter::once(auto).chain(self.iter().map(|engine| (engine.name(), engine.about())))
    }

    /// The engine of a name; none for [`EngineName::Auto`].
    #[must_use]
    pub fn get(&self, name: EngineName) -> Option<&dyn Engine> {
        self.iter().find(|engine| engine.name() == name)
    }

    /// Refuses a bound that the engine of a name knows nothing about, or that there is none.
    pub fn need(&self, name: EngineName, resource: Option<Resource>) -> Result<(), Failure> {
        match self.get(name).and_then(|engine| engine.refuses_bound(resource)) {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    /// Finds the engine with this name.
    pub fn parse(&self, name: &str) -> Result<EngineName, Failure> {
        let found = self.names().find(|(engine, _)| engine.name() == name);
        found.map(|(engine, _)| engine).ok_or_else(|| {
            let known: Vec<&str> = self.names().map(|(engine, _)| engine.name()).collect();
            Failure::usage(suggest::unknown("engine", name, &known))
        })
    }
}

impl fmt::Debug for Engines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Engine::name)).finish()
    }
}

/// A failure for an engine that was asked something else than it is for.
fn only(engine: EngineName, what: &str) -> Option<Failure> {
    Some(Failure::usage(format!(
        "the engine `{engine}` answers {what} only; the engine `auto` chooses one that fits"
    )))
}

/// Refuses a bound of rounds with delays, which one engine knows.
fn refuse_delays(resource: Resource) -> Option<Failure> {
    matches!(resource, Resource::RoundRobin { .. })
        .then(|| Failure::usage("with `delays` the engine is `delays`, which `auto` takes, too"))
}
