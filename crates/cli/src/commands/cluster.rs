//! `selvedge cluster`: several processes on this machine explore together, for a try.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use clap::Args as ClapArgs;
use selvedge::{Blame, Bound, Failure, Options, VerdictName, check, default_memory_limit, verify};
use selvedge_distribute::Secret;

use super::engine::Limits;
use super::search::{NoDeadlock, SearchArgs};
use super::spread::{CheckpointArgs, Part, SpreadArgs, ended};
use crate::args::{InputArgs, number};
use crate::exit::Exit;
use crate::guard;
use crate::input;
use crate::output::Output;
use selvedge_check::command::Interrupt;

/// The most processes that are started on one machine.
const MOST: usize = 64;

/// How often to look whether a process has ended.
const OFTEN: Duration = Duration::from_millis(20);

/// How long a process may take to end once the answer is there.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long it may take where there is no answer.
const SOON: Duration = Duration::from_secs(1);

/// Explore with several processes on this machine, each with a share of the states
///
/// Starts the processes, which find each other over loopback, and answers as `verify` does, or as `check` with --contexts. For several
/// machines, write the name and a port of each into a file, a line for each process, and start the same `selvedge verify` (or `check`) on
/// all of them, with --hosts FILE, --secret-file FILE and its own --process I, counted from 0; process 0 prints the answer.
///
/// Ends as `verify` and `check` end.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// How many processes
    #[arg(long, value_name = "N", value_parser = processes, default_value = "2", allow_negative_numbers = true)]
    processes: usize,
    /// The largest number of contexts [default: any number]
    #[arg(long, value_name = "K", value_parser = number, allow_negative_numbers = true)]
    contexts: Option<usize>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    deadlocks: NoDeadlock,
    #[command(flatten)]
    kept: CheckpointArgs,
}

/// Reads a number of processes.
fn processes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=MOST) => Ok(number),
        _ => Err(format!("write a number of processes, from 1 to {MOST}")),
    }
}

impl Args {
    /// The limits within which there is an answer, and the file that it is about.
    pub fn watched(&self) -> (Limits, &Path) {
        (self.search.engine.limits.clone(), &self.input.file)
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install(guard::interrupted);
    let start = Instant::now();
    let subject = input::load(&args.input, output)?;
    let bound = args.contexts.map(Bound::contexts);
    let mut limits = args.search.engine.limits.clone();
    limits.memory = limits.memory.or_else(|| Some(default_memory_limit()? / args.processes));
    let options =
        args.search.options(args.deadlocks.no_deadlock, limits.until(start, interrupt.flag()));
    // What cannot be asked is said before anybody is started.
    if let Some(why) = selvedge::refuses_elsewhere(&subject, bound, options.engine) {
        return Err(why);
    }
    let others = Others::start(args, limits.memory)?;
    let spread = others.spread(&options.limits.cancelled, &args.kept);
    let met = spread.part(&subject, bound, options, args.search.engine.jobs, output);
    others.has_met.store(true, Ordering::Relaxed);
    let (options, spreader) = match met {
        Ok(Part::Asks(options, spreader)) => (options, Some(spreader)),
        Ok(Part::Alone(options)) => (options, None),
        Ok(Part::Worked(exit)) => return Ok(exit),
        Err(why) => {
            let words = others.words_of_ended();
            return Err(words.map_or(why, |words| Failure::Message(Blame::System, words)));
        }
    };
    let ask = |options: &Options| match bound {
        None => verify(&subject, options),
        Some(bound) => check(&subject, bound, options),
    };
    let answer = args.search.answer.ask(&args.input, options, output, bound, ask);
    let answer = ended(answer, spreader, output)?;
    let is_unknown = answer.name() == VerdictName::Unknown;
    if let Some(words) = others.words_of_ended().filter(|_| is_unknown) {
        output.note(&words);
    }
    // Who hangs is not waited for.
    others.end(if is_unknown { SOON } else { FAREWELL });
    args.search.answer.print(answer, output)
}

/// The other processes, and a folder for what they are given. All of them end with this.
struct Others {
    folder: PathBuf,
    children: Arc<Mutex<Vec<Child>>>,
    /// Whether the run has begun.
    has_met: Arc<AtomicBool>,
}

impl Others {
    fn start(args: &Args, memory: Option<usize>) -> Result<Self, Failure> {
        let folder = private_folder()?;
        let others = Others { folder, children: Arc::default(), has_met: Arc::default() };
        let unwritable = |path: &Path, why: io::Error| Failure::unwritable(path, &why);
        let ports = free_ports(args.processes)
            .map_err(|why| Failure::Message(Blame::System, format!("no port is free: {why}")))?;
        let lines: String = ports.iter().map(|port| format!("127.0.0.1:{port}\n")).collect();
        let secret = Secret::random().map_err(|why| Failure::Message(Blame::System, why))?;
        for (path, text) in [(others.hosts(), lines), (others.secret(), secret)] {
            let written = File::create(&path).and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|why| unwritable(&path, why))?;
        }
        let program = env::current_exe().map_err(|why| {
            Failure::Message(
                Blame::System,
                format!("this program does not know where it is: {why}"),
            )
        })?;
        for process in 1..args.processes {
            let path = others.words(process);
            let words = File::create(&path).map_err(|why| unwritable(&path, why))?;
            let mut command = Command::new(&program);
            command.args(others.line(args, process, memory));
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(words);
            // Ctrl-C is for this process, which tells the others.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let child = command.spawn().map_err(|why| {
                Failure::Message(
                    Blame::System,
                    format!("process {process} cannot be started: {why}"),
                )
            })?;
            lock(&others.children).push(child);
        }
        Ok(others)
    }

    fn hosts(&self) -> PathBuf {
        self.folder.join("hosts")
    }

    fn secret(&self) -> PathBuf {
        self.folder.join("secret")
    }

    /// Where a process says what is wrong.
    fn words(&self, process: usize) -> PathBuf {
        self.folder.join(format!("process-{process}"))
    }

    /// The command line of a process: the one that was typed, as `verify` or `check`.
    fn line(&self, args: &Args, process: usize, memory: Option<usize>) -> Vec<OsString> {
        let mut typed = env::args_os().skip(1);
        let mut line: Vec<OsString> = typed.by_ref().take_while(|word| word != "cluster").collect();
        line.push(if args.contexts.is_some() { "check" } else { "verify" }.into());
        line.extend(["--hosts".into(), self.hosts().into(), "--process".into()]);
        line.push(process.to_string().into());
        line.extend(["--secret-file".into(), self.secret().into(), "--tied".into()]);
        if let (Some(memory), None) = (memory, args.search.engine.limits.memory) {
            line.extend(["--memory".into(), format!("{memory}B").into()]);
        }
        let mut is_plain = false;
        while let Some(word) = typed.next() {
            is_plain |= word == "--";
            let text = word.to_string_lossy();
            if !is_plain && text == "--processes" {
                typed.next();
            } else if is_plain || !text.starts_with("--processes=") {
                line.push(word);
            }
        }
        line
    }

    /// How this process finds the others. If one of them ends before that, the wait ends as well.
    fn spread(&self, cancelled: &Arc<AtomicBool>, kept: &CheckpointArgs) -> SpreadArgs {
        let (has_met, children) = (Arc::clone(&self.has_met), Arc::clone(&self.children));
        let cancelled = Arc::clone(cancelled);
        let watch = move || {
            while !has_met.load(Ordering::Relaxed) {
                if lock(&children).iter_mut().any(|child| !matches!(child.try_wait(), Ok(None))) {
                    return cancelled.store(true, Ordering::Relaxed);
                }
                thread::sleep(OFTEN);
            }
        };
        // Without it, the wait takes as long as it takes.
        let _ = thread::Builder::new().name("others".to_owned()).spawn(watch);
        SpreadArgs::on_this_machine(self.hosts(), self.secret(), kept)
    }

    /// What processes said that have ended although nobody told them to.
    fn words_of_ended(&self) -> Option<String> {
        for (process, child) in (1..).zip(lock(&self.children).iter_mut()) {
            if let Ok(Some(status)) = child.try_wait() {
                let words = fs::read_to_string(self.words(process)).unwrap_or_default();
                let words = words.trim().trim_start_matches("error: ");
                return Some(match words {
                    "" => format!("process {process} has ended: {status}"),
                    words => format!("process {process}: {words}"),
                });
            }
        }
        None
    }

    /// Waits for those that end by themselves, and ends the rest.
    fn end(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut children = lock(&self.children);
        for child in children.iter_mut() {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                thread::sleep(OFTEN);
            }
        }
        stop(&mut children);
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        stop(&mut lock(&self.children));
        // What is left there is a secret that nobody uses any more.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Ends processes, and sees that they have ended.
fn stop(children: &mut Vec<Child>) {
    for child in children.iter_mut() {
        let _ = child.kill();
    }
    for mut child in children.drain(..) {
        let _ = child.wait();
    }
}

fn lock(children: &Mutex<Vec<Child>>) -> MutexGuard<'_, Vec<Child>> {
    children.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that nobody else can read.
fn private_folder() -> Result<PathBuf, Failure> {
    let name = Secret::random().map_err(|why| Failure::Message(Blame::System, why))?;
    let folder = env::temp_dir().join(format!("selvedge-{}", &name[..16]));
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(|why| Failure::unwritable(&folder, &why))?;
    Ok(folder)
}

/// Ports of this machine at which nobody listens.
fn free_ports(number: usize) -> io::Result<Vec<u16>> {
    let listening: io::Result<Vec<TcpListener>> =
        (0..number).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect();
    listening?.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}
