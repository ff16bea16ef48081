//! # One rule
//! `q s -> q' w`, the same in all formats except for what they leave out: a `.tts` has no stacks,
//! a `.pds` starts no threads.

use selvedge_model::{Rule, SharedId, SymbolId, Word};

use super::words::{Kind, Scanner, Token};
use super::{Format, Report};
use crate::Diagnostic;

/// Resolves the names in a rule.
pub(super) trait Vocabulary<'a> {
    /// The shared state of this name.
    fn shared(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SharedId, Diagnostic>;

    /// The stack symbol of this name.
    fn symbol(&mut self, scanner: &Scanner<'a>, token: Token) -> Result<SymbolId, Diagnostic>;
}

/// Reads one rule, up to the end of the line or a `}`. An unknown name is reported, and reading
/// goes on; where the rule is not one, the reason is returned.
#[inline]
pub(super) fn rule<'a>(
    scanner: &mut Scanner<'a>,
    format: Format,
    vocabulary: &mut impl Vocabulary<'a>,
    report: &mut Report,
) -> Result<Rule, Diagnostic> {
    let line = scanner.line;
    let mut words = Words { scanner, vocabulary, report };
    let shared = words.shared()?;
    let top_token = words.scanner.token;
    let top = words.symbol_or_dash("a stack symbol")?;
    let arrow = words.scanner.take();
    if !matches!(arrow.kind, Kind::Arrow | Kind::SpawnArrow) {
        let wrong = words.scanner.unexpected(arrow, "`->`");
        return Err(wrong.hint(format!("a rule is written {}", example(format))));
    }
    let to_shared = words.shared()?;
    let word_token = words.scanner.token;
    let (mut word, mut spawn) = (words.word()?, None);
    let plus = words.scanner.token;
    if words.scanner.take_if(Kind::Plus) {
        spawn = Some(words.symbol("the first stack symbol of the new thread")?);
    }
    if !words.scanner.at_line_end() && words.scanner.token.kind != Kind::Close {
        return Err(words.too_much());
    }
    match format {
        Format::Tts => {
            let local = |token: Token| {
                Diagnostic::error(token.span, "a thread of a .tts is always at one local state")
                    .hint("for stacks, use .pds or .cpds")
            };
            let (Some(at), Word::Rewrite(to)) = (top, word) else {
                return Err(local(if top.is_none() { top_token } else { word_token }));
            };
            if plus.kind == Kind::Plus {
                return Err(Diagnostic::error(plus.span, "`+` starts a thread in .cpds only")
                    .hint("in .tts, write `s l +> s' l'`"));
            }
            if arrow.kind == Kind::SpawnArrow {
                (word, spawn) = (Word::Rewrite(at), Some(to));
            }
        }
        Format::Pds if plus.kind == Kind::Plus => {
            return Err(Diagnostic::error(plus.span, "a rule of a .pds cannot start a thread")
                .hint("a .cpds file can have such rules"));
        }
        Format::Pds | Format::Cpds if arrow.kind == Kind::SpawnArrow => {
            return Err(Diagnostic::error(arrow.span, "`+>` starts a thread in .tts only")
                .hint("in .cpds, write `q s -> q' w + s'` to start a thread at s'"));
        }
        Format::Pds | Format::Cpds => {}
    }
    Ok(Rule { shared, top, to_shared, word, spawn, line })
}

fn example(format: Format) -> &'static str {
    match format {
        Format::Tts => "`s l -> s' l'`",
        Format::Pds | Format::Cpds => "`q s -> q' w`, where w is `-`, one symbol or two",
    }
}

/// The words of a rule.
struct Words<'s, 'a, V> {
    scanner: &'s mut Scanner<'a>,
    vocabulary: &'s mut V,
    report: &'s mut Report,
}

impl<'a, V: Vocabulary<'a>> Words<'_, 'a, V> {
    fn shared(&mut self) -> Result<SharedId, Diagnostic> {
        let token = self.scanner.name("a shared state")?;
        Ok(self.vocabulary.shared(self.scanner, token).unwrap_or_else(|wrong| {
            self.report.push(wrong);
            SharedId(0)
        }))
    }

    fn symbol(&mut self, wanted: &str) -> Result<SymbolId, Diagnostic> {
        let token = self.scanner.name(wanted)?;
        Ok(self.vocabulary.symbol(self.scanner, token).unwrap_or_else(|wrong| {
            self.report.push(wrong);
            SymbolId(0)
        }))
    }

    fn symbol_or_dash(&mut self, wanted: &str) -> Result<Option<SymbolId>, Diagnostic> {
        if self.scanner.take_if(Kind::Dash) { Ok(None) } else { self.symbol(wanted).map(Some) }
    }

    fn word(&mut self) -> Result<Word, Diagnostic> {
        let Some(top) = self.symbol_or_dash("the new top of the stack, or `-` for a pop")? else {
            return Ok(Word::Pop);
        };
        if !self.scanner.token.is_name() {
            return Ok(Word::Rewrite(top));
        }
        let under = self.symbol("a stack symbol")?;
        Ok(Word::Push { top, under })
    }

    /// Complains about what follows a whole rule.
    fn too_much(&self) -> Diagnostic {
        let token = self.scanner.token;
        if token.is_name() {
            Diagnostic::error(token.span, "a rule pushes at most two symbols")
                .label("this is one more")
                .hint("push two, and let another rule push the rest")
        } else {
            self.scanner.unexpected(token, "the end of the line")
        }
    }
}
