//! The comment at the top of an example says what is expected of it (`expected: verify: unsafe, 3 contexts: …`, `With --const
//! BUG=true: …`): the same as `expected.tsv`.

use std::fs;

use crate::examples::{Row, collect, examples, rows};

/// What the header of a file expects, in one line, without quotation marks.
fn expectations(text: &str) -> String {
    let comment = |line: &&str| line.starts_with("//") || line.starts_with('#');
    let lines = text.lines().take_while(comment).map(|line| line.trim_start_matches(['/', '#']));
    let lines = lines.skip_while(|line| !line.contains("expected:"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").replace('"', "")
}

/// What a header claims about a question: the text after its colon.
fn claim<'a>(expected: &'a str, command: &str, options: &[String]) -> Option<&'a str> {
    if !options.is_empty() {
        let whole = format!("{command} {}: ", options.join(" "));
        if let Some((_, claim)) = expected.split_once(&whole) {
            return Some(claim);
        }
    }
    let (_, about) = expected.split_once(&format!("{command}: "))?;
    let others = ["verify: ", "livelock: "].iter().filter_map(|other| about.find(other));
    let about = &about[..others.min().unwrap_or(about.len())];
    if options.is_empty() {
        return Some(about);
    }
    about.split_once(&format!("With {}: ", options.join(" "))).map(|(_, claim)| claim)
}

/// The verdict of a claim, and its bound if it has one: `unsafe, 3 contexts: …`.
fn reading(claim: &str) -> (&str, Option<(u64, String)>) {
    let end = claim.find(|c: char| !c.is_alphabetic()).unwrap_or(claim.len());
    let (verdict, rest) = claim.split_at(end);
    let mut words = rest.trim_start_matches(", ").split_whitespace();
    let number = words.next().and_then(|word| word.parse().ok());
    let what = words.next().map(|word| word.trim_end_matches(|c: char| !c.is_alphabetic()));
    let what = what.map(|word| word.trim_end_matches('s').to_owned());
    let bound = number.zip(what).filter(|(_, what)| what == "context" || what == "thread");
    (if verdict == "none" { "safe" } else { verdict }, bound)
}

/// The options for which a header claims a verdict: `With --const BUG=true: unsafe, …`.
fn options_with_a_verdict(expected: &str) -> Vec<String> {
    let claims = expected.split("With --").skip(1).filter_map(|rest| rest.split_once(": "));
    let has_verdict =
        |claim: &str| ["safe", "unsafe", "nonterminating", "none"].contains(&reading(claim).0);
    let with_verdict = claims.filter(|(_, claim)| has_verdict(claim));
    // What they ask for may be told after a comma.
    let options = with_verdict.filter_map(|(options, _)| options.split(", ").next());
    options.map(|options| format!("--{options}")).collect()
}

#[test]
fn headers_agree_with_the_list() {
    let mut files = Vec::new();
    collect(&examples(), &mut files).unwrap();
    let (rows, mut claims) = (rows(), 0);
    for file in files {
        let name = file.strip_prefix(examples()).unwrap().to_str().unwrap().replace('\\', "/");
        let expected = expectations(&fs::read_to_string(&file).unwrap());
        let mut is_told = false;
        for row in rows.iter().filter(|row| row.file == name) {
            let Row { options, verdict, bound, run, .. } = row;
            let command = if run == "livelock" { "livelock" } else { "verify" };
            let Some(claim) = claim(&expected, command, options) else { continue };
            (claims, is_told) = (claims + 1, true);
            let about = format!("{name} {options:?}: {claim}");
            let (said, counted) = reading(claim);
            assert_eq!(said, verdict, "{about}");
            assert!(verdict != "unsafe" || counted == *bound, "{about} {counted:?} {bound:?}");
        }
        for options in options_with_a_verdict(&expected) {
            let is_listed = |row: &Row| row.file == name && row.options.join(" ") == options;
            assert!(rows.iter().any(is_listed), "{name}: the list has no row with `{options}`");
        }
        assert!(is_told, "{name}: the header does not say what is expected: `{expected}`");
    }
    assert!(claims > 60, "{claims} claims");
}
