//! # Runs
//! Each has a number, a flag that ends it, and a list of what has happened so far, so that a page that
//! comes back can be told from where it left.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use selvedge_report::page::{Ask, Document, Live};

use crate::{Explore, Tell};

/// The most runs that may go on at a time.
const MOST_RUNNING: usize = 8;

/// The most ended runs that are kept.
const MOST_KEPT: usize = 16;

/// After this many events, only those that end a run are kept.
const MOST_EVENTS: usize = 20_000;

/// A run without listeners ends after this time.
const UNHEARD: Duration = Duration::from_secs(10);

/// How often a page hears that a run goes on.
const TICK: Duration = Duration::from_millis(400);

/// The runs of the server.
#[derive(Default)]
pub struct Runs(Mutex<List>);

#[derive(Default)]
struct List {
    last: u64,
    runs: BTreeMap<u64, Arc<Run>>,
}

/// One run of an engine.
pub struct Run {
    start: Instant,
    cancelled: Arc<AtomicBool>,
    seen: Mutex<Story>,
    more: Condvar,
}

#[derive(Default)]
struct Story {
    /// The number of listeners.
    listeners: usize,
    events: Vec<String>,
    document: Option<Arc<str>>,
    is_done: bool,
}

impl Runs {
    /// Starts a run; its number, unless there are too many.
    pub fn start(&self, explore: &Arc<dyn Explore>, ask: Ask) -> Option<u64> {
        let mut list = lock(&self.0);
        let is_done = |run: &Arc<Run>| lock(&run.seen).is_done;
        let ended: Vec<u64> =
            list.runs.iter().filter(|(_, run)| is_done(run)).map(|(n, _)| *n).collect();
        if list.runs.len() - ended.len() >= MOST_RUNNING {
            return None;
        }
        for number in ended.iter().take(ended.len().saturating_sub(MOST_KEPT)) {
            list.runs.remove(number);
        }
        let run = Arc::new(Run {
            start: Instant::now(),
            cancelled: Arc::default(),
            seen: Mutex::default(),
            more: Condvar::new(),
        });
        list.last += 1;
        let number = list.last;
        list.runs.insert(number, Arc::clone(&run));
        let explore = Arc::clone(explore);
        let unheard = Arc::clone(&run);
        thread::spawn(move || unheard.wait_for_listeners());
        let work = move || run.work(&*explore, &ask);
        match thread::Builder::new().name(format!("run {number}")).spawn(work) {
            Ok(_) => Some(number),
            Err(_) => {
                list.runs.remove(&number);
                None
            }
        }
    }

    /// The run with this number.
    pub fn get(&self, number: u64) -> Option<Arc<Run>> {
        lock(&self.0).runs.get(&number).cloned()
    }

    /// Ends all runs, and waits for them a while.
    pub fn cancel_all(&self, patience: Duration) {
        let runs: Vec<_> = lock(&self.0).runs.values().cloned().collect();
        runs.iter().for_each(|run| run.cancel());
        let end = Instant::now() + patience;
        for run in runs {
            let mut seen = lock(&run.seen);
            while !seen.is_done {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                let waited = run.more.wait_timeout(seen, left);
                seen = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

impl Run {
    fn work(self: &Arc<Self>, explore: &dyn Explore, ask: &Ask) {
        let told = Arc::clone(self);
        let tell: Tell = Arc::new(move |event| told.push(&event));
        let answered = |document: Document| {
            lock(&self.seen).document = Some(document.to_json().into());
            self.push(&Live::Answered);
        };
        let answer = explore.answer(ask, &self.cancelled, &tell, &answered);
        let last = match answer {
            Ok(document) => {
                lock(&self.seen).document = Some(document.to_json().into());
                Live::Done
            }
            Err(text) => Live::Failed { text },
        };
        let mut seen = lock(&self.seen);
        seen.events.push(last.to_json());
        seen.is_done = true;
        self.more.notify_all();
    }

    fn push(&self, event: &Live) {
        let mut seen = lock(&self.seen);
        if seen.events.len() < MOST_EVENTS {
            seen.events.push(event.to_json());
            self.more.notify_all();
        }
    }

    /// Ends the run if no listener has come after a while.
    fn wait_for_listeners(&self) {
        let seen = lock(&self.seen);
        let is_open = |seen: &mut Story| seen.listeners == 0 && !seen.is_done;
        let waited = self.more.wait_timeout_while(seen, UNHEARD, is_open);
        let (seen, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if seen.listeners == 0 {
            self.cancel();
        }
    }

    /// Notes a new listener.
    pub fn listen(&self) {
        lock(&self.seen).listeners += 1;
        self.more.notify_all();
    }

    /// Notes that a listener has gone; without listeners the run ends.
    pub fn leave(&self) {
        let mut seen = lock(&self.seen);
        seen.listeners = seen.listeners.saturating_sub(1);
        if seen.listeners == 0 {
            self.cancel();
        }
    }

    /// Asks the run to end.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The document, once it is there.
    pub fn document(&self) -> Option<Arc<str>> {
        lock(&self.seen).document.clone()
    }

    /// What has happened from an event on, and whether that is all. Waits a moment for something to
    /// happen.
    pub fn events_from(&self, next: usize) -> (Vec<String>, bool) {
        let mut seen = lock(&self.seen);
        if seen.events.len() <= next && !seen.is_done {
            let waited = self.more.wait_timeout(seen, TICK);
            seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        (seen.events.get(next..).unwrap_or_default().to_vec(), seen.is_done)
    }

    /// An event that says that the run goes on.
    pub fn tick(&self, memory_bytes: u64) -> Live {
        Live::Tick { time_s: self.start.elapsed().as_secs_f64(), memory_bytes }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
