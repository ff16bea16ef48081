//! # Verification in the background
//! What `selvedge verify` does, without engines that need another program: where the others have no answer,
//! the command line may have one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use selvedge::{
    Answer, Blame, Event, Failure, Heard, InputOptions, Limits, Listener, Livelock, Options, Step,
    Subject, Verdict, VerdictName, livelock, verify,
};
use selvedge_frontend::Draft;
use selvedge_program::{Source, Span};

use crate::Settings;
use crate::c::is_c;
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

/// What is asked about a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Whether something goes wrong, or threads wait for each other for ever.
    Verify,
    /// Whether a fair run never ends.
    Livelock,
}

/// What is verified.
pub struct Task {
    asked: Asked,
    source: Arc<Source>,
    settings: Settings,
    cancelled: Arc<AtomicBool>,
}

impl Task {
    /// A program that is well formed.
    pub fn new(
        draft: &Draft,
        asked: Asked,
        settings: Settings,
        cancelled: Arc<AtomicBool>,
    ) -> Option<Self> {
        draft.program.as_ref()?;
        Some(Task { asked, source: Arc::clone(&draft.source), settings, cancelled })
    }

    /// Verifies it; `tell` hears how far the run is.
    pub fn run(self, tell: impl Fn(String) + Send + Sync + 'static) -> Shown {
        let limits = Limits {
            timeout: Some(self.settings.timeout),
            since: None,
            memory: self.settings.memory,
            memory_in_use: self.settings.memory_in_use,
            cancelled: Arc::clone(&self.cancelled),
        };
        let listener = move |heard: Heard<'_>| {
            if let Heard::Event(Event::Bound { observation, .. }) = heard {
                tell(format!("{} completed", observation.bound));
            }
        };
        let listener: Listener = Arc::new(listener);
        let options =
            Options { limits, solver: None, listener: Some(listener), ..Options::default() };
        let (name, text) = (self.source.name(), self.source.text());
        // A text in C was preprocessed before.
        let subject = match is_c(Path::new(name)) {
            true => Subject::of_preprocessed(&self.source, InputOptions::default()),
            false => Subject::parse(name, text, InputOptions::default()),
        };
        match subject.and_then(|subject| match self.asked {
            Asked::Verify => verify(&subject, &options),
            Asked::Livelock => livelock(&subject, &Livelock::default(), &options),
        }) {
            Ok(answer) => self.show(&answer),
            Err(failure) => self.refused(&failure),
        }
    }

    fn show(&self, answer: &Answer) -> Shown {
        let sentence = answer.sentence();
        let (verdict, word) = (answer.name(), answer.name().word());
        let (sign, severity) = match verdict {
            VerdictName::Safe => ("✓", 3),
            VerdictName::Unsafe | VerdictName::Nonterminating => ("✗", 1),
            VerdictName::Bounded | VerdictName::Unknown => ("?", 2),
        };
        let mut message = format!("{word}: {sentence}");
        if verdict == VerdictName::Unknown {
            let command = match self.asked {
                Asked::Verify => "verify",
                Asked::Livelock => "livelock",
            };
            message += &format!(
                "; `selvedge {command}` on the command line has more time, and more engines"
            );
        }
        Shown {
            title: format!("{sign} {word}: {}", shortened(&sentence)),
            message,
            severity,
            violation: match answer.verdict() {
                Verdict::Unsafe(violation) => Some(self.violation(violation.statements())),
                _ => None,
            },
        }
    }

    /// The steps that have to do with others, the first one of each context, and the last one.
    fn violation(&self, run: Vec<Step>) -> Violation {
        let text = self.source.written();
        let mut steps = Vec::new();
        let (end, mut context, mut last) = (run.len(), 0, None);
        for (number, step) in (1..).zip(run) {
            let line = step.line().or(last);
            last = step.statements.iter().rev().find_map(|statement| statement.line).or(last);
            let matters = !step.is_local || step.context != context || number == end;
            context = step.context;
            if !matters || steps.len() >= MOST_STEPS && number < end {
                continue;
            }
            let words = format!("{number}. {}: {}", step.thread, step.text_with_changes());
            steps.push((line.map_or(Span::default(), |line| line_span(text, line)), words));
        }
        Violation { span: last.map_or(Span::default(), |line| line_span(text, line)), steps }
    }

    /// Why there is no answer.
    fn refused(&self, failure: &Failure) -> Shown {
        let (span, message) = match failure {
            Failure::Diagnostics(wrong) if !wrong.list.is_empty() => {
                let span = self.source.written_span(wrong.list[0].label.span);
                (span, wrong.list[0].message.clone())
            }
            other => (Span::default(), other.to_string()),
        };
        let title = match failure.blame() {
            Blame::Bug => "? a bug in Selvedge".to_owned(),
            _ => format!("? {message}"),
        };
        let violation = Some(Violation { span, steps: Vec::new() });
        Shown { title, severity: 1, violation, message }
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
