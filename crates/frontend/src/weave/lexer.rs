//! From text to tokens. A token has no content of its own: its text is looked up by its place.

use std::ops::Range;

use logos::{Lexer, Logos};
use selvedge_model::Patience;
use selvedge_program::{Source, Span};

use crate::Diagnostic;
use crate::cursor::{TokenKind, Tokens};
use crate::foreign;

use super::layout::Kind;
use super::only_replacement;
use super::words::find_words;

/// Why a piece of text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Unreadable {
    #[default]
    Character,
    Comment,
}

/// The words and signs of the language.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+", skip(r"//[^\n]*", allow_greedy = true))]
#[logos(error = Unreadable)]
#[rustfmt::skip]
pub(super) enum Token {
    #[token("const")] Const,
    #[token("enum")] Enum,
    #[token("void")] Void,
    #[token("thread")] Thread,
    #[token("predicate")] Predicate,

    #[token("bool")] #[token("boolean")] Bool,
    #[token("int")] Int,
    #[token("u8")] #[token("u16")] #[token("u32")] #[token("u64")]
    #[token("i8")] #[token("i16")] #[token("i32")] #[token("i64")]
    Machine,
    #[token("lock")] Lock,
    #[token("tid")] Tid,

    #[token("skip")] Skip,
    #[token("havoc")] Havoc,
    #[token("constrain")] Constrain,
    #[token("if")] If,
    #[token("else")] Else,
    #[token("while")] While,
    #[token("either")] Either,
    #[token("goto")] Goto,
    #[token("break")] Break,
    #[token("continue")] Continue,
    #[token("return")] Return,
    #[token("assume")] Assume,
    #[token("wait")] Wait,
    #[token("assert")] Assert,
    #[token("atomic")] Atomic,
    #[token("atomic_begin")] AtomicBegin,
    #[token("atomic_end")] AtomicEnd,
    #[token("acquire")] Acquire,
    #[token("release")] Release,
    #[token("unlock")] Unlock,
    #[token("async")] Async,
    #[token("join")] Join,
    #[token("start_thread")] StartThread,
    #[token("end_thread")] EndThread,
    #[token("trylock")] TryLock,
    #[token("cas")] Cas,
    #[token("fetch_and_add")] FetchAndAdd,

    #[token("true")] True,
    #[token("false")] False,
    #[token("schoose")] Schoose,
    #[token("forall")] Forall,
    #[token("exists")] Exists,

    #[token("or")] OrWord,
    #[token("||")] #[token("∨")] Or,
    #[token("and")] AndWord,
    #[token("&&")] #[token("∧")] And,
    #[token("not")] NotWord,
    #[token("!")] #[token("¬")] Not,
    #[token("|")] BitOr,
    #[token("^")] BitXor,
    #[token("&")] BitAnd,
    #[token("~")] BitNot,
    #[token("<<")] ShiftLeft,
    #[token(">>")] ShiftRight,
    #[token("==>")] #[token("=>")] #[token("⇒")] Implies,
    #[token("==")] EqualEqual,
    #[token("!=")] #[token("≠")] NotEqual,
    #[token("<")] Less,
    #[token("<=")] #[token("≤")] AtMost,
    #[token(">")] Greater,
    #[token(">=")] #[token("≥")] AtLeast,
    #[token("+")] Plus,
    #[token("-")] Minus,
    #[token("*")] Star,
    #[token("/")] Slash,
    #[token("%")] Percent,
    #[token("?")] Question,

    #[token(":=")] Assign,
    #[token("=")] Equal,
    #[token("++")] PlusPlus,
    #[token("--")] MinusMinus,
    #[token("+=")] PlusAssign,
    #[token("-=")] MinusAssign,
    /// Known from other languages only.
    #[token("*=")] #[token("/=")] #[token("%=")] #[token("&=")] #[token("|=")] #[token("^=")]
    #[token("&&=")] #[token("||=")] #[token("<<=")] #[token(">>=")]
    ForeignAssign,

    #[token("(")] OpenParen,
    #[token(")")] CloseParen,
    #[token("[")] OpenBracket,
    #[token("]")] CloseBracket,
    #[token("{")] OpenBrace,
    #[token("}")] CloseBrace,
    #[token(";")] Semicolon,
    #[token(",")] Comma,
    #[token(":")] Colon,
    #[token(".")] Dot,
    #[token("..")] DotDot,
    #[token("'")] Prime,
    #[token("#")] Hash,

    #[regex(r"[0-9]+")] Number,
    /// A number that runs into letters.
    #[regex(r"[0-9]+[A-Za-z_$][A-Za-z0-9_$]*")] BadNumber,
    #[regex(r"[A-Za-z_$][A-Za-z0-9_$]*")] Name,

    /// Names that are words where they stand: told by what stands beside them.
    Shared,
    Local,
    Var,
    Proc,
    Mutex,
    Call,
    Fair,

    /// Signs that other languages have.
    #[token("===")] #[token("!==")] #[token("/\\")] #[token("\\/")] #[regex(r"\\[A-Za-z]+")] #[regex("={4,}")]
    ForeignSign,
    /// A number with a fraction, and a character, as in other languages.
    #[regex(r"[0-9]+\.[0-9]+")] Fraction,
    #[regex(r"'([^'\\\n]|\\.)'")] Letter,
    /// A string, as in other languages.
    #[regex(r#""[^"\n]*""#)] Text,

    #[token("/*", comment)]
    Unreadable,
    End,
}

impl TokenKind for Token {
    const END: Token = Token::End;
    const UNREADABLE: Token = Token::Unreadable;
}

/// Skips the rest of a comment; without an end it is not one.
fn comment(lexer: &mut Lexer<'_, Token>) -> logos::FilterResult<(), Unreadable> {
    match lexer.remainder().find("*/") {
        Some(length) => {
            lexer.bump(length + 2);
            logos::FilterResult::Skip
        }
        None => logos::FilterResult::Error(Unreadable::Comment),
    }
}

/// The tokens of a text, with [`Token::Unreadable`] where there is none.
pub(super) fn tokenize(source: &Source, patience: &Patience) -> Tokens<Token> {
    let mut tokens = Tokens::new();
    let mut lexer = Token::lexer(source.text());
    while let Some(token) = lexer.next() {
        if !patience.lasts(1) {
            tokens.cut = true;
            break;
        }
        let span = Span::new(lexer.span().start, lexer.span().end);
        match token {
            Ok(Token::ForeignSign) => {
                let text = source.slice(span);
                let (meant, error) = foreign_sign(text, span);
                if matches!(text, "/\\" | "\\/") && !ends_operand(&tokens.list) {
                    let hint = "leave the first one of a list out: `&&` and `||` stand between conditions, and `;` ends a statement";
                    tokens.diagnostics.push(error.hint(hint).fixed_by(span, ""));
                    continue;
                }
                match meant {
                    Some(meant) => {
                        tokens.diagnostics.push(error);
                        tokens.list.push((meant, span));
                    }
                    None => tokens.unreadable(span, error),
                }
            }
            Ok(Token::Fraction) => {
                let error = Diagnostic::error(span, "there are no fractions");
                tokens.unreadable(span, error.hint("count in small units, with `int`"));
            }
            Ok(Token::Letter) => {
                let error = Diagnostic::error(span, "there are no characters");
                tokens.unreadable(span, error.hint("write a number, or name it with `enum`"));
            }
            Ok(Token::BadNumber) => tokens.unreadable(span, bad_number(source.slice(span), span)),
            Ok(Token::Text) if explains(&tokens.list, source) => {
                tokens.list.push((Token::Text, span));
            }
            // Several strings in a statement are one mistake.
            Ok(Token::Text) if follows_unreadable(&tokens.list) => {
                tokens.list.push((Token::Unreadable, span));
            }
            Ok(Token::Text) => {
                let is_assumed = statement(&tokens.list).any(|(token, _)| *token == Token::Assume);
                let error = match printed(source, &tokens.list) {
                    None if is_assumed => Diagnostic::error(span, "an assumption has no text")
                        .hint("leave it out, or write a comment: `assume e; // text`"),
                    printed => no_text(printed, span),
                };
                tokens.unreadable(span, error);
            }
            Ok(Token::Slash) if leave_nested_comment(&mut tokens, source, span) => {}
            Ok(token) => tokens.list.push((token, span)),
            Err(Unreadable::Comment) => {
                let error = Diagnostic::error(span, "this comment is not closed");
                tokens.diagnostics.push(error.hint("close it with `*/`"));
                tokens.cut = true;
                break;
            }
            // Several such characters in a row are one mistake.
            Err(Unreadable::Character) if tokens.lengthen_unreadable(span) => {}
            Err(Unreadable::Character) => {
                tokens.unreadable(span, bad_character(source.slice(span), span));
            }
        }
    }
    find_words(&mut tokens.list, source.text());
    tokens
}

/// At the `/` of a second `*/` behind a comment with another one in it: reports it, and drops what was read since the first one.
fn leave_nested_comment(tokens: &mut Tokens<Token>, source: &Source, slash: Span) -> bool {
    let [before @ .., (Token::Star, star)] = tokens.list.as_slice() else { return false };
    let star = *star;
    // Elsewhere `*` is any value, which may be divided.
    let is_misplaced = ends_operand(before)
        || before.last().is_none_or(|l| matches!(l.0, Token::Semicolon | Token::CloseBrace));
    if !is_misplaced {
        return false;
    }
    let before = &source.text()[..star.start as usize];
    let Some(ended) = before.rfind("*/").filter(|_| star.end == slash.start) else { return false };
    let first = tokens.list.partition_point(|(_, span)| span.end as usize <= ended);
    let start = first.checked_sub(1).map_or(0, |last| tokens.list[last].1.end as usize);
    if start > ended || before[start..ended].matches("/*").count() < 2 {
        return false;
    }
    tokens.list.truncate(first);
    tokens.diagnostics.retain(|told| (told.label.span.start as usize) < ended);
    let error = Diagnostic::error(star.to(slash), "this `*/` ends no comment");
    let hint = "a comment ends at the first `*/`: leave the comment inside of it out";
    tokens.diagnostics.push(error.hint(hint));
    true
}

/// The kind of every piece of a text, without comments. `None` if one is no token.
pub(super) fn kinds(text: &str) -> Option<Vec<(Kind, Range<usize>)>> {
    let kind = |token: Token, text: &str| match text.chars().next() {
        _ if is_reserved(token, text) => Kind::Reserved,
        Some(c) if c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '"') => Kind::Name,
        _ => Kind::Sign,
    };
    let tokens = Token::lexer(text).spanned();
    let tokens = tokens.map(|(token, span)| Some((token.ok()?, Span::new(span.start, span.end))));
    let mut tokens: Vec<(Token, Span)> = tokens.collect::<Option<_>>()?;
    find_words(&mut tokens, text);
    let kinds = tokens.into_iter().map(|(token, span)| {
        let span = span.start as usize..span.end as usize;
        (kind(token, &text[span.clone()]), span)
    });
    Some(kinds.collect())
}

/// Whether something in the same statement was unreadable already.
fn follows_unreadable(before: &[(Token, Span)]) -> bool {
    let ends = |token: &Token| {
        matches!(token, Token::Unreadable | Token::Semicolon | Token::OpenBrace | Token::CloseBrace)
    };
    let last = before.iter().rev().map(|(token, _)| *token).find(ends);
    last == Some(Token::Unreadable)
}

/// Whether the last of these tokens is an operand, or ends one.
fn ends_operand(before: &[(Token, Span)]) -> bool {
    let operands = [
        Token::Name,
        Token::Number,
        Token::True,
        Token::False,
        Token::CloseParen,
        Token::CloseBracket,
        Token::Prime,
        Token::Unreadable,
    ];
    before.last().is_some_and(|(token, _)| operands.contains(token))
}

/// Whether a string after these tokens is that of an assertion, and its first: `assert e, "text"`.
fn explains(before: &[(Token, Span)], source: &Source) -> bool {
    if before.last().is_none_or(|last| last.0 != Token::Comma) {
        return false;
    }
    statement(before).any(|&(token, span)| {
        token == Token::Assert || (token == Token::Name && source.slice(span) == "invariant")
    })
}

/// The last of these tokens, back to the beginning of the statement or to a text in it.
fn statement(before: &[(Token, Span)]) -> impl Iterator<Item = &(Token, Span)> {
    let ends = |token: Token| {
        matches!(
            token,
            Token::Semicolon
                | Token::OpenBrace
                | Token::CloseBrace
                | Token::Text
                | Token::Unreadable
        )
    };
    before.iter().rev().take_while(move |(token, _)| !ends(*token))
}

/// The procedure that prints in other languages, if its arguments begin after these tokens.
fn printed<'s>(source: &'s Source, before: &[(Token, Span)]) -> Option<&'s str> {
    let &[.., (Token::Name, name), (Token::OpenParen, _)] = before else { return None };
    let word = source.slice(name);
    (foreign::operation(word) == Some(foreign::Operation::Print)).then_some(word)
}

/// The error about a string where there may be none.
fn no_text(printed: Option<&str>, span: Span) -> Diagnostic {
    match printed {
        Some(word) => Diagnostic::error(span, format!("there is no procedure `{word}`"))
            .hint(foreign::Operation::Print.advice(&[])),
        None => Diagnostic::error(span, "there are no strings")
            .hint("`assert e, \"text\";` says what is wrong; elsewhere, write a comment; `enum` gives names to values"),
    }
}

/// Reports a sign of another language, and says which one was meant if there is one.
fn foreign_sign(text: &str, span: Span) -> (Option<Token>, Diagnostic) {
    let error = Diagnostic::error(span, format!("`{text}` does not belong to the language"));
    let hint =
        foreign::sign(text).unwrap_or("operators are those of C: `&&`, `||`, `!`, `==`, `%`");
    let meant = match text {
        "===" => Some(Token::EqualEqual),
        "!==" => Some(Token::NotEqual),
        "/\\" => Some(Token::And),
        "\\/" => Some(Token::Or),
        _ => None,
    };
    let error = error.hint(hint);
    let fixed = match only_replacement(hint) {
        Some(sign) => error.fixed_by(span, sign),
        None => error,
    };
    (meant, fixed)
}

fn bad_number(text: &str, span: Span) -> Diagnostic {
    if let Some(hint) = in_another_base(text) {
        let error = Diagnostic::error(span, "numbers are decimal").hint(hint.as_str());
        return match only_replacement(&hint) {
            Some(number) => error.fixed_by(span, number),
            None => error,
        };
    }
    let hint = match text {
        text if text.chars().all(|c| c.is_ascii_digit() || c == '_') => {
            "write the digits without `_`"
        }
        text if is_power_of_ten(text) => "write the digits, with all zeros",
        text if has_suffix(text) => {
            "write the digits alone: a number takes the type that is asked for, and `u8(1)` is one of 8 bits"
        }
        _ => "a name does not begin with a digit",
    };
    Diagnostic::error(span, "this is neither a number nor a name").hint(hint)
}

/// What to write instead of a number to the base of 16, 8 or 2.
fn in_another_base(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase().replace('_', "");
    let bases = [("0x", 16), ("0o", 8), ("0b", 2)];
    let (prefix, base) = bases.into_iter().find(|(prefix, _)| lower.starts_with(prefix))?;
    let digits = &lower[prefix.len()..];
    let suffixes = [
        "usize", "isize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "ull", "ul", "u",
        "l",
    ];
    let bare = suffixes.into_iter().find_map(|suffix| digits.strip_suffix(suffix));
    Some(match u64::from_str_radix(bare.unwrap_or(digits), base) {
        Ok(number) => format!("write `{number}`"),
        Err(_) => "write it with the digits 0 to 9".to_owned(),
    })
}

/// Whether digits are followed by how many zeros there are: `1e6`.
fn is_power_of_ten(text: &str) -> bool {
    text.split_once(['e', 'E']).is_some_and(|(digits, zeros)| {
        let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        is_number(digits) && is_number(zeros)
    })
}

/// Whether digits are followed by what says in other languages of which type a number is: `1u`, `1UL`, `1i64`, `1usize`.
fn has_suffix(text: &str) -> bool {
    let letters = text.trim_start_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    let bare = letters.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(bare, "u" | "i" | "l" | "ul" | "ll" | "ull" | "lu" | "llu" | "usize" | "isize")
}

/// Why characters belong to no token.
fn bad_character(text: &str, span: Span) -> Diagnostic {
    let shown = text.chars().next().map_or(String::new(), |c| match c {
        '"' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    });
    let error = Diagnostic::error(span, format!("`{shown}` does not belong to the language"));
    match text {
        "\"" | "“" | "”" => error.hint("there are no strings"),
        "\\" => error.hint("remove it; `//` begins a comment"),
        "@" => error
            .hint("leave it out; which label a thread is at is asked in a `predicate`: `i.at L`"),
        "`" => error.hint("remove it"),
        "–" | "—" | "−" => error.hint("write `-`").fixed_by(span, "-"),
        "×" | "·" => error.hint("write `*`").fixed_by(span, "*"),
        "÷" => error.hint("write `/`").fixed_by(span, "/"),
        "←" | "≔" => error.hint("write `:=`").fixed_by(span, ":="),
        "→" => error.hint("write `:=` to assign, `==>` for *implies*"),
        _ => error.hint("names are made of the letters a to z, digits, `_` and `$`"),
    }
}

/// Whether a token is a word that cannot be a name.
pub(super) fn is_reserved(token: Token, text: &str) -> bool {
    token != Token::Name && text.starts_with(|c: char| c.is_ascii_alphabetic())
}
