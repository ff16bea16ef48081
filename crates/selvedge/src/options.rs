//! # Options
//! How to search, how long and how large a run may be, and who hears of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use selvedge_analysis::Budget;
use selvedge_analysis::converge::closure::Closure;
use selvedge_smt::solver::DEFAULT;

use crate::elsewhere::Elsewhere;
use crate::heard::{Heard, Listener, Moves};
use crate::{EngineName, Engines};
use selvedge_check::Deadlocks;

/// How long the listener waits between two looks at the memory.
const TICK: Duration = Duration::from_millis(100);

/// Options of a search.
#[derive(Clone)]
pub struct Options {
    /// The engine to use.
    pub engine: EngineName,
    /// The engines that there are.
    pub engines: Engines,
    /// Whether interchangeable threads are counted, not listed one by one.
    pub symmetry: bool,
    /// Whether states are left out that concern one thread alone; the answer is the same.
    pub reduction: bool,
    /// Which deadlocks are looked for, too. [`Deadlocks::Waits`] is for [`verify`](crate::verify) alone: within a bound, they have to be asked for.
    pub deadlock: Deadlocks,
    /// Whether the answer carries its evidence.
    pub evidence: bool,
    /// Whether the answer keeps what was explored, so that it can [go on](crate::Answer::further).
    pub keep: bool,
    /// Whether it takes a run to every assertion before anything is safe or bounded; otherwise the answer says which are not reached.
    pub require_reached: bool,
    /// How many of the threads that are started may act, where a fixed set of threads is needed and the text does not show
    /// it. Where it is not given, as many as the bound implies.
    pub started: Option<u32>,
    /// What [`EngineName::Delays`] observes of a state: names of shared variables, `shared`, `top=J`, separated by
    /// commas; or `predicates`.
    pub observe: Option<String>,
    /// Which actions [`EngineName::Delays`] tries when what it observes has stopped growing.
    pub closure: Closure,
    /// The SMT solver, a name or a path. It is started for integers without bounds only; nothing is if there is none.
    pub solver: Option<String>,
    /// Whether proofs use no other predicates than those of the program.
    pub only_given_predicates: bool,
    /// Explores single states in other processes, too. The engine is then [`EngineName::Explicit`], whichever is named.
    pub elsewhere: Option<Arc<dyn Elsewhere>>,
    /// How many engines may work at the same time; the answer is the same with any number. 0 is 1.
    pub jobs: usize,
    /// How long and how large a run may be.
    pub limits: Limits,
    /// A callback for what the engines do.
    pub listener: Option<Listener>,
    /// Counts the moves of all engines, for who wants to know how fast they are.
    pub moves: Moves,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: EngineName::Auto,
            engines: Engines::default(),
            symmetry: true,
            reduction: true,
            deadlock: Deadlocks::Waits,
            evidence: false,
            keep: false,
            require_reached: false,
            started: None,
            observe: None,
            closure: Closure::default(),
            solver: Some(DEFAULT.to_owned()),
            only_given_predicates: false,
            elsewhere: None,
            jobs: 1,
            limits: Limits::default(),
            listener: None,
            moves: Moves::default(),
        }
    }
}

/// Limits on the time and memory of a run. The default has none.
#[derive(Clone, Default)]
pub struct Limits {
    /// Stop after this time.
    pub timeout: Option<Duration>,
    /// When the time began, if that is not when the question is asked.
    pub since: Option<Instant>,
    /// Stop when more bytes are in use, by the measure of `memory_in_use`.
    pub memory: Option<usize>,
    /// Measures the bytes in use; the owner of the allocator knows. Without it there is no limit.
    pub memory_in_use: Option<fn() -> usize>,
    /// Stop engines after this much work, in moves of an explorer: unlike a time, that is the same place in every run. Waiting for a solver is
    /// no work.
    pub work: Option<u64>,
    /// Ends the run when it is set.
    pub cancelled: Arc<AtomicBool>,
}

impl Limits {
    /// From now on, or from when it was said.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let start = self.since.unwrap_or_else(Instant::now);
        let budget = Budget {
            deadline: self.timeout.and_then(|time| start.checked_add(time)),
            memory: self.memory,
            memory_in_use: self.memory_in_use,
            cancelled: vec![Arc::clone(&self.cancelled)],
            ..Budget::default()
        };
        match self.work {
            Some(work) => budget.with_work(work),
            None => budget,
        }
    }

    /// No limit but this much work.
    #[must_use]
    pub fn work(most: u64) -> Self {
        Limits { work: Some(most), ..Limits::default() }
    }
}

/// The time and memory that a run took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// How long it took.
    pub time: Duration,
    /// The most bytes that were seen to be in use; 0 where nobody counts them.
    pub peak_memory: u64,
}

impl Options {
    /// The budget of a run that begins now.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            workers: self.jobs,
            crew: self.jobs,
            meters: vec![self.moves.meter()],
            ..self.limits.budget()
        }
    }

    /// Passes an event to the listener.
    pub(crate) fn tell(&self, heard: Heard<'_>) {
        if let Some(listener) = &self.listener {
            listener(heard);
        }
    }

    /// Lets something run, and measures it. The memory is looked at whenever something is told, and between.
    pub(crate) fn measured<T>(&self, run: impl FnOnce(&Options) -> T) -> (T, Cost) {
        let start = Instant::now();
        let peak = Arc::new(AtomicUsize::new(0));
        let look = {
            let (in_use, peak) = (self.limits.memory_in_use, Arc::clone(&peak));
            move || {
                peak.fetch_max(in_use.map_or(0, |in_use| in_use()), Ordering::Relaxed);
            }
        };
        look();
        let watched = Options {
            listener: Some(Arc::new({
                let (look, also) = (look.clone(), self.listener.clone());
                move |heard: Heard<'_>| {
                    look();
                    if let Some(also) = &also {
                        also(heard);
                    }
                }
            })),
            ..self.clone()
        };
        let result = thread::scope(|scope| {
            let (running, ended) = mpsc::channel::<()>();
            let watch = || {
                let ended = ended;
                while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    watched.tell(Heard::Tick);
                }
            };
            // Without a second thread less is known about the memory, and nothing else is lost.
            let _ = thread::Builder::new().spawn_scoped(scope, watch);
            let result = run(&watched);
            look();
            drop(running);
            result
        });
        let peak_memory = peak.load(Ordering::Relaxed) as u64;
        (result, Cost { time: start.elapsed(), peak_memory })
    }
}
