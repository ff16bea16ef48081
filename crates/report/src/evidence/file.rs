//! Writing files in one go: whoever looks finds the old file or the new one, never half of it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Document;

/// Writes evidence to a file: beside it under another name first, which is then changed.
pub fn write(path: &Path, document: &Document) -> io::Result<()> {
    let text = document.to_text();
    // A device or a pipe cannot be replaced.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return fs::write(path, text);
    }
    let beside = beside(path)?;
    let written = write_all(&beside, &text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What went wrong is told; that something is left over as well would not help.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_all(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A name in the same directory that nobody else uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not the name of a file"));
    };
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}
