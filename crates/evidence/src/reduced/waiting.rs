//! # Threads that wait, checked
//!
//! **Question.** A proof says of some states that some of their threads may wait. Are the others enough?
//!
//! **Idea.** From where they stand, the threads that wait are followed through the code, as far as they get if all the others stand still. What is known of the state is known of
//! every slot that none of them writes; an edge whose first conditions are known not to hold is not taken. The places that are named on
//! the way, with indices that are numbers, or made of numbers that the frame holds and never changes, are all that they touch. This is held against what a step of each of the
//! others touches.
//!
//! **Claim.** If [`Reading::check`] accepts, then nothing that the waiting threads do before one of the others acts has to do with what that one does, and one
//! of the others can act if any thread can: see the theory page. By induction over their steps, every edge that they take was found, and a slot that no edge found writes is as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use selvedge_core::{
    Area, Binary, Code, Control, Edge, Expr, Instruction, Kind, Loc, Place, ProcId, Slots, Source,
    Target, Unary, Value,
};
use selvedge_model::{Local, SharedId, SymbolId, System, TemplateId};

use crate::recheck::{Flaw, Refusal};
use crate::watch::Watch;
use crate::{CutCertificate, LeftOut};

/// More places than this, with what is known of their frames, are not looked at: numbers may grow from call to call.
const MOST_PLACES: usize = 1 << 14;

/// Numbers in the slots of a frame that no edge of its procedure stores into.
type Fixed = Rc<[Option<i64>]>;

/// Where a frame stands, or what is left of a thread below its frames.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    Place(Frame, Loc),
    /// Others hear that the thread ends.
    End,
}

/// A procedure that was called, with what is known of its frame.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    proc: ProcId,
    fixed: Fixed,
    /// Whether an atomic section called it, so that it returns within the same step.
    in_section: bool,
}

/// The stack of a thread, top first.
type Stack = Vec<At>;

/// The slots that an edge touches, and where it leads.
struct Does {
    reads: Slots,
    writes: Slots,
    next: Next,
    starts: Option<At>,
}

enum Next {
    To(At),
    Into(At, At),
    Out,
}

/// The slots that several threads touch together.
#[derive(Default)]
struct Touched {
    reads: Slots,
    writes: Slots,
    /// Whether one hands over results, so that all others stop.
    stops_others: bool,
}

/// The code as this checker reads it.
pub(super) struct Reading<'c> {
    system: &'c dyn System,
    code: &'c Code,
    /// Where a fused step may go on.
    riding: BTreeSet<u32>,
    /// The slots of the frames of each procedure into which something is stored.
    stored: Vec<BTreeSet<usize>>,
    /// Shared slots that may be open: reading one may choose its value, which is a write.
    open: Slots,
    known: BTreeMap<(Frame, Loc), Rc<[Does]>>,
}

impl<'c> Reading<'c> {
    /// Reads the code of a program. The system is the one with fused steps.
    pub fn new(system: &'c dyn System, code: &'c Code, local: &Local) -> Self {
        let mut stored = vec![BTreeSet::new(); code.procs.len()];
        let mut open = Slots::default();
        for (slot, declared) in code.shared.iter().enumerate() {
            if declared.first == Value::Open {
                open.add(slot..slot + 1);
            }
        }
        for edge in &code.edges {
            let own: &mut BTreeSet<usize> = &mut stored[code.location(edge.from).proc.index()];
            let opens = edge.code.iter().any(|instruction| match instruction {
                Instruction::Store { value, .. } => !matches!(value, Source::Value(_)),
                _ => false,
            });
            edge.each_stored(&mut |place| match place.area {
                Area::Frame => own.extend(place.slots()),
                Area::Shared if opens => open.add(place.slots()),
                _ => {}
            });
        }
        let movers = &local.movers;
        let sets = [&local.places, &movers.inside, &movers.releases, &movers.commits];
        let riding = sets.into_iter().flatten().map(|place| place.0).collect();
        Reading { system, code, riding, stored, open, known: BTreeMap::new() }
    }

    /// Refuses a certificate in which a thread waits that has to be followed.
    pub fn check(
        &mut self,
        certificate: &CutCertificate,
        templates: &[TemplateId],
        left_out: &[LeftOut],
        watch: &Watch<'_>,
    ) -> Result<(), Refusal> {
        let stack = |symbols: &[SymbolId]| symbols.iter().map(|&symbol| self.at(symbol)).collect();
        let stacks: Vec<Stack> =
            certificate.kinds.iter().map(|kind| stack(&kind.window.symbols)).collect();
        for LeftOut { state, kinds } in left_out {
            let at = &certificate.states[*state as usize];
            let (mut waiting, mut first) = (Vec::new(), Vec::new());
            let mut can_act = [false, false];
            for &(kind, _) in &at.threads {
                let thread = &certificate.kinds[kind as usize];
                let template = templates[thread.class as usize];
                let (top, mut actions) = (thread.window.symbols.first().copied(), Vec::new());
                self.system.actions(template, at.shared, top, &mut actions)?;
                let waits = kinds.contains(&kind);
                can_act[usize::from(waits)] |= !actions.is_empty();
                match waits {
                    true => waiting.push(&stacks[kind as usize]),
                    false => first.push((&stacks[kind as usize], !actions.is_empty())),
                }
            }
            let refuse = |why: &str| {
                let message = format!("state {state}: some threads are said to wait, but {why}");
                Err(Refusal::new(Flaw::Waiting, message))
            };
            if can_act == [false, true] {
                return refuse("none of the others can act");
            }
            if can_act == [false, false] {
                continue;
            }
            if let Some(why) = self.disproof(at.shared, &waiting, &first, watch)? {
                return refuse(why);
            }
        }
        Ok(())
    }

    /// Why threads cannot wait for those that go first, of which it is said whether they can act.
    fn disproof(
        &mut self,
        shared: SharedId,
        waiting: &[&Stack],
        first: &[(&Stack, bool)],
        watch: &Watch<'_>,
    ) -> Result<Option<&'static str>, Refusal> {
        let values = self.system.shared_numbers(shared);
        let meanwhile = self.follow(waiting, &values, true, watch)?;
        for (thread, can_act) in first {
            let step = self.follow(&[*thread], &values, false, watch)?;
            if meanwhile.writes.meets(&step.reads) {
                return Ok(Some("they may write what another one looks at"));
            }
            if !can_act {
                continue;
            }
            if step.stops_others {
                return Ok(Some("another one hands over results, and they cannot act then"));
            }
            if step.writes.meets(&meanwhile.reads) || step.writes.meets(&meanwhile.writes) {
                return Ok(Some("they may touch what another one writes"));
            }
        }
        Ok(None)
    }

    /// The slots that threads touch if no other thread acts: in all that they do, or in one fused step.
    fn follow(
        &mut self,
        threads: &[&Stack],
        values: &[Option<i64>],
        is_all: bool,
        watch: &Watch<'_>,
    ) -> Result<Touched, Refusal> {
        let mut touched = Touched::default();
        let mut found: Vec<ThreadFacts> =
            threads.iter().map(|stack| ThreadFacts::new(stack)).collect();
        let mut grows = true;
        while std::mem::take(&mut grows) {
            for thread in &mut found {
                let mut next = 0;
                while let Some(at) = thread.places.get(next).cloned() {
                    next += 1;
                    let At::Place(frame, loc) = at else {
                        grows |= self.touch_names(&mut touched);
                        continue;
                    };
                    let (does, edges) = (self.does(&frame, loc), &self.code.location(loc).edges);
                    watch.spend(does.len())?;
                    if self.known.len() > MOST_PLACES {
                        let why = "threads wait, and they call procedures with too many numbers";
                        return Err(Refusal::new(Flaw::Waiting, why));
                    }
                    let rides = self.riding.contains(&loc.0);
                    for (does, &edge) in does.iter().zip(edges) {
                        let edge = self.code.edge(edge);
                        if never(edge, &frame.fixed, values, &touched.writes) {
                            // Reading decides where a fused step ends, so it counts.
                            if !is_all || rides {
                                add(&mut touched.reads, &does.reads);
                            }
                            continue;
                        }
                        add(&mut touched.reads, &does.reads);
                        grows |= add(&mut touched.writes, &does.writes);
                        let goes_on = |at: &At| is_all || self.goes_on(at);
                        match &does.next {
                            Next::To(to) if goes_on(to) => thread.find(to),
                            Next::Into(entry, back) => {
                                if goes_on(entry) {
                                    thread.find(entry);
                                }
                                if let (At::Place(called, _), true) = (entry, goes_on(back)) {
                                    thread.calls.insert((called.clone(), back.clone()));
                                }
                            }
                            Next::Out => {
                                let results = &self.code.proc(frame.proc).results;
                                touched.stops_others |= !results.is_empty();
                                thread.returned.insert(frame.clone());
                            }
                            Next::To(_) => {}
                        }
                        if let Some(started) = does.starts.as_ref().filter(|_| is_all) {
                            thread.find(started);
                        }
                    }
                }
                let back =
                    thread.calls.iter().filter(|(called, _)| thread.returned.contains(called));
                let back: Vec<At> = back.map(|(_, back)| back.clone()).collect();
                for at in back.iter().filter(|at| is_all || self.goes_on(at)) {
                    grows |= !thread.known.contains(at);
                    thread.find(at);
                }
            }
        }
        Ok(touched)
    }

    /// Notes that names of threads matter: as if they were a slot behind all others.
    fn touch_names(&self, touched: &mut Touched) -> bool {
        let names = self.code.shared.len();
        let is_new = !touched.writes.contains(names);
        touched.reads.add(names..names + 1);
        touched.writes.add(names..names + 1);
        is_new
    }

    /// Whether a step that comes here goes on.
    fn goes_on(&self, at: &At) -> bool {
        match at {
            At::Place(frame, loc) => {
                let is_atomic = frame.in_section || self.code.location(*loc).atomic;
                is_atomic || self.riding.contains(&loc.0)
            }
            At::End => false,
        }
    }

    /// The place at which a symbol stands.
    fn at(&self, symbol: SymbolId) -> At {
        let Some(place) = self.system.place_of(symbol) else { return At::End };
        let (loc, numbers) = (Loc(place.0), self.system.frame_numbers(symbol));
        At::Place(self.frame(self.code.location(loc).proc, numbers, false), loc)
    }

    /// A frame whose slots have these numbers, without those that may change.
    fn frame(&self, proc: ProcId, mut numbers: Vec<Option<i64>>, in_section: bool) -> Frame {
        for &slot in &self.stored[proc.index()] {
            if let Some(number) = numbers.get_mut(slot) {
                *number = None;
            }
        }
        Frame { proc, fixed: numbers.into(), in_section }
    }

    /// The effects of the edges from a place.
    fn does(&mut self, frame: &Frame, loc: Loc) -> Rc<[Does]> {
        if let Some(known) = self.known.get(&(frame.clone(), loc)) {
            return Rc::clone(known);
        }
        let edges = self.code.location(loc).edges.iter();
        let does: Rc<[Does]> = edges.map(|&edge| self.edge(frame, self.code.edge(edge))).collect();
        self.known.insert((frame.clone(), loc), Rc::clone(&does));
        does
    }

    fn edge(&self, frame: &Frame, edge: &Edge) -> Does {
        let fixed = &frame.fixed;
        let (mut reads, mut writes) = (Slots::default(), Slots::default());
        let holds = |proc: ProcId| {
            let mut slots = self.code.proc(proc).frame.iter();
            slots.any(|slot| slot.kind == Kind::Thread)
        };
        let mut names = edge.starts || holds(frame.proc);
        for instruction in &edge.code {
            instruction.each_place(&mut |place| {
                if place.area == Area::Shared {
                    names |= place.kind == Kind::Thread;
                    each_slot(place, fixed, &mut |slot| {
                        reads.add(slot..slot + 1);
                        if self.open.contains(slot) {
                            writes.add(slot..slot + 1);
                        }
                    });
                }
            });
            names |= instruction.asks_for_ends();
        }
        edge.each_stored(&mut |place| {
            if place.area == Area::Shared {
                each_slot(place, fixed, &mut |slot| writes.add(slot..slot + 1));
            }
        });
        let to = || At::Place(frame.clone(), edge.to);
        let next = match edge.control {
            Control::Goto | Control::Receive(_) => Next::To(to()),
            Control::Call(proc) => {
                names |= holds(proc);
                let in_section = frame.in_section || self.code.location(edge.from).atomic;
                Next::Into(self.entry(proc, edge, fixed, in_section), to())
            }
            Control::Return => Next::Out,
        };
        let starts = edge.code.iter().find_map(|instruction| match instruction {
            Instruction::Frame { proc, for_thread: true } => {
                Some(self.entry(*proc, edge, fixed, false))
            }
            Instruction::Fork { at, .. } => Some(At::Place(frame.clone(), *at)),
            _ => None,
        });
        if names || starts.is_some() {
            let names = self.code.shared.len();
            reads.add(names..names + 1);
            writes.add(names..names + 1);
        }
        Does { reads, writes, next, starts }
    }

    /// Where a procedure begins whose frame an edge makes.
    fn entry(&self, proc: ProcId, edge: &Edge, fixed: &Fixed, in_section: bool) -> At {
        let called = self.code.proc(proc);
        let first = called.frame.iter().enumerate();
        let first =
            first.map(|(slot, declared)| declared.first.small().filter(|_| slot >= called.params));
        let mut numbers: Vec<Option<i64>> = first.collect();
        let mut given = BTreeSet::new();
        for instruction in &edge.code {
            let Instruction::Store { to: Target::Place(place), value, when } = instruction else {
                continue;
            };
            if place.area != Area::New {
                continue;
            }
            let value = match (value, when) {
                (Source::Value(value), None) => number(value, fixed, &[], None),
                _ => None,
            };
            for slot in place.slots().filter(|&slot| slot < called.frame.len()) {
                let is_only = given.insert(slot) && place.indices.is_empty();
                numbers[slot] = value.filter(|_| is_only);
            }
        }
        // A number that does not fit goes wrong instead.
        for (number, slot) in numbers.iter_mut().zip(&called.frame) {
            *number = number.filter(|&number| slot.kind.holds(&Value::Small(number)));
        }
        At::Place(self.frame(proc, numbers, in_section), called.entry)
    }
}

/// The places that one thread may reach.
struct ThreadFacts {
    places: Vec<At>,
    known: BTreeSet<At>,
    /// Where calls return to.
    calls: BTreeSet<(Frame, At)>,
    returned: BTreeSet<Frame>,
}

impl ThreadFacts {
    fn new(stack: &Stack) -> Self {
        let mut found = ThreadFacts {
            places: Vec::new(),
            known: BTreeSet::new(),
            calls: BTreeSet::new(),
            returned: BTreeSet::new(),
        };
        if let Some(top) = stack.first() {
            found.find(top);
        }
        for pair in stack.windows(2) {
            if let At::Place(frame, _) = &pair[0] {
                found.calls.insert((frame.clone(), pair[1].clone()));
            }
        }
        found
    }

    fn find(&mut self, at: &At) {
        if self.known.insert(at.clone()) {
            self.places.push(at.clone());
        }
    }
}

/// Adds slots, and says whether one of them is new.
fn add(to: &mut Slots, more: &Slots) -> bool {
    if to.covers(more) {
        return false;
    }
    more.iter().for_each(|slot| to.add(slot..slot + 1));
    true
}

/// Whether an edge is known not to be taken: the first of its conditions that is not known to hold is known not to hold.
fn never(edge: &Edge, fixed: &Fixed, values: &[Option<i64>], written: &Slots) -> bool {
    for instruction in &edge.code {
        let Instruction::Assume(condition) = instruction else { return false };
        match number(condition, fixed, values, Some(written)) {
            Some(0) => return true,
            Some(_) => {}
            None => return false,
        }
    }
    false
}

/// The number that an expression has, if slots that are not written have these values; without `written`, nothing is known of shared slots.
fn number(
    value: &Expr,
    fixed: &Fixed,
    values: &[Option<i64>],
    written: Option<&Slots>,
) -> Option<i64> {
    let of = |value: &Expr| number(value, fixed, values, written);
    match value {
        Expr::Bool(value) => Some(i64::from(*value)),
        Expr::Int(value) => value.small(),
        Expr::Load(place) if place.area == Area::Frame && place.indices.is_empty() => {
            *fixed.get(place.first)?
        }
        Expr::Load(place) if place.area == Area::Shared => {
            let written = written?;
            let mut slot = place.first;
            for index in &place.indices {
                let at = number(&index.value, fixed, &[], None)?;
                let at = usize::try_from(at).ok().filter(|&at| at < index.length as usize)?;
                slot += at * index.stride;
            }
            if written.contains(slot) { None } else { *values.get(slot)? }
        }
        Expr::Unary(Unary::Not, value) => Some(i64::from(of(value)? == 0)),
        Expr::Binary(op, left, right, _) => {
            let (left, right) = (of(left)?, of(right)?);
            let holds = |is: bool| Some(i64::from(is));
            match op {
                Binary::Eq => holds(left == right),
                Binary::Lt => holds(left < right),
                Binary::Le => holds(left <= right),
                Binary::Gt => holds(left > right),
                Binary::Ge => holds(left >= right),
                Binary::Add => left.checked_add(right),
                Binary::Sub => left.checked_sub(right),
                Binary::Mul => left.checked_mul(right),
                Binary::Div => left.checked_div_euclid(right),
                Binary::Mod => left.checked_rem_euclid(right),
                _ => None,
            }
        }
        Expr::If(parts) => of(if of(&parts[0])? != 0 { &parts[1] } else { &parts[2] }),
        _ => None,
    }
}

/// Tells the slots that a place may be.
fn each_slot(place: &Place, fixed: &Fixed, see: &mut dyn FnMut(usize)) {
    fn walk(place: &Place, fixed: &Fixed, at: usize, slot: usize, see: &mut dyn FnMut(usize)) {
        let Some(index) = place.indices.get(at) else { return see(slot) };
        let length = index.length as usize;
        let known = number(&index.value, fixed, &[], None);
        match known.and_then(|n| usize::try_from(n).ok()).filter(|&n| n < length) {
            Some(n) => walk(place, fixed, at + 1, slot + n * index.stride, see),
            None => {
                for n in 0..length {
                    walk(place, fixed, at + 1, slot + n * index.stride, see);
                }
            }
        }
    }
    walk(place, fixed, 0, place.first, see);
}
