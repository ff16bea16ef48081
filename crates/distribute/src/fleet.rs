//! # Who asks
//! Commands go out to all workers, and one answer of each comes back. [`Spreading`] is an explorer that asks: what it says at a bound is the sum of what they say.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use selvedge_analysis::engine::Spread;
use selvedge_analysis::explore::share::Terms;
use selvedge_analysis::explore::shortest::shortest_violation;
use selvedge_analysis::explore::{Explorer, Observation};
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_automata::Dfa;
use selvedge_evidence::{CutCertificate, Evidence, Trace};
use selvedge_model::{Fault, Property, SharedId, System, VisibleState};
use timely::communication::WorkerGuards;

use crate::control::{Control, Desk};
use crate::mail::{Command, Count, Reply, Said};
use crate::{Subject, work};

/// How long to wait between two looks at limits.
const LOOK: Duration = Duration::from_millis(50);

/// How long workers may take to hear that a run has ended.
const FAREWELL: Duration = Duration::from_secs(5);

/// The work and the memory that one worker has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// How many states it stores.
    pub states: u64,
    /// The bytes that they take.
    pub bytes: u64,
    /// How many bytes its process uses, 0 where nobody counts them.
    pub memory: u64,
    /// How many moves it made.
    pub moves: u64,
    /// How many states it sent to others.
    pub sent: u64,
    /// How many it did not send because it had sent them a moment before.
    pub spared: u64,
    /// How many bytes it sent.
    pub sent_bytes: u64,
    /// How many parcels it sent.
    pub parcels: u64,
    /// How many states it received.
    pub received: u64,
    /// How many of them it knew already.
    pub known: u64,
}

/// Workers that explore together, and whoever asks them.
pub struct Fleet {
    line: Mutex<Line>,
    subject: Arc<dyn Subject>,
    workers: usize,
    usage: Mutex<Vec<Usage>>,
    guards: Mutex<Option<WorkerGuards<()>>>,
    /// Whether a worker has panicked, so that the others wait for it in vain.
    is_lost: Arc<AtomicBool>,
}

/// The way to the first worker.
struct Line {
    commands: Sender<Command>,
    replies: Receiver<Reply>,
    collected: Receiver<Evidence>,
    wake: Arc<OnceLock<Thread>>,
    /// Whether workers do not listen any more.
    is_broken: bool,
}

impl Fleet {
    /// So many workers in this process.
    pub fn local(workers: usize, subject: Arc<dyn Subject>) -> Result<Self, String> {
        let workers = workers.max(1);
        let (builders, others) = timely::CommunicationConfig::Process(workers).try_build()?;
        let (commands, asked) = mpsc::channel();
        let (told, replies) = mpsc::channel();
        let (gathered, collected) = mpsc::channel();
        let wake: Arc<OnceLock<Thread>> = Arc::default();
        let desk = Mutex::new(Some(Desk { commands: asked, replies: told }));
        let gathered = Mutex::new(gathered);
        let (at_work, woken) = (Arc::clone(&subject), Arc::clone(&wake));
        let is_lost: Arc<AtomicBool> = Arc::default();
        let notice = Notice(Arc::clone(&is_lost));
        let config = timely::WorkerConfig::default();
        let guards = timely::execute::execute_from(builders, others, config, move |worker| {
            let _notice = notice.clone();
            let is_first = worker.index() == 0;
            let desk = if is_first { lock(&desk).take() } else { None };
            if is_first {
                let _ = woken.set(std::thread::current());
            }
            let control = Control::new(worker, desk);
            work::run(worker, control, &at_work, &|evidence| {
                let _ = lock(&gathered).send(evidence);
            });
        })?;
        let line = Line { commands, replies, collected, wake, is_broken: false };
        let usage = Mutex::new(vec![Usage::default(); workers]);
        Ok(Fleet {
            line: Mutex::new(line),
            subject,
            workers,
            usage,
            guards: Mutex::new(Some(guards)),
            is_lost,
        })
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// What each worker used, as far as it has told.
    #[must_use]
    pub fn usage(&self) -> Vec<Usage> {
        lock(&self.usage).clone()
    }

    /// One of the forms of what is explored.
    pub fn of<'f>(&'f self, form: &'f str) -> FormOf<'f> {
        FormOf { fleet: self, form }
    }

    /// The places of the text that runs have got to, by all processes.
    pub fn places(&self, budget: &Budget) -> Result<Vec<u32>, Stop> {
        let mut all = Vec::new();
        for said in self.ask(Command::Places, budget)? {
            if let Said::Places(places) = said {
                all.extend(places);
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Asks all workers, and waits until each has answered. If one cannot go on, or a limit is reached, none does.
    fn ask(&self, command: Command, budget: &Budget) -> Result<Vec<Said>, Stop> {
        let mut line = lock(&self.line);
        if line.is_broken {
            return Err(Stop::Fault(Fault::new(lost())));
        }
        line.send(command)?;
        let mut answers: Vec<Option<Said>> = vec![None; self.workers];
        let mut missing = self.workers;
        let mut ended: Option<(Stop, Instant)> = None;
        let mut is_aborted = false;
        while missing > 0 {
            match line.replies.recv_timeout(LOOK) {
                Ok(Reply { said: Said::Stuck, .. }) => {
                    if !std::mem::replace(&mut is_aborted, true) {
                        line.send(Command::Abort)?;
                    }
                }
                Ok(Reply { worker, said }) => {
                    let answer = answers.get_mut(worker as usize);
                    if answer.is_some_and(|answer| answer.replace(said).is_none()) {
                        missing -= 1;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    line.is_broken = true;
                    return Err(Stop::Fault(Fault::new(lost())));
                }
            }
            if self.is_lost.load(Ordering::Relaxed) {
                line.is_broken = true;
                return Err(Stop::Fault(Fault::new(lost())));
            }
            if ended.is_none()
                && let Err(stop) = budget.look()
            {
                ended = Some((stop, Instant::now()));
                if !std::mem::replace(&mut is_aborted, true) {
                    line.send(Command::Abort)?;
                }
            }
            if let Some((stop, since)) = &ended
                && since.elapsed() > FAREWELL
            {
                line.is_broken = true;
                return Err(stop.clone());
            }
        }
        drop(line);
        if let Some((stop, _)) = ended {
            return Err(stop);
        }
        let answers: Vec<Said> = answers.into_iter().flatten().collect();
        match first_stop(&answers) {
            Some(stop) => Err(stop),
            None => Ok(answers),
        }
    }
}

/// Why workers ended, if one did. Stacks that grow are something that can be helped; somebody who was told to end is the last to be asked.
fn first_stop(answers: &[Said]) -> Option<Stop> {
    let stops = answers.iter().filter_map(|said| match said {
        Said::Failed(why) => Some(Stop::from(why.clone())),
        _ => None,
    });
    stops.min_by_key(|stop| match stop {
        Stop::HighStack => 0,
        Stop::Cancelled => 2,
        _ => 1,
    })
}

impl Line {
    fn send(&mut self, command: Command) -> Result<(), Stop> {
        let sent = self.commands.send(command);
        if let Some(thread) = self.wake.get() {
            thread.unpark();
        }
        sent.map_err(|_| {
            self.is_broken = true;
            Stop::Fault(Fault::new(lost()))
        })
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let mut line = lock(&self.line);
        let Some(guards) = lock(&self.guards).take() else { return };
        if line.is_broken || line.send(Command::End).is_err() {
            // Whoever does not listen cannot be waited for.
            std::mem::forget(guards);
            return;
        }
        let (ended, end) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            drop(guards.join());
            drop(ended);
        });
        let _ = end.recv_timeout(FAREWELL);
    }
}

/// Notes that a worker panics.
#[derive(Clone)]
struct Notice(Arc<AtomicBool>);

impl Drop for Notice {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn lost() -> String {
    "the workers do not answer any more".to_owned()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A fleet that explores one form of its subject.
#[derive(Clone, Copy)]
pub struct FormOf<'f> {
    fleet: &'f Fleet,
    form: &'f str,
}

impl Spread for FormOf<'_> {
    fn explorer<'a>(&'a self, terms: Terms) -> Result<Box<dyn Explorer + 'a>, Stop> {
        let budget = self.fleet.subject.budget();
        Ok(Box::new(Spreading::new(self.fleet, self.form, terms, &budget)?))
    }
}

/// An explorer whose states are with the workers of a fleet.
pub struct Spreading<'f> {
    fleet: &'f Fleet,
    terms: Terms,
    system: Arc<dyn System>,
    observations: Vec<Observation>,
    /// By bound, the property that a state breaks which is new there.
    broken: Vec<Option<usize>>,
    /// Whether visible states are told, and not what is stored.
    shows: bool,
    left_out: bool,
    largest: usize,
    stored: (usize, usize),
}

impl<'f> Spreading<'f> {
    fn new(fleet: &'f Fleet, form: &str, terms: Terms, budget: &Budget) -> Result<Self, Stop> {
        let (system, _) = fleet.subject.open(form).map_err(Fault::new)?;
        let mut explorer = Spreading {
            fleet,
            terms,
            system,
            observations: Vec::new(),
            broken: Vec::new(),
            shows: false,
            left_out: false,
            largest: 0,
            stored: (0, 0),
        };
        let opened = fleet.ask(Command::open(form, terms), budget)?;
        explorer.observe(&opened, budget)?;
        Ok(explorer)
    }

    /// Adds up what workers see at a bound.
    fn observe(&mut self, advanced: &[Said], budget: &Budget) -> Result<(), Stop> {
        let mut all_visible = true;
        for said in advanced {
            if let Said::Advanced { is_visible, left_out } = said {
                all_visible &= is_visible;
                self.left_out |= left_out;
            }
        }
        if !all_visible {
            if !self.shows {
                self.fleet.ask(Command::Show { earlier: true }, budget)?;
                self.shows = true;
            }
            self.fleet.ask(Command::Show { earlier: false }, budget)?;
        }
        let counts: Vec<Count> = self
            .fleet
            .ask(Command::Notice, budget)?
            .into_iter()
            .filter_map(|said| match said {
                Said::Noticed(count) => Some(count),
                _ => None,
            })
            .collect();
        let sum = |of: fn(&Count) -> Option<u128>| {
            counts.iter().try_fold(0_u128, |sum, count| sum.checked_add(of(count)?))
        };
        let add = |a: Option<u128>, b: Option<u128>| a?.checked_add(b?);
        let last = self.observations.last();
        let (new_states, new_visible) = (sum(|c| c.new_states), sum(|c| c.new_visible));
        let observation = Observation {
            bound: Resource::Contexts.bound(self.observations.len()),
            states: add(last.map_or(Some(0), |o| o.states), new_states),
            new_states,
            visible: add(last.map_or(Some(0), |o| o.visible), new_visible),
            new_visible,
            new_stored: counts.iter().map(|count| count.new_stored as usize).sum(),
        };
        self.observations.push(observation);
        self.broken.push(counts.iter().filter_map(|c| c.broken).min().map(|p| p as usize));
        self.largest = counts.iter().map(|count| count.largest as usize).max().unwrap_or(0);
        self.stored = counts.iter().fold((0, 0), |(states, bytes), count| {
            (states + count.states as usize, bytes + count.bytes as usize)
        });
        *lock(&self.fleet.usage) = counts.iter().map(usage).collect();
        Ok(())
    }

    /// Asks for all states.
    fn collect(&self) -> Result<Evidence, Stop> {
        self.fleet.ask(Command::Collect, &self.fleet.subject.budget())?;
        lock(&self.fleet.line).collected.recv().map_err(|_| Stop::Fault(Fault::new(lost())))
    }
}

fn usage(count: &Count) -> Usage {
    let &Count { states, bytes, memory, moves, sent, spared, sent_bytes, parcels, .. } = count;
    let (received, known) = (count.received, count.known);
    Usage { states, bytes, memory, moves, sent, spared, sent_bytes, parcels, received, known }
}

impl Explorer for Spreading<'_> {
    fn name(&self) -> &'static str {
        "contexts-explicit"
    }

    fn advance(&mut self, budget: &Budget) -> Result<&Observation, Stop> {
        let advanced = self.fleet.ask(Command::Advance, budget)?;
        self.observe(&advanced, budget)?;
        Ok(&self.observations[self.observations.len() - 1])
    }

    fn observations(&self) -> &[Observation] {
        &self.observations
    }

    fn has_left_out(&self) -> bool {
        self.left_out
    }

    fn largest(&self) -> usize {
        self.largest
    }

    fn violation(&self, bound: usize, _: &[Property]) -> Result<Option<usize>, Stop> {
        Ok(self.broken.get(bound).copied().flatten())
    }

    fn shortest(
        &mut self,
        properties: &[Property],
        budget: &Budget,
    ) -> Result<Option<Trace>, Stop> {
        let bound = Bound::contexts(self.bound());
        shortest_violation(&*self.system, properties, bound, self.terms.most_threads, budget)
    }

    fn new_visible(&self, _: usize) -> Vec<VisibleState> {
        Vec::new()
    }

    fn new_sets(&self, _: usize) -> Vec<(SharedId, Vec<Dfa>)> {
        Vec::new()
    }

    fn is_finite(&self) -> bool {
        true
    }

    fn visible_kinds(&self) -> usize {
        0
    }

    fn stored(&self) -> (usize, usize) {
        self.stored
    }

    fn certificate(&self) -> Evidence {
        self.collect().unwrap_or_else(|_| nothing())
    }
}

/// Proves nothing: no state of it is an initial one, so that no checker accepts it.
fn nothing() -> Evidence {
    Evidence::Cut(CutCertificate {
        classes: Vec::new(),
        started: Vec::new(),
        depth: 1,
        guesses: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        measures: Vec::new(),
    })
}
