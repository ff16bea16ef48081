//! # The portfolio
//! One engine answers, if it is named; otherwise those that find a place for themselves take turns.

use std::sync::OnceLock;

use selvedge_analysis::converge::closure::Closure;
use selvedge_analysis::engine::{self, Candidate, FAVOURED, Shown, Turn, in_turns};
use selvedge_analysis::{Bound, Budget, Resource, Stop};

use crate::answer::Answer;
use crate::cases;
use crate::deadlocks::Inquiry;
use crate::engines::Engine;
use crate::heard::Heard;
use crate::options::Options;
use crate::predicates;
use crate::question::Question;
use crate::slots;
use crate::table::{Gridded, Observed};
use crate::{EngineName, Failure, deadlocks, walks};
use selvedge_check::{Deadlocks, Subject};
use selvedge_frontend::c::lower::Limit;
use selvedge_report::json::VerdictName;

/// Proves or refutes every assertion, or the target, for every schedule.
///
/// With [`EngineName::Auto`], contexts are explored from below; where stacks grow, cuts look from above. Summaries and rounds
/// join them if there is no answer soon; any number of threads is decided by coverability; where integers have no bounds, an
/// SMT solver is asked about predicates. All of them take turns by counted work, never by the clock, so that the same question has the
/// same answer.
///
/// Where threads of a program in our own language wait for each other, deadlocks in which they do are violations, too
/// ([`Deadlocks::Waits`]).
///
/// A violation is replayed, step by step, before it is an answer.
pub fn verify(subject: &Subject, options: &Options) -> Result<Answer, Failure> {
    if options.engine != EngineName::Delays
        && (options.observe.is_some() || options.closure != Default::default())
    {
        return Err(Failure::usage("`observe` and `closure` are for the engine `delays`"));
    }
    if options.closure == Closure::Published && !predicates::are_observed(options) {
        return Err(Failure::usage("the closure `published` is for observing `predicates`"));
    }
    let deadlock = subject.deadlocks(options.deadlock);
    let (answer, cost) = options.measured(|options| -> Result<_, Failure> {
        let budget = options.budget();
        let ask = |subject: &Subject, options: &Options, budget: &Budget, is_beside: bool| {
            let ask = |subject: &Subject| {
                let question = Question::new(subject, None, options, budget.clone());
                answer(&if is_beside { question.beside() } else { question })
            };
            // Where the text shows that there are no data races, it does not matter how far runs can be followed.
            if options.deadlock == Deadlocks::No
                && subject.beyond().is_some_and(|beyond| beyond.is_quiet)
            {
                return ask(&subject.ending_at_limits()?);
            }
            within_limits(subject, &ask, &|subject| cases::proof(subject, options, budget))
        };
        // Threads that may wake by chance are never stuck, and those that may not fail less: both are asked about. So are very many threads, of which fewer may be stuck,
        // and more than can be followed may fail.
        if deadlock == Deadlocks::All && subject.asks_twice() {
            let first = Options { deadlock: Deadlocks::No, ..options.clone() };
            let first = ask(subject, &first, &budget, false)?;
            // Where nobody wakes by chance, the second question is about all that the first one was about.
            let is_asked_again = !subject.beyond().is_some_and(|beyond| beyond.waits);
            match first.name() {
                VerdictName::Safe => {}
                VerdictName::Unknown if is_asked_again => {}
                _ => return Ok(first),
            }
        }
        let subject = &about(subject, deadlock)?;
        let options = &Options { deadlock, ..options.clone() };
        let inquiry = Inquiry { subject, options, budget: &budget, ask: &ask };
        let answer = match deadlock {
            Deadlocks::Waits => deadlocks::both(inquiry)?,
            Deadlocks::All => deadlocks::all(inquiry)?,
            Deadlocks::No => ask(subject, options, &budget, false)?,
        };
        Ok(answer.covering(subject, options, &budget).leaving_out(subject))
    });
    Ok(answer?.after(cost))
}

/// The subject of a question about these deadlocks.
fn about(subject: &Subject, deadlock: Deadlocks) -> Result<Subject, Failure> {
    match deadlock {
        Deadlocks::All => subject.about_deadlocks(),
        _ => Ok(subject.clone()),
    }
}

/// A run that ends where it cannot be followed is no violation: then the question is asked again about runs that do not get
/// there. Where values were forgotten, all cases are followed first, which may be a proof. A run that goes wrong is an answer; otherwise the limit is the reason that there is none, unless it is a pool that has no free object, and larger
/// ones lead to an answer, or any number of threads stood for a few, and counting them does.
fn within_limits(
    subject: &Subject,
    ask: &dyn Fn(&Subject) -> Result<Answer, Failure>,
    by_cases: &dyn Fn(&Subject) -> Option<Answer>,
) -> Result<Answer, Failure> {
    let first = ask(subject)?;
    let Some(doubt) = first.doubt(subject) else { return Ok(first) };
    if let Some(proof) = by_cases(subject) {
        return Ok(proof);
    }
    let ending = subject.ending_at_limits()?;
    let second = ask(&ending)?;
    if second.is_violation(&ending) {
        return Ok(second);
    }
    if first.limit(subject).is_some_and(Limit::is_full_pool)
        && let Some(larger) = subject.with_larger_pools()
    {
        let answer = within_limits(&larger?, ask, by_cases)?;
        if answer.is_known() {
            return Ok(answer);
        }
    }
    if let Some(counting) = subject.counting_threads() {
        let answer = within_limits(&counting?, ask, by_cases)?;
        if answer.is_known() {
            return Ok(answer);
        }
    }
    Ok(first.stopped(doubt))
}

/// Whether there is a violation within a bound: exactly. Deadlocks are looked for only with [`Deadlocks::All`].
pub fn check(subject: &Subject, bound: Bound, options: &Options) -> Result<Answer, Failure> {
    // Whoever says that they do not matter is not told that they were not looked for.
    let names_deadlocks = options.deadlock == Deadlocks::Waits;
    let deadlock = Deadlocks::if_asked(options.deadlock == Deadlocks::All);
    let options = &Options { deadlock, ..options.clone() };
    let (answer, cost) = options.measured(|options| -> Result<_, Failure> {
        let budget = options.budget();
        let subject = &about(subject, deadlock)?;
        let answer = within_limits(
            subject,
            &|subject| {
                let question = Question::new(subject, Some(bound), options, budget.clone());
                slots::check(&question, bound, answer)
            },
            &|_| None,
        )?;
        let answer = answer.covering(subject, options, &budget).leaving_out(subject);
        Ok(if names_deadlocks { answer.leaving_out_within_bound(subject) } else { answer })
    });
    Ok(answer?.after(cost))
}

/// Lets the engine answer that is named, or all that fit.
fn answer(question: &Question) -> Result<Answer, Failure> {
    if let Some(engine) = named(question)? {
        question.note_missing_target();
        return with_some_values(engine, question);
    }
    let places = question.options().engines.iter().map(|engine| (engine, engine.place(question)));
    let taking_part: Vec<_> = places.filter_map(|(engine, place)| Some((engine, place?))).collect();
    if taking_part.is_empty() {
        // If the system cannot be opened, that is why no engine takes part.
        question.opened()?;
    }
    question.note_missing_target();
    let aside = &OnceLock::new();
    let mut candidates = Vec::new();
    for (number, (engine, place)) in taking_part.into_iter().enumerate() {
        let run = move |budget: &Budget, _: &Turn| {
            // The system that was opened to find places is unused so far: the first engine takes it, the others open their own.
            let asked = if number == 0 { question.clone() } else { question.alone() };
            let asked = asked.within(budget);
            let said = with_some_values(engine, &asked);
            if let Ok(answer) = &said
                && let Some(note) = predicates::aside(&asked, answer)
            {
                let _ = aside.set(note);
            }
            Some(Said(said))
        };
        let candidate = match place.catches_up {
            true => Candidate::beside(run),
            false => Candidate::new(place.shares, run),
        };
        candidates.push(candidate.after(place.after));
    }
    if walks::take_part(question) {
        let run = |budget: &Budget, _: &Turn| {
            walks::violation(&question.alone().within(budget)).map(|answer| Said(Ok(answer)))
        };
        candidates.push(Candidate::new(FAVOURED, run).after(walks::HEAD_START));
    }
    match in_turns(candidates, question.budget()) {
        Some(Said(answer)) => {
            let answer = answer?.within(question.budget());
            if let Some(note) =
                aside.get().filter(|_| !answer.is_known() && answer.why_no_views().is_none())
            {
                question.options().tell(Heard::Note(note));
            }
            Ok(answer)
        }
        None => Err(Failure::usage(format!("no engine answers this: {}", Stop::Cancelled))),
    }
}

/// What an engine answers. Where it stops because something in C may hold too many values, it goes on with some of them: what goes wrong with these is a
/// violation.
fn with_some_values(engine: &dyn Engine, question: &Question) -> Result<Answer, Failure> {
    let answer = engine.answer(question)?;
    let subject = question.subject();
    let asked = question.options();
    if !answer.is_fault() || !subject.is_c() || subject.reading().ends_at_limits {
        return Ok(answer);
    }
    let Ok(ending) = subject.ending_at_limits() else { return Ok(answer) };
    let (bound, budget) = (question.bound(), question.budget().clone());
    let trying = Question::new(&ending, bound, asked, budget).beside();
    if let Ok(found) = engine.answer(&trying)
        && found.is_violation(&ending)
    {
        return Ok(found);
    }
    Ok(answer)
}

/// The engine that is named, if one is and it does not refuse.
fn named(question: &Question) -> Result<Option<&dyn Engine>, Failure> {
    let Options { engine, engines, .. } = question.options();
    engines.need(*engine, question.bound().map(|bound| bound.resource))?;
    let engine = engines.get(*engine);
    match engine.and_then(|engine| engine.refuses(question)) {
        Some(why) => Err(why),
        None => Ok(engine),
    }
}

/// The reply of an engine.
pub(crate) struct Said(pub Result<Answer, Failure>);

impl engine::Reply for Said {
    fn is_answer(&self) -> bool {
        self.0.as_ref().is_ok_and(Answer::is_known)
    }
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
    if shown.generators && resource != Resource::Contexts {
        return Err(Failure::usage("generators are about contexts: leave the rounds out"));
    }
    let (found, cost) = options.measured(|options| -> Result<_, Failure> {
        let options = Options { deadlock: Deadlocks::No, ..options.clone() };
        let bound = Some(Resource::Contexts.bound(most.unwrap_or(usize::MAX)));
        let question = Question::new(subject, bound, &options, options.budget());
        named(&question)?;
        let opened = question.opened()?;
        Ok((opened.clone(), question.table(opened, resource, most, shown)))
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
    let (found, cost) = options.measured(|options| -> Result<_, Failure> {
        let options = Options { deadlock: Deadlocks::No, ..options.clone() };
        let bound = Some(Bound::round_robin(rounds, delays));
        let question = Question::new(subject, bound, &options, options.budget());
        named(&question)?;
        let grid = question.grid(rounds, delays)?;
        Ok((question.opened()?.clone(), grid))
    });
    let (opened, grid) = found?;
    Ok(Gridded { opened, observe: options.observe.clone(), grid, cost })
}
