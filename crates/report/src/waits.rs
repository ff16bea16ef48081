//! # Who waits for whom
//! In a deadlock, every thread that is left waits for something. Where that is a lock, somebody holds it; where it is the end of a
//! thread, that thread waits as well. Who waits for a message, for room in a channel, for a semaphore or to be woken waits for those who could
//! still do that. If that goes round in a circle, the circle is the reason; if nobody is left who could, that is.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{Awaited, State, SymbolId, System, ThreadId, Values};

use crate::answer::Detail;
use crate::text;
use crate::view::{Change, Rows};
use crate::why::held::{beginnings, may_end_wait};

/// One thread waits for another.
struct Wait {
    who: ThreadId,
    whom: ThreadId,
    /// The reason for the wait: `for m, which right holds`.
    what: String,
}

/// Something that a thread waits for: for whom, and in words.
struct WaitedFor {
    waits: Vec<Wait>,
    told: String,
    /// The semaphores that it wants to acquire, if it waits for nothing else.
    semaphores: Option<String>,
}

/// Which threads wait at the end of a run, where, for what and for whom; and the circle, if there is one.
#[must_use]
pub fn at_end(system: &dyn System, trace: &Trace) -> Vec<Detail> {
    let mut run = Rows::new(system, trace);
    // The threads that changed variables last.
    let mut writers: BTreeMap<String, ThreadId> = BTreeMap::new();
    for row in run.by_ref() {
        for change in &row.changes[..row.shared.min(row.changes.len())] {
            if let Change::Value { name, .. } = change {
                writers.insert(name.clone(), row.thread);
            }
        }
    }
    let state = run.state();
    let all = beginnings(&trace.initial, trace.steps.iter().map(|(_, action)| action));
    // Only who might release a semaphore has forgotten to.
    let has_ended = |name: &str, top: SymbolId| {
        writers.get(name).is_some_and(|who| {
            let could = all.get(who.index()).is_none_or(|at| may_end_wait(system, state, top, at));
            could && state.threads[who.index()].has_ended()
        })
    };
    let mut details = Vec::new();
    let mut waits: Vec<Wait> = Vec::new();
    for (id, mut line) in text::waiting(system, state) {
        for awaited in of_thread(system, &run, id) {
            line += &format!(", {}", awaited.told);
            // Who took from a semaphore and has ended is the reason, and not those who might release it.
            let top = state.threads[id.index()].stack.top();
            let is_it = |name: &str| top.is_some_and(|top| has_ended(name, top));
            if !awaited.semaphores.as_deref().is_some_and(is_it) {
                waits.extend(awaited.waits);
            }
        }
        details.push(("waits", line));
    }
    details.extend(circle(system, state, &waits).map(|words| ("circle", words)));
    details
}

/// Where the thread of this name waits at the end of a run, and for what; nothing if it has ended.
#[must_use]
pub fn of(system: &dyn System, trace: &Trace, name: &str) -> Option<String> {
    let (_, waits) = at_end(system, trace).into_iter().find(|(label, line)| {
        *label == "waits" && line.strip_prefix(name).is_some_and(|rest| rest.starts_with(" at "))
    })?;
    waits.get(name.len() + " at ".len()..).map(str::to_owned)
}

fn of_thread(system: &dyn System, run: &Rows<'_>, who: ThreadId) -> Vec<WaitedFor> {
    let state = run.state();
    let Some(top) = state.threads[who.index()].stack.top() else { return Vec::new() };
    let find = |name: &str| state.thread_ids().find(|&id| thread_name(system, state, id) == name);
    let name = |id: ThreadId| match id == who {
        true => "itself".to_owned(),
        false => thread_name(system, state, id),
    };
    let wait = |awaited: &Awaited| match awaited {
        Awaited::Lock(lock) => {
            let whom = find(run.holders().of(lock)?)?;
            let ended =
                if state.threads[whom.index()].has_ended() { ", which has ended" } else { "" };
            let told = format!("held by {}{ended}", name(whom));
            let what = match whom == who {
                true => format!("for {lock}, which it holds itself"),
                false => format!("for {lock}, which {} holds", name(whom)),
            };
            Some(WaitedFor { waits: vec![Wait { who, whom, what }], told, semaphores: None })
        }
        Awaited::Thread(number) => {
            let is_it = |id: &ThreadId| {
                let bottom = state.threads[id.index()].stack.0.first();
                bottom.and_then(|&s| system.describe().thread_number(s)) == Some(*number)
            };
            let whom = state.thread_ids().find(is_it)?;
            let what = format!("for the end of {}", name(whom));
            let told = what.clone();
            Some(WaitedFor { waits: vec![Wait { who, whom, what }], told, semaphores: None })
        }
        // Nobody is known who should change it.
        Awaited::Variable(_) => None,
        // All counters together, below.
        Awaited::Semaphore(_)
        | Awaited::Condition(_)
        | Awaited::Barrier(_)
        | Awaited::Leaving(_)
        | Awaited::Channel(_) => None,
    };
    let awaited = system.describe().awaited(state.shared, top);
    let counters: Vec<&Awaited> = awaited.iter().filter(|one| one.counter().is_some()).collect();
    let others = (!counters.is_empty())
        .then(|| for_others(system, state, run.values(), (who, top), &counters));
    awaited.iter().filter_map(wait).chain(others).collect()
}

/// Those who could still do what a thread waits for at a semaphore, a condition, a barrier or a channel.
fn for_others(
    system: &dyn System,
    state: &State,
    shared: &Values,
    (who, top): (ThreadId, SymbolId),
    counters: &[&Awaited],
) -> WaitedFor {
    let could = |id: &ThreadId| {
        let other = &state.threads[id.index()];
        let frames: Vec<SymbolId> = other.stack.0.iter().rev().copied().collect();
        !other.has_ended() && system.describe().may_end_wait(state.shared, top, &frames)
    };
    let others: Vec<ThreadId> = state.thread_ids().filter(|&id| id != who).filter(could).collect();
    let names: Vec<String> = others.iter().map(|&id| thread_name(system, state, id)).collect();
    let mut places: Vec<&str> = counters.iter().filter_map(|counter| counter.counter()).collect();
    places.dedup();
    let place = places.join(" or ");
    let is_semaphore = counters.iter().all(|counter| matches!(counter, Awaited::Semaphore(_)));
    let end = if is_semaphore { "release" } else { "end" };
    let arrived = match counters {
        [Awaited::Barrier(name)] => shared.get(name),
        _ => None,
    };
    let arrived = match arrived.map(ToString::to_string) {
        None => String::new(),
        Some(one) if one == "1" => "1 has arrived, ".to_owned(),
        Some(many) => format!("{many} have arrived, "),
    };
    let told = arrived
        + &match names.as_slice() {
            [] => "and no thread is left that could end that".to_owned(),
            [one] => format!("which only {one} could still {end}"),
            [one, other] => format!("which only {one} or {other} could still {end}"),
            [one, rest @ ..] => {
                format!("which only {one} or {} others could still {end}", rest.len())
            }
        };
    let wait = |(&whom, name): (&ThreadId, &String)| Wait {
        who,
        whom,
        what: format!("at {place} for {name}"),
    };
    let waits = others.iter().zip(&names).map(wait).collect();
    WaitedFor { waits, told, semaphores: is_semaphore.then_some(place) }
}

/// A shortest circle of threads that wait for each other, from the first thread that is in one.
fn circle(system: &dyn System, state: &State, waits: &[Wait]) -> Option<String> {
    let found = state.thread_ids().find_map(|first| back_to(first, waits))?;
    // Who waits for itself is told where it waits.
    if found.len() == 1 {
        return None;
    }
    let told = found
        .iter()
        .map(|wait| format!("{} waits {}", thread_name(system, state, wait.who), wait.what));
    Some(told.collect::<Vec<_>>().join("; "))
}

/// The fewest waits that lead from a thread to itself.
fn back_to(first: ThreadId, waits: &[Wait]) -> Option<Vec<&Wait>> {
    let mut ways: Vec<Vec<&Wait>> = vec![Vec::new()];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let at = way.last().map_or(first, |wait: &&Wait| wait.whom);
            for wait in waits.iter().filter(|wait| wait.who == at) {
                let way: Vec<&Wait> = way.iter().copied().chain([wait]).collect();
                if wait.whom == first {
                    return Some(way);
                }
                if seen.insert(wait.whom) {
                    longer.push(way);
                }
            }
        }
        ways = longer;
    }
    None
}
