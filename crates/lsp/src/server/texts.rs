//! Texts: what the editor opens, changes and closes, and what is wrong with it.

use std::io::Write;

use lsp_types::notification::{DidChangeTextDocument, LogMessage, PublishDiagnostics};
use lsp_types::{LogMessageParams, MessageType, PublishDiagnosticsParams, TextDocumentItem, Uri};
use serde_json::Value;

use super::{Opened, Server, told};
use crate::document::Document;
use crate::show;
use crate::verify::State;

impl<W: Write> Server<W> {
    pub(super) fn open(&mut self, item: TextDocumentItem) {
        let TextDocumentItem { uri, language_id, version, text } = item;
        self.forget(&uri);
        let document = Document::new(uri.clone(), &language_id, version, text);
        let document = document.preprocessed_by(self.settings.preprocess);
        self.documents.insert(uri, Opened { document, state: State::Idle });
    }

    /// Changes a text. A change that makes no sense is told: from then on the editor has another text.
    pub(super) fn change(&mut self, params: &Value) {
        let nonsense = |server: &mut Self| {
            let message = "a change of the document makes no sense; close and open it again";
            let (typ, message) = (MessageType::ERROR, message.to_owned());
            server.notify::<LogMessage>(LogMessageParams { typ, message });
        };
        let Some(params) = told::<DidChangeTextDocument>(params) else { return nonsense(self) };
        let Some(opened) = self.documents.get_mut(&params.text_document.uri) else { return };
        // The verdict was about another text.
        opened.state.cancel();
        if let State::Done(_) = opened.state {
            opened.state = State::Idle;
        }
        for change in &params.content_changes {
            if opened.document.change(change).is_none() {
                return nonsense(self);
            }
        }
        opened.document.version = params.text_document.version;
    }

    pub(super) fn close(&mut self, uri: &Uri) {
        if self.forget(uri) {
            let nothing = PublishDiagnosticsParams::new(uri.clone(), Vec::new(), None);
            self.notify::<PublishDiagnostics>(nothing);
        }
    }

    /// Ends what runs for a document; whether it was open.
    fn forget(&mut self, uri: &Uri) -> bool {
        let opened = self.documents.remove(uri);
        opened.inspect(|opened| opened.state.cancel()).is_some()
    }

    pub(super) fn look_at_changes(&mut self) {
        let fresh =
            |(uri, opened): (&Uri, &Opened)| (!opened.document.is_known()).then(|| uri.clone());
        let changed: Vec<Uri> = self.documents.iter().filter_map(fresh).collect();
        changed.iter().for_each(|uri| self.publish(uri));
    }

    /// Sends what is wrong with a text: mistakes, and what a run found out.
    pub(super) fn publish(&mut self, uri: &Uri) {
        let Some(opened) = self.documents.get_mut(uri) else { return };
        // Looking at the document finds out whether its text is too large, or no program.
        opened.document.draft();
        let mut list = show::diagnostics(&mut opened.document);
        if let State::Done(found) = &opened.state {
            list.extend(show::found(&opened.document, found));
        }
        let version = Some(opened.document.version);
        let params = PublishDiagnosticsParams::new(uri.clone(), list, version);
        self.notify::<PublishDiagnostics>(params);
    }
}
