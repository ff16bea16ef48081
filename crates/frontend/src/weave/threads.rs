//! Threads that are declared, and claims: invariants, which a thread looks at, and predicates.

use selvedge_program::Span;

use super::Parser;
use super::lexer::Token;
use super::wanted::Wanted;
use crate::Diagnostic;
use crate::check::walk::expressions;
use crate::cursor::Parsed;
use crate::syntax::{
    Count, Entry, ExprKind, Item, Name, PredicateDecl, Stmt, StmtKind, ThreadDecl,
};

/// The word before a claim about every state.
const INVARIANT: &str = "invariant";

impl Parser<'_> {
    /// Lets `main` run where no thread is declared: those that look at invariants are none.
    pub(super) fn main_beside_invariants(&mut self) {
        let threads = self.items.iter().filter_map(|item| match item {
            Item::Thread(thread) => Some(thread.span),
            _ => None,
        });
        let looks = |span: &Span| self.tokens.text(*span).starts_with(INVARIANT);
        let threads: Vec<Span> = threads.collect();
        let Some(&first) = threads.first().filter(|_| threads.iter().all(looks)) else { return };
        let place = Span { start: first.start, end: first.start };
        self.items.push(Item::Thread(ThreadDecl {
            name: Name { text: "main".to_owned(), span: place },
            binder: None,
            count: None,
            entry: Entry::SameName,
            span: place,
            end: place,
        }));
    }

    /// `thread NAME[i] * COUNT = entry(args);` or `thread NAME * COUNT { … }`
    pub(super) fn thread(&mut self) -> Parsed<()> {
        let start = self.tokens.bump();
        if self.peek() == Token::Star {
            let hint = "how many there are stands after the name: `thread NAME * 2 { … }`";
            return Err(self.expected_with_hint(Wanted::ThreadName, hint));
        }
        let name = self.name(Wanted::ThreadName)?;
        let mut binder = None;
        if self.peek() == Token::OpenBracket {
            let open = self.tokens.bump();
            binder = Some(self.name(Wanted::ThreadNumber)?);
            if self.tokens.current_text() == "in" {
                let hint = "how many there are stands after `*`: `thread NAME[i] * 2 { … }`, where `i` is 0, then 1";
                return Err(self.expected_with_hint(Wanted::CloseBracket, hint));
            }
            self.expect_closing(Token::CloseBracket, Wanted::CloseBracket, open)?;
        }
        let count = match self.eat(Token::Star) {
            true => Some(self.count()?),
            false => None,
        };
        let mut span = start.to(self.tokens.previous());
        let entry = match self.peek() {
            Token::OpenBrace => Entry::Body(self.block()?),
            Token::Equal | Token::Assign => {
                self.tokens.bump();
                self.eat(Token::Call);
                let procedure = self.name(Wanted::Started)?;
                let args = self.arguments()?;
                span = start.to(self.tokens.previous());
                Entry::Call(procedure, args)
            }
            Token::OpenParen => {
                let error = Diagnostic::error(self.tokens.span(), "a thread has no parameters");
                let name = &name.text;
                let hint = match (self.tokens.peek_at(1), self.tokens.peek_at(2)) {
                    (Token::CloseParen, Token::Equal | Token::Assign) => {
                        format!("leave the parentheses out: `thread {name} = PROCEDURE(…);`")
                    }
                    (Token::CloseParen, Token::OpenBrace) => {
                        format!("leave the parentheses out: `thread {name} {{ … }}`")
                    }
                    (Token::CloseParen, Token::Star) => {
                        format!("write `thread {name} * 2;`, which runs the procedure `{name}`")
                    }
                    (Token::CloseParen, _) => {
                        format!("write `thread {name};`, which runs the procedure `{name}`")
                    }
                    _ => format!("write `thread {name} = PROCEDURE(…);`"),
                };
                return Err(self.tokens.unexpected(error.hint(hint)));
            }
            Token::Semicolon => Entry::SameName,
            _ if self.tokens.on_new_line() => Entry::SameName,
            Token::Comma => {
                let hint = "each thread is declared by itself: `thread a { … } thread b { … }`; `thread a * 2 { … }` are two that are alike";
                return Err(self.expected_with_hint(Wanted::ThreadRest, hint));
            }
            _ => return Err(self.expected(Wanted::ThreadRest)),
        };
        let has_body = matches!(entry, Entry::Body(_));
        let end = self.tokens.previous();
        self.items.push(Item::Thread(ThreadDecl { name, binder, count, entry, span, end }));
        if has_body { Ok(()) } else { self.expect_semicolon() }
    }

    /// Whether `invariant e;` stands here, and not a variable of an enumeration of that name.
    pub(super) fn at_invariant(&self) -> bool {
        self.tokens.current_text() == INVARIANT
            && !matches!(self.tokens.peek_at(1), Token::Assign | Token::Equal | Token::OpenBrace)
            && !self.items.iter().any(|item| match item {
                Item::Enum(declared) => declared.name.text == INVARIANT,
                _ => false,
            })
    }

    /// `invariant e;`, `invariant e, "text";`: a thread that looks once, whenever that is.
    pub(super) fn invariant(&mut self) -> Parsed<()> {
        let word = self.tokens.bump();
        if (self.peek(), self.tokens.peek_at(1)) == (Token::Name, Token::Colon) {
            let (name, claim) = (self.tokens.current_text(), self.claim_from(2));
            let hint =
                format!("a text stands in the place of a name: `invariant {claim}, \"{name}\";`");
            return Err(self.expected_with_hint(Wanted::Condition, hint));
        }
        let claim = self.expr()?;
        let mut call = None;
        expressions(&claim, &mut |e| {
            if matches!(e.kind, ExprKind::Call(..)) {
                call = Some(e.span);
            }
        });
        if let Some(call) = call {
            let hint = "name what it computes, as an expression over shared variables";
            self.mistake(call, "an invariant is looked at in one step, and calls nothing", hint);
        }
        let text = self.explanation()?;
        let span = word.to(self.tokens.previous());
        let is_taken = |name: &str| {
            self.items.iter().any(|item| match item {
                Item::Thread(thread) => thread.name.text == name,
                _ => false,
            })
        };
        let mut names = (1..).map(|n| match n {
            1 => INVARIANT.to_owned(),
            n => format!("{INVARIANT}{n}"),
        });
        let made = names.find(|name| !is_taken(name)).unwrap_or_default();
        let end = if made == INVARIANT { word.end } else { word.start };
        let place = Span { start: word.start, end };
        let check = Stmt { labels: Vec::new(), kind: StmtKind::Assert(claim, text), span };
        self.items.push(Item::Thread(ThreadDecl {
            name: Name { text: made, span: place },
            binder: None,
            count: None,
            entry: Entry::Body(vec![check]),
            span,
            end: span,
        }));
        self.expect_semicolon()
    }

    /// Parses a number of threads. The `=` after it does not belong to an expression.
    fn count(&mut self) -> Parsed<Count> {
        if self.peek() == Token::Name && self.tokens.current_text() == "any" {
            return Ok(Count::Any(self.tokens.bump()));
        }
        if self.peek() == Token::OpenBrace {
            let hint = "`* 2` are two threads that are alike, `* any` any number of them";
            return Err(self.expected_with_hint(Wanted::Number, hint));
        }
        if self.peek() == Token::Star {
            let hint = "any number of threads is `* any`";
            return Err(self.expected_with_hint(Wanted::Number, hint));
        }
        Ok(Count::Number(self.sum()?))
    }

    /// `predicate p in worker: s == l;`
    pub(super) fn predicate(&mut self) -> Parsed<()> {
        let start = self.tokens.bump();
        let unnamed = self.peek() == Token::Colon || self.at_scope();
        let name = if unnamed { None } else { Some(self.name(Wanted::PredicateName)?) };
        let mut scope = None;
        if self.at_scope() {
            self.tokens.bump();
            scope = Some(self.name(Wanted::ScopeName)?);
        }
        self.expect(Token::Colon, if scope.is_none() { Wanted::InOrColon } else { Wanted::Colon })?;
        self.in_predicate = true;
        let expr = self.expr();
        self.in_predicate = false;
        let span = start.to(self.tokens.previous());
        self.items.push(Item::Predicate(PredicateDecl { name, scope, expr: expr?, span }));
        self.expect_semicolon()
    }

    /// Whether `in NAME` stands here.
    fn at_scope(&self) -> bool {
        self.peek() == Token::Name
            && self.tokens.current_text() == "in"
            && self.tokens.peek_at(1) == Token::Name
    }
}
