//! # Layout
//! **Question.** How is a text laid out, with the same program and the same comments?
//!
//! **Idea.** A text is a list of tokens with comments between them. Whoever wrote it decides where lines end; the braces
//! decide how far a line is indented, and what two tokens are decides whether a blank stands between them. Nothing depends on how
//! wide a line is, so what was laid out once stays as it is.
//!
//! **Claim.** The result has the tokens and the comments of the text. This is looked at, not assumed: the result is read again,
//! and thrown away if it differs.

use super::blanks::Blanks;
use super::lexer;

/// The indentation of the inside of braces.
const LEVEL: usize = 2;

/// The indentation of the rest of a statement.
const REST: usize = 4;

/// How far a comment may be from the end of its line without being part of a column of comments.
const NEAR: usize = 1;

/// A token or a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub text: &'t str,
    pub kind: Kind,
    /// How many lines end before it.
    lines: usize,
    /// How many characters of its line are before it.
    column: usize,
    /// How many of these are blanks right before it.
    pub distance: usize,
}

/// The kind of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Comment,
    /// A word that cannot be a name.
    Reserved,
    /// A name or a number.
    Name,
    Sign,
}

impl Piece<'_> {
    fn is_comment(&self) -> bool {
        self.kind == Kind::Comment
    }
}

/// Lays out a text. `None` if a part of it is no token.
#[must_use]
pub fn layout(text: &str) -> Option<String> {
    let pieces = pieces(text)?;
    let laid_out = Layout::default().lines(&pieces);
    let again = self::pieces(&laid_out)?;
    let same =
        |(a, b): (&Piece<'_>, &Piece<'_>)| a.kind == b.kind && lines(a.text).eq(lines(b.text));
    let is_same = pieces.len() == again.len() && pieces.iter().zip(&again).all(same);
    let on_windows = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    is_same.then(|| if on_windows { laid_out.replace('\n', "\r\n") } else { laid_out })
}

/// The lines of a comment, however they end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end)
}

/// Takes a text apart into pieces.
fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let mut reader =
        Reader { text, at: 0, lines: 0, counted: (0, 0), line_start: 0, pieces: Vec::new() };
    for (kind, span) in lexer::kinds(text)? {
        reader.comments(span.start);
        reader.piece(kind, span.end);
    }
    reader.comments(text.len());
    Some(reader.pieces)
}

/// A text that is being taken apart.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// How many lines have ended since the last piece.
    lines: usize,
    line_start: usize,
    /// A place of the line, and its column: characters are counted once, however long a line is.
    counted: (usize, usize),
    pieces: Vec<Piece<'t>>,
}

impl Reader<'_> {
    /// Takes the comments in front of the next token; there are only blanks beside them.
    fn comments(&mut self, end: usize) {
        while self.at < end {
            let rest = &self.text[self.at..end];
            if rest.starts_with("//") {
                self.piece(Kind::Comment, self.at + rest.find('\n').unwrap_or(rest.len()));
            } else if let Some(inner) = rest.strip_prefix("/*") {
                let length = inner.find("*/").map_or(rest.len(), |at| at + 4);
                self.piece(Kind::Comment, self.at + length);
            } else {
                let blank = rest.chars().next().map_or(1, char::len_utf8);
                if rest.starts_with('\n') {
                    (self.lines, self.line_start) = (self.lines + 1, self.at + blank);
                }
                self.at += blank;
            }
        }
    }

    /// Takes the piece that ends there.
    fn piece(&mut self, kind: Kind, end: usize) {
        let before = &self.text[self.line_start..self.at];
        let (from, columns) = self.counted;
        let (from, columns) =
            if from < self.line_start { (self.line_start, 0) } else { (from, columns) };
        let column = columns + self.text[from..self.at].chars().count();
        self.counted = (self.at, column);
        // A mark of the byte order is a blank, too.
        let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
        let distance = before.chars().rev().take_while(|c| is_blank(*c)).count();
        let text = self.text[self.at..end].trim_end();
        self.pieces.push(Piece { text, kind, lines: self.lines, column, distance });
        if let Some(last) = text.rfind('\n') {
            self.line_start = self.at + last + 1;
        }
        (self.at, self.lines) = (end, 0);
    }
}

/// A brace or parenthesis that is open.
#[derive(Clone, Copy)]
struct Open {
    kind: Opened,
    /// How far the line is indented on which it was opened.
    indent: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opened {
    /// `{` in front of statements.
    Block,
    /// `{` in front of a list.
    List,
    /// `(` or `[`.
    Group,
}

/// The state at the beginning of a line.
#[derive(Default)]
struct Layout<'t> {
    out: String,
    open: Vec<Open>,
    blanks: Blanks<'t>,
    /// How many lines before this one only say when the statement is executed.
    headers: usize,
    /// Whether this line is in the middle of a statement.
    is_rest: bool,
    /// The first word of the statement.
    first: Option<&'t str>,
    /// Where the comment behind the last line began, and begins.
    behind: Option<(usize, usize)>,
}

impl<'t> Layout<'t> {
    fn lines(mut self, pieces: &[Piece<'t>]) -> String {
        let mut rest = pieces;
        while let Some((first, others)) = rest.split_first() {
            let mut length = 1;
            let mut last = first;
            for piece in others {
                if piece.lines > 0 || last.text.starts_with("//") {
                    break;
                }
                (last, length) = (piece, length + 1);
            }
            if first.lines > 1 && !self.out.is_empty() {
                self.out.push('\n');
            }
            self.line(&rest[..length]);
            rest = &rest[length..];
        }
        self.out
    }

    /// Writes a line.
    fn line(&mut self, pieces: &[Piece<'t>]) {
        let mut tokens = pieces.iter().filter(|piece| !piece.is_comment());
        let is_comment = tokens.next().is_none();
        let behind = self.behind.take();
        let below = behind
            .filter(|(was, _)| is_comment && pieces[0].lines == 1 && *was == pieces[0].column);
        let indent = below.map_or_else(|| self.indent(pieces), |(_, column)| column);
        self.behind = below;
        let mut line = " ".repeat(indent);
        for (number, piece) in pieces.iter().enumerate() {
            let before = number.checked_sub(1).map(|before| &pieces[before]);
            if let Some(before) = before {
                let width = || line[line.rfind('\n').map_or(0, |at| at + 1)..].chars().count();
                let blanks = match piece.is_comment() || before.is_comment() {
                    // A comment at the end of a line is near, or in a column with others.
                    true if piece.text.starts_with("//") && piece.distance > NEAR => {
                        let blanks = piece.column.checked_sub(width());
                        blanks.filter(|blanks| *blanks > 0).unwrap_or(NEAR)
                    }
                    true => piece.distance.min(NEAR),
                    false => usize::from(self.blanks.between(before, piece)),
                };
                if piece.text.starts_with("//") && !is_comment {
                    self.behind = Some((piece.column, width() + blanks));
                }
                line.extend(std::iter::repeat_n(' ', blanks));
            }
            line += piece.text;
            if !piece.is_comment() {
                self.take(piece, indent);
            }
        }
        self.out.extend(lines(&line).flat_map(|line| [line, "\n"]));
        if !is_comment {
            self.end(pieces);
        }
    }

    /// How far a line is indented.
    fn indent(&self, pieces: &[Piece<'t>]) -> usize {
        let first = pieces.iter().find(|piece| !piece.is_comment()).map(|piece| piece.text);
        let closing =
            pieces.iter().take_while(|piece| matches!(piece.text, "}" | ")" | "]")).count();
        if let Some(closed) =
            closing.checked_sub(1).and_then(|more| self.open.iter().rev().nth(more))
        {
            return closed.indent;
        }
        let inside =
            |open: &Open| open.indent + if open.kind == Opened::Group { REST } else { LEVEL };
        let base = self.open.last().map_or(0, inside);
        if self.open.last().is_some_and(|open| open.kind == Opened::Group) {
            return base;
        }
        let opens = first == Some("{");
        let headers = self.headers.saturating_sub(usize::from(opens));
        base + LEVEL * headers + if self.is_rest && !opens { REST } else { 0 }
    }

    /// Notes what a token opens, closes and begins.
    fn take(&mut self, piece: &Piece<'t>, indent: usize) {
        let last = self.blanks.last;
        let in_list = self.open.last().is_some_and(|open| open.kind == Opened::List);
        let in_group = self.open.last().is_some_and(|open| open.kind == Opened::Group);
        let kind = match piece.text {
            "{" if in_list
                || in_group
                || self.first == Some("enum")
                || matches!(last, "=" | ":=" | ",") =>
            {
                Opened::List
            }
            "{" => Opened::Block,
            _ => Opened::Group,
        };
        match piece.text {
            "{" | "(" | "[" => self.open.push(Open { kind, indent }),
            "}" | ")" | "]" => drop(self.open.pop()),
            _ => {}
        }
        match piece.text {
            ";" => self.first = None,
            "{" | "}" if kind != Opened::List => self.first = None,
            text => self.first = self.first.or(Some(text)),
        }
        self.blanks.take(piece);
    }

    /// Notes whether a statement goes on after a line.
    fn end(&mut self, pieces: &[Piece<'t>]) {
        let mut tokens = pieces.iter().filter(|piece| !piece.is_comment()).rev();
        let last = tokens.next().map_or("", |piece| piece.text);
        let is_label = last == ":" && tokens.next().is_some() && tokens.next().is_none();
        let inside = self.open.last().map(|open| open.kind);
        let is_header = match last {
            "else" | "or" | "atomic" | "either" => true,
            ")" => matches!(
                self.first,
                Some("if" | "while" | "for" | "else" | "or" | "either" | "when")
            ),
            _ => false,
        };
        let is_end = matches!(last, ";" | "{" | "}")
            || is_label
            || last == "," && inside == Some(Opened::List);
        if inside != Some(Opened::Group) {
            self.headers = if is_header {
                self.headers + 1
            } else if is_end {
                0
            } else {
                self.headers
            };
            self.is_rest = !is_header && !is_end;
            if is_end {
                self.first = if inside == Some(Opened::List) { self.first } else { None };
            }
        }
    }
}
