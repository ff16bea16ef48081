//! # Another tool as a column
//! A small text says how it is called and how its answer is read: lines `key = value`, `#` begins a comment.
//!
//! ```text
//! name = spin                      # the column
//! command = sh run.sh {stem}.pml   # {file}, {stem} (without its ending), {folder} (of this text), {options}
//! reads = weave                    # endings of the files that it is asked about
//! needs = {stem}.pml               # asked only where this file is there
//! unsafe = assertion violated      # the answer, if the output has these words; or
//! safe-exit = 0                    # if it ends with this code
//! ```
//!
//! Of the lines for answers, the first one that fits counts; if none does, there is no answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use selvedge::Failure;
use selvedge_frontend::show_path;

use super::manifest::Question;

/// How another tool is called and understood.
#[derive(Debug)]
pub struct Adapter {
    pub name: String,
    command: Vec<String>,
    reads: Vec<String>,
    needs: Vec<String>,
    rules: Vec<(Sign, &'static str)>,
    folder: PathBuf,
}

/// A sign of an answer in the output of a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Sign {
    Words(String),
    Code(i32),
}

impl Adapter {
    /// Reads the text about a tool.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|why| Failure::unreadable(path, &why))?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        parse(&text, folder).map_err(|why| Failure::input(format!("{}: {why}", show_path(path))))
    }

    /// The command for a question, if the tool can be asked it. Options and other commands than `verify` are Selvedge's
    /// own, so a question that has some is for tools that say what to do with `{options}`.
    pub fn command(&self, file: &Path, question: &Question) -> Option<Command> {
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        let takes_options = self.command.iter().any(|word| word == "{options}");
        if question.command != "verify"
            || !self.reads.iter().any(|known| known == ending)
            || (!question.options.is_empty() && !takes_options)
        {
            return None;
        }
        let stem = file.with_extension("");
        let fill = |word: &str| {
            word.replace("{file}", &file.to_string_lossy())
                .replace("{stem}", &stem.to_string_lossy())
                .replace("{folder}", &self.folder.to_string_lossy())
        };
        if !self.needs.iter().all(|needed| Path::new(&fill(needed)).exists()) {
            return None;
        }
        let words = self.command.iter().flat_map(|word| match word.as_str() {
            "{options}" => question.options.split_whitespace().map(str::to_owned).collect(),
            word => vec![fill(word)],
        });
        let mut words = words.collect::<Vec<_>>().into_iter();
        let mut command = Command::new(words.next()?);
        command.args(words);
        Some(command)
    }

    /// The answer in an output.
    pub fn verdict(&self, output: &str, status: ExitStatus) -> Option<&'static str> {
        let fits = |sign: &Sign| match sign {
            Sign::Words(words) => output.contains(words.as_str()),
            Sign::Code(code) => status.code() == Some(*code),
        };
        self.rules.iter().find(|(sign, _)| fits(sign)).map(|(_, verdict)| *verdict)
    }
}

fn parse(text: &str, folder: PathBuf) -> Result<Adapter, String> {
    let (mut name, mut command, mut reads) = (None, None, Vec::new());
    let (mut needs, mut rules) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let fail = |why: &str| format!("line {}: {why}", number + 1);
        // A comment begins a line or follows on a space: a `#` may be a part of what a tool says.
        let line = line.split_once(" #").map_or(line, |(line, _)| line).trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(|| fail("write `key = value`"))?;
        let (key, value) = (key.trim(), value.trim());
        if value.is_empty() {
            return Err(fail(&format!("`{key}` has no value")));
        }
        let (what, is_code) = key.strip_suffix("-exit").map_or((key, false), |what| (what, true));
        let verdict = ["safe", "unsafe", "unknown"].into_iter().find(|verdict| *verdict == what);
        match (key, verdict) {
            (_, Some(verdict)) if is_code => {
                let code = value.parse().map_err(|_| fail("an exit code is a number"))?;
                rules.push((Sign::Code(code), verdict));
            }
            (_, Some(verdict)) => rules.push((Sign::Words(value.to_owned()), verdict)),
            ("name", _) => name = Some(value.to_owned()),
            ("command", _) => command = Some(words(value).map_err(|why| fail(&why))?),
            ("needs", _) => needs.push(value.to_owned()),
            ("reads", _) => reads.extend(
                value
                    .split([',', ' '])
                    .filter(|w| !w.is_empty())
                    .map(|w| w.trim_start_matches('.').to_owned()),
            ),
            _ => {
                return Err(fail(&format!(
                    "`{key}` is not known; there are name, command, reads, needs, safe, unsafe, unknown, \
                     safe-exit, unsafe-exit and unknown-exit"
                )));
            }
        }
    }
    let missing = |what: &str| format!("there is no line `{what} = …`");
    if reads.is_empty() {
        return Err(missing("reads"));
    }
    if !rules.iter().any(|(_, verdict)| *verdict != "unknown") {
        return Err(
            "nothing says what an answer looks like: write `safe = …` or `unsafe = …`".to_owned()
        );
    }
    Ok(Adapter {
        name: name.ok_or_else(|| missing("name"))?,
        command: command.ok_or_else(|| missing("command"))?,
        reads,
        needs,
        rules,
        folder,
    })
}

/// The words of a command; quotation marks keep spaces in one.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if let Some(mark) = quote {
        return Err(format!("the quotation mark {mark} is not closed"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(options: &str) -> Question {
        Question {
            file: "a.weave".to_owned(),
            options: options.to_owned(),
            expected: None,
            command: "verify",
            is_slow: false,
            note: String::new(),
        }
    }

    const TOOL: &str = "# a tool\nname = other\ncommand = run 'a b' {stem}.x -f={file} # with a file\n\
                        reads = weave, .bp\nunsafe = error: 1\nsafe-exit = 0\n";

    #[test]
    fn a_tool_is_called_as_its_text_says() {
        let tool = parse(TOOL, PathBuf::from(".")).unwrap();
        let command = tool.command(Path::new("d/a.weave"), &question("")).unwrap();
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words, ["a b", "d/a.x", "-f=d/a.weave"]);
        assert!(tool.command(Path::new("a.cpds"), &question("")).is_none());
        assert!(tool.command(Path::new("a.weave"), &question("--const N=3")).is_none());
        let needs =
            parse(&format!("{TOOL}needs = {{folder}}/nothing\n"), PathBuf::from(".")).unwrap();
        assert!(needs.command(Path::new("a.weave"), &question("")).is_none());
        let takes = parse(&TOOL.replace("{stem}.x", "{options}"), PathBuf::from(".")).unwrap();
        let command = takes.command(Path::new("a.weave"), &question("--const N=3")).unwrap();
        assert_eq!(command.get_args().count(), 4);
    }

    #[cfg(unix)]
    #[test]
    fn the_first_sign_counts() {
        use std::os::unix::process::ExitStatusExt;
        let tool = parse(TOOL, PathBuf::from(".")).unwrap();
        let of = |output: &str, status| tool.verdict(output, ExitStatus::from_raw(status));
        assert_eq!(of("error: 1", 0), Some("unsafe"));
        assert_eq!(of("done", 0), Some("safe"));
        assert_eq!(of("done", 1 << 8), None);
        // A signal is no exit code.
        assert_eq!(of("done", 9), None);
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = |text: &str| parse(text, PathBuf::new()).unwrap_err();
        assert_eq!(wrong("name = a\nreads = b\nsafe = c"), "there is no line `command = …`");
        assert_eq!(
            wrong("nmae = a"),
            "line 1: `nmae` is not known; there are name, command, reads, needs, safe, unsafe, unknown, safe-exit, unsafe-exit and unknown-exit"
        );
        assert_eq!(wrong("\nname"), "line 2: write `key = value`");
        assert_eq!(wrong("safe-exit = no"), "line 1: an exit code is a number");
        assert_eq!(wrong("command = 'a"), "line 1: the quotation mark ' is not closed");
        assert!(wrong("name = a\ncommand = b\nreads = c\nunknown = d").starts_with("nothing says"));
    }
}
