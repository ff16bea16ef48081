//! # The solver
//! An SMT solver as a process that is spoken to through SMT-LIB 2: `z3` unless another one is named.
//! Whatever it does (is missing, hangs, dies, does not know, talks nonsense) is a [`SolverError`]
//! with a reason, never a wrong answer: only `unsat` and `sat` count.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::sexpr::Sexpr;
use crate::term::Val;

/// The solver that is used if none is named.
pub const DEFAULT: &str = "z3";

/// How often it is asked whether to go on while the solver thinks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Longer answers are nonsense.
const LONGEST_ANSWER: usize = 1 << 24;

/// Which solver, and how patient to be.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// The name of the program, or the path to it.
    pub program: String,
    /// How long it may think about one question.
    pub patience: Duration,
    /// Whether it is asked which of the named assertions were needed.
    pub cores: bool,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            program: DEFAULT.to_owned(),
            patience: Duration::from_secs(10),
            cores: false,
        }
    }
}

/// Why the solver has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverError {
    /// It cannot be started.
    Missing {
        /// The program that was to be started.
        program: String,
        /// Why it could not be started, if that is known.
        why: Option<String>,
    },
    /// The solver ended, or closed its output.
    Died,
    /// The solver thought for too long about one question.
    Slow(Duration),
    /// The solver was told to stop.
    Stopped,
    /// The solver does not know the answer, for this reason.
    Unknown(String),
    /// The solver's output is no answer.
    Garbled(String),
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::Missing { program, why } => {
                write!(f, "this needs an SMT solver, and ")?;
                match why {
                    None => write!(f, "there is no `{program}` here")?,
                    Some(why) => write!(f, "`{program}` cannot be started ({why})")?,
                }
                write!(f, ": install the package `z3`, or name another solver with --solver")
            }
            SolverError::Died => f.write_str("the solver ended in the middle of a question"),
            SolverError::Slow(patience) => write!(
                f,
                "the solver thought about one question for more than {} s",
                patience.as_secs_f32()
            ),
            SolverError::Stopped => f.write_str("the solver was stopped"),
            SolverError::Unknown(why) => write!(f, "the solver does not know: {why}"),
            SolverError::Garbled(answer) => {
                write!(f, "the solver gave an answer that is none: {answer}")
            }
        }
    }
}

impl std::error::Error for SolverError {}

/// Whether a question has a solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sat {
    /// Yes, and these are the values that were asked for.
    Yes(Vec<Val>),
    /// There is no solution.
    No,
}

/// A running solver process.
pub struct Solver {
    child: Child,
    /// Commands for the solver: a thread of its own writes them, since the solver may not read.
    input: Sender<String>,
    lines: Receiver<String>,
    patience: Duration,
    /// How many questions it was asked.
    pub asked: usize,
}

/// A question: declarations and assertions as text, and what to evaluate if there is a solution.
#[derive(Clone, Default, Debug)]
pub struct Query {
    /// SMT-LIB commands.
    pub text: String,
    /// Terms whose values are wanted.
    pub values: Vec<String>,
}

impl Query {
    /// The question as a file of its own.
    #[must_use]
    pub fn script(&self, about: &str) -> String {
        format!("; {about}\n; expected: unsat\n(set-logic ALL)\n{}(check-sat)\n", self.text)
    }
}

impl Solver {
    /// Starts a solver.
    pub fn start(options: &SolverOptions) -> Result<Solver, SolverError> {
        let program = &options.program;
        let missing = |error: io::Error| {
            let text = error.to_string();
            let why = text.split(" (os error").next().map(str::to_owned);
            let why = why.filter(|_| error.kind() != io::ErrorKind::NotFound);
            SolverError::Missing { program: program.clone(), why }
        };
        let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
        let arguments: &[&str] = match name.as_deref() {
            Some("cvc5" | "cvc4") => &["--lang=smt2", "--incremental"],
            Some("yices-smt2") => &["--incremental"],
            Some("mathsat") => &[],
            _ => &["-in"],
        };
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A group of its own: what it starts is ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(missing)?;
        running().push(child.id());
        let (Some(mut stdin), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(SolverError::Died);
        };
        let (send, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let (input, texts) = mpsc::channel::<String>();
        thread::spawn(move || {
            for text in texts {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let mut solver = Solver { child, input, lines, patience: options.patience, asked: 0 };
        if options.cores {
            solver.say("(set-option :produce-unsat-cores true)\n")?;
            if name.as_deref() == Some("z3") {
                solver.say("(set-option :smt.core.minimize true)\n")?;
            }
        }
        solver.say("(set-option :produce-models true)\n(set-logic ALL)\n")?;
        Ok(solver)
    }

    /// Asks a question, and waits for the answer unless `stop` says not to.
    pub fn ask(&mut self, query: &Query, stop: &dyn Fn() -> bool) -> Result<Sat, SolverError> {
        self.asked += 1;
        self.say(&format!("(push 1)\n{}(check-sat)\n", query.text))?;
        let deadline = Instant::now() + self.patience;
        let answer = self.line(deadline, stop)?;
        let sat = match answer.trim() {
            "unsat" => Sat::No,
            "sat" => Sat::Yes(self.values(&query.values, deadline, stop)?),
            "unknown" => return Err(SolverError::Unknown("it gives up".to_owned())),
            "timeout" => return Err(SolverError::Slow(self.patience)),
            other => return Err(SolverError::Garbled(other.chars().take(200).collect())),
        };
        self.say("(pop 1)\n")?;
        Ok(sat)
    }

    /// Asks a question that should have no solution; the names of the assertions that exclude one.
    /// `None` if there is one.
    pub fn core(
        &mut self,
        query: &Query,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<String>>, SolverError> {
        self.asked += 1;
        self.say(&format!("(push 1)\n{}(check-sat)\n", query.text))?;
        let deadline = Instant::now() + self.patience;
        let answer = self.line(deadline, stop)?;
        let core = match answer.trim() {
            "unsat" => {
                self.say("(get-unsat-core)\n")?;
                let Sexpr::List(names) = self.expression(deadline, stop)? else {
                    return Err(SolverError::Garbled("no core".to_owned()));
                };
                let word = |name: Sexpr| match name {
                    Sexpr::Word(word) => Some(word),
                    Sexpr::List(_) => None,
                };
                Some(names.into_iter().filter_map(word).collect())
            }
            "sat" => None,
            other => return Err(SolverError::Unknown(other.chars().take(200).collect())),
        };
        self.say("(pop 1)\n")?;
        Ok(core)
    }

    /// An answer that may have several lines.
    fn expression(
        &mut self,
        deadline: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Result<Sexpr, SolverError> {
        let mut text = String::new();
        loop {
            text += &self.line(deadline, stop)?;
            text.push('\n');
            if let Some(found) = Sexpr::parse(&text) {
                return Ok(found);
            }
            if text.len() > LONGEST_ANSWER {
                return Err(SolverError::Garbled("too long".to_owned()));
            }
        }
    }

    fn values(
        &mut self,
        terms: &[String],
        deadline: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Val>, SolverError> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        self.say(&format!("(get-value ({}))\n", terms.join(" ")))?;
        let Sexpr::List(list) = self.expression(deadline, stop)? else {
            return Err(SolverError::Garbled("no list of values".to_owned()));
        };
        let value = |pair: &Sexpr| match pair {
            Sexpr::List(pair) => pair.get(1).and_then(Sexpr::constant),
            Sexpr::Word(_) => None,
        };
        let values: Option<Vec<Val>> = list.iter().map(value).collect();
        values
            .filter(|values| values.len() == terms.len())
            .ok_or_else(|| SolverError::Garbled("a value that is none".to_owned()))
    }

    fn say(&mut self, text: &str) -> Result<(), SolverError> {
        self.input.send(text.to_owned()).map_err(|_| SolverError::Died)
    }

    fn line(&mut self, deadline: Instant, stop: &dyn Fn() -> bool) -> Result<String, SolverError> {
        loop {
            match self.lines.recv_timeout(LOOK_EVERY) {
                Ok(line) if line.trim().is_empty() || line.trim() == "success" => {}
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(SolverError::Died),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Also after lines that say nothing: there may be no end of them.
            if stop() {
                return Err(SolverError::Stopped);
            }
            if Instant::now() > deadline {
                return Err(SolverError::Slow(self.patience));
            }
        }
    }
}

impl Drop for Solver {
    /// Ends the solver and all that it has started.
    fn drop(&mut self) {
        let group = self.child.id();
        end_groups(&[group]);
        // The solver may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        running().retain(|&other| other != group);
    }
}

/// The groups of the solvers that run.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<u32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all solvers, and all that they have started: for a process that is about to end without dropping anything.
pub fn end_all() {
    let groups = std::mem::take(&mut *running());
    if !groups.is_empty() {
        end_groups(&groups);
    }
}

/// Ends groups of processes, where there are such groups.
fn end_groups(groups: &[u32]) {
    if cfg!(unix) {
        let mut kill = Command::new("kill");
        kill.args(["-KILL", "--"]).args(groups.iter().map(|group| format!("-{group}")));
        kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Where there is no such command, the solver itself is ended all the same.
        let _ = kill.status();
    }
}
