//! # No vacuous proofs in silence
//!
//! **Question.** Nothing goes wrong: because it holds, or because no run gets to where it could fail?
//!
//! **Idea.** Where the engine that answered has followed all runs, from below, its system has noted where they got to
//! ([`selvedge_program::Coverage`]), and that is exact. Where the proof comes from elsewhere (from above, by summaries, by predicates), some runs are
//! followed for that alone, with a little counted work and two threads where there may be any number: what they reach is reached, and of the rest
//! nothing is known.

use selvedge_analysis::engine::{self, Counted, Method, Proof, Verdict as Found};
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_check::{Deadlocks, Opened, Subject, Wanted};
use selvedge_program::{Coverage, Lowering, Span};
use selvedge_report::coverage::{Covered, Extent};

use crate::options::Options;

/// How much work is done to see what is reached, in moves: some hundredths of a second.
const FOR_COVERAGE: u64 = 1 << 15;

/// How many contexts are followed at most, where all that matters is what is reached.
const MOST_CONTEXTS: usize = 32;

/// How many threads there are where there may be any number.
const OF_ANY_NUMBER: usize = 2;

/// The coverage of an engine that followed states, if it followed all runs within a bound or at all.
pub(crate) fn followed(subject: &Subject, opened: &Opened, found: &Found) -> Option<Covered> {
    let extent = match found {
        Found::Safe(Proof::Repetition { .. } | Proof::Schedules { .. }) => Extent::AllSchedules,
        Found::Bounded { bound } => Extent::Within(*bound),
        _ => return None,
    };
    // Engines that follow no single runs note nothing; within no context, nobody does.
    let is_noted = |program: &&std::sync::Arc<Lowering>| {
        !program.has_noted_nothing() || matches!(extent, Extent::Within(Bound { count: 0, .. }))
    };
    let program = opened.program.as_ref().filter(is_noted)?;
    Some(Covered { extent, coverage: noted(subject, program) })
}

/// The coverage of some runs within the bound that was asked about.
pub(crate) fn tried(
    subject: &Subject,
    asked: Option<Bound>,
    options: &Options,
    budget: &Budget,
) -> Option<Covered> {
    let budget = budget.with_work(FOR_COVERAGE);
    let wanted = Wanted { deadlock: Deadlocks::No, any_number: true };
    let opened = subject.within(&budget).for_engine(wanted).ok()?;
    // Within rounds, threads that are started are followed in another program.
    if asked.is_some_and(|bound| bound.resource != Resource::Contexts)
        && opened.system.starts_threads()
    {
        return None;
    }
    let any = opened.system.any_number().len();
    let system = Counted::new(&*opened.system, &vec![OF_ANY_NUMBER; any]);
    let question = engine::Question {
        system: &system,
        properties: &opened.properties,
        method: Method::Explicit,
        symmetry: options.symmetry,
        evidence: false,
    };
    let bound = asked.unwrap_or(Bound::contexts(MOST_CONTEXTS));
    engine::check(&question, bound, &budget, &|_| {});
    let coverage = noted(subject, opened.program.as_ref()?);
    Some(Covered { extent: Extent::SomeSchedules, coverage })
}

/// The coverage that a system has noted, without limits; for C without lines.
fn noted(subject: &Subject, program: &Lowering) -> Coverage {
    let beyond = subject.beyond();
    let is_limit = |span: Span| {
        beyond.is_some_and(|beyond| beyond.limits.iter().any(|limit| limit.span == span))
    };
    let mut coverage = program.coverage(is_limit);
    // Lines of C may come from headers, and what no run executes there is nobody's concern.
    if beyond.is_some_and(|beyond| beyond.is_c) {
        coverage.unexecuted = None;
    }
    coverage
}
