//! Source text and positions in it.

/// A piece of the source: byte offsets, the end excluded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`; offsets past 4 GiB are cut (files of that size are refused
    /// before they are parsed).
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let cut = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: cut(start), end: cut(end) }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A named source text with its lines indexed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
    original: Option<Box<Original>>,
}

/// The original text, where it was preprocessed before it was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Original {
    text: Lines,
    /// For each line of the text that was read, the line that it comes from.
    lines: Vec<u32>,
}

/// A text with its lines indexed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Lines {
    text: String,
    starts: Vec<u32>,
}

impl Lines {
    fn new(text: String) -> Self {
        let starts = line_starts(&text);
        Lines { text, starts }
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
    let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
    starts.map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect()
}

/// The text of a line (counted from 1), without its end.
fn line_text<'t>(text: &'t str, starts: &[u32], line: u32) -> &'t str {
    let Some(index) = (line as usize).checked_sub(1) else { return "" };
    let Some(&start) = starts.get(index) else { return "" };
    let end = starts.get(index + 1).map_or(text.len(), |&e| e as usize);
    text.get(start as usize..end).unwrap_or("").trim_end_matches(['\n', '\r'])
}

impl Source {
    /// Indexes a text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let line_starts = line_starts(&text);
        Source { name: name.into(), text, line_starts, original: None }
    }

    /// A text that was made of another one, with the line of that one for each line: places are told as they are in the original.
    #[must_use]
    pub fn made_from(
        name: impl Into<String>,
        text: impl Into<String>,
        original: impl Into<String>,
        lines: Vec<u32>,
    ) -> Self {
        let original = Original { text: Lines::new(original.into()), lines };
        let original = Some(Box::new(original));
        Source { original, ..Source::new(name, text) }
    }

    /// The name: usually the path of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, as it was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as its author wrote it.
    #[must_use]
    pub fn written(&self) -> &str {
        self.original.as_ref().map_or(&self.text, |original| &original.text.text)
    }

    /// Whether places are those of another text than the one that was read.
    #[must_use]
    pub fn is_made(&self) -> bool {
        self.original.is_some()
    }

    /// The text of a span; empty where the span is not inside the text.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The line of a byte offset in the text that was read, counted from 1.
    fn line_read(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset).max(1) as u32
    }

    /// The line of a byte offset, counted from 1.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        let line = self.line_read(offset);
        match &self.original {
            Some(original) => original.lines.get(line as usize - 1).copied().unwrap_or(line),
            None => line,
        }
    }

    /// The line and column of a byte offset.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let start = self.line_span(offset).start;
        let before = self.text.get(start as usize..offset as usize).unwrap_or("");
        LineColumn { line: self.line(offset), column: before.chars().count() as u32 + 1 }
    }

    /// The line that a byte offset is in, in the text that was read, without its end.
    #[must_use]
    pub fn line_span(&self, offset: u32) -> Span {
        let line = self.line_read(offset);
        let start = self.line_starts.get(line as usize - 1).copied().unwrap_or(0);
        let length = line_text(&self.text, &self.line_starts, line).len();
        Span::new(start as usize, start as usize + length)
    }

    /// Where a piece of the text that was read stands in the text as somebody wrote it. Where a macro or a header has put it there, that is a whole line.
    #[must_use]
    pub fn written_span(&self, span: Span) -> Span {
        let Some(original) = &self.original else { return span };
        let line = self.line(span.start);
        let Lines { text, starts } = &original.text;
        let Some(&start) = (line as usize).checked_sub(1).and_then(|index| starts.get(index))
        else {
            return Span::new(text.len(), text.len());
        };
        let start = start as usize;
        let written = line_text(text, starts, line);
        let column = (span.start - self.line_span(span.start).start) as usize;
        let piece = self.slice(span).lines().next().unwrap_or("").trim_end();
        let stays = written.get(column..).is_some_and(|rest| rest.starts_with(piece));
        let at = match stays {
            true => Some(column),
            false => Some(piece).filter(|piece| !piece.is_empty()).and_then(|p| written.find(p)),
        };
        match at {
            Some(at) => Span::new(start + at, start + at + piece.len()),
            None => {
                let from = start + (written.len() - written.trim_start().len());
                Span::new(from, from + written.trim().len())
            }
        }
    }

    /// The text of a line (counted from 1), without its end.
    #[must_use]
    pub fn line_text(&self, line: u32) -> &str {
        match &self.original {
            Some(original) => line_text(&original.text.text, &original.text.starts, line),
            None => line_text(&self.text, &self.line_starts, line),
        }
    }
}
