//! # Workers side by side
//! Parts of a task that need nothing of each other are done at the same time, by as many workers as there are. Whoever asks is one of them, and goes on
//! when all parts are done; so what parts may see is what the compiler lets them borrow. Who does what shows nowhere, so that whoever asks may also work alone: it does so for a while
//! where the others begin when half of the time is over.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// A pool of workers that share the parts of a task.
#[derive(Default)]
pub struct Crew {
    /// All workers but the one who asks; none if it works alone.
    others: Option<ThreadPool>,
    /// The number of tasks so far.
    tasks: Arc<AtomicUsize>,
    company: Mutex<Company>,
}

/// Whether the others come in time. Where the machine has other things to do they may not: then it is better to work alone for a while.
#[derive(Debug, Default)]
struct Company {
    /// How long tasks took since the last judgement, and how long it was until the last of the others had begun.
    took: Duration,
    late: Duration,
    /// Until when it works alone.
    alone_until: Option<Instant>,
    /// For how long it did so the last time, if the others came late ever since.
    alone_for: Duration,
}

impl Company {
    /// Notes what a task took, and when the last of the others began; may decide to work alone for a while.
    fn note(&mut self, took: Duration, late: Duration, now: Instant) {
        self.took += took;
        self.late += late;
        if self.took < TRIAL {
            return;
        }
        let is_late = self.late > self.took / 2;
        self.alone_for = match is_late {
            true => (self.alone_for * 2).clamp(SHORTEST_ALONE, LONGEST_ALONE),
            false => Duration::ZERO,
        };
        self.alone_until = is_late.then(|| now + self.alone_for);
        (self.took, self.late) = (Duration::ZERO, Duration::ZERO);
    }

    /// Whether it is better to work alone.
    fn is_late(&self, now: Instant) -> bool {
        self.alone_until.is_some_and(|until| now < until)
    }
}

/// How long the others are tried before they are judged.
const TRIAL: Duration = Duration::from_millis(8);

/// The shortest and the longest time to work alone before the others are tried again.
const SHORTEST_ALONE: Duration = Duration::from_millis(5);
const LONGEST_ALONE: Duration = Duration::from_millis(1600);

/// How often a worker looks whether there is another task before it goes to sleep: for a fraction of a millisecond, about as long as it takes to wake it up.
const LOOKS: usize = 1 << 13;

/// How often whoever asked looks around between the last word of the others and going on.
const LAST_LOOKS: usize = 1 << 5;

impl Crew {
    /// A crew of `workers` workers, or of one if the system gives no more.
    #[must_use]
    pub fn of(workers: usize) -> Self {
        let others = workers.checked_sub(1).filter(|&others| others > 0);
        let pool = |others| ThreadPoolBuilder::new().num_threads(others).build().ok();
        Crew { others: others.and_then(pool), ..Crew::default() }
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        1 + self.others.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Does all parts of a task. A worker begins with those that it has each time, since their memory is near to it, and then helps the others.
    pub fn each<T: Send>(&self, parts: Vec<T>, work: impl Fn(T) + Sync) {
        if parts.len() > 1 {
            self.each_beside(parts, work, || {});
        } else {
            parts.into_iter().for_each(work);
        }
    }

    /// Does all parts of a task, while the caller first does something that only it can do.
    pub fn each_beside<T: Send>(
        &self,
        parts: Vec<T>,
        work: impl Fn(T) + Sync,
        beside: impl FnOnce(),
    ) {
        let begin = Instant::now();
        let is_late = || self.company().is_late(begin);
        let Some(pool) = self.others.as_ref().filter(|_| !parts.is_empty() && !is_late()) else {
            beside();
            return parts.into_iter().for_each(work);
        };
        let workers = self.workers();
        let parts: Vec<Mutex<Option<T>>> = parts.into_iter().map(|p| Mutex::new(Some(p))).collect();
        let take =
            |part: &Mutex<Option<T>>| part.lock().unwrap_or_else(PoisonError::into_inner).take();
        let run = |worker: usize| {
            let own = parts.iter().skip(worker).step_by(workers);
            own.chain(&parts).filter_map(take).for_each(&work);
        };
        let mut task = 0;
        let (done, late) = (AtomicUsize::new(0), AtomicU64::new(0));
        pool.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, other| {
                late.fetch_max(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
                run(1 + other.index());
                done.fetch_add(1, Ordering::Release);
            });
            task = self.tasks.fetch_add(1, Ordering::Relaxed) + 1;
            beside();
            run(0);
            // A worker that falls asleep here is late for the next task.
            wait_for(|| done.load(Ordering::Acquire) == workers - 1);
            (0..LAST_LOOKS).for_each(|_| std::hint::spin_loop());
        });
        let now = Instant::now();
        self.company().note(now - begin, Duration::from_nanos(late.into_inner()), now);
        // The next task comes soon, and a sleeping worker would be late for it.
        let tasks = Arc::clone(&self.tasks);
        pool.spawn_broadcast(move |_| {
            wait_for(|| tasks.load(Ordering::Relaxed) != task);
        });
    }

    fn company(&self) -> MutexGuard<'_, Company> {
        self.company.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for a fraction of a millisecond until something holds.
fn wait_for(holds: impl Fn() -> bool) {
    for _ in 0..LOOKS {
        if holds() {
            return;
        }
        std::hint::spin_loop();
    }
}

impl fmt::Debug for Crew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Crew({})", self.workers())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use std::time::{Duration, Instant};

    use super::{Company, Crew, LONGEST_ALONE, SHORTEST_ALONE};

    /// Whoever asks goes on alone if the others begin late, longer each time, until they are in time again.
    #[test]
    fn others_that_come_late_are_left_out_for_a_while() {
        let ms = Duration::from_millis;
        let (mut company, start) = (Company::default(), Instant::now());
        company.note(ms(2), ms(2), start);
        assert!(!company.is_late(start), "that was too short to judge");
        company.note(ms(6), ms(4), start);
        assert!(company.is_late(start) && !company.is_late(start + SHORTEST_ALONE));
        for _ in 0..10 {
            company.note(ms(11), ms(9), start);
        }
        assert!(company.is_late(start + LONGEST_ALONE / 2));
        assert!(!company.is_late(start + LONGEST_ALONE));
        company.note(ms(20), ms(5), start);
        assert!(!company.is_late(start));
        company.note(ms(10), ms(9), start);
        assert!(company.is_late(start) && !company.is_late(start + SHORTEST_ALONE));
    }

    #[test]
    fn every_part_is_done_once() {
        for workers in [0, 1, 2, 3, 7] {
            let crew = Crew::of(workers);
            assert_eq!(crew.workers(), workers.max(1));
            for count in [0, 1, 2, 5, 100] {
                let mut done = vec![0; count];
                let sum = AtomicUsize::new(0);
                crew.each(done.iter_mut().enumerate().collect(), |(number, part)| {
                    *part += 1;
                    sum.fetch_add(number, Ordering::Relaxed);
                });
                assert_eq!(done, vec![1; count]);
                assert_eq!(sum.into_inner(), (0..count).sum());
            }
        }
    }
}
