//! Parts of statements: memory, tests, calls and returns.

use num_bigint::BigInt;
use selvedge_program::{AtomicOp, BinaryOp, Cond, Expr, Place, ProcId, Procedure, StmtKind};

use crate::oracle::machine::{Frame, Path, State, fresh_frames, next, settle, statement};
use crate::oracle::statements::{Actor, Results};
use crate::oracle::values::{Env, Memory, Outcome, fits, holds, product, truth};
use crate::oracle::wrapping;

/// Memory after an operation, with its result; `None` where it goes wrong.
type Attempted = Option<(Memory, BigInt)>;

impl Actor<'_> {
    pub fn declared(&self, frame: &Frame) -> &Procedure {
        &self.program.procs[frame.proc.index()]
    }

    fn top(&self) -> &Frame {
        self.state.threads[self.thread].frames.last().expect("a thread that acts")
    }

    /// Who holds the locks that this thread takes.
    pub fn me(&self) -> BigInt {
        BigInt::from(self.thread + 1)
    }

    pub fn memory(&self) -> Memory {
        Memory { globals: self.state.globals.clone(), locals: self.top().locals.clone() }
    }

    pub fn env<'m>(&'m self, memory: &'m Memory) -> Env<'m> {
        Env { program: self.program, proc: self.top().proc, memory, after: None, instance: None }
    }

    /// All values of an expression.
    pub fn eval(&self, expr: &Expr) -> Vec<Outcome> {
        self.env(&self.memory()).eval(expr).into_iter().collect()
    }

    /// The state with this memory, and the thread at this path.
    pub fn at(&self, memory: Memory, path: Path) -> State {
        let mut state = self.state.clone();
        state.globals = memory.globals;
        let path = settle(self.declared(self.top()), path);
        let top = state.threads[self.thread].frames.last_mut().expect("a thread that acts");
        top.locals = memory.locals;
        top.path = path;
        state
    }

    pub fn section(&self, mut state: State, inside: bool) -> State {
        let top = state.threads[self.thread].frames.last_mut().expect("a thread that acts");
        top.section = inside;
        state
    }

    /// Memory after all places were set at once: places and values are found in the old memory.
    pub fn store(
        &self,
        old: &Memory,
        places: &[Place],
        values: Vec<Vec<Outcome>>,
    ) -> Vec<Option<Memory>> {
        let slots = product(places.iter().map(|p| self.env(old).slots(p).into_iter().collect()));
        let values = product(values);
        let set = |slots: &[Option<usize>], values: &[Outcome]| {
            let mut memory = old.clone();
            for ((place, slot), value) in places.iter().zip(slots).zip(values) {
                let value = value.clone().filter(|value| fits(&place.ty, value))?;
                memory.slots_mut(place.var)[(*slot)?] = value;
            }
            Some(memory)
        };
        slots.iter().flat_map(|s| values.iter().map(move |v| set(s, v))).collect()
    }

    /// Memory after an assignment, where the condition holds.
    pub fn constrained(&self, after: Option<Memory>, cond: Option<&Expr>) -> Vec<Option<Memory>> {
        let (Some(memory), Some(cond)) = (&after, cond) else { return vec![after] };
        let before = self.memory();
        let env = Env { after: Some(memory), ..self.env(&before) };
        let ways = env.eval(cond).into_iter().filter(|o| o.as_ref().is_none_or(holds));
        ways.map(|outcome| outcome.map(|_| memory.clone())).collect()
    }

    /// The outcomes of a test.
    pub fn test(&self, cond: &Cond) -> Vec<Option<(Memory, bool)>> {
        match cond {
            Cond::Expr(e) => {
                let ways = self.eval(e).into_iter();
                ways.map(|o| o.map(|value| (self.memory(), holds(&value)))).collect()
            }
            Cond::Attempt { op, negated } => {
                let ways = self.attempt(op).into_iter();
                ways.map(|r| r.map(|(memory, yes)| (memory, holds(&yes) != *negated))).collect()
            }
        }
    }

    pub fn try_lock(&self, lock: &Place) -> Vec<Attempted> {
        let memory = self.memory();
        let attempt = |slot: Option<usize>| {
            let mut memory = memory.clone();
            let holder = &mut memory.slots_mut(lock.var)[slot?];
            let free = !holds(holder);
            if free {
                *holder = self.me();
            }
            Some((memory, truth(free)))
        };
        self.env(&memory).slots(lock).into_iter().map(attempt).collect()
    }

    pub fn attempt(&self, op: &AtomicOp) -> Vec<Attempted> {
        let memory = self.memory();
        let slots = self.env(&memory).slots(op.place());
        let (others, place) = match op {
            AtomicOp::TryLock(lock) => return self.try_lock(lock),
            AtomicOp::CompareAndSwap { place, expected, new } => {
                (product([self.eval(expected), self.eval(new)]), place)
            }
            AtomicOp::FetchAndAdd { place, amount } => (product([self.eval(amount)]), place),
        };
        let attempt = |slot: &Option<usize>, others: &[Outcome]| {
            let slot = (*slot)?;
            let others: Vec<BigInt> = others.iter().cloned().collect::<Option<_>>()?;
            let mut memory = memory.clone();
            let variable = &mut memory.slots_mut(place.var)[slot];
            let before = variable.clone();
            let (new, result) = match &others[..] {
                [expected, new] if before == *expected => (new.clone(), truth(true)),
                [_, _] => return Some((memory, truth(false))),
                others => {
                    let sum = wrapping::binary(&place.ty, BinaryOp::Add, &before, &others[0]);
                    (sum.unwrap_or_else(|| Some(&before + &others[0]))?, before)
                }
            };
            *variable = Some(new).filter(|new| fits(&place.ty, new))?;
            Some((memory, result))
        };
        slots.iter().flat_map(|slot| others.iter().map(move |o| attempt(slot, o))).collect()
    }

    /// Keeps the result of an operation in a place, which is found in the memory before it.
    pub fn keep(&self, attempted: Attempted, dest: Option<&Place>) -> Vec<Option<Memory>> {
        let (Some((memory, result)), Some(place)) = (&attempted, dest) else {
            return vec![attempted.map(|(memory, _)| memory)];
        };
        let set = |slot: Option<usize>| {
            let mut memory = memory.clone();
            memory.slots_mut(place.var)[slot?] =
                Some(result.clone()).filter(|r| fits(&place.ty, r))?;
            Some(memory)
        };
        self.env(&self.memory()).slots(place).into_iter().map(set).collect()
    }

    /// The frames with which a procedure may begin.
    pub fn frames(&self, proc: ProcId, args: &[Expr]) -> Vec<Option<Frame>> {
        let params = &self.program.procs[proc.index()].locals;
        let values = product(args.iter().map(|arg| self.eval(arg)));
        let mut frames = Vec::new();
        for values in values {
            let fitting = values.into_iter().zip(params);
            let fitting = fitting.map(|(value, param)| value.filter(|v| fits(&param.ty, v)));
            match fitting.collect::<Option<Vec<_>>>() {
                Some(args) => {
                    frames.extend(fresh_frames(self.program, proc, &args).into_iter().map(Some));
                }
                None => frames.push(None),
            }
        }
        frames
    }

    /// Returns with these values: the caller stands at the call, keeps them and goes on.
    pub fn back(&self, values: &[BigInt]) -> Results {
        let types = &self.declared(self.top()).results;
        if types.iter().zip(values).any(|(ty, value)| !fits(ty, value)) {
            return vec![None];
        }
        let mut state = self.state.clone();
        state.threads[self.thread].frames.pop();
        let Some(caller) = state.threads[self.thread].frames.last() else {
            return vec![Some(state)];
        };
        let path = caller.path.clone();
        let call = statement(self.declared(caller), &path).expect("a call");
        let StmtKind::Call { results, .. } = &call.kind else { panic!("a return to {call:?}") };
        let caller = Actor { program: self.program, state: &state, thread: self.thread };
        let values = if results.is_empty() { &[] } else { values };
        let values = values.iter().map(|value| vec![Some(value.clone())]).collect();
        let after = caller.store(&caller.memory(), results, values).into_iter();
        after.map(|memory| Some(caller.at(memory?, next(path.clone())))).collect()
    }
}
