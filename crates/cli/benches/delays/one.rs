//! One run, in a process of its own.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use selvedge_analysis::engine::delays::{Options, explore};
use selvedge_analysis::engine::{Method, Proof, Question, Verdict};
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Observe};
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{State, System, Tables, Thread};

use super::published::{self, Reading, Sets};

/// The engines that are compared.
pub const ENGINES: [&str; 5] =
    ["published", "delays", "delays, symmetry", "contexts", "contexts, symmetry"];

/// How many symbols of each stack are observed.
const TOP: usize = 2;

/// What a run found and took.
#[derive(Clone, Copy, Debug)]
pub struct Result {
    /// How many abstract states there are.
    pub abstract_states: Option<usize>,
    /// The rounds and delays at the end of the plateau.
    pub bound: Option<(usize, usize)>,
    /// The images before the last plateau and on it.
    pub images: Option<(u64, u64)>,
    /// How many states are kept.
    pub states: u64,
    /// Wall-clock time in seconds, without reading the file.
    pub time: f64,
    /// The largest size of the process in bytes.
    pub memory: u64,
}

impl Result {
    /// Reads what [`run`] prints.
    pub fn read(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [seen, rounds, delays, before, after, states, time, memory] = fields[..] else {
            return None;
        };
        let pair = |a: &str, b: &str| Some((a.parse().ok()?, b.parse().ok()?));
        Some(Result {
            abstract_states: seen.parse().ok(),
            bound: pair(rounds, delays).map(|(r, d): (u64, u64)| (r as usize, d as usize)),
            images: pair(before, after),
            states: states.parse().ok()?,
            time: time.parse().ok()?,
            memory: memory.parse().ok()?,
        })
    }
}

/// Runs an engine on a file and prints what it found and took.
pub fn run(engine: &str, file: &Path) {
    let Ok(Input::Tables { input, .. }) = load(file, &LoadOptions::default()) else { return };
    let system = input.tables;
    let start = Instant::now();
    let found = match engine {
        "published" => published(&system, None, false),
        "delays" => delays(&system, false),
        "delays, symmetry" => delays(&system, true),
        _ if engine.starts_with(ORDER) => in_order(&system, &engine[ORDER.len()..]),
        _ => contexts(&system, engine.ends_with("symmetry")),
    };
    let Some((seen, states)) = found else { return };
    let time = start.elapsed().as_secs_f64();
    println!("{seen} {states} {time} {}", peak_memory());
}

/// Abstract states, rounds, delays and images as text, and the number of states.
type Found = Option<(String, u64)>;

/// The published algorithm with states in a random order: a seed, and whether delays may run past the
/// last round.
pub const ORDER: &str = "published in order ";

fn in_order(system: &Tables, order: &str) -> Found {
    let (seed, past) = order.split_once(' ')?;
    published(system, Some(seed.parse().ok()?), past == "past")
}

fn published(system: &Tables, order: Option<u64>, runs_over: bool) -> Found {
    let top = |state: &State| {
        let top = |thread: &Thread| thread.stack.iter().take(TOP).collect::<Vec<_>>();
        (state.shared, state.threads.iter().map(top).collect::<Vec<_>>())
    };
    let reading = Reading::new(Sets::OneForDelays, system.threads().len());
    let reading = Reading { order, runs_over, ..reading };
    let run = published::run(system, top, reading, usize::MAX)?;
    let seen: HashSet<_> = run.states().map(top).collect();
    let states: HashSet<&State> = run.states().collect();
    let (before, after) = (run.images_before, run.images_on_plateau);
    let text = format!("{} {} {} {before} {after}", seen.len(), run.rounds, run.delays);
    Some((text, states.len() as u64))
}

fn delays(system: &Tables, symmetry: bool) -> Found {
    let question =
        Question { system, properties: &[], method: Method::Auto, symmetry, evidence: false };
    let options = Options { observe: Some(Observe::top(TOP)), ..Options::default() };
    let (outcome, effort) = explore(&question, &options, &Budget::default(), &|_| {});
    let Verdict::Safe(Proof::Closure { bound, .. } | Proof::Repetition { bound }) = outcome.verdict
    else {
        return None;
    };
    let Bound { count: rounds, resource: Resource::RoundRobin { delays, .. } } = bound else {
        return None;
    };
    let (seen, before) = (effort.abstract_states, effort.images_before);
    let text = format!("{seen} {rounds} {delays} {before} {}", effort.images - before);
    Some((text, outcome.stored() as u64))
}

fn contexts(system: &Tables, symmetry: bool) -> Found {
    let mut explorer = ContextExplorer::new(system, Stacks::up_to(64), symmetry).ok()?;
    while !explorer.has_collapsed() {
        // Contexts that are infinite cannot be listed.
        explorer.advance(&Budget::default()).ok()?;
    }
    Some(("- - - - -".to_owned(), explorer.stored().0 as u64))
}

/// The largest size of this process so far, as the system counts it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
