//! # The post
//! Parcels circulate in a dataflow with a loop: an operator hands in what this worker sends, a channel carries each parcel to the worker that it is for, and the
//! operator there puts it on a desk. The worker itself reads and writes at the desk between two steps of the dataflow.
//!
//! Time has two parts. The outer one is a *round*: a bound, or whatever all workers do together. The inner one says how often a parcel led to another one. While a worker has something
//! to do in a round, its operator keeps a capability for it. So a round is over when the progress protocol says that its time has passed: nobody has work, and no
//! parcel is under way.
//!
//! Whoever reads parcels sends a receipt for every few of them. A worker with many parcels under way to another one, which has not read them yet, makes no more; it goes on
//! reading, and nobody has to send anything but receipts to read, so that two who wait for each other both go on.

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

/// How many parcels a worker has under way to all others together, before it waits for receipts.
const UNDER_WAY: u64 = 128;

/// How many it has under way to one of them, however many there are; and however few.
const LEAST_UNDER_WAY: u64 = 4;
const MOST_UNDER_WAY: u64 = 16;

/// The state that the dataflow operator shares with its worker.
#[derive(Default)]
struct Desk {
    inbox: VecDeque<Parcel>,
    outbox: Vec<Mail>,
    /// Whether the worker has work beside its parcels.
    is_busy: bool,
    /// By worker, how many parcels went there that nobody has read yet, as far as receipts say.
    under_way: Vec<u64>,
    /// By worker, how many parcels of it were read since the last receipt.
    read: Vec<u64>,
}

impl Desk {
    /// Takes a piece of mail: its receipt, and its parcel if it has one.
    fn receive(&mut self, mail: Mail) {
        if let Some(under_way) = self.under_way.get_mut(mail.from as usize) {
            *under_way = under_way.saturating_sub(mail.read);
        }
        if !mail.bytes.is_empty() {
            self.inbox.push_back(mail.into());
        }
    }
}

/// The way to other workers.
pub(crate) struct Post {
    input: InputHandleVec<u64, ()>,
    probe: ProbeHandle<Time>,
    desk: Rc<RefCell<Desk>>,
    activator: Activator,
    round: u64,
    index: u64,
    /// How many parcels may be under way to one worker.
    most: u64,
}

impl Post {
    /// Builds the dataflow.
    pub fn new(worker: &mut Worker) -> Self {
        let (index, peers) = (worker.index() as u64, worker.peers());
        let none = vec![0; peers];
        let desk = Desk { under_way: none.clone(), read: none, ..Desk::default() };
        let desk = Rc::new(RefCell::new(desk));
        let most = (UNDER_WAY / peers as u64).clamp(LEAST_UNDER_WAY, MOST_UNDER_WAY);
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
                                mail.drain(..).for_each(|mail| desk.receive(mail));
                            });
                            let Some(capability) = &held else { return };
                            let mut session = output.session(capability);
                            session.give_iterator(desk.outbox.drain(..));
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
        Post { input, probe, desk, activator, round: 0, index, most }
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

    /// Notes that a parcel of a worker was read.
    pub fn have_read(&self, from: usize) {
        let desk = &mut *self.desk.borrow_mut();
        let Some(read) = desk.read.get_mut(from) else { return };
        *read += 1;
        if *read * 4 >= self.most {
            let read = std::mem::take(read);
            desk.outbox.push(Mail { to: from as u64, from: self.index, read, bytes: Vec::new() });
        }
    }

    /// Whether too many parcels are under way to some worker to make more now.
    pub fn is_full(&self) -> bool {
        self.desk.borrow().under_way.iter().any(|&under_way| under_way >= self.most)
    }

    /// Whether no parcel waits for this worker.
    pub fn is_quiet(&self) -> bool {
        self.desk.borrow().inbox.is_empty()
    }

    /// Hands parcels in, and says whether the worker has more to do.
    pub fn hand_in(&self, parcels: &mut Vec<Parcel>, is_busy: bool) {
        let desk = &mut *self.desk.borrow_mut();
        for parcel in parcels.drain(..) {
            if let Some(under_way) = desk.under_way.get_mut(parcel.to) {
                *under_way += 1;
            }
            desk.outbox.push(parcel.into());
        }
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
