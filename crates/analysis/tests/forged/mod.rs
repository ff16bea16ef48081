//! Somebody wants to prove that a state cannot be reached which can, or that there is no deadlock where
//! there is one. For random systems, sets of states are put together as a proof would have them: what
//! is reached in a system with a rule less, what is reached but for the states that speak against it,
//! with threads that were never started, with relations between heights that exclude what is unwelcome.
//! Every claim here is false, so that every one has to be refused.

use crate::support;

mod changes;

use selvedge_analysis::Budget;
use selvedge_analysis::converge::above::Above;
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::windows::Cut;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Locals};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::{Evidence, Flaw, Refusal, recheck};
use selvedge_model::{
    Pattern, Property, SharedId, SymbolId, System, Tables, TemplateId, ThreadId, TopPattern,
};
use support::many;

/// How many contexts an exploration has at most.
const CONTEXTS: usize = 8;

/// How many forgeries are made of one set by chance.
const CHANGES: usize = 8;

/// How often the state is taken out that the last refusal named.
const REPAIRS: usize = 12;

/// What came of all forgeries.
#[derive(Default, Debug)]
struct Tally {
    systems: usize,
    cuts: usize,
    aggregates: usize,
    /// Those with relations between heights.
    measures: usize,
}

/// The same shared states, symbols and threads, without one of the rules.
fn without(system: &Tables, template: TemplateId, rule: usize) -> Tables {
    let mut tables = Tables::builder();
    for shared in 0..system.shared_count() {
        tables.shared(system.shared_name(SharedId::from(shared)).into_owned());
    }
    for other in (0..system.template_count()).map(TemplateId::from) {
        tables.template(system.describe().template_name(other));
    }
    for symbol in (0..system.symbol_count()).map(SymbolId::from) {
        tables.symbol(system.template_of(symbol), system.symbol_name(symbol).into_owned());
    }
    for other in (0..system.template_count()).map(TemplateId::from) {
        for (number, &kept) in system.rules(other).iter().enumerate() {
            if (other, number) != (template, rule) {
                tables.add_rule(other, kept);
            }
        }
    }
    for (number, thread) in system.threads().iter().enumerate() {
        let stacks = system.first_stacks(ThreadId::from(number));
        tables.thread(thread.name.clone(), thread.template, stacks[0].clone());
    }
    for &shared in system.initial_shared() {
        tables.initial(shared);
    }
    tables.build()
}

/// Something that is reached, as what must not be; and whether contexts reach few states each.
fn false_claims(system: &Tables, rng: &mut fastrand::Rng) -> (Vec<Property>, bool) {
    let mut naive = Naive::with_limit(system, 2000).expect("few initial states");
    let is_finite = (0..CONTEXTS).all(|_| naive.advance().is_ok());
    let mut claims = Vec::new();
    let reached: Vec<_> = naive.visible().map(|(state, _)| state.clone()).collect();
    if let Some(state) = rng.choice(&reached) {
        let top = |top: &Option<_>| top.map_or(TopPattern::Empty, TopPattern::Symbol);
        let tops = state.tops.iter().map(top).collect();
        claims.push(Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops }));
        let (thread, symbol) =
            (0..).zip(&state.tops).find_map(|(t, top)| top.map(|top| (t, top))).unzip();
        if let (Some(thread), Some(symbol)) = (thread, symbol) {
            let (shared, template) = (Some(state.shared), naive_template(system, thread));
            claims.push(Property::Unreachable(Pattern::Somewhere { shared, template, symbol }));
        }
    }
    let is_deadlock = |property: &[Property]| {
        naive.states().any(|(s, _)| Property::first_broken(property, system, s) == Ok(Some(0)))
    };
    claims.extend(is_deadlock(&[Property::ANY_DEADLOCK]).then_some(Property::ANY_DEADLOCK));
    (claims, is_finite)
}

fn naive_template(system: &Tables, thread: usize) -> Option<TemplateId> {
    system.threads().get(thread).map(|thread| thread.template)
}

/// All that can be reached, if that ends; each set is genuine evidence for the system.
fn genuine(system: &Tables, is_finite: bool) -> Vec<Evidence> {
    let mut all = Vec::new();
    for symmetry in [false, true] {
        if is_finite {
            all.extend(explored(system, Stacks::default(), symmetry));
        }
        if is_finite || !system.starts_threads() {
            all.extend(explored(system, Languages::default(), symmetry));
        }
    }
    if system.starts_threads() {
        return all; // from above there would be no end of them
    }
    for depth in 1..=2 {
        let above = Above::explore(system, Cut::tight(depth), true, &Budget::default());
        let Ok(mut above) = above else { continue };
        all.push(above.certificate());
        if above.compare_heights(system, &Budget::default()) == Ok(true) {
            all.push(above.certificate());
        }
    }
    all
}

fn explored<L: Locals>(system: &Tables, locals: L, symmetry: bool) -> Option<Evidence> {
    let mut explorer = ContextExplorer::new(system, locals, symmetry).ok()?;
    while !explorer.has_collapsed() {
        if explorer.bound() >= CONTEXTS {
            return None;
        }
        explorer.advance(&Budget::default()).ok()?;
    }
    Some(explorer.certificate())
}

impl Tally {
    /// Refuses a false claim; says why.
    fn claim(&mut self, system: &Tables, claim: &Property, forged: &Evidence) -> Refusal {
        match forged {
            Evidence::Cut(cut) => {
                self.cuts += 1;
                self.measures += usize::from(!cut.measures.is_empty());
            }
            _ => self.aggregates += 1,
        }
        match recheck(system, std::slice::from_ref(claim), forged) {
            Err(refusal) => refusal,
            Ok(checked) => panic!("{claim:?}: accepted: {checked}\n{forged:?}"),
        }
    }

    /// Makes a false claim look like what a set of states shows.
    fn forge(
        &mut self,
        system: &Tables,
        claim: &Property,
        set: &Evidence,
        rng: &mut fastrand::Rng,
    ) {
        let mut repaired = set.clone();
        for _ in 0..REPAIRS {
            let refusal = self.claim(system, claim, &repaired);
            if !changes::repair(&mut repaired, &refusal.message) {
                break;
            }
        }
        let mut harmless = set.clone();
        loop {
            let refusal = self.claim(system, claim, &harmless);
            let is_harmful = refusal.flaw == Flaw::Harmful;
            if !is_harmful || !changes::repair(&mut harmless, &refusal.message) {
                break;
            }
        }
        for forged in changes::excluded(&harmless) {
            self.claim(system, claim, &forged);
        }
        for counts in changes::PHANTOMS {
            let mut forged = set.clone();
            changes::add_phantoms(system, &mut forged, counts, rng);
            self.claim(system, claim, &forged);
        }
        for number in 0..CHANGES {
            let mut forged = if number % 2 == 0 { set.clone() } else { repaired.clone() };
            for _ in 0..rng.usize(1..=2) {
                changes::change(system, &mut forged, rng);
            }
            self.claim(system, claim, &forged);
        }
    }
}

#[test]
fn no_false_claim_is_accepted() {
    let mut tally = Tally::default();
    let mut rng = fastrand::Rng::with_seed(31);
    for seed in 0..many(60) {
        let shape = match seed % 3 {
            0 => Shape { threads: 2, ..Shape::default() },
            1 => Shape { threads: 3, shared: 3, symbols: 2, rules: 6, ..Shape::default() },
            _ => Shape { threads: 2, spawns: true, ..Shape::default() },
        };
        let system = random_system(seed, &shape);
        let (claims, is_finite) = false_claims(&system, &mut rng);
        if claims.is_empty() {
            continue;
        }
        tally.systems += 1;
        let mut sets = genuine(&system, is_finite);
        for template in (0..system.template_count()).map(TemplateId::from) {
            let rules = system.rules(template).len();
            let fewer = without(&system, template, rng.usize(0..rules.max(1)));
            sets.extend(genuine(&fewer, is_finite));
        }
        for set in &sets {
            tally.forge(&system, &claims[rng.usize(0..claims.len())], set, &mut rng);
        }
    }
    println!("{tally:?}");
    assert!(tally.cuts >= 4000 && tally.aggregates >= 2000 && tally.measures >= 200, "{tally:?}");
}
