//! `selvedge bench`: the questions of a list, asked of every column, one process a run.

mod growth;
mod measure;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args as ClapArgs;
use selvedge_frontend::show_path;
use selvedge_report::bench::compare::compare;
use selvedge_report::bench::{Measured, csv, markdown, plots};
use selvedge_report::plot::svg;
use selvedge_report::style::Role;
use selvedge_report::text::count;

use self::growth::Growth;
use self::measure::{Column, measure};
use selvedge::{EngineName, Failure};

use super::adapter::Adapter;
use super::manifest::Manifest;
use crate::args::{Format, number};
use crate::commands::engine::engine;
use crate::exit::Exit;
use crate::output::Output;
use crate::save::save;
use selvedge_check::command::Interrupt;
use selvedge_check::command::limits;

/// What is measured, and how.
#[derive(ClapArgs, Debug)]
pub struct SuiteArgs {
    /// The questions, a line each: file, and with tabs between them options, expected verdict, bound
    /// and how it is run; or tasks in C, with a column for each property [default: examples/expected.tsv]
    manifest: Option<PathBuf>,
    /// An engine of `verify`, as a column; may be repeated [default: auto]
    #[arg(long, value_parser = engine())]
    engine: Vec<EngineName>,
    /// Another tool, as a column: a text that says how it is called and understood; may be repeated
    #[arg(long, value_name = "PATH")]
    tool: Vec<PathBuf>,
    /// How often each question is asked; one without an answer is not asked again
    #[arg(long, value_name = "N", value_parser = number, default_value = "3")]
    repeat: usize,
    /// How long a run may take: 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time, default_value = "10s")]
    timeout: Duration,
    /// How much memory a run may use: 4GiB, 500MB
    #[arg(long, value_name = "SIZE", value_parser = limits::size, default_value = "2GiB")]
    memory: usize,
    /// Ask the questions that are marked as slow, too
    #[arg(long)]
    all: bool,
    /// Measure growth with the number of instances of a thread: `FILE:NAME=1..4`
    /// [default, for the examples: bluetooth/bluetooth3.weave:adder=1..4]
    #[arg(long, value_name = "FILE:NAME=A..B", value_parser = growth::threads)]
    threads: Option<Growth>,
    /// Measure growth with the number of contexts: `FILE:1..8`
    /// [default, for the examples: bluetooth/bluetooth3.weave:1..14, with two adders and two stoppers]
    #[arg(long, value_name = "FILE:A..B", value_parser = growth::contexts)]
    contexts: Option<Growth>,
    /// The folder for the results; files of the same names there are replaced
    #[arg(short, long, value_name = "FOLDER", default_value = "bench-results")]
    output: PathBuf,
    /// Show what has become worse since an earlier run, whose results.csv this is
    #[arg(long, value_name = "CSV")]
    compare: Option<PathBuf>,
}

pub fn run(args: &SuiteArgs, output: &mut Output) -> Result<Exit, Failure> {
    if output.format == Format::Json {
        return Err(Failure::usage(
            "`selvedge bench` has no --format json: programs read the results.csv that it writes",
        ));
    }
    if args.repeat == 0 {
        return Err(Failure::usage("--repeat 0 measures nothing: write 1 or more"));
    }
    let manifest = Manifest::load(args.manifest.as_deref())?;
    let old = args.compare.as_deref().map(earlier).transpose()?;
    let columns = columns(args)?;
    if args.output.is_file() {
        return Err(Failure::usage(format!(
            "-o {}: this is a file; name a folder, it is made if it is not there",
            show_path(&args.output)
        )));
    }
    let is_default = args.manifest.is_none();
    let growths = growth::questions(args.threads.as_ref(), args.contexts.as_ref(), is_default);
    if let Some(file) = growth::missing(&growths, &manifest.folder) {
        let file = show_path(&manifest.folder.join(file)).to_string();
        return Err(Failure::usage(format!("growth: there is no file {file}")));
    }
    fs::create_dir_all(&args.output).map_err(|why| Failure::unwritable(&args.output, &why))?;
    let interrupt = Interrupt::install(|| {});
    let asked: Vec<_> = manifest.questions.iter().filter(|q| args.all || !q.is_slow).collect();
    let skipped = manifest.questions.len() - asked.len();
    let questions: Vec<_> = asked
        .into_iter()
        .map(|question| (question.clone(), selvedge_report::bench::Part::Suite))
        .chain(growths)
        .collect();
    // Who ends this the hard way finds the rows until then. If they cannot be written, `write` will say so.
    let partial = args.output.join("results.partial.csv");
    let keep = |rows: &[Measured]| drop(save(&[(&partial, &csv::write(rows))]));
    let rows = measure(args, &manifest.folder, &questions, &columns, &interrupt, keep, output)?;
    let pictures = write(args, &rows, skipped, interrupt.is_requested())?;
    let _ = fs::remove_file(&partial);
    Ok(tell(args, &rows, old.as_deref(), pictures, &interrupt, output))
}

/// The rows of an earlier run.
fn earlier(path: &Path) -> Result<Vec<Measured>, Failure> {
    let text = fs::read_to_string(path).map_err(|why| Failure::unreadable(path, &why))?;
    csv::read(&text).map_err(|why| {
        let path = show_path(path);
        Failure::input(format!("{path}: {why}; --compare wants a results.csv of `selvedge bench`"))
    })
}

/// The columns, each with another name.
fn columns(args: &SuiteArgs) -> Result<Vec<Column>, Failure> {
    let mut engines = args.engine.clone();
    if engines.is_empty() {
        engines.push(EngineName::Auto);
    }
    let mut columns = Vec::new();
    for engine in engines {
        columns.push(Column::Engine(engine.name().to_owned()));
    }
    for path in &args.tool {
        columns.push(Column::Tool(Adapter::load(path)?));
    }
    for (place, column) in columns.iter().enumerate() {
        if columns[..place].iter().any(|other| other.name() == column.name()) {
            return Err(Failure::usage(format!(
                "there are two columns with the name `{}`",
                column.name()
            )));
        }
    }
    Ok(columns)
}

/// Writes all files of the results, and says how many pictures there are.
fn write(
    args: &SuiteArgs,
    rows: &[Measured],
    skipped: usize,
    is_interrupted: bool,
) -> Result<usize, Failure> {
    let limit = args.timeout.as_secs_f64();
    let plots = plots::all(rows, limit);
    let mut conditions = vec![
        format!("Selvedge {}, at most {limit} s and {} a run.", env!("CARGO_PKG_VERSION"), {
            selvedge_report::amount::bytes(args.memory as u64)
        }),
        "Time is the median of the runs, with the start of the process; CPU time is counted in hundredths \
         of a second. Memory is the largest of the runs: for engines what Selvedge itself counts, for other tools \
         what the system says of their first process."
            .to_owned(),
    ];
    if skipped > 0 {
        let slow = count(skipped, "slow question");
        conditions.push(format!("Left out: {slow} (--all asks them, too)."));
    }
    if is_interrupted {
        conditions.push("Interrupted: what follows is what was measured until then.".to_owned());
    }
    let titles: Vec<(&str, String)> =
        plots.iter().map(|(name, plot)| (name.as_str(), plot.title.clone())).collect();
    let mut files = vec![
        (args.output.join("results.md"), markdown::write(rows, &conditions, &titles)),
        (args.output.join("results.csv"), csv::write(rows)),
    ];
    files.extend(plots.iter().map(|(name, plot)| (args.output.join(name), svg::write(plot))));
    let files: Vec<(&Path, &str)> =
        files.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
    save(&files)?;
    Ok(plots.len())
}

/// Prints what came of it: what is wrong first.
fn tell(
    args: &SuiteArgs,
    rows: &[Measured],
    old: Option<&[Measured]>,
    pictures: usize,
    interrupt: &Interrupt,
    output: &mut Output,
) -> Exit {
    let paint = output.paint;
    let wrong = markdown::wrong(rows);
    if !wrong.is_empty() {
        output.print(&format!("{}\n", paint.paint(Role::Bad, "wrong answers")));
        output.print(&wrong.iter().map(|line| format!("  {line}\n")).collect::<String>());
    }
    if interrupt.is_requested() {
        output.print("interrupted: this is what was measured until then\n");
    }
    for markdown::Total { engine, asked, answered, wrong, time } in markdown::totals(rows) {
        let open = asked - answered - wrong;
        output.print(&format!(
            "{engine}: {answered} of {} answered in {time:.2} s, {wrong} wrong, {open} without an answer\n",
            count(asked, "question")
        ));
    }
    for markdown::PerProperty { property, engine, right, open, wrong } in
        markdown::per_property(rows)
    {
        output.print(&format!("{engine}, {property}: {right} right, {open} open, {wrong} wrong\n"));
    }
    let mut is_worse = false;
    if let Some(old) = old {
        let comparison = compare(old, rows);
        is_worse = !comparison.worse.is_empty();
        output.print(&comparison.text());
    }
    output.print(&format!(
        "written to {}: results.md, results.csv, {}\n",
        show_path(&args.output),
        count(pictures, "picture")
    ));
    if !wrong.is_empty() {
        Exit::Unsafe
    } else if is_worse {
        Exit::Bounded
    } else if interrupt.is_requested() {
        Exit::Unknown
    } else {
        Exit::Done
    }
}
