//! # `.pds`
//! Numbers only: how many shared states there are, then for each thread `PDA lo hi` and its
//! rules. The range is a hint: published files use symbols outside of it.

use std::path::Path;

use selvedge_model::{SharedId, SymbolId};
use selvedge_program::Source;

use super::draft::{Block, Draft, Group, Stage};
use super::rule::{Vocabulary, rule};
use super::words::{Kind, Scanner, Token};
use super::{Format, Report};
use crate::Diagnostic;

/// Reads the rules.
pub(super) fn parse(source: &Source, report: &mut Report) -> Draft {
    let mut scanner = Scanner::new(source.text());
    let mut draft = Draft::default();
    if !scanner.skip_blank_lines() {
        let message = "the file is empty: it has no shared states and no threads";
        report.push(Diagnostic::error(scanner.token.span, message));
        return draft;
    }
    let mut numbers = Numbers { shared: count(&mut scanner, report) };
    draft.builder.numbered_shared(numbers.shared.unwrap_or(0));
    while scanner.skip_blank_lines() {
        if let Err(wrong) = line(&mut scanner, &mut draft, &mut numbers, report) {
            report.push(wrong);
        }
        scanner.skip_line();
    }
    if draft.blocks.is_empty() {
        let wrong = Diagnostic::error(scanner.token.span, "there is no thread in this file");
        report.push(wrong.hint("a thread starts with `PDA lo hi`, the range of its symbols"));
    }
    let group = |(block, b): (usize, &Block)| Group {
        name: b.name.clone(),
        count: 1,
        block,
        stacks: Vec::new(),
    };
    draft.groups = draft.blocks.iter().enumerate().map(group).collect();
    draft
}

/// The number of shared states, alone in the first line; `None` if that is not what stands there.
fn count(scanner: &mut Scanner<'_>, report: &mut Report) -> Option<u32> {
    let first = scanner.token;
    let mut rest = scanner.clone();
    rest.take();
    if scanner.text(first) == "PDA" || first.is_name() && !rest.at_line_end() {
        let message = "the number of shared states is missing";
        let hint = "the first line of a .pds is that number and nothing else";
        report.push(Diagnostic::error(first.span, message).hint(hint));
        return None;
    }
    match scanner.number("the number of shared states") {
        Ok(0) => report.push(Diagnostic::error(first.span, "there are no shared states")),
        Ok(count) => return Some(count),
        Err(wrong) => {
            report.push(wrong);
            scanner.skip_line();
        }
    }
    None
}

/// `PDA lo hi`, or a rule.
#[inline]
fn line(
    scanner: &mut Scanner<'_>,
    draft: &mut Draft,
    numbers: &mut Numbers,
    report: &mut Report,
) -> Result<(), Diagnostic> {
    let first = scanner.token;
    if first.kind == Kind::Word && scanner.take_word("PDA") {
        let name = format!("T{}", draft.blocks.len() + 1);
        draft.blocks.push(Block { name, ..Block::default() });
        let range = range(scanner)?;
        draft.blocks.last_mut().expect("just pushed").range = Some(range);
        return Ok(());
    }
    let Some(block) = draft.blocks.last_mut() else {
        return Err(Diagnostic::error(first.span, "this stands before the first `PDA`")
            .hint("each thread starts with `PDA lo hi`, the range of its symbols"));
    };
    if !matches!(first.kind, Kind::Number(_)) {
        return Err(scanner.not_a_number(first, "a rule or `PDA`"));
    }
    block.rules.push(rule(scanner, Format::Pds, numbers, report)?);
    Ok(())
}

/// `lo hi`
fn range(scanner: &mut Scanner<'_>) -> Result<(u32, u32), Diagnostic> {
    let hint = "`PDA lo hi` says that the stack symbols of the thread are lo to hi";
    let first = scanner.token;
    let low = scanner.number("the least stack symbol").map_err(|wrong| wrong.hint(hint))?;
    let last = scanner.token;
    let high = scanner.number("the greatest stack symbol").map_err(|wrong| wrong.hint(hint))?;
    if !scanner.at_line_end() {
        return Err(scanner.unexpected(scanner.token, "the end of the line").hint(hint));
    }
    if low > high {
        let message = "the range of the stack symbols runs backwards";
        return Err(Diagnostic::error(first.span.to(last.span), message).hint(hint));
    }
    Ok((low, high))
}

/// Every name is a number.
struct Numbers {
    /// How many shared states there are, if that is known.
    shared: Option<u32>,
}

impl<'a> Vocabulary<'a> for Numbers {
    #[inline]
    fn shared(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SharedId, Diagnostic> {
        let Kind::Number(number) = token.kind else {
            return Err(scanner.not_a_number(token, "the number of a shared state"));
        };
        match self.shared {
            Some(count) if number >= count => {
                Err(out_of_range("shared state", token, number, count))
            }
            _ => Ok(SharedId(number)),
        }
    }

    #[inline]
    fn symbol(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SymbolId, Diagnostic> {
        match token.kind {
            Kind::Number(number) => Ok(SymbolId(number)),
            _ => Err(scanner.not_a_number(token, "the number of a stack symbol")),
        }
    }
}

/// Complains about a number that is not below the number of things.
#[cold]
pub(super) fn out_of_range(what: &str, token: Token, number: u32, count: u32) -> Diagnostic {
    let message = format!("there is no {what} {number}");
    Diagnostic::error(token.span, message).label(match count {
        1 => format!("the only {what} is 0"),
        _ => format!("the {what}s are 0 to {}", count - 1),
    })
}

/// What to say if nobody said where the threads start.
pub(super) fn no_initial_state(source: &Source, stage: &Stage) -> String {
    let file = Path::new(source.name()).with_extension("init");
    let stacks = vec!["w"; stage.threads.len().min(8)].join(",");
    let stacks = if stage.threads.len() > 8 { stacks + ",…" } else { stacks };
    format!(
        "the initial state is missing: there is no file {}; write one, or say --init 'q|{stacks}' \
         with the shared state q and a stack w for each thread",
        file.display()
    )
}
