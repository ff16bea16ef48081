//! # Progress
//! What an engine is doing, on standard error: one line that is rewritten on a terminal, a line
//! for each bound with `--verbose`. Where an end is known (a bound, a limit), it says how far the run is. What is done now stands before
//! what was done: a line that is too long for the terminal loses its end.

mod rate;

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selvedge::{Bound, Heard, Limits, Moves, Together};
use selvedge_analysis::engine::Event;
use selvedge_analysis::fair;
use selvedge_report::amount::{bytes, seconds};
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
    moves: Moves,
    how: How,
    seen: Mutex<Drawn>,
}

/// The way in which progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    No,
    OneLine,
    Lines,
}

#[derive(Default)]
struct Drawn {
    rate: Rate,
    /// The number of states that other processes store, if there are any.
    elsewhere: Option<u64>,
    /// The current activity in words.
    doing: String,
    /// The last completed bounds, from below and from above.
    below: String,
    above: String,
    is_drawn: bool,
}

impl Progress {
    /// From now on, up to a bound if one was asked for.
    pub fn start(notes: Notes, most: Option<Bound>, limits: Limits, moves: Moves) -> Self {
        let how = match notes {
            Notes::All => How::Lines,
            Notes::Some if io::stderr().is_terminal() => How::OneLine,
            _ => How::No,
        };
        let start = Instant::now();
        Progress { start, notes, most, limits, moves, how, seen: Mutex::default() }
    }

    /// Something happened, or time has passed.
    pub fn hear(&self, heard: Heard<'_>) {
        match heard {
            Heard::Note(note) => return self.note(note),
            Heard::Tick => return self.tick(),
            _ => {}
        }
        let Some(words) = heard.words(self.most) else { return };
        if let Heard::Event(Event::Bound { observation, .. }) = heard {
            guard::completed(match observation.bound.count {
                0 => "the initial states".to_owned(),
                _ => format!("all states within {}", observation.bound),
            });
        }
        if let Heard::Together(Together { states, .. }) = heard {
            self.seen().elsewhere = Some(*states);
        }
        if self.how == How::Lines {
            let (time, memory) = (seconds(self.start.elapsed()), bytes(memory::in_use() as u64));
            let rate = self.rate();
            let _ = writeln!(io::stderr(), "{time:>8}  {memory:>8}  {words}{rate}");
        }
        let mut seen = self.seen();
        match heard {
            Heard::Event(Event::Bound { observation, .. }) => {
                seen.doing = after(observation.bound, self.most);
                seen.below = words;
            }
            Heard::Event(Event::Cut(_)) => seen.above = words,
            Heard::Endless(fair::Event::States { found, followed }) => {
                seen.doing = format!("following states ({})", share(followed as u64, found as u64));
                seen.below = words;
            }
            Heard::Endless(fair::Event::Rounds(_)) => seen.below = words,
            _ => seen.doing = words,
        }
    }

    /// How many moves a second there were lately, if there were any; or states, where others move.
    fn rate(&self) -> String {
        let (now, mut seen) = (self.start.elapsed(), self.seen());
        let (made, what) = match seen.elsewhere {
            Some(states) => (states, "states"),
            None => (self.moves.made(), "moves"),
        };
        match seen.rate.tell(now, made) {
            none if none < 0.5 => String::new(),
            rate => format!(", {} {what}/s", thousands(rate as u64)),
        }
    }

    fn note(&self, text: &str) {
        if self.notes != Notes::None {
            self.finish();
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    fn tick(&self) {
        // Also while nothing is shown: the last second is known when it is asked for.
        let rate = self.rate();
        let time = self.start.elapsed();
        if self.how != How::OneLine || time < PATIENCE {
            return;
        }
        let mut seen = self.seen();
        seen.is_drawn = true;
        let used = used(time, memory::in_use(), &self.limits);
        let doing = if seen.doing.is_empty() { "exploring" } else { &seen.doing };
        let done = [&seen.below, &seen.above].into_iter().filter(|words| !words.is_empty());
        let done: String = done.map(|words| format!(" | {words}")).collect();
        let line = format!("{used} | {doing}{rate}{done}");
        let line = fitted(&line, terminal_width().saturating_sub(1));
        let _ = write!(io::stderr(), "{CLEAR}{line}");
    }

    /// Removes the line.
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

/// As many of the parts of a line as there is room for: half of a number would be another number.
fn fitted(line: &str, width: usize) -> String {
    let mut rest = line;
    while rest.chars().count() > width {
        match rest.rfind(" | ") {
            Some(at) => rest = &rest[..at],
            None => return rest.chars().take(width).collect(),
        }
    }
    rest.to_owned()
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

/// A description of the bound that is explored after this one.
fn after(bound: Bound, most: Option<Bound>) -> String {
    let most = most.filter(|most| most.resource == bound.resource).map(|most| most.count);
    match most {
        Some(most) if bound.count >= most => "making the answer".to_owned(),
        Some(most) => format!("exploring {} of {most}", bound.resource.bound(bound.count + 1)),
        None => format!("exploring {}", bound.resource.bound(bound.count + 1)),
    }
}

/// A number whose digits stand in groups: `12,345`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Lines that are longer than the terminal cannot be rewritten.
fn terminal_width() -> usize {
    width(terminal_size_of(io::stderr())).unwrap_or(80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_cut_in_two() {
        let line =
            "5.9 s 58 MiB | exploring 5 contexts, 2,286,916 moves/s | 4 contexts: 983,456 states";
        assert_eq!(fitted(line, 100), line);
        assert_eq!(fitted(line, 70), "5.9 s 58 MiB | exploring 5 contexts, 2,286,916 moves/s");
        assert_eq!(fitted(line, 20), "5.9 s 58 MiB");
        assert_eq!(fitted(line, 5), "5.9 s");
    }

    #[test]
    fn shares_are_told_where_the_end_is_known() {
        let none = Limits { timeout: None, memory: None, ..Limits::default() };
        let time = Duration::from_secs(15);
        assert_eq!(used(time, 3 << 20, &none), "15.0 s 3.0 MiB");
        let some = Limits { timeout: Some(4 * time), memory: Some(4 << 20), ..Limits::default() };
        assert_eq!(used(time, 3 << 20, &some), "15.0 s (25 %) 3.0 MiB (75 %)");
        assert_eq!(used(5 * time, 3 << 20, &some), "75.0 s (100 %) 3.0 MiB (75 %)");
        assert_eq!(share(0, 0), "0 %");
    }

    #[test]
    fn what_is_done_now_comes_after_what_was_completed() {
        let three = Bound::contexts(3);
        assert_eq!(after(three, Some(Bound::contexts(6))), "exploring 4 contexts of 6");
        assert_eq!(after(three, Some(Bound::contexts(3))), "making the answer");
        assert_eq!(after(three, Some(Bound::rounds(3))), "exploring 4 contexts");
        assert_eq!(after(Bound::contexts(0), None), "exploring 1 context");
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
