//! # Names and what they mean
//! For whoever shows a program: what is declared, with its type in words, and which name stands for which
//! declaration. The checker writes a use down where it resolves the name ([`Items::used`]), so that there is one
//! opinion about scopes. A file with mistakes has names, too: those that could be resolved.

use rustc_hash::FxHashMap;
use selvedge_program::{ProcId, Span, Type, Value};

use super::items::{Global, Items, Proc, index};
use super::scope::Local;
use super::sync::Word;
use crate::parts::Notes;
use crate::syntax::{self, Entry, Name};

/// The names of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// What is declared, in the order of the places; what is inside of something comes after it.
    pub definitions: Vec<Definition>,
    /// Where a name stands that means a definition (its position), in the order of the places. Declarations
    /// themselves are not uses, with one exception: `thread f;` uses the procedure `f`.
    pub uses: Vec<(Span, usize)>,
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The name as written.
    pub name: String,
    /// The kind of the definition.
    pub kind: Kind,
    /// Its name in the text.
    pub span: Span,
    /// The whole declaration; for procedures and threads with the body.
    pub whole: Span,
    /// The procedure, thread or enumeration that it is in, by its position.
    pub inside: Option<usize>,
    /// The declaration in words of the language, with its type: `int[0..2] count`.
    pub text: String,
    /// The name of the struct that its type is, if it is one.
    pub of: Option<String>,
}

/// The kind of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A constant.
    Constant,
    /// An enumeration.
    Enumeration,
    /// A value of an enumeration.
    Enumerator,
    /// A struct.
    Struct,
    /// A member of a struct.
    Member,
    /// A shared variable.
    Shared,
    /// A procedure.
    Procedure,
    /// Threads that exist from the start.
    Thread,
    /// A parameter.
    Parameter,
    /// A local variable.
    Local,
    /// The number of a thread.
    Number,
    /// A label.
    Label,
    /// A predicate.
    Predicate,
}

impl Kind {
    /// The kind in words.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Kind::Constant => "constant",
            Kind::Enumeration => "enumeration",
            Kind::Enumerator => "enumerator",
            Kind::Struct => "struct",
            Kind::Member => "member",
            Kind::Shared => "shared variable",
            Kind::Procedure => "procedure",
            Kind::Thread => "thread",
            Kind::Parameter => "parameter",
            Kind::Local => "local variable",
            Kind::Number => "number of the thread",
            Kind::Label => "label",
            Kind::Predicate => "predicate",
        }
    }
}

impl Names {
    /// The definition that the name at an offset means, if there is a name: where it is used, or declared.
    #[must_use]
    pub fn at(&self, offset: u32) -> Option<(Span, &Definition)> {
        let holds = |span: &Span| span.start <= offset && offset <= span.end;
        let used = self.uses.iter().find(|(span, _)| holds(span));
        let used = used.and_then(|(span, id)| Some((*span, self.definitions.get(*id)?)));
        let declared = || self.definitions.iter().find(|d| holds(&d.span)).map(|d| (d.span, d));
        used.or_else(declared)
    }

    /// Lists what is declared, and sorts what was used.
    pub(super) fn collect(items: &Items<'_>, locals: &[Vec<Local<'_>>], notes: &Notes) -> Names {
        let mut list = List { items, definitions: Vec::new() };
        list.consts();
        list.enums();
        for global in &items.globals {
            let text = items.shared_declaration(global);
            let whole = global.decl.ty.span.to(global.decl.name.span);
            list.add(&global.decl.name, Kind::Shared, whole, None, text);
        }
        for (position, (proc, locals)) in items.procs.iter().zip(locals).enumerate() {
            list.proc(ProcId(index(position)), proc, locals);
        }
        list.threads();
        for decl in &items.predicates {
            if let Some(name) = &decl.name {
                let text = format!("predicate {}", name.text);
                list.add(name, Kind::Predicate, decl.span, None, text);
            }
        }
        list.noted(notes);
        list.finish(notes)
    }

    /// The struct that a variable, a parameter or a member is of, by its position.
    #[must_use]
    pub fn struct_of(&self, id: usize) -> Option<usize> {
        let of = self.definitions.get(id)?.of.as_ref()?;
        self.definitions.iter().position(|d| d.kind == Kind::Struct && d.name == *of)
    }
}

struct List<'c, 'a> {
    items: &'c Items<'a>,
    definitions: Vec<Definition>,
}

impl List<'_, '_> {
    fn add(
        &mut self,
        name: &Name,
        kind: Kind,
        whole: Span,
        inside: Option<usize>,
        text: String,
    ) -> usize {
        let (name, span) = (name.text.clone(), name.span);
        let of = None;
        self.definitions.push(Definition { name, kind, span, whole, inside, text, of });
        self.definitions.len() - 1
    }

    fn consts(&mut self) {
        for constant in &self.items.consts {
            let name = &constant.decl.name;
            let value = constant.value.as_ref().map(|(ty, v)| self.items.value_name(ty, v));
            let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
            let text = format!("const {}{value}", name.text);
            self.add(name, Kind::Constant, name.span.to(constant.decl.value.span), None, text);
        }
    }

    fn enums(&mut self) {
        for decl in &self.items.enums {
            let names: Vec<_> = decl.enumerators.iter().map(|name| name.text.as_str()).collect();
            let text = format!("enum {} {{ {} }}", decl.name.text, names.join(", "));
            let whole =
                decl.enumerators.last().map_or(decl.name.span, |l| decl.name.span.to(l.span));
            let id = self.add(&decl.name, Kind::Enumeration, whole, None, text);
            for name in &decl.enumerators {
                let text = format!("{} {}", decl.name.text, name.text);
                self.add(name, Kind::Enumerator, name.span, Some(id), text);
            }
        }
    }

    /// A procedure or the body of a thread, with what is declared in it.
    fn proc(&mut self, id: ProcId, proc: &Proc<'_>, locals: &[Local<'_>]) {
        let items = self.items;
        let whole = proc.span.to(proc.end);
        let body_of = items.threads.iter().find(|t| items.find_body(&t.name.text) == Some(id));
        let inside = match body_of {
            Some(thread) => self.add(proc.name, Kind::Thread, whole, None, items.thread(thread)),
            None => self.add(proc.name, Kind::Procedure, whole, None, items.signature(proc)),
        };
        let params = proc.params.len();
        for (position, local) in locals.iter().enumerate() {
            let is_number = proc.binder.is_some_and(|binder| binder.span == local.span);
            let kind = match position {
                _ if is_number => Kind::Number,
                position if position < params => Kind::Parameter,
                _ => Kind::Local,
            };
            let name = Name { text: local.written.to_owned(), span: local.span };
            let text = items.declaration(local.ty.as_ref(), local.written);
            self.add(&name, kind, local.span, Some(inside), text);
        }
        for label in &proc.survey.labels {
            let text = format!("{}:", label.name.text);
            self.add(label.name, Kind::Label, label.name.span, Some(inside), text);
        }
    }

    /// Threads without a body of their own.
    fn threads(&mut self) {
        for decl in &self.items.threads {
            if matches!(decl.entry, Entry::Body(_))
                && self.items.find_body(&decl.name.text).is_some()
            {
                continue;
            }
            let whole = decl.span.to(decl.end);
            let id = self.add(&decl.name, Kind::Thread, whole, None, self.items.thread(decl));
            if let Some(binder) = &decl.binder {
                let text = format!("int {}", binder.text);
                self.add(binder, Kind::Number, binder.span, Some(id), text);
            }
        }
    }

    /// Takes what was written with parts in the place of what was made of it.
    fn noted(&mut self, notes: &Notes) {
        if notes.declared.is_empty() {
            return;
        }
        let mut first: FxHashMap<Span, usize> = FxHashMap::default();
        for id in 0..self.definitions.len() {
            let span = self.definitions[id].span;
            if *first.entry(span).or_insert(id) != id {
                // A copy, or another part of the same variable.
                self.definitions[id].span = Span::default();
            }
        }
        for (span, noted) in &notes.declared {
            let known = first.get(span).copied();
            let inside = noted.inside.and_then(|outer| first.get(&outer).copied());
            let definition = Definition {
                name: noted.name.clone(),
                kind: noted.kind,
                span: *span,
                whole: noted.whole,
                inside: inside.or_else(|| self.definitions.get(known?)?.inside),
                text: noted.text.clone(),
                of: noted.of.clone(),
            };
            match known.and_then(|id| self.definitions.get_mut(id)) {
                Some(known) => *known = definition,
                None => {
                    first.insert(*span, self.definitions.len());
                    self.definitions.push(definition);
                }
            }
        }
        // What is in a struct may have come before it.
        for (span, noted) in &notes.declared {
            let (id, outer) = (first.get(span), noted.inside.and_then(|outer| first.get(&outer)));
            if let (Some(&id), Some(&outer)) = (id, outer) {
                self.definitions[id].inside = Some(outer);
            }
        }
    }

    /// Sorts everything by place. What is written nowhere is left out.
    fn finish(self, notes: &Notes) -> Names {
        let is_written = |span: Span| span.start < span.end;
        let all = 0..self.definitions.len();
        let mut order: Vec<usize> =
            all.filter(|&id| is_written(self.definitions[id].span)).collect();
        order.sort_by_key(|&id| (self.definitions[id].span.start, id));
        let mut place = vec![0; self.definitions.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        let mut definitions: Vec<Definition> =
            order.iter().map(|&id| self.definitions[id].clone()).collect();
        for definition in &mut definitions {
            definition.inside = definition.inside.map(|id| place[id]);
        }
        let mut uses = self.items.uses.take();
        if !notes.declared.is_empty() {
            uses.retain(|(span, _)| !notes.uses.contains_key(span));
            uses.extend(notes.uses.iter().map(|(span, declared)| (*span, *declared)));
        }
        uses.retain(|(span, _)| is_written(*span));
        uses.sort_unstable();
        uses.dedup();
        let means = |declared: Span| {
            let at = definitions.partition_point(|d| d.span.start < declared.start);
            definitions.get(at).filter(|d| d.span == declared).map(|_| at)
        };
        let uses =
            uses.iter().filter_map(|&(span, declared)| Some((span, means(declared)?))).collect();
        Names { definitions, uses }
    }
}

impl Items<'_> {
    /// Writes down that a name means what is declared there.
    pub fn used(&self, name: &Name, declared: Span) {
        if name.span != declared {
            self.uses.borrow_mut().push((name.span, declared));
        }
    }

    /// A variable with its type: `int[0..2] count[3]`.
    fn declaration(&self, ty: Option<&Type>, name: &str) -> String {
        let Some(ty) = ty else { return name.to_owned() };
        let mut text = format!("{} {name}", self.type_name(ty));
        let mut rest = ty;
        while let Type::Array { element, length } = rest {
            text += &format!("[{length}]");
            rest = element;
        }
        text
    }

    /// A shared variable with its type.
    fn shared_declaration(&self, global: &Global<'_>) -> String {
        let (name, ty) = (&global.decl.name.text, global.ty.as_ref());
        let Some(word) = global.role.word() else { return self.declaration(ty, name) };
        let lengths: String =
            ty.into_iter().flat_map(Type::lengths).map(|length| format!("[{length}]")).collect();
        let range = match (word, ty.map(Type::scalar)) {
            (Word::Semaphore, Some(Type::Range { lo, hi })) => format!("[{lo}..{hi}]"),
            _ => String::new(),
        };
        format!("{}{range} {name}{lengths}", word.name())
    }

    /// The type of the scalars, as it is written.
    pub(super) fn type_name(&self, ty: &Type) -> String {
        match ty.scalar() {
            Type::Bool => "bool".to_owned(),
            Type::Enum(id) => self.enums[id.index()].name.text.clone(),
            Type::Lock => "lock".to_owned(),
            Type::ThreadId => "tid".to_owned(),
            scalar => scalar.integer_name().unwrap_or_default(),
        }
    }

    fn value_name(&self, ty: &Type, value: &Value) -> String {
        match ty {
            Type::Bool => value.is_true().to_string(),
            Type::Enum(id) => {
                let position = value.small().and_then(|n| usize::try_from(n).ok());
                let names = &self.enums[id.index()].enumerators;
                let name = position.and_then(|n| names.get(n));
                name.map_or_else(|| value.to_string(), |name| name.text.clone())
            }
            _ => value.to_string(),
        }
    }

    /// The head of a procedure.
    pub fn signature(&self, proc: &Proc<'_>) -> String {
        let of = |ty: &Option<Type>| ty.as_ref().map_or("?".to_owned(), |ty| self.type_name(ty));
        let results: Vec<_> = proc.result_types.iter().map(of).collect();
        let params = proc.params.iter().zip(&proc.param_types);
        let params: Vec<_> =
            params.map(|(decl, ty)| self.declaration(ty.as_ref(), &decl.name.text)).collect();
        let results = match results.as_slice() {
            [] => "void".to_owned(),
            [one] => one.clone(),
            many => format!("({})", many.join(", ")),
        };
        format!("{results} {}({})", proc.name.text, params.join(", "))
    }

    /// The head of a thread.
    fn thread(&self, decl: &syntax::ThreadDecl) -> String {
        let count = match &decl.count {
            None => "",
            Some(syntax::Count::Any(_)) => " * any",
            Some(syntax::Count::Number(_)) => " * …",
        };
        let runs = match &decl.entry {
            Entry::SameName => format!(" = {}()", decl.name.text),
            Entry::Call(name, args) => {
                format!(" = {}({})", name.text, if args.is_empty() { "" } else { "…" })
            }
            Entry::Body(_) => String::new(),
        };
        format!("thread {}{count}{runs}", decl.name.text)
    }
}

#[cfg(test)]
mod tests {
    use selvedge_program::Source;

    use super::super::{CheckOptions, check_with_names};
    use super::*;
    use expect_test::{Expect, expect};

    /// All definitions, and each use with its line and the line of what it means.
    fn check(
        parse: fn(&Source) -> (syntax::File, Vec<crate::Diagnostic>),
        text: &str,
        expected: Expect,
    ) {
        let source = Source::new("test", text);
        let (file, _) = parse(&source);
        let names = check_with_names(&file, &CheckOptions::default()).names;
        let mut shown = String::new();
        for d in &names.definitions {
            assert_eq!(source.slice(d.span), d.name, "the span is that of the name");
            let inside = d.inside.map(|id| format!(" in {}", names.definitions[id].name));
            let inside = inside.unwrap_or_default();
            shown +=
                &format!("{} {}: {}{inside}\n", source.line(d.span.start), d.kind.what(), d.text);
        }
        for (span, id) in &names.uses {
            let meant = &names.definitions[*id];
            assert_eq!(source.slice(*span), meant.name, "a use has the name of what it means");
            let place = source.line_column(span.start);
            shown += &format!(
                "{}:{} {} -> {}\n",
                place.line,
                place.column,
                meant.name,
                source.line(meant.span.start)
            );
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn names_of_weave_are_resolved_by_scope() {
        let text = "\
const N = 2;
enum Side { Left, Right }
Side side[N] := Left;
int[0..N] x;
void f(int[0..1] me) {
  bool x := true;
  again: side[me] := Right;
  { bool y := x; assert y; }
  if (x) { goto again; }
}
thread worker[i] * N = f(i);
thread g { x := 1; call f(0); }
predicate p in f: at again;
";
        check(
            crate::weave::parse,
            text,
            expect![[r#"
            1 constant: const N = 2
            2 enumeration: enum Side { Left, Right }
            2 enumerator: Side Left in Side
            2 enumerator: Side Right in Side
            3 shared variable: Side side[2]
            4 shared variable: int[0..2] x
            5 procedure: void f(int[0..1] me)
            5 parameter: int[0..1] me in f
            6 local variable: bool x in f
            7 label: again: in f
            8 local variable: bool y in f
            11 thread: thread worker * … = f(…)
            11 number of the thread: int i in worker
            12 thread: thread g
            13 predicate: predicate p
            3:1 Side -> 2
            3:11 N -> 1
            3:17 Left -> 2
            4:8 N -> 1
            7:10 side -> 3
            7:15 me -> 5
            7:22 Right -> 2
            8:15 x -> 6
            8:25 y -> 8
            9:7 x -> 6
            9:17 again -> 7
            11:20 N -> 1
            11:24 f -> 5
            11:26 i -> 11
            12:12 x -> 4
            12:25 f -> 5
            13:16 f -> 5
            13:22 again -> 7
        "#]],
        );
    }

    #[test]
    fn semaphores_conditions_and_barriers_are_called_by_their_names() {
        let text = "\
lock m;
semaphore s := 1;
semaphore[0..2] few[2] := 1;
condition c, d[3];
barrier b := 2;
void main() {
  acquire s; release few[0];
  wait c, m; notify d[1]; notify all c;
  wait b;
}
";
        check(
            crate::weave::parse,
            text,
            expect![[r#"
            1 shared variable: lock m
            2 shared variable: semaphore s
            3 shared variable: semaphore[0..2] few[2]
            4 shared variable: condition c
            4 shared variable: condition d[3]
            5 shared variable: barrier b
            6 procedure: void main()
            7:11 s -> 2
            7:22 few -> 3
            8:8 c -> 4
            8:11 m -> 1
            8:21 d -> 4
            8:38 c -> 4
            9:8 b -> 5
        "#]],
        );
    }

    #[test]
    fn names_of_boolean_programs_are_resolved() {
        let text = "\
decl g;
void main() begin
  decl l;
  l := g;
  a: if (l) then goto a; fi;
  call f(l);
end
void f(p) begin assert(p); end
";
        check(
            crate::bp::parse,
            text,
            expect![[r#"
            1 shared variable: bool g
            2 procedure: void main()
            3 local variable: bool l in main
            5 label: a: in main
            8 procedure: void f(bool p)
            8 parameter: bool p in f
            4:3 l -> 3
            4:8 g -> 1
            5:10 l -> 3
            5:23 a -> 5
            6:8 f -> 8
            6:10 l -> 3
            8:24 p -> 8
        "#]],
        );
    }

    #[test]
    fn mistakes_do_not_hide_other_names() {
        let text = "int x;\nvoid main() { y := x; x := z + x; f(x); }\n";
        check(
            crate::weave::parse,
            text,
            expect![[r#"
            1 shared variable: int x
            2 procedure: void main()
            2:20 x -> 1
            2:23 x -> 1
            2:32 x -> 1
            2:37 x -> 1
        "#]],
        );
    }
}
