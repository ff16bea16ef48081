//! # The language server
//!
//! Editors speak the Language Server Protocol (3.17) with it, for `.weave`, `.bp` and C: mistakes as one types,
//! what a name means, where it is declared and used, another name for it, completion, layout, an outline, and *verify* and *livelock* as
//! code lenses, which answer with a verdict and, for a violation, with the steps of the schedule as related locations.
//!
//! - `rpc`: what stands between the bytes of an editor and `lsp-server`, which makes messages of them;
//! - `document`: a text that is open, and places in it;
//! - `c`: what is known of a text in C;
//! - `show`: what is known of a document, as the protocol writes it;
//! - `edit`: what helps to write: layout, completion, references, renaming, fixes, colours;
//! - `verify`: a run in the background;
//! - `server`: the loop, and what each message means.
//!
//! **What it never does.** It opens no file and no connection and starts no program: what it knows is what comes
//! in, what it says is what goes out. Whatever comes in, it does not panic. Texts in C that need a preprocessor are given to whoever serves, if that offers one
//! ([`Settings::preprocess`]).
//!
//! ```
//! use std::io::Cursor;
//! use std::time::Duration;
//! use selvedge_lsp::{Ending, Settings, serve};
//!
//! let message = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
//! let said = [
//!     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
//!     r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
//!     r#"{"jsonrpc":"2.0","method":"exit"}"#,
//! ];
//! let editor = Cursor::new(said.map(message).concat());
//! let settings = Settings::within(Duration::from_secs(60));
//! let mut answers = Vec::new();
//! assert_eq!(serve(editor, &mut answers, settings), Ending::InOrder);
//! assert!(String::from_utf8_lossy(&answers).contains("hoverProvider"));
//! ```

mod c;
mod document;
mod edit;
mod rpc;
mod server;
mod show;
mod verify;

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use selvedge_program::Source;

/// The limits of verifications, and what else the server may use.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long a verification may take.
    pub timeout: Duration,
    /// How many bytes may be in use.
    pub memory: Option<usize>,
    /// How many bytes are in use.
    pub memory_in_use: Option<fn() -> usize>,
    /// Makes of a text in C what its preprocessor does, with headers as if it stood in the file of this name; nothing if that is not to be done.
    pub preprocess: Option<Preprocess>,
}

/// A preprocessor: what it makes of a text that need not be in its file, or why it makes nothing.
pub type Preprocess = fn(&Path, &Source) -> Result<Source, String>;

impl Settings {
    /// Verifications that take no longer than this, without other limits, and no preprocessor.
    #[must_use]
    pub fn within(timeout: Duration) -> Self {
        Settings { timeout, memory: None, memory_in_use: None, preprocess: None }
    }
}

/// How a conversation with an editor ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It said goodbye: `shutdown`, then `exit`.
    InOrder,
    /// It said `exit`, and no `shutdown` before it.
    WithoutShutdown,
    /// Its connection ended before it said `exit`.
    Closed,
    /// No message came at all: perhaps no editor was there.
    Silent,
}

/// Serves one editor, until it says goodbye or goes away.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write,
    settings: Settings,
) -> Ending {
    server::Server::new(output, settings).run(input)
}
