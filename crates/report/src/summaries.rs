//! # Summaries for people
//! What a proof by summaries says, in short: for each line, which variables matter there.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_evidence::{SummaryBit, SummaryCertificate, SummaryPlace, SummaryScalar};
use selvedge_program::{Lowering, Variable};

use crate::style::{Paint, Role};

/// The lines of each procedure, with the variables that the relations there speak of.
#[must_use]
pub fn text(program: &Lowering, certificate: &SummaryCertificate, paint: Paint) -> String {
    let mut lines: BTreeMap<(u32, u32), BTreeSet<String>> = BTreeMap::new();
    for SummaryPlace { location, diagram } in
        certificate.thread.iter().chain(&certificate.procedures)
    {
        let Some(at) = program.flow().locations.get(*location as usize) else { continue };
        let line = program.source().line(at.span.start);
        let variables = variables_of(certificate, *diagram).into_iter();
        let bits = variables.filter_map(|number| certificate.variables.get(number as usize));
        let names = bits.filter_map(|bit| name(program, *bit));
        lines.entry((at.proc.0, line)).or_default().extend(names);
    }
    let mut text = String::new();
    let mut last = None;
    for ((proc, line), names) in lines {
        if last != Some(proc) {
            let procedure = &program.program().procs[proc as usize].name;
            text += &format!("{}\n", paint.paint(Role::Heading, procedure));
            last = Some(proc);
        }
        let names: Vec<String> = names.into_iter().collect();
        let about = if names.is_empty() { "anything".to_owned() } else { names.join(", ") };
        text += &format!("  {:<10}{about}\n", format!("line {line}"));
    }
    text
}

/// The variables of a diagram.
fn variables_of(certificate: &SummaryCertificate, diagram: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut seen = vec![false; certificate.nodes.len()];
    let mut work = vec![diagram];
    while let Some(diagram) = work.pop() {
        let Some(number) = (diagram as usize).checked_sub(2) else { continue };
        let Some(node) = certificate.nodes.get(number) else { continue };
        if !std::mem::replace(&mut seen[number], true) {
            found.insert(node.variable);
            work.extend([node.low, node.high]);
        }
    }
    found
}

/// The name of the variable, `x at entry` for its value when the procedure was entered.
fn name(program: &Lowering, SummaryBit { scalar, entry, .. }: SummaryBit) -> Option<String> {
    let text = program.program();
    let of_slot = |variables: &[Variable], slot: u32| {
        let mut next = 0;
        let found = variables.iter().find(|variable| {
            next += variable.ty.slots();
            next > slot as usize
        });
        found.map(|variable| variable.name.replace("[]", ""))
    };
    let name = match scalar {
        SummaryScalar::Shared(slot) => of_slot(&text.globals, slot)?,
        SummaryScalar::Local(proc, slot) => of_slot(&text.procs.get(proc as usize)?.locals, slot)?,
        SummaryScalar::Result(proc, _) => {
            format!("result of {}", text.procs.get(proc as usize)?.name)
        }
    };
    Some(if entry { format!("{name} at entry") } else { name })
}
