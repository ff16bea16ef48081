//! The text of evidence, damaged.

use selvedge_analysis::engine::Method;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::format::{Document, Options, digest};
use selvedge_evidence::{Evidence, recheck};
use selvedge_model::{SharedId, Tables};

use crate::evidence::certificates::reached;
use crate::evidence::{checked, text_of, unreachable, verified};

/// A system, a shared state, and the text of what is known about it: one for each kind.
fn texts() -> Vec<(Tables, SharedId, String)> {
    let mut found: Vec<(Tables, SharedId, String)> = Vec::new();
    let mut kinds = [0; 3];
    for seed in 0..60 {
        let system = random_system(seed, &Shape::default());
        for shared in (0..system.shared_count()).map(SharedId::from) {
            let properties = [unreachable(&system, shared)];
            for outcome in [
                verified(&system, &properties, Method::Auto),
                checked(&system, &properties, Method::Symbolic),
            ] {
                let Some(evidence) = outcome.evidence else { continue };
                let kind = match &evidence {
                    Evidence::Cut(_) => 0,
                    Evidence::Aggregate(_) => 1,
                    _ => 2,
                };
                kinds[kind] += 1;
                if kinds[kind] <= 10 {
                    found.push((system.clone(), shared, text_of(&system, &evidence)));
                }
            }
        }
    }
    assert_eq!(found.len(), 30);
    found
}

fn read(system: &Tables, text: &str) -> Result<Evidence, String> {
    let document = Document::parse(text).map_err(|e| e.to_string())?;
    document
        .check_subject(&digest("text"), &Options::default())
        .and_then(|()| document.evidence(system))
        .map_err(|e| e.to_string())
}

#[test]
fn what_is_cut_off_is_missed() {
    for (system, _, text) in texts() {
        let whole = text.trim_end();
        for length in (0..whole.len()).filter(|&n| whole.is_char_boundary(n)) {
            let error = read(&system, &whole[..length]).expect_err("it is not complete");
            assert!(error.starts_with("the file ends too early"), "{error}");
        }
    }
}

/// Changes any bytes, or only digits within the certificate.
fn damage(text: &str, rng: &mut fastrand::Rng) -> Option<String> {
    let mut bytes = text.to_owned().into_bytes();
    if rng.bool() {
        let start = text.find("\"kind\"")?;
        let digits: Vec<usize> =
            (start..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        bytes[digits[rng.usize(..digits.len())]] = b'0' + rng.u8(..10);
        return String::from_utf8(bytes).ok();
    }
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(1..bytes.len());
        match rng.u32(..4) {
            0 => bytes[at] = *rng.choice(b"0123456789,[]\"{}:-x")?,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b'0' + rng.u8(..10)),
            _ => bytes.swap(at, at - 1),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Damaged text is refused, or says something that is true as well. It never ends in a panic.
#[test]
fn damage_does_no_harm() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut unreadable, mut refused, mut accepted) = (0, 0, 0);
    for (system, shared, text) in texts() {
        let (properties, states) = ([unreachable(&system, shared)], reached(&system));
        for _ in 0..300 {
            let Some(damaged) = damage(&text, &mut rng) else { continue };
            let Ok(evidence) = read(&system, &damaged) else {
                unreadable += 1;
                continue;
            };
            if recheck(&system, &properties, &evidence).is_err() {
                refused += 1;
                continue;
            }
            accepted += 1;
            let missing = match &evidence {
                Evidence::Cut(certificate) => certificate.missing(&system, &states),
                Evidence::Aggregate(certificate) => certificate.missing(&system, &states),
                _ => Ok(None),
            };
            assert_eq!(missing, Ok(None), "{damaged}");
        }
    }
    // White space, the name of the file and the property may change, and kinds may be renamed.
    println!("{unreadable} unreadable, {refused} refused, {accepted} as good as before");
    assert!(unreadable > 1000 && refused > 500);
}

#[test]
fn evidence_about_something_else_is_refused() {
    let (system, _, text) = texts().swap_remove(0);
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        read(&system, &text.replacen(from, to, 1)).expect_err("refused")
    };
    let version = format!("\"selvedge\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version));
    assert_eq!(
        refused("\"evidence\": 3", "\"evidence\": 2"),
        format!(
            "this is evidence in format 2, written by Selvedge {0}; Selvedge {0} reads format 3",
            env!("CARGO_PKG_VERSION")
        )
    );
    assert_eq!(refused("\"evidence\": 3,", ""), "this is no evidence: it does not say its format");
    assert!(
        refused("sha256:", "sha256:0")
            .starts_with("the evidence is about another text: system.cpds")
    );
    assert_eq!(
        refused("\"options\": {}", "\"options\": {\"threads\": {\"P1\": 2}}"),
        "the evidence was made with --threads P1=2, not with no options; give the same options"
    );
    assert!(refused("{", "[").starts_with("this is no evidence: "));
    assert!(read(&system, "\u{0}").expect_err("refused").starts_with("this is no evidence: "));
    let deep = "[".repeat(100_000);
    assert!(read(&system, &deep).expect_err("refused").starts_with("this is no evidence: "));
}
