//! # Fair choices
//! A `fair *` that a thread evaluates in the period comes out both ways there. Each outcome is noted,
//! and at the end of the period both or none must have been. The choice is made before the statement
//! in which it stands:
//!
//! ```text
//! choice := *;
//! if (k >= 1) fair_true[0], fair_false[0] := fair_true[0] || choice, fair_false[0] || !choice;
//! if (choice) …
//! ```
//!
//! In the midst of an expression it may not be evaluated at all, as in `a && fair *`: then nothing is
//! noted. All other choices of such a statement are made before, too, since they may decide about that.
//!
//! An index that is chosen is made before as well where a thread acts in two rounds at once: the element that is read has to be the same in both.

use super::super::body::{Body, silent};
use super::{Lasso, element_of};
use crate::explicit::{all, interval, temporary};
use crate::make::{self, assign, binary, branch, equal, not, read, stmt};
use crate::visit;
use crate::{
    BinaryOp, Block, Expr, ExprKind, GlobalId, Place, Program, Span, StmtKind, Type, VarRef,
    Variable, walk,
};

/// The fair choices of a program, by their places in the text.
pub(super) fn find(program: &Program) -> Vec<u32> {
    let mut places = Vec::new();
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s| {
            let mut kind = s.kind.clone();
            for e in visit::step_exprs_mut(&mut kind) {
                visit::change(e, &mut |part| {
                    if let ExprKind::Fair = part.kind {
                        places.push(part.span.start);
                    }
                });
            }
        });
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// A fair choice that is made before a statement.
struct Made {
    /// Its place in the text.
    place: u32,
    choice: Place,
    /// When it is evaluated.
    when: Vec<Expr>,
}

/// Puts variables in the place of choices.
struct Maker<'a> {
    locals: &'a mut Vec<Variable>,
    before: Vec<(Place, Expr)>,
    made: Vec<Made>,
}

impl Maker<'_> {
    fn replace(&mut self, e: &mut Expr, when: &[Expr]) {
        let with = |more: Expr| [when, &[more]].concat();
        match &mut e.kind {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Implies | BinaryOp::Or), a, b) => {
                self.replace(a, when);
                let left = (**a).clone();
                let left = if *op == BinaryOp::Or { not(left) } else { left };
                self.replace(b, &with(left));
            }
            ExprKind::IfThenElse(c, a, b) => {
                self.replace(c, when);
                let holds = (**c).clone();
                self.replace(a, &with(holds.clone()));
                self.replace(b, &with(not(holds)));
            }
            _ => {
                for operand in visit::operands_mut(e) {
                    self.replace(operand, when);
                }
            }
        }
        if !visit::is_choice(&e.kind) {
            return;
        }
        if visit::any_part(e, &|part| matches!(part.kind, ExprKind::Primed(_))) {
            return; // the new values are not known before
        }
        // A variable has to have finitely many values.
        let ty = match interval(e) {
            Some((lo, hi)) if e.ty == Type::Int => make::range(lo, hi),
            _ => e.ty.clone(),
        };
        let choice = temporary(self.locals, "choice", &ty);
        let chosen = match e.kind {
            ExprKind::Fair => make::any(&Type::Bool),
            _ => e.clone(),
        };
        self.before.push((choice.clone(), chosen));
        if let ExprKind::Fair = e.kind {
            let (place, choice) = (e.span.start, choice.clone());
            self.made.push(Made { place, choice, when: when.to_vec() });
        }
        *e = read(choice);
    }
}

impl Body<'_> {
    /// Makes the choices of a statement before it, if one is fair or is an index of what others write: what comes before, and the
    /// statement; `None` if there are none to look after.
    pub fn choose_before(&mut self, kind: &StmtKind, span: Span) -> Option<(Block, StmtKind)> {
        let shared = self.around.shared;
        let lasso = shared.lasso.as_ref()?;
        let repeats = self.repeats();
        let matters = |part: &Expr| match &part.kind {
            ExprKind::Fair => lasso.fair_true.is_some(),
            ExprKind::Read(place) => {
                repeats && shared.is_shared(place) && place.indices.iter().any(Expr::chooses)
            }
            _ => false,
        };
        let mut kind = kind.clone();
        if !visit::step_exprs_mut(&mut kind).iter().any(|e| visit::any_part(e, &matters)) {
            return None;
        }
        let mut maker = Maker { locals: &mut self.locals, before: Vec::new(), made: Vec::new() };
        for e in visit::step_exprs_mut(&mut kind) {
            maker.replace(e, &[]);
        }
        let Maker { before, made, .. } = maker;
        let mark = silent(span);
        let mut out = Vec::new();
        for (place, chosen) in before {
            out.extend(self.agree([&chosen], span));
            out.push(assign(vec![(place, shared.expr(&chosen))], mark));
        }
        for Made { place, choice, when } in made {
            out.extend(self.agree(&when, span));
            out.extend(lasso.note(shared, place, &choice, &when, mark));
        }
        Some((out, kind))
    }
}

impl Lasso {
    /// Records an outcome.
    fn note(
        &self,
        shared: &super::Shared,
        place: u32,
        choice: &Place,
        when: &[Expr],
        mark: Span,
    ) -> Option<crate::Stmt> {
        let index = self.fair.iter().position(|known| *known == place)? as u32;
        let element = |id: GlobalId| element_of(VarRef::Global(id), &Type::Bool, &[index]);
        let (yes, no) = (element(self.fair_true?), element(self.fair_false?));
        let ever = |flag: &Place, now: Expr| binary(BinaryOp::Or, read(flag.clone()), now);
        let noted = vec![
            (yes.clone(), ever(&yes, read(choice.clone()))),
            (no.clone(), ever(&no, not(read(choice.clone())))),
        ];
        let late = binary(BinaryOp::Ge, read(shared.round()?), self.from(shared));
        let cond = all([late].into_iter().chain(when.iter().map(|e| shared.expr(e))))?;
        Some(branch(cond, vec![assign(noted, mark)], Vec::new(), mark))
    }

    /// Requires that every fair choice came out both ways, or was not made.
    pub(super) fn both_ways(&self, mark: Span) -> Block {
        let (Some(yes), Some(no)) = (self.fair_true, self.fair_false) else { return Vec::new() };
        let element =
            |id: GlobalId, index: u32| read(element_of(VarRef::Global(id), &Type::Bool, &[index]));
        let each = (0..self.fair.len() as u32).map(|index| {
            let same = equal(element(yes, index), element(no, index));
            stmt(StmtKind::Assume(same), mark)
        });
        each.collect()
    }
}
