//! Where the functions and statements of a text in C stand.

use selvedge_program::{Outline, Span, StatementKind};

use super::parse::parse;
use super::tree::{Binary, Block, BlockItem, Expr, ExprKind, Item, Stmt, StmtKind};

/// The outline of a preprocessed text. Statements inside of expressions (`({ … })`) belong to the statement around them.
#[must_use]
pub fn outline(text: &str) -> Outline {
    let (unit, _) = parse(text);
    let mut outline = Outline::default();
    for item in &unit.items {
        if let Item::Function(function) = item {
            let name = function.declarator.name.as_ref().map_or("", |name| &name.text);
            outline.add_function(function.span, name);
            block(&function.body, &mut outline);
        }
    }
    outline
}

fn block(block: &Block, outline: &mut Outline) {
    for item in &block.items {
        match item {
            BlockItem::Declaration(declaration) => {
                outline.add_statement(declaration.span, StatementKind::Plain, None);
            }
            BlockItem::Stmt(stmt) => statement(stmt, outline),
            // Its statements are not those of the block.
            BlockItem::Function(_) => {}
        }
    }
}

fn statement(stmt: &Stmt, outline: &mut Outline) {
    let mut add = |kind, condition| outline.add_statement(stmt.span, kind, condition);
    match &stmt.kind {
        StmtKind::Block(inner) => block(inner, outline),
        StmtKind::Case(_, _, inner) | StmtKind::Default(inner) | StmtKind::Label(_, inner) => {
            statement(inner, outline);
        }
        StmtKind::If(_, yes, no) => {
            add(StatementKind::Branch, None);
            statement(yes, outline);
            no.iter().for_each(|no| statement(no, outline));
        }
        StmtKind::While(cond, body) => {
            add(StatementKind::Loop, single(cond));
            statement(body, outline);
        }
        StmtKind::For { cond, body, .. } => {
            add(StatementKind::Loop, cond.as_ref().and_then(single));
            statement(body, outline);
        }
        StmtKind::DoWhile(body, _) | StmtKind::Switch(_, body) => {
            add(StatementKind::Other, None);
            statement(body, outline);
        }
        _ => add(StatementKind::Plain, None),
    }
}

/// Where a condition stands that is one test.
fn single(cond: &Expr) -> Option<Span> {
    let is_single = match &cond.kind {
        ExprKind::Name(_) | ExprKind::Integer { .. } => true,
        ExprKind::Binary(op, left, right) => {
            let compares = matches!(
                op,
                Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne
            );
            // What may be undefined is tested, too.
            (compares || matches!(op, Binary::Add | Binary::Sub))
                && single(left).is_some()
                && single(right).is_some()
        }
        _ => false,
    };
    is_single.then_some(cond.span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_statement_is_found() {
        let text = "int g; void f(void) { L: g = 1; if (g) { while (g) g--; } int x = g; do ; while (x); }\nint main(void) { for (; g < 3;) ; while (g && g) ; return g; }";
        let outline = outline(text);
        let check = |place: &str, start: &str, kind| {
            let offset = text.find(place).unwrap() as u32;
            let found = outline.statement_at(offset).unwrap();
            assert_eq!(found.kind, kind, "{place}");
            assert!(text[found.span.start as usize..].starts_with(start), "{place}");
        };
        check("= 1", "g = 1", StatementKind::Plain);
        check("(g) {", "if (g)", StatementKind::Branch);
        check("(g) g", "while (g)", StatementKind::Loop);
        check("g--", "g--", StatementKind::Plain);
        check("= g;", "int x", StatementKind::Plain);
        check("(x)", "do ;", StatementKind::Other);
        check("g; }", "return g", StatementKind::Plain);
        let condition = |place: &str| {
            let offset = text.find(place).unwrap() as u32;
            let span = outline.statement_at(offset).unwrap().condition?;
            Some(&text[span.start as usize..span.end as usize])
        };
        assert_eq!(condition("while (g)"), Some("g"));
        assert_eq!(condition("if (g)"), None);
        assert_eq!(condition("for (;"), Some("g < 3"));
        assert_eq!(condition("while (g &&"), None);
        assert_eq!(outline.statement_at(2), None);
        assert_eq!(outline.function_at(text.find("g--").unwrap() as u32), Some("f"));
        assert_eq!(outline.function_at(text.len() as u32 - 3), Some("main"));
        assert_eq!(outline.function_at(0), None);
    }
}
