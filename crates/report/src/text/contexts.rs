//! # The table of contexts
//! A run in few lines: who ran from where to where, and what the others see of it.

use selvedge_model::{SharedId, State, System, ThreadId};

use super::count;
use crate::style::{Paint, Role};
use crate::view::{Change, Row, differences};

/// The contexts of a run, as they are met.
pub(super) struct Contexts {
    list: Vec<Context>,
    /// The shared state after the last step that was seen.
    shared: SharedId,
}

struct Context {
    number: usize,
    thread: ThreadId,
    name: String,
    steps: usize,
    /// The lines of the first and the last step.
    lines: Option<(u32, u32)>,
    /// The shared states before and after.
    shared: (SharedId, SharedId),
    /// Threads that started or ended.
    others: Vec<Change>,
}

impl Contexts {
    /// Those of a run that begins with this state.
    pub fn new(initial: &State) -> Self {
        Contexts { list: Vec::new(), shared: initial.shared }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The next step, and the state after it.
    pub fn see(&mut self, row: &Row, after: &State) {
        if self.list.last().is_none_or(|last| last.number != row.context) {
            self.list.push(Context {
                number: row.context,
                thread: row.thread,
                name: row.name.clone(),
                steps: 0,
                lines: None,
                shared: (self.shared, self.shared),
                others: Vec::new(),
            });
        }
        self.shared = after.shared;
        let Some(context) = self.list.last_mut() else { return };
        context.steps += 1;
        context.shared.1 = after.shared;
        let lines = || row.steps.iter().filter_map(|step| step.line);
        if let (Some(first), Some(last)) = (lines().next(), lines().next_back()) {
            context.lines = Some((context.lines.map_or(first, |(from, _)| from), last));
        }
        let is_other = |change: &&Change| !matches!(change, Change::Value { .. });
        context.others.extend(row.changes.iter().filter(is_other).cloned());
    }

    /// One line a context.
    pub fn table(&self, system: &dyn System, paint: Paint) -> String {
        let cells: Vec<[String; 4]> = self.list.iter().map(|c| c.cells(system)).collect();
        let widest = |column: usize, heading: &str| {
            let cells = cells.iter().map(|cells| cells[column].chars().count());
            cells.max().unwrap_or(0).max(heading.len())
        };
        let numbers = self.list.last().map_or(1, |c| c.number.to_string().len());
        let (names, lines, steps) = (widest(0, "thread"), widest(1, "lines"), widest(2, "steps"));
        let heading = format!(
            "{:>numbers$}  {:names$}  {:lines$}  {:steps$}  changes",
            "#", "thread", "lines", "steps"
        );
        let mut text = format!("{}\n", paint.paint(Role::Heading, &heading));
        for (context, [name, places, ran, changes]) in self.list.iter().zip(&cells) {
            let name = paint.paint(Role::Thread(context.thread.index()), &format!("{name:names$}"));
            let places = paint.paint(Role::Faint, &format!("{places:lines$}"));
            let changes = paint.paint(Role::Change, changes);
            let line =
                format!("{:>numbers$}  {name}  {places}  {ran:steps$}  {changes}", context.number);
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

impl Context {
    fn cells(&self, system: &dyn System) -> [String; 4] {
        let lines = match self.lines {
            Some((from, to)) if from != to => format!("{from} → {to}"),
            Some((from, _)) => from.to_string(),
            None => String::new(),
        };
        let (before, after) = self.shared;
        let mut changes = Vec::new();
        if before != after {
            changes = differences(
                &system.describe().shared_values(before),
                &system.describe().shared_values(after),
            );
        }
        let changes = changes.iter().chain(&self.others).map(ToString::to_string);
        let changes: Vec<String> = changes.collect();
        [self.name.clone(), lines, count(self.steps, "step"), changes.join(", ")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Counter, counter_run};
    use crate::view::Rows;
    use expect_test::expect;

    #[test]
    fn a_context_is_a_line() {
        let run = counter_run();
        let mut contexts = Contexts::new(&run.initial);
        let mut rows = Rows::new(&Counter, &run);
        while let Some(row) = rows.next() {
            contexts.see(&row, rows.state());
        }
        assert_eq!(contexts.len(), 3);
        expect![[r#"
            #  thread   lines   steps    changes
            1  adder    12 → 5  3 steps  x: 0 → 1, starts adder#3
            2  checker  12      1 step
            3  adder    13      1 step   x: 1 → 9, ends
        "#]]
        .assert_eq(&contexts.table(&Counter, Paint { colours: false }));
    }
}
