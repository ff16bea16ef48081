//! # Atomic sections without braces
//! `atomic_begin` and `atomic_end` are statements; which locations lie between them is a question
//! of flow. A location that is reached both inside and outside of a section has no answer, and is
//! an error.

use super::{Command, Edge, Flow, FlowError, Loc};

/// Marks the locations of a procedure (from `first` on) that lie inside of its sections.
pub(super) fn mark_sections(flow: &mut Flow, first: usize, entry: Loc) -> Result<(), FlowError> {
    let own = |edge: &&Edge| edge.from.index() >= first;
    let section = |edge: &Edge| matches!(edge.command, Command::AtomicBegin | Command::AtomicEnd);
    if !flow.edges.iter().rev().take_while(own).any(section) {
        return Ok(());
    }
    // What is known of each location: not reached, outside (false), inside (true).
    let mut known = vec![None; flow.locations.len() - first];
    let mut work = vec![(entry, false)];
    while let Some((loc, inside)) = work.pop() {
        match known[loc.index() - first] {
            Some(before) if before == inside => continue,
            Some(_) => {
                return Err(FlowError {
                    message: "this is reached both inside and outside of an atomic section: every \
                              way to it must have passed the same atomic_begin"
                        .to_owned(),
                    span: flow.location(loc).span,
                });
            }
            None => known[loc.index() - first] = Some(inside),
        }
        for &id in &flow.location(loc).edges {
            let edge = flow.edge(id);
            let after = match edge.command {
                Command::Return(_) => continue,
                Command::AtomicBegin => true,
                Command::AtomicEnd => false,
                Command::StartThread { at, .. } => {
                    work.push((at, false));
                    inside
                }
                _ => inside,
            };
            work.push((edge.to, after));
        }
    }
    for (location, inside) in flow.locations[first..].iter_mut().zip(known) {
        location.atomic |= inside == Some(true);
    }
    Ok(())
}
