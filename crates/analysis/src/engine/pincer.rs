//! # From below and from above
//! Both sides take turns until one of them has an answer. Where no stack can grow without end, the side from above has nothing to
//! add: what it keeps of a state is the state.

use std::sync::{Mutex, PoisonError};

use selvedge_evidence::Evidence;
use selvedge_model::{Fault, Property};

use super::below::Below;
use super::table::Kept;
use super::turns::{Candidate, FAVOURED, LEADING, Reply, Turn, in_turns};
use super::{CutSeen, Event, Listener, Method, Outcome, Proof, Question, Verdict};
use crate::converge::above::Above;
use crate::converge::finite_contexts::{FiniteContexts, finite_contexts};
use crate::explore::Explorer;
use crate::explore::windows::Cut;
use crate::{Budget, Stop};

/// Cuts deeper than this are not tried, unless the target names a higher stack.
const DEEPEST_CUT: usize = 8;

/// The part of the work so far that the exploration from below may add to a proof from above, to find the bound at which the
/// visible states collapsed.
const PART_FOR_COLLAPSE: u64 = 10;

/// The least work that it may add, in moves: a moment.
const LEAST_FOR_COLLAPSE: u64 = 1 << 17;

/// The place of the exploration from below among the two sides.
const BELOW: usize = 1;

/// Until both sides together have made this many moves, a cut may be a small proof, and has as many shares as the states. Beyond, it has an eighth of theirs, and takes
/// memory accordingly.
const WHILE_SMALL: u64 = 1 << 24;

/// The result of one cut from above.
struct Report {
    seen: CutSeen,
    /// With the first cut of a table.
    finite: Option<FiniteContexts>,
    /// If there is no violation, and evidence is wanted.
    certificate: Option<Evidence>,
}

/// Explores from both sides, up to a number of contexts or rounds: on from what was reached before, and from the cuts that are
/// known. Where a table is wanted, `keep` is filled in.
pub(super) fn pincer(
    question: &Question<'_>,
    below: &mut Below<'_>,
    known: &[CutSeen],
    most: Option<usize>,
    budget: &Budget,
    tell: Listener<'_>,
    keep: Option<&mut Kept>,
) -> Outcome {
    let mut verdict = None;
    let before = known.iter().map(|&seen| Report { seen, finite: None, certificate: None });
    let reports = Mutex::new(before.collect::<Vec<_>>());
    let wants_table = keep.is_some();
    let mut sides: Vec<Candidate<'_, Met>> = Vec::new();
    let (explored, found) = (&mut verdict, &mut *below);
    let alone = question.method == Method::Cuts;
    let mut explore = |budget: &Budget| {
        let found = found.run(question, most.unwrap_or(usize::MAX), budget, tell, |below| {
            let cuts = lock(&reports);
            // Proved. Where nothing is hidden, a bound without new states is not far.
            proof(question, &cuts, below.visible_kinds())
                .is_some_and(|seen| below.visible_kinds() == seen.kinds && !seen.exact)
        });
        let met = Met(!matches!(found, Verdict::Unknown { .. }));
        *explored = Some(found);
        Some(met)
    };
    // A cut without a violation is a small proof: it is tried first.
    let is_known = known.last().is_some_and(|seen| seen.exact);
    if (question.system.is_recursive() && !is_known) || wants_table || alone {
        let above = Candidate::new(FAVOURED, |budget: &Budget, turn: &Turn| {
            let add = |report: Report| lock(&reports).push(report);
            from_above(question, known, wants_table, budget, turn, tell, add);
            None
        });
        sides.push(above.with_later(1, WHILE_SMALL));
    }
    if !alone {
        let below = Candidate::new(FAVOURED, |budget: &Budget, _: &Turn| explore(budget));
        sides.push(below.with_later(LEADING, WHILE_SMALL));
    }
    in_turns(sides, budget);
    let verdict = verdict.unwrap_or_else(|| {
        let stop = budget.look().err().unwrap_or_else(no_proof);
        Verdict::Unknown { stop, completed: None }
    });
    let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
    // A table says whether contexts are finite, which the first cut tells.
    if wants_table && reports.is_empty() {
        let above = Above::explore(question.system, Cut::tight(1), question.symmetry, budget);
        let first = above.ok().and_then(|above| {
            let finite = finite_contexts(question.system, &above, budget).ok();
            report(question, &above, finite)
        });
        reports.extend(first);
    }
    meet(question, (below, verdict), reports, budget, keep)
}

/// The reason for no answer when every cut leaves a violation.
pub(super) fn no_proof() -> Stop {
    let message =
        "every cut that was tried leaves a violation, which need not be one: contexts tell";
    Stop::Fault(Fault::new(message))
}

/// Whether the exploration from below came to an end by itself.
struct Met(bool);

impl Reply for Met {
    fn is_answer(&self) -> bool {
        self.0
    }
}

fn lock<T>(reports: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    reports.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A cut at a time, until one has no violation, or it makes no sense to go on.
fn from_above(
    question: &Question<'_>,
    known: &[CutSeen],
    wants_table: bool,
    budget: &Budget,
    turn: &Turn,
    tell: Listener<'_>,
    mut found: impl FnMut(Report),
) {
    let mut last_kinds = known.last().map(|seen| seen.kinds);
    let first = known.iter().map(|seen| seen.cut.depth).max().unwrap_or(0) + 1;
    // A stack that is named whole is told from others where it is not cut.
    let named = question.properties.iter().map(Property::height).max().unwrap_or(0);
    let deepest = DEEPEST_CUT.max(named.saturating_add(1));
    let mut send = |above: &Above<'_>, finite: Option<FiniteContexts>| {
        let Some(report) = report(question, above, finite) else { return false };
        let CutSeen { violated, exact, .. } = report.seen;
        tell(Event::Cut(report.seen));
        found(report);
        let proved = !violated && !question.is_about_everything();
        if proved {
            // Only the bound of the collapse is still of interest.
            turn.limit(BELOW, LEAST_FOR_COLLAPSE.max(turn.done() / PART_FOR_COLLAPSE));
        }
        !exact && !proved
    };
    for depth in first..=deepest {
        let cut = Cut::tight(depth);
        let Ok(mut above) = Above::explore(question.system, cut, question.symmetry, budget) else {
            return;
        };
        let finite = (wants_table && depth == 1)
            .then(|| finite_contexts(question.system, &above, budget).ok())
            .flatten();
        let kinds = above.explorer().visible_kinds();
        if !send(&above, finite) {
            return;
        }
        // Where a deeper cut is not better, the heights of stacks may be what is missing.
        if last_kinds == Some(kinds) || depth == deepest {
            match above.compare_heights(question.system, budget) {
                Ok(true) if send(&above, None) => {}
                Ok(false) => {}
                _ => return,
            }
        }
        last_kinds = Some(kinds);
    }
}

/// Counts the visible states that a cut leaves, and says whether a violation is among them.
fn report(
    question: &Question<'_>,
    above: &Above<'_>,
    finite: Option<FiniteContexts>,
) -> Option<Report> {
    let violated = above.violation(question.properties).ok()?.is_some();
    let kinds = above.explorer().visible_kinds();
    let (cut, visible, exact) = (above.cut(), above.visible(), above.is_exact());
    let seen = CutSeen { cut, visible, kinds, violated, exact };
    let wanted = question.evidence && !violated;
    Some(Report { seen, finite, certificate: wanted.then(|| above.certificate()) })
}

/// Puts together what both sides found.
fn meet(
    question: &Question<'_>,
    (below, verdict): (&mut Below<'_>, Verdict),
    reports: Vec<Report>,
    budget: &Budget,
    keep: Option<&mut Kept>,
) -> Outcome {
    let kinds = below.explorer.visible_kinds();
    let answer = proof(question, &reports, kinds);
    let mut outcome = below.outcome(verdict);
    if let Some(seen) = answer
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
    let seen = answer.filter(|_| matches!(outcome.verdict, Verdict::Safe(_)));
    outcome.cuts = reports.iter().map(|report| report.seen).collect();
    let mut finite = None;
    let mut from_above = None;
    for report in reports {
        finite = finite.or(report.finite);
        let is_meant = seen.is_some_and(|seen| seen.cut == report.seen.cut);
        from_above = from_above.or(report.certificate.filter(|_| is_meant));
    }
    outcome.evidence = from_above.or_else(|| match outcome.verdict {
        // What was reached from below is not closed.
        Verdict::Safe(Proof::Cut(_)) => None,
        _ => below.evidence(question, &outcome.verdict),
    });
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
fn proof(question: &Question<'_>, reports: &[Report], reached: usize) -> Option<CutSeen> {
    let answers = |seen: &&CutSeen| match question.is_about_everything() {
        true => seen.kinds == reached,
        false => !seen.violated,
    };
    reports.iter().map(|report| &report.seen).find(answers).copied()
}
