//! # Deadlocks that are near
//!
//! **Question.** Whether there are deadlocks could not be decided: a context has no end, or there may be any number of threads. Is there one a few steps away?
//!
//! **Idea.** Rounds of single steps are finite even where contexts are not, and two threads that take two locks in opposite order are stuck after a step of each.
//! Where there may be any number of threads, the program with a few of each is asked about. All of it gets a fixed amount of counted work.
//!
//! **Claim.** What is found is a run of the program, replayed as any other. Of a program for any number of threads it counts only if no further thread could undo it:
//! whoever has not ended waits for a lock or for the end of a thread, and for nothing else ([`selvedge_program::Lowering::held_places`]). Those who could end that
//! are stuck themselves, or have ended. Where nothing is found, nothing is said.

use selvedge_check::Subject;
use selvedge_frontend::Input;
use selvedge_program::Count;

use crate::EngineName;
use crate::answer::Answer;
use crate::deadlocks::{Inquiry, without_events};
use crate::heard::Heard;
use crate::options::Options;

/// How much work each question may take, in moves: a quarter of a second.
const WORK: u64 = 1 << 18;

/// How many threads there are of each that there may be any number of: at most so many.
const MOST: u32 = 3;

/// Looks for a deadlock that few steps lead to.
pub(crate) fn deadlock(inquiry: Inquiry<'_>) -> Option<Answer> {
    let Inquiry { subject, options, budget, ask } = inquiry;
    let find = |subject: &Subject, engine: EngineName| {
        let options = without_events(&Options { engine, ..options.clone() });
        let found = ask(subject, &options, &budget.with_work(WORK), true).ok()?;
        found.is_deadlock().then(|| found.within(budget))
    };
    if options.engine != EngineName::Auto || options.elsewhere.is_some() {
        return None;
    }
    if !subject.has_any_number() {
        return find(subject, EngineName::Delays);
    }
    for number in 1..=MOST {
        let chosen = chosen(subject, number);
        let given = &subject.options().threads;
        let few = subject.with_threads(given.iter().chain(&chosen).cloned().collect());
        let found = [EngineName::Auto, EngineName::Delays].into_iter();
        let mut found = found.filter_map(|engine| find(&few, engine));
        if let Some(found) = found.find(Answer::is_deadlock_for_good) {
            let numbers: Vec<String> =
                chosen.iter().map(|(name, n)| format!("--threads {name}={n}")).collect();
            let note = format!(
                "note: the deadlock is one of the program with so many threads: {}",
                numbers.join(" ")
            );
            options.tell(Heard::Note(&note));
            return Some(found.with_chosen_threads(subject, chosen));
        }
    }
    None
}

/// So many of all threads that there may be any number of.
fn chosen(subject: &Subject, number: u32) -> Vec<(String, u32)> {
    let Some(Input::Program { program, .. }) = subject.input() else { return Vec::new() };
    let is_any = |name: &str| subject.has_any_number_of(name);
    let threads = program.threads.iter().filter(|thread| thread.count == Count::Any);
    threads.filter(|t| is_any(&t.name)).map(|t| (t.name.clone(), number)).collect()
}
