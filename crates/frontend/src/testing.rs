//! # What holds for every text
//! No parser panics; what is wrong, and what is declared, has a place inside of the text; what is accepted can be
//! lowered or is refused with a reason, and can be printed and read again as the same.
//!
//! Each function takes any text and panics if one of these is not so. The fuzz targets and the
//! mutation tests call them, so that both look for the same.

use std::sync::Arc;

use selvedge_model::{System, step};
use selvedge_program::{Lowering, Program, Source, ThreadCounts, print};

use crate::check::{CheckOptions, Checked, Names, check_with_names};
use crate::tables::{Beside, Format, TableInput, print as print_tables, read, to_program};
use crate::{Diagnostic, Diagnostics, LoadError, bp, c, syntax, weave};

type Parser = fn(&Source) -> (syntax::File, Vec<Diagnostic>);

/// How many steps of an accepted system are taken.
const STEPS: usize = 4;

/// Reads a text as `.weave`.
pub fn survive_weave(text: &str) {
    let source = Source::new("any.weave", text);
    let Ok(program) = program(&source, weave::parse) else { return };
    let printed = print::weave(&program);
    let again = again(&printed, weave::parse);
    assert_eq!(print::weave(&again), printed, "printed differently again");
    let laid_out = weave::layout(text).expect("what is accepted consists of tokens");
    assert_eq!(weave::layout(&laid_out).as_deref(), Some(&*laid_out), "laid out differently again");
    assert_eq!(print::weave(&self::again(&laid_out, weave::parse)), printed, "another program");
    if let Ok(boolean) = print::bp(&program) {
        self::again(&boolean, bp::parse);
    }
    lower(program, source);
}

/// Reads a text as `.bp`.
pub fn survive_bp(text: &str) {
    let source = Source::new("any.bp", text);
    let Ok(program) = program(&source, bp::parse) else { return };
    if let Ok(printed) = print::bp(&program) {
        let again = again(&printed, bp::parse);
        let twice = print::bp(&again).unwrap_or_else(|e| panic!("{printed}\nis refused: {e}"));
        assert_eq!(twice, printed, "printed differently again");
    }
    again(&print::weave(&program), weave::parse);
    lower(program, source);
}

/// Reads a text as a table with what stands beside it. The first character tells the format (`p`,
/// `c` or `t`); a line `---` comes before the initial state, and another one before the targets.
pub fn survive_tables(text: &str) {
    let format = match text.as_bytes().first() {
        Some(b'p') => Format::Pds,
        Some(b'c') => Format::Cpds,
        Some(b't') => Format::Tts,
        _ => return,
    };
    let mut parts = text[1..].split("\n---\n").map(|part| Source::new("any", part));
    let source = parts.next().unwrap_or_default();
    let beside = Beside { init: parts.next(), target: parts.next(), threads: ThreadCounts::new() };
    let TableInput { tables, targets } = match read(format, &source, &beside) {
        Ok(input) => input,
        Err(LoadError::Invalid(diagnostics)) => return look_at(&diagnostics),
        Err(_) => return,
    };
    if tables.shared_count() > 100_000 || tables.threads().len() > 100 {
        return;
    }
    let refused = |e| panic!("{text}\nis printed as something that is refused:\n{e}");
    if let Ok(cpds) = print_tables::cpds(&tables, &targets) {
        let printed = Source::new("printed.cpds", cpds.as_str());
        let again = read(Format::Cpds, &printed, &Beside::default()).unwrap_or_else(refused);
        let twice = print_tables::cpds(&again.tables, &again.targets);
        assert_eq!(twice.as_ref(), Ok(&cpds), "printed differently again");
    }
    if let Ok(files) = print_tables::pds(&tables, &targets) {
        let beside = Beside {
            init: Some(Source::new("printed.init", files.init)),
            target: files.spec.map(|spec| Source::new("printed.spec", spec)),
            threads: ThreadCounts::new(),
        };
        read(Format::Pds, &Source::new("printed.pds", files.pds), &beside).unwrap_or_else(refused);
    }
    if let Ok(files) = print_tables::tts(&tables, &targets) {
        let target = files.prop.map(|prop| Source::new("printed.prop", prop));
        let beside = Beside { target, ..Beside::default() };
        read(Format::Tts, &Source::new("printed.tts", files.tts), &beside).unwrap_or_else(refused);
    }
    if let Ok(program) = to_program(&tables, &targets) {
        again(&print::weave(&program), weave::parse);
    }
    walk(&tables);
}

/// Reads a text as preprocessed C.
pub fn survive_c(text: &str) {
    let (unit, list) = c::parse(text);
    let lines = c::Lines::new("any.c", text);
    let found = Diagnostics::new(Source::new("any.c", text), list);
    look_at(&found);
    for diagnostic in &found.list {
        let (file, _) = lines.place(diagnostic.label.span.start);
        assert!(*file == *"any.c" || text.contains('#'), "a file that no marker names: {file}");
    }
    // The shown tree has all its places.
    let shown = format!("{unit:?}");
    for place in shown.split("Span { start: ").skip(1) {
        let mut numbers = place.split(|c: char| !c.is_ascii_digit()).filter(|n| !n.is_empty());
        let mut number = || numbers.next().and_then(|n| n.parse::<usize>().ok());
        let (start, end) = (number().unwrap_or(usize::MAX), number().unwrap_or(usize::MAX));
        assert!(text.get(start..end).is_some(), "{start} to {end} is not in the text");
    }
}

/// Reads a text as preprocessed C, and makes programs of it: for assertions and memory, and for everything else.
pub fn survive_c_whole(text: &str) {
    let source = Source::new("any.i", text);
    let more = c::lower::Options {
        overflow: true,
        races: true,
        counts_sleepers: true,
        ..c::lower::Options::default()
    };
    for options in [c::lower::Options::default(), more] {
        let settings = c::Settings { options, ..c::Settings::default() };
        let (lowered, mut problems) = c::read(&source, &settings);
        c::Lines::new("any.i", text).tell(&mut problems, text);
        let found = Diagnostics::new(source.clone(), problems);
        look_at(&found);
        assert_eq!(lowered.is_none(), found.has_errors(), "a program exactly if there is no error");
    }
}

/// Reads and checks a program. What is wrong with it is looked at, too.
fn program(source: &Source, parse: Parser) -> Result<Program, Diagnostics> {
    let (file, mut list) = parse(source);
    let parsed = list.is_empty();
    let Checked { program, problems, names } = check_with_names(&file, &CheckOptions::default());
    look_at_names(source, &names);
    list.extend(problems);
    let found = Diagnostics::new(source.clone(), list);
    look_at(&found);
    if parsed {
        assert_eq!(program.is_none(), found.has_errors(), "a program exactly if there is no error");
    }
    match program {
        Some(program) if !found.has_errors() => Ok(program),
        _ => Err(found),
    }
}

/// The program of a text that was printed.
fn again(text: &str, parse: Parser) -> Program {
    program(&Source::new("printed", text), parse)
        .unwrap_or_else(|e| panic!("{text}\nwas printed and is refused:\n{e}"))
}

/// Mistakes have their places in the text and can be shown.
fn look_at(diagnostics: &Diagnostics) {
    let text = diagnostics.source.text();
    for diagnostic in &diagnostics.list {
        for label in diagnostic.related.iter().chain([&diagnostic.label]) {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(start <= end && end <= text.len(), "outside of the text: {diagnostic:?}");
            let boundaries = text.is_char_boundary(start) && text.is_char_boundary(end);
            assert!(boundaries, "inside of a character: {diagnostic:?}");
        }
        assert!(!diagnostic.message.is_empty(), "nothing is said: {diagnostic:?}");
    }
    let shown = diagnostics.render(false);
    assert_eq!(shown.is_empty(), diagnostics.list.is_empty());
}

/// Names stand where they are said to stand, and uses have the name of what they mean.
fn look_at_names(source: &Source, names: &Names) {
    for definition in &names.definitions {
        assert_eq!(source.slice(definition.span), definition.name, "{definition:?}");
        let outer = definition.inside.map(|id| &names.definitions[id]);
        assert!(outer.is_none_or(|outer| outer.inside.is_none()), "two levels: {definition:?}");
        assert!(!definition.text.is_empty() && definition.whole.start <= definition.whole.end);
    }
    for (span, id) in &names.uses {
        let meant = &names.definitions[*id];
        assert_eq!(source.slice(*span), meant.name, "at {span:?}: {meant:?}");
        assert!(names.at(span.start).is_some(), "a use is found");
    }
}

/// Lowers a program and takes a few steps, if it is small.
fn lower(program: Program, source: Source) {
    let slots = |variables: &[selvedge_program::Variable]| -> usize {
        variables.iter().map(|v| v.ty.slots()).sum()
    };
    let size =
        slots(&program.globals) + program.procs.iter().map(|p| slots(&p.locals)).sum::<usize>();
    let counts = program.threads.iter().map(|t| (t.name.clone(), 2)).collect();
    if let Ok(lowering) = Lowering::new(Arc::new(program), Arc::new(source), &counts)
        && size < 100
    {
        walk(&lowering);
    }
}

/// Takes the first steps of a system, always the last one that is listed.
fn walk(system: &dyn System) {
    let Ok(Some(mut state)) = system.initial().map(|mut states| states.pop()) else { return };
    for turn in 0..STEPS {
        let thread = turn % state.threads.len().max(1);
        let Some(id) = state.thread_ids().nth(thread) else { return };
        let Ok(steps) = step(system, &state, id) else { return };
        let Some((action, next)) = steps.into_iter().next_back() else { continue };
        let _ = (system.describe().explain(action.origin), system.wrong(next.shared));
        let _ = system.describe().show_shared(next.shared);
        state = next;
    }
}
