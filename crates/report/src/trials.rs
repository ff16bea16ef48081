//! # Trials
//! What came of random questions, as text and JSON: how many were decided, that none was decided
//! wrongly, how long it took, and which ones stayed open.

use std::time::Duration;

use selvedge_analysis::trials::{Trial, TrialResult};
use serde::Serialize;

use crate::amount::seconds;
use crate::answer::layout;
use crate::json::VERSION;
use crate::style::{Paint, Role};
use crate::text::count;

/// Many trials, and how they were asked for.
#[derive(Clone, Copy)]
pub struct TrialsReport<'a> {
    /// The trials, by rising seeds.
    pub trials: &'a [Trial],
    /// The number of trials that were wanted.
    pub wanted: u64,
    /// The first seed.
    pub first_seed: u64,
    /// How long each could take.
    pub limit: Duration,
}

impl TrialsReport<'_> {
    /// The report as text for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let json = self.json();
        let title = format!(
            "{} from seed {}, at most {} each",
            count(self.trials.len(), "random question"),
            self.first_seed,
            seconds(self.limit)
        );
        let interrupted = if json.interrupted { " (interrupted)" } else { "" };
        let share = |part: usize| 100.0 * part as f64 / self.trials.len().max(1) as f64;
        let decided = format!(
            "{} ({:.2} %): {} safe, {} unsafe",
            json.decided,
            share(json.decided),
            json.safe,
            json.r#unsafe
        );
        let Times { total, median, p99, longest } = json.time_s;
        let times = format!(
            "{total:.1} s in all; median {:.2} ms, 99 % within {:.1} ms, longest {:.0} ms",
            1e3 * median,
            1e3 * p99,
            1e3 * longest
        );
        let details = [
            ("decided", decided),
            ("undecided", json.undecided.len().to_string()),
            ("wrong", json.wrong.len().to_string()),
            ("time", times),
        ];
        let mut text = format!("{}{interrupted}\n", paint.paint(Role::Heading, &title));
        text += &layout(&details, paint);
        for (name, list) in [("wrong", &json.wrong), ("undecided", &json.undecided)] {
            if !list.is_empty() {
                text += &format!("\n{}\n", paint.paint(Role::Heading, name));
                let line = |open: &Open| {
                    let Open { seed, asked, reason, .. } = open;
                    format!("  seed {seed}, {asked}: {reason}\n")
                };
                text.extend(list.iter().map(line));
            }
        }
        text
    }

    /// The report as an object for other programs.
    #[must_use]
    pub fn json(&self) -> Trials {
        let number = |of: fn(&TrialResult) -> bool| {
            self.trials.iter().filter(|trial| of(&trial.result)).count()
        };
        let safe = number(|result| *result == TrialResult::Safe);
        let r#unsafe = number(|result| *result == TrialResult::Unsafe);
        let list = |of: fn(&TrialResult) -> Option<&String>| {
            let open = |trial: &Trial| {
                Some(Open {
                    seed: trial.seed,
                    asked: trial.asked.to_string(),
                    reason: of(&trial.result)?.clone(),
                    time_s: trial.time.as_secs_f64(),
                })
            };
            self.trials.iter().filter_map(open).collect()
        };
        Trials {
            selvedge: VERSION,
            first_seed: self.first_seed,
            count: self.trials.len(),
            interrupted: (self.trials.len() as u64) < self.wanted,
            limit_s: self.limit.as_secs_f64(),
            decided: safe + r#unsafe,
            safe,
            r#unsafe,
            wrong: list(wrong),
            undecided: list(undecided),
            time_s: self.times(),
        }
    }

    /// The seeds of answers that are wrong.
    #[must_use]
    pub fn wrong_seeds(&self) -> Vec<u64> {
        let is_wrong = |trial: &&Trial| wrong(&trial.result).is_some();
        self.trials.iter().filter(is_wrong).map(|trial| trial.seed).collect()
    }

    fn times(&self) -> Times {
        let mut times: Vec<f64> = self.trials.iter().map(|t| t.time.as_secs_f64()).collect();
        times.sort_unstable_by(f64::total_cmp);
        let at = |percent: usize| {
            times.get((times.len() * percent / 100).min(times.len().saturating_sub(1))).copied()
        };
        Times {
            // An empty sum of floats is -0.
            total: times.iter().fold(0.0, |total, time| total + time),
            median: at(50).unwrap_or(0.0),
            p99: at(99).unwrap_or(0.0),
            longest: at(100).unwrap_or(0.0),
        }
    }
}

fn wrong(result: &TrialResult) -> Option<&String> {
    match result {
        TrialResult::Wrong(why) => Some(why),
        _ => None,
    }
}

fn undecided(result: &TrialResult) -> Option<&String> {
    match result {
        TrialResult::Undecided(why) => Some(why),
        _ => None,
    }
}

/// The results of `selvedge bench random`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Trials {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The first seed; the others follow one by one.
    pub first_seed: u64,
    /// How many questions were asked.
    pub count: usize,
    /// Whether fewer were asked than were wanted.
    pub interrupted: bool,
    /// How long each could take, in seconds.
    pub limit_s: f64,
    /// How many have an answer that holds.
    pub decided: usize,
    /// How many of them are safe.
    pub safe: usize,
    /// How many of them are unsafe.
    pub r#unsafe: usize,
    /// Answers that do not hold. There must be none.
    pub wrong: Vec<Open>,
    /// Questions without an answer.
    pub undecided: Vec<Open>,
    /// How long the answers took.
    pub time_s: Times,
}

/// A question without an answer that holds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Open {
    /// The seed of the trial.
    pub seed: u64,
    /// What was asked.
    pub asked: String,
    /// Why there is no answer.
    pub reason: String,
    /// How long it took.
    pub time_s: f64,
}

/// Statistics of times, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Times {
    /// The sum of all times.
    pub total: f64,
    /// Half of them were shorter.
    pub median: f64,
    /// 99 of 100 were shorter.
    pub p99: f64,
    /// The longest time.
    pub longest: f64,
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use selvedge_analysis::trials::TrialQuestion;

    use super::*;

    #[test]
    fn what_is_open_is_listed() {
        let trial =
            |seed, asked, result| Trial { seed, asked, result, time: Duration::from_millis(seed) };
        let trials = [
            trial(7, TrialQuestion::Target, TrialResult::Safe),
            trial(8, TrialQuestion::Everything, TrialResult::Undecided("too slow".to_owned())),
            trial(9, TrialQuestion::Target, TrialResult::Wrong("no".to_owned())),
        ];
        let limit = Duration::from_secs(1);
        let report = TrialsReport { trials: &trials, wanted: 4, first_seed: 7, limit };
        expect![[r#"
            3 random questions from seed 7, at most 1.00 s each (interrupted)
              decided    1 (33.33 %): 1 safe, 0 unsafe
              undecided  1
              wrong      1
              time       0.0 s in all; median 8.00 ms, 99 % within 9.0 ms, longest 9 ms

            wrong
              seed 9, target: no

            undecided
              seed 8, all visible states: too slow
        "#]]
        .assert_eq(&report.text(Paint { colours: false }));
        assert_eq!(report.wrong_seeds(), [9]);
        let none = TrialsReport { trials: &[], wanted: 0, first_seed: 0, limit };
        assert_eq!(none.json().time_s.longest, 0.0);
    }
}
