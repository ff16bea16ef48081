//! # The guard
//!
//! **Question.** Searches and checks look at their budget every few dozen moves. What holds a limit where nobody looks: while
//! ten megabytes of text are read, while threads are prepared, while a table doubles?
//!
//! **Idea.** A thread of its own looks at the clock, at the count of the allocator and at Ctrl-C. Work that hears of
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

use selvedge_model::Stop;

use crate::{Blame, default_memory_limit};

/// How long the guard waits between two looks.
const OFTEN: Duration = Duration::from_millis(5);

/// How long after its limit a short run may answer by itself.
pub const GRACE: Duration = Duration::from_millis(300);

/// How many bytes over its limit a small run may use before it answers by itself.
const SLACK: usize = 16_000_000;

/// How many bytes more a run may use that is over its limit, and has not answered yet.
const MORE: usize = 4_000_000;

/// Neither the command nor the guard has an answer yet.
const NOBODY: u8 = 0;
/// The command has an answer.
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

/// Records what a search has completed.
pub fn completed(what: String) {
    *COMPLETED.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
}

/// Notes that Ctrl-C was pressed.
pub fn interrupted() {
    INTERRUPTED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
}

/// The limits of a command.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// How long it may take, from now on.
    pub timeout: Option<Duration>,
    /// How many bytes it may use; [`default_memory_limit`] if nothing is said.
    pub memory: Option<usize>,
    /// Measures the bytes in use.
    pub memory_in_use: fn() -> usize,
    /// Gives the system back what the allocator keeps although it is free.
    pub give_back: fn(),
}

/// Why a command ends without an answer of its own, and what is known by then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overrun {
    /// The limit that was reached.
    pub why: Stop,
    /// The last bound or part that was completed, in words.
    pub completed: Option<String>,
}

impl Overrun {
    /// A limit, and what was completed before it was reached.
    #[must_use]
    pub fn new(why: Stop) -> Self {
        let completed = COMPLETED.lock().unwrap_or_else(PoisonError::into_inner).take();
        Overrun { why, completed }
    }

    /// The answer as text for people.
    #[must_use]
    pub fn text(&self) -> String {
        let less = "a smaller program, fewer threads or smaller constants";
        let more = match self.why {
            Stop::Timeout => Some("more time (--timeout)"),
            Stop::Memory => Some("more memory (--memory)"),
            _ => None,
        };
        let advice = more.map(|more| format!("  try        {more}, {less}\n"));
        let (why, advice) = (&self.why, advice.unwrap_or_default());
        format!("unknown: {why}\n  completed  {}\n{advice}", self.completed())
    }

    /// What was completed last, in words.
    #[must_use]
    pub fn completed(&self) -> &str {
        self.completed.as_deref().unwrap_or("nothing")
    }
}

/// Watches a command from now on. What is printed if it has to be ended is made of the reason.
pub fn start(watched: &Watched, shown: impl Fn(&Overrun) -> String + Send + 'static) {
    let time = |time: Duration| Instant::now().checked_add(time.saturating_add(grace(time)));
    let guard = Guard {
        end: watched.timeout.and_then(time),
        memory: watched.memory.or_else(default_memory_limit).map(with_slack),
        memory_in_use: watched.memory_in_use,
        over: None,
        give_back: watched.give_back,
        most: 0,
    };
    let watch = move || guard.watch(shown);
    // Without the guard, searches and checks still look at their budgets: no reason to give up now.
    let _ = thread::Builder::new().name("guard".to_owned()).spawn(watch);
}

/// Watches time and memory beside a run, and ends the process where the run does not.
struct Guard {
    /// When the time of a run that does not look at the clock has passed.
    end: Option<Instant>,
    /// How many bytes a run that does not look at the memory may use.
    memory: Option<usize>,
    memory_in_use: fn() -> usize,
    /// Since when too much memory is in use, and how much it was then.
    over: Option<(Instant, usize)>,
    give_back: fn(),
    /// The most bytes that were in use since some were given back.
    most: usize,
}

/// How long after a limit a run may answer by itself.
fn grace(time: Duration) -> Duration {
    GRACE.max(time / 100 * 7)
}

/// How many bytes a run may use before the guard ends it.
fn with_slack(limit: usize) -> usize {
    limit.saturating_add(SLACK.max(limit / 8))
}

impl Guard {
    fn watch(mut self, shown: impl Fn(&Overrun) -> String) {
        while WHO_ANSWERS.load(Ordering::SeqCst) == NOBODY {
            if let Some(why) = self.reason() {
                return answer(why, shown);
            }
            if self.has_much_free() {
                (self.give_back)();
            }
            thread::sleep(OFTEN);
        }
    }

    /// Why the program has to end now.
    fn reason(&mut self) -> Option<Stop> {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return Some(Stop::Timeout);
        }
        if self.is_too_large() {
            return Some(Stop::Memory);
        }
        let interrupted = *INTERRUPTED.lock().unwrap_or_else(PoisonError::into_inner);
        let is_late = interrupted.is_some_and(|then| then.elapsed() >= GRACE);
        is_late.then_some(Stop::Cancelled)
    }

    /// Whether so much has become free that a limit may be overrun by what the allocator keeps of it: half of what was in use, and a good part of the limit.
    fn has_much_free(&mut self) -> bool {
        let in_use = (self.memory_in_use)();
        self.most = self.most.max(in_use);
        let has = in_use < self.most / 2 && self.memory.is_some_and(|limit| self.most > limit / 8);
        if has {
            self.most = in_use;
        }
        has
    }

    /// Whether too much memory is in use, and ever more of it. Whoever has heard of the limit, and gives back what it has,
    /// has some time for it.
    fn is_too_large(&mut self) -> bool {
        let in_use = (self.memory_in_use)();
        if self.memory.is_none_or(|most| in_use <= most) {
            self.over = None;
            return false;
        }
        let (since, then) = *self.over.get_or_insert_with(|| (Instant::now(), in_use));
        in_use > then.saturating_add(MORE) || since.elapsed() >= GRACE
    }
}

/// Answers and ends the program, unless the command has just answered.
fn answer(why: Stop, shown: impl Fn(&Overrun) -> String) {
    let free = WHO_ANSWERS.compare_exchange(NOBODY, GUARD, Ordering::SeqCst, Ordering::SeqCst);
    if free.is_err() {
        return;
    }
    let text = shown(&Overrun::new(why));
    let mut out = io::stdout().lock();
    // A reader that has gone away still gets the exit code.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    selvedge_smt::solver::end_all();
    process::exit(i32::from(Blame::System.exit_code()));
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
            assert!(with_slack(limit) + MORE <= limit / 5 + limit, "{limit}");
        }
        assert_eq!(with_slack(usize::MAX), usize::MAX);
        assert!(grace(Duration::MAX) < Duration::MAX);
    }

    fn guarding(memory: usize, memory_in_use: fn() -> usize) -> Guard {
        let give_back = || {};
        Guard { end: None, memory: Some(memory), memory_in_use, over: None, give_back, most: 0 }
    }

    #[test]
    fn what_is_free_is_given_back_once() {
        static IN_USE: Mutex<usize> = Mutex::new(0);
        let mut guard = guarding(1000, || *IN_USE.lock().unwrap());
        let mut looks = |bytes: &[usize]| -> Vec<bool> {
            let mut look = |bytes: &usize| {
                *IN_USE.lock().unwrap() = *bytes;
                guard.has_much_free()
            };
            bytes.iter().map(&mut look).collect()
        };
        // Little is nobody's concern, and what grows has nothing to give.
        assert_eq!(looks(&[10, 100, 20, 200, 900, 500]), [false; 6]);
        assert_eq!(looks(&[400, 300, 200, 100, 600, 200]), [true, false, false, true, false, true]);
    }

    #[test]
    fn memory_that_does_not_grow_has_some_time() {
        static IN_USE: Mutex<usize> = Mutex::new(0);
        let memory_in_use = || *IN_USE.lock().unwrap();
        let mut guard = guarding(10, memory_in_use);
        let mut looks = |bytes: &[usize]| -> Vec<bool> {
            let mut look = |bytes: &usize| {
                *IN_USE.lock().unwrap() = *bytes;
                guard.is_too_large()
            };
            bytes.iter().map(&mut look).collect()
        };
        assert_eq!(looks(&[5, 20, 5, 30, 30, 20, 10]), [false; 7]);
        assert_eq!(looks(&[20, 20 + MORE, 21 + MORE]), [false, false, true]);
        assert_eq!(looks(&[5, 20]), [false, false]);
        thread::sleep(GRACE);
        assert_eq!(looks(&[20]), [true]);
    }

    #[test]
    fn the_answer_of_the_guard_says_what_to_try() {
        let overrun = Overrun { why: Stop::Timeout, completed: None };
        assert_eq!(
            overrun.text(),
            "unknown: the time limit was reached\n  completed  nothing\n  try        more time (--timeout), \
             a smaller program, fewer threads or smaller constants\n"
        );
        let completed = Some("2 contexts".to_owned());
        let overrun = Overrun { why: Stop::Cancelled, completed };
        assert_eq!(overrun.text(), "unknown: the run was interrupted\n  completed  2 contexts\n");
    }
}
