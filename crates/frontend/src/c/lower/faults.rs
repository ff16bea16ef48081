//! # What goes wrong
//! Faults that a run may have, each with its own words: what is wrong, and what to do. Where a fault is none of the properties that are asked about, the run ends there.

use selvedge_program::{Expr, Span};

use super::function::Fun;

/// Something that is undefined in C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// A null pointer is followed.
    Null,
    /// A pointer is followed that points to no object, or beyond the end of one.
    Outside,
    /// The object was freed, or is a variable of a function that has returned.
    Gone,
    /// An index of an array that is a value.
    Index,
    /// A pointer that is called points to no function that it can be.
    NoFunction,
    /// The freed object was never given by `malloc`.
    NotMade,
    /// The freed object was freed before.
    FreedBefore,
    /// A division by 0.
    DividedByZero,
}

impl Fault {
    fn says(self) -> &'static str {
        match self {
            Fault::Null => "a null pointer is followed: test it before",
            Fault::Outside => {
                "a pointer is followed that points to no object, or beyond the end of one: compare its index with the length"
            }
            Fault::Gone => {
                "a pointer is followed to memory that was freed, or to a variable of a function that has returned: let it live longer"
            }
            Fault::Index => "an index is outside of its array: compare it with the length",
            Fault::NoFunction => {
                "a pointer is called that points to no such function: give it one before"
            }
            Fault::NotMade => {
                "something is freed that `malloc` did not give: free what it gave, from its start"
            }
            Fault::FreedBefore => "memory is freed that was freed before: free it once",
            Fault::DividedByZero => "a division by 0: test the divisor before",
        }
    }

    /// The place of a fault. Several faults of one expression have different places, so that each has its own words.
    fn at(self, span: Span) -> Span {
        let shorter = match self {
            Fault::Null | Fault::FreedBefore => 1,
            Fault::Gone => 2,
            _ => 0,
        };
        Span { end: span.end.saturating_sub(shorter).max(span.start), ..span }
    }
}

impl Fun<'_, '_> {
    /// Emits an assertion that always fails, with a message.
    pub(super) fn fail(&mut self, span: Span, reason: &str) {
        let reasons = &mut self.lower.program.reasons;
        let said = reasons.entry(span).or_insert_with(|| reason.to_owned());
        if !said.contains(reason) {
            *said = format!("{said}; or {reason}");
        }
        self.emit(super::failure(), span);
    }

    /// Something goes wrong with memory: a violation where that is asked about, and the end of a run otherwise.
    pub(super) fn invalid(&mut self, fault: Fault, span: Span) {
        if self.lower.options.memory {
            self.fail(fault.at(span), &format!("undefined behaviour: {}", fault.says()));
        }
        self.stop(span);
    }

    /// Emits undefined behaviour that does not concern memory: a violation if everything is asked, the end of the run otherwise.
    pub(super) fn undefined(&mut self, fault: Fault, span: Span) {
        if self.lower.options.is_everything() {
            return self.invalid(fault, span);
        }
        self.stop(span);
    }

    /// Emits a check against misuse: a violation if everything is asked; otherwise it cannot be followed.
    pub(super) fn misuse(&mut self, may: Expr, reason: &str, span: Span) {
        let is_everything = self.lower.options.is_everything();
        self.branch(
            may,
            span,
            |_| {},
            |fun| match is_everything {
                true => {
                    fun.fail(span, &format!("undefined behaviour: {reason}"));
                    fun.stop(span);
                }
                false => fun.limit(span, reason.to_owned()),
            },
        );
    }

    /// Emits a place that may be wrong, as far as is known.
    pub(super) fn doubtful(&mut self, span: Span) {
        self.fail(span, "the result may not fit into its type, or something may be divided by 0");
        self.stop(span);
    }

    /// Emits undefined behaviour unless this condition holds.
    pub(super) fn require(&mut self, cond: Expr, fault: Fault, span: Span) {
        self.branch(cond, span, |_| {}, |fun| fun.invalid(fault, span));
    }
}
