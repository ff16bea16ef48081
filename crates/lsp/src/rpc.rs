//! # Messages
//! Bytes become messages, and messages bytes, in `lsp-server`. In front of it stands what an editor that errs must not break:
//! lines of a header have a longest, messages have a largest, and memory is taken when bytes come, not when they are announced. A message that makes no sense is
//! skipped, and said to make none; reading goes on behind it.

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Message};
use serde::Deserialize;
use serde_json::{Value, json};

/// The longest line of a header, and how many lines there may be.
const LONGEST_HEADER: u64 = 4096;
const MOST_HEADERS: usize = 32;

/// The largest message. Texts above a smaller size are not analysed, but may be sent.
const LARGEST: u64 = 256 << 20;

/// The result of reading a message.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// Input that is no message.
    Broken(Unread),
    /// The end of the input.
    End,
}

/// Bytes that are no message: the number of the request if they have one, the code of the error, and why.
#[derive(Debug)]
pub struct Unread {
    id: Value,
    code: ErrorCode,
    why: String,
}

impl Unread {
    fn new(code: ErrorCode, why: impl Into<String>) -> Self {
        Unread { id: Value::Null, code, why: why.into() }
    }

    /// Tells the editor. `lsp-server` has no answer to a request without a number, which this may be.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let error = json!({"code": self.code as i32, "message": self.why});
        let body = json!({"jsonrpc": "2.0", "id": self.id, "error": error}).to_string();
        write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        output.flush()
    }
}

/// Reads one message from the input.
pub fn read(input: &mut impl BufRead) -> Incoming {
    read_message(input).unwrap_or(Incoming::End)
}

fn read_message(input: &mut impl BufRead) -> io::Result<Incoming> {
    let length = match read_header(input)? {
        Header::Length(length) => length,
        Header::Broken(why) => {
            return Ok(Incoming::Broken(Unread::new(ErrorCode::ParseError, why)));
        }
        Header::End => return Ok(Incoming::End),
    };
    if length > LARGEST {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        let unread = Unread::new(ErrorCode::InvalidRequest, "the message is too large");
        return Ok(if skipped == length { Incoming::Broken(unread) } else { Incoming::End });
    }
    let mut framed = format!("Content-Length: {length}\r\n\r\n").into_bytes();
    let start = framed.len();
    input.take(length).read_to_end(&mut framed)?;
    let body = &framed[start..];
    if (body.len() as u64) < length {
        return Ok(Incoming::End);
    }
    let read = Message::read(&mut framed.as_slice()).ok().flatten();
    Ok(match read.ok_or_else(|| unread(body)).and_then(|message| sensible(message, body)) {
        Ok(message) => Incoming::Message(message),
        Err(unread) => Incoming::Broken(unread),
    })
}

/// The header of a message, as it was read.
enum Header {
    /// How many bytes the message has.
    Length(u64),
    /// Lines that announce no message, and why.
    Broken(String),
    /// The input ended before a message began.
    End,
}

/// Reads the lines before a message. How they end, and how many spaces they have, does not matter; empty ones may come first.
fn read_header(input: &mut impl BufRead) -> io::Result<Header> {
    let mut length: Option<Result<u64, String>> = None;
    let mut is_empty = true;
    for _ in 0..MOST_HEADERS {
        let mut line = Vec::new();
        input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(Header::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() && is_empty {
            continue;
        }
        if line.is_empty() {
            return Ok(match length {
                Some(Ok(length)) => Header::Length(length),
                Some(Err(text)) => {
                    Header::Broken(format!("`Content-Length: {text}` is no length of a message"))
                }
                None => Header::Broken("a message begins with `Content-Length`".to_owned()),
            });
        }
        is_empty = false;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            let value = value.trim();
            length = Some(value.parse().map_err(|_| value.to_owned()));
        }
    }
    Ok(Header::Broken("this is no header of a message".to_owned()))
}

/// Says why a text is no message.
fn unread(body: &[u8]) -> Unread {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => {
            let why = format!("the message is no JSON: {error}");
            return Unread::new(ErrorCode::ParseError, why);
        }
    };
    let id = value.get("id").cloned().unwrap_or_default();
    Unread { id, ..Unread::new(ErrorCode::InvalidRequest, "a message needs a `method`") }
}

/// The message, unless `lsp-server` reads more into the text than it says: it takes lists for messages, and a request whose number it
/// does not know for a notification, so that the editor would wait forever.
fn sensible(message: Message, body: &[u8]) -> Result<Message, Unread> {
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(Unread::new(ErrorCode::InvalidRequest, "a message is an object"));
    }
    if let Message::Notification(_) = message {
        let why = "the `id` of a request is a text or a whole number of 32 bits";
        let unread = Unread::new(ErrorCode::InvalidRequest, why);
        return match serde_json::from_slice(body) {
            Ok(Numbered { id: Value::Null }) => Ok(message),
            Ok(Numbered { id }) => Err(Unread { id, ..unread }),
            Err(_) => Err(unread),
        };
    }
    Ok(message)
}

/// Reads of a message only the number of its request.
#[derive(Deserialize)]
struct Numbered {
    #[serde(default)]
    id: Value,
}

#[cfg(test)]
mod tests {
    use lsp_server::Response;

    use super::*;

    /// What was read: the method, or the code and the number of what was not understood.
    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        let mut list = Vec::new();
        loop {
            list.push(match read(&mut input) {
                Incoming::Message(Message::Request(it)) => format!("{} {}", it.method, it.id),
                Incoming::Message(Message::Notification(it)) => it.method,
                Incoming::Message(Message::Response(it)) => format!("answer {}", it.id),
                Incoming::Broken(it) => format!("{} {}", it.code as i32, it.id),
                Incoming::End => return list,
            });
        }
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn messages_are_read_one_by_one() {
        let two = b"Content-Length: 14\r\n\r\n{\"method\":\"m\"}\ncontent-length:21\nContent-Type: x\n\n{\"id\":1,\"method\":\"n\"}\r\n";
        assert_eq!(all(two), ["m", "n 1"]);
        let answers = framed(r#"{"id":"a","result":null}"#) + &framed(r#"{"id":2,"result":[]}"#);
        assert_eq!(all(answers.as_bytes()), ["answer \"a\"", "answer 2"]);
    }

    #[test]
    fn what_makes_no_sense_is_skipped() {
        let behind = framed(r#"{"method":"m"}"#);
        for (bytes, code) in [
            (&b"Content-Length: x\r\n\r\n"[..], "-32700 null"),
            (b"Hello: there\r\n\r\n", "-32700 null"),
            (b"Content-Length: 3\r\n\r\n{\xff}", "-32700 null"),
            (b"Content-Length: -1\r\n\r\n", "-32700 null"),
            (framed("").as_bytes(), "-32700 null"),
            (framed(&"[".repeat(1 << 20)).as_bytes(), "-32700 null"),
            (framed("7").as_bytes(), "-32600 null"),
            (framed(r#"["exit"]"#).as_bytes(), "-32600 null"),
            (framed(r#"{"id":9}"#).as_bytes(), "-32600 9"),
            (framed(r#"{"id":9,"method":3}"#).as_bytes(), "-32600 9"),
            (framed(r#"{"id":4294967296,"method":"m"}"#).as_bytes(), "-32600 4294967296"),
            (framed(r#"{"id":[1],"method":"m"}"#).as_bytes(), "-32600 [1]"),
            (framed(r#"{"id":1,"id":2,"method":"m"}"#).as_bytes(), "-32600 null"),
        ] {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(all(&[bytes, behind.as_bytes()].concat()), [code, "m"], "{text}");
        }
        assert_eq!(all(b"Content-Length: 99\r\n\r\n{}"), [""; 0]);
        assert_eq!(all(&vec![b'x'; 1 << 20])[0], "-32700 null");
        assert_eq!(all(format!("Content-Length: {}\r\n\r\n7", u64::MAX).as_bytes()), [""; 0]);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut bytes = Vec::new();
        let response = Response { id: 1.into(), response_result: Ok(Value::Null) };
        Message::from(response).write(&mut bytes).unwrap();
        assert_eq!(bytes, framed(r#"{"jsonrpc":"2.0","id":1,"result":null}"#).as_bytes());
        unread(r#"{"id":"é∧\u{1F9F5}\n"}"#.replace("\\u{1F9F5}", "\u{1F9F5}").as_bytes())
            .write(&mut bytes)
            .unwrap();
        assert_eq!(all(&bytes), ["answer 1", "answer \"é∧\u{1F9F5}\\n\""]);
    }
}
