//! Places in a text, and the steps of a schedule at them.

use std::collections::BTreeMap;

use selvedge_evidence::Trace;
use selvedge_model::{State, System, ThreadId, Values};
use selvedge_program::Source;

use super::RULES;
use super::log::{
    ArtifactLocation, CodeFlow, Finding, FlowLocation, Invocation, Location, Message, Notification,
    PhysicalLocation, Region, ThreadFlow,
};
use crate::coverage::Covered;
use crate::text;
use crate::view::{Row, Rows};

/// Places in one text.
pub(super) struct Places<'a> {
    pub source: &'a Source,
}

impl Places<'_> {
    /// A result about the file as a whole.
    pub fn plain(&self, rule: usize, kind: &'static str, text: &str) -> Finding {
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

    /// A question that was asked; with remarks on what is reached, if that is known.
    pub fn ran(&self, exit: u8, covered: Option<&Covered>) -> Invocation {
        let remarks = covered.map(Covered::remarks).unwrap_or_default().into_iter();
        let notifications = remarks.map(|(line, text)| Notification {
            level: "note",
            message: message(&text),
            locations: vec![self.at(Some(line), None)],
        });
        Invocation {
            command_line: None,
            execution_successful: true,
            exit_code: exit,
            tool_configuration_notifications: Vec::new(),
            tool_execution_notifications: notifications.collect(),
        }
    }

    /// A line, from its first to its last character that is not blank.
    pub fn at(&self, line: Option<u32>, text: Option<&str>) -> Location {
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
    pub fn waiting(&self, system: &dyn System, state: &State) -> Vec<Location> {
        let lines = state.threads.iter().filter_map(|thread| thread.stack.top());
        let lines = lines.map(|top| system.describe().symbol_line(top));
        lines
            .zip(text::waiting(system, state))
            .map(|(l, (_, who))| self.at(l, Some(&who)))
            .collect()
    }

    /// The thread flows of a run, and the line of its last step (of the first step of its period, if
    /// there is one after so many steps).
    pub fn flow(
        &self,
        system: &dyn System,
        trace: &Trace,
        stem: usize,
    ) -> (Option<CodeFlow>, Option<u32>) {
        let mut threads: BTreeMap<ThreadId, ThreadFlow> = BTreeMap::new();
        let mut line = None;
        let (mut order, mut context) = (0, 0);
        let mut rows = Rows::new(system, trace);
        while let Some(row) = rows.next() {
            order += 1;
            let importance = match () {
                () if !row.is_local || order == trace.steps.len() => "essential",
                () if row.context != context => "important",
                () => "unimportant",
            };
            context = row.context;
            let words = if order > stem { "for ever: " } else { "" };
            let words = format!("{words}{}", row.words_with_changes());
            let step = self.step(system, &row, &rows, (order, importance, &words));
            if order <= stem + 1 {
                line = row.steps.iter().rev().find_map(|step| step.line).or(line);
            }
            let Row { thread, name, .. } = row;
            let flow = threads.entry(thread);
            flow.or_insert(ThreadFlow { id: name, locations: Vec::new() }).locations.push(step);
        }
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
        rows: &Rows<'_>,
        (order, importance, words): (usize, &'static str, &str),
    ) -> FlowLocation {
        let top = rows.state().threads[row.thread.index()].stack.top();
        let values = rows.values().clone().into_iter();
        let locals = top.map_or(Values::default(), |top| system.describe().symbol_values(top));
        let values = values.chain(locals);
        FlowLocation {
            location: self.at(row.line(), Some(words)),
            state: values.map(|(name, value)| (name, message(&value.to_string()))).collect(),
            nesting_level: row.depth.saturating_sub(1),
            execution_order: order,
            importance,
        }
    }
}

pub(super) fn message(text: &str) -> Message {
    Message { text: text.to_owned() }
}

pub(super) fn location(file: &str, region: Option<Region>, text: Option<&str>) -> Location {
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
