//! `selvedge verify` with predicates and a solver: for integers without bounds, and for any number of
//! threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};
use selvedge_analysis::Bound;
use selvedge_analysis::engine::{Outcome, Verdict};
use selvedge_evidence::{Evidence, Trace, Violation};
use selvedge_frontend::{Input, files};
use selvedge_model::Property;
use selvedge_predicates::search::Failure as Obstacle;
use selvedge_predicates::{Answer, Question, Report, flow_of, verify};
use selvedge_program::{Count, Program, Source, ThreadCounts};
use selvedge_report::evidence::{Document, Subject, digest};
use selvedge_report::page::InvariantPlace;
use selvedge_report::{json, predicates as report, sarif};
use selvedge_smt::certificate::Certificate;
use selvedge_smt::layout::Layout;
use selvedge_smt::solver::{DEFAULT, Query, Solver, SolverOptions};
use selvedge_smt::{Checked, recheck};

use super::engine::{Asked, Cost};
use super::find::{Asks, Found};
use crate::args::Format;
use crate::exit::{Exit, Failure};
use crate::input::{self, Opened};
use crate::output::Output;
use crate::progress::Progress;
use crate::save;

/// How long a schedule with few contexts is sought, once there is one.
const FOR_CONTEXTS: Duration = Duration::from_secs(2);

/// Which solver, and where its questions go.
#[derive(ClapArgs, Clone, Debug)]
pub struct SolverArgs {
    /// The SMT solver: a name or a path
    #[arg(long, value_name = "PROGRAM", default_value = DEFAULT, help_heading = "Solver")]
    solver: String,
    /// Write the questions that a proof rests on to this directory, as SMT-LIB files
    #[arg(long, value_name = "DIR", help_heading = "Solver")]
    keep_smt: Option<PathBuf>,
}

/// Which predicates are used.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predicates {
    /// Those of the program, and what else a proof needs
    Auto,
    /// Only those of the program
    Given,
}

/// A program, with the numbers of threads that the options give.
struct Subjected {
    program: Arc<Program>,
    source: Arc<Source>,
    counts: ThreadCounts,
}

impl SolverArgs {
    /// This solver, and nothing is written.
    pub fn new(solver: String) -> Self {
        SolverArgs { solver, keep_smt: None }
    }

    fn options(&self) -> SolverOptions {
        SolverOptions { program: self.solver.clone(), ..SolverOptions::default() }
    }
}

/// Whether the program has threads of any number, and integers without bounds.
pub fn is_parameterized(input: &Input, options: &crate::args::InputOptions) -> bool {
    let Input::Program { program, .. } = input else { return false };
    let given = |name: &str| options.threads.iter().any(|(n, _)| n == name);
    let any = program.threads.iter().any(|t| t.count == Count::Any && !given(&t.name));
    any && input::unbounded(program).is_some()
}

/// Answers with predicates.
pub fn find(asks: &Asks<'_>, input: Input, output: &mut Output) -> Result<Found, Failure> {
    search(asks, asks.subject(input)?, output)
}

/// Answers with predicates after other engines had none in a while; `None` if there is none again.
pub fn after_others(
    asks: &Asks<'_>,
    asked: &Asked,
    output: &mut Output,
) -> Result<Option<Found>, Failure> {
    let Some(lowering) = &asked.opened.program else { return Ok(None) };
    let subject = Subjected {
        program: Arc::clone(lowering.written()),
        source: Arc::clone(&asked.opened.source),
        counts: asks.input.options.threads.iter().cloned().collect(),
    };
    match search(asks, subject, output)? {
        Found::Views(Views { report: Report { answer: Answer::Unknown(failure), .. }, .. }) => {
            output.note(&format!("note: predicates have no answer: {failure}"));
            Ok(None)
        }
        found => Ok(Some(found)),
    }
}

/// Whether predicates may help where contexts do not end: some integer has no bounds, and nothing
/// but assertions is asked about.
pub fn may_help(asked: &Asked) -> bool {
    let opened = &asked.opened;
    opened.unbounded.is_some()
        && opened.properties == [Property::NeverWrong]
        && !opened.system.starts_threads()
        && opened.system.any_number().is_empty()
}

fn search(asks: &Asks<'_>, subject: Subjected, output: &mut Output) -> Result<Found, Failure> {
    if let Some(path) = asks.evidence {
        save::probe_evidence(path, &files(&asks.input.file))?;
    }
    let progress = Progress::start(output.notes());
    let mut kept = Vec::new();
    let report = {
        let question = Question {
            program: &subject.program,
            source: &subject.source,
            counts: &subject.counts,
            solver: asks.solver.options(),
            only_given: asks.predicates == Predicates::Given,
        };
        let tell = |note: &str| progress.tell_text(note);
        verify(&question, &asks.budget, &tell, &mut |about, query| {
            kept.push((about.to_owned(), query.clone()));
        })
    };
    let (time, peak_memory) = progress.finish();
    let cost = Cost { time, peak_memory };
    match report.answer {
        Answer::Unsafe { counts, system, trace } => {
            let opened = Opened {
                program: Some(Arc::clone(&system)),
                system,
                properties: vec![Property::NeverWrong],
                source: subject.source,
                unbounded: None,
            };
            asks.violation(opened, &counts, &trace, cost, output)
        }
        _ => Ok(Found::Views(Views { subject, report, kept, cost })),
    }
}

/// A proof by predicates, or why there is none.
pub struct Views {
    subject: Subjected,
    report: Report,
    /// What the solver was asked.
    kept: Vec<(String, Query)>,
    cost: Cost,
}

impl Views {
    /// Prints the answer, and writes what is wanted.
    pub fn answer(&self, asks: &Asks<'_>, output: &mut Output) -> Result<Exit, Failure> {
        let Answer::Safe(proof) = &self.report.answer else {
            self.shown(|shown| print(asks, &self.subject, shown, None, output));
            return Ok(Exit::Unknown);
        };
        keep(asks.solver.keep_smt.as_deref(), &self.kept)?;
        let saved = asks.save(&self.subject, &proof.certificate, output);
        let path = saved.as_ref().ok().copied().flatten();
        self.shown(|shown| print(asks, &self.subject, shown, path, output));
        saved.map(|_| Exit::Done)
    }

    /// Does something with what there is to show.
    pub fn shown<T>(&self, then: impl FnOnce(&report::Answer<'_>) -> T) -> T {
        let seen = self.report.seen.iter().map(|seen| report::Seen {
            threads: seen.threads,
            states: seen.states,
            abstract_states: seen.abstract_states,
            complete: seen.complete,
        });
        let seen: Vec<report::Seen> = seen.collect();
        let (proof, predicates): (_, &[String]) = match &self.report.answer {
            Answer::Safe(proof) => (Ok(&proof.checked), &proof.certificate.predicates),
            Answer::Unknown(failure) => (Err(failure.to_string()), &[]),
            Answer::Unsafe { .. } => (Err("there is a violation".to_owned()), &[]),
        };
        then(&report::Answer {
            threads: threads(&self.subject),
            proof,
            predicates,
            seen: &seen,
            asked: self.report.asked,
            time: self.cost.time,
            peak_memory: self.cost.peak_memory,
        })
    }

    /// The text that it is about.
    pub fn source(&self) -> &Source {
        &self.subject.source
    }

    /// What holds at which place, if there is a proof.
    pub fn places(&self) -> Vec<InvariantPlace> {
        let Answer::Safe(proof) = &self.report.answer else { return Vec::new() };
        let program = &self.subject.program;
        let Ok(flow) = flow_of(program) else { return Vec::new() };
        let Ok(layout) = Layout::new(program, &flow, &self.subject.counts) else {
            return Vec::new();
        };
        let line = |key: &str| {
            let span = flow.location(layout.find_place(key)?.loc?).span;
            Some(self.subject.source.line(span.start))
        };
        report::places(&proof.certificate, &line)
    }

    /// How a command ends with it.
    pub fn exit(&self) -> Exit {
        match &self.report.answer {
            Answer::Safe(_) => Exit::Done,
            _ => Exit::Unknown,
        }
    }
}

impl Asks<'_> {
    fn subject(&self, input: Input) -> Result<Subjected, Failure> {
        let Input::Program { program, source, target, .. } = input else {
            return Err(Failure::usage("the engine `predicates` needs a program, not a table"));
        };
        if target.is_some() || self.deadlock {
            return Err(Failure::usage(
                "the engine `predicates` answers about assertions, not about --target and \
                 --deadlock; give numbers of threads with --threads for these",
            ));
        }
        let counts = input::thread_counts(&program, &self.input.options)?;
        Ok(Subjected { program, source, counts })
    }

    /// A violation is shown like any other, of the program with so many threads.
    fn violation(
        &self,
        opened: Opened,
        counts: &ThreadCounts,
        trace: &Trace,
        cost: Cost,
        output: &mut Output,
    ) -> Result<Found, Failure> {
        let mut input = self.input.clone();
        input.options.threads = counts.iter().map(|(name, n)| (name.clone(), *n)).collect();
        if input.options.threads != self.input.options.threads {
            let options: Vec<_> =
                counts.iter().map(|(name, n)| format!("--threads {name}={n}")).collect();
            output.note(&format!("the violation is one of the program with {}", options.join(" ")));
        }
        let evidence = self.evidence.map(Path::to_owned);
        let asked = Asked::ready(opened, evidence, &input, self.engine, self.budget.clone());
        let asked = if self.keeps_evidence { asked.told(self.listener.clone()) } else { asked };
        // The search goes step by step; people want few contexts.
        let bound = Bound::contexts(trace.contexts());
        let (fewest, more) = asked.clone().for_a_while(FOR_CONTEXTS).check(bound, output)?;
        if let Verdict::Unsafe { trace: Ok(_), .. } = fewest.verdict {
            let cost = Cost { time: cost.time + more.time, ..more };
            return Ok(Found::Outcome { asked, outcome: fewest, cost });
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
        Ok(Found::Outcome { asked, outcome, cost })
    }

    /// Writes the proof where it is wanted.
    fn save(
        &self,
        subject: &Subjected,
        certificate: &Certificate,
        output: &mut Output,
    ) -> Result<Option<&Path>, Failure> {
        let Some(path) = self.evidence else { return Ok(None) };
        let about = Subject {
            file: subject.source.name().to_owned(),
            digest: digest(subject.source.text()),
            options: crate::evidence::options(&self.input.options, false),
            property: "assertions".to_owned(),
        };
        let document = Document::of_views(about, certificate);
        save::save(&[(path, &document.to_text())])?;
        output.note(&format!("the evidence was written to {}", path.display()));
        Ok(Some(path))
    }
}

fn threads(subject: &Subjected) -> Option<u64> {
    let number = |t: &selvedge_program::ThreadDecl| match (subject.counts.get(&t.name), t.count) {
        (Some(&n), _) | (None, Count::Fixed(n)) => Some(u64::from(n)),
        (None, Count::Any) => None,
    };
    subject.program.threads.iter().map(number).sum()
}

fn print(
    asks: &Asks<'_>,
    subject: &Subjected,
    shown: &report::Answer<'_>,
    saved: Option<&Path>,
    output: &mut Output,
) {
    match output.format {
        Format::Json => {}
        Format::Sarif => {
            let exit = if shown.proof.is_ok() { Exit::Done } else { Exit::Unknown };
            let log = sarif::by_predicates(shown, &subject.source, exit as u8);
            return output.print(&json::print(&log));
        }
        _ => return output.print(&report::text(shown, output.paint)),
    }
    let (verdict, reason) = match &shown.proof {
        Ok(_) => (json::Verdict::Safe, None),
        Err(reason) => (json::Verdict::Unknown, Some(reason.clone())),
    };
    output.print(&json::print(&json::Answer {
        selvedge: json::VERSION,
        file: selvedge_frontend::show_path(&asks.input.file),
        verdict,
        property: "assertions".to_owned(),
        engine: Some("predicates".to_owned()),
        bound: None,
        observations: Vec::new(),
        reason,
        violation: None,
        proof: report::proof(shown),
        collapse: None,
        time_s: Some(shown.time.as_secs_f64()),
        peak_memory_bytes: Some(shown.peak_memory),
        trace: None,
        evidence: saved.map(|path| path.display().to_string()),
    }));
}

/// Writes questions to a directory.
fn keep(directory: Option<&Path>, queries: &[(String, Query)]) -> Result<(), Failure> {
    let Some(directory) = directory else { return Ok(()) };
    fs::create_dir_all(directory).map_err(|e| Failure::unwritable(directory, e))?;
    for (number, (about, query)) in queries.iter().enumerate() {
        let path = directory.join(format!("{:04}.smt2", number + 1));
        save::save(&[(&path, &query.script(about))])?;
    }
    Ok(())
}

/// Checks a proof that was written to a file.
pub fn check(
    input: Input,
    options: &crate::args::InputOptions,
    certificate: &Certificate,
    solver: &SolverArgs,
) -> Result<Result<Checked, String>, Failure> {
    let Input::Program { program, source, .. } = input else {
        return Ok(Err("it is about a program, and this is a table".to_owned()));
    };
    let counts = input::thread_counts(&program, options)?;
    let mut kept = Vec::new();
    let mut checked = || -> Result<Checked, String> {
        let flow = flow_of(&program).map_err(|e: Obstacle| e.to_string())?;
        let layout = Layout::new(&program, &flow, &counts).map_err(|e| e.to_string())?;
        let mut running = Solver::start(&solver.options()).map_err(|e| e.to_string())?;
        let mut keep = |about: &str, query: &Query| kept.push((about.to_owned(), query.clone()));
        recheck(&layout, &source, certificate, &mut running, &|| false, &mut keep)
            .map_err(|e| e.to_string())
    };
    let checked = checked();
    keep(solver.keep_smt.as_deref(), &kept)?;
    Ok(checked)
}
