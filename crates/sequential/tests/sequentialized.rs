//! The reduction as a program transform: for every example, the sequential program of K rounds is
//! parsed, checked, and gives the same answer when it is verified as the original does within K
//! rounds. Or it is refused, with a reason. No example is left out.
//!
//! Integers without bounds cannot be guessed, so that such programs are refused from two rounds on,
//! and many have no end even in one. They are compared again with a range for each `int`.
//!
//! What takes long is compared by `scripts/compare-rounds`, in an optimised build, together with
//! all the rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use selvedge_analysis::engine::{self, Candidate, FAVOURED, Method, Outcome, Question, Verdict};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::replay;
use selvedge_frontend::tables::{can_express, to_program};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Property, System};
use selvedge_program::sequentialize::{NotSequential, sequentialize};
use selvedge_program::{Count, Lowering, Program, Source, ThreadCounts, Type, print};
use selvedge_sequential::Options;
use selvedge_sequential::engine::{self as summaries, RoundsQuestion};

/// Rounds that are asked about.
const MOST_ROUNDS: usize = 3;

/// How much work an answer may take; those that are asked for in every run of the tests take far less.
const LIMIT: u64 = 1 << 30;

/// How much work is done for an answer that may have no end.
const SHORT: u64 = 1 << 20;

/// How much work states are followed for before summaries take turns with them.
const HEAD_START: u64 = 1 << 20;

/// How much memory may be in use.
const MEMORY: usize = 4 << 30;

/// Examples that take longer than about a second from so many rounds on.
const SLOW: [(&str, usize); 44] = [
    ("any/reader-writer.weave", 3),
    ("bluetooth/bluetooth1.weave", 3),
    ("bluetooth/bluetooth2.weave", 3),
    ("bluetooth/bluetooth3.weave", 3),
    ("context-bounded/fig1-cancel.weave", 2),
    ("cuba/fig2.cpds", 3),
    ("delays/bakery-broken.weave with int[0..3]", 2),
    ("delays/bakery.weave with int[0..3]", 2),
    ("delays/barrier-broken.weave with int[0..3]", 2),
    ("delays/barrier.weave with int[0..3]", 2),
    ("delays/cas-counter.weave with int[-1..11]", 2),
    ("delays/program-p.weave with int[0..3]", 2),
    ("delays/sequence-lock-broken.weave with int[0..3]", 2),
    ("delays/sequence-lock.weave with int[0..3]", 2),
    ("delays/ticket-lock-broken.weave with int[0..3]", 2),
    ("delays/ticket-lock.weave with int[-1..3]", 3),
    ("hard/mutual-recursion.weave", 2),
    ("hard/reentrant-lock.weave", 2),
    ("hard/tree-walk.weave", 2),
    ("hard/work-stealing.weave", 2),
    ("locks/dekker.weave", 3),
    ("locks/filter.weave with N=2", 3),
    ("locks/peterson-swapped.weave", 3),
    ("locks/peterson.weave", 3),
    ("locks/philosophers-ordered.weave", 3),
    ("locks/philosophers.weave", 3),
    ("locks/reader-writer.weave", 2),
    ("sequentialization/carry.weave", 2),
    ("sequentialization/fig1-after.weave", 2),
    ("start/mutex.weave", 3),
    ("start/parity.weave", 3),
    ("start/race.weave", 3),
    ("start/recursion.weave", 3),
    ("structures/accounts.weave", 2),
    ("structures/free-slots.weave", 1),
    ("structures/requests.weave", 1),
    ("structures/ring.weave", 1),
    ("structures/stack-aba.weave", 2),
    ("structures/treiber-stack-tagged.weave", 2),
    ("structures/treiber-stack.weave", 2),
    ("structures/bounded-buffer-one.weave", 2),
    ("structures/bounded-buffer.weave", 2),
    ("structures/connections.weave", 3),
    ("structures/phases.weave", 2),
];

/// Examples that are too large from so many rounds on; that they are parsed and checked is all that
/// is looked at then.
const TOO_LARGE: [(&str, usize); 17] = [
    ("delays/cas-counter.weave with int[-1..11]", 3),
    ("hard/mutual-recursion.weave", 3),
    ("hard/reentrant-lock.weave", 3),
    ("hard/tree-walk.weave", 3),
    ("hard/work-stealing.weave", 3),
    ("livelock/fig3b-optimistic-list.weave", 2),
    ("locks/filter.weave", 2),
    ("locks/reader-writer.weave", 3),
    ("sequentialization/fig1-after.weave", 3),
    ("structures/accounts.weave", 2),
    ("structures/free-slots.weave", 2),
    ("structures/requests.weave", 2),
    ("structures/ring.weave", 2),
    ("structures/stack-aba.weave", 2),
    ("structures/treiber-stack-tagged.weave", 3),
    ("structures/treiber-stack.weave", 3),
    ("structures/two-phase-commit.weave", 2),
];

/// Examples that are compared in a smaller size, too.
const SMALLER: [(&str, &str, i64); 1] = [("locks/filter.weave", "N", 2)];

/// What stands for `int` where there has to be an end: the first that the text fits into.
const RANGES: [&str; 3] = ["int[0..3]", "int[-1..3]", "int[-1..11]"];

/// What became of an example with a number of rounds.
#[derive(Debug)]
enum Row {
    /// Both have this answer: whether something goes wrong; and how long each took.
    Same(bool, [Duration; 2]),
    /// There is no sequential program.
    Refused(String),
    /// Not asked about in this run.
    Slow,
    /// Not asked about at all.
    TooLarge,
    /// The integers have no end, and what they can be neither.
    Endless,
    /// One of the two has no answer in time.
    Unknown(String),
}

/// How many bytes are in use, where that is known.
fn memory_in_use() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.map_or(0, |pages| pages * 4096)
}

/// Whether a program goes wrong; or why there is no answer. What goes wrong is replayed.
fn answer(program: &Lowering, outcome: &Outcome) -> Result<bool, String> {
    match &outcome.verdict {
        Verdict::Safe(_) | Verdict::Bounded { .. } => Ok(false),
        Verdict::Unsafe { trace, .. } => {
            let states = replay(program, trace).expect("it replays");
            assert!(states.last().is_some_and(|state| program.wrong(state.shared).is_some()));
            Ok(true)
        }
        Verdict::Unknown { stop, .. } => Err(stop.to_string()),
    }
}

/// Asks, as the commands `check --rounds` and `verify` do.
fn ask(program: &Lowering, rounds: Option<usize>, limit: u64) -> (Result<bool, String>, Duration) {
    let question = Question {
        system: program,
        properties: &[Property::NeverWrong],
        method: Method::Auto,
        symmetry: true,
        evidence: false,
    };
    let start = Instant::now();
    let (memory, memory_in_use) = (Some(MEMORY), Some(memory_in_use as fn() -> usize));
    let budget = Budget { memory, memory_in_use, ..Budget::default() }.with_work(limit);
    let by_states = |budget: &Budget| match rounds {
        Some(rounds) => engine::check(&question, Bound::rounds(rounds), budget, &|_| {}),
        None => engine::verify(&question, budget, &|_| {}),
    };
    let asked = RoundsQuestion { program, properties: question.properties, evidence: false };
    let by_summaries = |budget: &Budget| {
        let rounds = rounds.unwrap_or(usize::MAX);
        summaries::check(&asked, rounds, Options::default(), budget, &|_| {})
    };
    let mut candidates = vec![Candidate::new(FAVOURED, |budget, _| Some(by_states(budget)))];
    if asked.refusal().is_none() {
        let second = Candidate::new(FAVOURED, |budget, _| Some(by_summaries(budget)));
        candidates.push(second.after(HEAD_START));
    }
    let outcome = engine::in_turns(candidates, &budget).expect("the first one has an outcome");
    if let (Some(rounds), Verdict::Unsafe { bound, .. }) = (rounds, &outcome.verdict) {
        assert!(bound.count <= rounds && *bound == Bound::rounds(bound.count));
    }
    (answer(program, &outcome), start.elapsed())
}

/// A text, parsed and checked.
fn read(text: &str) -> Result<(Arc<Program>, Arc<Source>), String> {
    let path = std::env::temp_dir().join(format!("selvedge-sequentialized-{}", std::process::id()));
    let path = path.with_extension("weave");
    std::fs::write(&path, text).expect("a file");
    let read = load(&path, &LoadOptions::default());
    let _ = std::fs::remove_file(&path);
    match read {
        Ok(Input::Program { program, source, .. }) => Ok((program, source)),
        Ok(_) => panic!("not a program"),
        Err(error) => Err(format!("{error}\n{text}")),
    }
}

fn examples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let no_system = ["md", "tsv", "prop"];
        if path.is_dir() {
            examples(&path, found);
        } else if !path.extension().is_some_and(|e| no_system.iter().any(|no| e == *no)) {
            found.push(path);
        }
    }
}

/// The program of a file; that of the tables if it has tables, for what programs can say about
/// them.
fn program_of(file: &Path, consts: &[(&str, i64)]) -> Result<(Arc<Program>, Arc<Source>), String> {
    let mut options = LoadOptions::default();
    for &(name, value) in consts {
        options.check.consts.insert(name.to_owned(), value.into());
    }
    match load(file, &options) {
        Ok(Input::Program { program, source, .. }) => Ok((program, source)),
        Ok(Input::Tables { input, source }) => {
            let fits = |target: &&Property| can_express(&input.tables, target).is_ok();
            let targets: Vec<_> = input.targets.iter().filter(fits).cloned().collect();
            let program = to_program(&input.tables, &targets).map_err(|why| why.to_string())?;
            Ok((Arc::new(program), source))
        }
        Err(error) => panic!("{}: {error}", file.display()),
    }
}

/// Two threads wherever there may be any number.
fn counts(program: &Program) -> ThreadCounts {
    let any = program.threads.iter().filter(|t| t.count == Count::Any);
    any.map(|t| (t.name.clone(), 2)).collect()
}

/// Whether some variable is an integer without bounds.
fn is_unbounded(program: &Program) -> bool {
    let locals = program.procs.iter().flat_map(|proc| &proc.locals);
    program.globals.iter().chain(locals).any(|variable| *variable.ty.scalar() == Type::Int)
}

/// The same with a range in the place of `int`, and which.
fn with_ranges(program: &Program) -> (&'static str, (Arc<Program>, Arc<Source>)) {
    let text = print::weave(program);
    let ranged = |range: &'static str| {
        let mut ranged = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("int") {
            let (before, after) = (&rest[..at], &rest[at + 3..]);
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let inside = before.ends_with(is_name) || after.starts_with(is_name);
            ranged += before;
            ranged += if inside || after.starts_with('[') { "int" } else { range };
            rest = after;
        }
        Some((range, read(&(ranged + rest)).ok()?))
    };
    RANGES.into_iter().find_map(ranged).unwrap_or_else(|| panic!("{text}"))
}

fn is_listed(list: &[(&str, usize)], name: &str, rounds: usize) -> bool {
    list.iter().any(|(listed, from)| name == *listed && rounds >= *from)
}

fn compare(name: &str, program: &(Arc<Program>, Arc<Source>), rounds: usize, all: bool) -> Row {
    let (program, source) = program;
    let counts = counts(program);
    let original = Lowering::new(Arc::clone(program), Arc::clone(source), &counts).expect(name);
    let sequential = match sequentialize(program, &counts, rounds as u32) {
        Ok(sequential) => read(&print::weave(&sequential.program))
            .unwrap_or_else(|error| panic!("{name}: {error}")),
        Err(why @ NotSequential::At { .. }) => {
            let why = why.to_string();
            let reason = if is_unbounded(original.program()) {
                "give it a range, as in `int[0..9] "
            } else {
                "only programs whose threads are all there from the start can be sequentialized"
            };
            assert!(why.contains(reason), "{name}: {why}");
            return Row::Refused(why);
        }
        Err(why) => panic!("{name}: {why}"),
    };
    if is_listed(&TOO_LARGE, name, rounds) {
        return Row::TooLarge;
    }
    if !all && is_listed(&SLOW, name, rounds) {
        return Row::Slow;
    }
    let (sequential, text) = sequential;
    let sequential = Lowering::new(sequential, text, &ThreadCounts::new()).expect(name);
    let endless = is_unbounded(original.program());
    let limit = if endless { SHORT } else { LIMIT };
    let (expected, first) = ask(&original, Some(rounds), limit);
    let (found, second) = ask(&sequential, None, limit);
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            assert_eq!(found, expected, "{name} with {rounds} rounds");
            Row::Same(found, [first, second])
        }
        (Err(_), _) | (_, Err(_)) if endless => Row::Endless,
        (Err(why), _) => Row::Unknown(format!("the original: {why}")),
        (_, Err(why)) => Row::Unknown(why),
    }
}

/// The examples, those with integers without bounds a second time; or why there is no program.
#[allow(clippy::type_complexity)]
fn subjects() -> Vec<(String, Result<(Arc<Program>, Arc<Source>), String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    examples(&folder, &mut files);
    files.sort();
    let mut subjects = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&folder).expect("inside").display().to_string();
        for (_, constant, value) in SMALLER.into_iter().filter(|(example, ..)| *example == name) {
            let smaller = program_of(file, &[(constant, value)]);
            subjects.push((format!("{name} with {constant}={value}"), smaller));
        }
        let program = program_of(file, &[]);
        let ranged = program.as_ref().ok().filter(|(program, source)| {
            let counts = counts(program);
            let original = Lowering::new(Arc::clone(program), Arc::clone(source), &counts);
            is_unbounded(original.expect("lowered").program())
        });
        let ranged = ranged.map(|(program, _)| with_ranges(program));
        subjects.push((name.clone(), program));
        subjects.extend(ranged.map(|(range, it)| (format!("{name} with {range}"), Ok(it))));
    }
    assert!(files.len() > 50);
    for (name, _) in SLOW.iter().chain(&TOO_LARGE) {
        assert!(subjects.iter().any(|(subject, _)| subject == name), "there is no {name}");
    }
    subjects
}

/// Compares all examples; those that take long only if all are asked for.
fn compare_all(all: bool) {
    let subjects = subjects();
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unknown = Vec::new();
    println!("| example | rounds | answer of both | original, s | sequential, s |");
    println!("| --- | --- | --- | --- | --- |");
    for (name, program) in &subjects {
        for rounds in 1..=MOST_ROUNDS {
            let row = match program {
                Ok(program) => compare(name, program, rounds, all),
                Err(why) => Row::Refused(why.clone()),
            };
            let seconds = |time: &Duration| format!("{:.2}", time.as_secs_f64());
            let (kind, said) = match &row {
                Row::Same(true, _) => ("unsafe", String::new()),
                Row::Same(false, _) => ("safe", String::new()),
                Row::Refused(why) => ("refused", format!(": {why}")),
                Row::Slow => ("left to scripts/compare-rounds", String::new()),
                Row::TooLarge => ("too large", String::new()),
                Row::Endless => ("no end", String::new()),
                Row::Unknown(why) => {
                    unknown.push(format!("{name} with {rounds}: {why}"));
                    ("unknown", format!(": {why}"))
                }
            };
            *counted.entry(kind).or_default() += 1;
            let times = match &row {
                Row::Same(_, [first, second]) => [seconds(first), seconds(second)],
                _ => Default::default(),
            };
            println!("| {name} | {rounds} | {kind}{said} | {} | {} |", times[0], times[1]);
        }
    }
    println!("{counted:?}");
    assert_eq!(counted.values().sum::<usize>(), MOST_ROUNDS * subjects.len());
    assert!(unknown.is_empty(), "no answer in time: {}", unknown.join(", "));
    assert!(counted["safe"] > 50 && counted["unsafe"] > 5);
}

#[test]
fn sequentialized_examples_give_the_same_answers() {
    compare_all(false);
}

/// `scripts/compare-rounds` runs this.
#[test]
#[ignore = "takes minutes, in an optimised build"]
fn all_sequentialized_examples_give_the_same_answers() {
    compare_all(true);
}
