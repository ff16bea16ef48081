//! # Starts that happen at most once
//!
//! **Question.** Which threads can a program start at all?
//!
//! **Idea.** Count how often a procedure can be entered: never, once, or perhaps more often. A thread enters the
//! procedure that it runs; a call or a start enters one as often as the statement is executed, which is as often as
//! its own procedure is entered, unless it lies on a cycle of the flow graph. That is a least fixed point.
//!
//! **Claim.** A start that is counted once is executed at most once in any run.

use rustc_hash::FxHashSet;

use super::Site;
use crate::flow::{Command, Edge, Flow, Loc};
use crate::sequentialize::marks::Mark;
use crate::{Count, ProcId, Program};

/// How often something happens in a run: 0, 1, or 2 for perhaps more often.
type Times = u8;

const MANY: Times = 2;

/// The places at which threads are started, in the order of the text; `None` if one of them may be passed twice.
pub(super) fn sites(program: &Program, flow: &Flow) -> Option<Vec<Site>> {
    let all = all_sites(program, flow);
    all.into_iter().map(|(site, is_once)| is_once.then_some(site)).collect()
}

/// All places at which threads are started, in the order of the text, and whether each is passed at most once.
pub(super) fn all_sites(program: &Program, flow: &Flow) -> Vec<(Site, bool)> {
    let edges = passed(flow);
    let entered = entered(program, flow, &edges);
    let mut sites = Vec::new();
    for (edge, &passed) in flow.edges.iter().zip(&edges) {
        let Command::Async { proc, .. } = edge.command else { continue };
        let inside = flow.location(edge.from).proc;
        let times = times(entered[inside.index()], passed);
        if times > 0 {
            let statement = Mark::of(edge.span).number();
            sites.push((Site { inside, statement, proc }, times == 1));
        }
    }
    sites.sort_by_key(|(site, _)| (site.statement, site.inside));
    sites
}

fn times(a: Times, b: Times) -> Times {
    a.saturating_mul(b).min(MANY)
}

/// How often each procedure is entered.
fn entered(program: &Program, flow: &Flow, edges: &[Times]) -> Vec<Times> {
    let mut threads = vec![0; program.procs.len()];
    for thread in &program.threads {
        let count = match thread.count {
            Count::Fixed(count) => Times::try_from(count).unwrap_or(MANY),
            Count::Any => MANY,
        };
        let entered: &mut Times = &mut threads[thread.proc.index()];
        *entered = entered.saturating_add(count).min(MANY);
    }
    let target = |edge: &Edge| -> Option<ProcId> {
        match edge.command {
            Command::Call { proc, .. } | Command::Async { proc, .. } => Some(proc),
            _ => None,
        }
    };
    let mut entered = threads.clone();
    loop {
        let mut next = threads.clone();
        for (edge, &passed) in flow.edges.iter().zip(edges) {
            let Some(proc) = target(edge) else { continue };
            let here = times(entered[flow.location(edge.from).proc.index()], passed);
            next[proc.index()] = next[proc.index()].saturating_add(here).min(MANY);
        }
        if next == entered {
            return entered;
        }
        entered = next;
    }
}

/// How often each edge is passed while its procedure is executed once.
fn passed(flow: &Flow) -> Vec<Times> {
    let mut reached: FxHashSet<Loc> = FxHashSet::default();
    for &entry in &flow.entries {
        reached.extend(from(flow, entry));
    }
    let starts = |edge: &Edge| matches!(edge.command, Command::Call { .. } | Command::Async { .. });
    let passed = |edge: &Edge| match reached.contains(&edge.from) {
        false => 0,
        true if starts(edge) && from(flow, edge.to).contains(&edge.from) => MANY,
        true => 1,
    };
    flow.edges.iter().map(passed).collect()
}

/// The locations that control may get to.
fn from(flow: &Flow, loc: Loc) -> FxHashSet<Loc> {
    let mut reached = FxHashSet::default();
    let mut work = vec![loc];
    while let Some(loc) = work.pop() {
        if reached.insert(loc) {
            let edges = flow.location(loc).edges.iter().map(|&edge| flow.edge(edge));
            let on = edges.filter(|edge| !matches!(edge.command, Command::Return(_)));
            work.extend(on.map(|edge| edge.to));
        }
    }
    reached
}
