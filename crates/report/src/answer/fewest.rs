//! # What a schedule has the fewest of
//! A schedule is worth reading to the end if no shorter one does it. What is the least of its contexts, rounds, threads or steps depends on the engine that found it.

use selvedge_analysis::engine::Fewest;
use selvedge_analysis::{Bound, Resource};
use selvedge_model::Property;

use super::AboutStates;
use crate::text::count;

/// A sentence about what the schedule minimizes, or why that is not known.
pub(super) fn about_trace(
    answer: &AboutStates<'_>,
    bound: Bound,
    violated: Option<&Property>,
) -> Option<String> {
    let outcome = answer.outcome;
    let does = match violated {
        Some(Property::Unreachable(_)) => "reaches it",
        Some(Property::NoDeadlock(_)) => "ends in one",
        _ => "goes wrong",
    };
    let shorter = match &outcome.fewest {
        Fewest::Steps | Fewest::Bound(_) => "has fewer steps",
        Fewest::FusedSteps => "has fewer steps, local ones not counted",
        Fewest::Unknown(stop) => {
            let what = bound.resource.name();
            return Some(format!("whether fewer {what}s are enough is not known: {stop}"));
        }
    };
    let fewest = match bound.resource {
        Resource::Threads if outcome.engine == "growing-threads" => format!(
            "no schedule with fewer threads {does}; with {bound}, none has fewer contexts, and with as many \
             contexts none {shorter}"
        ),
        Resource::Contexts | Resource::Rounds | Resource::Threads => {
            format!("no schedule with fewer {}s {does}", bound.resource.name())
        }
        Resource::ContextsOf { threads } => format!(
            "none with {} has fewer contexts, and none with fewer threads has as few; with more contexts, \
             fewer threads may be enough",
            count(threads, "thread")
        ),
        Resource::RoundRobin { delays, .. } => {
            format!("no schedule with at most {} {does} in fewer rounds", count(delays, "delay"))
        }
    };
    Some(match &outcome.fewest {
        _ if bound.count == 0 => return None,
        // The search goes step by step, and does not count contexts.
        _ if outcome.engine == "predicates" => return None,
        Fewest::Bound(stop) => {
            format!("{fewest}; whether fewer steps are enough is not known: {stop}")
        }
        // Summaries take the fewest steps for each thread by itself; in turns, and
        // where threads are counted, steps are not.
        _ if answer.asked.started.is_some()
            || matches!(
                outcome.engine,
                "rounds-lazy"
                    | "rounds-near"
                    | "rounds-eager"
                    | "delays"
                    | "coverability"
                    | "growing-threads"
                    | "cuts-and-counting"
            ) =>
        {
            fewest
        }
        _ => match bound.resource {
            Resource::Contexts | Resource::Rounds | Resource::Threads => {
                format!("{fewest}, and none with {} {shorter}", bound.count)
            }
            _ => format!("{fewest}, and none with {bound} {shorter}"),
        },
    })
}
