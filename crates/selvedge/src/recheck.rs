//! # Checking evidence
//! [`selvedge_check`] does it, and sees none of the searches that this crate runs.

use selvedge_check::{Claim, Deadlocks, Failure, Held, RecheckOptions, Subject};
use selvedge_report::json::VerdictName;

use crate::options::Options;

/// Evidence that was checked and holds.
pub struct Accepted {
    /// The verdict that it shows.
    pub verdict: VerdictName,
    /// What was checked, in a sentence.
    pub checked: String,
    /// The program or table that the evidence is about.
    pub property: String,
    /// The evidence, with what it was held against.
    pub held: Held,
}

/// Checks evidence, as text, about a subject: whether it is accepted, or why it is refused. The options are those that the
/// question had. A run may have so many threads as it likes of those of which there is any number, and says so; a proof is
/// about all numbers that the text and the options leave open, whatever it says.
pub fn recheck(
    subject: &Subject,
    evidence: &str,
    options: &Options,
) -> Result<Result<Accepted, String>, Failure> {
    let asked = RecheckOptions {
        deadlock: options.deadlock == Deadlocks::All,
        solver: options.solver.clone(),
        budget: options.budget(),
    };
    let checked = selvedge_check::recheck(subject, evidence, &asked)?;
    Ok(checked.map(|accepted| Accepted {
        verdict: match accepted.claim {
            Claim::Safe => VerdictName::Safe,
            Claim::Unsafe => VerdictName::Unsafe,
            Claim::Nonterminating => VerdictName::Nonterminating,
        },
        checked: accepted.checked,
        property: accepted.property,
        held: accepted.held,
    }))
}
