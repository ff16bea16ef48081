//! # Words that are names elsewhere
//! **Question.** Is `call` a word of the language where it stands, or the name of a variable?
//!
//! **Idea.** In a program, no name of a variable or of a procedure stands right before another name or word, but for the words between operands (`and`, `or`, `constrain`)
//! and the `in` of a predicate. So
//! `shared`, `local`, `var`, `proc`, `mutex` and `call` are words before a name or a word, as in `shared int x` and `call f()`, and names before anything else.
//! `fair` is a word in `fair *` where no operand follows: `fair * 2` is a product. The lexer takes all of them for names; the words among them are found here.
//!
//! **Claim.** What these words meant while they were reserved, they still mean.
//!
//! **Needs.** No type is called like a word that stands before names ([`cannot_name_type`]): the type of `shared x` would stand before a name.
//! What depends on more than the tokens beside a word is told by the parser (`mutex` after `:`), or when names are looked up (`none`).

use selvedge_program::Span;
use selvedge_program::print::{RESERVED_WORDS, WORDS_BEFORE_NAMES};

use super::lexer::{Token, is_reserved};

/// Words that have a meaning in some places, and are names everywhere else.
#[rustfmt::skip]
const WORDS_IN_PLACES: &[&str] = &[
    "all", "any", "at", "barrier", "call", "chan", "condition", "fair", "for", "in", "invariant", "local", "mutex", "none", "notify", "proc", "receive", "ref",
    "self", "semaphore", "send", "shared", "struct", "tryreceive", "trysend", "var", "when",
];

/// How far the beginning of a condition is looked for.
const LONGEST_CONDITION: usize = 200;

/// The words of the language: those that cannot be names, then those that can.
pub fn words() -> impl Iterator<Item = &'static str> {
    RESERVED_WORDS.iter().chain(WORDS_IN_PLACES).copied()
}

/// Whether a word stands before names in some places, so that no type can be called so.
pub(super) fn cannot_name_type(word: &str) -> bool {
    WORDS_BEFORE_NAMES.contains(&word)
}

/// The token for a word that has a meaning before another word: for each of [`WORDS_BEFORE_NAMES`].
pub(super) fn before_words(word: &str) -> Option<Token> {
    Some(match word {
        "shared" => Token::Shared,
        "local" => Token::Local,
        "var" => Token::Var,
        "proc" => Token::Proc,
        "mutex" => Token::Mutex,
        "call" => Token::Call,
        _ => return None,
    })
}

/// Finds the words of the language among the names of a text.
pub(super) fn find_words(tokens: &mut [(Token, Span)], text: &str) {
    for at in 0..tokens.len() {
        let (token, span) = tokens[at];
        if token != Token::Name {
            continue;
        }
        let word = written(span, text);
        let meant = match word {
            "fair" => is_choice(tokens, at, text).then_some(Token::Fair),
            _ => before_words(word).filter(|meant| is_before_word(*meant, tokens, at, text)),
        };
        if let Some(meant) = meant {
            tokens[at].0 = meant;
        }
    }
}

fn written(span: Span, text: &str) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn token_at(tokens: &[(Token, Span)], at: usize) -> Token {
    tokens.get(at).map_or(Token::End, |token| token.0)
}

fn token_before(tokens: &[(Token, Span)], at: usize) -> Token {
    at.checked_sub(1).map_or(Token::End, |before| token_at(tokens, before))
}

/// Whether a name or a word stands behind this one, which can have the meaning of the token there.
fn is_before_word(meant: Token, tokens: &[(Token, Span)], at: usize, text: &str) -> bool {
    let before = token_before(tokens, at);
    let Some(&(next, place)) = tokens.get(at + 1) else { return false };
    let follows_operand = matches!(next, Token::AndWord | Token::OrWord | Token::Constrain);
    // `call 2` can only be meant as a call.
    let is_word = next == Token::Name
        || is_reserved(next, written(place, text))
        || (meant, next) == (Token::Call, Token::Number);
    if !is_word || follows_operand || names_next(before) {
        return false;
    }
    // A call has a value, and stands where operands do.
    if meant != Token::Call && wants_operand(before) {
        return false;
    }
    // `x := call` at the end of a line lacks a `;`, unless what is called follows.
    let is_called = meant == Token::Call && token_at(tokens, at + 2) == Token::OpenParen;
    let between = &text[tokens[at].1.end as usize..place.start as usize];
    begins(tokens, at) || is_called || !between.contains('\n')
}

/// Whether a statement, a declaration or a parameter may begin with this token.
fn begins(tokens: &[(Token, Span)], mut at: usize) -> bool {
    // Labels stand before statements.
    while token_before(tokens, at) == Token::Colon
        && at >= 2
        && token_at(tokens, at - 2) == Token::Name
    {
        at -= 2;
    }
    matches!(
        token_before(tokens, at),
        Token::End
            | Token::Semicolon
            | Token::OpenBrace
            | Token::CloseBrace
            | Token::OpenParen
            | Token::CloseParen
            | Token::Comma
            | Token::Else
            | Token::OrWord
            | Token::Shared
            | Token::Local
    )
}

/// Whether what stands behind a token is a name in any case.
fn names_next(before: Token) -> bool {
    matches!(before, Token::Dot | Token::Enum | Token::Predicate | Token::Thread)
}

/// Whether an operand stands behind a token, and nothing is declared there.
fn wants_operand(before: Token) -> bool {
    matches!(
        before,
        Token::Assign
            | Token::Equal
            | Token::PlusAssign
            | Token::MinusAssign
            | Token::EqualEqual
            | Token::NotEqual
            | Token::Less
            | Token::AtMost
            | Token::Greater
            | Token::AtLeast
            | Token::Plus
            | Token::Minus
            | Token::Slash
            | Token::Percent
            | Token::And
            | Token::AndWord
            | Token::Or
            | Token::Implies
            | Token::Not
            | Token::NotWord
            | Token::Prime
            | Token::Question
            | Token::OpenBracket
            | Token::DotDot
            | Token::If
            | Token::While
            | Token::Return
            | Token::Assert
            | Token::Assume
            | Token::Wait
    )
}

/// Whether `fair` stands before a `*` that is any value, and no product.
fn is_choice(tokens: &[(Token, Span)], at: usize, text: &str) -> bool {
    if token_at(tokens, at + 1) != Token::Star || names_next(token_before(tokens, at)) {
        return false;
    }
    let Some(&(next, place)) = tokens.get(at + 2) else { return true };
    let is_operator = matches!(next, Token::AndWord | Token::OrWord | Token::Constrain);
    match next {
        Token::OpenBrace => ends_condition(tokens, at, text),
        Token::Number
        | Token::OpenParen
        | Token::Minus
        | Token::Star
        | Token::Not
        | Token::BitNot
        | Token::Hash
        | Token::Prime
        | Token::Name => false,
        _ => is_operator || !is_reserved(next, written(place, text)),
    }
}

/// Whether the `{` behind a condition opens a block: the condition is that of `if`, `while` or `when`, and not in parentheses.
fn ends_condition(tokens: &[(Token, Span)], at: usize, text: &str) -> bool {
    let mut depth = 0_usize;
    for &(token, span) in tokens[..at].iter().rev().take(LONGEST_CONDITION) {
        match token {
            Token::CloseParen | Token::CloseBracket | Token::CloseBrace => depth += 1,
            Token::OpenParen | Token::OpenBracket | Token::OpenBrace if depth == 0 => return false,
            Token::OpenParen | Token::OpenBracket | Token::OpenBrace => depth -= 1,
            _ if depth > 0 => {}
            Token::If | Token::While => return true,
            Token::Name if written(span, text) == "when" => return true,
            Token::Semicolon | Token::Assign | Token::Return | Token::Assert | Token::Assume => {
                return false;
            }
            _ => {}
        }
    }
    false
}
