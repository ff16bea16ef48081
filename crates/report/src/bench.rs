//! # Measurements
//! What came of the questions of a suite, one row for each question and column: as a table for people
//! ([`markdown`]), as values for programs ([`csv`]), beside an earlier run ([`compare`]) and as
//! pictures ([`plots`]). A column is an engine or another tool.
//!
//! **Claim.** A row has an answer only if each of its runs has that answer. An answer that
//! contradicts what is expected, or another run, is *wrong*, and nothing hides it.

pub mod answer;
pub mod compare;
pub mod csv;
pub mod markdown;
pub mod plots;

pub use answer::{AtBound, read};

/// A question of a benchmark and the column that is asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Key {
    /// The file, as the list of questions has it.
    pub file: String,
    /// More of the question, as on a command line.
    pub options: String,
    /// `verify`, `check` or `livelock`.
    pub command: String,
    /// The engine, or the name of another tool.
    pub engine: String,
}

impl Key {
    /// The question without the column.
    #[must_use]
    pub fn question(&self) -> String {
        let command = if self.command == "verify" { "" } else { &self.command };
        let parts = [command, &self.file, &self.options];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }
}

/// One run of one question.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// `safe`, `unsafe`, …; or why there is no answer: `unknown`, `timeout`, `memory`, `died`, `refused`.
    pub verdict: String,
    /// Wall-clock time, in seconds.
    pub time: f64,
    /// Processor time, in seconds, if it is known.
    pub cpu: Option<f64>,
    /// The largest amount of memory in bytes, if it is known.
    pub memory: Option<u64>,
    /// The bound of the answer, if it has one: `3 contexts`.
    pub bound: Option<String>,
    /// The engine that answered, where several took turns.
    pub by: Option<String>,
    /// How many states were stored, if some were.
    pub stored: Option<u64>,
    /// Why there is no answer, or what else there is to say.
    pub note: String,
    /// The counts at each bound.
    pub seen: Vec<AtBound>,
}

/// The part of a benchmark that a row belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Part {
    /// The row is part of the suite itself.
    #[default]
    Suite,
    /// Growth with the number of threads, which is this.
    Threads(u64),
    /// Growth with the number of contexts, which is this.
    Contexts(u64),
}

/// The number of a row, if it belongs to a part of the measurements.
pub(crate) type NumberOf = fn(Part) -> Option<u64>;

impl Part {
    /// The number of threads, if growth with it is measured.
    #[must_use]
    pub fn threads(self) -> Option<u64> {
        if let Part::Threads(number) = self { Some(number) } else { None }
    }

    /// The number of contexts, if growth with it is measured.
    #[must_use]
    pub fn contexts(self) -> Option<u64> {
        if let Part::Contexts(number) = self { Some(number) } else { None }
    }
}

/// All runs of a question in a column, as one row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measured {
    /// The question and the column.
    pub key: Key,
    /// The part of the benchmark that the row belongs to.
    pub part: Part,
    /// The verdict of all runs.
    pub verdict: String,
    /// The verdict that is expected, if one is.
    pub expected: Option<String>,
    /// Whether the verdict is that one; nothing if there is no answer or nothing to compare it with.
    pub ok: Option<bool>,
    /// The median of the times.
    pub time: f64,
    /// The median of the processor times.
    pub cpu: Option<f64>,
    /// The largest amount of memory.
    pub memory: Option<u64>,
    /// The bound of the answer.
    pub bound: Option<String>,
    /// The engine that answered, where several took turns.
    pub by: Option<String>,
    /// How many states were stored.
    pub stored: Option<u64>,
    /// How many runs there were.
    pub repeats: usize,
    /// Why there is no answer, or what else there is to say.
    pub note: String,
    /// What was seen at each bound.
    pub seen: Vec<AtBound>,
}

/// Whether a verdict is an answer.
#[must_use]
pub fn is_answer(verdict: &str) -> bool {
    matches!(verdict, "safe" | "unsafe" | "nonterminating" | "bounded")
}

/// Whether a verdict is the one that is expected; nothing if it is no answer. That there is no violation
/// within a bound contradicts no other verdict, and a proof does not contradict it.
fn agrees(verdict: &str, expected: &str) -> Option<bool> {
    match (verdict, expected) {
        _ if !is_answer(verdict) => None,
        _ if verdict == expected => Some(true),
        ("bounded", _) | ("safe", "bounded") => None,
        _ => Some(false),
    }
}

impl Measured {
    /// All runs as one row.
    #[must_use]
    pub fn new(key: Key, part: Part, expected: Option<String>, runs: &[Run]) -> Self {
        let expected = expected.filter(|verdict| is_answer(verdict));
        let agrees = |verdict: &str| agrees(verdict, expected.as_ref()?);
        let is_wrong = |run: &&Run| agrees(&run.verdict) == Some(false);
        let answers = || runs.iter().filter(|run| is_answer(&run.verdict));
        let first = answers().next();
        let other = answers().find(|run| first.is_some_and(|first| first.verdict != run.verdict));
        // What is wrong counts most, then what is missing.
        let told = (runs.iter().find(is_wrong))
            .or_else(|| runs.iter().find(|run| !is_answer(&run.verdict)))
            .or(runs.first());
        let told = told.cloned().unwrap_or_default();
        let (verdict, ok, note) = match (first, other) {
            (Some(first), Some(other)) => (
                "contradictory".to_owned(),
                Some(false),
                format!("{} in one run, {} in another", first.verdict, other.verdict),
            ),
            _ => (told.verdict.clone(), agrees(&told.verdict), told.note),
        };
        Measured {
            key,
            part,
            verdict,
            ok,
            expected,
            time: median(runs.iter().map(|run| run.time)).unwrap_or(0.0),
            cpu: median(runs.iter().filter_map(|run| run.cpu)),
            memory: runs.iter().filter_map(|run| run.memory).max(),
            bound: told.bound,
            by: told.by,
            stored: told.stored,
            repeats: runs.len(),
            note,
            seen: told.seen,
        }
    }

    /// Whether there is an answer that nothing contradicts.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        is_answer(&self.verdict) && self.ok != Some(false)
    }

    /// Whether the answer is wrong.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.ok == Some(false)
    }
}

/// The one in the middle, or the mean of the two.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { upper } else { f64::midpoint(values[middle - 1], upper) })
}

/// The columns, in the order in which they come up.
#[must_use]
pub fn columns(rows: &[Measured]) -> Vec<&str> {
    let mut columns = Vec::new();
    for row in rows {
        if !columns.contains(&row.key.engine.as_str()) {
            columns.push(row.key.engine.as_str());
        }
    }
    columns
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn row(
        file: &str,
        engine: &str,
        expected: &str,
        verdicts: &[(&str, f64)],
    ) -> Measured {
        let key = Key {
            file: file.to_owned(),
            options: String::new(),
            command: "verify".to_owned(),
            engine: engine.to_owned(),
        };
        let run = |&(verdict, time): &(&str, f64)| Run {
            verdict: verdict.to_owned(),
            time,
            memory: Some(1 << 20),
            ..Run::default()
        };
        let runs: Vec<Run> = verdicts.iter().map(run).collect();
        Measured::new(key, Part::Suite, Some(expected.to_owned()), &runs)
    }

    #[test]
    fn a_row_is_as_good_as_its_worst_run() {
        let of = |expected, verdicts: &[_]| {
            let row = row("f", "auto", expected, verdicts);
            (row.verdict, row.ok, row.time)
        };
        let word = str::to_owned;
        assert_eq!(
            of("safe", &[("safe", 3.0), ("safe", 1.0), ("safe", 2.0)]),
            (word("safe"), Some(true), 2.0)
        );
        assert_eq!(of("safe", &[("safe", 1.0), ("timeout", 10.0)]), (word("timeout"), None, 5.5));
        assert_eq!(
            of("safe", &[("unknown", 1.0), ("unsafe", 1.0)]),
            (word("unsafe"), Some(false), 1.0)
        );
        assert_eq!(
            of("-", &[("safe", 1.0), ("unsafe", 1.0)]),
            (word("contradictory"), Some(false), 1.0)
        );
        assert_eq!(of("safe", &[("bounded", 1.0)]), (word("bounded"), None, 1.0));
        assert_eq!(of("bounded", &[("unsafe", 1.0)]), (word("unsafe"), Some(false), 1.0));
        assert_eq!(of("-", &[("safe", 1.0)]), (word("safe"), None, 1.0));
        assert_eq!(of("safe", &[]), (String::new(), None, 0.0));
    }
}
