//! # Declarations at the top of a file
//! Who has which name. Constants, enumerations, enumerators, shared variables and procedures
//! share one set of names; threads have their own, so that `thread adder` may run `adder()`.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;
use selvedge_model::Patience;
use selvedge_program::{EnumId, GlobalId, ProcId, Span, Type, Value, Variable};

use super::labels::Survey;
use super::sync::Role;
use crate::Diagnostic;
use crate::syntax::{self, ConstDecl, Entry, EnumDecl, File, Name, Stmt, TypeExpr, VarDecl};

/// The meaning of a name at the top of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// A constant, by its position.
    Const(usize),
    /// An enumeration.
    Enum(EnumId),
    /// The value of an enumeration at a position.
    Enumerator(EnumId, usize),
    /// A struct, by its position.
    Struct(usize),
    /// A shared variable.
    Global(GlobalId),
    /// A procedure.
    Proc(ProcId),
}

impl Item {
    /// Whether it is used in expressions.
    pub fn is_value(self) -> bool {
        !matches!(self, Item::Enum(_) | Item::Struct(_) | Item::Proc(_))
    }

    /// Whether the name is a procedure's.
    pub fn is_proc(self) -> bool {
        matches!(self, Item::Proc(_))
    }

    /// The kind of the item in words.
    pub fn what(self) -> &'static str {
        match self {
            Item::Const(_) => "a constant",
            Item::Enum(_) => "an enumeration",
            Item::Enumerator(..) => "an enumerator",
            Item::Struct(_) => "a struct",
            Item::Global(_) => "a shared variable",
            Item::Proc(_) => "a procedure",
        }
    }
}

/// A constant.
#[derive(Debug)]
pub(super) struct Const<'a> {
    /// The declaration as written.
    pub decl: &'a ConstDecl,
    /// Its type and value; nothing if they are wrong, or not yet known.
    pub value: Option<(Type, Value)>,
}

/// A shared variable.
#[derive(Debug)]
pub(super) struct Global<'a> {
    /// The declaration as written.
    pub decl: &'a VarDecl,
    /// Its type; nothing if it is wrong.
    pub ty: Option<Type>,
    /// One value for each slot.
    pub init: Vec<Value>,
    /// The role of the variable.
    pub role: Role,
}

impl<'a> Global<'a> {
    /// A variable of which only the declaration is known.
    pub fn new(decl: &'a VarDecl) -> Self {
        Global { decl, ty: None, init: Vec::new(), role: Role::Plain }
    }
}

/// A procedure, or the body of a thread.
#[derive(Debug)]
pub(super) struct Proc<'a> {
    /// Its name.
    pub name: &'a Name,
    /// For the body of a thread: the number of the instance, which is its only parameter.
    pub binder: Option<&'a Name>,
    /// Its parameters.
    pub params: &'a [VarDecl],
    /// The types of its results.
    pub results: &'a [TypeExpr],
    /// The body of the procedure.
    pub body: &'a [Stmt],
    /// The part before the body.
    pub span: Span,
    /// The sign that ends the body.
    pub end: Span,
    /// Facts about the body that need no types.
    pub survey: Survey<'a>,
    /// The types of its parameters; nothing for those that are wrong.
    pub param_types: Vec<Option<Type>>,
    /// The types of its results; nothing for those that are wrong.
    pub result_types: Vec<Option<Type>>,
}

/// All that is declared at the top of a file.
#[derive(Debug, Default)]
pub(super) struct Items<'a> {
    names: FxHashMap<&'a str, (Item, Span)>,
    /// The bodies of threads, by the name of the thread.
    bodies: FxHashMap<&'a str, ProcId>,
    /// The constants.
    pub consts: Vec<Const<'a>>,
    /// The enumerations.
    pub enums: Vec<&'a EnumDecl>,
    /// The number of structs.
    structs: usize,
    /// The shared variables.
    pub globals: Vec<Global<'a>>,
    /// Shared variables that nobody wrote, but that belong to some that are written. Their ids come
    /// after those of `globals`.
    pub made: Vec<Variable>,
    /// The procedures, then the bodies of threads.
    pub procs: Vec<Proc<'a>>,
    /// The threads.
    pub threads: Vec<&'a syntax::ThreadDecl>,
    /// The predicates.
    pub predicates: Vec<&'a syntax::PredicateDecl>,
    /// How long the check may take; for ever if nothing is said.
    pub patience: Option<&'a Patience>,
    /// How many elements the arrays have that were met so far.
    pub elements: Cell<usize>,
    /// Where names stand, and where what they mean is declared.
    pub uses: RefCell<Vec<(Span, Span)>>,
}

impl<'a> Items<'a> {
    /// Collects the declarations of a file. Types and values come later.
    pub fn collect(file: &'a File, problems: &mut Vec<Diagnostic>) -> Self {
        let mut items = Items::default();
        for item in &file.items {
            match item {
                syntax::Item::Const(decl) => {
                    items.declare(&decl.name, Item::Const(items.consts.len()), problems);
                    items.consts.push(Const { decl, value: None });
                }
                syntax::Item::Enum(decl) => items.enumeration(decl, problems),
                syntax::Item::Struct(decl) => {
                    items.declare(&decl.name, Item::Struct(items.structs), problems);
                    items.structs += 1;
                }
                syntax::Item::Global(decl) => {
                    let id = GlobalId(index(items.globals.len()));
                    items.declare(&decl.name, Item::Global(id), problems);
                    items.globals.push(Global::new(decl));
                }
                syntax::Item::Proc(decl) => {
                    let id = ProcId(index(items.procs.len()));
                    items.declare(&decl.name, Item::Proc(id), problems);
                    items.procs.push(Proc {
                        name: &decl.name,
                        binder: None,
                        params: &decl.params,
                        results: &decl.results,
                        body: &decl.body,
                        span: decl.span,
                        end: decl.end,
                        survey: Survey::new(&decl.body, problems),
                        param_types: Vec::new(),
                        result_types: Vec::new(),
                    });
                }
                syntax::Item::Thread(decl) => items.threads.push(decl),
                syntax::Item::Predicate(decl) => items.predicates.push(decl),
            }
        }
        items.thread_bodies(problems);
        items
    }

    /// Whether there is patience for one more statement or declaration.
    pub fn lasts(&self) -> bool {
        self.patience.is_none_or(|patience| patience.lasts(1))
    }

    /// The meaning of a name at the top of the file.
    pub fn find(&self, name: &str) -> Option<Item> {
        self.names.get(name).map(|(item, _)| *item)
    }

    /// The meaning of a name, with its declaration.
    pub fn find_declared(&self, name: &str) -> Option<(Item, Span)> {
        self.names.get(name).copied()
    }

    /// A procedure, or the body of a thread, by name.
    pub fn find_proc(&self, name: &str) -> Option<ProcId> {
        match self.find(name) {
            Some(Item::Proc(id)) => Some(id),
            _ => self.bodies.get(name).copied(),
        }
    }

    /// The body of the thread with this name.
    pub fn find_body(&self, thread: &str) -> Option<ProcId> {
        self.bodies.get(thread).copied()
    }

    /// The procedure with this id.
    pub fn proc(&self, id: ProcId) -> &Proc<'a> {
        &self.procs[id.index()]
    }

    /// All names of a kind.
    pub fn names(&self, kind: impl Fn(Item) -> bool) -> impl Iterator<Item = &'a str> {
        // Sorted, so that suggestions do not depend on the order of a hash map.
        let mut names: Vec<&str> =
            self.names.iter().filter(|(_, (item, _))| kind(*item)).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.into_iter()
    }

    fn declare(&mut self, name: &'a Name, item: Item, problems: &mut Vec<Diagnostic>) {
        let (first, span) = *self.names.entry(&name.text).or_insert((item, name.span));
        if first == item {
            return;
        }
        let message = if first.what() == item.what() {
            format!("`{}` is declared twice", name.text)
        } else {
            format!("`{}` is already the name of {}", name.text, first.what())
        };
        problems.push(
            Diagnostic::error(name.span, message)
                .label("declared again here")
                .related(span, "first declared here")
                .hint("give one of them another name"),
        );
    }

    fn enumeration(&mut self, decl: &'a EnumDecl, problems: &mut Vec<Diagnostic>) {
        let id = EnumId(index(self.enums.len()));
        self.enums.push(decl);
        self.declare(&decl.name, Item::Enum(id), problems);
        for (position, name) in decl.enumerators.iter().enumerate() {
            self.declare(name, Item::Enumerator(id, position), problems);
        }
        if decl.enumerators.is_empty() {
            let message = format!("the enumeration `{}` has no values", decl.name.text);
            let hint = format!("list them: `enum {} {{ First, Second }}`", decl.name.text);
            problems.push(Diagnostic::error(decl.name.span, message).hint(hint));
        }
    }

    /// Threads with a body: each is a procedure that only the thread runs.
    fn thread_bodies(&mut self, problems: &mut Vec<Diagnostic>) {
        let mut first: FxHashMap<&str, Span> = FxHashMap::default();
        for decl in self.threads.clone() {
            let name = &decl.name;
            if let Some(&span) = first.get(name.text.as_str()) {
                problems.push(
                    Diagnostic::error(
                        name.span,
                        format!("thread `{}` is declared twice", name.text),
                    )
                    .label("declared again here")
                    .related(span, "first declared here")
                    .hint(format!(
                        "for two threads that do the same, write `thread {} * 2`",
                        name.text
                    )),
                );
                continue;
            }
            first.insert(&name.text, name.span);
            let Entry::Body(body) = &decl.entry else { continue };
            if let Some((Item::Proc(_), span)) = self.names.get(name.text.as_str()) {
                problems.push(
                    Diagnostic::error(
                        name.span,
                        format!(
                            "thread `{0}` has a body, but there is a procedure `{0}` too",
                            name.text
                        ),
                    )
                    .related(*span, "the procedure")
                    .hint(format!(
                        "to run the procedure, write `thread {};`; otherwise rename one of them",
                        name.text
                    )),
                );
                continue;
            }
            self.bodies.insert(&name.text, ProcId(index(self.procs.len())));
            self.procs.push(Proc {
                name,
                binder: decl.binder.as_ref(),
                params: &[],
                results: &[],
                body,
                span: decl.span,
                end: decl.end,
                survey: Survey::new(body, problems),
                param_types: Vec::new(),
                result_types: Vec::new(),
            });
        }
    }
}

/// A position as it is kept in an id. Files are too small for it to overflow.
pub(super) fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
