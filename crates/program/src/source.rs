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
}

impl Source {
    /// Indexes a text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
        let line_starts = starts.map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect();
        Source { name: name.into(), text, line_starts }
    }

    /// The name: usually the path of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty where the span is not inside the text.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The line of a byte offset, counted from 1.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset).max(1) as u32
    }

    /// The line and column of a byte offset.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line(offset);
        let start = self.line_starts.get(line as usize - 1).copied().unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or("");
        LineColumn { line, column: before.chars().count() as u32 + 1 }
    }

    /// The text of a line (counted from 1), without its end.
    #[must_use]
    pub fn line_text(&self, line: u32) -> &str {
        let Some(index) = (line as usize).checked_sub(1) else { return "" };
        let Some(&start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&e| e as usize);
        self.text.get(start as usize..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }
}
