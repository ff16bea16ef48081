//! # Who holds which lock
//! A lock of a program says that it is held; who reads a schedule wants to know by whom. Whoever acted last when it was first
//! seen to be held has taken it.

use std::collections::BTreeMap;

use selvedge_model::{Datum, System, Values};

/// The threads that hold locks, along a run.
pub(crate) struct Holders {
    /// By the names of the locks; nothing where locks are told without.
    threads: Option<BTreeMap<String, String>>,
}

impl Holders {
    /// Nobody holds anything yet.
    pub fn new(system: &dyn System) -> Self {
        Holders { threads: system.describe().tells_statements().then(BTreeMap::new) }
    }

    /// The shared values after a step of a thread, with those who hold the locks.
    pub fn follow(&mut self, thread: &str, values: Values) -> Values {
        let Some(threads) = &mut self.threads else { return values };
        let mut told = |(name, value): (String, Datum)| {
            if value != "held" {
                threads.remove(&name);
                return (name, value);
            }
            let holder = threads.entry(name.clone()).or_insert_with(|| thread.to_owned());
            let value = Datum::Name(format!("held by {holder}"));
            (name, value)
        };
        values.into_iter().map(&mut told).collect()
    }
}
