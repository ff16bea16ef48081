//! # The body of a procedure
//! One statement a line. Labels wait until the next line is printed; a block that ends while
//! labels wait gets a `skip`.

use rustc_hash::FxHashSet;

use super::NotBoolean;
use super::expressions::Expressions;
use super::jumps::Loop;
use super::names::{Names, Unique};
use crate::{AtomicOp, Block, Cond, Expr, LabelId, Place, ProcId, Program, Stmt, StmtKind, walk};

/// Where a procedure is called from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// Anywhere but in an atomic section: it has its own.
    Open,
    /// In an atomic section: it has none of its own.
    Atomic,
}

/// The atomic section that is open where a statement is printed.
pub(super) enum Section {
    /// No section is open.
    None,
    /// One that began in this procedure, with the labels in it.
    Here(FxHashSet<LabelId>),
    /// One that began in a caller.
    Around,
}

/// The body of a procedure while it is printed.
pub(super) struct Body<'p> {
    /// The statements so far.
    pub(super) text: String,
    /// More local variables that they need.
    pub(super) temporaries: Vec<String>,
    pub(super) names: &'p Names,
    pub(super) proc: ProcId,
    pub(super) expressions: Expressions<'p>,
    pub(super) section: Section,
    pub(super) loops: Vec<Loop>,
    pub(super) more_labels: Unique,
    pub(super) more_locals: Unique,
    pub(super) waiting: Vec<String>,
    indent: usize,
}

impl<'p> Body<'p> {
    /// Prints the body of a procedure.
    pub(super) fn print(
        program: &'p Program,
        names: &'p Names,
        proc: ProcId,
        surroundings: Surroundings,
    ) -> Result<Self, NotBoolean> {
        let mut body = Body {
            text: String::new(),
            temporaries: Vec::new(),
            names,
            proc,
            expressions: Expressions { names, proc },
            section: match surroundings {
                Surroundings::Open => Section::None,
                Surroundings::Atomic => Section::Around,
            },
            loops: Vec::new(),
            more_labels: names.more_labels[proc.index()].clone(),
            more_locals: names.more_locals[proc.index()].clone(),
            waiting: Vec::new(),
            indent: 0,
        };
        body.block(&program.procs[proc.index()].body)?;
        Ok(body)
    }

    /// Prints a line, after the labels that wait for one.
    pub(super) fn line(&mut self, line: &str) {
        self.text += &"  ".repeat(self.indent);
        for label in self.waiting.drain(..) {
            self.text += &label;
            self.text += ": ";
        }
        self.text += line;
        self.text.push('\n');
    }

    /// A block, one level in.
    pub(super) fn block(&mut self, block: &Block) -> Result<(), NotBoolean> {
        self.begin_block();
        self.statements(block)?;
        self.end_block();
        Ok(())
    }

    /// Statements. Between `atomic_begin` and `atomic_end` of the same block they stand one level
    /// in.
    fn statements(&mut self, block: &Block) -> Result<(), NotBoolean> {
        let mut inside = 0;
        for (index, statement) in block.iter().enumerate() {
            if matches!(statement.kind, StmtKind::AtomicEnd) {
                self.indent -= inside;
                inside = 0;
            }
            self.statement(statement)?;
            if inside == 0 && begins_whole_section(&block[index..]) {
                inside = 1;
                self.indent += inside;
            }
        }
        Ok(())
    }

    /// Begins a block and indents.
    pub(super) fn begin_block(&mut self) {
        self.indent += 1;
    }

    /// Comes back from a level. No label may wait any longer: what follows is not in the block.
    pub(super) fn end_block(&mut self) {
        if !self.waiting.is_empty() {
            self.line("skip;");
        }
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Stmt) -> Result<(), NotBoolean> {
        let labels = statement.labels.iter().map(|&l| self.names.label(self.proc, l).to_owned());
        self.waiting.extend(labels);
        let e = self.expressions;
        let refuse = |what: &str| Err(NotBoolean::new(statement.span, what));
        match &statement.kind {
            StmtKind::Skip => self.line("skip;"),
            StmtKind::Assign { targets, values, constrain } => {
                let mut line = format!("{} := {}", e.places(targets), e.exprs(values)?);
                if let Some(constrain) = constrain {
                    line += &format!(" constrain {}", e.expr(constrain)?);
                }
                self.line(&(line + ";"));
            }
            StmtKind::Havoc(places) => self.line(&format!("dead {};", e.places(places))),
            StmtKind::Assume(cond) => self.line(&format!("assume({});", e.expr(cond)?)),
            StmtKind::Assert(cond) => self.line(&format!("assert({});", e.expr(cond)?)),
            StmtKind::If { cond, then, otherwise } => self.branch(cond, then, otherwise)?,
            StmtKind::While { cond, body } => self.repeat(statement, cond, body)?,
            StmtKind::Choose(blocks) => self.choose(blocks)?,
            StmtKind::Goto(labels) => self.goto(labels),
            StmtKind::Break => self.leave_loop(|l| &l.after),
            StmtKind::Continue => self.leave_loop(|l| &l.again),
            StmtKind::Return(values) => self.give_back(values)?,
            StmtKind::Atomic(body) => self.atomic(body)?,
            StmtKind::AtomicBegin => self.line("atomic_begin;"),
            StmtKind::AtomicEnd => self.line("atomic_end;"),
            StmtKind::Acquire(lock) => {
                let lock = e.place(lock);
                self.section(&[&format!("assume(!{lock});"), &format!("{lock} := 1;")]);
            }
            StmtKind::Release(lock) => {
                let lock = e.place(lock);
                self.section(&[&format!("assert({lock});"), &format!("{lock} := 0;")]);
            }
            StmtKind::Attempt { dest, op } => self.attempt(dest.as_ref(), op)?,
            StmtKind::Call { proc, args, results } => {
                let atomic = self.names.atomic_proc(*proc);
                let name = match self.section {
                    Section::None => self.names.proc(*proc),
                    _ => atomic.unwrap_or_else(|| self.names.proc(*proc)),
                };
                let call = format!("{name}({});", e.exprs(args)?);
                if results.is_empty() {
                    self.line(&call);
                } else {
                    self.line(&format!("{} := {call}", e.places(results)));
                }
            }
            StmtKind::Async { dest: Some(_), .. } => return refuse("the id of a thread"),
            StmtKind::Async { dest: None, proc, args } => {
                let name = self.names.proc(*proc);
                let comma = if args.is_empty() { "" } else { ", " };
                self.line(&format!("thread_create({name}{comma}{});", e.exprs(args)?));
            }
            StmtKind::StartThread(label) => {
                let label = self.names.label(self.proc, *label);
                self.line(&format!("start_thread goto {label};"));
            }
            StmtKind::Join(_) => return refuse("`join`: waiting for a thread"),
            StmtKind::EndThread => {
                self.end_own_section();
                self.line("end_thread;");
            }
        }
        Ok(())
    }

    /// `if`; an `if` alone in the second branch becomes `elsif`.
    fn branch(&mut self, cond: &Cond, then: &Block, otherwise: &Block) -> Result<(), NotBoolean> {
        let test = match cond {
            Cond::Attempt { op, negated } => {
                let (success, failure) =
                    if *negated { (otherwise, then) } else { (then, otherwise) };
                return self.branch_on_attempt(op, success, failure);
            }
            Cond::Expr(test) => self.expressions.expr(test)?,
        };
        self.line(&format!("if {test} then"));
        self.block(then)?;
        let mut rest = otherwise;
        while let Some((test, then, otherwise)) = lone_if(rest) {
            let test = self.expressions.expr(test)?;
            self.line(&format!("elsif {test} then"));
            self.block(then)?;
            rest = otherwise;
        }
        if !rest.is_empty() {
            self.line("else");
            self.block(rest)?;
        }
        self.line("fi;");
        Ok(())
    }

    fn branch_on_attempt(
        &mut self,
        op: &AtomicOp,
        success: &Block,
        failure: &Block,
    ) -> Result<(), NotBoolean> {
        self.begin_attempt(op)?;
        self.block(success)?;
        self.otherwise_attempt();
        self.block(failure)?;
        self.line("fi;");
        Ok(())
    }

    /// `either … or …`
    fn choose(&mut self, blocks: &[Block]) -> Result<(), NotBoolean> {
        match blocks {
            [] => self.line("assume(0);"),
            [only] => {
                self.line("skip;");
                self.statements(only)?;
            }
            [first, middle @ .., last] => {
                self.line("if * then");
                self.block(first)?;
                for block in middle {
                    self.line("elsif * then");
                    self.block(block)?;
                }
                self.line("else");
                self.block(last)?;
                self.line("fi;");
            }
        }
        Ok(())
    }

    fn atomic(&mut self, body: &Block) -> Result<(), NotBoolean> {
        if !matches!(self.section, Section::None) {
            return self.statements(body);
        }
        self.line("atomic_begin;");
        self.section = Section::Here(walk::labels(body));
        self.block(body)?;
        self.section = Section::None;
        if !body.last().is_some_and(|last| goes_elsewhere(&last.kind)) {
            self.line("atomic_end;");
        }
        Ok(())
    }

    /// Lines that are one step.
    fn section(&mut self, lines: &[&str]) {
        let own = matches!(self.section, Section::None);
        if own {
            self.line("atomic_begin;");
            self.begin_block();
        }
        for line in lines {
            self.line(line);
        }
        if own {
            self.end_block();
            self.line("atomic_end;");
        }
    }

    /// `trylock` or `cas` as a statement.
    fn attempt(&mut self, dest: Option<&Place>, op: &AtomicOp) -> Result<(), NotBoolean> {
        let (test, set) = self.test_and_set(op)?;
        let dest = dest.map(|place| self.expressions.place(place));
        let test = format!("if {test} then");
        let set = format!("  {set}");
        match dest {
            None => self.section(&[&test, &set, "fi;"]),
            Some(dest) => {
                let (yes, no) = (format!("  {dest} := 1;"), format!("  {dest} := 0;"));
                self.section(&[&test, &set, &yes, "else", &no, "fi;"]);
            }
        }
        Ok(())
    }

    /// The beginning of a test of `trylock` or `cas`, up to its success.
    pub(super) fn begin_attempt(&mut self, op: &AtomicOp) -> Result<(), NotBoolean> {
        let (test, set) = self.test_and_set(op)?;
        let own = matches!(self.section, Section::None);
        if own {
            self.line("atomic_begin;");
        }
        self.line(&format!("if {test} then"));
        self.begin_block();
        self.line(&set);
        if own {
            self.line("atomic_end;");
        }
        self.end_block();
        Ok(())
    }

    /// The turn from success to failure.
    pub(super) fn otherwise_attempt(&mut self) {
        self.line("else");
        if matches!(self.section, Section::None) {
            self.begin_block();
            self.line("atomic_end;");
            self.end_block();
        }
    }

    /// The test and the assignment of `trylock` or `cas`.
    fn test_and_set(&self, op: &AtomicOp) -> Result<(String, String), NotBoolean> {
        let e = self.expressions;
        match op {
            AtomicOp::TryLock(lock) => {
                let lock = e.place(lock);
                Ok((format!("!{lock}"), format!("{lock} := 1;")))
            }
            AtomicOp::CompareAndSwap { place, expected, new } => {
                let place = e.place(place);
                let test = format!("{place} = {}", e.operand(expected)?);
                Ok((test, format!("{place} := {};", e.expr(new)?)))
            }
            AtomicOp::FetchAndAdd { place, .. } => {
                Err(NotBoolean::new(place.span, "`fetch_and_add`: there are no numbers"))
            }
        }
    }
}

/// Whether statements begin with `atomic_begin` and the section ends among them.
fn begins_whole_section(statements: &[Stmt]) -> bool {
    let Some((Stmt { kind: StmtKind::AtomicBegin, .. }, rest)) = statements.split_first() else {
        return false;
    };
    let is_bound = |s: &&Stmt| matches!(s.kind, StmtKind::AtomicBegin | StmtKind::AtomicEnd);
    rest.iter().find(is_bound).is_some_and(|s| matches!(s.kind, StmtKind::AtomicEnd))
}

/// Whether what stands behind the statement is not reached from it.
fn goes_elsewhere(kind: &StmtKind) -> bool {
    use StmtKind::{Break, Continue, EndThread, Goto, Return};
    matches!(kind, Goto(_) | Return(_) | Break | Continue | EndThread)
}

/// A block that is nothing but an `if` without labels, on an expression.
fn lone_if(block: &Block) -> Option<(&Expr, &Block, &Block)> {
    match block.as_slice() {
        [Stmt { labels, kind: StmtKind::If { cond: Cond::Expr(test), then, otherwise }, .. }]
            if labels.is_empty() =>
        {
            Some((test, then, otherwise))
        }
        _ => None,
    }
}
