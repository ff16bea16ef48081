//! # gcc as an oracle
//! Random programs in C, compiled and run. One that runs alone prints values on its way: the verifier and a single run of `simulate` find the same ones, and
//! both go wrong where one of them is not what is expected. One with threads ends in some state: the verifier finds that state reachable.

mod gcc;
mod races;
mod sequential;
mod text;
mod threaded;

use std::collections::BTreeSet;

use selvedge::walk::{Stop, Walk};
use selvedge::{Answer, InputOptions, Limits, Options, Subject, VerdictName, verify};

use gcc::Folder;

/// How many random programs to try; `SELVEDGE_SEEDS=1000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The first of them; `SELVEDGE_FROM=1000` leaves those before it out.
fn first() -> u64 {
    std::env::var("SELVEDGE_FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Asks about a program; the refusal, if it cannot be read.
fn ask(name: &str, text: &str) -> Result<Answer, String> {
    let mut options = InputOptions::default();
    options.c.options.heap = 8;
    let subject = match name.ends_with(".i") {
        true => Subject::parse(name, text, options),
        false => {
            let folder = Folder::new("asked");
            let path = folder.file(name);
            std::fs::write(&path, text).unwrap();
            Subject::read(&path, options)
        }
    };
    let limits = Limits::work(1 << 24);
    let asked =
        subject.and_then(|subject| verify(&subject, &Options { limits, ..Options::default() }));
    asked.map_err(|failure| format!("{failure}"))
}

/// What is not as it should be.
fn wrong(name: &str, text: &str, expected: VerdictName) -> Option<String> {
    match ask(name, text) {
        Err(refused) => Some(format!("refused: {refused}")),
        Ok(answer) if answer.name() == expected => None,
        Ok(answer) => Some(format!("{expected:?} is expected: {}", answer.sentence())),
    }
}

/// Shows all that went wrong, and the first program in full.
fn report(failures: &[(u64, String, String)]) {
    if let Some((seed, why, text)) = failures.first() {
        let seeds: Vec<String> =
            failures.iter().map(|(seed, why, _)| format!("{seed}: {why}")).collect();
        let count = failures.len();
        panic!("{count} programs:\n{}\n\nprogram {seed}: {why}\n{text}", seeds.join("\n"));
    }
}

/// Longer runs of `simulate` are not followed.
const MOST_STEPS: u64 = 1 << 20;

/// Runs a program once, as `simulate` does; what is not as it should be.
fn runs_otherwise(text: &str, seed: u64, goes_wrong: bool) -> Option<String> {
    let subject = Subject::parse("program.i", text, InputOptions::default()).unwrap();
    let opened = subject.system().unwrap();
    let mut walk = Walk::start(&*opened.system, &opened.properties).unwrap();
    match walk.wander(MOST_STEPS, &mut fastrand::Rng::with_seed(seed), || false) {
        // The end of `main` is a step that may be taken again and again.
        Stop::Ended | Stop::Idle if !goes_wrong => None,
        Stop::Wrong(_) if goes_wrong => None,
        stop => Some(format!("a single run ends otherwise: {stop}")),
    }
}

/// Asks the verifier, and runs the program once.
fn wrong_or_runs_otherwise(seed: u64, text: &str, expected: VerdictName) -> Option<String> {
    wrong("program.i", text, expected)
        .or_else(|| runs_otherwise(text, seed, expected == VerdictName::Unsafe))
}

/// Compares one program with what gcc makes of it.
fn compare(seed: u64, folder: &Folder) -> Option<(String, String)> {
    let program = sequential::program(seed);
    let binary = folder.file("program");
    let text = program.printing();
    if !gcc::compile(&text, &binary) {
        return None;
    }
    let printed = gcc::run(&binary, &text);
    let mut values: Vec<u64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    let text = program.expecting(&values);
    if let Some(why) = wrong_or_runs_otherwise(seed, &text, VerdictName::Safe) {
        return Some((why, text));
    }
    let number = seed as usize % values.len();
    values[number] ^= 1;
    let text = program.expecting(&values);
    wrong_or_runs_otherwise(seed, &text, VerdictName::Unsafe).map(|why| (why, text))
}

#[test]
fn values_are_those_that_gcc_computes() {
    if !gcc::is_there() {
        return;
    }
    let folder = Folder::new("sequential");
    let failed = |seed| compare(seed, &folder).map(|(why, text)| (seed, why, text));
    let failures: Vec<_> = (first()..first() + many(40)).filter_map(failed).collect();
    report(&failures);
}

#[test]
fn final_states_that_are_seen_are_reachable() {
    if !gcc::is_there() {
        return;
    }
    let folder = Folder::new("threaded");
    let mut failures = Vec::new();
    for seed in first()..first() + (many(400) / 80).max(1) {
        let program = threaded::program(seed);
        let binary = folder.file("program");
        let text = program.printing();
        if !gcc::compile(&text, &binary) {
            continue;
        }
        let seen: BTreeSet<String> = (0..100).map(|_| gcc::run(&binary, &text)).collect();
        for state in seen {
            let values: Vec<&str> = state.split_whitespace().collect();
            let text = program.failing_at(&values);
            if let Some(why) = wrong("program.c", &text, VerdictName::Unsafe) {
                failures.push((seed, why, text));
            }
        }
    }
    report(&failures);
}

/// What is said about data races, with or without what the text shows.
fn races_of(text: &str, watches_all: bool) -> VerdictName {
    let mut options = InputOptions::default();
    options.c.options = selvedge_frontend::c::lower::Options::only("no-data-race").unwrap();
    options.c.options.watches_all = watches_all;
    let limits = Limits::work(1 << 22);
    let subject = Subject::parse("program.i", text.to_owned(), options).unwrap();
    verify(&subject, &Options { limits, ..Options::default() }).unwrap().name()
}

#[test]
fn races_that_the_text_rules_out_are_found_by_nobody() {
    let (mut failures, mut compared) = (Vec::new(), [0, 0]);
    for seed in first()..first() + many(60) {
        let text = races::program(seed);
        let (quick, slow) = (races_of(&text, false), races_of(&text, true));
        match (quick, slow) {
            (VerdictName::Safe, VerdictName::Safe) => compared[0] += 1,
            (VerdictName::Unsafe, VerdictName::Unsafe) => compared[1] += 1,
            (VerdictName::Safe, VerdictName::Unsafe) | (VerdictName::Unsafe, VerdictName::Safe) => {
                failures.push((seed, format!("{quick:?}, and {slow:?} by a look at all"), text));
            }
            // An unlock by who does not hold it, or too much to explore.
            _ => {}
        }
    }
    report(&failures);
    assert!(compared.iter().all(|&number| number > 0), "{compared:?} programs were compared");
}
