//! # Each reduction by itself, against the plain enumeration
//! Random programs with locks, local computation, recursion, arrays, started threads and asserts on locals, enumerated by the definition. With each reduction alone, with all of them, and
//! without, with one worker and with two, the engine comes to that verdict and to that smallest bound, also for deadlocks. Every run is replayed, and every certificate is checked. Then one
//! thing is changed in it, and the checker refuses it, unless what it says is still so: that is looked at state by state.
//!
//! Programs may have states without end. They are enumerated up to a number of states, and compared bound by bound as far as that goes; beyond, all answers are held against each other. How many
//! were compared how far is counted, and printed with the rest: `SELVEDGE_SEEDS=5000 cargo test --release -p selvedge-analysis --test all fused::exact -- --nocapture`. With `SELVEDGE_FROM=1000`
//! it begins at that seed. A few programs in a hundred have states without end within one context (threads that are started for ever, stacks that grow for ever): those are held against
//! themselves alone, so that 5,000 programs that are compared up to a bound (`up_to_a_bound`) take about 5,200 seeds.

mod asked;
mod changes;
mod plain;
mod programs;
mod tally;

use std::cmp::Reverse;
use std::sync::Arc;

use selvedge_evidence::{
    CountedState, CutCertificate, CutThread, Evidence, LeftOut, ReducedCertificate, Window,
};
use selvedge_model::{Local, Movers, Property, ThreadId, step};
use selvedge_program::{Lowering, Source};

use self::asked::Asked;
use self::changes::Change;
use self::plain::Extent;
use self::programs::{FEATURES, example, program};
use self::tally::Tally;
use crate::support::{self, many, seeds};

/// How much is done for one question.
#[derive(Clone, Copy)]
struct Effort {
    /// No more states than this are enumerated, each once for every thread that comes to it: of larger programs, as many contexts as that allows for.
    pub states: usize,
    /// So many configurations inside of an atomic section are followed: some have no end, and each engine would follow them anew.
    pub inside: usize,
    /// Work after which an engine gives up: some programs have no end.
    pub work: u64,
}

impl Effort {
    const RANDOM: Effort = Effort { states: 3_000, inside: 1 << 10, work: 60_000 };
    /// For all examples: stacks that grow without end become as high as there are states.
    const EXAMPLE: Effort = Effort { states: 20_000, inside: 1 << 18, work: 400_000 };
}

/// How work is saved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reduction {
    None,
    LocalSteps,
    Movers,
    LocalStepsAndMovers,
    Waiting,
    LocalStepsAndWaiting,
    All,
}

impl Reduction {
    const EACH: [Reduction; 7] = [
        Reduction::None,
        Reduction::LocalSteps,
        Reduction::Movers,
        Reduction::LocalStepsAndMovers,
        Reduction::Waiting,
        Reduction::LocalStepsAndWaiting,
        Reduction::All,
    ];

    /// What it uses of all that is known of a program.
    fn of(self, local: &Local) -> Local {
        let none = Local::default();
        match self {
            Reduction::None | Reduction::Waiting => none,
            Reduction::Movers => Local { movers: local.movers.clone(), ..none },
            Reduction::LocalSteps | Reduction::LocalStepsAndWaiting => {
                Local { movers: Movers::default(), ..local.clone() }
            }
            Reduction::LocalStepsAndMovers | Reduction::All => local.clone(),
        }
    }

    fn waits(self) -> bool {
        matches!(self, Reduction::Waiting | Reduction::LocalStepsAndWaiting | Reduction::All)
    }
}

#[test]
fn each_reduction_alone() {
    let mut tally = Tally::default();
    let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
    for seed in seeds(80) {
        let (program, text) = program(seed);
        let lower = || support::lower(&program, &text).map_err(|why| why.to_string());
        let procedures = text.find("void p(").unwrap_or(0);
        let is_there = |word: &&str| text[procedures..].contains(word);
        let features = FEATURES.iter().filter(|(_, words)| words.iter().any(is_there));
        let features: Vec<&'static str> = features.map(|(feature, _)| *feature).collect();
        let mut extent = None;
        for properties in [&both[..1], &both[..]] {
            let about = format!("seed {seed}, {properties:?}\n{text}");
            let asked = match Asked::new(&lower, properties, &features, Effort::RANDOM, about) {
                Ok(asked) => asked,
                Err(why) => {
                    println!("seed {seed}, {properties:?}: {why}");
                    tally.not_enumerated += 1;
                    continue;
                }
            };
            extent = extent.max(Some(Reverse(asked.plain.extent())));
            tally.asked(&asked.plain);
            let mut rng = fastrand::Rng::with_seed(seed);
            for reduction in Reduction::EACH {
                let genuine = match reduction.waits() {
                    true => asked.wait(reduction, &mut tally),
                    false => asked.count(reduction, &mut tally),
                };
                let Some(genuine) = genuine else { continue };
                let changes: &[Change] = match reduction {
                    Reduction::None => &[],
                    Reduction::LocalSteps => &[Change::StateMissing, Change::LocalPlace],
                    Reduction::Movers | Reduction::LocalStepsAndMovers => &[
                        Change::StateMissing,
                        Change::PlaceInside,
                        Change::PlaceThatGivesBack,
                        Change::PlaceThatTakes,
                        Change::PlaceThatCommits,
                        Change::HeldPlace,
                        Change::OtherLock,
                        Change::ProtectedSlot,
                    ],
                    _ => &[Change::StateMissing, Change::WaitingThread, Change::WaitingForEver],
                };
                for &change in changes {
                    asked.change((reduction, change), &genuine, &mut rng, &mut tally);
                }
            }
            tally.answered(&asked);
        }
        if let Some(Reverse(extent)) = extent {
            tally.programs += 1;
            tally.up_to_a_bound += usize::from(extent != Extent::PartOfOneContext);
            features.iter().for_each(|feature| Tally::count(&mut tally.features, *feature));
        }
    }
    println!("{tally:#?}");
    tally.check(many(80) as usize);
}

/// The examples that are programs, each question of theirs about assertions and once more about deadlocks. The usual run takes every fortieth; `SELVEDGE_EVERY=1` takes them all. Of threads of
/// which there may be any number there is one.
#[test]
fn each_reduction_alone_on_examples() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let list = std::fs::read_to_string(examples.join("expected.tsv")).expect("the list");
    let every = std::env::var("SELVEDGE_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let effort = if every == 1 { Effort::EXAMPLE } else { Effort::RANDOM };
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for row in list.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let (file, options) = (fields[0], fields[1]);
        let is_program = file.ends_with(".weave") || file.ends_with(".bp");
        if is_program && !options.contains("--target") && !rows.contains(&(file, options)) {
            rows.push((file, options));
        }
    }
    let both = [Property::NeverWrong, Property::ANY_DEADLOCK];
    let mut tally = Tally::default();
    let (mut other, mut partly, mut unanswered) = (Vec::new(), Vec::new(), Vec::new());
    for (file, options) in rows.into_iter().step_by(every) {
        let text = std::fs::read_to_string(examples.join(file)).expect("an example");
        let Some((program, counts)) = example(file, &text, options) else {
            other.push(format!("{file} {options}"));
            continue;
        };
        println!("{file} {options}");
        let source = Arc::new(Source::new(file, text));
        let lower = || {
            let lowering = Lowering::new(Arc::clone(&program), Arc::clone(&source), &counts);
            lowering.map_err(|why| why.to_string())
        };
        tally.programs += 1;
        for properties in [&both[..1], &both[..]] {
            let about = format!("{file} {options}, {properties:?}");
            let asked = match Asked::new(&lower, properties, &[], effort, about.clone()) {
                Ok(asked) => asked,
                Err(why) => {
                    tally.not_enumerated += 1;
                    other.push(format!("{about}: {why}"));
                    continue;
                }
            };
            tally.asked(&asked.plain);
            if asked.plain.extent() != Extent::Whole {
                partly.push(format!("{about}: {} contexts", asked.plain.completed));
            }
            for reduction in Reduction::EACH {
                match reduction.waits() {
                    true => asked.wait(reduction, &mut tally),
                    false => asked.count(reduction, &mut tally),
                };
            }
            if asked.is_broken().is_none() {
                unanswered.push(about);
            }
            tally.answered(&asked);
        }
    }
    println!("{tally:#?}\nup to a bound: {partly:#?}\nof these unanswered: {unanswered:#?}");
    println!("asked in another way: {other:#?}");
    // Of a few examples, most may be too large for the little that is enumerated of each; of all of them, with more effort, less than half is.
    let most = if every == 1 { tally.questions / 2 } else { tally.questions };
    assert!(tally.programs > 0 && partly.len() < most, "{partly:#?}");
}

/// Nobody waits for ever: a thread that goes round in a circle has nothing to do with one that goes wrong, and still cannot go first for ever.
#[test]
fn somebody_who_always_waits_is_seen() {
    let text = "bool x := false; bool y := false;\n\
         thread round { while (true) { x := !x; } }\n\
         thread wrong { y := true; assert false; }\n";
    let lower = || support::lower(&support::read_weave(text), text).map_err(|why| why.to_string());
    let properties = [Property::NeverWrong];
    let asked = Asked::new(&lower, &properties, &[], Effort::RANDOM, text.to_owned());
    let asked = asked.expect("it is finite");
    assert_eq!(asked.plain.broken_at, Some(1));
    let (mut kinds, mut states, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
    let mut open = asked.system.initial().expect("it begins somewhere");
    let mut at = 0;
    while let Some(state) = open.get(at).cloned() {
        at += 1;
        let mut numbers = Vec::new();
        for (class, thread) in (0..).zip(&state.threads) {
            let window = Window { symbols: thread.stack.iter().collect(), hidden: false };
            let kind = CutThread { class, window };
            let known = kinds.iter().position(|known| *known == kind);
            numbers.push(known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            }) as u32);
        }
        for (_, next) in step(&*asked.system, &state, ThreadId::from(0)).expect("it acts") {
            if !open.contains(&next) {
                open.push(next);
            }
        }
        let shown = (at - 1) as u32;
        waiting.push(LeftOut { state: shown, kinds: [numbers[1]].into() });
        states.push(CountedState::of_kinds(state.shared, numbers));
    }
    assert!(states.len() > 1);
    let proof = |states: &[CountedState], waiting: &[LeftOut]| {
        let (started, guesses, measures) = (Vec::new(), Vec::new(), Vec::new());
        let (classes, kinds, states) = (vec![0, 1], kinds.clone(), states.to_vec());
        let cut = CutCertificate { classes, started, depth: 9, guesses, kinds, states, measures };
        let (local, waiting) = (Local::default(), waiting.to_vec());
        ReducedCertificate { local, later: false, waiting, proof: Box::new(Evidence::Cut(cut)) }
    };
    let why = asked.check(&proof(&states, &waiting)).expect_err("it goes wrong").to_string();
    assert!(why.contains("no way leads from there"), "{why}");
    // Where nobody waits at one of the states, the step of the other thread is missing there.
    for number in 0..waiting.len() {
        let mut fewer = waiting.clone();
        fewer.remove(number);
        let why = asked.check(&proof(&states, &fewer)).expect_err("it goes wrong");
        assert!(why.to_string().contains("no state of the set has such a thread"), "{why}");
    }
}
