//! # Recursion without a base case
//! Warns about procedures that call themselves, or start themselves as threads, on every way to their end.

use selvedge_model::Patience;
use selvedge_program::{Program, flow};

use crate::Diagnostic;

pub(super) fn warnings(program: &Program, patience: Option<&Patience>) -> Vec<Diagnostic> {
    let default = Patience::default();
    let warning = |flow::Again { span, starts }| {
        let (message, hint) = match starts {
            false => (
                "this call never comes back: its procedure calls itself on every way to its end",
                "a recursion ends with a case that calls nothing: `if (…) return;` in front of the call",
            ),
            true => (
                "this starts threads without end: each of them starts the next one, on every way to its end",
                "the last one starts nothing: `if (…) return;` in front of `async`",
            ),
        };
        Diagnostic::warning(span, message).hint(hint)
    };
    let all = flow::without_end(program, patience.unwrap_or(&default));
    all.into_iter().map(warning).collect()
}
