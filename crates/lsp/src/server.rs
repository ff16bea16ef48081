//! # The server
//! One loop over what comes in and what runs in the background say. Texts are looked at when nothing more is
//! waiting, so that fast typing does not pile up.

mod runs;
mod texts;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread;

use lsp_server::{ErrorCode, Message, RequestId, Response, ResponseError};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification,
    WorkDoneProgressCancel,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentSymbolRequest, ExecuteCommand,
    Formatting, GotoDefinition, HoverRequest, Initialize, References, Rename, Request,
    SemanticTokensFullRequest, Shutdown,
};
use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions,
    DocumentSymbolResponse, ExecuteCommandOptions, GotoDefinitionResponse, InitializeResult, OneOf,
    Position, PositionEncodingKind, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, ServerCapabilities, ServerInfo, TextDocumentPositionParams,
    TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkDoneProgress, WorkDoneProgressReport,
};
use serde::Serialize;
use serde_json::Value;

use crate::document::Document;
use crate::edit;
use crate::rpc::{self, Incoming};
use crate::show::{self, CANCEL, DEADLOCK, LIVELOCK, VERIFY};
use crate::verify::{LensQuestion, ShownAnswer, State};
use crate::{Ending, Settings};

use self::runs::token_of;

/// How many messages may wait.
const WAITING: usize = 256;

/// The stack of a run, which follows the nesting of the text.
const STACK: usize = 16 << 20;

/// An event that the loop receives.
enum Heard {
    In(Incoming),
    /// A run is so far.
    Progress(u64, String),
    /// A run has ended.
    Done(Uri, u64, ShownAnswer),
}

/// The phase of the conversation with the editor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Open,
    ShutDown,
}

/// An open document, with its verification.
struct Opened {
    document: Document,
    state: State,
}

/// Why a request has no answer: the code, and the words.
type Refusal = (ErrorCode, String);

pub struct Server<W> {
    output: W,
    settings: Settings,
    phase: Phase,
    documents: BTreeMap<Uri, Opened>,
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

    /// Serves until the end, and says how that came.
    pub fn run(mut self, mut input: impl BufRead + Send + 'static) -> Ending {
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
            return Ending::Closed;
        }
        let ending = self.serve(&heard, &sender);
        self.documents.values().for_each(|opened| opened.state.cancel());
        ending
    }

    fn serve(&mut self, heard: &Receiver<Heard>, sender: &SyncSender<Heard>) -> Ending {
        let mut has_heard = false;
        while !self.is_gone {
            let next = match heard.try_recv() {
                Err(TryRecvError::Empty) => {
                    self.look_at_changes();
                    heard.recv().ok()
                }
                other => other.ok(),
            };
            match next {
                Some(Heard::In(Incoming::End)) if !has_heard => return Ending::Silent,
                None | Some(Heard::In(Incoming::End)) => return Ending::Closed,
                Some(Heard::In(Incoming::Broken(unread))) => {
                    has_heard = true;
                    self.is_gone |= unread.write(&mut self.output).is_err();
                }
                Some(Heard::In(Incoming::Message(message))) => {
                    has_heard = true;
                    if let Some(ending) = self.message(message, sender) {
                        return ending;
                    }
                }
                Some(Heard::Progress(run, text)) => {
                    let report =
                        WorkDoneProgressReport { message: Some(text), ..Default::default() };
                    self.progress(run, WorkDoneProgress::Report(report));
                }
                Some(Heard::Done(uri, run, found)) => self.done(&uri, run, found),
            }
        }
        Ending::Closed
    }

    fn send(&mut self, message: impl Into<Message>) {
        self.is_gone |= message.into().write(&mut self.output).is_err();
    }

    fn notify<N: Notification>(&mut self, params: N::Params) {
        let (method, params) = (N::METHOD.to_owned(), value(params));
        self.send(lsp_server::Notification { method, params });
    }

    /// Asks the editor something; what it answers does not matter.
    fn ask<R: Request>(&mut self, params: R::Params) {
        self.last += 1;
        let id = RequestId::from(format!("selvedge-{}", self.last));
        let (method, params) = (R::METHOD.to_owned(), value(params));
        self.send(lsp_server::Request { id, method, params });
    }

    /// One message. If it ends the conversation: how.
    fn message(&mut self, message: Message, sender: &SyncSender<Heard>) -> Option<Ending> {
        let (id, method, params) = match message {
            Message::Response(_) => return None,
            Message::Request(request) => (Some(request.id), request.method, request.params),
            Message::Notification(told) => (None, told.method, told.params),
        };
        if method == Exit::METHOD {
            return Some(match self.phase {
                Phase::ShutDown => Ending::InOrder,
                Phase::Before | Phase::Open => Ending::WithoutShutdown,
            });
        }
        let Some(id) = id else {
            if self.phase == Phase::Open {
                self.notification(&method, &params);
            }
            return None;
        };
        let answer = match (self.phase, method.as_str()) {
            (Phase::Before, Initialize::METHOD) => Ok(value(self.initialize(&params))),
            (Phase::Before, _) => Err((
                ErrorCode::ServerNotInitialized,
                "the first request is `initialize`".to_owned(),
            )),
            (Phase::ShutDown, _) => {
                Err((ErrorCode::InvalidRequest, "the server was shut down".to_owned()))
            }
            (Phase::Open, Initialize::METHOD) => {
                Err((ErrorCode::InvalidRequest, "the server is initialized already".to_owned()))
            }
            (Phase::Open, Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                self.documents.values().for_each(|opened| opened.state.cancel());
                Ok(Value::Null)
            }
            (Phase::Open, _) => self.request(&method, &params, sender),
        };
        let refused = |(code, message)| ResponseError { code: code as i32, message, data: None };
        self.send(Response { id, response_result: answer.map_err(refused) });
        None
    }

    fn initialize(&mut self, params: &Value) -> InitializeResult {
        self.phase = Phase::Open;
        // An editor that says this in a way that is not understood gets what every editor gets.
        let can = params.get("capabilities").cloned().map(serde_json::from_value);
        let can: ClientCapabilities = can.and_then(Result::ok).unwrap_or_default();
        let progress = can.window.and_then(|window| window.work_done_progress);
        self.shows_progress = progress.unwrap_or(false);
        let lenses = can.workspace.and_then(|workspace| workspace.code_lens);
        self.refreshes_lenses = lenses.and_then(|lenses| lenses.refresh_support).unwrap_or(false);
        InitializeResult {
            capabilities: capabilities(),
            server_info: Some(ServerInfo {
                name: "selvedge".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        }
    }

    fn request(
        &mut self,
        method: &str,
        params: &Value,
        sender: &SyncSender<Heard>,
    ) -> Result<Value, Refusal> {
        match method {
            ExecuteCommand::METHOD => {
                let params = read::<ExecuteCommand>(params)?;
                let refused = |why: String| (ErrorCode::InvalidParams, format!("{method}: {why}"));
                let address = params.arguments.first().and_then(Value::as_str);
                let uri = address.and_then(|address| address.parse().ok()).ok_or_else(|| {
                    refused("the first argument is the address of a document".to_owned())
                })?;
                match params.command.as_str() {
                    VERIFY => self.verify(&uri, LensQuestion::Verify, sender),
                    DEADLOCK => self.verify(&uri, LensQuestion::Deadlock, sender),
                    LIVELOCK => self.verify(&uri, LensQuestion::Livelock, sender),
                    CANCEL => self.cancel(&uri),
                    other => Err(refused(format!("there is no command `{other}`"))),
                }
            }
            GotoDefinition::METHOD => {
                let params = read::<GotoDefinition>(params)?.text_document_position_params;
                let (document, offset) = self.place(&params)?;
                answer::<GotoDefinition>(
                    show::definition(document, offset).map(GotoDefinitionResponse::Scalar),
                )
            }
            HoverRequest::METHOD => {
                let params = read::<HoverRequest>(params)?.text_document_position_params;
                let (document, offset) = self.place(&params)?;
                answer::<HoverRequest>(show::hover(document, offset))
            }
            DocumentSymbolRequest::METHOD => {
                let params = read::<DocumentSymbolRequest>(params)?;
                let symbols = show::symbols(&mut self.opened(&params.text_document.uri)?.document);
                answer::<DocumentSymbolRequest>(Some(DocumentSymbolResponse::Nested(symbols)))
            }
            CodeLensRequest::METHOD => {
                let params = read::<CodeLensRequest>(params)?;
                let opened = self.opened(&params.text_document.uri)?;
                answer::<CodeLensRequest>(Some(show::lenses(&mut opened.document, &opened.state)))
            }
            References::METHOD => {
                let params = read::<References>(params)?;
                let declared = params.context.include_declaration;
                let (document, offset) = self.place(&params.text_document_position)?;
                answer::<References>(edit::references(document, offset, declared))
            }
            Completion::METHOD => {
                let params = read::<Completion>(params)?.text_document_position;
                let (document, offset) = self.place(&params)?;
                answer::<Completion>(Some(edit::completion(document, offset).into()))
            }
            Formatting::METHOD => {
                let params = read::<Formatting>(params)?;
                let opened = self.opened(&params.text_document.uri)?;
                answer::<Formatting>(edit::formatting(&mut opened.document))
            }
            SemanticTokensFullRequest::METHOD => {
                let params = read::<SemanticTokensFullRequest>(params)?;
                let opened = self.opened(&params.text_document.uri)?;
                let colours = edit::colours(&mut opened.document);
                answer::<SemanticTokensFullRequest>(colours.map(Into::into))
            }
            CodeActionRequest::METHOD => {
                let params = read::<CodeActionRequest>(params)?;
                let document = &mut self.opened(&params.text_document.uri)?.document;
                let at = |position: Position| document.offset(position);
                let (from, to) = (at(params.range.start), at(params.range.end));
                answer::<CodeActionRequest>(Some(edit::fixes(document, from, to)))
            }
            Rename::METHOD => {
                let params = read::<Rename>(params)?;
                let (document, offset) = self.place(&params.text_document_position)?;
                let edits = edit::rename(document, offset, &params.new_name);
                let refused = |why| (ErrorCode::InvalidParams, format!("{method}: {why}"));
                answer::<Rename>(Some(edits.map_err(refused)?))
            }
            _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        }
    }

    /// A document that is open.
    fn opened(&mut self, uri: &Uri) -> Result<&mut Opened, Refusal> {
        let opened = self.documents.get_mut(uri);
        opened.ok_or_else(|| (ErrorCode::InvalidParams, "this document is not open".to_owned()))
    }

    /// A place in a document that is open.
    fn place(
        &mut self,
        params: &TextDocumentPositionParams,
    ) -> Result<(&mut Document, usize), Refusal> {
        let document = &mut self.opened(&params.text_document.uri)?.document;
        let offset = document.offset(params.position);
        Ok((document, offset))
    }

    /// Handles a notification; malformed ones are ignored.
    fn notification(&mut self, method: &str, params: &Value) {
        match method {
            DidOpenTextDocument::METHOD => {
                if let Some(params) = told::<DidOpenTextDocument>(params) {
                    self.open(params.text_document);
                }
            }
            DidChangeTextDocument::METHOD => self.change(params),
            DidCloseTextDocument::METHOD => {
                if let Some(params) = told::<DidCloseTextDocument>(params) {
                    self.close(&params.text_document.uri);
                }
            }
            WorkDoneProgressCancel::METHOD => {
                let Some(params) = told::<WorkDoneProgressCancel>(params) else { return };
                for opened in self.documents.values() {
                    if matches!(&opened.state, State::Running(run) if token_of(run.id) == params.token)
                    {
                        opened.state.cancel();
                    }
                }
            }
            _ => {}
        }
    }
}

/// Lists the requests and commands that the server answers.
fn capabilities() -> ServerCapabilities {
    let commands = [VERIFY, DEADLOCK, LIVELOCK, CANCEL].map(str::to_owned).to_vec();
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                ..Default::default()
            }
            .into(),
        ),
        definition_provider: Some(OneOf::Left(true)),
        hover_provider: Some(true.into()),
        document_symbol_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_owned()]),
            ..Default::default()
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..Default::default()
            }
            .into(),
        ),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: edit::TOKEN_TYPES.to_vec(),
                    token_modifiers: edit::TOKEN_MODIFIERS.to_vec(),
                },
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..Default::default()
            }
            .into(),
        ),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions { commands, ..Default::default() }),
        ..Default::default()
    }
}

/// Reads what comes with a request.
fn read<R: Request>(params: &Value) -> Result<R::Params, Refusal> {
    serde_json::from_value(params.clone())
        .map_err(|why| (ErrorCode::InvalidParams, format!("{}: {why}", R::METHOD)))
}

/// Reads what comes with a notification; nothing if it makes no sense.
fn told<N: Notification>(params: &Value) -> Option<N::Params> {
    serde_json::from_value(params.clone()).ok()
}

/// The answer to a request.
fn answer<R: Request>(result: R::Result) -> Result<Value, Refusal> {
    Ok(value(result))
}

/// A message as JSON; types of the protocol can always be written.
fn value(sent: impl Serialize) -> Value {
    serde_json::to_value(sent).unwrap_or_default()
}
