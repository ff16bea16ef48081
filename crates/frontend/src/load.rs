//! # Loading files
//! The only place of this crate that reads files. The ending of the name tells the language.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs};

use selvedge_model::{Budget, Patience, Property, Stop};
use selvedge_program::{Program, Source, ThreadCounts};

use crate::c::lower::Limit;
use crate::check::{self, CheckOptions, Definition, Names, check_with_names, check_within};
use crate::tables::{Beside, Format, TableInput};
use crate::{Diagnostic, Diagnostics, bp, c, syntax, tables, weave};

/// An input that can be verified.
#[derive(Clone, Debug)]
pub enum Input {
    /// A program.
    Program {
        /// The program.
        program: Arc<Program>,
        /// Its text.
        source: Arc<Source>,
        /// Warnings about the text.
        warnings: Diagnostics,
        /// The target that must not be reached (`--target`); it replaces the assertions.
        target: Option<Property>,
        /// What the program leaves out or assumes; for programs in C only.
        beyond: Arc<Beyond>,
    },
    /// A table.
    Tables {
        /// The system and its targets.
        input: TableInput,
        /// Its text.
        source: Arc<Source>,
    },
}

/// What a program leaves out of the meaning of its text, and what it assumes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Beyond {
    /// Places that fail because no run is followed further: a run that ends there is no violation.
    pub limits: Vec<Limit>,
    /// Assumptions that every answer depends on.
    pub assumptions: Vec<String>,
    /// Places where the program does more than the text: a violation is one only if it is found where runs end at limits.
    pub approximations: Vec<Limit>,
    /// Where that is so, with no more threads than this.
    pub most_threads: Option<u32>,
    /// The number of threads started in loops for which any number stands, altogether.
    pub many_threads: Option<u32>,
    /// Whether the text is C.
    pub is_c: bool,
    /// Whether threads wait for conditions of C, which may wake them although nobody called.
    pub waits: bool,
    /// Whether nothing but data races of C is asked about, and the text shows that there are none, whatever runs do.
    pub is_quiet: bool,
}

/// Options for loading an input.
#[derive(Clone, Default)]
pub struct LoadOptions {
    /// The initial state of a `.pds` (`--init`), in the place of the `.init` file.
    pub init: Option<String>,
    /// The target (`--target`), in the place of what the files say.
    pub target: Option<String>,
    /// Numbers of threads in the place of those of a table (`--threads NAME=N`). Those of a
    /// program are set when it is lowered.
    pub threads: ThreadCounts,
    /// Options for checking programs.
    pub check: CheckOptions,
    /// Settings for programs in C.
    pub c: c::Settings,
    /// Limits on the time and memory of the preparation.
    pub budget: Budget,
}

/// Why an input cannot be used.
#[derive(Debug)]
pub enum LoadError {
    /// A file cannot be read.
    Unreadable {
        /// The path of the file.
        path: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// A file is wrong, or the text of an option, which then is the name of the source.
    Invalid(Diagnostics),
    /// An option does not go with the file.
    Option(String),
    /// The input is wrong as a whole, not at a place.
    Unusable(String),
    /// The budget ended before the text did.
    Stopped(Stop),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Unreadable { path, reason } => write!(f, "cannot read {path}: {reason}"),
            LoadError::Invalid(diagnostics) => diagnostics.fmt(f),
            LoadError::Option(message) | LoadError::Unusable(message) => f.write_str(message),
            LoadError::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<Stop> for LoadError {
    fn from(stop: Stop) -> Self {
        LoadError::Stopped(stop)
    }
}

/// Files above this size are refused: positions are kept in 32 bits.
const LARGEST_FILE: u64 = 1 << 31;

/// Reads a file and what belongs to it.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Input, LoadError> {
    // The kind of file is only worth a complaint if there is a file.
    let source = read_text(path)?;
    read(path, source, options, &|ending| {
        let file = path.with_extension(ending);
        // A file that is there and cannot be read is a reason to stop, not to go on without it.
        let is_there = file.symlink_metadata().is_ok();
        is_there.then(|| read_text(&file)).transpose()
    })
}

/// Reads a text that need not be in a file; nothing is beside it. The ending of the name tells the language.
pub fn parse(path: &Path, text: String, options: &LoadOptions) -> Result<Input, LoadError> {
    if text.len() as u64 > LARGEST_FILE {
        let reason = "the text is larger than 2 GiB".to_owned();
        return Err(LoadError::Unreadable { path: show_path(path), reason });
    }
    read(path, Source::new(show_path(path), text), options, &|_| Ok(None))
}

/// Finds the text of a file beside another one, by its ending.
type FindBeside<'a> = &'a dyn Fn(&str) -> Result<Option<Source>, LoadError>;

fn read(
    path: &Path,
    source: Source,
    options: &LoadOptions,
    beside: FindBeside<'_>,
) -> Result<Input, LoadError> {
    match kind(path) {
        Some(Kind::Program(parse)) => program(source, options, parse),
        Some(Kind::C { preprocessed }) => {
            let source = match preprocessed || !needs_preprocessing(source.text()) {
                true => source,
                false => {
                    let made = c::preprocess::preprocess(path, &source, &options.c);
                    made.map_err(|why| LoadError::Unusable(format!("{}: {why}", source.name())))?
                }
            };
            c_program(source, options)
        }
        Some(Kind::Table(format)) => table(source, options, format, beside),
        None if is_cpp(path) => Err(LoadError::Unusable(format!(
            "{}: C++ is not read, only C: if the program is C as well, call it {}",
            show_path(path),
            show_path(&path.with_extension("c"))
        ))),
        None if let Some(language) = other_language(path) => Err(LoadError::Unusable(format!(
            "{}: Selvedge does not read {language}; it reads programs in .weave, .c, .i and .bp, and tables in .cpds, .pds and .tts: write \
             what the threads share, and what they do with it, as a .weave program",
            show_path(path)
        ))),
        None => Err(LoadError::Unusable(format!(
            "{}: unknown kind of file; known endings are .weave, .bp, .c, .i, .cpds, .pds and .tts: if this is a \
             program, call it {}",
            show_path(path),
            show_path(&path.with_extension("weave"))
        ))),
    }
}

/// Whether the ending of a name is one of C++.
fn is_cpp(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("cpp" | "cc" | "cxx" | "c++" | "C" | "hpp" | "ii"))
}

/// A language that is not read, by the ending of its files.
fn other_language(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()? {
        "ada" | "adb" | "ads" => "Ada",
        "als" => "Alloy",
        "cs" => "C#",
        "dfy" => "Dafny",
        "erl" => "Erlang",
        "ex" | "exs" => "Elixir",
        "go" => "Go",
        "hs" => "Haskell",
        "java" => "Java",
        "js" | "mjs" => "JavaScript",
        "kt" | "kts" => "Kotlin",
        "lean" => "Lean",
        "ml" | "mli" => "OCaml",
        "p" => "P",
        "pml" | "prom" | "promela" | "spin" => "Promela",
        "py" => "Python",
        "rb" => "Ruby",
        "rs" => "Rust",
        "scala" => "Scala",
        "smv" => "SMV",
        "swift" => "Swift",
        "tla" => "TLA+",
        "ts" => "TypeScript",
        "xml" | "xta" => "Uppaal",
        "zig" => "Zig",
        _ => return None,
    })
}

/// The kind of a file, by the ending of its name.
enum Kind {
    Program(Parser),
    C { preprocessed: bool },
    Table(Format),
}

type Parser = fn(&Source, &Patience) -> (syntax::File, Vec<Diagnostic>);

fn kind(path: &Path) -> Option<Kind> {
    match path.extension()?.to_str()? {
        "weave" => Some(Kind::Program(weave::parse_within)),
        "bp" => Some(Kind::Program(bp::parse_within)),
        "c" => Some(Kind::C { preprocessed: false }),
        "i" => Some(Kind::C { preprocessed: true }),
        "pds" => Some(Kind::Table(Format::Pds)),
        "cpds" => Some(Kind::Table(Format::Cpds)),
        "tts" => Some(Kind::Table(Format::Tts)),
        _ => None,
    }
}

/// A program that is being written: what can be said about it so far.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The text.
    pub source: Arc<Source>,
    /// The program, if nothing is wrong.
    pub program: Option<Arc<Program>>,
    /// Mistakes and warnings.
    pub diagnostics: Diagnostics,
    /// The declarations and the meaning of each name, as far as the text can be read.
    pub names: Names,
}

/// Looks at a text that need not be in a file. The ending of the name tells the language; nothing if it is
/// not that of a program.
#[must_use]
pub fn draft(path: &Path, text: String) -> Option<Draft> {
    let Some(Kind::Program(parse)) = kind(path) else { return None };
    let source = Source::new(show_path(path), text);
    let (file, mut diagnostics) = parse(&source, &Patience::default());
    let checked = check_with_names(&file, &CheckOptions::default());
    let mut program = None;
    // Text that could not be read leads to false mistakes: mistakes of the checker count only without it.
    if diagnostics.is_empty() {
        diagnostics = checked.problems;
        program = checked.program.map(Arc::new);
    }
    let diagnostics = Diagnostics::new(source.clone(), diagnostics);
    Some(Draft { source: Arc::new(source), program, diagnostics, names: checked.names })
}

/// Looks at a text in C that is being written: it was preprocessed, or needs no preprocessor ([`needs_preprocessing`]). Mistakes and names stand where they are in the text as
/// it is written; of the names there are the functions that are reached.
#[must_use]
pub fn draft_c(source: Source) -> Draft {
    let (lowered, mut problems) = c::read(&source, &c::Settings::default());
    if !source.is_made() && !problems.is_empty() {
        c::Lines::new(source.name(), source.text()).tell(&mut problems, source.text());
    }
    for problem in &mut problems {
        for label in std::iter::once(&mut problem.label).chain(&mut problem.related) {
            label.span = source.written_span(label.span);
        }
    }
    let program = lowered.map(|lowered| Arc::new(lowered.program));
    let names = program.as_ref().map_or_else(Names::default, |program| functions(program, &source));
    let written = Source::new(source.name(), source.written());
    let diagnostics = Diagnostics::new(written, problems);
    Draft { source: Arc::new(source), program, diagnostics, names }
}

/// The functions of a program in C that stand in its own text, each once.
fn functions(program: &Program, source: &Source) -> Names {
    let mut definitions: Vec<Definition> = Vec::new();
    for procedure in &program.procs {
        let name = procedure.name.trim_end_matches('\'').to_owned();
        let span = source.written_span(procedure.span);
        let line = source.line_text(source.line(procedure.span.start));
        if definitions.iter().any(|known| known.name == name) || !line.contains(&name) {
            continue;
        }
        let text = line.trim().trim_end_matches('{').trim_end().to_owned();
        let kind = check::Kind::Procedure;
        definitions.push(Definition {
            name,
            kind,
            span,
            whole: span,
            inside: None,
            text,
            of: None,
        });
    }
    definitions.sort_by_key(|found| found.span);
    Names { definitions, uses: Vec::new() }
}

/// Whether the name of a file has an ending that [`load`] knows.
#[must_use]
pub fn has_known_ending(path: &Path) -> bool {
    kind(path).is_some()
}

/// The files that [`load`] reads: this one, and those that belong beside it, if they are there.
#[must_use]
pub fn files(path: &Path) -> Vec<PathBuf> {
    let (init, target) = match kind(path) {
        Some(Kind::Table(format)) => format.beside(),
        _ => (None, None),
    };
    let beside = [init, target].into_iter().flatten().map(|ending| path.with_extension(ending));
    std::iter::once(path.to_owned()).chain(beside).collect()
}

/// The files that the preprocessor put a text together from: its own and its headers, but not those of the system.
#[must_use]
pub fn included(source: &Source) -> Vec<PathBuf> {
    match source.is_made() {
        true => c::Lines::new(source.name(), source.text())
            .files()
            .into_iter()
            .map(PathBuf::from)
            .collect(),
        false => Vec::new(),
    }
}

fn program(source: Source, options: &LoadOptions, parse: Parser) -> Result<Input, LoadError> {
    let patience = Patience::new(&options.budget);
    let (file, mut diagnostics) = parse(&source, &patience);
    patience.end()?;
    let program = if diagnostics.is_empty() {
        know_constants(&file, options)?;
        let (program, more) = check_within(&file, &options.check, &patience);
        patience.end()?;
        diagnostics.extend(more);
        program
    } else {
        None
    };
    let warnings = Diagnostics::new(source.clone(), diagnostics);
    match program {
        Some(program) if !warnings.has_errors() => {
            let target = options.target.as_deref();
            let target = target.map(|text| crate::target::target(text, &program, &warnings.source));
            let target = target.transpose().map_err(LoadError::Invalid)?;
            let (program, source) = (Arc::new(program), Arc::new(source));
            Ok(Input::Program { program, source, warnings, target, beyond: Arc::default() })
        }
        _ => Err(LoadError::Invalid(warnings)),
    }
}

/// Reads a text in C again that was read before, with other options.
pub fn reread(source: &Source, options: &LoadOptions) -> Result<Input, LoadError> {
    c_program(source.clone(), options)
}

/// Whether a text in C has directives that only a preprocessor understands.
#[must_use]
pub fn needs_preprocessing(text: &str) -> bool {
    let is_marker = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let directives = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    directives.into_iter().any(|rest| !is_marker(rest) && !rest.trim_start().starts_with("pragma"))
        || text.contains("__FILE__")
}

fn c_program(source: Source, options: &LoadOptions) -> Result<Input, LoadError> {
    let patience = Patience::new(&options.budget);
    let (lowered, mut problems) = c::read(&source, &options.c);
    patience.end()?;
    if !source.is_made() && !problems.is_empty() {
        c::Lines::new(source.name(), source.text()).tell(&mut problems, source.text());
    }
    let warnings = Diagnostics::new(source.clone(), problems);
    let Some(lowered) = lowered else { return Err(LoadError::Invalid(warnings)) };
    let program = lowered.program;
    let target = options.target.as_deref();
    let target = target.map(|text| crate::target::target(text, &program, &warnings.source));
    let target = target.transpose().map_err(LoadError::Invalid)?;
    let unchecked = options.c.unchecked.iter().cloned();
    let assumptions = lowered.assumptions.into_iter().chain(unchecked).collect();
    let beyond = Arc::new(Beyond {
        limits: lowered.limits,
        assumptions,
        approximations: lowered.approximations,
        most_threads: lowered.most_threads,
        many_threads: lowered.many_threads,
        is_c: true,
        waits: lowered.waits,
        is_quiet: lowered.is_quiet,
    });
    Ok(Input::Program {
        program: Arc::new(program),
        source: Arc::new(source),
        warnings,
        target,
        beyond,
    })
}

/// Whether the file declares the constants that are to have other values.
fn know_constants(file: &syntax::File, options: &LoadOptions) -> Result<(), LoadError> {
    let declared: Vec<&str> = (file.items.iter())
        .filter_map(|item| match item {
            syntax::Item::Const(decl) => Some(decl.name.text.as_str()),
            _ => None,
        })
        .collect();
    let known = |name: &&String| declared.contains(&name.as_str());
    let Some(name) = options.check.consts.keys().find(|name| !known(name)) else { return Ok(()) };
    let there = match declared.as_slice() {
        [] => "the file declares none".to_owned(),
        [first @ .., last] if !first.is_empty() => {
            format!("the file declares {} and {last}", first.join(", "))
        }
        list => format!("the file declares {}", list.concat()),
    };
    Err(LoadError::Option(format!("--const {name}: there is no constant `{name}`; {there}")))
}

fn table(
    source: Source,
    options: &LoadOptions,
    format: Format,
    find: FindBeside<'_>,
) -> Result<Input, LoadError> {
    // What an option says, or else what the file says.
    let said = |ending: Option<&str>, option, value: &Option<String>| match (value, ending) {
        (Some(text), _) => Ok(Some(Source::new(option, text.clone()))),
        (None, Some(ending)) => find(ending),
        (None, None) => Ok(None),
    };
    let (init, target) = format.beside();
    let beside = Beside {
        init: said(init, "--init", &options.init)?,
        target: said(target, "--target", &options.target)?,
        threads: options.threads.clone(),
    };
    let input = tables::read_within(format, &source, &beside, &options.budget)?;
    Ok(Input::Tables { input, source: Arc::new(source) })
}

/// Reads a text file; everything that can go wrong has a message of its own. Pipes and devices are
/// refused: they may have no end, or keep one waiting for ever.
pub fn read_text(path: &Path) -> Result<Source, LoadError> {
    let name = show_path(path);
    let unreadable =
        |reason: &str| LoadError::Unreadable { path: name.clone(), reason: reason.to_owned() };
    let reason = |e: io::Error| unreadable(&explain(&e));
    let metadata = fs::metadata(path).map_err(|e| match path.to_str() {
        Some("-") => unreadable(
            "standard input has no ending that tells its kind; write the text to a file first",
        ),
        _ => reason(e),
    })?;
    if metadata.is_dir() {
        return Err(unreadable("this is a directory, not a file"));
    }
    if !metadata.is_file() {
        return Err(unreadable(
            "this is a pipe or a device; write the text to a file first, and give that one",
        ));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(unreadable("the file is larger than 2 GiB"));
    }
    let mut bytes = Vec::new();
    // Some files say that they are empty and have no end; others grow while they are read.
    let file = fs::File::open(path).map_err(reason)?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(reason)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(unreadable("the file is larger than 2 GiB"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let valid = String::from_utf8_lossy(&e.as_bytes()[..at]).into_owned();
            let place = Source::new(name.clone(), valid).line_column(at as u32);
            Err(LoadError::Unusable(format!(
                "{name}:{}:{}: byte 0x{:02x} is not UTF-8 text; save the file as UTF-8",
                place.line,
                place.column,
                e.as_bytes()[at]
            )))
        }
    }
}

/// The name of a file for people. Control characters are written out: a line end would break a
/// message apart, an escape sequence would do worse.
#[must_use]
pub fn show_path(path: &Path) -> String {
    let shown = |c: char| {
        if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
    };
    path.to_string_lossy().chars().map(shown).collect()
}

/// Why a file cannot be read or written, without the numbers of the operating system where there
/// are words.
#[must_use]
pub fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "this is a directory, not a file".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "nothing can be written there".to_owned(),
        io::ErrorKind::InvalidFilename => "the name is too long or not a name".to_owned(),
        io::ErrorKind::StorageFull => "no space is left there".to_owned(),
        io::ErrorKind::OutOfMemory => "there is not enough memory".to_owned(),
        _ if error.raw_os_error() == Some(40) => "the links lead in a circle".to_owned(),
        // The words of the operating system, without its number.
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
    }
}
