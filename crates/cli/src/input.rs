//! # Inputs
//! From the arguments to a system that can be explored.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use selvedge_frontend::check::CheckOptions;
use selvedge_frontend::{Diagnostic, Diagnostics, Input, LoadOptions, show_path};
use selvedge_model::{Property, System};
use selvedge_program::{LowerError, Lowering, Program, Source, ThreadCounts, Type};
use selvedge_report::text;

use crate::args::{InputArgs, InputOptions};
use crate::exit::Failure;
use crate::output::Output;
use crate::suggest;

/// An input that is ready to be explored.
#[derive(Clone)]
pub struct Opened {
    /// What is explored.
    /// The same, if it is a program.
    pub program: Option<Arc<Lowering>>,
    pub system: Arc<dyn System>,
    /// What must not happen.
    pub properties: Vec<Property>,
    /// The text it comes from.
    pub source: Arc<Source>,
    /// A variable that may hold ever larger values.
    pub unbounded: Option<String>,
}

/// Reads a file and makes a system of it.
pub fn open(args: &InputArgs, output: &mut Output) -> Result<Opened, Failure> {
    let input = load(&args.file, &args.options, output)?;
    system(input, &args.options)
}

/// The system of an input for engines. Where threads are started, they may also be dropped (see
/// [`System::starts_threads`]).
///
/// If deadlocks are asked for, every thread stays, and values are chosen at once: both matter to
/// what waits.
pub fn for_engine(input: Input, options: &InputOptions, wanted: Wanted) -> Result<Opened, Failure> {
    let form = if wanted.deadlock { Form::AllThreads } else { Form::DropsThreads };
    let mut opened = system_of(input, options, form, wanted.any_number)?;
    opened.properties.extend(wanted.deadlock.then_some(Property::NoDeadlock));
    Ok(opened)
}

/// What an engine is asked about.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    /// Deadlocks, too.
    pub deadlock: bool,
    /// Any number of threads, where the program says so and no number is given. Otherwise a number
    /// has to be given.
    pub any_number: bool,
}

/// The same where all that matters is who can act: every thread stays, and values are chosen at
/// once. Nothing is asked about single states.
pub fn open_with_all_threads(args: &InputArgs, output: &mut Output) -> Result<Opened, Failure> {
    with_all_threads(load(&args.file, &args.options, output)?, &args.options)
}

/// The same with an input that was read already.
pub fn with_all_threads(input: Input, options: &InputOptions) -> Result<Opened, Failure> {
    let opened = system_of(input, options, Form::AllThreads, false)?;
    Ok(Opened { properties: Vec::new(), ..opened })
}

/// The form of a system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As it is written.
    Plain,
    /// Threads may be dropped when they are started.
    DropsThreads,
    /// As it is written, and values are chosen at once.
    AllThreads,
}

/// Reads and checks a file; prints the warnings.
pub fn load(path: &Path, options: &InputOptions, output: &mut Output) -> Result<Input, Failure> {
    output.file = Some(show_path(path));
    refuse_repeated("--threads", options.threads.iter().map(|(name, _)| name))?;
    refuse_repeated("--const", options.consts.iter().map(|(name, _)| name))?;
    let load_options = LoadOptions {
        init: options.init.clone(),
        target: options.target.clone(),
        threads: options.threads.iter().cloned().collect(),
        check: CheckOptions { consts: options.consts.iter().cloned().collect() },
    };
    let input = selvedge_frontend::load(path, &load_options)?;
    refuse_what_does_not_apply(&input, options)?;
    if let Input::Program { warnings, .. } = &input {
        output.warn(warnings);
    }
    output.detail(&format!("{}: {}", show_path(path), summary(&input)));
    Ok(input)
}

/// The system of an input.
pub fn system(input: Input, options: &InputOptions) -> Result<Opened, Failure> {
    system_of(input, options, Form::Plain, false)
}

fn system_of(
    input: Input,
    options: &InputOptions,
    form: Form,
    any_number: bool,
) -> Result<Opened, Failure> {
    match input {
        Input::Program { program, source, target, .. } => {
            let counts = thread_counts(&program, options)?;
            let unbounded = unbounded(&program);
            let make = if any_number { Lowering::for_any_number } else { Lowering::new };
            let lowering = lower(make, program, Arc::clone(&source), &counts)?;
            let system = Arc::new(match form {
                Form::Plain => lowering,
                Form::DropsThreads => lowering.dropping_threads(),
                Form::AllThreads => lowering.choosing_at_once(),
            });
            enough_threads(target.as_ref(), &*system)?;
            let properties = vec![target.unwrap_or(Property::NeverWrong)];
            let program = Some(Arc::clone(&system));
            Ok(Opened { system, program, properties, source, unbounded })
        }
        Input::Tables { input, source } => {
            let tables = match form {
                Form::DropsThreads => input.tables.dropping_threads(),
                Form::Plain | Form::AllThreads => input.tables,
            };
            let system = Arc::new(tables);
            let properties = input.targets;
            Ok(Opened { system, program: None, properties, source, unbounded: None })
        }
    }
}

/// A target that asks for more threads than there are is never reached, and that is no reason to
/// say *safe*.
fn enough_threads(target: Option<&Property>, system: &dyn System) -> Result<(), Failure> {
    let Some(Property::Unreachable(pattern)) = target else { return Ok(()) };
    let templates: Vec<_> = system.threads().iter().map(|thread| thread.template).collect();
    if !system.any_number().is_empty() || system.starts_threads() || pattern.has_enough(&templates)
    {
        return Ok(());
    }
    let names: Vec<_> = system.threads().iter().map(|thread| thread.name.as_str()).collect();
    Err(Failure::usage(format!(
        "--target asks for more threads at the same time than there are: {}; change the target, or \
         the number of threads with --threads",
        names.join(", ")
    )))
}

/// The first variable without a range.
pub fn unbounded(program: &Program) -> Option<String> {
    let locals = program.procs.iter().flat_map(|proc| &proc.locals);
    let mut variables = program.globals.iter().chain(locals);
    variables.find(|v| *v.ty.scalar() == Type::Int).map(|v| v.name.clone())
}

/// A program, prepared to be run with as many threads as the options say.
pub fn lowering(
    program: Arc<Program>,
    source: Arc<Source>,
    options: &InputOptions,
) -> Result<Lowering, Failure> {
    let counts = thread_counts(&program, options)?;
    lower(Lowering::new, program, source, &counts)
}

/// Makes a system of a program.
type Make = fn(Arc<Program>, Arc<Source>, &ThreadCounts) -> Result<Lowering, LowerError>;

/// The system of a program. What cannot be lowered is shown like any other mistake in the text.
fn lower(
    make: Make,
    program: Arc<Program>,
    source: Arc<Source>,
    counts: &ThreadCounts,
) -> Result<Lowering, Failure> {
    match make(program, Arc::clone(&source), counts) {
        Ok(lowering) => Ok(lowering),
        Err(LowerError::At { message, span }) => {
            let diagnostic = Diagnostic::error(span, message);
            let diagnostics = Diagnostics::new(Source::clone(&source), vec![diagnostic]);
            Err(Failure::Diagnostics(diagnostics))
        }
        Err(error) => Err(Failure::input(format!("{}: {error}", source.name()))),
    }
}

/// Two values for one name are a mistake, and it is not known which of them.
fn refuse_repeated<'a>(
    option: &str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Failure::usage(format!("{option} {name}: this is given twice")));
        }
    }
    Ok(())
}

/// An option that says something about another kind of input is a mistake.
fn refuse_what_does_not_apply(input: &Input, options: &InputOptions) -> Result<(), Failure> {
    let (kind, given) = match input {
        Input::Program { .. } => ("programs", vec![("--init", options.init.is_some())]),
        Input::Tables { .. } => ("tables", vec![("--const", !options.consts.is_empty())]),
    };
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!("{option} does not apply to {kind}"))),
        None => Ok(()),
    }
}

/// The numbers of threads that the options give, of threads that exist.
pub fn thread_counts(program: &Program, options: &InputOptions) -> Result<ThreadCounts, Failure> {
    let known: Vec<&str> = program.threads.iter().map(|t| t.name.as_str()).collect();
    for (name, _) in &options.threads {
        if !known.contains(&name.as_str()) {
            let unknown = suggest::unknown("thread", name, &known);
            return Err(Failure::usage(format!("--threads {name}: {unknown}")));
        }
    }
    Ok(options.threads.iter().cloned().collect())
}

/// What an input has, in words.
pub fn summary(input: &Input) -> String {
    let counted = |counts: &[(usize, &str)]| {
        let shown: Vec<_> = counts.iter().map(|(n, what)| text::count(*n, what)).collect();
        shown.join(", ")
    };
    match input {
        Input::Program { program, .. } => counted(&[
            (program.globals.len(), "shared variable"),
            (program.procs.len(), "procedure"),
            (program.threads.len(), "thread declaration"),
        ]),
        Input::Tables { input, .. } => {
            let tables = &input.tables;
            let rules = (0..tables.template_count()).map(|t| tables.rules(t.into()).len()).sum();
            counted(&[
                (tables.shared_count(), "shared state"),
                (tables.threads().len(), "thread"),
                (rules, "rule"),
                (input.targets.len(), "target"),
            ])
        }
    }
}
