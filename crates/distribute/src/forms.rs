//! # A subject that several processes open
//! Each process has read the same text, with the same options. A [`Form`] says which system is made of it; the process that asks has made it already, and its workers use
//! that one, so that what they say has its numbers.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use selvedge::{
    Bound, Budget, Elsewhere, Form, FormOpened, Heard, Options, Process, Property, Stop, System,
    Together,
};
use selvedge_analysis::engine::Spread;

use crate::{Checkpoints, Fleet, Subject, Usage, Working};

/// A subject, with the form that is open.
pub struct Forms {
    subject: selvedge::Subject,
    bound: Option<Bound>,
    options: Options,
    open: Mutex<Option<(Form, FormOpened)>>,
    checkpoints: Checkpoints,
    /// The exit code of the process that asks.
    code: AtomicU8,
}

impl Forms {
    /// A question, as each process asks it.
    #[must_use]
    pub fn new(
        subject: selvedge::Subject,
        bound: Option<Bound>,
        options: Options,
        checkpoints: Checkpoints,
    ) -> Self {
        // A process that explores for others does so itself.
        let options = Options { elsewhere: None, ..options };
        let (open, code) = (Mutex::new(None), AtomicU8::new(0));
        Forms { subject, bound, options, open, checkpoints, code }
    }

    /// The exit code of the process that asked, once the run is over.
    #[must_use]
    pub fn code(&self) -> u8 {
        self.code.load(Ordering::Relaxed)
    }

    fn current(&self) -> MutexGuard<'_, Option<(Form, FormOpened)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subject for Forms {
    fn open(&self, form: &str) -> Result<(Arc<dyn System>, Vec<Property>), String> {
        let form: Form = form.parse()?;
        let mut open = self.current();
        if !open.as_ref().is_some_and(|(known, _)| *known == form) {
            let opened = FormOpened::new(&self.subject, self.bound, &self.options, form);
            *open = Some((form, opened.map_err(|why| why.to_string())?));
        }
        match &*open {
            Some((_, opened)) => Ok((Arc::clone(&opened.system), opened.properties().to_vec())),
            None => Err(format!("the form `{form}` cannot be opened")),
        }
    }

    /// A system that was opened for this notes the places that it gets to for itself.
    fn open_anew(&self, form: &str) -> Result<Arc<dyn System>, String> {
        let opened = FormOpened::new(&self.subject, self.bound, &self.options, form.parse()?);
        Ok(opened.map_err(|why| why.to_string())?.system)
    }

    fn budget(&self) -> Budget {
        self.options.limits.budget()
    }

    fn memory(&self) -> usize {
        self.options.limits.memory_in_use.map_or(0, |in_use| in_use())
    }

    fn places(&self) -> Vec<u32> {
        self.current().as_ref().map_or_else(Vec::new, |(_, opened)| opened.places())
    }

    fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }

    fn ended(&self, code: u8) {
        self.code.store(code, Ordering::Relaxed);
    }
}

/// Lets a fleet answer questions about a subject.
pub struct Spreader {
    fleet: Fleet,
    forms: Arc<Forms>,
    /// How many workers each process has.
    jobs: usize,
}

impl Spreader {
    /// Wraps a fleet whose workers open these forms, `jobs` of them in each process.
    #[must_use]
    pub fn new(fleet: Fleet, forms: Arc<Forms>, jobs: usize) -> Self {
        Spreader { fleet, forms, jobs: jobs.max(1) }
    }

    /// Problems beside the exploration, for people.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.fleet.notes()
    }

    /// Ends the work of all processes; the code says how this one ends.
    pub fn end(&self, code: u8) {
        self.fleet.end(code);
    }
}

impl Elsewhere for Spreader {
    fn of<'a>(&'a self, form: Form, opened: &FormOpened) -> Box<dyn Spread + 'a> {
        *self.forms.current() = Some((form, opened.clone()));
        Box::new(self.fleet.of(&form.to_string()))
    }

    fn places(&self, budget: &Budget) -> Result<Vec<u32>, Stop> {
        self.fleet.places(budget)
    }

    fn listen(&self, listener: selvedge::Listener) {
        self.fleet.listen(Box::new(move |working| {
            let &Working { bound, states, sent_bytes, balance } = working;
            let bound = Bound::contexts(bound);
            listener(Heard::Together(&Together { bound, states, sent_bytes, balance }));
        }));
    }

    fn processes(&self) -> Vec<Process> {
        let used = self.fleet.usage();
        used.chunks(self.jobs).enumerate().map(|(process, workers)| sum(process, workers)).collect()
    }
}

/// What the workers of a process have used together.
fn sum(process: usize, workers: &[Usage]) -> Process {
    let sum = |of: fn(&Usage) -> u64| workers.iter().map(of).sum();
    Process {
        process,
        workers: workers.len(),
        states: sum(|used| used.states),
        memory_bytes: workers.iter().map(|used| used.memory).max().unwrap_or(0),
        sent_states: sum(|used| used.sent),
        spared_states: sum(|used| used.spared),
        sent_bytes: sum(|used| used.sent_bytes),
        received_states: sum(|used| used.received),
        known_states: sum(|used| used.known),
    }
}
