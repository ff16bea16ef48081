//! From below and from above, side by side, until one of them has an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use selvedge_evidence::Evidence;
use selvedge_model::Property;

use super::below::Below;
use super::table::Kept;
use super::{CutSeen, Event, Listener, Outcome, Proof, Question, Verdict};
use crate::converge::above::Above;
use crate::converge::finite_contexts::{FiniteContexts, finite_contexts};
use crate::explore::Explorer;
use crate::explore::windows::Cut;
use crate::{Budget, Resource};

/// Cuts deeper than this are not tried, unless the target names a higher stack.
const DEEPEST_CUT: usize = 8;

/// How long exploration from below goes on after a proof from above, to find the bound at which
/// the visible states collapsed.
const GRACE: Duration = Duration::from_secs(2);

/// What comes from above with each cut.
struct Report {
    seen: CutSeen,
    /// With the first cut of a table.
    finite: Option<FiniteContexts>,
    /// If there is no violation, and evidence is wanted.
    certificate: Option<Evidence>,
}

/// Explores from both sides, up to a number of contexts or rounds. Where a table is wanted, `keep`
/// is filled in.
pub(super) fn pincer(
    question: &Question<'_>,
    resource: Resource,
    most: Option<usize>,
    budget: &Budget,
    tell: Listener<'_>,
    keep: Option<&mut Kept>,
) -> Outcome {
    let done = Arc::new(AtomicBool::new(false));
    let mut shared_budget = budget.clone();
    shared_budget.cancelled.push(Arc::clone(&done));
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        let above_budget = shared_budget.clone();
        let wants_table = keep.is_some();
        scope.spawn(move || from_above(question, wants_table, &above_budget, tell, &send));
        let outcome = meet(question, (resource, most), &shared_budget, tell, &receive, keep);
        done.store(true, Ordering::Relaxed);
        outcome
    })
}

/// A cut at a time, until one has no violation, or it makes no sense to go on.
fn from_above(
    question: &Question<'_>,
    wants_table: bool,
    budget: &Budget,
    tell: Listener<'_>,
    found: &mpsc::Sender<Report>,
) {
    let mut last_kinds = None;
    // A stack that is named whole is told from others where it is not cut.
    let named = question.properties.iter().map(Property::height).max().unwrap_or(0);
    let deepest = DEEPEST_CUT.max(named.saturating_add(1));
    for depth in 1..=deepest {
        let cut = Cut::tight(depth);
        let Ok(mut above) = Above::explore(question.system, cut, question.symmetry, budget) else {
            return;
        };
        let finite = (wants_table && depth == 1)
            .then(|| finite_contexts(question.system, &above, budget).ok())
            .flatten();
        let kinds = above.explorer().visible_kinds();
        if !send(question, &above, finite, tell, found) {
            return;
        }
        // Where a deeper cut is not better, the heights of stacks may be what is missing.
        if last_kinds == Some(kinds) || depth == deepest {
            match above.compare_heights(question.system, budget) {
                Ok(true) if send(question, &above, None, tell, found) => {}
                Ok(false) => {}
                _ => return,
            }
        }
        last_kinds = Some(kinds);
    }
}

/// Reports what a cut leaves. Whether another one may be of use.
fn send(
    question: &Question<'_>,
    above: &Above<'_>,
    finite: Option<FiniteContexts>,
    tell: Listener<'_>,
    found: &mpsc::Sender<Report>,
) -> bool {
    let Ok(violation) = above.violation(question.properties) else { return false };
    let violated = violation.is_some();
    let kinds = above.explorer().visible_kinds();
    let (cut, visible, exact) = (above.cut(), above.visible(), above.is_exact());
    let seen = CutSeen { cut, visible, kinds, violated, exact };
    tell(Event::Cut(seen));
    let enough = exact || (!violated && !question.is_about_everything());
    let wanted = question.evidence && !violated;
    let certificate = wanted.then(|| above.certificate());
    found.send(Report { seen, finite, certificate }).is_ok() && !enough
}

fn meet(
    question: &Question<'_>,
    (resource, most): (Resource, Option<usize>),
    budget: &Budget,
    tell: Listener<'_>,
    from_above: &mpsc::Receiver<Report>,
    keep: Option<&mut Kept>,
) -> Outcome {
    let mut below = match Below::new(*question, resource, None) {
        Ok(below) => below,
        Err(stop) => return Outcome::unknown(stop, resource),
    };
    let mut cuts: Vec<CutSeen> = Vec::new();
    let mut finite = None;
    let mut certificates: Vec<(Cut, Evidence)> = Vec::new();
    let mut take = |cuts: &mut Vec<CutSeen>, report: Report| {
        cuts.push(report.seen);
        certificates.extend(report.certificate.map(|found| (report.seen.cut, found)));
        finite = finite.take().or(report.finite);
    };
    let mut give_up: Option<Instant> = None;
    let verdict = below.run(most.unwrap_or(usize::MAX), budget, tell, |below| {
        from_above.try_iter().for_each(|report| take(&mut cuts, report));
        let Some(proof) = proof(question, &cuts, below.visible_kinds()) else { return false };
        // Proved. Only the bound of the collapse is still of interest.
        let deadline = *give_up.get_or_insert_with(|| Instant::now() + GRACE);
        let met = below.visible_kinds() == proof.kinds;
        // Where nothing is hidden, a bound without new states is not far.
        (met && !proof.exact) || Instant::now() > deadline
    });
    let kinds = below.explorer.visible_kinds();
    if matches!(verdict, Verdict::Unknown { .. }) {
        // Nothing to be had from below; wait for what comes from above.
        while proof(question, &cuts, kinds).is_none() {
            let Ok(report) = from_above.recv() else { break };
            take(&mut cuts, report);
        }
    }
    if keep.is_some() && cuts.is_empty() {
        from_above.iter().take(1).for_each(|report| take(&mut cuts, report));
    }
    let mut outcome = below.outcome(verdict);
    if let Some(seen) = proof(question, &cuts, kinds)
        && !matches!(outcome.verdict, Verdict::Unsafe { .. })
    {
        let met = kinds == seen.kinds;
        outcome.collapse = outcome.collapse.or(met.then(|| outcome.last_growth()).flatten());
        if !matches!(outcome.verdict, Verdict::Safe(_)) {
            outcome.verdict = Verdict::Safe(Proof::Cut(seen.cut));
            outcome.engine = "stack-cuts";
            // How far the exploration got beyond is a matter of luck.
            outcome
                .observations
                .truncate(outcome.collapse.map_or(usize::MAX, |last| last.count + 1));
        }
    }
    // A cut is mostly smaller than what a repetition rests on.
    let seen =
        proof(question, &cuts, kinds).filter(|_| matches!(outcome.verdict, Verdict::Safe(_)));
    let of_cut = |seen: CutSeen| certificates.into_iter().find(|(cut, _)| *cut == seen.cut);
    let from_above = seen.and_then(of_cut).map(|(_, certificate)| certificate);
    outcome.evidence = from_above.or_else(|| below.evidence(&outcome.verdict));
    outcome.cuts = cuts;
    if let Some(kept) = keep {
        if kept.shown.generators
            && let Some(last) = outcome.collapse
        {
            // The test needs a plateau to pass.
            while below.explorer.bound() <= last.count && below.explorer.advance(budget).is_ok() {}
            let seen = below.explorer.observations();
            let rows = (last.count + 2).max(outcome.observations.len()).min(seen.len());
            outcome.observations = seen[..rows].to_vec();
        }
        kept.fill(&*below.explorer, question, finite, budget);
    }
    outcome
}

/// The cut that answers the question: one without a violation; where all visible states are asked
/// for, one with as many of them as were reached from below, so that they are the same.
fn proof(question: &Question<'_>, cuts: &[CutSeen], reached: usize) -> Option<CutSeen> {
    let answers = |seen: &&CutSeen| match question.is_about_everything() {
        true => seen.kinds == reached,
        false => !seen.violated,
    };
    cuts.iter().find(answers).copied()
}
