//! Texts: what the editor opens, changes and closes, and what is wrong with it.

use std::io::Write;

use serde_json::{Value, json};

use super::{Opened, Server};
use crate::document::Document;
use crate::show;
use crate::verify::{Shown, State};

impl<W: Write> Server<W> {
    pub(super) fn open(&mut self, uri: &str, params: &Value) {
        let word = |name: &str| params.pointer(name).and_then(Value::as_str);
        let Some(text) = word("/textDocument/text") else { return };
        let language = word("/textDocument/languageId").unwrap_or_default();
        let version = params.pointer("/textDocument/version").cloned().unwrap_or(Value::Null);
        let document = Document::new(uri, language, version, text.to_owned());
        let document = document.preprocessed_by(self.settings.preprocess);
        self.forget(uri);
        self.documents.insert(uri.to_owned(), Opened { document, state: State::Idle });
    }

    pub(super) fn change(&mut self, uri: &str, params: &Value) {
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

    pub(super) fn close(&mut self, uri: &str) {
        if self.forget(uri) {
            self.notify("textDocument/publishDiagnostics", json!({"uri": uri, "diagnostics": []}));
        }
    }

    /// Ends what runs for a document; whether it was open.
    fn forget(&mut self, uri: &str) -> bool {
        let opened = self.documents.remove(uri);
        opened.inspect(|opened| opened.state.cancel()).is_some()
    }

    pub(super) fn look_at_changes(&mut self) {
        let fresh =
            |(uri, opened): (&String, &Opened)| (!opened.document.is_known()).then(|| uri.clone());
        let changed: Vec<String> = self.documents.iter().filter_map(fresh).collect();
        changed.iter().for_each(|uri| self.publish(uri));
    }

    /// Sends what is wrong with a text: mistakes, and a violation.
    pub(super) fn publish(&mut self, uri: &str) {
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
}
