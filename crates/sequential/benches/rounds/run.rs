//! One run, and what is measured.
//!
//! *Time* is what a person waits, *CPU* what the process worked, from reading the program on; on a
//! machine with other work to do, only the second one compares, and limits are on it. *Memory* is
//! the peak of the process. *Data* is the size of the problem as the paper counts it: the bits of
//! the shared variables once for each round, and those of the largest procedure.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use selvedge_analysis::engine::Verdict;
use selvedge_analysis::reduce::{Direction, Reduction};
use selvedge_analysis::{Budget, Stop};
use selvedge_core::{Declared, ProcId};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::Property;
use selvedge_program::{Lowering, ThreadCounts};
use selvedge_sequential::engine::{RoundsQuestion, check};
use selvedge_sequential::{Calls, Guesses, Options, Rounds};

use super::timed::timed;

/// How many KiB a run may have.
const MOST_MEMORY: u32 = 4 << 20;

/// A line of the table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What was run.
    pub case: String,
    /// Its numbers; none if the run broke off.
    pub measured: Option<Measured>,
    /// What came out.
    pub note: String,
}

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// Edges, bits of shared variables, bits of the largest procedure, and the rounds.
    pub size: [usize; 4],
    /// Wall-clock time in seconds.
    pub time: f64,
    /// Processor time in seconds.
    pub cpu: f64,
    /// The peak of the process in MiB.
    pub memory: f64,
}

impl Row {
    /// The head of the table.
    pub const TITLES: &'static str = "\
| section | case | edges | shared bits | local bits | rounds | data, log2 | time s | CPU s | memory MiB | note |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |";

    /// A line without numbers of its own.
    pub fn remark(case: &str, note: String) -> Self {
        Row { case: case.to_owned(), measured: None, note }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { case, measured, note } = self;
        let Some(Measured { size: [edges, shared, local, rounds], time, cpu, memory }) = measured
        else {
            return write!(f, "| {case} | | | | | | | | | {note} |");
        };
        let data = shared * rounds + local;
        write!(
            f,
            "| {case} | {edges} | {shared} | {local} | {rounds} | {data} | {time:.2} | {cpu:.2} | \
             {memory:.1} | {note} |"
        )
    }
}

/// A way to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Only what occurs after the last context: inputs of rounds, and values of calls.
    Near,
    /// Only what occurs after all contexts before: inputs of rounds, and values of calls.
    Lazy,
    /// All inputs of rounds.
    Eager,
    /// All inputs of rounds, and all values of calls.
    All,
    /// What the command line does: lazy, and shared variables are hidden where that is possible.
    Check,
    /// One pushdown system, forward.
    Pds,
    /// One pushdown system, backward.
    Backward,
}

impl Way {
    const ALL: [Way; 7] =
        [Way::Near, Way::Lazy, Way::Eager, Way::All, Way::Check, Way::Pds, Way::Backward];

    /// The direction of the reduction to one pushdown system.
    fn direction(self) -> Option<Direction> {
        match self {
            Way::Pds => Some(Direction::Forward),
            Way::Backward => Some(Direction::Backward),
            _ => None,
        }
    }

    fn options(self) -> Options {
        let guesses = match self {
            Way::Near => Guesses::Near,
            Way::Lazy | Way::Check | Way::Pds | Way::Backward => Guesses::Lazy,
            Way::Eager | Way::All => Guesses::Eager,
        };
        let calls = if self == Way::All { Calls::Eager } else { Calls::Lazy };
        Options { guesses, calls }
    }
}

/// A run to be made.
pub struct Case<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The program.
    pub file: &'a Path,
    /// How many rounds.
    pub rounds: usize,
    /// How they are explored.
    pub way: Way,
    /// How many seconds of processor time it may take.
    pub seconds: u64,
    /// Changed numbers of threads, `NAME=N`.
    pub threads: Option<String>,
}

impl Case<'_> {
    /// Makes the run in a process of its own.
    pub fn run(&self) -> Row {
        let this = std::env::current_exe().expect("a path of this program");
        let (this, file) = (this.to_string_lossy(), self.file.to_string_lossy());
        let way = format!("{:?}", self.way);
        let name = format!("{}, {}", self.name, way.to_lowercase());
        let (rounds, seconds) = (self.rounds.to_string(), self.seconds.to_string());
        let limited = format!("ulimit -v {MOST_MEMORY}; exec \"$@\"");
        let mut command =
            vec!["bash", "-c", &limited, "bash", &this, CHILD, &file, &rounds, &way, &seconds];
        command.extend(self.threads.as_deref());
        let (said, errors, cpu) = timed(&command).expect("bash");
        let numbers: Option<Vec<f64>> =
            said.lines().next().and_then(|line| line.split(' ').map(|n| n.parse().ok()).collect());
        let (Some(&[edges, shared, local, rounds, time, memory]), Some(note)) =
            (numbers.as_deref(), said.lines().nth(1))
        else {
            let last = errors.lines().rev().find(|line| !line.starts_with("cpu "));
            return Row::remark(&name, format!("broke off: {}", last.unwrap_or("no answer")));
        };
        let size = [edges, shared, local, rounds].map(|n| n as usize);
        let measured = Some(Measured { size, time, cpu, memory });
        Row { case: name, measured, note: note.to_owned() }
    }
}

/// The word that tells the process of a case from the benchmark.
pub const CHILD: &str = "--case";

/// What the process of a case does.
pub fn child(arguments: &[String]) {
    let [file, rounds, way, seconds, threads @ ..] = arguments else { panic!("four arguments") };
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let way = Way::ALL.into_iter().find(|w| format!("{w:?}") == *way).expect("a way");
    let seconds: u64 = seconds.parse().expect("a number of seconds");
    let mut counts = ThreadCounts::new();
    for count in threads {
        let (name, number) = count.split_once('=').expect("NAME=N");
        counts.insert(name.to_owned(), number.parse().expect("a number"));
    }
    let Ok(Input::Program { program, source, .. }) = load(file.as_ref(), &LoadOptions::default())
    else {
        panic!("not a program")
    };
    let start = Instant::now();
    let lowering = Lowering::new(program, source, &counts).expect("lowered");
    let budget = Budget { cancelled: vec![after(seconds)], ..Budget::default() };
    let note = if let Some(direction) = way.direction() {
        reduce(&lowering, rounds, direction, &budget)
    } else if way == Way::Check {
        answer(&lowering, rounds, way.options(), &budget)
    } else {
        let mut engine = Rounds::new(&lowering, rounds, way.options(), &budget).expect("starts");
        explore(&mut engine, rounds)
    };
    let time = start.elapsed().as_secs_f64();
    let bits = |slot: &Declared| {
        let count = slot.kind.span().map_or(1, |span| span.count);
        (u64::BITS - (count - 1).leading_zeros()) as usize
    };
    let shared: usize = lowering.code().shared.iter().map(bits).sum();
    let procs = (0..lowering.program().procs.len() as u32).map(ProcId);
    let local = procs.map(|proc| lowering.code().proc(proc).frame.iter().map(bits).sum::<usize>());
    let edges = lowering.code().edges.len();
    let memory = peak_memory();
    println!("{edges} {shared} {} {rounds} {time} {memory}", local.max().unwrap_or(0));
    println!("{note}");
}

/// Set after so many seconds of processor time of this process.
fn after(seconds: u64) -> Arc<AtomicBool> {
    let over = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&over);
    let start = Instant::now();
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(50));
            // The first number is the time of the first thread, in nanoseconds.
            let used = std::fs::read_to_string("/proc/self/schedstat").ok();
            let used = used.and_then(|text| text.split(' ').next()?.parse().ok());
            let used = used.map_or(start.elapsed(), Duration::from_nanos);
            if used.as_secs() >= seconds {
                return flag.store(true, Ordering::Relaxed);
            }
        }
    });
    over
}

/// The peak of this process in MiB; nothing where the system does not tell.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib / 1024.0)
}

fn answer(program: &Lowering, rounds: usize, options: Options, budget: &Budget) -> String {
    let properties = [Property::NeverWrong];
    let asked = RoundsQuestion { program, properties: &properties, evidence: false };
    match check(&asked, rounds, options, budget, &|_| {}).verdict {
        Verdict::Unsafe { bound, trace, .. } => {
            format!("violation in {bound}, a run of {} steps", trace.steps.len())
        }
        Verdict::Bounded { bound } => format!("no violation in {bound}"),
        verdict => format!("{verdict:?}"),
    }
}

fn reduce(program: &Lowering, rounds: usize, direction: Direction, budget: &Budget) -> String {
    let properties = [Property::NeverWrong];
    let mut reduction = match Reduction::new(program, &properties, direction, budget) {
        Ok(reduction) => reduction,
        Err(stop) => return format!("{stop}"),
    };
    while reduction.rounds().rounds < rounds && reduction.rounds().violated.is_none() {
        if reduction.advance(budget).is_err() {
            let round = reduction.rounds().rounds + 1;
            return format!("the time limit was reached in round {round}");
        }
    }
    let shared = reduction.shared().len();
    match reduction.rounds() {
        found if found.violated.is_some() => format!("violation in round {}", found.rounds),
        _ => format!("no violation; {shared} shared states"),
    }
}

fn explore(engine: &mut Rounds<'_>, rounds: usize) -> String {
    let mut verdict = "no violation".to_owned();
    for round in 1..=rounds {
        match engine.advance() {
            Ok(None) => {}
            Ok(Some(_)) => {
                verdict = format!("violation in round {round}");
                break;
            }
            Err(Stop::Cancelled) => {
                verdict = format!("the time limit was reached in round {round}");
                break;
            }
            Err(stop) => panic!("{stop}"),
        }
    }
    let seen = engine.seen().last().and_then(|seen| seen.shared);
    let seen = seen.map_or("very many".to_owned(), |number| number.to_string());
    let (reached, all) = (engine.places(), engine.space.lowering.code().locations.len());
    format!("{verdict}; {seen} shared states, {reached} of {all} places")
}
