//! # Which engines answer, in which order

use std::time::{Duration, Instant};

use selvedge_analysis::converge::closure::Closure;
use selvedge_analysis::engine::{Shown, Verdict};
use selvedge_analysis::{Bound, Resource, Stop};

use crate::answer::Answer;
use crate::options::{Heard, Options};
use crate::predicates::{self, may_help};
use crate::question::Asked;
use crate::slots;
use crate::subject::{Subject, Wanted};
use crate::table::{Gridded, Observed};
use crate::{Engine, Failure};

/// How long the other engines are alone where predicates may help; but no longer than half of the time that there is.
const HEAD_START: Duration = Duration::from_secs(2);

/// Proves or refutes every assertion, or the target, for every schedule.
///
/// With [`Engine::Auto`], contexts are explored from below while stack cuts look from above, with summaries and
/// rounds beside them after a second; any number of threads is decided by coverability; where integers have no bounds,
/// an SMT solver is asked about predicates if the others have no answer in two seconds.
///
/// A violation is replayed, step by step, before it is an answer.
pub fn verify(subject: &Subject, options: &Options) -> Result<Answer, Failure> {
    options.engine.need_none()?;
    if options.engine != Engine::Delays
        && (options.observe.is_some() || options.closure != Default::default())
    {
        return Err(Failure::usage("--observe and --closure are for `--engine delays`"));
    }
    if options.closure == Closure::Published && !predicates::are_observed(options) {
        return Err(Failure::usage("--closure published is for `--observe predicates`"));
    }
    let (answer, cost) = options.measured(|options| find(subject, options));
    Ok(answer?.after(cost))
}

fn find(subject: &Subject, options: &Options) -> Result<Answer, Failure> {
    let (engine, deadlock) = (options.engine, options.deadlock);
    let budget = options.limits.budget();
    if predicates::are_observed(options) {
        return predicates::in_rounds(subject, options, budget);
    }
    let by_solver = !deadlock && engine == Engine::Auto && options.solver.is_some();
    if by_solver && subject.is_parameterized() || engine == Engine::Predicates {
        let answer = predicates::find(subject, options, budget.clone())?;
        // Places of threads may be decided by coverability where predicates have no answer.
        let others_may = by_solver && subject.options().target.is_some();
        match answer.why_no_views().filter(|_| others_may && budget.check().is_ok()) {
            Some(why) => {
                let note = format!("note: predicates have no answer: {why}");
                options.tell(Heard::Note(&note));
            }
            None => return Ok(answer),
        }
    }
    let wanted = Wanted { deadlock, any_number: engine.decides_any_number() };
    let asked = Asked::new(subject.for_engine(wanted)?, options, budget);
    asked.note_missing_target();
    if engine == Engine::Auto && may_help(&asked) {
        let left = asked.budget.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let alone = left.map_or(HEAD_START, |left| HEAD_START.min(left / 2));
        let outcome = asked.clone().for_a_while(alone).verify()?;
        let is_open = matches!(outcome.verdict, Verdict::Unknown { stop: Stop::Timeout, .. });
        if !is_open || asked.budget.check().is_err() {
            return Answer::of_states(asked, outcome);
        }
        if let Some(answer) = predicates::after_others(subject, &asked)? {
            return Ok(answer);
        }
    }
    let outcome = asked.verify()?;
    Answer::of_states(asked, outcome)
}

/// Whether there is a violation within a bound: exactly.
pub fn check(subject: &Subject, bound: Bound, options: &Options) -> Result<Answer, Failure> {
    options.engine.need_bound(bound.resource)?;
    let wanted = Wanted { deadlock: options.deadlock, any_number: false };
    let (answer, cost) = options.measured(|options| {
        let budget = options.limits.budget();
        let mut asked = Asked::new(subject.for_engine(wanted)?, options, budget);
        asked.bound = Some(bound);
        asked.note_missing_target();
        let outcome = slots::check(subject, &mut asked, bound)?;
        Answer::of_states(asked, outcome)
    });
    Ok(answer?.after(cost))
}

/// What is new at each bound, up to the largest one, or until nothing new can come.
pub fn table(
    subject: &Subject,
    resource: Resource,
    most: Option<usize>,
    shown: impl Into<Shown>,
    options: &Options,
) -> Result<Observed, Failure> {
    let shown = shown.into();
    options.engine.need_bound(Resource::Contexts)?;
    if shown.generators && resource != Resource::Contexts {
        return Err(Failure::usage("generators are about contexts: leave --rounds away"));
    }
    let (found, cost) = options.measured(|options| -> Result<_, Failure> {
        let budget = options.limits.budget();
        let asked = Asked::new(subject.for_engine(Wanted::default())?, options, budget);
        let table = asked.table(resource, most, shown);
        Ok((asked.opened, table))
    });
    let (opened, table) = found?;
    Ok(Observed { opened, table, cost })
}

/// What R(r, d) has: all that round-robin schedules reach with at most r rounds of single steps and d delays,
/// for all numbers up to these.
pub fn grid(
    subject: &Subject,
    rounds: usize,
    delays: usize,
    options: &Options,
) -> Result<Gridded, Failure> {
    options.engine.need_bound(Bound::round_robin(rounds, delays).resource)?;
    let (found, cost) = options.measured(|options| -> Result<_, Failure> {
        let budget = options.limits.budget();
        let asked = Asked::new(subject.for_engine(Wanted::default())?, options, budget);
        let grid = asked.grid(rounds, delays)?;
        Ok((asked.opened, grid))
    });
    let (opened, grid) = found?;
    Ok(Gridded { opened, observe: options.observe.clone(), grid, cost })
}
