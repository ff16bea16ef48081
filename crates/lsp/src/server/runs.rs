//! Verification: runs are started and stopped here, and their answers arrive here.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;

use lsp_types::notification::{Progress, ShowMessage};
use lsp_types::request::{CodeLensRefresh, WorkDoneProgressCreate};
use lsp_types::{
    DiagnosticSeverity, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    ShowMessageParams, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams,
    WorkDoneProgressEnd,
};
use serde_json::Value;

use super::{Heard, Refusal, STACK, Server};
use crate::verify::{LensQuestion, Run, ShownAnswer, State, Task};

impl<W: Write> Server<W> {
    pub(super) fn verify(
        &mut self,
        uri: &Uri,
        asked: LensQuestion,
        sender: &SyncSender<Heard>,
    ) -> Result<Value, Refusal> {
        let settings = self.settings;
        let opened = self.opened(uri)?;
        let cancelled = Arc::new(AtomicBool::new(false));
        let task = opened.document.draft();
        let task = task.and_then(|draft| Task::new(draft, asked, settings, Arc::clone(&cancelled)));
        let Some(task) = task else {
            let message = "there is nothing to verify before the mistakes are mended";
            self.say(MessageType::WARNING, message.to_owned());
            return Ok(Value::Null);
        };
        opened.state.cancel();
        self.last += 1;
        let id = self.last;
        let opened = self.opened(uri)?;
        opened.state = State::Running(Run { id, cancelled });
        let (name, heard) = (uri.clone(), sender.clone());
        let work = move || {
            let progress = heard.clone();
            // An editor that does not listen need not hear everything.
            let found = task.run(move |text| drop(progress.try_send(Heard::Progress(id, text))));
            let _ = heard.send(Heard::Done(name, id, found));
        };
        if thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
            opened.state = State::Idle;
            self.say(MessageType::ERROR, "the verification could not be started".to_owned());
            return Ok(Value::Null);
        }
        if self.shows_progress {
            let token = token_of(id);
            self.ask::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token });
            let begin = WorkDoneProgressBegin {
                title: "Selvedge: verifying".to_owned(),
                cancellable: Some(true),
                ..Default::default()
            };
            self.progress(id, WorkDoneProgress::Begin(begin));
        }
        self.refresh();
        Ok(Value::Null)
    }

    pub(super) fn cancel(&mut self, uri: &Uri) -> Result<Value, Refusal> {
        self.opened(uri)?.state.cancel();
        Ok(Value::Null)
    }

    pub(super) fn done(&mut self, uri: &Uri, run: u64, found: ShownAnswer) {
        self.progress(run, WorkDoneProgress::End(WorkDoneProgressEnd::default()));
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
        let message = found.message.clone();
        let severity = match found.severity {
            DiagnosticSeverity::ERROR => MessageType::ERROR,
            DiagnosticSeverity::WARNING => MessageType::WARNING,
            _ => MessageType::INFO,
        };
        opened.state = State::Done(found);
        self.publish(uri);
        self.say(severity, message);
        self.refresh();
    }

    pub(super) fn progress(&mut self, run: u64, value: WorkDoneProgress) {
        if self.shows_progress {
            let value = ProgressParamsValue::WorkDone(value);
            self.notify::<Progress>(ProgressParams { token: token_of(run), value });
        }
    }

    /// Shows a message to whoever sits there.
    fn say(&mut self, typ: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message });
    }

    fn refresh(&mut self) {
        if self.refreshes_lenses {
            self.ask::<CodeLensRefresh>(());
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

pub(super) fn token_of(run: u64) -> NumberOrString {
    NumberOrString::String(format!("selvedge-verify-{run}"))
}
