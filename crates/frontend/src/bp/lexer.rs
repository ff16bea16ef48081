//! # Tokens
//! The text as a list of tokens, each with its place. Characters that mean nothing are reported
//! here and stay in the list as [`Kind::Unknown`], so that the parser knows that something was
//! there and need not complain again.

use logos::Logos;
use selvedge_program::{Source, Span};

use crate::Diagnostic;

/// The kind of a token.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(super) enum Kind {
    #[regex(r"[A-Za-z_$][A-Za-z0-9_$]*", priority = 1)]
    Name,
    #[regex(r"[0-9]+")]
    Number,

    #[token("decl")]
    Decl,
    #[token("void")]
    Void,
    #[token("bool")]
    Bool,
    #[token("dfs")]
    Dfs,
    #[token("enforce")]
    Enforce,
    #[token("abortif")]
    AbortIf,
    #[token("begin")]
    Begin,
    #[token("end")]
    End,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("elsif")]
    Elsif,
    #[token("else")]
    Else,
    #[token("fi")]
    Fi,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("od")]
    Od,
    #[token("skip")]
    Skip,
    #[token("goto")]
    Goto,
    #[token("return")]
    Return,
    #[token("call")]
    Call,
    #[token("assume")]
    Assume,
    #[token("assert")]
    Assert,
    #[token("constrain")]
    Constrain,
    #[token("dead")]
    Dead,
    #[token("thread_create")]
    ThreadCreate,
    #[token("start_thread")]
    StartThread,
    #[token("end_thread")]
    EndThread,
    #[token("atomic_begin")]
    #[token("sync_begin")]
    AtomicBegin,
    #[token("atomic_end")]
    #[token("sync_end")]
    AtomicEnd,
    #[token("true")]
    #[token("T")]
    True,
    #[token("false")]
    #[token("F")]
    False,
    #[token("choose")]
    Choose,
    #[token("schoose")]
    Schoose,

    #[token(":=")]
    Assign,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("!")]
    #[token("~")]
    Not,
    #[token("&")]
    #[token("&&")]
    And,
    #[token("|")]
    #[token("||")]
    Or,
    #[token("^")]
    Xor,
    #[token("=")]
    #[token("==")]
    Equal,
    #[token("!=")]
    #[token("<>")]
    NotEqual,
    #[token("=>")]
    Implies,
    #[token("?")]
    Question,
    #[token("*")]
    Star,
    #[token("'")]
    Prime,

    /// A comment without an end: the rest of the text.
    #[token("/*")]
    OpenComment,
    /// Characters that mean nothing; reported already.
    Unknown,
    /// The end of the file; always the last token.
    EndOfFile,
}

impl Kind {
    /// Whether the token is a reserved word.
    pub(super) fn is_keyword(self) -> bool {
        (Kind::Decl as u8..=Kind::Schoose as u8).contains(&(self as u8))
    }

    /// Whether a statement can begin with the token, apart from names.
    pub(super) fn starts_statement(self) -> bool {
        use Kind::{
            Assert, Assume, AtomicBegin, AtomicEnd, Begin, Call, Dead, Decl, EndThread, Goto, If,
            LeftBrace, Return, Semicolon, Skip, StartThread, ThreadCreate, While,
        };
        matches!(
            self,
            Assert
                | Assume
                | AtomicBegin
                | AtomicEnd
                | Begin
                | Call
                | Dead
                | Decl
                | EndThread
                | Goto
                | If
                | LeftBrace
                | Return
                | Semicolon
                | Skip
                | StartThread
                | ThreadCreate
                | While
        )
    }

    /// Whether the token can only stand at the top of a file.
    pub(super) fn starts_procedure(self) -> bool {
        matches!(self, Kind::Void | Kind::Bool | Kind::Dfs)
    }
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// The kind of the token.
    pub(super) kind: Kind,
    /// The place of the token.
    pub(super) span: Span,
    /// Whether it is the first on its line.
    pub(super) starts_line: bool,
}

/// All tokens of a text, what is wrong with them, and whether the rest is lost in a comment.
pub(super) fn tokens(source: &Source) -> (Vec<Token>, Vec<Diagnostic>, bool) {
    let text = source.text();
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4 + 1);
    let mut diagnostics = Vec::new();
    let mut end_of_last = 0;
    let mut cut_off = false;
    for (found, range) in Kind::lexer(text).spanned() {
        let between = text.get(end_of_last..range.start).unwrap_or("");
        let starts_line = end_of_last == 0 || between.contains('\n');
        let span = Span::new(range.start, range.end);
        let kind = found.unwrap_or(Kind::Unknown);
        if kind == Kind::OpenComment {
            let d = Diagnostic::error(span, "this comment has no end");
            diagnostics.push(d.hint("write `*/` where it ends"));
            cut_off = true;
            break;
        }
        end_of_last = range.end;
        match tokens.last_mut() {
            // Neighbours in one heap of unknown characters are one mistake.
            Some(last) if kind == Kind::Unknown && last.kind == kind && !starts_line => {
                last.span = last.span.to(span);
            }
            _ => tokens.push(Token { kind, span, starts_line }),
        }
    }
    let unknown = tokens.iter().filter(|t| t.kind == Kind::Unknown);
    diagnostics.extend(unknown.map(|t| unknown_characters(source, t.span)));
    let span = Span::new(end_of_last, end_of_last);
    tokens.push(Token { kind: Kind::EndOfFile, span, starts_line: true });
    (tokens, diagnostics, cut_off)
}

fn unknown_characters(source: &Source, span: Span) -> Diagnostic {
    let text = source.slice(span);
    let first = text.chars().next().unwrap_or('?');
    let shown = if first.is_control() {
        format!("U+{:04X}", u32::from(first))
    } else {
        format!("`{first}`")
    };
    let diagnostic = Diagnostic::error(span, format!("unknown character {shown}"));
    match first {
        '+' | '-' | '/' | '%' => diagnostic.hint("there is no arithmetic: all values are 0 or 1"),
        '#' => diagnostic.hint("a comment starts with `//`"),
        '"' => diagnostic.hint("there are no texts in Boolean programs"),
        '.' | '@' => diagnostic.hint("names are made of letters, digits, `_` and `$`"),
        _ if first.is_alphabetic() => {
            diagnostic.hint("names are made of the letters a to z, digits, `_` and `$`")
        }
        _ => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};
    use selvedge_program::{Source, print::BP_KEYWORDS};

    #[test]
    fn the_printer_knows_all_keywords() {
        let first = |text: &str| tokens(&Source::new("test.bp", text)).0[0].kind;
        for word in BP_KEYWORDS {
            assert!(first(word).is_keyword(), "{word}");
        }
        let mut kinds: Vec<u8> = BP_KEYWORDS.iter().map(|word| first(word) as u8).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds, (Kind::Decl as u8..=Kind::Schoose as u8).collect::<Vec<u8>>());
    }
}
