//! # Checking evidence
//! Nothing that a search did is believed: the evidence is held against the text that it is about.

use selvedge_evidence::format::{Document, Options as Given, digest};
use selvedge_evidence::{Evidence, property, recheck_reduced, recheck_within, summaries};
use selvedge_frontend::Input;
use selvedge_model::Budget;
use selvedge_smt::certificate::Certificate;
use selvedge_smt::solver::{DEFAULT, Query};

use crate::subject::{Deadlocks, InputOptions, Opened, Subject, Wanted};
use crate::views::Parameterized;
use crate::{Failure, c};

/// Options of a recheck, beside those of the subject.
#[derive(Clone, Default)]
pub struct RecheckOptions {
    /// Whether it has to be about all deadlocks, too. Otherwise it says itself whether it is about those in which threads wait for each
    /// other; what it is about is told.
    pub deadlock: bool,
    /// The SMT solver, a name or a path; [`DEFAULT`] if none is named.
    pub solver: Option<String>,
    /// The time and memory that the check may take.
    pub budget: Budget,
}

/// The claim that evidence was found to prove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// No run does what was asked about.
    Safe,
    /// A run does what must not happen.
    Unsafe,
    /// A run never ends.
    Nonterminating,
}

/// Evidence that was checked and holds.
pub struct Accepted {
    /// What the evidence proves.
    pub claim: Claim,
    /// What was checked, in a sentence.
    pub checked: String,
    /// The program or table that the evidence is about.
    pub property: String,
    /// The evidence, with what it was held against.
    pub held: Held,
}

/// Evidence, with what it was held against.
pub enum Held {
    /// About the states of a system.
    States(Opened, Evidence),
    /// About every few threads; and what the solver was asked.
    Views(Certificate, Vec<(String, Query)>),
}

/// Checks evidence, as text, about a subject: whether it is accepted, or why it is refused. The options are those that the
/// question had. A run may have so many threads as it likes of those of which there is any number, and says so; a proof is
/// about all numbers that the text and the options leave open, whatever it says.
pub fn recheck(
    subject: &Subject,
    evidence: &str,
    asked: &RecheckOptions,
) -> Result<Result<Accepted, String>, Failure> {
    let read = Document::parse_within(evidence, &asked.budget).map_err(|why| why.to_string());
    // Where two questions are asked, a run that is an answer to the one about assertions is one to both.
    let is_about_assertions =
        |document: &Document| document.is_violation() && !document.is_about_deadlocks();
    let leaves_out_chance = asked.deadlock && subject.beyond().is_some_and(|beyond| beyond.waits);
    let asked = &match &read {
        Ok(document) if subject.asks_twice() && is_about_assertions(document) => {
            RecheckOptions { deadlock: false, ..asked.clone() }
        }
        _ => asked.clone(),
    };
    let subject = &match &read {
        Ok(document) => {
            let variant = c::variant(subject, document, asked.deadlock)?;
            if asked.deadlock { variant.about_deadlocks()? } else { variant }
        }
        Err(_) => subject.clone(),
    };
    let mut given = evidence_options(subject.options(), Deadlocks::if_asked(asked.deadlock));
    let document = read.and_then(|document| about(subject, document, &mut given));
    let deadlock = match given.waits {
        true => Deadlocks::Waits,
        false => Deadlocks::if_asked(given.deadlock),
    };
    if let Ok((document, _)) = &document {
        match document.views() {
            Ok(Some(certificate)) => return views(subject, document, certificate, &given, asked),
            Ok(None) => {}
            Err(why) => return Ok(Err(why.to_string())),
        }
    }
    // What is wrong with the input is said before anything about the evidence.
    let (endless, chosen) = match &document {
        Ok((document, chosen)) => (document.is_about_endless_runs(), chosen.clone()),
        Err(_) => (false, Vec::new()),
    };
    let threads = subject.options().threads.iter().cloned().chain(chosen);
    let counted = subject.with_threads(threads.collect()).within(&asked.budget);
    let opened = match endless {
        true => counted.with_all_threads()?,
        false => {
            let wanted = Wanted { deadlock, any_number: true };
            counted.for_engine(wanted)?
        }
    };
    let accepted =
        document.and_then(|(document, _)| states(&document, subject, opened, &given, asked));
    Ok(accepted.map(|accepted| match leaves_out_chance && accepted.claim == Claim::Safe {
        true => Accepted { property: WITHOUT_CHANCE.to_owned(), ..accepted },
        false => accepted,
    }))
}

/// What a proof is about that answers the second of two questions: whether assertions fail was the first, about runs in which threads may wake by chance.
const WITHOUT_CHANCE: &str = "deadlock; assertions only where no thread wakes by chance (evidence without --deadlock covers the rest)";

/// Evidence that is about a subject with these options, and the numbers of threads that it is about. Whether it is about deadlocks in which
/// threads wait for each other, it says itself, unless all deadlocks are asked for.
fn about(
    subject: &Subject,
    document: Document,
    given: &mut Given,
) -> Result<(Document, Vec<(String, u32)>), String> {
    given.waits = !given.deadlock && document.is_about_waits();
    document
        .check_subject(&digest(subject.source().text()), given)
        .map_err(|why| why.to_string())?;
    let chosen = chosen(subject, &document)?;
    Ok((document, chosen))
}

/// The numbers of threads that a run was found with: they may stand only for *any number*.
fn chosen(subject: &Subject, document: &Document) -> Result<Vec<(String, u32)>, String> {
    let chosen = document.chosen();
    if !chosen.is_empty() && !document.is_run() {
        return Err("it chooses a number of threads, and a proof has to hold for all".to_owned());
    }
    match chosen.keys().find(|name| !subject.has_any_number_of(name)) {
        Some(name) => {
            Err(format!("it chooses a number of threads of `{name}`, and that is not open"))
        }
        None => Ok(chosen.iter().map(|(name, &n)| (name.clone(), n)).collect()),
    }
}

fn states(
    document: &Document,
    subject: &Subject,
    opened: Opened,
    given: &Given,
    asked: &RecheckOptions,
) -> Result<Accepted, String> {
    let endless = document.is_about_endless_runs();
    if endless && (given.deadlock || given.waits || given.target.is_some()) {
        return Err(
            "it is about runs that never end, and not about deadlocks or targets, which were asked for"
                .to_owned(),
        );
    }
    let budget = &asked.budget;
    let evidence =
        document.evidence_within(&*opened.system, budget).map_err(|why| why.to_string())?;
    let checked = match (&evidence, &opened.program) {
        (Evidence::Summaries(proof), Some(program)) => {
            summaries::recheck(program, &opened.properties, proof, budget)
        }
        (Evidence::Reduced(proof), program) => {
            let code = program.as_ref().map(|program| program.code());
            recheck_reduced(&opened.system, code, &opened.properties, proof, budget)
        }
        _ => recheck_within(&*opened.system, &opened.properties, &evidence, budget),
    };
    let checked = checked.map_err(|why| why.to_string())?;
    if let Some(doubt) = c::doubt(subject, &opened, &evidence) {
        return Err(doubt);
    }
    let property = match endless {
        true => property::FAIR_TERMINATION.to_owned(),
        false => property::name(&*opened.system, &opened.properties),
    };
    // What is wrong with a proof is worth more to people than what is wrong with its title.
    document.check_property(&property).map_err(|why| why.to_string())?;
    Ok(Accepted {
        claim: claim(&evidence),
        checked: checked.to_string(),
        property: asked_about(subject, property),
        held: Held::States(opened, evidence),
    })
}

/// A property as people asked about it: one of C has a name of its own.
fn asked_about(subject: &Subject, property: String) -> String {
    let named = subject.options().c.told().remove("property");
    named.filter(|_| subject.is_c() && property == property::ASSERTIONS).unwrap_or(property)
}

/// Checks an invariant over views, with a solver.
fn views(
    subject: &Subject,
    document: &Document,
    certificate: Certificate,
    given: &Given,
    asked: &RecheckOptions,
) -> Result<Result<Accepted, String>, Failure> {
    if given.deadlock || given.waits {
        return Ok(Err("it says nothing about deadlocks, which were asked for".to_owned()));
    }
    if !matches!(subject.input(), Some(Input::Program { .. })) {
        return Ok(Err("it is about a program, and this is none".to_owned()));
    }
    if certificate.is_by_cases() && !subject.is_c() {
        return Ok(Err(
            "it says that all cases are followed, which is for programs in C".to_owned()
        ));
    }
    let program = match certificate.is_by_cases() {
        true => Parameterized::keeping_values(subject)?,
        false => Parameterized::new(subject)?,
    };
    let property = program.property_name();
    if document.property() != property {
        let why = format!("such a proof is about {property}, and this claims something else");
        return Ok(Err(why));
    }
    let solver = asked.solver.as_deref().unwrap_or(DEFAULT);
    let mut queries = Vec::new();
    let checked = program.check(&certificate, solver, &asked.budget, &mut queries);
    Ok(checked.map(|checked| Accepted {
        claim: Claim::Safe,
        checked: checked.to_string(),
        property: asked_about(subject, property),
        held: Held::Views(certificate, queries),
    }))
}

fn claim(evidence: &Evidence) -> Claim {
    match evidence {
        Evidence::Cut(_)
        | Evidence::Aggregate(_)
        | Evidence::Cover(_)
        | Evidence::Reduced(_)
        | Evidence::Summaries(_)
        | Evidence::Termination(_) => Claim::Safe,
        Evidence::Violation(_) => Claim::Unsafe,
        Evidence::Lasso(_) => Claim::Nonterminating,
    }
}

/// The options that make another system of the same text, or ask for something else.
#[must_use]
pub fn evidence_options(options: &InputOptions, deadlocks: Deadlocks) -> Given {
    Given {
        threads: options.threads.iter().cloned().collect(),
        consts: options.consts.iter().map(|(name, n)| (name.clone(), n.to_string())).collect(),
        init: options.init.clone(),
        target: options.target.clone(),
        deadlock: deadlocks == Deadlocks::All,
        waits: deadlocks == Deadlocks::Waits,
        c: options.c.told(),
    }
}
