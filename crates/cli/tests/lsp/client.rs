//! An editor for tests: starts the server and talks to it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Nothing takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came in and was not asked for yet.
    seen: Vec<Value>,
    last: u64,
}

impl Client {
    /// A server that nobody has spoken to.
    pub fn silent(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .arg("lsp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Client { child, input, messages, seen: Vec::new(), last: 0 }
    }

    /// A server that is ready.
    pub fn start(arguments: &[&str], capabilities: Value) -> Self {
        let mut client = Client::silent(arguments);
        let answer = client.request("initialize", json!({"capabilities": capabilities}));
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16");
        client.notify("initialized", json!({}));
        client
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks, and waits for the answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The result of a request that has one.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The next message that is wanted; others stay.
    pub fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.seen.iter().position(&wanted) {
                return self.seen.remove(at);
            }
            match self.messages.recv_timeout(PATIENCE) {
                Ok(message) => self.seen.push(message),
                Err(error) => panic!("{error}; what came: {:#?}", self.seen),
            }
        }
    }

    pub fn wait_for(&mut self, method: &str) -> Value {
        self.wait(|message| message["method"] == method)["params"].clone()
    }

    /// The diagnostics of a document in this version.
    pub fn diagnostics(&mut self, uri: &str, version: u64) -> Vec<Value> {
        let params = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        params["params"]["diagnostics"].as_array().unwrap().clone()
    }

    pub fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({"uri": uri, "languageId": "", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.diagnostics(uri, 1)
    }

    pub fn change(&mut self, uri: &str, version: u64, changes: Value) -> Vec<Value> {
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", params);
        self.diagnostics(uri, version)
    }

    /// Asks about a position.
    pub fn at(&mut self, method: &str, uri: &str, line: u64, character: u64) -> Value {
        let position = json!({"line": line, "character": character});
        self.result(method, json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// Ends the server in order.
    pub fn goodbye(mut self) {
        assert_eq!(self.result("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        assert_eq!(self.ended(), Some(0));
    }

    /// Closes the input, and waits for the end.
    pub fn ended(&mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves no server behind; one that passed has none.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None if line.trim().is_empty() => break,
            None => panic!("an odd header: {line}"),
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
