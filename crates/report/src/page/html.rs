//! # The page as a file
//! Hand-written HTML, CSS and scripts, and a library that lays out graphs (`assets/vendor`), put together with the document
//! inside. Nothing is fetched: the policy of the page forbids it, and names the one script and the one style that it has by
//! their hashes.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Document, Setup};

const FRAME: &str = include_str!("assets/page.html");
const STYLE: &str = concat!(
    include_str!("assets/page.css"),
    include_str!("assets/panels.css"),
    include_str!("assets/walk.css")
);
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("assets/vendor/dagre.min.js"),
    include_str!("assets/dom.js"),
    include_str!("assets/schedule.js"),
    include_str!("assets/chart.js"),
    include_str!("assets/lanes.js"),
    include_str!("assets/state.js"),
    include_str!("assets/source.js"),
    include_str!("assets/table.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/automata.js"),
    include_str!("assets/address.js"),
    include_str!("assets/walk.js"),
    include_str!("assets/help.js"),
    include_str!("assets/page.js"),
    include_str!("assets/form.js"),
    include_str!("assets/live.js"),
);

/// The content security policy of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// A file on disk: it may load and send nothing.
    File,
    /// A page from a server: it may talk to that server.
    Served,
}

impl Policy {
    /// The policy in the words of browsers (Content-Security-Policy).
    #[must_use]
    pub fn text(self) -> String {
        let connect = match self {
            Policy::File => "'none'",
            Policy::Served => "'self'",
        };
        format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; connect-src {connect}; img-src data:; \
             base-uri 'none'; form-action 'none'",
            hash(SCRIPT),
            hash(STYLE)
        )
    }
}

/// The page of a document, as one file.
#[must_use]
pub fn html(document: &Document) -> String {
    page(&document.file, "document", document, Policy::File)
}

/// The page of the explorer, before anything is known.
#[must_use]
pub fn live(setup: &Setup) -> String {
    page(&setup.file, "setup", setup, Policy::Served)
}

fn page(title: &str, kind: &str, data: &impl Serialize, policy: Policy) -> String {
    let mut text = String::new();
    let mut rest = FRAME;
    // What is put in is not looked at again: a program may contain anything.
    while let Some((before, after)) = rest.split_once("{{") {
        text += before;
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match name {
            "title" => text += &escaped(title),
            "policy" => text += &escaped(&policy.text()),
            "style" => text += STYLE,
            "kind" => text += kind,
            "data" => text += &data_block(data),
            _ => text += SCRIPT,
        }
        rest = after;
    }
    text + rest
}

/// JSON that cannot end the element it stands in.
fn data_block(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    // `<` occurs inside of strings only, and browsers look for `</script` and `<!--`.
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The hash of a script or a style, as policies name it.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            match index <= chunk.len() {
                true => text.push(char::from(DIGITS[(bits >> (18 - 6 * index)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_as_browsers_read_them() {
        let all = [&b""[..], b"f", b"fo", b"foo", b"foob", b"fooba", b"foobar"].map(base64);
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn nothing_in_a_program_ends_the_data() {
        let setup = Setup {
            selvedge: "0",
            file: "a\"<b>.weave".to_owned(),
            revision: 1,
            source: "</script><script>alert(1)</script><!-- {{script}} {{data}}".to_owned(),
            wrong: None,
            language: super::super::Language::Program,
            engines: Vec::new(),
            threads: Vec::new(),
            consts: Vec::new(),
            fixed: Vec::new(),
            ask: super::super::Ask::default(),
        };
        let page = live(&setup);
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("alert(1)").count(), 1);
        assert!(page.contains("<title>a&quot;&lt;b>.weave"), "the title is escaped");
        let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
        let read: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(read["source"], setup.source);
    }

    #[test]
    fn the_page_names_nothing_that_is_elsewhere() {
        for part in [FRAME, STYLE, SCRIPT] {
            let without = part.replace("http://www.w3.org/2000/svg", "");
            assert!(!without.contains("http:") && !without.contains("https:"));
            assert!(!without.contains("@import") && !without.contains("url("));
            assert!(!without.contains("innerHTML") && !without.contains("eval("));
        }
    }
}
