//! # Values from outside
//!
//! **Question.** `__VERIFIER_nondet_int()` gives one of 2³² values. Which of them need a look?
//!
//! **Idea.** A value that is only copied, and compared with constants, is known by the answers to these comparisons. So one value for
//! each of the intervals between the constants is enough: the constants themselves, one between each two, one below all and
//! one above.
//!
//! **Claim.** Let a value be stored, passed, returned and converted to a type that keeps all its values apart, and otherwise only be tested: against
//! constants, by `switch`, or for being 0. Then the runs with any value are those with the values here, but for the value itself: two values
//! with the same answers to all tests that can ever be made lead to the same steps. A value that is also read with another sign, by a
//! conversion or through memory, has one half of its values moved by a power of two: the constants are moved as well, and the
//! borders between the halves are constants, too.
//!
//! **Moved values** (`sources`). A value plus a constant is known by the value. Each test of it is one of the value itself: against another constant, and against those from
//! which on the sum wraps around. So these constants are added to the others.
//!
//! **Values that meet.** Let n calls, each of which happens once, give values that are compared with each other and with constants, and not moved. What happens depends on the order of
//! these values and constants only, and every order that n numbers can have with the constants is one of numbers at most n away from a constant: those between two constants can be
//! moved down to just above the lower one, those below all up to just below the first. A call happens once if it is in no loop, in `main` or in the first function of a thread that is started
//! once; or its value never leaves the activation of its function, and then each activation is a world of its own.
//!
//! **Otherwise** (other arithmetic, an index, a comparison with what is not known) the value stays open: it is forgotten for a proof, and some values are tried for a violation.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::foreseen::{bounds, is_mentioned, variable};
use super::points::{Points, Target};
use super::ranges::{Range, ranges};
use super::sources::{Origin, Sources};
use super::unset::Kinds;
use super::visit::{each_expr, each_inner, each_part, each_statement, jumps_back};
use crate::c::typed::*;
use crate::c::types::Type;

/// Facts about values from outside that decide how they are chosen.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// The constants that the value of a call is compared with.
    constants: BTreeMap<Span, BTreeSet<i128>>,
    /// Constants that matter only because sums wrap around.
    far: BTreeMap<Span, BTreeSet<i128>>,
    /// Calls whose values are used in other ways.
    open: BTreeSet<Span>,
    /// Calls whose values are also read as values of another sign.
    mixed: BTreeSet<Span>,
    /// Calls with too many values to list, and loops that count as long as such a value says.
    vague: BTreeSet<Span>,
    /// How many values meet where the value of a call is compared.
    meeting: BTreeMap<Span, i128>,
    /// The values of calls that are assumed to be in a range at once, or tested for that.
    ranges: BTreeMap<Span, Range>,
    /// Constants that what is computed of values is compared with, and those that it is computed with: values to try.
    hints: Hints,
}

impl Choices {
    /// Looks at all uses of values from outside.
    pub(super) fn new<'u>(
        unit: &'u Unit,
        points: &mut Points<'u>,
        single: &BTreeSet<FunctionId>,
    ) -> Self {
        Choices::of_memory(unit, points, single, BTreeMap::new())
    }

    /// Looks at all uses of values from outside, and of what memory holds before it is written, by where it is declared or made.
    pub(super) fn of_memory<'u>(
        unit: &'u Unit,
        points: &mut Points<'u>,
        single: &BTreeSet<FunctionId>,
        memory: BTreeMap<Span, Kinds>,
    ) -> Self {
        let mut look = Look {
            unit,
            points,
            found: Choices::default(),
            at: FunctionId(0),
            sites: BTreeMap::new(),
            sources: Sources::new(unit),
            met: BTreeSet::new(),
            moved: BTreeSet::new(),
            plain: BTreeSet::new(),
            memory,
        };
        look.found.ranges = ranges(unit, &look.points.addressed);
        look.find_sites(single);
        loop {
            for (number, function) in unit.functions.iter().enumerate() {
                look.at = FunctionId(number as u32);
                look.block(function.body.as_deref().unwrap_or_default());
            }
            look.settle();
            let wide = |call: &&Span| match look.sites.get(*call).map(|site| &site.ty) {
                Some(Type::Int { bits, .. }) => *bits > 8,
                _ => false,
            };
            let listed = |call: &&Span| look.found.listed(**call).is_none();
            let wide = look.found.open.iter().filter(wide).filter(listed);
            let wide: Vec<Span> = wide.copied().collect();
            look.found.vague.extend(wide);
            if !look.widen_loops() {
                return look.found;
            }
        }
    }

    /// Whether the value of a call is one that nothing is known of.
    pub(super) fn is_vague(&self, call: Span) -> bool {
        self.vague.contains(&call)
    }

    /// Some values of a call: the smallest, the largest, and those around 0 and the constants that it is compared with.
    pub(super) fn samples(&self, call: Span, from: i128, to: i128) -> Vec<i128> {
        let constants = self.constants.get(&call).into_iter().flatten();
        let range = self.ranges.get(&call);
        let (least, greatest) = range.map_or((from, to), |range| (range.least, range.greatest));
        // Loops that count up to very large numbers are not followed.
        let near = constants
            .flat_map(|&constant| [constant - 1, constant, constant + 1])
            .chain([least, greatest])
            .filter(|value| value.abs() <= LARGEST_SAMPLE);
        // Who reads a value with another sign sees it moved by as many as there are.
        let all = if self.mixed.contains(&call) { to - from + 1 } else { 0 };
        let near = near.flat_map(|value| [value, value - all, value + all]);
        let first: BTreeSet<i128> = [from, -1, 0, 1, 2, 3, to].into_iter().chain(near).collect();
        let is_one = |value: &i128| (from.max(least)..=to.min(greatest)).contains(value);
        let mut values: BTreeSet<i128> =
            first.into_iter().filter(is_one).take(MOST_SAMPLES).collect();
        for value in self.hints.values().filter(is_one) {
            if values.len() >= 2 * MOST_SAMPLES {
                break;
            }
            values.insert(value);
        }
        if values.is_empty() {
            values.insert(least.clamp(from, to));
        }
        values.into_iter().collect()
    }

    /// All values of a call, if they are few by what is assumed of them.
    fn listed(&self, call: Span) -> Option<Vec<i128>> {
        let Range { least, greatest, leaving } = self.ranges.get(&call)?;
        (greatest - least < MOST_LISTED).then(|| {
            let all: BTreeSet<i128> = (*least..=*greatest).chain(leaving.iter().copied()).collect();
            all.into_iter().collect()
        })
    }

    /// The values of a call that are enough, if they are from one number to another; nothing if all of them may matter.
    pub(super) fn enough(&self, call: Span, from: i128, to: i128) -> Option<Vec<i128>> {
        if self.open.contains(&call) {
            return self.listed(call);
        }
        let mut constants = self.constants.get(&call).cloned().unwrap_or_default();
        constants.extend(self.far.get(&call).into_iter().flatten());
        if self.mixed.contains(&call) {
            // A change of the sign moves one half of the values by a power of two, and each may be followed by another.
            let powers = [8, 16, 32, 64].map(|bits| 1_i128 << bits);
            constants.insert(0);
            constants.extend(powers.map(|power| power / 2));
            for _ in 0..2 {
                let moved: Vec<i128> = (constants.iter())
                    .flat_map(|constant| powers.map(|power| [constant - power, constant + power]))
                    .flatten()
                    .collect();
                constants.extend(moved);
            }
        }
        let near = self.meeting.get(&call).copied().unwrap_or(1);
        let mut values = BTreeSet::new();
        for constant in constants {
            values.extend(constant.saturating_sub(near)..=constant.saturating_add(near));
        }
        values.retain(|value| (from..=to).contains(value));
        if values.is_empty() {
            let first = 0.clamp(from, to);
            values.extend((first..first + near).filter(|value| *value <= to));
        }
        Some(values.into_iter().collect())
    }
}

/// Values worth a try where not all can be tried.
#[derive(Debug, Default)]
struct Hints {
    /// Constants that what is computed is compared with.
    results: BTreeSet<i128>,
    /// Constants that it is computed with.
    operands: BTreeSet<i128>,
}

impl Hints {
    /// Values that an operation with one of the operands may lead from to one of the results, those first that need none.
    fn values(&self) -> impl Iterator<Item = i128> {
        let pairs = || {
            let each = |&result: &i128| self.operands.iter().map(move |&with| (result, with));
            self.results.iter().flat_map(each)
        };
        let plain = self.results.iter().flat_map(|&c| [c, -c, -c - 1]);
        let shifted = self.results.iter().filter(|c| **c > 0).map(|c| i128::from(c.ilog2()));
        let undone = pairs().flat_map(|(c, k)| {
            let quotient = c.checked_div(k).unwrap_or(c);
            [quotient, c ^ k, c.saturating_add(k), c.saturating_sub(k), c.saturating_mul(k)]
        });
        // Of a remainder: some numbers further on.
        let further = pairs().flat_map(|(c, k)| {
            [10, 100].map(|times: i128| k.saturating_mul(times).saturating_add(c))
        });
        plain.chain(shifted).chain(undone).chain(further).filter(|v| v.abs() <= LARGEST_SAMPLE)
    }
}

/// Larger values are not tried where all cannot be, but for the largest and the smallest of the type.
const LARGEST_SAMPLE: i128 = 1 << 24;

/// More values than this are not listed where all matter.
const MOST_LISTED: i128 = 32;

/// More values than this are not tried where all cannot be.
const MOST_SAMPLES: usize = 12;

struct Look<'p, 'u> {
    unit: &'u Unit,
    points: &'p mut Points<'u>,
    found: Choices,
    at: FunctionId,
    sites: BTreeMap<Span, Site>,
    sources: Sources,
    /// Calls whose values are compared with each other.
    met: BTreeSet<(Span, Span)>,
    /// Calls whose values are moved by constants.
    moved: BTreeSet<Span>,
    /// Calls whose values are tested where it is not known by how much they are moved.
    plain: BTreeSet<Span>,
    /// The types of memory that is read before it is written.
    memory: BTreeMap<Span, Kinds>,
}

/// A call of a function that gives a value from outside.
#[derive(Debug)]
struct Site {
    /// The type of its result.
    ty: Type,
    /// Where it happens once: in the run, or in the activation of a function; nothing if it may happen more often.
    once: Option<World>,
}

/// Where something happens once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum World {
    Run,
    Activation(FunctionId),
}

/// More values of one call than this are not listed.
const MOST_VALUES: usize = 64;

impl<'u> Look<'_, 'u> {
    /// Finds all calls.
    fn find_sites(&mut self, single: &BTreeSet<FunctionId>) {
        let unit = self.unit;
        for (number, function) in unit.functions.iter().enumerate() {
            let at = FunctionId(number as u32);
            let body = function.body.as_deref().unwrap_or_default();
            let comes_back = jumps_back(body);
            // What is called may be called again, although never twice at once.
            let is_first = match function.name.as_str() {
                "main" => !is_mentioned(unit, at),
                _ => self.points.started.contains(&at),
            };
            let happens_once = is_first && single.contains(&at);
            for statement in body {
                each_part(statement, comes_back, &mut |expr, repeats| {
                    each_inner(expr, repeats, &mut |expr, repeats| {
                        let ExprKind::Call(..) = expr.kind else { return };
                        let confined = self.points.stays_in(Target::Choice(expr.span), at);
                        let once = match repeats {
                            true => None,
                            false if happens_once => Some(World::Run),
                            false => confined.then_some(World::Activation(at)),
                        };
                        let site = Site { ty: expr.ty.clone(), once };
                        if let Some(other) = self.sites.insert(expr.span, site) {
                            // Two of the same text: who is who is not known.
                            self.sites.insert(expr.span, Site { once: None, ..other });
                        }
                    });
                });
            }
        }
    }

    /// Decides which values that meet, or are moved, need to be known only near constants.
    fn settle(&mut self) {
        let lost: Vec<Span> = self.moved.intersection(&self.plain).copied().collect();
        self.found.open.extend(lost);
        let mut groups: Vec<BTreeSet<Span>> = Vec::new();
        for &(a, b) in &self.met {
            let mut group = BTreeSet::from([a, b]);
            groups.retain(|other| {
                let is_apart = other.is_disjoint(&group);
                if !is_apart {
                    group.extend(other);
                }
                is_apart
            });
            groups.push(group);
        }
        for group in groups {
            let worlds: Vec<_> =
                group.iter().map(|call| self.sites.get(call).and_then(|site| site.once)).collect();
            let types: Vec<_> = group.iter().map(|c| self.sites.get(c).map(|s| &s.ty)).collect();
            let constants: BTreeSet<i128> = group
                .iter()
                .flat_map(|call| self.found.constants.get(call).into_iter().flatten().copied())
                .collect();
            let near = group.len();
            let is_plain = |call: &Span| {
                !self.found.mixed.contains(call)
                    && !self.found.open.contains(call)
                    && (near == 1 || !self.moved.contains(call))
            };
            let is_known = worlds[0].is_some()
                && worlds.iter().all(|world| *world == worlds[0])
                && types.iter().all(|ty| *ty == types[0])
                && group.iter().all(is_plain)
                && constants.len() * (2 * near + 1) <= MOST_VALUES;
            if !is_known {
                self.found.open.extend(group);
                continue;
            }
            for call in group {
                self.found.meeting.insert(call, near as i128);
                self.found.constants.entry(call).or_default().extend(&constants);
            }
        }
    }

    /// The origins of an expression's value.
    fn origins(&self, expr: &'u Expr) -> Option<BTreeSet<Origin>> {
        self.sources.of(self.unit, self.at, expr)
    }

    /// A value that is moved is held against a constant.
    fn borders(&mut self, call: Span, offset: i128, constant: i128) {
        let size = match self.sites.get(&call).and_then(|site| bounds(&site.ty)) {
            Some((lo, hi)) => hi - lo + 1,
            None => {
                self.found.open.insert(call);
                return;
            }
        };
        let here = constant - offset;
        self.found.constants.entry(call).or_default().insert(here);
        if offset != 0 {
            // It wraps around by the type of the call, and in a wider one by that as well.
            let by = [8, 16, 32, 64].map(|bits| 1_i128 << bits);
            let by = by.into_iter().chain([size]).filter(|by| *by >= size);
            let once: BTreeSet<i128> = by.flat_map(|by| [-by, 0, by]).collect();
            let twice = once.iter().flat_map(|a| once.iter().map(move |b| here + a + b));
            self.found.far.entry(call).or_default().extend(twice.filter(|far| *far != here));
        }
    }

    /// A sum is made of what is known of its parts: its value is followed.
    fn is_moved(&mut self, origins: Option<BTreeSet<Origin>>) -> bool {
        let Some(origins) = origins else { return false };
        for origin in origins {
            if let Origin::Outside(call, offset) = origin
                && offset != 0
                && let Some((lo, hi)) = self.sites.get(&call).and_then(|site| bounds(&site.ty))
            {
                self.moved.insert(call);
                self.found.far.entry(call).or_default().extend([lo - offset, hi - offset]);
            }
        }
        true
    }

    /// Two values are compared of which neither is a constant.
    fn meet(&mut self, a: &'u Expr, b: &'u Expr) {
        let (Some(left), Some(right)) = (self.origins(a), self.origins(b)) else {
            self.opened(a);
            self.opened(b);
            return;
        };
        for x in &left {
            for y in &right {
                match (*x, *y) {
                    (Origin::Outside(call, offset), Origin::Constant(constant))
                    | (Origin::Constant(constant), Origin::Outside(call, offset)) => {
                        self.borders(call, offset, constant);
                    }
                    (Origin::Outside(a, _), Origin::Outside(b, _)) => {
                        self.met.insert((a, b));
                    }
                    (Origin::Constant(_), Origin::Constant(_)) => {}
                }
            }
        }
    }

    fn block(&mut self, block: &'u [Stmt]) {
        for statement in block {
            self.tests(statement);
            each_part(statement, false, &mut |expr, _| self.value(expr));
        }
    }

    /// The conditions of statements, inner ones as well; their expressions are seen as values elsewhere.
    fn tests(&mut self, statement: &'u Stmt) {
        each_statement(std::slice::from_ref(statement), &mut |statement| match &statement.kind {
            StmtKind::If(cond, ..) | StmtKind::While(cond, _) | StmtKind::DoWhile(_, cond) => {
                self.tested(cond);
            }
            StmtKind::For { cond, .. } => cond.iter().for_each(|cond| self.tested(cond)),
            StmtKind::Switch(value, body) => {
                let mut borders = Vec::new();
                cases(body, &mut borders);
                for border in borders {
                    self.compared(value, border);
                }
            }
            _ => {}
        });
    }

    /// What a loop counts whose end depends on a value that nothing is known of may be anything, too. Says whether there is more of
    /// that than before.
    fn widen_loops(&mut self) -> bool {
        let unit = self.unit;
        let before = self.found.vague.len();
        for (number, function) in unit.functions.iter().enumerate() {
            self.at = FunctionId(number as u32);
            let mut loops = Vec::new();
            each_loop(function.body.as_deref().unwrap_or_default(), &mut loops);
            for (statement, cond, step, body) in loops {
                let mut is_vague = false;
                each_expr(cond, &mut |inner| {
                    is_vague |=
                        self.carried(inner).iter().any(|call| self.found.vague.contains(call));
                });
                if !is_vague || self.found.vague.contains(&statement.span) {
                    continue;
                }
                let mut counted = Vec::new();
                let mut see = |expr: &'u Expr| {
                    each_expr(expr, &mut |inner| {
                        if let ExprKind::AssignWith { place, .. } = &inner.kind {
                            counted.push(&**place);
                        }
                    });
                };
                step.into_iter().for_each(&mut see);
                for inner in body {
                    each_part(inner, false, &mut |expr, _| see(expr));
                }
                self.found.vague.insert(statement.span);
                self.found.open.insert(statement.span);
                for place in counted {
                    let targets = self.points.places(Some(self.at), place);
                    self.points.widen(targets, Target::Choice(statement.span));
                }
            }
        }
        self.found.vague.len() > before
    }

    /// The calls whose values an expression may have.
    fn carried(&mut self, expr: &'u Expr) -> Vec<Span> {
        let targets = self.points.expr(Some(self.at), expr);
        let choice = |target| match target {
            Target::Choice(call) => Some(call),
            _ => None,
        };
        targets.into_iter().filter_map(choice).collect()
    }

    fn opened(&mut self, expr: &'u Expr) {
        let calls = self.carried(expr);
        self.found.open.extend(calls);
    }

    /// A value is held against a constant.
    fn compared(&mut self, expr: &'u Expr, constant: i128) {
        match self.origins(expr) {
            Some(origins) => {
                for origin in origins {
                    if let Origin::Outside(call, offset) = origin {
                        self.borders(call, offset, constant);
                    }
                }
            }
            None => {
                for call in self.carried(expr) {
                    self.found.constants.entry(call).or_default().insert(constant);
                    self.plain.insert(call);
                }
            }
        }
    }

    /// A value is read from memory, perhaps by another type than it was written by.
    fn read_as(&mut self, expr: &'u Expr) {
        for call in self.carried(expr) {
            if let Some(kinds) = self.memory.get(&call) {
                if !kinds.keep(&expr.ty) {
                    self.found.mixed.insert(call);
                }
                continue;
            }
            let keeps = match (self.sites.get(&call).map(|site| &site.ty), &expr.ty) {
                (
                    Some(Type::Int { bits: from, signed: a, .. }),
                    Type::Int { bits: to, signed: b, .. },
                ) => a == b && from <= to || !a && *b && from < to,
                (_, Type::Bool) | (Some(Type::Bool), _) => true,
                _ => false,
            };
            if !keeps {
                self.found.mixed.insert(call);
            }
        }
    }

    /// An expression is compared with 0.
    fn tested(&mut self, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Not(inner) => self.tested(inner),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.tested(a);
                self.tested(b);
            }
            ExprKind::Compare(..) => {}
            _ => self.compared(expr, 0),
        }
    }

    /// Looks at how an expression uses the values inside of it.
    fn value(&mut self, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Floating(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Load(lvalue) => {
                self.read_as(expr);
                self.lvalue(lvalue);
            }
            ExprKind::Address(lvalue) => self.lvalue(lvalue),
            ExprKind::Unary(_, inner) => {
                self.opened(inner);
                self.value(inner);
            }
            ExprKind::Not(inner) => {
                self.tested(inner);
                self.value(inner);
            }
            ExprKind::Convert(inner) => {
                self.converted(expr, inner);
                self.value(inner);
            }
            ExprKind::Arithmetic(Arithmetic::Add | Arithmetic::Sub, a, b)
                if {
                    let origins = self.origins(expr);
                    self.is_moved(origins)
                } =>
            {
                self.value(a);
                self.value(b);
            }
            ExprKind::Arithmetic(_, a, b)
            | ExprKind::Offset(a, b)
            | ExprKind::Difference(a, b, _) => {
                if let (Some(value), None) | (None, Some(value)) = (constant(a), constant(b))
                    && !self.carried(expr).is_empty()
                {
                    self.found.hints.operands.insert(value);
                }
                self.opened(a);
                self.opened(b);
                self.value(a);
                self.value(b);
            }
            ExprKind::Compare(_, a, b) => {
                match (constant(a), constant(b)) {
                    (_, Some(value)) => self.compared(a, value),
                    (Some(value), _) => self.compared(b, value),
                    (None, None) => self.meet(a, b),
                }
                if let (Some(value), None) | (None, Some(value)) = (constant(a), constant(b))
                    && (!self.carried(a).is_empty() || !self.carried(b).is_empty())
                {
                    self.found.hints.results.insert(value);
                }
                self.value(a);
                self.value(b);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.tested(a);
                self.tested(b);
                self.value(a);
                self.value(b);
            }
            ExprKind::Elvis(a, b) => {
                self.tested(a);
                self.value(a);
                self.value(b);
            }
            ExprKind::Conditional(cond, a, b) => {
                self.tested(cond);
                [cond, a, b].into_iter().for_each(|e| self.value(e));
            }
            ExprKind::Comma(a, b) => {
                self.value(a);
                self.value(b);
            }
            ExprKind::Assign(place, value) => {
                self.lvalue(place);
                self.value(value);
            }
            ExprKind::AssignWith { place, value, .. }
                if {
                    let held = variable(self.at, place).and_then(|var| self.sources.held_by(var));
                    self.is_moved(held)
                } =>
            {
                self.value(value);
            }
            ExprKind::AssignWith { place, value, .. } => {
                let held = self.points.places(Some(self.at), place);
                let held = held.into_iter().flat_map(|target| self.points.held(target));
                let calls: Vec<Span> = held
                    .filter_map(|target| match target {
                        Target::Choice(call) => Some(call),
                        _ => None,
                    })
                    .collect();
                self.found.open.extend(calls);
                self.opened(value);
                self.lvalue(place);
                self.value(value);
            }
            ExprKind::Call(callee, args) => {
                // Some calls read memory, perhaps by another type than it was written by.
                self.read_as(expr);
                self.call(callee, args);
            }
            ExprKind::Statement(block, value) => {
                self.block(block);
                value.iter().for_each(|value| self.value(value));
            }
        }
    }

    fn lvalue(&mut self, lvalue: &'u Lvalue) {
        match &lvalue.kind {
            LvalueKind::Local(_) | LvalueKind::Object(_) => {}
            LvalueKind::Deref(e) => {
                // An address that is a value from outside.
                self.opened(e);
                self.value(e);
            }
            LvalueKind::Temporary(e) => self.value(e),
            LvalueKind::Member(inner, ..) => self.lvalue(inner),
            LvalueKind::Element(inner, index) => {
                self.opened(index);
                self.value(index);
                self.lvalue(inner);
            }
        }
    }

    /// A conversion keeps values apart if it has room for all of them.
    fn converted(&mut self, expr: &'u Expr, inner: &'u Expr) {
        let calls = self.carried(inner);
        if calls.is_empty() {
            return;
        }
        match (&inner.ty, &expr.ty) {
            (_, Type::Bool) => self.compared(inner, 0),
            (_, Type::Void | Type::Floating(_)) | (Type::Bool, Type::Int { .. }) => {}
            (Type::Int { bits: from, signed: a, .. }, Type::Int { bits: to, signed: b, .. })
                if to >= from =>
            {
                if a != b {
                    self.found.mixed.extend(calls);
                }
            }
            _ => self.found.open.extend(calls),
        }
    }

    fn call(&mut self, callee: &'u Callee, args: &'u [Expr]) {
        args.iter().for_each(|arg| self.value(arg));
        if let Callee::Pointer(pointer) = callee {
            self.value(pointer);
        }
        let name = match callee {
            Callee::Builtin(name) => name.as_str(),
            Callee::Direct(function) => {
                let function = &self.unit.functions[function.index()];
                if function.body.is_some() {
                    return;
                }
                function.name.as_str()
            }
            Callee::Pointer(_) => return,
        };
        let only_passes = name.contains("printf")
            || matches!(name, "__VERIFIER_assume" | "exit" | "srand" | "sleep" | "usleep" | "free")
            || name.starts_with("__VERIFIER_nondet")
            || ["__atomic_load", "__atomic_store", "__atomic_exchange", "__builtin_expect"]
                .iter()
                .any(|p| name.starts_with(p));
        for arg in args {
            match name {
                "__VERIFIER_assume" => self.tested(arg),
                _ if only_passes => {}
                _ => self.opened(arg),
            }
        }
        // What is read and changed in one step is more than passed on.
        if name.starts_with("__sync") || name.starts_with("__atomic") && !only_passes {
            for target in
                args.first().map(|arg| self.points.expr(Some(self.at), arg)).unwrap_or_default()
            {
                for held in self.points.held(target) {
                    if let Target::Choice(call) = held {
                        self.found.open.insert(call);
                    }
                }
            }
        }
    }
}

/// The value of a constant, behind conversions that the checker has left.
pub(super) fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Unary(Unary::Minus, inner) => {
            let (lo, hi) = bounds(&expr.ty)?;
            Some(-constant(inner)?).filter(|value| (lo..=hi).contains(value))
        }
        ExprKind::Convert(inner) if matches!(expr.ty, Type::Int { .. }) => {
            let value = constant(inner)?;
            let Type::Int { bits, signed, .. } = expr.ty else { return None };
            let half = 1_i128 << (bits - 1).min(126);
            let (lo, hi) = if signed { (-half, half - 1) } else { (0, 2 * (half - 1) + 1) };
            (lo..=hi).contains(&value).then_some(value)
        }
        _ => None,
    }
}

/// The borders of the cases of a `switch`, those of inner ones as well.
fn cases(block: &[Stmt], found: &mut Vec<i128>) {
    each_statement(block, &mut |statement| {
        if let StmtKind::Case(from, to) = &statement.kind {
            found.extend([*from, *to]);
        }
    });
}

/// A loop with its condition, what it does after each turn, and its body.
type Loop<'u> = (&'u Stmt, &'u Expr, Option<&'u Expr>, &'u [Stmt]);

/// All loops that have conditions, inner ones as well.
fn each_loop<'u>(block: &'u [Stmt], found: &mut Vec<Loop<'u>>) {
    each_statement(block, &mut |statement| match &statement.kind {
        StmtKind::While(cond, body) | StmtKind::DoWhile(body, cond) => {
            found.push((statement, cond, None, body));
        }
        StmtKind::For { cond: Some(cond), step, body } => {
            found.push((statement, cond, step.as_ref(), body));
        }
        _ => {}
    });
}
