//! # Certificates by summaries
//! What a proof about a recursive program with one thread rests on: for each place the values that
//! the variables may have there, together with those with which the procedure was entered. Sets of
//! valuations are decision diagrams over the bits of variables.
//!
//! This is data only; the check of it is [`crate::summaries`].

/// Values by places, for a program with one thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SummaryCertificate {
    /// The variables of the diagrams, in their order.
    pub variables: Vec<SummaryBit>,
    /// The nodes: each refers to earlier ones only. As numbers of diagrams, 0 is *never*, 1 is
    /// *always*, and n + 2 is node n.
    pub nodes: Vec<SummaryNode>,
    /// Places of the procedure that the thread begins with, while nothing has called it.
    pub thread: Vec<SummaryPlace>,
    /// Places of procedures that were called.
    pub procedures: Vec<SummaryPlace>,
}

/// A bit of a scalar at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SummaryBit {
    /// The scalar that the bit belongs to.
    pub scalar: SummaryScalar,
    /// Whether it is the value with which the procedure was entered, and not that of now.
    pub entry: bool,
    /// Which bit of the number of the value, the most significant first.
    pub bit: u32,
}

/// A scalar of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SummaryScalar {
    /// A slot of the shared variables.
    Shared(u32),
    /// A slot of the locals of a procedure.
    Local(u32, u32),
    /// A result of a procedure that was called and has returned.
    Result(u32, u32),
}

/// If the variable is false, the first diagram, otherwise the second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SummaryNode {
    /// The number of the variable.
    pub variable: u32,
    /// The diagram for the case that the variable is false.
    pub low: u32,
    /// The diagram for the case that the variable is true.
    pub high: u32,
}

/// The values that are possible at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SummaryPlace {
    /// The location in the flow graph.
    pub location: u32,
    /// The number of the diagram.
    pub diagram: u32,
}
