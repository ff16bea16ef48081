//! # The document as Markdown
//! The same as the page shows, as a text to read, to mail or to put beside code. Long schedules and
//! lists are folded: what is left out is counted.

use std::fmt::Write;

use super::{Above, Amount, Below, Document, Schedule};

/// Of a longer schedule, its beginning and its end are shown.
const MOST_STEPS: usize = 400;

/// More states of a bound are counted, and not listed.
const MOST_STATES: usize = 6;

/// The document as a text.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let mut text = format!("# {}\n\n", inline(&document.file));
    let answer = &document.answer;
    let verdict = answer.verdict.word();
    let _ = writeln!(text, "{}\n", inline(&document.question.text));
    let _ = writeln!(text, "**{verdict}**: {}\n", inline(&answer.sentence));
    for (label, words) in &answer.details {
        let _ = writeln!(text, "- *{label}*: {}", inline(words));
    }
    for note in &document.notes {
        let _ = writeln!(text, "- *note*: {}", inline(note));
    }
    if let Some(command) = &document.question.command {
        let _ = write!(text, "\nAsk it again:\n\n{}", fenced(command));
    }
    let _ = write!(text, "\n## The program\n\n{}", fenced(&numbered(&document.source)));
    if let Some(schedule) = &document.schedule {
        text += &steps(schedule);
    }
    if let Some(invariant) = &document.invariant {
        let _ = writeln!(text, "\n## Why it holds\n\n{}", inline(&invariant.why));
        if !invariant.places.is_empty() {
            text += "\nWhenever a thread stands at a place, before the statement there:\n";
            text += "\n| thread | place | what holds there |\n| --- | --- | --- |\n";
            for place in &invariant.places {
                let facts: Vec<_> = place.facts.iter().map(|fact| code(fact)).collect();
                let (thread, at) = (inline(&place.thread), inline(&place.place));
                let _ = writeln!(text, "| {thread} | {at} | {} |", facts.join("<br>"));
            }
        }
    }
    text += &observations(document);
    for automaton in &document.automata {
        let _ = write!(
            text,
            "\n<details><summary>Automaton: {}</summary>\n\nRead from the top of the stack, from state 0 on; `*` marks \
             states in which the stack may end.\n\n",
            inline(&automaton.title)
        );
        for (state, accepts) in automaton.accepting.iter().enumerate() {
            let mark = if *accepts { "*" } else { "" };
            let edges = automaton.edges.iter().filter(|(from, ..)| *from as usize == state);
            let edges: Vec<_> =
                edges.map(|(_, to, names)| format!("{} → {to}", code(&names.join(", ")))).collect();
            let _ = writeln!(text, "- {state}{mark}: {}", edges.join("; "));
        }
        text += "\n</details>\n";
    }
    let _ = writeln!(text, "\nSelvedge {}, engine {}", document.selvedge, inline(&answer.engine));
    text
}

fn observations(document: &Document) -> String {
    let mut text = String::new();
    if !document.below.is_empty() {
        let unit = document.unit;
        let _ = writeln!(
            text,
            "\n## From below\n\nWhat is reached within each number of {unit}, and what of it is *new*: not reached \
             within a smaller one. A *visible* state is the shared variables and the top of each stack; \
             in a program, `f:12` stands in procedure `f`, at line 12, `-` has ended.\n"
        );
        if let Some(bound) = document.collapse {
            let _ =
                writeln!(text, "Collapsed at {bound} {unit}: nothing visible is new after it.\n");
        }
        let _ = writeln!(text, "| {unit} | states | new | visible | new | |");
        text += "| ---: | ---: | ---: | ---: | ---: | --- |\n";
        document.below.iter().for_each(|seen| text += &row(document, seen));
    }
    if !document.above.is_empty() {
        text += "\n## From above\n\nOf each stack as many frames are kept as the cut says, and anything may lie below: what is \
                 not here cannot be reached.\n\n| stack cut | visible states | |\n| --- | ---: | --- |\n";
        document.above.iter().for_each(|seen| text += &cut(seen));
    }
    text
}

fn row(document: &Document, seen: &Below) -> String {
    let numbers = [&seen.states, &seen.new_states, &seen.visible, &seen.new_visible].map(amount);
    let mut marks: Vec<String> = seen.mark.map(|mark| format!("*{mark}*")).into_iter().collect();
    if document.violation == Some(seen.bound) {
        marks.push("**violation**".to_owned());
    }
    if document.collapse == Some(seen.bound) {
        marks.push("**collapse**".to_owned());
    }
    let which = seen.which.as_deref().unwrap_or_default();
    marks.extend(which.iter().take(MOST_STATES).map(|state| code(state)));
    if which.len() > MOST_STATES {
        marks.push(format!("… {} more", which.len() - MOST_STATES));
    }
    format!("| {} | {} | {} |\n", seen.bound, numbers.join(" | "), marks.join(" "))
}

fn cut(seen: &Above) -> String {
    let heights = if seen.heights { ", heights compared" } else { "" };
    let mut marks = Vec::new();
    match seen.violated {
        Some(true) => marks.push("does not exclude a violation"),
        Some(false) => marks.push("excludes a violation"),
        None => {}
    }
    if seen.exact {
        marks.push("exactly the reachable ones");
    }
    format!("| {}{heights} | {} | {} |\n", seen.depth, amount(&seen.visible), marks.join(", "))
}

fn amount(number: &Option<Amount>) -> String {
    match number {
        None => "-".to_owned(),
        Some(Amount::Number(n)) => n.to_string(),
        Some(Amount::Text(digits)) => digits.clone(),
    }
}

fn steps(schedule: &Schedule) -> String {
    let mut text = String::from(
        "\n## Schedule\n\nRead from the top. A *context* is a stretch in which one thread runs. `[yes]` and `[no]` \
         say how a condition turned out; *changes* has the variables that a step wrote, before → after.\n\n",
    );
    let mut shared: Vec<_> = schedule.shared.iter().map(|(_, value)| value).collect();
    let values = known(schedule.shared.iter().map(|(name, value)| (name, value)));
    if !values.is_empty() {
        let _ = writeln!(text, "At the start: {}\n", code(&values.join(", ")));
    }
    if !schedule.contexts.is_empty() {
        text +=
            "| context | thread | lines | steps | changes |\n| ---: | --- | --- | --- | --- |\n";
        for [number, name, lines, steps, changes] in &schedule.contexts {
            let changes = if changes.is_empty() { String::new() } else { code(changes) };
            let _ =
                writeln!(text, "| {number} | {} | {lines} | {steps} | {changes} |", inline(name));
        }
        text.push('\n');
    }
    text += "| # | context | thread | line | step | changes |\n| ---: | ---: | --- | ---: | --- | --- |\n";
    let count = schedule.steps.len();
    let (mut context, mut last) = (0, None);
    for (index, step) in schedule.steps.iter().enumerate() {
        let is_new = last != Some(step.t) || schedule.period == Some(index);
        context += usize::from(is_new);
        last = Some(step.t);
        if schedule.period == Some(index) {
            text += "| | | | | **the period, repeated for ever** | |\n";
        }
        for (at, value) in &step.v {
            shared[*at] = value;
        }
        let mut changes: Vec<String> = step.c.iter().map(|words| code(words)).collect();
        if count > MOST_STEPS && (MOST_STEPS / 2..count - MOST_STEPS / 2).contains(&index) {
            if index == MOST_STEPS / 2 {
                let _ = writeln!(text, "| | | | | … {} more steps … | |", count - MOST_STEPS);
            }
            continue;
        }
        let statements = step.s.iter().map(|&s| &schedule.statements[s]);
        let lines: Vec<_> =
            statements.clone().filter_map(|(_, line)| Some((*line)?.to_string())).collect();
        let words: Vec<_> = statements.map(|(words, _)| code(words)).collect();
        if index + 1 == count && schedule.wrong.is_some() {
            changes.push("**goes wrong**".to_owned());
        }
        let _ = writeln!(
            text,
            "| {} | {context} | {} | {} | {} | {} |",
            index + 1,
            inline(&schedule.threads[step.t].name),
            lines.join(", "),
            words.join("<br>"),
            changes.join(", ")
        );
    }
    if let Some(wrong) = &schedule.wrong {
        let _ = writeln!(text, "\nThen it goes wrong: {}", inline(wrong));
        let names = schedule.shared.iter().map(|(name, _)| name);
        let values = known(names.zip(shared));
        if !values.is_empty() {
            let _ = writeln!(text, "\nAt the end: {}", code(&values.join(", ")));
        }
    }
    text
}

/// The values of variables that have one.
fn known<'v>(all: impl Iterator<Item = (&'v String, &'v String)>) -> Vec<String> {
    let all = all.filter(|(_, value)| !value.is_empty());
    all.map(|(name, value)| format!("{name} = {value}")).collect()
}

/// A text with the number of each line in front of it.
fn numbered(text: &str) -> String {
    let lines = text.trim_end().lines();
    let width = lines.clone().count().to_string().len();
    let lines = lines.zip(1..).map(|(line, number)| format!("{number:>width$}  {line}"));
    let lines: Vec<_> = lines.map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Text that means nothing but itself, also inside of a table.
fn inline(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' => {
                shown.push('\\');
                shown.push(c);
            }
            '\n' | '\r' => shown.push(' '),
            _ => shown.push(c),
        }
    }
    shown
}

/// A piece of code, also inside of a table.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

/// A text of several lines, with a fence that is longer than any in it.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_begins_with_its_contexts() {
        let mut schedule =
            crate::page::of_trace(&crate::testing::Counter, &crate::testing::counter_run());
        assert!(!steps(&schedule).contains("| lines |"), "a short one can be seen at a glance");
        let row = ["1", "adder", "12 → 5", "3 steps", "x: 0 → 1 → 1"];
        schedule.contexts = vec![row.map(str::to_owned)];
        let text = steps(&schedule);
        assert!(text.contains("| 1 | adder | 12 → 5 | 3 steps | `x: 0 → 1 → 1` |"), "{text}");
        assert!(text.contains("`x: 0 → 1`, `n: 0 → 1`"), "{text}");
    }

    #[test]
    fn no_text_breaks_out() {
        assert_eq!(inline("a|b*_<c>\n#"), "a\\|b\\*\\_\\<c\\> \\#");
        assert_eq!(code("x || y"), "`x \\|\\| y`");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(numbered("a\n\nb\n"), "1  a\n2\n3  b");
        assert_eq!(fenced("```\nx"), "````\n```\nx\n````\n");
    }
}
