//! The part of SARIF 2.1.0 that is written, as types. Names of fields are those of the standard (OASIS,
//! *Static Analysis Results Interchange Format*, section 3); what is not there is left out.

use std::collections::BTreeMap;

use serde::Serialize;

/// A SARIF file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Log {
    /// Where the form of such files is described.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the standard.
    pub version: &'static str,
    /// One run of Selvedge.
    pub runs: Vec<Run>,
}

/// One run of Selvedge.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// The tool that ran.
    pub tool: Tool,
    /// How the run ended.
    pub invocations: Vec<Invocation>,
    /// The unit that columns count in.
    pub column_kind: &'static str,
    /// The findings, one for each property.
    pub results: Vec<Finding>,
}

/// The program that ran.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tool {
    /// The description of Selvedge.
    pub driver: Driver,
}

/// Selvedge, and what it looks for.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Driver {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The same, as semantic versions are written.
    pub semantic_version: &'static str,
    /// The kinds of violations.
    pub rules: Vec<Rule>,
}

/// A kind of violation.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// The identifier that results refer to.
    pub id: &'static str,
    /// A readable identifier.
    pub name: &'static str,
    /// A description in one sentence.
    pub short_description: Message,
    /// Advice on violations of this kind.
    pub help: Message,
    /// The default severity.
    pub default_configuration: Configuration,
}

/// The severity of a kind of violation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Configuration {
    /// `error`, `warning`, `note` or `none`.
    pub level: &'static str,
}

/// A message for people.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Message {
    /// The text.
    pub text: String,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    /// The command line that asks it again, if one asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_line: Option<String>,
    /// Whether the question could be asked; an answer may still be missing.
    pub execution_successful: bool,
    /// The exit code.
    pub exit_code: u8,
    /// Why the question could not be asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_configuration_notifications: Vec<Notification>,
    /// What is to be known of a proof: assertions that are not reached, lines that no schedule executes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_execution_notifications: Vec<Notification>,
}

/// Something that is wrong with an input, or that is to be known of an answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Notification {
    /// The severity.
    pub level: &'static str,
    /// The message of the notification.
    pub message: Message,
    /// The places that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
}

/// What was found about one property.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The kind of violation that is, or is not, there.
    pub rule_id: &'static str,
    /// Its position among the rules.
    pub rule_index: usize,
    /// `fail`, `pass`, `open` or `notApplicable`.
    pub kind: &'static str,
    /// The severity; `none` unless the kind is `fail`.
    pub level: &'static str,
    /// The message of the finding.
    pub message: Message,
    /// The places that it is about.
    pub locations: Vec<Location>,
    /// Other places that matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    /// The schedules that lead to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_flows: Vec<CodeFlow>,
}

/// A schedule that leads to a violation.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeFlow {
    /// A description of the schedule.
    pub message: Message,
    /// The steps of each thread.
    pub thread_flows: Vec<ThreadFlow>,
}

/// The steps of one thread.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ThreadFlow {
    /// The name of the thread.
    pub id: String,
    /// Its steps; there is at least one.
    pub locations: Vec<FlowLocation>,
}

/// One step of a schedule.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FlowLocation {
    /// Where, and what the step does.
    pub location: Location,
    /// The values after it, of the shared variables and of those of the thread.
    pub state: BTreeMap<String, Message>,
    /// How deep the stack is.
    pub nesting_level: usize,
    /// The number of the step among all steps, counted from 1.
    pub execution_order: usize,
    /// `essential` for what has to do with other threads and for the last step, `important` for what begins a
    /// context, otherwise `unimportant`.
    pub importance: &'static str,
}

/// A place in a file.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// Which file, and where in it.
    pub physical_location: PhysicalLocation,
    /// A remark about the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// A file, and a place in it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    /// The file.
    pub artifact_location: ArtifactLocation,
    /// The place, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// A file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ArtifactLocation {
    /// Its name, as a reference.
    pub uri: String,
}

/// A part of a line. Columns count characters from 1; the last one is excluded.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    /// The line, counted from 1.
    pub start_line: u32,
    /// The first column.
    pub start_column: u32,
    /// The column after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Message>,
}
