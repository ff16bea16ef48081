//! `selvedge recheck`: evidence, checked independently of the search that found it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use selvedge_evidence::{Evidence, recheck};
use selvedge_frontend::{Input, has_known_ending, show_path};
use selvedge_program::Source;
use selvedge_report::evidence::{Document, digest};
use selvedge_report::style::Role;
use selvedge_report::text::{self, TraceOptions};
use selvedge_report::{invariant, json, livelock, property, summaries, termination};
use selvedge_sequential::certificate;
use selvedge_smt::certificate::Certificate;

use super::engine::Limits;
use super::predicates::{self, SolverArgs};
use crate::args::{Format, InputArgs};
use crate::exit::{Exit, Failure};
use crate::input::{self, Opened, Wanted};
use crate::limits;
use crate::output::Output;

/// Check the evidence of a verdict, independently of the search that found it
///
/// Evidence is written by `selvedge verify --evidence PATH`. That of an unsafe verdict is a
/// schedule: it is replayed, step by step, and must end in a violation. That of a safe verdict is a
/// set of states: the initial states must be in it, no step may lead out of it, and none of its
/// states may break a property; values that may be at each place of a program with one thread are
/// checked in the same way; an invariant about every two threads, for any number of them, is
/// checked by an SMT solver. That of a run that never ends (`selvedge livelock`) is a stem and a
/// period, which must be repeatable and fair; that there is none, a set of states with ranks. Nothing that the search did is believed.
///
/// Give the file and the options that the evidence was made with.
///
/// Ends with 0 if the evidence is accepted, with 65 if it is refused.
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// The evidence
    #[arg(value_name = "EVIDENCE")]
    evidence: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    /// The evidence is about deadlocks, too
    #[arg(long)]
    deadlock: bool,
    /// Show the schedule; or what is known of the states, line by line or shared state by shared
    /// state, and why no fair run stays among them
    #[arg(long)]
    show: bool,
    /// For a proof by summaries: stop after this time: 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    timeout: Option<Duration>,
    /// For a proof by summaries: stop when this much memory is in use: 4GiB, 500MB [default: 80% of
    /// what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    memory: Option<usize>,
    #[command(flatten)]
    solver: SolverArgs,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    if has_known_ending(&args.evidence) && !has_known_ending(&args.input.file) {
        return Err(Failure::usage(format!(
            "the evidence comes first: `selvedge recheck {} {}`",
            show_path(&args.input.file),
            show_path(&args.evidence)
        )));
    }
    let document = document(args);
    if let Some((document, certificate)) =
        document.as_ref().ok().and_then(|d| Some((d, d.views()?)))
    {
        let loaded = input::load(&args.input.file, &args.input.options, output)?;
        return views(args, loaded, document, &certificate, output);
    }
    let endless = document.as_ref().is_ok_and(Document::is_about_endless_runs);
    let opened = match endless {
        true => input::open_with_all_threads(&args.input, output)?,
        false => {
            let wanted = Wanted { deadlock: args.deadlock, any_number: true };
            let loaded = input::load(&args.input.file, &args.input.options, output)?;
            input::for_engine(loaded, &args.input.options, wanted)?
        }
    };
    let name = args.evidence.display().to_string();
    let checked = document.and_then(|document| examine(args, &document, &opened));
    match output.format {
        Format::Json => output.print(&json::print(&json::Recheck {
            selvedge: json::VERSION,
            file: opened.source.name().to_owned(),
            evidence: name,
            accepted: checked.is_ok(),
            verdict: checked.as_ref().ok().map(|(evidence, _)| verdict(evidence)),
            checked: checked.as_ref().ok().map(|(_, what)| what.clone()),
            reason: checked.as_ref().err().map(ToString::to_string),
        })),
        _ => {
            if let Ok((evidence, what)) = &checked {
                let accepted = output.paint.paint(Role::Good, "accepted:");
                let about = match endless {
                    true => livelock::PROPERTY.to_owned(),
                    false => property::name(&*opened.system, &opened.properties),
                };
                output.print(&format!("{accepted} {what}\n  property  {about}\n"));
                if args.show {
                    let shown = show(&opened, evidence, output);
                    output.print(&format!("\n{shown}"));
                }
            }
        }
    }
    checked.map(|_| Exit::Done)
}

fn source_of(input: &Input) -> Arc<Source> {
    match input {
        Input::Program { source, .. } | Input::Tables { source, .. } => Arc::clone(source),
    }
}

/// What invariants over views are about.
const VIEWS_PROPERTY: &str = "assertions";

/// Checks an invariant over views, with a solver.
fn views(
    args: &Args,
    loaded: Input,
    document: &Document,
    certificate: &Certificate,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let text = source_of(&loaded);
    let options = crate::evidence::options(&args.input.options, args.deadlock);
    let checked = match document.check_subject(&digest(text.text()), &options) {
        Ok(()) if document.property() != VIEWS_PROPERTY => {
            Err(format!("such a proof is about {VIEWS_PROPERTY}, and this claims something else"))
        }
        Ok(()) => predicates::check(loaded, &args.input.options, certificate, &args.solver)?,
        Err(why) => Err(why.to_string()),
    };
    if output.format == Format::Json {
        output.print(&json::print(&json::Recheck {
            selvedge: json::VERSION,
            file: text.name().to_owned(),
            evidence: args.evidence.display().to_string(),
            accepted: checked.is_ok(),
            verdict: checked.is_ok().then_some(json::Verdict::Safe),
            checked: checked.as_ref().ok().map(ToString::to_string),
            reason: checked.as_ref().err().cloned(),
        }));
    } else if let Ok(what) = &checked {
        let accepted = output.paint.paint(Role::Good, "accepted:");
        output.print(&format!("{accepted} {what}\n  property  {VIEWS_PROPERTY}\n"));
        if args.show {
            for predicate in selvedge_report::predicates::shown(&certificate.predicates) {
                output.print(&format!("  {predicate}\n"));
            }
        }
    }
    let refused = |why| Failure::input(format!("{}: refused: {why}", args.evidence.display()));
    checked.map(|_| Exit::Done).map_err(refused)
}

/// The evidence and what it shows, or why it is refused.
fn examine(
    args: &Args,
    document: &Document,
    opened: &Opened,
) -> Result<(Evidence, String), Failure> {
    let refused = |why: &dyn std::fmt::Display| refused(args, why);
    let options = crate::evidence::options(&args.input.options, args.deadlock);
    let evidence = document
        .check_subject(&digest(opened.source.text()), &options)
        .and_then(|()| document.evidence(&*opened.system))
        .map_err(|e| refused(&e))?;
    let checked = match (&evidence, &opened.program) {
        (Evidence::Summaries(certificate), Some(program)) => {
            let limits = Limits { timeout: args.timeout, memory: args.memory };
            let budget = limits.budget(Instant::now());
            certificate::recheck(program, &opened.properties, certificate, &budget)
        }
        _ => recheck(&*opened.system, &opened.properties, &evidence),
    };
    Ok((evidence, checked.map_err(|e| refused(&e))?.to_string()))
}

/// The evidence as it stands in the file.
fn document(args: &Args) -> Result<Document, Failure> {
    Document::parse(&read(&args.evidence)?).map_err(|e| refused(args, &e))
}

fn refused(args: &Args, why: &dyn std::fmt::Display) -> Failure {
    Failure::input(format!("{}: refused: {why}", args.evidence.display()))
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path).map_err(|e| Failure::unreadable(path, &e))?;
    let name = show_path(path);
    String::from_utf8(bytes)
        .map_err(|_| Failure::input(format!("{name}: refused: this is not UTF-8 text")))
}

fn verdict(evidence: &Evidence) -> json::Verdict {
    match evidence {
        Evidence::Cut(_)
        | Evidence::Aggregate(_)
        | Evidence::Cover(_)
        | Evidence::Summaries(_)
        | Evidence::Termination(_) => json::Verdict::Safe,
        Evidence::Violation(_) => json::Verdict::Unsafe,
        Evidence::Lasso(_) => json::Verdict::Nonterminating,
    }
}

fn show(opened: &Opened, evidence: &Evidence, output: &Output) -> String {
    match evidence {
        Evidence::Violation(violation) => {
            let options = TraceOptions { full: false, paint: output.paint };
            text::trace(&*opened.system, &violation.trace, options)
        }
        Evidence::Lasso(lasso) => {
            let options = TraceOptions { full: false, paint: output.paint };
            text::lasso(&*opened.system, lasso, options)
        }
        Evidence::Cut(_) | Evidence::Aggregate(_) | Evidence::Cover(_) => {
            invariant::text(&*opened.system, evidence, output.paint)
        }
        Evidence::Termination(proof) => {
            let why = termination::text(&*opened.system, proof, output.paint);
            format!("{why}\n{}", invariant::text(&*opened.system, evidence, output.paint))
        }
        Evidence::Summaries(certificate) => match &opened.program {
            Some(program) => summaries::text(program, certificate, output.paint),
            None => String::new(),
        },
    }
}
