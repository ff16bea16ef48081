//! # Task definitions
//! A `.yml` file beside a program: which properties it is asked for, with which data model, and what is expected.

use std::path::{Path, PathBuf};

use selvedge_program::{Source, Span};

use super::wrong;
use super::yaml::{self, Node, Value};
use crate::c::types::DataModel;
use crate::{Diagnostic, LoadError, read_text};

/// A program and what it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The program.
    pub program: PathBuf,
    /// The widths of `long` and pointers, if they are given.
    pub data_model: Option<DataModel>,
    /// The properties, in the order of the text.
    pub entries: Vec<Entry>,
}

/// A property of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The property file.
    pub file: PathBuf,
    /// Whether the property is expected to hold, if it is said.
    pub expected: Option<bool>,
}

impl Definition {
    /// Whether a file is a task definition, by the ending of its name.
    #[must_use]
    pub fn has_its_ending(path: &Path) -> bool {
        matches!(path.extension().and_then(|ending| ending.to_str()), Some("yml" | "yaml"))
    }

    /// Reads a task definition. The files that it names are sought beside it, and not read.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&read_text(path)?, folder)
    }

    /// Reads the text of a task definition in a folder.
    pub fn parse(source: &Source, folder: &Path) -> Result<Self, LoadError> {
        parse(source, folder).map_err(|why| wrong(source, why))
    }
}

fn parse(source: &Source, folder: &Path) -> Result<Definition, Diagnostic> {
    let document = yaml::parse(source)?;
    let Value::Map(keys) = &document.value else {
        let message = "this is no task definition";
        let hint = "it has keys: `format_version`, `input_files`, `properties`, `options`";
        return Err(Diagnostic::error(document.span, message).hint(hint));
    };
    let known = [
        "format_version",
        "input_files",
        "properties",
        "options",
        "required_files",
        "additional_information",
    ];
    if let Some((key, _)) =
        keys.iter().find(|(key, _)| !key.word().is_some_and(|k| known.contains(&k)))
    {
        let message = "task definitions have no such key";
        return Err(
            Diagnostic::error(key.span, message).hint(format!("known are {}", known.join(", ")))
        );
    }
    version(&document)?;
    let program = folder.join(program(&document)?);
    let (mut data_model, language) =
        (None, document.get("options").and_then(|o| o.get("language")));
    if let Some(language) = language.filter(|language| language.word() != Some("C")) {
        let message = "this task is not in C";
        return Err(Diagnostic::error(language.span, message).hint(
            "task definitions are read for C only; give the program itself to `selvedge verify`",
        ));
    }
    if let Some(model) = document.get("options").and_then(|options| options.get("data_model")) {
        data_model = Some(match model.word() {
            Some("ILP32") => DataModel::Ilp32,
            Some("LP64") => DataModel::Lp64,
            _ => {
                let message = "this is no data model";
                return Err(Diagnostic::error(model.span, message).hint("write ILP32 or LP64"));
            }
        });
    }
    let listed = document.get("properties").map_or(&[][..], Node::elements);
    let entries = listed.iter().map(|node| entry(node, folder)).collect::<Result<Vec<_>, _>>()?;
    if entries.is_empty() {
        let message = "this task has no properties";
        return Err(Diagnostic::error(document.span, message)
            .hint("add `properties:` with `- property_file: unreach-call.prp`"));
    }
    Ok(Definition { program, data_model, entries })
}

fn version(document: &Node) -> Result<(), Diagnostic> {
    let hint = "write `format_version: '2.0'`";
    let Some(version) = document.get("format_version") else {
        let place = Span::new(0, 0);
        return Err(Diagnostic::error(place, "there is no format_version").hint(hint));
    };
    match version.word() {
        Some("1.0" | "2.0" | "2.1") => Ok(()),
        _ => {
            Err(Diagnostic::error(version.span, "this version of the format is not known")
                .hint(hint))
        }
    }
}

/// The one program of a task.
fn program(document: &Node) -> Result<&str, Diagnostic> {
    let Some(files) = document.get("input_files") else {
        let message = "there is no program";
        return Err(
            Diagnostic::error(document.span, message).hint("add `input_files: 'program.i'`")
        );
    };
    match files.elements() {
        [one] => one.word().ok_or_else(|| Diagnostic::error(one.span, "this is no name of a file")),
        [] => Err(Diagnostic::error(files.span, "there is no program")),
        _ => Err(Diagnostic::error(files.span, "there are several programs, and one is read")
            .hint("put what belongs together into one file")),
    }
}

fn entry(node: &Node, folder: &Path) -> Result<Entry, Diagnostic> {
    let file = node.get("property_file").and_then(Node::word);
    let file = file.ok_or_else(|| {
        Diagnostic::error(node.span, "this property names no file")
            .hint("write `- property_file: unreach-call.prp`")
    })?;
    let expected = match node.get("expected_verdict") {
        None => None,
        Some(verdict) => match verdict.word() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => {
                let message = "this is no verdict";
                return Err(Diagnostic::error(verdict.span, message).hint("write true or false"));
            }
        },
    };
    Ok(Entry { file: folder.join(file), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "format_version: '2.0'\n\n# old name: x\ninput_files: 'lazy01.i'\n\nproperties:\n  \
                        - property_file: ../properties/unreach-call.prp\n    expected_verdict: false\n  \
                        - property_file: ../properties/valid-memsafety.prp\n    expected_verdict: true\n    \
                        subproperty: valid-deref\n  - property_file: other.prp\n\noptions:\n  language: C\n  \
                        data_model: ILP32\n";

    fn parsed(text: &str) -> Result<Definition, String> {
        let source = Source::new("t.yml", text);
        Definition::parse(&source, Path::new("d")).map_err(|why| why.to_string())
    }

    #[test]
    fn a_task_is_read() {
        let task = parsed(TASK).unwrap();
        assert_eq!(task.program, Path::new("d/lazy01.i"));
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        let entries: Vec<_> = task
            .entries
            .iter()
            .map(|entry| (entry.file.to_str().unwrap(), entry.expected))
            .collect();
        let expected = [
            ("d/../properties/unreach-call.prp", Some(false)),
            ("d/../properties/valid-memsafety.prp", Some(true)),
            ("d/other.prp", None),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn mistakes_have_places() {
        let wrong = |from: &str, to: &str, place: &str, words: &str| {
            assert!(TASK.contains(from), "{from}");
            let said = parsed(&TASK.replace(from, to)).unwrap_err();
            assert!(said.contains(words) && said.contains(place), "{said}");
        };
        wrong("'2.0'", "'9.0'", "t.yml:1:17", "not known");
        wrong("format_version: '2.0'", "", "t.yml:1:1", "there is no format_version");
        wrong("'lazy01.i'", "['a.i', 'b.i']", "t.yml:4:14", "several programs");
        wrong("input_files: 'lazy01.i'", "", "t.yml:1:1", "there is no program");
        wrong("ILP32", "LP32", "t.yml:16:15", "no data model");
        wrong("language: C", "language: Java", "t.yml:15:13", "not in C");
        wrong("expected_verdict: false", "expected_verdict: maybe", "t.yml:8:23", "no verdict");
        wrong("property_file: other.prp", "file: other.prp", "t.yml:12:5", "names no file");
        wrong("options:", "optoins:", "t.yml:14:1", "no such key");
        assert!(parsed("a list").unwrap_err().contains("no task definition"));
        assert!(
            parsed("format_version: '2.0'\ninput_files: a.i")
                .unwrap_err()
                .contains("no properties")
        );
    }
}
