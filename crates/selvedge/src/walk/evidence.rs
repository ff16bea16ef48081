//! # The run of evidence
//! Evidence of a violation, or of a run that never ends, is a run: it is checked like any evidence, and walked.

use selvedge_check::{Deadlocks, Failure, Held, Opened, RecheckOptions, Subject, recheck};
use selvedge_evidence::format::Document;
use selvedge_evidence::{Evidence, Trace};

use super::open;

/// A run that evidence shows.
pub struct Shown {
    /// The system that is walked.
    pub opened: Opened,
    /// The system that the evidence of the run is about.
    pub about: Opened,
    /// The run; of one that never ends, its stem and its period once.
    pub trace: Trace,
}

/// The run that evidence shows about a subject with these options; evidence that does not hold is refused.
pub fn of_evidence(subject: &Subject, text: &str) -> Result<Shown, Failure> {
    let document = Document::parse(text).map_err(|why| Failure::input(why.to_string()))?;
    if !document.is_run() {
        return Err(Failure::input("it is a proof, and has no schedule"));
    }
    let (deadlock, endless) = (document.is_about_deadlocks(), document.is_about_endless_runs());
    let asked = RecheckOptions { deadlock, ..RecheckOptions::default() };
    let accepted = recheck(subject, text, &asked)?
        .map_err(|why| Failure::input(format!("the evidence is refused: {why}")))?;
    let (about, trace) = match accepted.held {
        Held::States(about, Evidence::Violation(violation)) => (about, violation.trace),
        Held::States(about, Evidence::Lasso(lasso)) => (about, lasso.unrolled(1)),
        _ => return Err(Failure::input("it is a proof, and has no schedule")),
    };
    let mut threads = about.options.threads.clone();
    // Threads of which there is any number come after the others.
    let system = &*about.system;
    for thread in trace.initial.threads.iter().skip(system.threads().len()) {
        let name = system.describe().template_name(thread.template);
        match threads.iter_mut().find(|(other, _)| *other == name) {
            Some((_, count)) => *count += 1,
            None => threads.push((name, 1)),
        }
    }
    let deadlock = match document.is_about_waits() {
        true => Deadlocks::Waits,
        false => Deadlocks::if_asked(deadlock),
    };
    let opened = open(&subject.with_threads(threads), deadlock, endless)?;
    Ok(Shown { opened, about, trace })
}
