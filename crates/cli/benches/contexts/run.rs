//! One run, and what is measured.
//!
//! *Time* is what a person waits, *CPU* what all cores together worked: on a machine with other work
//! to do, only the second one compares. *Memory* is the peak by the allocator's own count. *Stored*
//! counts the states that are kept: with symmetry one stands for all its permutations. Rates and bytes
//! are for those; bytes are all memory of the run, not only that of the states.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::timed::timed;

/// A line of the table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What was run.
    pub case: String,
    /// Its numbers, unless it was skipped.
    pub measured: Option<Measured>,
    /// What came out, or why it was skipped.
    pub note: String,
}

/// What was measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Wall-clock time in seconds.
    pub time: f64,
    /// Processor time in seconds.
    pub cpu: f64,
    /// Peak memory in bytes.
    pub memory: u64,
    /// How many states are kept.
    pub stored: Option<u64>,
}

impl Row {
    /// The head of the table.
    pub const TITLES: &'static str = "\
| section | case | time s | CPU s | memory MiB | stored states | states/CPU s | bytes/state | note |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |";

    /// A case that was not run.
    pub fn skipped(case: &str, why: &str) -> Self {
        Row { case: case.to_owned(), measured: None, note: why.to_owned() }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { case, measured, note } = self;
        let Some(Measured { time, cpu, memory, stored }) = *measured else {
            return write!(f, "| {case} | - | - | - | - | - | - | {note} |");
        };
        // What is too short has no rate, and what is too small no share of the memory.
        let rate = stored.filter(|_| cpu >= 0.05).map(|n| (n as f64 / cpu).round() as u64);
        let share = stored.filter(|&n| n >= 10_000).map(|n| memory / n);
        let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
        let memory = memory as f64 / f64::from(1 << 20);
        let (stored, rate, share) = (number(stored), number(rate), number(share));
        write!(
            f,
            "| {case} | {time:.2} | {cpu:.2} | {memory:.1} | {stored} | {rate} | {share} | {note} |"
        )
    }
}

/// A file of this repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A place for files that are made for a run.
pub fn made(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// `selvedge` with these arguments: its answer as a row.
pub fn selvedge(case: &str, arguments: &[&str]) -> Row {
    match answer(arguments) {
        Ok((measured, note, _)) => Row { case: case.to_owned(), measured: Some(measured), note },
        Err(why) => Row::skipped(case, &why),
    }
}

/// What `selvedge` says to these arguments: numbers, the verdict in words, and the verdict.
pub fn answer(arguments: &[&str]) -> Result<(Measured, String, String), String> {
    let program = env!("CARGO_BIN_EXE_selvedge");
    let mut command = vec![program];
    command.extend_from_slice(arguments);
    command.extend_from_slice(&["--format", "json", "-v"]);
    let (stdout, stderr, cpu) = timed(&command)?;
    let answer: Value = serde_json::from_str(&stdout).map_err(|_| {
        stderr.lines().find(|line| line.contains("error")).unwrap_or("no answer").to_owned()
    })?;
    // The notes tell how many states are kept: `… 123 stored, 456/s`.
    let stored = |line: &str| line.split_once(" stored")?.0.rsplit(' ').next()?.parse().ok();
    let measured = Measured {
        time: answer["time_s"].as_f64().unwrap_or(0.0),
        cpu,
        memory: answer["peak_memory_bytes"].as_u64().unwrap_or(0),
        stored: stderr.lines().rev().find_map(stored),
    };
    let verdict = answer["verdict"].as_str().unwrap_or("complete").to_owned();
    let engine = answer["engine"].as_str().unwrap_or("-");
    let bound = &answer["bound"]["contexts"];
    let within = if bound.is_null() { String::new() } else { format!(", {bound} contexts") };
    let depth = stderr.lines().rev().find(|line| line.contains("stack cut of depth"));
    let depth = depth.and_then(|line| line.split("depth ").nth(1)?.split(':').next());
    let above = match depth {
        Some(depth) if verdict == "unknown" => format!(", from above: depth {depth} done"),
        _ if verdict == "unknown" => ", from above: no depth done".to_owned(),
        _ => String::new(),
    };
    let reason = answer["reason"].as_str().map_or(String::new(), |why| format!(": {why}"));
    Ok((measured, format!("{verdict}{within}, {engine}{reason}{above}"), verdict))
}
