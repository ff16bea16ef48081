//! # Schedules
//! Who acts, step by step, in text that people can write:
//!
//! ```text
//! # the adder runs first
//! initial 2           # start in the second initial state; the first if left out
//! threads worker 3    # with three of `worker`, of which there may be any number
//! adder               # one step
//! stopper * 3         # three steps
//! adder choice 2      # the second of the steps that it can take here
//! adder choice 2 * 4
//! worker#3            # `#` starts a comment only at the start of a word
//! put(a, b)#1 * 2     # what stands in parentheses is part of a name
//! ```

use std::fmt;

/// A schedule: the threads that act, step by step. See the module for its text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Which initial state, counted from 0.
    pub initial: usize,
    /// How many threads there are of the templates of which there may be any number; none of those
    /// that are not named.
    pub threads: Vec<(String, usize)>,
    /// The steps.
    pub steps: Vec<ScheduledStep>,
}

/// A step of a schedule, or several that are alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduledStep {
    /// The name of the thread that acts.
    pub thread: String,
    /// Which of its steps, counted from 1; may be left out where it has only one.
    pub choice: Option<usize>,
    /// How many times the step is taken.
    pub times: usize,
    /// The line of the text that says so, counted from 1; 0 if there is no text.
    pub line: usize,
}

/// A line of a schedule that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ScheduleError {}

/// A line may stand for this many steps, so that a slip of the hand does not take for ever.
const LONGEST_REPEAT: usize = 1_000_000;

/// No run begins with more threads of which there is any number.
const MOST_THREADS: usize = 10_000;

impl Schedule {
    /// Reads the text of a schedule.
    pub fn parse(text: &str) -> Result<Schedule, ScheduleError> {
        let mut schedule = Schedule::default();
        for (index, line) in text.lines().enumerate() {
            schedule.read_line(line, index + 1)?;
        }
        Ok(schedule)
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.iter().fold(0, |sum, step| sum.saturating_add(step.times))
    }

    /// The schedule up to a number of steps.
    #[must_use]
    pub fn first(&self, steps: usize) -> Schedule {
        let mut left = steps;
        let mut kept = Schedule { steps: Vec::new(), ..self.clone() };
        for step in &self.steps {
            let times = step.times.min(left);
            left -= times;
            if times > 0 {
                kept.steps.push(ScheduledStep { times, ..step.clone() });
            }
        }
        kept
    }

    /// Whether it has no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads one line of the text of a schedule, which has this number.
    pub(crate) fn read_line(&mut self, text: &str, line: usize) -> Result<(), ScheduleError> {
        let words = words(text);
        let wrong = |message| ScheduleError { line, message };
        match words[..] {
            [] => {}
            ["initial", number] => {
                if !self.steps.is_empty() {
                    return Err(wrong("`initial` must stand before the steps".to_owned()));
                }
                self.initial = positive(number).map_err(wrong)? - 1;
            }
            ["threads", name, number] if !matches!(name, "*" | "choice") => {
                if !self.steps.is_empty() {
                    return Err(wrong("`threads` must stand before the steps".to_owned()));
                }
                let number = positive(number).map_err(wrong)?;
                self.threads.push((name.to_owned(), number));
                if self.threads.iter().map(|(_, n)| n).sum::<usize>() > MOST_THREADS {
                    return Err(wrong(format!("there are at most {MOST_THREADS} threads")));
                }
            }
            [thread, ref rest @ ..] => {
                let (choice, times) = modifiers(rest).map_err(wrong)?;
                self.steps.push(ScheduledStep { thread: thread.to_owned(), choice, times, line });
            }
        }
        Ok(())
    }
}

/// The words of a line, up to a comment. What stands in parentheses is part of a word: a thread may be called `put(a, b)#1`.
fn words(text: &str) -> Vec<&str> {
    let (mut words, mut start, mut depth) = (Vec::new(), None, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && depth == 0 {
            words.extend(start.take().map(|start| &text[start..at]));
        } else if start.is_none() && c == '#' {
            return words;
        } else if start.is_none() {
            start = Some(at);
        }
    }
    words.extend(start.map(|start| text[start..].trim_end()));
    words
}

/// `choice N` and `* N`, each at most once, in any order.
fn modifiers(mut words: &[&str]) -> Result<(Option<usize>, usize), String> {
    let (mut choice, mut times) = (None, None);
    loop {
        match *words {
            [] => return Ok((choice, times.unwrap_or(1))),
            ["choice", number, ref rest @ ..] if choice.is_none() => {
                choice = Some(positive(number)?);
                words = rest;
            }
            ["*", number, ref rest @ ..] if times.is_none() => {
                times = Some(positive(number)?);
                words = rest;
            }
            _ => {
                return Err(format!(
                    "cannot read `{}`; a line is `name`, `name * 3` or `name choice 2`",
                    words.join(" ")
                ));
            }
        }
    }
}

fn positive(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(n) if (1..=LONGEST_REPEAT).contains(&n) => Ok(n),
        _ => Err(format!("`{word}` is not a number from 1 to {LONGEST_REPEAT}")),
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.initial > 0 {
            writeln!(f, "initial {}", self.initial + 1)?;
        }
        for (name, number) in &self.threads {
            writeln!(f, "threads {name} {number}")?;
        }
        let alike =
            |a: &ScheduledStep, b: &ScheduledStep| (&a.thread, a.choice) == (&b.thread, b.choice);
        for run in self.steps.chunk_by(alike) {
            f.write_str(&run[0].thread)?;
            if let Some(choice) = run[0].choice {
                write!(f, " choice {choice}")?;
            }
            let times = run.iter().fold(0_usize, |sum, step| sum.saturating_add(step.times));
            if times > 1 {
                write!(f, " * {times}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        match Schedule::parse(text) {
            Ok(schedule) => {
                let printed = schedule.to_string();
                expected.assert_eq(&printed);
                assert_eq!(Schedule::parse(&printed).unwrap().to_string(), printed);
            }
            Err(error) => expected.assert_eq(&error.to_string()),
        }
    }

    #[test]
    fn reads_what_it_writes() {
        check(
            "# first\ninitial 2\n a\na * 2 # more\nb choice 2\n\nb choice 2 * 2\nw#3 * 1\na",
            expect![[r#"
                initial 2
                a * 3
                b choice 2 * 3
                w#3
                a
            "#]],
        );
        check(
            "initial 3\nthreads w 2\nthreads v 1\nw#2 choice 2\nthreads * 2",
            expect![[r#"
                initial 3
                threads w 2
                threads v 1
                w#2 choice 2
                threads * 2
            "#]],
        );
        check("", expect![""]);
        check(
            "put(a, b)#1 # (the first\n put(a, b)#1 * 2\nput(a, (b , c)) choice 2 * 3\nput( a",
            expect![[r#"
                put(a, b)#1 * 3
                put(a, (b , c)) choice 2 * 3
                put( a
            "#]],
        );
    }

    #[test]
    fn says_what_is_wrong_with_a_line() {
        check(
            "a\na times 3",
            expect![
                "line 2: cannot read `times 3`; a line is `name`, `name * 3` or `name choice 2`"
            ],
        );
        check("a * 0", expect!["line 1: `0` is not a number from 1 to 1000000"]);
        check(
            "a * 99999999999999999999",
            expect!["line 1: `99999999999999999999` is not a number from 1 to 1000000"],
        );
        check("a\ninitial 1", expect!["line 2: `initial` must stand before the steps"]);
        check("a\nthreads w 2", expect!["line 2: `threads` must stand before the steps"]);
        check("threads w 0", expect!["line 1: `0` is not a number from 1 to 1000000"]);
        check("threads w 6000\nthreads w 6000", expect!["line 2: there are at most 10000 threads"]);
        check(
            "a * 3 * 3",
            expect!["line 1: cannot read `* 3`; a line is `name`, `name * 3` or `name choice 2`"],
        );
    }
}
