//! Suggestions of similar names: "did you mean …?"

/// The name that is most like the one that was given, if one is like it at all.
pub fn closest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &&str| strsim::jaro_winkler(given, name);
    let best = known.into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) > 0.7).then_some(best)
}

/// `there is no KIND NAME`, with a suggestion or with all the names there are.
pub fn unknown(kind: &str, given: &str, known: &[&str]) -> String {
    let hint = match closest(given, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("there are {}", known.join(", ")),
    };
    format!("there is no {kind} `{given}`; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_is_alike() {
        let check = |given, expected: &str| {
            assert_eq!(unknown("thread", given, &["adder", "stopper"]), expected);
        };
        check("addr", "there is no thread `addr`; did you mean `adder`?");
        check("x", "there is no thread `x`; there are adder, stopper");
    }
}
