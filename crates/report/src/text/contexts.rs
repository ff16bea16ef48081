//! # The table of contexts
//! A run in few lines: who ran from where to where, and what the others see of it.

use selvedge_model::{Datum, ThreadId, Values};

use super::count;
use crate::holders::Holders;
use crate::style::{Paint, Role};
use crate::view::{Change, Row};

/// The contexts of a run, as they are met.
#[derive(Default)]
pub(crate) struct Contexts {
    list: Vec<Context>,
}

/// A shorter trace can be seen at a glance, and needs no table of its contexts.
const SHORT: usize = 12;

/// The most values in between to show for a variable that ends as it began.
const MOST_BETWEEN: usize = 3;

struct Context {
    number: usize,
    thread: ThreadId,
    name: String,
    steps: usize,
    /// The lines of the first and the last step.
    lines: Option<(u32, u32)>,
    /// The shared variables that changed, or elements of them, with the values that each had, one after the other.
    values: Vec<(String, Vec<Datum>)>,
    /// Variables that appeared, with their first values.
    new: Vec<Change>,
    /// Threads that started or ended.
    others: Vec<Change>,
}

impl Contexts {
    /// The number of contexts.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The next step, and the shared values after it; changes of anything else are not told.
    pub fn see(&mut self, row: &Row, after: &Values) {
        if self.list.last().is_none_or(|last| last.number != row.context) {
            self.list.push(Context {
                number: row.context,
                thread: row.thread,
                name: row.name.clone(),
                steps: 0,
                lines: None,
                values: Vec::new(),
                new: Vec::new(),
                others: Vec::new(),
            });
        }
        let Some(context) = self.list.last_mut() else { return };
        context.steps += 1;
        let lines = || row.steps.iter().filter_map(|step| step.line);
        if let (Some(first), Some(last)) = (lines().next(), lines().next_back()) {
            context.lines = Some((context.lines.map_or(first, |(from, _)| from), last));
        }
        // A result is on its way only for a moment, and what belongs to an object goes with it.
        let is_there = |name: &str| {
            let mut rest = name;
            while let Some((variable, _)) = rest.rsplit_once('[').filter(|_| rest.ends_with(']')) {
                if after.get(rest).is_some() {
                    return true;
                }
                rest = variable;
            }
            after.get(rest).is_some()
        };
        context.values.retain(|(name, _)| is_there(name));
        context.new.retain(|new| matches!(new, Change::Value { name, .. } if is_there(name)));
        for change in &row.changes[..row.shared.min(row.changes.len())] {
            if matches!(change, Change::Value { name, .. } if is_there(name)) {
                context.follow(change);
            }
        }
        // What goes wrong stands at the step.
        let is_other =
            |change: &&Change| !matches!(change, Change::Value { .. } | Change::Wrong(_));
        context.others.extend(row.changes.iter().filter(is_other).cloned());
    }

    /// The number, the thread, the lines, the steps and the changes of each context.
    pub fn rows(&self, holders: &Holders) -> Vec<[String; 5]> {
        let row = |context: &Context| {
            let [name, lines, steps, changes] = context.cells(holders);
            [context.number.to_string(), name, lines, steps, changes]
        };
        self.list.iter().map(row).collect()
    }

    /// Whether so many steps cannot be seen at a glance, so that a table of their contexts helps.
    pub fn help(&self, steps: usize) -> bool {
        self.len() > 1 && steps > SHORT
    }

    /// The table, with one line for each context.
    pub fn table(&self, holders: &Holders, paint: Paint) -> String {
        let cells: Vec<[String; 4]> = self.list.iter().map(|c| c.cells(holders)).collect();
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
    /// Notes the next value of a shared variable.
    fn follow(&mut self, change: &Change) {
        let Change::Value { name, before, after } = change else { return };
        match (self.values.iter_mut().find(|(known, _)| known == name), before) {
            (Some((_, values)), _) => values.push(after.clone()),
            (None, Some(before)) => {
                self.values.push((name.clone(), vec![before.clone(), after.clone()]));
            }
            (None, None) => self.new.push(change.clone()),
        }
    }

    fn cells(&self, holders: &Holders) -> [String; 4] {
        let lines = match self.lines {
            Some((from, to)) if from != to => format!("{from} → {to}"),
            Some((from, _)) => from.to_string(),
            None => String::new(),
        };
        let values = self.values.iter().filter_map(|(name, values)| path(name, values, holders));
        let others = self.new.iter().chain(&self.others).map(ToString::to_string);
        let changes: Vec<String> = values.chain(others).collect();
        [self.name.clone(), lines, count(self.steps, "step"), changes.join(", ")]
    }
}

/// What became of a variable: `x: 0 → 1`; also if it is what it was before, `top: 1 → 2 → 1`, unless it is a lock.
fn path(name: &str, values: &[Datum], holders: &Holders) -> Option<String> {
    let (first, last) = (values.first()?, values.last()?);
    if first != last {
        return Some(format!("{name}: {first} → {last}"));
    }
    if holders.is_lock(name) {
        return None;
    }
    let mut steps: Vec<String> = values.iter().map(ToString::to_string).collect();
    steps.dedup();
    // The value that was there was written once more.
    if steps.len() == 1 {
        steps.push(last.to_string());
    }
    if steps.len() > MOST_BETWEEN + 2 {
        steps.splice(1..steps.len() - 1, ["…".to_owned()]);
    }
    Some(format!("{name}: {}", steps.join(" → ")))
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
        let mut contexts = Contexts::default();
        let mut rows = Rows::new(&Counter, &run);
        while let Some(row) = rows.next() {
            contexts.see(&row, rows.values());
        }
        assert_eq!(contexts.len(), 3);
        assert!(contexts.help(13) && !contexts.help(12));
        let first = &contexts.rows(rows.holders())[0];
        assert_eq!(*first, ["1", "adder", "12 → 5", "3 steps", "x: 0 → 1, starts adder#3"]);
        expect![[r#"
            #  thread   lines   steps    changes
            1  adder    12 → 5  3 steps  x: 0 → 1, starts adder#3
            2  checker  12      1 step
            3  adder    13      1 step   x: 1 → 9, ends
        "#]]
        .assert_eq(&contexts.table(rows.holders(), Paint { colours: false }));
    }

    #[test]
    fn what_comes_back_is_told() {
        let holders = Holders::new(&Counter);
        let told = |values: &[i64]| {
            let values: Vec<Datum> = values.iter().map(|&n| n.into()).collect();
            path("top", &values, &holders).unwrap_or_default()
        };
        assert_eq!(told(&[1, 2]), "top: 1 → 2");
        assert_eq!(told(&[1, 2, 0, 3]), "top: 1 → 3");
        assert_eq!(told(&[1, 1, 1]), "top: 1 → 1");
        assert_eq!(told(&[1, 1, 2, 2, 1]), "top: 1 → 2 → 1");
        assert_eq!(told(&[1, 2, 0, 1]), "top: 1 → 2 → 0 → 1");
        assert_eq!(told(&[1, 2, 0, 2, 0, 1]), "top: 1 → … → 1");
    }
}
