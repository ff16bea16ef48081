//! # Tables as programs
//! A stack of symbols becomes a stack of calls: each template is a recursive procedure whose
//! parameter is the symbol of its frame. A rule is one atomic step that tests and sets the
//! shared state and the symbol; then a push calls the procedure again, and a pop returns.
//!
//! ```text
//! void run_T(top) {
//!   loop: atomic { either { assume state == 0 && top == 1; state, top := 1, 2; }
//!                  or     { assume state == 2 && top == 5; state, top := 3, 6; goto after_1; }
//!                  or     { assume state == 0 && top == 4; state := 0; goto after_2; } }
//!   goto loop;
//!   after_1: run_T(4); goto loop;
//!   after_2: return;
//! }
//! ```
//!
//! The calls and returns are steps of their own, but they change nothing that another thread
//! sees, so what can be reached is the same. A thread whose stack is empty has ended: actions on
//! the empty stack cannot be expressed. Neither can a target about more than one thread, since no
//! thread sees the stack of another. A target about the shared state alone is tested by every rule
//! that leads there, and at the start.

mod pieces;
mod targets;

use std::collections::BTreeSet;

use selvedge_model::{
    Property, Rule, SharedId, SymbolId, System, Tables, TemplateId, ThreadId, Word,
};
use selvedge_program::{
    BinaryOp, Block, Count, EnumId, EnumType, Expr, ExprKind, GlobalId, LabelId, LocalId, ProcId,
    Procedure, Program, Span, Stmt, StmtKind, ThreadDecl, Type, Value, VarRef, Variable,
};

use pieces::{Names, binary, equals, expr, goto, place, range, step, truth};
pub use targets::can_express;
use targets::{Bad, bad_heads};

use super::print::{NotExpressible, not_expressible, symbols};

/// The system as a program. Targets become assertions.
pub fn to_program(tables: &Tables, targets: &[Property]) -> Result<Program, NotExpressible> {
    let mut builder = Builder {
        tables,
        names: Names::default(),
        program: Program::default(),
        shared: Type::Bool,
        symbols: Vec::new(),
        bad: bad_heads(tables, targets)?,
    };
    builder.shared();
    for template in (0..tables.template_count()).map(TemplateId::from) {
        builder.symbols(template);
        builder.procedure(template)?;
    }
    builder.threads();
    Ok(builder.program)
}

/// How the symbols of a template are written.
struct Symbols {
    ty: Type,
    /// The symbols in the order of the enumerators; `None` if the symbols are numbers.
    list: Option<Vec<SymbolId>>,
}

struct Builder<'a> {
    tables: &'a Tables,
    names: Names,
    program: Program,
    shared: Type,
    symbols: Vec<Symbols>,
    bad: Vec<Bad>,
}

const STATE: VarRef = VarRef::Global(GlobalId(0));
const TOP: VarRef = VarRef::Local(LocalId(0));
const LOOP: LabelId = LabelId(0);

/// What a rule does after its atomic part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct After {
    spawn: Option<SymbolId>,
    frames: Frames,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Frames {
    Stay,
    Call(SymbolId),
    Return,
}

impl After {
    fn of(rule: &Rule) -> After {
        let frames = match rule.word {
            Word::Pop => Frames::Return,
            Word::Rewrite(_) => Frames::Stay,
            Word::Push { top, .. } => Frames::Call(top),
        };
        After { spawn: rule.spawn, frames }
    }

    fn is_nothing(&self) -> bool {
        self.spawn.is_none() && self.frames == Frames::Stay
    }
}

impl Builder<'_> {
    /// The variable for the shared state. Where there are several initial ones, it starts with a
    /// value of its own, for which there is no rule, and the first thread chooses.
    fn shared(&mut self) {
        let count = self.tables.shared_count();
        let chooses = self.tables.initial_shared().len() != 1;
        let first = match self.tables.initial_shared() {
            [only] => only.index(),
            _ => count,
        };
        self.shared = if self.tables.numbered_shared() as usize == count {
            range(0, (count + usize::from(chooses)).saturating_sub(1))
        } else {
            let all = (0..count).map(|i| self.tables.shared_name(SharedId::from(i)).into_owned());
            let mut names: Vec<_> = all.collect();
            names.extend(chooses.then(|| "start".to_owned()));
            self.enumeration("State", names)
        };
        let name = self.names.fresh("state");
        let init = vec![Value::from(first as i64)];
        let variable = Variable {
            name,
            ty: self.shared.clone(),
            init,
            counts_threads: false,
            looks: None,
            span: Span::default(),
        };
        self.program.globals.push(variable);
    }

    /// The type for the symbols of a template.
    fn symbols(&mut self, template: TemplateId) {
        let list: Vec<_> = symbols(self.tables, template).collect();
        let numbers: Option<Vec<u32>> =
            list.iter().map(|&symbol| self.tables.symbol_number(symbol)).collect();
        let symbols = match numbers {
            Some(numbers) => {
                let least = numbers.iter().min().map_or(0, |&n| n as usize);
                let greatest = numbers.iter().max().map_or(0, |&n| n as usize);
                Symbols { ty: range(least, greatest), list: None }
            }
            None => {
                let name = |&symbol: &SymbolId| self.tables.symbol_name(symbol).into_owned();
                let names = list.iter().map(name).collect();
                let type_name =
                    format!("{}_symbol", self.tables.describe().template_name(template));
                Symbols { ty: self.enumeration(&type_name, names), list: Some(list) }
            }
        };
        self.symbols.push(symbols);
    }

    /// The procedure of a template.
    fn procedure(&mut self, template: TemplateId) -> Result<(), NotExpressible> {
        let rules = self.tables.rules(template);
        let afters: BTreeSet<After> = rules.iter().map(After::of).collect();
        let afters: Vec<After> = afters.into_iter().filter(|after| !after.is_nothing()).collect();
        let mut choices = Vec::new();
        for bad in &self.bad {
            let here = match *bad {
                Bad::Head { template: of, shared, symbol } if of == template => {
                    self.is_at(template, shared, symbol)
                }
                Bad::Shared(shared) if self.tables.initial_shared().contains(&shared) => {
                    equals(STATE, self.state(shared.index()))
                }
                _ => continue,
            };
            choices.push(vec![step(StmtKind::Assume(here)), step(StmtKind::Assert(truth(false)))]);
        }
        for rule in rules {
            choices.push(self.rule(template, rule, &afters)?);
        }
        let choose = match choices.len() {
            0 => StmtKind::Assume(truth(false)),
            _ => StmtKind::Choose(choices),
        };
        let mut body = vec![step(StmtKind::Atomic(vec![step(choose)])), goto(LOOP)];
        body[0].labels.push(LOOP);
        for (index, after) in afters.iter().enumerate() {
            let first = body.len();
            body.extend(self.after(template, after));
            body[first].labels.push(LabelId(index as u32 + 1));
        }
        let top = Variable {
            name: "top".to_owned(),
            ty: self.symbols[template.index()].ty.clone(),
            init: Vec::new(),
            counts_threads: false,
            looks: None,
            span: Span::default(),
        };
        let name =
            self.names.fresh(&format!("run_{}", self.tables.describe().template_name(template)));
        let numbered = (1..=afters.len()).map(|number| format!("after_{number}"));
        let labels = std::iter::once("loop".to_owned()).chain(numbered).collect();
        self.add_procedure(name, vec![top], labels, body);
        Ok(())
    }

    /// The atomic part of a rule.
    fn rule(
        &self,
        template: TemplateId,
        rule: &Rule,
        afters: &[After],
    ) -> Result<Block, NotExpressible> {
        let Some(top) = rule.top else {
            return not_expressible("a rule acts on the empty stack, where a program has ended");
        };
        let here = step(StmtKind::Assume(self.is_at(template, Some(rule.shared), top)));
        if self.bad.iter().any(|bad| matches!(bad, Bad::Shared(to) if *to == rule.to_shared)) {
            return Ok(vec![here, step(StmtKind::Assert(truth(false)))]);
        }
        let mut targets = vec![place(STATE, &self.shared)];
        let mut values = vec![self.state(rule.to_shared.index())];
        if let Word::Rewrite(new) | Word::Push { under: new, .. } = rule.word {
            let value = self.symbol(template, new);
            targets.push(place(TOP, &value.ty));
            values.push(value);
        }
        let mut block = vec![here, step(StmtKind::Assign { targets, values, constrain: None })];
        if let Ok(index) = afters.binary_search(&After::of(rule)) {
            block.push(goto(LabelId(index as u32 + 1)));
        }
        Ok(block)
    }

    /// What is not atomic: starting a thread, calling, returning.
    fn after(&self, template: TemplateId, after: &After) -> Block {
        let proc = ProcId(template.0);
        let mut block = Vec::new();
        if let Some(symbol) = after.spawn {
            let args = vec![self.symbol(template, symbol)];
            block.push(step(StmtKind::Async { dest: None, proc, args }));
        }
        match after.frames {
            Frames::Stay => block.push(goto(LOOP)),
            Frames::Call(symbol) => block.extend([self.call(template, symbol), goto(LOOP)]),
            Frames::Return => block.push(step(StmtKind::Return(Vec::new()))),
        }
        block
    }

    fn call(&self, template: TemplateId, symbol: SymbolId) -> Stmt {
        let args = vec![self.symbol(template, symbol)];
        step(StmtKind::Call { proc: ProcId(template.0), args, results: Vec::new() })
    }

    fn add_procedure(
        &mut self,
        name: String,
        locals: Vec<Variable>,
        labels: Vec<String>,
        body: Block,
    ) {
        let (params, span) = (locals.len(), Span::default());
        let results = Vec::new();
        self.program.procs.push(Procedure { name, params, locals, results, labels, body, span });
    }

    /// The threads, alike ones together.
    fn threads(&mut self) {
        let tables = self.tables;
        let mut next = 0;
        while next < tables.threads().len() {
            let first = &tables.threads()[next];
            let stacks = |thread: usize| tables.first_stacks(ThreadId::from(thread));
            let is_alike = |&thread: &usize| {
                tables.threads()[thread].template == first.template
                    && stacks(thread) == stacks(next)
            };
            let chooses = next == 0 && tables.initial_shared().len() != 1;
            let alike = (next..tables.threads().len()).take_while(is_alike).count();
            let count = if chooses { 1 } else { alike };
            let base = first.name.split('#').next().unwrap_or_default();
            let name = self.names.fresh(base);
            let (proc, args) = match (stacks(next), chooses) {
                ([stack], false) if stack.len() == 1 => {
                    (ProcId(first.template.0), vec![self.symbol(first.template, stack[0])])
                }
                (stacks, _) => (self.starter(&name, first.template, stacks, chooses), Vec::new()),
            };
            let count_of = Count::Fixed(count as u32);
            let span = Span::default();
            self.program.threads.push(ThreadDecl { name, count: count_of, proc, args, span });
            next += count;
        }
    }

    /// A procedure that calls one frame of a first stack after the other.
    fn starter(
        &mut self,
        thread: &str,
        template: TemplateId,
        stacks: &[Vec<SymbolId>],
        chooses: bool,
    ) -> ProcId {
        let mut body = Vec::new();
        if chooses {
            let initial = self.tables.initial_shared().iter();
            let initial = initial.map(|shared| self.state(shared.index())).collect();
            let targets = vec![place(STATE, &self.shared)];
            let values = vec![expr(ExprKind::OneOf(initial), &self.shared)];
            body.push(step(StmtKind::Assign { targets, values, constrain: None }));
        }
        let calls = |stack: &Vec<SymbolId>| {
            stack.iter().map(|&symbol| self.call(template, symbol)).collect()
        };
        let mut choices: Vec<Block> = stacks.iter().map(calls).collect();
        match choices.len() {
            1 => body.append(&mut choices[0]),
            _ => body.push(step(StmtKind::Choose(choices))),
        }
        let name = self.names.fresh(&format!("start_{thread}"));
        self.add_procedure(name, Vec::new(), Vec::new(), body);
        ProcId(self.program.procs.len() as u32 - 1)
    }

    /// Whether the thread is at a head.
    fn is_at(&self, template: TemplateId, shared: Option<SharedId>, top: SymbolId) -> Expr {
        let at_top = equals(TOP, self.symbol(template, top));
        match shared {
            None => at_top,
            Some(shared) => {
                binary(BinaryOp::And, equals(STATE, self.state(shared.index())), at_top)
            }
        }
    }

    fn state(&self, index: usize) -> Expr {
        expr(ExprKind::Const(Value::from(index as i64)), &self.shared)
    }

    fn symbol(&self, template: TemplateId, symbol: SymbolId) -> Expr {
        let Symbols { ty, list } = &self.symbols[template.index()];
        let value = match list {
            Some(list) => list.binary_search(&symbol).unwrap_or(0) as i64,
            None => i64::from(self.tables.symbol_number(symbol).unwrap_or(0)),
        };
        expr(ExprKind::Const(Value::from(value)), ty)
    }

    fn enumeration(&mut self, name: &str, names: Vec<String>) -> Type {
        let name = self.names.fresh(name);
        let enumerators = names.iter().map(|name| self.names.fresh(name)).collect();
        self.program.enums.push(EnumType { name, enumerators });
        Type::Enum(EnumId(self.program.enums.len() as u32 - 1))
    }
}
