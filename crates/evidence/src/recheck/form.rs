//! # The form of a certificate
//! What has to hold before the numbers of a certificate mean anything. Threads are in classes, and
//! those of one class obey the same rules, so that a step of one is a step of any of them; that is
//! all that counting them needs. Every state has as many threads of each class as the system has.

use rustc_hash::FxHashSet;
use selvedge_model::{SharedId, SymbolId, System, TemplateId};

use super::{Flaw, Refusal};
use crate::{CountedState, Window};

/// The classes of the threads of a system.
pub(super) struct Classes<'a> {
    /// The class of each thread.
    pub of_thread: &'a [u32],
    /// The template of each class.
    pub templates: Vec<TemplateId>,
    /// How many threads each class has.
    sizes: Vec<u32>,
}

impl<'a> Classes<'a> {
    /// The classes, if every thread has one and threads of a class have the same template.
    pub fn new(system: &dyn System, of_thread: &'a [u32]) -> Result<Self, Refusal> {
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
        Ok(classes)
    }

    /// Whether the states are made of these kinds, in the right numbers. The classes of the kinds
    /// are given.
    pub fn check_states(&self, kinds: &[u32], states: &[CountedState]) -> Result<(), Refusal> {
        if let Some(kind) = kinds.iter().position(|&c| c as usize >= self.sizes.len()) {
            return Err(form(format!("kind {kind}: there is no class {}", kinds[kind])));
        }
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
                match missing[class as usize].checked_sub(count) {
                    Some(left) if count > 0 => missing[class as usize] = left,
                    _ => return wrong(&format!("it has too many or no threads of kind {kind}")),
                }
            }
            if let Some(class) = missing.iter().position(|&m| m > 0) {
                return wrong(&format!("threads of class {class} are missing"));
            }
        }
        Ok(())
    }
}

/// The states, to be looked up; their numbers do not matter.
pub(super) fn index(states: &[CountedState]) -> FxHashSet<&CountedState> {
    states.iter().collect()
}

pub(super) fn form(message: impl Into<String>) -> Refusal {
    Refusal::new(Flaw::Form, message)
}

/// A shared state, for messages.
pub(super) fn show_shared(system: &dyn System, shared: SharedId) -> String {
    let shown = system.show_shared(shared);
    if shown.is_empty() { "the only shared state".to_owned() } else { format!("⟨{shown}⟩") }
}

/// The top of a stack, for messages.
pub(super) fn show_window(system: &dyn System, window: &Window) -> String {
    let hidden = window.hidden.then(|| "…".to_owned());
    show(window.symbols.iter().map(|&s| system.show_symbol(s)).chain(hidden))
}

/// A stack or what is on top of it, for messages.
pub(super) fn show_symbols(
    system: &dyn System,
    symbols: impl IntoIterator<Item = SymbolId>,
) -> String {
    show(symbols.into_iter().map(|s| system.show_symbol(s)))
}

fn show(symbols: impl Iterator<Item = String>) -> String {
    let shown: Vec<_> = symbols.collect();
    if shown.is_empty() { "the empty stack".to_owned() } else { shown.join(" | ") }
}
