//! # Messages
//! JSON-RPC with the headers of the protocol. A message that makes no sense is skipped, and said to make none;
//! reading goes on behind it.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value, json};

/// The longest line of a header, and how many lines there may be.
const LONGEST_HEADER: u64 = 4096;
const MOST_HEADERS: usize = 32;

/// The largest message. Texts above a smaller size are not analysed, but may be sent.
const LARGEST: u64 = 256 << 20;

/// Codes of errors, as the protocol has them.
pub const PARSE_ERROR: i32 = -32700;
pub const INVALID_REQUEST: i32 = -32600;
pub const METHOD_NOT_FOUND: i32 = -32601;
pub const INVALID_PARAMS: i32 = -32602;
pub const NOT_INITIALIZED: i32 = -32002;

/// What came in.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Value),
    /// Something else: the code of the error, and why.
    Broken(i32, String),
    /// Nothing, and nothing more will come.
    End,
}

/// Reads one message.
pub fn read(input: &mut impl BufRead) -> Incoming {
    read_message(input).unwrap_or(Incoming::End)
}

fn read_message(input: &mut impl BufRead) -> io::Result<Incoming> {
    let mut length: Option<Result<u64, String>> = None;
    let mut is_empty = true;
    for _ in 0..MOST_HEADERS {
        let mut line = Vec::new();
        input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(Incoming::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() && is_empty {
            continue;
        }
        if line.is_empty() {
            return match length {
                Some(Ok(length)) => read_body(input, length),
                Some(Err(text)) => {
                    Ok(broken(format!("`Content-Length: {text}` is no length of a message")))
                }
                None => Ok(broken("a message begins with `Content-Length`".to_owned())),
            };
        }
        is_empty = false;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            let value = value.trim();
            length = Some(value.parse().map_err(|_| value.to_owned()));
        }
    }
    Ok(broken("this is no header of a message".to_owned()))
}

fn broken(why: String) -> Incoming {
    Incoming::Broken(PARSE_ERROR, why)
}

fn read_body(input: &mut impl BufRead, length: u64) -> io::Result<Incoming> {
    if length > LARGEST {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(match skipped == length {
            true => Incoming::Broken(INVALID_REQUEST, "the message is too large".to_owned()),
            false => Incoming::End,
        });
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(Incoming::End);
    }
    Ok(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => broken(format!("the message is no JSON: {error}")),
    })
}

/// Writes one message.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// What is said of a request that cannot be answered.
pub fn error(id: Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        let mut list = Vec::new();
        loop {
            list.push(match read(&mut input) {
                Incoming::Message(value) => value.to_string(),
                Incoming::Broken(code, _) => code.to_string(),
                Incoming::End => return list,
            });
        }
    }

    #[test]
    fn messages_are_read_one_by_one() {
        let two = b"Content-Length: 2\r\n\r\n{}content-length:1\nContent-Type: x\n\n7\r\n";
        assert_eq!(all(two), ["{}", "7"]);
    }

    #[test]
    fn what_makes_no_sense_is_skipped() {
        assert_eq!(all(b"Content-Length: x\r\n\r\nContent-Length: 1\r\n\r\n7"), ["-32700", "7"]);
        assert_eq!(all(b"Hello: there\r\n\r\nContent-Length: 1\r\n\r\n7"), ["-32700", "7"]);
        assert_eq!(
            all(b"Content-Length: 3\r\n\r\n{\xff}Content-Length: 1\r\n\r\n7"),
            ["-32700", "7"]
        );
        assert_eq!(all(b"Content-Length: -1\r\n\r\n"), ["-32700"]);
        assert_eq!(all(b"Content-Length: 99\r\n\r\n{}"), [""; 0]);
        assert_eq!(all(&vec![b'x'; 1 << 20])[0], "-32700");
        assert_eq!(all(format!("Content-Length: {}\r\n\r\n7", u64::MAX).as_bytes()), [""; 0]);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut bytes = Vec::new();
        let message = json!({"text": "é∧\u{1F9F5}\n"});
        write(&mut bytes, &message).unwrap();
        assert_eq!(all(&bytes), [message.to_string()]);
    }
}
