//! A connection that breaks, or carries nothing any more although both of its ends are there, ends the run on both sides, and each side names the other.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};
use std::{process, thread};

use crate::cluster::{SOON, endless, free_ports, hosts, member, text, write};

/// What becomes of the bytes between two processes.
mod fate {
    pub const CARRIED: u8 = 0;
    /// Nothing is carried any more, and nobody is told.
    pub const LOST: u8 = 1;
    /// The connection is closed.
    pub const CLOSED: u8 = 2;
}

/// Carries bytes from one side to the other.
fn carry(mut from: TcpStream, mut to: TcpStream, fate: &AtomicU8) {
    let _ = from.set_read_timeout(Some(Duration::from_millis(20)));
    let mut bytes = [0; 1 << 16];
    loop {
        let read = from.read(&mut bytes);
        match (fate.load(Ordering::Relaxed), read) {
            (fate::CARRIED, Ok(0)) | (fate::CLOSED, _) => break,
            (fate::CARRIED, Ok(read)) if to.write_all(&bytes[..read]).is_err() => break,
            (fate::LOST, Ok(0)) => thread::sleep(Duration::from_millis(20)),
            _ => {}
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// Lets whoever connects here connect with a port.
fn between(port: u16, fate: &Arc<AtomicU8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = listener.local_addr().expect("an address").port();
    let fate = Arc::clone(fate);
    thread::spawn(move || {
        for here in listener.incoming().flatten() {
            // Nobody may listen yet: whoever connects tries again.
            let Ok(there) = TcpStream::connect(("127.0.0.1", port)) else { continue };
            for (from, to) in [(&here, &there), (&there, &here)] {
                let copies = (from.try_clone().expect("a copy"), to.try_clone().expect("a copy"));
                let fate = Arc::clone(&fate);
                thread::spawn(move || carry(copies.0, copies.1, &fate));
            }
        }
    });
    own
}

fn ended(mut member: process::Child, since: Instant) -> (Option<i32>, String) {
    while member.try_wait().expect("it is there").is_none() {
        if since.elapsed() > SOON {
            let _ = member.kill();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(10));
    }
    let output = member.wait_with_output().expect("it has ended");
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_dropped_connection_ends_the_run_and_both_sides_say_so() {
    for (name, after) in [("closed", fate::CLOSED), ("lost", fate::LOST)] {
        let [first, second] = free_ports(2)[..] else { panic!("two ports") };
        let fate = Arc::new(AtomicU8::new(fate::CARRIED));
        let middle = between(first, &fate);
        let hosts = |number: usize, first: u16| {
            let lines = format!("127.0.0.1:{first}\n127.0.0.1:{second}\n");
            write(&format!("dropped-{name}-{number}"), &lines)
        };
        let file = endless(&format!("dropped-{name}.weave"));
        let line = ["verify", &file, "--no-reduction", "--timeout", "600s"];
        let asks = member(&hosts(0, first), "0", &line);
        let works = member(&hosts(1, middle), "1", &line);
        thread::sleep(Duration::from_millis(2500));
        fate.store(after, Ordering::Relaxed);
        let since = Instant::now();
        for (member, other) in [(asks, "process 1"), (works, "process 0")] {
            let (code, said) = ended(member, since);
            assert_eq!(code, Some(20), "{name}: {said}");
            assert!(said.contains(other), "{name}: {other} is not named: {said}");
        }
    }
}

/// Four processes, each started by itself: when one is killed, each of the others ends and says which one it was.
#[test]
fn every_other_process_names_the_one_that_is_gone() {
    let mut moments = fastrand::Rng::with_seed(13);
    for round in 0..10 {
        let (hosts, _) = hosts("gone-hosts", 4);
        let file = endless("gone.weave");
        let line = ["verify", &file, "--no-reduction", "--timeout", "600s"];
        let mut members: Vec<process::Child> =
            (0..4).map(|number| member(&hosts, &number.to_string(), &line)).collect();
        thread::sleep(Duration::from_millis(500 + moments.u64(0..1500)));
        let victim = round % 4;
        let mut gone = members.remove(victim);
        gone.kill().expect("it can be killed");
        let since = Instant::now();
        let name = format!("process {victim}");
        for other in members {
            let (code, said) = ended(other, since);
            assert_eq!(code, Some(20), "round {round}: {said}");
            assert!(said.contains(&name), "round {round}: {name} is not named: {said}");
        }
        gone.wait().expect("it has ended");
    }
}
