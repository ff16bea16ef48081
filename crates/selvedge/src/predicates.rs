//! # Predicates
//! Answers with predicates and a solver: for integers without bounds, and for any number of threads.

use std::sync::Arc;
use std::time::Duration;

use selvedge_analysis::engine::{Outcome, Verdict};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::{Evidence, Trace, Violation};
use selvedge_frontend::Input;
use selvedge_model::Property;
use selvedge_predicates::search::Failure as Obstacle;
use selvedge_predicates::{Answer as Found, Question, Report, flow_of, verify};
use selvedge_program::{Count, Lowering, Program, Source, ThreadCounts, ThreadDecl};
use selvedge_report::page::InvariantPlace;
use selvedge_report::predicates as report;
use selvedge_smt::certificate::Certificate;
use selvedge_smt::layout::Layout;
use selvedge_smt::solver::{Query, Solver, SolverOptions};
use selvedge_smt::{Checked, recheck};

use crate::answer::Answer;
use crate::options::{Cost, Heard, Options};
use crate::question::Asked;
use crate::subject::{InputOptions, Opened, Subject};
use crate::{Engine, Failure};

/// How long a schedule with few contexts is sought, once there is one.
const FOR_CONTEXTS: Duration = Duration::from_secs(2);

/// A program, with the numbers of threads that the options give.
pub struct Parameterized {
    program: Arc<Program>,
    pub(crate) source: Arc<Source>,
    counts: ThreadCounts,
    pub(crate) options: InputOptions,
}

/// Answers with predicates.
pub(crate) fn find(
    subject: &Subject,
    options: &Options,
    budget: Budget,
) -> Result<Answer, Failure> {
    let Input::Program { target, .. } = subject.input() else {
        return Err(Failure::usage("the engine `predicates` needs a program, not a table"));
    };
    if target.is_some() || options.deadlock {
        return Err(Failure::usage(
            "the engine `predicates` answers about assertions, not about --target and --deadlock; give \
             numbers of threads with --threads for these",
        ));
    }
    search(subject, options, budget)
}

/// Answers with predicates after other engines had none in a while; `None` if there is none again.
pub(crate) fn after_others(subject: &Subject, asked: &Asked) -> Result<Option<Answer>, Failure> {
    if asked.options.solver.is_none() {
        return Ok(None);
    }
    let answer = search(subject, &asked.options, asked.budget.clone())?;
    if let Some(why) = answer.why_no_views() {
        asked.options.tell(Heard::Note(&format!("note: predicates have no answer: {why}")));
        return Ok(None);
    }
    Ok(Some(answer))
}

/// Whether predicates may help where contexts do not end: some integer has no bounds, and nothing
/// but assertions is asked about.
pub(crate) fn may_help(asked: &Asked) -> bool {
    let opened = &asked.opened;
    opened.unbounded.is_some()
        && opened.properties == [Property::NeverWrong]
        && !opened.system.starts_threads()
        && opened.system.any_number().is_empty()
}

fn search(subject: &Subject, options: &Options, budget: Budget) -> Result<Answer, Failure> {
    let Some(solver) = options.solver.as_deref().map(solver_options) else {
        return Err(Failure::usage("predicates need a solver, and none may be started here"));
    };
    let subject = Parameterized::new(subject)?;
    let mut queries = Vec::new();
    let question = Question {
        program: &subject.program,
        source: &subject.source,
        counts: &subject.counts,
        solver,
        only_given: options.only_given_predicates,
    };
    let tell = |words: &str| options.tell(Heard::Trying(words));
    let report = verify(&question, &budget, &tell, &mut |about, query| {
        queries.push((about.to_owned(), query.clone()));
    });
    match report.answer {
        Found::Unsafe { counts, system, trace } => {
            subject.violation(&counts, system, &trace, options, budget)
        }
        _ => Ok(Answer::of_views(Views { subject, report, queries })),
    }
}

fn solver_options(program: &str) -> SolverOptions {
    SolverOptions { program: program.to_owned(), ..SolverOptions::default() }
}

impl Parameterized {
    fn new(subject: &Subject) -> Result<Self, Failure> {
        let Input::Program { program, source, .. } = subject.input() else {
            return Err(Failure::usage("predicates are about a program, and this is a table"));
        };
        Ok(Parameterized {
            program: Arc::clone(program),
            source: Arc::clone(source),
            counts: subject.thread_counts()?,
            options: subject.options().clone(),
        })
    }

    /// A violation is like any other, of the program with so many threads.
    fn violation(
        self,
        counts: &ThreadCounts,
        system: Arc<Lowering>,
        trace: &Trace,
        options: &Options,
        budget: Budget,
    ) -> Result<Answer, Failure> {
        let chosen = self.chosen(counts);
        if !chosen.is_empty() {
            let all = self.options.threads.iter().chain(&chosen);
            let given: Vec<_> = all.map(|(t, n)| format!("--threads {t}={n}")).collect();
            let note = format!("the violation is one of the program with {}", given.join(" "));
            options.tell(Heard::Note(&note));
        }
        let opened = Opened {
            program: Some(Arc::clone(&system)),
            system,
            properties: vec![Property::NeverWrong],
            source: self.source,
            unbounded: None,
            options: self.options,
            chosen,
        };
        let asked = Asked::new(opened, options, budget);
        // The search goes step by step; people want few contexts.
        let bound = Bound::contexts(trace.contexts());
        let mut few = asked.clone().for_a_while(FOR_CONTEXTS);
        few.options.engine = Engine::Auto;
        let fewest = few.check(bound)?;
        if let Verdict::Unsafe { trace: Ok(_), .. } = fewest.verdict {
            return Answer::of_states(asked, fewest);
        }
        let shown = Violation { trace: trace.clone(), contexts: trace.contexts(), property: 0 };
        let outcome = Outcome {
            verdict: Verdict::Unsafe { bound, property: 0, trace: Ok(trace.clone()) },
            engine: "predicates",
            observations: Vec::new(),
            cuts: Vec::new(),
            collapse: None,
            most_threads: None,
            evidence: Some(Evidence::Violation(shown)),
        };
        Answer::of_states(asked, outcome)
    }

    /// The numbers that neither the text nor an option says.
    fn chosen(&self, counts: &ThreadCounts) -> Vec<(String, u32)> {
        let mut chosen = Vec::new();
        for (name, &count) in counts {
            let mut threads = self.program.threads.iter();
            let is_any = threads.any(|t| t.name == *name && t.count == Count::Any);
            if is_any && !self.counts.contains_key(name) {
                chosen.push((name.clone(), count));
            }
        }
        chosen
    }

    /// How many threads there are; `None` is any number.
    fn threads(&self) -> Option<u64> {
        let number = |t: &ThreadDecl| match (self.counts.get(&t.name), t.count) {
            (Some(&n), _) | (None, Count::Fixed(n)) => Some(u64::from(n)),
            (None, Count::Any) => None,
        };
        self.program.threads.iter().map(number).sum()
    }
}

/// A proof by predicates, or why there is none.
pub struct Views {
    pub(crate) subject: Parameterized,
    report: Report,
    /// What the solver was asked about the proof.
    pub(crate) queries: Vec<(String, Query)>,
}

impl Views {
    /// The invariant, if there is one.
    pub(crate) fn certificate(&self) -> Option<&Certificate> {
        match &self.report.answer {
            Found::Safe(proof) => Some(&proof.certificate),
            _ => None,
        }
    }

    /// Why there is none.
    pub(crate) fn why_none(&self) -> Option<&Obstacle> {
        match &self.report.answer {
            Found::Unknown(why) => Some(why),
            _ => None,
        }
    }

    /// Does something with what there is to show.
    pub(crate) fn shown<T>(&self, cost: Cost, then: impl FnOnce(&report::Answer<'_>) -> T) -> T {
        let seen = self.report.seen.iter().map(|seen| report::Seen {
            threads: seen.threads,
            states: seen.states,
            abstract_states: seen.abstract_states,
            complete: seen.complete,
        });
        let seen: Vec<report::Seen> = seen.collect();
        let (proof, predicates): (_, &[String]) = match &self.report.answer {
            Found::Safe(proof) => (Ok(&proof.checked), &proof.certificate.predicates),
            Found::Unknown(failure) => (Err(failure.to_string()), &[]),
            Found::Unsafe { .. } => (Err("there is a violation".to_owned()), &[]),
        };
        then(&report::Answer {
            threads: self.subject.threads(),
            proof,
            predicates,
            seen: &seen,
            asked: self.report.asked,
            time: cost.time,
            peak_memory: cost.peak_memory,
        })
    }

    /// What holds at which place, if there is a proof.
    pub(crate) fn places(&self) -> Vec<InvariantPlace> {
        let Some(certificate) = self.certificate() else { return Vec::new() };
        let Parameterized { program, source, counts, .. } = &self.subject;
        let Ok(flow) = flow_of(program) else { return Vec::new() };
        let Ok(layout) = Layout::new(program, &flow, counts) else { return Vec::new() };
        let line = |key: &str| {
            let span = flow.location(layout.find_place(key)?.loc?).span;
            Some(source.line(span.start))
        };
        report::places(certificate, &line)
    }
}

/// Checks a proof; the questions that were asked are kept. The outer failure is one of the input.
pub(crate) fn check(
    subject: &Subject,
    certificate: &Certificate,
    solver: &str,
    queries: &mut Vec<(String, Query)>,
) -> Result<Result<Checked, String>, Failure> {
    let Input::Program { program, source, .. } = subject.input() else {
        return Ok(Err("it is about a program, and this is a table".to_owned()));
    };
    let counts = subject.thread_counts()?;
    let mut checked = || -> Result<Checked, String> {
        let flow = flow_of(program).map_err(|e: Obstacle| e.to_string())?;
        let layout = Layout::new(program, &flow, &counts).map_err(|e| e.to_string())?;
        let mut running = Solver::start(&solver_options(solver)).map_err(|e| e.to_string())?;
        let mut keep = |about: &str, query: &Query| queries.push((about.to_owned(), query.clone()));
        recheck(&layout, source, certificate, &mut running, &|| false, &mut keep)
            .map_err(|e| e.to_string())
    };
    Ok(checked())
}
