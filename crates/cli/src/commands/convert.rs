//! `selvedge convert`: from one format to another.

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use selvedge::{Failure, Subject, WithSlots};
use selvedge_analysis::{TabulateError, Tabulated, tabulate};
use selvedge_evidence::property;
use selvedge_frontend::tables::print::{NotExpressible, PdsFiles, TtsFiles, cpds, pds, tts};
use selvedge_frontend::tables::{TableInput, can_express, to_program};
use selvedge_frontend::{Input, files, show_path};
use selvedge_program::slots::MOST_SLOTS;
use selvedge_program::{Program, print, to_booleans};
use selvedge_report::{dot::dot, flow};

use crate::args::{InputArgs, count, number, started};
use crate::exit::Exit;
use crate::input;
use crate::output::Output;
use crate::save::{is_sink, keep, save};

/// Write a program or a system in another format
///
/// Programs are written as .weave, as .bp if their values have finitely many bits, or as tables if they have finitely
/// many shared states and frames; the picture of a program is its flow graph. Tables are written as
/// tables, or as a program that does the same.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Target,
    /// Write a program in which threads that statements start exist from the beginning and wait: K - 1 of them, as many as
    /// may act in K contexts. It does all that the program does in K contexts
    #[arg(long, value_name = "K", value_parser = contexts, allow_negative_numbers = true)]
    contexts: Option<u32>,
    /// Let at most so many of the threads that statements start act, whatever the number of contexts
    #[arg(long, value_name = "N", value_parser = started, conflicts_with = "contexts", allow_negative_numbers = true)]
    started: Option<u32>,
    /// Write to this file, not to standard output; files that belong to it (.init, .spec, .prop)
    /// are written beside it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The largest number of pairs of a shared state and a frame in the tables of a program
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = number,
          allow_negative_numbers = true)]
    limit: usize,
    /// Leave out the targets of a table that a program cannot express; a comment says which
    #[arg(long)]
    without_targets: bool,
}

/// So many pairs are looked at to see whether a program really starts threads.
const FEW_PAIRS: usize = 10_000;

/// A format to write.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// A program
    Weave,
    /// A Boolean program
    Bp,
    /// Tables with names
    Cpds,
    /// Tables of numbers
    Pds,
    /// A thread transition system
    Tts,
    /// A picture for Graphviz
    Dot,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let subject = input::load(&args.input, output)?;
    if matches!(subject.input(), Some(Input::Program { target: Some(_), .. })) {
        return Err(Failure::usage("--target does not apply where a program is converted"));
    }
    let (subject, read) = with_slots(subject, args)?;
    let counted = subject.counted_program()?;
    let mut written = match (args.to, subject.input(), &counted) {
        (Target::Weave, _, Some(program)) => (beyond(&subject) + &print::weave(program)).into(),
        (Target::Bp, Some(Input::Program { source, .. }), Some(program)) => {
            let text = to_booleans(program).and_then(|p| print::bp(&p)).map_err(|not_boolean| {
                let line = source.line(not_boolean.span.start);
                Failure::input(format!("{}:{line}: {not_boolean}", source.name()))
            })?;
            text.into()
        }
        (Target::Weave | Target::Bp, Some(Input::Tables { input, .. }), _) => {
            let (program, left_out) = program_of(input, args)?;
            let text = match args.to {
                Target::Bp => to_booleans(&program)
                    .and_then(|p| print::bp(&p))
                    .map_err(|why| Failure::input(why.to_string()))?,
                _ => print::weave(&program),
            };
            (left_out + &text).into()
        }
        (target, ..) => match subject.lowering()? {
            Some(program) if target == Target::Dot => flow::dot(&program).into(),
            _ => tables(target, &table_input(subject, args)?)?,
        },
    };
    if let Some(read) = read {
        written.explain(args.to, &read, output);
    }
    match &args.output {
        Some(path) => written.save(path, &files(&args.input.file), output)?,
        None => written.print(output),
    }
    Ok(Exit::Done)
}

/// Says in comments what a program that was made of C cannot say: where it fails since it cannot be followed, and where it does more
/// than the text.
fn beyond(subject: &Subject) -> String {
    let Some(Input::Program { source, beyond, .. }) = subject.input() else { return String::new() };
    let mut text = String::new();
    let mut say = |places: &[selvedge_frontend::c::lower::Limit], what: &str| {
        for place in places {
            let line = source.line(place.span.start);
            text += &format!("// Line {line}: {}; {what}.\n", place.reason);
        }
    };
    say(&beyond.limits, "this cannot be followed, and is an assertion that fails");
    say(&beyond.approximations, "the program does more than the text here");
    if text.is_empty() { text } else { text + "\n" }
}

/// The program with slots for the threads that it starts, where they are wanted or needed, and how they are read.
fn with_slots(subject: Subject, args: &Args) -> Result<(Subject, Option<String>), Failure> {
    let Some(Input::Program { .. }) = subject.input() else {
        return match args.contexts.or(args.started) {
            None => Ok((subject, None)),
            Some(_) => {
                Err(Failure::usage("--contexts and --started are for programs (.weave, .bp)"))
            }
        };
    };
    let made = match (args.contexts, args.started) {
        (Some(contexts), _) => WithSlots::for_contexts(&subject, contexts)?,
        (None, Some(started)) => WithSlots::of(&subject, Some(started), None)?,
        // Tables have the threads that there are at the start; if nobody knows them, that is said there.
        (None, None) if matches!(args.to, Target::Cpds | Target::Pds | Target::Tts) => {
            match WithSlots::of(&subject, None, None)? {
                Some(Ok(made)) => Some(Ok(made)),
                _ => None,
            }
        }
        (None, None) => None,
    };
    match made {
        None => Ok((subject, None)),
        Some(Ok(made)) => Ok((made.subject(&subject), Some(made.slotted.header()))),
        Some(Err(why)) => Err(subject.refusal(why)),
    }
}

/// A number of contexts.
fn contexts(text: &str) -> Result<u32, String> {
    let most = u64::from(MOST_SLOTS) + 1;
    match count(text) {
        Ok(known) if (1..=most).contains(&known) => Ok(u32::try_from(known).unwrap_or(1)),
        _ => Err(format!("write a number of contexts, from 1 to {most}")),
    }
}

/// The program of a table, and comments that say which targets it does not have.
fn program_of(input: &TableInput, args: &Args) -> Result<(Program, String), Failure> {
    let TableInput { tables, targets } = input;
    let name = show_path(&args.input.file);
    let (mut kept, mut left_out) = (Vec::new(), String::new());
    for target in targets {
        let shown = property::one(tables, target);
        match can_express(tables, target) {
            Ok(()) => kept.push(target.clone()),
            Err(why) if args.without_targets => {
                left_out += &format!("// left out: target {shown}: {why}\n");
            }
            Err(why) => {
                return Err(Failure::input(format!(
                    "{name}: target {shown}: {why}; --without-targets leaves it out, and the \
                     program says nothing about it then"
                )));
            }
        }
    }
    let program = to_program(tables, &kept).map_err(|why| {
        Failure::input(format!("{name}: this system cannot be written as a program: {why}"))
    })?;
    if !left_out.is_empty() {
        left_out += "\n";
    }
    Ok((program, left_out))
}

/// The tables of an input.
fn table_input(subject: Subject, args: &Args) -> Result<TableInput, Failure> {
    let opened = subject.system()?;
    if let Some(Input::Tables { input, .. }) = subject.input() {
        return Ok(input.clone());
    }
    let system = opened.system.as_ref();
    // Threads that a program starts are never like the one that starts them. Only a program that
    // does not get there has tables, and that shows soon or not at all.
    let starts = system.starts_threads();
    let limit = if starts { args.limit.min(FEW_PAIRS) } else { args.limit };
    let Tabulated { tables, targets } = tabulate(system, limit).map_err(|why| match why {
        _ if starts => Failure::input(
            "tables cannot express this: the program starts threads, and in tables a thread \
             starts only threads like itself; --started 2 lets at most two of them act, which are there \
             from the beginning",
        ),
        TabulateError::TooLarge(_) => Failure::input(format!("{why}; --limit N allows more")),
        _ => Failure::input(why),
    })?;
    Ok(TableInput { tables, targets })
}

/// Tables in one of their formats.
fn tables(target: Target, input: &TableInput) -> Result<Written, Failure> {
    let TableInput { tables, targets } = input;
    let refused = |why: NotExpressible| match target {
        Target::Pds | Target::Tts => {
            let ending = if matches!(target, Target::Pds) { "pds" } else { "tts" };
            Failure::input(format!(
                "a .{ending} file cannot say this: {why}; write `--to cpds`, which can say more"
            ))
        }
        _ => Failure::input(format!("a .cpds file cannot say this: {why}")),
    };
    match target {
        Target::Pds => {
            let PdsFiles { pds, init, spec } = pds(tables, targets).map_err(refused)?;
            Ok(Written { text: pds, beside: vec![("init", Some(init)), ("spec", spec)] })
        }
        Target::Tts => {
            let TtsFiles { tts, prop } = tts(tables, targets).map_err(refused)?;
            Ok(Written { text: tts, beside: vec![("prop", prop)] })
        }
        Target::Dot => Ok(dot(tables).into()),
        Target::Cpds | Target::Weave | Target::Bp => {
            Ok(cpds(tables, targets).map_err(refused)?.into())
        }
    }
}

/// A text, and the texts of the files that belong beside it, by ending.
struct Written {
    text: String,
    beside: Vec<(&'static str, Option<String>)>,
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        Written { text, beside: Vec::new() }
    }
}

impl Written {
    /// Says how the text is read, at its beginning where the format has comments.
    fn explain(&mut self, target: Target, read: &str, output: &mut Output) {
        match target {
            Target::Weave | Target::Bp => self.text = format!("{read}\n{}", self.text),
            Target::Cpds => {
                let read: String =
                    read.lines().map(|line| format!("{}\n", line.replacen("//", "#", 1))).collect();
                self.text = format!("{read}\n{}", self.text);
            }
            Target::Pds | Target::Tts | Target::Dot => {
                for line in read.lines() {
                    output.note(&format!("note: {}", line.trim_start_matches("// ")));
                }
            }
        }
    }

    fn save(&self, path: &Path, inputs: &[PathBuf], output: &mut Output) -> Result<(), Failure> {
        let names: Vec<PathBuf> =
            self.beside.iter().map(|(ending, _)| path.with_extension(ending)).collect();
        let given = path.extension().and_then(|ending| ending.to_str());
        if let Some((ending, _)) = self.beside.iter().find(|(ending, _)| Some(*ending) == given) {
            let shown = show_path(path);
            return Err(Failure::usage(format!(
                "--output {shown}: a file that ends with .{ending} is written beside it; \
                 give it another ending"
            )));
        }
        if self.beside.iter().any(|(_, text)| text.is_some()) && is_sink(path) {
            return Err(Failure::usage(format!(
                "--output {}: several files are written, each with an ending of its own; name a file",
                show_path(path)
            )));
        }
        let mut files = vec![(path, self.text.as_str())];
        for (name, (_, text)) in names.iter().zip(&self.beside) {
            files.extend(text.as_ref().map(|text| (name.as_path(), text.as_str())));
        }
        for (name, _) in &files {
            keep("--output", name, inputs)?;
        }
        save(&files)?;
        for (name, (_, text)) in names.iter().zip(&self.beside) {
            if text.is_none() && name.exists() {
                output.note(&format!(
                    "note: {} is there already and will be read with {}",
                    show_path(name),
                    show_path(path)
                ));
            }
        }
        Ok(())
    }

    fn print(&self, output: &mut Output) {
        output.print(&self.text);
        for (ending, text) in &self.beside {
            if let Some(text) = text {
                let lines: Vec<_> = text.lines().map(|line| format!("`{line}`")).collect();
                output.note(&format!(
                    "note: the .{ending} that belongs to it is {}; -o writes it too",
                    lines.join(" and ")
                ));
            }
        }
    }
}
