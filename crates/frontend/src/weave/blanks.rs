//! Whether a blank stands between two tokens of a line.

use super::layout::{Kind, Piece};
use super::lexer;

/// Words with a condition behind them.
const BEFORE_CONDITIONS: [&str; 10] =
    ["if", "while", "for", "assert", "assume", "return", "constrain", "when", "until", "invariant"];

/// The state after the tokens so far.
#[derive(Default)]
pub(super) struct Blanks<'t> {
    /// The last token.
    pub last: &'t str,
    /// Whether an operand ends with it.
    is_operand: bool,
    /// Whether it is a sign in front of its only operand.
    is_prefix: bool,
    /// The number of `?` that have no `:` yet.
    choices: usize,
}

impl<'t> Blanks<'t> {
    /// Whether a blank stands between the last token and the next one.
    pub fn between(&self, last: &Piece<'t>, next: &Piece<'t>) -> bool {
        let is_apart = next.distance > 0;
        let wanted = self.wanted(last, next).unwrap_or(is_apart);
        wanted || is_apart && fuses(last.text, next.text)
    }

    /// Whether a blank belongs there; `None` if that is left to who wrote the text.
    fn wanted(&self, last: &Piece<'t>, next: &Piece<'t>) -> Option<bool> {
        let after_word = matches!(last.kind, Kind::Reserved | Kind::Name);
        Some(match (last.text, next.text) {
            // A loop may have nothing to do.
            (")", ";") => return None,
            (_, ";" | "," | ")" | "]" | "." | "'") | ("(" | "[" | ".", _) => false,
            ("{" | "..", _) | (_, "}" | "..") => return None,
            _ if self.is_prefix => false,
            (_, "++" | "--") if self.is_operand => false,
            (_, ":") => self.choices > 0,
            (word, "(") if BEFORE_CONDITIONS.contains(&word) => true,
            (_, "(") if last.kind == Kind::Name => false,
            ("int" | "lock" | "mutex" | "]", "[") => false,
            (_, "[") if last.kind == Kind::Name => false,
            (_, "(" | "[") if after_word || matches!(last.text, ")" | "]") => return None,
            ("#" | "@", _) | (_, "#" | "@") => return None,
            _ => true,
        })
    }

    /// Takes a token into account.
    pub fn take(&mut self, piece: &Piece<'t>) {
        let text = piece.text;
        match text {
            "?" => self.choices += 1,
            ":" => self.choices = self.choices.saturating_sub(1),
            ";" | "{" | "}" => self.choices = 0,
            _ => {}
        }
        let was_operand = self.is_operand;
        self.is_prefix = match text {
            "!" | "¬" | "~" => true,
            "-" | "+" | "&" | "++" | "--" => !was_operand,
            _ => false,
        };
        self.is_operand = match piece.kind {
            Kind::Name => true,
            Kind::Reserved => matches!(text, "true" | "false" | "none"),
            // Without an operand before it, `*` is one.
            _ if text == "*" => !was_operand,
            _ => matches!(text, ")" | "]" | "'") || was_operand && matches!(text, "++" | "--"),
        };
        self.last = text;
    }
}

/// Whether two tokens would be read as others if nothing stood between them.
fn fuses(last: &str, next: &str) -> bool {
    let both = format!("{last}{next}");
    lexer::kinds(&both).is_none_or(|kinds| kinds.len() != 2 || kinds[0].1.end != last.len())
}
