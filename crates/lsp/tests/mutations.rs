//! Whatever comes in, the server does not panic, and what it says is always a message: conversations with bytes and
//! whole messages changed, left out and repeated.

use std::io::{BufRead, Cursor, Read};
use std::time::Duration;

use selvedge_lsp::{Ending, Settings, serve};
use serde_json::{Value, json};

const TEXT: &str = "const N = 2;\nint[0..N] é;\nint[0..N] x;\nvoid f(bool b) { l: x := 1; if (b) { goto l; } }\n\
                    thread t[i] * N = f(true);\nthread u { call f(false); assert x == 0; }\n";

fn message(value: &Value) -> Vec<u8> {
    let body = value.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A conversation with everything in it.
fn conversation() -> Vec<Vec<u8>> {
    let uri = "file:///t.weave";
    let request = |id: u64, method: &str, params: Value| {
        message(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    let notify = |method: &str, params: Value| {
        message(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    };
    let document = json!({"uri": uri, "languageId": "weave", "version": 1, "text": TEXT});
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 3, "character": 22}});
    let range = json!({"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 11}});
    let change = json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": range, "text": "y"}]});
    let verify = json!({"command": "selvedge.verify", "arguments": [uri]});
    vec![
        request(1, "initialize", json!({"capabilities": {"window": {"workDoneProgress": true}}})),
        notify("initialized", json!({})),
        notify("textDocument/didOpen", json!({"textDocument": document})),
        request(2, "textDocument/hover", place.clone()),
        notify("textDocument/didChange", change),
        request(3, "textDocument/definition", place),
        request(4, "textDocument/documentSymbol", json!({"textDocument": {"uri": uri}})),
        request(5, "textDocument/codeLens", json!({"textDocument": {"uri": uri}})),
        request(6, "workspace/executeCommand", verify),
        request(7, "shutdown", Value::Null),
        notify("exit", Value::Null),
    ]
}

/// What the server says; all of it can be read.
fn said(bytes: Vec<u8>) -> (Ending, Vec<Value>) {
    let settings = Settings::within(Duration::ZERO);
    let mut output = Vec::new();
    let ending = serve(Cursor::new(bytes), &mut output, settings);
    let mut rest = output.as_slice();
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let mut header = String::new();
        rest.read_line(&mut header).unwrap();
        let length: u64 = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        rest.read_line(&mut String::new()).unwrap();
        let mut body = Vec::new();
        assert_eq!(rest.by_ref().take(length).read_to_end(&mut body).unwrap() as u64, length);
        messages.push(serde_json::from_slice(&body).unwrap());
    }
    (ending, messages)
}

#[test]
fn the_conversation_itself_is_in_order() {
    let (ending, messages) = said(conversation().concat());
    assert_eq!(ending, Ending::InOrder);
    for id in 1..=7 {
        let answer = messages.iter().find(|message| message["id"] == id).unwrap();
        assert!(answer.get("error").is_none(), "{answer}");
    }
}

#[test]
fn changed_conversations_do_no_harm() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..1500 {
        let mut messages = conversation();
        for _ in 0..random.usize(1..4) {
            let (at, other) = (random.usize(..messages.len()), random.usize(..messages.len()));
            match random.u8(..4) {
                0 => drop(messages.remove(at)),
                1 => messages.insert(at, messages[other].clone()),
                2 => messages.swap(at, other),
                _ => {
                    // A change inside of the body keeps the length, so that all later messages are read.
                    let body = messages[at].iter().position(|&byte| byte == b'{').unwrap();
                    let byte = random.usize(body..messages[at].len());
                    messages[at][byte] = *random.choice(b"0-9\"{}[],:x\xff \x00e").unwrap();
                }
            }
            if messages.is_empty() {
                break;
            }
        }
        let mut bytes = messages.concat();
        if random.u8(..4) == 0 && !bytes.is_empty() {
            let byte = random.usize(..bytes.len());
            bytes[byte] = random.u8(..);
            bytes.truncate(random.usize(..=bytes.len()));
        }
        said(bytes);
    }
}
