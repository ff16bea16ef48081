//! # What is shown
//! Diagnostics, symbols, hovers and lenses, as the protocol writes them.

use std::collections::BTreeMap;

use selvedge_frontend::check::{Definition, Kind};
use selvedge_frontend::{Diagnostic, Draft, Severity};
use serde_json::{Value, json};

use crate::document::{Document, LARGEST_TEXT};
use crate::verify::{Shown, State};

/// More mistakes than this are not sent: nobody reads that far.
const MOST_DIAGNOSTICS: usize = 500;

/// The commands of the code lenses.
pub const VERIFY: &str = "selvedge.verify";
pub const LIVELOCK: &str = "selvedge.livelock";
pub const CANCEL: &str = "selvedge.cancel";

/// What is wrong with a text.
pub fn diagnostics(uri: &str, document: &mut Document) -> Vec<Value> {
    if document.text.len() > LARGEST_TEXT {
        let message = "this text is too large to be checked as it is written; `selvedge check-syntax` \
                       checks the file";
        let range = document.range(selvedge_program::Span::new(0, 0));
        return vec![
            json!({"range": range, "severity": 2, "source": "selvedge", "message": message}),
        ];
    }
    let Some(draft) = document.draft() else { return Vec::new() };
    let list: Vec<Diagnostic> =
        draft.diagnostics.list.iter().take(MOST_DIAGNOSTICS).cloned().collect();
    list.iter().map(|diagnostic| one(uri, document, diagnostic)).collect()
}

fn one(uri: &str, document: &Document, diagnostic: &Diagnostic) -> Value {
    let mut message = diagnostic.message.clone();
    if !diagnostic.label.text.is_empty() {
        message += &format!(": {}", diagnostic.label.text);
    }
    if let Some(hint) = &diagnostic.hint {
        message += &format!("\n{hint}");
    }
    let related: Vec<Value> = (diagnostic.related.iter())
        .map(|label| {
            let location = json!({"uri": uri, "range": document.range(label.span)});
            json!({"location": location, "message": label.text})
        })
        .collect();
    json!({
        "range": document.range(diagnostic.label.span),
        "severity": match diagnostic.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
        },
        "source": "selvedge",
        "message": message,
        "relatedInformation": related,
    })
}

/// Where the name at an offset is declared.
pub fn definition(uri: &str, document: &mut Document, offset: usize) -> Value {
    let Some(draft) = document.draft() else { return Value::Null };
    let Some((_, found)) = draft.names.at(offset as u32) else { return Value::Null };
    let span = found.span;
    json!({"uri": uri, "range": document.range(span)})
}

/// What the name at an offset means.
pub fn hover(document: &mut Document, offset: usize) -> Value {
    let Some(draft) = document.draft() else { return Value::Null };
    let names = &draft.names;
    let Some((span, found)) = names.at(offset as u32) else { return Value::Null };
    let inside = found.inside.and_then(|id| names.definitions.get(id));
    let inside = inside.map(|outer| format!(" of `{}`", outer.name)).unwrap_or_default();
    let text = format!("```weave\n{}\n```\n{}{inside}", found.text, found.kind.what());
    json!({"contents": {"kind": "markdown", "value": text}, "range": document.range(span)})
}

/// The outline of a text.
pub fn symbols(document: &mut Document) -> Value {
    let Some(draft) = document.draft() else { return json!([]) };
    let names = draft.names.clone();
    // What is inside of something has nothing inside of itself: the tree has two levels.
    let mut inner: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for found in &names.definitions {
        let Some(outer) = found.inside else { continue };
        inner.entry(outer).or_default().push(symbol(document, found, Vec::new()));
    }
    let outer = names.definitions.iter().enumerate().filter(|(_, found)| found.inside.is_none());
    let outer = outer.map(|(id, found)| {
        let children = inner.remove(&id).unwrap_or_default();
        symbol(document, found, children)
    });
    outer.collect()
}

fn symbol(document: &Document, found: &Definition, children: Vec<Value>) -> Value {
    let kind = match found.kind {
        Kind::Constant => 14,
        Kind::Enumeration => 10,
        Kind::Enumerator => 22,
        Kind::Shared | Kind::Parameter | Kind::Local | Kind::Number => 13,
        Kind::Struct => 23,
        Kind::Member => 8,
        Kind::Procedure => 12,
        Kind::Thread => 5,
        Kind::Label => 20,
        Kind::Predicate => 17,
    };
    json!({
        "name": found.name,
        "detail": found.text,
        "kind": kind,
        "range": document.range(found.whole.to(found.span)),
        "selectionRange": document.range(found.span),
        "children": children,
    })
}

/// The lenses of a text: one for the file, one for each thread (or for `main`, where there is none).
pub fn lenses(uri: &str, document: &mut Document, state: &State) -> Value {
    let Some(draft) = document.draft() else { return json!([]) };
    if draft.program.is_none() {
        return json!([]);
    }
    let (title, command) = match state {
        State::Idle => ("▶ Verify".to_owned(), VERIFY),
        State::Running(_) => ("verifying … (stop)".to_owned(), CANCEL),
        State::Done(Shown { title, .. }) => (title.clone(), VERIFY),
    };
    let mut places = vec![selvedge_program::Span::new(0, 0)];
    places.extend(entries(draft).map(|found| found.span));
    let lens = |span, title: &str, command| {
        let command = json!({"title": title, "command": command, "arguments": [uri]});
        json!({"range": document.range(span), "command": command})
    };
    let file = places[0];
    let mut lenses: Vec<Value> =
        places.into_iter().map(|span| lens(span, &title, command)).collect();
    if !matches!(state, State::Running(_)) {
        lenses.push(lens(file, "▶ Does every fair run end?", LIVELOCK));
    }
    lenses.into()
}

/// What is executed from the start.
fn entries(draft: &Draft) -> impl Iterator<Item = &Definition> {
    let all = &draft.names.definitions;
    let has_threads = all.iter().any(|found| found.kind == Kind::Thread);
    all.iter().filter(move |found| match has_threads {
        true => found.kind == Kind::Thread,
        false => found.kind == Kind::Procedure && found.name == "main",
    })
}
