//! # `switch`
//! The labels of a `switch` are constants of its promoted type, and no two are the same (C11 6.8.4.2).

use std::collections::BTreeMap;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{INT, is_integer, wrap};
use crate::Diagnostic;
use crate::c::tree;
use crate::c::typed::{Stmt, StmtKind};
use crate::c::types::Type;

/// The labels of a `switch` so far.
#[derive(Debug)]
pub(super) struct Cases {
    /// The type of its value.
    ty: Type,
    /// Ranges by their first value: the last value, and where they stand.
    ranges: BTreeMap<i128, (i128, Span)>,
    /// The place of `default`, if there is one.
    default: Option<Span>,
}

impl Checker<'_> {
    /// `switch (value) body`
    pub fn switch(
        &mut self,
        value: &tree::Expr,
        body: &tree::Stmt,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let value = self.value(value).and_then(|value| {
            if is_integer(&self.promoted(&value.ty)) {
                return Some(self.promote(value));
            }
            let spelt = self.spell(&value.ty);
            self.advise(
                value.span,
                format!("`switch` needs an integer, not `{spelt}`"),
                "use `if` and `else`",
            );
            None
        });
        let ty = value.as_ref().map_or(INT, |value| value.ty.clone());
        if let Some(around) = &mut self.body {
            around.switches.push(Cases { ty, ranges: BTreeMap::new(), default: None });
        }
        let statements = self.body_of(body);
        if let Some(around) = &mut self.body {
            around.switches.pop();
        }
        if let Some(value) = value {
            out.push(Stmt { kind: StmtKind::Switch(value, statements), span });
        }
    }

    /// `case first:` or `case first ... last:`
    pub fn case(
        &mut self,
        first: &tree::Expr,
        last: Option<&tree::Expr>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let what = "a label of `switch`";
        let low = self.constant_int(first, what);
        let high = match last {
            Some(last) => self.constant_int(last, what),
            None => low,
        };
        let (Some(low), Some(high)) = (low, high) else { return };
        let Some(cases) = self.body.as_mut().and_then(|body| body.switches.last_mut()) else {
            self.error(span, "`case` stands in no `switch`");
            return;
        };
        let Type::Int { bits, signed, .. } = cases.ty else { return };
        let (low, high) = (wrap(low, bits, signed), wrap(high, bits, signed));
        if low > high {
            let problem = Diagnostic::warning(span, "this range of values is empty");
            self.problems.push(problem);
            return;
        }
        let before = cases.ranges.range(..=high).next_back().map(|(_, range)| *range);
        if let Some((_, earlier)) = before.filter(|(end, _)| *end >= low) {
            self.problems.push(
                Diagnostic::error(span, format!("there are two labels for {low}"))
                    .related(earlier, "the first one")
                    .hint("remove one of them"),
            );
            return;
        }
        cases.ranges.insert(low, (high, span));
        out.push(Stmt { kind: StmtKind::Case(low, high), span });
    }

    /// `default:`
    pub fn default_case(&mut self, span: Span, out: &mut Vec<Stmt>) {
        let Some(cases) = self.body.as_mut().and_then(|body| body.switches.last_mut()) else {
            self.error(span, "`default` stands in no `switch`");
            return;
        };
        if let Some(first) = cases.default.replace(span) {
            self.problems.push(
                Diagnostic::error(span, "there are two `default` labels")
                    .related(first, "the first one")
                    .hint("remove one of them"),
            );
            return;
        }
        out.push(Stmt { kind: StmtKind::Default, span });
    }
}
