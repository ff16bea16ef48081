//! # Objects in pools against a heap
//! **Question.** Do arrays, marks and indices mean what `new`, `free` and `p->f` mean?
//! **Idea.** An interpreter with a heap of objects that are there or not. Two threads do random things to two
//! references and what they refer to.
//! **Claim.** On random programs both go wrong or both do not, and all schedules that come to an end leave the same values
//! behind in both. What is printed and read again does so, too.

use crate::support;

use std::collections::BTreeSet;

use selvedge_core::footprints;
use selvedge_model::System;
use selvedge_program::pool::{Field, MOST_OBJECTS, Pool};
use selvedge_program::{
    Expr, ExprKind, GlobalId, Lowering, Place, Program, Span, Stmt, StmtKind, Type, Value, VarRef,
    print,
};

const OBJECTS: u32 = 2;
/// The slots behind `p`, `q` and `x`: marks, then each field.
const NEXT: usize = 5;
const VALUE: usize = 7;

const P: usize = 0;
const Q: usize = 1;
const X: usize = 2;

#[derive(Clone, Copy, Debug)]
enum Op {
    /// `v := new`
    New(usize),
    /// `free(v)`
    Free(usize),
    /// `v := w`
    Copy(usize, usize),
    /// `v->next := w`
    Link(usize, usize),
    /// `v := w->next`
    Follow(usize, usize),
    /// `v->next := new`
    NewNext(usize),
    /// `free(v->next)`
    FreeNext(usize),
    /// `v->value := k`
    Put(usize, i64),
    /// `x := v->value`
    Get(usize),
}

fn variable(var: usize) -> Place {
    let ty = if var == X { range(3) } else { Pool::reference(OBJECTS) };
    let var = VarRef::Global(GlobalId(var as u32));
    Place { var, indices: Vec::new(), ty, span: Span::default() }
}

fn range(hi: i64) -> Type {
    Type::Range { lo: 0.into(), hi: hi.into() }
}

fn read(place: Place) -> Expr {
    Expr { ty: place.ty.clone(), kind: ExprKind::Read(place), span: Span::default() }
}

fn number(n: i64) -> Expr {
    Expr { kind: ExprKind::Const(Value::Small(n)), ty: Type::Int, span: Span::default() }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { labels: Vec::new(), kind, span: Span::default() }
}

fn assign(place: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { targets: vec![place], values: vec![value], constrain: None })
}

/// The statement of an operation.
fn statement(pool: &Pool, op: Op) -> Stmt {
    let reference = |v: usize| read(variable(v));
    let next = |v: usize| pool.part(&reference(v), 0, Vec::new()).unwrap();
    let value = |v: usize| pool.part(&reference(v), 1, Vec::new()).unwrap();
    let span = Span::default();
    let checked = |v: usize, statement: Stmt| stmt(pool.checked(&[reference(v)], statement));
    match op {
        Op::New(v) => stmt(pool.new_object(&variable(v), span)),
        Op::Free(v) => stmt(pool.give_back(&reference(v), span)),
        Op::Copy(v, w) => assign(variable(v), reference(w)),
        Op::Link(v, w) => checked(v, assign(next(v), reference(w))),
        Op::Follow(v, w) => checked(w, assign(variable(v), read(next(w)))),
        Op::NewNext(v) => checked(v, stmt(pool.new_object(&next(v), span))),
        Op::FreeNext(v) => checked(v, stmt(pool.give_back(&read(next(v)), span))),
        Op::Put(v, k) => checked(v, assign(value(v), number(k))),
        Op::Get(v) => checked(v, assign(variable(X), read(value(v)))),
    }
}

fn program(threads: &[Vec<Op>]) -> (Program, Pool) {
    let bodies: String = (0..threads.len()).map(|t| format!("thread t{t} {{ skip; }}\n")).collect();
    let text = format!("int[0..2] p := 0, q := 0; int[0..3] x := 0;\n{bodies}");
    let mut program = support::read_weave(&text);
    let field = |name: &str, ty: Type| Field { name: name.to_owned(), ty, first: Value::Small(0) };
    let fields = vec![field("next", Pool::reference(OBJECTS)), field("value", range(3))];
    let pool = Pool::declare(&mut program, "node", OBJECTS, fields, Span::default()).unwrap();
    for (proc, ops) in program.procs.iter_mut().zip(threads) {
        proc.body = ops.iter().map(|&op| statement(&pool, op)).collect();
    }
    (program, pool)
}

fn lower(program: &Program) -> Lowering {
    support::lower(program, "").unwrap()
}

/// Whether it goes wrong, and the values at the ends.
type Seen = (bool, BTreeSet<Vec<i64>>);

fn lowered(system: &Lowering) -> Seen {
    let mut seen = Seen::default();
    support::visit_states(system, |state, _| {
        if system.wrong(state.shared).is_some() {
            seen.0 = true;
        } else if state.threads.iter().all(|thread| thread.has_ended()) {
            let memory = system.shared_state(state.shared).memory;
            let layout = &system.machine().shared;
            let values = (0..layout.slots()).map(|slot| memory.get(layout, slot).small().unwrap());
            seen.1.insert(values.collect());
        }
    });
    seen
}

#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Heap {
    variables: [usize; 2],
    x: i64,
    objects: [Option<(usize, i64)>; OBJECTS as usize],
}

impl Heap {
    fn object(&mut self, reference: usize) -> Option<&mut (usize, i64)> {
        self.objects[reference.checked_sub(1)?].as_mut()
    }

    fn fresh(&mut self) -> usize {
        let Some(free) = self.objects.iter().position(Option::is_none) else { return 0 };
        self.objects[free] = Some((0, 0));
        free + 1
    }

    /// Gives an object back; `None` if it goes wrong.
    fn free(&mut self, reference: usize) -> Option<()> {
        if reference > 0 {
            self.object(reference)?;
            self.objects[reference - 1] = None;
        }
        Some(())
    }

    /// Does one thing; `None` if it goes wrong.
    fn apply(&mut self, op: Op) -> Option<()> {
        match op {
            Op::New(v) => self.variables[v] = self.fresh(),
            Op::Free(v) => self.free(self.variables[v])?,
            Op::Copy(v, w) => self.variables[v] = self.variables[w],
            Op::Link(v, w) => self.object(self.variables[v])?.0 = self.variables[w],
            Op::Follow(v, w) => self.variables[v] = self.object(self.variables[w])?.0,
            Op::NewNext(v) => {
                self.object(self.variables[v])?;
                let fresh = self.fresh();
                self.object(self.variables[v])?.0 = fresh;
            }
            Op::FreeNext(v) => {
                let next = self.object(self.variables[v])?.0;
                self.free(next)?;
            }
            Op::Put(v, k) => self.object(self.variables[v])?.1 = k,
            Op::Get(v) => self.x = self.object(self.variables[v])?.1,
        }
        Some(())
    }

    fn values(&self) -> Vec<i64> {
        let reference = |r: usize| r as i64;
        let objects = || self.objects.iter();
        let field = |of: fn(&(usize, i64)) -> i64| objects().map(move |o| o.as_ref().map_or(0, of));
        let mut values: Vec<i64> = self.variables.map(reference).to_vec();
        values.push(self.x);
        values.extend(objects().map(|o| i64::from(o.is_some())));
        values.extend(field(|o| o.0 as i64));
        values.extend(field(|o| o.1));
        values
    }
}

fn interpreted(threads: &[Vec<Op>]) -> Seen {
    let mut seen = Seen::default();
    let mut todo = vec![(Heap::default(), vec![0; threads.len()])];
    while let Some((heap, at)) = todo.pop() {
        if at.iter().zip(threads).all(|(&at, ops)| at == ops.len()) {
            seen.1.insert(heap.values());
        }
        for thread in 0..threads.len() {
            let Some(&op) = threads[thread].get(at[thread]) else { continue };
            let (mut heap, mut at) = (heap.clone(), at.clone());
            at[thread] += 1;
            match heap.apply(op) {
                Some(()) => todo.push((heap, at)),
                None => seen.0 = true,
            }
        }
    }
    seen
}

fn random(seed: u64) -> Vec<Vec<Op>> {
    let mut dice = support::Dice::new(seed);
    let mut below = |n: usize| dice.below(n);
    let mut op = || {
        let (v, w, k) = (below(2), below(2), below(4) as i64);
        match below(12) {
            0..=2 => Op::New(v),
            3 => Op::Free(v),
            4 => Op::Copy(v, w),
            5 => Op::Link(v, w),
            6 => Op::Follow(v, w),
            7 => Op::NewNext(v),
            8 => Op::FreeNext(v),
            9..=10 => Op::Put(v, k),
            _ => Op::Get(v),
        }
    };
    // Most programs go wrong soon if they do not begin with an object.
    let mut first = vec![Op::New(P), Op::New(Q)];
    first.extend((0..3).map(|_| op()));
    vec![first, (0..3).map(|_| op()).collect()]
}

#[test]
fn random_programs_do_what_a_heap_does() {
    let mut kinds = [0_u32; 2];
    for seed in 0..support::many(500) {
        let threads = random(seed);
        let wanted = interpreted(&threads);
        let (program, _) = program(&threads);
        assert_eq!(lowered(&lower(&program)), wanted, "{threads:?}");
        let printed = print::weave(&program);
        assert_eq!(lowered(&support::system(&printed)), wanted, "{printed}");
        kinds[0] += u32::from(wanted.0);
        kinds[1] += u32::from(wanted.1.len() > 1);
    }
    assert!(kinds.iter().all(|&n| n > 20), "wrong, several ends: {kinds:?}");
}

/// An object that refers to itself can be given back through itself.
#[test]
fn an_object_is_given_back_through_itself() {
    let (program, _) =
        program(&[vec![Op::New(P), Op::Link(P, P), Op::Put(P, 3), Op::FreeNext(P), Op::New(Q)]]);
    // Both refer to the first object, which holds what a new one holds.
    let wanted = vec![1, 1, 0, 1, 0, 0, 0, 0, 0];
    assert_eq!(lowered(&lower(&program)), (false, BTreeSet::from([wanted])));
}

/// A step on one field touches no other field, and on a known object no other object.
#[test]
fn what_a_step_touches_is_known_field_by_field() {
    let (mut program, pool) = program(&[vec![Op::Put(P, 1)]]);
    let touched = |program: &Program| {
        let system = lower(program);
        let all = footprints(system.code());
        let writes = all.iter().flat_map(|f| f.writes.iter()).collect::<BTreeSet<usize>>();
        let reads = all.iter().flat_map(|f| f.reads.iter()).collect::<BTreeSet<usize>>();
        (reads, writes)
    };
    let marks = [X + 1, X + 2];
    let reads = BTreeSet::from([P, marks[0], marks[1]]);
    assert_eq!(touched(&program), (reads, BTreeSet::from([VALUE, VALUE + 1])));
    // The second object, whoever refers to it.
    let place = pool.part(&number(2), 0, Vec::new()).unwrap();
    program.procs[0].body = vec![stmt(pool.checked(&[number(2)], assign(place, Pool::null())))];
    assert_eq!(touched(&program), (BTreeSet::from([marks[1]]), BTreeSet::from([NEXT + 1])));
}

#[test]
fn pools_that_cannot_be() {
    let mut program = Program::default();
    let mut declare = |objects| {
        Pool::declare(&mut program, "node", objects, Vec::new(), Span::default()).is_some()
    };
    assert!(!declare(0));
    assert!(!declare(MOST_OBJECTS + 1));
    assert!(declare(MOST_OBJECTS));
    assert!(program.globals[0].ty.slots() == MOST_OBJECTS as usize);
    let pool = Pool::declare(&mut program, "node", 1, Vec::new(), Span::default()).unwrap();
    assert!(pool.part(&number(1), 0, Vec::new()).is_none());
}

/// A field without a first value may hold anything in a new object, also in one that was used before.
#[test]
fn a_field_without_a_first_value_is_open_again() {
    let mut program = support::read_weave("int[0..1] p := 0; bool x := false; thread t { skip; }");
    let field = Field { name: "set".to_owned(), ty: Type::Bool, first: Value::Open };
    let pool = Pool::declare(&mut program, "cell", 1, vec![field], Span::default()).unwrap();
    let p = Place { ty: Pool::reference(1), ..variable(P) };
    let x = Place { ty: Type::Bool, ..variable(Q) };
    let set = pool.part(&read(p.clone()), 0, Vec::new()).unwrap();
    let yes = Expr { kind: ExprKind::Const(true.into()), ty: Type::Bool, span: Span::default() };
    let new = || stmt(pool.new_object(&p, Span::default()));
    let free = stmt(pool.give_back(&read(p.clone()), Span::default()));
    program.procs[0].body =
        vec![new(), assign(set.clone(), yes), free, new(), assign(x, read(set))];
    let (wrong, ends) = lowered(&lower(&program));
    assert!(!wrong);
    assert_eq!(ends.into_iter().map(|end| end[1]).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1]));
}
