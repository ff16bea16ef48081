//! Targets that name whole stacks: what every engine says of random systems is what the naive enumerator
//! sees by looking at all states, and evidence is accepted for what it shows and for nothing else.

use selvedge_analysis::engine::delays::{self, Options};
use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check, verify};
use selvedge_analysis::naive::{Naive, NaiveDelays};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::{Evidence, Flaw, recheck, replay};
use selvedge_model::{
    Pattern, Property, SharedId, StackPattern, State, SymbolId, System, Tables, TopPattern,
};

const CONTEXTS: usize = 4;
const ROUNDS: usize = 2;

/// Far more work than there is to do keeps a bug from hanging.
fn budget() -> Budget {
    Budget::default().with_work(1 << 28)
}

/// A state of the system with some stacks left open and a symbol or two changed.
fn random_target(rng: &mut fastrand::Rng, system: &Tables, states: &[(State, usize)]) -> Property {
    let (state, _) = &states[rng.usize(..states.len())];
    let stack = |thread: &selvedge_model::Thread, rng: &mut fastrand::Rng| {
        let mut symbols: Vec<SymbolId> = thread.stack.iter().collect();
        let all = (0..system.symbol_count()).map(SymbolId::from);
        let own: Vec<_> = all.filter(|&s| system.template_of(s) == thread.template).collect();
        match rng.u32(0..12) {
            0 => return StackPattern::Top(TopPattern::Any),
            1 => {
                let top = symbols.first().map_or(TopPattern::Empty, |&s| TopPattern::Symbol(s));
                return StackPattern::Top(top);
            }
            2 if !symbols.is_empty() => drop(symbols.pop()),
            3 => symbols.push(own[rng.usize(..own.len())]),
            4 if !symbols.is_empty() => {
                let at = rng.usize(..symbols.len());
                symbols[at] = own[rng.usize(..own.len())];
            }
            _ => {}
        }
        StackPattern::Whole(symbols.into())
    };
    let stacks = state.threads.iter().map(|thread| stack(thread, rng)).collect();
    let shared = match rng.u32(0..6) {
        0 => None,
        1 => Some(SharedId::from(rng.usize(..system.shared_count()))),
        _ => Some(state.shared),
    };
    Property::Unreachable(Pattern::Configuration { shared, stacks })
}

/// Whether a state has the stacks of a target, read off the definition.
fn is_meant(property: &Property, state: &State) -> bool {
    let Property::Unreachable(Pattern::Configuration { shared, stacks }) = property else {
        return false;
    };
    shared.is_none_or(|wanted| wanted == state.shared)
        && stacks.iter().zip(&state.threads).all(|(pattern, thread)| {
            let symbols: Vec<SymbolId> = thread.stack.iter().collect();
            match pattern {
                StackPattern::Top(TopPattern::Any) => true,
                StackPattern::Top(TopPattern::Empty) => symbols.is_empty(),
                StackPattern::Top(TopPattern::Symbol(top)) => symbols.first() == Some(top),
                StackPattern::Whole(whole) => symbols[..] == whole[..],
            }
        })
}

/// What the enumerator reached, up to the last bound that it completed.
fn reached(mut naive: Naive<'_>, most: usize) -> (Vec<(State, usize)>, usize, bool) {
    while !naive.level().has_collapsed() && naive.level().bound < most && naive.advance().is_ok() {}
    let completed = naive.level().bound;
    let states = naive.states().filter(|(_, bound)| *bound <= completed);
    let states = states.map(|(state, bound)| (state.clone(), bound)).collect();
    (states, completed, naive.level().has_collapsed())
}

struct Case<'a> {
    seed: u64,
    system: &'a Tables,
    property: Property,
}

impl Case<'_> {
    fn question(&self, method: Method, symmetry: bool) -> Question<'_> {
        let properties = std::slice::from_ref(&self.property);
        Question { system: self.system, properties, method, symmetry, evidence: true }
    }

    /// The evidence holds for the target; the run ends in it.
    fn recheck(&self, outcome: &Outcome) {
        let about = || format!("seed {}: {:?} {:?}", self.seed, self.property, outcome.verdict);
        if let Verdict::Unsafe { trace, .. } = &outcome.verdict {
            let last = replay(self.system, trace).expect("it replays").pop().expect("a state");
            assert!(is_meant(&self.property, &last), "{last:?} {}", about());
        }
        if matches!(outcome.verdict, Verdict::Unsafe { .. } | Verdict::Safe(_)) {
            let evidence = outcome.evidence.as_ref().unwrap_or_else(|| panic!("{}", about()));
            let checked = recheck(self.system, std::slice::from_ref(&self.property), evidence);
            assert!(checked.is_ok(), "{checked:?} {}", about());
        }
    }

    /// A bounded answer is exact.
    fn check(&self, outcome: &Outcome, first: Option<usize>) {
        let about = || format!("seed {}: {:?} {:?}", self.seed, self.property, outcome.verdict);
        self.recheck(outcome);
        match &outcome.verdict {
            Verdict::Unsafe { bound, .. } => assert_eq!(Some(bound.count), first, "{}", about()),
            Verdict::Bounded { .. } | Verdict::Safe(_) => assert_eq!(first, None, "{}", about()),
            Verdict::Unknown { .. } => panic!("{}", about()),
        }
    }

    /// No certificate of the system is accepted for a target that is reached.
    fn refuse(&self, other: &Outcome) -> bool {
        match &other.evidence {
            Some(evidence @ (Evidence::Cut(_) | Evidence::Aggregate(_))) => {
                let properties = std::slice::from_ref(&self.property);
                let refusal = recheck(self.system, properties, evidence).unwrap_err();
                assert_eq!(refusal.flaw, Flaw::Harmful, "seed {}: {refusal}", self.seed);
                true
            }
            _ => false,
        }
    }
}

#[test]
fn every_engine_finds_whole_stacks_and_nothing_else() {
    let mut rng = fastrand::Rng::with_seed(77);
    let [mut unsafe_, mut safe, mut refused] = [0; 3];
    for seed in 0..90 {
        let system = random_system(seed, &Shape::default());
        let Ok(naive) = Naive::with_limit(&system, 600) else { continue };
        let (states, completed, collapsed) = reached(naive, CONTEXTS);
        for _ in 0..3 {
            let property = random_target(&mut rng, &system, &states);
            let case = Case { seed, system: &system, property };
            let bound_of = |states: &[(State, usize)]| {
                let meant = states.iter().filter(|(state, _)| is_meant(&case.property, state));
                meant.map(|(_, bound)| *bound).min()
            };
            let first = bound_of(&states);
            for (method, symmetry) in
                [(Method::Auto, true), (Method::Explicit, false), (Method::Symbolic, true)]
            {
                let question = case.question(method, symmetry);
                let outcome = check(&question, Bound::contexts(completed), &budget(), &|_| {});
                case.check(&outcome, first);
            }
            let outcome = verify(&case.question(Method::Auto, true), &budget(), &|_| {});
            case.recheck(&outcome);
            match (&outcome.verdict, first) {
                (Verdict::Unsafe { bound, .. }, Some(first)) => {
                    assert_eq!(bound.count, first, "seed {seed}: {:?}", case.property);
                    unsafe_ += 1;
                }
                (Verdict::Unsafe { bound, .. }, None) => {
                    assert!(!collapsed && bound.count > completed, "seed {seed}: {bound:?}");
                }
                (verdict, Some(_)) => panic!("seed {seed}: {:?} {verdict:?}", case.property),
                (Verdict::Safe(_), None) => safe += 1,
                (_, None) => {}
            }
            if first.is_some() {
                let all = Question { properties: &[], ..case.question(Method::Auto, true) };
                refused += usize::from(case.refuse(&verify(&all, &budget(), &|_| {})));
            }
        }
    }
    println!("{unsafe_} unsafe, {safe} safe, {refused} refused");
    assert!(unsafe_ > 90 && safe > 30 && refused > 90, "{unsafe_} {safe} {refused}");
}

#[test]
fn rounds_and_delays_find_whole_stacks() {
    let mut rng = fastrand::Rng::with_seed(78);
    let mut hits = [0; 3];
    for seed in 0..90 {
        let system = random_system(1000 + seed, &Shape::default());
        let Ok(naive) = Naive::rounds(&system, 600) else { continue };
        let (states, completed, _) = reached(naive, ROUNDS);
        let Ok(delayed) = NaiveDelays::new(&system, 3, 2, 20_000) else { continue };
        let with_delays: Vec<(State, usize)> =
            delayed.within(3, 2).into_iter().map(|state| (state, 0)).collect();
        let property = random_target(&mut rng, &system, &states);
        let case = Case { seed, system: &system, property };
        let meant = |(state, _): &&(State, usize)| is_meant(&case.property, state);
        let first = states.iter().filter(meant).map(|(_, bound)| *bound).min();
        for method in [Method::Explicit, Method::Symbolic] {
            let question = case.question(method, true);
            case.check(&check(&question, Bound::rounds(completed), &budget(), &|_| {}), first);
        }
        hits[0] += usize::from(first.is_some());
        let question = case.question(Method::Auto, true);
        let outcome = check(&question, Bound::round_robin(3, 2), &budget(), &|_| {});
        case.recheck(&outcome);
        let is_hit = matches!(outcome.verdict, Verdict::Unsafe { .. });
        assert_eq!(is_hit, with_delays.iter().any(|state| meant(&state)), "seed {seed}");
        hits[1] += usize::from(is_hit);
        let limited = Budget::default().with_work(1 << 17);
        let outcome = delays::verify(&question, &Options::default(), &limited, &|_| {});
        case.recheck(&outcome);
        if matches!(outcome.verdict, Verdict::Safe(_)) {
            assert!(!is_hit && first.is_none(), "seed {seed}: {:?}", case.property);
            hits[2] += 1;
        }
    }
    println!("{hits:?} within rounds, within rounds and delays, safe by delays");
    assert!(hits.iter().all(|&n| n > 10), "{hits:?}");
}

/// Systems that start threads, in the form in which these may be dropped: what at most k contexts reach is found
/// with exactly k.
#[test]
fn whole_stacks_of_first_threads_where_others_are_started() {
    let mut rng = fastrand::Rng::with_seed(79);
    let shape = Shape { threads: 2, spawns: true, ..Shape::default() };
    let [mut hits, mut none] = [0; 2];
    for seed in 0..120 {
        let system = random_system(2000 + seed, &shape);
        let Ok(naive) = Naive::with_limit(&system, 400) else { continue };
        let (states, completed, _) = reached(naive, 3);
        let mut first_threads = states.clone();
        let count = system.initial().expect("tables")[0].threads.len();
        first_threads.iter_mut().for_each(|(state, _)| state.threads.truncate(count));
        let property = random_target(&mut rng, &system, &first_threads);
        let engine = system.clone().dropping_threads();
        let case = Case { seed, system: &engine, property };
        let meant = |(state, _): &&(State, usize)| is_meant(&case.property, state);
        let first = first_threads.iter().filter(meant).map(|(_, bound)| *bound).min();
        for method in [Method::Auto, Method::Symbolic] {
            let question = case.question(method, true);
            case.check(&check(&question, Bound::contexts(completed), &budget(), &|_| {}), first);
        }
        if first.is_some() { hits += 1 } else { none += 1 }
    }
    println!("{hits} reached, {none} not");
    assert!(hits > 40 && none > 10);
}
