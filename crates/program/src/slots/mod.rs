//! # Started threads as threads that wait
//!
//! **Question.** Rounds need a fixed set of threads. What are they for a program whose threads are
//! started by statements?
//!
//! **Idea.** A *slot* is a thread that is there from the beginning, and waits until a statement fills
//! it: with the procedure that it is to run, and its arguments. What starts a thread fills a slot.
//!
//! - If the text shows that no start happens twice (`once`), there is one slot for each of them.
//!   Nothing is left out.
//! - Otherwise there are N slots, which are filled in order. A start may fill the next one or none: then
//!   the thread is *dropped*. A start that finds all of them filled drops its thread.
//!
//! - For proofs, a start that may happen again has *any number* of slots, which all wait for the first of these starts, and
//!   get any values for arguments that are not constant. Whoever joins one of them does not wait.
//!
//! **Claim.** A run of the result is a run of the program: slots do, once they are filled, what the started
//! threads do, and a thread that is dropped is one that never acts; [`Slotted::lift`] finds it. And a run of the
//! program in which at most N of the started threads act is one of the result, with the same
//! contexts, but that a slot takes a few steps of its own at the beginning of its first one and at its end.
//! In k contexts at most k - 1 started threads act, since the first is that of a thread that
//! was there, so that k - 1 slots are enough for them [Qadeer, Rehof 2005, Thms. 5 and 6]. (The paper has k + 1
//! threads: those that act, and one that stands for all that do not. Here a thread that does not act
//! is no thread.) With any number of slots, every run of the program is one of the result: the k-th thread that a statement starts is the
//! k-th of its slots; but not the other way round.
//!
//! **Needs.** Numbers of threads that are known; and where threads may be dropped, that nobody compares two of their ids (`ids`).
//!
//! **Otherwise.** A [`LowerError`], with the place.

mod ids;
mod labels;
mod lift;
mod once;
mod replace;

use crate::lower::compared_at;
use crate::sequentialize::marks::{self, Mark};
use crate::{Count, GlobalId, LowerError, ProcId, Program, Span, Stmt, StmtKind, flow, walk};
pub use lift::{LiftError, LiftedRun};

/// A program in which threads that were started by statements are there from the beginning.
#[derive(Clone, Debug)]
pub struct Slotted {
    /// The program.
    pub program: Program,
    /// How many slots there are.
    pub slots: u32,
    /// Whether threads may be dropped, so that runs in which more of them act are missing.
    pub drops: bool,
    /// Lines that explain the slots in the text.
    reading: Vec<String>,
    /// How to tell which slots are filled.
    filled: Filled,
    /// The variable that says which slots have ended, where somebody waits for that.
    ended: Option<GlobalId>,
    /// The meaning of each edge of the result's flow graph for the original.
    meanings: Vec<Mark>,
    /// For each edge of the flow graph of the original, the step that it is.
    steps: Vec<Mark>,
}

/// How the program says which slots are filled.
#[derive(Clone, Debug)]
enum Filled {
    /// Each slot has a variable that says so.
    Each(Vec<GlobalId>),
    /// This many, the first ones.
    First(GlobalId),
    /// The program does not say it.
    None,
}

/// The number of slots for started threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slots {
    /// One for each statement that starts one: see [`fixed_starts`].
    Fixed,
    /// At most this many; further threads are dropped.
    AtMost(u32),
    /// Any number for each statement that may start several, one for each other: for proofs alone.
    Any,
}

/// More slots than this are not made.
pub const MOST_SLOTS: u32 = 64;

/// The slots with which rounds do all that as many contexts do; at least one, so that started threads act at all.
#[must_use]
pub fn enough_for_rounds(rounds: u32) -> u32 {
    rounds.saturating_sub(1).clamp(1, MOST_SLOTS)
}

/// Whether some statement starts a thread.
#[must_use]
pub fn starts_threads(program: &Program) -> bool {
    let starts = |s: &Stmt| matches!(s.kind, StmtKind::Async { .. } | StmtKind::StartThread(_));
    program.procs.iter().any(|proc| walk::any(&proc.body, &starts))
}

/// How many threads are started at most, if the text shows that no statement starts a second one.
#[must_use]
pub fn fixed_starts(program: &Program) -> Option<u32> {
    let (numbered, _) = marks::number(program)?;
    let program = labels::as_procedures(&numbered).ok()?;
    let flow = flow::build(&program).ok()?;
    let sites = once::sites(&program, &flow)?;
    u32::try_from(sites.len()).ok().filter(|&sites| sites <= MOST_SLOTS)
}

/// The procedures that statements start, one for each statement, and whether that happens at most once.
pub(crate) fn started(program: &Program, flow: &flow::Flow) -> Vec<(ProcId, bool)> {
    let sites = once::all_sites(program, flow);
    sites.into_iter().map(|(site, is_once)| (site.proc, is_once)).collect()
}

/// The program with slots in the place of started threads.
pub fn slots(program: &Program, slots: Slots) -> Result<Slotted, LowerError> {
    let each_once = slots == Slots::Fixed;
    refuse(program, each_once)?;
    let at = |span: Span, message: &str| LowerError::At { message: message.to_owned(), span };
    let too_long = || at(Span::default(), "the program is too long");
    let (numbered, spans) = marks::number(program).ok_or_else(too_long)?;
    let placed = |e: flow::FlowError| at(marks::place(&spans, e.span), &e.message);
    let original = flow::build(&numbered).map_err(placed)?;
    let procedures = labels::as_procedures(&numbered)
        .map_err(|e| at(marks::place(&spans, e.span), &e.message))?;
    let flow = flow::build(&procedures).map_err(placed)?;
    if ids::are_kept(&procedures) {
        ids::refuse(&procedures, &flow)
            .map_err(|e| at(marks::place(&spans, e.span), &e.message))?;
    }
    let mut made = match slots {
        Slots::Fixed => {
            let sites = once::sites(&procedures, &flow).ok_or_else(|| {
                at(Span::default(), "a statement of this program may start more than one thread")
            })?;
            replace::one_for_each(procedures, &sites)
        }
        Slots::AtMost(most) if most > MOST_SLOTS => {
            let message = format!("at most {MOST_SLOTS} started threads can be followed");
            return Err(at(Span::default(), &message));
        }
        Slots::AtMost(most) => replace::at_most(procedures, most),
        Slots::Any => {
            let sites = once::all_sites(&procedures, &flow);
            replace::any_number(procedures, &sites)
        }
    };
    made.program.predicates.clear();
    let result = flow::build(&made.program).map_err(placed)?;
    marks::restore(&mut made.program, &spans);
    Ok(Slotted {
        program: made.program,
        slots: made.slots,
        drops: !each_once,
        ended: made.ended,
        reading: made.reading,
        filled: made.filled,
        meanings: result.edges.iter().map(|edge| Mark::of(edge.span)).collect(),
        steps: original.edges.iter().map(|edge| Mark::of(edge.span)).collect(),
    })
}

impl Slotted {
    /// How the slots in the text of the program are read, as comments for its beginning.
    #[must_use]
    pub fn header(&self) -> String {
        self.reading.iter().map(|line| format!("// {line}\n")).collect()
    }
}

/// Refuses programs for which slots cannot be made.
fn refuse(program: &Program, each_once: bool) -> Result<(), LowerError> {
    let at = |span: Span, message: String| Err(LowerError::At { message, span });
    if let Some(any) = program.threads.iter().find(|thread| thread.count == Count::Any) {
        return Err(LowerError::AnyNumber { thread: any.name.clone() });
    }
    if each_once {
        return Ok(());
    }
    match compared_at(program) {
        None => Ok(()),
        Some(span) => at(
            span,
            "two ids of started threads are compared here, and threads may be started again and again: those that never act \
             would have to be told apart, and there is no end of them; use contexts"
                .to_owned(),
        ),
    }
}

/// A place in a program where a thread is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Site {
    /// The procedure that has the statement.
    inside: ProcId,
    /// The statement, by its mark.
    statement: u32,
    /// The procedure that is started.
    proc: ProcId,
}
