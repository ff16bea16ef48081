//! # Programs with one thread as C
//!
//! **Question.** Other verifiers read C. What is a program with one thread in C, exactly?
//!
//! **Idea.** Numbers have the width that they have; what wraps around is computed without a sign and converted, which compilers define; what has
//! no bounds in between is computed with 128 bits. Choices are calls of `__VERIFIER_nondet_…`, as in SV-COMP, and a run that is not looked at ends in
//! `__VERIFIER_assume`; what goes wrong calls `reach_error`. All targets of an assignment are found before one is written.
//!
//! **Needs.** One thread that starts no other, and variables with bounds. `Primed` values and predicates have no counterpart. Whatever is not
//! expressible is refused by name.

use super::expr::Names;
use super::names::{ProgramNames, Scope};
use crate::{
    BinaryOp, Block, Cond, Expr, ExprKind, Place, ProcId, Procedure, Program, Span, Stmt, StmtKind,
    Type, UnaryOp, Value,
};

/// Why a program cannot be written as C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotC {
    /// What cannot be written in C.
    pub message: String,
    /// The place in the text.
    pub span: Span,
}

type Written = Result<String, NotC>;

/// The beginning of every program.
const PRELUDE: &str = "\
#include <stdint.h>

extern unsigned long __VERIFIER_nondet_ulong(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static inline int64_t sv_between(int64_t low, int64_t high) {
  int64_t some = (int64_t)__VERIFIER_nondet_ulong();
  __VERIFIER_assume(low <= some && some <= high);
  return some;
}
/* The remainder is never negative. */
static inline __int128 sv_mod(__int128 a, __int128 b) {
  __int128 rest = a % b;
  return rest < 0 ? rest + (b < 0 ? -b : b) : rest;
}
static inline __int128 sv_div(__int128 a, __int128 b) { return (a - sv_mod(a, b)) / b; }
static inline uint64_t sv_left(uint64_t a, __int128 by) { return by >= 64 ? 0 : a << by; }
static inline __int128 sv_right(__int128 a, __int128 by) { return a >> (by >= 64 ? 64 : by); }
";

/// A program with one thread as C.
pub fn c(program: &Program) -> Written {
    let [thread] = &program.threads[..] else {
        return refuse("more than one thread", Span::default());
    };
    let names = ProgramNames::new(program);
    let mut text = PRELUDE.to_owned();
    let mut start = String::new();
    for (id, variable) in program.globals.iter().enumerate() {
        let name = identifier(names.global(crate::GlobalId(id as u32)));
        let ty = scalar(variable.ty.scalar(), variable.span)?;
        let lengths: String = variable.ty.lengths().map(|n| format!("[{n}]")).collect();
        text += &format!("static {ty} {name}{lengths};\n");
        for (slot, value) in variable.init.iter().enumerate() {
            let value = match value {
                Value::Open => any(variable.ty.scalar(), variable.span)?,
                value if value.is_true() => constant(variable.ty.scalar(), value),
                _ => continue,
            };
            let place = match lengths.is_empty() {
                true => name.clone(),
                false => format!("(({ty} *){name})[{slot}]"),
            };
            start += &format!("  {place} = {value};\n");
        }
    }
    let scopes: Vec<Scope<'_>> = (program.procs.iter())
        .map(|proc| {
            Scope::inside(&names, proc, |scope| {
                // Finds out which names are mentioned.
                let _ = Writer { names: &names, scope, id: ProcId(0) }.procedure(proc);
            })
        })
        .collect();
    text.push('\n');
    for (id, proc) in program.procs.iter().enumerate() {
        let id = ProcId(id as u32);
        for (number, ty) in proc.results.iter().enumerate() {
            text += &format!("static {} {};\n", scalar(ty, proc.span)?, result(&names, id, number));
        }
        text += &format!("{};\n", heading(&names, &scopes[id.index()], id, proc)?);
    }
    for ((id, proc), scope) in program.procs.iter().enumerate().zip(&scopes) {
        let writer = Writer { names: &names, scope, id: ProcId(id as u32) };
        text += &writer.procedure(proc)?;
    }
    if !thread.args.is_empty() {
        return refuse("a first procedure with parameters", thread.span);
    }
    let first = procedure_name(&names, thread.proc);
    Ok(format!("{text}\nint main(void) {{\n{start}  {first}();\n  return 0;\n}}\n"))
}

fn refuse<T>(what: &str, span: Span) -> Result<T, NotC> {
    Err(NotC { message: format!("{what} cannot be written as C with one thread"), span })
}

/// A name that C has.
fn identifier(name: &str) -> String {
    const WORDS: [&str; 34] = [
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
        "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
        "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
        "union", "unsigned", "void", "volatile", "while",
    ];
    if WORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// The name of a procedure: none of them is called `main`.
fn procedure_name(names: &ProgramNames, id: ProcId) -> String {
    format!("run_{}", names.proc(id))
}

/// The variable that has a result of a procedure.
fn result(names: &ProgramNames, id: ProcId, number: usize) -> String {
    format!("result_{}_{number}", names.proc(id))
}

fn heading(names: &ProgramNames, scope: &Scope<'_>, id: ProcId, proc: &Procedure) -> Written {
    let mut params = Vec::new();
    for (index, param) in proc.locals[..proc.params].iter().enumerate() {
        if matches!(param.ty, Type::Array { .. }) {
            return refuse("a parameter that is an array", param.span);
        }
        params.push(format!(
            "{} {}",
            scalar(&param.ty, param.span)?,
            identifier(scope.local(index))
        ));
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    Ok(format!("static void {}({params})", procedure_name(names, id)))
}

/// A type of scalars.
fn scalar(ty: &Type, span: Span) -> Written {
    Ok(match ty {
        Type::Bool | Type::Lock => "_Bool".to_owned(),
        Type::Machine { bits, signed } => format!("{}int{bits}_t", if *signed { "" } else { "u" }),
        Type::Range { lo, hi } if i64::try_from(lo).is_ok() && i64::try_from(hi).is_ok() => {
            "int64_t".to_owned()
        }
        Type::Enum(_) | Type::ThreadId => "int64_t".to_owned(),
        Type::Int | Type::Range { .. } => return refuse("an integer without bounds", span),
        Type::Array { .. } => return refuse("an array as a value", span),
    })
}

/// Any value of a type.
fn any(ty: &Type, span: Span) -> Written {
    Ok(match ty {
        Type::Bool => "__VERIFIER_nondet_bool()".to_owned(),
        Type::Machine { .. } => format!("({})__VERIFIER_nondet_ulong()", scalar(ty, span)?),
        Type::Range { lo, hi } => format!("sv_between({lo}LL, {hi}LL)"),
        Type::Lock | Type::ThreadId => "0".to_owned(),
        _ => return refuse("any value of this type", span),
    })
}

fn constant(ty: &Type, value: &Value) -> String {
    let number = value.to_big().unwrap_or_default();
    match ty {
        Type::Bool => u8::from(value.is_true()).to_string(),
        Type::Machine { bits: 64, signed: false } => format!("{number}ULL"),
        // The least number has no sign of its own.
        _ if number == i64::MIN.into() => "INT64_MIN".to_owned(),
        _ if i32::try_from(&number).is_ok_and(|n| n != i32::MIN) => number.to_string(),
        _ => format!("{number}LL"),
    }
}

/// Writes what is inside of a procedure.
struct Writer<'a> {
    names: &'a ProgramNames,
    scope: &'a Scope<'a>,
    /// The procedure.
    id: ProcId,
}

impl Writer<'_> {
    fn procedure(&self, proc: &Procedure) -> Written {
        let mut text = format!("\n{} {{\n", heading(self.names, self.scope, self.id, proc)?);
        for (index, local) in proc.locals.iter().enumerate().skip(proc.params) {
            let (name, kind) = (identifier(self.scope.local(index)), local.ty.scalar());
            let (ty, some) = (scalar(kind, local.span)?, any(kind, local.span)?);
            let lengths: String = local.ty.lengths().map(|n| format!("[{n}]")).collect();
            text += &match local.ty.slots() {
                _ if lengths.is_empty() => format!("  {ty} {name} = {some};\n"),
                slots => format!(
                    "  {ty} {name}{lengths};\n  for (int sv = 0; sv < {slots}; sv++) (({ty} *){name})[sv] = {some};\n"
                ),
            };
        }
        text += &self.block(&proc.body, 1)?;
        for (number, ty) in proc.results.iter().enumerate() {
            let some = any(ty, proc.span)?;
            text += &format!("  {} = {some};\n", result(self.names, self.id, number));
        }
        Ok(text + "}\n")
    }

    fn block(&self, block: &Block, depth: usize) -> Written {
        block.iter().map(|stmt| self.statement(stmt, depth)).collect()
    }

    /// A block in braces.
    fn braces(&self, block: &Block, depth: usize) -> Written {
        Ok(format!("{{\n{}{}}}", self.block(block, depth + 1)?, "  ".repeat(depth)))
    }

    fn statement(&self, stmt: &Stmt, depth: usize) -> Written {
        let mut text = "  ".repeat(depth);
        for label in &stmt.labels {
            text += &format!("{}:; ", identifier(&self.scope.label(*label)));
        }
        let span = stmt.span;
        text += &match &stmt.kind {
            StmtKind::Skip | StmtKind::AtomicBegin | StmtKind::AtomicEnd => ";".to_owned(),
            StmtKind::Assign { targets, values, constrain: None } => {
                self.assign(targets, values)?
            }
            StmtKind::Assign { .. } => return refuse("`constrain`", span),
            StmtKind::Havoc(places) => {
                let values: Vec<Expr> = places.iter().map(|p| crate::make::any(&p.ty)).collect();
                self.assign(places, &values)?
            }
            StmtKind::Assume(e) => format!("__VERIFIER_assume({});", self.expr(e)?),
            StmtKind::Assert(e) => format!("if (!({})) reach_error();", self.expr(e)?),
            StmtKind::If { cond: Cond::Expr(cond), then, otherwise } => {
                let then = self.braces(then, depth)?;
                let otherwise = match otherwise.is_empty() {
                    true => String::new(),
                    false => format!(" else {}", self.braces(otherwise, depth)?),
                };
                format!("if ({}) {then}{otherwise}", self.expr(cond)?)
            }
            StmtKind::While { cond: Cond::Expr(cond), body } => {
                format!("while ({}) {}", self.expr(cond)?, self.braces(body, depth)?)
            }
            StmtKind::Choose(blocks) => {
                let blocks: Result<Vec<String>, NotC> =
                    blocks.iter().map(|block| self.braces(block, depth)).collect();
                one_of(&blocks?)
            }
            StmtKind::Goto(labels) => {
                let jump = |label| format!("goto {};", identifier(&self.scope.label(label)));
                one_of(&labels.iter().map(|l| jump(*l)).collect::<Vec<_>>())
            }
            StmtKind::Break => "break;".to_owned(),
            StmtKind::Continue => "continue;".to_owned(),
            StmtKind::Return(values) => self.give(values)?,
            StmtKind::Atomic(body) => self.braces(body, depth)?,
            StmtKind::Call { proc, args, results } => self.call(*proc, args, results)?,
            StmtKind::EndThread => return refuse("the end of a thread inside of it", span),
            StmtKind::Acquire(_) | StmtKind::Release(_) => return refuse("a lock", span),
            StmtKind::If { .. } | StmtKind::While { .. } | StmtKind::Attempt { .. } => {
                return refuse("an operation that tries", span);
            }
            StmtKind::Async { .. } | StmtKind::StartThread(_) | StmtKind::Join(_) => {
                return refuse("a thread that is started", span);
            }
        };
        text.push('\n');
        Ok(text)
    }

    fn assign(&self, targets: &[Place], values: &[Expr]) -> Written {
        if let ([target], [value]) = (targets, values) {
            return Ok(format!("{} = {};", self.place(target)?, self.expr(value)?));
        }
        let (mut find, mut write) = (String::new(), String::new());
        for (number, (target, value)) in targets.iter().zip(values).enumerate() {
            let ty = scalar(&target.ty, target.span)?;
            let (place, value) = (self.place(target)?, self.expr(value)?);
            find += &format!("{ty} *sv_p{number} = &{place}; {ty} sv_v{number} = {value}; ");
            write += &format!("*sv_p{number} = sv_v{number}; ");
        }
        Ok(format!("{{ {find}{write}}}"))
    }

    fn give(&self, values: &[Expr]) -> Written {
        if values.is_empty() {
            return Ok("return;".to_owned());
        }
        let mut text = String::new();
        for (number, value) in values.iter().enumerate() {
            let name = result(self.names, self.id, number);
            text += &format!("{name} = {}; ", self.expr(value)?);
        }
        Ok(format!("{{ {text}return; }}"))
    }

    fn call(&self, proc: ProcId, args: &[Expr], results: &[Place]) -> Written {
        let args: Result<Vec<String>, NotC> = args.iter().map(|arg| self.expr(arg)).collect();
        let mut text = format!("{}({});", procedure_name(self.names, proc), args?.join(", "));
        for (number, place) in results.iter().enumerate() {
            text += &format!(" {} = {};", self.place(place)?, result(self.names, proc, number));
        }
        Ok(text)
    }

    fn place(&self, place: &Place) -> Written {
        let mut text = identifier(&self.scope.variable(place.var));
        for index in &place.indices {
            text += &format!("[{}]", self.expr(index)?);
        }
        Ok(text)
    }

    fn expr(&self, expr: &Expr) -> Written {
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Const(Value::Open) | ExprKind::Any => any(&expr.ty, span)?,
            ExprKind::Const(value) => constant(&expr.ty, value),
            ExprKind::Read(place) => self.place(place)?,
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand)?;
                match (op, &expr.ty) {
                    (UnaryOp::Not, _) => format!("!({operand})"),
                    (UnaryOp::Neg, Type::Machine { .. }) => {
                        format!("({})(-(uint64_t)({operand}))", scalar(&expr.ty, span)?)
                    }
                    (UnaryOp::Neg, _) => format!("(-(__int128)({operand}))"),
                    (UnaryOp::BitNot, _) => {
                        format!("({})(~(uint64_t)({operand}))", scalar(&expr.ty, span)?)
                    }
                    (UnaryOp::Convert, Type::Machine { .. }) => {
                        format!("({})({operand})", scalar(&expr.ty, span)?)
                    }
                    (UnaryOp::Convert, _) => format!("((__int128)({operand}))"),
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, expr, left, right)?,
            ExprKind::IfThenElse(cond, then, otherwise) => {
                format!("({} ? {} : {})", self.expr(cond)?, self.expr(then)?, self.expr(otherwise)?)
            }
            ExprKind::Fair => "__VERIFIER_nondet_bool()".to_owned(),
            ExprKind::OneOf(list) => {
                let mut text = "({ int64_t sv_c = sv_between(0, ".to_owned();
                text += &format!("{}); ", list.len().saturating_sub(1));
                for (number, one) in list.iter().enumerate().skip(1).rev() {
                    text += &format!("sv_c == {number} ? {} : ", self.expr(one)?);
                }
                let Some(first) = list.first() else { return refuse("a choice of nothing", span) };
                format!("{text}{}; }})", self.expr(first)?)
            }
            ExprKind::Between(low, high) => {
                format!("sv_between({}, {})", self.expr(low)?, self.expr(high)?)
            }
            ExprKind::Schoose(yes, no) => {
                let (yes, no) = (self.expr(yes)?, self.expr(no)?);
                format!("({yes} ? 1 : {no} ? 0 : __VERIFIER_nondet_bool())")
            }
            ExprKind::Primed(_)
            | ExprKind::Instance
            | ExprKind::Quantified { .. }
            | ExprKind::LocalOf { .. }
            | ExprKind::At { .. } => return refuse("an expression about threads", span),
        })
    }

    fn binary(&self, op: BinaryOp, expr: &Expr, left: &Expr, right: &Expr) -> Written {
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        let sign = op.operator().sign;
        let wraps = expr.ty.is_machine();
        let ty = if wraps { scalar(&expr.ty, expr.span)? } else { "__int128".to_owned() };
        Ok(match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Eq | BinaryOp::Ne => {
                format!("({a} {sign} {b})")
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                format!("({a} {sign} {b})")
            }
            BinaryOp::Implies => format!("(!({a}) || {b})"),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if wraps => {
                format!("({ty})((uint64_t)({a}) {sign} (uint64_t)({b}))")
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                format!("((__int128)({a}) {sign} (__int128)({b}))")
            }
            BinaryOp::Div => format!("(({ty})sv_div({a}, {b}))"),
            BinaryOp::Mod => format!("(({ty})sv_mod({a}, {b}))"),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                format!("({ty})((uint64_t)({a}) {sign} (uint64_t)({b}))")
            }
            BinaryOp::ShiftLeft => format!("(({ty})sv_left((uint64_t)({a}), {b}))"),
            BinaryOp::ShiftRight => format!("(({ty})sv_right({a}, {b}))"),
        })
    }
}

/// One of several statements, chosen freely.
fn one_of(list: &[String]) -> String {
    match list {
        [] => "__VERIFIER_assume(0);".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => {
            format!("if (__VERIFIER_nondet_bool()) {{ {first} }} else {{ {} }}", one_of(rest))
        }
    }
}
