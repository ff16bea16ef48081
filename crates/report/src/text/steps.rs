//! # The table of steps
//! Context, thread, line, statement, what changed. Statements are indented by the depth of the stack, so that
//! calls and returns can be seen. Where it is folded, runs of steps that have nothing to do with other threads are counted;
//! what begins a context stays, and so does the last step.

use std::collections::BTreeMap;

use selvedge_model::{Step, ThreadId};

use super::count;
use crate::style::{Paint, Role};
use crate::view::{Change, Row};

/// Fewer local steps in a row than this are shown: a line that counts them would hide more than it saves.
const FEWEST_FOLDED: usize = 3;

/// One line of the table, before it is laid out.
struct Line<'a> {
    /// Context and thread, at the first step of a context.
    starts: Option<(usize, ThreadId, String)>,
    number: String,
    statement: String,
    changes: String,
    /// What is shown after this line.
    then: &'a str,
    /// Whether it stands for several steps.
    is_folded: bool,
}

/// Statements longer than this do not widen the table.
const WIDEST_STATEMENT: usize = 48;

/// Deeper stacks are not indented further; the depth is written out.
const DEEPEST_INDENT: usize = 10;

/// Each row, and what is shown after it; `shortened` says that some steps are not among them.
pub(super) fn table(rows: &[(Row, String)], fold: bool, shortened: bool, paint: Paint) -> String {
    let lines = lines(rows, fold);
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
    if shortened || lines.iter().any(|line| line.is_folded) {
        text += &format!("{}\n", paint.paint(Role::Faint, "(--full shows every step)"));
    }
    text
}

fn lines(rows: &[(Row, String)], fold: bool) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut context = 0;
    let mut floors: BTreeMap<ThreadId, usize> = BTreeMap::new();
    for (row, _) in rows {
        let floor = floors.entry(row.thread).or_insert(row.depth);
        *floor = row.depth.min(*floor);
    }
    let mut position = 0;
    while let Some((row, then)) = rows.get(position) {
        let level = row.depth - floors[&row.thread];
        let run = if fold && row.context == context { local_run(&rows[position..]) } else { 0 };
        if run >= FEWEST_FOLDED {
            lines.push(Line {
                starts: None,
                number: String::new(),
                statement: indented(&format!("… {}", count(run, "local step")), level, false),
                changes: String::new(),
                then: "",
                is_folded: true,
            });
            position += run;
            continue;
        }
        if fold && rows.get(position + 1).is_some_and(|(next, _)| is_head_of(row, next)) {
            position += 1;
            continue;
        }
        let starts = (row.context != context).then(|| (row.context, row.thread, row.name.clone()));
        context = row.context;
        for (inner, step) in row.steps.iter().enumerate() {
            let last = inner + 1 == row.steps.len();
            lines.push(Line {
                starts: starts.clone().filter(|_| inner == 0),
                number: step.line.map_or(String::new(), |n| n.to_string()),
                statement: statement(step, level, inner > 0),
                changes: changes(row, inner),
                then: if last { then } else { "" },
                is_folded: false,
            });
        }
        position += 1;
    }
    lines
}

/// Whether a row comes to a condition, and the next one tells how that came out: `while (cas(…))` is two steps, and one line.
fn is_head_of(row: &Row, next: &Row) -> bool {
    let ([head], [tried]) = (row.steps.as_slice(), next.steps.as_slice()) else { return false };
    let place = |row: &Row| (row.context, row.thread, row.depth);
    row.changes.is_empty()
        && place(row) == place(next)
        && head.line == tried.line
        && tried.text.strip_prefix(&*head.text).is_some_and(|more| more.starts_with("  ["))
}

/// How many steps from here on have nothing to do with other threads, in one context. The last step of all is none of them. They come back to the
/// depth at which they begin: what is shown after them is indented under a call that is shown, too.
fn local_run(rows: &[(Row, String)]) -> usize {
    let Some((first, _)) = rows.first() else { return 0 };
    let before_last = &rows[..rows.len().saturating_sub(1)];
    let is_quiet = |(row, _): &&(Row, String)| {
        row.is_local && row.context == first.context && row.depth >= first.depth
    };
    let run = before_last.iter().take_while(is_quiet).count();
    let depth_after = |length: &usize| match &rows[*length].0 {
        next if next.context == first.context => next.depth,
        _ => rows[*length - 1].0.depth,
    };
    (1..=run).rev().find(|length| depth_after(length) == first.depth).unwrap_or(0)
}

/// The text of a statement, indented: by depth, and once more inside of an atomic block.
fn statement(step: &Step, level: usize, inner: bool) -> String {
    let text: Vec<_> = step.text.split_whitespace().collect();
    indented(&text.join(" "), level, inner)
}

fn indented(text: &str, level: usize, inner: bool) -> String {
    let indent = "  ".repeat(level.min(DEEPEST_INDENT) + usize::from(inner));
    let deep = if level > DEEPEST_INDENT { format!("[+{level}] ") } else { String::new() };
    format!("{indent}{deep}{text}")
}

/// What a statement of a row changed: where that is not known, the last one tells all of it.
fn changes(row: &Row, statement: usize) -> String {
    let last = statement + 1 == row.steps.len();
    let own = row.within.get(statement).into_iter().flatten();
    let is_told = |change: &&Change| {
        let Change::Value { name, .. } = change else { return true };
        let is_it = |other: &Change| matches!(other, Change::Value { name: of, .. } if of == name);
        !row.within.iter().flatten().any(is_it)
    };
    let rest = row.changes.iter().filter(|_| last).filter(is_told);
    let mut changes: Vec<&Change> = own.chain(rest).collect();
    changes.sort_by_key(|change| matches!(change, Change::Wrong(_)));
    let text = &row.steps[statement].text;
    let told = |change: &Change| match change {
        Change::Wrong(why) if says_why(text, why) => "goes wrong".to_owned(),
        _ => change.to_string(),
    };
    changes.into_iter().map(told).collect::<Vec<_>>().join(", ")
}

/// Whether a statement is an assertion that says itself what its failure is about.
fn says_why(text: &str, why: &str) -> bool {
    let Some((_, message)) = why.split_once("assertion failed") else { return false };
    let message = message.trim_start_matches(": ");
    let is_condition = ["assert", "invariant"].iter().any(|word| text.starts_with(word));
    is_condition && text.contains(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// One thread does the steps that are written: `.` is local, `!` is not, `|` is a step of another thread; `(` is local and calls, `)` is local and returns.
    fn folded(steps: &str) -> String {
        let mut context = 1;
        let (mut thread, mut next_depth) = (0, 1);
        let row = |(number, sign): (usize, char)| {
            let next = u32::from(sign == '|');
            if next != thread {
                (context, thread) = (context + 1, next);
            }
            let line = Some(number as u32 + 1);
            let depth = next_depth;
            next_depth = match sign {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            };
            let row = Row {
                context,
                thread: ThreadId(thread),
                name: format!("t{thread}"),
                depth,
                steps: vec![Step { text: format!("s{number}"), line }],
                changes: Vec::new(),
                shared: 0,
                within: Vec::new(),
                is_local: matches!(sign, '.' | '(' | ')'),
            };
            (row, String::new())
        };
        let rows: Vec<_> = steps.chars().enumerate().map(row).collect();
        table(&rows, true, false, Paint { colours: false })
    }

    #[test]
    fn runs_of_local_steps_are_counted() {
        expect![[r#"
            #  thread  line  step             changes
            1  t0         1  s0
                             … 4 local steps
                          6  s5
                          7  s6
                          8  s7
                          9  s8
            2  t1        10  s9
            3  t0        11  s10
                             … 3 local steps
                         15  s14
            (--full shows every step)
        "#]]
        .assert_eq(&folded(".....!..!|....."));
    }

    /// A call is counted together with its return, or shown.
    #[test]
    fn no_step_is_indented_under_a_call_that_is_not_shown() {
        expect![[r#"
            #  thread  line  step             changes
            1  t0         1  s0
                             … 6 local steps
                          8  s7
                          9  s8
                         10    s9
                         11    s10
                         12    s11
            (--full shows every step)
        "#]]
        .assert_eq(&folded("..(..).!(.!."));
    }

    #[test]
    fn the_text_of_an_assertion_stands_once() {
        let text = "assert x == 1, \"lost an update\"";
        assert!(says_why(text, "line 3: assertion failed: lost an update"));
        assert!(says_why("assert x == 1", "line 3: assertion failed"));
        assert!(!says_why("x := 2", "line 3: 2 does not fit `x`, which is int[0..1]"));
        assert!(!says_why(text, "line 3: assertion failed: something else"));
        assert!(!says_why("take(x)", "line 3: assertion failed"));
    }

    #[test]
    fn what_begins_a_context_and_what_ends_the_run_stay() {
        for steps in ["...", "...|..", "!..|", "!...", "...|...", "|!|!|"] {
            assert!(!folded(steps).contains('…'), "{steps}: {}", folded(steps));
        }
        assert!(folded(".....").contains("… 3 local steps"));
    }
}
