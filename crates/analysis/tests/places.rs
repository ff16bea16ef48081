//! Targets at places of programs: what the engines find on random programs is what the naive
//! enumerator finds by looking at the lines that threads are shown at, one by one.

use crate::support;

use std::collections::BTreeSet;

use selvedge_analysis::engine::{Method, Question, Verdict, check};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::{Evidence, Flaw, recheck, replay};
use selvedge_frontend::Diagnostics;
use selvedge_frontend::target::target;
use selvedge_model::{Property, State, System};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Lowering, Source, print};
use support::{lower, read_weave};

const BOUND: usize = 3;

/// `name@line`, as the test understands it.
#[derive(Clone, Debug)]
struct Item {
    name: String,
    line: u32,
}

/// Whether a thread is where the item says: as it is shown, in `procedure:line(…)`.
fn is_there(system: &Lowering, state: &State, thread: usize, item: &Item) -> bool {
    let thread = &state.threads[thread];
    let Some(top) = thread.stack.top() else { return false };
    let shown = system.describe().show_symbol(top);
    let Some((procedure, rest)) = shown.split_once(':') else { return false };
    let line = rest.split('(').next().and_then(|line| line.parse().ok());
    let called = [procedure.to_owned(), system.describe().template_name(thread.template)];
    line == Some(item.line) && (item.name == "*" || called.contains(&item.name))
}

/// Whether different threads are where the items say: all ways, one by one.
fn is_reached(system: &Lowering, state: &State, items: &[Item], taken: &mut Vec<usize>) -> bool {
    let Some((first, rest)) = items.split_first() else { return true };
    (0..state.threads.len()).any(|thread| {
        if taken.contains(&thread) || !is_there(system, state, thread, first) {
            return false;
        }
        taken.push(thread);
        let reached = is_reached(system, state, rest, taken);
        taken.pop();
        reached
    })
}

/// Whether a result is on its way, or something went wrong, maybe inside of a block: nobody is then
/// at a place where it was not before.
fn is_between(system: &Lowering, state: &State) -> bool {
    system.wrong(state.shared).is_some()
        || system.describe().shared_values(state.shared).iter().any(|(name, _)| name == "result")
}

fn items(rng: &mut fastrand::Rng, system: &Lowering, lines: &[u32]) -> Vec<Item> {
    let mut names: Vec<String> = system.program().template_names().map(str::to_owned).collect();
    names.push("*".to_owned());
    let item = |rng: &mut fastrand::Rng| {
        let name = names[rng.usize(..names.len())].clone();
        Item { name, line: lines[rng.usize(..lines.len())] }
    };
    let first = item(rng);
    match rng.u32(0..4) {
        0 => vec![first],
        1 => vec![first.clone(), first],
        2 => vec![first, item(rng)],
        _ => vec![first, item(rng), item(rng)],
    }
}

/// A program, as the naive enumerator and as the engines see it.
struct Case {
    text: String,
    system: Lowering,
    engine: Lowering,
    /// The states that at most `completed` contexts reach.
    states: Vec<(State, usize)>,
    completed: usize,
}

impl Case {
    fn new(seed: u64, shape: &Shape) -> Option<Case> {
        let text = print::weave(&random_program(seed, shape));
        let program = read_weave(&text);
        let system = lower(&program, &text).ok()?;
        let engine = lower(&program, &text).ok()?.dropping_threads();
        let mut naive = Naive::with_limit(&system, 1500).ok()?;
        while naive.level().bound < BOUND && naive.advance().is_ok() {}
        let completed = naive.level().bound;
        let states = naive.states().filter(|(_, bound)| *bound <= completed);
        let states = states.map(|(state, bound)| (state.clone(), bound)).collect();
        Some(Case { text, system, engine, states, completed })
    }

    /// The lines at which a thread is seen somewhere.
    fn lines(&self) -> BTreeSet<u32> {
        let threads = self.states.iter().flat_map(|(state, _)| &state.threads);
        let tops = threads.filter_map(|thread| thread.stack.top());
        tops.filter_map(|top| self.system.describe().symbol_line(top)).collect()
    }

    /// The least number of contexts after which the items are reached, by looking at all states.
    fn first(&self, items: &[Item]) -> Option<usize> {
        let reached = self.states.iter().filter(|(state, _)| {
            !is_between(&self.system, state)
                && is_reached(&self.system, state, items, &mut Vec::new())
        });
        reached.map(|(_, bound)| *bound).min()
    }

    fn target(&self, items: &[Item]) -> Result<Property, Diagnostics> {
        let said: Vec<_> = items.iter().map(|i| format!("{}@{}", i.name, i.line)).collect();
        let source = Source::new("test.weave", self.text.as_str());
        target(&said.join(","), self.system.program(), &source)
    }

    /// What an engine finds is right; whether it is a violation.
    fn check(&self, items: &[Item], property: &Property, method: Method, symmetry: bool) -> bool {
        let about = || format!("{items:?} {method:?}\n{}", self.text);
        let first = self.first(items);
        let properties = std::slice::from_ref(property);
        let system = &self.engine;
        let question = Question { system, properties, method, symmetry, evidence: true };
        let outcome =
            check(&question, Bound::contexts(self.completed), &Budget::default(), &|_| {});
        if let Some(evidence) = &outcome.evidence {
            let checked = recheck(system, properties, evidence);
            assert!(checked.is_ok(), "{checked:?}: {}", about());
        }
        match &outcome.verdict {
            Verdict::Unsafe { bound: Bound { count: contexts, .. }, trace, .. } => {
                assert_eq!(Some(*contexts), first, "{}", about());
                let last = replay(system, trace).expect("it replays").pop().expect("a state");
                assert_eq!(Property::first_broken(properties, system, &last), Ok(Some(0)));
                assert!(is_reached(system, &last, items, &mut Vec::new()), "{}", about());
                true
            }
            Verdict::Bounded { .. } => {
                assert_eq!(first, None, "{}", about());
                false
            }
            Verdict::Safe(_) => {
                assert_eq!(first, None, "{}", about());
                self.check_that_other_claims_are_refused(outcome.evidence.as_ref());
                false
            }
            other => panic!("{other:?}: {}", about()),
        }
    }

    /// What proves something does not prove that nobody is where the first thread starts.
    fn check_that_other_claims_are_refused(&self, evidence: Option<&Evidence>) {
        let top = self.states[0].0.threads[0].stack.top().expect("it has not ended");
        let line = self.system.describe().symbol_line(top).expect("it has a line");
        if let Ok(reached) = self.target(&[Item { name: "*".to_owned(), line }]) {
            let evidence = evidence.expect("a safe verdict has a certificate");
            let refused = recheck(&self.engine, &[reached], evidence).expect_err("it is reached");
            assert_eq!(refused.flaw, Flaw::Harmful, "{refused}");
        }
    }
}

#[test]
fn targets_are_found_where_threads_are_seen() {
    let size = Shape { globals: 2, procs: 2, locals: 1, statements: 4, depth: 2, ..Shape::plain() };
    let shapes = [
        Shape { calls: true, jumps: true, atomic: false, ..size.clone() },
        Shape { locks: true, atomic: true, calls: false, ..size.clone() },
        Shape { dynamic_threads: true, calls: false, ..size },
    ];
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut asked, mut found, mut several, mut no_place) = (0, 0, 0, 0);
    for (shape, seed) in shapes.iter().flat_map(|shape| (0..120).map(move |seed| (shape, seed))) {
        let Some(case) = Case::new(seed, shape) else { continue };
        let lines: Vec<u32> = case.lines().into_iter().collect();
        for _ in 0..if lines.is_empty() { 0 } else { 6 } {
            let items = items(&mut rng, &case.system, &lines);
            let property = match case.target(&items) {
                Ok(property) => property,
                Err(wrong) => {
                    assert_eq!(case.first(&items), None, "{wrong}\n{}", case.text);
                    no_place += 1;
                    continue;
                }
            };
            for (method, symmetry) in [(Method::Auto, true), (Method::Symbolic, false)] {
                let is_found = case.check(&items, &property, method, symmetry);
                asked += 1;
                found += usize::from(is_found);
                several += usize::from(is_found && items.len() > 1);
            }
        }
    }
    println!("{asked} asked, {found} found, {several} of several threads, {no_place} no places");
    assert!(asked > 800 && found > 200 && several > 50);
}
