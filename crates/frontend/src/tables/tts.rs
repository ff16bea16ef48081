//! # `.tts`
//! Thread transition systems: threads without stacks that start more of their kind. A local
//! state is a stack symbol, a move rewrites it. The initial states stand in comments before the
//! first line.

use selvedge_model::{SharedId, SymbolId};
use selvedge_program::Source;

use super::draft::{Block, Draft, Group};
use super::pds::out_of_range;
use super::rule::{Vocabulary, rule};
use super::words::{Kind, Scanner, Token};
use super::{Format, Report};
use crate::Diagnostic;

/// The name of the only template.
const THREAD: &str = "thread";

/// Reads the moves and the initial states.
pub(super) fn parse(source: &Source, report: &mut Report) -> Draft {
    let mut draft = Draft::default();
    let mut scanner = Scanner::new(source.text());
    if !scanner.skip_blank_lines() {
        report.push(Diagnostic::error(scanner.token.span, "the file is empty").hint(
            "the first line of a .tts is the number of shared states and that of local states",
        ));
        return draft;
    }
    let mut counts = match counts(&mut scanner) {
        Ok(counts) => counts,
        Err(wrong) => {
            report.push(wrong);
            Counts { shared: u32::MAX, local: u32::MAX }
        }
    };
    scanner.skip_line();
    let mut block = Block { name: THREAD.to_owned(), ..Block::default() };
    while report.lasts() && scanner.skip_blank_lines() {
        match rule(&mut scanner, Format::Tts, &mut counts, report) {
            Ok(rule) => block.rules.push(rule),
            Err(wrong) => report.push(wrong),
        }
        scanner.skip_line();
    }
    draft.builder.numbered_shared(counts.shared);
    block.range = Some((0, counts.local - 1));
    draft.blocks.push(block);

    let listed = Listed::in_comments(source.text());
    let mut initial = |what: &str, tokens: &[Token], count: u32| {
        let mut found = Vec::new();
        for &token in tokens {
            match below(count, what, &scanner, token) {
                Ok(number) => found.push(number),
                Err(wrong) => report.push(wrong),
            }
        }
        if tokens.is_empty() {
            found.push(0);
        }
        found
    };
    let shared = initial("shared state", &listed.shared, counts.shared);
    let local = initial("local state", &listed.local, counts.local);
    draft.initial = shared.into_iter().map(SharedId).collect();
    let stacks = local.into_iter().map(|state| vec![SymbolId(state)]).collect();
    draft.groups.push(Group {
        name: THREAD.to_owned(),
        count: 1,
        block: 0,
        more: Vec::new(),
        stacks,
    });
    draft
}

/// `shared local`: how many states there are.
fn counts(scanner: &mut Scanner<'_>) -> Result<Counts, Diagnostic> {
    let hint = "the first line of a .tts is the number of shared states and that of local states";
    let mut count = |what: &str| {
        let token = scanner.token;
        match scanner.number(&format!("the number of {what}")) {
            Ok(0) => Err(Diagnostic::error(token.span, format!("there are no {what}"))),
            Ok(count) => Ok(count),
            Err(wrong) => Err(wrong.hint(hint)),
        }
    };
    let counts = Counts { shared: count("shared states")?, local: count("local states")? };
    if !scanner.at_line_end() {
        return Err(scanner.unexpected(scanner.token, "the end of the line").hint(hint));
    }
    Ok(counts)
}

struct Counts {
    shared: u32,
    local: u32,
}

impl<'a> Vocabulary<'a> for Counts {
    fn shared(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SharedId, Diagnostic> {
        below(self.shared, "shared state", scanner, token).map(SharedId)
    }

    fn symbol(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SymbolId, Diagnostic> {
        below(self.local, "local state", scanner, token).map(SymbolId)
    }
}

fn below(count: u32, what: &str, scanner: &Scanner<'_>, token: Token) -> Result<u32, Diagnostic> {
    match token.kind {
        Kind::Number(number) if number < count => Ok(number),
        Kind::Number(number) => Err(out_of_range(what, token, number, count)),
        _ => Err(scanner.not_a_number(token, &format!("the number of a {what}"))),
    }
}

/// The initial states: `# shared state N: …` and `# local state N: …` in the comments before the
/// first line.
#[derive(Default)]
struct Listed {
    shared: Vec<Token>,
    local: Vec<Token>,
}

impl Listed {
    fn in_comments(text: &str) -> Listed {
        let mut listed = Listed::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            match line.find(|c: char| !c.is_whitespace() && c != '\u{feff}') {
                Some(at) if line[at..].starts_with('#') => listed.add(text, start + at + 1),
                Some(_) => break,
                None => {}
            }
            start += line.len();
        }
        listed
    }

    /// Adds what the comment that begins at an offset says.
    fn add(&mut self, text: &str, start: usize) {
        let mut scanner = Scanner::starting_at(text, start);
        let list = if scanner.take_word("shared") {
            &mut self.shared
        } else if scanner.take_word("local") {
            &mut self.local
        } else {
            return;
        };
        if scanner.take_word("state") {
            let state = scanner.take();
            let is_number = scanner.text(state).bytes().all(|b| b.is_ascii_digit());
            if state.is_name() && is_number && scanner.text(scanner.token) == ":" {
                list.push(state);
            }
        }
    }
}
