//! # Progress
//! What an engine is doing, on standard error: one line that is rewritten on a terminal, a line
//! for each bound with `--verbose`. Where an end is known (a bound, a limit), it says how far the run is.

mod rate;

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selvedge::{Bound, Heard, Limits, Together};
use selvedge_analysis::engine::Event;
use selvedge_analysis::fair;
use selvedge_report::amount::{amount, bytes, seconds};
use terminal_size::terminal_size_of;

use crate::output::{Notes, width};
use crate::{guard, memory};
use rate::Rate;

/// Runs that are shorter than this show no line.
const PATIENCE: Duration = Duration::from_millis(500);

/// Goes back to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// Shows what a run does until it is dropped.
pub struct Progress {
    start: Instant,
    notes: Notes,
    /// The largest bound that was asked for.
    most: Option<Bound>,
    limits: Limits,
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
    rate: Rate,
    below: String,
    above: String,
    is_drawn: bool,
}

impl Progress {
    /// From now on, up to a bound if one was asked for.
    pub fn start(notes: Notes, most: Option<Bound>, limits: Limits) -> Self {
        let how = match notes {
            Notes::All => How::Lines,
            Notes::Some if io::stderr().is_terminal() => How::OneLine,
            _ => How::No,
        };
        Progress { start: Instant::now(), notes, most, limits, how, seen: Mutex::default() }
    }

    /// Something happened, or time has passed.
    pub fn hear(&self, heard: Heard<'_>) {
        match heard {
            Heard::Event(event) => self.tell(event),
            Heard::Endless(fair::Event::States { found, followed }) => {
                let rate = self.rate(found);
                let share = share(followed as u64, found as u64);
                self.show(format!("{found} states, {followed} followed ({share}), {rate}"), true);
            }
            Heard::Endless(fair::Event::Rounds(rounds)) => {
                self.show(format!("none within {} + {} rounds", rounds.stem, rounds.lasso), true);
            }
            Heard::Together(Together { bound, states, sent_bytes, balance }) => {
                let (of, rate) = (of_most(*bound, self.most), self.rate(*states as usize));
                let sent = bytes(*sent_bytes);
                let words = format!(
                    "{bound}{of} in progress: {states} stored, {rate}, {sent} sent, balance {balance:.2}"
                );
                self.show(words, true);
            }
            Heard::Trying(words) => self.show(words.to_owned(), true),
            Heard::Note(note) => self.note(note),
            Heard::Tick => self.tick(),
        }
    }

    fn tell(&self, event: &Event<'_>) {
        let (text, is_below) = match event {
            Event::Bound { observation, stored } => {
                let text = format!(
                    "{}{}: {}, {} stored, {}",
                    observation.bound,
                    of_most(observation.bound, self.most),
                    amount(observation.new_visible, "new visible state"),
                    stored.0,
                    self.rate(stored.0),
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

    /// How many a second there were lately.
    fn rate(&self, number: usize) -> String {
        format!("{:.0}/s", self.seen().rate.tell(self.start.elapsed(), number))
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
        let used = used(time, memory::in_use(), &self.limits);
        let above = if seen.above.is_empty() { "" } else { " | " };
        let doing = if seen.below.is_empty() { "exploring" } else { &seen.below };
        let line = format!("{used} | {doing}{above}{}", seen.above);
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

/// Time and memory, each with its share of the limit if there is one.
fn used(time: Duration, memory: usize, limits: &Limits) -> String {
    let of = |used: String, share: Option<String>| match share {
        Some(share) => format!("{used} ({share})"),
        None => used,
    };
    let whole = |limit: Duration| share(time.as_millis() as u64, limit.as_millis() as u64);
    let time = of(seconds(time), limits.timeout.map(whole));
    let memory_share = limits.memory.map(|limit| share(memory as u64, limit as u64));
    format!("{time} {}", of(bytes(memory as u64), memory_share))
}

/// A share of the whole, in percent; never more than all of it.
fn share(part: u64, whole: u64) -> String {
    format!("{} %", part.min(whole) as u128 * 100 / u128::from(whole.max(1)))
}

/// How far a bound is, if it is known where the end is.
fn of_most(bound: Bound, most: Option<Bound>) -> String {
    match most.filter(|most| most.resource == bound.resource) {
        Some(most) => format!(" of {}", most.count),
        None => String::new(),
    }
}

/// Lines that are longer than the terminal cannot be rewritten.
fn terminal_width() -> usize {
    width(terminal_size_of(io::stderr())).unwrap_or(80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_where_the_end_is_known() {
        let none = Limits { timeout: None, memory: None, ..Limits::default() };
        let time = Duration::from_secs(15);
        assert_eq!(used(time, 3 << 20, &none), "15.0 s 3.0 MiB");
        let some = Limits { timeout: Some(4 * time), memory: Some(4 << 20), ..Limits::default() };
        assert_eq!(used(time, 3 << 20, &some), "15.0 s (25 %) 3.0 MiB (75 %)");
        assert_eq!(used(5 * time, 3 << 20, &some), "75.0 s (100 %) 3.0 MiB (75 %)");
        assert_eq!(share(0, 0), "0 %");
        let three = Bound::contexts(3);
        assert_eq!(of_most(three, Some(Bound::contexts(6))), " of 6");
        assert_eq!(of_most(three, Some(Bound::rounds(6))), "", "contexts are no rounds");
        assert_eq!(of_most(three, None), "");
    }
}
