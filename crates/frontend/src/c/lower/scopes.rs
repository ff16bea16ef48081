//! # Variables of blocks
//!
//! **Question.** A jump into a block passes over declarations. What do their variables hold?
//!
//! **Idea.** A variable is there from the beginning of its block, and holds nothing of what it held in an earlier run through it (C11, 6.2.4p6). A declaration
//! that is reached says so itself. Those that a label, a case or a jump into the block may pass over are forgotten when the block is entered: where it
//! begins, before the `switch` looks for its case, and before the jump.

use selvedge_program::Span;

use super::function::Fun;
use super::points::Target;
use super::statements::any_statement;
use super::varying::varying_site;
use super::visit::each_declared;
use crate::c::typed::{LabelId, LocalId, Stmt, StmtKind};

impl<'u> Fun<'_, 'u> {
    /// The statements of a block inside of a function, whose variables are there until it ends.
    pub(super) fn scope(&mut self, block: &'u [Stmt]) {
        let kept = self.kept_after(block);
        let leaves = any_statement(block, &|kind| {
            matches!(kind, StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_))
        });
        let reason = "a variable of a block, whose address may be kept when the block ends";
        if let (Some(span), true) = (kept, leaves) {
            self.limit(span, reason.to_owned());
        }
        self.forget_passed_over(block, &|kind| matches!(kind, StmtKind::Label(_)));
        self.statements(block);
        if let (Some(span), false) = (kept, leaves) {
            self.limit(span, reason.to_owned());
        }
    }

    /// Where a variable is declared whose address may be kept when its block ends; what such a pointer leads to is no matter where memory is not asked about.
    fn kept_after(&self, block: &[Stmt]) -> Option<Span> {
        if !self.lower.options.memory {
            return None;
        }
        let mut inside = std::collections::BTreeSet::new();
        each_declared(block, &mut |local, _| _ = inside.insert(local));
        block.iter().find_map(|statement| match &statement.kind {
            StmtKind::Declare(local, parts) => {
                let points = &self.lower.points;
                let is_addressed = points.addressed.contains(&(self.id, *local));
                let own = is_addressed.then_some(Target::Local(self.id, *local));
                let room = parts.iter().flatten().find_map(|part| varying_site(&part.value));
                let targets = own.into_iter().chain(room.map(Target::Heap));
                let mut targets = targets.map(|t| points.outlives_block(self.id, t, &inside));
                targets.any(|is_kept| is_kept).then_some(statement.span)
            }
            _ => None,
        })
    }

    /// Forgets the variables of a block that is entered whose declarations stand before such a place.
    pub(super) fn forget_passed_over(
        &mut self,
        block: &'u [Stmt],
        is_place: &dyn Fn(&StmtKind) -> bool,
    ) {
        let mut found = Vec::new();
        passed_over(block, is_place, &mut found);
        self.forget(found);
    }

    /// Forgets the variables of blocks that a jump to a label enters.
    pub(super) fn forget_entered(&mut self, jump: &Stmt, label: LabelId) {
        let function = &self.lower.unit.functions[self.id.index()];
        let mut found = Vec::new();
        entered(function.body.as_deref().unwrap_or_default(), jump, label, &mut found);
        self.forget(found);
    }

    fn forget(&mut self, variables: Vec<(LocalId, Span)>) {
        for (local, span) in variables {
            self.declare(local, None, span);
        }
    }
}

/// The variables of a block, and of blocks inside of it, that are declared before the last such place there.
fn passed_over(
    block: &[Stmt],
    is_place: &dyn Fn(&StmtKind) -> bool,
    found: &mut Vec<(LocalId, Span)>,
) {
    let leads = |statement: &Stmt| any_statement(std::slice::from_ref(statement), is_place);
    let Some(last) = block.iter().rposition(leads) else { return };
    for statement in &block[..=last] {
        match &statement.kind {
            StmtKind::Declare(local, _) => found.push((*local, statement.span)),
            _ => blocks(statement).iter().for_each(|block| passed_over(block, is_place, found)),
        }
    }
}

/// The variables that are declared before a label in those of these blocks that have the label, but not the jump.
fn entered(block: &[Stmt], jump: &Stmt, label: LabelId, found: &mut Vec<(LocalId, Span)>) {
    let is_label = |kind: &StmtKind| matches!(kind, StmtKind::Label(other) if *other == label);
    let is_jump = |kind: &StmtKind| std::ptr::eq(kind, &raw const jump.kind);
    if !any_statement(block, &is_jump) {
        return passed_over(block, &is_label, found);
    }
    for inner in block.iter().flat_map(blocks) {
        entered(inner, jump, label, found);
    }
}

/// The blocks of a statement.
fn blocks(statement: &Stmt) -> Vec<&[Stmt]> {
    match &statement.kind {
        StmtKind::Block(body)
        | StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::For { body, .. }
        | StmtKind::Switch(_, body) => vec![body],
        StmtKind::If(_, a, b) => vec![a, b],
        _ => Vec::new(),
    }
}
