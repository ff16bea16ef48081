//! # Variables of decision diagrams
//!
//! Every scalar of the program is a group of bits, and there are several copies of it: a relation
//! speaks of the same variable at different moments. The scalars stand in the order of
//! `order`; which copies of the shared ones stand next to each other says [`Layout`].

use selvedge_bdd::{Bdd, Manager, Var};
use selvedge_core::{Kind, ProcId, Slot, Span, Value};
use selvedge_model::{Fault, Stop};
use selvedge_program::Lowering;

use super::layout::Layout;
use super::limits::Limits;
use super::order::order;
use super::touched::{Touched, Variant};
use super::{Result, bits_for};

/// A moment at which the shared variables have values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shared {
    /// At the start of the thread's context in this round.
    In(usize),
    /// At the end of the thread's context in this round, or now if it is not over.
    Out(usize),
    /// Somewhere else in this round: at another thread.
    Other(usize),
    /// When the procedure was entered, in this round.
    Entry(usize),
    /// After the step, or when the procedure that is called is entered, in this round.
    Next(usize),
}

/// A moment at which the local variables of a procedure have values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Local {
    /// The moment at which the procedure was entered.
    Entry,
    /// The present moment.
    Now,
    /// The moment after the step, or at which the procedure is entered by a call.
    Next,
}

/// The bits of a scalar: the first level of the copies of each bit, most significant first.
#[derive(Clone, Debug)]
struct Field {
    domain: Span,
    bits: Vec<Var>,
    /// Whether the scalar is hidden, so that nothing is known of it.
    hidden: bool,
}

/// The variables of a program for a number of rounds, and the diagrams over them.
pub struct Space<'a> {
    /// The program.
    pub lowering: &'a Lowering,
    /// How many rounds there are copies for.
    pub rounds: usize,
    /// The manager of the diagrams.
    pub bdds: Manager<Limits>,
    /// The shared variables that procedures touch.
    pub touched: Touched,
    globals: Vec<Field>,
    locals: Vec<Vec<Field>>,
    results: Vec<Vec<Field>>,
    layout: Layout,
    /// With the layout by rounds: how many variables a round has.
    block: u32,
}

/// The copies of a bit of a local variable.
const LOCAL_COPIES: u32 = 3;

impl<'a> Space<'a> {
    /// Prepares the variables, with bits for those of the shared ones that are seen, by slot. A program with a type without
    /// end, or too large, is refused.
    pub fn new(
        lowering: &'a Lowering,
        rounds: usize,
        layout: Layout,
        seen: &[bool],
        limits: Limits,
    ) -> Result<Self> {
        let program = lowering.program();
        let too_many = || {
            let message = "there are more rounds and variables than decision diagrams can hold";
            Stop::Fault(Fault::new(message))
        };
        let shared_copies = layout.copies(rounds).ok_or_else(too_many)?;
        let empty = Field { domain: Span { first: 0, count: 1 }, bits: Vec::new(), hidden: false };
        let fields = |count: usize| vec![empty.clone(); count];
        let procs = || (0..program.procs.len() as u32).map(ProcId);
        let mut space = Space {
            lowering,
            rounds,
            bdds: Manager::new(Limits(limits.0.clone())),
            touched: Touched::everything(lowering),
            globals: fields(lowering.code().shared.len()),
            locals: procs().map(|proc| fields(lowering.code().proc(proc).frame.len())).collect(),
            results: procs().map(|p| fields(program.procs[p.index()].results.len())).collect(),
            layout,
            block: 0,
        };
        // Types first: a type without end is a better reason than a command about it.
        let locals = procs().flat_map(|proc| &lowering.code().proc(proc).frame);
        for slot in lowering.code().shared.iter().chain(locals) {
            finite(&slot.kind)?;
        }
        let (mut level, mut shared) = (0, 0);
        for (proc, slot) in order(lowering, &limits.0)? {
            let kind = match slot {
                Slot::Global(index) => &lowering.code().shared[index].kind,
                Slot::Local(index) => &lowering.code().proc(proc).frame[index].kind,
                Slot::Result(index) => &lowering.code().proc(proc).results[index],
            };
            let copies = match slot {
                Slot::Global(_) => shared_copies,
                Slot::Local(_) => LOCAL_COPIES,
                Slot::Result(_) => 1,
            };
            let domain = finite(kind)?;
            let hidden = matches!(slot, Slot::Global(index) if !seen[index]);
            let count = if hidden { 0 } else { bits_for(domain.count) };
            let next = count.checked_mul(copies).and_then(|n| n.checked_add(level));
            let next = next.filter(|next| *next < MOST_LEVELS).ok_or_else(too_many)?;
            let bits = (0..count).map(|bit| level + bit * copies).collect();
            if matches!(slot, Slot::Global(_)) {
                shared += next - level;
            }
            level = next;
            *space.field_mut(proc, slot) = Field { domain, bits, hidden };
        }
        // The shared variables come last, so that more blocks of them can come after that.
        let blocks = layout.blocks(rounds).and_then(|n| n.checked_mul(shared)?.checked_add(level));
        blocks.filter(|last| *last < MOST_LEVELS).ok_or_else(too_many)?;
        space.block = shared;
        Ok(space)
    }

    fn field_mut(&mut self, proc: ProcId, slot: Slot) -> &mut Field {
        match slot {
            Slot::Global(index) => &mut self.globals[index],
            Slot::Local(index) => &mut self.locals[proc.index()][index],
            Slot::Result(index) => &mut self.results[proc.index()][index],
        }
    }

    fn shared_copy(&self, copy: Shared) -> u32 {
        self.layout.copy(self.rounds, self.block, copy)
    }

    fn vars<'f>(fields: impl IntoIterator<Item = &'f Field>, copy: u32) -> Vec<Var> {
        fields.into_iter().flat_map(|f| f.bits.iter().map(move |bit| bit + copy)).collect()
    }

    /// The variables of a copy of all shared variables.
    #[must_use]
    pub fn shared(&self, copy: Shared) -> Vec<Var> {
        Self::vars(&self.globals, self.shared_copy(copy))
    }

    fn shared_slots(&self, slots: &[usize], copy: Shared) -> Vec<Var> {
        Self::vars(slots.iter().map(|&slot| &self.globals[slot]), self.shared_copy(copy))
    }

    /// A procedure for any values. Where nothing else was asked for, it touches all variables.
    pub fn whole(proc: ProcId) -> Variant {
        Touched::any(proc)
    }

    /// The variables of a copy of the shared variables that a procedure touches.
    #[must_use]
    pub fn touched(&self, variant: Variant, copy: Shared) -> Vec<Var> {
        self.shared_slots(self.touched.slots(variant), copy)
    }

    /// The variables of a copy of the shared variables that it does not touch.
    #[must_use]
    pub fn untouched(&self, variant: Variant, copy: Shared) -> Vec<Var> {
        self.shared_slots(self.touched.others(variant), copy)
    }

    /// The variables of a copy of all local variables of a procedure.
    #[must_use]
    pub fn locals(&self, proc: ProcId, copy: Local) -> Vec<Var> {
        Self::vars(&self.locals[proc.index()], copy as u32)
    }

    /// The variables of a copy of the parameters of a procedure.
    #[must_use]
    pub fn params(&self, proc: ProcId, copy: Local) -> Vec<Var> {
        let count = self.lowering.code().proc(proc).params;
        Self::vars(&self.locals[proc.index()][..count], copy as u32)
    }

    /// The variables of the results of a procedure.
    #[must_use]
    pub fn results(&self, proc: ProcId) -> Vec<Var> {
        Self::vars(&self.results[proc.index()], 0)
    }

    /// The variables of one activation of a procedure: its locals, and what it was entered with.
    #[must_use]
    pub fn activation(&self, proc: ProcId, entered: Option<usize>) -> Vec<Var> {
        let mut vars = self.locals(proc, Local::Now);
        vars.extend(self.params(proc, Local::Entry));
        vars.extend(self.shared(Shared::Entry(entered.unwrap_or(0))));
        vars
    }

    /// The variables of the contexts before a call in this round: the inputs so far, and the
    /// outputs before.
    #[must_use]
    pub fn contexts(&self, round: usize) -> Vec<Var> {
        let inputs = (0..=round).flat_map(|r| self.shared(Shared::In(r)));
        inputs.chain((0..round).flat_map(|r| self.shared(Shared::Out(r)))).collect()
    }

    /// The variables of what a procedure is about to be entered with.
    #[must_use]
    pub fn next_entry(&self, proc: ProcId, variant: Variant, round: usize) -> Vec<Var> {
        let mut vars = self.touched(variant, Shared::Next(round));
        vars.extend(self.params(proc, Local::Next));
        vars
    }

    /// From what a procedure is about to be entered with to what it was entered with, or back.
    #[must_use]
    pub fn at_entry(
        &self,
        proc: ProcId,
        variant: Variant,
        round: usize,
        enters: bool,
    ) -> Vec<(Vec<Var>, Vec<Var>)> {
        let pairs = [
            (
                self.touched(variant, Shared::Next(round)),
                self.touched(variant, Shared::Entry(round)),
            ),
            (self.params(proc, Local::Next), self.params(proc, Local::Entry)),
        ];
        let turn = |(next, old)| if enters { (next, old) } else { (old, next) };
        pairs.into_iter().map(turn).collect()
    }

    /// The variables of one scalar.
    #[must_use]
    pub fn scalar(&self, place: Scalar) -> Vec<Var> {
        let (field, copy) = self.find(place);
        Self::vars([field], copy)
    }

    fn find(&self, place: Scalar) -> (&Field, u32) {
        match place {
            Scalar::Shared(index, copy) => (&self.globals[index], self.shared_copy(copy)),
            Scalar::Local(proc, index, copy) => (&self.locals[proc.index()][index], copy as u32),
            Scalar::Result(proc, index) => (&self.results[proc.index()][index], 0),
        }
    }

    /// The literals that say that a scalar has a value; `None` if it cannot have it.
    #[must_use]
    pub fn literals(&self, place: Scalar, value: &Value) -> Option<Vec<(Var, bool)>> {
        let (field, copy) = self.find(place);
        let code = value.small()?.checked_sub(field.domain.first)?;
        let code = u64::try_from(code).ok().filter(|code| *code < field.domain.count)?;
        let high = field.bits.len();
        let literal =
            |(index, bit): (usize, &Var)| (bit + copy, code >> (high - 1 - index) & 1 == 1);
        Some(field.bits.iter().enumerate().map(literal).collect())
    }

    /// The value of a scalar where each variable has one; open if it is hidden.
    #[must_use]
    pub fn value(&self, place: Scalar, bit: &dyn Fn(Var) -> bool) -> Value {
        let (field, copy) = self.find(place);
        if field.hidden {
            return Value::Open;
        }
        let code = field.bits.iter().fold(0, |code, v| code << 1 | u64::from(bit(v + copy)));
        Value::Small(field.domain.first + code.min(field.domain.count - 1) as i64)
    }

    /// Requires that a scalar has this value; any value of its type if it is open.
    pub fn has_value(&mut self, place: Scalar, value: &Value) -> Result<Bdd> {
        match value {
            Value::Open => self.in_domain(place),
            value => match self.literals(place, value) {
                Some(literals) => self.bdds.cube_of(&literals),
                None => Ok(Bdd::FALSE),
            },
        }
    }

    /// Requires that a scalar has a value of its type.
    fn in_domain(&mut self, place: Scalar) -> Result<Bdd> {
        let (field, copy) = self.find(place);
        if field.hidden {
            return Ok(Bdd::TRUE);
        }
        let last = field.domain.count - 1;
        let vars = Self::vars([field], copy);
        let mut below = Bdd::TRUE;
        for (index, &var) in vars.iter().rev().enumerate() {
            let bit = self.bdds.var(var)?;
            below = if last >> index & 1 == 1 {
                self.bdds.implies(bit, below)?
            } else {
                let zero = self.bdds.not(bit)?;
                self.bdds.and(zero, below)?
            };
        }
        Ok(below)
    }

    /// Requires that two lists of variables have the same values.
    pub fn same(&mut self, left: &[Var], right: &[Var]) -> Result<Bdd> {
        let mut all = Bdd::TRUE;
        // From the bottom of the order, so that each step adds to the top.
        let mut pairs: Vec<_> = left.iter().zip(right).collect();
        pairs.sort_unstable_by_key(|(left, _)| std::cmp::Reverse(**left));
        for (&left, &right) in pairs {
            let (left, right) = (self.bdds.var(left)?, self.bdds.var(right)?);
            let same = self.bdds.iff(left, right)?;
            all = self.bdds.and(same, all)?;
        }
        Ok(all)
    }

    /// The first values of the shared variables.
    pub fn initial(&mut self, copy: Shared) -> Result<Bdd> {
        let mut all = Bdd::TRUE;
        for (index, value) in self.lowering.initial_globals().iter().enumerate() {
            let value = self.has_value(Scalar::Shared(index, copy), value)?;
            all = self.bdds.and(all, value)?;
        }
        Ok(all)
    }

    /// The diagram with other variables.
    pub fn rename(&mut self, diagram: Bdd, lists: &[(Vec<Var>, Vec<Var>)]) -> Result<Bdd> {
        let pairs =
            lists.iter().flat_map(|(from, to)| from.iter().copied().zip(to.iter().copied()));
        let pairs: Vec<_> = pairs.collect();
        let renaming = self.bdds.renaming(&pairs);
        self.bdds.rename(diagram, renaming)
    }

    /// Quantifies some variables away.
    pub fn forget(&mut self, diagram: Bdd, vars: &[Var]) -> Result<Bdd> {
        let cube = self.bdds.cube(vars);
        self.bdds.exists(diagram, cube)
    }

    /// The conjunction of two diagrams, with some variables quantified away.
    pub fn join(&mut self, left: Bdd, right: Bdd, forget: &[Var]) -> Result<Bdd> {
        let cube = self.bdds.cube(forget);
        self.bdds.and_exists(left, right, cube)
    }
}

/// One scalar at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// A slot of the shared variables.
    Shared(usize, Shared),
    /// A slot of the locals of a procedure.
    Local(ProcId, usize, Local),
    /// A result of a procedure.
    Result(ProcId, usize),
}

/// More variables than this are not put in order.
const MOST_LEVELS: u32 = 1 << 24;

/// More values than this are not told apart by bits.
const MOST_VALUES: u64 = 1 << 16;

fn finite(kind: &Kind) -> Result<Span> {
    kind.span().filter(|domain| domain.count <= MOST_VALUES).ok_or_else(|| {
        let message = if *kind == Kind::Int {
            "summaries need finite types, and the program has variables of type `int`: bound them, \
             as in `int[0..9] x`"
        } else {
            "summaries need small types: a variable has more than 65536 values"
        };
        Stop::Fault(Fault::new(message))
    })
}
