//! # What is heard of a run
//! Notes are kept for the answer. News (a bound that was completed, what is tried now) waits until the thread that asked looks: it has the interpreter,
//! and calls whoever wants to know. Who raises an exception there ends the run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use selvedge::{Event, Heard, Listener, Moves, Observation};
use selvedge_report::json;

use crate::memory;

/// How often somebody is told that nothing is new.
const OFTEN: Duration = Duration::from_millis(500);

/// More news than this does not wait: the oldest is forgotten.
const MOST: usize = 1000;

/// Hears a run.
#[derive(Clone)]
pub struct Ear {
    heard: Arc<Mutex<Waiting>>,
    start: Instant,
    moves: Moves,
}

/// What was heard and not told yet.
#[derive(Default)]
struct Waiting {
    notes: Vec<String>,
    news: VecDeque<(Duration, String, Option<Observation>)>,
}

impl Ear {
    /// From now on; the moves are those of the options.
    pub fn new(moves: Moves) -> Self {
        Ear { heard: Arc::default(), start: Instant::now(), moves }
    }

    /// Who listens, up to a bound if there is one.
    pub fn listener(&self, most: Option<selvedge::Bound>) -> Listener {
        let ear = self.clone();
        Arc::new(move |heard: Heard<'_>| {
            if let Heard::Note(note) = heard {
                let note = note.strip_prefix("note: ").unwrap_or(note).to_owned();
                ear.waiting().notes.push(note);
            }
            let Some(words) = heard.words(most) else { return };
            let seen = match heard {
                Heard::Event(Event::Bound { observation, .. }) => {
                    Some(Observation::new(observation))
                }
                _ => None,
            };
            let mut waiting = ear.waiting();
            if waiting.news.len() == MOST {
                waiting.news.pop_front();
            }
            waiting.news.push_back((ear.start.elapsed(), words, seen));
        })
    }

    /// The notes.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.waiting().notes)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells somebody in Python what was heard.
pub struct Teller {
    ear: Ear,
    callback: Option<Py<PyAny>>,
    /// When something was told last, and what.
    last: (Instant, String),
}

impl Teller {
    /// Tells this function of Python, if there is one.
    pub fn new(ear: Ear, callback: Option<Py<PyAny>>) -> Self {
        Teller { ear, callback, last: (Instant::now(), "exploring".to_owned()) }
    }

    /// Tells all that is new; where nothing is, that time has passed.
    pub fn tell(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        let news = std::mem::take(&mut self.ear.waiting().news);
        let class = py.import("selvedge._answers")?.getattr("_progress")?;
        let one = |time: Duration, words: &str, seen: Option<Observation>| {
            let (moves, memory) = (self.ear.moves.made(), memory::in_use());
            let seen = seen.map(|seen| json::print(&seen));
            let progress = class.call1((time.as_secs_f64(), memory, moves, words, seen))?;
            callback.bind(py).call1((progress,)).map(drop)
        };
        if news.is_empty() && self.last.0.elapsed() >= OFTEN {
            one(self.ear.start.elapsed(), &self.last.1, None)?;
            self.last.0 = Instant::now();
        }
        for (time, words, seen) in news {
            one(time, &words, seen)?;
            self.last = (Instant::now(), words);
        }
        Ok(())
    }
}
