//! # Beside an earlier run
//! Which verdicts are others, and what has become slower or larger. A time is a regression if it is
//! half as long again and that is more than 0.05 s; memory, if it is half as much again and that is more than 1 MiB.

use super::{Measured, is_answer};
use crate::amount::bytes;

const RATIO: f64 = 1.5;
const SECONDS: f64 = 0.05;
const BYTES: u64 = 1 << 20;

/// What differs from an earlier run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// Answers that are gone or have become wrong.
    pub worse: Vec<String>,
    /// Other verdicts that are not the same.
    pub other: Vec<String>,
    /// Rows that take more time or memory.
    pub slower: Vec<String>,
    /// Questions that were asked in both runs.
    pub common: usize,
    /// Questions that were asked in the earlier run only.
    pub missing: usize,
}

/// Holds rows against those of an earlier run.
#[must_use]
pub fn compare(old: &[Measured], new: &[Measured]) -> Comparison {
    let mut comparison = Comparison::default();
    for before in old {
        let Some(now) = new.iter().find(|row| row.key == before.key) else {
            comparison.missing += 1;
            continue;
        };
        comparison.common += 1;
        let name = format!("{} ({})", now.key.question(), now.key.engine);
        if before.verdict != now.verdict {
            let why = if now.note.is_empty() { String::new() } else { format!(": {}", now.note) };
            let line = format!("{name}: {} is now {}{why}", before.verdict, now.verdict);
            let is_other_answer = is_answer(&now.verdict) && now.ok.is_none();
            if rank(now) < rank(before) || (is_answer(&before.verdict) && is_other_answer) {
                comparison.worse.push(line);
            } else {
                comparison.other.push(line);
            }
        } else if rank(now) < rank(before) {
            comparison.worse.push(format!("{name}: {} is now wrong", now.verdict));
        }
        // What ends without an answer ends when it is told to.
        if !is_answer(&before.verdict) || !is_answer(&now.verdict) {
            continue;
        }
        if now.time > RATIO * before.time && now.time - before.time > SECONDS {
            comparison.slower.push(format!(
                "{name}: {:.2} s is now {:.2} s{}",
                before.time,
                now.time,
                times(now.time / before.time)
            ));
        }
        if let (Some(was), Some(is)) = (before.memory, now.memory)
            && is as f64 > RATIO * was as f64
            && is - was > BYTES
        {
            let ratio = times(is as f64 / was as f64);
            comparison.slower.push(format!("{name}: {} is now {}{ratio}", bytes(was), bytes(is)));
        }
    }
    comparison
}

/// How good a row is: wrong, no answer, an answer.
fn rank(row: &Measured) -> u8 {
    match (row.is_wrong(), is_answer(&row.verdict)) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => 2,
    }
}

fn times(ratio: f64) -> String {
    if ratio.is_finite() { format!(" ({ratio:.1} times)") } else { String::new() }
}

impl Comparison {
    /// The comparison as text for people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let lists = [
            ("worse", &self.worse),
            ("other verdicts", &self.other),
            ("slower or larger", &self.slower),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                text += &format!("{name}\n");
                text.extend(list.iter().map(|line| format!("  {line}\n")));
            }
        }
        let questions = |number: usize| crate::text::count(number, "row");
        if text.is_empty() {
            text += &format!("no regression in {}\n", questions(self.common));
        } else {
            text += &format!("compared: {}\n", questions(self.common));
        }
        if self.missing > 0 {
            text += &format!("not measured this time: {}\n", questions(self.missing));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn regressions_are_found() {
        let of = |before: (&str, f64), now: (&str, f64), expected: &str| {
            let found = compare(
                &[row("f", "auto", expected, &[before])],
                &[row("f", "auto", expected, &[now])],
            );
            (found.worse.len(), found.other.len(), found.slower.len())
        };
        assert_eq!(of(("safe", 1.0), ("safe", 1.4), "safe"), (0, 0, 0));
        assert_eq!(of(("safe", 1.0), ("safe", 1.6), "safe"), (0, 0, 1));
        // Twice as long, but nobody would notice.
        assert_eq!(of(("safe", 0.01), ("safe", 0.02), "safe"), (0, 0, 0));
        assert_eq!(of(("safe", 1.0), ("timeout", 9.0), "safe"), (1, 0, 0));
        assert_eq!(of(("timeout", 9.0), ("safe", 1.0), "safe"), (0, 1, 0));
        assert_eq!(of(("timeout", 9.0), ("unsafe", 1.0), "safe"), (1, 0, 0));
        // Nothing says which one is right.
        assert_eq!(of(("safe", 1.0), ("unsafe", 1.0), "-"), (1, 0, 0));
        assert_eq!(of(("unsafe", 1.0), ("safe", 1.0), "safe"), (0, 1, 0));
        assert_eq!(of(("unknown", 1.0), ("died", 1.0), "safe"), (0, 1, 0));
    }

    #[test]
    fn memory_counts_and_what_is_missing_is_said() {
        let mut now = row("f", "auto", "safe", &[("safe", 1.0)]);
        let before = now.clone();
        now.memory = Some(4 << 20);
        let old = [before, row("g", "auto", "safe", &[("safe", 1.0)])];
        let found = compare(&old, &[now]);
        assert_eq!(
            found.text(),
            "slower or larger\n  f (auto): 1.0 MiB is now 4.0 MiB (4.0 times)\n\
             compared: 1 row\nnot measured this time: 1 row\n"
        );
    }
}
