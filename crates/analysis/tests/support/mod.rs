//! What several tests of programs need: from text to programs, from programs to what they do.

#![allow(dead_code, reason = "each test uses a part of this")]

use std::sync::Arc;

use selvedge_analysis::naive::{Level, Naive, NaiveError};
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, bp, weave};
use selvedge_model::System;
use selvedge_program::{Count, LowerError, Lowering, Program, Source, ThreadCounts};

/// How many random cases to try; `SELVEDGE_SEEDS=10000` makes tests thorough.
pub fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
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
