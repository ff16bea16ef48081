//! # The form of a certificate
//! What has to hold before the numbers of a certificate mean anything. Threads are in classes, and
//! those of one class obey the same rules, so that a step of one is a step of any of them; that is
//! all that counting them needs. Every state has as many threads of each class as the system has
//! at the start, and any number of those that are started later. So a system of which any number of
//! threads is there from the start has no classes, and no such certificate.
//!
//! Numbers come from a file, and none of them may wrap: a count is less than the largest one, so that
//! one that has stopped there is the count of no state.

use rustc_hash::FxHashMap;
use selvedge_model::{SharedId, SymbolId, System, TemplateId};

use super::{Flaw, Refusal};
use crate::{CountedState, Window};

/// The classes of the threads of a system.
pub(super) struct Classes<'a> {
    /// The class of each thread.
    pub of_thread: &'a [u32],
    /// The template of each class.
    pub templates: Vec<TemplateId>,
    /// How many threads each class has, for the classes of the first threads.
    sizes: Vec<u32>,
}

impl<'a> Classes<'a> {
    /// The classes, if every thread has one and threads of a class have the same template.
    /// `started` are the templates of the classes of threads that are started later, each once.
    pub fn new(
        system: &dyn System,
        of_thread: &'a [u32],
        started: &[TemplateId],
    ) -> Result<Self, Refusal> {
        require_fixed_numbers(system)?;
        let threads = system.threads();
        if of_thread.len() != threads.len() {
            let (given, there) = (of_thread.len(), threads.len());
            return Err(form(format!("it has classes of {given} threads; the system has {there}")));
        }
        let mut classes = Classes { of_thread, templates: Vec::new(), sizes: Vec::new() };
        for (thread, &class) in threads.iter().zip(of_thread) {
            let at = class as usize;
            if at == classes.templates.len() {
                classes.templates.push(thread.template);
                classes.sizes.push(0);
            }
            if classes.templates.get(at) != Some(&thread.template) {
                let name = &thread.name;
                return Err(form(format!(
                    "thread {name} is in class {class}, whose threads have other rules"
                )));
            }
            classes.sizes[at] += 1;
        }
        for (number, template) in started.iter().enumerate() {
            if started[..number].contains(template) {
                let name = system.describe().template_name(*template);
                return Err(form(format!("started threads of {name} have two classes")));
            }
        }
        classes.templates.extend(started);
        Ok(classes)
    }

    /// Whether threads of a class are started later.
    pub fn is_started(&self, class: u32) -> bool {
        class as usize >= self.sizes.len()
    }

    /// Whether threads of a class are forgotten once they have ended: see
    /// [`selvedge_model::is_forgotten`].
    pub fn forgets(&self, system: &dyn System, class: u32) -> bool {
        system.forgets_ended() && self.is_started(class)
    }

    /// The class of a thread of a state: of one of the first threads, or of one that was started.
    pub fn of(&self, thread: usize, template: TemplateId) -> Result<u32, Refusal> {
        match self.of_thread.get(thread) {
            Some(&class) => Ok(class),
            None => self.of_started(template),
        }
    }

    /// The class of threads of a template that are started later.
    pub fn of_started(&self, template: TemplateId) -> Result<u32, Refusal> {
        let later = self.sizes.len()..self.templates.len();
        let mut later = later.filter_map(|class| u32::try_from(class).ok());
        later.find(|&class| self.templates[class as usize] == template).ok_or_else(|| {
            let message = "a thread is started whose template has no class of started threads";
            Refusal::new(Flaw::NotClosed, message)
        })
    }

    /// The number of each state, if all are made of these kinds, in the right numbers, and none is
    /// there twice. The classes of the kinds are given.
    pub fn check_states<'s>(
        &self,
        kinds: &[u32],
        states: &'s [CountedState],
    ) -> Result<FxHashMap<&'s CountedState, usize>, Refusal> {
        if u32::try_from(kinds.len()).is_err() {
            return Err(form("it has more kinds of threads than can be numbered"));
        }
        if let Some(kind) = kinds.iter().position(|&c| c as usize >= self.templates.len()) {
            return Err(form(format!("kind {kind}: there is no class {}", kinds[kind])));
        }
        let mut numbers = FxHashMap::default();
        for (number, state) in states.iter().enumerate() {
            let wrong = |what: &str| Err(form(format!("state {number}: {what}")));
            if !state.threads.is_sorted_by(|a, b| a.0 < b.0) {
                return wrong("its kinds are not in rising order");
            }
            let mut missing = self.sizes.clone();
            for &(kind, count) in &state.threads {
                let Some(&class) = kinds.get(kind as usize) else {
                    return wrong(&format!("there is no kind {kind}"));
                };
                // Of started threads there may be any number, as long as one more can be counted:
                // `CountedState::with` stops at the largest number, which no state may have.
                let mut any = u32::MAX;
                let left = missing.get_mut(class as usize).unwrap_or(&mut any);
                if count == 0 || count > *left || count == u32::MAX {
                    return wrong(&format!("it has too many or no threads of kind {kind}"));
                }
                *left -= count;
            }
            if let Some(class) = missing.iter().position(|&m| m > 0) {
                return wrong(&format!("threads of class {class} are missing"));
            }
            if let Some(first) = numbers.insert(state, number) {
                return wrong(&format!("it is state {first}, too"));
            }
        }
        Ok(numbers)
    }
}

/// Refuses a system in which any number of threads is there from the start, for evidence that is
/// about the threads that are counted in it and no others.
pub(super) fn require_fixed_numbers(system: &dyn System) -> Result<(), Refusal> {
    match system.any_number().first() {
        None => Ok(()),
        Some(any) => {
            let name = system.describe().template_name(any.template);
            let message = format!(
                "it is about a fixed number of threads, and there may be any number of {name}"
            );
            Err(Refusal::new(Flaw::Initial, message))
        }
    }
}

pub(super) fn form(message: impl Into<String>) -> Refusal {
    Refusal::new(Flaw::Form, message)
}

/// A shared state, for messages.
pub(super) fn show_shared(system: &dyn System, shared: SharedId) -> String {
    let shown = system.describe().show_shared(shared);
    if shown.is_empty() { "the only shared state".to_owned() } else { format!("⟨{shown}⟩") }
}

/// The top of a stack, for messages.
pub(super) fn show_window(system: &dyn System, window: &Window) -> String {
    let hidden = window.hidden.then(|| "…".to_owned());
    show(window.symbols.iter().map(|&s| system.describe().show_symbol(s)).chain(hidden))
}

/// A stack or what is on top of it, for messages.
pub(super) fn show_symbols(
    system: &dyn System,
    symbols: impl IntoIterator<Item = SymbolId>,
) -> String {
    show(symbols.into_iter().map(|s| system.describe().show_symbol(s)))
}

fn show(symbols: impl Iterator<Item = String>) -> String {
    let shown: Vec<_> = symbols.collect();
    if shown.is_empty() { "the empty stack".to_owned() } else { shown.join(" | ") }
}
