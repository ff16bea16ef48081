//! # A connection between two processes
//!
//! **Question.** The library that carries our messages panics when a connection breaks, and waits for ever for somebody who hangs. How does a process hear of both, and say who it was?
//!
//! **Idea.** What is sent is cut into frames. Between them go signs of life, once a second. Who hears nothing for some seconds, or sees the connection break, notes which
//! process is gone ([`Health`]) and lets the thread that carries messages sleep for ever: what the process does then is for others to decide. Who ends because of a loss says so in a last frame,
//! so that the others name the same process. A connection that breaks without a last word is noted half a second later: by then a process that is gone has been missed by all, and who ends because of
//! it is not taken for it.
//!
//! **Claim.** A loss is noted within [`SILENCE`] and [`AFTERTHOUGHT`] at every process that is connected with the lost one, and nothing that came in part is handed on as if it were all.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use timely::communication::allocator::zero_copy::stream::Stream;

/// How long a process may be silent.
pub(crate) const SILENCE: Duration = Duration::from_secs(6);

/// How often a process gives a sign of life.
const BEAT: Duration = Duration::from_secs(1);

/// How long a break is kept back: whoever ends because another process is gone breaks connections, too, and that is not to be noted first.
const AFTERTHOUGHT: Duration = Duration::from_millis(500);

/// The most bytes of a last word.
const LONGEST_WORD: usize = 1024;

/// The first byte of a frame says what is in it: data, a sign of life, the end, or why somebody leaves.
mod kind {
    pub const DATA: u8 = b'd';
    pub const BEAT: u8 = b'b';
    pub const END: u8 = b'e';
    pub const LAST_WORD: u8 = b'w';
}

/// Whether all processes are there.
#[derive(Default)]
pub(crate) struct Health {
    lost: Mutex<Option<String>>,
    changed: Condvar,
    /// Whether the run is over, so that who leaves is not missed.
    is_over: AtomicBool,
}

impl Health {
    /// Notes a loss, in words. The first one counts: others follow from it.
    pub fn note_loss(&self, words: String) {
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        lock(&self.lost).get_or_insert(words);
        self.changed.notify_all();
    }

    /// Notes that a connection broke, unless there is a reason by then.
    fn note_break(&self, words: String) {
        thread::sleep(AFTERTHOUGHT);
        self.note_loss(words);
    }

    /// Describes the connection that was lost, if one was.
    pub fn loss(&self) -> Option<String> {
        lock(&self.lost).clone()
    }

    /// Notes that the run is over.
    pub fn is_done(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Waits until something is lost or the run is over; what was lost.
    pub fn wait(&self) -> Option<String> {
        let mut lost = lock(&self.lost);
        while lost.is_none() && !self.is_over.load(Ordering::Relaxed) {
            let waited = self.changed.wait_timeout(lost, Duration::from_millis(200));
            lost = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        lost.clone()
    }
}

/// One end of a connection, as the library that carries messages sees it.
pub(crate) struct Link {
    reader: TcpStream,
    writer: Arc<Mutex<Writer>>,
    health: Arc<Health>,
    /// The name of the other process.
    name: Arc<str>,
    /// The number of bytes of the current frame that are still to come.
    left: usize,
    has_ended: bool,
}

/// Writes frames. Signs of life go between them.
pub(crate) struct Writer {
    stream: TcpStream,
    is_closed: bool,
}

impl Link {
    /// Makes frames of a connection, and begins to give signs of life.
    pub fn new(stream: TcpStream, name: &str, health: &Arc<Health>) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let writer = Writer { stream: stream.try_clone()?, is_closed: false };
        let link = Link {
            reader: stream,
            writer: Arc::new(Mutex::new(writer)),
            health: Arc::clone(health),
            name: name.into(),
            left: 0,
            has_ended: false,
        };
        let (writer, health, name) =
            (Arc::clone(&link.writer), Arc::clone(health), Arc::clone(&link.name));
        let beat = move || {
            loop {
                thread::sleep(BEAT);
                let mut writer = lock(&writer);
                if writer.is_closed {
                    return;
                }
                if let Err(why) = writer.frame(kind::BEAT, &[]) {
                    drop(writer);
                    return health.note_break(broken(&name, &why));
                }
            }
        };
        thread::Builder::new().name("signs-of-life".to_owned()).spawn(beat)?;
        Ok(link)
    }

    /// The way to say a last word.
    pub fn writer(&self) -> Arc<Mutex<Writer>> {
        Arc::clone(&self.writer)
    }

    /// Notes that the connection broke, and never comes back: the library would panic.
    fn lose(&self, words: String) -> ! {
        self.health.note_break(words);
        park()
    }

    /// Fills the buffer, or ends the connection.
    fn fill(&mut self, bytes: &mut [u8]) {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => self.lose(format!("{} has gone away", self.name)),
                Ok(read) => filled += read,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => self.lose(broken(&self.name, &why)),
            }
        }
    }
}

/// Blocks the thread for ever.
fn park() -> ! {
    loop {
        thread::park();
    }
}

/// Describes why a connection broke.
fn broken(name: &str, why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("{name} has given no sign of life for {} s", SILENCE.as_secs())
        }
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted => format!("{name} has gone away"),
        _ => format!("the connection to {name} broke: {why}"),
    }
}

impl Writer {
    fn frame(&mut self, kind: u8, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let mut head = [0; 5];
        head[0] = kind;
        head[1..].copy_from_slice(&length.to_le_bytes());
        self.stream.write_all(&head)?;
        self.stream.write_all(bytes)
    }

    /// Says why this process ends, as the last that is sent.
    pub fn say_last(&mut self, words: &str) {
        if !std::mem::replace(&mut self.is_closed, true) {
            let _ = self.stream.set_write_timeout(Some(BEAT));
            let words = words.as_bytes();
            // A process that does not hear it notices the end anyway.
            let _ = self.frame(kind::LAST_WORD, &words[..words.len().min(LONGEST_WORD)]);
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }
}

impl Read for Link {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if bytes.is_empty() || self.has_ended {
            return Ok(0);
        }
        while self.left == 0 {
            let mut head = [0; 5];
            self.fill(&mut head);
            let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
            match (head[0], length) {
                (kind::DATA, length) => self.left = length,
                (kind::BEAT, 0) => {}
                (kind::END, 0) => {
                    self.has_ended = true;
                    return Ok(0);
                }
                (kind::LAST_WORD, ..=LONGEST_WORD) => {
                    let mut words = vec![0; length];
                    self.fill(&mut words);
                    self.health.note_loss(String::from_utf8_lossy(&words).into_owned());
                    park();
                }
                _ => self.lose(format!("{} sent what is no message", self.name)),
            }
        }
        let most = bytes.len().min(self.left);
        loop {
            match self.reader.read(&mut bytes[..most]) {
                Ok(0) => self.lose(format!("{} has gone away", self.name)),
                Ok(read) => {
                    self.left -= read;
                    return Ok(read);
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => self.lose(broken(&self.name, &why)),
            }
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = {
            let mut writer = lock(&self.writer);
            if writer.is_closed {
                Err(io::ErrorKind::BrokenPipe.into())
            } else {
                writer.frame(kind::DATA, bytes)
            }
        };
        match sent {
            Ok(()) => Ok(bytes.len()),
            Err(why) => self.lose(broken(&self.name, &why)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Link {
            reader: self.reader.try_clone()?,
            writer: Arc::clone(&self.writer),
            health: Arc::clone(&self.health),
            name: Arc::clone(&self.name),
            left: 0,
            has_ended: false,
        })
    }

    /// Connections stay as they are: they block, within limits.
    fn set_nonblocking(&self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let mut writer = lock(&self.writer);
        if !std::mem::replace(&mut writer.is_closed, true) {
            // A process that is gone by now has heard all that matters.
            let _ = writer.frame(kind::END, &[]);
            let _ = writer.stream.shutdown(how);
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
