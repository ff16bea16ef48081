//! Names that every table format can read back.

use rustc_hash::FxHashSet;

/// Names that were given out. No two are the same.
#[derive(Default)]
pub(super) struct Names(FxHashSet<String>);

/// Longer names are cut: tables are read by people, too.
const LONGEST: usize = 60;

/// Words that mean something to the `.cpds` format.
const RESERVED: &[&str] = &["shared", "init", "thread", "starts", "target", "somewhere"];

impl Names {
    /// A word like `wanted`: of letters, digits, `_`, `.`, `'` and `$`, and not given out before.
    pub(super) fn give(&mut self, wanted: &str) -> String {
        let mut word = String::new();
        for c in wanted.chars() {
            let c =
                if c.is_ascii_alphanumeric() || matches!(c, '.' | '\'' | '$') { c } else { '_' };
            // `0..3` stands for numbers in a row, so dots do not stand side by side.
            let repeated = matches!(c, '_' | '.') && word.ends_with(c);
            if !repeated && word.len() < LONGEST {
                word.push(c);
            }
        }
        let trimmed = word.trim_matches('_');
        let mut name = if trimmed.is_empty() { word.as_str() } else { trimmed }.to_owned();
        if name.is_empty() || RESERVED.contains(&name.as_str()) {
            name.push('_');
        }
        let mut number = 1;
        let mut unique = name.clone();
        while !self.0.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}'{number}");
        }
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_unique() {
        let mut names = Names::default();
        let given: Vec<_> = ["x=1, y=?", "x=1, y=*", "", "", "init", "0..3", "a.b'$", "_", "→"]
            .map(|wanted| names.give(wanted))
            .into();
        assert_eq!(given, ["x_1_y", "x_1_y'2", "_", "_'2", "init_", "0.3", "a.b'$", "_'3", "_'4"]);
    }
}
