//! # The lobby
//! Connections that have not yet sent a request with the right token. Whoever connects and says nothing costs a place
//! here and no more: when all places are taken the one who came first has to go, so that a page that asks is heard
//! however many others are silent.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most connections that may wait at a time.
const PLACES: usize = 64;

/// Connections that wait, in the order in which they came.
#[derive(Default)]
pub struct Lobby(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    last: u64,
    streams: BTreeMap<u64, TcpStream>,
    is_closed: bool,
}

impl Lobby {
    /// Lets a connection in and gives it a number. If the lobby is full, the one that has waited longest is closed.
    pub fn enter(&self, stream: &TcpStream) -> io::Result<u64> {
        let stream = stream.try_clone()?;
        let mut waiting = self.lock();
        if waiting.is_closed {
            return Err(io::ErrorKind::NotConnected.into());
        }
        if waiting.streams.len() >= PLACES
            && let Some((_, oldest)) = waiting.streams.pop_first()
        {
            // The thread that reads from it sees the end and gives up.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        waiting.last += 1;
        let number = waiting.last;
        waiting.streams.insert(number, stream);
        Ok(number)
    }

    /// Forgets a connection: its request is answered, or it has ended.
    pub fn leave(&self, number: u64) {
        self.lock().streams.remove(&number);
    }

    /// Closes all connections that still wait, and lets no more in.
    pub fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        for stream in waiting.streams.values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        waiting.streams.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
