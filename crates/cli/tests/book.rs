//! The book, executed: each page is tried in a folder that holds its listings
//! (```` ```weave file=NAME ````) and the shipped examples. `TRYCMD=overwrite cargo test -p selvedge-cli
//! --test book` writes what the commands say now into the pages.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages that the book consists of, as its summary lists them.
fn pages() -> Vec<String> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1);
    links.filter_map(|link| link.split_once(')')).map(|(page, _)| page.to_owned()).collect()
}

/// The listings of a page that are to be saved, with their names.
fn listings(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("```").and_then(|info| info.split_once("file=")) else {
            continue;
        };
        let listing: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
        found.push((name.1.to_owned(), listing.join("\n") + "\n"));
    }
    found
}

/// Which of two engines is first, and how long it takes, is up to chance: these lines may be different.
fn without_chance(text: &str) -> String {
    let any = |line: &str| {
        let start = ["  proof  ", "  effort  ", "accepted: safe: "];
        let start = start.iter().find(|start| line.starts_with(**start));
        start.map_or_else(|| line.to_owned(), |start| format!("{}[..]", start.trim_end()))
    };
    text.lines().map(|line| any(line) + "\n").collect()
}

#[test]
fn every_transcript_of_the_book_is_true() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let overwrite = std::env::var("TRYCMD").is_ok_and(|mode| mode == "overwrite");
    let mut transcripts = 0;
    for page in pages() {
        let text = fs::read_to_string(root().join("docs").join(&page)).unwrap();
        let commands = text.lines().filter(|line| line.starts_with("$ ")).count();
        if !text.contains("```console") {
            continue;
        }
        transcripts += commands;
        let name = page.trim_end_matches(".md").replace('/', "-");
        let inputs = folder.join(format!("{name}.in"));
        fs::create_dir_all(&inputs).unwrap();
        symlink(root().join("examples"), inputs.join("examples")).unwrap();
        for (file, listing) in listings(&text) {
            fs::write(inputs.join(file), listing).unwrap();
        }
        let page = if overwrite { text } else { without_chance(&text) };
        fs::write(folder.join(format!("{name}.md")), page).unwrap();
    }
    assert!(transcripts > 0, "the book has no transcripts");
    let cases = trycmd::TestCases::new();
    cases
        .case(folder.join("*.md").display().to_string())
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100");
    drop(cases); // runs them
    for page in pages().iter().filter(|_| overwrite) {
        let name = page.trim_end_matches(".md").replace('/', "-");
        let tried = folder.join(format!("{name}.md"));
        if tried.exists() {
            fs::copy(tried, root().join("docs").join(page)).unwrap();
        }
    }
}

/// A link within the book leads to a file that is there.
#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let path = root().join("docs").join(&page);
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|link| link.split_once(')')) {
            let target = link.0.split('#').next().unwrap_or_default();
            let is_file = !target.is_empty() && !target.contains("://");
            if is_file && !path.parent().unwrap().join(target).exists() {
                broken.push(format!("{page}: {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
}
