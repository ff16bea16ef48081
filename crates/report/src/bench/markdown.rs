//! Rows as tables for people: wrong answers first, then what each column did, then each question.

use super::{Measured, NumberOf, Part, columns};
use crate::amount::bytes;

/// The totals of a column over the whole suite.
#[derive(Clone, PartialEq, Debug)]
pub struct Total<'a> {
    /// The name of the column.
    pub engine: &'a str,
    /// How many questions it was asked.
    pub asked: usize,
    /// How many it answered, wrong ones not counted.
    pub answered: usize,
    /// How many answers are wrong.
    pub wrong: usize,
    /// How long all answers took, in seconds.
    pub time: f64,
}

/// The totals of each column over the suite.
#[must_use]
pub fn totals(rows: &[Measured]) -> Vec<Total<'_>> {
    let total = |engine| {
        let mine = || rows.iter().filter(|row| row.key.engine == engine && row.part == Part::Suite);
        Total {
            engine,
            asked: mine().count(),
            answered: mine().filter(|row| row.is_answered()).count(),
            wrong: mine().filter(|row| row.is_wrong()).count(),
            time: mine().filter(|row| row.is_answered()).fold(0.0, |sum, row| sum + row.time),
        }
    };
    columns(rows).into_iter().map(total).filter(|total| total.asked > 0).collect()
}

/// What a column did with the questions about a property, as far as it is known whether it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerProperty<'a> {
    /// The property, as `--property` names it.
    pub property: &'a str,
    /// The name of the column.
    pub engine: &'a str,
    /// How many answers are right.
    pub right: usize,
    /// How many questions have no answer.
    pub open: usize,
    /// How many answers are wrong.
    pub wrong: usize,
}

/// What each column did with each property of programs in C; nothing for questions that name none, or several.
#[must_use]
pub fn per_property(rows: &[Measured]) -> Vec<PerProperty<'_>> {
    let mut all: Vec<PerProperty<'_>> = Vec::new();
    let known = rows.iter().filter(|row| row.part == Part::Suite && row.expected.is_some());
    for row in known {
        let Some(property) = property(&row.key.options) else { continue };
        let engine = row.key.engine.as_str();
        let place = all.iter().position(|one| (one.property, one.engine) == (property, engine));
        let place = place.unwrap_or_else(|| {
            all.push(PerProperty { property, engine, right: 0, open: 0, wrong: 0 });
            all.len() - 1
        });
        let one = &mut all[place];
        match row.ok {
            Some(true) => one.right += 1,
            _ if row.is_wrong() => one.wrong += 1,
            _ => one.open += 1,
        }
    }
    all
}

/// The one property that options name.
fn property(options: &str) -> Option<&str> {
    let words: Vec<&str> = options.split_whitespace().collect();
    let mut named = words.windows(2).filter(|pair| pair[0] == "--property").map(|pair| pair[1]);
    named.next().filter(|_| named.next().is_none())
}

/// The wrong answers, a line each.
#[must_use]
pub fn wrong(rows: &[Measured]) -> Vec<String> {
    let line = |row: &Measured| match &row.expected {
        Some(expected) if row.verdict != "contradictory" => {
            format!(
                "{} ({}): {}, expected {expected}",
                row.key.question(),
                row.key.engine,
                row.verdict
            )
        }
        _ => format!("{} ({}): {}", row.key.question(), row.key.engine, row.note),
    };
    rows.iter().filter(|row| row.is_wrong()).map(line).collect()
}

/// The whole text; `conditions` says how it was measured, `pictures` names files beside it.
#[must_use]
pub fn write(rows: &[Measured], conditions: &[String], pictures: &[(&str, String)]) -> String {
    let mut text = String::from("# Measurements\n\n");
    for line in conditions {
        text += &format!("- {line}\n");
    }
    let wrong = wrong(rows);
    if !wrong.is_empty() {
        text += "\n## Wrong answers\n\n";
        text.extend(wrong.iter().map(|line| format!("- {}\n", cell(line))));
    }
    text += "\n## Columns\n\n| column | asked | answered | wrong | no answer | time of answers s |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |\n";
    for Total { engine, asked, answered, wrong, time } in totals(rows) {
        let open = asked - answered - wrong;
        text += &format!(
            "| {} | {asked} | {answered} | {wrong} | {open} | {time:.2} |\n",
            cell(engine)
        );
    }
    let properties = per_property(rows);
    if !properties.is_empty() {
        text += "\n## Properties\n\n| property | column | right | open | wrong |\n\
                 | --- | --- | ---: | ---: | ---: |\n";
    }
    for PerProperty { property, engine, right, open, wrong } in properties {
        text += &format!("| {property} | {} | {right} | {open} | {wrong} |\n", cell(engine));
    }
    let suite: NumberOf = |part| (part == Part::Suite).then_some(0);
    let parts = [
        ("Questions", suite),
        ("Growth with threads", Part::threads),
        ("Growth with contexts", Part::contexts),
    ];
    for (title, number) in parts {
        let rows: Vec<&Measured> = rows.iter().filter(|row| number(row.part).is_some()).collect();
        if !rows.is_empty() {
            text += &format!("\n## {title}\n\n");
            text += &table(&rows);
        }
    }
    if !pictures.is_empty() {
        text += "\n## Pictures\n\n";
        text.extend(pictures.iter().map(|(name, title)| format!("![{}]({name})\n\n", cell(title))));
        text.pop();
    }
    text
}

fn table(rows: &[&Measured]) -> String {
    let mut text = String::from(
        "| question | column | verdict | expected | time s | CPU s | memory | bound | by | stored | runs | note |\n\
         | --- | --- | --- | --- | ---: | ---: | ---: | --- | --- | ---: | ---: | --- |\n",
    );
    for row in rows {
        let verdict =
            if row.is_wrong() { format!("**{}**", row.verdict) } else { row.verdict.clone() };
        let dash = || "-".to_owned();
        let fields = [
            row.key.question(),
            row.key.engine.clone(),
            verdict,
            row.expected.clone().unwrap_or_else(dash),
            format!("{:.3}", row.time),
            row.cpu.map_or_else(dash, |cpu| format!("{cpu:.2}")),
            row.memory.map_or_else(dash, bytes),
            row.bound.clone().unwrap_or_else(dash),
            row.by.clone().unwrap_or_else(dash),
            row.stored.map_or_else(dash, |states| states.to_string()),
            row.repeats.to_string(),
            row.note.clone(),
        ];
        let fields: Vec<String> = fields.iter().map(|field| cell(field)).collect();
        text += &format!("| {} |\n", fields.join(" | "));
    }
    text
}

/// A text that stays in its cell.
fn cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn properties_are_counted() {
        let with = |name: &str, options: &str, expected: &str, said: &str| {
            let mut row = row(name, "auto", expected, &[(said, 1.0)]);
            row.key.options = options.to_owned();
            row
        };
        let (reach, race) =
            ("--data-model ilp32 --property unreach-call", "--property no-data-race");
        let rows = [
            with("a", reach, "safe", "safe"),
            with("b", reach, "safe", "unsafe"),
            with("c", race, "unsafe", "timeout"),
            with("d", race, "unsafe", "unsafe"),
            with("e", race, "-", "unsafe"),
            with("f", "", "safe", "safe"),
            with("g", "--property no-overflow --property no-data-race", "safe", "safe"),
        ];
        let told: Vec<_> = per_property(&rows)
            .into_iter()
            .map(|one| (one.property, one.right, one.open, one.wrong))
            .collect();
        assert_eq!(told, [("unreach-call", 1, 0, 1), ("no-data-race", 1, 1, 0)]);
        let text = write(&rows, &[], &[]);
        assert!(text.contains("| unreach-call | auto | 1 | 0 | 1 |\n"), "{text}");
    }

    #[test]
    fn what_is_wrong_stands_first() {
        let mut rows = vec![
            row("a", "auto", "safe", &[("safe", 0.5)]),
            row("a", "other", "safe", &[("unsafe", 0.25)]),
            row("b", "auto", "safe", &[("timeout", 10.0)]),
        ];
        rows[2].note = "a | b\n<c>".to_owned();
        rows[2].part = Part::Threads(2);
        let text = write(&rows, &["one run".to_owned()], &[("cactus.svg", "Cactus".to_owned())]);
        expect_test::expect![[r#"
            # Measurements

            - one run

            ## Wrong answers

            - a (other): unsafe, expected safe

            ## Columns

            | column | asked | answered | wrong | no answer | time of answers s |
            | --- | ---: | ---: | ---: | ---: | ---: |
            | auto | 1 | 1 | 0 | 0 | 0.50 |
            | other | 1 | 0 | 1 | 0 | 0.00 |

            ## Questions

            | question | column | verdict | expected | time s | CPU s | memory | bound | by | stored | runs | note |
            | --- | --- | --- | --- | ---: | ---: | ---: | --- | --- | ---: | ---: | --- |
            | a | auto | safe | safe | 0.500 | - | 1.0 MiB | - | - | - | 1 |  |
            | a | other | **unsafe** | safe | 0.250 | - | 1.0 MiB | - | - | - | 1 |  |

            ## Growth with threads

            | question | column | verdict | expected | time s | CPU s | memory | bound | by | stored | runs | note |
            | --- | --- | --- | --- | ---: | ---: | ---: | --- | --- | ---: | ---: | --- |
            | b | auto | timeout | safe | 10.000 | - | 1.0 MiB | - | - | - | 1 | a \| b &lt;c> |

            ## Pictures

            ![Cactus](cactus.svg)
        "#]]
        .assert_eq(&text);
    }
}
