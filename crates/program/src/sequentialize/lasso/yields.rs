//! # Where a thread is left
//! Before a step at which the running thread may be left, it goes on to a later round, comes to its
//! keyframe, is at its keyframe again, or waits for ever:
//!
//! ```text
//! if (k < 1) {
//!   k := {k .. 1};
//!   if (k >= 1) at, f_x_at := 3, x;
//! } else if (*) {
//!   assume at == 3 && f_x_at == x;
//!   stopped := true;
//!   return;
//! }
//! ```
//!
//! A thread that is at its keyframe again has acted in between: there is a step after each of these
//! places.

use selvedge_model::Fairness;

use super::super::body::{Body, Version, silent};
use super::super::marks::Mark;
use super::super::shared::Shared;
use super::{Lasso, Written, element_of, elements};
use crate::make::{self, assign, binary, branch, equal, if_then_else, read, stmt};
use crate::{BinaryOp, Block, Expr, LocalId, Place, Span, Stmt, StmtKind, Type, VarRef, walk};

/// An atomic block of the original, while it is transformed.
pub(in super::super) struct Section {
    written: Written,
    /// The number of loops inside of it that are open.
    loops: usize,
    labels: rustc_hash::FxHashSet<crate::LabelId>,
}

impl Body<'_> {
    /// Goes to a later round, or comes to an end.
    pub fn leave_lasso(&self, lasso: &Lasso, span: Span) -> Block {
        let shared = self.around.shared;
        let number = Mark::of(span).number();
        let mark = silent(span);
        let Some(round) = shared.round() else { return Vec::new() };
        let site = self.around.sites.get() + 1;
        self.around.sites.set(site);
        let (here, kept) = self.keyframe(lasso, site, number);
        let (from, last) = (lasso.from(shared), lasso.last(shared));
        let go_on = || shared.later_round_to(last.clone()).map(|pair| assign(vec![pair], mark));

        let mut stem = self.wait(lasso, number, mark);
        if lasso.endless.fairness == Fairness::None {
            stem.push(branch(make::any(&Type::Bool), self.stop(mark), Vec::new(), mark));
        }
        stem.extend(go_on());
        if lasso.at_once {
            let begun = binary(BinaryOp::Ge, read(round.clone()), make::number(1));
            stem.push(stmt(StmtKind::Assume(begun), mark));
        }
        let reached = binary(BinaryOp::Ge, read(round.clone()), from.clone());
        // One by one: together, a statement would have the product of all their values.
        let kept = kept.into_iter().map(|pair| assign(vec![pair], mark)).collect();
        stem.push(branch(reached, kept, Vec::new(), mark));

        let mut end: Block =
            here.into_iter().map(|same| stmt(StmtKind::Assume(same), mark)).collect();
        let me = shared.me().map(|me| binary(BinaryOp::Sub, read(me), make::number(1)));
        if let Some(waits) = me.and_then(|me| lasso.waits(shared, me)) {
            let acts = equal(read(waits), make::number(0));
            end.push(stmt(StmtKind::Assume(acts), mark));
        }
        end.extend(lasso.both_ways(mark));
        if let Some(acts) = lasso.acts {
            end.push(assign(vec![(shared.scalar(acts), make::truth(true))], mark));
        }
        end.extend(self.stop(mark));
        let end = branch(make::any(&Type::Bool), end, Vec::new(), mark);
        let period = match lasso.again {
            Some(_) => go_on().into_iter().chain([end]).collect(),
            None => vec![end],
        };
        let early = binary(BinaryOp::Lt, read(round.clone()), from.clone());
        let mut out = vec![branch(early, stem, period, mark)];
        out.extend(lasso.again().map(|again| {
            let late = binary(BinaryOp::Ge, read(round.clone()), from);
            let in_stem = make::number(lasso.bounds.stem_rounds());
            let in_stem = binary(BinaryOp::Lt, read(round.clone()), in_stem);
            let later = make::number(lasso.bounds.lasso);
            let later = binary(BinaryOp::Add, read(round.clone()), later);
            let both = binary(BinaryOp::And, late, in_stem);
            assign(vec![(again, if_then_else(both, later, read(round)))], mark)
        }));
        out
    }

    /// The conditions that the thread is at its keyframe again, and the assignments that note it.
    fn keyframe(&self, lasso: &Lasso, site: u32, number: u32) -> (Vec<Expr>, Vec<(Place, Expr)>) {
        let shared = self.around.shared;
        let mut pairs: Vec<(Place, Expr)> = Vec::new();
        pairs.extend(lasso.at.map(|at| (shared.scalar(at), make::number(site))));
        let live = self.around.starts.get(&number);
        let live = live.and_then(|loc| self.around.flow.live.get(loc.index()));
        for (&(proc, local), &id) in &lasso.kept {
            let is_live = live.is_some_and(|live| live.has(local));
            if proc != self.proc || !is_live {
                continue;
            }
            let ty = &shared.globals[id.index()].ty;
            for element in elements(ty) {
                let value = read(element_of(VarRef::Local(local), ty, &element));
                pairs.push((element_of(VarRef::Global(id), ty, &element), value));
            }
        }
        let same = pairs.iter().map(|(kept, now)| equal(read(kept.clone()), now.clone()));
        let here = same.collect();
        if let Some(bottom) = self.bottom {
            pairs.push((make::variable(VarRef::Local(bottom), &Type::Bool), make::truth(true)));
        }
        (here, pairs)
    }

    /// The thread may wait here for ever.
    fn wait(&self, lasso: &Lasso, number: u32, mark: Span) -> Block {
        let shared = self.around.shared;
        let me = shared.me().map(|me| binary(BinaryOp::Sub, read(me), make::number(1)));
        let (Some((place, waiting)), Some(me)) = (lasso.waiting_at(number), me) else {
            return Vec::new();
        };
        let Some(waits) = lasso.waits(shared, me.clone()) else { return Vec::new() };
        let same = waiting.locals.iter().filter_map(|&local| {
            let with = lasso.with(shared, self.proc, local, me.clone())?;
            let now = make::variable(VarRef::Local(local), &with.ty);
            Some(equal(read(with), read(now)))
        });
        let mut block: Block = same.map(|same| stmt(StmtKind::Assume(same), mark)).collect();
        block.extend(self.stop(mark));
        let stays = branch(make::any(&Type::Bool), block, Vec::new(), mark);
        vec![branch(equal(read(waits), make::number(place)), vec![stays], Vec::new(), mark)]
    }

    /// Ends the thread: it has done its part.
    fn stop(&self, mark: Span) -> Block {
        let stopped = self.around.shared.stopped();
        vec![assign(vec![(stopped, make::truth(true))], mark), self.give_up(mark)]
    }

    /// A frame that is a keyframe is never returned from.
    pub fn not_at_bottom(&self, mark: Span) -> Option<Stmt> {
        let bottom = make::variable(VarRef::Local(self.bottom?), &Type::Bool);
        Some(stmt(StmtKind::Assume(make::not(read(bottom))), silent(mark)))
    }

    /// A frame is no keyframe at first.
    pub fn no_keyframe(&self, mark: Span) -> Option<Stmt> {
        let bottom = make::variable(VarRef::Local(self.bottom?), &Type::Bool);
        Some(assign(vec![(bottom, make::truth(false))], silent(mark)))
    }

    /// Begins to collect the writes of an atomic block, if they have to be looked after; says whether it does.
    pub fn begin_section(&mut self, body: &Block, span: Span) -> bool {
        let is_new = self.section.is_none() && !self.is_inside(span);
        if !is_new || self.around.shared.lasso.is_none() {
            return false;
        }
        let mut written = Written { takes: true, frees: true, ..Written::default() };
        let mut calls = false;
        walk::each(body, &mut |s| {
            written.globals.extend(Written::of(&s.kind).globals);
            calls |= matches!(s.kind, StmtKind::Call { .. });
        });
        if calls {
            written.globals = self.around.shared.written_ids();
        }
        self.section = Some(Section { written, loops: 0, labels: walk::labels(body) });
        true
    }

    /// What has to be done before a jump that leaves an atomic block, or at the end of it.
    pub fn leave_section(&mut self, kind: Option<&StmtKind>, span: Span) -> Block {
        let shared = self.around.shared;
        let Some(lasso) = &shared.lasso else { return Vec::new() };
        let Some(section) = &self.section else {
            // A section that is not a block.
            let ends = matches!(
                kind,
                Some(StmtKind::Return(_) | StmtKind::EndThread | StmtKind::AtomicEnd)
            );
            if !ends || self.version == Version::Atomic || !self.is_inside(span) {
                return Vec::new();
            }
            let globals = shared.written_ids();
            let written = Written { globals, takes: true, frees: true };
            return lasso.after_write(shared, &written, silent(span));
        };
        let leaves = match kind {
            None | Some(StmtKind::Return(_) | StmtKind::EndThread) => true,
            Some(StmtKind::Break | StmtKind::Continue) => section.loops == 0,
            Some(StmtKind::Goto(labels)) => {
                let outside = |label| !section.labels.contains(label);
                // A jump that may stay inside is no point of the period, but may be looked at.
                match lasso.hindered {
                    None => labels.iter().any(outside),
                    Some(_) => labels.iter().all(outside),
                }
            }
            Some(_) => false,
        };
        if !leaves {
            return Vec::new();
        }
        lasso.after_write(shared, &section.written, silent(span))
    }

    /// A loop inside of an atomic block begins or ends.
    pub fn in_loop(&mut self, change: isize) {
        if let Some(section) = &mut self.section {
            section.loops = section.loops.saturating_add_signed(change);
        }
    }

    /// A local variable that says that the frame is a keyframe.
    pub fn declare_bottom(&mut self) {
        let shared: &Shared = self.around.shared;
        if shared.lasso.as_ref().is_some_and(|lasso| lasso.has_bottom(self.proc)) {
            let place = crate::explicit::temporary(&mut self.locals, "bottom", &Type::Bool);
            if let VarRef::Local(LocalId(id)) = place.var {
                self.bottom = Some(LocalId(id));
            }
        }
    }
}
