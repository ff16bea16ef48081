//! # Writing files
//! A file is there as a whole or not at all: its text goes to a new file beside it, which then takes
//! its name. Whoever reads meanwhile, or writes the same file, sees one text or the other. Files that
//! belong together are all written before the first one takes its name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use selvedge::Failure;
use selvedge_frontend::show_path;

/// Writes texts to files.
pub fn save(files: &[(&Path, &str)]) -> Result<(), Failure> {
    let mut drafts = Vec::with_capacity(files.len());
    for &(path, text) in files {
        drafts.push((path, Draft::new(path, text).map_err(|e| Failure::unwritable(path, &e))?));
    }
    for (path, draft) in drafts {
        draft.publish().map_err(|e| Failure::unwritable(path, &e))?;
    }
    Ok(())
}

/// Finds out whether a file could be written, before anybody works for it. `option` says that it
/// should be; what is read must not be written over.
pub fn probe(option: &str, path: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    keep(option, path, inputs)?;
    Draft::new(path, "").map(drop).map_err(|e| Failure::unwritable(path, &e))
}

/// The same for evidence, which is never a program.
pub fn probe_evidence(path: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if let Some(ending @ ("weave" | "bp" | "cpds" | "pds" | "tts")) = ending {
        return Err(Failure::usage(format!(
            "--evidence {}: this is the name of a program, and evidence is JSON; call it {}",
            show_path(path),
            show_path(&path.with_extension(format!("{ending}.json")))
        )));
    }
    probe("--evidence", path, inputs)
}

/// Refuses to write over what is read.
pub fn keep(option: &str, path: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    match inputs.iter().find(|input| is_same_file(path, input)) {
        None => Ok(()),
        Some(input) => Err(Failure::usage(format!(
            "{option} {}: this would overwrite the input {}; give another name",
            show_path(path),
            show_path(input)
        ))),
    }
}

/// Whether two names lead to one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let (Ok(a), Ok(b)) = (fs::canonicalize(a), fs::canonicalize(b)) else { return false };
    a == b || has_same_inode(&a, &b)
}

#[cfg(unix)]
fn has_same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    inode(a).is_some() && inode(a) == inode(b)
}

#[cfg(not(unix))]
fn has_same_inode(_: &Path, _: &Path) -> bool {
    false
}

/// A text that is not yet where it belongs.
enum Draft<'a> {
    /// It is in a new file beside the one that it is for.
    Beside(Beside),
    /// It is for a pipe or a device, which cannot be replaced.
    Through(&'a Path, &'a str),
}

impl<'a> Draft<'a> {
    fn new(path: &'a Path, text: &'a str) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(io::Error::other("this is a directory, not a file")),
            Ok(there) if !there.is_file() => Ok(Draft::Through(path, text)),
            // Where the name is a link, the file that it leads to is replaced, not the link.
            Ok(there) if there.permissions().readonly() => {
                Err(io::Error::other("the file is there already and is read-only"))
            }
            Ok(there) => {
                let draft = Beside::new(fs::canonicalize(path)?, text)?;
                fs::set_permissions(&draft.written, there.permissions())?;
                Ok(Draft::Beside(draft))
            }
            Err(_) if path.is_symlink() => Ok(Draft::Through(path, text)),
            Err(_) => Beside::new(path.to_owned(), text).map(Draft::Beside),
        }
    }

    fn publish(self) -> io::Result<()> {
        match self {
            Draft::Beside(draft) => fs::rename(&draft.written, &draft.path),
            Draft::Through(path, text) => {
                let mut file =
                    OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
                file.write_all(text.as_bytes())
            }
        }
    }
}

/// A new file that is removed again, unless it takes the name of the other.
struct Beside {
    written: PathBuf,
    path: PathBuf,
}

impl Beside {
    fn new(path: PathBuf, text: &str) -> io::Result<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let Some(name) = path.file_name() else {
            return Err(io::Error::other("this is not the name of a file"));
        };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
        let written = path.with_file_name(hidden);
        let mut file = File::create_new(&written)?;
        let draft = Beside { written, path };
        file.write_all(text.as_bytes())?;
        Ok(draft)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It is not there any more if it has taken its name.
        let _ = fs::remove_file(&self.written);
    }
}
