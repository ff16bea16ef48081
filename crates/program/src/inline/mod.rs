//! # Calls written out
//!
//! **Question.** An engine follows single procedures. What is a program without calls that does the same?
//!
//! **Idea.** In the procedure of a thread, each call becomes the body of what it calls. A call is an assignment
//! to the parameters, one step; a return hands its results over in one step and jumps behind the body.
//! Procedures that are not recursive are never active twice in one thread, so that one set of
//! variables for each of them is enough.
//!
//! **Claim.** Both programs have the same runs, step by step, but for two things: a return and the receipt of its
//! results are one step here (nobody comes between them in the original either), and behind a
//! body comes one more step, which does nothing and can always be taken. So shared states, what goes wrong and which
//! statements threads stand before at the same time are the same; [`Inlined::lift`] brings a run back.
//!
//! **Needs.** No recursion. Procedures that threads are started with stay as they are.

mod copy;
mod lift;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use selvedge_model::{Pattern, Property, ThreadAt};

use crate::flow::{self, Flow, Loc, Location};
use crate::{LabelId, ProcId, Program, Span, Stmt, StmtKind, walk};

pub use lift::Lifted;

/// A program whose threads call nothing.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// The program.
    pub program: Arc<Program>,
    /// Whether there was anything to write out.
    pub changed: bool,
    /// Whether a predicate of the original speaks of a procedure that was called, so that it now holds of its
    /// bodies.
    pub moved_predicates: bool,
    /// For each label of a procedure that was called, its copies.
    copies: FxHashMap<(ProcId, LabelId), Vec<(ProcId, LabelId)>>,
}

/// Why calls cannot be written out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineError {
    /// What stands in the way of writing calls out.
    pub message: String,
    /// The place in the text.
    pub span: Span,
}

/// Writes the bodies of procedures in the place of calls, in the procedures of threads.
pub fn inline(program: &Arc<Program>, flow: &Flow) -> Result<Inlined, InlineError> {
    let roots: Vec<ProcId> = program.threads.iter().map(|thread| thread.proc).collect();
    let calls = |proc: &ProcId| {
        walk::any(&program.procs[proc.index()].body, &|s| matches!(s.kind, StmtKind::Call { .. }))
    };
    let mut inlined = Inlined {
        program: Arc::clone(program),
        changed: false,
        moved_predicates: false,
        copies: FxHashMap::default(),
    };
    if !roots.iter().any(calls) {
        return Ok(inlined);
    }
    let mut all = Program::clone(program);
    let mut called = Vec::new();
    for &root in roots.iter().filter(|root| calls(root)) {
        let mut copier = copy::Copier::new(program, flow, root);
        all.procs[root.index()] = copier.root()?;
        for (of, copy) in copier.labels {
            let copies = inlined.copies.entry(of).or_default();
            if !copies.contains(&(root, copy)) {
                copies.push((root, copy));
            }
        }
        for (proc, offset) in copier.offsets {
            let moved = copy::predicates(program, &inlined.copies, root, proc, offset);
            inlined.moved_predicates |= !moved.is_empty();
            all.predicates.extend(moved);
            called.push(proc);
        }
    }
    // Procedures that were only called are not needed any more.
    let starts = |s: &Stmt| matches!(s.kind, StmtKind::Async { .. } | StmtKind::StartThread(_));
    if !program.procs.iter().any(|proc| walk::any(&proc.body, &starts)) {
        for proc in called.into_iter().filter(|proc| !roots.contains(proc)) {
            all.procs[proc.index()].body.clear();
        }
    }
    inlined.program = Arc::new(all);
    inlined.changed = true;
    Ok(inlined)
}

impl Inlined {
    /// A property of the original as one of the program without calls: places in procedures that were called
    /// are places in their copies. `None` if a place has no label, and may be in such a procedure.
    #[must_use]
    pub fn property(&self, property: &Property, original: &Flow, flow: &Flow) -> Option<Property> {
        let Property::Unreachable(Pattern::Together(wanted)) = property else {
            return Some(property.clone());
        };
        if !self.changed {
            return Some(property.clone());
        }
        let thread = |at: &ThreadAt| {
            let mut places = Vec::new();
            for &(template, place) in &at.places {
                let locations = self.locations(Loc(place.0), original, flow)?;
                places.extend(locations.into_iter().map(|loc| (template, flow::place(loc))));
            }
            Some(ThreadAt { text: at.text.clone(), places })
        };
        let wanted: Option<Vec<ThreadAt>> = wanted.iter().map(thread).collect();
        wanted.map(|wanted| Property::Unreachable(Pattern::Together(wanted)))
    }

    /// The locations that a thread at a location of the original is at: those before copies of the statement that
    /// comes next, in procedures of threads. `None` if there are none.
    fn locations(&self, loc: Loc, original: &Flow, flow: &Flow) -> Option<Vec<Loc>> {
        let at = original.location(loc);
        let is_root = |here: &Location| self.program.threads.iter().any(|t| t.proc == here.proc);
        let meant = |here: &Location| match at.labels.first() {
            Some(&label) => {
                let mut copies = self.copies.get(&(at.proc, label)).into_iter().flatten();
                copies.any(|(proc, label)| here.proc == *proc && here.labels.contains(label))
                    || (here.proc == at.proc && here.labels.contains(&label))
            }
            None => here.span == at.span,
        };
        let occupied = |here: &Location| is_root(here) && !here.atomic && !here.edges.is_empty();
        let all = (0..).map(Loc).zip(&flow.locations);
        let found = all.filter(|(_, here)| occupied(here) && meant(here));
        let found: Vec<Loc> = found.map(|(loc, _)| loc).collect();
        (!found.is_empty()).then_some(found)
    }
}
