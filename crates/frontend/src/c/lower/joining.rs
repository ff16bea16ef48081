//! # Threads that are joined twice
//! Whoever joins a thread that was joined before, or that is detached, does what POSIX leaves open. Only threads with numbers show it ([`super::threads`]), and these cost; so a text is looked at
//! first: whether one variable holds the id that is joined more often than it is written by a start, or is joined and detached. Elements of arrays count if their index is a constant.

use std::collections::BTreeMap;

use super::foreseen::{ids, root};
use super::points::{Target, direct_address};
use super::visit::{each_call, each_part};
use crate::c::typed::{Callee, Expr, ExprKind, FunctionId, Lvalue, LvalueKind, Unit};

/// A variable, or an element of one, by its indices.
type Key = (Target, Vec<i128>);

/// How often a variable is seen in the text.
#[derive(Clone, Copy, Default)]
struct Uses {
    started: usize,
    joined: usize,
    detached: usize,
    /// Whether it is joined in a loop, and whether it is started in one.
    joined_again: bool,
    started_again: bool,
}

/// Whether the text may join a thread twice, or one that is detached, as far as variables show it.
pub(super) fn may_join_twice(unit: &Unit) -> bool {
    let mut all: BTreeMap<Key, Uses> = BTreeMap::new();
    for (at, function) in ids(unit) {
        for statement in function.body.iter().flatten() {
            each_part(statement, !function.labels.is_empty(), &mut |expr, again| {
                each_call(expr, again, &mut |callee, args, again| {
                    let Callee::Direct(id) = callee else { return };
                    let name = unit.functions[id.index()].name.as_str();
                    let Some(key) = args.first().and_then(|arg| key(at, name, arg)) else { return };
                    let uses = all.entry(key).or_default();
                    match name {
                        "pthread_create" | "thrd_create" => {
                            uses.started += 1;
                            uses.started_again |= again;
                        }
                        "pthread_join" | "thrd_join" => {
                            uses.joined += 1;
                            uses.joined_again |= again;
                        }
                        _ => uses.detached += 1,
                    }
                });
            });
        }
    }
    all.values().any(|uses| {
        uses.joined > 1 && uses.joined > uses.started
            || uses.joined > 0 && uses.detached > 0
            || uses.started > 0 && uses.joined_again && !uses.started_again
    })
}

/// The variable that holds the id, where a function is given one.
fn key(at: FunctionId, name: &str, arg: &Expr) -> Option<Key> {
    match name {
        "pthread_create" | "thrd_create" => variable(at, direct_address(arg)?),
        "pthread_join" | "thrd_join" | "pthread_detach" | "thrd_detach" => match &arg.kind {
            ExprKind::Load(place) => variable(at, place),
            _ => None,
        },
        _ => None,
    }
}

fn variable(at: FunctionId, place: &Lvalue) -> Option<Key> {
    let mut indices = Vec::new();
    let mut inner = place;
    loop {
        match &inner.kind {
            LvalueKind::Element(array, index) => {
                let ExprKind::Int(index) = index.kind else { return None };
                indices.push(index);
                inner = array;
            }
            LvalueKind::Member(record, _, field) => {
                indices.push(i128::from(u32::try_from(*field).unwrap_or(u32::MAX)));
                inner = record;
            }
            _ => return Some((root(at, inner)?, indices)),
        }
    }
}
