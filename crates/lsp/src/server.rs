//! # The server
//! One loop over what comes in and what runs in the background say. Texts are looked at when nothing more is
//! waiting, so that fast typing does not pile up.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread;

use serde_json::{Value, json};

use crate::Settings;
use crate::document::Document;
use crate::rpc::{self, Incoming};
use crate::show::{self, CANCEL, VERIFY};
use crate::verify::{Run, Shown, State, Task};

/// How many messages may wait.
const WAITING: usize = 256;

/// The stack of a run, which follows the nesting of the text.
const STACK: usize = 16 << 20;

/// What the loop hears.
enum Heard {
    In(Incoming),
    /// A run is so far.
    Progress(u64, String),
    /// A run has ended.
    Done(String, u64, Shown),
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Open,
    ShutDown,
}

/// A document, and what is known of it.
struct Opened {
    document: Document,
    state: State,
}

/// Why a request has no answer: the code, and the words.
type Refusal = (i32, String);

pub struct Server<W> {
    output: W,
    settings: Settings,
    phase: Phase,
    documents: BTreeMap<String, Opened>,
    /// What the editor can do.
    shows_progress: bool,
    refreshes_lenses: bool,
    /// The last number of a run, and of a request of ours.
    last: u64,
    /// Whether the editor is gone.
    is_gone: bool,
}

impl<W: Write> Server<W> {
    pub fn new(output: W, settings: Settings) -> Self {
        Server {
            output,
            settings,
            phase: Phase::Before,
            documents: BTreeMap::new(),
            shows_progress: false,
            refreshes_lenses: false,
            last: 0,
            is_gone: false,
        }
    }

    /// Serves until the end; whether that came in order.
    pub fn run(mut self, mut input: impl BufRead + Send + 'static) -> bool {
        let (sender, heard) = mpsc::sync_channel(WAITING);
        let from_editor = sender.clone();
        let listen = move || {
            loop {
                let incoming = rpc::read(&mut input);
                let is_end = matches!(incoming, Incoming::End);
                if from_editor.send(Heard::In(incoming)).is_err() || is_end {
                    return;
                }
            }
        };
        if thread::Builder::new().spawn(listen).is_err() {
            return false;
        }
        let in_order = self.serve(&heard, &sender);
        self.documents.values().for_each(|opened| opened.state.cancel());
        in_order
    }

    fn serve(&mut self, heard: &Receiver<Heard>, sender: &SyncSender<Heard>) -> bool {
        while !self.is_gone {
            let next = match heard.try_recv() {
                Err(TryRecvError::Empty) => {
                    self.look_at_changes();
                    heard.recv().ok()
                }
                other => other.ok(),
            };
            match next {
                None | Some(Heard::In(Incoming::End)) => return false,
                Some(Heard::In(Incoming::Broken(code, why))) => {
                    self.send(&rpc::error(Value::Null, code, &why));
                }
                Some(Heard::In(Incoming::Message(message))) => {
                    if let Some(in_order) = self.message(&message, sender) {
                        return in_order;
                    }
                }
                Some(Heard::Progress(run, text)) => {
                    self.progress(run, &json!({"kind": "report", "message": text}));
                }
                Some(Heard::Done(uri, run, shown)) => self.done(&uri, run, shown),
            }
        }
        false
    }

    fn send(&mut self, message: &Value) {
        self.is_gone |= rpc::write(&mut self.output, message).is_err();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks the editor something; what it answers does not matter.
    fn ask(&mut self, method: &str, params: Value) {
        self.last += 1;
        let id = format!("selvedge-{}", self.last);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// One message. If it ends the conversation: whether that is in order.
    fn message(&mut self, message: &Value, sender: &SyncSender<Heard>) -> Option<bool> {
        let id = message.get("id").cloned();
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // An answer to a request of ours has no method; anything else without one is no message.
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            if !is_answer {
                let why = "a message needs a `method`";
                self.send(&rpc::error(id.unwrap_or(Value::Null), rpc::INVALID_REQUEST, why));
            }
            return None;
        };
        if method == "exit" {
            return Some(self.phase == Phase::ShutDown);
        }
        let null = Value::Null;
        let params = message.get("params").unwrap_or(&null);
        let Some(id) = id else {
            if self.phase == Phase::Open {
                self.notification(method, params);
            }
            return None;
        };
        let answer = match (self.phase, method) {
            (Phase::Before, "initialize") => Ok(self.initialize(params)),
            (Phase::Before, _) => {
                Err((rpc::NOT_INITIALIZED, "the first request is `initialize`".to_owned()))
            }
            (Phase::ShutDown, _) => {
                Err((rpc::INVALID_REQUEST, "the server was shut down".to_owned()))
            }
            (Phase::Open, "initialize") => {
                Err((rpc::INVALID_REQUEST, "the server is initialized already".to_owned()))
            }
            (Phase::Open, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.documents.values().for_each(|opened| opened.state.cancel());
                Ok(Value::Null)
            }
            (Phase::Open, _) => self.request(method, params, sender),
        };
        self.send(&match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, why)) => rpc::error(id, code, &why),
        });
        None
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Open;
        let can = |path| params.pointer(path).and_then(Value::as_bool).unwrap_or(false);
        self.shows_progress = can("/capabilities/window/workDoneProgress");
        self.refreshes_lenses = can("/capabilities/workspace/codeLens/refreshSupport");
        json!({
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 2},
                "definitionProvider": true,
                "hoverProvider": true,
                "documentSymbolProvider": true,
                "codeLensProvider": {"resolveProvider": false},
                "executeCommandProvider": {"commands": [VERIFY, CANCEL]},
            },
            "serverInfo": {"name": "selvedge", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    fn request(
        &mut self,
        method: &str,
        params: &Value,
        sender: &SyncSender<Heard>,
    ) -> Result<Value, Refusal> {
        let invalid = |why: &str| (rpc::INVALID_PARAMS, format!("{method}: {why}"));
        if method == "workspace/executeCommand" {
            let command = params.get("command").and_then(Value::as_str);
            let uri = params.pointer("/arguments/0").and_then(Value::as_str);
            let command = command.ok_or_else(|| invalid("which command?"))?;
            let uri =
                uri.ok_or_else(|| invalid("the first argument is the address of a document"))?;
            return match command {
                VERIFY => self.verify(uri, sender),
                CANCEL => self.cancel(uri),
                _ => Err(invalid(&format!("there is no command `{command}`"))),
            };
        }
        type Answer = fn(&str, &mut Opened, Option<usize>) -> Option<Value>;
        let answer: Answer = match method {
            "textDocument/definition" => {
                |uri, o, at| Some(show::definition(uri, &mut o.document, at?))
            }
            "textDocument/hover" => |_, o, at| Some(show::hover(&mut o.document, at?)),
            "textDocument/documentSymbol" => |_, o, _| Some(show::symbols(&mut o.document)),
            "textDocument/codeLens" => {
                |uri, o, _| Some(show::lenses(uri, &mut o.document, &o.state))
            }
            _ => return Err((rpc::METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        };
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.ok_or_else(|| invalid("which document?"))?;
        let opened =
            self.documents.get_mut(uri).ok_or_else(|| invalid("this document is not open"))?;
        let offset = params.get("position").and_then(|position| opened.document.offset(position));
        answer(uri, opened, offset).ok_or_else(|| invalid("at which position?"))
    }

    fn notification(&mut self, method: &str, params: &Value) {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        match (method, uri) {
            ("textDocument/didOpen", Some(uri)) => self.open(uri, params),
            ("textDocument/didChange", Some(uri)) => self.change(uri, params),
            ("textDocument/didClose", Some(uri)) => self.close(uri),
            ("window/workDoneProgress/cancel", _) => {
                let token = params.get("token").and_then(Value::as_str).unwrap_or_default();
                for opened in self.documents.values() {
                    if matches!(&opened.state, State::Running(run) if token_of(run.id) == token) {
                        opened.state.cancel();
                    }
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, uri: &str, params: &Value) {
        let word = |name: &str| params.pointer(name).and_then(Value::as_str);
        let Some(text) = word("/textDocument/text") else { return };
        let language = word("/textDocument/languageId").unwrap_or_default();
        let version = params.pointer("/textDocument/version").cloned().unwrap_or(Value::Null);
        let document = Document::new(uri, language, version, text.to_owned());
        self.forget(uri);
        self.documents.insert(uri.to_owned(), Opened { document, state: State::Idle });
    }

    fn change(&mut self, uri: &str, params: &Value) {
        let Some(opened) = self.documents.get_mut(uri) else { return };
        let changes = params.get("contentChanges").and_then(Value::as_array);
        for change in changes.into_iter().flatten() {
            if opened.document.change(change).is_none() {
                let message = "a change of the document makes no sense; close and open it again";
                self.notify("window/logMessage", json!({"type": 1, "message": message}));
                return;
            }
        }
        if let Some(version) = params.pointer("/textDocument/version") {
            opened.document.version = version.clone();
        }
        // What is known was about another text.
        opened.state.cancel();
        if let State::Done(_) = opened.state {
            opened.state = State::Idle;
        }
    }

    fn close(&mut self, uri: &str) {
        if self.forget(uri) {
            self.notify("textDocument/publishDiagnostics", json!({"uri": uri, "diagnostics": []}));
        }
    }

    /// Ends what runs for a document; whether it was open.
    fn forget(&mut self, uri: &str) -> bool {
        let opened = self.documents.remove(uri);
        opened.inspect(|opened| opened.state.cancel()).is_some()
    }

    fn look_at_changes(&mut self) {
        let fresh =
            |(uri, opened): (&String, &Opened)| (!opened.document.is_known()).then(|| uri.clone());
        let changed: Vec<String> = self.documents.iter().filter_map(fresh).collect();
        changed.iter().for_each(|uri| self.publish(uri));
    }

    /// Sends what is wrong with a text: mistakes, and a violation.
    fn publish(&mut self, uri: &str) {
        let Some(opened) = self.documents.get_mut(uri) else { return };
        // Nothing but a look makes a text known that is too large or no program.
        opened.document.draft();
        let mut list = show::diagnostics(uri, &mut opened.document);
        if let State::Done(Shown { violation: Some(violation), message, severity, .. }) =
            &opened.state
        {
            let document = &opened.document;
            let related: Vec<Value> = (violation.steps.iter())
                .map(|(span, words)| {
                    let location = json!({"uri": uri, "range": document.range(*span)});
                    json!({"location": location, "message": words})
                })
                .collect();
            list.push(json!({
                "range": document.range(violation.span),
                "severity": severity,
                "source": "selvedge verify",
                "message": message,
                "relatedInformation": related,
            }));
        }
        let mut params = json!({"uri": uri, "diagnostics": list});
        if opened.document.version.is_i64() {
            params["version"] = opened.document.version.clone();
        }
        self.notify("textDocument/publishDiagnostics", params);
    }

    fn verify(&mut self, uri: &str, sender: &SyncSender<Heard>) -> Result<Value, Refusal> {
        let settings = self.settings;
        let Some(opened) = self.documents.get_mut(uri) else {
            return Err((rpc::INVALID_PARAMS, "this document is not open".to_owned()));
        };
        let cancelled = Arc::new(AtomicBool::new(false));
        let task = opened.document.draft();
        let task = task.and_then(|draft| Task::new(draft, settings, Arc::clone(&cancelled)));
        let Some(task) = task else {
            let message = "there is nothing to verify before the mistakes are mended";
            self.notify("window/showMessage", json!({"type": 2, "message": message}));
            return Ok(Value::Null);
        };
        opened.state.cancel();
        self.last += 1;
        let id = self.last;
        opened.state = State::Running(Run { id, cancelled });
        let (name, heard) = (uri.to_owned(), sender.clone());
        let work = move || {
            let progress = heard.clone();
            // An editor that does not listen need not hear everything.
            let shown = task.run(&move |text| drop(progress.try_send(Heard::Progress(id, text))));
            let _ = heard.send(Heard::Done(name, id, shown));
        };
        if thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
            opened.state = State::Idle;
            let message = "the verification could not be started";
            self.notify("window/showMessage", json!({"type": 1, "message": message}));
            return Ok(Value::Null);
        }
        if self.shows_progress {
            self.ask("window/workDoneProgress/create", json!({"token": token_of(id)}));
            let title = "Selvedge: verifying";
            self.progress(id, &json!({"kind": "begin", "title": title, "cancellable": true}));
        }
        self.refresh();
        Ok(Value::Null)
    }

    fn cancel(&mut self, uri: &str) -> Result<Value, Refusal> {
        let Some(opened) = self.documents.get(uri) else {
            return Err((rpc::INVALID_PARAMS, "this document is not open".to_owned()));
        };
        opened.state.cancel();
        Ok(Value::Null)
    }

    fn done(&mut self, uri: &str, run: u64, shown: Shown) {
        self.progress(run, &json!({"kind": "end"}));
        let Some(opened) = self.documents.get_mut(uri) else { return };
        let State::Running(running) = &opened.state else { return };
        if running.id != run {
            return; // another one was started meanwhile
        }
        let was_cancelled = running.cancelled.load(Ordering::Relaxed);
        opened.state = State::Idle;
        if was_cancelled {
            return self.refresh();
        }
        let message = json!({"type": shown.severity, "message": shown.message});
        opened.state = State::Done(shown);
        self.publish(uri);
        self.notify("window/showMessage", message);
        self.refresh();
    }

    fn progress(&mut self, run: u64, value: &Value) {
        if self.shows_progress {
            self.notify("$/progress", json!({"token": token_of(run), "value": value}));
        }
    }

    fn refresh(&mut self) {
        if self.refreshes_lenses {
            self.ask("workspace/codeLens/refresh", Value::Null);
        }
    }
}

impl State {
    /// Ends the run, if there is one. Until it says that it has ended, it is there.
    fn cancel(&self) {
        if let State::Running(run) = self {
            run.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

fn token_of(run: u64) -> String {
    format!("selvedge-verify-{run}")
}
