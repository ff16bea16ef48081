//! # Documents
//! A text that is open in the editor. The protocol counts lines from 0 and columns in UTF-16 units, and a line
//! ends with `\n`, `\r\n` or `\r`; the front end counts bytes.

use std::path::{Path, PathBuf};

use lsp_types::{Location, Position, Range, TextDocumentContentChangeEvent, Uri};
use selvedge_frontend::{Draft, draft};
use selvedge_program::Span;

use crate::{Preprocess, c};

/// Larger texts are not looked at.
pub const LARGEST_TEXT: usize = 8 << 20;

/// A text that is open.
pub struct Document {
    /// The address of the document.
    pub uri: Uri,
    /// Its number, which grows with each change.
    pub version: i32,
    /// The text.
    pub text: String,
    /// A name with an ending that tells the language.
    name: PathBuf,
    /// The file, as the editor says.
    path: Option<PathBuf>,
    /// For texts in C.
    preprocess: Option<Preprocess>,
    starts: Vec<usize>,
    wide: Vec<Wide>,
    /// What is known of the text as it is now.
    known: Reading,
}

/// A character that has more bytes than UTF-16 units.
struct Wide {
    /// The byte after the character.
    end: usize,
    /// How many bytes more than units there are up to here, from the beginning of the text.
    surplus: usize,
}

enum Reading {
    NotYet,
    Nothing,
    Draft(Box<Draft>),
}

impl Document {
    /// A text that was just opened.
    pub fn new(uri: Uri, language: &str, version: i32, text: String) -> Self {
        let (starts, wide) = (line_starts(&text), wide(&text));
        let (name, path) = (name(uri.as_str(), language), c::path_of(uri.as_str()));
        let (known, preprocess) = (Reading::NotYet, None);
        Document { uri, version, text, name, path, preprocess, starts, wide, known }
    }

    /// The document with a preprocessor, for texts in C that need one.
    pub fn preprocessed_by(mut self, preprocess: Option<Preprocess>) -> Self {
        self.preprocess = preprocess;
        self
    }

    /// Replaces the text, or a part of it. Nothing if the change makes no sense.
    pub fn change(&mut self, change: &TextDocumentContentChangeEvent) -> Option<()> {
        match change.range {
            None => self.text.clone_from(&change.text),
            Some(range) => {
                let (from, to) = (self.offset(range.start), self.offset(range.end));
                if from > to {
                    return None;
                }
                self.text.replace_range(from..to, &change.text);
            }
        }
        self.starts = line_starts(&self.text);
        self.wide = wide(&self.text);
        self.known = Reading::NotYet;
        Some(())
    }

    /// The document with another text that is not open in the editor.
    pub fn with_text(&self, text: String) -> Self {
        let (starts, wide) = (line_starts(&text), wide(&text));
        let (uri, version, name) = (self.uri.clone(), self.version, self.name.clone());
        let (path, preprocess, known) = (self.path.clone(), self.preprocess, Reading::NotYet);
        Document { uri, version, text, name, path, preprocess, starts, wide, known }
    }

    /// Whether the language is `.weave`.
    pub fn is_weave(&self) -> bool {
        self.name.extension().is_some_and(|ending| ending == "weave")
    }

    /// Whether the text was looked at since it changed.
    pub fn is_known(&self) -> bool {
        !matches!(self.known, Reading::NotYet)
    }

    /// The draft of the text; `None` if it is too large, or no program.
    pub fn draft(&mut self) -> Option<&Draft> {
        if let Reading::NotYet = self.known {
            self.known = Reading::Nothing;
            let is_small = self.text.len() <= LARGEST_TEXT;
            let found = match c::is_c(&self.name) {
                _ if !is_small => None,
                true => {
                    let path = self.path.as_deref().filter(|path| c::is_c(path));
                    Some(c::draft(path.unwrap_or(&self.name), &self.text, self.preprocess))
                }
                false => draft(&self.name, self.text.clone()),
            };
            if let Some(draft) = found {
                self.known = Reading::Draft(Box::new(draft));
            }
        }
        match &self.known {
            Reading::Draft(draft) => Some(draft),
            _ => None,
        }
    }

    /// The offset of a position. One behind the end of a line, or of the text, is at the end.
    pub fn offset(&self, position: Position) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let mut units = 0;
        for (at, c) in self.text[start..].char_indices() {
            if units >= position.character as usize || c == '\n' || c == '\r' {
                return start + at;
            }
            units += c.len_utf16();
        }
        self.text.len()
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.starts[line];
        let units = (offset - start) - (self.surplus(offset) - self.surplus(start));
        // Texts are shorter than that: see `rpc`.
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position::new(small(line), small(units))
    }

    /// How many bytes more than UTF-16 units there are before an offset. Lines may be long, and many places on
    /// them may be asked for.
    fn surplus(&self, offset: usize) -> usize {
        let before = self.wide.partition_point(|wide| wide.end <= offset);
        before.checked_sub(1).map_or(0, |last| self.wide[last].surplus)
    }

    /// A piece of the text.
    pub fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start as usize), self.position(span.end as usize))
    }

    /// A piece of the text, with the address of the document.
    pub fn location(&self, span: Span) -> Location {
        Location::new(self.uri.clone(), self.range(span))
    }
}

/// A line of the front end (which ends with `\n` only), without blanks around it.
pub fn line_span(text: &str, line: u32) -> Span {
    let mut start = 0;
    for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            let shown = whole.trim();
            let from = start + (whole.len() - whole.trim_start().len());
            return Span::new(from, from + shown.len());
        }
        start += whole.len();
    }
    Span::new(text.len(), text.len())
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = |&(at, byte): &(usize, &u8)| {
        *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')
    };
    std::iter::once(0).chain(bytes.iter().enumerate().filter(ends).map(|(at, _)| at + 1)).collect()
}

fn wide(text: &str) -> Vec<Wide> {
    let mut surplus = 0;
    let all = text.char_indices().filter(|(_, c)| !c.is_ascii());
    all.map(|(at, c)| {
        surplus += c.len_utf8() - c.len_utf16();
        Wide { end: at + c.len_utf8(), surplus }
    })
    .collect()
}

/// The last part of the address, with an ending that the front end knows if the editor says the language.
fn name(uri: &str, language: &str) -> PathBuf {
    let last = uri.rsplit(['/', ':']).next().unwrap_or_default();
    let mut name = PathBuf::from(if last.is_empty() { "text" } else { last });
    let ending = match language {
        "weave" => "weave",
        "bp" | "boolean-program" => "bp",
        "c" => "c",
        _ => return name,
    };
    let is_known = |e: &std::ffi::OsStr| ["weave", "bp", "c", "i", "h"].iter().any(|k| *k == e);
    if !Path::new(&name).extension().is_some_and(is_known) {
        name.as_mut_os_string().push(format!(".{ending}"));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::new("file:///a.weave".parse().expect("an address"), "", 1, text.to_owned())
    }

    #[test]
    fn columns_are_utf16() {
        let document = document("a\u{1F9F5}é\r\nb\rc\n");
        assert_eq!(document.starts, [0, 9, 11, 13]);
        let places =
            [(0, 0, 0), (1, 0, 1), (5, 0, 3), (7, 0, 4), (9, 1, 0), (11, 2, 0), (13, 3, 0)];
        for (offset, line, character) in places {
            let position = Position::new(line, character);
            assert_eq!(document.position(offset), position, "at {offset}");
            assert_eq!(document.offset(position), offset, "at {offset}");
        }
        let at = |line, character| document.offset(Position::new(line, character));
        assert_eq!(at(0, 99), 7, "behind the end of a line");
        assert_eq!(at(0, 2), 5, "inside of a pair");
        assert_eq!(at(99, 0), 13, "behind the end");
        assert_eq!(at(u32::MAX, u32::MAX), 13);
        assert_eq!(document.position(3), Position::new(0, 1), "inside of a character");
    }

    #[test]
    fn every_position_is_that_of_the_text_before_it() {
        let text = "aé\u{1F9F5}∧\n\n∧∧b\r\u{1F9F5}\u{1F9F5}é\r\nx";
        let document = document(text);
        for (offset, _) in text.char_indices() {
            let start = *document.starts.iter().rfind(|&&start| start <= offset).unwrap();
            let units = text[start..offset].encode_utf16().count();
            assert_eq!(document.position(offset).character as usize, units, "at {offset}");
        }
    }

    #[test]
    fn changes_replace_a_range() {
        let mut document = document("één\ntwee");
        let change = |line, from, to, text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(line, from), Position::new(line, to))),
            range_length: None,
            text: text.to_owned(),
        };
        assert_eq!(document.change(&change(0, 1, 2, "e\n")), Some(()));
        assert_eq!(document.text, "ée\nn\ntwee");
        assert_eq!(document.change(&change(2, 0, 4, "")), Some(()));
        assert_eq!(document.text, "ée\nn\n");
        assert_eq!(document.change(&change(0, 2, 1, "")), None, "the wrong way round");
        let all = TextDocumentContentChangeEvent { range: None, ..change(0, 0, 0, "all") };
        assert_eq!(document.change(&all), Some(()));
        assert_eq!(document.text, "all");
    }

    #[test]
    fn the_language_is_that_of_the_ending_or_of_the_editor() {
        let ending = |uri, language| {
            let name = name(uri, language);
            name.extension().and_then(|e| e.to_str()).unwrap_or("").to_owned()
        };
        assert_eq!(ending("file:///x/a.bp", "plaintext"), "bp");
        assert_eq!(ending("untitled:Untitled-1", "weave"), "weave");
        assert_eq!(ending("file:///x/a.txt", "bp"), "bp");
        assert_eq!(ending("file:///x/a.txt", "text"), "txt");
        assert_eq!(ending("", ""), "");
    }

    #[test]
    fn lines_of_the_front_end_are_found() {
        let text = "a\r  b\n  c = 1; \r\n";
        assert_eq!(line_span(text, 1), Span::new(0, 5));
        assert_eq!(line_span(text, 2), Span::new(8, 14));
        assert_eq!(line_span(text, 9), Span::new(text.len(), text.len()));
    }
}
