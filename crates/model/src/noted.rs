//! # What is noted of runs
//!
//! **Question.** Which places of a text does some run reach? A system is asked for the actions at many heads: some are those of runs, others
//! those of over-approximations, of checkers, of whoever wonders what would be possible.
//!
//! **Idea.** Explorers that only look at heads of runs say so ([`of_runs`]) while they look, and a system that cares notes what it is asked
//! then ([`is_of_runs`]). It is said for the thread that looks, so that systems around systems need not pass it on.
//!
//! **Needs.** That nobody who goes beyond what is reached says it: what is noted wrongly would hide an assertion that no run reaches.

use std::cell::Cell;

thread_local! {
    static OF_RUNS: Cell<bool> = const { Cell::new(false) };
}

/// Looks at heads that runs reach.
pub fn of_runs<R>(look: impl FnOnce() -> R) -> R {
    /// Ends it also where looking panics.
    struct Until(bool);
    impl Drop for Until {
        fn drop(&mut self) {
            OF_RUNS.set(self.0);
        }
    }
    let _until = Until(OF_RUNS.replace(true));
    look()
}

/// Whether a head that is looked at is one of a run.
#[must_use]
pub fn is_of_runs() -> bool {
    OF_RUNS.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_when_looking_is() {
        assert!(!is_of_runs());
        assert!(of_runs(is_of_runs));
        assert!(of_runs(|| of_runs(is_of_runs) && is_of_runs()));
        assert!(!is_of_runs());
        assert!(std::panic::catch_unwind(|| of_runs(|| panic!("on purpose"))).is_err());
        assert!(!is_of_runs());
    }
}
