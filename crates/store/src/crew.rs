//! # Workers side by side
//! Parts of a task that need nothing of each other are done at the same time, by as many workers as there are. Whoever asks is one of them, and goes on
//! when all parts are done; so what parts may see is what the compiler lets them borrow.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// Workers that wait for something to do.
#[derive(Default)]
pub struct Crew {
    /// All workers but the one who asks; none if it works alone.
    others: Option<ThreadPool>,
    /// How many tasks there were.
    tasks: Arc<AtomicUsize>,
}

/// How often a worker looks whether there is another task before it goes to sleep: for a fraction of a millisecond, about as long as it takes to wake it up.
const LOOKS: usize = 1 << 13;

/// How often whoever asked looks around between the last word of the others and going on.
const LAST_LOOKS: usize = 1 << 5;

impl Crew {
    /// So many workers, or one if the system has no more to give.
    #[must_use]
    pub fn of(workers: usize) -> Self {
        let others = workers.checked_sub(1).filter(|&others| others > 0);
        let pool = |others| ThreadPoolBuilder::new().num_threads(others).build().ok();
        Crew { others: others.and_then(pool), tasks: Arc::default() }
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        1 + self.others.as_ref().map_or(0, ThreadPool::current_num_threads)
    }

    /// Does all parts of a task. A worker begins with those that it has each time, since their memory is near to it, and then helps the others.
    pub fn each<T: Send>(&self, parts: Vec<T>, work: impl Fn(T) + Sync) {
        let Some(pool) = self.others.as_ref().filter(|_| parts.len() > 1) else {
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
        let done = AtomicUsize::new(0);
        pool.in_place_scope(|scope| {
            scope.spawn_broadcast(|_, other| {
                run(1 + other.index());
                done.fetch_add(1, Ordering::Release);
            });
            task = self.tasks.fetch_add(1, Ordering::Relaxed) + 1;
            run(0);
            // Who falls asleep here is late for what comes next, too.
            wait_for(|| done.load(Ordering::Acquire) == workers - 1);
            (0..LAST_LOOKS).for_each(|_| std::hint::spin_loop());
        });
        // The next task comes soon, and whoever sleeps is late for it.
        let tasks = Arc::clone(&self.tasks);
        pool.spawn_broadcast(move |_| {
            wait_for(|| tasks.load(Ordering::Relaxed) != task);
        });
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

    use super::Crew;

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
