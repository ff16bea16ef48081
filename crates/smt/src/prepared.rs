//! # Programs without calls
//! What formulas are written about: the program with its calls written out ([`selvedge_program::inline`]),
//! its flow graph, and what is asked about it.

use std::sync::Arc;

use selvedge_model::Property;
use selvedge_program::flow::{self, Flow, FlowError, Live};
use selvedge_program::inline::{InlineError, Inlined, inline};
use selvedge_program::{Program, Source, ThreadCounts};

use crate::Refusal;
use crate::goal::Goal;
use crate::layout::Layout;

/// A program without calls, with its flow graph.
pub struct Prepared {
    /// The program with its calls written out.
    pub inlined: Inlined,
    /// The flow graph of that.
    pub flow: Flow,
    /// For each location, which locals may still be read by the program, whatever predicates ask for.
    pub read: Vec<Live>,
    /// The flow graph of the program as it was written.
    original: Flow,
    /// Whether local steps ride along: a program that was made of another language has many steps for one statement.
    rides: bool,
}

impl Prepared {
    /// Writes the calls of a program out.
    pub fn new(program: &Arc<Program>, source: &Source) -> Result<Self, Refusal> {
        let refused = |message: &str, start: u32| Refusal::new(message, Some(source.line(start)));
        let no_flow = |error: FlowError| refused(&error.message, error.span.start);
        let original = flow::build(program).map_err(no_flow)?;
        let inlined = inline(program, &original)
            .map_err(|error: InlineError| refused(&error.message, error.span.start))?;
        let flow = match inlined.changed {
            true => flow::build(&inlined.program).map_err(no_flow)?,
            false => original.clone(),
        };
        let plain = Program { predicates: Vec::new(), ..Program::clone(&inlined.program) };
        let read = flow::build(&plain).map_err(no_flow)?.live;
        let rides = program.telling.is_some();
        Ok(Prepared { inlined, flow, read, original, rides })
    }

    /// The threads and variables, with these numbers of threads in the place of its own.
    pub fn layout(&self, counts: &ThreadCounts) -> Result<Layout<'_>, Refusal> {
        let layout = self.layout_of_steps(counts)?;
        Ok(if self.rides { layout.riding() } else { layout })
    }

    /// The threads and variables where every step stands alone: for who follows steps one by one.
    pub fn layout_of_steps(&self, counts: &ThreadCounts) -> Result<Layout<'_>, Refusal> {
        Layout::new(&self.inlined.program, &self.flow, counts)
    }

    /// A property of the program as it was written, about the program without calls.
    pub fn property(&self, property: &Property) -> Result<Property, Refusal> {
        let meant = self.inlined.property(property, &self.original, &self.flow);
        meant.ok_or_else(|| {
            Refusal::new("the target is not a place of its own once calls are written out", None)
        })
    }

    /// The goal for the program without calls.
    pub fn goal(&self, layout: &Layout<'_>, property: &Property) -> Result<Goal, Refusal> {
        Goal::new(layout, &self.property(property)?)
    }
}
