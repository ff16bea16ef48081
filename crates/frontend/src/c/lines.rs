//! # Lines of the original files
//! The preprocessor pastes headers into one text and leaves *line markers* behind: `# 12 "file.c" 1 3` says that the next line is line
//! 12 of `file.c`, and that it is a system header (3). `#line 12 "file.c"` says as much in a source. With them a place in the text
//! becomes the place that its author knows. Columns stay as they are in lines without macros.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lexer::directives;
use crate::Diagnostic;

/// From here on the text comes from a line of a file.
struct Mark {
    /// The first byte after the marker.
    start: u32,
    /// The line of the text with the marker, counted from 0.
    at: u32,
    /// The line of the file that follows the marker.
    line: u32,
    file: Arc<str>,
    is_system: bool,
}

/// Which line of which file each place of a preprocessed text comes from.
pub struct Lines {
    /// Where the lines of the text start.
    starts: Vec<u32>,
    marks: Vec<Mark>,
    name: Arc<str>,
}

impl Lines {
    /// Reads the line markers of a text; what stands before the first one is from the file of this name.
    #[must_use]
    pub fn new(name: &str, text: &str) -> Self {
        let cut = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| cut(at + 1))).collect();
        let mut lines = Lines { starts, marks: Vec::new(), name: name.into() };
        for (directive, start) in directives(text) {
            let Some(marker) = Marker::read(directive) else { continue };
            let file = match marker.file {
                // Most markers go back and forth between a few files.
                Some(file) => {
                    match lines.marks.iter().rev().take(8).find(|mark| *mark.file == file) {
                        Some(mark) => mark.file.clone(),
                        None => file.into(),
                    }
                }
                None => {
                    lines.marks.last().map_or_else(|| lines.name.clone(), |mark| mark.file.clone())
                }
            };
            let start = cut(start + directive.len());
            let at = lines.text_line(start);
            lines.marks.push(Mark {
                start,
                at,
                line: marker.line,
                file,
                is_system: marker.is_system,
            });
        }
        lines
    }

    /// The file and the line, counted from 1, that a byte of the text comes from.
    #[must_use]
    pub fn place(&self, offset: u32) -> (Arc<str>, u32) {
        let line = self.text_line(offset);
        match self.mark(offset) {
            // A place on the line of the marker itself belongs to the line after it.
            Some(mark) => {
                // A marker may say 0, of what the compiler adds; lines are counted from 1.
                let line = mark.line.saturating_add(line.saturating_sub(mark.at + 1));
                (mark.file.clone(), line.max(1))
            }
            None => (self.name.clone(), line + 1),
        }
    }

    /// Says of mistakes in a preprocessed text where they are in the file that it was made of.
    pub fn tell(&self, problems: &mut [Diagnostic], text: &str) {
        for problem in problems {
            let offset = problem.label.span.start;
            let (file, line) = self.place(offset);
            if file == self.name {
                continue;
            }
            let start = self.starts.get(self.text_line(offset) as usize).copied().unwrap_or(0);
            let before = text.get(start as usize..offset as usize).unwrap_or_default();
            let column = before.chars().count() + 1;
            let place = format!("{file}:{line}:{column}");
            let said = &mut problem.label.text;
            *said = if said.is_empty() { place } else { format!("{said} ({place})") };
        }
    }

    /// The files that the text comes from, without headers of the system and what compilers add (`<built-in>`).
    pub fn files(&self) -> BTreeSet<&str> {
        let marks = self.marks.iter().filter(|mark| !mark.is_system);
        marks.map(|mark| &*mark.file).filter(|file| !file.starts_with('<')).collect()
    }

    /// Whether a byte of the text comes from a header of the system.
    #[must_use]
    pub fn is_system(&self, offset: u32) -> bool {
        self.mark(offset).is_some_and(|mark| mark.is_system)
    }

    fn mark(&self, offset: u32) -> Option<&Mark> {
        let after = self.marks.partition_point(|mark| mark.start <= offset);
        self.marks.get(after.checked_sub(1)?)
    }

    /// The line of the text itself, counted from 0.
    fn text_line(&self, offset: u32) -> u32 {
        let after = self.starts.partition_point(|&start| start <= offset);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }
}

/// The contents of a line marker.
struct Marker {
    line: u32,
    file: Option<String>,
    is_system: bool,
}

impl Marker {
    /// Reads `# 12 "file.c" 1 3` or `#line 12 "file.c"`; anything else is no line marker.
    fn read(directive: &str) -> Option<Marker> {
        let words = directive.strip_prefix('#').or_else(|| directive.strip_prefix("%:"))?.trim();
        let words = words.strip_prefix("line").unwrap_or(words).trim_start();
        let digits = words.find(|c: char| !c.is_ascii_digit()).unwrap_or(words.len());
        let line = words[..digits].parse().ok()?;
        let rest = words[digits..].trim_start();
        let (file, flags) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (file, flags) = unquote(quoted)?;
                (Some(file), flags)
            }
            None => (None, rest),
        };
        let is_system = flags.split_ascii_whitespace().any(|flag| flag == "3");
        Some(Marker { line, file, is_system })
    }
}

/// The name before the closing quote, and what follows the quote. Bytes that are not ASCII are written in octal.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    loop {
        match rest {
            [b'"', ..] => break,
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = &rest[4..];
            }
            [b'\\', byte, ..] => {
                bytes.push(*byte);
                rest = &rest[2..];
            }
            [byte, ..] => {
                bytes.push(*byte);
                rest = &rest[1..];
            }
            [] => return None,
        }
    }
    let flags = text.get(text.len() - rest.len() + 1..)?;
    Some((String::from_utf8_lossy(&bytes).into_owned(), flags))
}
