//! # Outcomes
//! What one edge does to one configuration, for every combination of choices.

use super::cases::MOST_CASES;
use super::words::{Fault, Halt, Leaves, Words};
use super::{Frame, MOST_COMBINATIONS, MOST_VALUES, Machine, Shared, Wrong};
use crate::{Choices, EdgeId, Footprint, Loc, Memory, ProcId, Site, evaluate};

/// One result of taking an edge: the state after it, and what becomes of the thread.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The shared state after the edge.
    pub shared: Shared,
    /// The frames that replace the top frame.
    pub next: Next,
    /// A thread that was started.
    pub started: Option<Box<Started>>,
    /// The fair choices that were made, each once, in rising order.
    pub fair: Vec<(Site, bool)>,
}

/// What replaces the top frame.
#[derive(Clone, Debug)]
pub enum Next {
    /// This one takes its place.
    Goto(Frame),
    /// The two frames of a call take its place.
    Call(Box<Call>),
    /// The frame is removed.
    Return,
}

/// The frames of a call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The frame of the called procedure, on top.
    pub callee: Frame,
    /// The one below, to which the callee returns.
    pub caller: Frame,
}

/// A thread that an edge starts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Started {
    /// The procedure that it runs.
    pub proc: ProcId,
    /// The first frame of the thread.
    pub frame: Frame,
    /// Its id; 0 if the program does not keep it.
    pub id: u32,
}

/// Memories of a run that led nowhere, for the next one.
pub(super) type Spare = Option<(Memory, Memory)>;

/// The purpose of executing an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Find its outcomes. A result that is open stays open when it is received.
    Outcomes,
    /// Find its outcomes, and what it touches on the way.
    Deeds,
    /// Find the cases of its relation. A result that is open gets a value.
    Cases,
}

impl Purpose {
    /// More combinations than this are not tried.
    fn most(self) -> usize {
        match self {
            Purpose::Outcomes | Purpose::Deeds => MOST_COMBINATIONS,
            Purpose::Cases => MOST_CASES,
        }
    }
}

impl Outcome {
    /// Where the thread stands after the step, unless it called or returned.
    pub(super) fn location(&self) -> Option<Loc> {
        match &self.next {
            Next::Goto(frame) => Some(frame.loc),
            _ => None,
        }
    }
}

impl Machine {
    /// Tells all outcomes of an edge from a configuration.
    pub(super) fn outcomes(
        &self,
        shared: &Shared,
        frame: &Frame,
        id: EdgeId,
        spare: &mut Spare,
        mut tell: impl FnMut(Outcome),
    ) -> Result<(), Fault> {
        self.runs(shared, frame, id, spare, Purpose::Outcomes, |run, wrong| {
            tell(match wrong {
                Some(reason) => run.wrong(frame, Wrong { edge: id, reason }),
                None => run.outcome(frame, self.code.edge(id).to),
            });
        })
    }

    /// What an edge touches from one configuration, whatever is chosen. A run that goes wrong or cannot happen
    /// touches what it looks at.
    pub fn touched(&self, shared: &Shared, frame: &Frame, id: EdgeId) -> Result<Footprint, Fault> {
        let edge = self.code.edge(id);
        let mut choices = Choices::default();
        let mut touched = Box::new(Footprint::default());
        for _ in 0..MOST_COMBINATIONS {
            let mut run = Words::new(self, shared, frame, &mut choices);
            run.touched = Some(touched);
            let done = evaluate::execute(&mut run, &edge.code, edge.temps);
            touched = run.touched.take().unwrap_or_default();
            if let Err(Halt::Fault(fault)) = done {
                return Err(*fault);
            }
            if !choices.advance() {
                return Ok(*touched);
            }
        }
        Err(Fault::at(edge.site, "this statement has too many combinations of values"))
    }

    /// Executes an edge once for each combination of choices. Tells every run that happens, and why it went
    /// wrong if it did.
    pub(super) fn runs(
        &self,
        shared: &Shared,
        frame: &Frame,
        id: EdgeId,
        spare: &mut Spare,
        asked: Purpose,
        mut happens: impl FnMut(Words<'_>, Option<String>),
    ) -> Result<(), Fault> {
        let edge = self.code.edge(id);
        let mut choices = Choices::default();
        let slots = self.shared.slots() + self.code.proc_of(frame.loc).frame.len();
        let most = asked.most().min(MOST_VALUES / slots.max(1)).max(1);
        // Combinations that lead nowhere take their time, too.
        for tried in 1.. {
            let mut run = Words::again(self, shared, frame, &mut choices, spare);
            run.settles_results = asked == Purpose::Cases;
            run.touched = (asked == Purpose::Deeds).then(Box::default);
            let mut done = evaluate::execute(&mut run, &edge.code, edge.temps);
            if done.is_ok() && self.chooses_at_once && asked != Purpose::Cases {
                done = run.choose_at_once(edge.to);
            }
            match done {
                Ok(()) => happens(run, None),
                Err(Halt::Blocked) => *spare = Some((run.globals, run.locals)),
                Err(Halt::Wrong(why)) => happens(run, Some(why.to_string())),
                Err(Halt::Fault(fault)) => return Err(*fault),
            }
            if !choices.advance() {
                break;
            }
            if tried == most {
                let message = format!(
                    "this statement has more than {most} combinations of values: split it, or use \
                     smaller types or shorter arrays"
                );
                return Err(Fault::at(edge.site, message));
            }
        }
        Ok(())
    }

    /// The state after a thread has ended: the bottom of its stack is taken.
    #[must_use]
    pub fn after_end(&self, shared: &Shared, id: u32) -> Shared {
        let mut after = Shared { returned: None, ..shared.clone() };
        if id > 0 {
            self.end(&mut after, id);
        }
        after
    }
}

impl Words<'_> {
    /// The results that are on their way after the run.
    pub(super) fn returned(&mut self) -> Option<Box<[crate::Value]>> {
        match self.leaves {
            Leaves::Returns => {
                let results = std::mem::take(&mut self.results);
                (!results.is_empty()).then(|| results.into())
            }
            _ if self.taken => None,
            _ => self.before.returned.clone(),
        }
    }

    pub(super) fn outcome(mut self, frame: &Frame, to: Loc) -> Outcome {
        let machine = self.machine;
        let returned = self.returned();
        let stay = machine.frame(to, self.locals, frame.owner);
        let next = match (self.leaves, self.new) {
            (Leaves::Stays, _) => Next::Goto(stay),
            (Leaves::Calls, Some(new)) => {
                let entry = machine.code.proc(new.proc).entry;
                let callee = machine.frame(entry, new.memory, frame.owner);
                Next::Call(Box::new(Call { callee, caller: stay }))
            }
            _ => Next::Return,
        };
        let before = self.before;
        let mut shared = Shared {
            memory: self.globals,
            returned,
            held: copied(&before.held),
            ended: copied(&before.ended),
            wrong: before.wrong.clone(),
        };
        let put = match &next {
            Next::Goto(frame) => [Some(frame), None],
            Next::Call(call) => [Some(&call.callee), Some(&call.caller)],
            Next::Return => [None, None],
        };
        let mut started = self.started;
        machine.recount(&mut shared, frame, put, started.as_deref_mut());
        Outcome { shared, next, started, fair: each_once(self.fair) }
    }

    /// The outcome of a run that went wrong: the thread stays where it is.
    pub(super) fn wrong(self, frame: &Frame, wrong: Wrong) -> Outcome {
        let shared = Shared { wrong: Some(Box::new(wrong)), ..Shared::new(self.globals) };
        Outcome {
            shared,
            next: Next::Goto(frame.clone()),
            started: None,
            fair: each_once(self.fair),
        }
    }
}

/// A copy. Most lists of ids are empty.
#[inline]
fn copied<T: Clone>(list: &[T]) -> Box<[T]> {
    if list.is_empty() { Box::default() } else { list.into() }
}

fn each_once(mut fair: Vec<(Site, bool)>) -> Vec<(Site, bool)> {
    fair.sort_unstable();
    fair.dedup();
    fair
}
