//! # Coverability
//!
//! **Question.** Threads have finitely many local states, and there may be any number of them: of
//! some templates from the start, or because they are started on the way. Can a number of them
//! break a property, and how few?
//!
//! **Idea.** A state is a shared state with a multiset of local states (whole stacks, `kinds`).
//! One state *covers* another if it has the same shared state and at least the same threads. More
//! threads can do whatever fewer can, so that covering is a well-quasi-order in which the system is
//! monotone: the states from which a violation can be reached are those that cover one of finitely
//! many smallest ones. From above, `modular` finds every local state that can occur in a shared
//! state, whatever the others do, and `views` every two; from the violations, `backward` goes back
//! step by step and keeps what is smallest, inside of what was found from above. Either a state is
//! met that an initial state covers, and there is a run (`run`); or nothing new is met, and what was
//! kept is the proof (`certify`).
//!
//! **Claim** [Abdulla, Čerāns, Jonsson, Tsay 1996, Sec. 4]. This ends, and decides the question.
//! The number of threads that is reported for a violation is the smallest one.
//!
//! Where stacks grow, they are cut ([`Stacks::Cut`]): a local state is then the top of a stack, and more can happen than
//! does. A run that is found is followed with whole stacks; where that does not work, `relations` between heights
//! of stacks and numbers of threads may exclude it, or a deeper cut.
//!
//! **Needs.** Properties that stay broken when threads are added (see
//! [`smallest_violations`](selvedge_model::smallest_violations)); finitely many shared states and
//! local states. Where there are too many, or whole stacks grow, there is no answer but a reason.
//!
//! ```
//! use selvedge_coverability::{Decision, cover};
//! use selvedge_frontend::{Input, LoadOptions, parse};
//! use selvedge_model::{Fault, Property};
//! use selvedge_program::{Lowering, ThreadCounts};
//!
//! let text = "int[0..3] inside := 0;
//!             void visit() { atomic { assume inside < 2; inside := inside + 1; } assert inside != 2; }
//!             thread visit * any;";
//! let input = parse("room.weave".as_ref(), text.to_owned(), &LoadOptions::default()).unwrap();
//! let Input::Program { program, source, .. } = input else { panic!() };
//! let system = Lowering::for_any_number(program, source, &ThreadCounts::default()).unwrap();
//! let answer = cover::<Fault>(&system, &[Property::NeverWrong], &|| Ok(())).unwrap();
//! assert!(matches!(answer, Decision::Unsafe { threads: 2, .. }));
//! ```

mod agenda;
mod backward;
mod certify;
mod elements;
mod kinds;
mod linear;
mod modular;
mod relations;
mod run;
mod views;

use selvedge_evidence::{CoverCertificate, Trace};
use selvedge_model::{Fault, Property, System};

use backward::{Backward, FEW_KEPT, Team};
pub use kinds::Stacks;
use modular::{Halt, Modular};
use views::Views;

/// Whether some number of threads breaks a property.
#[derive(Clone, Debug)]
pub enum Decision {
    /// No number of threads breaks a property.
    Safe(CoverCertificate),
    /// A run of as few threads as can be breaks one.
    Unsafe {
        /// How many threads the last state has.
        threads: usize,
        /// The run. It begins with the threads of the system, and then those of which there is
        /// any number.
        trace: Trace,
        /// The number of the property that its last state breaks.
        property: usize,
    },
}

/// Whether some number of threads breaks one of the properties.
///
/// Now and then `go_on` is asked whether to go on; what it answers otherwise is the result.
pub fn cover<S: From<Fault>>(
    system: &dyn System,
    properties: &[Property],
    go_on: &dyn Fn() -> Result<(), S>,
) -> Result<Decision, S> {
    cover_within(system, properties, Above::Pairs, Workers::of(1), go_on)
}

/// How precise the over-approximation is that restricts the search backward. The answer is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Above {
    /// Where single threads can be.
    Threads,
    /// Where two threads can be, too, unless there are too many pairs.
    Pairs,
}

/// The number of workers of a search. The answer does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    /// The number of workers; 0 is 1.
    pub count: usize,
    /// From this many smallest states on, workers share the search.
    pub from: usize,
}

impl Workers {
    /// This many workers, used where there is enough to do for them.
    #[must_use]
    pub fn of(count: usize) -> Self {
        Workers { count, from: FEW_KEPT }
    }
}

/// Whether some number of threads breaks one of the properties, with as much known from above as is wanted. The answer is the same.
pub fn cover_within<S: From<Fault>>(
    system: &dyn System,
    properties: &[Property],
    above: Above,
    workers: Workers,
    go_on: &dyn Fn() -> Result<(), S>,
) -> Result<Decision, S> {
    match decide(system, properties, Stacks::Whole, above, workers, go_on)? {
        Attempt::Decided(answer) => Ok(answer),
        Attempt::Grows(fault) => Err(fault.into()),
        Attempt::Spurious { .. } => Err(fault("a run of whole stacks is no run").into()),
    }
}

/// The result of an attempt with whole or cut stacks.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// The question is answered.
    Decided(Decision),
    /// Whole stacks grow higher than they are followed.
    Grows(Fault),
    /// With cut stacks there is a run to a violation, but with whole stacks it cannot be followed.
    Spurious {
        /// No run to a violation has fewer threads.
        threads: usize,
    },
}

/// Whether some number of threads breaks one of the properties, as far as local states that keep this much
/// of the stacks can tell.
pub fn attempt<S: From<Fault>>(
    system: &dyn System,
    properties: &[Property],
    stacks: Stacks,
    workers: Workers,
    go_on: &dyn Fn() -> Result<(), S>,
) -> Result<Attempt, S> {
    decide(system, properties, stacks, Above::Pairs, workers, go_on)
}

/// With more pairs of a shared state and a local state than this, pairs of threads are looked at from the start.
const FEW_PAIRS: usize = 1 << 16;

/// More relations than this are not looked for.
const MOST_RELATIONS: usize = 64;

fn decide<S: From<Fault>>(
    system: &dyn System,
    properties: &[Property],
    stacks: Stacks,
    above: Above,
    workers: Workers,
    go_on: &dyn Fn() -> Result<(), S>,
) -> Result<Attempt, S> {
    // Single threads first: they are few, and often enough.
    let by_pairs = stacks == Stacks::Whole && above == Above::Pairs;
    let most = if by_pairs { FEW_PAIRS } else { modular::MOST_PAIRS };
    let made = match Modular::new(system, stacks, most, go_on) {
        Err(Halt::Many) => {
            Views::from_the_start(system, go_on).map(|(modular, views)| (modular, Some(views)))
        }
        single => single.map(|modular| (modular, None)),
    };
    let (modular, mut views) = match made {
        Ok(made) => made,
        Err(Halt::Stop(stop)) => return Err(stop),
        Err(Halt::Grows(fault)) => return Ok(Attempt::Grows(fault)),
        Err(Halt::Started(_) | Halt::Many) => {
            return Err(fault("a limit was found too late").into());
        }
    };
    let search = Backward::new(system, &modular, views.as_ref(), &[], properties)?;
    if above == Above::Pairs && !search.is_empty() && views.is_none() {
        views = Views::new(&modular, go_on)?;
    }
    let team = Team::new(workers);
    let mut laws = None;
    let mut relations = Vec::new();
    loop {
        let mut search = Backward::new(system, &modular, views.as_ref(), &relations, properties)?;
        let Some(found) = search.run(&team, go_on)? else {
            return Ok(Attempt::Decided(Decision::Safe(certify::certificate(&search))));
        };
        if let Some(answer) = run::run(system, properties, &search, &found)? {
            return Ok(Attempt::Decided(answer));
        }
        // The run cannot be followed: perhaps some of its states are excluded by what all steps keep.
        let laws = match &laws {
            Some(laws) => laws,
            None => laws.insert(relations::Laws::new(&modular, views.as_ref(), go_on)?),
        };
        let excluding = match relations.len() < MOST_RELATIONS {
            true => laws.excluding(&modular, &search.path(&found), go_on)?,
            false => None,
        };
        match excluding {
            Some(relation) => relations.push(relation),
            None => return Ok(Attempt::Spurious { threads: found.threads }),
        }
    }
}

fn fault(message: impl Into<String>) -> Fault {
    Fault::new(message.into())
}
