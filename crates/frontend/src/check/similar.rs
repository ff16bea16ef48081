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
        Some((distance(written, name), name))
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

/// The number of letters to change, insert, remove, or swap with their neighbour (each letter
/// once: the restricted Damerau–Levenshtein distance).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let change = last[j] + usize::from(a[i] != b[j]);
            let mut best = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let cases = [
            ("", "", 0),
            ("", "ab", 2),
            ("stoped", "stopped", 1),
            ("ab", "ba", 1),
            ("abc", "axd", 2),
        ];
        for (a, b, expected) in cases {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn only_close_names_are_offered() {
        assert_eq!(closest("stoped", ["pending", "stopped"]), Some("stopped"));
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("x", ["X"]), Some("X"));
        assert_eq!(closest("pnding", ["bending", "pending"]), Some("pending"));
        assert_eq!(closest("counter", ["pending"]), None);
    }
}
