//! # Traces and states for people
//! A trace is a table of its steps; a long one has a table of its contexts before it.

pub(crate) mod contexts;
mod steps;

use std::collections::BTreeSet;

use selvedge_evidence::{Lasso, Trace, thread_name};
use selvedge_model::{State, System, ThreadId, Values};

use self::contexts::Contexts;
use crate::style::{Paint, Role};
use crate::view::{Rows, show_stack, together};

/// How a trace is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceOptions {
    /// Every step, with all values and stacks after it; otherwise what changed, and runs of local steps are
    /// only counted.
    pub full: bool,
    /// With colours or not.
    pub paint: Paint,
}

/// A trace that replays as a table, with the first and the last state. Why it is worth showing is
/// for the caller to say.
#[must_use]
pub fn trace(system: &dyn System, trace: &Trace, options: TraceOptions) -> String {
    trace_with(system, trace, &BTreeSet::new(), options)
}

/// A trace as a table in which some steps are shown, by their places, whatever is folded.
pub(crate) fn trace_with(
    system: &dyn System,
    trace: &Trace,
    shown: &BTreeSet<usize>,
    options: TraceOptions,
) -> String {
    laid_out(system, trace, shown, options, !options.full)
}

/// Lays out a trace with every step, for whoever wants to follow it step by step. Of C, with every statement; each single step only where all of it is shown.
#[must_use]
pub fn every_step(system: &dyn System, trace: &Trace, options: TraceOptions) -> String {
    laid_out(system, trace, &BTreeSet::new(), options, false)
}

fn laid_out(
    system: &dyn System,
    trace: &Trace,
    shown: &BTreeSet<usize>,
    options: TraceOptions,
    fold: bool,
) -> String {
    let paint = options.paint;
    let heading = |text: &str| format!("{}\n", paint.paint(Role::Heading, text));
    let mut text = heading("first state");
    text += &state(system, &trace.initial, paint);
    let mut rows = Vec::with_capacity(trace.steps.len());
    let mut contexts = Contexts::default();
    let mut run = Rows::new(system, trace);
    while let Some(mut row) = run.next() {
        row.is_local &= !shown.contains(&rows.len());
        let after = run.state();
        let values = of_variables(system, after, run.values());
        let then = match options.full {
            true => state_with(system, after, &values, paint),
            false => String::new(),
        };
        contexts.see(&row, &values);
        rows.push((row, then));
    }
    if !rows.is_empty() {
        if contexts.help(rows.len()) {
            text += &format!("\n{}{}", heading("contexts"), contexts.table(run.holders(), paint));
        }
        let steps = rows.len();
        if !options.full && system.describe().tells_statements() {
            rows = together(rows);
        }
        text += &format!("\n{}", steps::table(&rows, fold, rows.len() < steps, paint));
        text += &format!("\n{}", heading("last state"));
        let values = of_variables(system, run.state(), run.values());
        text += &state_with(system, run.state(), &values, paint);
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
    let mut contexts = Contexts::default();
    let trace = lasso.unrolled(1);
    let mut run = Rows::new(system, &trace);
    while let Some(row) = run.next() {
        let after = run.state();
        let then = if options.full { state(system, after, paint) } else { String::new() };
        if rows.len() < stem {
            at_period.clone_from(after);
            contexts.see(&row, run.values());
        }
        rows.push((row, then));
    }
    let mut period = rows.split_off(stem);
    if stem > 0 {
        text += &format!("\n{}", heading("stem"));
        match options.full {
            true => text += &steps::table(&rows, false, false, paint),
            false => text += &contexts.table(run.holders(), paint),
        }
    }
    if !options.full && system.describe().tells_statements() {
        period = together(period);
    }
    // The contexts of the period are counted by themselves.
    let before = period.first().map_or(0, |(row, _)| row.context.saturating_sub(1));
    period.iter_mut().for_each(|(row, _)| row.context -= before);
    text += &format!("\n{}", heading("period, repeated for ever"));
    text += &state(system, &at_period, paint);
    text + &format!("\n{}", steps::table(&period, !options.full, false, paint))
}

/// A whole state: the shared values, then each thread with its stack, top first.
#[must_use]
pub fn state(system: &dyn System, state: &State, paint: Paint) -> String {
    state_with(system, state, &system.describe().shared_values(state.shared), paint)
}

/// The values without the reason why a run went wrong: the step that did tells it, and so does whoever shows the trace.
fn of_variables(system: &dyn System, state: &State, values: &Values) -> Values {
    let mut values = values.clone();
    if let Some(why) = system.wrong(state.shared) {
        values.retain(|_, value| value.as_name() != Some(&why));
    }
    values
}

fn state_with(system: &dyn System, state: &State, values: &Values, paint: Paint) -> String {
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
    match system.describe().symbol_line(top) {
        Some(line) => format!("{stack} (line {line})"),
        None => stack,
    }
}

/// Which threads of a deadlock wait, where, and for what.
pub fn waiting(system: &dyn System, state: &State) -> impl Iterator<Item = (ThreadId, String)> {
    let waits = |id: &ThreadId| !state.threads[id.index()].has_ended();
    state.thread_ids().filter(waits).map(move |id| {
        let top = state.threads[id.index()].stack.top();
        let statement = top.and_then(|top| system.describe().statement(top));
        let what = statement.map_or(String::new(), |text| format!(": {text}"));
        let name = thread_name(system, state, id);
        (id, format!("{name} at {}{what}", place(system, state, id)))
    })
}

/// A number of things: `1 step`, `2 steps`.
#[must_use]
pub fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
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
              checker  work:3(n=0) | main:13 (line 3)
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
                    adder    work:3(n=0) | main:13 (line 3)
                    checker  main:12 (line 12)
                           3    x := x + 1;
                           4      n := 1;       x: 0 → 1, n: 0 → 1
                    x = 1, done = false
                    adder    work:5(n=1) | main:13 (line 5)
                    checker  main:12 (line 12)
                           5    async adder();  starts adder#3
                    x = 1, done = false
                    adder    main:13 (line 13)
                    checker  main:12 (line 12)
                    adder#3  main:12 (line 12)
            2  checker    12  work(0);          n = 0
                    x = 1, done = false
                    adder    main:13 (line 13)
                    checker  work:3(n=0) | main:13 (line 3)
                    adder#3  main:12 (line 12)
            3  adder      13  assert x == 0;    x: 1 → 9, ends
                    x = 9, done = false
                    adder    has ended (its stack is empty)
                    checker  work:3(n=0) | main:13 (line 3)
                    adder#3  main:12 (line 12)

            last state
              x = 9, done = false
              adder    has ended (its stack is empty)
              checker  work:3(n=0) | main:13 (line 3)
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
