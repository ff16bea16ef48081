//! # Progress
//! What an engine is doing, on standard error: one line that is rewritten on a terminal, a line
//! for each bound with `--verbose`. It also watches how much memory is in use.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use selvedge_analysis::engine::Event;
use selvedge_report::amount::{amount, bytes, seconds};

use terminal_size::{Width, terminal_size_of};

use crate::memory;
use crate::output::Notes;

/// How often the memory is looked at, and the line is rewritten.
const TICK: Duration = Duration::from_millis(100);

/// Runs that are shorter than this show no line.
const PATIENCE: Duration = Duration::from_millis(500);

/// Goes back to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// Watches a run until it is dropped.
pub struct Progress {
    shared: Arc<Shared>,
    ticker: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

struct Shared {
    start: Instant,
    how: How,
    peak: AtomicUsize,
    seen: Mutex<Seen>,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    No,
    OneLine,
    Lines,
}

#[derive(Default)]
struct Seen {
    below: String,
    above: String,
    is_drawn: bool,
}

impl Progress {
    /// Starts to watch.
    pub fn start(notes: Notes) -> Self {
        let how = match notes {
            Notes::All => How::Lines,
            Notes::Some if io::stderr().is_terminal() => How::OneLine,
            _ => How::No,
        };
        let shared = Arc::new(Shared {
            start: Instant::now(),
            how,
            peak: AtomicUsize::new(memory::in_use()),
            seen: Mutex::default(),
        });
        let (stop, stopped) = mpsc::channel();
        let watched = Arc::clone(&shared);
        let watch = move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                watched.tick();
            }
        };
        // Without a second thread there is no line, and less is known about the memory.
        let ticker = thread::Builder::new().spawn(watch).ok().map(|handle| (stop, handle));
        Progress { shared, ticker }
    }

    /// Something happened.
    pub fn tell(&self, event: &Event<'_>) {
        let shared = &self.shared;
        shared.look_at_memory();
        let time = shared.start.elapsed();
        let (text, is_below) = match event {
            Event::Bound { observation, stored } => {
                let text = format!(
                    "{}: {}, {} stored, {}",
                    observation.bound,
                    amount(observation.new_visible, "new visible state"),
                    stored.0,
                    rate(stored.0, time),
                );
                (text, true)
            }
            Event::Cut(seen) => {
                let result = if seen.violated { "does not exclude" } else { "excludes" };
                let depth = seen.cut.depth;
                let heights = if seen.cut.heights { ", heights compared" } else { "" };
                let text = format!(
                    "stack cut of depth {depth}{heights}: {}, {result} a violation",
                    amount(seen.visible, "visible state")
                );
                (text, false)
            }
        };
        self.show(text, is_below);
    }

    fn show(&self, text: String, is_below: bool) {
        let shared = &self.shared;
        if shared.how == How::Lines {
            let time = shared.start.elapsed();
            let memory = bytes(memory::in_use() as u64);
            let _ = writeln!(io::stderr(), "{:>8}  {memory:>8}  {text}", seconds(time));
        }
        let mut seen = shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *(if is_below { &mut seen.below } else { &mut seen.above }) = text;
    }

    /// So many states are known, and what is done with them.
    pub fn tell_states(&self, found: usize, what: &str) {
        let rate = rate(found, self.shared.start.elapsed());
        self.tell_text(&format!("{found} states{what}, {rate}"));
    }

    /// Something happened, in words.
    pub fn tell_text(&self, text: &str) {
        self.shared.look_at_memory();
        self.show(text.to_owned(), true);
    }

    /// How long it took, and the largest amount of memory that was seen to be in use.
    pub fn finish(mut self) -> (Duration, u64) {
        self.stop();
        (self.shared.start.elapsed(), self.shared.peak.load(Ordering::Relaxed) as u64)
    }

    fn stop(&mut self) {
        self.shared.look_at_memory();
        if let Some((stop, handle)) = self.ticker.take() {
            drop(stop);
            let _ = handle.join();
        }
        if self.shared.how == How::OneLine {
            let mut seen = self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if std::mem::take(&mut seen.is_drawn) {
                let _ = write!(io::stderr(), "{CLEAR}");
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn look_at_memory(&self) {
        self.peak.fetch_max(memory::in_use(), Ordering::Relaxed);
    }

    fn tick(&self) {
        self.look_at_memory();
        let time = self.start.elapsed();
        if self.how != How::OneLine || time < PATIENCE {
            return;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.is_drawn = true;
        let memory = bytes(memory::in_use() as u64);
        let above = if seen.above.is_empty() { "" } else { " | " };
        let line = format!("{} {memory} | {}{above}{}", seconds(time), seen.below, seen.above);
        let width = terminal_width();
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        let _ = write!(io::stderr(), "{CLEAR}{line}");
    }
}

/// How many a second.
fn rate(number: usize, time: Duration) -> String {
    format!("{:.0}/s", number as f64 / time.as_secs_f64().max(1e-3))
}

/// Lines that are longer than the terminal cannot be rewritten.
fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let of_terminal = || terminal_size_of(io::stderr()).map(|(Width(width), _)| width.into());
    given.or_else(of_terminal).unwrap_or(80)
}
