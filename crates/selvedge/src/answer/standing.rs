//! # What an answer settles
//!
//! **Question.** Somebody asked, and there is an answer. Is it the last word, or has something else to be asked as well?
//!
//! **Idea.** An answer that says how it was found can be judged: whether its run ends where the program cannot be followed, whether it is
//! about a deadlock, and whether that is one for good, whether fewer contexts were still looked for.
//!
//! **Claim.** Nothing here changes an answer or asks anything.

use selvedge_analysis::Stop;
use selvedge_analysis::engine::{self, Fewest, Verdict as Found};
use selvedge_check::Subject;
use selvedge_frontend::c::lower::Limit;
use selvedge_model::{Property, State};
use selvedge_report::json::VerdictName;

use super::{Answer, By};

impl Answer {
    /// Whether the question is answered, and with a schedule if there is a violation.
    pub(crate) fn is_known(&self) -> bool {
        match &self.by {
            By::States { outcome, .. } => engine::Reply::is_answer(outcome),
            By::Views(views) => views.why_none().is_none(),
            By::Endless { outcome, .. } => engine::Reply::is_answer(outcome),
        }
    }

    /// Why predicates have no answer, if it is theirs and they have none.
    pub(crate) fn why_no_views(&self) -> Option<String> {
        match &self.by {
            By::Views(views) => views.why_none().map(ToString::to_string),
            _ => None,
        }
    }

    /// Why a violation is none yet: its run ends in a place that cannot be followed any further, or the program does more than the
    /// text there.
    pub(crate) fn doubt(&self, subject: &Subject) -> Option<String> {
        let By::States { opened, outcome, .. } = &self.by else { return None };
        let Found::Unsafe { .. } = &outcome.verdict else { return None };
        let beyond = subject.beyond()?;
        let line = |span: selvedge_program::Span| opened.source.line(span.start);
        if let Some(limit) = self.limit(subject) {
            return Some(format!("line {} cannot be followed: {}", line(limit.span), limit.reason));
        }
        let many = beyond.approximations.first()?;
        Some(format!(
            "a violation was found, but perhaps the program has none: at line {}, {}",
            line(many.span),
            many.reason
        ))
    }

    /// The place that cannot be followed any further at which a run ends.
    pub(crate) fn limit<'s>(&self, subject: &'s Subject) -> Option<&'s Limit> {
        let By::States { opened, .. } = &self.by else { return None };
        let at = self.last().and_then(|last| opened.program.as_ref()?.wrong_at(last.shared));
        subject.beyond()?.limits.iter().find(|limit| Some(limit.span) == at)
    }

    /// The last state of a run that goes wrong.
    pub(crate) fn last(&self) -> Option<&State> {
        let By::States { outcome, last, .. } = &self.by else { return None };
        match &outcome.verdict {
            Found::Unsafe { trace, .. } => Some(last.as_ref().unwrap_or(&trace.initial)),
            _ => None,
        }
    }

    /// Whether it is a violation of a program whose runs end at limits, with no more threads than there are.
    pub(crate) fn is_violation(&self, subject: &Subject) -> bool {
        let most = subject.beyond().and_then(|beyond| beyond.most_threads).unwrap_or(u32::MAX);
        let threads = self.last().map_or(0, |last| last.threads.len());
        self.name() == VerdictName::Unsafe
            && threads as u64 <= u64::from(most)
            && self.limit(subject).is_none()
    }

    /// Whether it is a run that ends in a deadlock.
    pub(crate) fn is_deadlock(&self) -> bool {
        let By::States { opened, outcome, .. } = &self.by else { return false };
        let Found::Unsafe { property, .. } = &outcome.verdict else { return false };
        opened.properties.get(*property).is_some_and(Property::is_about_deadlocks)
    }

    /// Whether it is a run that ends in a deadlock that no further thread could undo.
    pub(crate) fn is_deadlock_for_good(&self) -> bool {
        let By::States { opened, .. } = &self.by else { return false };
        let (Some(program), Some(last)) = (&opened.program, self.last()) else { return false };
        let held = program.held_places();
        let mut left = last.threads.iter().filter(|thread| !thread.has_ended());
        let is_held = |top| opened.system.place_of(top).is_some_and(|at| held.contains(&at));
        self.is_deadlock() && left.all(|thread| thread.stack.top().is_some_and(is_held))
    }

    /// Whether it is a deadlock for which fewer contexts were still looked for when its turn was over.
    pub(crate) fn is_cut_short(&self) -> bool {
        let By::States { outcome, .. } = &self.by else { return false };
        self.is_deadlock() && outcome.fewest == Fewest::Unknown(Stop::Cancelled)
    }

    /// Whether it is not known whether there are deadlocks, although they were asked for.
    pub(crate) fn is_undecided(&self) -> bool {
        self.undecided.is_some()
    }

    /// Whether the engine stopped because something could not be followed.
    pub(crate) fn is_fault(&self) -> bool {
        match &self.by {
            By::States { outcome, .. } => {
                matches!(&outcome.verdict, Found::Unknown { stop: Stop::Fault(_), .. })
            }
            By::Views(_) | By::Endless { .. } => false,
        }
    }
}
