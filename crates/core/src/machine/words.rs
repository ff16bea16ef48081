//! # The concrete domain
//! Values are integers, slots are bits of words, a free choice is one of its possibilities: [`Choices`] goes
//! through all of them. A slot that is open gets a value when it is first read, and keeps it.

use num_bigint::BigInt;

use super::run::Spare;
use super::{Frame, Machine, Shared, Started};
use crate::{
    Area, Binary, Choices, Domain, Effect, Failure, Footprint, Kind, Limits, Memory, Place, ProcId,
    Site, Slot, Unary, Value, number,
};

/// More possibilities than this for one choice are not tried one by one.
const MOST_CHOICES: u64 = 1 << 16;

/// Why an evaluation or a step has no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The step cannot happen now, or not with these choices.
    Blocked,
    /// The program goes wrong.
    Wrong(Box<Failure<Value>>),
    /// The step cannot be followed.
    Fault(Box<Fault>),
}

/// A step whose outcomes cannot be enumerated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What happened, and what to do about it.
    pub message: String,
    /// The place in the text that it is about.
    pub site: Option<Site>,
    /// Whether the run was told to end: see [`super::Machine::is_over`].
    pub is_over: bool,
}

impl Fault {
    /// A fault at a place in the text.
    pub fn at(site: Site, message: impl Into<String>) -> Fault {
        Fault { message: message.into(), site: Some(site), is_over: false }
    }
}

/// How an edge changes the stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Leaves {
    /// The frame stays, and the thread goes on with it.
    Stays,
    /// A new frame is put on top of it.
    Calls,
    /// The frame is removed.
    Returns,
}

/// One execution of an edge.
pub struct Words<'m> {
    pub(super) machine: &'m Machine,
    pub(super) choices: &'m mut Choices,
    /// The shared state before the edge.
    pub(super) before: &'m Shared,
    pub(super) proc: ProcId,
    /// The thread as the owner of locks.
    pub(super) owner: u32,
    /// The shared values.
    pub(super) globals: Memory,
    /// The values of the frame.
    pub(super) locals: Memory,
    /// The frame that is being made.
    pub(super) new: Option<New>,
    /// What was stored as results.
    pub(super) results: Vec<Value>,
    /// Whether results that were on their way have been taken.
    pub(super) taken: bool,
    pub(super) leaves: Leaves,
    pub(super) started: Option<Box<Started>>,
    old: Option<Box<Old>>,
    /// Whether a result that is open gets a value when it is received.
    pub(super) settles_results: bool,
    /// The slots that were open when they were read, and the values that were chosen for them.
    pub(super) settled: Vec<(Slot, Value)>,
    /// The slots that were set to an open value.
    pub(super) opened: Vec<Slot>,
    /// The fair choices that were made, in the order in which they were made.
    pub(super) fair: Vec<(Site, bool)>,
    /// What was touched, if that is asked for.
    pub(super) touched: Option<Box<Footprint>>,
    /// The slots that were read, one after the other, if it is asked what was touched.
    pub(super) reads: Vec<(Area, usize)>,
}

/// A frame that is being made.
pub(super) struct New {
    pub proc: ProcId,
    pub memory: Memory,
    /// Whether it is for a thread that is dropped.
    pub dropped: bool,
}

/// The values when a snapshot was made, and which slots were stored to since.
struct Old {
    globals: Memory,
    locals: Memory,
    set: Vec<(Area, usize)>,
}

impl<'m> Words<'m> {
    /// Begins with the values of a state and a frame.
    pub(super) fn new(
        machine: &'m Machine,
        before: &'m Shared,
        frame: &Frame,
        choices: &'m mut Choices,
    ) -> Self {
        Words::again(machine, before, frame, choices, &mut None)
    }

    /// Begins in memories of an earlier run, if there are some to reuse.
    pub(super) fn again(
        machine: &'m Machine,
        before: &'m Shared,
        frame: &Frame,
        choices: &'m mut Choices,
        spare: &mut Spare,
    ) -> Self {
        let (mut globals, mut locals) = spare.take().unwrap_or_default();
        globals.copy_from(&before.memory);
        locals.copy_from(&frame.memory);
        Words {
            machine,
            choices,
            before,
            proc: machine.code.location(frame.loc).proc,
            owner: frame.owner,
            globals,
            locals,
            new: None,
            results: Vec::new(),
            taken: false,
            leaves: Leaves::Stays,
            started: None,
            old: None,
            settles_results: false,
            settled: Vec::new(),
            opened: Vec::new(),
            fair: Vec::new(),
            touched: None,
            reads: Vec::new(),
        }
    }

    pub(super) fn get(&self, (area, slot): (Area, usize)) -> Value {
        match area {
            Area::Shared => self.globals.get(&self.machine.shared, slot),
            Area::Frame => self.locals.get(&self.machine.frames[self.proc.index()], slot),
            Area::New => self.new.as_ref().map_or(Value::Open, |new| {
                new.memory.get(&self.machine.frames[new.proc.index()], slot)
            }),
            Area::Results => self.results.get(slot).cloned().unwrap_or(Value::Open),
        }
    }

    pub(super) fn set(&mut self, (area, slot): (Area, usize), value: &Value) {
        match area {
            Area::Shared => self.globals.set(&self.machine.shared, slot, value),
            Area::Frame => self.locals.set(&self.machine.frames[self.proc.index()], slot, value),
            Area::New => {
                if let Some(new) = &mut self.new {
                    new.memory.set(&self.machine.frames[new.proc.index()], slot, value);
                }
            }
            Area::Results => {
                if self.results.len() <= slot {
                    self.results.resize(slot + 1, Value::Open);
                }
                self.results[slot] = value.clone();
            }
        }
    }

    fn get_old(&self, at: (Area, usize)) -> Value {
        match (&self.old, at) {
            (Some(old), (Area::Shared, slot)) => old.globals.get(&self.machine.shared, slot),
            (Some(old), (Area::Frame, slot)) => {
                old.locals.get(&self.machine.frames[self.proc.index()], slot)
            }
            _ => self.get(at),
        }
    }

    fn set_old(&mut self, (area, slot): (Area, usize), value: &Value) {
        let Some(old) = &mut self.old else { return };
        match area {
            Area::Shared => old.globals.set(&self.machine.shared, slot, value),
            _ => old.locals.set(&self.machine.frames[self.proc.index()], slot, value),
        }
    }

    /// Keeps the value that was chosen for an open slot, now and in the snapshot unless it was stored to
    /// in between.
    fn settle(&mut self, at: (Area, usize), old: bool, value: &Value) {
        self.note(|touched| touched.write(at.0, at.1..at.1 + 1));
        let was_set = self.old.as_ref().is_some_and(|old| old.set.contains(&at));
        if !old || !was_set {
            self.set(at, value);
        }
        if old || !was_set {
            self.set_old(at, value);
            if let Some(slot) = slot(at) {
                self.settled.push((slot, value.clone()));
            }
        }
    }

    pub(super) fn note(&mut self, note: impl FnOnce(&mut Footprint)) {
        if let Some(touched) = &mut self.touched {
            note(touched);
        }
    }

    /// The values that an open slot is given in the place of all.
    fn looks(&self, (area, slot): (Area, usize)) -> Option<&'m [Value]> {
        let declared = match area {
            Area::Shared => &self.machine.code.shared,
            Area::Frame => &self.machine.code.proc(self.proc).frame,
            Area::New | Area::Results => return None,
        };
        declared.get(slot)?.looks.as_deref().filter(|values| !values.is_empty())
    }

    /// Picks one of `count` possibilities.
    fn pick(&mut self, count: u64) -> u64 {
        self.choices.pick(usize::try_from(count).unwrap_or(usize::MAX).max(1)) as u64
    }
}

/// The slot of an address, if the state before has it.
fn slot((area, slot): (Area, usize)) -> Option<Slot> {
    match area {
        Area::Shared => Some(Slot::Global(slot)),
        Area::Frame => Some(Slot::Local(slot)),
        Area::New | Area::Results => None,
    }
}

impl Domain for Words<'_> {
    type Value = Value;
    type Address = (Area, usize);
    type Halt = Halt;

    fn bool(&mut self, b: bool) -> Value {
        b.into()
    }

    fn int(&mut self, n: &Value) -> Value {
        n.clone()
    }

    fn me(&mut self) -> Value {
        Value::Small(i64::from(self.owner.max(1)))
    }

    fn unary(&mut self, op: Unary, a: Value) -> Result<Value, Halt> {
        Ok(match op {
            Unary::Not => (!a.is_true()).into(),
            Unary::Neg => number::negate(&a),
            Unary::Wrap { bits, signed } => number::wrap(&a, bits, signed),
            Unary::Ended => {
                self.note(|touched| touched.others = true);
                let id = a.small().and_then(|n| u32::try_from(n).ok());
                id.is_some_and(|id| self.before.has_ended(id)).into()
            }
        })
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value, site: Site) -> Result<Value, Halt> {
        number::binary(op, &a, &b).map_err(|number::TooLarge| {
            let message = format!(
                "a number has more than {} bits here: bound the variables, as in `int[0..9] x`",
                number::MOST_BITS
            );
            Halt::Fault(Box::new(Fault::at(site, message)))
        })
    }

    fn within(&mut self, value: &Value, limits: Limits<'_>) -> Value {
        let fits = match limits {
            Limits::NotNegative => match value {
                Value::Small(n) => *n >= 0,
                _ => value.to_big().is_some_and(|n| n >= BigInt::ZERO),
            },
            Limits::Positions(length) => {
                value.small().is_some_and(|n| (0..i64::from(length)).contains(&n))
            }
            Limits::Range(range) => range.contains(value),
        };
        fits.into()
    }

    fn truth(&self, value: &Value) -> Option<bool> {
        Some(value.is_true())
    }

    fn position(&self, value: &Value) -> Option<usize> {
        value.small().and_then(|n| usize::try_from(n).ok())
    }

    fn enter(&mut self, _: &Value, _: bool) {}

    fn leave(&mut self) {}

    fn merge(&mut self, cond: Value, a: Value, b: Value) -> Value {
        if cond.is_true() { a } else { b }
    }

    fn choose(&mut self, kind: &Kind, name: Option<&str>, site: Site) -> Result<Value, Halt> {
        match kind.span().filter(|span| span.count <= MOST_CHOICES) {
            Some(span) => Ok(Value::Small(span.first + self.pick(span.count) as i64)),
            None => {
                // A range of few numbers may be far from zero.
                let bounds = kind.bounds();
                let few = bounds.filter(|(lo, hi)| hi - lo < BigInt::from(MOST_CHOICES));
                match few {
                    Some((lo, hi)) => self.between(Value::from_big(lo), Value::from_big(hi), site),
                    None => Err(too_many(*kind == Kind::Int, name, site)),
                }
            }
        }
    }

    fn between(&mut self, lo: Value, hi: Value, site: Site) -> Result<Value, Halt> {
        let (Some(lo), Some(hi)) = (lo.to_big(), hi.to_big()) else { return Err(Halt::Blocked) };
        match u64::try_from(&hi - &lo + 1u32).ok().filter(|&count| count <= MOST_CHOICES) {
            Some(count) => Ok(Value::from_big(lo + self.pick(count))),
            None => Err(too_many(false, None, site)),
        }
    }

    fn fair(&mut self, site: Site) -> Result<Value, Halt> {
        let outcome = self.pick(2) == 1;
        self.fair.push((site, outcome));
        Ok(outcome.into())
    }

    fn address(&mut self, area: Area, slot: usize) -> (Area, usize) {
        (area, slot)
    }

    fn element(
        &mut self,
        (area, first): (Area, usize),
        index: &Value,
        _: u32,
        stride: usize,
    ) -> (Area, usize) {
        (area, first + self.position(index).unwrap_or(0) * stride)
    }

    fn load(&mut self, at: &(Area, usize), place: &Place, old: bool) -> Result<Value, Halt> {
        if let Some(touched) = &mut self.touched {
            touched.read(at.0, at.1..at.1 + 1);
            self.reads.push(*at);
        }
        let value = if old { self.get_old(*at) } else { self.get(*at) };
        if value != Value::Open {
            return Ok(value);
        }
        let value = match self.looks(*at) {
            Some(values) => values[self.pick(values.len() as u64) as usize].clone(),
            None => self.choose(&place.kind, Some(&place.name), place.site)?,
        };
        self.settle(*at, old, &value);
        Ok(value)
    }

    fn store(&mut self, at: &(Area, usize), _: &Place, value: Option<Value>) -> Result<(), Halt> {
        self.note(|touched| touched.write(at.0, at.1..at.1 + 1));
        if value.is_none() {
            self.opened.extend(slot(*at));
        }
        if let Some(old) = &mut self.old {
            old.set.push(*at);
        }
        self.set(*at, &value.unwrap_or(Value::Open));
        Ok(())
    }

    fn result(&mut self, index: usize, kind: &Kind, into: &Place) -> Result<Option<Value>, Halt> {
        self.note(|touched| touched.others = true);
        let results = self.before.returned.as_ref();
        let value = results.and_then(|results| results.get(index)).cloned();
        let value = value.filter(|value| *value != Value::Open);
        // Who looks from above asks about threads that wait for a call beside the results of another one: that never occurs.
        if value.as_ref().is_some_and(|value| !kind.holds(value)) {
            return Err(Halt::Blocked);
        }
        if value.is_some() || (*kind == into.kind && !self.settles_results) {
            return Ok(value);
        }
        let value = self.choose(kind, None, into.site)?;
        self.settled.push((Slot::Result(index), value.clone()));
        Ok(Some(value))
    }

    fn assume(&mut self, cond: Value) -> Result<(), Halt> {
        if cond.is_true() { Ok(()) } else { Err(Halt::Blocked) }
    }

    fn require(&mut self, cond: Value, why: impl FnOnce() -> Failure<Value>) -> Result<(), Halt> {
        if cond.is_true() { Ok(()) } else { Err(Halt::Wrong(Box::new(why()))) }
    }

    fn effect(&mut self, effect: Effect<'_, (Area, usize)>) -> Result<(), Halt> {
        match effect {
            Effect::Snapshot => {
                self.old = Some(Box::new(Old {
                    globals: self.globals.clone(),
                    locals: self.locals.clone(),
                    set: Vec::new(),
                }));
            }
            Effect::Take => {
                self.note(|touched| touched.others = true);
                self.taken = true;
            }
            Effect::Frame { proc, for_thread } => {
                let dropped = for_thread && self.drops();
                let memory = self.machine.fresh[proc.index()].clone();
                self.new = Some(New { proc, memory, dropped });
            }
            Effect::Call => self.leaves = Leaves::Calls,
            Effect::Start(dest) => return self.start(dest),
            Effect::Fork { at, read_by_both } => return self.fork(at, read_by_both),
            Effect::Return => self.leaves = Leaves::Returns,
        }
        Ok(())
    }
}

fn too_many(any_integer: bool, name: Option<&str>, site: Site) -> Halt {
    let what = name.unwrap_or("this choice");
    let message = if any_integer {
        format!(
            "{what} may be any integer here: give it a value before it is read, or choose from a \
             range, as in {{0 .. 9}}"
        )
    } else {
        format!("{what} has more than {MOST_CHOICES} possible values: use a smaller range")
    };
    Halt::Fault(Box::new(Fault::at(site, message)))
}
