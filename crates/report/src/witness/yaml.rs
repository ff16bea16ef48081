//! Quotes texts for YAML.

/// A text in quotation marks, whatever is in it.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                quoted += &format!("\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[test]
fn signs_are_escaped() {
    assert_eq!(quoted("a\\b\"c\nd\té\u{1}"), r#""a\\b\"c\nd\té\u0001""#);
}
