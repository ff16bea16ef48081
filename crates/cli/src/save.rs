//! # Writing files
//! A file is there as a whole or not at all: its text goes to a new file beside it, which then takes
//! its name. Whoever reads meanwhile, or writes the same file, sees one text or the other. Files that
//! belong together are all written, and on the disk, before the first one takes its name. Only regular files are
//! replaced so: a pipe, a device or a descriptor that is open already (`/dev/stdout`) is written to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use selvedge::Failure;
use selvedge_frontend::show_path;

/// Writes texts to files. All of them are drafted before the first file is replaced.
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

/// Finds out whether evidence could be written to a file, whose name must not be that of a program.
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

/// Whether a name is that of something which is written to and never replaced: a pipe, a device, standard output.
pub fn is_sink(path: &Path) -> bool {
    let is_odd = |there: fs::Metadata| !there.is_file() && !there.is_dir();
    descriptor(path).is_some() || fs::metadata(path).is_ok_and(is_odd)
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
    /// A new file beside the one that it will replace.
    Beside(Beside),
    /// A text for a target that can only be written to, not replaced.
    Into(Sink<'a>, &'a str),
}

/// A target that is written to and keeps its name.
enum Sink<'a> {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
    /// A pipe, a device, or the file behind a descriptor that somebody opened for this program.
    Named(&'a Path),
}

impl<'a> Draft<'a> {
    fn new(path: &'a Path, text: &'a str) -> io::Result<Self> {
        if let Some(descriptor) = descriptor(path) {
            let sink = match descriptor.as_str() {
                "1" => Sink::Output,
                "2" => Sink::Errors,
                _ => Sink::Named(path),
            };
            return Ok(Draft::Into(sink, text));
        }
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(io::Error::other("this is a directory, not a file")),
            Ok(there) if !there.is_file() => Ok(Draft::Into(Sink::Named(path), text)),
            // Where the name is a link, the file that it leads to is replaced, not the link.
            Ok(there) if there.permissions().readonly() => {
                Err(io::Error::other("the file is there already and is read-only"))
            }
            Ok(there) => {
                let draft = Beside::new(fs::canonicalize(path)?, text)?;
                draft.file.set_permissions(there.permissions())?;
                Ok(Draft::Beside(draft))
            }
            Err(_) if path.is_symlink() => {
                let target = fs::read_link(path)?;
                Err(io::Error::other(format!(
                    "this is a link to {}, which is not there; remove the link or name its target",
                    show_path(&target)
                )))
            }
            Err(_) => Beside::new(path.to_owned(), text).map(Draft::Beside),
        }
    }

    fn publish(self) -> io::Result<()> {
        match self {
            Draft::Beside(draft) => draft.publish(),
            Draft::Into(Sink::Output, text) => {
                let mut output = io::stdout().lock();
                output.write_all(text.as_bytes())?;
                output.flush()
            }
            Draft::Into(Sink::Errors, text) => io::stderr().write_all(text.as_bytes()),
            // What is behind a descriptor may be a file with something in it already.
            Draft::Into(Sink::Named(path), text) => {
                OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes())
            }
        }
    }
}

/// The number of the descriptor of this program that a name leads to: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`, or a link
/// to one of them. The file behind it may well be a regular one, but it is not ours to replace.
fn descriptor(path: &Path) -> Option<String> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(parent).ok()?;
        let name = path.file_name()?;
        let is_of_descriptors = folder == Path::new("/dev/fd")
            || folder.starts_with("/proc") && folder.file_name().is_some_and(|last| last == "fd");
        if is_of_descriptors {
            return name.to_str().map(str::to_owned);
        }
        path = folder.join(fs::read_link(folder.join(name)).ok()?);
    }
    None
}

/// A new file that is removed again, unless it takes the name of the other.
struct Beside {
    file: File,
    written: PathBuf,
    path: PathBuf,
}

impl Beside {
    fn new(path: PathBuf, text: &str) -> io::Result<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        if path.file_name().is_none() {
            return Err(io::Error::other("this is not the name of a file"));
        }
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let written = path.with_file_name(format!(".selvedge-{}-{number}", process::id()));
            let file = match File::create_new(&written) {
                // Left behind by a program with this number that was killed, or on another machine.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            let mut draft = Beside { file, written, path };
            draft.file.write_all(text.as_bytes())?;
            return Ok(draft);
        }
    }

    /// Gives the file its name, once all of it is on the disk.
    fn publish(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.written, &self.path)?;
        // The name is in the folder. Not every file system can be asked to keep that; the file is whole in any case.
        if cfg!(unix) {
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let _ =
                File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It is not there any more if it has taken its name.
        let _ = fs::remove_file(&self.written);
    }
}
