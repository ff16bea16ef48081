//! Blocks and statements.

use rustc_hash::FxHashMap;
use selvedge_program::Span;

use super::Parser;
use crate::Diagnostic;
use crate::c::lexer::Token;
use crate::c::tree::{Attributes, Block, BlockItem, Expr, ExprKind, Name, Stmt, StmtKind};
use crate::cursor::Parsed;

/// A label in front of a statement.
enum Label {
    Name(Name),
    Case(Expr, Option<Expr>),
    Default,
}

impl Parser<'_> {
    /// `{ … }`, in a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let open = self.expect(Token::OpenBrace, "`{`")?;
        self.labels.push(FxHashMap::default());
        let block = self.scoped(|p| p.block_items(open));
        self.labels.pop();
        Ok(block)
    }

    fn block_items(&mut self, open: Span) -> Block {
        let mut items = Vec::new();
        let mut function_inside = None;
        loop {
            match self.peek() {
                Token::CloseBrace => {
                    let close = self.tokens.bump();
                    return Block { items, span: open.to(close) };
                }
                Token::End => {
                    self.unclosed(open, function_inside);
                    return Block { items, span: self.since(open) };
                }
                _ => {
                    let (first, at_margin) = (self.tokens.position(), self.tokens.at_margin());
                    if self.block_item(&mut items).is_err() {
                        self.skip_statement(first);
                        if self.tokens.position() == first
                            && !matches!(self.peek(), Token::CloseBrace | Token::End)
                        {
                            self.tokens.bump();
                        }
                    }
                    if at_margin
                        && function_inside.is_none()
                        && let Some(BlockItem::Function(function)) = items.last()
                    {
                        function_inside = Some(function.declarator.span);
                    }
                }
            }
        }
    }

    fn unclosed(&mut self, open: Span, function_inside: Option<Span>) {
        let error = Diagnostic::error(self.tokens.span(), "write `}` before the end of the file");
        let mut error = error.related(open, "this block is not closed");
        if let Some(function) = function_inside {
            error = error.related(function, "is the `}` missing before this function?");
        }
        self.tokens.unexpected(error.hint("add the missing `}`"));
    }

    fn block_item(&mut self, items: &mut Vec<BlockItem>) -> Parsed<()> {
        match self.peek() {
            Token::LocalLabel => self.local_labels(),
            Token::StaticAssert => self.static_assert(),
            _ if self.at_declaration() => {
                let item = self.nested(Self::declaration)?;
                items.push(item);
                Ok(())
            }
            _ => {
                let stmt = self.statement()?;
                items.push(BlockItem::Stmt(stmt));
                Ok(())
            }
        }
    }

    /// `__label__ a, b;`: these labels are seen in this block only, so the tree has other names for them.
    fn local_labels(&mut self) -> Parsed<()> {
        self.tokens.bump();
        let names = self.list(Self::label_name)?;
        for Name { text, span } in names {
            if let Some(labels) = self.labels.last_mut() {
                labels.insert(text.clone(), format!("{text}@{}", span.start).into());
            }
        }
        self.semicolon("a declaration")
    }

    fn label_name(&mut self) -> Parsed<Name> {
        if self.peek() == Token::Name {
            Ok(self.take_name())
        } else {
            Err(self.expected("the name of a label"))
        }
    }

    /// The name that a label has in the tree.
    fn resolved(&self, name: Name) -> Name {
        let local = self.labels.iter().rev().find_map(|labels| labels.get(&name.text));
        Name { text: local.cloned().unwrap_or(name.text), span: name.span }
    }

    /// A statement with its labels.
    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        self.nested(|p| {
            let mut labels = Vec::new();
            while let Some(label) = p.label()? {
                labels.push(label);
            }
            // A label may stand at the end of a block, and before a declaration, which is no part of the statement then.
            let needs_none =
                !labels.is_empty() && (p.peek() == Token::CloseBrace || p.at_declaration());
            let mut stmt = match needs_none {
                true => Stmt { kind: StmtKind::Expr(None), span: p.tokens.after_previous() },
                false => p.unlabelled()?,
            };
            for (label, start) in labels.into_iter().rev() {
                p.taller()?;
                let span = start.to(stmt.span);
                let body = Box::new(stmt);
                let kind = match label {
                    Label::Name(name) => StmtKind::Label(name, body),
                    Label::Case(from, to) => StmtKind::Case(from, to, body),
                    Label::Default => StmtKind::Default(body),
                };
                stmt = Stmt { kind, span };
            }
            Ok(stmt)
        })
    }

    fn label(&mut self) -> Parsed<Option<(Label, Span)>> {
        let start = self.tokens.span();
        let label = match self.peek() {
            Token::Case => {
                self.tokens.bump();
                let from = self.nested(Self::conditional)?;
                let to = if self.eat(Token::Dots) {
                    Some(self.nested(Self::conditional)?)
                } else {
                    None
                };
                self.expect(Token::Colon, "`:` after the case")?;
                Label::Case(from, to)
            }
            Token::Default if self.peek_at(1) == Token::Colon => {
                self.tokens.bump();
                self.tokens.bump();
                Label::Default
            }
            Token::Name if self.peek_at(1) == Token::Colon => {
                let name = self.take_name();
                self.tokens.bump();
                Label::Name(self.resolved(name))
            }
            _ => return Ok(None),
        };
        // Attributes of the label; those of a declaration after it are left to that.
        if self.at_attribute(0) && !self.at_declaration() {
            self.attributes(&mut Attributes::default())?;
        }
        Ok(Some((label, start)))
    }

    /// A statement after its labels. There is one frame of this function on the stack for each level of nesting, so it only tells the
    /// constructs apart.
    fn unlabelled(&mut self) -> Parsed<Stmt> {
        if self.at_attribute(0) {
            self.attributes(&mut Attributes::default())?;
        }
        let start = self.tokens.span();
        let kind = match self.peek() {
            Token::OpenBrace => StmtKind::Block(self.block()?),
            Token::If => self.if_statement()?,
            Token::While => self.while_statement()?,
            Token::Do => self.do_statement()?,
            Token::For => self.scoped(Self::for_statement)?,
            Token::Switch => self.switch_statement()?,
            _ => self.simple_statement()?,
        };
        Ok(Stmt { kind, span: self.since(start) })
    }

    /// `if` with all its `else if`.
    fn if_statement(&mut self) -> Parsed<StmtKind> {
        let mut links = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.tokens.bump();
            let cond = self.condition("if")?;
            links.push((start, cond, self.statement()?));
            if !self.eat(Token::Else) {
                break;
            }
            if self.peek() != Token::If {
                otherwise = Some(Box::new(self.statement()?));
                break;
            }
        }
        let end = self.tokens.previous();
        let mut innermost = None;
        for (start, cond, then) in links.into_iter().rev() {
            self.taller()?;
            if let Some(inner) = innermost.take() {
                otherwise = Some(Box::new(inner));
            }
            let kind = StmtKind::If(cond, Box::new(then), otherwise.take());
            innermost = Some(Stmt { kind, span: start.to(end) });
        }
        Ok(innermost.map_or(StmtKind::Expr(None), |stmt| stmt.kind))
    }

    fn while_statement(&mut self) -> Parsed<StmtKind> {
        self.tokens.bump();
        let cond = self.condition("while")?;
        Ok(StmtKind::While(cond, Box::new(self.statement()?)))
    }

    fn do_statement(&mut self) -> Parsed<StmtKind> {
        self.tokens.bump();
        let body = Box::new(self.statement()?);
        if self.peek() != Token::While {
            return Err(self.expected("`while` after the body of `do`"));
        }
        self.tokens.bump();
        let cond = self.condition("while")?;
        self.semicolon("`do … while (…)`")?;
        Ok(StmtKind::DoWhile(body, cond))
    }

    fn switch_statement(&mut self) -> Parsed<StmtKind> {
        self.tokens.bump();
        let value = self.condition("switch")?;
        Ok(StmtKind::Switch(value, Box::new(self.statement()?)))
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.tokens.bump();
        let open = self.expect(Token::OpenParen, "`(` after `for`")?;
        let init = match self.peek() {
            Token::Semicolon => {
                self.tokens.bump();
                None
            }
            _ if self.at_declaration() => Some(Box::new(self.nested(Self::declaration)?)),
            _ => {
                let start = self.tokens.span();
                let kind = StmtKind::Expr(Some(self.expression()?));
                self.for_semicolon()?;
                Some(Box::new(BlockItem::Stmt(Stmt { kind, span: self.since(start) })))
            }
        };
        let cond = if self.peek() == Token::Semicolon { None } else { Some(self.expression()?) };
        self.for_semicolon()?;
        let step = if self.peek() == Token::CloseParen { None } else { Some(self.expression()?) };
        self.close(Token::CloseParen, open)?;
        Ok(StmtKind::For { init, cond, step, body: Box::new(self.statement()?) })
    }

    fn for_semicolon(&mut self) -> Parsed<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        Err(self
            .expected_with_hint("`;`", Some("a loop is written `for (start; condition; step)`")))
    }

    /// Parses the parentheses after `if`, `while` or `switch`. After a mistake, goes on behind them.
    fn condition(&mut self, word: &str) -> Parsed<Expr> {
        let hint = format!("write `{word} (…)`");
        if self.peek() != Token::OpenParen {
            return Err(self.expected_with_hint(&format!("`(` after `{word}`"), Some(&hint)));
        }
        let open = self.tokens.bump();
        let read =
            self.expression().and_then(|cond| self.close(Token::CloseParen, open).map(|_| cond));
        match read {
            Err(_) if self.skip_to_paren() => {
                Ok(Expr { kind: ExprKind::Unsupported("a mistake"), span: open })
            }
            read => read,
        }
    }

    /// Skips to behind the `)` of a condition, if there is one before the statement ends.
    fn skip_to_paren(&mut self) -> bool {
        let mut open = 1u32;
        loop {
            match self.peek() {
                Token::OpenParen => open += 1,
                Token::CloseParen => open -= 1,
                Token::Semicolon | Token::OpenBrace | Token::CloseBrace | Token::End => {
                    return false;
                }
                _ => {}
            }
            self.tokens.bump();
            if open == 0 {
                return true;
            }
        }
    }

    /// A statement that contains no other.
    fn simple_statement(&mut self) -> Parsed<StmtKind> {
        let kind = match self.peek() {
            Token::Semicolon => {
                self.tokens.bump();
                return Ok(StmtKind::Expr(None));
            }
            Token::Asm => {
                self.tokens.bump();
                return self.assembly().map(StmtKind::Asm);
            }
            Token::Else => {
                let error = Diagnostic::error(self.tokens.span(), "this `else` belongs to no `if`");
                self.tokens.unexpected(
                    error.hint("before `else` stands one statement, or one block in braces"),
                );
                self.tokens.bump();
                return self.statement().map(|stmt| stmt.kind);
            }
            Token::Goto => {
                self.tokens.bump();
                if self.eat(Token::Star) {
                    StmtKind::GotoComputed(self.expression()?)
                } else {
                    let name = self.label_name()?;
                    StmtKind::Goto(self.resolved(name))
                }
            }
            Token::Break => {
                self.tokens.bump();
                StmtKind::Break
            }
            Token::Continue => {
                self.tokens.bump();
                StmtKind::Continue
            }
            Token::Return => {
                self.tokens.bump();
                let is_empty = matches!(self.peek(), Token::Semicolon | Token::CloseBrace);
                StmtKind::Return(if is_empty { None } else { Some(self.expression()?) })
            }
            _ => StmtKind::Expr(Some(self.expression()?)),
        };
        self.semicolon("a statement")?;
        Ok(kind)
    }
}
