//! What `verify`, `check` and `livelock` do with an answer: print it, and save its evidence.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args as ClapArgs;
use selvedge::{Answer, Bound, Failure, Options, VerdictName};
use selvedge_frontend::files;
use selvedge_report::command_line::CommandLine;
use selvedge_report::json;
use selvedge_report::text::TraceOptions;
use selvedge_smt::solver::{DEFAULT, Query};

use crate::args::{Format, InputArgs};
use crate::exit::Exit;
use crate::guard;
use crate::output::Output;
use crate::progress::Progress;
use crate::save::{probe_evidence, save};

/// How an answer is shown, and where its evidence goes.
#[derive(ClapArgs, Clone, Debug)]
pub struct AnswerArgs {
    /// Show every step, with all values and stacks after it
    #[arg(long)]
    full: bool,
    /// Write what the answer rests on to this file, for `selvedge recheck`
    #[arg(long, value_name = "PATH")]
    evidence: Option<PathBuf>,
}

/// Which solver, and where its questions go.
#[derive(ClapArgs, Clone, Debug)]
pub struct SolverArgs {
    /// The SMT solver: a name or a path
    #[arg(long, value_name = "PROGRAM", default_value = DEFAULT, help_heading = "Solver")]
    pub solver: String,
    #[command(flatten)]
    pub keep: KeepArgs,
}

/// Where the questions to a solver go.
#[derive(ClapArgs, Clone, Debug)]
pub struct KeepArgs {
    /// Write the questions that a proof rests on to this directory, as SMT-LIB files
    #[arg(long, value_name = "DIR", help_heading = "Solver")]
    keep_smt: Option<PathBuf>,
}

impl KeepArgs {
    /// Writes questions where they are wanted.
    pub fn keep(&self, queries: &[(String, Query)]) -> Result<(), Failure> {
        let Some(directory) = self.keep_smt.as_deref() else { return Ok(()) };
        if queries.is_empty() {
            return Ok(());
        }
        fs::create_dir_all(directory).map_err(|e| Failure::unwritable(directory, &e))?;
        for (number, (about, query)) in queries.iter().enumerate() {
            let path = directory.join(format!("{:04}.smt2", number + 1));
            save(&[(&path, &query.script(about))])?;
        }
        Ok(())
    }
}

impl AnswerArgs {
    /// Whether evidence is wanted, which is about one answer.
    pub fn wants_evidence(&self) -> bool {
        self.evidence.is_some()
    }

    /// Asks a question, with the progress on the terminal. Whether the evidence can be written is found out before that.
    ///
    /// The answer stays until the program ends: to take millions of states apart would take seconds, for nothing.
    pub fn ask(
        &self,
        input: &InputArgs,
        options: Options,
        output: &Output,
        most: Option<Bound>,
        ask: impl FnOnce(&Options) -> Result<Answer, Failure>,
    ) -> Result<&'static Answer, Failure> {
        if let Some(path) = &self.evidence {
            probe_evidence(path, &files(&input.file))?;
        }
        let evidence = self.evidence.is_some() || options.evidence;
        let answer = with_progress(Options { evidence, ..options }, output, most, ask)?;
        guard::answers();
        let answer = answer.asked_by(typed());
        Ok(Box::leak(Box::new(answer)))
    }

    /// Prints the answer, and says how to end. It is printed even if the evidence cannot be written.
    pub fn print(&self, answer: &Answer, output: &mut Output) -> Result<Exit, Failure> {
        let saved = self.save_evidence(answer, output);
        let text = match output.format {
            Format::Sarif => json::print(&answer.sarif()),
            Format::Json => {
                let saved = saved.as_ref().ok().copied().flatten();
                answer.json(saved.map(|path| path.display().to_string()))
            }
            _ => output.fit(answer.text(TraceOptions { full: self.full, paint: output.paint })),
        };
        output.print(&text);
        saved?;
        Ok(answer.name().into())
    }

    /// Writes the evidence where it is wanted; where that is, if there is any.
    fn save_evidence(
        &self,
        answer: &Answer,
        output: &mut Output,
    ) -> Result<Option<&Path>, Failure> {
        let Some(path) = self.evidence.as_deref() else { return Ok(None) };
        let Some(document) = answer.evidence()? else {
            output.note(match answer.name() {
                VerdictName::Safe => {
                    "no evidence was written: what the proof rests on is too large to be written down"
                }
                _ => {
                    "no evidence was written: there is some only if the answer is safe, unsafe or \
                     nonterminating"
                },
            });
            return Ok(None);
        };
        save(&[(path, &document.to_text())])?;
        output.note(&format!("the evidence was written to {}", path.display()));
        Ok(Some(path))
    }
}

/// The line that this process was started with.
fn typed() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    CommandLine::of(words).finish()
}

/// Lets something run that can be heard, with the progress on the terminal, up to a bound if there is one.
pub fn with_progress<T>(
    options: Options,
    output: &Output,
    most: Option<Bound>,
    run: impl FnOnce(&Options) -> T,
) -> T {
    let progress = Arc::new(Progress::start(
        output.notes(),
        most,
        options.limits.clone(),
        options.moves.clone(),
    ));
    let listener = Arc::clone(&progress);
    let also = options.listener.clone();
    let result = run(&Options {
        listener: Some(Arc::new(move |heard| {
            listener.hear(heard);
            if let Some(also) = &also {
                also(heard);
            }
        })),
        ..options
    });
    progress.finish();
    result
}
