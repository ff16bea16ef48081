//! # The guard
//!
//! **Question.** Searches look at their budget every few dozen moves. What holds a limit where nobody looks: while ten
//! megabytes of text are read, while threads are prepared, while a table doubles?
//!
//! **Idea.** A thread of its own looks at the clock, at the count of the allocator and at Ctrl-C. A search that hears of
//! a limit has some time to answer with all that it knows; when that has passed, the guard answers in its place with what was
//! completed last, and ends the program.
//!
//! **Claim.** There is one answer: whoever is the first to have one prints it ([`answers`]). An answer that is there before the
//! guard's is printed however long that takes.

use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use selvedge::{Blame, Failure, default_memory_limit, failure_report};
use selvedge_report::{json, sarif};

use crate::args::Format;
use crate::commands::engine::Limits;
use crate::exit::Exit;
use crate::memory;

/// How often the guard looks.
const OFTEN: Duration = Duration::from_millis(5);

/// How long after its limit a short run may answer by itself.
pub const GRACE: Duration = Duration::from_millis(300);

/// How many bytes over its limit a small run may use before it answers by itself.
const SLACK: usize = 16_000_000;

/// Nobody has an answer yet.
const NOBODY: u8 = 0;
/// The command has one.
const COMMAND: u8 = 1;
/// The guard has one, and the program ends.
const GUARD: u8 = 2;

static WHO_ANSWERS: AtomicU8 = AtomicU8::new(NOBODY);
static COMPLETED: Mutex<Option<String>> = Mutex::new(None);
static INTERRUPTED: Mutex<Option<Instant>> = Mutex::new(None);

/// Says that the command has an answer. Does not come back if the guard had one before.
pub fn answers() {
    let before = WHO_ANSWERS.compare_exchange(NOBODY, COMMAND, Ordering::SeqCst, Ordering::SeqCst);
    while before == Err(GUARD) {
        thread::park();
    }
}

/// Says what a search has completed.
pub fn completed(what: String) {
    *COMPLETED.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
}

/// Says that somebody pressed Ctrl-C.
pub fn interrupted() {
    INTERRUPTED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
}

/// What the guard watches, and how it answers.
struct Guard {
    /// When the time of a run that does not look at the clock has passed.
    end: Option<Instant>,
    /// How many bytes a run that does not look at the memory may use.
    memory: Option<usize>,
    format: Format,
    file: String,
}

/// Watches a command from now on.
pub fn start(limits: &Limits, format: Format, file: String) {
    let end = limits.timeout.and_then(|time| Instant::now().checked_add(time + grace(time)));
    let memory = limits.memory.or_else(default_memory_limit).map(with_slack);
    let guard = Guard { end, memory, format, file };
    // Without the guard, searches still look at their budgets: no reason to give up now.
    let _ = thread::Builder::new().name("guard".to_owned()).spawn(move || guard.watch());
}

/// How long after a limit a run may answer by itself.
fn grace(time: Duration) -> Duration {
    GRACE.max(time.mul_f64(0.07))
}

/// How many bytes a run may use before the guard ends it.
fn with_slack(limit: usize) -> usize {
    limit.saturating_add(SLACK.max(limit / 8))
}

impl Guard {
    fn watch(self) {
        while WHO_ANSWERS.load(Ordering::SeqCst) == NOBODY {
            if let Some((why, more)) = self.reason() {
                return self.answer(why, more);
            }
            thread::sleep(OFTEN);
        }
    }

    /// Why the program has to end now, and what to try.
    fn reason(&self) -> Option<(&'static str, Option<&'static str>)> {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return Some(("the time limit was reached", Some("more time (--timeout)")));
        }
        if self.memory.is_some_and(|most| memory::in_use() > most) {
            return Some(("the memory limit was reached", Some("more memory (--memory)")));
        }
        let interrupted = *INTERRUPTED.lock().unwrap_or_else(PoisonError::into_inner);
        let is_late = interrupted.is_some_and(|then| then.elapsed() >= GRACE);
        is_late.then_some(("the run was interrupted", None))
    }

    /// Answers, unless the command has just done so.
    fn answer(&self, why: &str, more: Option<&str>) {
        let free = WHO_ANSWERS.compare_exchange(NOBODY, GUARD, Ordering::SeqCst, Ordering::SeqCst);
        if free.is_err() {
            return;
        }
        let completed = COMPLETED.lock().unwrap_or_else(PoisonError::into_inner).take();
        let text = self.text(why, more, completed.as_deref());
        let mut out = io::stdout().lock();
        // A reader that has gone away still gets the exit code.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        selvedge_smt::solver::end_all();
        process::exit(Exit::Unknown as i32);
    }

    fn text(&self, why: &str, more: Option<&str>, completed: Option<&str>) -> String {
        let completed = completed.unwrap_or("nothing");
        let object = || {
            let message = format!("{why}; completed: {completed}");
            let failure = Failure::Message(Blame::System, message);
            let report = failure_report(&failure, Some(self.file.clone()));
            json::FailureReport { verdict: Some(json::VerdictName::Unknown), ..report }
        };
        match self.format {
            Format::Json => json::print(&object()),
            Format::Sarif => json::print(&sarif::failure(&object(), Exit::Unknown as u8)),
            _ => {
                let less = "a smaller program, fewer threads or smaller constants";
                let advice = more.map(|more| format!("  try        {more}, {less}\n"));
                let advice = advice.unwrap_or_default();
                format!("unknown: {why}\n  completed  {completed}\n{advice}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_waits_within_what_limits_promise() {
        for ms in [0, 100, 2_000, 60_000, 3_600_000] {
            let time = Duration::from_millis(ms);
            assert!(grace(time) <= time.mul_f64(0.1).max(Duration::from_millis(500)), "{ms}");
        }
        for limit in [100_000_000, 300_000_000, 4 << 30] {
            assert!(with_slack(limit) <= limit / 5 + limit, "{limit}");
        }
        assert_eq!(with_slack(usize::MAX), usize::MAX);
    }

    #[test]
    fn the_answer_of_the_guard_has_every_format() {
        let guard = |format| Guard { end: None, memory: None, format, file: "a.weave".to_owned() };
        let why = "the time limit was reached";
        let text = guard(Format::Text).text(why, Some("more time (--timeout)"), None);
        assert_eq!(
            text,
            "unknown: the time limit was reached\n  completed  nothing\n  try        more time (--timeout), \
             a smaller program, fewer threads or smaller constants\n"
        );
        let json = guard(Format::Json).text(why, None, Some("2 contexts"));
        assert!(json.contains("\"the time limit was reached; completed: 2 contexts\""), "{json}");
        assert!(json.contains("\"file\": \"a.weave\""), "{json}");
        assert!(json.contains("\"verdict\": \"unknown\""), "{json}");
        assert!(guard(Format::Sarif).text(why, None, None).contains("sarif"));
    }
}
