//! `selvedge explore`: the answer on a local page, while it is found.

mod disk;
mod steps;

use std::process::{self, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use clap::Args as ClapArgs;
use selvedge::{Answer, Blame, Engines, Failure, Subject};
use selvedge_frontend::check::Kind;
use selvedge_frontend::{Input, included};
use selvedge_program::Count;
use selvedge_report::json::VERSION;
use selvedge_report::page::{
    Ask, Constant, Document, EngineWord, Language, Look, Posed, Setup, ThreadCount, Wander,
};
use selvedge_web::{Explore, Server, Tell};

use super::pose::{PoseArgs, answer};
use crate::exit::Exit;
use crate::output::Output;
use crate::{guard, input, memory};
use disk::Disk;
use selvedge_check::command::Interrupt;

/// Show the program, the run and its answer on a local page
///
/// The page is served to this machine only, at an address that nobody can guess, until Ctrl-C. It shows
/// the observation sequence while it grows; the schedule of a violation, step by step; the invariant of a
/// proof. The question and its options can be changed there. The page follows the file: when it changes, it
/// is read and asked about again.
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

/// A file, and the options that it was opened with.
struct Explored {
    args: PoseArgs,
    file: String,
    disk: Disk,
    /// The last answer within a bound, to go on from.
    last: Mutex<Option<Last>>,
}

/// An answer within a bound, with the question and the text that it is about.
struct Last {
    ask: Ask,
    text: String,
    answer: Answer,
}

impl Last {
    /// Whether another question about a text differs in nothing but its bound, which is no smaller.
    fn leads_to(&self, ask: &Ask, subject: &Subject) -> bool {
        let Ask { bound, timeout_s, .. } = self.ask;
        bound <= ask.bound
            && Ask { bound, timeout_s, ..ask.clone() } == self.ask
            && subject.source().text() == self.text
    }
}

impl Explored {
    fn last(&self) -> MutexGuard<'_, Option<Last>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The options of a question; none that a page must not ask for.
    fn args(&self, ask: &Ask) -> Result<PoseArgs, Failure> {
        if let Some((name, _)) = ask.threads.iter().find(|(_, count)| **count > MOST_THREADS) {
            return Err(Failure::usage(format!(
                "{name}: at most {MOST_THREADS} threads can be asked for"
            )));
        }
        self.args.with(ask)
    }

    /// The file as it is now, with these options.
    fn read(&self, args: &PoseArgs) -> Result<Subject, Failure> {
        let subject = Subject::read(&args.input.file, (&args.input.options).into())?;
        self.disk.watch(included(subject.source()));
        subject.thread_counts()?;
        Ok(subject)
    }
}

impl Explore for Explored {
    fn revision(&self) -> u64 {
        self.disk.revision()
    }

    fn setup(&self) -> Setup {
        let (revision, source) = (self.disk.revision(), self.disk.text());
        let read = self.read(&self.args);
        let (subject, wrong) = match read {
            Ok(subject) => (Some(subject), None),
            Err(failure) => (None, Some(failure.to_string())),
        };
        let input = subject.as_ref().and_then(Subject::input);
        Setup {
            selvedge: VERSION,
            file: self.file.clone(),
            revision,
            consts: constants(&self.args, &source),
            source,
            wrong,
            language: match input {
                Some(Input::Program { beyond, .. }) if beyond.is_c => Language::C,
                Some(Input::Tables { .. }) => Language::Table,
                Some(Input::Program { .. }) | None => Language::Program,
            },
            engines: Engines::default()
                .names()
                .map(|(name, about)| EngineWord { name: name.to_string(), about: about.to_owned() })
                .collect(),
            threads: threads(input, &self.args.input.options.threads),
            fixed: self.args.fixed(),
            ask: self.args.ask(),
        }
    }

    fn answer(
        &self,
        ask: &Ask,
        cancelled: &Arc<AtomicBool>,
        tell: &Tell,
        answered: &dyn Fn(Document),
    ) -> Result<Document, String> {
        let answer = || -> Result<Document, Failure> {
            let args = self.args(ask)?;
            let subject = self.read(&args)?;
            let document = |answer: &selvedge::Answer, table: Option<&selvedge::Table>| Document {
                way: steps::way(answer, &subject, &args),
                ..answer.document(table)
            };
            let show = |answer: &selvedge::Answer| answered(document(answer, None));
            let nobody = Output::silent();
            // What was explored for another question is of no use, and takes memory.
            let before = self.last().take().filter(|last| last.leads_to(ask, &subject));
            let asked = (&subject, before.map(|last| last.answer));
            let (answer, table) = answer(&args, asked, cancelled, tell, &nobody, show)?;
            let document = document(&answer, table.as_ref());
            if matches!(ask.question, Posed::Contexts | Posed::Rounds) {
                let text = subject.source().text().to_owned();
                *self.last() = Some(Last { ask: ask.clone(), text, answer });
            }
            Ok(document)
        };
        answer().map_err(|failure| failure.to_string())
    }

    fn walk(&self, wander: &Wander) -> Result<Look, String> {
        let look = || -> Result<Look, Failure> {
            let args = self.args(&wander.ask)?;
            let subject = self.read(&args)?;
            steps::look(&args, &subject, wander)
        };
        look().map_err(|failure| failure.to_string())
    }

    fn memory(&self) -> u64 {
        memory::in_use() as u64
    }
}

/// The threads of a program, with the numbers that it begins with.
fn threads(input: Option<&Input>, given: &[(String, u32)]) -> Vec<ThreadCount> {
    let threads = match input {
        Some(Input::Program { program, .. }) => &program.threads[..],
        Some(Input::Tables { .. }) | None => &[],
    };
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
    counts
}

/// The constants of a program, with the values in its text.
fn constants(args: &PoseArgs, text: &str) -> Vec<Constant> {
    let Some(draft) = selvedge_frontend::draft(&args.input.file, text.to_owned()) else {
        return Vec::new();
    };
    let definitions = draft.names.definitions.into_iter();
    let constants = definitions.filter(|definition| definition.kind == Kind::Constant);
    let constant = |definition: selvedge_frontend::check::Definition| Constant {
        value: definition
            .text
            .rsplit_once('=')
            .map_or(String::new(), |(_, value)| value.trim().to_owned()),
        name: definition.name,
    };
    constants.map(constant).collect()
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    args.pose.check()?;
    let pose = args.pose.specified()?;
    let subject = input::load(&pose.input, output)?;
    subject.thread_counts()?;
    let file = output.file.clone().unwrap_or_default();
    let disk = Disk::new(&args.pose.input.file);
    let last = Mutex::new(None);
    let explored = Explored { args: pose, file, disk, last };
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
