//! # Programs in C are told in C
//! Says beside the program what its variables, addresses and steps are in the text: see [`selvedge_program::telling`].

use selvedge_program::Span;
use selvedge_program::telling::{Manner, Object, ObjectPart, Piece, Telling, Told};

use super::memory::{Leaf, Stored};
use super::{Lower, Options, VarRef, function_address};
use crate::c::typed::*;
use crate::c::types::{Type as CType, Types};

/// Facts for showing runs that are known before lowering: functions, statements and conditions, and what was asked about.
pub(super) fn telling(unit: &Unit, options: &Options) -> Telling {
    let mut telling = Telling { wrong: options.wrong(), ..Telling::default() };
    for (number, function) in unit.functions.iter().enumerate() {
        let address = function_address(FunctionId(number as u32));
        telling.functions.insert(address, function.name.clone());
        for statement in function.body.iter().flatten() {
            see(statement, &mut telling);
        }
    }
    telling
}

/// Notes the places of a statement, and of those inside of it.
fn see(statement: &Stmt, telling: &mut Telling) {
    let mut place = |span: Span, is_condition: bool| {
        telling.statements.insert(span);
        if is_condition {
            telling.conditions.insert(span);
        }
    };
    let mut all: Vec<&[Stmt]> = Vec::new();
    match &statement.kind {
        StmtKind::Expr(e) => place(e.span, false),
        StmtKind::Declare(..) | StmtKind::Return(_) => place(statement.span, false),
        StmtKind::Block(block) => all.push(block),
        StmtKind::If(_, a, b) => {
            place(statement.span, true);
            all.extend([a.as_slice(), b]);
        }
        StmtKind::Switch(value, body) => {
            place(value.span, false);
            all.push(body);
        }
        StmtKind::While(cond, body) | StmtKind::DoWhile(body, cond) => {
            place(cond.span, true);
            all.push(body);
        }
        StmtKind::For { cond, step, body } => {
            cond.iter().for_each(|cond| place(cond.span, true));
            step.iter().for_each(|step| place(step.span, false));
            all.push(body);
        }
        _ => {}
    }
    all.into_iter().flatten().for_each(|inner| see(inner, telling));
}

/// Whether values of a type are addresses.
pub(super) fn is_address(ty: &CType) -> bool {
    match ty {
        CType::Pointer(_) => true,
        CType::Atomic(inner) => is_address(inner),
        _ => false,
    }
}

/// Whether a variable comes from the macros of `stdatomic.h`.
pub(super) fn is_made(name: &str) -> bool {
    name.starts_with("__atomic_")
}

/// How a scalar of an object of this type is written, after the name of the object.
fn pieces(types: &Types, ty: &CType, leaf: &Leaf) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut written = String::new();
    let mut way = leaf.ways.first().into_iter().flatten();
    let mut at = ty;
    loop {
        match at {
            CType::Atomic(inner) => at = inner,
            CType::Array(element, _) => {
                pieces.push(Piece::Index);
                at = element;
            }
            CType::Record(id) => {
                let field = way.next().and_then(|number| types.record(*id).fields.get(*number));
                let Some(field) = field else { return pieces };
                if !field.name.is_empty() {
                    let name = format!(".{}", field.name);
                    written += &name;
                    pieces.push(Piece::Text(name));
                }
                at = &field.ty;
            }
            _ => break,
        }
    }
    // A part of something opaque.
    let part = leaf.name.strip_prefix(&written).filter(|part| !part.is_empty());
    pieces.extend(part.map(|part| Piece::Text(part.to_owned())));
    pieces
}

impl Lower<'_> {
    /// Says how a variable is told.
    pub(super) fn tell(&mut self, variable: Told, manner: Manner) {
        if let Some(telling) = &mut self.program.telling {
            telling.variables.insert(variable, manner);
        }
    }

    /// Says how the variables of an object are told, and what its addresses are; gives the name under which it is told.
    pub(super) fn tell_stored(&mut self, name: &str, ty: &CType, stored: &Stored) -> String {
        let Some(telling) = &mut self.program.telling else { return name.to_owned() };
        let taken = |name: &str| telling.objects.values().any(|object| object.name == name);
        let mut unique = name.to_owned();
        let mut number = 2;
        while taken(&unique) {
            unique = format!("{name}'{number}");
            number += 1;
        }
        let pool = stored.pool;
        let mut parts = Vec::new();
        for (leaf, var) in &stored.leaves {
            let VarRef::Global(global) = var else { continue };
            let inner = pieces(self.shapes.types, ty, leaf);
            let dimensions = leaf.dimensions.iter().skip(usize::from(pool.is_some()));
            parts.push(ObjectPart {
                offset: leaf.offset,
                dimensions: dimensions.map(|d| (d.length, d.stride)).collect(),
                pieces: inner.clone(),
            });
            let first = [Piece::Text(unique.clone())].into_iter();
            let which = pool.map(|pool| Piece::Object(pool.used));
            let manner = match leaf.c {
                CType::Floating(_) => Manner::Hidden,
                _ if is_made(name) => Manner::Hidden,
                _ => Manner::Written {
                    pieces: first.chain(which).chain(inner).collect(),
                    is_address: is_address(&leaf.c),
                },
            };
            telling.variables.insert(Told::Shared(*global), manner);
        }
        if let Some(pool) = pool {
            telling.variables.insert(Told::Shared(pool.used), Manner::Hidden);
        }
        let copies = pool.map(|pool| (pool.objects, pool.stride));
        let object = Object { name: unique.clone(), size: stored.size, copies, parts };
        telling.objects.insert(stored.base, object);
        unique
    }
}
