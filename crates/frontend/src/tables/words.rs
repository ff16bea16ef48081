//! # Words
//! The one scanner of all table formats. It works on bytes and makes no strings, so that a table
//! of many megabytes is read at the speed of its rules.
//!
//! Lines matter, so the end of a line is a token; `#` and what follows it in a line is not. A
//! carriage return is space: lines may end either way, even within one file.

use selvedge_program::Span;

use crate::Diagnostic;
use crate::diagnostic::write;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Digits only, and not too many.
    Number(u32),
    /// Letters, digits, `_`, `.`, `'` and `$`; also digits that are no [`Kind::Number`].
    Word,
    /// `->`
    Arrow,
    /// `+>`
    SpawnArrow,
    /// `|`
    Bar,
    /// `,`
    Comma,
    /// `*`
    Star,
    /// `-`
    Dash,
    /// `+`
    Plus,
    /// `{`
    Open,
    /// `}`
    Close,
    /// The end of a line.
    LineEnd,
    /// The end of the text.
    End,
    /// A character that no table has.
    Other,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

impl Token {
    /// Whether a shared state, a symbol or a thread may have this for a name.
    pub(super) fn is_name(self) -> bool {
        matches!(self.kind, Kind::Number(_) | Kind::Word)
    }
}

/// A text, token by token: always one token ahead.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    /// Where the token after the current one begins, or the space before it.
    at: usize,
    /// The line of the current token, counted from 1.
    pub(super) line: u32,
    /// The current token.
    pub(super) token: Token,
}

impl<'a> Scanner<'a> {
    /// At the first token of a text.
    pub(super) fn new(text: &'a str) -> Self {
        let mark = '\u{feff}';
        Self::starting_at(text, if text.starts_with(mark) { mark.len_utf8() } else { 0 })
    }

    /// At the first token that is not before an offset.
    pub(super) fn starting_at(text: &'a str, at: usize) -> Self {
        let token = Token { kind: Kind::End, span: Span::new(at, at) };
        let mut scanner = Scanner { text, at, line: 1, token };
        scanner.advance();
        scanner
    }

    /// The text of a token.
    pub(super) fn text(&self, token: Token) -> &'a str {
        self.text.get(token.span.start as usize..token.span.end as usize).unwrap_or("")
    }

    /// The current token; goes on to the next one.
    #[inline]
    pub(super) fn take(&mut self) -> Token {
        let token = self.token;
        self.advance();
        token
    }

    /// Goes on if the current token is of this kind; says whether it was.
    #[inline]
    pub(super) fn take_if(&mut self, kind: Kind) -> bool {
        let found = self.token.kind == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Goes on if the current token is this word; says whether it was.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.token.kind == Kind::Word && self.text(self.token) == word;
        if found {
            self.advance();
        }
        found
    }

    /// Whether nothing more comes in this line.
    pub(super) fn at_line_end(&self) -> bool {
        matches!(self.token.kind, Kind::LineEnd | Kind::End)
    }

    /// Goes to the end of the line.
    pub(super) fn skip_line(&mut self) {
        while !self.at_line_end() {
            self.advance();
        }
    }

    /// Goes to the first token of the next line that has one; says whether there is one.
    pub(super) fn next_line(&mut self) -> bool {
        self.skip_line();
        self.skip_blank_lines()
    }

    /// Goes to the first token that is no end of a line; says whether there is one.
    pub(super) fn skip_blank_lines(&mut self) -> bool {
        while self.take_if(Kind::LineEnd) {}
        self.token.kind != Kind::End
    }

    /// A name, or what stands in its place.
    #[inline]
    pub(super) fn name(&mut self, wanted: &str) -> Result<Token, Diagnostic> {
        if self.token.is_name() {
            Ok(self.take())
        } else {
            Err(self.unexpected(self.token, wanted))
        }
    }

    /// A number, or what stands in its place.
    pub(super) fn number(&mut self, wanted: &str) -> Result<u32, Diagnostic> {
        match self.token.kind {
            Kind::Number(number) => {
                self.advance();
                Ok(number)
            }
            _ => Err(self.not_a_number(self.token, wanted)),
        }
    }

    /// Complains that a token is no number.
    pub(super) fn not_a_number(&self, token: Token, wanted: &str) -> Diagnostic {
        let digits = self.text(token).bytes().all(|b| b.is_ascii_digit());
        if token.kind == Kind::Word && digits {
            Diagnostic::error(token.span, "this number is too large")
                .label(format!("the largest is {}", u32::MAX))
        } else {
            self.unexpected(token, wanted)
        }
    }

    /// The error about a token that was not expected.
    pub(super) fn unexpected(&self, token: Token, wanted: &str) -> Diagnostic {
        let message = write(wanted, &self.show(token));
        Diagnostic::error(token.span, message)
    }

    /// A token as text for people.
    pub(super) fn show(&self, token: Token) -> String {
        match token.kind {
            Kind::LineEnd => "the end of the line".to_owned(),
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shorten(self.text(token))),
        }
    }

    #[inline]
    fn advance(&mut self) {
        if self.token.kind == Kind::LineEnd {
            self.line += 1;
        }
        let bytes = self.text.as_bytes();
        let byte = loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'#') => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                other => break other.copied(),
            }
        };
        let start = self.at;
        let two = |second: u8| bytes.get(start + 1) == Some(&second);
        let (kind, length) = match byte {
            None => (Kind::End, 0),
            Some(b'0'..=b'9') => number_or_word(self.text, start),
            Some(b'\n') => (Kind::LineEnd, 1),
            Some(b'-') if two(b'>') => (Kind::Arrow, 2),
            Some(b'-') => (Kind::Dash, 1),
            Some(b'+') if two(b'>') => (Kind::SpawnArrow, 2),
            Some(b'+') => (Kind::Plus, 1),
            Some(b'|') => (Kind::Bar, 1),
            Some(b',') => (Kind::Comma, 1),
            Some(b'*') => (Kind::Star, 1),
            Some(b'{') => (Kind::Open, 1),
            Some(b'}') => (Kind::Close, 1),
            Some(_) => match word_length(&self.text[start..]) {
                0 => (Kind::Other, self.text[start..].chars().next().map_or(1, char::len_utf8)),
                length => (Kind::Word, length),
            },
        };
        self.at = start + length;
        // A missing token is missing right after the last one.
        let span = match kind {
            Kind::LineEnd => Span::new(start, start),
            Kind::End => {
                let end = self.text.trim_end().len();
                Span::new(end, end)
            }
            _ => Span::new(start, self.at),
        };
        self.token = Token { kind, span };
    }
}

/// The token that begins with the digit at `start`, and its length.
#[inline]
fn number_or_word(text: &str, start: usize) -> (Kind, usize) {
    let rest = &text.as_bytes()[start..];
    let mut number = Some(0u32);
    let mut length = 0;
    while let Some(digit @ b'0'..=b'9') = rest.get(length) {
        let digit = u32::from(digit - b'0');
        number = number.and_then(|n| n.checked_mul(10)?.checked_add(digit));
        length += 1;
    }
    match (number, rest.get(length)) {
        // What ends nearly every number, before anything slower is asked.
        (Some(n), None | Some(b' ' | b'\n' | b'\r' | b',' | b'|')) => (Kind::Number(n), length),
        (number, _) => match (number, word_length(&text[start..])) {
            (Some(n), all) if all == length => (Kind::Number(n), length),
            (_, all) => (Kind::Word, all),
        },
    }
}

/// The length of the word that a text begins with.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_name_char(c)).unwrap_or(text.len())
}

/// Whether a name may contain this character.
fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '$')
}

/// Whether a text can be written as a name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_char)
}

/// A piece of input for a message: not long, and without control characters.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut short: String = text.chars().take(LONGEST).map(shown).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let mut scanner = Scanner::new(text);
        let mut shown = Vec::new();
        while scanner.token.kind != Kind::End {
            let line = scanner.line;
            let token = scanner.take();
            let text = scanner.text(token).escape_debug().to_string();
            shown.push(format!("{line}: {:?} {text}", token.kind).trim_end().to_owned());
        }
        expect.assert_eq(&(shown.join("\n") + "\n"));
    }

    #[test]
    fn rules() {
        check(
            "0 1->2 -#c\r\n",
            expect![[r#"
            1: Number(0) 0
            1: Number(1) 1
            1: Arrow ->
            1: Number(2) 2
            1: Dash -
            1: LineEnd
        "#]],
        );
        check(
            "\u{feff}q|a',*+>é",
            expect![[r#"
            1: Word q
            1: Bar |
            1: Word a\'
            1: Comma ,
            1: Star *
            1: SpawnArrow +>
            1: Word é
        "#]],
        );
    }

    #[test]
    fn numbers_that_are_words() {
        check(
            "007 1a 4294967296 4.6 \n 4294967295",
            expect![[r#"
            1: Number(7) 007
            1: Word 1a
            1: Word 4294967296
            1: Word 4.6
            1: LineEnd
            2: Number(4294967295) 4294967295
        "#]],
        );
    }

    #[test]
    fn garbage() {
        check(
            "\0→=\n#only a comment",
            expect![[r#"
            1: Other \0
            1: Other →
            1: Other =
            1: LineEnd
        "#]],
        );
    }
}
