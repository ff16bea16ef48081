//! What one statement does, in all ways that it can be done.

use num_bigint::BigInt;
use selvedge_program::{Program, Stmt, StmtKind};

use crate::oracle::machine::{Frame, State, Thread, into, label, next, settle, statement};
use crate::oracle::values::{Memory, Outcome, holds, product, values_of};

/// What a statement leads to; `None` where the program goes wrong. Where it blocks there is nothing.
pub type Results = Vec<Option<State>>;

/// A thread in a state, about to act.
pub struct Actor<'a> {
    pub program: &'a Program,
    pub state: &'a State,
    pub thread: usize,
}

impl Actor<'_> {
    /// Everything that the thread can do with its next statement.
    pub fn act(&self) -> Results {
        let Some(frame) = self.state.threads[self.thread].frames.last() else { return Vec::new() };
        let Some(stmt) = statement(self.declared(frame), &frame.path) else {
            let results = &self.declared(frame).results;
            let any = results.iter().map(|ty| values_of(self.program, ty));
            return product(any).iter().flat_map(|values| self.back(values)).collect();
        };
        self.statement(frame, stmt)
    }

    fn statement(&self, frame: &Frame, stmt: &Stmt) -> Results {
        let path = &frame.path;
        let here = self.memory();
        let done = |memory: Memory| self.at(memory, next(path.clone()));
        let all_done = |after: Vec<Option<Memory>>| -> Results {
            after.into_iter().map(|memory| memory.map(done)).collect()
        };
        match &stmt.kind {
            StmtKind::Skip => vec![Some(done(here))],
            StmtKind::Assign { targets, values, constrain } => {
                let values = values.iter().map(|value| self.eval(value)).collect();
                let after = self.store(&here, targets, values).into_iter();
                all_done(after.flat_map(|m| self.constrained(m, constrain.as_ref())).collect())
            }
            StmtKind::Havoc(places) => {
                let any = places.iter().map(|place| values_of(self.program, &place.ty));
                let values = any.map(|values| values.into_iter().map(Some).collect()).collect();
                all_done(self.store(&here, places, values))
            }
            StmtKind::Assume(e) => {
                let goes_on = |o: &Outcome| o.as_ref().is_none_or(holds);
                let ways = self.eval(e).into_iter().filter(goes_on);
                all_done(ways.map(|o| o.map(|_| here.clone())).collect())
            }
            StmtKind::Assert(e) => {
                let ways = self.eval(e).into_iter();
                all_done(ways.map(|o| o.filter(holds).map(|_| here.clone())).collect())
            }
            StmtKind::If { cond, .. } => {
                let to = |yes: bool| into(path, usize::from(!yes));
                self.test(cond).into_iter().map(|r| r.map(|(m, yes)| self.at(m, to(yes)))).collect()
            }
            StmtKind::While { cond, .. } => {
                let to = |yes: bool| if yes { into(path, 0) } else { next(path.clone()) };
                self.test(cond).into_iter().map(|r| r.map(|(m, yes)| self.at(m, to(yes)))).collect()
            }
            StmtKind::Choose(blocks) => {
                let block = |number| Some(self.at(here.clone(), into(path, number)));
                (0..blocks.len()).map(block).collect()
            }
            StmtKind::Atomic(_) => vec![Some(self.at(here, into(path, 0)))],
            // What is still here after settling jumps to itself: the thread spins.
            StmtKind::Break | StmtKind::Continue => Vec::new(),
            StmtKind::Goto(labels) if labels.len() == 1 => Vec::new(),
            StmtKind::Goto(labels) => {
                let to = |l| Some(self.at(here.clone(), label(self.declared(frame), l)));
                labels.iter().map(|l| to(*l)).collect()
            }
            StmtKind::Return(values) => {
                let ways = product(values.iter().map(|value| self.eval(value)));
                let ways = ways.into_iter().map(|way| way.into_iter().collect::<Option<Vec<_>>>());
                ways.flat_map(|way| way.map_or(vec![None], |values| self.back(&values))).collect()
            }
            StmtKind::AtomicBegin => vec![Some(self.section(done(here), true))],
            StmtKind::AtomicEnd => vec![Some(self.section(done(here), false))],
            StmtKind::Acquire(lock) => {
                let taken = |r: &Option<(Memory, BigInt)>| r.as_ref().is_none_or(|r| holds(&r.1));
                let ways = self.try_lock(lock).into_iter().filter(taken);
                all_done(ways.map(|r| r.map(|(memory, _)| memory)).collect())
            }
            StmtKind::Release(lock) => {
                let slots = self.env(&here).slots(lock).into_iter();
                let free = |slot: Option<usize>| {
                    let mut memory = here.clone();
                    let holder = &mut memory.slots_mut(lock.var)[slot?];
                    (*holder == self.me()).then(|| *holder = BigInt::ZERO)?;
                    Some(memory)
                };
                all_done(slots.map(free).collect())
            }
            StmtKind::Attempt { dest, op } => {
                let ways = self.attempt(op).into_iter();
                all_done(ways.flat_map(|r| self.keep(r, dest.as_ref())).collect())
            }
            StmtKind::Call { proc, args, .. } => {
                let call = |callee: Frame| {
                    let mut state = self.state.clone();
                    state.threads[self.thread].frames.push(callee);
                    state
                };
                self.frames(*proc, args).into_iter().map(|frame| frame.map(call)).collect()
            }
            StmtKind::Async { dest, proc, args } => {
                let id = BigInt::from(self.state.started + 1);
                let after = self.keep(Some((here, id)), dest.as_ref());
                let mut results = Vec::new();
                for frame in self.frames(*proc, args) {
                    let start = |m: &Option<Memory>| Some(start(done(m.clone()?), frame.clone()?));
                    results.extend(after.iter().map(start));
                }
                results
            }
            StmtKind::StartThread(to) => {
                let path = settle(self.declared(frame), label(self.declared(frame), *to));
                let copy = Frame { path, section: false, ..frame.clone() };
                vec![Some(start(done(here), copy))]
            }
            StmtKind::Join(e) => {
                let thread = |id: &BigInt| {
                    let is = |t: &&Thread| BigInt::from(t.id) == *id;
                    self.state.threads.iter().find(is).expect("a thread that was started")
                };
                let goes_on = |o: &Outcome| {
                    o.as_ref().filter(|id| holds(id)).is_none_or(|id| thread(id).frames.is_empty())
                };
                let ways = self.eval(e).into_iter().filter(goes_on);
                all_done(ways.map(|o| o.filter(holds).map(|_| here.clone())).collect())
            }
            StmtKind::EndThread => {
                let mut state = self.state.clone();
                state.threads[self.thread].frames.clear();
                vec![Some(state)]
            }
        }
    }
}

/// The state with one more thread.
fn start(mut state: State, frame: Frame) -> State {
    state.started += 1;
    state.threads.push(Thread { id: state.started, frames: vec![frame] });
    state
}
