//! # Runs
//! A run has a thread of its own. The thread that asked lets others have the interpreter, and looks for signals now and then:
//! Ctrl-C has to end a run, and only the main thread of Python is told of it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use selvedge::Failure;

use crate::errors::{self, Site};

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(50);

/// As much as a main thread has. Threads of Python may have far less.
const STACK: usize = 8 << 20;

/// Lets something run beside the interpreter. If a handler of a signal raises an exception meanwhile, or `hear`, which is called now and then and
/// at the end, that is the result; `cancelled` is set, and the run ends. A run without such a flag is left to itself.
pub fn beside<T: Send + 'static>(
    py: Python<'_>,
    site: &Site,
    cancelled: Option<&Arc<AtomicBool>>,
    hear: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
    run: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let work = move || {
        let result = panic::catch_unwind(AssertUnwindSafe(run));
        // Nobody may be there any more: see below.
        let _ = sender.send(result);
    };
    let thread = thread::Builder::new().name("selvedge".to_owned()).stack_size(STACK);
    thread.spawn(work).map_err(|e| PyOSError::new_err(format!("no thread for a run: {e}")))?;
    let mut raised = None;
    let mut receiver = receiver;
    let result = loop {
        // Meanwhile other threads of Python run.
        let (back, result) = py.detach(move || {
            let result = receiver.recv_timeout(POLL);
            (receiver, result)
        });
        receiver = back;
        match result {
            Ok(result) => break result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(errors::bug("a run ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        // Who has raised something is not asked again.
        let heard = if raised.is_none() { hear(py) } else { Ok(()) };
        if let Err(exception) = py.check_signals().and(heard) {
            let Some(cancelled) = cancelled else { return Err(exception) };
            cancelled.store(true, Ordering::SeqCst);
            // Whoever asks twice does not want to wait. The run ends by itself, soon.
            if let Some(first) = raised.replace(exception) {
                return Err(first);
            }
        }
    };
    // A signal may have come with the result.
    if let Some(exception) = raised.or_else(|| py.check_signals().and_then(|()| hear(py)).err()) {
        return Err(exception);
    }
    match result {
        Ok(result) => result.map_err(|failure| errors::raise(py, site, &failure)),
        Err(panic) => Err(errors::bug(&message(&*panic))),
    }
}

/// What a panic says.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

/// Panics, so that tests can see what becomes of it.
#[cfg(debug_assertions)]
#[pyfunction]
pub fn _panic(py: Python<'_>) -> PyResult<()> {
    beside(py, &Site::Text, None, &mut |_| Ok(()), || panic!("on purpose"))
}
