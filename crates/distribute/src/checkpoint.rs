//! # Checkpoints
//!
//! **Question.** A run of hours ends with the machine. What has to be on disk, and when, so that another one goes on, with other processes?
//!
//! **Idea.** After each bound every worker writes its share to a file of its own, and says its digest. Then the process that asks writes a list: the question, the bound, what was counted, and
//! the files with their digests. A file is written under another name, synchronized, and renamed; the list comes last. So the list is there with all that it names, or an earlier one is.
//!
//! **Claim.** What is read is what was written after a bound, of the same question by the same version, or it is refused.
//!
//! **Needs.** A folder that all processes see under the name that they are given.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use selvedge_analysis::explore::Observation;
use selvedge_analysis::explore::share::{Loading, Share, Terms};
use selvedge_analysis::{Resource, Stop};
use selvedge_model::Fault;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The name of the list.
const LIST: &str = "checkpoint";

/// How the names of shares begin.
const SHARE: &str = "share-";

/// The version of the format.
const VERSION: u32 = 1;

/// The most bytes of a chunk: no more memory is asked for on the word of a file.
const LARGEST_CHUNK: u32 = 1 << 28;

/// Where checkpoints are written to, and read from.
#[derive(Clone, Debug, Default)]
pub struct Checkpoints {
    /// The folder that they are written to, after each bound.
    pub save: Option<PathBuf>,
    /// The folder that has the one to go on from.
    pub load: Option<PathBuf>,
    /// The digest of the question: see [`crate::Identity::digest`].
    pub question: String,
}

impl Checkpoints {
    /// Sees whether checkpoints can be written, and whether there is one to go on from, before anything is done. An error is for people.
    pub fn prepare(&self) -> Result<(), String> {
        if let Some(folder) = &self.save {
            let unwritable =
                |why| format!("no checkpoint can be written to {}: {why}", folder.display());
            probe(folder).map_err(unwritable)?;
        }
        match &self.load {
            Some(folder) => List::read(folder, &self.question).map(|_| ()),
            None => Ok(()),
        }
    }
}

/// A share on disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub name: String,
    pub digest: String,
}

/// What was counted at a bound.
#[derive(Clone, Serialize, Deserialize)]
struct Seen {
    states: Option<u128>,
    new_states: Option<u128>,
    visible: Option<u128>,
    new_visible: Option<u128>,
    new_stored: usize,
}

/// The list: what there is, and what it is about.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct List {
    version: u32,
    question: String,
    pub form: String,
    symmetry: bool,
    highest: Option<u32>,
    most_threads: Option<usize>,
    observations: Vec<Seen>,
    pub left_out: bool,
    pub largest: usize,
    pub places: Vec<u32>,
    pub shares: Vec<Kept>,
}

impl List {
    pub fn new(question: &str, form: &str, terms: Terms, observations: &[Observation]) -> Self {
        let seen = |seen: &Observation| Seen {
            states: seen.states,
            new_states: seen.new_states,
            visible: seen.visible,
            new_visible: seen.new_visible,
            new_stored: seen.new_stored,
        };
        List {
            version: VERSION,
            question: question.to_owned(),
            form: form.to_owned(),
            symmetry: terms.symmetry,
            highest: terms.highest,
            most_threads: terms.most_threads,
            observations: observations.iter().map(seen).collect(),
            left_out: false,
            largest: 0,
            places: Vec::new(),
            shares: Vec::new(),
        }
    }

    /// What was counted at each bound.
    pub fn observations(&self) -> Vec<Observation> {
        let seen = |(count, seen): (usize, &Seen)| Observation {
            bound: Resource::Contexts.bound(count),
            states: seen.states,
            new_states: seen.new_states,
            visible: seen.visible,
            new_visible: seen.new_visible,
            new_stored: seen.new_stored,
        };
        self.observations.iter().enumerate().map(seen).collect()
    }

    /// The bound after which it was written.
    pub fn bound(&self) -> usize {
        self.observations.len().saturating_sub(1)
    }

    /// How an exploration of this form goes on that was asked for on these terms, if it is the one of the list: stacks may be as high as either of them says.
    pub fn fits(&self, form: &str, terms: Terms) -> Option<Terms> {
        let is_same = self.form == form
            && self.symmetry == terms.symmetry
            && self.most_threads == terms.most_threads;
        let highest = self.highest.zip(terms.highest).map(|(kept, asked)| kept.max(asked));
        is_same.then_some(Terms { highest, ..terms })
    }

    /// Reads the list of a folder about a question. An error is for people.
    pub fn read(folder: &Path, question: &str) -> Result<Self, String> {
        let path = folder.join(LIST);
        let text = fs::read_to_string(&path).map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => format!("there is no checkpoint in {}", folder.display()),
            _ => format!("{} cannot be read: {why}", path.display()),
        })?;
        let damaged = || format!("{} is damaged: it is no checkpoint", path.display());
        let (list, last) = text.split_once('\n').ok_or_else(damaged)?;
        if last.trim_end() != hex(Sha256::digest(list.as_bytes()).as_ref()) {
            return Err(damaged());
        }
        let list: List = serde_json::from_str(list).map_err(|_| damaged())?;
        if list.version != VERSION {
            let version = list.version;
            return Err(format!("{} has version {version}, and this is {VERSION}", path.display()));
        }
        if list.question != question {
            return Err(format!(
                "the checkpoint in {} is of another file, of other options, or of another version of Selvedge",
                folder.display()
            ));
        }
        Ok(list)
    }

    /// Writes the list, and removes the shares that belong to none.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let list = serde_json::to_string(self).map_err(io::Error::other)?;
        let text = format!("{list}\n{}\n", hex(Sha256::digest(list.as_bytes()).as_ref()));
        in_place(folder, LIST, |out| out.write_all(text.as_bytes()))?;
        remove(folder, |name| !self.shares.iter().any(|share| share.name == name));
        Ok(())
    }
}

/// Sees whether checkpoints can be written to a folder; it is made if it is not there.
fn probe(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!(".{SHARE}probe-{}", std::process::id()));
    let written = File::create(&path).and_then(|mut file| file.write_all(b"probe"));
    let _ = fs::remove_file(&path);
    written
}

/// Removes shares with such names.
pub(crate) fn remove(folder: &Path, is_old: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if (name.starts_with(SHARE) || name.starts_with(&format!(".{SHARE}"))) && is_old(&name) {
            // What cannot be removed now may be removed next time.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The name of a share: of a bound, in one attempt, by one worker.
pub(crate) fn name(attempt: &str, worker: usize) -> String {
    format!("{SHARE}{attempt}-{worker}")
}

/// Writes a share.
pub(crate) fn save(folder: &Path, name: &str, share: &mut Share<'_>) -> Result<Kept, String> {
    let mut hash = Sha256::new();
    let written = in_place(folder, name, |out| {
        let kept = share.save(|chunk| {
            let length = u32::try_from(chunk.len()).map_err(|_| told("a chunk is too long"))?;
            for bytes in [&length.to_le_bytes()[..], chunk] {
                hash.update(bytes);
                out.write_all(bytes).map_err(|why| told(why.to_string()))?;
            }
            Ok(())
        });
        kept.map_err(|why| io::Error::other(why.to_string()))
    });
    match written {
        Ok(()) => Ok(Kept { name: name.to_owned(), digest: hex(hash.finalize().as_ref()) }),
        Err(why) => Err(format!("{}: {why}", folder.display())),
    }
}

/// Reads all shares, and takes what belongs to one worker.
pub(crate) fn load(
    folder: &Path,
    kept: &[Kept],
    bound: usize,
    share: &mut Share<'_>,
) -> Result<(), Stop> {
    share.begin_to_load();
    for new in [false, true] {
        for one in kept {
            read_share(&folder.join(&one.name), &one.digest, |from, chunk| {
                share.load(from, chunk, new)
            })?;
        }
        if !new {
            share.has_loaded_earlier();
        }
    }
    share.has_loaded(bound);
    Ok(())
}

fn read_share(
    path: &Path,
    digest: &str,
    mut each: impl FnMut(&mut Loading, &[u8]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let unreadable = |why: io::Error| told(format!("{} cannot be read: {why}", path.display()));
    let damaged = || told(format!("{} is damaged", path.display()));
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).map_err(unreadable)?);
    let mut hash = Sha256::new();
    let mut from = Loading::new();
    let mut chunk = Vec::new();
    loop {
        let mut length = [0; 4];
        match file.read_exact(&mut length) {
            Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => break,
            read => read.map_err(unreadable)?,
        }
        hash.update(length);
        let length = u32::from_le_bytes(length);
        if length > LARGEST_CHUNK {
            return Err(damaged());
        }
        chunk.clear();
        let read = file.by_ref().take(length.into()).read_to_end(&mut chunk).map_err(unreadable)?;
        if read != length as usize {
            return Err(damaged());
        }
        hash.update(&chunk);
        each(&mut from, &chunk)?;
    }
    if hex(hash.finalize().as_ref()) == digest { Ok(()) } else { Err(damaged()) }
}

fn told(words: impl Into<String>) -> Stop {
    Stop::Fault(Fault::new(words.into()))
}

/// Writes a file under another name, synchronizes it, and renames it; what cannot be written is removed.
fn in_place(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let hidden = folder.join(format!(".{name}"));
    let written = (|| {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&hidden)?);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&hidden, folder.join(name))?;
        // A folder that cannot be opened as a file is one of a system where that is not needed.
        File::open(folder).map_or(Ok(()), |folder| folder.sync_all())
    })();
    if written.is_err() {
        let _ = fs::remove_file(&hidden);
    }
    written
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
