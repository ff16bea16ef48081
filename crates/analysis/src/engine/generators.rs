//! # Alg. 3 of the CUBA paper, as published
//!
//! Explores context by context. A violation ends it; where a new plateau has begun, G ∩ Z is compared with
//! what was seen ([`GeneratorTest`]), and ends it if nothing is missing. R_0 is the initial states, and
//! R_{-1} has none.
//!
//! The answer is *safe* by Z. The certificate has the same visible states, with the bit that tells whether
//! something is hidden below: T(R) ⊆ T(Z_1) ⊆ Z, and all three are equal where the test passes.
//!
//! Where the states end before the generators do, Alg. 3 would go on for ever. Here that is *unknown*, with
//! a generator that is missing. Other engines answer there: this one is for those who want to see this
//! algorithm.

use selvedge_model::{Fault, Property, System};

use super::below::{Below, Start};
use super::{Listener, Method, Outcome, Proof, Question, Verdict, refuse_any_number};
use crate::converge::above::Above;
use crate::converge::generators::GeneratorTest;
use crate::explore::windows::Cut;
use crate::{Budget, Resource, Stop};

/// The name of the engine in answers.
const NAME: &str = "generators";

/// Whether a violation is reachable at all. Without properties: which visible states are.
pub(super) fn verify(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    if let Some(outcome) = refuse_any_number(question, Resource::Contexts) {
        return outcome;
    }
    explore(question, budget, tell).unwrap_or_else(|stop| Outcome {
        engine: NAME,
        ..Outcome::unknown(stop, Resource::Contexts)
    })
}

fn explore(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Result<Outcome, Stop> {
    let Question { system, properties, symmetry, .. } = *question;
    if let Some(message) = refusal(system, properties) {
        return Err(Fault::new(message).into());
    }
    let mut test = GeneratorTest::new(system, symmetry, budget)?;
    let below = Question { method: Method::Auto, ..*question };
    let mut below = Below::new(Start::of(&below, Resource::Contexts, None))?;
    let mut passed = None;
    let mut verdict = below.run(question, usize::MAX, budget, tell, |explorer| {
        test.look(explorer);
        passed = Some(explorer.bound()).filter(|&bound| test.passes(bound));
        passed.is_some()
    });
    let mut evidence = below.evidence(question, &verdict);
    if let Verdict::Safe(Proof::Repetition { bound }) = verdict {
        // The states have ended: this is the last plateau.
        test.look(&*below.explorer);
        match test.unseen(bound.count).next() {
            None => passed = Some(bound.count),
            Some(missing) => {
                let stop = never_seen(system, missing, bound.count);
                verdict = Verdict::Unknown { stop, completed: Some(bound) };
                evidence = None;
            }
        }
    }
    if let Some(at) = passed {
        let above = Above::explore(system, Cut::tight(1), symmetry, budget)?;
        if above.violation(properties)?.is_some() {
            let message = "the generator test passed, but Z has a violation: please report this";
            return Err(Fault::new(message).into());
        }
        evidence = question.evidence.then(|| above.certificate());
        let (bound, generators) = (Resource::Contexts.bound(at), test.in_z.len());
        verdict = Verdict::Safe(Proof::Generators { bound, generators });
    }
    Ok(Outcome { engine: NAME, evidence, ..below.outcome(verdict) })
}

/// Why the algorithm has no answer to a question, if it has none.
fn refusal(system: &dyn System, properties: &[Property]) -> Option<&'static str> {
    if system.starts_threads() {
        return Some(
            "the generator test is about a fixed set of threads, and this system starts some: use \
             the engine `auto`",
        );
    }
    let stacks = properties.iter().any(Property::needs_stacks);
    stacks.then_some(
        "the generator test is about visible states, and the target names whole stacks: use \
         the engine `auto`",
    )
}

/// Alg. 3 would wait for ever.
fn never_seen(system: &dyn System, missing: &selvedge_model::VisibleState, at: usize) -> Stop {
    let top = |top: &Option<_>| {
        top.map_or("-".to_owned(), |symbol| system.describe().show_symbol(symbol))
    };
    let tops: Vec<_> = missing.tops.iter().map(top).collect();
    let message = format!(
        "no state is new at {}, and the generator ⟨{}|{}⟩, which Z has, was never seen: Alg. 3 does not \
         end here; the engine `auto` has an answer",
        Resource::Contexts.bound(at),
        system.describe().show_shared(missing.shared),
        tops.join(",")
    );
    Fault::new(message).into()
}
