//! # Edges as relations
//!
//! **Question.** What does an edge do to *all* configurations at once? Symbolic engines need a
//! relation between the values before and after, not one outcome after the other.
//!
//! **Idea.** The edge is executed as always, on the configuration in which every slot is
//! open. A slot gets a value when it is read, by a choice; so the runs over all choices are the
//! cases of a decision: these values were read, those were written. What was not read does not
//! matter, what was not written stays the same.
//!
//! **Claim.** The cases are exactly what the machine does, since it is the machine that does it: a
//! configuration has an outcome if and only if some case fits it and says so.

use super::run::Purpose;
use super::words::Leaves;
use super::{Fault, Frame, Machine, Shared};
use crate::{Control, EdgeId, Slot, Value};

/// A relation does not have more cases than this.
pub(super) const MOST_CASES: usize = 1 << 16;

/// One case of an edge: what it does to configurations with certain values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The values before. What is not listed may be anything.
    pub reads: Vec<(Slot, Value)>,
    /// The values after; an open one may be anything of its kind. What is not listed stays.
    pub writes: Vec<(Slot, Value)>,
    /// How the thread goes on.
    pub effect: Becomes,
}

/// How a thread goes on after a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Becomes {
    /// It stands at the end of the edge.
    Goto,
    /// It calls; the values of the parameters, slot by slot.
    Call(Vec<Value>),
    /// It leaves the procedure, with what is written to [`Slot::Result`].
    Return,
    /// It goes wrong, and this is why.
    Wrong(String),
}

impl Machine {
    /// All cases of an edge, for a thread that owns locks under this number.
    pub fn cases(&self, id: EdgeId, owner: u32) -> Result<Vec<Case>, Fault> {
        let edge = self.code.edge(id);
        if edge.starts {
            let message = "a thread is started here; this engine needs a fixed number of threads";
            return Err(Fault::at(edge.site, message));
        }
        let layout = &self.frames[self.code.location(edge.from).proc.index()];
        let frame = Frame { loc: edge.from, memory: layout.open(), owner };
        let results = match edge.control {
            Control::Receive(proc) => self.code.proc(proc).results.len(),
            _ => 0,
        };
        let mut shared = Shared::new(self.shared.open());
        shared.returned = (results > 0).then(|| vec![Value::Open; results].into());
        let mut cases = Vec::new();
        self.runs(&shared, &frame, id, &mut None, Purpose::Cases, |mut run, wrong| {
            let mut writes = Vec::new();
            let values = [
                (
                    Slot::Global as fn(usize) -> Slot,
                    run.globals.values(&self.shared).collect::<Vec<_>>(),
                ),
                (Slot::Local, run.locals.values(layout).collect()),
            ];
            for (slot, values) in values {
                for (index, after) in values.into_iter().enumerate() {
                    let slot = slot(index);
                    let read = run.settled.iter().find(|(s, _)| *s == slot);
                    let before = read.map_or(&Value::Open, |(_, value)| value);
                    if after != *before || (after == Value::Open && run.opened.contains(&slot)) {
                        writes.push((slot, after));
                    }
                }
            }
            let effect = match (wrong, &run.leaves, &run.new) {
                (Some(reason), ..) => Becomes::Wrong(reason),
                (None, Leaves::Calls, Some(new)) => {
                    let callee = &self.frames[new.proc.index()];
                    let entry = self.code.proc(new.proc).entry;
                    let frame = self.frame(entry, new.memory.clone(), owner);
                    Becomes::Call(frame.memory.values(callee).collect())
                }
                (None, Leaves::Returns, _) => Becomes::Return,
                _ => Becomes::Goto,
            };
            if effect == Becomes::Return {
                let results = run.returned().into_iter().flatten();
                writes.extend(results.enumerate().map(|(index, v)| (Slot::Result(index), v)));
            }
            cases.push(Case { reads: run.settled, writes, effect });
        })?;
        Ok(cases)
    }
}
