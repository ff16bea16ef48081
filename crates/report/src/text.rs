//! # Traces and states for people
//! A trace is a table: context, thread, line, statement, what changed. Statements are indented
//! by the depth of the stack, so that calls and returns can be seen.

use std::collections::BTreeMap;

use selvedge_evidence::{Lasso, Trace, thread_name};
use selvedge_model::{State, Step, System, ThreadId};

use crate::style::{Paint, Role};
use crate::view::{Row, each_row, show_stack};

/// How a trace is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceOptions {
    /// All values and stacks after each step, not only what changed.
    pub full: bool,
    /// With colours or not.
    pub paint: Paint,
}

/// A trace that replays as a table, with the first and the last state. Why it is worth showing is
/// for the caller to say.
#[must_use]
pub fn trace(system: &dyn System, trace: &Trace, options: TraceOptions) -> String {
    let paint = options.paint;
    let mut text = format!("{}\n", paint.paint(Role::Heading, "first state"));
    text += &state(system, &trace.initial, paint);
    let mut rows = Vec::with_capacity(trace.steps.len());
    let last = each_row(system, trace, |row, after| {
        let then = if options.full { state(system, after, paint) } else { String::new() };
        rows.push((row, then));
    });
    if !rows.is_empty() {
        text += &format!("\n{}", table(&rows, paint));
        text += &format!("\n{}\n", paint.paint(Role::Heading, "last state"));
        text += &state(system, &last, paint);
    }
    text
}

/// A lasso that replays: the stem, context by context (or step by step, if it is to be shown in
/// full), and the period as a table.
#[must_use]
pub fn lasso(system: &dyn System, lasso: &Lasso, options: TraceOptions) -> String {
    let paint = options.paint;
    let heading = |text: &str| format!("{}\n", paint.paint(Role::Heading, text));
    let mut text = heading("first state");
    text += &state(system, &lasso.stem.initial, paint);
    let stem = lasso.stem.steps.len();
    let mut at_period = lasso.stem.initial.clone();
    let mut rows = Vec::with_capacity(stem + lasso.period.len());
    let mut folded: Vec<Folded> = Vec::new();
    each_row(system, &lasso.unrolled(1), |row, after| {
        let then = if options.full { state(system, after, paint) } else { String::new() };
        if rows.len() < stem {
            at_period.clone_from(after);
            let place = place(system, after, row.thread);
            match folded.last_mut().filter(|last| last.context == row.context) {
                Some(last) => (last.steps, last.place) = (last.steps + 1, place),
                None => folded.push(Folded {
                    context: row.context,
                    thread: row.thread,
                    name: row.name.clone(),
                    steps: 1,
                    place,
                }),
            }
        }
        rows.push((row, then));
    });
    let mut period = rows.split_off(stem);
    if stem > 0 {
        text += &format!("\n{}", heading("stem"));
        match options.full {
            true => text += &table(&rows, paint),
            false => text += &fold(&folded, paint),
        }
    }
    // The contexts of the period are counted by themselves.
    let before = period.first().map_or(0, |(row, _)| row.context.saturating_sub(1));
    period.iter_mut().for_each(|(row, _)| row.context -= before);
    text += &format!("\n{}", heading("period, repeated for ever"));
    text += &state(system, &at_period, paint);
    text + &format!("\n{}", table(&period, paint))
}

/// A context of a stem, in a line.
struct Folded {
    context: usize,
    thread: ThreadId,
    name: String,
    steps: usize,
    /// Where the thread stands afterwards.
    place: String,
}

fn fold(contexts: &[Folded], paint: Paint) -> String {
    let width = contexts.iter().map(|c| c.name.chars().count()).max().unwrap_or(0);
    let numbers = contexts.last().map_or(0, |c| c.context.to_string().len());
    let line = |c: &Folded| {
        let name = paint.paint(Role::Thread(c.thread.index()), &format!("{:width$}", c.name));
        format!("{:>numbers$}  {name}  {}, then {}\n", c.context, count(c.steps, "step"), c.place)
    };
    contexts.iter().map(line).collect()
}

/// A whole state: the shared values, then each thread with its stack, top first.
#[must_use]
pub fn state(system: &dyn System, state: &State, paint: Paint) -> String {
    let values = system.shared_values(state.shared);
    let values: Vec<_> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mut text = String::new();
    if !values.is_empty() {
        text += &format!("  {}\n", values.join(", "));
    }
    let names: Vec<_> = state.thread_ids().map(|id| thread_name(system, state, id)).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
    for (id, name) in state.thread_ids().zip(names) {
        let padded = format!("{name:width$}");
        let place = place(system, state, id);
        text += &format!("  {}  {place}\n", paint.paint(Role::Thread(id.index()), &padded));
    }
    text
}

/// Where a thread stands: its stack, with the line if it is known.
#[must_use]
pub fn place(system: &dyn System, state: &State, thread: ThreadId) -> String {
    let Some(top) = state.threads[thread.index()].stack.top() else {
        return "has ended (its stack is empty)".to_owned();
    };
    let stack = show_stack(system, state, thread);
    match system.symbol_line(top) {
        Some(line) => format!("{stack} (line {line})"),
        None => stack,
    }
}

/// Which threads of a deadlock wait, where, and for what.
pub fn waiting(system: &dyn System, state: &State) -> impl Iterator<Item = String> {
    let waits = |id: &ThreadId| !state.threads[id.index()].has_ended();
    state.thread_ids().filter(waits).map(move |id| {
        let top = state.threads[id.index()].stack.top();
        let statement = top.and_then(|top| system.statement(top));
        let what = statement.map_or(String::new(), |text| format!(": {text}"));
        format!("{} at {}{what}", thread_name(system, state, id), place(system, state, id))
    })
}

/// A number of things: `1 step`, `2 steps`.
#[must_use]
pub fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// One line of the table, before it is laid out.
struct Line<'a> {
    /// Context and thread, at the first step of a context.
    starts: Option<(usize, ThreadId, String)>,
    number: String,
    statement: String,
    changes: String,
    /// What is shown after this line.
    then: &'a str,
}

/// Statements longer than this do not widen the table.
const WIDEST_STATEMENT: usize = 48;

/// Deeper stacks are not indented further; the depth is written out.
const DEEPEST_INDENT: usize = 10;

/// Each row, and what is shown after it.
fn table(rows: &[(Row, String)], paint: Paint) -> String {
    let lines = lines(rows);
    let width = |of: fn(&Line<'_>) -> usize, heading: &str| {
        lines.iter().map(of).max().unwrap_or(0).max(heading.len())
    };
    let length = |text: &str| text.chars().count();
    let contexts = rows.last().map_or(0, |(row, _)| row.context).to_string().len().max(1);
    let names = width(|l| l.starts.as_ref().map_or(0, |s| s.2.chars().count()), "thread");
    let numbers = width(|l| l.number.chars().count(), "line");
    let statements = width(
        |l| Some(l.statement.chars().count()).filter(|&n| n <= WIDEST_STATEMENT).unwrap_or(0),
        "step",
    );
    let heading = format!(
        "{:>contexts$}  {:names$}  {:>numbers$}  {:statements$}  changes",
        "#", "thread", "line", "step"
    );
    let mut text = format!("{}\n", paint.paint(Role::Heading, &heading));
    for line in &lines {
        let mut shown = match &line.starts {
            Some((context, thread, name)) => format!(
                "{context:>contexts$}  {}{}",
                paint.paint(Role::Thread(thread.index()), name),
                " ".repeat(names - length(name))
            ),
            None => " ".repeat(contexts + 2 + names),
        };
        let number = format!("{:>numbers$}", line.number);
        shown += &format!("  {}  {}", paint.paint(Role::Faint, &number), line.statement);
        if !line.changes.is_empty() {
            let gap = statements.saturating_sub(length(&line.statement)) + 2;
            shown += &" ".repeat(gap);
            shown += &paint.paint(Role::Change, &line.changes);
        }
        text += shown.trim_end();
        text.push('\n');
        text += &line.then.lines().map(|l| format!("      {l}\n")).collect::<String>();
    }
    text
}

fn lines(rows: &[(Row, String)]) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut context = 0;
    let mut floors: BTreeMap<ThreadId, usize> = BTreeMap::new();
    for (row, _) in rows {
        let floor = floors.entry(row.thread).or_insert(row.depth);
        *floor = row.depth.min(*floor);
    }
    for (row, then) in rows {
        let level = row.depth - floors[&row.thread];
        let starts = (row.context != context).then(|| (row.context, row.thread, row.name.clone()));
        context = row.context;
        for (inner, step) in row.steps.iter().enumerate() {
            let last = inner + 1 == row.steps.len();
            lines.push(Line {
                starts: starts.clone().filter(|_| inner == 0),
                number: step.line.map_or(String::new(), |n| n.to_string()),
                statement: statement(step, level, inner > 0),
                changes: if last { changes(row) } else { String::new() },
                then: if last { then } else { "" },
            });
        }
    }
    lines
}

/// The text of a statement, indented: by depth, and once more inside of an atomic block.
fn statement(step: &Step, level: usize, inner: bool) -> String {
    let indent = "  ".repeat(level.min(DEEPEST_INDENT) + usize::from(inner));
    let deep = if level > DEEPEST_INDENT { format!("[+{level}] ") } else { String::new() };
    let text: Vec<_> = step.text.split_whitespace().collect();
    format!("{indent}{deep}{}", text.join(" "))
}

fn changes(row: &Row) -> String {
    let changes: Vec<_> = row.changes.iter().map(ToString::to_string).collect();
    changes.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Counter, counter_run};
    use expect_test::{Expect, expect};

    fn check(full: bool, colours: bool, expected: Expect) {
        let run = counter_run();
        let options = TraceOptions { full, paint: Paint { colours } };
        expected.assert_eq(&trace(&Counter, &run, options));
    }

    #[test]
    fn a_trace_shows_what_changed() {
        check(
            false,
            false,
            expect![[r#"
            first state
              x = 0, done = false
              adder    main:12 (line 12)
              checker  main:12 (line 12)

            #  thread   line  step              changes
            1  adder      12  work(0);          n = 0
                           3    x := x + 1;
                           4      n := 1;       x: 0 → 1, n: 0 → 1
                           5    async adder();  starts adder#3
            2  checker    12  work(0);          n = 0
            3  adder      13  assert x == 0;    x: 1 → 9, ends

            last state
              x = 9, done = false
              adder    has ended (its stack is empty)
              checker  work:3 n=0 | main:13 (line 3)
              adder#3  main:12 (line 12)
        "#]],
        );
    }

    #[test]
    fn a_full_trace_shows_every_state() {
        check(
            true,
            false,
            expect![[r#"
            first state
              x = 0, done = false
              adder    main:12 (line 12)
              checker  main:12 (line 12)

            #  thread   line  step              changes
            1  adder      12  work(0);          n = 0
                    x = 0, done = false
                    adder    work:3 n=0 | main:13 (line 3)
                    checker  main:12 (line 12)
                           3    x := x + 1;
                           4      n := 1;       x: 0 → 1, n: 0 → 1
                    x = 1, done = false
                    adder    work:5 n=1 | main:13 (line 5)
                    checker  main:12 (line 12)
                           5    async adder();  starts adder#3
                    x = 1, done = false
                    adder    main:13 (line 13)
                    checker  main:12 (line 12)
                    adder#3  main:12 (line 12)
            2  checker    12  work(0);          n = 0
                    x = 1, done = false
                    adder    main:13 (line 13)
                    checker  work:3 n=0 | main:13 (line 3)
                    adder#3  main:12 (line 12)
            3  adder      13  assert x == 0;    x: 1 → 9, ends
                    x = 9, done = false
                    adder    has ended (its stack is empty)
                    checker  work:3 n=0 | main:13 (line 3)
                    adder#3  main:12 (line 12)

            last state
              x = 9, done = false
              adder    has ended (its stack is empty)
              checker  work:3 n=0 | main:13 (line 3)
              adder#3  main:12 (line 12)
        "#]],
        );
    }

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let run = counter_run();
        let shown = |colours| {
            let options = TraceOptions { full: true, paint: Paint { colours } };
            trace(&Counter, &run, options)
        };
        let mut plain = String::new();
        for piece in shown(true).split('\u{1b}') {
            plain +=
                piece.split_once('m').filter(|_| piece.starts_with('[')).map_or(piece, |p| p.1);
        }
        assert_eq!(plain, shown(false));
    }
}
