//! # Loops and jumps
//! A jump that leaves an atomic section ends it first. `break` and `continue` are jumps to labels
//! that the loop gets for them.

use super::NotBoolean;
use super::body::{Body, Section};
use super::walk::any_of_loop;
use crate::{Block, Cond, Expr, ExprKind, LabelId, Stmt, StmtKind, VarRef};

/// A loop that is being printed.
pub(super) struct Loop {
    /// The label before its test.
    pub(super) again: String,
    /// The label after it.
    pub(super) after: String,
    /// Whether it is inside the atomic section, if there is one.
    in_section: bool,
}

impl Body<'_> {
    /// `while`
    pub(super) fn repeat(
        &mut self,
        statement: &Stmt,
        cond: &Cond,
        body: &Block,
    ) -> Result<(), NotBoolean> {
        let has = |test: &dyn Fn(&StmtKind) -> bool| any_of_loop(body, test);
        let breaks = has(&|kind| matches!(kind, StmtKind::Break));
        let continues = has(&|kind| matches!(kind, StmtKind::Continue));
        let jumps_back = continues || matches!(cond, Cond::Attempt { .. });
        let mut again = String::new();
        if let Some(&label) = statement.labels.first() {
            again = self.names.label(self.proc, label).to_owned();
        } else if jumps_back {
            again = self.more_labels.pick("again");
            self.waiting.push(again.clone());
        }
        let after = if breaks { self.more_labels.pick("after") } else { String::new() };
        let in_section = !matches!(self.section, Section::None);
        self.loops.push(Loop { again, after: after.clone(), in_section });
        match cond {
            Cond::Expr(test) => {
                let test = self.expressions.expr(test)?;
                self.line(&format!("while {test} do"));
                self.block(body)?;
                self.line("od;");
            }
            Cond::Attempt { op, negated } => {
                self.begin_attempt(op)?;
                if !negated {
                    self.body_of_attempt(body)?;
                }
                self.otherwise_attempt();
                if *negated {
                    self.body_of_attempt(body)?;
                }
                self.line("fi;");
            }
        }
        self.loops.pop();
        if breaks {
            self.waiting.push(after);
        }
        Ok(())
    }

    fn body_of_attempt(&mut self, body: &Block) -> Result<(), NotBoolean> {
        self.block(body)?;
        self.begin_block();
        if let Some(again) = self.loops.last().map(|l| l.again.clone()) {
            self.line(&format!("goto {again};"));
        }
        self.end_block();
        Ok(())
    }

    /// `break` and `continue`
    pub(super) fn leave_loop(&mut self, to: fn(&Loop) -> &String) {
        let Some(innermost) = self.loops.last() else { return };
        let label = to(innermost).clone();
        if !innermost.in_section {
            self.end_own_section();
        }
        self.line(&format!("goto {label};"));
    }

    /// `goto`
    pub(super) fn goto(&mut self, labels: &[LabelId]) {
        let leaves = |label: &LabelId| match &self.section {
            Section::Here(inside) => !inside.contains(label),
            _ => false,
        };
        let all: Vec<(String, bool)> = labels
            .iter()
            .map(|l| (self.names.label(self.proc, *l).to_owned(), leaves(l)))
            .collect();
        if !all.iter().any(|(_, leaves)| *leaves) {
            let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
            self.line(&format!("goto {};", names.join(", ")));
            return;
        }
        for (index, (name, leaves)) in all.iter().enumerate() {
            let end = if *leaves { "atomic_end; " } else { "" };
            if index + 1 < all.len() {
                self.line(&format!("if * then {end}goto {name}; fi;"));
            } else {
                self.line(&format!("{end}goto {name};"));
            }
        }
    }

    /// `return`. In an atomic section the results are computed before it ends.
    pub(super) fn give_back(&mut self, values: &[Expr]) -> Result<(), NotBoolean> {
        let mut results = self.expressions.exprs(values)?;
        if matches!(self.section, Section::Here(_)) && !values.iter().all(is_private) {
            let fresh: Vec<String> =
                values.iter().map(|_| self.more_locals.pick("result")).collect();
            self.line(&format!("{} := {results};", fresh.join(", ")));
            results = fresh.join(", ");
            self.temporaries.extend(fresh);
        }
        self.end_own_section();
        let space = if results.is_empty() { "" } else { " " };
        self.line(&format!("return{space}{results};"));
        Ok(())
    }

    /// Ends the atomic section that began in this procedure, if there is one.
    pub(super) fn end_own_section(&mut self) {
        if matches!(self.section, Section::Here(_)) {
            self.line("atomic_end;");
        }
    }
}

/// Whether no other thread can change the value.
fn is_private(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Any | ExprKind::Fair => true,
        ExprKind::Read(place) => matches!(place.var, VarRef::Local(_)),
        _ => false,
    }
}
