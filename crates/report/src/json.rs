//! # JSON
//! The objects that `--format json` prints. Their names, and the order of the fields, are a
//! contract with other programs: what is not known is `null`, never left out.

mod inputs;
mod livelock;

use selvedge_analysis::Resource;
use selvedge_evidence::property;
use serde::Serialize;

use crate::advice::Started;
use crate::run::{Step, statements};

pub use inputs::{DiagnosticReport, FailureReport, FileReport, SyntaxReport};
pub use livelock::{EndlessRuns, Livelock};

/// The version of Selvedge, as it stands in every object.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The answer to a question about a file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Object {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file.
    pub file: String,
    /// The verdict.
    pub verdict: VerdictName,
    /// The property that was asked about or decided: `assertions`, a target, `deadlock`, `wait-deadlock`; several are separated by `; `.
    pub property: String,
    /// Which engine found the answer.
    pub engine: Option<String>,
    /// The smallest bound that shows the violation, or at which the observations collapsed; the
    /// bound that was asked for if the verdict is `bounded`, the largest one that was completed
    /// if it is `unknown`.
    pub bound: Option<Bound>,
    /// What was new at each bound.
    pub observations: Vec<Observation>,
    /// How many states the engine stored, where it stores states: fewer than there are if threads are
    /// interchangeable, or if one stands for many.
    pub stored_states: Option<usize>,
    /// How states were left out: `local-steps`. Observations then count what is left.
    pub reductions: Vec<&'static str>,
    /// The assumption of the verdict, beside the bound: `at most 2 of the started threads act`.
    pub assumption: Option<String>,
    /// Why it is not known whether there are deadlocks, where the verdict is about the rest of what was asked.
    pub undecided: Option<String>,
    /// Why the verdict is unknown, or why an unsafe one has no trace.
    pub reason: Option<String>,
    /// Which of the properties is broken, if the verdict is unsafe.
    pub broken: Option<String>,
    /// What goes wrong, or which target is reached, if the verdict is unsafe.
    pub violation: Option<String>,
    /// Where the values come from that a failing condition reads, if the verdict is unsafe and that is known.
    pub why: Vec<String>,
    /// Why the verdict is safe.
    pub proof: Option<String>,
    /// The coverage of the text, if the verdict is safe or bounded and coverage was looked at.
    pub coverage: Option<crate::coverage::Object>,
    /// The bound after which no visible state is new, if the verdict is safe and that is known.
    pub collapse: Option<Bound>,
    /// Wall-clock time, in seconds.
    pub time_s: Option<f64>,
    /// The largest amount of memory that was in use.
    pub peak_memory_bytes: Option<u64>,
    /// The resources of each process, where several explored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<crate::processes::Process>,
    /// The violation, step by step.
    pub trace: Option<Vec<Step>>,
    /// Where the evidence was written.
    pub evidence: Option<String>,
    /// The command line that asks it again, if one asked.
    pub command: Option<String>,
}

impl Object {
    /// An answer as an object.
    #[must_use]
    pub fn new(answer: &crate::answer::AboutStates<'_>) -> Self {
        use selvedge_analysis::engine::{Fewest, Verdict as Found};
        let outcome = answer.outcome;
        let (verdict, bound, reason) = match &outcome.verdict {
            Found::Safe(_) => (VerdictName::Safe, outcome.collapse, None),
            Found::Unsafe { bound, .. } => {
                let ended = match &outcome.fewest {
                    Fewest::Bound(stop) => Some(stop),
                    Fewest::Steps | Fewest::FusedSteps | Fewest::Unknown(_) => None,
                };
                (VerdictName::Unsafe, Some(*bound), ended)
            }
            Found::Bounded { bound } => (VerdictName::Bounded, Some(*bound), None),
            Found::Unknown { stop, completed } => (VerdictName::Unknown, *completed, Some(stop)),
        };
        let found = match &outcome.verdict {
            Found::Unsafe { trace, .. } => Some(trace),
            _ => None,
        };
        Object {
            selvedge: VERSION,
            file: answer.file.to_owned(),
            verdict,
            property: property::name(answer.system, answer.properties),
            engine: Some(outcome.engine.to_owned()),
            bound: bound.map(Bound::from),
            observations: outcome.observations.iter().map(Observation::new).collect(),
            stored_states: Some(outcome.stored())
                .filter(|&stored| stored > 0 || !outcome.observations.is_empty()),
            reductions: outcome.reductions.clone(),
            assumption: answer.asked.started.and_then(Started::assumption),
            undecided: answer.deadlocks.undecided.map(str::to_owned),
            reason: reason.map(|stop| match answer.asked.recursion {
                Some(recursion) => format!("{stop}; {recursion}"),
                None => stop.to_string(),
            }),
            broken: crate::answer::broken(answer),
            violation: crate::answer::violation(answer),
            why: crate::answer::why_violated(answer).lines,
            proof: crate::answer::proof(answer),
            coverage: answer.covered.map(Into::into),
            collapse: outcome.collapse.map(Bound::from),
            time_s: Some(answer.time.as_secs_f64()),
            peak_memory_bytes: Some(answer.peak_memory),
            processes: answer.processes.to_vec(),
            trace: found.map(|found| statements(answer.system, found)),
            evidence: None,
            command: None,
        }
    }
}

/// Names a verdict, as `--format json` and exit codes do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictName {
    /// Proved for every schedule.
    Safe,
    /// No violation within the bound: not a proof.
    Bounded,
    /// A violation.
    Unsafe,
    /// A fair run that does not end.
    Nonterminating,
    /// Neither proved nor refuted.
    Unknown,
}

impl VerdictName {
    /// The exit code of the command line for this verdict.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            VerdictName::Safe => 0,
            VerdictName::Bounded => 1,
            VerdictName::Unsafe => 10,
            VerdictName::Nonterminating => 11,
            VerdictName::Unknown => 20,
        }
    }

    /// The verdict in a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            VerdictName::Safe => "safe",
            VerdictName::Bounded => "bounded",
            VerdictName::Unsafe => "unsafe",
            VerdictName::Nonterminating => "nonterminating",
            VerdictName::Unknown => "unknown",
        }
    }
}

/// A bound: only the resources that it counts are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Bound {
    /// A number of contexts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<usize>,
    /// A number of rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// A number of delays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delays: Option<usize>,
    /// A number of threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Rounds before the period of a run that never ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stem: Option<usize>,
    /// Whether threads that are alike may have changed places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interchanged: Option<bool>,
    /// Rounds in its period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lasso: Option<usize>,
}

impl From<selvedge_analysis::Bound> for Bound {
    fn from(bound: selvedge_analysis::Bound) -> Self {
        let count = Some(bound.count);
        match bound.resource {
            Resource::Contexts => Bound { contexts: count, ..Bound::default() },
            Resource::Rounds => Bound { rounds: count, ..Bound::default() },
            Resource::Threads => Bound { threads: count, ..Bound::default() },
            Resource::ContextsOf { threads } => {
                Bound { threads: Some(threads), contexts: count, ..Bound::default() }
            }
            Resource::RoundRobin { delays, interchanged } => Bound {
                rounds: count,
                delays: Some(delays),
                interchanged: interchanged.then_some(true),
                ..Bound::default()
            },
        }
    }
}

/// The counts at a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Observation {
    /// The bound.
    pub bound: Bound,
    /// How many states; not known where there are infinitely many. Here and below, numbers of 64
    /// bits or more are not known either.
    pub states: Option<u64>,
    /// How many visible states.
    pub visible: Option<u64>,
    /// How many of them need this bound.
    pub new_visible: Option<u64>,
}

impl Observation {
    /// An observation as an object.
    #[must_use]
    pub fn new(seen: &selvedge_analysis::explore::Observation) -> Self {
        Observation {
            bound: seen.bound.into(),
            states: small(seen.states),
            visible: small(seen.visible),
            new_visible: small(seen.new_visible),
        }
    }
}

/// A number that other programs can read.
pub(crate) fn small(number: Option<u128>) -> Option<u64> {
    number.and_then(|n| u64::try_from(n).ok())
}

/// One run of the simulator.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Simulation {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file.
    pub file: String,
    /// How the run ended: `wrong`, `ended`, `deadlock`, `unknown`, `steps`, `schedule` or
    /// `interrupted`.
    pub outcome: &'static str,
    /// The outcome in words.
    pub reason: String,
    /// The seed of a random run.
    pub seed: Option<u64>,
    /// How many contexts the run has.
    pub contexts: usize,
    /// The run.
    pub trace: Vec<Step>,
}

/// What `selvedge recheck` found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recheck {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file that the evidence is about.
    pub file: String,
    /// The evidence.
    pub evidence: String,
    /// Whether it holds.
    pub accepted: bool,
    /// The verdict that it shows.
    pub verdict: Option<VerdictName>,
    /// What was checked, in a sentence.
    pub checked: Option<String>,
    /// Why it is refused.
    pub reason: Option<String>,
}

/// An object as text, on several lines.
#[must_use]
pub fn print(object: &impl Serialize) -> String {
    // The types of this module have string keys only and cannot fail to serialize.
    let mut text = serde_json::to_string_pretty(object).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Counter, counter_run};
    use expect_test::expect;

    #[test]
    fn the_answer_has_the_names_of_the_contract() {
        let found = counter_run();
        let answer = Object {
            selvedge: "0.1.0",
            file: "counter.weave".to_owned(),
            verdict: VerdictName::Unsafe,
            property: "assertions".to_owned(),
            engine: Some("naive".to_owned()),
            bound: Some(Bound { contexts: Some(2), ..Bound::default() }),
            observations: vec![Observation {
                bound: Bound { contexts: Some(0), ..Bound::default() },
                states: None,
                visible: Some(1),
                new_visible: Some(1),
            }],
            stored_states: Some(1),
            reductions: Vec::new(),
            assumption: None,
            undecided: None,
            reason: None,
            broken: Some("assertions".to_owned()),
            violation: Some("line 13: assertion failed".to_owned()),
            why: Vec::new(),
            proof: None,
            coverage: None,
            collapse: None,
            time_s: Some(0.12),
            peak_memory_bytes: None,
            processes: Vec::new(),
            trace: Some(crate::run::Steps::new(&Counter, &found).take(2).collect()),
            evidence: None,
            command: Some("selvedge verify counter.weave".to_owned()),
        };
        expect![[r#"
            {
              "selvedge": "0.1.0",
              "file": "counter.weave",
              "verdict": "unsafe",
              "property": "assertions",
              "engine": "naive",
              "bound": {
                "contexts": 2
              },
              "observations": [
                {
                  "bound": {
                    "contexts": 0
                  },
                  "states": null,
                  "visible": 1,
                  "new_visible": 1
                }
              ],
              "stored_states": 1,
              "reductions": [],
              "assumption": null,
              "undecided": null,
              "reason": null,
              "broken": "assertions",
              "violation": "line 13: assertion failed",
              "why": [],
              "proof": null,
              "coverage": null,
              "collapse": null,
              "time_s": 0.12,
              "peak_memory_bytes": null,
              "trace": [
                {
                  "thread": "adder",
                  "context": 1,
                  "step": "work(0)",
                  "line": 12,
                  "shared": {
                    "x": 0,
                    "done": false
                  },
                  "stacks": [
                    {
                      "depth": 2,
                      "frames": [
                        {
                          "place": "work:3",
                          "line": 3,
                          "values": {
                            "n": 0
                          }
                        },
                        {
                          "place": "main:13",
                          "line": 13,
                          "values": {}
                        }
                      ]
                    },
                    {
                      "depth": 1,
                      "frames": [
                        {
                          "place": "main:12",
                          "line": 12,
                          "values": {}
                        }
                      ]
                    }
                  ]
                },
                {
                  "thread": "adder",
                  "context": 1,
                  "step": "x := x + 1; n := 1",
                  "line": 3,
                  "shared": {
                    "x": 1,
                    "done": false
                  },
                  "stacks": [
                    {
                      "depth": 2,
                      "frames": [
                        {
                          "place": "work:5",
                          "line": 5,
                          "values": {
                            "n": 1
                          }
                        },
                        {
                          "place": "main:13",
                          "line": 13,
                          "values": {}
                        }
                      ]
                    },
                    {
                      "depth": 1,
                      "frames": [
                        {
                          "place": "main:12",
                          "line": 12,
                          "values": {}
                        }
                      ]
                    }
                  ]
                }
              ],
              "evidence": null,
              "command": "selvedge verify counter.weave"
            }
        "#]]
        .assert_eq(&print(&answer));
    }
}
