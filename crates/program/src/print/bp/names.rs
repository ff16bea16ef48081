//! # Names
//! Names that a Boolean program may have: no keywords, nothing twice in a scope, and no local
//! variable that hides a shared one (in the program it may do so in a part of the procedure only).

use rustc_hash::FxHashSet;

use crate::walk::called_in_atomic;
use crate::{GlobalId, LabelId, LocalId, ProcId, Program, VarRef};

/// The reserved words of `.bp`.
pub const BP_KEYWORDS: &[&str] = &[
    "decl",
    "void",
    "bool",
    "dfs",
    "enforce",
    "abortif",
    "begin",
    "end",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "skip",
    "goto",
    "return",
    "call",
    "assume",
    "assert",
    "constrain",
    "dead",
    "thread_create",
    "start_thread",
    "end_thread",
    "atomic_begin",
    "sync_begin",
    "atomic_end",
    "sync_end",
    "true",
    "T",
    "false",
    "F",
    "choose",
    "schoose",
];

/// Names that are not given twice.
#[derive(Clone, Default)]
pub(super) struct Unique {
    given: FxHashSet<String>,
}

impl Unique {
    /// A new name, as close to the wanted one as can be.
    pub(super) fn pick(&mut self, wanted: &str) -> String {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let mut base: String = wanted.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        if base.is_empty() || BP_KEYWORDS.contains(&base.as_str()) {
            base.push('_');
        }
        let mut name = base.clone();
        let mut number = 2;
        while !self.given.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    fn pick_all<'n>(&mut self, wanted: impl Iterator<Item = &'n String>) -> Vec<String> {
        wanted.map(|name| self.pick(name)).collect()
    }
}

/// All names of a program.
pub(super) struct Names {
    /// Of the shared variables.
    pub(super) globals: Vec<String>,
    /// Of the parameters and local variables of each procedure.
    pub(super) locals: Vec<Vec<String>>,
    /// For more local variables of a procedure.
    pub(super) more_locals: Vec<Unique>,
    /// Of the labels of each procedure.
    pub(super) labels: Vec<Vec<String>>,
    /// For more labels of a procedure.
    pub(super) more_labels: Vec<Unique>,
    procs: Vec<String>,
    atomic_procs: Vec<Option<String>>,
}

impl Names {
    /// Names for everything. Only `main` is called `main`.
    pub(super) fn new(program: &Program, main: Option<ProcId>) -> Self {
        let mut shared = Unique::default();
        shared.pick("main");
        let globals = shared.pick_all(program.globals.iter().map(|v| &v.name));
        let all_globals = Unique { given: globals.iter().cloned().collect() };
        let procs = program.procs.iter().enumerate().map(|(index, proc)| match main {
            Some(main) if main.index() == index => "main".to_owned(),
            _ => shared.pick(&proc.name),
        });
        let procs: Vec<String> = procs.collect();
        let needed = called_in_atomic(program);
        let copies = procs.iter().zip(needed);
        let atomic_procs =
            copies.map(|(name, needed)| needed.then(|| shared.pick(&format!("{name}_atomic"))));
        let atomic_procs = atomic_procs.collect();

        let (mut locals, mut labels) = (Vec::new(), Vec::new());
        let (mut more_locals, mut more_labels) = (Vec::new(), Vec::new());
        for proc in &program.procs {
            let mut unique = all_globals.clone();
            locals.push(unique.pick_all(proc.locals.iter().map(|v| &v.name)));
            more_locals.push(unique);
            let mut unique = Unique::default();
            labels.push(unique.pick_all(proc.labels.iter()));
            more_labels.push(unique);
        }
        Names { globals, locals, more_locals, labels, more_labels, procs, atomic_procs }
    }

    /// The name of a procedure.
    pub(super) fn proc(&self, id: ProcId) -> &str {
        &self.procs[id.index()]
    }

    /// The name of its copy for use in atomic sections, if there is one.
    pub(super) fn atomic_proc(&self, id: ProcId) -> Option<&str> {
        self.atomic_procs[id.index()].as_deref()
    }

    /// The name of a variable, seen from a procedure.
    pub(super) fn variable(&self, proc: ProcId, var: VarRef) -> &str {
        match var {
            VarRef::Global(GlobalId(id)) => &self.globals[id as usize],
            VarRef::Local(LocalId(id)) => &self.locals[proc.index()][id as usize],
        }
    }

    /// The name of a label of a procedure.
    pub(super) fn label(&self, proc: ProcId, LabelId(id): LabelId) -> &str {
        &self.labels[proc.index()][id as usize]
    }
}
