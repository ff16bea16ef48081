//! # A worker
//! Does what is asked, with its share of the states: opens a system, explores a bound together with the others, counts what it has.

use std::sync::Arc;
use std::time::{Duration, Instant};

use selvedge_analysis::Stop;
use selvedge_analysis::explore::share::{Hunt, Parcel, Place, Share, Split, Terms};
use selvedge_evidence::Evidence;
use selvedge_model::{Fault, Property, System};
use timely::worker::Worker;

use crate::Subject;
use crate::checkpoint;
use crate::control::Control;
use crate::mail::{Command, Count, Said};
use crate::post::Post;

/// How much a worker does between two looks at its parcels, in moves.
const PORTION: usize = 1 << 14;

/// How long a worker sleeps that has nothing to do, unless it is woken.
const NAP: Duration = Duration::from_millis(20);

/// How often a worker says how far it is.
const OFTEN: Duration = Duration::from_millis(500);

/// Works until everything ends. `collected` hears of all states, at the first worker.
pub(crate) fn run(
    worker: &mut Worker,
    mut control: Control,
    subject: &Arc<dyn Subject>,
    collected: &dyn Fn(Evidence),
) {
    let mut post = Post::new(worker);
    let mut next = None;
    loop {
        let command = match next.take() {
            Some(command) => command,
            None => wait(worker, &mut control),
        };
        match command {
            Command::End { code } => return subject.ended(code),
            Command::Open { form, symmetry, highest, most_threads, split } => {
                let most_threads = most_threads.map(|most| most as usize);
                let terms = Terms { symmetry, highest, most_threads };
                next = match subject.open(&form) {
                    Ok((system, properties)) => {
                        let (system, properties) = (&*system, &properties[..]);
                        let mut of = Exploration {
                            worker,
                            control: &mut control,
                            post: &mut post,
                            subject: &**subject,
                        };
                        of.run(system, properties, (terms, split.into()), collected)
                    }
                    Err(message) => {
                        control.say(Said::failed(Stop::Fault(Fault::new(message))));
                        None
                    }
                };
            }
            // The command to end has come too late: there is nothing to end any more.
            Command::Abort => {}
            Command::Places => control.say(Said::Places(subject.places())),
            _ => control.say(Said::failed(not_open())),
        }
    }
}

fn not_open() -> Stop {
    Stop::Fault(Fault::new("nothing is being explored"))
}

fn wait(worker: &mut Worker, control: &mut Control) -> Command {
    loop {
        control.pass_on();
        if let Some(command) = control.next() {
            return command;
        }
        worker.step_or_park(Some(NAP));
    }
}

struct Exploration<'w> {
    worker: &'w mut Worker,
    control: &'w mut Control,
    post: &'w mut Post,
    subject: &'w dyn Subject,
}

impl Exploration<'_> {
    /// Explores a system, until a command comes that is about something else.
    fn run(
        &mut self,
        system: &dyn System,
        properties: &[Property],
        (terms, split): (Terms, Split),
        collected: &dyn Fn(Evidence),
    ) -> Option<Command> {
        let (index, peers) = (self.worker.index(), self.worker.peers());
        let mut share = match Share::new(system, terms, split, (index, peers)) {
            Ok(share) => share,
            Err(stop) => {
                self.control.say(Said::failed(stop));
                return None;
            }
        };
        self.say_advanced(&share);
        loop {
            let command = wait(self.worker, self.control);
            match command {
                Command::Advance => {
                    let budget = self.subject.budget();
                    share.advance(&budget);
                    match self.together(&mut share) {
                        Ok(()) => self.say_advanced(&share),
                        Err(stop) => self.control.say(Said::failed(stop)),
                    }
                }
                Command::Show { earlier } => {
                    let said = match share.show(earlier, &self.subject.budget()) {
                        Ok(()) => Said::Done,
                        Err(stop) => Said::failed(stop),
                    };
                    self.control.say(said);
                }
                Command::Notice => {
                    let said = match share.notice(properties, &self.subject.budget()) {
                        Ok(noticed) => Said::Noticed(Count {
                            new_stored: noticed.new_stored as u64,
                            new_states: noticed.new_states,
                            new_visible: noticed.new_visible,
                            broken: noticed.broken.map(|property| property as u64),
                            largest: share.largest() as u64,
                            ..self.count(&share)
                        }),
                        Err(stop) => Said::failed(stop),
                    };
                    self.control.say(said);
                }
                Command::Collect => {
                    share.hand_over(0);
                    let said = match self.together(&mut share) {
                        Ok(()) => Said::Done,
                        Err(stop) => Said::failed(stop),
                    };
                    if index == 0 {
                        collected(share.certificate());
                    } else {
                        share.give_up();
                    }
                    self.control.say(said);
                }
                Command::Hunt { from, contexts, within, until } => {
                    let from = from.map(|(worker, number)| Place { worker, number });
                    let hunt = Hunt { from, contexts, within, until };
                    let hunted = share.hunt(hunt, properties, &self.subject.budget());
                    self.control.say(hunted.map_or_else(Said::failed, Said::from));
                }
                Command::Back => {
                    share.go_back();
                    let said = match self.together(&mut share) {
                        Ok(()) => Said::from(share.have_gone_back()),
                        Err(stop) => Said::failed(stop),
                    };
                    self.control.say(said);
                }
                Command::Waypoint { worker, number } => {
                    let told = if worker as usize == index { share.waypoint(number) } else { None };
                    self.control.say(told.map_or(Said::Done, |(bytes, next)| Said::Waypoint {
                        bytes,
                        next: next.map(|Place { worker, number }| (worker, number)),
                    }));
                }
                Command::Places => self.control.say(Said::Places(self.subject.places())),
                Command::Save { attempt } => {
                    let said = match &self.subject.checkpoints().save {
                        None => Err("this process has no folder for checkpoints".to_owned()),
                        Some(folder) => {
                            checkpoint::save(folder, &checkpoint::name(&attempt, index), &mut share)
                        }
                    };
                    self.control.say(said.map_or_else(Said::NotSaved, Said::Saved));
                }
                Command::Load { shares, bound } => {
                    let loaded = match &self.subject.checkpoints().load {
                        None => {
                            Err(Fault::new("this process has no checkpoint to go on from").into())
                        }
                        Some(folder) => {
                            checkpoint::load(folder, &shares, bound as usize, &mut share)
                        }
                    };
                    let said = loaded.map_or_else(Said::failed, |()| Said::Done);
                    self.control.say(said);
                }
                Command::Abort => {}
                Command::Open { .. } | Command::End { .. } => return Some(command),
            }
        }
    }

    /// The counts of a worker so far.
    fn count(&self, share: &Share<'_>) -> Count {
        let (states, bytes) = share.stored();
        let (states, bytes) = (states as u64, bytes as u64);
        let memory = self.subject.memory() as u64;
        Count { states, bytes, memory, ..Count::default() }.with_traffic(share.traffic())
    }

    fn say_advanced(&mut self, share: &Share<'_>) {
        let (is_visible, left_out) = (share.is_visible(), share.has_left_out());
        self.control.say(Said::Advanced { is_visible, left_out });
    }

    /// Does what is to be done together with all other workers, until all of them are done. Who cannot go on says so and throws away what
    /// comes, so that the others come to an end as well.
    fn together(&mut self, share: &mut Share<'_>) -> Result<(), Stop> {
        let budget = self.subject.budget();
        let mut out: Vec<Parcel> = Vec::new();
        let mut result = Ok(());
        let mut said = Instant::now();
        self.post.begin();
        while !self.post.is_over() {
            self.control.pass_on();
            if said.elapsed() >= OFTEN {
                said = Instant::now();
                self.control.say(Said::Working(self.count(share)));
            }
            if self.control.is_aborted() && result.is_ok() {
                share.give_up();
                result = Err(Stop::Cancelled);
            }
            for parcel in self.post.take() {
                if result.is_ok() {
                    result = share.receive(&parcel);
                    self.note_end(&result, share);
                }
                self.post.have_read(parcel.from);
            }
            let is_full = self.post.is_full();
            if result.is_ok() && !is_full {
                result = share.work(PORTION, &budget, &mut out);
                self.note_end(&result, share);
            }
            let is_busy = result.is_ok() && !share.is_idle();
            self.post.hand_in(&mut out, is_busy);
            self.worker.step();
            let waits = !is_busy || is_full;
            if waits && !self.post.is_over() && self.post.is_quiet() {
                self.worker.step_or_park(Some(NAP));
            }
        }
        result
    }

    fn note_end(&mut self, result: &Result<(), Stop>, share: &mut Share<'_>) {
        if result.is_err() {
            share.give_up();
            self.control.say(Said::Stuck);
        }
    }
}
