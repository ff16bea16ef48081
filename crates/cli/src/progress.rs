//! # Progress
//! What an engine is doing, on standard error: one line that is rewritten on a terminal, a line
//! for each bound with `--verbose`.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selvedge::Heard;
use selvedge_analysis::engine::Event;
use selvedge_analysis::fair;
use selvedge_report::amount::{amount, bytes, seconds};

use terminal_size::{Width, terminal_size_of};

use crate::output::Notes;
use crate::{guard, memory};

/// Runs that are shorter than this show no line.
const PATIENCE: Duration = Duration::from_millis(500);

/// Goes back to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// Shows what a run does until it is dropped.
pub struct Progress {
    start: Instant,
    notes: Notes,
    how: How,
    seen: Mutex<Drawn>,
}

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    No,
    OneLine,
    Lines,
}

#[derive(Default)]
struct Drawn {
    below: String,
    above: String,
    is_drawn: bool,
}

impl Progress {
    /// From now on.
    pub fn start(notes: Notes) -> Self {
        let how = match notes {
            Notes::All => How::Lines,
            Notes::Some if io::stderr().is_terminal() => How::OneLine,
            _ => How::No,
        };
        Progress { start: Instant::now(), notes, how, seen: Mutex::default() }
    }

    /// Something happened, or time has passed.
    pub fn hear(&self, heard: Heard<'_>) {
        match heard {
            Heard::Event(event) => self.tell(event),
            Heard::Endless(fair::Event::States { found, followed }) => {
                let rate = rate(found, self.start.elapsed());
                self.show(format!("{found} states, {followed} followed, {rate}"), true);
            }
            Heard::Endless(fair::Event::Rounds(rounds)) => {
                self.show(format!("none within {} + {} rounds", rounds.stem, rounds.lasso), true);
            }
            Heard::Trying(words) => self.show(words.to_owned(), true),
            Heard::Note(note) => self.note(note),
            Heard::Tick => self.tick(),
        }
    }

    fn tell(&self, event: &Event<'_>) {
        let time = self.start.elapsed();
        let (text, is_below) = match event {
            Event::Bound { observation, stored } => {
                let text = format!(
                    "{}: {}, {} stored, {}",
                    observation.bound,
                    amount(observation.new_visible, "new visible state"),
                    stored.0,
                    rate(stored.0, time),
                );
                guard::completed(match observation.bound.count {
                    0 => "the initial states".to_owned(),
                    _ => format!("all states within {}", observation.bound),
                });
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
        if self.how == How::Lines {
            let time = self.start.elapsed();
            let memory = bytes(memory::in_use() as u64);
            let _ = writeln!(io::stderr(), "{:>8}  {memory:>8}  {text}", seconds(time));
        }
        let mut seen = self.seen();
        *(if is_below { &mut seen.below } else { &mut seen.above }) = text;
    }

    fn note(&self, text: &str) {
        if self.notes != Notes::None {
            self.finish();
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    fn tick(&self) {
        let time = self.start.elapsed();
        if self.how != How::OneLine || time < PATIENCE {
            return;
        }
        let mut seen = self.seen();
        seen.is_drawn = true;
        let memory = bytes(memory::in_use() as u64);
        let above = if seen.above.is_empty() { "" } else { " | " };
        let line = format!("{} {memory} | {}{above}{}", seconds(time), seen.below, seen.above);
        let width = terminal_width();
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        let _ = write!(io::stderr(), "{CLEAR}{line}");
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if std::mem::take(&mut self.seen().is_drawn) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }

    fn seen(&self) -> MutexGuard<'_, Drawn> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
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
