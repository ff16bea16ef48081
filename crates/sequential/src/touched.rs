//! # What a procedure touches
//!
//! **Question.** A summary relates the shared variables when a procedure is entered and when it
//! returns. Which of them need not be in it, since the procedure leaves them alone?
//!
//! **Idea.** Those that no command of the procedure, or of one that it calls, reads or writes. Where a
//! procedure is called with constants, as in `Philosopher(3)`, which elements of an array it touches
//! depends on them: so constants are followed through the locals, and a procedure has a *variant*
//! for constants with which it touches less. What a variant does not touch stays with the caller.
//!
//! **Claim.** The relations are the same, without "what is not touched is as it was".
//!
//! **Needs.** One round: between two contexts other threads may change anything.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_analysis::Budget;
use selvedge_core::machine::{Becomes, Case};
use selvedge_core::{Control, EdgeId, Loc};
use selvedge_core::{ProcId, Slot, Value};
use selvedge_evidence::relations::{Touched, Variant};
use selvedge_program::Lowering;

use crate::Result;

/// More variants than this are not told apart.
const MOST_VARIANTS: usize = 1 << 10;

/// After this many cases of commands, no more variants are made.
const MOST_CASES: usize = 1 << 22;

/// What is known of the locals: a constant, or nothing.
type KnownLocals = Vec<Option<Value>>;

/// Finds the shared variables that procedures touch, from the text of the program.
pub fn find(lowering: &Lowering, budget: &Budget) -> Result<Touched> {
    let edges = (0..lowering.code().edges.len() as u32).map(EdgeId);
    let case = |id| {
        budget.check()?;
        Ok(lowering.relation(id, 1)?)
    };
    let cases = edges.map(case).collect::<Result<_>>()?;
    let mut search = VariantSearch::new(lowering, cases);
    while search.next < search.variants.len() {
        budget.check()?;
        search.follow();
    }
    Ok(search.finish())
}

/// The search for variants of procedures with known arguments.
struct VariantSearch<'a> {
    lowering: &'a Lowering,
    cases: Vec<Vec<Case>>,
    variants: Vec<(ProcId, KnownLocals)>,
    ids: FxHashMap<(ProcId, KnownLocals), Variant>,
    /// What each variant that was followed touches itself, and what it calls.
    own: Vec<BTreeSet<usize>>,
    calls: Vec<Vec<(EdgeId, Variant)>>,
    /// The first variant that was not followed.
    next: usize,
    /// How many cases were looked at.
    looked: usize,
}

impl<'a> VariantSearch<'a> {
    fn new(lowering: &'a Lowering, cases: Vec<Vec<Case>>) -> Self {
        let procs = (0..lowering.program().procs.len() as u32).map(ProcId);
        let variants: Vec<_> =
            procs.map(|proc| (proc, vec![None; lowering.code().proc(proc).params])).collect();
        let ids = variants.iter().cloned().zip((0..).map(Variant)).collect();
        let (own, calls) = (Vec::new(), Vec::new());
        VariantSearch { lowering, cases, variants, ids, own, calls, next: 0, looked: 0 }
    }

    /// Follows what is known through the next variant.
    fn follow(&mut self) {
        let (proc, params) = self.variants[self.next].clone();
        self.next += 1;
        let flow = self.lowering.code();
        let entry = flow.proc(proc).entry;
        let mut first = params;
        first.resize(self.lowering.code().proc(proc).frame.len(), None);
        let mut known: FxHashMap<Loc, KnownLocals> = FxHashMap::from_iter([(entry, first)]);
        let mut work = vec![entry];
        while let Some(loc) = work.pop() {
            let here = known[&loc].clone();
            for &id in &flow.location(loc).edges {
                let edge = flow.edge(id);
                self.looked += self.cases[id.index()].len();
                let leads = !(edge.control == Control::Return);
                for case in self.cases[id.index()].iter().filter(|case| may_be(case, &here)) {
                    let goes = matches!(case.effect, Becomes::Goto | Becomes::Call(_));
                    if leads && goes && learn(&mut known, edge.to, after(case, &here)) {
                        work.push(edge.to);
                    }
                }
            }
        }
        let (mut own, mut calls) = (BTreeSet::new(), Vec::new());
        let mut places: Vec<_> = known.into_iter().collect();
        places.sort_unstable_by_key(|(loc, _)| *loc);
        for (loc, here) in places {
            for &id in &flow.location(loc).edges {
                let mut args: Option<KnownLocals> = None;
                for case in self.cases[id.index()].iter().filter(|case| may_be(case, &here)) {
                    let slots = case.reads.iter().chain(&case.writes).map(|(slot, _)| *slot);
                    own.extend(slots.filter_map(|slot| match slot {
                        Slot::Global(index) => Some(index),
                        _ => None,
                    }));
                    if let Becomes::Call(values) = &case.effect {
                        let values = values.iter().map(constant).collect();
                        args = Some(match args {
                            None => values,
                            Some(args) => meet(args, &values),
                        });
                    }
                }
                if let (Some(args), Control::Call(proc)) = (args, flow.edge(id).control) {
                    calls.push((id, self.variant(proc, args)));
                }
            }
        }
        self.own.push(own);
        self.calls.push(calls);
    }

    /// The variant of a procedure for some arguments.
    fn variant(&mut self, proc: ProcId, mut args: KnownLocals) -> Variant {
        args.truncate(self.lowering.code().proc(proc).params);
        let next = Variant(self.variants.len() as u32);
        if let Some(known) = self.ids.get(&(proc, args.clone())) {
            return *known;
        }
        if self.variants.len() >= MOST_VARIANTS || self.looked >= MOST_CASES {
            return Touched::any(proc);
        }
        self.ids.insert((proc, args.clone()), next);
        self.variants.push((proc, args));
        next
    }

    /// Adds what callees touch, and leaves variants that touch no less than others.
    fn finish(mut self) -> Touched {
        loop {
            let mut grew = false;
            for caller in 0..self.own.len() {
                for index in 0..self.calls[caller].len() {
                    let callee = self.calls[caller][index].1.0 as usize;
                    let more: Vec<_> =
                        self.own[callee].difference(&self.own[caller]).copied().collect();
                    grew |= !more.is_empty();
                    self.own[caller].extend(more);
                }
            }
            if !grew {
                break;
            }
        }
        let mut calls = FxHashMap::default();
        for (caller, called) in self.calls.iter().enumerate() {
            for &(edge, callee) in called {
                let any = Touched::any(self.variants[callee.0 as usize].0);
                if self.own[callee.0 as usize] != self.own[any.0 as usize] {
                    calls.insert((Variant(caller as u32), edge), callee);
                }
            }
        }
        let all = 0..self.lowering.code().shared.len();
        let others = |own: &BTreeSet<usize>| all.clone().filter(|s| !own.contains(s)).collect();
        Touched {
            procs: self.variants.iter().map(|(proc, _)| *proc).collect(),
            others: self.own.iter().map(others).collect(),
            slots: self.own.into_iter().map(|own| own.into_iter().collect()).collect(),
            calls,
        }
    }
}

/// Whether a case is possible with what is known.
fn may_be(case: &Case, known: &KnownLocals) -> bool {
    case.reads.iter().all(|(slot, value)| match slot {
        Slot::Local(index) => match &known[*index] {
            Some(constant) => *value == Value::Open || value == constant,
            None => true,
        },
        _ => true,
    })
}

/// The known locals after a case.
fn after(case: &Case, known: &KnownLocals) -> KnownLocals {
    let mut known = known.clone();
    for (slot, value) in &case.writes {
        if let Slot::Local(index) = slot {
            known[*index] = constant(value);
        }
    }
    known
}

fn constant(value: &Value) -> Option<Value> {
    (*value != Value::Open).then(|| value.clone())
}

/// The locals that are known in both cases.
fn meet(mut left: KnownLocals, right: &KnownLocals) -> KnownLocals {
    for (left, right) in left.iter_mut().zip(right) {
        if left != right {
            *left = None;
        }
    }
    left
}

/// Notes what is known at a place; whether that is news.
fn learn(known: &mut FxHashMap<Loc, KnownLocals>, loc: Loc, new: KnownLocals) -> bool {
    let Some(old) = known.get_mut(&loc) else {
        known.insert(loc, new);
        return true;
    };
    let both = meet(old.clone(), &new);
    let is_news = both != *old;
    *old = both;
    is_news
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use selvedge_frontend::check::{CheckOptions, check};
    use selvedge_frontend::weave;
    use selvedge_program::{Source, ThreadCounts};

    use super::*;

    fn lowered(text: &str) -> Lowering {
        let source = Source::new("test.weave", text);
        let (file, _) = weave::parse(&source);
        let (program, _) = check(&file, &CheckOptions::default());
        let program = Arc::new(program.expect("a program"));
        Lowering::new(program, Arc::new(source), &ThreadCounts::new()).expect("lowered")
    }

    /// What the calls of the thread touch, in the order of the text.
    fn touched_by_calls(text: &str) -> Vec<Vec<usize>> {
        let lowering = lowered(text);
        let touched = find(&lowering, &Budget::default()).expect("finite");
        let own = lowering.start_of(0).proc;
        let flow = lowering.code();
        let edges = flow.edges.iter().zip((0..).map(EdgeId));
        let calls = edges.filter_map(|(edge, id)| match edge.control {
            Control::Call(proc) if flow.location(edge.from).proc == own => {
                Some(touched.slots(touched.called(Touched::any(own), id, proc)).to_vec())
            }
            _ => None,
        });
        calls.collect()
    }

    #[test]
    fn elements_by_constant_arguments() {
        // The slots: x is 0 to 2, y is 3.
        let text = "int[0..9] x[3]; int[0..9] y; \
            void set(int[0..2] n) { int[0..2] next := (n + 1) % 3; x[next] := 1; } \
            void both(int[0..2] n) { set(n); y := 2; } \
            thread t { set(0); set(2); both(1); int[0..2] any := *; set(any); }";
        assert_eq!(touched_by_calls(text), [vec![1], vec![0], vec![2, 3], vec![0, 1, 2]]);
    }

    #[test]
    fn constants_meet_where_ways_meet() {
        let text = "int[0..9] x[3]; bool b; \
            void set(int[0..2] n) { int[0..2] i := n; if (b) i := 2; x[i] := 1; } \
            void up(int[0..2] n) { if (n < 2) up(n + 1); x[n] := 1; } \
            thread t { set(0); set(2); up(1); up(2); }";
        let expected = [vec![0, 1, 2, 3], vec![2, 3], vec![1, 2], vec![2]];
        assert_eq!(touched_by_calls(text), expected);
    }
}
