//! # Names in `.weave` text
//! Names are kept, with two exceptions. A name that the language does not have (a reserved word,
//! or a character from elsewhere) is changed until it is one; so is a type that is called like a word that stands before names. A local variable that would hide
//! something that its procedure mentions gets `_` after its name: variables of blocks are written
//! at the beginning of the procedure, where they hide more than they did.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::expr;
use crate::{EnumId, GlobalId, LabelId, ProcId, Procedure, Program, Type, Value, VarRef};

/// The words of `.weave` that cannot be names.
#[rustfmt::skip]
pub const RESERVED_WORDS: &[&str] = &[
    "acquire", "and", "assert", "assume", "async", "atomic", "atomic_begin", "atomic_end", "bool",
    "boolean", "break", "cas", "const", "constrain", "continue", "either", "else",
    "end_thread", "enum", "exists", "false", "fetch_and_add", "forall", "goto", "havoc", "i16",
    "i32", "i64", "i8", "if", "int", "join", "lock", "not", "or", "predicate", "release",
    "return", "schoose", "skip", "start_thread", "thread", "tid", "true", "trylock",
    "u16", "u32", "u64", "u8", "unlock", "void", "wait", "while",
];

/// Words of `.weave` before a name or another word, and names elsewhere: no type can be called so.
pub const WORDS_BEFORE_NAMES: &[&str] = &["call", "local", "mutex", "proc", "shared", "var"];

/// The value of a thread id that is no thread's. It is a name where there are no thread ids.
const NO_THREAD: &str = "none";

/// Not reserved, but a call of such a procedure, a predicate or an enumeration of this name would be misread.
const AWKWARD: &[&str] = &["for", "switch", "in", "notify"];

/// The names of everything that is not local.
pub(super) struct ProgramNames {
    pub enums: Vec<String>,
    enumerators: Vec<Vec<String>>,
    globals: Vec<String>,
    procs: Vec<String>,
    pub threads: Vec<String>,
    pub predicates: Vec<String>,
    /// Whether there are thread ids, so that [`NO_THREAD`] may be written.
    has_thread_ids: bool,
}

impl ProgramNames {
    pub fn new(program: &Program) -> Self {
        let enumerators = program.enums.iter().flat_map(|e| &e.enumerators);
        let named = (program.enums.iter().map(|e| &e.name))
            .chain(enumerators)
            .chain(program.globals.iter().map(|g| &g.name))
            .chain(program.procs.iter().map(|p| &p.name))
            .chain(program.threads.iter().map(|t| &t.name))
            .chain(program.predicates.iter().map(|p| &p.name));
        let mut taken: BTreeSet<String> = named.cloned().collect();
        let locals = program.procs.iter().flat_map(|p| &p.locals);
        let mut types = program
            .globals
            .iter()
            .chain(locals)
            .map(|variable| variable.ty.scalar())
            .chain(program.procs.iter().flat_map(|p| p.results.iter()));
        let has_thread_ids = types.any(|ty| *ty == Type::ThreadId);
        // A thread and its procedure often share a name, and must go on to do so.
        let mut changed: Vec<(String, String)> = Vec::new();
        let mut change = |name: &String, clashes: bool| {
            if let Some((_, new)) = changed.iter().find(|(old, _)| old == name) {
                return new.clone();
            }
            let new = match clashes {
                true => different(name, &mut taken),
                false => usable(name, has_thread_ids, &mut taken),
            };
            if new != *name {
                changed.push((name.clone(), new.clone()));
            }
            new
        };
        let is_no_type = |name: &String| WORDS_BEFORE_NAMES.contains(&name.as_str());
        let enums: Vec<String> =
            program.enums.iter().map(|e| change(&e.name, is_no_type(&e.name))).collect();
        let mut name = |name: &String| change(name, false);
        let enumerators: Vec<Vec<String>> =
            (program.enums.iter()).map(|e| e.enumerators.iter().map(&mut name).collect()).collect();
        let globals: Vec<String> = program.globals.iter().map(|g| name(&g.name)).collect();
        // Where programs come from, a variable and a procedure may share a name; here they may not.
        let values: BTreeSet<&String> =
            globals.iter().chain(&enums).chain(enumerators.iter().flatten()).collect();
        let mut name = |name: &String| change(name, values.contains(name));
        let procs = program.procs.iter().map(|p| name(&p.name)).collect();
        let threads = program.threads.iter().map(|t| name(&t.name)).collect();
        let predicates = program.predicates.iter().map(|p| name(&p.name)).collect();
        ProgramNames { enums, enumerators, globals, procs, threads, predicates, has_thread_ids }
    }

    pub fn global(&self, id: GlobalId) -> &str {
        &self.globals[id.index()]
    }

    pub fn proc(&self, id: ProcId) -> &str {
        &self.procs[id.index()]
    }

    /// A scalar type.
    pub fn scalar(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Int | Type::Range { .. } | Type::Machine { .. } => {
                ty.integer_name().unwrap_or_default()
            }
            Type::Enum(EnumId(id)) => self.enums[*id as usize].clone(),
            Type::Lock => "lock".to_owned(),
            Type::ThreadId => "tid".to_owned(),
            Type::Array { element, .. } => self.scalar(element),
        }
    }

    /// A value of a scalar type.
    pub fn constant(&self, ty: &Type, value: &Value) -> String {
        match (ty.scalar(), value) {
            (_, Value::Open) => "*".to_owned(),
            (Type::Bool, v) => v.is_true().to_string(),
            (Type::Enum(id), v) => {
                let position = v.small().and_then(|n| usize::try_from(n).ok());
                let name = position.and_then(|n| self.enumerators[id.index()].get(n));
                name.cloned().unwrap_or_else(|| v.to_string())
            }
            (Type::ThreadId, _) => "none".to_owned(),
            (_, v) => v.to_string(),
        }
    }

    /// The names of enumerators, shared variables and enumerations.
    fn hideable(&self) -> BTreeSet<&str> {
        let enumerators = self.enumerators.iter().flatten();
        self.globals.iter().chain(enumerators).chain(&self.enums).map(String::as_str).collect()
    }
}

/// The names inside of a procedure, of a predicate, or of the arguments of a thread.
pub(super) struct Scope<'a> {
    pub program: &'a ProgramNames,
    locals: Vec<String>,
    labels: Vec<String>,
    /// Everything not local that was asked for.
    mentioned: RefCell<BTreeSet<String>>,
}

impl<'a> Scope<'a> {
    /// The names outside of procedures.
    pub fn outside(program: &'a ProgramNames) -> Self {
        Scope { program, locals: Vec::new(), labels: Vec::new(), mentioned: RefCell::default() }
    }

    /// Inside a procedure. `write` writes all that is written in this scope; it is used to find
    /// out what is mentioned.
    pub fn inside(program: &'a ProgramNames, proc: &Procedure, write: impl Fn(&Scope<'a>)) -> Self {
        let mut labels_taken = proc.labels.iter().cloned().collect();
        let has_ids = program.has_thread_ids;
        let mut scope = Scope {
            program,
            locals: proc.locals.iter().map(|l| l.name.clone()).collect(),
            labels: proc.labels.iter().map(|l| usable(l, has_ids, &mut labels_taken)).collect(),
            mentioned: RefCell::default(),
        };
        let hideable = program.hideable();
        if scope.locals.iter().any(|l| hideable.contains(l.as_str())) {
            write(&scope);
        }
        let mentioned = std::mem::take(&mut *scope.mentioned.borrow_mut());
        let mut taken: BTreeSet<String> = hideable.into_iter().map(str::to_owned).collect();
        taken.extend(scope.locals.iter().cloned());
        let mut used = BTreeSet::new();
        for local in &mut scope.locals {
            if mentioned.contains(local) || used.contains(local) {
                *local = different(local, &mut taken);
            } else {
                *local = usable(local, has_ids, &mut taken);
            }
            used.insert(local.clone());
        }
        scope
    }

    /// The name of a local variable.
    pub fn local(&self, index: usize) -> &str {
        &self.locals[index]
    }

    /// A scalar type.
    pub fn scalar(&self, ty: &Type) -> String {
        let name = self.program.scalar(ty);
        self.mention(&name);
        name
    }

    fn mention(&self, name: &str) {
        self.mentioned.borrow_mut().insert(name.to_owned());
    }
}

impl expr::Names for Scope<'_> {
    fn variable(&self, var: VarRef) -> String {
        match var {
            VarRef::Global(id) => {
                self.mention(self.program.global(id));
                self.program.global(id).to_owned()
            }
            VarRef::Local(id) => self.locals[id.index()].clone(),
        }
    }

    fn constant(&self, ty: &Type, value: &Value) -> String {
        let name = self.program.constant(ty, value);
        self.mention(&name);
        name
    }

    fn label(&self, label: LabelId) -> String {
        let name = self.labels.get(label.index());
        name.cloned().unwrap_or_else(|| format!("L{}", label.0))
    }

    /// `i`, unless that is something else.
    fn instance(&self) -> String {
        let mut taken = self.program.hideable().into_iter().map(str::to_owned).collect();
        if self.program.hideable().contains("i") {
            different("i", &mut taken)
        } else {
            "i".to_owned()
        }
    }
}

/// A name as it is if the language has it, or a changed one that is not taken.
fn usable(name: &str, has_thread_ids: bool, taken: &mut BTreeSet<String>) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let starts = name.starts_with(|c: char| fits(c) && !c.is_ascii_digit());
    let reserved = RESERVED_WORDS.contains(&name)
        || AWKWARD.contains(&name)
        || has_thread_ids && name == NO_THREAD;
    if starts && name.chars().all(fits) && !reserved {
        return name.to_owned();
    }
    // Members and copies of procedures: `q[].value` and `with(m)` are `q_value` and `with_m`.
    let name = name.replace("[]", "");
    let name = name.trim_end_matches(')');
    let mut changed: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if !starts {
        changed.insert(0, '_');
    }
    if taken.contains(&changed) || reserved {
        return different(&changed, taken);
    }
    taken.insert(changed.clone());
    changed
}

/// A name like this one that is not taken.
fn different(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut changed = format!("{name}_");
    while taken.contains(&changed) {
        changed.push('_');
    }
    taken.insert(changed.clone());
    changed
}
