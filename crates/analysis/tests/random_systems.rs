//! Every engine against the naive enumerator, bound by bound, on random small systems: single
//! states and sets of stacks, with and without symmetry, and cuts from above. What the
//! explorations rest on is rechecked, as it is and changed for the worse.

use std::collections::BTreeSet;

use selvedge_analysis::converge::above::Above;
use selvedge_analysis::engine::{Method, Question, Verdict, check};
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::windows::Cut;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Locals};
use selvedge_analysis::naive::{Level, Naive};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::{Evidence, recheck};
use selvedge_model::{Pattern, Property, Tables, TopPattern, VisibleState};

/// How many systems there are.
const SYSTEMS: u64 = 2400;

/// How many contexts are compared.
const BOUNDS: usize = 5;

/// What was compared, over all systems.
#[derive(Default, Debug)]
struct Tally {
    systems: usize,
    /// Bounds of an explorer that agree with the enumerator.
    bounds: usize,
    /// Systems with contexts that reach more than the enumerator can list.
    large: usize,
    /// Explorations that collapsed.
    collapsed: usize,
    /// Explorations in waves that came to what others came to.
    waves: usize,
    /// Certificates of explorations and cuts that were accepted.
    certificates: usize,
    /// Schedules that were accepted.
    schedules: usize,
    /// Changed certificates that were refused.
    refused_certificates: usize,
    /// Changed schedules that were refused.
    refused_schedules: usize,
}

/// What the enumerator knows of a system.
struct Expected<'s> {
    system: &'s Tables,
    naive: Naive<'s>,
    levels: Vec<Level>,
}

impl<'s> Expected<'s> {
    fn of(system: &'s Tables) -> Self {
        let mut naive = Naive::with_limit(system, 2000).expect("few initial states");
        let mut levels = vec![naive.level()];
        while levels.len() <= BOUNDS
            && let Ok(level) = naive.advance()
        {
            levels.push(level);
        }
        Expected { system, naive, levels }
    }

    /// Whether all bounds were completed.
    fn is_complete(&self) -> bool {
        self.levels.len() > BOUNDS
    }

    /// What is visible for the first time at a bound.
    fn visible_at(&self, bound: usize) -> BTreeSet<VisibleState> {
        let new = self.naive.visible().filter(|&(_, needed)| needed == bound);
        new.map(|(state, _)| state.clone()).collect()
    }
}

/// The different shapes of systems that are tried in turn.
fn shape(seed: u64) -> Shape {
    match seed % 4 {
        0 => Shape { threads: 2, symmetric: false, ..Shape::default() },
        1 => Shape { threads: 4, shared: 3, symbols: 2, rules: 6, ..Shape::default() },
        _ => Shape::default(),
    }
}

#[test]
fn engines_agree_with_the_naive_enumerator_on_random_systems() {
    let mut tally = Tally::default();
    let mut rng = fastrand::Rng::with_seed(8);
    for seed in 0..SYSTEMS {
        let system = random_system(seed, &shape(seed));
        let expected = Expected::of(&system);
        tally.systems += 1;
        for symmetry in [false, true] {
            let about = format!("seed {seed}, symmetry {symmetry}");
            if expected.is_complete() {
                let certificate =
                    explore(&expected, Stacks::default(), symmetry, &about, &mut tally);
                in_waves(&expected, symmetry, certificate.as_ref(), &about, &mut tally);
                certify(&system, certificate, &about, &mut rng, &mut tally);
            }
            let certificate =
                explore(&expected, Languages::default(), symmetry, &about, &mut tally);
            certify(&system, certificate, &about, &mut rng, &mut tally);
            from_above(&expected, symmetry, &about, &mut rng, &mut tally);
        }
        tally.large += usize::from(!expected.is_complete());
        violation(&expected, seed, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.systems >= 2000 && tally.bounds > 30_000 && tally.large > 100, "{tally:?}");
    assert!(tally.waves > 6000, "{tally:?}");
    assert!(tally.collapsed > 2000 && tally.certificates > 4000, "{tally:?}");
    assert!(tally.schedules > 1000, "{tally:?}");
    assert!(tally.refused_certificates >= 200 && tally.refused_schedules >= 200, "{tally:?}");
}

/// Explores bound by bound; the certificate, if the exploration collapses.
fn explore<L: Locals>(
    expected: &Expected<'_>,
    locals: L,
    symmetry: bool,
    about: &str,
    tally: &mut Tally,
) -> Option<Evidence> {
    let explorer = ContextExplorer::new(expected.system, locals, symmetry).expect("starts");
    let about = format!("{about}, {}", explorer.name());
    follow(expected, explorer, &Budget::default(), symmetry, &about, tally)
}

/// In waves, whatever is explored is the same, and the visible states come in one order, for any number of workers.
fn in_waves(
    expected: &Expected<'_>,
    symmetry: bool,
    certificate: Option<&Evidence>,
    about: &str,
    tally: &mut Tally,
) {
    let mut alone = None;
    for workers in [1, 2, 3] {
        let about = format!("{about}, {workers} workers");
        let budget = Budget { crew: workers, ..Budget::default() };
        let explorer = || {
            let explorer = ContextExplorer::new(expected.system, Stacks::default(), symmetry);
            explorer.expect("starts").with_waves_from(0)
        };
        let found = follow(expected, explorer(), &budget, symmetry, &about, tally);
        assert_eq!(format!("{found:?}"), format!("{:?}", certificate.cloned()), "{about}");
        let mut again = explorer();
        let mut visible = again.new_visible(0);
        for bound in 1..expected.levels.len() {
            again.advance(&budget).expect("goes on");
            visible.extend(again.new_visible(bound));
        }
        assert_eq!(*alone.get_or_insert_with(|| visible.clone()), visible, "{about}");
        tally.waves += 1;
    }
}

/// Goes on bound by bound, and compares what is seen with what the enumerator saw.
fn follow<L: Locals>(
    expected: &Expected<'_>,
    mut explorer: ContextExplorer<'_, L>,
    budget: &Budget,
    symmetry: bool,
    about: &str,
    tally: &mut Tally,
) -> Option<Evidence> {
    for level in &expected.levels {
        if level.bound > 0 {
            explorer.advance(budget).expect("goes on");
        }
        let seen = &explorer.observations()[level.bound];
        assert_eq!(seen.new_visible, Some(level.new_visible as u128), "{about}, {level:?}");
        if !L::WHOLE_CONTEXTS {
            assert_eq!(seen.new_states, Some(level.new_states as u128), "{about}, {level:?}");
        }
        if !symmetry {
            let found: BTreeSet<_> = explorer.new_visible(level.bound).into_iter().collect();
            assert_eq!(found, expected.visible_at(level.bound), "{about}, {level:?}");
        }
        tally.bounds += 1;
    }
    let collapsed = explorer.has_collapsed();
    tally.collapsed += usize::from(collapsed);
    collapsed.then(|| explorer.certificate())
}

/// Nothing that is reached is missing from above; deeper cuts have less.
fn from_above(
    expected: &Expected<'_>,
    symmetry: bool,
    about: &str,
    rng: &mut fastrand::Rng,
    tally: &mut Tally,
) {
    let mut before: Option<u128> = None;
    for depth in 1..=2 {
        let cut = Cut::tight(depth);
        let above = Above::explore(expected.system, cut, symmetry, &Budget::default());
        let above = above.expect("ends");
        let visible = above.visible().expect("countable");
        assert!(before.is_none_or(|n| visible <= n), "{about}, depth {depth}");
        before = Some(visible);
        if !symmetry {
            let explorer = above.explorer();
            let z = (0..=explorer.bound()).flat_map(|bound| explorer.new_visible(bound));
            let z: BTreeSet<_> = z.collect();
            // Whatever the enumerator has met is reachable, in completed bounds or not.
            let missing = expected.naive.visible().find(|(state, _)| !z.contains(state));
            assert_eq!(missing, None, "{about}, depth {depth}");
        } else {
            // Counted with symmetry or without, Z is the same.
            let plain = Above::explore(expected.system, cut, false, &Budget::default());
            assert_eq!(plain.expect("ends").visible(), Some(visible), "{about}, depth {depth}");
        }
        let certificate = above.explorer().certificate();
        certify(expected.system, Some(certificate), about, rng, tally);
    }
}

/// A certificate is accepted, and refused if a state is taken out of it.
fn certify(
    system: &Tables,
    certificate: Option<Evidence>,
    about: &str,
    rng: &mut fastrand::Rng,
    tally: &mut Tally,
) {
    let Some(mut evidence) = certificate else { return };
    let checked = recheck(system, &[], &evidence);
    assert!(checked.is_ok(), "{about}: {checked:?}");
    tally.certificates += 1;
    match &mut evidence {
        // Each state is initial or follows from another one, and so is needed.
        Evidence::Cut(certificate) => {
            certificate.states.remove(rng.usize(..certificate.states.len()));
            assert!(recheck(system, &[], &evidence).is_err(), "{about}: a state is missing");
            tally.refused_certificates += 1;
        }
        // Another state may cover the one that is missing, unless nothing is left.
        Evidence::Aggregate(certificate) => {
            certificate.states.remove(rng.usize(..certificate.states.len()));
            let refused = recheck(system, &[], &evidence).is_err();
            tally.refused_certificates += usize::from(refused);
        }
        _ => panic!("{about}: this is no certificate"),
    }
}

/// A state that needs as many contexts as any is found with that many and with a shortest
/// schedule. A shorter schedule, or one with another number of contexts, is refused.
fn violation(expected: &Expected<'_>, seed: u64, tally: &mut Tally) {
    let Some(last) = expected.levels.last().map(|level| level.bound) else { return };
    let far = expected.naive.visible().filter(|&(_, bound)| bound <= last);
    let Some((state, needed)) = far.max_by_key(|&(state, bound)| (bound, state)) else { return };
    let top = |top: &Option<_>| top.map_or(TopPattern::Empty, TopPattern::Symbol);
    let tops = state.tops.iter().map(top).collect();
    let properties = [Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops })];
    let system = expected.system;
    let shortest = expected.naive.trace_to(|s| s.visible() == *state).expect("it was reached");
    for (method, symmetry) in [(Method::Auto, true), (Method::Symbolic, false)] {
        let question =
            Question { system, properties: &properties, method, symmetry, evidence: true };
        let outcome = check(&question, Bound::contexts(BOUNDS), &Budget::default(), &|_| {});
        let Verdict::Unsafe { bound: Bound { count: contexts, .. }, .. } = outcome.verdict else {
            panic!("seed {seed}: {:?}", outcome.verdict)
        };
        assert_eq!(contexts, needed, "seed {seed}");
        let Some(Evidence::Violation(right)) = outcome.evidence else {
            panic!("seed {seed}: no schedule")
        };
        assert_eq!(right.trace.steps.len(), shortest.steps.len(), "seed {seed}");
        let check = |changed| recheck(system, &properties, &Evidence::Violation(changed));
        assert!(check(right.clone()).is_ok(), "seed {seed}");
        tally.schedules += 1;
        let mut changed = vec![right.clone()];
        changed[0].contexts += 1;
        if !right.trace.steps.is_empty() {
            let mut shorter = right.clone();
            shorter.trace.steps.pop();
            shorter.contexts = shorter.trace.contexts();
            changed.push(shorter);
        }
        for changed in changed {
            assert!(check(changed).is_err(), "seed {seed}");
            tally.refused_schedules += 1;
        }
    }
}
