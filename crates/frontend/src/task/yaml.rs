//! # The part of YAML that task definitions use
//! Mappings and lists by indentation, lists in brackets, words plain or in quotation marks, comments. Everything has its place.
//! Anchors, tags, blocks of text and mappings in braces are refused, not guessed.

use selvedge_program::{Source, Span};

use crate::Diagnostic;

/// A value and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub value: Value,
    pub span: Span,
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// Nothing was written.
    Nothing,
    /// A word, a number, a text.
    Word(String),
    List(Vec<Node>),
    /// Keys with their places, in the order of the text.
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match &self.value {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The value of a key of a mapping.
    pub fn get(&self, name: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|(key, _)| key.word() == Some(name)).map(|(_, value)| value)
    }

    /// The elements; one thing alone is a list of one.
    pub fn elements(&self) -> &[Node] {
        match &self.value {
            Value::List(list) => list,
            Value::Nothing => &[],
            _ => std::slice::from_ref(self),
        }
    }
}

/// Reads a document.
pub(super) fn parse(source: &Source) -> Result<Node, Diagnostic> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        let text = uncommented(line.trim_end());
        let body = text.trim_start();
        if !body.is_empty() && body != "---" {
            let indent = text.len() - body.len();
            let span = Span::new(start + indent, start + text.len());
            if text[..indent].contains('\t') {
                let hint = "YAML is indented by blanks: replace the tab";
                return Err(Diagnostic::error(span, "this line is indented by a tab").hint(hint));
            }
            lines.push(Line { indent, start: start + indent, text: body });
        }
        start += line.len();
    }
    let mut reader = Reader { lines, at: 0 };
    let node = reader.block(0)?;
    match reader.lines.get(reader.at) {
        None => Ok(node),
        Some(line) => {
            let message = "this line belongs to nothing above it";
            Err(Diagnostic::error(line.span(), message).hint("is it indented as it should be?"))
        }
    }
}

/// A line without its comment; a `#` in quotation marks begins none.
fn uncommented(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in line.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None if c == '#' && before == ' ' => return line[..at].trim_end(),
            None if (c == '\'' || c == '"') && !before.is_alphanumeric() => quote = Some(c),
            None => {}
        }
        before = c;
    }
    line
}

/// A line with something on it.
#[derive(Clone, Copy)]
struct Line<'t> {
    indent: usize,
    /// Where its first character is.
    start: usize,
    text: &'t str,
}

impl Line<'_> {
    fn span(&self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }
}

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

/// Definitions are flat; whatever is deeper is none.
const DEEPEST: usize = 64;

impl<'t> Reader<'t> {
    /// Parses the lines at the indentation of the next one.
    fn block(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        let Some(first) = self.lines.get(self.at).copied() else {
            return Ok(Node { value: Value::Nothing, span: Span::default() });
        };
        if depth > DEEPEST {
            return Err(Diagnostic::error(first.span(), "this is nested too deeply"));
        }
        match is_item(first.text) {
            true => self.list(first, depth),
            false if key(first.text).is_some() => self.map(first, depth),
            false => {
                self.at += 1;
                scalar(first.text, first.start)
            }
        }
    }

    fn list(&mut self, first: Line<'t>, depth: usize) -> Result<Node, Diagnostic> {
        let mut list = Vec::new();
        let mut end = first.span();
        while let Some(line) = self.lines.get(self.at).copied() {
            if line.indent != first.indent || !is_item(line.text) {
                break;
            }
            let rest = line.text[1..].trim_start();
            end = line.span();
            if rest.is_empty() {
                self.at += 1;
                list.push(self.nested(line, depth)?);
            } else {
                // What follows the dash is indented by it.
                let skipped = line.text.len() - rest.len();
                let (indent, start) = (line.indent + skipped, line.start + skipped);
                self.lines[self.at] = Line { indent, start, text: rest };
                list.push(self.block(depth + 1)?);
            }
        }
        Ok(Node { value: Value::List(list), span: first.span().to(end) })
    }

    fn map(&mut self, first: Line<'t>, depth: usize) -> Result<Node, Diagnostic> {
        let mut entries: Vec<(Node, Node)> = Vec::new();
        let mut end = first.span();
        while let Some(line) = self.lines.get(self.at).copied() {
            if line.indent != first.indent || is_item(line.text) {
                break;
            }
            let Some((name, rest)) = key(line.text) else {
                let hint = "write `key: value`";
                return Err(Diagnostic::error(line.span(), "this line has no key").hint(hint));
            };
            end = line.span();
            let name = scalar(name, line.start)?;
            if let Some((before, _)) = entries.iter().find(|(key, _)| key.value == name.value) {
                let twice = Diagnostic::error(name.span, "this key is there twice");
                return Err(twice.related(before.span, "here for the first time"));
            }
            self.at += 1;
            let value = match rest.trim_start() {
                "" => self.nested(line, depth)?,
                text => scalar(text, line.start + line.text.len() - text.len())?,
            };
            entries.push((name, value));
        }
        Ok(Node { value: Value::Map(entries), span: first.span().to(end) })
    }

    /// Parses the lines below a line that belong to it. The items of a list need not be indented.
    fn nested(&mut self, above: Line<'t>, depth: usize) -> Result<Node, Diagnostic> {
        match self.lines.get(self.at) {
            Some(next)
                if next.indent > above.indent
                    || (next.indent == above.indent
                        && is_item(next.text)
                        && !is_item(above.text)) =>
            {
                self.block(depth + 1)
            }
            _ => Ok(Node { value: Value::Nothing, span: above.span() }),
        }
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// A key and what follows its colon.
fn key(text: &str) -> Option<(&str, &str)> {
    let after = match text.chars().next()? {
        mark @ ('\'' | '"') => text[1..].find(mark)? + 2,
        _ => 0,
    };
    let colon = after + text[after..].find(':')?;
    let rest = &text[colon + 1..];
    (rest.is_empty() || rest.starts_with(' ')).then(|| (&text[..colon], rest))
}

/// A word, or a list in brackets.
fn scalar(text: &str, start: usize) -> Result<Node, Diagnostic> {
    let span = Span::new(start, start + text.len());
    let fail = |message: &str| Diagnostic::error(span, message);
    let word = |word: &str| Node { value: Value::Word(word.to_owned()), span };
    match text.as_bytes().first() {
        Some(mark @ (b'\'' | b'"')) => {
            let inside = text[1..].strip_suffix(char::from(*mark));
            let inside = inside.ok_or_else(|| fail("this quotation mark is not closed"))?;
            match inside.contains(['\'', '"', '\\']) {
                true => Err(fail("marks inside of quotation marks are not understood here")),
                false => Ok(word(inside)),
            }
        }
        Some(b'[') => {
            let inside =
                text[1..].strip_suffix(']').ok_or_else(|| fail("this list is not closed"))?;
            if inside.contains(['[', ']', '{', '}']) {
                return Err(fail("a list inside of a list is not understood here"));
            }
            let mut list = Vec::new();
            let mut at = start + 1;
            for part in inside.split(',') {
                let trimmed = part.trim();
                if !trimmed.is_empty() {
                    let skipped = part.len() - part.trim_start().len();
                    list.push(scalar(trimmed, at + skipped)?);
                }
                at += part.len() + 1;
            }
            Ok(Node { value: Value::List(list), span })
        }
        Some(b'{' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`') => {
            Err(fail("this part of YAML is not understood here")
                .hint("write mappings line by line, and texts in quotation marks"))
        }
        _ if text == "~" || text == "null" => Ok(Node { value: Value::Nothing, span }),
        _ => Ok(word(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(node: &Node) -> String {
        match &node.value {
            Value::Nothing => "~".to_owned(),
            Value::Word(word) => word.clone(),
            Value::List(list) => {
                format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            Value::Map(entries) => {
                let entry =
                    |(key, value): &(Node, Node)| format!("{}: {}", shown(key), shown(value));
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn check(text: &str, expected: &str) {
        let said = match parse(&Source::new("t", text)) {
            Ok(node) => shown(&node),
            Err(why) => format!("{}: {}", why.label.span.start, why.message),
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn documents_are_read() {
        check("", "~");
        check(
            "a: 1\nb: 'x y' # no\n\nc:\n  - d: e#f\n    g: \"h # i\"\n  - j\n",
            "{a: 1, b: x y, c: [{d: e#f, g: h # i}, j]}",
        );
        check("---\na:\n- b\n-\n  c: d\nz: [p, 'q r', ]\n", "{a: [b, {c: d}], z: [p, q r]}");
        check("a: b:c\n'k 1': ~", "{a: b:c, k 1: ~}");
        check("a:\n  b:\n    c: d\ne:\n", "{a: {b: {c: d}}, e: ~}");
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_place() {
        check("a: 1\na: 2", "5: this key is there twice");
        check("a: 1\n\tb: 2", "6: this line is indented by a tab");
        check("a: {b: c}", "3: this part of YAML is not understood here");
        check("a: |\n  text", "3: this part of YAML is not understood here");
        check("a: 'b", "3: this quotation mark is not closed");
        check("a: [b", "3: this list is not closed");
        check("a: 1\nb", "5: this line has no key");
        check("a: 1\n  b: 2", "7: this line belongs to nothing above it");
        let deep: String = (0..100).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        assert!(parse(&Source::new("t", deep)).is_err());
    }

    #[test]
    fn no_text_makes_it_panic() {
        let signs = ["a", ":", " ", "-", "\n", "'", "\"", "[", "]", ",", "#", "é", "\t", "  "];
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let text: String =
                (0..random.usize(..12)).map(|_| signs[random.usize(..signs.len())]).collect();
            let _ = parse(&Source::new("t", text));
        }
    }
}
