//! # Texts in C
//! A preprocessor reads them first, if they need one and the server has one ([`Preprocess`]); what it complains about stands at the line that it names.

use std::path::{Path, PathBuf};

use selvedge_frontend::{Diagnostic, Diagnostics, Draft, draft_c, needs_preprocessing};
use selvedge_program::Source;

use crate::Preprocess;
use crate::document::line_span;

/// Whether the name of a text says that it is in C.
pub fn is_c(name: &Path) -> bool {
    selvedge_frontend::c::has_its_ending(name)
}

/// What is known of a text in C.
pub fn draft(path: &Path, text: &str, preprocess: Option<Preprocess>) -> Draft {
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |n| n.to_string_lossy());
    let source = Source::new(name, text);
    let is_preprocessed = path.extension().is_some_and(|ending| ending == "i");
    if is_preprocessed || !needs_preprocessing(text) {
        return draft_c(source);
    }
    let Some(preprocess) = preprocess else {
        let line = text.lines().position(|line| line.trim_start().starts_with('#'));
        let line = line.map_or(1, |before| before + 1) as u32;
        let message = "this text needs the C preprocessor, which the server does not start";
        let wrong = Diagnostic::warning(line_span(text, line), message)
            .hint("start it with `selvedge lsp --preprocess`, or open the preprocessed text (.i)");
        return nothing(source, wrong);
    };
    match preprocess(path, &source) {
        Ok(made) => draft_c(made),
        Err(why) => {
            let (line, message) = complaint(&why);
            let wrong = Diagnostic::error(line_span(text, line), message);
            nothing(source, wrong)
        }
    }
}

/// A text of which no more is known than one thing that is wrong with it.
fn nothing(source: Source, wrong: Diagnostic) -> Draft {
    let diagnostics = Diagnostics::new(source.clone(), vec![wrong]);
    Draft { source: source.into(), program: None, diagnostics, names: Default::default() }
}

/// The line that a preprocessor complains about, and what it says: `<stdin>:3:10: fatal error: no such file`.
fn complaint(said: &str) -> (u32, String) {
    let found = said.lines().find_map(|line| {
        let mut parts = line.strip_prefix("<stdin>:")?.splitn(3, ':');
        let number = parts.next()?.parse().ok()?;
        parts.next()?.parse::<u32>().ok()?;
        Some((number, format!("the preprocessor says:{}", parts.next()?)))
    });
    found.unwrap_or_else(|| (1, said.to_owned()))
}

/// The path of a document, if its address is one of a file.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((&first, rest)) = left.split_first() {
        let code = (first == b'%')
            .then(|| rest.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(first));
        left = if code.is_some() { &rest[2..] } else { rest };
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_have_a_line() {
        let said = "the preprocessor `cc -E` refuses the file:\n<stdin>:3:10: fatal error: x.h: No such file";
        let (line, message) = complaint(said);
        assert_eq!((line, &*message), (3, "the preprocessor says: fatal error: x.h: No such file"));
        assert_eq!(complaint("no compiler"), (1, "no compiler".to_owned()));
    }

    #[test]
    fn addresses_are_paths() {
        assert_eq!(path_of("file:///a/b%20c.c"), Some(PathBuf::from("/a/b c.c")));
        assert_eq!(path_of("file://host/a.c"), Some(PathBuf::from("/a.c")));
        assert_eq!(path_of("file:///a%2"), Some(PathBuf::from("/a%2")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }

    #[test]
    fn without_a_preprocessor_directives_are_refused() {
        let text = "int x;\n#include <a.h>\nint main(void) { return 0; }\n";
        let refused = draft(Path::new("a.c"), text, None);
        assert!(refused.program.is_none());
        assert_eq!(refused.diagnostics.list.len(), 1);
        assert_eq!(refused.source.line(refused.diagnostics.list[0].label.span.start), 2);
        assert!(draft(Path::new("a.c"), "int main(void) { return 0; }\n", None).program.is_some());
    }
}
