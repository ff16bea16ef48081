//! # A file that may change
//! **Question.** Is what is on the disk still what the page shows?
//! **Idea.** Whoever asks makes us look: at the time and the length of the file, and at its text if one of them is another.
//! No thread waits for news, and nothing is kept but the last text. A file that is saved again with the same text has not changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use selvedge_frontend::files;

/// A file and those that belong beside it, and how often they were found to be others.
pub struct Disk {
    files: Vec<PathBuf>,
    last: Mutex<Last>,
}

/// The state of the file at the last look.
struct Last {
    revision: u64,
    stamps: Vec<Option<(SystemTime, u64)>>,
    texts: Vec<Option<Vec<u8>>>,
}

impl Disk {
    /// The file as it is now is its first revision.
    pub fn new(path: &Path) -> Self {
        let files = files(path);
        let last = Last {
            revision: 1,
            stamps: files.iter().map(|file| stamp(file)).collect(),
            texts: files.iter().map(|file| fs::read(file).ok()).collect(),
        };
        Disk { files, last: Mutex::new(last) }
    }

    /// Counts how often the file has become another one.
    pub fn revision(&self) -> u64 {
        self.look().revision
    }

    /// The text of the file; what is no text is shown as far as it is one.
    pub fn text(&self) -> String {
        let last = self.look();
        let bytes = last.texts.first().and_then(Option::as_deref).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn look(&self) -> MutexGuard<'_, Last> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // The stamps come first: what is written while the texts are read is seen the next time.
        let stamps: Vec<_> = self.files.iter().map(|file| stamp(file)).collect();
        if stamps != last.stamps {
            let texts: Vec<_> = self.files.iter().map(|file| fs::read(file).ok()).collect();
            last.stamps = stamps;
            if texts != last.texts {
                last.texts = texts;
                last.revision += 1;
            }
        }
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
        fs::remove_file(&file).unwrap();
        assert_eq!((disk.revision(), disk.text().as_str()), (3, ""));
        fs::remove_dir_all(&folder).unwrap();
    }
}
