//! A list of tasks in C: a line each, with tabs between the columns that the first line names. A column of a property says `true`, `false`, or `-`
//! where nothing is known; each verdict is a question of its own.

use super::Question;

/// The columns of properties, and the options that ask for them.
const PROPERTIES: [(&str, &str); 4] = [
    ("unreach_call", "unreach-call"),
    ("no_data_race", "no-data-race"),
    ("valid_memsafety", "valid-memsafety"),
    ("no_overflow", "no-overflow"),
];

/// The columns that say nothing about an answer.
const OTHERS: [&str; 2] = ["wave", "licence"];

/// Questions with their lines, or what is wrong on which line.
type Parsed = Result<Vec<(usize, Question)>, (usize, String)>;

/// The questions of a list of tasks; nothing if it is another list.
pub(super) fn parse(text: &str) -> Option<Parsed> {
    let is_line = |(_, line): &(usize, &str)| !line.trim().is_empty() && !line.starts_with('#');
    let mut lines = text.lines().enumerate().filter(is_line);
    let (_, names) = lines.next()?;
    let names: Vec<&str> = names.split('\t').map(str::trim).collect();
    if names.first() != Some(&"file") || !names.contains(&"data_model") {
        return None;
    }
    Some(questions(&names, lines))
}

fn questions<'t>(names: &[&str], lines: impl Iterator<Item = (usize, &'t str)>) -> Parsed {
    let is_known = |name: &&&str| {
        let is_property = PROPERTIES.iter().any(|(known, _)| known == *name);
        is_property || OTHERS.contains(name) || matches!(**name, "file" | "data_model")
    };
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known: Vec<&str> = PROPERTIES.iter().map(|(known, _)| *known).collect();
        let known = known.join(", ");
        return Err((1, format!("the column `{name}` is not known; properties are {known}")));
    }
    let mut questions = Vec::new();
    for (number, line) in lines {
        let fail = |why: String| (number + 1, why);
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let (got, wanted) = (fields.len(), names.len());
        if got != wanted {
            return Err(fail(format!("{got} fields, but the first line names {wanted} columns")));
        }
        let field = |name: &str| {
            let place = names.iter().position(|known| *known == name);
            place.map_or("-", |place| fields[place])
        };
        let model = match field("data_model") {
            "ILP32" => "--data-model ilp32 ",
            "LP64" => "--data-model lp64 ",
            "-" => "",
            other => return Err(fail(format!("`{other}` is no data model: write ILP32 or LP64"))),
        };
        for (column, property) in PROPERTIES {
            let expected = match field(column) {
                "-" | "" => continue,
                "true" => "safe",
                "false" => "unsafe",
                other => {
                    return Err(fail(format!(
                        "`{other}` is no verdict about {column}: write true, false or -"
                    )));
                }
            };
            let question = Question {
                file: field("file").to_owned(),
                options: format!("{model}--property {property}"),
                expected: Some(expected.to_owned()),
                command: "verify",
                is_slow: false,
                note: String::new(),
            };
            questions.push((number + 1, question));
        }
    }
    Ok(questions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_is_a_question() {
        let text = "# tasks\nfile\tdata_model\tunreach_call\tno_data_race\twave\na.i\tILP32\ttrue\tfalse\tfirst\n\nb.c\t-\t-\ttrue\tx\n";
        let read = parse(text).unwrap().unwrap();
        let words: Vec<_> = read
            .iter()
            .map(|(line, q)| (*line, &*q.file, &*q.options, q.expected.as_deref().unwrap()))
            .collect();
        assert_eq!(
            words,
            [
                (3, "a.i", "--data-model ilp32 --property unreach-call", "safe"),
                (3, "a.i", "--data-model ilp32 --property no-data-race", "unsafe"),
                (5, "b.c", "--property no-data-race", "safe"),
            ]
        );
        assert!(parse("file\toptions\n").is_none());
        assert!(parse("").is_none());
    }

    #[test]
    fn mistakes_have_lines() {
        let wrong = |rest: &str| {
            parse(&format!("file\tdata_model\tno_overflow\n{rest}")).unwrap().unwrap_err()
        };
        assert_eq!(wrong("a\tILP32").0, 2);
        assert!(wrong("a\tILP32").1.starts_with("2 fields, but"));
        assert!(wrong("a\tLP32\ttrue").1.starts_with("`LP32` is no data model"));
        assert!(wrong("a\tLP64\tsafe").1.starts_with("`safe` is no verdict"));
        let other = parse("file\tdata_model\tno_leak\n").unwrap().unwrap_err();
        assert_eq!(other.0, 1);
        assert!(other.1.starts_with("the column `no_leak` is not known"));
    }
}
