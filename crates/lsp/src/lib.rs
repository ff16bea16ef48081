//! # The language server
//!
//! Editors speak the Language Server Protocol (3.17) with it, for `.weave` and `.bp`: mistakes as one types,
//! what a name means, where it is declared and used, another name for it, completion, layout, an outline, and *verify* and *livelock* as
//! code lenses, which answer with a verdict and, for a violation, with the steps of the schedule as related locations.
//!
//! - `rpc`: messages from bytes, and back;
//! - `document`: a text that is open, and places in it;
//! - `show`: what is known of a document, as the protocol writes it;
//! - `edit`: what helps to write: layout, completion, references, renaming, fixes, colours;
//! - `verify`: a run in the background;
//! - `server`: the loop, and what each message means.
//!
//! **What it never does.** It opens no file and no connection and starts no program: what it knows is what comes
//! in, what it says is what goes out. Whatever comes in, it does not panic.
//!
//! ```
//! use std::io::Cursor;
//! use std::time::Duration;
//! use selvedge_lsp::{Settings, serve};
//!
//! let message = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
//! let said = [
//!     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
//!     r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
//!     r#"{"jsonrpc":"2.0","method":"exit"}"#,
//! ];
//! let editor = Cursor::new(said.map(message).concat());
//! let settings = Settings { timeout: Duration::from_secs(60), memory: None, memory_in_use: None };
//! let mut answers = Vec::new();
//! assert!(serve(editor, &mut answers, settings));
//! assert!(String::from_utf8_lossy(&answers).contains("hoverProvider"));
//! ```

mod document;
mod edit;
mod rpc;
mod server;
mod show;
mod verify;

use std::io::{BufRead, Write};
use std::time::Duration;

/// How long and how large a run may be.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long a verification may take.
    pub timeout: Duration,
    /// How many bytes may be in use.
    pub memory: Option<usize>,
    /// How many bytes are in use.
    pub memory_in_use: Option<fn() -> usize>,
}

/// Serves one editor, until it says goodbye or goes away. True if it said goodbye in order: `shutdown`, then
/// `exit`.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write, settings: Settings) -> bool {
    server::Server::new(output, settings).run(input)
}
