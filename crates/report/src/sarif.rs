//! # SARIF 2.1.0
//! Answers in the form that code hosts and editors read. A violation is a result of the kind `fail`, with
//! one thread flow for each thread that acts: the execution orders of all of them together number the
//! schedule, step by step. A proof is a result of the kind `pass`. What is not known, or known up to a
//! bound only, is `open`: the standard has no word for *bounded*, and `pass` would promise too much. What no run reaches is told as notifications of the run.

mod log;
mod places;

use selvedge_analysis::engine::Verdict;
use selvedge_analysis::fair::Verdict as Fair;
use selvedge_model::Property;
use selvedge_program::Source;

use crate::answer::{self, AboutStates};
use crate::json::{FailureReport, VERSION};
use crate::{livelock, predicates};

use self::places::{Places, location, message};

pub use self::log::{
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
pub fn answer(answer: &AboutStates<'_>, source: &Source, exit: u8) -> Log {
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
            vec![result]
        }
    };
    log(results, places.ran(exit, answer.covered))
}

/// The answer to a question about runs that never end.
#[must_use]
pub fn endless(answer: &livelock::AboutRuns<'_>, source: &Source, exit: u8) -> Log {
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
    log(vec![result], places.ran(exit, None))
}

/// The answer of the search for invariants.
#[must_use]
pub fn by_predicates(answer: &predicates::ByPredicates<'_>, source: &Source, exit: u8) -> Log {
    let kind = if answer.proof.is_ok() { "pass" } else { "open" };
    let places = Places { source };
    let result = places.plain(ASSERTION, kind, &predicates::sentence(answer));
    log(vec![result], places.ran(exit, answer.covered))
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
        command_line: None,
        execution_successful: false,
        exit_code: exit,
        tool_configuration_notifications: notifications,
        tool_execution_notifications: Vec::new(),
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
        Property::NoDeadlock(_) => DEADLOCK,
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
