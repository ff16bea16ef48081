//! # Predicates
//! Answers with predicates and a solver: for integers without bounds, and for any number of threads.

use std::sync::Arc;

use selvedge_analysis::Bound;
use selvedge_analysis::converge::closure::Closure;
use selvedge_analysis::engine::{self, Method, Outcome, Verdict};
use selvedge_evidence::{Evidence, Trace, Violation};
use selvedge_frontend::Input;
use selvedge_model::{Budget, Property, Stop, System};
use selvedge_predicates::delays::{self, Test};
use selvedge_predicates::search::Failure as Obstacle;
use selvedge_predicates::{Conclusion as Found, Question as Sought, Report, verify};
use selvedge_program::slots::fixed_starts;
use selvedge_program::{Count, Lowering, Program, ThreadCounts, ThreadDecl};
use selvedge_report::coverage::Covered;
use selvedge_report::deadlocks as report_deadlocks;
use selvedge_report::json::VerdictName;
use selvedge_report::page::InvariantPlace;
use selvedge_report::predicates as report;
use selvedge_smt::certificate::Certificate;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Query, SolverOptions};

use crate::answer::Answer;
use crate::heard::Heard;
use crate::options::{Cost, Options};
use crate::question::Question;
use crate::{EngineName, Failure};
use selvedge_check::{Deadlocks, Opened, Parameterized};

/// How much work is done for a schedule with few contexts, once there is one, in moves: about a second.
const FOR_CONTEXTS: u64 = 1 << 20;

/// Whether predicates are asked before anybody else: of some threads there is any number, and some integer has no bounds.
pub(crate) fn come_first(question: &Question) -> bool {
    let options = question.options();
    let by_solver =
        options.engine == EngineName::Auto && options.solver.is_some() && !asks_deadlocks(options);
    by_solver && question.subject().is_parameterized()
}

/// Whether deadlocks are asked about, of which predicates say nothing.
fn asks_deadlocks(options: &Options) -> bool {
    options.deadlock != Deadlocks::No
}

/// Whether predicates join engines that follow states, which may have no end: some integer has no bounds, and deadlocks are
/// not asked about.
pub(crate) fn join(question: &Question) -> bool {
    let options = question.options();
    let may_ask = options.engine == EngineName::Auto && options.solver.is_some();
    let helps = |opened: &Opened| {
        opened.unbounded.is_some()
            && !opened.properties.iter().any(Property::is_about_deadlocks)
            && !opened.system.starts_threads()
            && opened.system.any_number().is_empty()
    };
    may_ask && question.bound().is_none() && question.opened().is_ok_and(helps)
}

/// Whether predicates look for a proof beside engines that follow states: threads are started again and again, and integers are so wide that nobody lists
/// their values.
pub(crate) fn accompany(question: &Question) -> bool {
    let options = question.options();
    let may_ask = options.engine == EngineName::Auto && options.solver.is_some();
    let helps = |opened: &Opened| {
        let Some(program) = &opened.program else { return false };
        let program = program.program();
        opened.system.starts_threads()
            && opened.properties == [Property::NeverWrong]
            && has_wide_integers(program)
            && fixed_starts(program).is_none()
    };
    may_ask
        && question.bound().is_none()
        && options.deadlock == Deadlocks::No
        && question.opened().is_ok_and(helps)
}

/// Whether some integer has more values than can be listed.
fn has_wide_integers(program: &Program) -> bool {
    let locals = program.procs.iter().flat_map(|proc| &proc.locals);
    program.globals.iter().chain(locals).any(|variable| variable.ty.has_wide_integers())
}

/// Answers a question by predicates.
pub(crate) fn find(question: &Question) -> Result<Answer, Failure> {
    let Some(Input::Program { .. }) = question.subject().input() else {
        return Err(Failure::usage("the engine `predicates` needs a program, not a table"));
    };
    if asks_deadlocks(question.options()) {
        return Err(Failure::usage(
            "the engine `predicates` answers about assertions and targets, not about deadlocks; give \
             numbers of `threads` for that",
        ));
    }
    search(question, None)
}

/// Whether rounds and delays are to be looked at through the predicates of the program.
pub(crate) fn are_observed(options: &Options) -> bool {
    options.engine == EngineName::Delays
        && options.observe.as_deref().map(str::trim) == Some("predicates")
}

/// Answers with rounds and delays, as far as predicates tell states apart.
pub(crate) fn in_rounds(question: &Question) -> Result<Answer, Failure> {
    let declares = match question.subject().input() {
        Some(Input::Program { program, .. }) => !program.predicates.is_empty(),
        Some(Input::Tables { .. }) | None => false,
    };
    if !declares || asks_deadlocks(question.options()) {
        return Err(Failure::usage(
            "observing `predicates` needs a program that declares some (`predicate p: …;`), and is not about \
             deadlocks",
        ));
    }
    let test = match question.options().closure {
        Closure::Published => Test::Published,
        Closure::Disrespectful | Closure::All => Test::Repaired,
    };
    search(question, Some(test))
}

/// Searches from states of few threads, or from what rounds and delays reach.
fn search(question: &Question, in_rounds: Option<Test>) -> Result<Answer, Failure> {
    search_in(Parameterized::new(question.subject())?, question, in_rounds)
}

fn search_in(
    subject: Parameterized,
    question: &Question,
    in_rounds: Option<Test>,
) -> Result<Answer, Failure> {
    let options = question.options();
    let Some(solver) = options.solver.as_deref().map(solver_options) else {
        return Err(Failure::usage("predicates need a solver, and none may be started here"));
    };
    let mut queries = Vec::new();
    let sought = Sought {
        program: &subject.program,
        source: &subject.source,
        counts: &subject.counts,
        property: &subject.property,
        solver,
        only_given: options.only_given_predicates,
    };
    let budget = question.budget();
    let tell = |words: &str| options.tell(Heard::Trying(words));
    let keep = &mut |about: &str, query: &Query| queries.push((about.to_owned(), query.clone()));
    let report = match in_rounds {
        None => verify(&sought, budget, &tell, keep),
        Some(test) => delays::verify(&sought, test, budget, &tell, keep),
    };
    match report.answer {
        Found::Unsafe { .. } if subject.is_wider => {
            // Whether the violation is one of the program as written is for other engines to find out, unless there are none.
            if options.engine == EngineName::Predicates {
                let written = subject.as_written(question.subject());
                let answer = search_in(written, question, in_rounds)?;
                if answer.name() == VerdictName::Unsafe {
                    return Ok(answer);
                }
            }
            let obstacle =
                "a violation with any number of threads in the place of those that are started"
                    .to_owned();
            let why = Obstacle::Obstacle { obstacle, guess: None };
            let report = Report { answer: Found::Unknown(why), ..report };
            Ok(Answer::of_views(Views { subject, report, queries, in_rounds }))
        }
        Found::Unsafe { counts, system, trace } => {
            violation(subject, &counts, system, &trace, question)
        }
        _ => Ok(Answer::of_views(Views { subject, report, queries, in_rounds })),
    }
}

fn solver_options(program: &str) -> SolverOptions {
    SolverOptions { program: program.to_owned(), ..SolverOptions::default() }
}

/// A violation is like any other, of the program with so many threads.
fn violation(
    about: Parameterized,
    counts: &ThreadCounts,
    system: Arc<Lowering>,
    trace: &Trace,
    question: &Question,
) -> Result<Answer, Failure> {
    let chosen = chosen_numbers(&about, counts);
    if !chosen.is_empty() {
        let all = about.options.threads.iter().chain(&chosen);
        let given: Vec<_> = all.map(|(t, n)| format!("{t}={n}")).collect();
        let note = format!(
            "the violation is one of the program with so many `threads`: {}",
            given.join(", ")
        );
        question.options().tell(Heard::Note(&note));
    }
    // Whoever reads the evidence has the program in which threads may be dropped when they are started.
    let dropping = match system.starts_threads() {
        true => Lowering::new(Arc::clone(&about.program), Arc::clone(&about.source), counts).ok(),
        false => None,
    };
    let dropping = dropping.map(|lowering| Arc::new(lowering.dropping_threads()));
    let opened = |system: Arc<Lowering>| Opened {
        program: Some(Arc::clone(&system)),
        system,
        properties: vec![about.property.clone()],
        source: Arc::clone(&about.source),
        unbounded: None,
        options: about.options.clone(),
        chosen: chosen.clone(),
    };
    // The search goes step by step; people want few contexts.
    let bound = Bound::contexts(trace.contexts());
    let within = |system: &Arc<Lowering>, budget: &Budget| {
        let opened = opened(Arc::clone(system));
        let explored = question.explored(&opened, Method::Auto);
        let fewest = engine::check(&explored, bound, budget, &question.tell());
        let is_found = matches!(fewest.verdict, Verdict::Unsafe { .. });
        is_found.then(|| Answer::of_states(question, &opened, fewest))
    };
    let few = question.budget().with_work(FOR_CONTEXTS);
    let found = match &dropping {
        Some(dropping) => within(dropping, &few).or_else(|| within(dropping, question.budget())),
        None => within(&system, &few),
    };
    if let Some(answer) = found {
        return answer;
    }
    let opened = opened(system);
    let shown = Violation { trace: trace.clone(), contexts: trace.contexts(), property: 0 };
    let verdict = Verdict::Unsafe { bound, property: 0, trace: trace.clone() };
    let evidence = dropping.is_none().then_some(Evidence::Violation(shown));
    let outcome = Outcome { evidence, ..Outcome::new("predicates", verdict) };
    Answer::of_states(question, &opened, outcome)
}

/// The numbers that neither the text nor an option says.
fn chosen_numbers(about: &Parameterized, counts: &ThreadCounts) -> Vec<(String, u32)> {
    let mut chosen = Vec::new();
    for (name, &count) in counts {
        let mut threads = about.program.threads.iter();
        let is_any = threads.any(|t| t.name == *name && t.count == Count::Any);
        if is_any && !about.counts.contains_key(name) {
            chosen.push((name.clone(), count));
        }
    }
    chosen
}

/// The number of threads; `None` is any number.
fn threads(about: &Parameterized) -> Option<u64> {
    let number = |t: &ThreadDecl| match (about.counts.get(&t.name), t.count) {
        (Some(&n), _) | (None, Count::Fixed(n)) => Some(u64::from(n)),
        (None, Count::Any) => None,
    };
    about.program.threads.iter().map(number).sum()
}

/// A proof by predicates, or why there is none.
pub struct Views {
    pub(crate) subject: Parameterized,
    report: Report,
    /// The test for closure, if rounds and delays were raised.
    in_rounds: Option<Test>,
    /// The questions that the solver answered for the proof.
    pub(crate) queries: Vec<(String, Query)>,
}

impl Views {
    /// A proof that is not about rounds.
    pub(crate) fn new(
        subject: Parameterized,
        report: Report,
        queries: Vec<(String, Query)>,
    ) -> Self {
        Views { subject, report, in_rounds: None, queries }
    }

    /// The invariant, if there is one.
    pub(crate) fn certificate(&self) -> Option<&Certificate> {
        match &self.report.answer {
            Found::Safe(proof) => Some(&proof.certificate),
            _ => None,
        }
    }

    /// Why there is no proof.
    pub(crate) fn why_none(&self) -> Option<&Obstacle> {
        match &self.report.answer {
            Found::Unknown(why) => Some(why),
            _ => None,
        }
    }

    /// Withdraws the proof, for this reason.
    pub(crate) fn stop(&mut self, why: Stop) {
        self.report.answer = Found::Unknown(Obstacle::Stopped(why));
    }

    /// Calls a function with a view of the result for reports.
    pub(crate) fn shown<T>(
        &self,
        covered: Option<&Covered>,
        deadlocks: report_deadlocks::Deadlocks<'_>,
        cost: Cost,
        then: impl FnOnce(&report::ByPredicates<'_>) -> T,
    ) -> T {
        let seen = self.report.seen.iter().map(|seen| report::Sampled {
            threads: seen.threads,
            states: seen.states,
            abstract_states: seen.abstract_states,
            complete: seen.complete,
        });
        let seen: Vec<report::Sampled> = seen.collect();
        let (proof, predicates): (_, &[String]) = match &self.report.answer {
            Found::Safe(proof) => (Ok(&proof.checked), &proof.certificate.predicates),
            Found::Unknown(failure) => (Err(failure.to_string()), &[]),
            Found::Unsafe { .. } => (Err("there is a violation".to_owned()), &[]),
        };
        let property = self.subject.property_name();
        let courses = self.report.courses.iter().map(|course| report::Course {
            threads: course.threads,
            points: course
                .points
                .iter()
                .map(|point| report::Point {
                    rounds: point.rounds,
                    delays: point.delays,
                    abstract_states: point.abstract_states,
                })
                .collect(),
        });
        let courses: Vec<report::Course> = courses.collect();
        then(&report::ByPredicates {
            property: &property,
            goes_wrong: self.subject.program.goes_wrong(),
            threads: threads(&self.subject),
            proof,
            predicates,
            seen: &seen,
            courses: &courses,
            engine: if self.in_rounds.is_some() { "delays" } else { "predicates" },
            asked: self.report.asked,
            covered,
            deadlocks,
            time: cost.time,
            peak_memory: cost.peak_memory,
        })
    }

    /// What holds at which place, if there is a proof.
    pub(crate) fn places(&self) -> Vec<InvariantPlace> {
        let Some(certificate) = self.certificate() else { return Vec::new() };
        let Parameterized { program, source, counts, .. } = &self.subject;
        let Ok(prepared) = Prepared::new(program, source) else { return Vec::new() };
        let Ok(layout) = prepared.layout(counts) else { return Vec::new() };
        let line = |key: &str| {
            let span = prepared.flow.location(layout.find_place(key)?.loc?).span;
            Some(source.line(span.start))
        };
        report::places(certificate, &line)
    }
}

/// What whoever asked should know of predicates that have no answer, if no other engine has one either: why not.
pub(crate) fn aside(question: &Question, answer: &Answer) -> Option<String> {
    let others_may = question.options().engine == EngineName::Auto
        && (!come_first(question) || question.subject().options().target.is_some());
    let is_told = others_may && !accompany(question) && question.budget().look().is_ok();
    let why = answer.why_no_views().filter(|_| is_told)?;
    Some(format!("note: predicates have no answer: {why}"))
}
