//! # `.pds`
//! Numbers only: how many shared states there are, then for each thread `PDA lo hi` and its
//! rules. The range is a hint: published files use symbols outside of it.

use std::path::Path;

use selvedge_model::{Rule, SharedId, SymbolId};
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
        report.push(
            Diagnostic::error(scanner.token.span, message)
                .hint("begin with the number of shared states; `PDA lo hi` starts a thread"),
        );
        return draft;
    }
    let mut numbers = Numbers { shared: count(&mut scanner, report) };
    let mut before_threads = None;
    draft.builder.numbered_shared(numbers.shared.unwrap_or(0));
    while report.lasts() && scanner.skip_blank_lines() {
        let first = scanner.token;
        if scanner.take_word("PDA") {
            let name = format!("T{}", draft.blocks.len() + 1);
            let range = range(&mut scanner).map_err(|wrong| report.push(wrong)).ok();
            draft.blocks.push(Block { name, range, ..Block::default() });
        } else if let Some(block) = draft.blocks.last_mut() {
            match rule_of_numbers(&mut scanner, &mut numbers, report) {
                Ok(rule) => block.rules.push(rule),
                Err(wrong) => report.push(wrong),
            }
        } else {
            before_threads.get_or_insert(first);
        }
        scanner.skip_line();
    }
    let hint = "each thread starts with `PDA lo hi`, the range of its symbols";
    if let Some(token) = before_threads {
        let message = "this stands before the first `PDA`";
        report.push(Diagnostic::error(token.span, message).hint(hint));
    } else if draft.blocks.is_empty() {
        let wrong = Diagnostic::error(scanner.token.span, "there is no thread in this file");
        report.push(wrong.hint(hint));
    }
    let group = |(block, b): (usize, &Block)| Group {
        name: b.name.clone(),
        count: 1,
        block,
        more: Vec::new(),
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

#[inline]
fn rule_of_numbers(
    scanner: &mut Scanner<'_>,
    numbers: &mut Numbers,
    report: &mut Report,
) -> Result<Rule, Diagnostic> {
    match scanner.token.kind {
        Kind::Number(_) => rule(scanner, Format::Pds, numbers, report),
        _ => Err(scanner.not_a_number(scanner.token, "a rule or `PDA`")),
    }
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
    /// The number of shared states, if that is known.
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

/// The message for a table without an initial state.
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
