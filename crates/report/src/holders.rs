//! # Who holds which lock
//! A lock of a program says that it is held; who reads a schedule wants to know by whom. Whoever acted last when it was first
//! seen to be held has taken it.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_model::{Datum, System, Values};

/// The threads that hold locks, along a run.
#[derive(Clone)]
pub(crate) struct Holders {
    /// The variables that are locks; all that say *held* where statements are told together.
    locks: Option<BTreeSet<String>>,
    /// By the names of the locks, or of elements of arrays of them.
    threads: BTreeMap<String, String>,
}

impl Holders {
    /// Begins with no lock held.
    pub fn new(system: &dyn System) -> Self {
        let describe = system.describe();
        let locks = (!describe.tells_statements())
            .then(|| describe.locks().iter().map(|name| without_indices(name)).collect());
        Holders { locks, threads: BTreeMap::new() }
    }

    /// The shared values after a step of a thread, with those who hold the locks.
    pub fn follow(&mut self, thread: &str, values: Values) -> Values {
        if self.locks.as_ref().is_some_and(BTreeSet::is_empty) {
            return values;
        }
        let told = |(name, value): (String, Datum)| match self.is_lock(&name) {
            true => (name.clone(), self.tell(thread, &name, value)),
            false => (name, value),
        };
        values.into_iter().map(told).collect()
    }

    fn tell(&mut self, thread: &str, name: &str, value: Datum) -> Datum {
        if let Datum::List(elements) = value {
            let each = elements.into_iter().enumerate();
            let told = each.map(|(at, one)| self.tell(thread, &format!("{name}[{at}]"), one));
            return Datum::List(told.collect());
        }
        if value != "held" {
            self.threads.remove(name);
            return value;
        }
        let holder = self.threads.entry(name.to_owned()).or_insert_with(|| thread.to_owned());
        Datum::Name(format!("held by {holder}"))
    }

    /// Whether a variable, or an element of it, is a lock.
    pub fn is_lock(&self, name: &str) -> bool {
        self.locks.as_ref().is_none_or(|locks| locks.contains(&without_indices(name)))
    }

    /// Whether a variable with this value is a lock.
    pub fn is_lock_that_is(&self, name: &str, value: &str) -> bool {
        match self.locks {
            Some(_) => self.is_lock(name),
            None => matches!(value, "free" | "held"),
        }
    }

    /// The thread that holds a lock.
    pub fn of(&self, lock: &str) -> Option<&str> {
        self.threads.get(lock).map(String::as_str)
    }
}

/// The name of a variable, or of an element or a member of one, without any index: `q[1].l` is `q.l`.
fn without_indices(name: &str) -> String {
    let mut depth = 0_usize;
    let mut bare = String::new();
    for c in name.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    bare
}
