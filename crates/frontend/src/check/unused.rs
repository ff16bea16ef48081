//! # What nobody uses
//! A lock that nobody acquires guards nothing, and a `main` beside `thread` declarations is run by nobody. Both are read without a mistake, and a program without
//! them is often safe because nothing happens in it. A shared variable that nobody assigns is a constant by its first value, so nobody is warned of it.

use selvedge_program::Span;

use super::items::Items;
use crate::Diagnostic;
use crate::syntax::{Entry, TypeKind};

/// Warns of locks whose names stand nowhere but in their declarations, and of a `main` that no thread runs and nobody calls.
pub(super) fn warnings(items: &Items<'_>) -> Vec<Diagnostic> {
    let uses = items.uses.borrow();
    let is_used = |declared: Span| uses.iter().any(|(_, used)| *used == declared);
    let mut warnings = Vec::new();
    for decl in items.globals.iter().map(|global| global.decl) {
        // Those that structs are made of have names that nobody can write.
        let is_written = decl.name.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if matches!(decl.ty.kind, TypeKind::Lock) && is_written && !is_used(decl.name.span) {
            let name = &decl.name.text;
            let message = format!("`{name}` is never acquired");
            let hint = format!(
                "write `acquire {name};` before what it guards, and `release {name};` behind it; or leave the lock out"
            );
            warnings.push(Diagnostic::warning(decl.name.span, message).hint(hint));
        }
    }
    let is_run = items.threads.iter().any(|thread| match &thread.entry {
        Entry::SameName | Entry::Body(_) => thread.name.text == "main",
        Entry::Call(name, _) => name.text == "main",
    });
    let others = items.threads.iter().find(|thread| !thread.name.text.starts_with("invariant"));
    let main = items.procs.iter().find(|proc| proc.name.text == "main" && proc.binder.is_none());
    if let (Some(main), Some(others), false) = (main, others, is_run)
        && main.name.span != others.name.span
        && !is_used(main.name.span)
    {
        let hint = "the threads of this program are those that `thread` declares: write `thread main;`, too, if it is one of them";
        warnings.push(
            Diagnostic::warning(main.name.span, "`main` is run by nobody")
                .related(others.name.span, "this thread is there from the start")
                .hint(hint),
        );
    }
    warnings
}
