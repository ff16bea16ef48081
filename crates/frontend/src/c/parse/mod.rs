//! # The parser of C
//! Recursive descent over C11 with the extensions of GNU that programs and system headers use:
//!
//! - `declarations`: what stands at the top of a file, declarations and functions;
//! - `specifiers`: the words for a type; `records`: `struct`, `union` and `enum`; `attributes`;
//! - `declarators`: names, and what stands around them;
//! - `initialisers`, `statements`, `assembly`, `expressions`, and `operands` of these;
//! - `recovery`: messages, and where to go on after a mistake.
//!
//! **Names.** `T * x;` is a declaration or a product: the grammar needs to know which names are types. So the parser keeps the scopes of
//! ordinary names (labels, tags and members are other name spaces) and, for each name, whether it is a typedef.
//!
//! **Depth.** Nesting is limited while parsing, and so is the height of the tree, which grows without nesting in `a - b - c - …`, in
//! `case 1: case 2: …` and in `else if … else if …`. Whoever walks the tree may recurse.

mod assembly;
mod attributes;
mod declarations;
mod declarators;
mod expressions;
mod initialisers;
mod operands;
mod records;
mod recovery;
mod specifiers;
mod statements;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use selvedge_model::Patience;
use selvedge_program::{Source, Span};

use super::deep::on_a_deep_stack;
use super::lexer::{Pack, Token, packs, tokenize};
use super::tree::{Name, Unit};
use crate::Diagnostic;
use crate::cursor::{Cursor, Parsed};

/// Parses a preprocessed text. The tree holds whatever could be understood; the diagnostics are in the order of their places, which are
/// places of this text: [`Lines`](super::Lines) has those of the original.
#[must_use]
pub fn parse(text: &str) -> (Unit, Vec<Diagnostic>) {
    on_a_deep_stack(|| {
        let (source, patience) = (Source::new("", text), Patience::default());
        let mut parser = Parser {
            tokens: Cursor::new(&source, tokenize(&source, &patience), &patience),
            names: FxHashMap::default(),
            scopes: vec![FxHashMap::default()],
            labels: Vec::new(),
            function: None,
            packs: packs(source.text()),
            depth: 0,
            height: 0,
        };
        let unit = parser.unit();
        (unit, parser.tokens.into_diagnostics())
    })
}

/// Statements, expressions, declarators and records inside each other, counted together.
const DEEPEST: u32 = 200;

/// The height that the tree of a statement or an expression may have.
const TALLEST: u32 = 1000;

/// The meaning of an ordinary name, as far as the grammar cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// The name of a type.
    Type,
    /// A variable, a function, a parameter or an enumerator.
    Value,
}

struct Parser<'s> {
    tokens: Cursor<'s, Token>,
    /// Each name of the text once.
    names: FxHashMap<&'s str, Arc<str>>,
    /// The meanings of names, the innermost scope last.
    scopes: Vec<FxHashMap<Arc<str>, Meaning>>,
    /// Labels that a block declares for itself (`__label__`), and their names in the tree, the innermost block last.
    labels: Vec<FxHashMap<Arc<str>, Arc<str>>>,
    /// The function whose body is read.
    function: Option<Arc<str>>,
    /// What `#pragma pack` says.
    packs: Vec<Pack>,
    depth: u32,
    /// The height of the tallest tree that was made since the innermost [`Parser::nested`] began.
    height: u32,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token {
        self.tokens.peek()
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.peek_at(ahead)
    }

    fn eat(&mut self, token: Token) -> bool {
        self.tokens.eat(token)
    }

    /// From a place to the token before the current one.
    fn since(&self, start: Span) -> Span {
        if self.tokens.previous().end <= start.start {
            start
        } else {
            start.to(self.tokens.previous())
        }
    }

    /// The shared text of a name.
    fn intern(&mut self, text: &'s str) -> Arc<str> {
        self.names.entry(text).or_insert_with(|| text.into()).clone()
    }

    /// Takes the current token as a name.
    fn take_name(&mut self) -> Name {
        let span = self.tokens.bump();
        Name { text: self.intern(self.tokens.text(span)), span }
    }

    /// Notes what a name means in the innermost scope.
    fn declare(&mut self, name: &Arc<str>, meaning: Meaning) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone(), meaning);
        }
    }

    /// The meaning of a name here, if it was declared.
    fn meaning(&self, name: &str) -> Option<Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// Reads something in a scope of its own.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(FxHashMap::default());
        let result = read(self);
        self.scopes.pop();
        result
    }

    /// Reads something that is one level deeper, if the limit allows.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.height);
        let result = read(self).and_then(|read| self.taller().map(|()| read));
        self.height = self.height.max(outer);
        self.depth -= 1;
        result
    }

    /// Reads a chain that grows in a loop: its parts are as tall as they are, and the chain calls [`Parser::taller`] for each link.
    fn chain<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outer = std::mem::take(&mut self.height);
        let result = read(self);
        self.height = self.height.max(outer);
        result
    }

    /// Counts a node above all that was made since the innermost [`Parser::nested`] or [`Parser::chain`] began.
    fn taller(&mut self) -> Parsed<()> {
        self.height += 1;
        if self.height > TALLEST { Err(self.too_tall()) } else { Ok(()) }
    }

    /// Reads a list with commas between, at least one.
    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![element(self)?];
        while self.eat(Token::Comma) {
            all.push(element(self)?);
        }
        Ok(all)
    }
}
