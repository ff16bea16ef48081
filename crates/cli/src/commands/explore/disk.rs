//! # A file that may change
//! **Question.** Is what is on the disk still what the page shows?
//! **Idea.** Whoever asks makes us look: at the time and the length of the file, and at its text if one of them is another. So do we look at
//! the headers that it includes, once the preprocessor has named them.
//! No thread waits for news, and nothing is kept but the last text. A file that is saved again with the same text has not changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use selvedge_frontend::files;

/// A file, those that belong beside it and those that it includes; and how often they were found to be others.
pub struct Disk {
    last: Mutex<Last>,
}

/// The state of the files at the last look.
struct Last {
    revision: u64,
    /// The file itself comes first.
    files: Vec<Seen>,
}

/// A file as it was seen.
struct Seen {
    path: PathBuf,
    stamp: Option<(SystemTime, u64)>,
    text: Option<Vec<u8>>,
}

impl Seen {
    /// The file as it is now. The stamp comes first: what is written while the text is read is seen the next time.
    fn now(path: PathBuf) -> Self {
        let stamp = stamp(&path);
        let text = fs::read(&path).ok();
        Seen { path, stamp, text }
    }

    /// Looks at the file again, and says whether its text is another one.
    fn has_changed(&mut self) -> bool {
        if stamp(&self.path) == self.stamp {
            return false;
        }
        let before = std::mem::replace(self, Seen::now(self.path.clone()));
        before.text != self.text
    }
}

impl Disk {
    /// The file as it is now is its first revision.
    pub fn new(path: &Path) -> Self {
        let files = files(path).into_iter().map(Seen::now).collect();
        Disk { last: Mutex::new(Last { revision: 1, files }) }
    }

    /// Looks after more files from now on, which belong to this revision.
    pub fn watch(&self, more: Vec<PathBuf>) {
        let mut last = self.look();
        for path in more {
            if !last.files.iter().any(|seen| seen.path == path) {
                last.files.push(Seen::now(path));
            }
        }
    }

    /// Counts how often the file has become another one.
    pub fn revision(&self) -> u64 {
        self.look().revision
    }

    /// The text of the file; what is no text is shown as far as it is one.
    pub fn text(&self) -> String {
        let last = self.look();
        let bytes = last.files.first().and_then(|file| file.text.as_deref()).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn look(&self) -> MutexGuard<'_, Last> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // All are looked at, even behind one that has changed: a revision is what all of them are.
        let mut changed = false;
        for file in &mut last.files {
            changed |= file.has_changed();
        }
        last.revision += u64::from(changed);
        last
    }
}

/// When a file was written last, and its length; nothing if it is not there.
fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let data = fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_another_text() {
        let folder = std::env::temp_dir().join(format!("selvedge-disk-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.weave");
        fs::write(&file, "one").unwrap();
        let disk = Disk::new(&file);
        assert_eq!((disk.revision(), disk.text().as_str()), (1, "one"));
        fs::write(&file, "three").unwrap();
        assert_eq!((disk.revision(), disk.text().as_str()), (2, "three"));
        // Saved again, and the same.
        fs::write(&file, "three").unwrap();
        assert_eq!(disk.revision(), 2);
        // What belongs to it is looked after from then on.
        let header = folder.join("a.h");
        fs::write(&header, "1").unwrap();
        disk.watch(vec![header.clone(), file.clone()]);
        assert_eq!(disk.revision(), 2);
        fs::write(&header, "12").unwrap();
        assert_eq!((disk.revision(), disk.text().as_str()), (3, "three"));
        fs::remove_file(&file).unwrap();
        assert_eq!((disk.revision(), disk.text().as_str()), (4, ""));
        fs::remove_dir_all(&folder).unwrap();
    }
}
