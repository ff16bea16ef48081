//! # One run, as a process
//! **Question.** What does a command say, how long does it take, how much memory, and what if it never ends?
//! **Idea.** The process has a group of its own. Its output is read by threads; meanwhile somebody looks at the clock, at its
//! memory and whether the whole measurement was interrupted, and ends the group if need be.
//! **Needs.** `/proc` for the memory and the processor time; without it they are not known, and there is no limit of
//! memory but the one that the process has itself.

use std::fs;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use selvedge_check::command::Interrupt;

/// The time and memory that a process may use.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    pub time: Duration,
    pub memory: Option<u64>,
}

/// How a process ended.
#[derive(Debug)]
pub enum End {
    /// The process ended by itself.
    Exited(ExitStatus),
    /// The process took too long.
    Timeout,
    /// The process used too much memory.
    Memory,
    /// The measurement was interrupted.
    Interrupted,
    /// The process could not be started, or was lost.
    Failed(io::Error),
}

/// The result of a process: how it ended, and what it printed and used.
#[derive(Debug)]
pub struct Finished {
    pub end: End,
    pub time: Duration,
    /// Processor time of it and all that it has waited for, in seconds.
    pub cpu: Option<f64>,
    /// The most memory that was seen.
    pub memory: Option<u64>,
    pub stdout: String,
    pub stderr: String,
}

/// How long to wait between two looks at the memory.
const LOOK: Duration = Duration::from_millis(10);
/// The number of bytes of an output that are kept.
const KEPT: u64 = 16 << 20;

/// Runs a command to its end, one way or the other.
pub fn run(command: &mut Command, allowed: Allowed, interrupt: &Interrupt) -> Finished {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let cpu_before = children_cpu();
    let start = Instant::now();
    let mut memory = None;
    let (end, time, outputs) = match command.spawn() {
        Err(why) => (End::Failed(why), start.elapsed(), None),
        Ok(mut child) => {
            let stdout = child.stdout.take().map(read);
            let stderr = child.stderr.take().map(read);
            let (end, time) = watch(&mut child, start, allowed, interrupt, &mut memory);
            (end, time, Some((stdout, stderr)))
        }
    };
    let cpu = children_cpu().zip(cpu_before).map(|(now, before)| now - before);
    let text = |output: Option<Receiver<Vec<u8>>>| {
        // A process that was left behind may hold the other end: only wait for a second.
        let bytes = output.and_then(|output| output.recv_timeout(Duration::from_secs(1)).ok());
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    };
    let (stdout, stderr) = outputs.unwrap_or_default();
    Finished { end, time, cpu, memory, stdout: text(stdout), stderr: text(stderr) }
}

/// Reads all that comes, and keeps the beginning.
fn read(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.by_ref().take(KEPT).read_to_end(&mut bytes);
        let _ = io::copy(&mut from, &mut io::sink());
        // The receiver may be gone already.
        let _ = sender.send(bytes);
    });
    receiver
}

/// Waits for the end, or brings it about.
fn watch(
    child: &mut Child,
    start: Instant,
    allowed: Allowed,
    interrupt: &Interrupt,
    memory: &mut Option<u64>,
) -> (End, Duration) {
    // Short runs are measured finely, long ones are left alone.
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return (End::Exited(status), start.elapsed()),
            Ok(None) => {}
            Err(why) => return (End::Failed(why), start.elapsed()),
        }
        *memory = (*memory).max(peak_memory(child.id()));
        let end = if interrupt.is_requested() {
            Some(End::Interrupted)
        } else if start.elapsed() >= allowed.time {
            Some(End::Timeout)
        } else if allowed.memory.is_some_and(|most| memory.is_some_and(|used| used > most)) {
            Some(End::Memory)
        } else {
            None
        };
        if let Some(end) = end {
            let time = start.elapsed();
            kill(child);
            return (end, time);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
}

/// Ends a process and all that it has started.
fn kill(child: &mut Child) {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        let mut command = Command::new("kill");
        command.args(["-KILL", "--", &group]).stdout(Stdio::null()).stderr(Stdio::null());
        // Where there is no such command, the process itself is ended all the same.
        let _ = command.status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The most memory that a process has had at once, in bytes.
fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The processor time of all processes that were started and have ended, in seconds.
fn children_cpu() -> Option<f64> {
    // Linux counts hundredths of seconds here, on every machine that Rust runs on.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in parentheses, which may have anything in it.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(13);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / TICKS)
}
