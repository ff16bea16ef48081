//! The book, executed: each page is tried in a folder that holds its listings
//! (```` ```weave file=NAME ````) and the shipped examples. `TRYCMD=overwrite cargo test -p selvedge-cli
//! --test book` writes what the commands say now into the pages. Links lead somewhere, and every page is in the
//! summary.
#![cfg(unix)]

use crate::compiler;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The pages with transcripts that are tried: the book, and the page that comes before it.
fn tried_pages() -> Vec<String> {
    pages().into_iter().chain(["../README.md".to_owned()]).collect()
}

/// The name of a page, without folders.
fn name_of(page: &str) -> String {
    page.trim_start_matches("../").trim_end_matches(".md").replace('/', "-")
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
    for page in tried_pages() {
        let text = fs::read_to_string(root().join("docs").join(&page)).unwrap();
        let commands = text.lines().filter(|line| line.starts_with("$ ")).count();
        if !text.contains("```console") {
            continue;
        }
        let is_c = text.contains("```c file=");
        if is_c && compiler::compiler(&format!("the transcripts of {page}")).is_none() {
            continue;
        }
        transcripts += commands;
        let name = name_of(&page);
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
    for page in tried_pages().iter().filter(|_| overwrite) {
        let tried = folder.join(format!("{}.md", name_of(page)));
        if tried.exists() {
            fs::copy(tried, root().join("docs").join(page)).unwrap();
        }
    }
}

/// Listings of the reference are whole programs, and safe; those that leave something out say so.
#[test]
fn every_listing_of_the_reference_is_a_program() {
    let page = fs::read_to_string(root().join("docs/language.md")).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut programs = 0;
    for listing in page.split("\n```weave").skip(1) {
        let (info, rest) = listing.split_once('\n').unwrap();
        let text = rest.split_once("\n```").unwrap().0;
        assert_eq!(info == " fragment", text.contains('…'), "{text}");
        if info == " fragment" {
            continue;
        }
        programs += 1;
        let file = folder.join("listing.weave");
        fs::write(&file, text).unwrap();
        let command =
            Command::new(env!("CARGO_BIN_EXE_selvedge")).arg("verify").arg(&file).output();
        let done = command.unwrap();
        let said = [done.stdout, done.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(done.status.success() && !said.contains("warning"), "{text}\n{said}");
    }
    assert!(programs > 8, "{programs}");
}

/// All texts below a folder, with their paths from `docs`.
fn texts_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let texts =
        files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let docs = root().join("docs");
    let name = |path: PathBuf| path.strip_prefix(&docs).unwrap().display().to_string();
    texts.map(name).chain(folders.iter().flat_map(|folder| texts_of(folder))).collect()
}

/// Where the links of a text lead; pieces of code have none.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_listing = false;
    for line in text.lines() {
        is_listing ^= line.trim_start().starts_with("```");
        // What stands between two marks of code is every second part.
        let prose = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        if !is_listing {
            let links = prose.split("](").skip(1).filter_map(|link| link.split_once(')'));
            found.extend(links.map(|(target, _)| target.to_owned()));
        }
    }
    found
}

/// The anchors of the headings of a text, as mdBook and code hosts make them.
fn anchors(text: &str) -> Vec<String> {
    let mut is_listing = false;
    let mut found = Vec::new();
    for line in text.lines() {
        is_listing ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if !is_listing && heading.len() < line.len() {
            let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            found.push(kept.collect::<String>().to_lowercase().replace(' ', "-"));
        }
    }
    found
}

/// A link leads to a file that is there, and to a heading that it has.
#[test]
fn links_lead_somewhere() {
    let docs = root().join("docs");
    let mut broken = Vec::new();
    let mut count = 0;
    for page in texts_of(&docs).into_iter().chain(["../README.md".to_owned()]) {
        let path = docs.join(&page);
        let text = fs::read_to_string(&path).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let is_there = match (target.exists(), anchor) {
                (false, _) => false,
                (true, "") => true,
                (true, anchor) => fs::read_to_string(&target)
                    .is_ok_and(|text| anchors(&text).iter().any(|known| known == anchor)),
            };
            if !is_there {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(count > 0, "no page has a link");
    assert!(broken.is_empty(), "these links lead nowhere: {broken:#?}");
}

/// What is not in the summary is not in the book, and links to it are dead there.
#[test]
fn every_page_is_in_the_summary() {
    let listed = pages();
    let mut missing = texts_of(&root().join("docs"));
    missing.retain(|page| page != "SUMMARY.md" && !listed.contains(page));
    assert!(missing.is_empty(), "add a line to docs/SUMMARY.md for each of {missing:?}");
}

#[test]
fn links_and_anchors_are_found() {
    let text =
        "# What `x` is, exactly\nSee [a](b.md#c), `[no](d)`.\n```text\n# [no](e)\n```\n[f](g)\n";
    assert_eq!(links(text), ["b.md#c", "g"]);
    assert_eq!(anchors(text), ["what-x-is-exactly"]);
}

/// The crates of the workspace that a manifest names among its dependencies, without tests.
fn seen_crates(manifest: &str) -> Vec<String> {
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]"));
    let lines = section.unwrap_or_default().lines().filter(|line| line.starts_with("selvedge"));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    let mut seen: Vec<_> = names.map(|name| name.trim_start_matches("selvedge-").into()).collect();
    seen.sort();
    seen
}

#[test]
fn the_architecture_page_says_who_may_see_whom() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let mut crates: Vec<_> = fs::read_dir(root().join("crates")).unwrap().flatten().collect();
    crates.sort_by_key(fs::DirEntry::file_name);
    for folder in crates {
        let name = folder.file_name().into_string().unwrap();
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        let seen: Vec<_> = seen_crates(&manifest).iter().map(|seen| format!("`{seen}`")).collect();
        let seen = if seen.is_empty() { "-".to_owned() } else { seen.join(", ") };
        let row = page.lines().find(|line| line.starts_with(&format!("| [`{name}`]")));
        let row = row.unwrap_or_else(|| panic!("there is no row about {name}"));
        assert!(row.ends_with(&format!(" | {seen} |")), "{name} sees {seen}:\n{row}");
    }
}
