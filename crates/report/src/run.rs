//! # Runs, step by step
//! One [`Step`] after the other, with what every variable and every stack holds after it. The library hands them out, and they
//! are what `--format json` prints.

use selvedge_evidence::{self as evidence, Checked, Part, Trace, thread_name};
use selvedge_model::{
    Datum, Fairness, State, Step as Statement, SymbolId, System, ThreadId, Values, advance,
};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::view::{self, Change, Row, Rows, SHOWN_FRAMES, place_name};

/// One step of a run, and what is there after it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The thread that acts.
    pub thread: String,
    /// The context, counted from 1.
    pub context: usize,
    /// The statements that are executed, each with its line: several for an atomic block, never none.
    pub statements: Vec<Statement>,
    /// The differences after the step.
    pub changes: Vec<Change>,
    /// Whether it has nothing to do with other threads.
    pub is_local: bool,
    /// The shared variables after the step.
    pub shared: Values,
    /// The stack of each thread.
    pub stacks: Vec<CallStack>,
}

impl Step {
    /// The statements, separated by `; `.
    #[must_use]
    pub fn text(&self) -> String {
        view::words(&self.statements)
    }

    /// The statements, and what is different afterwards in parentheses.
    #[must_use]
    pub fn text_with_changes(&self) -> String {
        view::with_changes(&self.statements, &self.changes)
    }

    /// The line of the (first) statement.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.statements.iter().find_map(|statement| statement.line)
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Step", 6)?;
        object.serialize_field("thread", &self.thread)?;
        object.serialize_field("context", &self.context)?;
        object.serialize_field("step", &self.text())?;
        object.serialize_field("line", &self.line())?;
        object.serialize_field("shared", &Named(&self.shared))?;
        object.serialize_field("stacks", &self.stacks)?;
        object.end()
    }
}

/// The stack of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct CallStack {
    /// How many frames it has; 0 if the thread has ended.
    pub depth: usize,
    /// The frames, top first: all of them, or the first 40.
    pub frames: Vec<Frame>,
}

/// A frame of a stack: a call that has not returned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Frame {
    /// Where it stands: a procedure with a line, or a symbol of a table.
    pub place: String,
    /// The line.
    pub line: Option<u32>,
    /// The local variables that are still needed.
    #[serde(serialize_with = "named")]
    pub values: Values,
}

/// The steps of a run, each made when it is asked for.
pub struct Steps<'a> {
    system: &'a dyn System,
    rows: Rows<'a>,
}

impl<'a> Steps<'a> {
    /// The steps of a trace that [`selvedge_evidence::replay`] accepts.
    #[must_use]
    pub fn new(system: &'a dyn System, trace: &'a Trace) -> Self {
        Steps { system, rows: Rows::new(system, trace) }
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let row = self.rows.next()?;
        let after = After::of(self.system, &self.rows);
        Some(Step::new(row, after))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Steps<'_> {}

/// The values and stacks after a step.
struct After {
    shared: Values,
    stacks: Vec<CallStack>,
}

impl After {
    fn of(system: &dyn System, rows: &Rows<'_>) -> Self {
        let state = rows.state();
        let shared = match system.describe().tells_statements() {
            true => rows.values().clone(),
            // For programs, a lock is held or free; the text says by whom.
            false => system.describe().shared_values(state.shared),
        };
        let stacks = state.thread_ids().map(|id| CallStack::new(system, state, id)).collect();
        After { shared, stacks }
    }
}

impl Step {
    fn new(row: Row, After { shared, stacks }: After) -> Self {
        let Row { name: thread, context, steps: statements, changes, is_local, .. } = row;
        Step { thread, context, statements, changes, is_local, shared, stacks }
    }
}

/// The steps of a run as they are told: where a statement of the text is several steps, those that follow each other without a switch are one.
/// The first `stem` steps are told apart from the others.
fn told(system: &dyn System, trace: &Trace, stem: usize) -> (Vec<Step>, Vec<Step>) {
    let mut rows = Rows::new(system, trace);
    let mut all: Vec<(Row, After)> = Vec::with_capacity(trace.steps.len());
    while let Some(row) = rows.next() {
        all.push((row, After::of(system, &rows)));
    }
    let rest = all.split_off(stem.min(all.len()));
    let told = |rows: Vec<(Row, After)>| {
        let rows = match system.describe().tells_statements() {
            true => view::together(rows),
            false => rows,
        };
        rows.into_iter().map(|(row, after)| Step::new(row, after)).collect()
    };
    (told(all), told(rest))
}

/// The steps of a run as they are told: one for each statement of the text that is executed without a switch.
#[must_use]
pub fn statements(system: &dyn System, trace: &Trace) -> Vec<Step> {
    told(system, trace, 0).1
}

impl CallStack {
    fn new(system: &dyn System, state: &State, thread: ThreadId) -> Self {
        let stack = &state.threads[thread.index()].stack;
        let frame = |symbol: SymbolId| Frame {
            place: place_name(system, symbol),
            line: system.describe().symbol_line(symbol),
            values: system.describe().symbol_values(symbol),
        };
        let frames = stack.iter().take(SHOWN_FRAMES).map(frame).collect();
        CallStack { depth: stack.0.len(), frames }
    }
}

/// A run that never ends: a stem, and a period that is repeated for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Lasso {
    /// The fairness that was asked for.
    #[serde(serialize_with = "fairness")]
    pub fairness: Fairness,
    /// Whether threads were allowed to have ended.
    pub ended: bool,
    /// The steps before the period.
    pub stem: Vec<Step>,
    /// The steps that are repeated. Contexts are counted on from the stem.
    pub period: Vec<Step>,
    /// What each thread does in the periods.
    pub threads: Vec<LassoThread>,
}

/// A thread in the periods of a run that never ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LassoThread {
    /// The name of the thread.
    pub thread: String,
    /// How the thread takes part.
    #[serde(serialize_with = "part")]
    pub part: Part,
    /// By how many frames its stack grows in each period.
    pub grows: usize,
}

impl Lasso {
    /// Makes a lasso of one that replays, with the result of its check.
    #[must_use]
    pub fn new(system: &dyn System, lasso: &evidence::Lasso, checked: &Checked) -> Self {
        let (stem, period) = told(system, &lasso.unrolled(1), lasso.stem.steps.len());
        let threads = match checked {
            Checked::Lasso { threads, .. } => threads.as_slice(),
            _ => &[],
        };
        let mut state = lasso.stem.initial.clone();
        for (thread, action) in &lasso.stem.steps {
            advance(&mut state, *thread, *action);
        }
        let thread = |(id, found): (_, &evidence::LassoThread)| LassoThread {
            thread: thread_name(system, &state, id),
            part: found.part,
            grows: found.growth,
        };
        Lasso {
            fairness: lasso.endless.fairness,
            ended: lasso.endless.ended || lasso.endless.fairness == Fairness::None,
            stem,
            period,
            threads: state.thread_ids().zip(threads).map(thread).collect(),
        }
    }
}

fn fairness<S: Serializer>(fairness: &Fairness, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(fairness.name())
}

fn part<S: Serializer>(part: &Part, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match part {
        Part::Acts => "acts",
        Part::Waits => "waits",
        Part::Hindered => "hindered",
        Part::Starved => "starved",
        Part::Ended => "ended",
    })
}

fn named<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
    Named(values).serialize(serializer)
}

/// Values as an object with their names.
struct Named<'a>(&'a Values);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, Told(value))))
    }
}

/// A value for other programs: lists and sets are lists, any value is `null`, and an integer of more than 128 bits is a
/// text of its digits.
struct Told<'a>(&'a Datum);

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Datum::Integer(number) => match i128::try_from(number) {
                Ok(number) => serializer.serialize_i128(number),
                Err(_) => serializer.collect_str(number),
            },
            Datum::Bool(value) => serializer.serialize_bool(*value),
            Datum::List(elements) | Datum::Set(elements) => {
                serializer.collect_seq(elements.iter().map(Told))
            }
            Datum::Any => serializer.serialize_none(),
            name => serializer.collect_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn values_are_values() {
        let huge = Datum::Integer(num_bigint::BigInt::from(7).pow(60));
        let all = [
            ("n", Datum::from(-3)),
            ("big", Datum::Integer(u64::MAX.into())),
            ("huge", huge),
            ("done", true.into()),
            ("lock", "held".into()),
            ("row", Datum::List(vec![1.into(), Datum::Any])),
            ("ended", Datum::Set(vec![])),
        ];
        let all: Values = all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let text: String = json::print(&Named(&all)).split_whitespace().collect();
        let huge = r#""huge":"508021860739623365322188197652216501772434524836001","#;
        let end = r#""done":true,"lock":"held","row":[1,null],"ended":[]}"#;
        assert_eq!(text, format!(r#"{{"n":-3,"big":18446744073709551615,{huge}{end}"#));
    }
}
