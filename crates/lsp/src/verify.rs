//! # Verification in the background
//! What `selvedge verify` does, without engines that need another program: where the others have no answer,
//! the command line may have one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lsp_types::DiagnosticSeverity;
use selvedge::{
    Answer, Blame, Covered, Deadlocks, Failure, Heard, InputOptions, Limits, Listener, Livelock,
    Options, Step, Subject, Verdict, VerdictName, livelock, verify,
};
use selvedge_frontend::Draft;
use selvedge_program::{Source, Span};
use selvedge_report::coverage;

use crate::Settings;
use crate::c::is_c;
use crate::document::line_span;

/// More steps of a schedule than this are not shown in the editor.
const MOST_STEPS: usize = 300;

/// The state of a document's verification.
#[derive(Default)]
pub enum State {
    /// Nothing was verified.
    #[default]
    Idle,
    /// It is being verified.
    Running(Run),
    /// It was verified, as it is.
    Done(ShownAnswer),
}

/// A run that was started.
pub struct Run {
    /// The number of the run.
    pub id: u64,
    /// A flag that ends the run.
    pub cancelled: Arc<AtomicBool>,
}

/// An answer in terms of the text.
#[derive(Debug)]
pub struct ShownAnswer {
    /// The title of the code lens.
    pub title: String,
    /// The message for the user.
    pub message: String,
    /// The severity of the message.
    pub severity: DiagnosticSeverity,
    /// The violation that was found, if one was.
    pub violation: Option<Violation>,
    /// Text that no schedule executes: lines that follow each other are one piece.
    pub faded: Vec<(Span, String)>,
    /// Assertions that no schedule gets to, or is not known to.
    pub unreached: Vec<(Span, String)>,
}

/// A violation in terms of the text.
#[derive(Debug)]
pub struct Violation {
    /// The line that fails, or is wrong in another way.
    pub span: Span,
    /// The schedule, step by step.
    pub steps: Vec<(Span, String)>,
}

/// The question that a code lens asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LensQuestion {
    /// Whether something goes wrong, or threads wait for each other for ever.
    Verify,
    /// Whether something goes wrong, or no thread can act, whatever it waits for.
    Deadlock,
    /// Whether a fair run never ends.
    Livelock,
}

/// A verification that is to be run.
pub struct Task {
    asked: LensQuestion,
    source: Arc<Source>,
    settings: Settings,
    cancelled: Arc<AtomicBool>,
}

impl Task {
    /// A program that is well formed.
    pub fn new(
        draft: &Draft,
        asked: LensQuestion,
        settings: Settings,
        cancelled: Arc<AtomicBool>,
    ) -> Option<Self> {
        draft.program.as_ref()?;
        Some(Task { asked, source: Arc::clone(&draft.source), settings, cancelled })
    }

    /// Verifies it; `tell` hears how far the run is.
    pub fn run(self, tell: impl Fn(String) + Send + Sync + 'static) -> ShownAnswer {
        let limits = Limits {
            timeout: Some(self.settings.timeout),
            since: None,
            memory: self.settings.memory,
            memory_in_use: self.settings.memory_in_use,
            work: None,
            cancelled: Arc::clone(&self.cancelled),
        };
        let listener = move |heard: Heard<'_>| {
            if let Some(words) = heard.words(None) {
                tell(words);
            }
        };
        let listener: Listener = Arc::new(listener);
        let deadlock = match self.asked {
            LensQuestion::Deadlock => Deadlocks::All,
            LensQuestion::Verify | LensQuestion::Livelock => Deadlocks::Waits,
        };
        let listener = Some(listener);
        let options = Options { limits, deadlock, solver: None, listener, ..Options::default() };
        let (name, text) = (self.source.name(), self.source.text());
        // A text in C was preprocessed before.
        let subject = match is_c(Path::new(name)) {
            true => Subject::of_preprocessed(&self.source, InputOptions::default()),
            false => Subject::parse(name, text, InputOptions::default()),
        };
        match subject.and_then(|subject| match self.asked {
            LensQuestion::Verify | LensQuestion::Deadlock => verify(&subject, &options),
            LensQuestion::Livelock => livelock(&subject, &Livelock::default(), &options),
        }) {
            Ok(answer) => self.show(&answer),
            Err(failure) => self.refused(&failure),
        }
    }

    fn show(&self, answer: &Answer) -> ShownAnswer {
        let sentence = answer.sentence();
        let (verdict, word) = (answer.name(), answer.name().word());
        let (sign, severity) = match verdict {
            VerdictName::Safe => ("✓", DiagnosticSeverity::INFORMATION),
            VerdictName::Unsafe | VerdictName::Nonterminating => ("✗", DiagnosticSeverity::ERROR),
            VerdictName::Bounded | VerdictName::Unknown => ("?", DiagnosticSeverity::WARNING),
        };
        let mut message = format!("{word}: {sentence}");
        if verdict == VerdictName::Unknown {
            let command = match self.asked {
                LensQuestion::Verify => "verify",
                LensQuestion::Deadlock => "verify --deadlock",
                LensQuestion::Livelock => "livelock",
            };
            message += &format!(
                "; `selvedge {command}` on the command line has more time, and more engines"
            );
        }
        let covered = answer.covered();
        ShownAnswer {
            title: format!("{sign} {word}: {}", shortened(&sentence)),
            message,
            severity,
            violation: match answer.verdict() {
                Verdict::Unsafe(violation) => Some(self.violation(violation.statements())),
                _ => None,
            },
            faded: covered.map_or_else(Vec::new, |covered| self.faded(covered)),
            unreached: covered.map_or_else(Vec::new, |covered| self.unreached(covered)),
        }
    }

    /// The lines that no schedule executes, where all were followed. They end with the last of several that follow each other.
    fn faded(&self, covered: &Covered) -> Vec<(Span, String)> {
        let piece = |(first, last): (u32, u32)| {
            let words = match first == last {
                true => "no schedule executes this line",
                false => "no schedule executes these lines",
            };
            let text = self.source.text();
            (line_span(text, first).to(line_span(text, last)), words.to_owned())
        };
        coverage::ranges(&covered.never()).into_iter().map(piece).collect()
    }

    /// The assertions that were not reached, with what is known of that.
    fn unreached(&self, covered: &Covered) -> Vec<(Span, String)> {
        let words = covered.about_unreached();
        let lines = covered.coverage.unreached();
        let text = self.source.text();
        lines.into_iter().map(|line| (line_span(text, line), words.clone())).collect()
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
    fn refused(&self, failure: &Failure) -> ShownAnswer {
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
        ShownAnswer {
            title,
            message,
            severity: DiagnosticSeverity::ERROR,
            violation,
            faded: Vec::new(),
            unreached: Vec::new(),
        }
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
