//! # Values and statements in words
//! `x = 1 since line 7 of writer (x := x + 1)`: a value, and the statement that it comes from.

use selvedge_model::{Datum, ThreadId};

use super::chain::{Chain, Link};
use super::origin::Origin;
use super::{Moment, Run};
use crate::text::count;
use crate::view::statements;

/// Longer chains are told in part.
const MOST_LINKS: usize = 4;

/// Statements longer than this are cut.
const LONGEST_TEXT: usize = 48;

impl Run<'_> {
    /// The links of a chain in words: of a long one, the first and the last ones.
    pub(super) fn links(&self, chain: &Chain, me: Option<ThreadId>) -> Vec<String> {
        let mut links: Vec<&Link> = chain
            .links
            .iter()
            .filter(|link| link.read.told.is_some() && link.origin.is_some())
            .collect();
        let out = links.len().saturating_sub(MOST_LINKS);
        if out > 0 {
            links.drain(MOST_LINKS / 2..MOST_LINKS / 2 + out);
        }
        let mut told: Vec<String> =
            links.into_iter().filter_map(|link| self.link(link, me)).collect();
        if let Some(next) = told.get_mut(MOST_LINKS / 2).filter(|_| out > 0) {
            *next = format!("({} left out) {next}", count(out, "step"));
        }
        told
    }

    /// A value and where it comes from: `x = 1 since line 7 of writer (x := x + 1)`.
    pub(super) fn link(&self, link: &Link, me: Option<ThreadId>) -> Option<String> {
        let told = link.read.told.as_ref()?;
        let is_held = told.strip_suffix(" = held").is_some_and(|name| self.holders.is_lock(name));
        let since = match link.origin? {
            Origin::Written(moment) if is_held => {
                let who = self.steps[moment.0].thread;
                let name = &self.steps[moment.0].name;
                format!("{told} by {name} since {}", self.moment(moment, Some(who)))
            }
            Origin::Chosen if link.ended.is_some() => {
                format!("{told}, since {} ended without `return`", link.ended.as_deref()?)
            }
            Origin::Start => format!("{told} from the start"),
            Origin::Chosen => format!("{told}, chosen freely"),
            Origin::Written(moment) => format!("{told} since {}", self.moment(moment, me)),
        };
        Some(match &link.changed {
            Some((moment, value)) => {
                format!("{since}, then {value} since {}", self.moment(*moment, me))
            }
            None => since,
        })
    }

    /// A statement of the run: its line, its thread unless that is the one of which is told, and its text.
    pub(super) fn moment(&self, moment: Moment, me: Option<ThreadId>) -> String {
        let at = &self.steps[moment.0];
        self.told(moment, if Some(at.thread) == me { None } else { Some(&at.name) })
    }

    fn told(&self, (step, inner): Moment, thread: Option<&str>) -> String {
        self.named.borrow_mut().insert(step);
        let at = &self.steps[step];
        let texts = statements(self.system, &at.action);
        let Some(statement) = texts.get(inner).or(texts.last()) else { return at.name.clone() };
        let text = statement.text.split("  [").next().unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = match text.chars().count() > LONGEST_TEXT {
            true => text.chars().take(LONGEST_TEXT - 1).chain(['…']).collect(),
            false => text,
        };
        let whose = thread.map_or_else(String::new, |name| format!(" of {name}"));
        match statement.line {
            Some(line) => format!("line {line}{whose} ({text})"),
            None => format!("a step{whose} ({text})"),
        }
    }
}

/// Whether a statement sends to a channel or receives from it.
pub(super) fn uses(text: &str, channel: &str) -> bool {
    ["send(", "receive("].iter().any(|call| {
        let mut after =
            text.match_indices(call).map(|(at, _)| text[at + call.len()..].trim_start());
        after.any(|rest| {
            rest.strip_prefix(channel).is_some_and(|rest| rest.trim_start().starts_with([',', ')']))
        })
    })
}

/// A channel and how many messages are in it: `c with 2 items`.
pub(super) fn with_items(channel: &str, length: &Datum) -> String {
    match length.to_string().as_str() {
        "1" => format!("{channel} with 1 item"),
        length => format!("{channel} with {length} items"),
    }
}
