//! # Lowering against an interpreter
//! **Question.** Is what the lowering makes of a program what the text says?
//! **Idea.** A second reading of `docs/language.md` that has nothing in common with the first: it
//! walks over the structured statements ([`machine`]), every variable has a value from the start
//! ([`values`]), an atomic block is run to its end ([`search`]). It is too slow for anything but
//! tiny programs.
//! **Claim.** On random tiny programs both go wrong at the same number of contexts, and within each
//! number of contexts both reach the same values of the shared variables, where an open value of
//! the lowering stands for all values of its type.

use crate::support;

mod effects;
mod family;
mod kinds;
mod machine;
mod search;
mod statements;
mod values;
mod wrapping;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_analysis::naive::{Naive, NaiveError};
use selvedge_model::{Datum, System, Values};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Lowering, Program, Value, print};

use crate::oracle::search::{Reached, reached, renamed};
use crate::oracle::values::{product, values_of};

const BOUND: usize = 3;

/// What the lowered program reaches within each number of contexts.
fn lowered(program: &Program, system: &Lowering) -> Result<Vec<Reached>, NaiveError> {
    let mut naive = Naive::with_limit(system, 1_500)?;
    for _ in 0..BOUND {
        naive.advance()?;
    }
    let level = |k: usize| {
        let states = naive.states().filter(|(_, bound)| *bound <= k).map(|(state, _)| state.shared);
        let (wrong, right): (BTreeSet<_>, BTreeSet<_>) =
            states.partition(|shared| system.wrong(*shared).is_some());
        let shared =
            right.into_iter().flat_map(|q| expanded(program, &system.describe().shared_values(q)));
        Reached { shared: shared.collect(), wrong: !wrong.is_empty() }
    };
    Ok((0..=BOUND).map(level).collect())
}

/// All values that the shared variables may have where some are open.
fn expanded(program: &Program, values: &Values) -> Vec<Vec<String>> {
    let slots = program.globals.iter().zip(values.iter()).flat_map(|(variable, (_, value))| {
        let all = || {
            let values = values_of(program, variable.ty.scalar()).into_iter();
            let shown = |v| program.datum(&variable.ty, &Value::from_big(v)).to_string();
            values.map(shown).collect()
        };
        let slot = |one: &Datum| if *one == Datum::Any { all() } else { vec![one.to_string()] };
        scalars(value).into_iter().map(slot).collect::<Vec<_>>()
    });
    product(slots).into_iter().map(|values| renamed(program, values)).collect()
}

/// The elements of the rows of an array, one after the other; of a scalar, itself.
fn scalars(value: &Datum) -> Vec<&Datum> {
    match value {
        Datum::List(rows) => rows.iter().flat_map(scalars).collect(),
        scalar => vec![scalar],
    }
}

/// What came of a comparison.
enum Answer {
    /// The program is too large for one of the two, or has no flow graph.
    NotCompared,
    /// Both do the same; whether the program goes wrong.
    Same { wrong: bool },
    /// They differ, in this way.
    Different(String),
}

fn compare(program: &Program, expected: Option<&[Reached]>) -> Answer {
    let text = print::weave(program);
    let Ok(system) = support::lower(program, &text) else { return Answer::NotCompared };
    let Some(expected) = expected else { return Answer::NotCompared };
    let Ok(found) = lowered(program, &system) else { return Answer::NotCompared };
    let mut wrong = false;
    for (bound, (expected, found)) in expected.iter().zip(&found).enumerate() {
        wrong = expected.wrong;
        if expected != found {
            let missing: Vec<_> = expected.shared.difference(&found.shared).take(3).collect();
            let extra: Vec<_> = found.shared.difference(&expected.shared).take(3).collect();
            return Answer::Different(format!(
                "{text}\nwithin {bound} contexts: it goes wrong: {}, should be {}; \
                 missing values {missing:?}, too many {extra:?}",
                found.wrong, expected.wrong,
            ));
        }
    }
    Answer::Same { wrong }
}

/// What came of comparing many programs.
#[derive(Default)]
struct Tally {
    compared: usize,
    /// How many of them go wrong.
    wrong: usize,
    /// In how many of them each kind of statement occurs.
    kinds: BTreeMap<&'static str, usize>,
    different: Vec<String>,
}

impl Tally {
    fn add(&mut self, program: &Program, expected: Option<&[Reached]>, about: &str) {
        match compare(program, expected) {
            Answer::NotCompared => {}
            Answer::Same { wrong } => {
                self.compared += 1;
                self.wrong += usize::from(wrong);
                for kind in kinds::of(program) {
                    *self.kinds.entry(kind).or_default() += 1;
                }
            }
            Answer::Different(how) => self.different.push(format!("{about}:\n{how}")),
        }
    }

    /// Fails with the shortest difference, if there is one.
    fn check(mut self) -> Self {
        self.different.sort_by_key(String::len);
        let count = self.different.len();
        let compared = self.compared + count;
        assert!(count == 0, "{count} of {compared} differ: {}", self.different[0]);
        println!("{compared} compared, {} go wrong; {:?}", self.wrong, self.kinds);
        self
    }
}

/// Random programs in several shapes.
fn compare_random(seeds: std::ops::Range<u64>) -> Tally {
    let tiny = Shape {
        globals: 3,
        procs: 1,
        locals: 1,
        statements: 5,
        depth: 2,
        recursion: false,
        predicates: false,
        ..Shape::default()
    };
    let boolean = Shape { numbers: false, enums: false, arrays: false, ..tiny.clone() };
    let fixed = Shape { dynamic_threads: false, threads: 3, ..boolean.clone() };
    let plain = Shape { boolean_programs: false, jumps: false, ..fixed.clone() };
    let shapes = [("all", tiny), ("boolean", boolean), ("fixed", fixed), ("plain", plain)];
    compare_shapes(&shapes, seeds)
}

fn compare_shapes(shapes: &[(&str, Shape)], seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for (name, shape) in shapes {
        for seed in seeds.clone() {
            let mut program = random_program(seed, shape);
            for thread in program.threads.iter_mut().filter(|t| t.count == Count::Any) {
                thread.count = Count::Fixed(1);
            }
            let expected = reached(&program, BOUND);
            tally.add(&program, expected.as_deref(), &format!("{name} {seed}"));
        }
    }
    tally.check()
}

/// `SELVEDGE_SEEDS=5000` makes it thorough.
#[test]
fn lowering_agrees_with_the_interpreter() {
    let seeds = std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok());
    let tally = compare_random(0..seeds.unwrap_or(250));
    assert!(tally.compared > 500 && tally.wrong > 100);
    for kind in kinds::ALL {
        assert!(tally.kinds.get(kind).is_some_and(|n| *n >= 5), "{kind}: {:?}", tally.kinds);
    }
}

#[test]
fn machine_integers_agree_with_those_of_rust() {
    let machine = Shape {
        globals: 3,
        procs: 1,
        locals: 1,
        statements: 5,
        depth: 3,
        machine: true,
        enums: false,
        dynamic_threads: false,
        recursion: false,
        predicates: false,
        ..Shape::default()
    };
    let plain = Shape { boolean_programs: false, jumps: false, locks: false, ..machine.clone() };
    let seeds = std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok());
    let shapes = [("machine", machine), ("plain machine", plain)];
    let tally = compare_shapes(&shapes, 0..seeds.unwrap_or(400));
    assert!(tally.compared > 500 && tally.wrong > 100, "{} compared", tally.compared);
}
