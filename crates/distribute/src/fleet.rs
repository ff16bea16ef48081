//! # Who asks
//! Commands go out to all workers, and one answer of each comes back. [`Spreading`](crate::Spreading) is an explorer that asks.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use selvedge_analysis::{Budget, Stop};
use selvedge_evidence::Evidence;
use selvedge_model::Fault;
use timely::communication::{AllocatorBuilder, WorkerGuards};

use crate::control::{Control, Desk};
use crate::mail::{Command, Count, Reply, Said};
use crate::member::Connections;
use crate::spreading::FormOf;
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
    /// The most bytes that its process was seen to use, 0 where nobody counts them.
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

/// A callback for the progress of a bound.
pub type Listener = Box<dyn Fn(&Working) + Send>;

/// The progress of all workers while they explore a bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Working {
    /// The bound.
    pub bound: usize,
    /// How many states they store.
    pub states: u64,
    /// How many bytes they have sent to each other.
    pub sent_bytes: u64,
    /// The states of the worker with most of them, divided by the mean.
    pub balance: f64,
}

/// Workers that explore together, and the connection to their caller.
pub struct Fleet {
    line: Mutex<Line>,
    pub(crate) subject: Arc<dyn Subject>,
    workers: usize,
    pub(crate) usage: Mutex<Vec<Usage>>,
    guards: Mutex<Option<WorkerGuards<()>>>,
    /// Whether a worker has panicked, so that the others wait for it in vain.
    is_lost: Arc<AtomicBool>,
    connections: Connections,
    /// The places of the text that runs had got to before this one went on.
    pub(crate) earlier_places: Mutex<Vec<u32>>,
    /// Problems with checkpoints, in words.
    pub(crate) notes: Mutex<Vec<String>>,
    /// The bound that is being explored, and who hears how far it is.
    pub(crate) exploring: AtomicUsize,
    listener: Mutex<Option<Listener>>,
}

/// What workers are made of.
pub(crate) struct Parts {
    pub builders: Vec<AllocatorBuilder>,
    pub others: Box<dyn Any + Send>,
}

/// What only the first worker has: the connection to the caller. It is empty in other processes.
#[derive(Default)]
pub(crate) struct First {
    desk: Mutex<Option<Desk>>,
    gathered: Mutex<Option<Sender<Evidence>>>,
    wake: Arc<OnceLock<Thread>>,
}

/// Starts the workers of this process.
pub(crate) fn start_workers(
    Parts { builders, others }: Parts,
    subject: &Arc<dyn Subject>,
    first: First,
    is_lost: &Arc<AtomicBool>,
) -> Result<WorkerGuards<()>, String> {
    let subject = Arc::clone(subject);
    let notice = Notice(Arc::clone(is_lost));
    let config = timely::WorkerConfig::default();
    timely::execute::execute_from(builders, others, config, move |worker| {
        let _notice = notice.clone();
        let is_first = worker.index() == 0;
        let desk = if is_first { lock(&first.desk).take() } else { None };
        if is_first {
            let _ = first.wake.set(std::thread::current());
        }
        let control = Control::new(worker, desk);
        work::run(worker, control, &subject, &|evidence| {
            if let Some(gathered) = &*lock(&first.gathered) {
                let _ = gathered.send(evidence);
            }
        });
    })
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
    /// Starts `workers` workers in this process.
    pub fn local(workers: usize, subject: Arc<dyn Subject>) -> Result<Self, String> {
        let workers = workers.max(1);
        let (builders, others) = timely::CommunicationConfig::Process(workers).try_build()?;
        Self::start(Parts { builders, others }, workers, subject, Connections::default())
    }

    /// Workers of this process, and of others behind connections.
    pub(crate) fn start(
        parts: Parts,
        workers: usize,
        subject: Arc<dyn Subject>,
        connections: Connections,
    ) -> Result<Self, String> {
        let (commands, asked) = mpsc::channel();
        let (told, replies) = mpsc::channel();
        let (gathered, collected) = mpsc::channel();
        let wake: Arc<OnceLock<Thread>> = Arc::default();
        let is_lost: Arc<AtomicBool> = Arc::default();
        let first = First {
            desk: Mutex::new(Some(Desk { commands: asked, replies: told })),
            gathered: Mutex::new(Some(gathered)),
            wake: Arc::clone(&wake),
        };
        let guards = start_workers(parts, &subject, first, &is_lost)?;
        let line = Line { commands, replies, collected, wake, is_broken: false };
        let usage = Mutex::new(vec![Usage::default(); workers]);
        Ok(Fleet {
            line: Mutex::new(line),
            subject,
            workers,
            usage,
            guards: Mutex::new(Some(guards)),
            is_lost,
            connections,
            earlier_places: Mutex::default(),
            notes: Mutex::default(),
            exploring: AtomicUsize::new(0),
            listener: Mutex::default(),
        })
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// The resources that each worker used, as far as it has told.
    #[must_use]
    pub fn usage(&self) -> Vec<Usage> {
        lock(&self.usage).clone()
    }

    /// Sets a listener, which hears once or twice a second how far the workers are.
    pub fn listen(&self, listener: Listener) {
        *lock(&self.listener) = Some(listener);
    }

    /// Notes what a worker has used so far.
    pub(crate) fn note_usage(&self, worker: usize, count: &Count) {
        if let Some(used) = lock(&self.usage).get_mut(worker) {
            let peak = used.memory.max(count.memory);
            *used = Usage { memory: peak, ..count.usage() };
        }
    }

    /// Tells how far all workers are.
    fn tell(&self) {
        let Some(listener) = &*lock(&self.listener) else { return };
        let used = self.usage();
        let states: u64 = used.iter().map(|used| used.states).sum();
        let largest = used.iter().map(|used| used.states).max().unwrap_or(0);
        let mean = states as f64 / used.len().max(1) as f64;
        listener(&Working {
            bound: self.exploring.load(Ordering::Relaxed),
            states,
            sent_bytes: used.iter().map(|used| used.sent_bytes).sum(),
            balance: if states == 0 { 1.0 } else { largest as f64 / mean },
        });
    }

    /// One of the forms of what is explored.
    pub fn of(&self, form: &str) -> FormOf<'_> {
        FormOf::new(self, form)
    }

    /// Ends the work of all workers, and tells them how this process ends. If a process was lost, the others hear which one.
    pub fn end(&self, code: u8) {
        let mut line = lock(&self.line);
        let Some(guards) = lock(&self.guards).take() else { return };
        if let Some(words) = self.connections.health.loss() {
            self.connections.say_last(&words);
            line.is_broken = true;
        }
        if line.is_broken || line.send(Command::End { code }).is_err() {
            // Workers that do not listen cannot be waited for.
            std::mem::forget(guards);
            return;
        }
        line.is_broken = true;
        let (ended, end) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            drop(guards.join());
            drop(ended);
        });
        let _ = end.recv_timeout(FAREWELL);
        self.connections.health.is_done();
    }

    /// Problems beside the exploration, for people.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        lock(&self.notes).clone()
    }

    /// All states, at the first worker, once they were asked for.
    pub(crate) fn collected(&self) -> Result<Evidence, Stop> {
        let collected = lock(&self.line).collected.recv();
        collected.map_err(|_| Stop::Fault(Fault::new(lost())))
    }

    /// The places of the text that runs have got to, by all processes.
    pub fn places(&self, budget: &Budget) -> Result<Vec<u32>, Stop> {
        let mut all = lock(&self.earlier_places).clone();
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
    pub(crate) fn ask(&self, command: Command, budget: &Budget) -> Result<Vec<Said>, Stop> {
        let mut line = lock(&self.line);
        if line.is_broken {
            return Err(self.loss());
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
                Ok(Reply { worker, said: Said::Working(count) }) => {
                    self.note_usage(worker as usize, &count);
                    // One of them is enough to tell of all.
                    if worker == 0 {
                        self.tell();
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
                    return Err(self.loss());
                }
            }
            if self.is_lost.load(Ordering::Relaxed) || self.connections.health.loss().is_some() {
                line.is_broken = true;
                return Err(self.loss());
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

    /// The reason to stop when the workers cannot be asked any more.
    fn loss(&self) -> Stop {
        match self.connections.health.loss() {
            Some(words) => Stop::Lost(words),
            None => Stop::Fault(Fault::new(lost())),
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
        self.end(0);
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

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
