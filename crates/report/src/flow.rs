//! # Pictures of programs
//! The flow graph of each procedure in the DOT language of Graphviz: one node for each place where
//! a thread can stand, with its line; one edge for each step. Places inside of atomic sections
//! are dashed.

use std::collections::BTreeSet;

use selvedge_core::{Control, Instruction, Loc};
use selvedge_program::Lowering;

use crate::dot::quote;

/// The flow graphs of a program, one cluster a procedure.
#[must_use]
pub fn dot(lowering: &Lowering) -> String {
    let (program, flow) = (lowering.program(), lowering.flow());
    let mut text = String::from("digraph program {\n  node [shape=box];\n");
    for (index, (proc, &entry)) in program.procs.iter().zip(&flow.entries).enumerate() {
        text += &format!("  subgraph cluster_{index} {{\n    label={};\n", quote(&proc.name));
        text += &format!("    end{index} [label=\"\", shape=doublecircle, width=0.15];\n");
        for loc in reachable(lowering, entry) {
            let location = flow.location(loc);
            let line = lowering.source().line(location.span.start);
            let labels = location.labels.iter().map(|l| format!("{}: ", proc.labels[l.index()]));
            let label = format!("{}{line}", labels.collect::<String>());
            let style = if location.atomic { ", style=dashed" } else { "" };
            let start = if loc == entry { ", penwidth=2" } else { "" };
            text += &format!("    l{} [label={}{style}{start}];\n", loc.0, quote(&label));
            for &edge in &location.edges {
                let edge_code = lowering.code().edge(edge);
                let to = match edge_code.control {
                    Control::Return => format!("end{index}"),
                    _ => format!("l{}", edge_code.to.0),
                };
                let label = quote(&lowering.edge_text(edge));
                text += &format!("    l{} -> {to} [label={label}];\n", loc.0);
            }
        }
        text += "  }\n";
    }
    text + "}\n"
}

/// The locations that can be reached in a procedure, by jumps and by threads that start there.
fn reachable(lowering: &Lowering, entry: Loc) -> BTreeSet<Loc> {
    let code = lowering.code();
    let mut seen = BTreeSet::from([entry]);
    let mut work = vec![entry];
    while let Some(loc) = work.pop() {
        for &edge in &code.location(loc).edges {
            let edge = code.edge(edge);
            let started = edge.code.iter().filter_map(|instruction| match instruction {
                Instruction::Fork { at, .. } => Some(*at),
                _ => None,
            });
            let returns = edge.control == Control::Return;
            let next = started.chain((!returns).then_some(edge.to));
            work.extend(next.filter(|&loc| seen.insert(loc)));
        }
    }
    seen
}
