//! # Tokens of C
//! Text that has been through the preprocessor, as a list of tokens with their places. A token has no content of its own: its text is
//! looked up by its place, and `literals` says what numbers, characters and strings mean.
//!
//! **Directives.** The preprocessor leaves line markers (`# 12 "file.c" 1 3`) and pragmas behind. They are no tokens; what they say is
//! read by [`Lines`](super::Lines) and [`packs`]. Any other directive shows that the text was not preprocessed, which is reported.

use logos::{Lexer, Logos};
use selvedge_model::Patience;
use selvedge_program::{Source, Span};

use crate::Diagnostic;
use crate::cursor::{TokenKind, Tokens};

/// Why a piece of text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Unreadable {
    #[default]
    Character,
    Comment,
    Quote,
}

/// The words and signs of C, with those of GNU.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"([ \t\r\n\f\x0b\u{feff}]|\\\r?\n)+", skip(r"//([^\n\\]|\\[^\n]|\\\r?\n)*\\?", allow_greedy = true))]
#[logos(error = Unreadable)]
#[rustfmt::skip]
pub(super) enum Token {
    #[token("void")] Void,
    #[token("char")] Char,
    #[token("short")] Short,
    #[token("int")] Int,
    #[token("long")] Long,
    #[token("float")] Float,
    #[token("double")] Double,
    #[token("signed")] #[token("__signed")] #[token("__signed__")] Signed,
    #[token("unsigned")] Unsigned,
    #[token("_Bool")] Bool,
    #[token("_Complex")] #[token("__complex")] #[token("__complex__")] Complex,
    #[token("__int128")] Int128,
    #[token("struct")] Struct,
    #[token("union")] Union,
    #[token("enum")] Enum,
    #[token("typeof")] #[token("__typeof")] #[token("__typeof__")] Typeof,
    #[token("__auto_type")] AutoType,

    #[token("const")] #[token("__const")] #[token("__const__")] Const,
    #[token("volatile")] #[token("__volatile")] #[token("__volatile__")] Volatile,
    #[token("restrict")] #[token("__restrict")] #[token("__restrict__")] Restrict,
    #[token("_Atomic")] Atomic,

    #[token("typedef")] Typedef,
    #[token("extern")] Extern,
    #[token("static")] Static,
    #[token("auto")] #[token("register")] Automatic,
    #[token("_Thread_local")] #[token("__thread")] ThreadLocal,
    #[token("inline")] #[token("__inline")] #[token("__inline__")] Inline,
    #[token("_Noreturn")] Noreturn,
    #[token("_Alignas")] Alignas,
    #[token("__attribute")] #[token("__attribute__")] Attribute,
    #[token("__extension__")] Extension,
    #[token("_Static_assert")] StaticAssert,

    #[token("if")] If,
    #[token("else")] Else,
    #[token("while")] While,
    #[token("do")] Do,
    #[token("for")] For,
    #[token("switch")] Switch,
    #[token("case")] Case,
    #[token("default")] Default,
    #[token("goto")] Goto,
    #[token("break")] Break,
    #[token("continue")] Continue,
    #[token("return")] Return,
    #[token("asm")] #[token("__asm")] #[token("__asm__")] Asm,
    #[token("__label__")] LocalLabel,

    #[token("sizeof")] Sizeof,
    #[token("_Alignof")] #[token("__alignof")] #[token("__alignof__")] Alignof,
    #[token("_Generic")] Generic,
    #[token("__real")] #[token("__real__")] Real,
    #[token("__imag")] #[token("__imag__")] Imag,
    #[token("__builtin_va_arg")] VaArg,
    #[token("__builtin_offsetof")] Offsetof,
    #[token("__builtin_types_compatible_p")] Compatible,
    #[token("__builtin_choose_expr")] Choose,
    #[token("__func__")] #[token("__FUNCTION__")] #[token("__PRETTY_FUNCTION__")] FunctionName,

    #[token("{")] #[token("<%")] OpenBrace,
    #[token("}")] #[token("%>")] CloseBrace,
    #[token("[")] #[token("<:")] OpenBracket,
    #[token("]")] #[token(":>")] CloseBracket,
    #[token("(")] OpenParen,
    #[token(")")] CloseParen,
    #[token(";")] Semicolon,
    #[token(",")] Comma,
    #[token(":")] Colon,
    #[token("?")] Question,
    #[token(".")] Dot,
    #[token("->")] Arrow,
    #[token("...")] Dots,

    #[token("=")] Assign,
    #[token("*=")] MulAssign,
    #[token("/=")] DivAssign,
    #[token("%=")] RemAssign,
    #[token("+=")] AddAssign,
    #[token("-=")] SubAssign,
    #[token("<<=")] ShiftLeftAssign,
    #[token(">>=")] ShiftRightAssign,
    #[token("&=")] AndAssign,
    #[token("^=")] XorAssign,
    #[token("|=")] OrAssign,

    #[token("++")] PlusPlus,
    #[token("--")] MinusMinus,
    #[token("+")] Plus,
    #[token("-")] Minus,
    #[token("*")] Star,
    #[token("/")] Slash,
    #[token("%")] Percent,
    #[token("<<")] ShiftLeft,
    #[token(">>")] ShiftRight,
    #[token("<")] Less,
    #[token("<=")] AtMost,
    #[token(">")] Greater,
    #[token(">=")] AtLeast,
    #[token("==")] Equal,
    #[token("!=")] NotEqual,
    #[token("&")] BitAnd,
    #[token("^")] BitXor,
    #[token("|")] BitOr,
    #[token("~")] Tilde,
    #[token("&&")] And,
    #[token("||")] Or,
    #[token("!")] Not,

    /// A name; whether what is not ASCII in it are letters is looked at later, because tables of all letters take minutes to compile.
    #[regex(r"[A-Za-z_$\u{80}-\u{fefe}\u{ff00}-\u{10ffff}][A-Za-z0-9_$\u{80}-\u{fefe}\u{ff00}-\u{10ffff}]*", priority = 1)] Name,
    /// A number as the preprocessor sees it: all that could belong to one.
    #[regex(r"\.?[0-9]([eEpP][+-]|[0-9A-Za-z_.$])*", priority = 3)] Number,
    #[regex(r"(L|u8|u|U)?'([^'\\\n]|\\\r?\n|\\[^\n\r])*'", priority = 5)]
    #[regex(r"(L|u8|u|U)?'", no_end, priority = 4)]
    Character,
    #[regex(r#"(L|u8|u|U)?"([^"\\\n]|\\\r?\n|\\[^\n\r])*""#, priority = 5)]
    #[regex(r#"(L|u8|u|U)?""#, no_end, priority = 4)]
    String,

    /// A line that begins with `#`; not handed to the parser.
    #[regex(r"(#|%:)([^\n\\]|\\[^\n]|\\\r?\n)*\\?", allow_greedy = true)]
    Directive,

    #[token("/*", comment)]
    Unreadable,
    End,
}

impl TokenKind for Token {
    const END: Token = Token::End;
    const UNREADABLE: Token = Token::Unreadable;
}

/// Skips the rest of a comment; without an end it is not one.
fn comment(lexer: &mut Lexer<'_, Token>) -> Result<logos::Skip, Unreadable> {
    match lexer.remainder().find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            Ok(logos::Skip)
        }
        None => {
            lexer.bump(lexer.remainder().len());
            Err(Unreadable::Comment)
        }
    }
}

/// Refuses a quote to which there is no second one on its line, and leaves out the rest of the line.
fn no_end(lexer: &mut Lexer<'_, Token>) -> Result<(), Unreadable> {
    let rest = lexer.remainder();
    lexer.bump(rest.find('\n').unwrap_or(rest.len()));
    Err(Unreadable::Quote)
}

/// Reads a text to its end, or as long as there is patience.
pub(super) fn tokenize(source: &Source, patience: &Patience) -> Tokens<Token> {
    let mut tokens = Tokens::new();
    let mut lexer = Token::lexer(source.text());
    let mut unprocessed = false;
    while let Some(token) = lexer.next() {
        if !patience.lasts(1) {
            tokens.cut = true;
            break;
        }
        let range = lexer.span();
        let span = Span::new(range.start, range.end);
        match token {
            Ok(Token::Directive) if !begins_line(source.text(), range.start) => {
                let error = Diagnostic::error(
                    Span::new(range.start, range.start + 1),
                    "a `#` has no meaning here",
                );
                tokens.unreadable(span, error.hint("a directive stands on a line of its own"));
            }
            Ok(Token::Directive) => {
                if let Some(error) = foreign_directive(lexer.slice(), span)
                    && !std::mem::replace(&mut unprocessed, true)
                {
                    tokens.diagnostics.push(error);
                }
            }
            Ok(Token::Name) if !lexer.slice().is_ascii() => {
                match lexer.slice().char_indices().find(|&(_, c)| !is_letter(c)) {
                    Some((at, c)) => {
                        let start = range.start + at;
                        let place = Span::new(start, start + c.len_utf8());
                        tokens.unreadable(span, unknown_character(c, place));
                    }
                    None => tokens.list.push((Token::Name, span)),
                }
            }
            Ok(token) => tokens.list.push((token, span)),
            Err(Unreadable::Comment) => {
                let span = Span::new(range.start, range.start + 2);
                let error = Diagnostic::error(span, "this comment has no end");
                tokens.unreadable(span, error.hint("write `*/` where it ends"));
                tokens.cut = true;
            }
            Err(Unreadable::Quote) => {
                let text = lexer.slice();
                let at = text.find(['"', '\'']).unwrap_or(0);
                let (what, sign) = match text.as_bytes().get(at) {
                    Some(b'"') => ("string", '"'),
                    _ => ("character", '\''),
                };
                let quote = Span::new(range.start, range.start + at + 1);
                let error = Diagnostic::error(quote, format!("this {what} has no end"));
                let hint = format!("write `{sign}` where it ends, on the same line");
                tokens.unreadable(span, error.hint(hint));
            }
            Err(Unreadable::Character) => {
                if !tokens.lengthen_unreadable(span) {
                    tokens.unreadable(
                        span,
                        unknown_character(lexer.slice().chars().next().unwrap_or('?'), span),
                    );
                }
            }
        }
    }
    tokens
}

/// The lines of a text that begin with `#`, without those in comments.
pub(super) fn directives(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let found = Token::lexer(text).spanned().filter(|(token, _)| *token == Ok(Token::Directive));
    let found = found.filter(|(_, range)| begins_line(text, range.start));
    found.map(|(_, range)| (&text[range.clone()], range.start))
}

/// Whether there is nothing but white space and comments before a place on its line.
fn begins_line(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches([' ', '\t', '\r', '\u{b}', '\u{c}', '\u{feff}']);
    before.is_empty() || before.ends_with('\n') || before.ends_with("*/")
}

/// The words of a directive, without the sign.
fn words(directive: &str) -> &str {
    directive.strip_prefix('#').or_else(|| directive.strip_prefix("%:")).unwrap_or(directive).trim()
}

/// Complains about a directive that the preprocessor would not have left.
fn foreign_directive(directive: &str, span: Span) -> Option<Diagnostic> {
    let words = words(directive);
    let name_ends = words.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(words.len());
    let name = &words[..name_ends];
    let is_left = words.is_empty()
        || matches!(name, "line" | "pragma" | "ident" | "sccs")
        || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()));
    if is_left {
        return None;
    }
    let first_line = directive.find('\n').unwrap_or(directive.len());
    let span =
        Span { end: span.start.saturating_add(u32::try_from(first_line).unwrap_or(0)), ..span };
    let error = Diagnostic::error(
        span,
        format!("`#{name}` is for the preprocessor, and this text was not preprocessed"),
    );
    Some(error.hint("give a file that ends in `.c`, or what `gcc -E` makes of it"))
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn unknown_character(first: char, span: Span) -> Diagnostic {
    let shown = if first.is_control() {
        format!("U+{:04X}", u32::from(first))
    } else {
        format!("`{first}`")
    };
    let error = Diagnostic::error(span, format!("unknown character {shown}"));
    match first {
        '“' | '”' | '‘' | '’' => error.hint("quotes in C are `\"` and `'`"),
        '@' | '`' => error.hint("C has no such sign"),
        _ => error,
    }
}

/// From a place on, how many bytes may lie between members of records (`#pragma pack`), if that is limited.
pub(super) struct Pack {
    /// The first byte to which it applies.
    pub start: u32,
    /// The most that a member is aligned to.
    pub bytes: Option<u32>,
}

/// What `#pragma pack` says in a text, in the order of the places.
pub(super) fn packs(text: &str) -> Vec<Pack> {
    let mut list = Vec::new();
    let mut stack = Vec::new();
    let mut bytes = None;
    for (directive, start) in directives(text) {
        let Some(pragma) = words(directive).strip_prefix("pragma") else { continue };
        let Some(args) = pragma.trim().strip_prefix("pack") else { continue };
        let args = args.trim().trim_start_matches('(').trim_end_matches(')');
        let mut resets = true;
        for arg in args.split(',').map(str::trim).filter(|arg| !arg.is_empty()) {
            resets = false;
            match arg {
                "push" => stack.push(bytes),
                "pop" => bytes = stack.pop().flatten(),
                _ => bytes = arg.parse().ok().filter(|&n| n != 0),
            }
        }
        if resets {
            bytes = None;
        }
        list.push(Pack { start: Span::new(start, start).start, bytes });
    }
    list
}
