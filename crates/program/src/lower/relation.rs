//! # Commands as relations
//!
//! **Question.** What does a command do to *all* configurations at once? Symbolic engines need a
//! relation between the values before and after, not one outcome after the other.
//!
//! **Idea.** The command is executed as always, on the configuration in which every variable is
//! open. A variable gets a value when it is read, by a choice; so the runs over all choices are the
//! cases of a decision: these values were read, those were written. What was not read does not
//! matter, what was not written stays the same.
//!
//! **Claim.** The cases are exactly what lowering does, since it is lowering that does it: a
//! configuration has an outcome if and only if some case fits it and says so.

use selvedge_model::{Fault, SharedId, SymbolId};

use super::execute::Control;
use super::intern::{Frame, Shared, Symbol};
use super::{Lowering, Slot};
use crate::flow::{Command, EdgeId, Loc};
use crate::{GlobalId, ProcId, Type, Value, VarRef};

/// What a command does where some values are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The values before. What is not listed may be anything.
    pub reads: Vec<(Slot, Value)>,
    /// The values after; an open one may be anything of its type. What is not listed stays.
    pub writes: Vec<(Slot, Value)>,
    /// What becomes of the thread.
    pub effect: Effect,
}

/// What becomes of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It stands at the end of the edge.
    Goto,
    /// It calls; the values of the parameters, slot by slot.
    Call(Vec<Value>),
    /// It leaves the procedure, with what is written to [`Slot::Result`].
    Return,
    /// It goes wrong, and this is why.
    Wrong(String),
}

/// The values of a scalar type: so many, from the first on. `None` if there is no end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// The least value.
    pub first: i64,
    /// How many values there are, at least 1.
    pub count: u64,
}

/// Where a thread starts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ThreadStart {
    /// Its procedure.
    pub proc: ProcId,
    /// The first values of the locals, slot by slot.
    pub locals: Box<[Value]>,
    /// The thread as the owner of locks; 0 where nobody asks who holds a lock.
    pub owner: u32,
}

impl Lowering {
    /// What an edge does to all configurations of a thread.
    pub fn relation(&self, id: EdgeId, owner: u32) -> Result<Vec<Case>, Fault> {
        let edge = self.flow.edge(id);
        if let Command::Async { .. } | Command::StartThread { .. } = edge.command {
            let message = "a thread is started here; this engine needs a fixed number of threads";
            return Err(self.fault(edge.span, message));
        }
        let proc = self.flow.location(edge.from).proc;
        let frame =
            Frame { loc: edge.from, locals: self.open(self.layout.local_slots(proc)), owner };
        let results = match edge.command {
            Command::Receive { from, .. } => self.program.procs[from.index()].results.len(),
            _ => 0,
        };
        let shared = Shared {
            globals: self.open(self.global_types().len()),
            returned: (results > 0).then(|| self.open(results)),
            held: Box::default(),
            ended: Box::default(),
            wrong: None,
        };
        let mut cases = Vec::new();
        self.runs(&shared, &frame, id, true, |run, wrong| {
            let eval = run.eval;
            let mut writes = Vec::new();
            let values = [
                (Slot::Global as fn(usize) -> Slot, &eval.values.globals),
                (Slot::Local, &eval.values.locals),
            ];
            for (slot, values) in values {
                for (index, after) in values.iter().enumerate() {
                    let slot = slot(index);
                    let read = eval.settled.iter().find(|(s, _)| *s == slot);
                    let before = read.map_or(&Value::Open, |(_, value)| value);
                    if after != before || (*after == Value::Open && eval.opened.contains(&slot)) {
                        writes.push((slot, after.clone()));
                    }
                }
            }
            let effect = match (wrong, run.control) {
                (Some(reason), _) => Effect::Wrong(reason),
                (None, Some(Control::Call { callee, .. })) => Effect::Call(callee.locals.to_vec()),
                (None, Some(Control::Return)) => Effect::Return,
                (None, _) => Effect::Goto,
            };
            if effect == Effect::Return {
                let results = run.shared.returned.iter().flatten().cloned();
                writes.extend(results.enumerate().map(|(index, v)| (Slot::Result(index), v)));
            }
            cases.push(Case { reads: eval.settled, writes, effect });
        })?;
        Ok(cases)
    }

    fn open(&self, slots: usize) -> Box<[Value]> {
        vec![Value::Open; slots].into()
    }

    /// The slots of a shared variable among those of all.
    #[must_use]
    pub fn global_slots(&self, global: GlobalId) -> std::ops::Range<usize> {
        let first = self.layout.first_slot(ProcId(0), VarRef::Global(global));
        first..first + self.program.globals[global.index()].ty.slots()
    }

    /// The types of the slots of the shared variables.
    #[must_use]
    pub fn global_types(&self) -> Vec<&Type> {
        slot_types(&self.program.globals)
    }

    /// The types of the slots of the local variables, parameters first.
    #[must_use]
    pub fn local_types(&self, proc: ProcId) -> Vec<&Type> {
        slot_types(&self.program.procs[proc.index()].locals)
    }

    /// How many slots the parameters of a procedure take.
    #[must_use]
    pub fn param_slots(&self, proc: ProcId) -> usize {
        let declared = &self.program.procs[proc.index()];
        declared.locals[..declared.params].iter().map(|param| param.ty.slots()).sum()
    }

    /// The slots of a local variable that may still be read at a location.
    #[must_use]
    pub fn live_slots(&self, loc: Loc) -> Vec<usize> {
        let live = &self.flow.live[loc.index()].slots;
        live.iter().flat_map(|(_, slots)| slots.clone()).collect()
    }

    /// The values of a scalar type, if they are not too many to be told apart.
    #[must_use]
    pub fn domain(&self, ty: &Type) -> Option<Domain> {
        let (first, count) = match ty.scalar() {
            Type::Bool => (0, 2),
            Type::Enum(id) => (0, self.program.enums[id.index()].enumerators.len() as u64),
            Type::Range { lo, hi } => {
                (i64::try_from(lo).ok()?, u64::try_from(hi - lo + 1u32).ok()?)
            }
            Type::Lock => (0, self.lock_values() as u64),
            Type::ThreadId => (0, 1),
            Type::Int | Type::Array { .. } => return None,
        };
        Some(Domain { first, count: count.max(1) })
    }

    /// The first values of the shared variables, slot by slot.
    #[must_use]
    pub fn initial_globals(&self) -> Vec<Value> {
        self.program.globals.iter().flat_map(|g| g.init.iter().cloned()).collect()
    }

    /// The values of the shared variables in a shared state, slot by slot.
    #[must_use]
    pub fn values_of(&self, shared: SharedId) -> Box<[Value]> {
        self.shared.get(shared.0).globals.clone()
    }

    /// The results that are on their way in a shared state.
    #[must_use]
    pub fn results_of(&self, shared: SharedId) -> Box<[Value]> {
        self.shared.get(shared.0).returned.clone().unwrap_or_default()
    }

    /// The location of a stack symbol and the values of its locals; none at the bottom of a stack.
    #[must_use]
    pub fn frame_of_symbol(&self, symbol: SymbolId) -> Option<(Loc, Box<[Value]>)> {
        match &*self.symbols.get(symbol.0) {
            Symbol::Frame(frame) => Some((frame.loc, frame.locals.clone())),
            Symbol::Bottom { .. } => None,
        }
    }

    /// How many threads there are at the start.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        self.entries.len()
    }

    /// Where a thread starts.
    #[must_use]
    pub fn start_of(&self, thread: usize) -> ThreadStart {
        let Frame { loc, locals, owner } = self.entries[thread].clone();
        ThreadStart { proc: self.flow.location(loc).proc, locals, owner }
    }
}

fn slot_types(variables: &[crate::Variable]) -> Vec<&Type> {
    let types = variables.iter().flat_map(|v| std::iter::repeat_n(&v.ty, v.ty.slots()));
    types.map(Type::scalar).collect()
}
