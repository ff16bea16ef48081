//! # Slots in the place of started threads

use super::{Filled, Site, ids};
use crate::make::{self, assign, binary, branch, equal, read, stmt};
use crate::names::Names;
use crate::sequentialize::marks::{Mark, NOWHERE};
use crate::visit;
use crate::{
    BinaryOp, Block, Count, Expr, ExprKind, GlobalId, LocalId, Place, ProcId, Procedure, Program,
    Span, StmtKind, ThreadDecl, Type, Value, VarRef, Variable, walk,
};

/// A program with slots. Spans are marks.
pub(super) struct Made {
    pub program: Program,
    pub slots: u32,
    pub filled: Filled,
    /// The variable that says which slots have ended, if some thread waits for that.
    pub ended: Option<GlobalId>,
    /// Lines that explain the slots in the text.
    pub reading: Vec<String>,
}

/// A statement that starts a thread.
struct Start<'p> {
    /// The procedure that has it.
    inside: ProcId,
    /// Its mark.
    span: Span,
    /// The procedure that is started.
    proc: ProcId,
    args: &'p [Expr],
    /// The place for the thread's id.
    dest: Option<&'p Place>,
}

/// One slot for each of these places.
pub(super) fn one_for_each(program: Program, sites: &[Site]) -> Made {
    let mut maker = Maker::new(program);
    let mut slots = Vec::new();
    let count = sites.len() as u32;
    let row = Type::Array { element: Box::new(Type::Bool), length: count };
    let (kept, joined) = (ids::are_kept(&maker.program), ids::are_joined(&maker.program));
    let ended = (joined && count > 0).then(|| maker.declare("ended", &row));
    for (site, index) in sites.iter().zip(0u32..) {
        let name = maker.program.procs[site.proc.index()].name.clone();
        let flag = maker.declare(&format!("{name}_started"), &Type::Bool);
        let args = maker.arguments(site.proc, |ty| ty);
        let places: Vec<Place> = args.iter().map(|&arg| maker.scalar(arg)).collect();
        let mut locals = Vec::new();
        let mut body = vec![stmt(StmtKind::Assume(read(maker.scalar(flag))), silent())];
        body.extend(maker.run(site.proc, &places, &mut locals));
        if let Some(ended) = ended {
            let end = maker.element(ended, make::number(index));
            body.push(assign(vec![(end, make::truth(true))], silent()));
        }
        maker.add_thread(&format!("{name}_thread"), Count::Fixed(1), Vec::new(), locals, body);
        slots.push((*site, maker.scalar(flag), places));
    }
    maker.replace(|start, _| {
        let number = Mark::of(start.span).number();
        let is_here = |site: &Site| (site.inside, site.statement) == (start.inside, number);
        let Some(slot) = slots.iter().position(|(site, ..)| is_here(site)) else {
            // No run gets here.
            return StmtKind::Assume(make::truth(false));
        };
        let (_, flag, places) = &slots[slot];
        let mut pairs = vec![(flag.clone(), make::truth(true))];
        pairs.extend(places.iter().cloned().zip(start.args.iter().cloned()));
        pairs.extend(start.dest.map(|dest| (dest.clone(), make::number(slot + 1))));
        assign(pairs, start.span).kind
    });
    if kept {
        maker.number_ids(count, ended);
    }
    let flag = |place: &Place| match place.var {
        VarRef::Global(id) => Some(id),
        VarRef::Local(_) => None,
    };
    let flags = slots.iter().filter_map(|(_, place, _)| flag(place)).collect();
    let mut reading = vec![
        "Threads that are started are there from the beginning, and wait until they are".to_owned(),
        "started: f_thread runs f once f_started is set. What is handed over is in f_x.".to_owned(),
    ];
    if kept {
        reading.push("The id of a thread is its number among these, counted from 1.".to_owned());
    }
    let (program, filled) = (maker.program, Filled::Each(flags));
    Made { program, slots: count, filled, ended, reading }
}

/// One slot for each place that is passed once, any number for each other.
pub(super) fn any_number(program: Program, sites: &[(Site, bool)]) -> Made {
    let mut maker = Maker::new(program);
    let singles = sites.iter().filter(|(_, is_once)| *is_once).count() as u32;
    let (kept, joined) = (ids::are_kept(&maker.program), ids::are_joined(&maker.program));
    // The last element is for those of which there are many: nobody waits for them.
    let row = Type::Array { element: Box::new(Type::Bool), length: singles + 1 };
    let ended = joined.then(|| maker.declare("ended", &row));
    if let Some(ended) = ended
        && let Some(last) = maker.program.globals[ended.index()].init.last_mut()
    {
        *last = Value::TRUE;
    }
    let mut slots = Vec::new();
    let mut single = 0;
    for &(site, is_once) in sites {
        let name = maker.program.procs[site.proc.index()].name.clone();
        let flag = maker.declare(&format!("{name}_started"), &Type::Bool);
        let mut locals = Vec::new();
        let mut body = vec![stmt(StmtKind::Assume(read(maker.scalar(flag))), silent())];
        let flag = maker.scalar(flag);
        if is_once {
            let args = maker.arguments(site.proc, |ty| ty);
            let places: Vec<Place> = args.iter().map(|&arg| maker.scalar(arg)).collect();
            body.extend(maker.run(site.proc, &places, &mut locals));
            if let Some(ended) = ended {
                let end = maker.element(ended, make::number(single));
                body.push(assign(vec![(end, make::truth(true))], silent()));
            }
            maker.add_thread(&format!("{name}_thread"), Count::Fixed(1), vec![], locals, body);
            single += 1;
            slots.push((site, flag, places, single));
        } else {
            let args = maker.given(&site, &mut locals);
            let call = StmtKind::Call { proc: site.proc, args, results: Vec::new() };
            body.push(stmt(call, silent()));
            maker.add_thread(&format!("{name}_threads"), Count::Any, vec![], locals, body);
            slots.push((site, flag, Vec::new(), singles + 1));
        }
    }
    maker.replace(|start, locals| {
        let number = Mark::of(start.span).number();
        let is_here = |site: &Site| (site.inside, site.statement) == (start.inside, number);
        let Some((_, flag, places, id)) = slots.iter().find(|(site, ..)| is_here(site)) else {
            // No run gets there.
            return StmtKind::Assume(make::truth(false));
        };
        let mut pairs = vec![(flag.clone(), make::truth(true))];
        pairs.extend(start.dest.map(|dest| (dest.clone(), make::number(*id))));
        pairs.extend(places.iter().cloned().zip(start.args.iter().cloned()));
        for arg in start.args.iter().skip(places.len()).filter(|arg| !is_harmless(arg, &arg.ty)) {
            let id = LocalId(locals.len() as u32);
            locals.push(local("given", &arg.ty));
            pairs.push((make::variable(VarRef::Local(id), &arg.ty), arg.clone()));
        }
        assign(pairs, start.span).kind
    });
    if kept {
        maker.number_ids(singles + 1, ended);
    }
    let reading = vec![
        "Threads that are started are there from the beginning, and wait until they are".to_owned(),
        "started; there is any number of those that a statement may start again.".to_owned(),
    ];
    Made { program: maker.program, slots: singles, filled: Filled::None, ended, reading }
}

/// Makes `most` slots that any statement can fill.
pub(super) fn at_most(program: Program, most: u32) -> Made {
    let mut maker = Maker::new(program);
    let kinds = maker.started();
    let types: Vec<Vec<Type>> = kinds.iter().map(|&proc| maker.param_types(proc)).collect();
    let kind_of = |proc: ProcId| kinds.iter().position(|&known| known == proc).unwrap_or(0);
    let most = if kinds.is_empty() { 0 } else { most };
    let row_of = |ty: Type, length: u32| Type::Array { element: Box::new(ty), length };
    let (kept, joined) = (ids::are_kept(&maker.program), ids::are_joined(&maker.program));
    // The last element is for threads that were dropped, which never end.
    let ended = joined.then(|| maker.declare("ended", &row_of(Type::Bool, most + 1)));
    let dropped = most + 1;
    if most == 0 {
        maker.replace(|start, locals| {
            let drop = evaluated(&types[kind_of(start.proc)], &start, dropped, locals);
            drop.into_iter().next().map_or(StmtKind::Skip, |stmt| stmt.kind)
        });
        if kept {
            maker.number_ids(dropped, ended);
        }
        let reading = vec!["No thread that is started acts.".to_owned()];
        let (program, filled) = (maker.program, Filled::None);
        return Made { program, slots: 0, filled, ended, reading };
    }
    let row = |ty: Type| row_of(ty, most);
    // Which procedure a slot runs, counted from 1; with one of them, whether it runs it.
    let only_one = kinds.len() == 1;
    let kind_type = if only_one { Type::Bool } else { make::range(0, kinds.len()) };
    let number = |kind: usize| match only_one {
        true => make::truth(true),
        false => make::number(kind + 1),
    };
    let runs = maker.declare("runs", &row(kind_type));
    let started = maker.declare("started", &make::range(0, most));
    let args: Vec<Vec<GlobalId>> = kinds.iter().map(|&proc| maker.arguments(proc, row)).collect();

    let mut locals = vec![local("slot", &make::range(0, most - 1))];
    let me = read(make::variable(VarRef::Local(LocalId(0)), &locals[0].ty));
    let my_kind = read(maker.element(runs, me.clone()));
    let is_filled = match only_one {
        true => my_kind.clone(),
        false => binary(BinaryOp::Ne, my_kind.clone(), make::number(0)),
    };
    let mut run = Vec::new();
    for (kind, &proc) in kinds.iter().enumerate().rev() {
        let mine: Vec<Place> =
            args[kind].iter().map(|&arg| maker.element(arg, me.clone())).collect();
        let this = maker.run(proc, &mine, &mut locals);
        run = match kind + 1 == kinds.len() {
            true => this,
            false => vec![branch(equal(my_kind.clone(), number(kind)), this, run, silent())],
        };
    }
    let mut body = vec![stmt(StmtKind::Assume(is_filled), silent())];
    body.extend(run);
    if let Some(ended) = ended {
        let end = maker.element(ended, me.clone());
        body.push(assign(vec![(end, make::truth(true))], silent()));
    }
    let instance = make::expr(ExprKind::Instance, Type::Int, Span::default());
    let slot = maker.add_thread("slot", Count::Fixed(most), vec![instance], locals, body);

    let count = maker.scalar(started);
    let next: Vec<Vec<Place>> = args
        .iter()
        .map(|args| {
            let all = std::iter::once(runs).chain(args.iter().copied());
            all.map(|id| maker.element(id, read(count.clone()))).collect()
        })
        .collect();
    maker.replace(|start, locals| {
        let (kind, here) = (kind_of(start.proc), silently(start.span));
        let values = std::iter::once(number(kind)).chain(start.args.iter().cloned());
        let mut pairs: Vec<_> = next[kind].iter().cloned().zip(values).collect();
        let more = binary(BinaryOp::Add, read(count.clone()), make::number(1));
        pairs.extend(start.dest.map(|dest| (dest.clone(), more.clone())));
        pairs.push((count.clone(), more));
        let free = binary(BinaryOp::Lt, read(count.clone()), make::number(most));
        let chosen = binary(BinaryOp::And, free, make::any(&Type::Bool));
        let drop = evaluated(&types[kind], &start, dropped, locals);
        StmtKind::Atomic(vec![branch(chosen, vec![assign(pairs, here)], drop, here)])
    });
    if kept {
        maker.number_ids(dropped, ended);
    }
    let name = |id: GlobalId| &maker.program.globals[id.index()].name;
    let (runs, count) = (name(runs), name(started));
    let mut reading = vec![
        format!(
            "At most {most} of the threads that are started can act: each is a {slot}, which waits until it"
        ),
        format!(
            "is started; {count} is how many are. A start may also drop its thread, which then"
        ),
        format!("never acts. {runs}[i] says what {slot} i runs: "),
    ];
    match &kinds[..] {
        [_] => reading[2] += "something, or nothing yet.",
        _ => {
            let of = kinds.iter().zip(1..).map(|(proc, number)| {
                format!("{number} for {}", maker.program.procs[proc.index()].name)
            });
            reading[2] += &format!("0 for nothing yet, {}.", of.collect::<Vec<_>>().join(", "));
        }
    }
    if kept {
        reading.push(format!(
            "The id of a thread is its number among these, counted from 1; {dropped} for all that never act."
        ));
    }
    let (program, filled) = (maker.program, Filled::First(started));
    Made { program, slots: most, filled, ended, reading }
}

/// Evaluates the arguments of a thread that is dropped, where that may go wrong, and leaves the id of such threads where it is kept.
fn evaluated(types: &[Type], start: &Start<'_>, dropped: u32, locals: &mut Vec<Variable>) -> Block {
    let mut pairs: Vec<_> =
        start.dest.map(|dest| (dest.clone(), make::number(dropped))).into_iter().collect();
    if !types.iter().zip(start.args).all(|(ty, arg)| is_harmless(arg, ty)) {
        for (ty, arg) in types.iter().zip(start.args) {
            let id = LocalId(locals.len() as u32);
            locals.push(local("argument", ty));
            pairs.push((make::variable(VarRef::Local(id), ty), arg.clone()));
        }
    }
    if pairs.is_empty() {
        return Vec::new();
    }
    vec![assign(pairs, silently(start.span))]
}

/// Whether an expression has a value of a type, whatever the values of variables are.
fn is_harmless(e: &Expr, ty: &Type) -> bool {
    let may_fail = |part: &Expr| match &part.kind {
        ExprKind::Read(place) | ExprKind::Primed(place) => !place.indices.is_empty(),
        ExprKind::Binary(op, ..) => op.operator().needs.is_some(),
        ExprKind::Between(..) => true,
        _ => false,
    };
    (e.ty == *ty || *ty == Type::Int) && !visit::any_part(e, &may_fail)
}

/// The program that is changed, with the names that are taken.
pub(super) struct Maker {
    pub program: Program,
    names: Names,
}

impl Maker {
    fn new(program: Program) -> Self {
        Maker { names: Names::of(&program), program }
    }

    /// A new shared variable that begins with some value of its type.
    fn declare(&mut self, name: &str, ty: &Type) -> GlobalId {
        let id = GlobalId(self.program.globals.len() as u32);
        let init = vec![first_value(ty.scalar()); ty.slots()];
        let name = self.names.fresh(name);
        self.program.globals.push(Variable {
            name,
            ty: ty.clone(),
            init,
            counts_threads: false,
            looks: None,
            span: Span::default(),
        });
        id
    }

    /// Shared variables for the arguments of a procedure.
    fn arguments(&mut self, proc: ProcId, make: impl Fn(Type) -> Type) -> Vec<GlobalId> {
        let proc = &self.program.procs[proc.index()];
        let params = proc.locals[..proc.params].iter();
        let wanted: Vec<(String, Type)> =
            params.map(|p| (format!("{}_{}", proc.name, p.name), make(p.ty.clone()))).collect();
        wanted.iter().map(|(name, ty)| self.declare(name, ty)).collect()
    }

    fn param_types(&self, proc: ProcId) -> Vec<Type> {
        let proc = &self.program.procs[proc.index()];
        proc.locals[..proc.params].iter().map(|param| param.ty.clone()).collect()
    }

    fn scalar(&self, id: GlobalId) -> Place {
        make::variable(VarRef::Global(id), &self.program.globals[id.index()].ty)
    }

    fn element(&self, id: GlobalId, index: Expr) -> Place {
        let ty = self.program.globals[id.index()].ty.scalar();
        Place { indices: vec![index], ..make::variable(VarRef::Global(id), ty) }
    }

    /// Arguments for all threads that are started at a place: constants as they are, anything in the place of others.
    fn given(&self, site: &Site, locals: &mut Vec<Variable>) -> Vec<Expr> {
        let mut constants = Vec::new();
        walk::each(&self.program.procs[site.inside.index()].body, &mut |s| {
            if let StmtKind::Async { args, .. } = &s.kind
                && Mark::of(s.span).number() == site.statement
            {
                constants.clone_from(args);
            }
        });
        let proc = &self.program.procs[site.proc.index()];
        let params = proc.locals[..proc.params].iter();
        let arg = |(number, param): (usize, &Variable)| match constants.get(number) {
            Some(Expr { kind: ExprKind::Const(value), ty, .. })
                if *ty == param.ty && *value != Value::Open =>
            {
                make::constant(value.clone(), ty)
            }
            _ => {
                let id = LocalId(locals.len() as u32);
                locals.push(local(&param.name, &param.ty));
                read(make::variable(VarRef::Local(id), &param.ty))
            }
        };
        params.enumerate().map(arg).collect()
    }

    /// The procedures that are started, each once.
    fn started(&self) -> Vec<ProcId> {
        let mut all = Vec::new();
        for proc in &self.program.procs {
            walk::each(&proc.body, &mut |s| {
                if let StmtKind::Async { proc, .. } = s.kind
                    && !all.contains(&proc)
                {
                    all.push(proc);
                }
            });
        }
        all.sort_unstable();
        all
    }

    /// Calls a procedure with what is at these places, which are then as they were at first: old arguments tell no
    /// states apart.
    fn run(&mut self, proc: ProcId, places: &[Place], locals: &mut Vec<Variable>) -> Block {
        let mut pairs = Vec::new();
        let mut args = Vec::new();
        let procedure = &self.program.procs[proc.index()];
        for (place, param) in places.iter().zip(&procedure.locals) {
            let id = LocalId(locals.len() as u32);
            locals.push(local(&self.names.fresh(&param.name), &param.ty));
            let copy = make::variable(VarRef::Local(id), &param.ty);
            pairs.push((copy.clone(), read(place.clone())));
            pairs.push((place.clone(), make::constant(first_value(&place.ty), &place.ty)));
            args.push(read(copy));
        }
        let call = StmtKind::Call { proc, args, results: Vec::new() };
        let take = (!pairs.is_empty()).then(|| assign(pairs, silent()));
        take.into_iter().chain([stmt(call, silent())]).collect()
    }

    /// A new thread, with the procedure that it runs.
    fn add_thread(
        &mut self,
        name: &str,
        count: Count,
        args: Vec<Expr>,
        locals: Vec<Variable>,
        body: Block,
    ) -> String {
        let proc = ProcId(self.program.procs.len() as u32);
        let name = self.names.fresh(name);
        let params = args.len();
        self.program.procs.push(Procedure {
            name: name.clone(),
            params,
            locals,
            results: Vec::new(),
            labels: Vec::new(),
            body,
            span: silent(),
        });
        let thread = ThreadDecl { name: name.clone(), count, proc, args, span: Span::default() };
        self.program.threads.push(thread);
        name
    }

    /// Changes all statements that start threads; a thread that ends at once returns.
    fn replace(&mut self, with: impl Fn(Start<'_>, &mut Vec<Variable>) -> StmtKind) {
        for (id, proc) in (0..).map(ProcId).zip(&mut self.program.procs) {
            let results = proc.results.iter().map(|ty| make::constant(Value::Open, ty));
            let ends = StmtKind::Return(results.collect());
            replace(&mut proc.body, id, &mut proc.locals, &ends, &with);
        }
    }
}

fn replace(
    block: &mut Block,
    inside: ProcId,
    locals: &mut Vec<Variable>,
    ends: &StmtKind,
    with: &dyn Fn(Start<'_>, &mut Vec<Variable>) -> StmtKind,
) {
    for stmt in block {
        let span = stmt.span;
        stmt.kind = match &stmt.kind {
            StmtKind::Async { proc, args, dest } => {
                with(Start { inside, span, proc: *proc, args, dest: dest.as_ref() }, locals)
            }
            StmtKind::EndThread => ends.clone(),
            _ => {
                for inner in walk::inside_mut(stmt) {
                    replace(inner, inside, locals, ends, with);
                }
                continue;
            }
        };
    }
}

fn local(name: &str, ty: &Type) -> Variable {
    Variable {
        name: name.to_owned(),
        ty: ty.clone(),
        init: Vec::new(),
        counts_threads: false,
        looks: None,
        span: Span::default(),
    }
}

/// The value that a slot has before it is filled.
fn first_value(ty: &Type) -> Value {
    match make::some_value(ty).kind {
        ExprKind::Const(value) => value,
        _ => Value::Small(0),
    }
}

/// The mark of what has no statement in the original.
fn silent() -> Span {
    Mark::Silent(NOWHERE).span()
}

/// The mark of what is done for a statement, but is no step of it.
fn silently(span: Span) -> Span {
    Mark::Silent(Mark::of(span).number()).span()
}
