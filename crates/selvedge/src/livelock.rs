//! # Runs that never end

use selvedge_analysis::Stop;
use selvedge_analysis::fair::{self, Outcome, Question, Verdict};
use selvedge_model::{Endless, Fairness};
use selvedge_program::{Lowering, ThreadCounts};
use selvedge_report::json::VerdictName;
use selvedge_sequential::livelock::{self as rounds, Bounds, LivelockQuestion};

use crate::answer::Answer;
use crate::heard::Heard;
use crate::options::Options;
use crate::slots;
use crate::{EngineName, Failure};
use selvedge_check::{Opened, Subject};

/// An engine that looks for runs that never end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LivelockEngine {
    /// The engines side by side.
    #[default]
    Auto,
    /// All states, and the cycles among them.
    Exact,
    /// Rounds, each thread by itself, with more and more rounds: for programs; it proves nothing.
    Rounds,
}

/// Which runs are looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Livelock {
    /// The fairness of the runs, and whether threads may have ended in them.
    pub endless: Endless,
    /// Restricts the search to runs that repeat themselves after this many rounds.
    pub bounds: Option<Bounds>,
    /// The engine that searches.
    pub engine: LivelockEngine,
}

/// Whether there is a fair run that never ends. A lasso is checked before it is an answer.
pub fn livelock(subject: &Subject, which: &Livelock, options: &Options) -> Result<Answer, Failure> {
    if options.engine != EngineName::Auto {
        return Err(Failure::usage("for livelocks there is no choice of such engines"));
    }
    if which.endless == (Endless { fairness: Fairness::None, ended: false }) {
        return Err(Failure::usage(
            "without fairness, threads may always have ended: leave out `none-ended`",
        ));
    }
    if subject.options().target.is_some() {
        return Err(Failure::usage(
            "a target is about single states, and `livelock` about runs that never end: leave it out, or \
             ask `verify`",
        ));
    }
    if subject.beyond().is_some_and(|beyond| beyond.is_c) {
        return of_c(&subject.marking_the_end()?, which, options);
    }
    let opened = subject.within(&options.budget()).with_all_threads()?;
    let (outcome, cost) = options.measured(|options| search(subject, &opened, which, options));
    Ok(Answer::of_endless(opened, which.endless, outcome?).after(cost))
}

/// The answer for a program in C whose end is marked: an endless run is one where the program does no more than the text, and that there is none is
/// proved where no run gets to a place that cannot be followed.
fn of_c(subject: &Subject, which: &Livelock, options: &Options) -> Result<Answer, Failure> {
    let opened = subject.within(&options.budget()).with_all_threads()?;
    let (outcome, cost) = options.measured(|options| -> Result<Outcome, Failure> {
        let outcome = search(subject, &opened, which, options)?;
        let doubt = match outcome.verdict {
            Verdict::Nonterminating { .. } => more_than_the_text(subject),
            _ => beyond_limits(subject, options)?,
        };
        Ok(match doubt {
            Some(reason) => {
                let verdict = Verdict::Unknown { stop: Stop::Beyond(reason), completed: None };
                Outcome { verdict, evidence: None, ..outcome }
            }
            None => outcome,
        })
    });
    Ok(Answer::of_endless(opened, which.endless, outcome?).after(cost))
}

/// Where a program does more than its text, so that an endless run of it need not be one of the text.
fn more_than_the_text(subject: &Subject) -> Option<String> {
    let place = subject.beyond()?.approximations.first()?;
    let line = subject.source().line(place.span.start);
    Some(format!("perhaps the program has no such run: at line {line}, {}", place.reason))
}

/// Why nothing is proved: a run may get to a place that cannot be followed.
fn beyond_limits(subject: &Subject, options: &Options) -> Result<Option<String>, Failure> {
    if subject.beyond().is_none_or(|beyond| beyond.limits.is_empty()) {
        return Ok(None);
    }
    let answer = crate::verify(&subject.only_limits()?, options)?;
    Ok((answer.name() != VerdictName::Safe).then(|| answer.sentence()))
}

/// Lets the engines run; the first answer is the answer.
fn search(
    subject: &Subject,
    opened: &Opened,
    &Livelock { endless, bounds, engine }: &Livelock,
    options: &Options,
) -> Result<Outcome, Failure> {
    let question = Question { system: &*opened.system, endless, evidence: options.evidence };
    let counts = subject.thread_counts()?;
    let program = opened.program.as_deref();
    let asked = program.map(|program| LivelockQuestion { program, counts: &counts, endless });
    let wants_rounds = bounds.is_some() || engine == LivelockEngine::Rounds;
    let (budget, tell) = (options.budget(), |event| options.tell(Heard::Endless(event)));
    Ok(match asked {
        _ if engine == LivelockEngine::Exact && bounds.is_some() => {
            return Err(Failure::usage(
                "the engine `exact` knows no rounds: leave out `stem` and `lasso`",
            ));
        }
        None if wants_rounds => {
            return Err(Failure::input(
                "rounds are for programs (.weave, .bp): use the engine `exact`",
            ));
        }
        Some(asked) if wants_rounds => {
            let none = ThreadCounts::new();
            let search = |slotted: &Lowering| {
                let asked = LivelockQuestion { program: slotted, counts: &none, endless };
                rounds::search(&asked, bounds, &budget, &tell)
            };
            match slots::endless(subject, asked.program, search)? {
                Some(outcome) => outcome,
                None => rounds::search(&asked, bounds, &budget, &tell),
            }
        }
        Some(asked) if engine == LivelockEngine::Auto => {
            rounds::search_beside(&asked, &question, &budget, &tell)
        }
        _ => fair::search(&question, &budget, &tell),
    })
}
