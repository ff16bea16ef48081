//! # SARIF 2.1.0
//! Answers in the form that code hosts and editors read. A violation is a result of the kind `fail`, with
//! one thread flow for each thread that acts: the execution orders of all of them together number the
//! schedule, step by step. A proof is a result of the kind `pass`. What is not known, or known up to a
//! bound only, is `open`: the standard has no word for *bounded*, and `pass` would promise too much.

mod log;

use std::collections::BTreeMap;

use selvedge_analysis::engine::Verdict;
use selvedge_analysis::fair::Verdict as Fair;
use selvedge_evidence::Trace;
use selvedge_model::{Property, State, System, ThreadId};
use selvedge_program::Source;

use crate::answer::{self, Answer};
use crate::json::{FailureReport, VERSION};
use crate::view::{Row, each_row};
use crate::{livelock, predicates, text};

pub use log::{
    ArtifactLocation, CodeFlow, Configuration, Driver, Finding, FlowLocation, Invocation, Location,
    Log, Message, Notification, PhysicalLocation, Region, Rule, Run, ThreadFlow, Tool,
};

/// The kinds of violations: id, name, sentence, help.
const RULES: [[&str; 4]; 4] = [
    [
        "assertion",
        "AssertionFails",
        "A schedule fails an assertion, or goes wrong in another way.",
        "The thread flows show the schedule. The last step, by execution order, is the one that fails.",
    ],
    [
        "target",
        "TargetReached",
        "A schedule reaches a state that must not be reached.",
        "The thread flows show the schedule. After the last step, by execution order, the target is reached.",
    ],
    [
        "deadlock",
        "Deadlock",
        "A schedule ends where a thread has not ended and none can act.",
        "The locations show where the threads wait.",
    ],
    [
        "livelock",
        "FairRunNeverEnds",
        "A fair run never ends.",
        "The thread flows show the steps before the period, and those that are repeated for ever.",
    ],
];

const ASSERTION: usize = 0;
const TARGET: usize = 1;
const DEADLOCK: usize = 2;
const LIVELOCK: usize = 3;

/// The answer to a question about single states, of a program or table with this text; the program
/// ends with this code.
#[must_use]
pub fn answer(answer: &Answer<'_>, source: &Source, exit: u8) -> Log {
    let places = Places { source };
    let sentence = answer::sentence(answer);
    let each = |kind| {
        let one = |property: &Property| places.plain(rule(property), kind, &sentence);
        answer.properties.iter().map(one).collect::<Vec<_>>()
    };
    let results = match &answer.outcome.verdict {
        // There was no target: nothing that could be violated.
        Verdict::Safe(_) | Verdict::Bounded { .. } if answer.properties.is_empty() => {
            vec![places.plain(TARGET, "notApplicable", &sentence)]
        }
        Verdict::Unknown { .. } if answer.properties.is_empty() => {
            let sentence = with_advice(&sentence, answer::advised(answer));
            vec![places.plain(TARGET, "open", &sentence)]
        }
        Verdict::Safe(_) => each("pass"),
        Verdict::Bounded { .. } => each("open"),
        Verdict::Unknown { .. } => {
            let text = with_advice(&sentence, answer::advised(answer));
            let mut results = each("open");
            results.iter_mut().for_each(|result| result.message.text.clone_from(&text));
            results
        }
        Verdict::Unsafe { property, trace, .. } => {
            let rule = answer.properties.get(*property).map_or(ASSERTION, rule);
            let mut result = places.plain(rule, "fail", &sentence);
            if let Ok(trace) = trace {
                let flow = places.flow(answer.system, trace, trace.steps.len());
                let last = flow.1.map(|line| places.at(Some(line), Some(&sentence)));
                let mut locations: Vec<Location> = last.into_iter().collect();
                if let (DEADLOCK, Some(state)) = (rule, answer.last) {
                    locations = places.waiting(answer.system, state);
                }
                if !locations.is_empty() {
                    result.related_locations = locations.split_off(1);
                    result.locations = locations;
                }
                result.code_flows.extend(flow.0);
            }
            vec![result]
        }
    };
    log(results, ran(exit))
}

/// The answer to a question about runs that never end.
#[must_use]
pub fn endless(answer: &livelock::Answer<'_>, source: &Source, exit: u8) -> Log {
    let places = Places { source };
    let sentence = livelock::sentence(answer);
    let result = match &answer.outcome.verdict {
        Fair::Terminating { .. } => places.plain(LIVELOCK, "pass", &sentence),
        Fair::Bounded(_) => places.plain(LIVELOCK, "open", &sentence),
        Fair::Unknown { .. } => {
            let sentence = with_advice(&sentence, livelock::advised(answer));
            places.plain(LIVELOCK, "open", &sentence)
        }
        Fair::Nonterminating { lasso, .. } => {
            let mut result = places.plain(LIVELOCK, "fail", &sentence);
            let stem = lasso.stem.steps.len();
            let (flow, line) = places.flow(answer.system, &lasso.unrolled(1), stem);
            if line.is_some() {
                result.locations = vec![places.at(line, Some(&sentence))];
            }
            result.code_flows.extend(flow);
            result
        }
    };
    log(vec![result], ran(exit))
}

/// The answer of the search for invariants.
#[must_use]
pub fn by_predicates(answer: &predicates::Answer<'_>, source: &Source, exit: u8) -> Log {
    let kind = if answer.proof.is_ok() { "pass" } else { "open" };
    let places = Places { source };
    log(vec![places.plain(ASSERTION, kind, &predicates::sentence(answer))], ran(exit))
}

/// What is wrong where the question could not be asked.
#[must_use]
pub fn failure(report: &FailureReport, exit: u8) -> Log {
    let whole = report.reason.iter().map(|reason| Notification {
        level: "error",
        message: message(reason),
        locations: report.file.iter().map(|file| location(file, None, None)).collect(),
    });
    let single = report.diagnostics.iter().map(|wrong| {
        let hint = wrong.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        let region = Region {
            start_line: wrong.line,
            start_column: wrong.column,
            end_column: None,
            snippet: None,
        };
        Notification {
            level: wrong.severity,
            message: message(&format!("{}{hint}", wrong.message)),
            locations: vec![location(&wrong.file, Some(region), None)],
        }
    });
    let notifications = whole.chain(single).collect();
    let invocation = Invocation {
        execution_successful: false,
        exit_code: exit,
        tool_configuration_notifications: notifications,
    };
    log(Vec::new(), invocation)
}

fn with_advice(sentence: &str, advice: Option<String>) -> String {
    advice.map_or_else(|| sentence.to_owned(), |what| format!("{sentence}; try {what}"))
}

fn rule(property: &Property) -> usize {
    match property {
        Property::NeverWrong => ASSERTION,
        Property::Unreachable(_) => TARGET,
        Property::NoDeadlock => DEADLOCK,
    }
}

fn ran(exit: u8) -> Invocation {
    Invocation {
        execution_successful: true,
        exit_code: exit,
        tool_configuration_notifications: Vec::new(),
    }
}

fn log(results: Vec<Finding>, invocation: Invocation) -> Log {
    let rules = RULES.map(|[id, name, sentence, help]| Rule {
        id,
        name,
        short_description: message(sentence),
        help: message(help),
        default_configuration: Configuration { level: "error" },
    });
    let driver = Driver {
        name: "Selvedge",
        version: VERSION,
        semantic_version: VERSION,
        rules: rules.into(),
    };
    let run = Run {
        tool: Tool { driver },
        invocations: vec![invocation],
        column_kind: "unicodeCodePoints",
        results,
    };
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    Log { schema, version: "2.1.0", runs: vec![run] }
}

fn message(text: &str) -> Message {
    Message { text: text.to_owned() }
}

fn location(file: &str, region: Option<Region>, text: Option<&str>) -> Location {
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri(file) },
            region,
        },
        message: text.map(message),
    }
}

/// The name of a file as a reference: relative if the name is.
fn uri(file: &str) -> String {
    let mut text = if file.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

/// Places in one text.
struct Places<'a> {
    source: &'a Source,
}

impl Places<'_> {
    /// A result about the file as a whole.
    fn plain(&self, rule: usize, kind: &'static str, text: &str) -> Finding {
        Finding {
            rule_id: RULES[rule][0],
            rule_index: rule,
            kind,
            level: if kind == "fail" { "error" } else { "none" },
            message: message(text),
            locations: vec![self.at(None, None)],
            related_locations: Vec::new(),
            code_flows: Vec::new(),
        }
    }

    /// A line, from its first to its last character that is not blank.
    fn at(&self, line: Option<u32>, text: Option<&str>) -> Location {
        let region = line.map(|line| {
            let whole = self.source.line_text(line);
            let indent = whole.chars().take_while(|c| c.is_whitespace()).count() as u32;
            let snippet = whole.trim();
            let length = snippet.chars().count() as u32;
            Region {
                start_line: line,
                start_column: indent + 1,
                end_column: Some(indent + 1 + length),
                snippet: (length > 0).then(|| message(snippet)),
            }
        });
        location(self.source.name(), region, text)
    }

    /// Where the threads of a deadlock wait.
    fn waiting(&self, system: &dyn System, state: &State) -> Vec<Location> {
        let lines = state.threads.iter().filter_map(|thread| thread.stack.top());
        let lines = lines.map(|top| system.symbol_line(top));
        lines.zip(text::waiting(system, state)).map(|(l, who)| self.at(l, Some(&who))).collect()
    }

    /// The thread flows of a run, and the line of its last step (of the first step of its period, if
    /// there is one after so many steps).
    fn flow(
        &self,
        system: &dyn System,
        trace: &Trace,
        stem: usize,
    ) -> (Option<CodeFlow>, Option<u32>) {
        let mut threads: BTreeMap<ThreadId, ThreadFlow> = BTreeMap::new();
        let mut line = None;
        let (mut order, mut context) = (0, 0);
        each_row(system, trace, |row, after| {
            order += 1;
            let importance = match () {
                () if !row.is_local || order == trace.steps.len() => "essential",
                () if row.context != context => "important",
                () => "unimportant",
            };
            context = row.context;
            let words = if order > stem { "for ever: " } else { "" };
            let words = format!("{words}{}", row.words_with_changes());
            let step = self.step(system, &row, after, (order, importance, &words));
            if order <= stem + 1 {
                line = row.steps.iter().rev().find_map(|step| step.line).or(line);
            }
            let Row { thread, name, .. } = row;
            let flow = threads.entry(thread);
            flow.or_insert(ThreadFlow { id: name, locations: Vec::new() }).locations.push(step);
        });
        if threads.is_empty() {
            return (None, None);
        }
        let words = format!(
            "{} in {}",
            text::count(trace.steps.len(), "step"),
            text::count(trace.contexts(), "context")
        );
        let thread_flows = threads.into_values().collect();
        (Some(CodeFlow { message: message(&words), thread_flows }), line)
    }

    fn step(
        &self,
        system: &dyn System,
        row: &Row,
        after: &State,
        (order, importance, words): (usize, &'static str, &str),
    ) -> FlowLocation {
        let top = after.threads[row.thread.index()].stack.top();
        let values = system.shared_values(after.shared).into_iter();
        let values = values.chain(top.map_or(Vec::new(), |top| system.symbol_values(top)));
        FlowLocation {
            location: self.at(row.line(), Some(words)),
            state: values.map(|(name, value)| (name, message(&value))).collect(),
            nesting_level: row.depth.saturating_sub(1),
            execution_order: order,
            importance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_references() {
        assert_eq!(uri("a b/c#1.weave"), "a%20b/c%231.weave");
        assert_eq!(uri("/tmp/é.bp"), "file:///tmp/%C3%A9.bp");
        assert_eq!(uri("../x:y.weave"), "../x%3Ay.weave");
    }
}
