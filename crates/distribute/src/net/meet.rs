//! # How processes meet
//!
//! **Question.** Anybody can connect to an open port: with garbage, slowly, a thousand times. Who is let in, and what does it cost to find out?
//!
//! **Idea.** A process connects to those before it and waits for those after it. Whoever connects sends a number at random, gets one, and then says who it is and what it works on, with
//! a code that takes the secret to write ([`super::Secret`]). All of that has a fixed size, and nothing is read of it before the code is right. Who comes from an address that is
//! not in the host file is sent away at once; who is slow, after [`GREETING`]; and of too many at a time, the one that came first. So strangers cost a few threads for a moment.
//!
//! The other side answers in the same way. After that both know whether they have the same version, file and options, and which of them differs.
//!
//! **Claim.** A connection that comes out of here leads to a process of the host file that knows the secret and works on the same question.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::hosts::Hosts;
use super::secret::{Code, Secret, digest, nonce};

/// How long processes wait for each other, where nobody says so.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How long somebody may take to say who it is.
const GREETING: Duration = Duration::from_secs(3);

/// How many connections at most have not said yet who they are.
const HALF_OPEN: usize = 64;

/// How often somebody may be sent away before it says that the secret is another one.
const ATTEMPTS: usize = 20;

/// How long to wait between two attempts.
const AGAIN: Duration = Duration::from_millis(100);

/// How this conversation begins.
const MAGIC: &[u8; 8] = b"selvedg1";

/// What all processes of a run must agree about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The version of the program.
    version: Code,
    /// A code for the text of the file.
    file: Code,
    /// A code for the question and its options.
    options: Code,
}

impl Identity {
    /// What a process works on: the version of the program, the text of the file, and the options in words.
    #[must_use]
    pub fn new(version: &str, file: &str, options: &str) -> Self {
        let of = |text: &str| digest(&[text.as_bytes()]);
        Identity { version: of(version), file: of(file), options: of(options) }
    }

    /// All of it, as one digest in hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        let all = digest(&[&self.version, &self.file, &self.options]);
        all.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn difference(&self, other: &Identity) -> Option<&'static str> {
        if self.version != other.version {
            Some("another version of Selvedge")
        } else if self.file != other.file {
            Some("another file")
        } else if self.options != other.options {
            Some("other options")
        } else {
            None
        }
    }
}

/// The parameters of the meeting of all processes.
#[derive(Clone)]
pub(crate) struct Meeting {
    pub hosts: Hosts,
    pub me: usize,
    /// How many workers each process has.
    pub jobs: usize,
    pub identity: Identity,
    pub secret: Secret,
    pub patience: Duration,
    /// Ends the wait when it is set.
    pub cancelled: Arc<AtomicBool>,
}

/// What a process claims to be, to one that it connects to.
#[derive(Clone, PartialEq, Eq)]
struct Claim {
    from: u32,
    to: u32,
    processes: u32,
    jobs: u32,
    identity: Identity,
}

/// The bytes of a claim, and of its code behind it.
const CLAIM: usize = 16 + 3 * 32;
const SIGNED: usize = CLAIM + 32;

impl Claim {
    fn bytes(&self) -> [u8; CLAIM] {
        let mut bytes = [0; CLAIM];
        let numbers = [self.from, self.to, self.processes, self.jobs];
        for (place, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let Identity { version, file, options } = &self.identity;
        for (place, part) in bytes[16..].chunks_exact_mut(32).zip([version, file, options]) {
            place.copy_from_slice(part);
        }
        bytes
    }

    fn read(bytes: &[u8; CLAIM]) -> Self {
        let number = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let part = |at: usize| {
            let mut part = [0; 32];
            part.copy_from_slice(&bytes[at..at + 32]);
            part
        };
        let identity = Identity { version: part(16), file: part(48), options: part(80) };
        Claim { from: number(0), to: number(4), processes: number(8), jobs: number(12), identity }
    }
}

/// Why a connection was refused.
enum Refusal {
    /// The other side does not belong to this run, or does not answer: it may try again.
    Stranger,
    /// The other side knows the secret, but works on something else.
    Different(String),
}

impl From<io::Error> for Refusal {
    fn from(_: io::Error) -> Self {
        Refusal::Stranger
    }
}

type Met = Result<(usize, TcpStream), String>;

/// Connects this process with all others, each in its place; an error is for people.
pub(crate) fn meet(meeting: &Meeting) -> Result<Vec<Option<TcpStream>>, String> {
    let (hosts, me) = (&meeting.hosts, meeting.me);
    let until = Instant::now() + meeting.patience;
    let mut met: Vec<Option<TcpStream>> = (0..hosts.len()).map(|_| None).collect();
    let is_over: Arc<AtomicBool> = Arc::default();
    let (tell, told) = mpsc::channel();
    if me + 1 < hosts.len() {
        let listener = TcpListener::bind(hosts.of(me)).map_err(|why| {
            format!("{} cannot wait for others at its address: {why}", hosts.name(me))
        })?;
        listener.set_nonblocking(true).map_err(|why| why.to_string())?;
        let (meeting, tell, is_over) = (meeting.clone(), tell.clone(), Arc::clone(&is_over));
        spawn(move || accept(&listener, &meeting, &tell, &is_over))?;
    }
    for other in 0..me {
        let (meeting, tell, is_over) = (meeting.clone(), tell.clone(), Arc::clone(&is_over));
        spawn(move || reach(other, &meeting, &tell, &is_over, until))?;
    }
    drop(tell);
    let all = gather(meeting, &told, &mut met, until);
    is_over.store(true, Ordering::Relaxed);
    all.and_then(|()| all_are_ready(meeting, &met, until))?;
    Ok(met)
}

fn spawn(run: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let spawned = thread::Builder::new().name("meeting".to_owned()).spawn(run);
    spawned.map(|_| ()).map_err(|why| format!("no thread can be started: {why}"))
}

/// Waits until every other process is there.
fn gather(
    meeting: &Meeting,
    told: &Receiver<Met>,
    met: &mut [Option<TcpStream>],
    until: Instant,
) -> Result<(), String> {
    let is_missing =
        |met: &[Option<TcpStream>], other: usize| met[other].is_none() && other != meeting.me;
    while let Some(missing) = (0..met.len()).find(|&other| is_missing(met, other)) {
        if meeting.cancelled.load(Ordering::Relaxed) {
            return Err("the run was interrupted before it began".to_owned());
        }
        match told.recv_timeout(AGAIN) {
            // A process that connects a second time has been restarted.
            Ok(Ok((other, stream))) => met[other] = Some(stream),
            Ok(Err(why)) => return Err(why),
            Err(RecvTimeoutError::Timeout) if Instant::now() < until => {
                for (other, stream) in met.iter().enumerate() {
                    if stream.as_ref().is_some_and(has_left) {
                        return Err(left(meeting, other));
                    }
                }
            }
            Err(_) => {
                let (name, waited) = (meeting.hosts.name(missing), meeting.patience.as_secs());
                return Err(format!("{name} was not there within {waited} s"));
            }
        }
    }
    Ok(())
}

fn left(meeting: &Meeting, other: usize) -> String {
    format!("{} left before the run began", meeting.hosts.name(other))
}

/// Whether the other side of a connection has closed it.
fn has_left(stream: &TcpStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let is_closed = match stream.peek(&mut [0]) {
        Ok(read) => read == 0,
        Err(why) => why.kind() != io::ErrorKind::WouldBlock,
    };
    let _ = stream.set_nonblocking(false);
    is_closed
}

/// Says that this process has met all others, and waits until each of them has.
fn all_are_ready(
    meeting: &Meeting,
    met: &[Option<TcpStream>],
    until: Instant,
) -> Result<(), String> {
    const READY: [u8; 1] = *b"r";
    let others = || met.iter().enumerate().filter_map(|(other, met)| Some((other, met.as_ref()?)));
    for (other, mut stream) in others() {
        stream.write_all(&READY).map_err(|_| left(meeting, other))?;
    }
    for (other, stream) in others() {
        let mut said = [0];
        read_until(stream, &mut said, until).map_err(|why| match why.kind() {
            io::ErrorKind::TimedOut => {
                let name = meeting.hosts.name(other);
                format!("{name} was not ready within {} s", meeting.patience.as_secs())
            }
            _ => left(meeting, other),
        })?;
        if said != READY {
            return Err(left(meeting, other));
        }
    }
    Ok(())
}

/// Hears who comes, until all are there.
fn accept(listener: &TcpListener, meeting: &Meeting, tell: &Sender<Met>, is_over: &AtomicBool) {
    // Those who have not said yet who they are, the first one first.
    let mut half_open: Vec<(TcpStream, Arc<AtomicBool>)> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        half_open.retain(|(_, has_said)| !has_said.load(Ordering::Relaxed));
        let stream = match listener.accept() {
            Ok((stream, from)) if meeting.hosts.has(from.ip()) => stream,
            Ok(_) => continue,
            Err(_) => {
                thread::sleep(Duration::from_millis(10));
                continue;
            }
        };
        if half_open.len() >= HALF_OPEN {
            let (first, _) = half_open.remove(0);
            let _ = first.shutdown(Shutdown::Both);
        }
        let Ok(copy) = stream.try_clone() else { continue };
        let has_said: Arc<AtomicBool> = Arc::default();
        half_open.push((copy, Arc::clone(&has_said)));
        let (meeting, tell) = (meeting.clone(), tell.clone());
        let greet = move || {
            let greeted = hear(&stream, &meeting);
            has_said.store(true, Ordering::Relaxed);
            if greeted.is_err() {
                let _ = stream.shutdown(Shutdown::Both);
            }
            match greeted {
                Ok(from) => drop(tell.send(Ok((from, stream)))),
                Err(Refusal::Different(why)) => drop(tell.send(Err(why))),
                Err(Refusal::Stranger) => {}
            }
        };
        if spawn(greet).is_err() {
            half_open.pop();
        }
    }
}

/// Connects with a process before this one, as often as it takes.
fn reach(
    other: usize,
    meeting: &Meeting,
    tell: &Sender<Met>,
    is_over: &AtomicBool,
    until: Instant,
) {
    let mut sent_away = 0;
    let addresses = meeting.hosts.of(other);
    for address in addresses.iter().cycle() {
        if is_over.load(Ordering::Relaxed) || Instant::now() >= until {
            return;
        }
        if let Ok(stream) = TcpStream::connect_timeout(address, GREETING) {
            match say(&stream, other, meeting) {
                Ok(()) => return drop(tell.send(Ok((other, stream)))),
                Err(Refusal::Different(why)) => return drop(tell.send(Err(why))),
                Err(Refusal::Stranger) => sent_away += 1,
            }
            if sent_away >= ATTEMPTS {
                let name = meeting.hosts.name(other);
                let why =
                    format!("{name} does not let this process in: does it have the same secret?");
                return drop(tell.send(Err(why)));
            }
        }
        thread::sleep(AGAIN);
    }
}

/// The code that both sides send: it signs the role, both nonces and the claim.
fn code(secret: &Secret, who: &[u8; 1], numbers: &[Code; 2], claim: &[u8]) -> Code {
    secret.code(&[MAGIC, who, &numbers[0], &numbers[1], claim])
}

/// The handshake of the side that connects.
fn say(mut stream: &TcpStream, other: usize, meeting: &Meeting) -> Result<(), Refusal> {
    let until = Instant::now() + GREETING;
    stream.set_write_timeout(Some(GREETING))?;
    let mine = nonce().map_err(|_| Refusal::Stranger)?;
    let mut hello = [0; 40];
    hello[..8].copy_from_slice(MAGIC);
    hello[8..].copy_from_slice(&mine);
    stream.write_all(&hello)?;
    let mut theirs = [0; 32];
    read_until(stream, &mut theirs, until)?;
    let numbers = [mine, theirs];
    let claim = meeting.claim(other).bytes();
    let mut signed = [0; SIGNED];
    signed[..CLAIM].copy_from_slice(&claim);
    signed[CLAIM..].copy_from_slice(&code(&meeting.secret, b"c", &numbers, &claim));
    stream.write_all(&signed)?;
    let heard = meeting.read_claim(stream, b"a", &numbers, until)?;
    meeting.compare(&heard, Some(other)).map(|_| ())
}

/// The handshake of the side that accepts; returns the number of the other process.
fn hear(mut stream: &TcpStream, meeting: &Meeting) -> Result<usize, Refusal> {
    let until = Instant::now() + GREETING;
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(GREETING))?;
    let mut hello = [0; 40];
    read_until(stream, &mut hello, until)?;
    let (magic, theirs) = hello.split_at(8);
    if magic != MAGIC {
        return Err(Refusal::Stranger);
    }
    let mine = nonce().map_err(|_| Refusal::Stranger)?;
    stream.write_all(&mine)?;
    let mut numbers = [[0; 32], mine];
    numbers[0].copy_from_slice(theirs);
    let heard = meeting.read_claim(stream, b"c", &numbers, until)?;
    let claim = meeting.claim(heard.from as usize).bytes();
    let mut signed = [0; SIGNED];
    signed[..CLAIM].copy_from_slice(&claim);
    signed[CLAIM..].copy_from_slice(&code(&meeting.secret, b"a", &numbers, &claim));
    stream.write_all(&signed)?;
    meeting.compare(&heard, None)
}

impl Meeting {
    fn claim(&self, to: usize) -> Claim {
        Claim {
            from: self.me as u32,
            to: to as u32,
            processes: self.hosts.len() as u32,
            jobs: self.jobs as u32,
            identity: self.identity.clone(),
        }
    }

    /// Reads what the other side says of itself, if its code is right.
    fn read_claim(
        &self,
        stream: &TcpStream,
        who: &[u8; 1],
        numbers: &[Code; 2],
        until: Instant,
    ) -> Result<Claim, Refusal> {
        let mut signed = [0; SIGNED];
        read_until(stream, &mut signed, until)?;
        let mut claim = [0; CLAIM];
        claim.copy_from_slice(&signed[..CLAIM]);
        let mut given = [0; 32];
        given.copy_from_slice(&signed[CLAIM..]);
        let message: [&[u8]; 5] = [MAGIC, who, &numbers[0], &numbers[1], &claim];
        match self.secret.is_code(&given, &message) {
            true => Ok(Claim::read(&claim)),
            false => Err(Refusal::Stranger),
        }
    }

    /// Whether the other side works on the same, and is the one that is meant, or one that comes later; which one it is.
    fn compare(&self, heard: &Claim, meant: Option<usize>) -> Result<usize, Refusal> {
        let (hosts, other) = (&self.hosts, heard.from as usize);
        let different =
            |what: &str| Err(Refusal::Different(format!("{} {what}", hosts.name(other))));
        if heard.processes as usize != hosts.len() {
            return different(&format!(
                "has a host file with {} processes, and this one has {}",
                heard.processes,
                hosts.len()
            ));
        }
        let is_meant = match meant {
            Some(meant) => other == meant,
            None => other > self.me && other < hosts.len(),
        };
        if !is_meant || heard.to as usize != self.me {
            return different(
                "is not where the host file says: does every process have its own --process?",
            );
        }
        if let Some(what) = self.identity.difference(&heard.identity) {
            return different(&format!("has {what} than process {}", self.me));
        }
        if heard.jobs as usize != self.jobs {
            return different(&format!("has --jobs {}, and this one {}", heard.jobs, self.jobs));
        }
        Ok(other)
    }
}

/// Reads so many bytes, all of them before a moment.
fn read_until(mut stream: &TcpStream, bytes: &mut [u8], until: Instant) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut bytes[filled..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => filled += read,
            Err(why) => match why.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock => return Err(io::ErrorKind::TimedOut.into()),
                _ => return Err(why),
            },
        }
    }
    Ok(())
}
