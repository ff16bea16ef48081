//! # Threads and their variables
//! A program as views see it: *classes* of threads (one for each declaration), each with so many
//! threads; *places* where a thread stands; slots with sorts, ranges and names.

use selvedge_core::{Code, Footprint, Kind, Loc, ProcId, footprints};
use selvedge_program::compile::{Claim, Compiler, Threads};
use selvedge_program::flow::Flow;
use selvedge_program::{Count, Expr, Program, ThreadCounts, ThreadDecl, Variable};

use crate::Refusal;
use crate::term::{Sort, Term, Var};

/// Arrays with more elements than this are refused.
const MOST_SLOTS: usize = 64;

/// The threads of one declaration.
#[derive(Clone, Debug)]
pub struct Class {
    /// The name of the template.
    pub name: String,
    /// The procedure that they run.
    pub proc: ProcId,
    /// How many there are; `None` is any number.
    pub count: Option<u32>,
    /// The number of the declaration.
    pub decl: usize,
}

/// Where a thread stands: at a location, or it has ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Standing {
    /// The class of the thread.
    pub class: usize,
    /// The location; `None` once it has ended.
    pub loc: Option<Loc>,
}

/// The name and kind of one scalar.
#[derive(Clone, Debug)]
pub struct SlotInfo {
    /// For people: `x`, or `a[2]`.
    pub name: String,
    /// The variable that it belongs to.
    pub variable: usize,
    /// Which integers it may hold.
    pub kind: Kind,
}

/// The slots of a program, and its threads.
pub struct Layout<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its flow graph.
    pub flow: &'p Flow,
    /// The code that it is compiled to.
    pub code: Code,
    /// The classes of threads, without those that have none.
    pub classes: Vec<Class>,
    /// The slots of the shared variables.
    pub globals: Vec<SlotInfo>,
    /// The slots of the locals of each procedure.
    pub locals: Vec<Vec<SlotInfo>>,
    /// Locations at which no thread is left standing, where local steps ride along.
    passed: Vec<bool>,
}

impl<'p> Layout<'p> {
    /// Looks at a program with these numbers of threads in the place of its own.
    pub fn new(
        program: &'p Program,
        flow: &'p Flow,
        counts: &ThreadCounts,
    ) -> Result<Self, Refusal> {
        if flow.tracks_owners {
            return Err(Refusal::new(
                "a lock may be released by a thread that does not hold it, as far as the text shows",
                None,
            ));
        }
        let all = program.procs.iter().flat_map(|proc| &proc.locals).chain(&program.globals);
        if let Some(large) = all.clone().find(|v| v.ty.slots() > MOST_SLOTS) {
            let why = format!("the array `{}` has more than {MOST_SLOTS} elements", large.name);
            return Err(Refusal::new(&why, None));
        }
        let count = |decl: &ThreadDecl| match (counts.get(&decl.name), decl.count) {
            (Some(&n), _) | (None, Count::Fixed(n)) => Some(n),
            (None, Count::Any) => None,
        };
        let classes = program.threads.iter().enumerate().map(|(index, decl)| Class {
            name: decl.name.clone(),
            proc: decl.proc,
            count: count(decl),
            decl: index,
        });
        let classes: Vec<Class> = classes.filter(|class| class.count != Some(0)).collect();
        let compiler = Compiler::new(program, flow, Threads { count: 0, started: false });
        let code = compiler.code();
        for class in &classes {
            arguments_fit(&compiler, program, &code, class)?;
        }
        if classes.is_empty() {
            return Err(Refusal::new("there is no thread at all", None));
        }
        Ok(Layout {
            program,
            flow,
            classes,
            globals: slots(&compiler, &program.globals),
            locals: program.procs.iter().map(|proc| slots(&compiler, &proc.locals)).collect(),
            passed: Vec::new(),
            code,
        })
    }

    /// Lets local steps ride along: a thread that gets to a location from where all steps are local makes the next one at once. Nobody else can tell, so whatever goes wrong goes wrong in
    /// such a run as well. Where a loop begins, it stands; so there is an end of them.
    #[must_use]
    pub fn riding(mut self) -> Self {
        let local: Vec<bool> = footprints(&self.code).iter().map(Footprint::is_local).collect();
        let mut passed: Vec<bool> = Vec::new();
        for location in &self.code.locations {
            let edges = &location.edges;
            passed.push(!edges.is_empty() && edges.iter().all(|edge| local[edge.index()]));
        }
        for edge in &self.code.edges {
            if edge.to.index() <= edge.from.index() {
                passed[edge.to.index()] = false;
            }
        }
        for class in &self.classes {
            passed[self.flow.entries[class.proc.index()].index()] = false;
        }
        self.passed = passed;
        self
    }

    /// Whether no thread is left standing at a location.
    #[must_use]
    pub fn is_passed(&self, loc: Loc) -> bool {
        self.passed.get(loc.index()) == Some(&true)
    }

    /// The number of threads; `None` is any number.
    #[must_use]
    pub fn threads(&self) -> Option<u64> {
        self.classes.iter().map(|class| class.count.map(u64::from)).sum()
    }

    /// Whether there can be this many threads of each class at the same time.
    #[must_use]
    pub fn can_have(&self, classes: &[usize]) -> bool {
        self.classes.iter().enumerate().all(|(index, class)| {
            let wanted = classes.iter().filter(|&&c| c == index).count();
            class.count.is_none_or(|most| wanted as u64 <= u64::from(most))
        })
    }

    /// Where the threads of a class start.
    #[must_use]
    pub fn entry(&self, class: usize) -> Standing {
        let loc = self.flow.entries[self.classes[class].proc.index()];
        Standing { class, loc: Some(loc) }
    }

    /// The slots of the locals of the threads of a class.
    #[must_use]
    pub fn locals_of(&self, class: usize) -> &[SlotInfo] {
        &self.locals[self.classes[class].proc.index()]
    }

    /// An expression of a declaration, seen from a procedure; `None` where it has no meaning.
    #[must_use]
    pub fn claim(&self, proc: ProcId, expr: &Expr) -> Option<Claim> {
        let threads = Threads { count: 0, started: false };
        Compiler::new(self.program, self.flow, threads).claim(proc, expr)
    }

    /// The variables of a view of threads of these classes, with what their types say of them.
    #[must_use]
    pub fn variables(&self, classes: &[usize]) -> Vec<(Var, &SlotInfo)> {
        let globals = self.globals.iter().enumerate();
        let mut all: Vec<_> = globals.map(|(slot, info)| (Var::Global(slot), info)).collect();
        for (position, &class) in classes.iter().enumerate() {
            let locals = self.locals_of(class).iter().enumerate();
            all.extend(locals.map(|(slot, info)| (Var::Local(position, slot), info)));
        }
        all
    }

    /// The name of a variable in formulas: `s`, or `l@1` of the second thread of a view.
    #[must_use]
    pub fn name(&self, var: Var, classes: &[usize]) -> String {
        match var {
            Var::Global(slot) => self.globals[slot].name.clone(),
            Var::Local(position, slot) => {
                format!("{}@{position}", self.locals_of(classes[position])[slot].name)
            }
            Var::Fresh(number, _) => format!("*{number}"),
        }
    }

    /// A variable by its name in formulas.
    #[must_use]
    pub fn find(&self, name: &str, classes: &[usize]) -> Option<(Var, Sort)> {
        let variables = self.variables(classes);
        let found = variables.into_iter().find(|(var, _)| self.name(*var, classes) == name);
        found.map(|(var, info)| (var, info.sort()))
    }

    /// A place in words that are the same in every run: `worker@L0`, `worker@3`, `worker@end`. The
    /// number is that of the location.
    #[must_use]
    pub fn place_key(&self, place: Standing) -> String {
        let class = &self.classes[place.class].name;
        match place.loc {
            Some(loc) => format!("{class}@{}", loc.0),
            None => format!("{class}@end"),
        }
    }

    /// The place of a key.
    #[must_use]
    pub fn find_place(&self, key: &str) -> Option<Standing> {
        let (name, at) = key.rsplit_once('@')?;
        let class = self.classes.iter().position(|class| class.name == name)?;
        let loc = match at {
            "end" => None,
            number => {
                let loc = Loc(number.parse().ok()?);
                let location = self.flow.locations.get(loc.index())?;
                if location.proc != self.classes[class].proc {
                    return None;
                }
                Some(loc)
            }
        };
        let place = Standing { class, loc };
        (self.place_key(place) == key).then_some(place)
    }
}

/// The condition that a value is one of its kind.
#[must_use]
pub fn in_kind(kind: &Kind, value: Term) -> Term {
    match kind.bounds().filter(|_| sort(kind) == Sort::Int) {
        Some((lo, hi)) if lo == hi => Term::eq(value, Term::Int(lo)),
        Some((lo, hi)) => {
            Term::all([Term::le(Term::Int(lo), value.clone()), Term::le(value, Term::Int(hi))])
        }
        None => Term::TRUE,
    }
}

/// Refuses arguments that may be out of the range of a parameter: there would be no such thread, and
/// everything could be said of it.
fn arguments_fit(
    compiler: &Compiler<'_>,
    program: &Program,
    code: &Code,
    class: &Class,
) -> Result<(), Refusal> {
    let proc = &program.procs[class.proc.index()];
    let params = proc.locals.iter().zip(compiler.first_slots(class.proc));
    for (arg, (param, slot)) in program.threads[class.decl].args.iter().zip(params) {
        let Some(range) = code.proc(class.proc).frame[*slot].kind.limits() else { continue };
        let fits = match compiler.claim(class.proc, arg) {
            Some(Claim::Any) => true,
            Some(Claim::Int(value)) => range.contains(&value),
            _ => false,
        };
        if !fits {
            let why = format!("an argument of `{}` may not fit `{}`", class.name, param.name);
            return Err(Refusal::new(&why, None));
        }
    }
    Ok(())
}

/// Words of SMT-LIB that cannot be names.
const TAKEN: &[&str] = &[
    "abs",
    "and",
    "as",
    "bvadd",
    "distinct",
    "div",
    "divisible",
    "exists",
    "false",
    "forall",
    "if",
    "iff",
    "implies",
    "int",
    "is_int",
    "ite",
    "let",
    "match",
    "mod",
    "not",
    "or",
    "par",
    "rem",
    "select",
    "store",
    "to_int",
    "to_real",
    "true",
    "xor",
    "Array",
    "Bool",
    "Int",
    "Real",
    "String",
];

impl SlotInfo {
    /// The sort of its values.
    #[must_use]
    pub fn sort(&self) -> Sort {
        sort(&self.kind)
    }
}

/// The sort of the values of a kind.
#[must_use]
pub fn sort(kind: &Kind) -> Sort {
    if *kind == Kind::Bool { Sort::Bool } else { Sort::Int }
}

fn slots(compiler: &Compiler<'_>, variables: &[Variable]) -> Vec<SlotInfo> {
    let mut all = Vec::new();
    for (variable, declared) in variables.iter().enumerate() {
        let same = variables.iter().filter(|other| other.name == declared.name).count();
        let name = match same {
            1 if TAKEN.contains(&declared.name.as_str()) => format!("{}#", declared.name),
            1 => declared.name.clone(),
            // Two locals of one name in different blocks.
            _ => format!("{}#{variable}", declared.name),
        };
        let named = Variable { name, ..declared.clone() };
        let mut elements: Vec<Vec<usize>> = vec![Vec::new()];
        for length in declared.ty.lengths() {
            let index = |before: &Vec<usize>| {
                let each =
                    (0..length as usize).map(|n| before.iter().copied().chain([n]).collect());
                each.collect::<Vec<Vec<usize>>>()
            };
            elements = elements.iter().flat_map(index).collect();
        }
        let elements: Vec<String> =
            elements.iter().map(|indices| named.element_name(indices)).collect();
        let kind = compiler.kind(&declared.ty);
        let slot = |name| SlotInfo { name, variable, kind: kind.clone() };
        all.extend(elements.into_iter().map(slot));
    }
    all
}
