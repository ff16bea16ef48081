//! # Results that fit
//!
//! **Question.** Is there a signed result that does not fit into its type, in any schedule? For many programs the text shows that there is none, and no state has to be looked at.
//!
//! **Idea.** Every object that somebody else may see has one interval, which holds whatever is ever stored there. Variables of a function that nobody else can see have intervals at each place,
//! which follow the statements, and learn from tests (`walk`); what a test says of two of them is a fact (`facts`). What functions are given and what they return are intervals, too. All of them grow until nothing changes.
//!
//! **Counters.** A variable that is changed by `x += d` grows without an end in this way. But each such statement happens so many times and no more, if the text shows a bound (`turns`): then all sums of these
//! changes bound the variable, in whatever order they happen, and whether or not some are lost.
//!
//! **Claim.** If [`all_fit`] says so, no run of the program computes a signed result that does not fit, nor shifts by a number of bits that there is not. By induction over the steps of a run: all values are in the
//! intervals. A counter has a value that is one of those that were stored otherwise, and for each change at most once its summand: whoever adds has read such a value, and its chain does not have this change.
//!
//! **Needs.** Every pointer leads to objects that `points` knows, and objects are read as what was written there: where a text reads one as another type, all its values are open. Memory that is asked for
//! holds anything, always.
//!
//! **Otherwise** nothing is said, and runs are looked at.

mod cells;
mod facts;
mod range;
mod turns;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use super::foreseen::is_mentioned;
use super::points::{Points, Target};
use super::visit::{each_expr, each_part};
use crate::c::typed::*;
use range::{Range, hull};
use turns::Turns;

/// After this many passes, intervals grow to the next number that the text mentions.
const PATIENCE: usize = 4;

/// More passes than this are not made.
const MOST_PASSES: usize = 200;

/// Whether all signed results of a program surely fit.
pub(super) fn all_fit<'u>(unit: &'u Unit, points: &mut Points<'u>) -> bool {
    let Some(main) = unit.functions.iter().position(|f| f.name == "main" && f.body.is_some())
    else {
        return false;
    };
    // Who calls `main` again gives it what the text says; its first call has any arguments.
    if is_mentioned(unit, FunctionId(main as u32)) {
        return false;
    }
    let turns = Turns::new(unit, points);
    let mut look = Look {
        unit,
        points,
        turns,
        cells: BTreeMap::new(),
        open: BTreeSet::new(),
        derefs: BTreeMap::new(),
        changes: BTreeMap::new(),
        params: BTreeMap::new(),
        results: BTreeMap::new(),
        reached: BTreeSet::from([FunctionId(main as u32)]),
        numbers: numbers(unit),
        addressed: addressed(unit),
        pass: 0,
        grew: true,
        overflows: false,
        is_wild: false,
    };
    look.reached.extend(look.points.started.iter().copied());
    look.start();
    while look.grew {
        look.grew = false;
        look.pass += 1;
        if look.pass > MOST_PASSES || look.is_wild {
            return false;
        }
        // Only what was computed last counts.
        look.overflows = false;
        for function in look.reached.clone() {
            look.function(function);
        }
    }
    !look.overflows && !look.is_wild
}

/// The ranges of all values, as far as they are known.
struct Look<'p, 'u> {
    unit: &'u Unit,
    points: &'p mut Points<'u>,
    turns: Turns,
    /// The range of all values stored in an object, as integers of a width.
    cells: BTreeMap<(Target, u32), Range>,
    /// Objects of which nothing is known.
    open: BTreeSet<Target>,
    /// How objects are read and written through pointers to scalars.
    derefs: BTreeMap<Target, BTreeSet<u32>>,
    /// By how much statements change a variable, all times together.
    changes: BTreeMap<ObjectId, BTreeMap<*const Expr, Range>>,
    params: BTreeMap<(FunctionId, LocalId), Range>,
    /// What functions return, of those that do.
    results: BTreeMap<FunctionId, Option<Range>>,
    reached: BTreeSet<FunctionId>,
    /// Numbers of the text, and those beside them.
    numbers: BTreeSet<i128>,
    /// Local variables whose addresses are taken, wherever they go.
    addressed: BTreeSet<(FunctionId, LocalId)>,
    pass: usize,
    grew: bool,
    /// Whether some result may not fit.
    overflows: bool,
    /// Whether there may be stores to unknown objects.
    is_wild: bool,
}

impl Look<'_, '_> {
    /// A range with one more in it; where it grows again and again, up to the next number of the text.
    fn grown(&mut self, known: Option<Range>, more: Range, all: Range) -> Range {
        let Some(known) = known else {
            self.grew = true;
            return more;
        };
        let joined = hull(known, more);
        if joined == known {
            return known;
        }
        self.grew = true;
        if self.pass < PATIENCE {
            return joined;
        }
        self.widened(known, joined, all)
    }

    /// Widens a range to the next number in the text, or to all values of its type.
    fn widened(&self, known: Range, joined: Range, all: Range) -> Range {
        let below = self.numbers.range(..=joined.0).next_back().copied().unwrap_or(all.0);
        let above = self.numbers.range(joined.1..).next().copied().unwrap_or(all.1);
        let lo = if joined.0 < known.0 { below.max(all.0.min(joined.0)) } else { joined.0 };
        let hi = if joined.1 > known.1 { above.min(all.1.max(joined.1)) } else { joined.1 };
        (lo, hi)
    }
}

/// The numbers that a text mentions, and those beside them.
fn numbers(unit: &Unit) -> BTreeSet<i128> {
    let mut found = BTreeSet::new();
    let mut see = |expr: &Expr| {
        each_expr(expr, &mut |expr| {
            if let ExprKind::Int(value) = expr.kind {
                found.extend([value - 1, value, value + 1, -value]);
            }
        });
    };
    for function in &unit.functions {
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| see(expr));
        }
    }
    found
}

/// The local variables whose addresses are taken, or parts of which are.
fn addressed(unit: &Unit) -> BTreeSet<(FunctionId, LocalId)> {
    let mut found = BTreeSet::new();
    for (number, function) in unit.functions.iter().enumerate() {
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |expr| {
                    if let ExprKind::Address(lvalue) = &expr.kind
                        && let Some(local) = super::points::root_local(lvalue)
                    {
                        found.insert((FunctionId(number as u32), local));
                    }
                });
            });
        }
    }
    found
}
