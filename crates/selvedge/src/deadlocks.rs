//! # Deadlocks beside assertions
//!
//! **Question.** Deadlocks count unless somebody says otherwise. But the system that shows them has more states (no thread is dropped, values
//! are chosen at once), and not every engine that proves assertions can say anything about them. How is nothing lost of what is known
//! about assertions?
//!
//! **Idea.** Two questions take turns by counted work: the whole one, and the one about assertions alone. The whole one begins; where it is answered, that
//! is the answer, and the fewest contexts are those of both kinds of violation. Where the other one is answered first, the whole one may do as much work
//! again as both did until then; after that, the answer is about assertions, and says that deadlocks were not decided, and why.
//!
//! Before it says so, a fixed amount of work goes to deadlocks that are near ([`shallow`]): contexts may have no end where two locks are taken in opposite order.
//!
//! **Claim.** What `verify` says about assertions alone it says here, at three times the work and a head start at most; what is answered about both costs
//! half as much again at most. What is not decided is never part of a proof, nor of its evidence.

use std::sync::{Arc, Mutex, PoisonError};

use selvedge_analysis::engine::{Candidate, FAVOURED, Turn, in_turns};
use selvedge_analysis::{Bound, Budget, Stop};
use selvedge_check::{Deadlocks, Subject};
use selvedge_model::NotUpward;
use selvedge_report::json::VerdictName;

use crate::answer::Answer;
use crate::heard::Heard;
use crate::options::Options;
use crate::portfolio::Said;
use crate::verdict::{Verdict, Within};
use crate::{EngineName, Failure, shallow};

/// How much work is done for the whole question before the one about assertions begins, in moves: a tenth of a second.
const HEAD_START: u64 = 1 << 17;

/// How much work the whole question may take although the one about assertions was easier, in moves: a second or two. Eight philosophers
/// have no assertion to prove, and their deadlock is what the user came for.
const PATIENCE: u64 = 1 << 22;

/// How many shares the question about assertions has, where the whole one has [`FAVOURED`] ones.
const SHARES: u64 = FAVOURED / 2;

/// Asks a question about a subject with these options, within a budget; and says whether another one is asked that is about more.
pub(crate) type Ask<'a> =
    dyn Fn(&Subject, &Options, &Budget, bool) -> Result<Answer, Failure> + Sync + 'a;

/// A question about assertions and deadlocks, and how it is asked.
#[derive(Clone, Copy)]
pub(crate) struct Inquiry<'a> {
    /// The program or table that it is about.
    pub subject: &'a Subject,
    /// The options of the search; they say which deadlocks count.
    pub options: &'a Options,
    /// The budget of the search.
    pub budget: &'a Budget,
    /// Lets engines answer it, or one that is about less.
    pub ask: &'a Ask<'a>,
}

/// Asks about assertions, and about deadlocks in which threads wait for each other.
pub(crate) fn both(inquiry: Inquiry<'_>) -> Result<Answer, Failure> {
    let options = &Options { deadlock: Deadlocks::Waits, ..inquiry.options.clone() };
    let inquiry = Inquiry { options, ..inquiry };
    let answer = decided(inquiry)?;
    let is_open = match answer.name() {
        VerdictName::Safe => answer.is_undecided(),
        VerdictName::Unsafe => answer.is_cut_short(),
        name => name == VerdictName::Unknown,
    };
    let near = is_open.then(|| shallow::deadlock(inquiry));
    Ok(near.flatten().unwrap_or(answer))
}

/// Asks about every kind of deadlock, too. Of any number of threads, nobody proves that there are none.
pub(crate) fn all(inquiry: Inquiry<'_>) -> Result<Answer, Failure> {
    let Inquiry { subject, options, budget, ask } = inquiry;
    let answer = ask(subject, options, budget, false)?;
    let is_open = matches!(stop(&answer), Some(Stop::OnlyDeadlocks { any_number: true }));
    let near = is_open.then(|| shallow::deadlock(inquiry));
    Ok(near.flatten().unwrap_or(answer))
}

/// Asks both questions in turns.
fn decided(inquiry: Inquiry<'_>) -> Result<Answer, Failure> {
    let Inquiry { subject, options, budget, .. } = inquiry;
    let ask = |options: &Options, budget: &Budget, is_beside| {
        (inquiry.ask)(subject, options, budget, is_beside)
    };
    let whole = options.clone();
    let rest = Options { deadlock: Deadlocks::No, ..options.clone() };
    if let Some(why) = never_decided(subject, options) {
        return Ok(ask(&rest, budget, false)?.without_deadlocks(why));
    }
    if options.elsewhere.is_some() {
        // Those who explore elsewhere do one thing at a time: the rest is asked about only if the whole has no answer for another reason than a limit.
        let whole = ask(&whole, budget, false)?;
        let is_limited = matches!(
            stop(&whole),
            None | Some(Stop::Memory | Stop::Timeout | Stop::Cancelled | Stop::Lost(_))
        );
        if whole.is_known() || is_limited {
            return Ok(whole);
        }
        let known = ask(&rest, budget, true)?;
        return Ok(known.without_deadlocks(why_undecided(Some(&Ok(whole)))));
    }
    let quiet = without_events(&rest);
    let known: Mutex<Option<Result<Answer, Failure>>> = Mutex::new(None);
    let about_rest = |budget: &Budget, turn: &Turn| {
        let answer = ask(&quiet, budget, true);
        if answer.as_ref().is_ok_and(Answer::is_known) {
            turn.limit(0, turn.done().max(PATIENCE));
        }
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        None
    };
    let candidates = vec![
        Candidate::new(FAVOURED, |budget, _| Some(Said(ask(&whole, budget, false)))),
        Candidate::new(SHARES, about_rest).after(HEAD_START),
    ];
    let whole = in_turns(candidates, budget).map(|Said(answer)| answer.map(|a| a.within(budget)));
    let known = known.into_inner().unwrap_or_else(PoisonError::into_inner);
    let known = known.map(|answer| answer.map(|answer| answer.within(budget)));
    match (whole, known) {
        (Some(Ok(whole)), _) if whole.is_known() => Ok(whole),
        (whole, Some(Ok(known))) if known.is_known() => {
            Ok(known.without_deadlocks(why_undecided(whole.as_ref())))
        }
        // Two questions need more memory than one.
        (Some(Ok(whole)), _) if stop(&whole) == Some(Stop::Memory) => {
            drop(whole);
            let why = Stop::Memory.to_string();
            Ok(ask(&rest, budget, true)?.without_deadlocks(why))
        }
        (Some(Ok(whole)), Some(Ok(known))) if completed(&known) > completed(&whole) => {
            Ok(known.without_deadlocks(why_undecided(Some(&Ok(whole)))))
        }
        (Some(Ok(whole)), _) => Ok(whole),
        (_, Some(known)) => known,
        (Some(whole), None) => whole,
        (None, None) => Err(Failure::usage(format!("no engine answers this: {}", Stop::Cancelled))),
    }
}

/// Why deadlocks cannot be decided, if that is known beforehand.
fn never_decided(subject: &Subject, options: &Options) -> Option<String> {
    match options.engine {
        EngineName::Predicates | EngineName::Coverability => {
            Some(format!("the engine `{}` says nothing about them", options.engine))
        }
        _ => subject.has_any_number().then(|| NotUpward::Deadlock.to_string()),
    }
}

/// Why the whole question has no answer.
fn why_undecided(whole: Option<&Result<Answer, Failure>>) -> String {
    match whole {
        Some(Ok(whole)) => match stop(whole) {
            None | Some(Stop::Cancelled) => {
                "the search for them took longer than the rest of the answer; --deadlock goes on"
                    .to_owned()
            }
            Some(stop) => stop.to_string(),
        },
        Some(Err(why)) => why.to_string(),
        None => Stop::Cancelled.to_string(),
    }
}

/// Why an answer is none.
fn stop(answer: &Answer) -> Option<Stop> {
    match answer.verdict() {
        Verdict::Unknown(unknown) => unknown.stop,
        _ => None,
    }
}

/// The bound that an unknown answer has completed.
fn completed(answer: &Answer) -> Option<usize> {
    match answer.verdict() {
        Verdict::Unknown(unknown) => match unknown.completed {
            Some(Within::Bound(Bound { count, .. })) => Some(count),
            _ => None,
        },
        _ => None,
    }
}

/// The options without news of bounds: those of two questions would be mixed.
pub(crate) fn without_events(options: &Options) -> Options {
    let listener = options.listener.clone();
    let notes = move |heard: Heard<'_>| {
        if let (Some(listener), Heard::Note(_) | Heard::Tick) = (&listener, &heard) {
            listener(heard);
        }
    };
    Options { listener: Some(Arc::new(notes)), ..options.clone() }
}
