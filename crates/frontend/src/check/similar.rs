//! # Similar names
//! Most unknown names are misspelt ones. The closest known name is worth a question, if it is
//! close enough.

/// Names longer than this are not compared: the time grows with the square of the length.
const LONGEST: usize = 60;

/// The known name that is closest to what was written: at most one letter in three is wrong, left
/// out, or too many. The first one wins among equals.
pub(crate) fn closest<'n>(
    written: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let letters = written.chars().count();
    if letters > LONGEST {
        return None;
    }
    let tolerated = (letters / 3).max(1).min(letters.saturating_sub(1));
    let candidates = known.into_iter().filter(|name| *name != written).filter_map(|name| {
        if name.eq_ignore_ascii_case(written) {
            return Some((0, name));
        }
        if name.chars().count().abs_diff(letters) > tolerated {
            return None;
        }
        // Letters to change, insert, remove, or swap with their neighbour, each once.
        Some((strsim::osa_distance(written, name), name))
    });
    candidates.filter(|(d, _)| *d <= tolerated).min_by_key(|(d, _)| *d).map(|(_, name)| name)
}

/// Words that begin a statement or a declaration of `.weave`, for those who misspell them.
pub(crate) const WORDS: [&str; 27] = [
    "acquire",
    "assert",
    "assume",
    "async",
    "atomic",
    "break",
    "call",
    "const",
    "continue",
    "either",
    "else",
    "enum",
    "goto",
    "havoc",
    "if",
    "join",
    "predicate",
    "proc",
    "release",
    "return",
    "shared",
    "skip",
    "thread",
    "unlock",
    "void",
    "wait",
    "while",
];

/// `did you mean …?` for [`closest`].
pub(crate) fn did_you_mean<'n>(
    written: &str,
    known: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    closest(written, known).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_offered() {
        assert_eq!(closest("stoped", ["pending", "stopped"]), Some("stopped"));
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("x", ["X"]), Some("X"));
        assert_eq!(closest("pnding", ["bending", "pending"]), Some("pending"));
        assert_eq!(closest("counter", ["pending"]), None);
        assert_eq!(closest("cuonter", ["counter"]), Some("counter"));
    }
}
