//! # Witnesses
//!
//! **Question.** Another verifier shall confirm an answer about a program in C, without believing this one. What does it have to know?
//!
//! **Idea.** The formats of the verification competition: a violation is a sequence of *waypoints* that a run passes one after the other
//! (format 2.2, with the thread that passes each), a proof is a set of invariants (format 2.1). Both are YAML, with a head that says what the
//! witness is about.
//!
//! **Claim.** The run that was found passes the waypoints of its witness in their order: see [`violation()`].
//!
//! **Two runs of Selvedge** write the same witness but for its `creation_time`: the `uuid` is made of the content.
//!
//! What a proof rests on here, sets of states and of stacks, is not written in C, so the invariant set of a proof is empty: a validator has the
//! verdict, and finds invariants itself.

mod time;
pub mod violation;
mod yaml;

use selvedge_program::{Outline, Source};
use sha2::{Digest, Sha256};

use crate::json::VERSION;
use yaml::quoted;

pub use time::timestamp;
pub use violation::violation;

/// Names the task that a witness is about.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The text of the program.
    pub source: &'a Source,
    /// The places of its statements.
    pub outline: &'a Outline,
    /// The property, as in a property file.
    pub specification: &'a str,
    /// `ILP32` or `LP64`.
    pub data_model: &'a str,
    /// When the witness was written, as in RFC 3339: see [`timestamp`].
    pub creation_time: &'a str,
}

/// The witness of a proof.
#[must_use]
pub fn correctness(task: &Task<'_>) -> String {
    entry(task, "invariant_set", "2.1", "  content: []\n")
}

/// An entry of a witness: its head, and its content.
fn entry(task: &Task<'_>, kind: &str, version: &str, content: &str) -> String {
    let file = quoted(task.source.name());
    let hash = hex(&Sha256::digest(task.source.written().as_bytes()));
    let mut about = String::new();
    let mut line = |text: String| about += &format!("{text}\n");
    line("    producer:".to_owned());
    line("      name: \"Selvedge\"".to_owned());
    line(format!("      version: {}", quoted(VERSION)));
    line("    task:".to_owned());
    line("      input_files:".to_owned());
    line(format!("        - {file}"));
    line("      input_file_hashes:".to_owned());
    line(format!("        {file}: {}", quoted(&hash)));
    line(format!("      specification: {}", quoted(task.specification)));
    line(format!("      data_model: {}", quoted(task.data_model)));
    line("      language: \"C\"".to_owned());
    let uuid = uuid(&format!("{kind}\n{about}{content}"));
    format!(
        "- entry_type: {}\n  metadata:\n    format_version: {}\n    uuid: {}\n    creation_time: {}\n{about}{content}",
        quoted(kind),
        quoted(version),
        quoted(&uuid),
        quoted(task.creation_time),
    )
}

/// An identifier that belongs to a text: version 8 of RFC 9562, whose bits are anybody's own.
fn uuid(text: &str) -> String {
    let mut bytes: Vec<u8> = Sha256::digest(text.as_bytes()).iter().copied().take(16).collect();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let [a, b, c, d, e] = [0..4, 4..6, 6..8, 8..10, 10..16].map(|part| hex(&bytes[part]));
    format!("{a}-{b}-{c}-{d}-{e}")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_proof_has_a_head_and_an_empty_set() {
        let source = Source::new("a \"b\".c", "int main() { return 0; }\n");
        let task = Task {
            source: &source,
            outline: &Outline::default(),
            specification: "CHECK( init(main()), LTL(G ! data-race) )",
            data_model: "LP64",
            creation_time: "2026-01-02T03:04:05Z",
        };
        expect![[r#"
            - entry_type: "invariant_set"
              metadata:
                format_version: "2.1"
                uuid: "UUID"
                creation_time: "2026-01-02T03:04:05Z"
                producer:
                  name: "Selvedge"
                  version: "VERSION"
                task:
                  input_files:
                    - "a \"b\".c"
                  input_file_hashes:
                    "a \"b\".c": "HASH"
                  specification: "CHECK( init(main()), LTL(G ! data-race) )"
                  data_model: "LP64"
                  language: "C"
              content: []
        "#]]
        .assert_eq(
            &correctness(&task)
                .replace(&uuid_of(&correctness(&task)), "UUID")
                .replace(VERSION, "VERSION")
                .replace(&hex(&Sha256::digest(source.text().as_bytes())), "HASH"),
        );
        let later = Task { creation_time: "2027-01-02T03:04:05Z", ..task };
        assert_eq!(uuid_of(&correctness(&later)), uuid_of(&correctness(&task)));
        let other = Task { data_model: "ILP32", ..task };
        assert_ne!(uuid_of(&correctness(&other)), uuid_of(&correctness(&task)));
    }

    fn uuid_of(text: &str) -> String {
        let start = text.find("uuid: \"").unwrap() + 7;
        text[start..start + 36].to_owned()
    }
}
