//! # Coverage
//!
//! **Question.** A proof says that no assertion fails. Does any run get to the assertions at all? Which lines does no run execute?
//!
//! **Idea.** The lowering notes each location at which a thread of a run stands when it is asked what the thread can do
//! ([`selvedge_model::of_runs`]). A thread that stands at an assertion evaluates it; one that stands at an `assume` may wait there for ever, and what
//! comes after it is not reached.
//!
//! An assertion of `false` is another matter: in a program that is right nobody gets there. It counts as reached if the
//! decision is reached whether to go there: the test directly before it, with no statement between but calls that lead to it. Where there is one, a run
//! that is to get there executes it, and where none does, nothing is known of what it leads to.
//!
//! **Claim.** After an exploration of all that is reachable, what is not noted is reached by no run: every local state of every thread in a
//! reachable state was asked for its actions. Inside of an atomic section, what was executed before the section got stuck counts as well.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_core::Control;
use selvedge_core::machine::Way;

use super::Lowering;
use crate::flow::{Command, EdgeId, Loc};
use crate::{Expr, ExprKind, Span, Value};

/// The locations that runs have got to. Several workers may note them at once.
pub(super) struct Noted(Vec<AtomicBool>);

impl Noted {
    pub fn new(locations: usize) -> Self {
        Noted((0..locations).map(|_| AtomicBool::new(false)).collect())
    }

    fn add(&self, loc: Loc) {
        if let Some(noted) = self.0.get(loc.index()).filter(|noted| !noted.load(Ordering::Relaxed))
        {
            noted.store(true, Ordering::Relaxed);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|noted| !noted.load(Ordering::Relaxed))
    }

    fn has(&self, loc: Loc) -> bool {
        self.0.get(loc.index()).is_some_and(|noted| noted.load(Ordering::Relaxed))
    }
}

/// An assertion of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Assertion {
    /// The line that it stands in.
    pub line: u32,
    /// Whether it asserts `false`.
    pub is_false: bool,
    /// Whether some run evaluates it; of an assertion of `false`, whether some run decides to go there or not.
    pub is_reached: bool,
}

/// The assertions and lines that runs have executed so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// The assertions, by their lines.
    pub assertions: Vec<Assertion>,
    /// The lines with statements none of which was executed, in rising order. Assertions that are reached are not among them.
    /// `None` where lines are not looked at.
    pub unexecuted: Option<Vec<u32>>,
}

impl Coverage {
    /// How many assertions some run evaluates.
    #[must_use]
    pub fn reached(&self) -> usize {
        self.assertions.iter().filter(|assertion| assertion.is_reached).count()
    }

    /// The lines of assertions that no run evaluates.
    #[must_use]
    pub fn unreached(&self) -> Vec<u32> {
        let unreached = self.assertions.iter().filter(|assertion| !assertion.is_reached);
        let lines: BTreeSet<u32> = unreached.map(|assertion| assertion.line).collect();
        lines.into_iter().collect()
    }
}

impl Lowering {
    /// Notes where a thread of a run stands, and where its ways through an atomic section lead.
    pub(super) fn note(&self, loc: Loc, ways: &[Way]) {
        self.noted.add(loc);
        for way in ways {
            let edge = self.machine.code.edge(way.edge);
            self.noted.add(edge.from);
            match edge.control {
                Control::Call(proc) => self.noted.add(self.machine.code.proc(proc).entry),
                Control::Return => {}
                _ => self.noted.add(edge.to),
            }
        }
    }

    /// The places that runs have got to, by numbers that are the same wherever this program is lowered.
    #[must_use]
    pub fn noted_places(&self) -> Vec<u32> {
        let places = (0_u32..).zip(&self.noted.0);
        places.filter(|(_, noted)| noted.load(Ordering::Relaxed)).map(|(place, _)| place).collect()
    }

    /// Notes places that runs have got to somewhere else.
    pub fn note_places(&self, places: &[u32]) {
        for &place in places {
            if let Some(noted) = self.noted.0.get(place as usize) {
                noted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether no run was followed in this system.
    #[must_use]
    pub fn has_noted_nothing(&self) -> bool {
        self.noted.is_empty()
    }

    /// What all runs have executed that were followed in this system. Not all that is asserted was written to be: what a front end asserts
    /// so that a construct is defined is none of the assertions, nor is what somebody else leaves out.
    #[must_use]
    pub fn coverage(&self, is_left_out: impl Fn(Span) -> bool) -> Coverage {
        let is_written = |span| !self.program.reasons.contains_key(&span) && !is_left_out(span);
        let before = self.before();
        let mut assertions: BTreeMap<(u32, Loc), Assertion> = BTreeMap::new();
        let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
        for edge in &self.flow.edges {
            let Some(line) = self.line(edge.span) else { continue };
            let mut is_reached = self.noted.has(edge.from);
            if let Command::Assert(claim) = &edge.command
                && is_written(edge.span)
            {
                let is_false = is_false(claim);
                is_reached |= is_false && self.is_decided(edge.from, &before);
                assertions.insert((line, edge.from), Assertion { line, is_false, is_reached });
            }
            if is_statement(&edge.command) {
                *lines.entry(line).or_default() |= is_reached;
            }
        }
        let unexecuted = lines.into_iter().filter(|(_, done)| !done).map(|(line, _)| line);
        Coverage {
            assertions: assertions.into_values().collect(),
            unexecuted: Some(unexecuted.collect()),
        }
    }

    /// The edges that lead to each location; to the first one of a procedure, its calls.
    fn before(&self) -> Vec<Vec<EdgeId>> {
        let mut before = vec![Vec::new(); self.flow.locations.len()];
        for (index, edge) in self.flow.edges.iter().enumerate() {
            let to = match edge.command {
                Command::Call { proc, .. } => self.flow.entries[proc.index()],
                Command::Return(_) => continue,
                _ => edge.to,
            };
            before[to.index()].push(EdgeId(index as u32));
        }
        before
    }

    /// Whether a run gets to a test from which the way to a location leads through no statement but calls.
    fn is_decided(&self, loc: Loc, before: &[Vec<EdgeId>]) -> bool {
        let mut seen = BTreeSet::from([loc]);
        let mut work = vec![loc];
        while let Some(loc) = work.pop() {
            for &edge in &before[loc.index()] {
                let edge = self.flow.edge(edge);
                match edge.command {
                    Command::Test { .. } | Command::TestAttempt { .. }
                        if self.noted.has(edge.from) =>
                    {
                        return true;
                    }
                    Command::Call { .. } if seen.insert(edge.from) => work.push(edge.from),
                    _ if !is_statement(&edge.command) && seen.insert(edge.from) => {
                        work.push(edge.from);
                    }
                    _ => {}
                }
            }
        }
        false
    }
}

fn is_false(claim: &Expr) -> bool {
    matches!(&claim.kind, ExprKind::Const(value) if *value == Value::FALSE)
}

/// Whether a command is something that somebody wrote to be executed: not a jump, nor what follows from a call.
fn is_statement(command: &Command) -> bool {
    !matches!(
        command,
        Command::Skip
            | Command::AtomicBegin
            | Command::AtomicEnd
            | Command::Receive { .. }
            | Command::Return(_)
    )
}
