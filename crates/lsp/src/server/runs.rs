//! Verification: runs are started and stopped here, and their answers arrive here.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;

use serde_json::{Value, json};

use super::{Heard, Refusal, STACK, Server};
use crate::rpc;
use crate::verify::{Asked, Run, Shown, State, Task};

impl<W: Write> Server<W> {
    pub(super) fn verify(
        &mut self,
        uri: &str,
        asked: Asked,
        sender: &SyncSender<Heard>,
    ) -> Result<Value, Refusal> {
        let settings = self.settings;
        let Some(opened) = self.documents.get_mut(uri) else {
            return Err((rpc::INVALID_PARAMS, "this document is not open".to_owned()));
        };
        let cancelled = Arc::new(AtomicBool::new(false));
        let task = opened.document.draft();
        let task = task.and_then(|draft| Task::new(draft, asked, settings, Arc::clone(&cancelled)));
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
            let shown = task.run(move |text| drop(progress.try_send(Heard::Progress(id, text))));
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

    pub(super) fn cancel(&mut self, uri: &str) -> Result<Value, Refusal> {
        let Some(opened) = self.documents.get(uri) else {
            return Err((rpc::INVALID_PARAMS, "this document is not open".to_owned()));
        };
        opened.state.cancel();
        Ok(Value::Null)
    }

    pub(super) fn done(&mut self, uri: &str, run: u64, shown: Shown) {
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

    pub(super) fn progress(&mut self, run: u64, value: &Value) {
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
    pub(super) fn cancel(&self) {
        if let State::Running(run) = self {
            run.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

pub(super) fn token_of(run: u64) -> String {
    format!("selvedge-verify-{run}")
}
