//! # Statements
//! Blocks with their scopes, loops, jumps (C11 6.8).

use selvedge_program::Span;

use super::Checker;
use super::conversions::unsupported;
use crate::c::tree::{self, Block, BlockItem, StmtKind as Written};
use crate::c::typed::{Expr, ExprKind, Stmt, StmtKind};
use crate::c::types::Type;

impl Checker<'_> {
    /// Checks the parts of a block, in the scope that is there.
    pub fn items(&mut self, items: &[BlockItem], out: &mut Vec<Stmt>) {
        for item in items {
            self.item(item, out);
        }
    }

    fn item(&mut self, item: &BlockItem, out: &mut Vec<Stmt>) {
        match item {
            BlockItem::Declaration(declaration) => self.block_declaration(declaration, out),
            BlockItem::Function(function) => self.nested_function(function, out),
            BlockItem::Stmt(stmt) => self.statement(stmt, out),
        }
    }

    /// The statements of a body, without the braces around them.
    pub fn body_of(&mut self, stmt: &tree::Stmt) -> Vec<Stmt> {
        let mut out = Vec::new();
        match &stmt.kind {
            Written::Block(block) => self.scoped(|c| c.items(&block.items, &mut out)),
            _ => self.scoped(|c| c.statement(stmt, &mut out)),
        }
        out
    }

    fn loop_body(&mut self, stmt: &tree::Stmt) -> Vec<Stmt> {
        if let Some(body) = &mut self.body {
            body.loops += 1;
        }
        let statements = self.body_of(stmt);
        if let Some(body) = &mut self.body {
            body.loops -= 1;
        }
        statements
    }

    fn condition_of(&mut self, expr: &tree::Expr) -> Option<Expr> {
        self.doubt_condition(expr);
        let value = self.value(expr)?;
        self.condition(value)
    }

    /// Checks a statement. Labels before it are followed in a loop, since there may be many.
    fn statement(&mut self, stmt: &tree::Stmt, out: &mut Vec<Stmt>) {
        let mut stmt = stmt;
        loop {
            match &stmt.kind {
                Written::Case(first, last, inner) => {
                    let end = last.as_ref().map_or(first.span, |last| last.span);
                    self.case(first, last.as_ref(), up_to(stmt.span, end), out);
                    stmt = inner;
                }
                Written::Default(inner) => {
                    self.default_case(before(stmt.span, inner.span), out);
                    stmt = inner;
                }
                Written::Label(name, inner) => {
                    if let Some(id) = self.label(name, true) {
                        out.push(Stmt { kind: StmtKind::Label(id), span: name.span });
                    }
                    stmt = inner;
                }
                _ => break,
            }
        }
        if self.depth >= super::DEEPEST {
            self.advise(stmt.span, "statements are nested too deeply", "move a part to a function");
            return;
        }
        self.depth += 1;
        self.plain_statement(stmt, out);
        self.depth -= 1;
    }

    fn plain_statement(&mut self, stmt: &tree::Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let kind = match &stmt.kind {
            Written::Expr(None) => return,
            Written::Expr(Some(expr)) => match self.value(expr) {
                Some(value) => {
                    self.doubt_statement(expr);
                    StmtKind::Expr(value)
                }
                None => return,
            },
            Written::Block(block) => {
                let mut inner = Vec::new();
                self.scoped(|c| c.items(&block.items, &mut inner));
                StmtKind::Block(inner)
            }
            Written::If(condition, then, otherwise) => {
                let value = self.condition_of(condition);
                let then = self.body_of(then);
                let otherwise = otherwise.as_ref().map(|stmt| self.body_of(stmt));
                let Some(value) = value else { return };
                let kind = StmtKind::If(value, then, otherwise.unwrap_or_default());
                out.push(Stmt { kind, span: up_to(span, condition.span) });
                return;
            }
            Written::While(condition, body) => {
                let value = self.condition_of(condition);
                let body = self.loop_body(body);
                let Some(value) = value else { return };
                let span = up_to(span, condition.span);
                out.push(Stmt { kind: StmtKind::While(value, body), span });
                return;
            }
            Written::DoWhile(body, condition) => {
                let body = self.loop_body(body);
                match self.condition_of(condition) {
                    Some(value) => StmtKind::DoWhile(body, value),
                    None => return,
                }
            }
            Written::For { init, cond, step, body } => {
                let mut all = Vec::new();
                self.scoped(|c| {
                    if let Some(init) = init {
                        c.item(init, &mut all);
                    }
                    let cond = cond.as_ref().map(|cond| c.condition_of(cond));
                    let step = step.as_ref().map(|step| c.value(step));
                    let body_statements = c.loop_body(body);
                    // What is wrong was reported.
                    let (Some(cond), Some(step)) = (whole(cond), whole(step)) else { return };
                    let kind = StmtKind::For { cond, step, body: body_statements };
                    all.push(Stmt { kind, span: before(span, body.span) });
                });
                StmtKind::Block(all)
            }
            Written::Switch(value, body) => {
                self.switch(value, body, up_to(span, value.span), out);
                return;
            }
            // Labels were followed before.
            Written::Case(..) | Written::Default(_) | Written::Label(..) => return,
            Written::Goto(name) => match self.label(name, false) {
                Some(id) => StmtKind::Goto(id),
                None => return,
            },
            Written::GotoComputed(target) => {
                self.value(target);
                StmtKind::Expr(unsupported("`goto` to a computed place", Type::Void, span))
            }
            Written::Break => {
                let body = self.body.as_ref();
                if body.is_none_or(|body| body.loops == 0 && body.switches.is_empty()) {
                    self.error(span, "`break` stands in no loop and no `switch`");
                    return;
                }
                StmtKind::Break
            }
            Written::Continue => {
                if self.body.as_ref().is_none_or(|body| body.loops == 0) {
                    self.error(span, "`continue` stands in no loop");
                    return;
                }
                StmtKind::Continue
            }
            Written::Return(value) => {
                self.return_statement(value.as_ref(), span, out);
                return;
            }
            Written::Asm(asm) => {
                for expr in asm.outputs.iter().chain(&asm.inputs) {
                    self.value(expr);
                }
                let is_barrier = asm.template.trim().is_empty() && asm.outputs.is_empty();
                StmtKind::Asm { is_barrier }
            }
        };
        out.push(Stmt { kind, span });
    }

    fn return_statement(&mut self, value: Option<&tree::Expr>, span: Span, out: &mut Vec<Stmt>) {
        let result = self.body.as_ref().map_or(Type::Void, |body| body.result.clone());
        let mut returned = None;
        if let Some(expr) = value {
            let Some(value) = self.value(expr) else { return };
            if result == Type::Void {
                self.doubt_return(Some(&value), &result, span);
                // The value is computed and dropped, as gcc does.
                out.push(Stmt { kind: StmtKind::Expr(value), span: expr.span });
            } else {
                match self.assigned(value, &result, "the result of the function") {
                    Some(value) => returned = Some(value),
                    None => return,
                }
            }
        } else {
            self.doubt_return(None, &result, span);
        }
        out.push(Stmt { kind: StmtKind::Return(returned), span });
    }

    /// `({ … })`
    pub fn statement_expression(&mut self, block: &Block, span: Span) -> Option<Expr> {
        if self.body.is_none() {
            self.error(span, "statements cannot stand outside of functions");
            return None;
        }
        let mut statements = Vec::new();
        let last = self.scoped(|c| {
            let (items, last) = match block.items.split_last() {
                Some((
                    BlockItem::Stmt(tree::Stmt { kind: Written::Expr(Some(last)), .. }),
                    rest,
                )) => (rest, Some(last)),
                _ => (block.items.as_slice(), None),
            };
            c.items(items, &mut statements);
            match last {
                Some(last) => c.value(last).map(Some),
                None => Some(None),
            }
        })?;
        let (last, ty) = match last {
            Some(value) if value.ty == Type::Void => {
                let span = value.span;
                statements.push(Stmt { kind: StmtKind::Expr(value), span });
                (None, Type::Void)
            }
            Some(value) => {
                let ty = value.ty.clone();
                (Some(Box::new(value)), ty)
            }
            None => (None, Type::Void),
        };
        Some(Expr { kind: ExprKind::Statement(statements, last), ty, span })
    }
}

/// Nothing if a part is there and wrong.
#[allow(clippy::option_option)]
fn whole(part: Option<Option<Expr>>) -> Option<Option<Expr>> {
    match part {
        Some(Some(value)) => Some(Some(value)),
        Some(None) => None,
        None => Some(None),
    }
}

/// From the start of a statement to the end of a part of it.
fn up_to(span: Span, part: Span) -> Span {
    Span { start: span.start, end: part.end.max(span.start) }
}

/// From the start of a statement to its body.
fn before(span: Span, body: Span) -> Span {
    Span { start: span.start, end: body.start.max(span.start) }
}
