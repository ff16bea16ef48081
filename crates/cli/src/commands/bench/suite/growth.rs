//! Questions with more and more threads, or contexts, for plots.

use std::path::Path;

use selvedge_report::bench::Part;

use crate::commands::bench::manifest::Question;

/// A file, and from where to where.
#[derive(Clone, Debug)]
pub struct Growth {
    file: String,
    /// The template whose threads become more.
    name: String,
    /// Options that stay the same.
    options: &'static str,
    from: u64,
    to: u64,
}

/// The most points of a line: each one is a run.
const MOST: u64 = 64;

/// Parses `FILE:NAME=1..4`: numbers of threads.
pub fn threads(text: &str) -> Result<Growth, String> {
    let usage = "write FILE:NAME=A..B, for example `lock.weave:worker=1..4`";
    let (file, rest) = text.rsplit_once(':').ok_or(usage)?;
    let (name, range) = rest.split_once('=').ok_or(usage)?;
    growth(file, name, range).filter(|growth| !growth.name.is_empty()).ok_or(usage.to_owned())
}

/// Parses `FILE:1..8`: numbers of contexts.
pub fn contexts(text: &str) -> Result<Growth, String> {
    let usage = "write FILE:A..B, for example `lock.weave:1..8`";
    let (file, range) = text.rsplit_once(':').ok_or(usage)?;
    growth(file, "", range).ok_or(usage.to_owned())
}

fn growth(file: &str, name: &str, range: &str) -> Option<Growth> {
    let (from, to) = range.split_once("..")?;
    let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    let is_good = !file.is_empty() && from <= to && to - from < MOST;
    is_good.then(|| Growth {
        file: file.to_owned(),
        name: name.trim().to_owned(),
        options: "",
        from,
        to,
    })
}

/// The questions about growth; those of the examples, if these are asked about and nothing else is wanted.
pub fn questions(
    threads: Option<&Growth>,
    contexts: Option<&Growth>,
    is_default: bool,
) -> Vec<(Question, Part)> {
    let example = |name: &str, options, to| Growth {
        file: "bluetooth/bluetooth3.weave".to_owned(),
        name: name.to_owned(),
        options,
        from: 1,
        to,
    };
    let default = |growth: Growth| is_default.then_some(growth);
    let threads = threads.cloned().or_else(|| default(example("adder", "", 4)));
    let contexts = contexts
        .cloned()
        .or_else(|| default(example("", "--threads adder=2 --threads stopper=2", 14)));
    let question = |file: String, command, options| Question {
        file,
        options,
        expected: None,
        command,
        is_slow: false,
        note: String::new(),
    };
    let mut questions = Vec::new();
    if let Some(Growth { file, name, from, to, .. }) = threads {
        questions.extend((from..=to).map(|n| {
            let options = format!("--threads {name}={n}");
            (question(file.clone(), "verify", options), Part::Threads(n))
        }));
    }
    if let Some(Growth { file, options, from, to, .. }) = contexts {
        questions.extend((from..=to).map(|n| {
            let options = format!("{options} --contexts {n}").trim_start().to_owned();
            (question(file.clone(), "check", options), Part::Contexts(n))
        }));
    }
    questions
}

/// A file that is not there.
pub fn missing<'a>(questions: &'a [(Question, Part)], folder: &Path) -> Option<&'a str> {
    let mut files = questions.iter().map(|(question, _)| question.file.as_str());
    files.find(|file| !folder.join(file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growths_are_read() {
        let growth = threads("d/a.weave:worker=2..4").unwrap();
        assert_eq!(
            (&*growth.file, &*growth.name, growth.from, growth.to),
            ("d/a.weave", "worker", 2, 4)
        );
        let asked = questions(Some(&growth), Some(&contexts("b:0..1").unwrap()), false);
        let options: Vec<_> =
            asked.iter().map(|(q, _)| format!("{} {}", q.command, q.options)).collect();
        assert_eq!(
            options,
            [
                "verify --threads worker=2",
                "verify --threads worker=3",
                "verify --threads worker=4",
                "check --contexts 0",
                "check --contexts 1"
            ]
        );
        for wrong in ["a", "a:b", "a:b=1", "a:b=2..1", ":b=1..2", "a:=1..2", "a:b=1..99999999999"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
        assert!(contexts("a:1..").is_err() && contexts("1..2").is_err());
        assert!(questions(None, None, false).is_empty());
        let default: Vec<_> =
            questions(None, None, true).into_iter().map(|(q, _)| q.options).collect();
        assert_eq!(default[0], "--threads adder=1");
        assert_eq!(default[4], "--threads adder=2 --threads stopper=2 --contexts 1");
    }
}
