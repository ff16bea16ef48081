//! `selvedge explore`: the answer on a local page, while it is found.

use std::process::{self, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use clap::Args as ClapArgs;
use selvedge::{Blame, Engines, Failure, Subject};
use selvedge_frontend::Input;
use selvedge_program::Count;
use selvedge_report::json::VERSION;
use selvedge_report::page::{Ask, Document, Setup, ThreadCount};
use selvedge_web::{Explore, Server, Tell};

use super::pose::{PoseArgs, answer};
use crate::exit::Exit;
use crate::output::Output;
use crate::{guard, input, memory};
use selvedge_check::command::Interrupt;

/// Show the program, the run and its answer on a local page
///
/// The page is served to this machine only, at an address that nobody can guess, until Ctrl-C. It shows
/// the observation sequence while it grows; the schedule of a violation, step by step; the invariant of a
/// proof. The question, bounds, engine and numbers of threads can be changed there.
///
/// The question that it begins with is that of `selvedge verify`; with --contexts or --rounds that of
/// `selvedge check`, with --livelock that of `selvedge livelock`.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    pose: PoseArgs,
    /// Do not open a browser, only print the address
    #[arg(long)]
    no_open: bool,
}

/// A page asks for no more threads of a kind than this.
const MOST_THREADS: u32 = 1_000;

/// A program that was read, and the options that it was opened with.
struct Explored {
    args: PoseArgs,
    subject: Subject,
    file: String,
}

impl Explore for Explored {
    fn setup(&self) -> Setup {
        let threads = match self.subject.input() {
            Some(Input::Program { program, .. }) => &program.threads[..],
            Some(Input::Tables { .. }) | None => &[],
        };
        let given = &self.args.input.options.threads;
        let count = |thread: &selvedge_program::ThreadDecl| ThreadCount {
            name: thread.name.clone(),
            count: match given.iter().find(|(name, _)| *name == thread.name) {
                Some((_, count)) => Some(*count),
                None => match thread.count {
                    Count::Fixed(count) => Some(count),
                    Count::Any => None,
                },
            },
        };
        let mut counts: Vec<ThreadCount> = threads.iter().map(count).collect();
        counts.dedup_by(|a, b| a.name == b.name);
        Setup {
            selvedge: VERSION,
            file: self.file.clone(),
            source: self.subject.source().text().to_owned(),
            engines: Engines::default().names().map(|(name, _)| name.to_string()).collect(),
            threads: counts,
            ask: self.args.ask(),
        }
    }

    fn answer(
        &self,
        ask: &Ask,
        cancelled: &Arc<AtomicBool>,
        tell: &Tell,
    ) -> Result<Document, String> {
        let answer = || -> Result<Document, Failure> {
            if let Some((name, _)) = ask.threads.iter().find(|(_, count)| **count > MOST_THREADS) {
                return Err(Failure::usage(format!(
                    "{name}: at most {MOST_THREADS} threads can be asked for"
                )));
            }
            // Those of a table were set when it was read.
            let is_table = matches!(self.subject.input(), Some(Input::Tables { .. }));
            if is_table && ask.threads != self.args.ask().threads {
                return Err(Failure::usage("the number of threads of a table is not changed here"));
            }
            let args = self.args.with(ask)?;
            let nobody = Output::silent();
            let (answer, table) = answer(&args, &self.subject, cancelled, tell, &nobody)?;
            Ok(answer.document(table.as_ref()))
        };
        answer().map_err(|failure| failure.to_string())
    }

    fn memory(&self) -> u64 {
        memory::in_use() as u64
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    args.pose.check()?;
    let subject = input::load(&args.pose.input, output)?;
    subject.thread_counts()?;
    let file = output.file.clone().unwrap_or_default();
    let explored = Explored { args: args.pose.clone(), subject, file };
    let server = Server::bind().map_err(|error| {
        let message = format!("cannot serve a page on this machine: {error}");
        Failure::Message(Blame::File, message)
    })?;
    let stopper = server.stopper();
    let _interrupt = Interrupt::install(move || {
        stopper.stop();
        // What is being computed for the page may not hear of it at once, and nobody waits for it.
        thread::sleep(guard::GRACE);
        selvedge_smt::solver::end_all();
        process::exit(Exit::Done as i32);
    });
    let url = server.url();
    output.print(&format!("{url}\n"));
    output.flush();
    if !args.no_open && !open(&url) {
        output.note("no browser could be started: open the address yourself");
    }
    output.note("Ctrl-C ends it");
    server.serve(Arc::new(explored));
    Ok(Exit::Done)
}

/// Opens an address in a browser; whether there is one.
fn open(url: &str) -> bool {
    let opener = match () {
        () if cfg!(target_os = "macos") => "open",
        () if cfg!(windows) => "explorer",
        () => "xdg-open",
    };
    let mut command = Command::new(opener);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
