//! # Evidence about programs in C
//!
//! **Question.** A text in C becomes a program that follows it up to limits: so many objects in a pool, so many threads, calls that are
//! not known. Engines ask about several such programs. Which of them may evidence be about, and when does what holds of
//! the program hold of the text?
//!
//! **Idea.** A run that comes to a limit fails there, so that a proof shows that none does. A run that ends at a limit is no
//! violation; nor is one of a program that does more than the text, unless it is one in which runs just end at limits.
//!
//! **Claim.** Of evidence that is accepted, what it says of the program is true of the text.

use selvedge_evidence::format::Document;
use selvedge_evidence::{Evidence, replay_with};
use selvedge_frontend::Beyond;
use selvedge_frontend::c::lower::Limit;
use selvedge_model::SharedId;

use crate::Failure;
use crate::subject::{Opened, Subject};

/// The subject as evidence may be about it, without anybody having to say so: with larger pools; with threads that are counted where any number stood for them; with runs that end at limits, for a
/// violation, or where the text alone shows that nothing is to be found; and with an end that stops everybody, for runs that
/// never end.
pub(crate) fn variant(
    subject: &Subject,
    document: &Document,
    deadlock: bool,
) -> Result<Subject, Failure> {
    let Some(beyond) = of(subject) else { return Ok(subject.clone()) };
    if document.is_about_endless_runs() {
        return subject.marking_the_end();
    }
    let told = &document.options().c;
    let mut variant = subject.clone();
    if told.contains_key("heap") {
        let has_pools =
            |subject: &Subject| subject.options().c.told().get("heap") == told.get("heap");
        while !has_pools(&variant) {
            // Another number is refused together with the other options.
            let Some(larger) = variant.with_larger_pools() else { return Ok(subject.clone()) };
            variant = larger?;
        }
    }
    if told.contains_key("threads") {
        variant = variant.counting_all_threads()?;
    }
    let may_end = document.is_run() || (beyond.is_quiet && !deadlock);
    if told.contains_key("limits") && may_end { variant.ending_at_limits() } else { Ok(variant) }
}

/// Why evidence that holds of a program need not hold of its text in C.
pub(crate) fn doubt(subject: &Subject, opened: &Opened, evidence: &Evidence) -> Option<String> {
    let beyond = of(subject)?;
    let line = |limit: &Limit| opened.source.line(limit.span.start);
    let limit_at = |shared: SharedId| {
        let at = opened.program.as_ref()?.wrong_at(shared)?;
        beyond.limits.iter().find(|limit| limit.span == at)
    };
    let more = |limit: &Limit| {
        format!("perhaps the program has no such run: at line {}, {}", line(limit), limit.reason)
    };
    match evidence {
        Evidence::Violation(violation) => {
            let last = replay_with(&*opened.system, &violation.trace, |_| {}).ok()?;
            if let Some(limit) = limit_at(last.shared) {
                let (line, reason) = (line(limit), &limit.reason);
                return Some(format!("its run cannot be followed beyond line {line}: {reason}"));
            }
            if !subject.options().c.options.ends_at_limits {
                return beyond.approximations.first().map(more);
            }
            let most = beyond.most_threads.unwrap_or(u32::MAX);
            let threads = last.threads.len();
            (threads as u64 > u64::from(most))
                .then(|| format!("its run has {threads} threads, and the program at most {most}"))
        }
        Evidence::Lasso(_) => beyond.approximations.first().map(more),
        Evidence::Termination(proof) => {
            let limit = proof.states.iter().find_map(|(state, _)| limit_at(state.shared))?;
            let (line, reason) = (line(limit), &limit.reason);
            Some(format!("runs cannot be followed beyond line {line}: {reason}"))
        }
        // What a run does that comes to a limit is a violation here.
        _ => None,
    }
}

fn of(subject: &Subject) -> Option<&Beyond> {
    subject.beyond().filter(|beyond| beyond.is_c)
}
