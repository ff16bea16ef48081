//! # Marks
//! Where a statement of the result comes from. While a program is transformed, spans are not places
//! in a text but marks: which statement of the original a statement stands for, and what its
//! execution says about it. In the end the marks are read off the flow graph, edge by edge, and the
//! spans become places again.

use crate::walk;
use crate::{Block, Program, Span};

/// The meaning of a statement of the result, which its span encodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// The statement with this number takes a step.
    Step(u32),
    /// The end of the procedure with this number is reached.
    End(u32),
    /// A condition of the statement is tested; it takes a step only if it then fails.
    Check(u32),
    /// The statement takes a step if this test does not hold.
    Begin(u32),
    /// Something on the way to or from the statement; no step.
    Silent(u32),
    /// The thread with this number begins.
    Thread(u32),
}

const END: u32 = 1 << 31;
const CHECK: u32 = 1 << 30;
const BEGIN: u32 = 1 << 29;
const SILENT: u32 = 1 << 28;
const THREAD: u32 = 1 << 27;
const NUMBER: u32 = THREAD - 1;

/// The number of what stands for no statement.
pub(crate) const NOWHERE: u32 = NUMBER;

impl Mark {
    /// The mark as a span. The flow graph makes the end of a step from it.
    pub fn span(self) -> Span {
        let both = |n: u32| Span { start: n, end: n };
        match self {
            Mark::Step(n) => Span { start: n, end: n | END },
            Mark::End(n) => both(n | END),
            Mark::Check(n) => both(n | CHECK),
            Mark::Begin(n) => both(n | BEGIN),
            Mark::Silent(n) => both(n | SILENT),
            Mark::Thread(n) => both(n | THREAD),
        }
    }

    pub fn of(span: Span) -> Mark {
        let n = span.start & NUMBER;
        match span.start & !NUMBER {
            0 => Mark::Step(n),
            END => Mark::End(n),
            CHECK => Mark::Check(n),
            BEGIN => Mark::Begin(n),
            THREAD => Mark::Thread(n),
            _ => Mark::Silent(n),
        }
    }

    /// The number of the statement or procedure.
    pub fn number(self) -> u32 {
        match self {
            Mark::Step(n) | Mark::End(n) | Mark::Check(n) | Mark::Begin(n) | Mark::Silent(n) => n,
            Mark::Thread(n) => n,
        }
    }
}

/// The program with marks for spans, and the span that belongs to each number; `None` if there
/// are too many statements to number.
pub(crate) fn number(program: &Program) -> Option<(Program, Vec<Span>)> {
    let mut program = program.clone();
    let mut spans = Vec::new();
    for proc in &mut program.procs {
        proc.span = next(&mut spans, proc.span);
        number_block(&mut proc.body, &mut spans);
    }
    (spans.len() < NUMBER as usize).then_some((program, spans))
}

fn next(spans: &mut Vec<Span>, span: Span) -> Span {
    let number = spans.len() as u32;
    spans.push(span);
    Mark::Step(number & NUMBER).span()
}

fn number_block(block: &mut Block, spans: &mut Vec<Span>) {
    for stmt in block {
        stmt.span = next(spans, stmt.span);
        for inner in walk::inside_mut(stmt) {
            number_block(inner, spans);
        }
    }
}

/// The place of a statement in the text.
pub(crate) fn place(spans: &[Span], marked: Span) -> Span {
    spans.get(Mark::of(marked).number() as usize).copied().unwrap_or_default()
}

/// Gives the statements their places in the text again.
pub(crate) fn restore(program: &mut Program, spans: &[Span]) {
    let find = |span: Span| {
        let mark = Mark::of(span);
        let thread = matches!(mark, Mark::Thread(_));
        if thread { Span::default() } else { place(spans, span) }
    };
    fn each(block: &mut Block, place: &dyn Fn(Span) -> Span) {
        for stmt in block {
            stmt.span = place(stmt.span);
            for inner in walk::inside_mut(stmt) {
                each(inner, place);
            }
        }
    }
    for proc in &mut program.procs {
        proc.span = find(proc.span);
        each(&mut proc.body, &find);
    }
}
