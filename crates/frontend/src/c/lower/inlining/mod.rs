//! # Functions that get the addresses of local variables
//!
//! **Question.** `cas(&top, old, new, &done)` takes the address of a local variable, so that a pointer may point to it. Has it to be an object that all threads can find?
//!
//! **Idea.** Where a call gives such an address to a function that does nothing but read and write what it points to, the body of the function is written in its place. Then `*p` is the
//! variable itself, nobody holds its address, and it is one of the locals of its thread.
//!
//! **Claim.** The unit has the same runs, but for the steps of the call itself. A parameter that is never assigned, and whose own address is not taken, holds its argument all along; the
//! argument is the address of a variable or of a member of one, which nothing changes; so `*p` is that variable at any time, if it has the type of what is read. Other arguments are evaluated
//! once, in their order, into new variables, and a `return` leaves a value in another one and jumps to the end. The body of a function whose name says that it is one step stands
//! in an atomic section.
//!
//! **Where.** Which functions are simple enough is in `which`; `writer` goes through a function and finds the calls, and `copy` is the body in the place of one.
//!
//! **Needs.** A call that is a statement of its own, or whose value is the only thing that is not constant in the value of one; a function that is not recursive. Functions that start threads
//! or ask for values from outside stay as they are: these are known by their place in the text, of which there would be two.

mod copy;
mod which;
mod writer;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::visit::{each_call, each_expr, each_part, reached};
use crate::c::typed::*;
use crate::c::types::Type;
use which::{is_simple, size, targets};
use writer::Writer;

/// The deepest nesting of calls that are written out.
const DEEPEST: usize = 4;

const BEGIN: &str = "__VERIFIER_atomic_begin";
const END: &str = "__VERIFIER_atomic_end";

/// The unit with these functions written out; nothing if there are none.
pub(super) fn written_out(unit: &Unit) -> Option<Unit> {
    let mut made: Option<Unit> = None;
    for _ in 0..DEEPEST {
        let now = made.as_ref().unwrap_or(unit);
        let Some(next) = once(now) else { break };
        made = Some(next);
    }
    made
}

/// Writes out what can be written out without looking into what was written out.
fn once(unit: &Unit) -> Option<Unit> {
    let calls = calls(unit);
    let fits: BTreeSet<FunctionId> = (0..unit.functions.len() as u32)
        .map(FunctionId)
        .filter(|&f| is_simple(unit, f) && !reached(&calls, f).contains(&f))
        .collect();
    if fits.is_empty() {
        return None;
    }
    let inside = inside_of_sections(unit, &calls);
    let mut made = unit.clone();
    let (begin, end) = (named(&mut made, BEGIN), named(&mut made, END));
    let mut changed = false;
    for number in 0..unit.functions.len() as u32 {
        let at = FunctionId(number);
        let Some(body) = &unit.functions[at.index()].body else { continue };
        let own_section = is_section(&unit.functions[at.index()].name);
        let mut writer = Writer {
            unit,
            at,
            fits: &fits,
            function: unit.functions[at.index()].clone(),
            begin,
            end,
            targets: targets(body),
            section: match (own_section, inside.contains(&at)) {
                (true, _) => Some(true),
                (false, true) => None,
                (false, false) => Some(false),
            },
            size: size(body),
            changed: false,
        };
        let body = writer.block(body);
        if writer.changed {
            changed = true;
            made.functions[at.index()] = Function { body: Some(body), ..writer.function };
        }
    }
    changed.then_some(made)
}

/// Whether a function is one step by its name.
fn is_section(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && name != BEGIN && name != END
}

/// A function of the library by its name; it is declared if it is not.
pub(super) fn named(unit: &mut Unit, name: &str) -> FunctionId {
    let known = unit.functions.iter().position(|f| f.name == name && f.body.is_none());
    let number = known.unwrap_or_else(|| {
        unit.functions.push(Function {
            name: name.to_owned(),
            result: Type::Void,
            params: 0,
            variadic: false,
            locals: Vec::new(),
            labels: Vec::new(),
            body: None,
            span: Span::default(),
        });
        unit.functions.len() - 1
    });
    FunctionId(number as u32)
}

/// The functions that each function calls by name.
fn calls(unit: &Unit) -> BTreeMap<FunctionId, BTreeSet<FunctionId>> {
    let mut all: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for (number, function) in unit.functions.iter().enumerate() {
        let mine = all.entry(FunctionId(number as u32)).or_default();
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_call(expr, false, &mut |callee, _, _| match callee {
                    Callee::Direct(function) => drop(mine.insert(*function)),
                    // Whoever is called by its address is among those that are mentioned.
                    Callee::Pointer(_) | Callee::Builtin(_) => {}
                });
                each_expr(expr, &mut |expr| {
                    if let ExprKind::Function(function) = expr.kind {
                        mine.insert(function);
                    }
                });
            });
        }
    }
    all
}

/// Functions that may be called inside of an atomic section that began elsewhere.
fn inside_of_sections(
    unit: &Unit,
    calls: &BTreeMap<FunctionId, BTreeSet<FunctionId>>,
) -> BTreeSet<FunctionId> {
    let mut inside = BTreeSet::new();
    for (&function, called) in calls {
        let begins = called.iter().any(|f| unit.functions[f.index()].name == BEGIN);
        if begins || is_section(&unit.functions[function.index()].name) {
            inside.extend(reached(calls, function));
        }
    }
    inside
}
