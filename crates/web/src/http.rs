//! # Requests and responses
//! As much of HTTP/1.1 as a page on the same machine needs: one request a connection, with limits on
//! everything that comes in.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use selvedge_report::page::Policy;

/// The request line and the headers.
const LONGEST_HEAD: usize = 16 << 10;

/// The most bytes of a body.
const LONGEST_BODY: usize = 64 << 10;

/// How long a request may take to come in, if nothing else is said.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A request of a browser.
pub struct Request {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Why there is no request: a status and words.
pub type Refusal = (u16, &'static str);

impl Request {
    /// Reads a request, which may take so long to come in.
    pub fn read(stream: &mut TcpStream, patience: Duration) -> Result<Self, Refusal> {
        let mut input = Input { stream, patience, start: Instant::now(), bytes: Vec::new() };
        let end = loop {
            if let Some(at) = input.bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            if input.bytes.len() > LONGEST_HEAD {
                return Err((431, "the request is too long"));
            }
            input.more()?;
        };
        if end > LONGEST_HEAD {
            return Err((431, "the request is too long"));
        }
        let mut request = Self::parse(&input.bytes[..end])?;
        let length = match request.only("content-length")? {
            None => 0,
            Some(text) => parse_length(text)?,
        };
        if length > LONGEST_BODY {
            return Err((413, "the body is too long"));
        }
        if request.only("transfer-encoding")?.is_some() {
            return Err((411, "say how long the body is"));
        }
        while input.bytes.len() < end + 4 + length {
            input.more()?;
        }
        request.body = input.bytes[end + 4..end + 4 + length].to_vec();
        Ok(request)
    }

    fn parse(head: &[u8]) -> Result<Self, Refusal> {
        const WRONG: Refusal = (400, "this is no request");
        let head = std::str::from_utf8(head).map_err(|_| WRONG)?;
        let mut lines = head.split("\r\n");
        let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let [method, path, "HTTP/1.1" | "HTTP/1.0"] = words[..] else { return Err(WRONG) };
        if !path.starts_with('/') || method.is_empty() {
            return Err(WRONG);
        }
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(WRONG)?;
            if name.is_empty() || name.contains([' ', '\t']) {
                return Err(WRONG);
            }
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let (method, path) = (method.to_owned(), path.to_owned());
        Ok(Request { method, path, headers, body: Vec::new() })
    }

    /// The value of a header that may be there once.
    pub fn only(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut found = self.headers.iter().filter(|(n, _)| n == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err((400, "a header is there twice")),
            (header, None) => Ok(header.map(|(_, value)| value.as_str())),
        }
    }
}

fn parse_length(text: &str) -> Result<usize, Refusal> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(length) if is_number => Ok(length),
        Err(_) if is_number => Err((413, "the body is too long")),
        _ => Err((400, "the length of the body is no number")),
    }
}

struct Input<'a> {
    stream: &'a mut TcpStream,
    patience: Duration,
    start: Instant,
    bytes: Vec<u8>,
}

impl Input<'_> {
    fn more(&mut self) -> Result<(), Refusal> {
        const LATE: Refusal = (408, "the request did not come in time");
        let left = self.patience.checked_sub(self.start.elapsed()).ok_or(LATE)?;
        let left = left.max(Duration::from_millis(1));
        self.stream.set_read_timeout(Some(left)).map_err(|_| LATE)?;
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer) {
            Ok(0) => Err((400, "the request is not complete")),
            Ok(count) => {
                self.bytes.extend_from_slice(&buffer[..count]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(_) => Err(LATE),
        }
    }
}

/// The beginning of every response.
fn head(status: u16, kind: &str, length: Option<usize>) -> String {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    };
    let length = length.map_or(String::new(), |n| format!("Content-Length: {n}\r\n"));
    let policy = Policy::Served.text();
    format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\n{length}Connection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n\
         Content-Security-Policy: {policy}; frame-ancestors 'none'\r\n\r\n"
    )
}

/// Sends a whole response.
pub fn send(stream: &mut TcpStream, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
    stream.write_all(head(status, kind, Some(body.len())).as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Sends a refusal.
pub fn refuse(stream: &mut TcpStream, status: u16, words: &str) -> io::Result<()> {
    send(stream, status, "text/plain; charset=utf-8", format!("{words}\n").as_bytes())
}

/// Begins a stream of events.
pub fn begin_events(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(head(200, "text/event-stream", None).as_bytes())
}
