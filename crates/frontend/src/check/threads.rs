//! # Threads that exist from the start
//! What they run, how many there are, and what they are given. A file that declares none has one
//! thread, which runs `main`.

use num_bigint::BigInt;
use selvedge_program::{Count, Expr, ExprKind, ProcId, Span, ThreadDecl, Type};

use super::counted;
use super::expressions::{Typer, not_constant, wider_range};
use super::fold::{fold, folded};
use super::items::{Item, Items};
use super::scope::{Mode, Scope};
use crate::Diagnostic;
use crate::syntax::{self, Entry, Name};

/// The greatest number of threads of one kind.
const MOST_THREADS: u32 = 10_000;

/// Checks the threads.
pub(super) fn threads(items: &Items, problems: &mut Vec<Diagnostic>) -> Vec<ThreadDecl> {
    if items.threads.is_empty() {
        return main_thread(items, problems).into_iter().collect();
    }
    items.threads.iter().filter_map(|decl| thread(items, decl, problems)).collect()
}

fn main_thread(items: &Items, problems: &mut Vec<Diagnostic>) -> Option<ThreadDecl> {
    let Some(Item::Proc(proc)) = items.find("main") else {
        let problem = Diagnostic::error(
            Span::default(),
            "nothing is executed: there is no thread and no `main`",
        );
        problems.push(match items.procs.first() {
            Some(proc) => {
                let name = &proc.name.text;
                let args = vec!["*"; proc.params.len()].join(", ");
                let entry =
                    if args.is_empty() { String::new() } else { format!(" = {name}({args})") };
                problem.hint(format!(
                    "execution starts in a procedure called `main`, or in the threads of a \
                     .weave: `thread {name}{entry};`"
                ))
            }
            None => problem.hint(
                "execution starts in a procedure called `main`, or in the threads of a .weave: \
                 `thread worker { … }`",
            ),
        });
        return None;
    };
    let main = items.proc(proc);
    if !main.params.is_empty() {
        problems.push(
            Diagnostic::error(
                main.name.span,
                "`main` has parameters, but nothing gives it arguments",
            )
            .hint("declare a thread that does: `thread main = main(…);`"),
        );
        return None;
    }
    let name = "main".to_owned();
    Some(ThreadDecl { name, count: Count::Fixed(1), proc, args: Vec::new(), span: main.span })
}

fn thread<'a>(
    items: &Items<'a>,
    decl: &'a syntax::ThreadDecl,
    problems: &mut Vec<Diagnostic>,
) -> Option<ThreadDecl> {
    let mut scope = Scope::new(Mode::Arguments(decl.binder.as_ref()));
    let mut typer = Typer { items, problems, scope: &mut scope };
    let count = typer.count(decl);
    let (proc, args) = match &decl.entry {
        Entry::SameName => (typer.same_name(decl, count), Some(Vec::new())),
        Entry::Call(name, args) => {
            let proc = typer.entry(name);
            let args = proc.and_then(|proc| typer.thread_arguments(proc, decl, args, count));
            (proc, args)
        }
        Entry::Body(_) => {
            let number =
                |binder: &Name| Expr { kind: ExprKind::Instance, ty: Type::Int, span: binder.span };
            let args = decl.binder.as_ref().map(number).into_iter().collect();
            (items.find_body(&decl.name.text), Some(args))
        }
    };
    let name = decl.name.text.clone();
    Some(ThreadDecl { name, count: count?, proc: proc?, args: args?, span: decl.span })
}

impl<'a> Typer<'_, 'a> {
    fn count(&mut self, decl: &'a syntax::ThreadDecl) -> Option<Count> {
        let expr = match &decl.count {
            None => return Some(Count::Fixed(1)),
            Some(syntax::Count::Any(_)) => return Some(Count::Any),
            Some(syntax::Count::Number(expr)) => expr,
        };
        let (_, value) = self.constant(expr, Some(&Type::Int), "the number of threads")?;
        let count = value.small().and_then(|n| u32::try_from(n).ok());
        let name = &decl.name.text;
        match count.filter(|n| *n <= MOST_THREADS) {
            Some(0) => {
                let message = format!("there is no thread `{name}`: the number is 0");
                self.problems.push(Diagnostic::warning(expr.span, message));
                Some(Count::Fixed(0))
            }
            Some(count) => Some(Count::Fixed(count)),
            None => {
                self.problems.push(
                    Diagnostic::error(expr.span, format!("there cannot be {value} threads"))
                        .hint(format!("numbers go from 0 to {MOST_THREADS}; for any number, write `thread {name} * any`")),
                );
                None
            }
        }
    }

    /// The procedure of `thread worker;`.
    fn same_name(&mut self, decl: &'a syntax::ThreadDecl, count: Option<Count>) -> Option<ProcId> {
        let name = &decl.name.text;
        let proc = self.entry(&decl.name)?;
        let params = self.items.proc(proc).params.len();
        if params == 0 {
            return Some(proc);
        }
        let has = counted(params, "parameter", "parameters");
        let example = self.example_of(decl, proc, count);
        self.problems.push(
            Diagnostic::error(
                decl.name.span,
                format!("`{name}` has {has}, but the thread gives no arguments"),
            )
            .related(self.items.proc(proc).name.span, "the procedure")
            .hint(format!("say which arguments: `{example}`")),
        );
        None
    }

    /// A declaration that gives the threads arguments: their numbers where these fit the first parameter, any values otherwise.
    fn example_of(&self, decl: &syntax::ThreadDecl, proc: ProcId, count: Option<Count>) -> String {
        let name = &decl.name.text;
        let types = &self.items.proc(proc).param_types;
        let last = match count {
            Some(Count::Fixed(count)) => BigInt::from(count.max(1) - 1),
            _ => BigInt::ZERO,
        };
        let takes_number = match types.first() {
            Some(Some(Type::Int)) => true,
            Some(Some(Type::Range { lo, hi })) => *lo <= BigInt::ZERO && last <= *hi,
            _ => false,
        };
        let number = match (&decl.binder, &decl.count) {
            (Some(binder), _) => Some(binder.text.as_str()),
            (None, Some(syntax::Count::Number(_))) => Some("i"),
            _ => None,
        };
        let number = number.filter(|_| takes_number);
        let values = types.iter().map(|ty| match ty {
            Some(Type::Int) => "0",
            Some(Type::ThreadId) => "none",
            _ => "*",
        });
        let args = number.into_iter().chain(values.skip(usize::from(number.is_some())));
        let args = args.collect::<Vec<_>>().join(", ");
        let index = number.map_or(String::new(), |number| format!("[{number}]"));
        let times = match &decl.count {
            None => String::new(),
            Some(syntax::Count::Any(_)) => " * any".to_owned(),
            Some(syntax::Count::Number(number)) => match (&number.kind, count) {
                (syntax::ExprKind::Place(place), _) => format!(" * {}", place.name.text),
                (_, Some(Count::Fixed(count))) => format!(" * {count}"),
                _ => " * 2".to_owned(),
            },
        };
        format!("thread {name}{index}{times} = {name}({args});")
    }

    /// The procedure that a thread runs.
    fn entry(&mut self, name: &'a Name) -> Option<ProcId> {
        let text = &name.text;
        if let Some(Item::Proc(id)) = self.items.find(text) {
            self.items.used(name, self.items.proc(id).name.span);
            return Some(id);
        }
        let mut problem = self.no_procedure(name);
        if problem.hint.is_none() {
            let hint = format!("a thread runs a procedure, or has a body: `thread {text} {{ … }}`");
            problem = problem.hint(hint);
        }
        self.problems.push(problem);
        None
    }

    /// Arguments are constants, `*`, or computed from the number of the thread.
    fn thread_arguments(
        &mut self,
        proc: ProcId,
        decl: &'a syntax::ThreadDecl,
        args: &'a [syntax::Expr],
        count: Option<Count>,
    ) -> Option<Vec<Expr>> {
        let args = self.arguments(proc, args, decl.span)?;
        let last = match count {
            Some(Count::Fixed(count)) => count.max(1),
            _ => 1,
        };
        let mut fine = true;
        let proc = self.items.proc(proc);
        for ((arg, ty), param) in args.iter().zip(&proc.param_types).zip(proc.params) {
            let Some(ty) = ty else { continue };
            fine &= matches!(arg.kind, ExprKind::Any)
                || (0..last).all(|i| self.argument_of(arg, ty, param.name.span, i.into()));
        }
        fine.then(|| args.into_iter().map(folded).collect())
    }

    /// Whether an argument has a value for the thread with this number.
    fn argument_of(&mut self, arg: &Expr, ty: &Type, declared: Span, number: BigInt) -> bool {
        match (fold(arg, Some(&number)), ty) {
            (Err(reason), _) => {
                self.problems.push(
                    not_constant(reason, "the argument of a thread")
                        .hint("`*` alone is possible: any value of the type of the parameter"),
                );
                false
            }
            (Ok(value), Type::Range { lo, hi }) if value < *lo || value > *hi => {
                let message = format!("{value} is outside of `int[{lo}..{hi}]`");
                self.problems.push(
                    Diagnostic::error(arg.span, message)
                        .label(format!("this is {value} for thread number {number}"))
                        .related(declared, format!("holds integers from {lo} to {hi}"))
                        .hint(wider_range(&value, lo, hi)),
                );
                false
            }
            (Ok(_), _) => true,
        }
    }
}
