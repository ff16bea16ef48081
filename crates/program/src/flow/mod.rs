//! # Flow graphs
//!
//! **Question.** What can a thread do at a place in its program, and where does it go?
//!
//! **Idea.** Each procedure becomes a graph whose nodes are [`Location`]s (places where a thread
//! can stand) and whose edges are [`Command`]s (what one step does). Structure is gone: a test is
//! two edges, a loop a cycle, `goto`, `break` and `continue` are no edges at all.
//!
//! Locations inside atomic sections are marked: a thread that stands there goes on before anyone
//! else does.

mod atomic;
mod build;
mod live;
mod locks;
mod returns;
mod waits;

use crate::{AtomicOp, Expr, LabelId, LocalId, Place, ProcId, Program, Span};

pub use build::{build, build_within};
pub use live::Live;
pub(crate) use locks::doubtful_release;
pub use returns::{Again, without_end};
pub use selvedge_core::{EdgeId, Loc};
pub(crate) use waits::{held, waiting};

/// A location as a place of the model.
#[must_use]
pub fn place(loc: Loc) -> selvedge_model::PlaceId {
    selvedge_model::PlaceId(loc.0)
}

/// The flow graph of a whole program. Locations and edges are numbered throughout.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// All locations.
    pub locations: Vec<Location>,
    /// All edges.
    pub edges: Vec<Edge>,
    /// Where each procedure starts.
    pub entries: Vec<Loc>,
    /// Whether some `release` may be executed by a thread that does not hold the lock, as far as
    /// the text shows. Then locks remember who holds them; otherwise a lock is held or free.
    pub tracks_owners: bool,
    /// For each location, which locals of its procedure may still be read.
    pub live: Vec<Live>,
}

/// A node: where a thread stands before its next step.
#[derive(Clone, Debug)]
pub struct Location {
    /// The procedure it belongs to.
    pub proc: ProcId,
    /// The statement that comes next.
    pub span: Span,
    /// The labels that stand there.
    pub labels: Vec<LabelId>,
    /// Whether it is inside of an atomic section, so that no switch happens here.
    pub atomic: bool,
    /// The edges that leave it.
    pub edges: Vec<EdgeId>,
}

/// One step of a thread.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where the thread stands before.
    pub from: Loc,
    /// The command that the thread executes.
    pub command: Command,
    /// Where it stands after. For a call: after the call has returned. Not used by returns.
    pub to: Loc,
    /// The statement in the source.
    pub span: Span,
}

/// A command: what one step executes.
#[derive(Clone, Debug)]
pub enum Command {
    /// Nothing: `skip`, a choice among blocks or labels, the ends of an atomic block.
    Skip,
    /// Begins an atomic section that is not a block; does nothing itself.
    AtomicBegin,
    /// Ends an atomic section that is not a block; does nothing itself.
    AtomicEnd,
    /// Goes on only if the condition has this value. A test is two edges, one for each.
    Test {
        /// The condition.
        cond: Expr,
        /// The value that it must have.
        holds: bool,
    },
    /// See [`crate::StmtKind::Assume`].
    Assume(Expr),
    /// See [`crate::StmtKind::Assert`].
    Assert(Expr),
    /// See [`crate::StmtKind::Assign`].
    Assign {
        /// What is assigned to.
        targets: Vec<Place>,
        /// The values.
        values: Vec<Expr>,
        /// Only outcomes in which this holds.
        constrain: Option<Expr>,
    },
    /// See [`crate::StmtKind::Havoc`].
    Havoc(Vec<Place>),
    /// See [`crate::StmtKind::Acquire`].
    Acquire(Place),
    /// See [`crate::StmtKind::Release`].
    Release(Place),
    /// See [`crate::StmtKind::Attempt`].
    Attempt {
        /// The place for the result.
        dest: Option<Place>,
        /// The operation.
        op: AtomicOp,
    },
    /// The operation happens and has this result, or the edge is not taken. A test is two edges.
    TestAttempt {
        /// The operation, with a Boolean result.
        op: AtomicOp,
        /// The result that it must have.
        succeeds: bool,
        /// Whether the condition in the source holds then: with a `!` in it, it does if the operation fails.
        holds: bool,
    },
    /// Calls a procedure.
    Call {
        /// The procedure that is called.
        proc: ProcId,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// Takes the results of the call that just returned.
    Receive {
        /// The procedure that was called.
        from: ProcId,
        /// Where the results go: nowhere if empty.
        places: Vec<Place>,
    },
    /// Returns with these results.
    Return(Vec<Expr>),
    /// Starts a thread that runs a procedure.
    Async {
        /// The place for the thread's id.
        dest: Option<Place>,
        /// The procedure.
        proc: ProcId,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// Starts a thread at a location of this procedure, with a copy of the locals.
    StartThread {
        /// The location.
        at: Loc,
        /// The locals whose present value both threads may read: what is open in them has to be
        /// chosen before it is copied.
        read_by_both: Vec<LocalId>,
    },
    /// Waits until the thread has ended.
    Join(Expr),
}

impl Flow {
    /// The location as a node.
    #[must_use]
    pub fn location(&self, loc: Loc) -> &Location {
        &self.locations[loc.index()]
    }

    /// The edge.
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.index()]
    }

    /// Whether a thread at this location waits for the results of a call.
    #[must_use]
    pub fn receives(&self, loc: Loc) -> bool {
        let first = self.location(loc).edges.first();
        first.is_some_and(|&e| matches!(self.edge(e).command, Command::Receive { .. }))
    }
}

/// Why a program has no flow graph: its atomic sections do not fit together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowError {
    /// What is wrong with the atomic sections.
    pub message: String,
    /// The place in the text.
    pub span: Span,
}

/// The procedures of a program with their ids.
pub(crate) fn procs(program: &Program) -> impl Iterator<Item = (ProcId, &crate::Procedure)> {
    (0..).map(ProcId).zip(&program.procs)
}
