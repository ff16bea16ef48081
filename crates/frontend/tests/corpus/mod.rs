//! Finds the files of the corpus, which is kept outside of the project.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files below a folder of the corpus that have an ending; says so where there is no corpus.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(folder);
    let mut files = Vec::new();
    if collect(&root, ending, &mut files).is_err() {
        println!("skipped: there is no corpus at {}", root.display());
    }
    files.sort();
    files
}

fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, ending, files)?;
        } else if path.extension().is_some_and(|e| e == ending) {
            files.push(path);
        }
    }
    Ok(())
}
