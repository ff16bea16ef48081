//! # A process of a run
//! Processes meet ([`crate::net`]), and each starts its workers. The first one asks, and has a [`Fleet`]; the others work until they hear that all is over, or that somebody is lost.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Hooks, WorkerGuards};

use crate::Subject;
use crate::fleet::{First, Fleet, Parts, start_workers};
use crate::net::{Health, Hosts, Identity, Link, Meeting, Secret, meet};

/// How long last words may take.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The identity of this process, and the processes that it meets.
#[derive(Clone, Debug)]
pub struct Member {
    /// The addresses of all processes.
    pub hosts: Hosts,
    /// Which of them this one is.
    pub process: usize,
    /// How many workers each of them has.
    pub jobs: usize,
    /// What all processes must agree about.
    pub identity: Identity,
    /// The secret that the processes share.
    pub secret: Secret,
    /// How long they wait for each other.
    pub patience: Duration,
    /// Ends the wait when it is set.
    pub cancelled: Arc<AtomicBool>,
}

/// Connections to other processes, and whether all of them are there.
#[derive(Default)]
pub(crate) struct Connections {
    pub health: Arc<Health>,
    writers: Vec<Arc<Mutex<crate::net::Writer>>>,
}

impl Connections {
    /// Tells all others why this process ends, as long as they listen.
    pub fn say_last(&self, words: &str) {
        let said = self.writers.iter().map(|writer| {
            let (writer, words) = (Arc::clone(writer), words.to_owned());
            thread::spawn(move || {
                writer.lock().unwrap_or_else(PoisonError::into_inner).say_last(&words);
            })
        });
        let said: Vec<_> = said.collect();
        let pause = Duration::from_millis(10);
        let mut waited = Duration::ZERO;
        while waited < LAST_WORDS && !said.iter().all(thread::JoinHandle::is_finished) {
            thread::sleep(pause);
            waited += pause;
        }
    }
}

impl Member {
    /// Meets the others, as the process that asks. An error is for people.
    pub fn ask(&self, subject: Arc<dyn Subject>) -> Result<Fleet, String> {
        let (parts, connections) = self.join()?;
        Fleet::start(parts, self.hosts.len() * self.jobs, subject, connections)
    }

    /// Meets the others, as a process that works.
    pub fn work(&self, subject: &Arc<dyn Subject>) -> Result<Serving, String> {
        let (parts, connections) = self.join()?;
        let is_lost = Arc::default();
        let guards = start_workers(parts, subject, First::default(), &is_lost)?;
        Ok(Serving { guards, connections })
    }

    fn join(&self) -> Result<(Parts, Connections), String> {
        let meeting = Meeting {
            hosts: self.hosts.clone(),
            me: self.process,
            jobs: self.jobs,
            identity: self.identity.clone(),
            secret: self.secret.clone(),
            patience: self.patience,
            cancelled: Arc::clone(&self.cancelled),
        };
        let met = meet(&meeting)?;
        let health: Arc<Health> = Arc::default();
        let links: io::Result<Vec<Option<Link>>> = met
            .into_iter()
            .enumerate()
            .map(|(other, stream)| {
                stream.map(|stream| Link::new(stream, &self.hosts.name(other), &health)).transpose()
            })
            .collect();
        let broken = |why: io::Error| format!("the connections cannot be used: {why}");
        let links = links.map_err(broken)?;
        let writers = links.iter().flatten().map(Link::writer).collect();
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(self.jobs, hooks.refill.clone(), None);
        let (builders, guard) =
            initialize_networking_from_sockets(local, links, self.process, self.jobs, hooks)
                .map_err(broken)?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let parts = Parts { builders, others: Box::new(guard) };
        Ok((parts, Connections { health, writers }))
    }
}

/// A process that works for the one that asks.
pub struct Serving {
    guards: WorkerGuards<()>,
    connections: Connections,
}

impl Serving {
    /// Works until the run is over. An error says which process was lost.
    pub fn serve(self) -> Result<(), String> {
        let Serving { guards, connections } = self;
        let health = Arc::clone(&connections.health);
        thread::spawn(move || {
            drop(guards.join());
            health.is_done();
        });
        match connections.health.wait() {
            None => Ok(()),
            Some(words) => {
                connections.say_last(&words);
                Err(words)
            }
        }
    }
}
