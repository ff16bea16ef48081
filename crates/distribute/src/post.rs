//! # The post
//! Parcels circulate in a dataflow with a loop: an operator hands in what this worker sends, a channel carries each parcel to the worker that it is for, and the
//! operator there puts it on a desk. The worker itself reads and writes at the desk between two steps of the dataflow.
//!
//! Time has two parts. The outer one is a *round*: a bound, or whatever all workers do together. The inner one says how often a parcel led to another one. While a worker has something
//! to do in a round, its operator keeps a capability for it. So a round is over when the progress protocol says that its time has passed: nobody has work, and no
//! parcel is under way.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use selvedge_analysis::explore::share::Parcel;
use timely::dataflow::channels::pact::{Exchange, Pipeline};
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Enter, Input, LoopVariable, Probe};
use timely::dataflow::{InputHandleVec, ProbeHandle};
use timely::order::Product;
use timely::scheduling::Activator;
use timely::worker::Worker;

use crate::mail::Mail;

/// A round, and how often a parcel led to another one.
type Time = Product<u64, u64>;

/// What lies between the operator and its worker.
#[derive(Default)]
struct Desk {
    inbox: VecDeque<Parcel>,
    outbox: Vec<Parcel>,
    /// Whether the worker has work beside its parcels.
    is_busy: bool,
}

/// The way to other workers.
pub(crate) struct Post {
    input: InputHandleVec<u64, ()>,
    probe: ProbeHandle<Time>,
    desk: Rc<RefCell<Desk>>,
    activator: Activator,
    round: u64,
}

impl Post {
    /// Builds the dataflow.
    pub fn new(worker: &mut Worker) -> Self {
        let desk: Rc<RefCell<Desk>> = Rc::default();
        let probe = ProbeHandle::new();
        let (input, activator) = worker.dataflow::<u64, _, _>(|scope| {
            let (input, rounds) = scope.new_input::<Vec<()>>();
            let activator = scope.iterative::<u64, _, _>(|inner| {
                let (handle, cycle) = inner.loop_variable::<Vec<Mail>>(1);
                let mut activator = None;
                let desk = Rc::clone(&desk);
                let sent = rounds.enter(inner).binary(
                    cycle,
                    Pipeline,
                    Exchange::new(|mail: &Mail| mail.to),
                    "Post",
                    |_, info| {
                        activator = Some(inner.activator_for(info.address));
                        let mut held: Option<Capability<Time>> = None;
                        move |rounds, mail, output| {
                            let desk = &mut *desk.borrow_mut();
                            rounds.for_each(|time, _| {
                                hold(&mut held, time.retain(output.output_index()));
                            });
                            mail.for_each(|time, mail| {
                                hold(&mut held, time.retain(output.output_index()));
                                desk.inbox.extend(mail.drain(..).map(Parcel::from));
                            });
                            let Some(capability) = &held else { return };
                            let mut session = output.session(capability);
                            session.give_iterator(desk.outbox.drain(..).map(Mail::from));
                            drop(session);
                            if !desk.is_busy && desk.inbox.is_empty() {
                                held = None;
                            }
                        }
                    },
                );
                sent.probe_with(&probe).connect_loop(handle);
                activator
            });
            (input, activator)
        });
        // The operator was built just now.
        let activator = activator.unwrap_or_else(|| worker.activator_for(Rc::from([])));
        Post { input, probe, desk, activator, round: 0 }
    }

    /// Begins a round. The worker is busy until it says that it is not.
    pub fn begin(&mut self) {
        self.desk.borrow_mut().is_busy = true;
        self.input.send(());
        self.round += 1;
        self.input.advance_to(self.round);
        self.input.flush();
    }

    /// Whether the round is over for everybody.
    pub fn is_over(&self) -> bool {
        let last = Product::new(self.round - 1, u64::MAX);
        !self.probe.less_equal(&last)
    }

    /// The parcels that have come.
    pub fn take(&self) -> VecDeque<Parcel> {
        std::mem::take(&mut self.desk.borrow_mut().inbox)
    }

    /// Whether no parcel waits for this worker.
    pub fn is_quiet(&self) -> bool {
        self.desk.borrow().inbox.is_empty()
    }

    /// Hands parcels in, and says whether the worker has more to do.
    pub fn hand_in(&self, parcels: &mut Vec<Parcel>, is_busy: bool) {
        let desk = &mut *self.desk.borrow_mut();
        desk.outbox.append(parcels);
        desk.is_busy = is_busy;
        self.activator.activate();
    }
}

/// Keeps the later one of two capabilities of a round: what is sent because of an earlier parcel may be sent later.
fn hold(held: &mut Option<Capability<Time>>, capability: Capability<Time>) {
    let is_later = held.as_ref().is_none_or(|held| {
        let (old, new) = (held.time(), capability.time());
        (old.outer, old.inner) < (new.outer, new.inner)
    });
    if is_later {
        *held = Some(capability);
    }
}
