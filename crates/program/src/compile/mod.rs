//! # From programs to the core
//!
//! **Question.** A program has types, names, nested expressions and a dozen kinds of statements. What is it made
//! of?
//!
//! **Idea.** Variables become slots with kinds, commands of the flow graph become short lists of instructions.
//! Locations and edges keep their numbers. Whatever is convenient in a language (`&&`, `schoose`, `cas`,
//! `fetch_and_add`, locks, joins, results of calls) is gone here: see `expr.rs` and `command.rs`.
//!
//! **Claim.** What the code does is what the program means: there is no other definition of that.

mod claim;
mod command;
mod expr;
mod operate;

pub use claim::{Claim, Who};
pub use operate::Undefined;

use std::sync::Arc;

use selvedge_core::{Code, Control, Declared, Edge, Index, Kind, Location, Procedure, Site};
use selvedge_model::Patience;

use crate::flow::{Command, Flow};
use crate::{Program, Span, Type, Value, Variable};

/// Facts about the threads that compiling depends on.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// How many there are at the beginning.
    pub count: usize,
    /// Whether more are started.
    pub started: bool,
}

/// Compiles programs to the core.
pub struct Compiler<'p> {
    program: &'p Program,
    flow: &'p Flow,
    threads: Threads,
    /// The first slot of each shared variable.
    globals: Vec<usize>,
    /// The first slot of each variable of each procedure.
    locals: Vec<Vec<usize>>,
}

impl<'p> Compiler<'p> {
    /// A compiler of a program and its flow graph.
    #[must_use]
    pub fn new(program: &'p Program, flow: &'p Flow, threads: Threads) -> Self {
        let globals = first_slots(&program.globals);
        let locals = program.procs.iter().map(|proc| first_slots(&proc.locals)).collect();
        Compiler { program, flow, threads, globals, locals }
    }

    /// The first slot of each variable of a procedure.
    #[must_use]
    pub fn first_slots(&self, proc: selvedge_core::ProcId) -> &[usize] {
        &self.locals[proc.index()]
    }

    /// The code of the program.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code_within(&Patience::default())
    }

    /// The code of the program, as far as patience allows: the caller has to check whether it is whole.
    #[must_use]
    pub fn code_within(&self, patience: &Patience) -> Code {
        let locations =
            self.flow.locations.iter().zip(&self.flow.live).map(|(at, live)| Location {
                proc: at.proc,
                atomic: at.atomic,
                edges: at.edges.clone().into(),
                site: site(at.span),
                dead: live.dead.clone(),
            });
        let edges = self.flow.edges.iter().take_while(|_| patience.lasts(1)).map(|edge| {
            let (code, temps) = self.command(self.flow.location(edge.from).proc, edge);
            Edge {
                from: edge.from,
                to: edge.to,
                code,
                temps,
                control: control(&edge.command),
                starts: matches!(edge.command, Command::Async { .. } | Command::StartThread { .. }),
                site: site(edge.span),
            }
        });
        let procs = self.program.procs.iter().zip(&self.flow.entries).map(|(proc, entry)| {
            let (params, _) = proc.locals.split_at(proc.params);
            Procedure {
                entry: *entry,
                frame: self.declared(&proc.locals),
                params: params.iter().map(|param| param.ty.slots()).sum(),
                results: proc.results.iter().map(|ty| self.kind(ty)).collect(),
            }
        });
        Code {
            shared: self.declared(&self.program.globals),
            procs: procs.collect(),
            locations: locations.collect(),
            edges: edges.collect(),
        }
    }

    fn declared(&self, variables: &[Variable]) -> Box<[Declared]> {
        let slots = variables.iter().flat_map(|variable| {
            let kind = self.kind(&variable.ty);
            let unset = if kind == Kind::Thread { Value::Small(0) } else { Value::Open };
            let name = name(&variable.name);
            (0..variable.ty.slots()).map(move |slot| Declared {
                kind: kind.clone(),
                name: name.clone(),
                first: variable.init.get(slot).unwrap_or(&unset).clone(),
                looks: variable.looks.clone(),
                site: site(variable.span),
            })
        });
        slots.collect()
    }

    /// The kind of the scalars of a type.
    #[must_use]
    pub fn kind(&self, ty: &Type) -> Kind {
        match ty.scalar() {
            Type::Bool => Kind::Bool,
            Type::Int | Type::Array { .. } => Kind::Int,
            Type::Range { lo, hi } => Kind::range(lo.clone(), hi.clone()),
            Type::Machine { bits, signed } => Kind::Machine { bits: *bits, signed: *signed },
            Type::Enum(id) => Kind::Tag(self.program.enums[id.index()].enumerators.len() as u64),
            Type::ThreadId => Kind::Thread,
            // A lock holds its owner, where that matters.
            Type::Lock if !self.flow.tracks_owners => Kind::Tag(2),
            Type::Lock if self.threads.started => Kind::Thread,
            Type::Lock => Kind::Tag(1 + self.threads.count.max(1) as u64),
        }
    }

    /// The shared slots that are locks.
    #[must_use]
    pub fn locks(&self) -> Vec<usize> {
        let globals = self.program.globals.iter();
        let slots = globals.flat_map(|v| std::iter::repeat_n(v.ty.scalar(), v.ty.slots()));
        slots.enumerate().filter(|(_, ty)| **ty == Type::Lock).map(|(slot, _)| slot).collect()
    }
}

/// The first slot of each variable.
pub(crate) fn first_slots(variables: &[Variable]) -> Vec<usize> {
    let mut next = 0;
    let firsts = variables.iter().map(|variable| {
        next += variable.ty.slots();
        next - variable.ty.slots()
    });
    firsts.collect()
}

/// Where a piece of the text begins.
pub(crate) fn site(span: Span) -> Site {
    Site(span.start)
}

/// A variable in messages.
fn name(variable: &str) -> Arc<str> {
    format!("`{variable}`").into()
}

fn control(command: &Command) -> Control {
    match command {
        Command::Call { proc, .. } => Control::Call(*proc),
        Command::Receive { from, .. } => Control::Receive(*from),
        Command::Return(_) => Control::Return,
        _ => Control::Goto,
    }
}

/// The steps into an array of a type.
pub(crate) fn dimensions(mut ty: &Type) -> impl Iterator<Item = (u32, usize)> {
    std::iter::from_fn(move || {
        let Type::Array { element, length } = ty else { return None };
        ty = element;
        Some((*length, element.slots()))
    })
}

fn index(value: selvedge_core::Expr, (length, stride): (u32, usize)) -> Index {
    Index { value, length, stride }
}
