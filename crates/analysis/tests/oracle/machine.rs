//! Where threads stand: paths through the structure of the text, and nothing compiled from it.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use selvedge_program::{
    Block, ExprKind, LabelId, ProcId, Procedure, Program, Stmt, StmtKind, Value,
};

use crate::oracle::values::{Env, Memory, product, values_of};

/// The place of a statement: its position in the body, then alternately the number of a block in
/// that statement and a position in that block. One behind the last statement is the end of a block.
pub type Path = Vec<usize>;

/// One call of a procedure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Frame {
    pub proc: ProcId,
    pub path: Path,
    pub locals: Vec<Vec<BigInt>>,
    /// Between `atomic_begin` and `atomic_end`.
    pub section: bool,
}

/// A thread; without frames it has ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Thread {
    /// What `async` gave; 0 for threads that are there from the start.
    pub id: usize,
    /// The calls; the top is last.
    pub frames: Vec<Frame>,
}

/// A state of the whole program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    pub globals: Vec<Vec<BigInt>>,
    pub threads: Vec<Thread>,
    /// How many threads were started.
    pub started: usize,
}

/// The blocks of a statement.
fn blocks(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::While { body, .. } | StmtKind::Atomic(body) => vec![body],
        StmtKind::Choose(blocks) => blocks.iter().collect(),
        _ => Vec::new(),
    }
}

/// The statement at a path; nothing at the end of a block.
pub fn statement<'p>(proc: &'p Procedure, path: &[usize]) -> Option<&'p Stmt> {
    let mut found = proc.body.get(path[0]);
    for step in path[1..].chunks(2) {
        let block = blocks(found.expect("a statement with blocks"))[step[0]];
        found = block.get(step[1]);
    }
    found
}

/// Where a label stands.
pub fn label(proc: &Procedure, wanted: LabelId) -> Path {
    fn find(block: &Block, wanted: LabelId) -> Option<Path> {
        block.iter().enumerate().find_map(|(position, stmt)| {
            if stmt.labels.contains(&wanted) {
                return Some(vec![position]);
            }
            blocks(stmt).iter().enumerate().find_map(|(number, block)| {
                find(block, wanted).map(|rest| [vec![position, number], rest].concat())
            })
        })
    }
    find(&proc.body, wanted).expect("a label that exists")
}

/// The statements round a path, the innermost first, with their paths.
fn around<'p>(proc: &'p Procedure, path: &[usize]) -> Vec<(Path, &'p Stmt)> {
    let outer = (1..path.len()).step_by(2).rev().map(|length| path[..length].to_vec());
    outer.map(|path| (path.clone(), statement(proc, &path).expect("a statement"))).collect()
}

/// Behind a statement.
pub fn next(mut path: Path) -> Path {
    *path.last_mut().expect("not empty") += 1;
    path
}

/// Into a block of a statement.
pub fn into(path: &[usize], block: usize) -> Path {
    [path, &[block, 0]].concat()
}

/// Goes on where no step is needed: ends of blocks, jumps to one label, `break`, `continue`. A
/// thread that would do this for ever stays where it is.
pub fn settle(proc: &Procedure, mut path: Path) -> Path {
    let mut seen = BTreeSet::new();
    while seen.insert(path.clone()) {
        let innermost_loop = || {
            let is_loop = |(_, s): &(Path, &Stmt)| matches!(s.kind, StmtKind::While { .. });
            around(proc, &path).into_iter().find(is_loop).expect("a loop").0
        };
        path = match statement(proc, &path).map(|s| &s.kind) {
            None => match around(proc, &path).into_iter().next() {
                None => return path,
                Some((outer, Stmt { kind: StmtKind::While { .. }, .. })) => outer,
                Some((outer, _)) => next(outer),
            },
            Some(StmtKind::Goto(labels)) if labels.len() == 1 => label(proc, labels[0]),
            Some(StmtKind::Break) => next(innermost_loop()),
            Some(StmtKind::Continue) => innermost_loop(),
            Some(_) => return path,
        };
    }
    path
}

impl Thread {
    /// Whether nobody else may run.
    pub fn is_atomic(&self, program: &Program) -> bool {
        self.frames.iter().any(|frame| {
            let round = around(&program.procs[frame.proc.index()], &frame.path);
            frame.section || round.iter().any(|(_, s)| matches!(s.kind, StmtKind::Atomic(_)))
        })
    }
}

/// The frames with which a call may begin: variables that are not parameters have any value.
pub fn fresh_frames(program: &Program, proc: ProcId, args: &[BigInt]) -> Vec<Frame> {
    let declared = &program.procs[proc.index()];
    let params = args.iter().map(|arg| vec![vec![arg.clone()]]);
    let others = declared.locals[args.len()..].iter().map(|local| {
        let values = match local.ty.is_machine() {
            // Random programs begin with a value for each of them: see `Shape::machine`.
            true => vec![BigInt::ZERO],
            false => values_of(program, local.ty.scalar()),
        };
        product(vec![values; local.ty.slots()])
    });
    let path = settle(declared, vec![0]);
    let frame = |locals| Frame { proc, path: path.clone(), locals, section: false };
    product(params.chain(others)).into_iter().map(frame).collect()
}

/// All initial states; nothing if there are more than `most`.
pub fn initial(program: &Program, most: usize) -> Option<Vec<State>> {
    let open = program.globals.iter().flat_map(|g| g.init.iter().map(move |v| (&g.ty, v)));
    let open = open.filter(|(_, value)| **value == Value::Open);
    let ways: usize = open.map(|(ty, _)| values_of(program, ty.scalar()).len()).product();
    if ways > most {
        return None;
    }
    let globals = program.globals.iter().map(|global| {
        let slot = |value: &Value| match value.to_big() {
            Some(value) => vec![value],
            None => values_of(program, global.ty.scalar()),
        };
        product(global.init.iter().map(slot))
    });
    let mut threads = Vec::new();
    for decl in &program.threads {
        let selvedge_program::Count::Fixed(count) = decl.count else { panic!("how many?") };
        for instance in 0..count {
            let params = &program.procs[decl.proc.index()].locals;
            let memory = Memory { globals: Vec::new(), locals: Vec::new() };
            let instance = Some(instance);
            let env = Env { program, proc: decl.proc, memory: &memory, after: None, instance };
            let args = decl.args.iter().zip(params).map(|(arg, param)| match &arg.kind {
                ExprKind::Const(Value::Open) | ExprKind::Any => values_of(program, &param.ty),
                _ => env.eval(arg).into_iter().map(|value| value.expect("fine")).collect(),
            });
            let frames = product(args).into_iter();
            let frames = frames.flat_map(|args| fresh_frames(program, decl.proc, &args));
            threads.push(frames.map(|f| Thread { id: 0, frames: vec![f] }).collect::<Vec<_>>());
        }
    }
    let ways: usize = threads.iter().map(Vec::len).product::<usize>() * ways;
    if ways > most {
        return None;
    }
    let (globals, threads) = (product(globals), product(threads));
    let state = |globals: &Vec<Vec<BigInt>>, threads: &Vec<Thread>| State {
        globals: globals.clone(),
        threads: threads.clone(),
        started: 0,
    };
    Some(globals.iter().flat_map(|g| threads.iter().map(move |t| state(g, t))).collect())
}
