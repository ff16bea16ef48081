//! # What was reached
//! How many assertions some run evaluates, and which lines none executes: a proof about what nobody reaches is worth little,
//! and an answer says so.

use selvedge_analysis::Bound;
use selvedge_program::{Assertion, Coverage};
use serde::Serialize;

use crate::answer::Detail;

/// More ranges of lines than this are only counted.
const MOST_SHOWN: usize = 8;

/// The coverage of a text, with the runs that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Covered {
    /// Which runs were followed.
    pub extent: Extent,
    /// The assertions and lines that these runs reach.
    pub coverage: Coverage,
}

/// Which runs were followed to see what is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All of them: what they do not reach is never reached.
    AllSchedules,
    /// All runs within a bound.
    Within(Bound),
    /// Some: of what they do not reach nothing is known.
    SomeSchedules,
}

impl Covered {
    /// The reason to distrust an answer because assertions are not reached, if some are not.
    #[must_use]
    pub fn unreached(&self) -> Option<String> {
        let lines = self.coverage.unreached();
        if lines.is_empty() {
            return None;
        }
        let (which, verb) = match lines[..] {
            [line] => (format!("the assertion in line {line}"), "is"),
            _ => (format!("the assertions in {}", in_words(&lines)), "are"),
        };
        let why = match self.extent {
            Extent::AllSchedules => format!("no schedule gets to {which}"),
            Extent::Within(bound) => format!("no schedule within {bound} gets to {which}"),
            Extent::SomeSchedules => {
                format!(
                    "{which} {verb} not known to be reached: no schedule that was tried gets there"
                )
            }
        };
        let unreached = |assertion: &&Assertion| !assertion.is_reached;
        Some(match self.coverage.assertions.iter().filter(unreached).any(|a| a.is_false) {
            true => {
                format!("{why} (`assert false` counts if a test directly before it is reached)")
            }
            false => why,
        })
    }

    /// Lines for people; none where there is nothing to be said.
    #[must_use]
    pub fn details(&self) -> Vec<Detail> {
        let mut details = Vec::new();
        let (all, reached) = (self.coverage.assertions.len(), self.coverage.reached());
        if all > 0 {
            let number = match (reached, all) {
                (1, 1) => "the assertion".to_owned(),
                (reached, all) if reached == all => format!("all {all} assertions"),
                (0, 1) => "none".to_owned(),
                (reached, all) => format!("{reached} of {all} assertions"),
            };
            let missing = self.unreached().map_or(String::new(), |why| format!(": {why}"));
            details.push(("reached", format!("{number}{missing}")));
        }
        let never = self.unexecuted().unwrap_or_default();
        if !never.is_empty() {
            details.push(("never", self.not_executed(never)));
        }
        details
    }

    /// What is said beside an assertion that is not reached.
    #[must_use]
    pub fn about_unreached(&self) -> String {
        match self.extent {
            Extent::AllSchedules => {
                "no schedule gets to this assertion: that it holds says nothing".to_owned()
            }
            Extent::Within(bound) => format!("no schedule within {bound} gets to this assertion"),
            Extent::SomeSchedules => {
                "this assertion is not known to be reached: no schedule that was tried gets there"
                    .to_owned()
            }
        }
    }

    /// Remarks with the line that each is about: on assertions that are not reached, and on lines that are not executed.
    #[must_use]
    pub fn remarks(&self) -> Vec<(u32, String)> {
        let words = self.about_unreached();
        let unreached = self.coverage.unreached().into_iter().map(|line| (line, words.clone()));
        let unexecuted = ranges(self.unexecuted().unwrap_or_default()).into_iter();
        let unexecuted = unexecuted
            .map(|(first, last)| (first, self.not_executed(&(first..=last).collect::<Vec<_>>())));
        unreached.chain(unexecuted).collect()
    }

    /// Says that no schedule executes these lines.
    fn not_executed(&self, lines: &[u32]) -> String {
        let them = if lines.len() == 1 { "it" } else { "them" };
        format!("{}: no schedule{} executes {them}", in_words(lines), self.within())
    }

    /// ` within 3 contexts`, if there is a bound.
    fn within(&self) -> String {
        match self.extent {
            Extent::Within(bound) => format!(" within {bound}"),
            Extent::AllSchedules | Extent::SomeSchedules => String::new(),
        }
    }

    /// The lines that no schedule executes, where all were followed.
    #[must_use]
    pub fn never(&self) -> Vec<u32> {
        match self.extent {
            Extent::AllSchedules => self.unexecuted().unwrap_or_default().to_vec(),
            Extent::Within(_) | Extent::SomeSchedules => Vec::new(),
        }
    }

    /// The lines that no schedule executes, of all or within the bound; `None` if that is not known.
    #[must_use]
    pub fn unexecuted(&self) -> Option<&[u32]> {
        match self.extent {
            Extent::AllSchedules | Extent::Within(_) => self.coverage.unexecuted.as_deref(),
            Extent::SomeSchedules => None,
        }
    }
}

/// Lines that follow each other, as pairs of the first and the last.
#[must_use]
pub fn ranges(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(line) => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    ranges
}

/// Lines in words: `line 3`, `lines 3, 5 to 8 and 10`.
fn in_words(lines: &[u32]) -> String {
    let all = ranges(lines);
    let shown = all.iter().take(MOST_SHOWN).map(|&(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    });
    let mut words: Vec<String> = shown.collect();
    let rest: u64 = all.iter().skip(MOST_SHOWN).map(|(a, b)| u64::from(b - a) + 1).sum();
    if rest > 0 {
        words.push(format!("{rest} more"));
    }
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    match words.split_last() {
        Some((last, before @ [_, ..])) => format!("{noun} {} and {last}", before.join(", ")),
        _ => format!("{noun} {}", words.concat()),
    }
}

/// The object of an answer that says what was reached.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Object {
    /// Which runs were followed: `all`, `bound` or `some`.
    pub schedules: &'static str,
    /// How many assertions the text has.
    pub assertions: usize,
    /// How many of them some schedule evaluates.
    pub reached: usize,
    /// The lines of those that none does.
    pub unreached_lines: Vec<u32>,
    /// The lines that no schedule executes, of all or within the bound.
    pub unexecuted_lines: Option<Vec<u32>>,
}

impl From<&Covered> for Object {
    fn from(covered: &Covered) -> Self {
        let Covered { extent, coverage } = covered;
        Object {
            schedules: match extent {
                Extent::AllSchedules => "all",
                Extent::Within(_) => "bound",
                Extent::SomeSchedules => "some",
            },
            assertions: coverage.assertions.len(),
            reached: coverage.reached(),
            unreached_lines: coverage.unreached(),
            unexecuted_lines: covered.unexecuted().map(<[u32]>::to_vec),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(extent: Extent, assertions: &[(u32, bool)], unexecuted: &[u32]) -> Covered {
        let of = |&(line, is_reached): &(u32, bool)| {
            let is_false = false;
            Assertion { line, is_false, is_reached }
        };
        let assertions = assertions.iter().map(of).collect();
        Covered { extent, coverage: Coverage { assertions, unexecuted: Some(unexecuted.to_vec()) } }
    }

    #[track_caller]
    fn check(covered: &Covered, expected: &[Detail]) {
        assert_eq!(covered.details(), expected);
    }

    #[test]
    fn answers_say_what_is_reached() {
        let all = Extent::AllSchedules;
        check(&covered(all, &[], &[]), &[]);
        check(&covered(all, &[(3, true)], &[]), &[("reached", "the assertion".into())]);
        check(
            &covered(all, &[(3, true), (4, true)], &[]),
            &[("reached", "all 2 assertions".into())],
        );
        let lines = [2, 5, 6, 8, 9, 10];
        check(
            &covered(all, &[(3, false)], &lines),
            &[
                ("reached", "none: no schedule gets to the assertion in line 3".into()),
                ("never", "lines 2, 5, 6 and 8 to 10: no schedule executes them".into()),
            ],
        );
        check(
            &covered(Extent::Within(Bound::contexts(3)), &[(3, true), (7, false)], &lines),
            &[
                (
                    "reached",
                    "1 of 2 assertions: no schedule within 3 contexts gets to the assertion in line 7"
                        .into(),
                ),
                (
                    "never",
                    "lines 2, 5, 6 and 8 to 10: no schedule within 3 contexts executes them"
                        .into(),
                ),
            ],
        );
        check(
            &covered(Extent::SomeSchedules, &[(3, false), (7, false)], &[]),
            &[(
                "reached",
                "0 of 2 assertions: the assertions in lines 3 and 7 are not known to be reached: no \
                 schedule that was tried gets there"
                    .into(),
            )],
        );
    }
}
