//! The list of questions: a line each, with tabs between file, options, expected verdict, bound, how
//! it is run, and a note. Only the file has to be there. Files are sought beside the list; empty lines and
//! lines that begin with `#` are passed over, and so is a line of names (`file`, …).
//!
//! A list of tasks in C has another line of names (`file`, `data_model`, and properties), and a verdict in each column of a property: see
//! `tasks`.

mod tasks;

use std::fs;
use std::path::{Path, PathBuf};

use selvedge_frontend::{has_known_ending, show_path};

use selvedge::Failure;

/// A list of questions.
pub struct Manifest {
    /// The folder of its files.
    pub folder: PathBuf,
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The file, as the list has it.
    pub file: String,
    pub options: String,
    /// The verdict that is expected, if one is.
    pub expected: Option<String>,
    /// `verify`, `check` or `livelock`.
    pub command: &'static str,
    pub is_slow: bool,
    /// Further remarks about the question in the list.
    pub note: String,
}

/// The list of the examples, in a checkout.
const EXAMPLES: &str = "examples/expected.tsv";

/// The names of lists in a folder.
const LISTS: [&str; 2] = ["expected.tsv", "TASKS.tsv"];

impl Manifest {
    /// Reads a list; that of the examples if none is given. A folder has one of a known name.
    pub fn load(path: Option<&Path>) -> Result<Self, Failure> {
        let path = match path {
            Some(path) if path.is_dir() => {
                let there = LISTS.iter().map(|name| path.join(name)).find(|list| list.is_file());
                there.unwrap_or_else(|| path.join(LISTS[0]))
            }
            Some(path) => path.to_owned(),
            None if Path::new(EXAMPLES).is_file() => PathBuf::from(EXAMPLES),
            None => {
                return Err(Failure::usage(format!(
                    "there is no {EXAMPLES} here: run this in a checkout of Selvedge, or name a list of \
                     questions, `selvedge bench LIST.tsv`, with a file on each line"
                )));
            }
        };
        let text = fs::read_to_string(&path).map_err(|why| Failure::unreadable(&path, &why))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let wrong = |(line, why): (usize, String)| {
            Failure::input(format!("{}, line {line}: {why}", show_path(&path)))
        };
        let mut questions = Vec::new();
        for (line, question) in parse(&text).map_err(wrong)? {
            if !folder.join(&question.file).is_file() {
                let file = show_path(&folder.join(&question.file)).to_string();
                let why = match has_known_ending(&path) {
                    true => {
                        "this is a program, not a list: write its name into a file, and give that"
                    }
                    false => {
                        "columns are separated by tabs: file, options, verdict, bound, run, note"
                    }
                };
                return Err(wrong((line, format!("there is no file {file}; {why}"))));
            }
            questions.push(question);
        }
        if questions.is_empty() {
            return Err(Failure::input(format!("{} has no questions", show_path(&path))));
        }
        Ok(Manifest { folder, questions })
    }
}

/// The questions with their lines, or what is wrong on which line.
fn parse(text: &str) -> Result<Vec<(usize, Question)>, (usize, String)> {
    if let Some(questions) = tasks::parse(text) {
        return questions;
    }
    let mut questions = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let field = |place: usize| fields.get(place).copied().unwrap_or("");
        if line.trim().is_empty() || line.starts_with('#') || field(0) == "file" {
            continue;
        }
        let fail = |why: String| (number + 1, why);
        if fields.len() > 6 {
            return Err(fail(format!(
                "{} fields, but there are six: file, options, verdict, bound, run, note",
                fields.len()
            )));
        }
        if field(0).is_empty() {
            return Err(fail("the first field is the file, and it is empty".to_owned()));
        }
        let expected = match field(2) {
            "" | "-" | "unknown" => None,
            verdict @ ("safe" | "unsafe" | "bounded" | "nonterminating") => {
                Some(verdict.to_owned())
            }
            other => {
                return Err(fail(format!(
                    "`{other}` is no verdict: write safe, unsafe, bounded, nonterminating, or - if \
                     nothing is expected"
                )));
            }
        };
        let (command, is_slow) = match field(4) {
            "" | "test" | "solver" | "open" | "verify" => ("verify", false),
            "slow" => ("verify", true),
            "check" => ("check", false),
            "livelock" => ("livelock", false),
            other => {
                return Err(fail(format!(
                    "`{other}` is no way to run: write verify, check, livelock or slow"
                )));
            }
        };
        let options = field(1).split_whitespace().collect::<Vec<_>>().join(" ");
        let (file, note) = (field(0).to_owned(), field(5).to_owned());
        questions.push((number + 1, Question { file, options, expected, command, is_slow, note }));
    }
    Ok(questions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read() {
        let text = "file\toptions\tverdict\tbound\trun\n# a comment\n\na.weave\nb.weave\t--const  N=3\tsafe\t-\tslow\tlarge\n\
                    c.weave\t\tnonterminating\t-\tlivelock\n";
        let read: Vec<_> = parse(text).unwrap();
        let words: Vec<_> = read
            .iter()
            .map(|(line, q)| {
                (*line, &*q.file, &*q.options, q.expected.as_deref(), q.command, q.is_slow)
            })
            .collect();
        assert_eq!(
            words,
            [
                (4, "a.weave", "", None, "verify", false),
                (5, "b.weave", "--const N=3", Some("safe"), "verify", true),
                (6, "c.weave", "", Some("nonterminating"), "livelock", false),
            ]
        );
    }

    #[test]
    fn mistakes_have_lines() {
        let wrong = |text: &str| parse(text).unwrap_err();
        assert_eq!(wrong("a\n\tx").0, 2);
        assert!(wrong("a\t\tperhaps").1.starts_with("`perhaps` is no verdict"));
        assert!(wrong("a\t\t\t\tsoon").1.starts_with("`soon` is no way to run"));
        assert!(wrong("a\tb\tsafe\t1\ttest\tmore\tmore").1.starts_with("7 fields"));
    }
}
