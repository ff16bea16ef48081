//! # Random programs
//! [`random_program`] makes a typed program from a number: the same number, the same program. What
//! may occur in it is up to a [`Shape`]. The programs keep the rules of the language, so that a
//! printed one is accepted again; what they do is up to chance (most of them go wrong somewhere).
//!
//! Only for tests, here and in other crates. It is no feature: one that tests switch on would make every crate
//! above this one another crate for them, built twice; a program that does not call it does not contain it.

mod constants;
mod exprs;
mod machine;
mod stmts;

use num_bigint::BigInt;

use crate::{
    BinaryOp, Count, EnumId, EnumType, Expr, ExprKind, LocalId, Predicate, ProcId, Procedure,
    Program, Span, ThreadDecl, Type, Value, Variable,
};

/// What may occur in a random program, and how much of it.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many shared variables there are at most.
    pub globals: usize,
    /// How many procedures there are at most, besides those that threads run.
    pub procs: usize,
    /// How many parameters, and how many other local variables, a procedure has at most.
    pub locals: usize,
    /// How many statements a block has at most.
    pub statements: usize,
    /// How deep statements and expressions are nested at most.
    pub depth: usize,
    /// How many kinds of threads there are at most.
    pub threads: usize,
    /// Integers.
    pub numbers: bool,
    /// Machine integers, whose values are always known: nobody can list all of them.
    pub machine: bool,
    /// Enumerations.
    pub enums: bool,
    /// Arrays.
    pub arrays: bool,
    /// Locks, `trylock`, `cas` and `fetch_and_add`.
    pub locks: bool,
    /// `async` and `join`.
    pub dynamic_threads: bool,
    /// Labels and `goto`.
    pub jumps: bool,
    /// `atomic` blocks.
    pub atomic: bool,
    /// Calls.
    pub calls: bool,
    /// Whether calls may be recursive.
    pub recursion: bool,
    /// Predicates.
    pub predicates: bool,
    /// What comes from Boolean programs: several results, `constrain`, `schoose`,
    /// `start_thread`, `end_thread`, `atomic_begin` and `atomic_end`.
    pub boolean_programs: bool,
    /// Fair choices, in tests.
    pub fair: bool,
    /// Many arrays, and elements whose index is chosen when the statement is executed.
    pub chosen_indices: bool,
    /// Many thread ids: kept, copied, compared, joined.
    pub thread_ids: bool,
}

impl Default for Shape {
    /// Everything, in small amounts.
    fn default() -> Self {
        Shape {
            globals: 4,
            procs: 3,
            locals: 2,
            statements: 4,
            depth: 3,
            threads: 2,
            numbers: true,
            machine: false,
            enums: true,
            arrays: true,
            locks: true,
            dynamic_threads: true,
            jumps: true,
            atomic: true,
            calls: true,
            recursion: true,
            predicates: true,
            boolean_programs: true,
            fair: false,
            chosen_indices: false,
            thread_ids: false,
        }
    }
}

impl Shape {
    /// Boolean variables, and what Boolean programs do with them.
    #[must_use]
    pub fn boolean() -> Self {
        Shape {
            numbers: false,
            enums: false,
            arrays: false,
            locks: false,
            dynamic_threads: false,
            predicates: false,
            ..Shape::default()
        }
    }

    /// Boolean variables, choices, calls, and nothing that waits for a particular dialect.
    #[must_use]
    pub fn plain() -> Self {
        Shape { boolean_programs: false, jumps: false, ..Shape::boolean() }
    }
}

/// A program made from a number.
#[must_use]
pub fn random_program(seed: u64, shape: &Shape) -> Program {
    let mut maker = Maker { dice: Dice::new(seed), shape, program: Program::default() };
    maker.declare();
    maker.fill();
    maker.program
}

/// A tiny generator of pseudo-random numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        // Neighbouring seeds must not give neighbouring programs; 0 is no state.
        Dice(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// A number below this one, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number from 0 to this one.
    fn up_to(&mut self, n: usize) -> usize {
        self.below(n + 1)
    }

    /// True once in so many times.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }
}

struct Maker<'s> {
    dice: Dice,
    shape: &'s Shape,
    program: Program,
}

fn variable(name: String, ty: Type, init: Vec<Value>) -> Variable {
    Variable { name, ty, init, counts_threads: false, looks: None, span: Span::default() }
}

impl Maker<'_> {
    /// Everything but bodies and predicates.
    fn declare(&mut self) {
        if self.shape.enums {
            for id in 0..self.dice.up_to(2) {
                let count = 1 + self.dice.up_to(2);
                let enumerators = (0..count).map(|n| format!("E{id}_{n}")).collect();
                self.program.enums.push(EnumType { name: format!("E{id}"), enumerators });
            }
        }
        for id in 0..self.dice.up_to(self.shape.globals) {
            let global = self.global(format!("g{id}"));
            self.program.globals.push(global);
        }
        // The first procedures are run by threads and never called.
        let entries = 1 + self.dice.below(self.shape.threads.max(1));
        let others = if self.shape.calls || self.shape.dynamic_threads {
            self.dice.up_to(self.shape.procs).max(usize::from(self.shape.thread_ids))
        } else {
            0
        };
        for id in 0..entries + others {
            let proc = self.procedure(id, id < entries);
            self.program.procs.push(proc);
        }
        for id in 0..entries {
            let thread = self.thread(ProcId(id as u32));
            self.program.threads.push(thread);
        }
    }

    fn fill(&mut self) {
        let entries = self.program.threads.len();
        for id in 0..self.program.procs.len() {
            self.body(ProcId(id as u32), entries);
        }
        if self.shape.predicates {
            for id in 0..self.dice.up_to(2) {
                let predicate = self.predicate(id);
                self.program.predicates.push(predicate);
            }
        }
    }

    /// The type of a variable that is no array: its values can be enumerated.
    fn scalar_type(&mut self) -> Type {
        let enums = self.program.enums.len();
        match self.dice.below(4) {
            0 if self.shape.numbers => {
                let lo = self.dice.below(3) as i64 - 1;
                let hi = lo + self.dice.up_to(3) as i64;
                Type::Range { lo: BigInt::from(lo), hi: BigInt::from(hi) }
            }
            2 | 3 if self.shape.machine => self.machine_type(),
            1 if enums > 0 => Type::Enum(EnumId(self.dice.below(enums) as u32)),
            _ => Type::Bool,
        }
    }

    fn machine_type(&mut self) -> Type {
        let bits = [8, 8, 16, 32, 64][self.dice.below(5)];
        Type::Machine { bits, signed: self.dice.one_in(2) }
    }

    fn global(&mut self, name: String) -> Variable {
        let mut ty = match self.dice.below(8) {
            0 | 3 if self.shape.locks => Type::Lock,
            1 if self.shape.dynamic_threads => Type::ThreadId,
            4 | 5 if self.shape.thread_ids => Type::ThreadId,
            2 if self.shape.numbers => Type::Int,
            _ => self.scalar_type(),
        };
        let rare = if self.shape.chosen_indices { 2 } else { 4 };
        if self.shape.arrays && self.dice.one_in(rare) {
            for _ in 0..=self.dice.up_to(1) {
                let length = 1 + self.dice.up_to(2) as u32;
                ty = Type::Array { element: Box::new(ty), length };
            }
        }
        let fixed = match ty.scalar() {
            Type::Lock | Type::ThreadId => Some(Value::Small(0)),
            Type::Machine { .. } => None,
            _ if self.dice.one_in(4) => Some(self.value(ty.scalar())),
            // An `int` needs a first value.
            Type::Int => Some(Value::Small(self.dice.below(9) as i64)),
            _ if self.dice.one_in(3) => Some(Value::Open),
            _ => None,
        };
        let init = (0..ty.slots())
            .map(|_| fixed.clone().unwrap_or_else(|| self.value(ty.scalar())))
            .collect();
        variable(name, ty, init)
    }

    /// A value of a scalar type.
    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::from(self.dice.one_in(2)),
            Type::Range { lo, hi } => {
                let width = usize::try_from(hi - lo).unwrap_or(0);
                Value::from_big(lo + BigInt::from(self.dice.up_to(width)))
            }
            Type::Machine { .. } => {
                let (lo, hi) = ty.bounds().unwrap_or_default();
                let near = BigInt::from(self.dice.below(3));
                Value::from_big(match self.dice.below(4) {
                    0 => lo + near,
                    1 => hi - near,
                    _ => near,
                })
            }
            Type::Enum(id) => {
                let count = self.program.enums[id.index()].enumerators.len();
                Value::Small(self.dice.below(count.max(1)) as i64)
            }
            Type::Int if self.dice.one_in(9) => {
                Value::from_big(BigInt::from(self.dice.next()).pow(3) - 7)
            }
            Type::Int => Value::Small(self.dice.below(12) as i64 - 4),
            _ => Value::Small(0),
        }
    }

    /// A procedure without its body. Those of threads have no results.
    fn procedure(&mut self, id: usize, entry: bool) -> Procedure {
        let params = self.dice.up_to(self.shape.locals);
        let count = params + self.dice.up_to(self.shape.locals);
        let locals = (0..count).map(|local| {
            let ty = match self.dice.below(8) {
                0 if self.shape.dynamic_threads && !entry => Type::ThreadId,
                2..=5 if self.shape.thread_ids && (!entry || local >= params) => Type::ThreadId,
                1 if self.shape.arrays && local >= params => {
                    let element = match self.scalar_type() {
                        Type::Machine { .. } => Type::Bool,
                        element => element,
                    };
                    Type::Array { element: Box::new(element), length: 2 }
                }
                _ => self.scalar_type(),
            };
            // Now and then a local variable hides a shared one.
            let name = if self.dice.one_in(8) { format!("g{local}") } else { format!("l{local}") };
            variable(name, ty, Vec::new())
        });
        let locals: Vec<_> = locals.collect();
        let most = if self.shape.boolean_programs { 2 } else { 1 };
        let results = if entry { 0 } else { self.dice.up_to(most) };
        Procedure {
            name: format!("p{id}"),
            params,
            locals,
            results: (0..results).map(|_| self.scalar_type()).collect(),
            labels: Vec::new(),
            body: Vec::new(),
            span: Span::default(),
        }
    }

    fn thread(&mut self, proc: ProcId) -> ThreadDecl {
        let params = &self.program.procs[proc.index()];
        let types: Vec<Type> =
            params.locals[..params.params].iter().map(|l| l.ty.clone()).collect();
        let count = match self.dice.below(6) {
            0 => Count::Any,
            1 => Count::Fixed(2),
            _ => Count::Fixed(1),
        };
        // Whether the number of each instance is in a range.
        let numbered = |lo: &BigInt, hi: &BigInt| {
            count != Count::Any && *lo <= BigInt::from(0) && *hi >= BigInt::from(1)
        };
        let binary = |op, left: ExprKind, right: ExprKind| {
            let operand = |kind| Box::new(Expr { kind, ty: Type::Int, span: Span::default() });
            ExprKind::Binary(op, operand(left), operand(right))
        };
        let one = || ExprKind::Const(Value::Small(1));
        let args = types.into_iter().map(|ty| {
            let kind = match &ty {
                Type::Range { lo, hi } if numbered(lo, hi) && self.dice.one_in(2) => {
                    match self.dice.below(3) {
                        0 => binary(BinaryOp::Sub, one(), ExprKind::Instance),
                        _ => ExprKind::Instance,
                    }
                }
                Type::Bool if self.shape.numbers && count != Count::Any && self.dice.one_in(3) => {
                    binary(BinaryOp::Eq, ExprKind::Instance, one())
                }
                Type::Machine { .. } => ExprKind::Const(self.value(&ty)),
                _ if self.dice.one_in(3) => ExprKind::Any,
                _ => ExprKind::Const(self.value(&ty)),
            };
            Expr { kind, ty, span: Span::default() }
        });
        let args = args.collect();
        let name =
            if self.dice.one_in(2) { format!("p{}", proc.0) } else { format!("t{}", proc.0) };
        ThreadDecl { name, count, proc, args, span: Span::default() }
    }

    fn predicate(&mut self, id: usize) -> Predicate {
        let scope = ProcId(self.dice.below(self.program.procs.len()) as u32);
        let expr = self.predicate_expr(scope);
        Predicate { name: format!("q{id}"), scope: Some(scope), expr, span: Span::default() }
    }

    /// The scalar local variables of a procedure.
    fn scalar_locals(&self, proc: ProcId) -> Vec<(LocalId, Type)> {
        let locals = self.program.procs[proc.index()].locals.iter().enumerate();
        let scalars = locals.filter(|(_, l)| !matches!(l.ty, Type::Array { .. }));
        scalars.map(|(id, l)| (LocalId(id as u32), l.ty.clone())).collect()
    }
}
