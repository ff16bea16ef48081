//! # Structs, channels, and parameters that stand for shared variables
//!
//! **Question.** People group variables, hand locks to procedures, and send messages. How can a program say so, such that nothing behind the
//! front end has to know?
//!
//! **Idea.** A file with such parts is written as one without them, before it is checked. A struct is a variable for each member; of an array of
//! structs, an array for each member. `q[i].value` is the element `i` of the array `q[].value`: the brackets in its name say where the index
//! stands when it is shown. A procedure with a parameter that stands for a shared variable is written once for each variable that some call hands to it; indices become
//! ordinary parameters, so that recursion has finitely many of these copies. A channel is a struct of a number and messages.
//!
//! **Claim.** The file that comes out has the steps that the language page describes, and the checker says everything about it that it says of other
//! files. Mistakes about parts are found here, all of them at once; what the checker says about places with such a mistake is not repeated.
//!
//! **Needs.** Names are resolved here as far as parts need it: whether a name is a variable made of parts, by the scopes of the language.

mod channels;
mod notes;
mod operations;
mod places;
mod procedures;
mod shapes;
mod statements;
mod swaps;
mod values;

use std::collections::BTreeMap;

use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_program::Span;

use self::procedures::Instances;
use self::shapes::{Kind, Variable};
use crate::Diagnostic;
use crate::syntax::{Expr, ExprKind, File, Item, Name, ProcDecl, StructDecl, VarDecl};

pub(crate) use self::notes::Notes;

/// A file in which parts are written out as variables.
pub(crate) struct Written {
    /// The file.
    pub file: File,
    /// Mistakes about parts.
    pub problems: Vec<Diagnostic>,
    /// Places at which something was left out, since it is wrong.
    pub wrong: Vec<Span>,
    /// Names that were declared and used in the text, and are not in the file any more.
    pub notes: Notes,
    /// Procedures that nobody calls and that cannot be written without a call, with shared variables that are made up for
    /// them. They are for finding mistakes, and no part of the program.
    pub uncalled: Vec<Item>,
}

/// Writes a file without parts.
pub(crate) fn without_parts(file: &File, consts: &BTreeMap<String, BigInt>) -> Written {
    let mut writer = Writer::new(file, consts);
    let mut items: Vec<(usize, Item)> = Vec::new();
    // Predicates come last: they are about procedures whose copies are known by then.
    for predicates in [false, true] {
        for (position, item) in file.items.iter().enumerate() {
            if matches!(item, Item::Predicate(_)) == predicates {
                items.extend(writer.item(item).into_iter().map(|item| (position, item)));
            }
        }
        if !predicates {
            writer.write_instances(&mut items);
        }
    }
    let uncalled = writer.uncalled();
    items.sort_by_key(|(position, _)| *position);
    let items = items.into_iter().map(|(_, item)| item).collect();
    Written {
        file: File { items, ..File::default() },
        problems: writer.problems,
        wrong: writer.wrong,
        notes: writer.notes,
        uncalled,
    }
}

/// The most statements in all copies of procedures together.
const MOST_STATEMENTS: usize = 1_000_000;

/// Variables that are made of more than this are refused.
const MOST_LEAVES: usize = 1000;

/// Writes the declarations of a file one after the other.
struct Writer<'f> {
    /// The structs that can be used, by name.
    structs: FxHashMap<&'f str, &'f StructDecl>,
    /// The structs with a mistake that leaves nothing to be used.
    broken: FxHashSet<&'f str>,
    /// The constants, as they are written.
    consts: FxHashMap<&'f str, &'f Expr>,
    /// The values that replace those of constants.
    given_consts: &'f BTreeMap<String, BigInt>,
    /// Other types with names.
    enums: FxHashSet<&'f str>,
    /// The first value of each enumeration.
    first_values: FxHashMap<&'f str, &'f Name>,
    /// The procedures, with their positions in the file.
    procs: FxHashMap<&'f str, (usize, &'f ProcDecl)>,
    globals: FxHashMap<&'f str, Variable<'f>>,
    /// The variables of the blocks round what is being written, the innermost last.
    scopes: Vec<FxHashMap<String, Variable<'f>>>,
    /// The procedure that is being written.
    proc: Option<&'f ProcDecl>,
    /// The blocks that are one step, round what is being written.
    atomics: Vec<Span>,
    instances: Instances<'f>,
    problems: Vec<Diagnostic>,
    wrong: Vec<Span>,
    notes: Notes,
    /// The number of variables of the result that were looked at.
    parts: usize,
    /// The number of statements that were written.
    statements: usize,
}

impl<'f> Writer<'f> {
    fn new(file: &'f File, given_consts: &'f BTreeMap<String, BigInt>) -> Self {
        let mut writer = Writer {
            structs: FxHashMap::default(),
            broken: FxHashSet::default(),
            enums: FxHashSet::default(),
            consts: FxHashMap::default(),
            given_consts,
            first_values: FxHashMap::default(),
            procs: FxHashMap::default(),
            globals: FxHashMap::default(),
            scopes: Vec::new(),
            proc: None,
            atomics: Vec::new(),
            instances: Instances::default(),
            problems: Vec::new(),
            wrong: Vec::new(),
            notes: Notes::default(),
            parts: 0,
            statements: 0,
        };
        for (position, item) in file.items.iter().enumerate() {
            match item {
                Item::Struct(decl) => {
                    writer.structs.entry(&decl.name.text).or_insert(decl);
                }
                Item::Enum(decl) => {
                    writer.enums.insert(&decl.name.text);
                    if let Some(first) = decl.enumerators.first() {
                        writer.first_values.insert(&decl.name.text, first);
                    }
                }
                Item::Const(decl) => {
                    writer.consts.insert(&decl.name.text, &decl.value);
                }
                Item::Proc(decl) => {
                    writer.procs.entry(&decl.name.text).or_insert((position, decl));
                }
                _ => {}
            }
        }
        writer.check_structs(file);
        for item in &file.items {
            if let Item::Global(decl) = item {
                let variable = writer.declared(decl, true);
                writer.globals.entry(&decl.name.text).or_insert(variable);
            }
        }
        writer.check_names(file);
        writer
    }

    /// Reports variables made of parts whose names are taken: the checker sees other names.
    fn check_names(&mut self, file: &'f File) {
        let mut first: FxHashMap<&str, (Span, bool)> = FxHashMap::default();
        for item in &file.items {
            let (name, has_parts) = match item {
                Item::Const(decl) => (&decl.name, false),
                Item::Enum(decl) => (&decl.name, false),
                Item::Struct(decl) => (&decl.name, false),
                Item::Global(decl) => (&decl.name, !matches!(self.kind(&decl.ty), Kind::Plain)),
                Item::Proc(decl) => (&decl.name, self.has_references(decl)),
                Item::Thread(_) | Item::Predicate(_) => continue,
            };
            let enumerators = match item {
                Item::Enum(decl) => decl.enumerators.as_slice(),
                _ => &[],
            };
            for name in std::iter::once(name).chain(enumerators) {
                let known = first.get(name.text.as_str()).copied();
                match known {
                    Some((span, had_parts)) if has_parts || had_parts => self.problems.push(
                        Diagnostic::error(name.span, format!("`{}` is declared twice", name.text))
                            .label("declared again here")
                            .related(span, "first declared here")
                            .hint("give one of them another name"),
                    ),
                    Some(_) => {}
                    None => {
                        first.insert(&name.text, (name.span, has_parts));
                    }
                }
            }
        }
    }

    /// What a declaration is written as. Procedures that need to be known by their calls come later.
    fn item(&mut self, item: &'f Item) -> Vec<Item> {
        match item {
            Item::Const(_) | Item::Enum(_) | Item::Struct(_) => vec![item.clone()],
            Item::Global(decl) => self.shared(decl).into_iter().map(Item::Global).collect(),
            Item::Proc(decl) if self.has_references(decl) => Vec::new(),
            Item::Proc(decl) => {
                let written = self.procedure(decl, decl.name.clone(), &[]);
                vec![Item::Proc(written)]
            }
            Item::Thread(decl) => vec![Item::Thread(self.thread(decl))],
            Item::Predicate(decl) => {
                let mut written = decl.clone();
                self.enter();
                if let Some(scope) = &mut written.scope {
                    self.predicate_scope(scope);
                }
                written.expr = self.expr(&decl.expr);
                self.leave();
                vec![Item::Predicate(written)]
            }
        }
    }

    /// A shared variable, or those that it is made of.
    fn shared(&mut self, decl: &'f VarDecl) -> Vec<VarDecl> {
        let variable = self.declared(decl, true);
        if !self.check_channel(&decl.ty) {
            self.wrong.push(decl.name.span);
            return Vec::new();
        }
        match variable.kind {
            Kind::Plain => vec![VarDecl { ty: self.plain_type(&decl.ty), ..decl.clone() }],
            Kind::Wrong => {
                self.wrong.push(decl.name.span);
                Vec::new()
            }
            Kind::Struct(_) | Kind::Channel(_) => {
                self.notes.variable(&decl.name, crate::check::Kind::Shared, decl, None);
                self.made_of(decl, &variable)
            }
        }
    }

    fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Something in the place of an expression with a mistake that was reported.
    fn nothing(&mut self, span: Span) -> Expr {
        self.wrong.push(span);
        Expr { kind: ExprKind::Any, span }
    }

    fn enter(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Makes a name mean a variable of the innermost block.
    fn declare(&mut self, name: &Name, variable: Variable<'f>) {
        let alive = self.scopes.iter().rev().find_map(|scope| scope.get(&name.text));
        if let Some(first) = alive
            && !matches!((first.kind, variable.kind), (Kind::Plain, Kind::Plain))
        {
            let (first, message) =
                (first.declared, format!("there is a local variable `{}` already", name.text));
            self.problems.push(
                Diagnostic::error(name.span, message)
                    .label("declared again here")
                    .related(first, "first declared here")
                    .hint("give one of them another name"),
            );
            self.wrong.push(name.span);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text.clone(), variable);
        }
    }

    /// The variable that a name means.
    fn lookup(&self, name: &str) -> Option<&Variable<'f>> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        local.or_else(|| self.globals.get(name))
    }
}
