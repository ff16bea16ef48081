//! # Violation witnesses
//!
//! **Question.** Which points of a run does somebody else need to find a violation again?
//!
//! **Idea.** The values that came from outside, and the order of the threads: for each context where it begins and where it ends. Between those
//! points a validator finds its way, and the fewer there are, the sooner. A statement that starts is an `assumption` that always holds, a test is a
//! `branching`, a value from outside a `function_return`, a thread that is started a `function_enter`; the `target` is where it goes wrong. A data
//! race has two targets.
//!
//! **Claim.** The run is one of those that the witness stands for. A waypoint is passed when its place is evaluated for the first time after the
//! one before it, and then it has to hold. So the waypoints are held against all events of the run, and one that would fail there is left out.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_evidence::Trace;
use selvedge_model::{SymbolId, ThreadId, advance};
use selvedge_program::flow::{Command, Edge};
use selvedge_program::{GlobalId, Lowering, Span, Statement, StatementKind, Value};

use super::yaml::quoted;
use super::{Task, entry};

/// The witness of a run that goes wrong, as the program that it is a run of tells it; nothing if its last step has no place in the
/// text. `races` says that it ends in a data race.
#[must_use]
pub fn violation(
    task: &Task<'_>,
    program: &Lowering,
    trace: &Trace,
    races: bool,
) -> Option<String> {
    let told = Told::new(task, program, trace);
    let mut targets = vec![told.last?];
    if races {
        // The thread that got there first, and waits.
        targets.insert(0, told.noted?);
    }
    let mut content = String::from("  content:\n");
    for event in chosen(&told, &targets) {
        content += "    - segment:\n";
        content += &waypoint(task, event);
    }
    content += "    - segment:\n";
    for place in targets {
        content += &waypoint(task, &Event { place, what: What::Target });
    }
    Some(entry(task, "violation_sequence", "2.2", &content))
}

/// Something that happens in a run, at a place of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Event {
    place: Whereabouts,
    what: What,
}

/// A thread at a place in the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Whereabouts {
    /// 0 for `main`, k for the k-th thread that was started; nothing if that is not known.
    thread: Option<usize>,
    /// The byte of the text.
    offset: u32,
}

/// The event at that place.
#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    /// A statement begins.
    Starts,
    /// The control of a statement goes one way.
    Goes(bool),
    /// A function gives back a value from outside, if it is known which.
    Gives(Option<String>),
    /// A thread is started by a call.
    StartsThread,
    /// The property is violated.
    Target,
}

impl What {
    /// Whether a waypoint of this kind is evaluated when the other happens.
    fn is_like(&self, other: &What) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The events of a run, with where it ends.
struct Told {
    /// The events, each with the context that it happens in.
    events: Vec<(usize, Event)>,
    /// Where a thread noted last that it waits at an access.
    noted: Option<Whereabouts>,
    /// Where the last step is.
    last: Option<Whereabouts>,
}

/// The position of a thread in the text: the statement of each of its frames.
type Frames = Vec<Option<Span>>;

impl Told {
    fn new(task: &Task<'_>, program: &Lowering, trace: &Trace) -> Self {
        let mut told = Told { events: Vec::new(), noted: None, last: None };
        let mut state = trace.initial.clone();
        // Who is there at the start without having been started is `main`, or one of those that a proof has any number of.
        let mut names: BTreeMap<ThreadId, usize> = BTreeMap::new();
        if let [_] = trace.initial.threads[..] {
            names.insert(ThreadId(0), 0);
        }
        let mut frames: BTreeMap<ThreadId, Frames> = BTreeMap::new();
        let (mut started, mut is_told) = (0, true);
        // What a thread is about to access that waits there for another.
        let mut globals = (0..).map(GlobalId).zip(&program.program().globals);
        let watch = globals.find(|(_, global)| global.name == "race.at").map(|(id, _)| id);
        let mut noted = watch.map(|note| program.global_value(state.shared, note));
        for ((thread, action), context) in trace.steps.iter().zip(trace.context_numbers()) {
            let before = state.threads.len();
            advance(&mut state, *thread, *action);
            let after = state.threads[thread.index()].stack.top();
            let who = names.get(thread).copied();
            let mine = frames.entry(*thread).or_insert_with(|| vec![None]);
            for edge in program.edges_of(action.origin) {
                let edge = program.flow().edge(edge);
                let place = |offset| Whereabouts { thread: who, offset };
                let statement = task.outline.statement_at(edge.span.start);
                if let Some(statement) = statement.filter(|_| edge.span != Span::default()) {
                    told.last = Some(place(statement.span.start));
                    let top = mine.last_mut();
                    // What a loop comes back to does not start again.
                    let starts =
                        matches!(statement.kind, StatementKind::Plain | StatementKind::Branch);
                    if top.as_ref().is_some_and(|top| **top != Some(statement.span)) && starts {
                        let event =
                            Event { place: place(statement.span.start), what: What::Starts };
                        told.events.push((context, event));
                    }
                    if let Some(top) = top {
                        *top = Some(statement.span);
                    }
                    if let Some(what) = happens(task, program, edge, statement, after) {
                        let at = match what {
                            What::Goes(_) => statement.span.start,
                            _ => edge.span.end.saturating_sub(1),
                        };
                        told.events.push((context, Event { place: place(at), what }));
                    }
                }
                match edge.command {
                    Command::Call { .. } => mine.push(None),
                    Command::Return(_) => drop(mine.pop()),
                    Command::Async { .. } => {
                        started += 1;
                        // Where many are started at once, they have no numbers.
                        is_told &= task.source.slice(edge.span).ends_with(')');
                    }
                    _ => {}
                }
            }
            if state.threads.len() > before && is_told {
                names.insert(ThreadId::from(state.threads.len() - 1), started);
            }
            let known = watch.map(|note| program.global_value(state.shared, note));
            if known != noted && known != Some(Value::Small(0)) {
                told.noted = told.last;
            }
            noted = known;
        }
        told
    }
}

/// What happens at an edge beside that its statement starts.
fn happens(
    task: &Task<'_>,
    program: &Lowering,
    edge: &Edge,
    statement: Statement,
    top: Option<SymbolId>,
) -> Option<What> {
    let text = task.source.slice(edge.span);
    let is_call = text.ends_with(')');
    match &edge.command {
        Command::Test { holds, .. } => {
            let is_control = match statement.kind {
                StatementKind::Branch => {
                    text.starts_with("if") && edge.span.start == statement.span.start
                }
                StatementKind::Loop => statement.condition == Some(edge.span),
                StatementKind::Plain | StatementKind::Other => false,
            };
            is_control.then_some(What::Goes(*holds))
        }
        Command::Async { .. } => is_call.then_some(What::StartsThread),
        Command::Assign { targets, .. } | Command::Havoc(targets)
            if is_call && text.starts_with("__VERIFIER_nondet_") =>
        {
            let [target] = &targets[..] else { return None };
            let selvedge_program::VarRef::Local(local) = target.var else { return None };
            let proc = program.flow().location(edge.from).proc;
            let value = top.and_then(|top| program.local_value(top, proc, local));
            let value = value.and_then(|value| match value {
                Value::Open => None,
                value => Some(value.to_string()),
            });
            Some(What::Gives(value))
        }
        _ => None,
    }
}

/// The events that become waypoints.
fn chosen<'a>(told: &'a Told, targets: &[Whereabouts]) -> Vec<&'a Event> {
    let events = &told.events;
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut contexts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, (context, event)) in events.iter().enumerate() {
        match event.what {
            What::Gives(Some(_)) => drop(chosen.insert(number)),
            What::Gives(None) | What::Target => {}
            // The threads that act have to be there.
            What::StartsThread | What::Starts | What::Goes(_) => {
                contexts.entry(*context).or_default().push(number);
                if event.what == What::StartsThread {
                    chosen.insert(number);
                }
            }
        }
    }
    let last_context = contexts.keys().next_back().copied();
    for (number, (context, events)) in contexts.iter().enumerate() {
        // Nobody acts before the first context, and the last one ends at the target.
        if number > 0 {
            chosen.extend(events.first());
        }
        if Some(*context) != last_context {
            chosen.extend(events.last());
        }
    }
    // One that would fail in this very run is left out, and those that remain are held against the run again.
    while let Some(number) = first_that_fails(events, &chosen) {
        chosen.remove(&number);
    }
    let mut chosen: Vec<&Event> = chosen.into_iter().map(|number| &events[number].1).collect();
    // That a statement starts is said by its target.
    while chosen
        .last()
        .is_some_and(|last| last.what == What::Starts && targets.contains(&last.place))
    {
        chosen.pop();
    }
    chosen
}

/// The first waypoint that the run comes to with another value.
fn first_that_fails(events: &[(usize, Event)], chosen: &BTreeSet<usize>) -> Option<usize> {
    let mut waypoints = chosen.iter().copied();
    let mut next = waypoints.next();
    for (_, event) in events {
        let Some(number) = next else { break };
        let waypoint = &events[number].1;
        if event.place != waypoint.place || !event.what.is_like(&waypoint.what) {
            continue;
        }
        if event.what != waypoint.what {
            return Some(number);
        }
        next = waypoints.next();
    }
    next
}

/// A waypoint as YAML.
fn waypoint(task: &Task<'_>, event: &Event) -> String {
    let kind = match event.what {
        What::Starts => "assumption",
        What::Goes(_) => "branching",
        What::Gives(_) => "function_return",
        What::StartsThread => "function_enter",
        What::Target => "target",
    };
    let constraint = match &event.what {
        What::Starts => Some(("1".to_owned(), Some("c_expression"))),
        What::Goes(way) => Some((way.to_string(), None)),
        What::Gives(value) => {
            value.as_ref().map(|value| (format!("\\result == {value}"), Some("ext_c_expression")))
        }
        What::StartsThread | What::Target => None,
    };
    let mut text = String::from("        - waypoint:\n");
    let mut line = |words: String| text += &format!("            {words}\n");
    line(format!("type: {}", quoted(kind)));
    line("action: \"follow\"".to_owned());
    if let Some(thread) = event.place.thread {
        line(format!("thread_id: {thread}"));
    }
    if let Some((value, format)) = constraint {
        line("constraint:".to_owned());
        line(format!("  value: {}", quoted(&value)));
        if let Some(format) = format {
            line(format!("  format: {}", quoted(format)));
        }
    }
    let offset = event.place.offset;
    line("location:".to_owned());
    line(format!("  file_name: {}", quoted(task.source.name())));
    line(format!("  line: {}", task.source.line(offset)));
    if let Some(column) = column(task, offset) {
        line(format!("  column: {column}"));
    }
    if let Some(function) = task.outline.function_at(offset) {
        line(format!("  function: {}", quoted(function)));
    }
    text
}

/// The column of a byte, if the line that somebody wrote is so far the one that was read: behind a macro columns are others. What
/// begins the line is found without that.
fn column(task: &Task<'_>, offset: u32) -> Option<u32> {
    let place = task.source.line_column(offset);
    let start = task.source.line_span(offset).start;
    let before = task.source.slice(Span { start, end: offset });
    let written = task.source.line_text(place.line);
    if before.trim().is_empty() {
        let indent = written.chars().take_while(|c| c.is_whitespace()).count();
        return Some(indent as u32 + 1);
    }
    written.starts_with(before).then_some(place.column)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events in words: a context, a thread, a place, and `s`tarts, `y`es, `n`o, `e`nter, a value, or `?` for one that is not known.
    fn told(words: &str) -> Told {
        let event = |word: &str| {
            let parts: Vec<&str> = word.split(':').collect();
            let place =
                Whereabouts { thread: parts[1].parse().ok(), offset: parts[2].parse().unwrap() };
            let what = match parts[3] {
                "s" => What::Starts,
                "y" => What::Goes(true),
                "n" => What::Goes(false),
                "e" => What::StartsThread,
                "?" => What::Gives(None),
                value => What::Gives(Some(value.to_owned())),
            };
            (parts[0].parse().unwrap(), Event { place, what })
        };
        let events = words.split_whitespace().map(event).collect();
        Told { events, noted: None, last: None }
    }

    #[track_caller]
    fn check(words: &str, targets: &[Whereabouts], expected: &[usize]) {
        let told = told(words);
        let all: Vec<&Event> = told.events.iter().map(|(_, event)| event).collect();
        let chosen = chosen(&told, targets);
        let number =
            |event: &&Event| all.iter().position(|one| std::ptr::eq(*one, *event)).unwrap();
        assert_eq!(chosen.iter().map(number).collect::<Vec<_>>(), expected, "{words}");
    }

    #[test]
    fn contexts_have_a_beginning_and_an_end() {
        check("1:0:1:s 1:0:2:s 1:0:3:s", &[], &[]);
        check(
            "1:0:1:s 1:0:2:e 1:0:3:s 2:1:7:s 2:1:8:s 2:1:9:s 3:0:4:s 3:0:5:s",
            &[],
            &[1, 2, 3, 5, 6],
        );
        // A context within a statement has no event.
        check("1:0:1:s 3:0:2:s", &[], &[0, 1]);
    }

    #[test]
    fn values_from_outside_are_told_where_all_are_known() {
        check("1:0:1:7 1:0:1:8 1:0:2:9", &[], &[0, 1, 2]);
        check("1:0:1:? 1:0:1:8 1:0:2:9", &[], &[2]);
    }

    #[test]
    fn what_would_fail_in_the_run_itself_is_left_out() {
        // The loop is left at its third test: a validator would look at the first one.
        check("1:0:1:s 2:1:5:s 3:0:9:y 3:0:9:y 3:0:9:n 4:1:6:s", &[], &[0, 1, 2, 5]);
        check("1:0:1:s 2:1:5:y 2:1:5:n 3:0:2:s", &[], &[0, 1, 2, 3]);
        check("1:1:5:y 1:1:5:y 1:1:5:n 2:0:2:s", &[], &[3]);
    }

    #[test]
    fn a_target_says_that_its_statement_starts() {
        let at = |thread, offset| Whereabouts { thread: Some(thread), offset };
        check("1:0:1:e 2:1:7:s 3:2:7:s", &[at(1, 7), at(2, 7)], &[0]);
        check("1:0:1:e 2:1:7:s 3:2:8:s", &[at(1, 7)], &[0, 1, 2]);
    }
}
