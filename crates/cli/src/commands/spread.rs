//! # One question, several processes
//! With `--hosts`, each process of a host file is given the same question. The first one asks and answers; the others work for it, and end as it does.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args as ClapArgs;
use selvedge::{
    Answer, Blame, Bound, Elsewhere, EngineName, Failure, Options, Subject, refuses_elsewhere,
};
use selvedge_check::command::limits;
use selvedge_distribute::{
    Checkpoints, Fleet, Forms, Hosts, Identity, Member, PATIENCE, Secret, Spreader,
};

use super::engine::Limits;
use crate::exit::Exit;
use crate::guard;
use crate::output::Output;

/// The processes that explore together.
#[derive(ClapArgs, Clone, Debug, Default)]
pub struct SpreadArgs {
    /// Explore together with other processes: a file with a line `name:port` for each of them. Each is started with the same question and its own --process
    #[arg(long, value_name = "PATH", requires = "process", help_heading = "Several processes")]
    hosts: Option<PathBuf>,
    /// Which line of the host file this process is, from 0 on; process 0 gives the answer
    #[arg(long, value_name = "I", requires = "hosts", help_heading = "Several processes")]
    process: Option<usize>,
    /// A file with a secret of 16 bytes or more that all processes have; needed where an address is not on this machine
    #[arg(long, value_name = "PATH", requires = "hosts", help_heading = "Several processes")]
    secret_file: Option<PathBuf>,
    /// How long processes wait for each other at the start [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = limits::time, requires = "hosts", help_heading = "Several processes")]
    patience: Option<Duration>,
    /// End when the standard input does
    #[arg(long, hide = true)]
    tied: bool,
    #[command(flatten)]
    kept: CheckpointArgs,
}

/// Where checkpoints are.
#[derive(ClapArgs, Clone, Debug, Default)]
pub struct CheckpointArgs {
    /// Write what was explored to this directory after each bound, so that --resume can go on; single states, context by context, are explored then
    #[arg(long, value_name = "DIR", help_heading = "Several processes")]
    checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint in this directory, with any number of processes
    #[arg(long, value_name = "DIR", help_heading = "Several processes")]
    resume: Option<PathBuf>,
}

/// What a process has to do.
pub enum Part {
    /// Answers alone.
    Alone(Options),
    /// Asks, and answers.
    Asks(Options, Arc<Spreader>),
    /// Has worked for another one.
    Worked(Exit),
}

impl SpreadArgs {
    /// The first process, with others on this machine.
    pub fn on_this_machine(hosts: PathBuf, secret: PathBuf, kept: &CheckpointArgs) -> Self {
        let (hosts, secret_file, kept) = (Some(hosts), Some(secret), kept.clone());
        SpreadArgs { hosts, process: Some(0), secret_file, kept, ..SpreadArgs::default() }
    }

    /// The limits that this process has for itself: how long a run takes is for the one to decide that asks.
    pub fn watched(&self, limits: &Limits) -> Limits {
        match self.process {
            None | Some(0) => limits.clone(),
            Some(_) => Limits { timeout: None, ..limits.clone() },
        }
    }

    /// Meets the other processes, if there are some, and works for them if one of them asks.
    pub fn part(
        &self,
        subject: &Subject,
        bound: Option<Bound>,
        options: Options,
        jobs: Option<usize>,
        output: &mut Output,
    ) -> Result<Part, Failure> {
        let CheckpointArgs { checkpoint, resume } = &self.kept;
        if self.hosts.is_none() && checkpoint.is_none() && resume.is_none() {
            return Ok(Part::Alone(options));
        }
        if self.tied {
            end_with_input();
        }
        if let Some(why) = refuses_elsewhere(subject, bound, options.engine) {
            return Err(why);
        }
        let process = self.process.unwrap_or(0);
        let timeout = if process == 0 { options.limits.timeout } else { None };
        let options = Options {
            engine: EngineName::Explicit,
            limits: selvedge::Limits { timeout, ..options.limits.clone() },
            ..options
        };
        let jobs = jobs.unwrap_or(1);
        let identity = identity(subject, bound, &options);
        // What was explored does not depend on how far it was to go.
        let question = self::identity(subject, None, &options).digest();
        let checkpoints = Checkpoints { save: checkpoint.clone(), load: resume.clone(), question };
        let unusable = |why| Failure::Message(Blame::File, why);
        checkpoints.prepare().map_err(unusable)?;
        let forms = Forms::new(subject.clone(), bound, options.clone(), checkpoints);
        let forms = Arc::new(forms);
        let lost = |why: String| Failure::Message(Blame::System, why);
        let asks = |fleet: Fleet, forms: Arc<Forms>| {
            let spreader = Arc::new(Spreader::new(fleet, forms, jobs));
            let elsewhere = Some(Arc::clone(&spreader) as Arc<dyn Elsewhere>);
            Part::Asks(Options { elsewhere, ..options.clone() }, spreader)
        };
        let Some(path) = &self.hosts else {
            let fleet = Fleet::local(jobs, Arc::clone(&forms) as _).map_err(lost)?;
            return Ok(asks(fleet, forms));
        };
        let (hosts, secret) = self.others(path, process)?;
        let member = Member {
            identity,
            hosts,
            process,
            jobs,
            secret,
            patience: self.patience.unwrap_or(PATIENCE),
            cancelled: Arc::clone(&options.limits.cancelled),
        };
        if process == 0 {
            let fleet = member.ask(Arc::clone(&forms) as _).map_err(lost)?;
            return Ok(asks(fleet, forms));
        }
        let as_subject: Arc<dyn selvedge_distribute::Subject> = Arc::clone(&forms) as _;
        let worked = member.work(&as_subject).and_then(selvedge_distribute::Serving::serve);
        guard::answers();
        worked.map_err(lost)?;
        output.note(&format!("process {process} has done its work; process 0 has the answer"));
        Ok(Part::Worked(Exit::of_code(forms.code())))
    }

    /// Where the others are, and what all of them know.
    fn others(&self, path: &Path, process: usize) -> Result<(Hosts, Secret), Failure> {
        let wrong = |path: &Path, why| Failure::input(format!("{}: {why}", path.display()));
        let text = read(path)?;
        let hosts =
            Hosts::parse(&String::from_utf8_lossy(&text)).map_err(|why| wrong(path, why))?;
        if process >= hosts.len() {
            return Err(Failure::usage(format!(
                "--process {process}: the last process of {} is {}",
                path.display(),
                hosts.len() - 1
            )));
        }
        let secret = match &self.secret_file {
            Some(path) => Secret::new(&read(path)?).map_err(|why| wrong(path, why))?,
            None if hosts.are_local() => Secret::none(),
            None => {
                return Err(Failure::usage(
                    "the host file has addresses beyond this machine: give all processes the same --secret-file, so that \
                     nobody else can join (`openssl rand -hex 32` makes a secret)",
                ));
            }
        };
        Ok((hosts, secret))
    }
}

/// Tells the other processes that there is an answer, or none.
pub fn ended(
    answer: Result<&'static Answer, Failure>,
    spreader: Option<Arc<Spreader>>,
    output: &mut Output,
) -> Result<&'static Answer, Failure> {
    if let Some(spreader) = spreader {
        spreader.notes().iter().for_each(|note| output.note(note));
        let exit = match &answer {
            Ok(answer) => Exit::from(answer.name()),
            Err(failure) => Exit::from(failure),
        };
        spreader.end(exit as u8);
    }
    answer
}

/// What all processes have to have in common.
fn identity(subject: &Subject, bound: Option<Bound>, options: &Options) -> Identity {
    let mut words = String::new();
    let Options { symmetry, reduction, deadlock, .. } = options;
    // What is written to a string is always written.
    let _ = write!(
        words,
        "{bound:?} {:?} symmetry {symmetry} reduction {reduction} {deadlock:?}",
        subject.options()
    );
    Identity::new(env!("CARGO_PKG_VERSION"), subject.source().text(), &words)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|why| Failure::unreadable(path, &why))
}

/// Ends this process when its standard input ends: whoever started it is gone then.
fn end_with_input() {
    let watch = || {
        let mut input = std::io::stdin().lock();
        let mut bytes = [0; 64];
        while input.read(&mut bytes).is_ok_and(|read| read > 0) {}
        process::exit(Exit::Unknown as i32);
    };
    let _ = thread::Builder::new().name("tied".to_owned()).spawn(watch);
}
