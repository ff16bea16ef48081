//! # Verification in the background
//! The same engines as `selvedge verify`, without those that need another program: where these have no answer,
//! the command line may have one. A violation is shown only if its schedule can be walked and ends in one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Event, Method, Outcome, Question, Verdict};
use selvedge_evidence::{Trace, replay_with};
use selvedge_frontend::Draft;
use selvedge_model::{Property, State as SystemState, System};
use selvedge_program::{LowerError, Lowering, Program, Source, Span, ThreadCounts};
use selvedge_report::advice::Asked;
use selvedge_report::answer::{self, Answer};
use selvedge_report::view::each_row;
use selvedge_sequential::engine::verify;

use crate::Settings;
use crate::document::line_span;

/// More steps of a schedule than this are not shown in the editor.
const MOST_STEPS: usize = 300;

/// What is known about a document.
#[derive(Default)]
pub enum State {
    /// Nothing.
    #[default]
    Idle,
    /// It is being verified.
    Running(Run),
    /// It was verified, as it is.
    Done(Shown),
}

/// A run that was started.
pub struct Run {
    /// Its number.
    pub id: u64,
    /// Ends it.
    pub cancelled: Arc<AtomicBool>,
}

/// An answer, ready to be shown.
#[derive(Debug)]
pub struct Shown {
    /// For the code lens.
    pub title: String,
    /// For people.
    pub message: String,
    /// How bad it is: 1 is an error, 2 a warning, 3 for information.
    pub severity: u8,
    /// The violation.
    pub violation: Option<Violation>,
}

/// A violation in terms of the text.
#[derive(Debug)]
pub struct Violation {
    /// The line that fails, or is wrong in another way.
    pub span: Span,
    /// The schedule, step by step.
    pub steps: Vec<(Span, String)>,
}

/// What is verified.
pub struct Task {
    program: Arc<Program>,
    source: Arc<Source>,
    settings: Settings,
    cancelled: Arc<AtomicBool>,
}

impl Task {
    /// A program that is well formed.
    pub fn new(draft: &Draft, settings: Settings, cancelled: Arc<AtomicBool>) -> Option<Self> {
        let (program, source) = (Arc::clone(draft.program.as_ref()?), Arc::clone(&draft.source));
        Some(Task { program, source, settings, cancelled })
    }

    /// Verifies it; `tell` hears how far the run is.
    pub fn run(self, tell: &(dyn Fn(String) + Sync)) -> Shown {
        let start = Instant::now();
        let budget = Budget {
            deadline: start.checked_add(self.settings.timeout),
            memory: self.settings.memory,
            memory_in_use: self.settings.memory_in_use,
            cancelled: vec![Arc::clone(&self.cancelled)],
        };
        let made = Lowering::for_any_number(
            Arc::clone(&self.program),
            Arc::clone(&self.source),
            &ThreadCounts::default(),
        );
        let system = match made {
            Ok(lowering) => lowering.dropping_threads(),
            Err(error) => return self.refused(&error),
        };
        let properties = [Property::NeverWrong];
        let question = Question {
            system: &system,
            properties: &properties,
            method: Method::Auto,
            symmetry: true,
            evidence: false,
        };
        let outcome = verify(&system, &question, &budget, &|event| {
            if let Event::Bound { observation, .. } = event {
                tell(format!("{} completed", observation.bound));
            }
        });
        self.show(&system, &properties, &outcome, start.elapsed())
    }

    fn refused(&self, error: &LowerError) -> Shown {
        let span = match error {
            LowerError::At { span, .. } => *span,
            _ => Span::default(),
        };
        let message = match error {
            LowerError::At { message, .. } => message.clone(),
            other => other.to_string(),
        };
        Shown {
            title: format!("? {message}"),
            severity: 1,
            violation: Some(Violation { span, steps: Vec::new() }),
            message,
        }
    }

    fn show(
        &self,
        system: &Lowering,
        properties: &[Property],
        outcome: &Outcome,
        time: Duration,
    ) -> Shown {
        let trace = match &outcome.verdict {
            Verdict::Unsafe { trace: Ok(trace), .. } => Some(trace),
            _ => None,
        };
        let last = match trace.map(|trace| walked(system, properties, trace)).transpose() {
            Ok(last) => last,
            Err(why) => return bug(&why),
        };
        let answer = Answer {
            file: self.source.name(),
            system,
            properties,
            outcome,
            asked: Asked::default(),
            last: last.as_ref(),
            time,
            peak_memory: 0,
        };
        let sentence = answer::sentence(&answer);
        let (word, sign, severity) = match outcome.verdict {
            Verdict::Safe(_) => ("safe", "✓", 3),
            Verdict::Unsafe { .. } => ("unsafe", "✗", 1),
            Verdict::Bounded { .. } => ("bounded", "?", 2),
            Verdict::Unknown { .. } => ("unknown", "?", 2),
        };
        let mut message = format!("{word}: {sentence}");
        if let Verdict::Unknown { .. } = outcome.verdict {
            message += "; `selvedge verify` on the command line has more time, and more engines";
        }
        Shown {
            title: format!("{sign} {word}: {}", shortened(&sentence)),
            message,
            severity,
            violation: trace.map(|trace| self.violation(system, trace)),
        }
    }

    /// The steps that have to do with others, the first one of each context, and the last one.
    fn violation(&self, system: &dyn System, trace: &Trace) -> Violation {
        let text = self.source.text();
        let mut steps = Vec::new();
        let (mut number, mut context, mut last) = (0, 0, None);
        each_row(system, trace, |row, _| {
            number += 1;
            let line = row.line().or(last);
            last = row.steps.iter().rev().find_map(|step| step.line).or(last);
            let matters = !row.is_local || row.context != context || number == trace.steps.len();
            context = row.context;
            if !matters || steps.len() >= MOST_STEPS && number < trace.steps.len() {
                return;
            }
            let words = format!("{number}. {}: {}", row.name, row.words_with_changes());
            steps.push((line.map_or(Span::default(), |line| line_span(text, line)), words));
        });
        Violation { span: last.map_or(Span::default(), |line| line_span(text, line)), steps }
    }
}

/// Walks a schedule with the one step function, to its last state: what cannot be walked, or does not end in a
/// violation, is no answer.
fn walked(
    system: &dyn System,
    properties: &[Property],
    trace: &Trace,
) -> Result<SystemState, String> {
    let last = replay_with(system, trace, |_| {}).map_err(|e| e.to_string())?;
    match Property::first_broken(properties, system, &last).map_err(|e| e.to_string())? {
        Some(_) => Ok(last),
        None => Err("the schedule that was found does not end in a violation".to_owned()),
    }
}

fn bug(why: &str) -> Shown {
    Shown {
        title: "? a bug in Selvedge".to_owned(),
        message: format!("{why}. This is a bug in Selvedge, not in your program: please report it"),
        severity: 1,
        violation: None,
    }
}

/// The beginning of a sentence, for a title.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 100;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST).collect();
    format!("{} …", cut.trim_end())
}
