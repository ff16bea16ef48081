//! The loop: every question, every column, as often as is wanted, one after the other.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use selvedge::Failure;
use selvedge_report::bench::{Key, Measured, Part, Run, is_answer, read};

use super::SuiteArgs;
use crate::commands::bench::adapter::Adapter;
use crate::commands::bench::child::{self, Allowed, End, Finished};
use crate::commands::bench::manifest::Question;
use crate::output::Output;
use selvedge_check::command::Interrupt;

/// The engine or tool that a column measures.
pub enum Column {
    /// An engine of Selvedge.
    Engine(String),
    /// Another tool.
    Tool(Adapter),
}

impl Column {
    pub fn name(&self) -> &str {
        match self {
            Column::Engine(name) => name,
            Column::Tool(adapter) => &adapter.name,
        }
    }
}

/// Selvedge ends by itself when its time is over; this much later it is made to.
const PATIENCE: Duration = Duration::from_secs(2);
/// The memory beyond its limit that a process may have: the limit counts only a part of it.
const MORE_MEMORY: u64 = 256 << 20;

/// Asks all questions; fewer if it is interrupted. `keep` sees the rows whenever there is one more.
pub fn measure(
    args: &SuiteArgs,
    folder: &Path,
    questions: &[(Question, Part)],
    columns: &[Column],
    interrupt: &Interrupt,
    keep: impl Fn(&[Measured]),
    output: &mut Output,
) -> Result<Vec<Measured>, Failure> {
    let selvedge = env::current_exe()
        .map_err(|why| Failure::bug(format!("the program does not find itself: {why}")))?;
    let asker = Asker { args, selvedge, interrupt };
    let mut rows = Vec::new();
    for (number, (question, part)) in questions.iter().enumerate() {
        let file = folder.join(&question.file);
        for column in columns {
            let mut runs = Vec::new();
            while runs.len() < args.repeat {
                let Some(run) = asker.ask(&file, question, column) else { break };
                runs.push(run);
                if runs.last().is_some_and(|run| !is_answer(&run.verdict)) {
                    break;
                }
            }
            if runs.is_empty() {
                if interrupt.is_requested() {
                    return Ok(rows);
                }
                continue;
            }
            let key = Key {
                file: question.file.clone(),
                options: question.options.clone(),
                command: question.command.to_owned(),
                engine: column.name().to_owned(),
            };
            let mut row = Measured::new(key, *part, question.expected.clone(), &runs);
            if row.note.is_empty() {
                row.note.clone_from(&question.note);
            }
            rows.push(row);
            keep(&rows);
            let row = &rows[rows.len() - 1];
            output.note(&format!(
                "[{}/{}] {}, {}: {}, {:.2} s",
                number + 1,
                questions.len(),
                row.key.question(),
                column.name(),
                row.verdict,
                row.time
            ));
            if interrupt.is_requested() {
                return Ok(rows);
            }
        }
    }
    Ok(rows)
}

/// Asks questions of engines and tools.
struct Asker<'a> {
    args: &'a SuiteArgs,
    selvedge: PathBuf,
    interrupt: &'a Interrupt,
}

impl Asker<'_> {
    /// Measures one run; `None` if the column does not suit the question, or on an interrupt.
    fn ask(&self, file: &Path, question: &Question, column: &Column) -> Option<Run> {
        let (mut command, allowed) = match column {
            Column::Engine(engine) => self.engine(file, question, engine)?,
            Column::Tool(adapter) => {
                let memory = Some(self.args.memory as u64);
                let allowed = Allowed { time: self.args.timeout, memory };
                (adapter.command(file, question)?, allowed)
            }
        };
        let finished = child::run(&mut command, allowed, self.interrupt);
        let mut run = match (&finished.end, column) {
            (End::Interrupted, _) => return None,
            (End::Timeout, _) => ended("timeout", "stopped when its time was over"),
            (End::Memory, _) => ended("memory", "stopped when it used too much memory"),
            (End::Failed(why), _) => ended("died", &format!("cannot be run: {why}")),
            (End::Exited(_), Column::Engine(_)) => engine_answer(&finished),
            (End::Exited(status), Column::Tool(adapter)) => {
                let all = format!("{}\n{}", finished.stdout, finished.stderr);
                match adapter.verdict(&all, *status) {
                    Some(verdict) => ended(verdict, ""),
                    None if status.code().is_none() => ended("died", &status.to_string()),
                    None => ended("unknown", &format!("{status}: {}", last_line(&all))),
                }
            }
        };
        run.time = finished.time.as_secs_f64();
        run.cpu = finished.cpu;
        run.memory = run.memory.or(finished.memory);
        Some(run)
    }

    /// The command for an engine. What the question says itself counts more than what is measured.
    fn engine(&self, file: &Path, question: &Question, engine: &str) -> Option<(Command, Allowed)> {
        let options: Vec<&str> = question.options.split_whitespace().collect();
        let has = |name: &str| {
            options
                .iter()
                .any(|o| o.strip_prefix(name).is_some_and(|o| o.is_empty() || o.starts_with('=')))
        };
        // `livelock` has engines of its own.
        let is_auto = engine == "auto";
        if !is_auto && (question.command == "livelock" || has("--engine")) {
            return None;
        }
        let mut command = Command::new(&self.selvedge);
        command
            .arg(question.command)
            .arg(file)
            .args(&options)
            .args(["--format", "json", "--quiet"]);
        if !is_auto {
            command.args(["--engine", engine]);
        }
        if !has("--timeout") {
            command.args(["--timeout", &format!("{}ms", self.args.timeout.as_millis())]);
        }
        if !has("--memory") {
            command.args(["--memory", &format!("{}B", self.args.memory)]);
        }
        let memory = (self.args.memory as u64).checked_add(MORE_MEMORY);
        Some((command, Allowed { time: self.args.timeout.saturating_add(PATIENCE), memory }))
    }
}

fn ended(verdict: &str, note: &str) -> Run {
    Run { verdict: verdict.to_owned(), note: note.to_owned(), ..Run::default() }
}

/// Reads the answer of Selvedge. An object with the wrong exit code is no answer.
fn engine_answer(finished: &Finished) -> Run {
    let End::Exited(status) = &finished.end else { return ended("died", "") };
    let died = || ended("died", &format!("{status}: {}", last_line(&finished.stderr)));
    let Some(run) = read(&finished.stdout) else { return died() };
    let is_expected = match (run.verdict.as_str(), status.code()) {
        ("safe", Some(0)) | ("bounded", Some(1)) | ("unsafe", Some(10)) => true,
        ("nonterminating", Some(11)) | ("unknown", Some(20)) => true,
        ("refused", Some(code)) => (20..70).contains(&code),
        _ => false,
    };
    if is_expected { run } else { died() }
}

fn last_line(text: &str) -> &str {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it said nothing")
}
