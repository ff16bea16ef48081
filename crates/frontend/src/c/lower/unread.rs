//! # Values from outside that nobody reads
//!
//! **Question.** Of `int r = __VERIFIER_nondet_int(); r = a;` nobody ever sees the first value. Which values are like that?
//!
//! **Claim.** Let the address of a variable never be taken, and let every path from the start of a function, and from a statement that assigns a value
//! from outside to the variable, to a read of it assign something else first. If the variable is local, what is read was written by the other
//! assignment. If it is global, and such statements stand in `main` only, before any other thread is there, it was written by that one or by a later one, of another
//! thread perhaps, but not by such a statement. So the value does not matter.

use std::collections::BTreeSet;

use super::foreseen::{ids, is_mentioned, never_returns, opened, root, variable};
use super::must::{Event, Facts, follow};
use super::points::Target;
use super::visit::{each_call, each_expr, each_part, each_statement, flattened};
use crate::c::typed::*;

/// The statements of `main` before which no thread is started, and which are executed once.
fn before_threads(unit: &Unit) -> BTreeSet<*const Stmt> {
    let mut early = BTreeSet::new();
    let Some((main, function)) = ids(unit).find(|(_, f)| f.name == "main") else { return early };
    if is_mentioned(unit, main) {
        return early;
    }
    let starts = starting(unit);
    for statement in flattened(function.body.as_deref().unwrap_or_default()) {
        if matches!(statement.kind, StmtKind::Label(_)) || may_start(unit, statement, &starts) {
            break;
        }
        early.insert(std::ptr::from_ref(statement));
    }
    early
}

/// Functions that may start threads, as far as the text says.
fn starting(unit: &Unit) -> BTreeSet<FunctionId> {
    let mut starts = BTreeSet::new();
    loop {
        let before = starts.len();
        for (at, function) in ids(unit) {
            let mut statements = function.body.iter().flatten();
            if statements.any(|statement| may_start(unit, statement, &starts)) {
                starts.insert(at);
            }
        }
        if starts.len() == before {
            return starts;
        }
    }
}

/// Whether a statement may start a thread: by itself, by one of these functions, or by nobody knows whom.
fn may_start(unit: &Unit, statement: &Stmt, starts: &BTreeSet<FunctionId>) -> bool {
    let mut found = false;
    each_part(statement, false, &mut |expr, _| {
        each_call(expr, false, &mut |callee, _, _| {
            found |= match callee {
                Callee::Builtin(_) => false,
                Callee::Pointer(_) => true,
                Callee::Direct(function) => {
                    let name = unit.functions[function.index()].name.as_str();
                    starts.contains(function)
                        || matches!(name, "pthread_create" | "thrd_create" | "pthread_once")
                }
            };
        });
    });
    found
}

/// The variables of which no read sees what a statement of theirs got from outside.
pub(super) fn unread(unit: &Unit) -> BTreeSet<Target> {
    let mut all = BTreeSet::new();
    for (at, function) in ids(unit) {
        each_statement(function.body.as_deref().unwrap_or_default(), &mut |statement| {
            all.extend(opened(unit, at, statement).map(|(var, _)| var));
        });
    }
    let early = before_threads(unit);
    for (at, function) in ids(unit) {
        each_statement(function.body.as_deref().unwrap_or_default(), &mut |statement| {
            if let Some((var @ Target::Object(_), _)) = opened(unit, at, statement)
                && !early.contains(&std::ptr::from_ref(statement))
            {
                all.remove(&var);
            }
        });
    }
    for part in unit.objects.iter().flat_map(|object| &object.init) {
        each_expr(&part.value, &mut |expr| {
            if let ExprKind::Address(place) = &expr.kind
                && let Some(var) = root(FunctionId(0), place)
            {
                all.remove(&var);
            }
        });
    }
    let seen = read_early(unit, false);
    all.retain(|var| !seen.contains(var));
    all
}

/// The variables that are read where some path has not written them, or whose address is taken. A value from outside may count as written.
pub(super) fn read_early(unit: &Unit, counts_outside: bool) -> BTreeSet<Target> {
    let mut seen = BTreeSet::new();
    for (at, function) in ids(unit) {
        let mut reads = Reads { unit, at, counts_outside, seen };
        let params = (0..function.params).map(|number| Target::Local(at, LocalId(number as u32)));
        follow(&mut reads, function.body.as_deref().unwrap_or_default(), params.collect());
        seen = reads.seen;
    }
    seen
}

/// Follows which variables have been written.
struct Reads<'u> {
    unit: &'u Unit,
    at: FunctionId,
    /// Whether a value from outside is a value like others.
    counts_outside: bool,
    /// Variables that are read where a path has not written them, or whose address is taken.
    seen: BTreeSet<Target>,
}

impl<'u> Facts<'u> for Reads<'u> {
    type Fact = Target;

    fn takes(&self, statement: &'u Stmt) -> bool {
        !self.counts_outside && opened(self.unit, self.at, statement).is_some()
    }

    fn loses(&mut self, event: Event<'u>, written: &mut BTreeSet<Target>) {
        match event {
            Event::Whole(statement) => {
                if let Some((var, _)) = opened(self.unit, self.at, statement) {
                    written.remove(&var);
                }
            }
            Event::Born(local) => drop(written.remove(&Target::Local(self.at, local))),
            _ => {}
        }
    }

    fn gains(&mut self, event: Event<'u>, written: &mut BTreeSet<Target>) {
        match event {
            Event::Written(place) => written.extend(variable(self.at, place)),
            Event::Made(local) => drop(written.insert(Target::Local(self.at, local))),
            _ => {}
        }
    }

    fn meets(&mut self, event: Event<'u>, written: &BTreeSet<Target>) {
        match event {
            Event::Read(place) | Event::Changed(place) => {
                let var = root(self.at, place).filter(|var| !written.contains(var));
                self.seen.extend(var);
            }
            Event::Addressed(place) => self.seen.extend(root(self.at, place)),
            _ => {}
        }
    }

    fn ends(&self, callee: &'u Callee) -> bool {
        never_returns(self.unit, callee)
    }
}
