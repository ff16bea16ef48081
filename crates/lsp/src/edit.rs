//! # What helps to write
//! Layout, completion, references, renaming, quick fixes, and colours by what a name means.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CompletionItem, CompletionItemKind, Location,
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, TextEdit,
    WorkspaceEdit,
};
use selvedge_frontend::Fix;
use selvedge_frontend::check::{Definition, Kind, Names};
use selvedge_frontend::weave;
use selvedge_program::Span;

use crate::document::Document;

/// The types of tokens that names are coloured as.
pub const TOKEN_TYPES: [SemanticTokenType; 8] = [
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::CLASS,
    SemanticTokenType::new("label"),
    SemanticTokenType::PROPERTY,
];

/// Modifiers of tokens. Shared variables are `static`, as in languages that editors know.
pub const TOKEN_MODIFIERS: [SemanticTokenModifier; 3] = [
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::READONLY,
    SemanticTokenModifier::STATIC,
];

/// The edit that lays out a text: nothing to do if it is laid out; none if it is no `.weave`, or cannot be.
pub fn formatting(document: &mut Document) -> Option<Vec<TextEdit>> {
    if !document.is_weave() {
        return None;
    }
    let text = weave::layout(&document.text)?;
    if text == document.text {
        return Some(Vec::new());
    }
    let all = Span::new(0, document.text.len());
    Some(vec![TextEdit::new(document.range(all), text)])
}

/// The names that can be meant at an offset, and the words of the language; behind a `.`, the members of what stands before it.
pub fn completion(document: &mut Document, offset: usize) -> Vec<CompletionItem> {
    let is_weave = document.is_weave();
    let path = path_before(&document.text, offset);
    // Behind a `.` that ends no path, as in `0..`, there is nothing to choose from yet.
    let follows_dot = document.text.get(..offset).is_some_and(|before| before.ends_with('.'));
    if path.is_none() && follows_dot {
        return Vec::new();
    }
    let path: Option<Vec<String>> =
        path.map(|names| names.into_iter().map(str::to_owned).collect());
    let Some(draft) = document.draft() else { return Vec::new() };
    let offset = offset as u32;
    if let Some(path) = path {
        return members(&draft.names, &path, offset);
    }
    let names = &draft.names.definitions;
    let is_here = |definition: &&Definition| match definition.inside {
        // Values of an enumeration are known everywhere, all else only inside.
        Some(_) if definition.kind == Kind::Member => false,
        Some(outer) => {
            definition.kind == Kind::Enumerator
                || names
                    .get(outer)
                    .is_some_and(|outer| outer.whole.start <= offset && offset <= outer.whole.end)
        }
        None => true,
    };
    let named = names.iter().filter(is_here).map(|definition| CompletionItem {
        label: definition.name.clone(),
        kind: Some(match definition.kind {
            Kind::Constant => CompletionItemKind::CONSTANT,
            Kind::Enumeration => CompletionItemKind::ENUM,
            Kind::Enumerator => CompletionItemKind::ENUM_MEMBER,
            Kind::Procedure => CompletionItemKind::FUNCTION,
            Kind::Thread => CompletionItemKind::CLASS,
            Kind::Label | Kind::Predicate => CompletionItemKind::REFERENCE,
            Kind::Shared | Kind::Parameter | Kind::Local | Kind::Number => {
                CompletionItemKind::VARIABLE
            }
            Kind::Struct => CompletionItemKind::STRUCT,
            Kind::Member => CompletionItemKind::FIELD,
        }),
        detail: Some(definition.text.clone()),
        ..CompletionItem::default()
    });
    let is_name = |word: &str| names.iter().any(|definition| definition.name == word);
    let words = weave::words().filter(|word| is_weave && !is_name(word));
    let words = words.map(|word| CompletionItem {
        label: word.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        ..CompletionItem::default()
    });
    named.chain(words).collect()
}

/// The names before a `.` that stands before an offset, or before the name there: `q` and `next` of `q[1].next.va`.
fn path_before(text: &str, offset: usize) -> Option<Vec<&str>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = text.get(..offset)?.trim_end_matches(is_name);
    let mut path = Vec::new();
    while let Some(before) = rest.strip_suffix('.') {
        let mut before = before;
        while before.ends_with(']') {
            let mut depth = 0_usize;
            let open = before.char_indices().rev().find(|(_, c)| {
                depth += usize::from(*c == ']');
                depth -= usize::from(*c == '[');
                depth == 0
            });
            before = &before[..open?.0];
        }
        rest = before.trim_end_matches(is_name);
        path.push(&before[rest.len()..]);
    }
    path.reverse();
    (!path.is_empty() && path.iter().all(|name| !name.is_empty())).then_some(path)
}

/// The members of the struct that a path leads to.
fn members(names: &Names, path: &[impl AsRef<str>], offset: u32) -> Vec<CompletionItem> {
    let all = &names.definitions;
    let is_here = |definition: &Definition| match definition.inside {
        Some(outer) => all
            .get(outer)
            .is_some_and(|outer| outer.whole.start <= offset && offset <= outer.whole.end),
        None => true,
    };
    let variable = |definition: &Definition| {
        matches!(definition.kind, Kind::Shared | Kind::Local | Kind::Parameter)
            && is_here(definition)
            && path.first().is_some_and(|first| first.as_ref() == definition.name)
    };
    // A local variable hides a shared one.
    let found = all.iter().position(|d| d.inside.is_some() && variable(d));
    let found = found.or_else(|| all.iter().position(variable));
    let mut of = found.and_then(|id| names.struct_of(id));
    for name in path.iter().skip(1) {
        let member = all.iter().position(|d| {
            d.kind == Kind::Member && d.inside == of && d.name == name.as_ref() && of.is_some()
        });
        of = member.and_then(|id| names.struct_of(id));
    }
    let Some(of) = of else { return Vec::new() };
    let listed = all.iter().filter(|d| d.kind == Kind::Member && d.inside == Some(of));
    let item = |member: &Definition| CompletionItem {
        label: member.name.clone(),
        kind: Some(CompletionItemKind::FIELD),
        detail: Some(member.text.clone()),
        ..CompletionItem::default()
    };
    listed.map(item).collect()
}

/// Where else the name at an offset stands.
pub fn references(document: &mut Document, offset: usize, declared: bool) -> Option<Vec<Location>> {
    let names = &document.draft()?.names;
    let spans = places(names, meant(names, offset)?, declared);
    Some(spans.into_iter().map(|span| document.location(span)).collect())
}

/// The edits that give another name to what stands at an offset, or why that cannot be.
pub fn rename(document: &mut Document, offset: usize, name: &str) -> Result<WorkspaceEdit, String> {
    let nothing = || "there is no name here".to_owned();
    let draft = document.draft().ok_or_else(nothing)?;
    let id = meant(&draft.names, offset).ok_or_else(nothing)?;
    if draft.program.is_none() {
        return Err("what names mean is known when the mistakes are mended".to_owned());
    }
    let names = draft.names.clone();
    let spans = places(&names, id, true);
    // The text with the new name has to mean the same: every name still means what it meant.
    let mut renamed = document.text.clone();
    for span in spans.iter().rev() {
        renamed.replace_range(span.start as usize..span.end as usize, name);
    }
    let mut changed = document.with_text(renamed);
    let after = changed.draft().ok_or_else(nothing)?;
    let meaning = |names: &Names| {
        let kinds: Vec<_> = names.definitions.iter().map(|d| (d.kind, d.inside)).collect();
        (kinds, names.uses.iter().map(|(_, id)| *id).collect::<Vec<_>>())
    };
    let is_same = after.program.is_some()
        && meaning(&names) == meaning(&after.names)
        && after.names.definitions[id].name == name;
    if !is_same {
        return Err(format!("with the name `{name}` the program would not mean the same"));
    }
    let edits = spans.iter().map(|span| TextEdit::new(document.range(*span), name.to_owned()));
    Ok(edited(document, edits.collect()))
}

/// Edits of one document.
#[allow(clippy::mutable_key_type)] // The type of the protocol; addresses have nothing that changes.
fn edited(document: &Document, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit::new(HashMap::from([(document.uri.clone(), edits)]))
}

/// A fix for each mistake in a part of the text whose hint says what was meant.
pub fn fixes(document: &mut Document, from: usize, to: usize) -> Vec<CodeActionOrCommand> {
    let text = document.text.clone();
    let Some(draft) = document.draft() else { return Vec::new() };
    let touches = |span: Span| span.start as usize <= to && from <= span.end as usize;
    let found: Vec<(Span, String)> = (draft.diagnostics.list.iter())
        .filter(|diagnostic| touches(diagnostic.label.span))
        .filter_map(|diagnostic| {
            if let Some(Fix { span, text }) = diagnostic.fix.as_deref() {
                return Some((*span, text.clone()));
            }
            let hint = diagnostic.hint.as_deref()?.strip_prefix("did you mean `")?;
            let meant = hint.split_once("`?")?.0;
            let (start, end) =
                (diagnostic.label.span.start as usize, diagnostic.label.span.end as usize);
            let (from, to, new) = in_its_place(text.get(start..end)?, meant)?;
            Some((Span::new(start + from, start + to), new))
        })
        .collect();
    let fix = |(span, new): (Span, String)| CodeAction {
        title: match new.as_str() {
            "" => format!("Leave out `{}`", text[span.start as usize..span.end as usize].trim()),
            new => format!("Write `{new}`"),
        },
        kind: Some(CodeActionKind::QUICKFIX),
        is_preferred: Some(true),
        edit: Some(edited(document, vec![TextEdit::new(document.range(span), new)])),
        ..CodeAction::default()
    };
    found.into_iter().map(|found| fix(found).into()).collect()
}

/// Which part of a text that is marked as a mistake is replaced, and by what: a word by a word, the one sign of a comparison or an
/// assignment by the other one, a name by a pointer with that name. `None` where that is not clear.
fn in_its_place(marked: &str, meant: &str) -> Option<(usize, usize, String)> {
    let is_word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
    };
    if is_word(marked) {
        let new = match meant {
            "void *" => format!("*{marked}"),
            _ => is_word(meant).then(|| meant.to_owned())?,
        };
        return Some((0, marked.len(), new));
    }
    let written = match meant {
        "=" => "==",
        "==" => "=",
        _ => return None,
    };
    // Another sign of the kind, as in `a == b == c` or `a[i == j] = 0`: which one is meant?
    let signs: Vec<_> = marked.match_indices('=').collect();
    let (first, last) = (signs.first()?.0, signs.last()?.0);
    let is_alone = signs.len() == written.len() && last + 1 - first == written.len();
    let is_other = first > 0 && "!<>+-*/%&|^".contains(&marked[first - 1..first]);
    (is_alone && !is_other).then(|| (first, last + 1, meant.to_owned()))
}

/// The type of every name in the text, each place relative to the one before it.
pub fn colours(document: &mut Document) -> Option<SemanticTokens> {
    let names = document.draft()?.names.clone();
    let declared = names.definitions.iter().map(|definition| (definition.span, definition, 1));
    let used = names.uses.iter();
    let used = used.filter_map(|(span, id)| Some((*span, names.definitions.get(*id)?, 0)));
    let mut all: Vec<_> = declared.chain(used).collect();
    // `thread f;` declares a thread and uses a procedure in one place.
    all.sort_by_key(|(span, ..)| (span.start, span.end));
    all.dedup_by_key(|(span, ..)| span.start);
    let mut data = Vec::new();
    let mut last = lsp_types::Position::default();
    for (span, definition, modifiers) in all {
        let range = document.range(span);
        let (token_type, more) = colour(definition.kind);
        let start = range.start;
        data.push(SemanticToken {
            delta_line: start.line - last.line,
            delta_start: match start.line == last.line {
                true => start.character - last.character,
                false => start.character,
            },
            length: range.end.character.saturating_sub(start.character),
            token_type,
            token_modifiers_bitset: modifiers | more,
        });
        last = start;
    }
    Some(SemanticTokens { result_id: None, data })
}

/// The position of a type in [`TOKEN_TYPES`], and the modifiers as bits.
fn colour(kind: Kind) -> (u32, u32) {
    match kind {
        Kind::Constant => (0, 0b010),
        Kind::Shared => (0, 0b100),
        Kind::Local => (0, 0),
        Kind::Number => (1, 0b010),
        Kind::Parameter => (1, 0),
        Kind::Procedure | Kind::Predicate => (2, 0),
        Kind::Enumeration => (3, 0),
        Kind::Enumerator => (4, 0b010),
        Kind::Thread | Kind::Struct => (5, 0),
        Kind::Member => (7, 0),
        Kind::Label => (6, 0),
    }
}

/// The definition that the name at an offset means, by its position.
fn meant(names: &Names, offset: usize) -> Option<usize> {
    let (_, found) = names.at(offset as u32)?;
    names.definitions.iter().position(|definition| std::ptr::eq(definition, found))
}

/// All places of a name, in their order.
fn places(names: &Names, id: usize, declared: bool) -> Vec<Span> {
    let own = names.definitions.get(id).filter(|_| declared).map(|definition| definition.span);
    let uses = names.uses.iter().filter(|(_, used)| *used == id).map(|(span, _)| *span);
    let mut spans: Vec<Span> = own.into_iter().chain(uses).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
}
