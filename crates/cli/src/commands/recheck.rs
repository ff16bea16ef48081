//! `selvedge recheck`: evidence, checked independently of the search that found it.

use std::path::Path;
use std::time::Instant;

use clap::Args as ClapArgs;
use selvedge::{Accepted, Deadlocks, Failure, Held, Opened, Options, recheck};
use selvedge_check::command::{self, CheckArgs};
use selvedge_evidence::Evidence;
use selvedge_report::style::Role;
use selvedge_report::text::{self, TraceOptions};
use selvedge_report::{invariant, json, summaries, termination};

use super::answer::KeepArgs;
use super::engine::Limits;
use crate::args::Format;
use crate::exit::Exit;
use crate::guard;
use crate::input;
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
/// Give the file, and the options that the question had. How many threads a run has where there may
/// be any number, the evidence says itself.
///
/// Ends with 0 if the evidence is accepted, with 65 if it is refused. The program `selvedge-check` does
/// the same, and has nothing else in it: no code of a search.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    check: CheckArgs,
    /// Show the schedule; or what is known of the states, line by line or shared state by shared
    /// state, and why no fair run stays among them
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    keep: KeepArgs,
}

impl Args {
    /// The limits within which there is an answer, and the file that it is about.
    pub fn watched(&self) -> (Limits, &Path) {
        (limits(&self.check), &self.check.input.file)
    }
}

/// How long and how large a check may be.
fn limits(args: &CheckArgs) -> Limits {
    Limits { timeout: args.timeout, memory: args.memory }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let Args { check: args, show, keep } = args;
    command::refuse_swapped("selvedge recheck", &args.evidence, &args.input.file)?;
    // What is wrong with the input is said before anything about the evidence.
    let subject = input::load(&args.input, output)?;
    let options = Options {
        deadlock: Deadlocks::if_asked(args.deadlock),
        solver: Some(args.solver.clone()),
        limits: limits(args).since(Instant::now()),
        ..Options::default()
    };
    let evidence = command::read(&args.evidence, &options.limits.budget())?;
    let checked = recheck(&subject, &evidence, &options)?;
    guard::answers();
    let name = args.evidence.display().to_string();
    let refusal = |why: &String| command::refusal(&args.evidence, why);
    if let Ok(Accepted { held: Held::Views(_, queries), .. }) = &checked {
        keep.keep(queries)?;
    }
    match (output.format, &checked) {
        (Format::Json, _) => output.print(&json::print(&json::Recheck {
            selvedge: json::VERSION,
            file: subject.source().name().to_owned(),
            evidence: name.clone(),
            accepted: checked.is_ok(),
            verdict: checked.as_ref().ok().map(|accepted| accepted.verdict),
            checked: checked.as_ref().ok().map(|accepted| accepted.checked.clone()),
            reason: checked.as_ref().err().map(refusal),
        })),
        (_, Ok(Accepted { checked, property, held, .. })) => {
            let accepted = output.paint.paint(Role::Good, "accepted:");
            output.print(&format!("{accepted} {}", command::shown(checked, property)));
            if *show {
                output.print(&shown(held, output));
            }
        }
        _ => {}
    }
    checked.map(|_| Exit::Done).map_err(|why| Failure::input(refusal(&why)))
}

/// What was held against the text.
fn shown(held: &Held, output: &Output) -> String {
    match held {
        Held::States(opened, evidence) => format!("\n{}", show(opened, evidence, output)),
        Held::Views(certificate, _) => {
            let predicates = selvedge_report::predicates::shown(&certificate.predicates);
            predicates.into_iter().map(|predicate| format!("  {predicate}\n")).collect()
        }
    }
}

fn show(opened: &Opened, evidence: &Evidence, output: &Output) -> String {
    match evidence {
        Evidence::Violation(violation) => {
            let options = TraceOptions { full: false, paint: output.paint };
            output.fit(text::trace(&*opened.system, &violation.trace, options))
        }
        Evidence::Lasso(lasso) => {
            let options = TraceOptions { full: false, paint: output.paint };
            output.fit(text::lasso(&*opened.system, lasso, options))
        }
        Evidence::Cut(_) | Evidence::Aggregate(_) | Evidence::Cover(_) | Evidence::Reduced(_) => {
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
