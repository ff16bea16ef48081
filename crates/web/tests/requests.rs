//! Who is let in, what is answered, and that pages do not disturb each other. The explorer is one that
//! counts until it is told to stop. Nothing here looks at a clock: a server that lets somebody wait in vain
//! lets the test wait, too, and whoever runs the tests ends it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use selvedge_report::json::VerdictName;
use selvedge_report::page::{
    Ask, Document, Language, Live, Look, PageQuestion, Posed, Reply, Setup, Wander,
};
use selvedge_web::{Explore, Server, Stopper, Tell};

/// Answers at once within a bound, and otherwise not before it is cancelled.
struct Counting;

impl Explore for Counting {
    fn revision(&self) -> u64 {
        7
    }

    fn setup(&self) -> Setup {
        Setup {
            selvedge: "0",
            file: "count".to_owned(),
            revision: 7,
            source: "1 2 3".to_owned(),
            wrong: None,
            language: Language::Program,
            engines: Vec::new(),
            threads: Vec::new(),
            consts: Vec::new(),
            fixed: Vec::new(),
            ask: Ask::default(),
        }
    }

    fn answer(
        &self,
        ask: &Ask,
        cancelled: &Arc<AtomicBool>,
        tell: &Tell,
        _answered: &dyn Fn(Document),
    ) -> Result<Document, String> {
        tell(Live::Note { text: "counting".to_owned() });
        let bounded = ask.question == Posed::Contexts;
        while !bounded && !cancelled.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(5));
        }
        if ask.deadlock {
            return Err("no".to_owned());
        }
        let verdict = if bounded { VerdictName::Bounded } else { VerdictName::Unknown };
        Ok(Document {
            selvedge: "0",
            file: "count".to_owned(),
            source: "1 2 3".to_owned(),
            question: PageQuestion {
                text: String::new(),
                property: String::new(),
                threads: Vec::new(),
                command: None,
            },
            answer: Reply {
                verdict,
                sentence: String::new(),
                details: Vec::new(),
                engine: String::new(),
                time_s: 0.0,
                peak_memory_bytes: 0,
            },
            unit: "contexts",
            below: Vec::new(),
            above: Vec::new(),
            collapse: None,
            violation: None,
            schedule: None,
            way: None,
            invariant: None,
            never: Vec::new(),
            automata: Vec::new(),
            notes: Vec::new(),
        })
    }

    fn walk(&self, wander: &Wander) -> Result<Look, String> {
        Err(format!("{} choices lead nowhere", wander.path.len()))
    }

    fn memory(&self) -> u64 {
        7
    }
}

struct Running {
    host: String,
    token: String,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new() -> Self {
        Self::with(Counting, Server::bind().unwrap())
    }

    fn with(explore: impl Explore + 'static, server: Server) -> Self {
        let url = server.url();
        let (host, token) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let (host, token) = (host.to_owned(), token.trim_end_matches('/').to_owned());
        let stopper = server.stopper();
        let thread = Some(thread::spawn(move || server.serve(Arc::new(explore))));
        Running { host, token, stopper, thread }
    }

    fn stop(&mut self) {
        self.stopper.stop();
        self.thread.take().into_iter().for_each(|thread| thread.join().unwrap());
    }

    /// Sends bytes as they are: the status and all of the answer.
    fn raw(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        // A server that has heard enough may not listen to the end.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), answer)
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let (host, length) = (&self.host, body.len());
        self.raw(
            format!(
                "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", &format!("/{}/{path}", self.token), "", "")
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        let path = format!("/{}/{path}", self.token);
        self.request("POST", &path, "Content-Type: application/json\r\n", body)
    }

    fn start(&self, body: &str) -> u64 {
        let (status, answer) = self.post("runs", body);
        assert_eq!(status, 200, "{answer}");
        let digits = answer.rsplit_once("{\"run\":").unwrap().1.trim_end_matches('}');
        digits.parse().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.stop();
        }
    }
}

#[test]
fn the_page_is_served_with_its_policy() {
    let server = Running::new();
    let (status, answer) = server.get("");
    assert_eq!(status, 200);
    assert!(answer.contains("Content-Security-Policy: default-src 'none'; script-src 'sha256-"));
    assert!(answer.contains("frame-ancestors 'none'"));
    assert!(answer.contains("Cache-Control: no-store"));
    assert!(answer.contains("<!doctype html>"));
    assert!(server.host.starts_with("127.0.0.1:"));
    assert_eq!(server.token.len(), 32);
    assert_ne!(Running::new().token, server.token);
}

#[test]
fn who_has_no_token_is_refused() {
    let server = Running::new();
    let wrong = "0".repeat(32);
    let short = &server.token[..31];
    for path in ["/", "/runs", "//", &format!("/{wrong}/"), &format!("/{short}/"), "/page.html"] {
        let (status, answer) = server.request("GET", path, "", "");
        assert_eq!(status, 403, "{path}: {answer}");
        assert!(!answer.contains(&server.token) && !answer.contains("1 2 3"), "{path}");
    }
    let body = "{\"question\":\"contexts\"}";
    let (status, _) = server.request(
        "POST",
        &format!("/{wrong}/runs"),
        "Content-Type: application/json\r\n",
        body,
    );
    assert_eq!(status, 403);
}

#[test]
fn who_names_another_host_is_refused() {
    let server = Running::new();
    let port = server.host.split_once(':').unwrap().1.to_owned();
    let page = format!("/{}/", server.token);
    let with =
        |headers: &str| server.raw(format!("GET {page} HTTP/1.1\r\n{headers}\r\n").as_bytes());
    assert_eq!(with(&format!("Host: localhost:{port}\r\n")).0, 200);
    for host in
        ["evil.example", "127.0.0.1", "127.0.0.1:1", &format!("evil.example:{port}"), "", "[::1]"]
    {
        let (status, answer) = with(&format!("Host: {host}\r\n"));
        assert_eq!(status, 403, "{host}");
        assert!(!answer.contains("1 2 3"));
    }
    assert_eq!(with("").0, 403, "no host at all");
    let twice = format!("Host: {0}\r\nHost: {0}\r\n", server.host);
    assert_eq!(with(&twice).0, 400);
    let from_elsewhere = format!("Host: {}\r\nOrigin: http://evil.example\r\n", server.host);
    assert_eq!(with(&from_elsewhere).0, 403);
    let from_here = format!("Host: {0}\r\nOrigin: http://{0}\r\n", server.host);
    assert_eq!(with(&from_here).0, 200);
}

#[test]
fn what_is_not_listed_is_not_there() {
    let server = Running::new();
    let paths = [
        "index.html",
        "../",
        "..%2f..%2fetc/passwd",
        "../../etc/passwd",
        "runs/1/events",
        "runs/x/events",
        "runs/1",
        "runs/",
        "page.js",
        "?file=/etc/passwd",
        "runs/99999999999999999999/document",
    ];
    for path in paths {
        let (status, answer) = server.get(path);
        assert_eq!(status, 404, "{path}: {answer}");
        assert!(!answer.contains("root:"), "{path}");
    }
    assert_eq!(server.request("GET", &format!("/{}", server.token), "", "").0, 404);
}

#[test]
fn walks_and_revisions_have_addresses() {
    let server = Running::new();
    let (status, answer) = server.get("revision");
    assert_eq!((status, answer.ends_with("{\"revision\":7}")), (200, true), "{answer}");
    let (status, answer) = server.get("setup");
    assert_eq!((status, answer.contains("\"source\":\"1 2 3\"")), (200, true), "{answer}");
    let (status, answer) = server.post("walk", "{\"path\":[0,1]}");
    assert_eq!((status, answer.contains("2 choices lead nowhere")), (400, true), "{answer}");
    // What names a file, or anything else that is not known, is no way to go.
    for body in [
        "{\"path\":[0],\"file\":\"/etc/passwd\"}",
        "{\"path\":[0],\"go\":{\"kind\":\"file\"}}",
        "{\"path\":[0],\"ask\":{\"question\":\"verify\",\"solver\":\"sh\"}}",
        "{\"path\":[-1]}",
        "{\"path\":0}",
        "{}",
        "",
    ] {
        let (status, answer) = server.post("walk", body);
        assert_eq!((status, answer.contains("no way to go")), (400, true), "{body}: {answer}");
    }
    assert_eq!(server.get("walk").0, 405);
    assert_eq!(server.post("revision", "{}").0, 405);
    let long = format!("{{\"path\":[{}0]}}", "0,".repeat(40_000));
    assert_eq!(server.post("walk", &long).0, 413);
}

#[test]
fn other_methods_and_bodies_are_refused() {
    let server = Running::new();
    for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
        assert_eq!(
            server.request(method, &format!("/{}/", server.token), "", "").0,
            405,
            "{method}"
        );
    }
    let runs = format!("/{}/runs", server.token);
    assert_eq!(server.request("GET", &runs, "", "").0, 405);
    let question = "{\"question\":\"contexts\"}";
    assert_eq!(server.request("POST", &runs, "", question).0, 415);
    assert_eq!(server.request("POST", &runs, "Content-Type: text/plain\r\n", question).0, 415);
    let wrong = [
        "",
        "{",
        "[]",
        "{}",
        "{\"question\":\"everything\"}",
        "{\"question\":\"verify\",\"file\":\"/etc/passwd\"}",
        "{\"question\":\"verify\",\"bound\":-1}",
        "{\"question\":\"verify\",\"threads\":{\"a\":99999999999}}",
        "{\"question\":\"verify\",\"engine\":[]}",
    ];
    for body in wrong {
        let (status, answer) = server.post("runs", body);
        assert_eq!(status, 400, "{body}: {answer}");
    }
}

#[test]
fn what_is_no_request_is_refused() {
    let server = Running::new();
    let host = &server.host;
    let page = format!("/{}/", server.token);
    let long = "x".repeat(20_000);
    let cases: Vec<(u16, Vec<u8>)> = vec![
        (431, format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n").into()),
        (431, format!("GET {page} HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n\r\n").into()),
        (413, format!("POST {page}runs HTTP/1.1\r\nHost: {host}\r\nContent-Length: 70000\r\n\r\n").into()),
        (
            413,
            format!(
                "POST {page}runs HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n"
            )
            .into(),
        ),
        (400, format!("POST {page}runs HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n").into()),
        (400, format!("POST {page}runs HTTP/1.1\r\nHost: {host}\r\nContent-Length: +1\r\n\r\n1").into()),
        (
            411,
            format!("POST {page}runs HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
                .into(),
        ),
        (400, b"\r\n\r\n".to_vec()),
        (400, b"GET\r\n\r\n".to_vec()),
        (400, format!("GET http://{host}{page} HTTP/1.1\r\nHost: {host}\r\n\r\n").into()),
        (400, format!("GET {page} HTTP/2\r\nHost: {host}\r\n\r\n").into()),
        (400, format!("GET {page} HTTP/1.1\r\nHost {host}\r\n\r\n").into()),
        (400, format!("GET {page} HTTP/1.1\r\nHost : {host}\r\n\r\n").into()),
        (400, b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()),
    ];
    for (expected, bytes) in cases {
        let (status, answer) = server.raw(&bytes);
        let shown: String = String::from_utf8_lossy(&bytes).chars().take(80).collect();
        assert_eq!(status, expected, "{shown}: {answer}");
    }
    // After all of that, it still answers.
    assert_eq!(server.get("").0, 200);
}

#[test]
fn a_run_tells_what_happens_and_has_a_document() {
    let server = Running::new();
    let run = server.start("{\"question\":\"contexts\",\"bound\":3}");
    let (status, events) = server.get(&format!("runs/{run}/events"));
    assert_eq!(status, 200);
    assert!(
        events.contains("id: 0\ndata: {\"kind\":\"note\",\"text\":\"counting\"}\n\n"),
        "{events}"
    );
    assert!(events.contains("id: 1\ndata: {\"kind\":\"done\"}\n\n"), "{events}");
    let (status, document) = server.get(&format!("runs/{run}/document"));
    assert_eq!(status, 200);
    assert!(document.contains("\"verdict\":\"bounded\""), "{document}");
    // Who comes back is told the rest.
    let path = format!("/{}/runs/{run}/events", server.token);
    let (_, rest) = server.request("GET", &path, "Last-Event-ID: 0\r\n", "");
    assert!(!rest.contains("counting") && rest.contains("done"), "{rest}");

    let failing = server.start("{\"question\":\"contexts\",\"bound\":3,\"deadlock\":true}");
    let (_, events) = server.get(&format!("runs/{failing}/events"));
    assert!(events.contains("data: {\"kind\":\"failed\",\"text\":\"no\"}"), "{events}");
    assert_eq!(server.get(&format!("runs/{failing}/document")).0, 404);
}

#[test]
fn pages_do_not_disturb_each_other() {
    let server = Running::new();
    let [one, two] = [(); 2].map(|()| server.start("{\"question\":\"verify\"}"));
    assert_eq!(server.post(&format!("runs/{one}/cancel"), "{}").0, 200);
    let (_, events) = server.get(&format!("runs/{one}/events"));
    assert!(events.contains("\"done\""), "{events}");
    assert_eq!(server.get(&format!("runs/{two}/document")).0, 404, "the other one goes on");
    assert_eq!(server.post(&format!("runs/{two}/cancel"), "{}").0, 200);
    let (_, events) = server.get(&format!("runs/{two}/events"));
    assert!(events.contains("\"done\""), "{events}");
}

#[test]
fn a_run_ends_when_nobody_listens() {
    let server = Running::new();
    let run = server.start("{\"question\":\"verify\"}");
    let mut stream = TcpStream::connect(&server.host).unwrap();
    let path = format!("/{}/runs/{run}/events", server.token);
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.host).unwrap();
    let mut some = [0; 64];
    assert!(stream.read(&mut some).unwrap() > 0);
    drop(stream);
    while server.get(&format!("runs/{run}/document")).0 == 404 {
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn too_many_runs_are_refused_and_the_end_ends_all() {
    /// Counts, and tells how many runs have come back.
    struct Counted(Arc<AtomicUsize>);
    impl Explore for Counted {
        fn setup(&self) -> Setup {
            Counting.setup()
        }
        fn revision(&self) -> u64 {
            1
        }
        fn answer(
            &self,
            ask: &Ask,
            cancelled: &Arc<AtomicBool>,
            tell: &Tell,
            answered: &dyn Fn(Document),
        ) -> Result<Document, String> {
            let answer = Counting.answer(ask, cancelled, tell, answered);
            self.0.fetch_add(1, Ordering::SeqCst);
            answer
        }
        fn walk(&self, wander: &Wander) -> Result<Look, String> {
            Counting.walk(wander)
        }
        fn memory(&self) -> u64 {
            7
        }
    }
    let ended = Arc::new(AtomicUsize::new(0));
    let mut server = Running::with(Counted(Arc::clone(&ended)), Server::bind().unwrap());
    for _ in 0..8 {
        server.start("{\"question\":\"verify\"}");
    }
    assert_eq!(server.post("runs", "{\"question\":\"verify\"}").0, 503);
    assert_eq!(ended.load(Ordering::SeqCst), 0);
    server.stop();
    while ended.load(Ordering::SeqCst) < 8 {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(TcpStream::connect(&server.host).is_err());
}

/// Connects and sends some bytes, and then nothing more.
fn half_open(server: &Running, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(&server.host).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

/// Nobody is sent away for being slow here: whoever has to wait for one of them waits for ever.
#[test]
fn half_open_connections_keep_nobody_out() {
    let patient = Server::bind().unwrap().with_patience(Duration::from_secs(1_000_000));
    let mut server = Running::with(Counting, patient);
    let half =
        format!("POST /{}/runs HTTP/1.1\r\nHost: {}\r\nContent-Le", server.token, server.host);
    let short = format!("{half}ngth: 10\r\n\r\n{{");
    let silent: Vec<TcpStream> = (0..200)
        .map(|number| match number % 3 {
            0 => half_open(&server, b""),
            1 => half_open(&server, half.as_bytes()),
            _ => half_open(&server, short.as_bytes()),
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(server.get("").0, 200);
    }
    let run = server.start("{\"question\":\"contexts\",\"bound\":3}");
    assert!(server.get(&format!("runs/{run}/events")).1.contains("\"done\""));
    // Nor do they delay the end, which they see.
    server.stop();
    for mut stream in silent {
        // Comes back when the connection is closed, however that is done.
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

/// A run that does not hear that it should end does not delay the end: it ends only after the server.
#[test]
fn the_end_waits_for_no_run() {
    struct Deaf(Arc<Barrier>);
    impl Explore for Deaf {
        fn setup(&self) -> Setup {
            Counting.setup()
        }
        fn revision(&self) -> u64 {
            1
        }
        fn answer(
            &self,
            _: &Ask,
            _: &Arc<AtomicBool>,
            _: &Tell,
            _: &dyn Fn(Document),
        ) -> Result<Document, String> {
            self.0.wait();
            Err("late".to_owned())
        }
        fn walk(&self, _: &Wander) -> Result<Look, String> {
            Err("nowhere".to_owned())
        }
        fn memory(&self) -> u64 {
            7
        }
    }
    let over = Arc::new(Barrier::new(2));
    let mut server = Running::with(Deaf(Arc::clone(&over)), Server::bind().unwrap());
    server.start("{\"question\":\"verify\"}");
    server.stop();
    over.wait();
}
