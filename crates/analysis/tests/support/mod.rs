//! What several tests of programs need: from text to programs, from programs to what they do.

#![allow(dead_code, reason = "each test uses a part of this")]

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_analysis::naive::{Level, Naive, NaiveError};
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, bp, weave};
use selvedge_model::{State, System, step};
use selvedge_program::{Count, LowerError, Lowering, Program, Source, ThreadCounts};

/// How many random cases to try; `SELVEDGE_SEEDS=10000` makes tests thorough.
pub fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The seeds of random cases to try: as many as [`many`] says; `SELVEDGE_FROM=1000` begins with that one.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let from = std::env::var("SELVEDGE_FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    from..from + many(usual)
}

/// The program that a `.weave` text means; panics if it is not accepted.
pub fn read_weave(text: &str) -> Program {
    read(text, "test.weave")
}

/// The program that a `.bp` text means; panics if it is not accepted.
pub fn read_bp(text: &str) -> Program {
    read(text, "test.bp")
}

fn read(text: &str, name: &str) -> Program {
    let source = Source::new(name, text);
    let parse = if name.ends_with("bp") { bp::parse } else { weave::parse };
    let (file, mut diagnostics) = parse(&source);
    let (program, more) = check(&file, &CheckOptions::default());
    diagnostics.extend(more);
    let diagnostics = Diagnostics::new(source, diagnostics);
    assert!(!diagnostics.has_errors(), "{text}\n{diagnostics}");
    program.expect("a program, since there are no errors")
}

/// The program as a system. Where there may be any number of threads, there is one.
pub fn lower(program: &Program, text: &str) -> Result<Lowering, LowerError> {
    let any = program.threads.iter().filter(|t| t.count == Count::Any);
    let counts: ThreadCounts = any.map(|t| (t.name.clone(), 1)).collect();
    Lowering::new(Arc::new(program.clone()), Arc::new(Source::new("test.weave", text)), &counts)
}

/// The system of a `.weave` text.
pub fn system(text: &str) -> Lowering {
    lower(&read_weave(text), text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// Numbers that look random.
pub struct Dice(u64);

impl Dice {
    /// Dice that fall the same way whenever the seed is the same.
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number from 0 to one less than this one.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Visits each state that steps lead to, once, with whether no thread can act in it. A state that has gone wrong is visited,
/// but not followed.
pub fn visit_states(system: &dyn System, mut visit: impl FnMut(&State, bool)) {
    let mut met: BTreeSet<State> = system.initial().unwrap().into_iter().collect();
    let mut todo: Vec<State> = met.iter().cloned().collect();
    while let Some(state) = todo.pop() {
        if system.wrong(state.shared).is_some() {
            visit(&state, false);
            continue;
        }
        let mut is_stuck = true;
        for thread in state.thread_ids() {
            for (_, next) in step(system, &state, thread).unwrap() {
                is_stuck = false;
                if met.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        visit(&state, is_stuck);
    }
}

/// What a system does, bound by bound.
#[derive(Debug)]
pub struct Behaviour {
    /// What is new at each bound, as far as it was completed.
    pub levels: Vec<Level>,
    /// The least bound at which it goes wrong, with a reason.
    pub wrong: Option<(usize, String)>,
    /// Why the enumeration ended early.
    pub stopped: Option<NaiveError>,
}

impl Behaviour {
    /// Enumerates up to a bound, with a limit on the number of configurations.
    pub fn of(system: &dyn System, bound: usize, limit: usize) -> Self {
        let mut behaviour = Behaviour { levels: Vec::new(), wrong: None, stopped: None };
        let mut naive = match Naive::with_limit(system, limit) {
            Ok(naive) => naive,
            Err(error) => return Behaviour { stopped: Some(error), ..behaviour },
        };
        behaviour.levels.push(naive.level());
        while behaviour.levels.len() <= bound && behaviour.stopped.is_none() {
            match naive.advance() {
                Ok(level) => behaviour.levels.push(level),
                Err(error) => behaviour.stopped = Some(error),
            }
        }
        let completed = behaviour.completed();
        let wrong = naive.states().filter(|(_, bound)| Some(*bound) <= completed);
        let wrong = wrong.filter_map(|(s, bound)| Some((bound, system.wrong(s.shared)?)));
        behaviour.wrong = wrong.min();
        behaviour
    }

    /// The largest bound that was completed.
    pub fn completed(&self) -> Option<usize> {
        self.levels.len().checked_sub(1)
    }

    /// The least bound at which it goes wrong.
    pub fn wrong_at(&self) -> Option<usize> {
        self.wrong.as_ref().map(|(bound, _)| *bound)
    }

    /// New states and new visible states at each bound.
    pub fn counts(&self) -> Vec<(usize, usize)> {
        self.levels.iter().map(|level| (level.new_states, level.new_visible)).collect()
    }
}
