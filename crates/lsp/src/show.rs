//! # What is shown
//! Diagnostics, symbols, hovers and lenses, as the protocol writes them.

use std::collections::BTreeMap;

use lsp_types::{
    CodeLens, Command, Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity,
    DiagnosticTag, DocumentSymbol, Hover, HoverContents, Location, MarkupContent, MarkupKind,
    SymbolKind,
};
use selvedge_frontend::check::{Definition, Kind};
use selvedge_frontend::{Diagnostic, Draft, Severity};
use selvedge_program::Span;

use crate::document::{Document, LARGEST_TEXT};
use crate::verify::{ShownAnswer, State};

/// More mistakes than this are not sent: nobody reads that far.
const MOST_DIAGNOSTICS: usize = 500;

/// The commands of the code lenses.
pub const VERIFY: &str = "selvedge.verify";
pub const DEADLOCK: &str = "selvedge.deadlock";
pub const LIVELOCK: &str = "selvedge.livelock";
pub const CANCEL: &str = "selvedge.cancel";

/// The diagnostics of a text.
pub fn diagnostics(document: &mut Document) -> Vec<Shown> {
    if document.text.len() > LARGEST_TEXT {
        let message = "this text is too large to be checked as it is written; `selvedge check-syntax` \
                       checks the file";
        return vec![Shown {
            range: document.range(Span::new(0, 0)),
            severity: Some(DiagnosticSeverity::WARNING),
            source: Some("selvedge".to_owned()),
            message: message.to_owned(),
            ..Shown::default()
        }];
    }
    let Some(draft) = document.draft() else { return Vec::new() };
    let list: Vec<Diagnostic> =
        draft.diagnostics.list.iter().take(MOST_DIAGNOSTICS).cloned().collect();
    list.iter().map(|diagnostic| one(document, diagnostic)).collect()
}

fn one(document: &Document, diagnostic: &Diagnostic) -> Shown {
    let mut message = diagnostic.message.clone();
    if !diagnostic.label.text.is_empty() {
        message += &format!(": {}", diagnostic.label.text);
    }
    if let Some(hint) = &diagnostic.hint {
        message += &format!("\n{hint}");
    }
    let related = diagnostic.related.iter().map(|label| (label.span, label.text.clone()));
    Shown {
        range: document.range(diagnostic.label.span),
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        source: Some("selvedge".to_owned()),
        message,
        related_information: Some(related_to(document, related)),
        ..Shown::default()
    }
}

/// Related places, with their messages.
fn related_to(
    document: &Document,
    places: impl Iterator<Item = (Span, String)>,
) -> Vec<DiagnosticRelatedInformation> {
    let one = |(span, message)| {
        let location = document.location(span);
        DiagnosticRelatedInformation { location, message }
    };
    places.map(one).collect()
}

/// The findings of a run: a violation with its schedule, what no schedule executes, and assertions that are never reached.
pub fn found(document: &Document, found: &ShownAnswer) -> Vec<Shown> {
    let source = Some("selvedge verify".to_owned());
    let mut list = Vec::new();
    if let Some(violation) = &found.violation {
        list.push(Shown {
            range: document.range(violation.span),
            severity: Some(found.severity),
            source: source.clone(),
            message: found.message.clone(),
            related_information: Some(related_to(document, violation.steps.iter().cloned())),
            ..Shown::default()
        });
    }
    let hint = |(span, message): &(Span, String), tags| Shown {
        range: document.range(*span),
        severity: Some(DiagnosticSeverity::HINT),
        source: source.clone(),
        message: message.clone(),
        tags,
        ..Shown::default()
    };
    list.extend(found.faded.iter().map(|it| hint(it, Some(vec![DiagnosticTag::UNNECESSARY]))));
    list.extend(found.unreached.iter().map(|it| hint(it, None)));
    list
}

/// Where the name at an offset is declared.
pub fn definition(document: &mut Document, offset: usize) -> Option<Location> {
    let (_, found) = document.draft()?.names.at(offset as u32)?;
    let span = found.span;
    Some(document.location(span))
}

/// A description of the name at an offset.
pub fn hover(document: &mut Document, offset: usize) -> Option<Hover> {
    let names = &document.draft()?.names;
    let (span, found) = names.at(offset as u32)?;
    let inside = found.inside.and_then(|id| names.definitions.get(id));
    let inside = inside.map(|outer| format!(" of `{}`", outer.name)).unwrap_or_default();
    let value = format!("```weave\n{}\n```\n{}{inside}", found.text, found.kind.what());
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(document.range(span)) })
}

/// The outline of a text.
pub fn symbols(document: &mut Document) -> Vec<DocumentSymbol> {
    let Some(draft) = document.draft() else { return Vec::new() };
    let names = draft.names.clone();
    // What is inside of something has nothing inside of itself: the tree has two levels.
    let mut inner: BTreeMap<usize, Vec<DocumentSymbol>> = BTreeMap::new();
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

#[allow(deprecated)] // The protocol has a field that nobody should set, and its type wants to know that.
fn symbol(
    document: &Document,
    found: &Definition,
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    DocumentSymbol {
        name: found.name.clone(),
        detail: Some(found.text.clone()),
        kind: match found.kind {
            Kind::Constant => SymbolKind::CONSTANT,
            Kind::Enumeration => SymbolKind::ENUM,
            Kind::Enumerator => SymbolKind::ENUM_MEMBER,
            Kind::Shared | Kind::Parameter | Kind::Local | Kind::Number => SymbolKind::VARIABLE,
            Kind::Struct => SymbolKind::STRUCT,
            Kind::Member => SymbolKind::FIELD,
            Kind::Procedure => SymbolKind::FUNCTION,
            Kind::Thread => SymbolKind::CLASS,
            Kind::Label => SymbolKind::KEY,
            Kind::Predicate => SymbolKind::BOOLEAN,
        },
        tags: None,
        deprecated: None,
        range: document.range(found.whole.to(found.span)),
        selection_range: document.range(found.span),
        children: Some(children),
    }
}

/// The lenses of a text: one for the file, one for each thread (or for `main`, where there is none), and two that ask something else.
pub fn lenses(document: &mut Document, state: &State) -> Vec<CodeLens> {
    let Some(draft) = document.draft() else { return Vec::new() };
    if draft.program.is_none() {
        return Vec::new();
    }
    let (title, command) = match state {
        State::Idle => ("▶ Verify".to_owned(), VERIFY),
        State::Running(_) => ("verifying … (stop)".to_owned(), CANCEL),
        State::Done(ShownAnswer { title, .. }) => (title.clone(), VERIFY),
    };
    let file = Span::new(0, 0);
    let places: Vec<Span> =
        std::iter::once(file).chain(entries(draft).map(|found| found.span)).collect();
    let lens = |span, title: &str, command: &str| CodeLens {
        range: document.range(span),
        command: Some(Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![document.uri.as_str().into()]),
        }),
        data: None,
    };
    let mut lenses: Vec<CodeLens> =
        places.into_iter().map(|span| lens(span, &title, command)).collect();
    if !matches!(state, State::Running(_)) {
        lenses.push(lens(file, "▶ Can all threads get stuck?", DEADLOCK));
        lenses.push(lens(file, "▶ Does every fair run end?", LIVELOCK));
    }
    lenses
}

/// The procedures and bodies that are executed from the start.
fn entries(draft: &Draft) -> impl Iterator<Item = &Definition> {
    let all = &draft.names.definitions;
    let has_threads = all.iter().any(|found| found.kind == Kind::Thread);
    all.iter().filter(move |found| match has_threads {
        true => found.kind == Kind::Thread,
        false => found.kind == Kind::Procedure && found.name == "main",
    })
}
