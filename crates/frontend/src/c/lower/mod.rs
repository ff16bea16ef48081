//! # From C to programs
//!
//! **Question.** What does C with threads mean as a program of procedures over shared variables?
//!
//! **Idea.** Functions become procedures, as they are called: as `main`, as a thread, or by others. Objects become variables (`memory`), pointers
//! numbers that are compared with addresses (`points` says with which). A statement becomes steps, each of which reads or writes one thing that others see
//! (`expressions`, `access`); functions of the libraries become what they do (`library`).
//!
//! **What ends the program** (`abort`, `exit`, a return of `main`) lets its thread go round in a circle. Others go on, but whatever they do
//! they could have done before: a step that ends everything changes nothing. So no violation is added and none is lost; and
//! a thread that goes round is not stuck, so neither is a deadlock. Where runs that never end are looked for, the end is a mark instead
//! ([`Options::marks_end`]): who ends the program sets it and waits for ever, and so does everybody who comes to the head of a loop, to a jump or to a call
//! after that. So no circle is left, and a run that has none before the end comes to an end.
//!
//! **What cannot be followed** (a construct that is not supported, a pool without a free object) becomes a [`Limit`]: a place that
//! fails when a run gets there. Whoever answers has to look: a run to a limit is no violation, and a proof that no run gets there
//! is one.

mod access;
mod arithmetic;
mod around;
mod assigning;
mod atomics;
mod blocks;
mod bulk;
mod calling;
mod choices;
mod counting;
mod expressions;
mod faults;
mod filling;
mod finding;
mod fitting;
mod foreseen;
mod function;
mod guards;
mod heap;
mod inlining;
mod joining;
mod library;
mod memory;
mod must;
mod mutexes;
mod objects;
mod overflow;
mod points;
mod races;
mod ranges;
mod records;
mod scopes;
mod single;
mod sources;
mod stale;
mod starting;
mod statements;
mod synchronisation;
mod telling;
mod threads;
mod unread;
mod unset;
mod vague;
mod varying;
mod visit;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use selvedge_program::make::truth;
use selvedge_program::telling::{Manner, Piece, Told};
use selvedge_program::{
    Count, ProcId, Procedure, Program, Span, StmtKind, ThreadDecl, Type, Value, VarRef, Variable,
};

use super::deep::on_a_deep_stack;
use super::typed::*;
use super::types::Type as CType;
use crate::Diagnostic;
use function::Fun;
use memory::{Shapes, Stored, add_global};
use points::{Points, Target};

/// Options for lowering a program in C: what is asked, as far as it changes what the program does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How many objects there are for each call that makes objects, and for each local variable whose address is taken.
    pub heap: u32,
    /// Whether a failing assertion is a violation; otherwise a run ends there.
    pub assertions: bool,
    /// Whether what pointers and indices do wrong is a violation; otherwise a run ends there.
    pub memory: bool,
    /// Whether a result that does not fit into a signed type is a violation; otherwise it wraps around.
    pub overflow: bool,
    /// Whether two accesses at once, one of them a write, are a violation.
    pub races: bool,
    /// Whether threads that wait for a condition are called by signals only; otherwise they may wake at any time.
    pub counts_sleepers: bool,
    /// Whether runs end where they get to a [`Limit`].
    pub ends_at_limits: bool,
    /// Whether the end of the program is a mark that stops everybody who goes round in a circle; otherwise who ends it goes round, and
    /// others go on. For questions about runs that never end.
    pub marks_end: bool,
    /// Whether values from outside are all values of their types: for who follows them without a list.
    pub keeps_values: bool,
    /// Whether loops that start very many threads are followed as they are, one thread after the other.
    pub counts_threads: bool,
    /// Whether all accesses and results are looked at, whatever the text shows of data races and overflow: to compare the one with the other.
    pub watches_all: bool,
}

impl Options {
    /// Whether assertions and memory are asked about, as is usual: then everything else that is undefined is a violation, too.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.assertions && self.memory
    }

    /// What a wrong run does, in words, if one property was asked about.
    fn wrong(&self) -> Option<&'static str> {
        match (self.assertions, self.memory, self.overflow, self.races) {
            (true, false, false, false) => Some("fails an assertion or calls `reach_error`"),
            (false, true, false, false) => Some("uses memory that is not valid"),
            (false, false, true, false) => Some("overflows a signed integer"),
            (false, false, false, true) => Some("has a data race"),
            _ => None,
        }
    }

    /// Asks for one property, by its name; nothing if there is none of that name.
    #[must_use]
    pub fn only(property: &str) -> Option<Options> {
        let nothing = Options { assertions: false, memory: false, ..Options::default() };
        Some(match property {
            "unreach-call" => Options { assertions: true, ..nothing },
            "valid-memsafety" => Options { memory: true, ..nothing },
            "no-overflow" => Options { overflow: true, ..nothing },
            "no-data-race" => Options { races: true, ..nothing },
            _ => return None,
        })
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            heap: 5,
            assertions: true,
            memory: true,
            overflow: false,
            races: false,
            counts_sleepers: false,
            ends_at_limits: false,
            marks_end: false,
            keeps_values: false,
            counts_threads: false,
            watches_all: false,
        }
    }
}

/// A place that cannot be followed any further.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Limit {
    /// The place in the text.
    pub span: Span,
    /// The reason why the text cannot be followed there.
    pub reason: String,
}

/// The hint where a pool has no free object.
const SEE_HEAP: &str = "(see `--heap`)";

impl Limit {
    /// Whether a larger pool might get further.
    #[must_use]
    pub fn is_full_pool(&self) -> bool {
        self.reason.ends_with(SEE_HEAP)
    }
}

/// A program, and what it does not say.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// The places that fail because they cannot be followed.
    pub limits: Vec<Limit>,
    /// The assumptions of every answer.
    pub assumptions: BTreeSet<String>,
    /// Whether threads wait for conditions.
    pub waits: bool,
    /// Places where the program does more than the text: a violation is one only if it is found where runs end at limits.
    pub approximations: Vec<Limit>,
    /// With no more threads than this, where any number of them stands for very many.
    pub most_threads: Option<u32>,
    /// How many threads loops start for which any number stands, all together.
    pub many_threads: Option<u32>,
    /// Whether nothing but data races or results that do not fit is asked about, and the text shows that there are none: whatever runs do, and whether they can be followed or not.
    pub is_quiet: bool,
}

/// The role in which a function is lowered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Role {
    /// As the first function of the program.
    Main,
    /// As the first function of a thread.
    Thread,
    /// As the callee of another function.
    Call,
    /// By another, inside of an atomic section.
    Atomic,
}

/// Makes a program of a unit.
pub fn lower(unit: &Unit, options: Options) -> Result<Lowered, Vec<Diagnostic>> {
    on_a_deep_stack(|| lower_here(unit, options))
}

fn lower_here(unit: &Unit, options: Options) -> Result<Lowered, Vec<Diagnostic>> {
    let known = without_known(unit, &options);
    let unit = known.as_ref().unwrap_or(unit);
    let whole = around::around_main(unit);
    let unit = whole.as_ref().unwrap_or(unit);
    let settled = foreseen::settle(unit, options.overflow);
    let unit = settled.as_ref().unwrap_or(unit);
    let shorter = filling::left_out(unit);
    let unit = shorter.as_ref().unwrap_or(unit);
    let written_out = inlining::written_out(unit);
    let unit = written_out.as_ref().unwrap_or(unit);
    let main = unit.functions.iter().position(|f| f.name == "main" && f.body.is_some());
    let Some(main) = main else {
        let missing = Diagnostic::error(Span::default(), "there is no function `main`");
        return Err(vec![
            missing.hint("a program starts with `main`: add one that starts the threads"),
        ]);
    };
    let mut lower = Lower {
        unit,
        options,
        shapes: Shapes {
            types: &unit.types,
            counts_sleepers: options.counts_sleepers,
            floats: false,
            numbers_threads: false,
            knows_owners: false,
            trailing: 0,
        },
        program: Program {
            telling: Some(Box::new(telling::telling(unit, &options))),
            ..Program::default()
        },
        points: Points::new(unit),
        stored: BTreeMap::new(),
        next_address: 0x1000,
        procs: BTreeMap::new(),
        work: Vec::new(),
        exits: BTreeSet::new(),
        stale: stale::Stale::default(),
        single: BTreeSet::new(),
        limits: Vec::new(),
        refused: BTreeMap::new(),
        assumptions: BTreeSet::new(),
        waits: false,
        bulk: match options.counts_threads {
            true => bulk::Bulk::default(),
            false => bulk::Bulk::new(unit),
        },
        approximations: BTreeSet::new(),
        choices: choices::Choices::default(),
        unset: unset::Unset::default(),
        numbers: None,
        ended: None,
        quiet: BTreeSet::new(),
        is_quiet: false,
        watched: BTreeSet::new(),
        watch: None,
    };
    lower.exits = library::may_exit(unit, &mut lower.points);
    lower.stale = stale::Stale::new(unit, &mut lower.points);
    if options.marks_end {
        let name = "end".to_owned();
        let (no, span) = (Value::FALSE, Span::default());
        lower.ended = Some(add_global(&mut lower.program, name, Type::Bool, &no, span));
    }
    let asked = threads::asked(unit, &lower.points, &lower.shapes);
    if asked.numbers {
        lower.number_threads(asked);
        // Threads that are told apart are not any number of them.
        lower.bulk = bulk::Bulk::default();
    }
    if options.races {
        lower.watch = Some(races::declare(&mut lower));
        let protection = match options.watches_all {
            true => guards::Protection::default(),
            false => guards::protection(unit, &mut lower.points),
        };
        lower.quiet = protection.quiet;
        let asks_for_more = options.assertions || options.memory || options.overflow;
        lower.is_quiet = protection.is_certain && !asks_for_more;
    }
    let asks_for_overflow_alone =
        options.overflow && !(options.assertions || options.memory || options.races);
    if asks_for_overflow_alone && !options.watches_all {
        lower.is_quiet = fitting::all_fit(unit, &mut lower.points);
    }
    lower.single = single::single(unit, &mut lower.points);
    if !options.keeps_values {
        lower.choices = choices::Choices::new(unit, &mut lower.points, &lower.single);
        lower.unset = unset::Unset::new(&mut lower);
    }
    let main = FunctionId(main as u32);
    let proc = lower.proc(main, Role::Main);
    if lower.is_quiet && options.ends_at_limits {
        // Nothing can go wrong, whatever the program does.
        lower.work.clear();
    }
    while let Some((function, role, proc)) = lower.work.pop() {
        Fun::lower(&mut lower, function, role, proc);
    }
    let declaration = &unit.functions[main.index()];
    let args = (lower.program.procs[proc.index()].locals.iter())
        .take(lower.program.procs[proc.index()].params)
        .map(|param| selvedge_program::make::some_value(&param.ty))
        .collect();
    lower.program.threads.push(ThreadDecl {
        name: "main".to_owned(),
        count: Count::Fixed(1),
        proc,
        args,
        span: declaration.span,
    });
    let approximations: Vec<Limit> = lower.approximations.iter().cloned().collect();
    let most_threads = lower.bulk.fewest().filter(|_| !approximations.is_empty());
    let many_threads = most_threads.map(|_| lower.bulk.all());
    let Lower { program, limits, assumptions, waits, is_quiet, .. } = lower;
    // A question about everything shows all variables as they are.
    let program = match !options.is_everything() && !options.races {
        true => selvedge_program::own::own(program),
        false => program,
    };
    Ok(Lowered {
        program,
        limits,
        assumptions,
        waits,
        approximations,
        most_threads,
        many_threads,
        is_quiet,
    })
}

/// The unit without the bodies of functions that are known by their names; nothing if there are none.
fn without_known(unit: &Unit, options: &Options) -> Option<Unit> {
    let is_known = |f: &Function| f.body.is_some() && library::is_known(&f.name, options);
    unit.functions.iter().any(is_known).then(|| {
        let mut known = unit.clone();
        for function in known.functions.iter_mut().filter(|f| is_known(f)) {
            function.body = None;
        }
        known
    })
}

/// The state of lowering a unit.
pub(super) struct Lower<'u> {
    unit: &'u Unit,
    options: Options,
    shapes: Shapes<'u>,
    program: Program,
    points: Points<'u>,
    stored: BTreeMap<Target, Arc<Stored>>,
    next_address: u64,
    procs: BTreeMap<(FunctionId, Role), ProcId>,
    work: Vec<(FunctionId, Role, ProcId)>,
    /// Functions that may end their thread.
    exits: BTreeSet<FunctionId>,
    /// Addresses that are compared when their objects may be gone.
    stale: stale::Stale,
    /// Functions of which there is never more than one activation.
    single: BTreeSet<FunctionId>,
    limits: Vec<Limit>,
    /// Why something has no place.
    refused: BTreeMap<Span, String>,
    assumptions: BTreeSet<String>,
    waits: bool,
    /// Loops that start very many threads.
    bulk: bulk::Bulk,
    /// Where the program does more than the text.
    approximations: BTreeSet<Limit>,
    /// Facts about values from outside.
    choices: choices::Choices,
    /// What has to be known of memory that is read before it is written.
    unset: unset::Unset,
    /// The variables that hold threads by number, where the program tells threads apart.
    numbers: Option<threads::Numbers>,
    /// The mark that the program has ended, where it has one.
    ended: Option<selvedge_program::GlobalId>,
    /// Objects that no two threads access at once, whatever they do.
    quiet: BTreeSet<Target>,
    /// Whether nothing but data races or results that do not fit is asked about, and the text shows that there are none.
    is_quiet: bool,
    /// Variables that are looked at for accesses at once.
    watched: BTreeSet<selvedge_program::GlobalId>,
    /// What a thread is about to access that waits there for another: its address, and whether to write it.
    watch: Option<(selvedge_program::GlobalId, selvedge_program::GlobalId)>,
}

impl<'u> Lower<'u> {
    /// The procedure of a function, which is lowered later.
    fn proc(&mut self, function: FunctionId, role: Role) -> ProcId {
        if let Some(&proc) = self.procs.get(&(function, role)) {
            return proc;
        }
        let proc = ProcId(u32::try_from(self.program.procs.len()).unwrap_or(u32::MAX));
        let unit = self.unit;
        let declared = &unit.functions[function.index()];
        let mut locals = Vec::new();
        for param in &declared.locals[..declared.params] {
            // One for each scalar, in the order in which callers give them.
            for cell in self.cells(&param.ty) {
                let name = format!("{}{}", param.name, cell.name);
                let init = vec![Value::Open; cell.ty.slots()];
                let pieces = vec![Piece::Text(name.clone())];
                let is_address = telling::is_address(&cell.c);
                let told = Told::Local(proc, selvedge_program::LocalId(locals.len() as u32));
                self.tell(told, Manner::Written { pieces, is_address });
                locals.push(Variable {
                    name,
                    ty: cell.ty,
                    init,
                    counts_threads: false,
                    looks: None,
                    span: param.span,
                });
            }
        }
        if self.numbers.is_some() {
            let (name, ty) = ("thread".to_owned(), threads::NUMBER);
            let (init, span) = (vec![Value::Open], declared.span);
            locals.push(Variable { name, ty, init, counts_threads: false, looks: None, span });
        }
        let mut results = Vec::new();
        if matches!(role, Role::Call | Role::Atomic) {
            results.extend(self.cell_types(&declared.result));
            if self.exits.contains(&function) {
                results.push(Type::Bool);
            }
        }
        let twins = (self.procs.keys()).filter(|(other, _)| *other == function).count();
        let name = format!("{}{}", declared.name, "'".repeat(twins));
        self.program.procs.push(Procedure {
            name,
            params: locals.len(),
            locals,
            results,
            labels: Vec::new(),
            body: Vec::new(),
            span: declared.span,
        });
        self.procs.insert((function, role), proc);
        self.work.push((function, role, proc));
        proc
    }

    /// The types of the scalars of a value; those of elements of arrays one by one.
    fn cell_types(&self, ty: &CType) -> Vec<Type> {
        if *ty == CType::Void {
            return Vec::new();
        }
        self.cells(ty).into_iter().map(|cell| cell.ty).collect()
    }

    /// The scalars of a value, one by one.
    fn cells(&self, ty: &CType) -> Vec<Cell> {
        let mut cells = Vec::new();
        for leaf in self.shapes.leaves(ty).unwrap_or_default() {
            let mut all = vec![(Vec::new(), leaf.offset)];
            for dimension in &leaf.dimensions {
                let step = |(indices, offset): &(Vec<u32>, u64)| {
                    let (indices, offset) = (indices.clone(), *offset);
                    (0..dimension.length).map(move |index| {
                        let indices = indices.iter().copied().chain([index]).collect();
                        (indices, offset + u64::from(index) * dimension.stride)
                    })
                };
                all = all.iter().flat_map(step).collect();
            }
            cells.extend(
                all.into_iter().map(|(indices, offset)| Cell {
                    way: leaf.ways[0].clone(),
                    name: indices
                        .iter()
                        .fold(leaf.name.clone(), |name, index| format!("{name}[{index}]")),
                    indices,
                    offset,
                    c: leaf.c.clone(),
                    ty: leaf.ty.clone(),
                }),
            );
        }
        cells.sort_by_key(|cell| cell.offset);
        cells
    }
}

/// Tells all expressions of a statement and of all inside of it.
pub(super) fn each_expr_of<'u>(statement: &'u Stmt, see: &mut dyn FnMut(&'u Expr)) {
    visit::each_part(statement, false, &mut |expr, _| visit::each_expr(expr, see));
}

/// The address of a function: no object has it.
fn function_address(function: FunctionId) -> u64 {
    0x100 + u64::from(function.0) * 4
}

/// A scalar of a value.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    way: Vec<usize>,
    /// What it is called, after the name of the object.
    name: String,
    indices: Vec<u32>,
    offset: u64,
    c: CType,
    ty: Type,
}

/// An assertion that always fails.
fn failure() -> StmtKind {
    StmtKind::Assert(truth(false))
}
