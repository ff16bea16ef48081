//! # The command line of a check
//! What `selvedge-check` and `selvedge recheck` share: arguments, limits and who holds them, Ctrl-C, how evidence is read and what is said of
//! it. Both print the same and end with the same code.

mod args;
pub mod guard;
mod interrupt;
pub mod limits;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use selvedge_evidence::format::EvidenceError;
use selvedge_frontend::{has_known_ending, show_path};
use selvedge_model::Budget;

use crate::{Failure, default_memory_limit};

pub use args::{
    COptions, CProperty, CheckArgs, DataModel, InputArgs, InputOptions, Program, constant, count,
};
pub use interrupt::Interrupt;

/// How much of a file is read between two looks at the budget.
const PIECE: u64 = 1 << 20;

/// What a check may use: until so long after its start, by the count of the allocator, until the flag is set.
#[must_use]
pub fn budget(
    start: Instant,
    timeout: Option<Duration>,
    memory: Option<usize>,
    memory_in_use: fn() -> usize,
    cancelled: Arc<AtomicBool>,
) -> Budget {
    Budget {
        deadline: timeout.and_then(|time| start.checked_add(time)),
        memory: memory.or_else(default_memory_limit),
        memory_in_use: Some(memory_in_use),
        cancelled: vec![cancelled],
        ..Budget::default()
    }
}

/// Refuses arguments in the wrong order.
pub fn refuse_swapped(program: &str, evidence: &Path, file: &Path) -> Result<(), Failure> {
    if has_known_ending(evidence) && !has_known_ending(file) {
        return Err(Failure::usage(format!(
            "the evidence comes first: `{program} {} {}`",
            show_path(file),
            show_path(evidence)
        )));
    }
    Ok(())
}

/// Reads evidence, within a budget: the file may be as long as somebody likes.
pub fn read(path: &Path, budget: &Budget) -> Result<String, Failure> {
    let unreadable = |error| Failure::unreadable(path, &error);
    let mut file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    loop {
        if let Err(stop) = budget.check() {
            return Err(refused(path, &EvidenceError::unfinished(&stop).to_string()));
        }
        let piece = file.by_ref().take(PIECE).read_to_end(&mut bytes).map_err(unreadable)?;
        if piece == 0 {
            break;
        }
    }
    String::from_utf8(bytes).map_err(|_| refused(path, "this is not UTF-8 text"))
}

/// That evidence is refused, and why.
#[must_use]
pub fn refused(path: &Path, why: &str) -> Failure {
    Failure::input(refusal(path, why))
}

/// That evidence is refused, and why, in words.
#[must_use]
pub fn refusal(path: &Path, why: &str) -> String {
    format!("{}: refused: {why}", show_path(path))
}

/// What is printed of evidence that holds, after the word `accepted:`: what was checked, and what it is about.
#[must_use]
pub fn shown(checked: &str, property: &str) -> String {
    format!("{checked}\n  property  {property}\n")
}
