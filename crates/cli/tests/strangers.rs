//! Whoever connects without the secret, with garbage, slowly, or a thousand times at once, changes nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::{SOON, example, hosts, member, text, write};

#[test]
fn strangers_change_nothing() {
    let race = example("start/race.weave");
    let secret = write("strangers.secret", "a secret that strangers do not know");
    let line = ["verify", &race, "--secret-file", &secret];
    let (hosts, ports) = hosts("strangers", 2);
    let asks = member(&hosts, "0", &line);
    let port = ports[0];
    let knock = || {
        let until = Instant::now() + SOON;
        loop {
            match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) => return stream,
                Err(why) => assert!(Instant::now() < until, "nobody listens: {why}"),
            }
            thread::sleep(Duration::from_millis(20));
        }
    };
    // Slow ones, who say a little and wait; and then many, with garbage or nothing.
    let mut slow: Vec<TcpStream> = (0..50).map(|_| knock()).collect();
    for stream in &mut slow {
        stream.write_all(b"selve").expect("it is heard");
    }
    for number in 0..1000 {
        let mut stream = knock();
        if number % 2 == 0 {
            let _ = stream.write_all(&[number as u8; 4096]);
        }
    }
    // A thousand at once, who say nothing and stay.
    let crowd = crowd(port);
    // One that begins well, and does not know the secret.
    let mut stream = knock();
    let mut claim = [0; 144];
    stream.write_all(b"selvedg1 a number that was chosen by nobody").expect("it is heard");
    stream.set_read_timeout(Some(SOON)).expect("a limit");
    let mut number = [0; 32];
    stream.read_exact(&mut number).expect("a number");
    claim[0] = 1;
    stream.write_all(&claim).expect("it is heard");
    assert_eq!(stream.read(&mut number).unwrap_or(0), 0, "a stranger was let in");
    let works = member(&hosts, "1", &line);
    let asked = asks.wait_with_output().expect("it ends");
    assert_eq!(asked.status.code(), Some(10), "{}", text(&asked.stderr));
    assert_eq!(works.wait_with_output().expect("it ends").status.code(), Some(10));
    drop(crowd);
}

/// Processes with connections that are open until this goes.
struct Crowd(Vec<Child>);

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Opens a thousand connections, and keeps them: half of them in each of two processes, since a process may have a thousand files and not more.
fn crowd(port: u16) -> Crowd {
    let open = "for i in $(seq 500); do exec {fd}<>/dev/tcp/127.0.0.1/$0 || exit 1; done; echo open; exec sleep 60";
    let children = (0..2).map(|_| {
        let mut bash = Command::new("bash");
        bash.args(["-c", open, &port.to_string()]).stdout(Stdio::piped());
        bash.spawn().expect("there is `bash`")
    });
    let mut crowd = Crowd(children.collect());
    for child in &mut crowd.0 {
        let mut said = [0; 5];
        let open = child.stdout.as_mut().expect("a pipe").read_exact(&mut said);
        assert!(open.is_ok() && &said == b"open\n", "the connections are not open");
    }
    crowd
}
