//! # Who waits for whom
//! In a deadlock, every thread that is left waits for something. Where that is a lock, somebody holds it; where it is the end of a
//! thread, that thread waits as well. If that goes round in a circle, the circle is the reason.

use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{Awaited, State, System, ThreadId};

use crate::answer::Detail;
use crate::text;
use crate::view::Rows;

/// One thread waits for another.
struct Wait {
    who: ThreadId,
    whom: ThreadId,
    /// What it waits for: `m, which right holds`.
    what: String,
}

/// Which threads wait at the end of a run, where, for what and for whom; and the circle, if there is one.
#[must_use]
pub fn at_end(system: &dyn System, trace: &Trace) -> Vec<Detail> {
    let mut run = Rows::new(system, trace);
    while run.next().is_some() {}
    let state = run.state();
    let mut details = Vec::new();
    let mut waits: Vec<Wait> = Vec::new();
    for (id, mut line) in text::waiting(system, state) {
        let holders: Vec<(Wait, String)> = of_thread(system, &run, id);
        for (wait, told) in holders {
            line += &format!(", {told}");
            waits.push(wait);
        }
        details.push(("waits", line));
    }
    details.extend(circle(system, state, &waits).map(|words| ("circle", words)));
    details
}

fn of_thread(system: &dyn System, run: &Rows<'_>, who: ThreadId) -> Vec<(Wait, String)> {
    let state = run.state();
    let Some(top) = state.threads[who.index()].stack.top() else { return Vec::new() };
    let find = |name: &str| state.thread_ids().find(|&id| thread_name(system, state, id) == name);
    let name = |id: ThreadId| match id == who {
        true => "itself".to_owned(),
        false => thread_name(system, state, id),
    };
    let wait = |awaited: Awaited| match awaited {
        Awaited::Variable(lock) => {
            let whom = find(run.holders().of(&lock)?)?;
            let ended =
                if state.threads[whom.index()].has_ended() { ", which has ended" } else { "" };
            let told = format!("held by {}{ended}", name(whom));
            let what = match whom == who {
                true => format!("{lock}, which it holds itself"),
                false => format!("{lock}, which {} holds", name(whom)),
            };
            Some((Wait { who, whom, what }, told))
        }
        Awaited::Thread(number) => {
            let is_it = |id: &ThreadId| {
                let bottom = state.threads[id.index()].stack.0.first();
                bottom.and_then(|&s| system.describe().thread_number(s)) == Some(number)
            };
            let whom = state.thread_ids().find(is_it)?;
            let what = format!("the end of {}", name(whom));
            Some((Wait { who, whom, what: what.clone() }, format!("for {what}")))
        }
    };
    system.describe().awaited(state.shared, top).into_iter().filter_map(wait).collect()
}

/// A circle of threads that wait for each other, from the first thread that is in one.
fn circle(system: &dyn System, state: &State, waits: &[Wait]) -> Option<String> {
    let found = state.thread_ids().find_map(|first| {
        let mut way: Vec<&Wait> = Vec::new();
        let mut at = first;
        while way.len() <= waits.len() {
            let next = waits.iter().find(|wait| wait.who == at)?;
            way.push(next);
            at = next.whom;
            if at == first {
                return Some(way);
            }
        }
        None
    })?;
    let told = found
        .iter()
        .map(|wait| format!("{} waits for {}", thread_name(system, state, wait.who), wait.what));
    Some(told.collect::<Vec<_>>().join("; "))
}
