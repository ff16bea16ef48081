//! # The server
//! One loop over what comes in and what runs in the background say. Texts are looked at when nothing more is
//! waiting, so that fast typing does not pile up.

mod runs;
mod texts;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread;

use serde_json::{Value, json};

use crate::Settings;
use crate::document::Document;
use crate::edit;
use crate::rpc::{self, Incoming};
use crate::show::{self, CANCEL, LIVELOCK, VERIFY};
use crate::verify::{Asked, Shown, State};

use self::runs::token_of;

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
                "referencesProvider": true,
                "renameProvider": true,
                "completionProvider": {},
                "documentFormattingProvider": true,
                "codeActionProvider": {"codeActionKinds": ["quickfix"]},
                "semanticTokensProvider": {
                    "legend": {
                        "tokenTypes": edit::TOKEN_TYPES,
                        "tokenModifiers": edit::TOKEN_MODIFIERS,
                    },
                    "full": true,
                },
                "codeLensProvider": {"resolveProvider": false},
                "executeCommandProvider": {"commands": [VERIFY, LIVELOCK, CANCEL]},
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
                VERIFY => self.verify(uri, Asked::Verify, sender),
                LIVELOCK => self.verify(uri, Asked::Livelock, sender),
                CANCEL => self.cancel(uri),
                _ => Err(invalid(&format!("there is no command `{command}`"))),
            };
        }
        type Respond = fn(&str, &mut Opened, Option<usize>, &Value) -> Option<Value>;
        let answer: Respond = match method {
            "textDocument/definition" => {
                |uri, o, at, _| Some(show::definition(uri, &mut o.document, at?))
            }
            "textDocument/hover" => |_, o, at, _| Some(show::hover(&mut o.document, at?)),
            "textDocument/documentSymbol" => |_, o, _, _| Some(show::symbols(&mut o.document)),
            "textDocument/codeLens" => {
                |uri, o, _, _| Some(show::lenses(uri, &mut o.document, &o.state))
            }
            "textDocument/references" => |uri, o, at, params| {
                let declared = params.pointer("/context/includeDeclaration");
                let declared = declared.and_then(Value::as_bool).unwrap_or(true);
                Some(edit::references(uri, &mut o.document, at?, declared))
            },
            "textDocument/completion" => |_, o, at, _| Some(edit::completion(&mut o.document, at?)),
            "textDocument/formatting" => |_, o, _, _| Some(edit::formatting(&mut o.document)),
            "textDocument/semanticTokens/full" => |_, o, _, _| Some(edit::colours(&mut o.document)),
            "textDocument/codeAction" => |uri, o, _, params| {
                let at = |end: &str| o.document.offset(params.pointer(end)?);
                let (from, to) = (at("/range/start")?, at("/range/end")?);
                Some(edit::fixes(uri, &mut o.document, from, to))
            },
            "textDocument/rename" => return self.rename(params).map_err(|why| invalid(&why)),
            _ => return Err((rpc::METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        };
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.ok_or_else(|| invalid("which document?"))?;
        let opened =
            self.documents.get_mut(uri).ok_or_else(|| invalid("this document is not open"))?;
        let offset = params.get("position").and_then(|position| opened.document.offset(position));
        answer(uri, opened, offset, params).ok_or_else(|| invalid("at which position?"))
    }

    fn rename(&mut self, params: &Value) -> Result<Value, String> {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.ok_or("which document?")?;
        let document =
            &mut self.documents.get_mut(uri).ok_or("this document is not open")?.document;
        let at = params.get("position").and_then(|position| document.offset(position));
        let name = params.get("newName").and_then(Value::as_str).ok_or("which name?")?;
        edit::rename(uri, document, at.ok_or("at which position?")?, name)
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
}
