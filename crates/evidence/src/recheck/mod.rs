//! # Recheck
//!
//! **Question.** Does this evidence show what it is said to show, on this system?
//!
//! **Idea.** Nothing of the search is believed. A violation is replayed. A certificate is a set of
//! states, and three things are looked at, state by state: the initial states are in it ([`cut`],
//! [`aggregate`], [`cover`]: *initial*), no step leaves it (*closed*), and no state of it breaks a property
//! (*harmless*). Then nothing that is reachable breaks one, by induction over the steps.
//!
//! A lasso is replayed, and then shown to go on for ever ([`lasso`]); that there is none is shown
//! by ranks ([`termination`]). Neither is a matter of properties.
//!
//! **Needs.** The system's own word about its actions: that is what the evidence is about.

mod aggregate;
mod cover;
#[cfg(test)]
mod cover_tests;
mod cut;
#[cfg(test)]
mod cut_tests;
mod form;
mod harmless;
mod heights;
mod lasso;
#[cfg(test)]
mod limits_tests;
mod sets;
mod termination;
#[cfg(test)]
mod tests;
mod violation;
mod waiting;

use std::fmt;

use selvedge_model::{Budget, Endless, Fairness, Fault, Property, Stop, System, TemplateId};

use crate::watch::Watch;
use crate::{CutCertificate, Evidence, LassoThread, LeftOut, Part};

/// What a successful check has shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// No schedule breaks a property: shown by an invariant on the tops of the stacks.
    Cut {
        /// How many states it has.
        states: usize,
        /// How many symbols of each stack it keeps; `None` if nothing is ever cut off.
        depth: Option<usize>,
        /// The number of guesses about symbols below the cut.
        guesses: usize,
        /// How many relations there are between heights of stacks.
        measures: usize,
    },
    /// No schedule breaks a property: shown by an invariant on sets of stacks.
    Aggregate {
        /// How many states it has.
        states: usize,
        /// How many sets of stacks.
        languages: usize,
    },
    /// No number of threads breaks a property: shown by the states that are dangerous.
    Cover {
        /// How many smallest dangerous states there are.
        dangerous: usize,
        /// How many pairs of a shared state and a local state occur.
        pairs: usize,
        /// How many symbols of each stack are kept; `None` if all are.
        depth: Option<usize>,
        /// How many relations there are between heights of stacks and numbers of threads.
        relations: usize,
    },
    /// No run of a program with one thread goes wrong: shown by an invariant on the values at each
    /// place.
    Summaries {
        /// How many places have values.
        places: usize,
        /// How many nodes the diagrams have.
        nodes: usize,
    },
    /// A reduced system has this result, and so has the system itself.
    Reduced {
        /// The result for the reduced system.
        of: Box<Checked>,
        /// The number of places or symbols at which steps ride along.
        places: usize,
        /// The number of further places at which a lock hides the steps.
        inside: usize,
        /// The number of states at which threads wait.
        waiting: usize,
    },
    /// A run breaks a property.
    Violation {
        /// How many steps it has.
        steps: usize,
        /// The number of contexts of the run.
        contexts: usize,
        /// The number of the property.
        property: usize,
        /// How it breaks it, in words: `goes wrong: …`, `ends in a deadlock`.
        how: String,
    },
    /// A run that never ends.
    Lasso {
        /// How many steps its stem has.
        stem: usize,
        /// How many steps its period has.
        period: usize,
        /// The fairness of the run, and whether threads may have ended in it.
        endless: Endless,
        /// How each thread takes part in the period, including threads that the stem starts.
        threads: Vec<LassoThread>,
    },
    /// No run that counts goes on for ever.
    Termination {
        /// How many states there are.
        states: usize,
        /// How many levels the argument has.
        levels: usize,
        /// The kind of runs that end.
        endless: Endless,
    },
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let safe = |states: &usize| format!("safe: a set of {}, with", count(*states, "state"));
        let proved = "contains the initial states, no step leaves it, and none of its states breaks \
                      a property";
        match self {
            Checked::Cut { states, depth: None, .. } => {
                write!(f, "{} whole stacks, {proved}", safe(states))
            }
            Checked::Cut { states, depth: Some(depth), guesses, measures } => write!(
                f,
                "{} stacks cut to {} and {} about what lies below{}, {proved}",
                safe(states),
                count(*depth, "symbol"),
                if *guesses == 1 { "1 guess".to_owned() } else { format!("{guesses} guesses") },
                match measures {
                    0 => String::new(),
                    n => format!(", and {} between heights of stacks", count(*n, "relation")),
                }
            ),
            Checked::Aggregate { states, languages } => {
                write!(f, "{} {} of stacks, {proved}", safe(states), count(*languages, "set"))
            }
            Checked::Cover { dangerous, pairs, depth, relations } => write!(
                f,
                "safe for any number of threads: {}, among {} of a shared state and a local state{}{}; \
                 every violation covers one, no initial state does, and no step leads to one from a \
                 state that does not",
                count(*dangerous, "dangerous state"),
                count(*pairs, "pair"),
                match depth {
                    Some(depth) => format!(" with stacks cut to {}", count(*depth, "symbol")),
                    None => String::new(),
                },
                match relations {
                    0 => String::new(),
                    n => format!(
                        ", and {} between heights of stacks and numbers of threads",
                        count(*n, "relation")
                    ),
                }
            ),
            Checked::Reduced { of, places, inside, waiting } => {
                write!(f, "{of}")?;
                match (places, inside) {
                    (0, 0) => {}
                    (places, 0) => write!(
                        f,
                        "; steps from {} concern nobody but their thread, and are merged with those before",
                        count(*places, "place")
                    )?,
                    (places, inside) => write!(
                        f,
                        "; steps from {} concern nobody but their thread, locks hide steps from {}: they are merged with those before",
                        count(*places, "place"),
                        count(*inside, "place")
                    )?,
                }
                match waiting {
                    0 => Ok(()),
                    n => write!(
                        f,
                        "; at {} threads wait whose steps have nothing to do with those of the others, and none waits for ever",
                        count(*n, "state")
                    ),
                }
            }
            Checked::Summaries { places, nodes } => write!(
                f,
                "safe: relations at {}, of {}, between the values at the entry of a procedure and \
                 those now: they contain the first values, no step, call or return leaves them, and \
                 with none of them the program goes wrong",
                count(*places, "place"),
                count(*nodes, "node")
            ),
            Checked::Violation { steps, contexts, how, .. } => {
                let (steps, contexts) = (count(*steps, "step"), count(*contexts, "context"));
                write!(f, "unsafe: a run of {steps} in {contexts} {how}")
            }
            Checked::Termination { states, levels, endless } => {
                let (states, levels) = (count(*states, "state"), count(*levels, "level"));
                let runs = match endless.fairness {
                    Fairness::None => "no run".to_owned(),
                    fairness => format!("no {fairness}ly fair run"),
                };
                let among = match (endless.fairness, endless.ended) {
                    (Fairness::None, _) | (_, true) => "",
                    (_, false) => " in which no thread has ended",
                };
                write!(
                    f,
                    "safe: {runs}{among} goes on for ever: a set of {states} contains the initial \
                     states, no step leaves it, and ranks of {levels} exclude every cycle"
                )
            }
            Checked::Lasso { stem, period, endless, threads } => {
                let (stem, period) = (count(*stem, "step"), count(*period, "step"));
                write!(f, "nonterminating: after {stem}, {period} can be repeated for ever")?;
                match endless.fairness {
                    Fairness::None => f.write_str("; fairness was not asked for")?,
                    fairness => write!(f, "; the run is {fairness}ly fair")?,
                }
                let ended = threads.iter().filter(|t| t.part == Part::Ended).count();
                if ended > 0 {
                    let verb = if ended == 1 { "has" } else { "have" };
                    write!(f, "; {} {verb} ended", count(ended, "thread"))?;
                }
                match threads.iter().filter(|t| t.growth > 0).count() {
                    0 => Ok(()),
                    1 => f.write_str("; 1 stack grows with each period"),
                    n => write!(f, "; {n} stacks grow with each period"),
                }
            }
        }
    }
}

/// Why evidence is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The condition that fails.
    pub flaw: Flaw,
    /// What is wrong, and where. States and kinds have the numbers that they have in the evidence,
    /// counted from 0.
    pub message: String,
}

/// The condition that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The evidence is malformed: numbers out of range, repeated kinds, …
    Form,
    /// An initial state is missing.
    Initial,
    /// A step leads out of the set.
    NotClosed,
    /// A symbol that leaves the window is not among the guesses.
    Guesses,
    /// A state breaks a property.
    Harmful,
    /// The run cannot be taken.
    NotARun,
    /// The run does not end in what it is said to end in, or has another number of contexts.
    Claim,
    /// The period cannot be repeated for ever.
    NotPeriodic,
    /// Steps are said to be local that concern others.
    Local,
    /// Threads are said to wait that have to be followed.
    Waiting,
    /// The run is not as fair as it is said to be.
    Unfair,
    /// A step is not excluded from being taken for ever.
    Rank,
    /// The system cannot say what its actions are.
    System,
    /// The check could not be finished, or not be made here.
    Unfinished,
}

impl Refusal {
    /// A flaw, and what it is in words.
    pub fn new(flaw: Flaw, message: impl Into<String>) -> Self {
        Refusal { flaw, message: message.into() }
    }

    /// Adds the state to the message.
    fn at(self, state: usize) -> Self {
        Refusal { message: format!("state {state}: {}", self.message), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        match Stop::from(fault) {
            Stop::Fault(fault) => Refusal::new(Flaw::System, fault.to_string()),
            stop => stop.into(),
        }
    }
}

/// Whether the evidence holds for the system; what it shows, or why it does not.
pub fn recheck(
    system: &dyn System,
    properties: &[Property],
    evidence: &Evidence,
) -> Result<Checked, Refusal> {
    recheck_within(system, properties, evidence, &Budget::default())
}

/// Checks a proof about a system in which threads wait at some states, but for the question whether they may; and says which templates its classes have.
pub(crate) fn recheck_waiting(
    system: &dyn System,
    properties: &[Property],
    certificate: &CutCertificate,
    left_out: &[LeftOut],
    watch: &Watch<'_>,
) -> Result<(Checked, Vec<TemplateId>), Refusal> {
    cut::check_waiting(system, properties, certificate, left_out, watch)
}

/// [`recheck`] that ends when its budget does, with the flaw [`Flaw::Unfinished`].
pub fn recheck_within(
    system: &dyn System,
    properties: &[Property],
    evidence: &Evidence,
    budget: &Budget,
) -> Result<Checked, Refusal> {
    let watch = &Watch::new(budget);
    match evidence {
        Evidence::Violation(violation) => violation::check(system, properties, violation, watch),
        Evidence::Cut(certificate) => cut::check(system, properties, certificate, watch),
        Evidence::Aggregate(certificate) => {
            aggregate::check(system, properties, certificate, watch)
        }
        Evidence::Cover(certificate) => cover::check(system, properties, certificate, watch),
        Evidence::Summaries(_) => Err(Refusal::new(
            Flaw::Unfinished,
            "a proof by summaries is about the variables of a program: it is checked with the \
             program, not with the system alone",
        )),
        Evidence::Reduced(_) => Err(Refusal::new(
            Flaw::Unfinished,
            "a proof under reduction is checked with the program or the table: see `recheck_reduced`",
        )),
        Evidence::Lasso(lasso) => lasso::check(system, lasso, watch),
        Evidence::Termination(certificate) => termination::check(system, certificate, watch),
    }
}
