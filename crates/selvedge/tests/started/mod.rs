//! Programs that start threads, in rounds: what the engines say of slots is what a plain enumeration says of the threads.

mod corpus;
mod plain;
mod texts;

use selvedge::{
    Bound, Bounds, Deadlocks, EngineName, InputOptions, Limits, Livelock, LivelockEngine, Options,
    Resource, Subject, VerdictName, WithSlots, check, livelock, recheck, table,
};
use selvedge_analysis::naive::NaiveDelays;
use selvedge_model::{Property, System};
use selvedge_program::print;
use selvedge_program::sequentialize::sequentialize;

use plain::{Order, fewest_contexts, fewest_rounds};
use texts::Kind;

/// How many random cases to try; `SELVEDGE_SEEDS=1000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn read(text: &str) -> Subject {
    Subject::parse("test.weave", text, InputOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What an engine says: the bound of a violation, if there is one. Its evidence is checked.
fn found(subject: &Subject, bound: Bound, options: &Options, text: &str) -> Option<usize> {
    found_in_time(subject, bound, options, text).unwrap_or_else(|| panic!("no time\n{text}"))
}

/// Asks an engine under a limit of time; `None` if the limit ended it.
fn found_in_time(
    subject: &Subject,
    bound: Bound,
    options: &Options,
    text: &str,
) -> Option<Option<usize>> {
    let answer = check(subject, bound, options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match answer.name() {
        VerdictName::Unsafe => {
            let Some(evidence) = answer.evidence().unwrap() else {
                // There was no time left for the schedule.
                assert!(options.limits.timeout.is_some(), "no schedule\n{text}");
                return None;
            };
            let checked = recheck(subject, &evidence.to_text(), &Options::default()).unwrap();
            assert!(checked.is_ok(), "refused: {:?}\n{text}", checked.err());
            let bound = answer.object().bound.unwrap();
            Some(Some(bound.contexts.or(bound.rounds).unwrap()))
        }
        VerdictName::Bounded | VerdictName::Safe => Some(None),
        _ if options.limits.timeout.is_some() && answer.sentence().contains("time") => None,
        _ => panic!("{}\n{text}", answer.sentence()),
    }
}

fn with(engine: EngineName, started: Option<u32>) -> Options {
    Options { engine, started, evidence: true, ..Options::default() }
}

const ENGINES: [EngineName; 6] = [
    EngineName::Explicit,
    EngineName::Symbolic,
    EngineName::Lazy,
    EngineName::Near,
    EngineName::Eager,
    EngineName::Pds,
];

/// Compares a program with what the definition says of it; whether there was something to compare, and whether it goes wrong.
fn compare(seed: u64, kind: Kind) -> Option<bool> {
    let text = texts::program(seed, kind);
    let subject = read(&text);
    let (most, started) = (2, 1 + (seed % 2) as u32);
    let made = WithSlots::of(&subject, Some(64), None).unwrap().expect("it starts threads");
    let made = made.unwrap_or_else(|why| panic!("{why}\n{text}"));
    let fixed = Some(made).filter(|made| !made.started.assumed);
    let option = if fixed.is_some() { None } else { Some(started) };
    let order = match fixed {
        Some(_) => Order::Text,
        None => Order::Started(started as usize),
    };
    if kind == Kind::Beginning {
        assert!(fixed.is_some(), "{text}");
    }
    let program = subject.lowering().unwrap()?.dropping_threads();
    let fewest = fewest_rounds(&program, order, most)?;
    let engine = ENGINES[(seed % ENGINES.len() as u64) as usize];
    let auto = found(&subject, Bound::rounds(most), &with(EngineName::Auto, option), &text);
    assert_eq!(auto, fewest, "{order:?}\n{text}");
    let options = Options { limits: Limits::work(1 << 20), ..with(engine, option) };
    if let Some(by_engine) = found_in_time(&subject, Bound::rounds(most), &options, &text) {
        assert_eq!(by_engine, fewest, "{engine:?}, {order:?}\n{text}");
    }
    sequentialized(&subject, option, fewest, &text);
    delays(&subject, option, &text);
    contexts(&subject, &program, fewest, started, fixed.is_some(), &text);
    Some(fewest.is_some())
}

/// The program with one thread goes wrong where rounds do; it is read from its text.
fn sequentialized(subject: &Subject, option: Option<u32>, fewest: Option<usize>, text: &str) {
    for rounds in 1..=2 {
        let made = WithSlots::of(subject, option, Some(1)).unwrap().unwrap().unwrap();
        let slotted = print::weave(&made.slotted.program);
        read(&slotted);
        let one = sequentialize(&made.slotted.program, &Default::default(), rounds).unwrap();
        let printed = print::weave(&one.program);
        let wrong =
            found(&read(&printed), Bound::rounds(1), &with(EngineName::Lazy, None), text).is_some();
        assert_eq!(
            wrong,
            fewest.is_some_and(|fewest| fewest <= rounds as usize),
            "{rounds}\n{text}\n{printed}"
        );
    }
}

/// Rounds of single steps are those of the program with slots.
fn delays(subject: &Subject, option: Option<u32>, text: &str) {
    let (rounds, delays) = (9, 1);
    let made = WithSlots::of(subject, option, Some(2)).unwrap().unwrap().unwrap();
    let slotted = made.subject(subject).lowering().unwrap().unwrap();
    let Ok(naive) = NaiveDelays::new(&slotted, rounds, delays, 60_000) else { return };
    let goes_wrong =
        naive.within(rounds, delays).iter().any(|state| slotted.wrong(state.shared).is_some());
    let bound = Bound::round_robin(rounds, delays);
    let option = option.or(Some(64));
    let wrong = found(subject, bound, &with(EngineName::Auto, option), text).is_some();
    assert_eq!(wrong, goes_wrong, "{text}");
}

/// As many contexts find no more than as many rounds; and the program that is made for contexts has the same.
fn contexts(
    subject: &Subject,
    program: &selvedge_program::Lowering,
    fewest: Option<usize>,
    started: u32,
    is_fixed: bool,
    text: &str,
) {
    let most = 3;
    let Some(plain) = fewest_contexts(program, most) else { return };
    let by_engine = found(subject, Bound::contexts(most), &with(EngineName::Auto, None), text);
    assert_eq!(by_engine, plain, "{text}");
    // All that k contexts do is done in k rounds, if there are threads for it.
    if let Some(contexts) = plain
        && (is_fixed || started as usize >= contexts - 1)
        && contexts <= 2
    {
        assert!(fewest.is_some_and(|rounds| rounds <= contexts), "{contexts}\n{text}");
    }
    let made = WithSlots::for_contexts(subject, most as u32).unwrap().unwrap();
    let made = made.unwrap_or_else(|why| panic!("{why}\n{text}"));
    let printed = print::weave(&made.slotted.program);
    let reduced =
        found(&read(&printed), Bound::contexts(most), &with(EngineName::Auto, None), text);
    assert_eq!(reduced, plain, "{text}\n{printed}");
}

/// Compares random programs of a kind.
fn compare_many(kind: Kind) {
    let (mut compared, mut wrong) = (0, 0);
    for seed in 0..many(12) {
        if let Some(is_wrong) = compare(seed, kind) {
            compared += 1;
            wrong += u64::from(is_wrong);
        }
        if seed % 20 == 19 {
            println!("{kind:?}: {compared} programs compared so far, {wrong} go wrong");
        }
    }
    println!("{kind:?}: {compared} programs compared, {wrong} go wrong");
    assert!(compared * 2 > many(12), "only {compared} programs were compared");
    assert!(wrong > 0 && wrong < compared, "{wrong} of {compared} go wrong");
}

#[test]
fn threads_that_are_started_at_the_beginning() {
    compare_many(Kind::Beginning);
}

#[test]
fn threads_that_are_started_in_branches() {
    compare_many(Kind::Branches);
}

#[test]
fn threads_that_are_started_in_loops() {
    compare_many(Kind::Loops);
}

#[test]
fn threads_that_are_started_at_labels() {
    compare_many(Kind::Labels);
}

/// A livelock in rounds is one of the program as it was written, and the exact search finds one, too.
#[test]
fn endless_runs_of_threads_that_are_started() {
    let polite = "bool a := false; bool b := false;
        void left() { while (true) { a := true; if (b) { a := false; } else { return; } } }
        void right() { while (true) { b := true; if (a) { b := false; } else { return; } } }
        thread main { async left(); async right(); while (true) skip; }";
    let mut texts = vec![polite.to_owned()];
    texts.extend((0..many(12)).map(|seed| texts::program(seed, Kind::Beginning)));
    let mut endless = 0;
    for text in texts {
        let subject = read(&text);
        let bounds = Some(Bounds { stem: 1, lasso: 1 });
        let options = Options { evidence: true, ..Options::default() };
        let in_rounds = Livelock { bounds, ..Livelock::default() };
        let answer = livelock(&subject, &in_rounds, &options).unwrap();
        if answer.name() != VerdictName::Nonterminating {
            continue;
        }
        endless += 1;
        let evidence = answer.evidence().unwrap().expect("a lasso").to_text();
        let checked = recheck(&subject, &evidence, &Options::default()).unwrap();
        assert!(checked.is_ok(), "refused: {:?}\n{text}", checked.err());
        let exact = Livelock { engine: LivelockEngine::Exact, ..Livelock::default() };
        let answer = livelock(&subject, &exact, &Options::default()).unwrap();
        assert_eq!(answer.name(), VerdictName::Nonterminating, "{text}");
    }
    assert!(endless > 0);
    println!("{endless} endless runs");
}

/// What stands against rounds is said before anything else.
#[test]
fn properties_that_speak_of_other_things_are_refused() {
    let subject = read("bool x; void f() { x := true; } void main() { async f(); } thread main;");
    let options = Options { deadlock: Deadlocks::All, ..Options::default() };
    let answer = check(&subject, Bound::rounds(2), &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Unknown);
    assert_ne!(subject.system().unwrap().properties, [Property::ANY_DEADLOCK]);
}

/// Numbers are those without symmetry, where threads that are alike start others.
#[test]
fn symmetry_changes_no_numbers() {
    let two =
        "int[0..2] x := 0; void f() { x := 1; } thread a * 2 { skip; x := 2; async f(); skip; }";
    let random = (0..many(40)).map(|seed| texts::program(seed, Kind::Branches));
    for text in std::iter::once(two.to_owned()).chain(random) {
        let counts = |symmetry: bool| {
            let options = Options { symmetry, ..Options::default() };
            let made = table(&read(&text), Resource::Contexts, Some(2), 0, &options);
            let seen = made.unwrap_or_else(|e| panic!("{e}\n{text}")).table.outcome.observations;
            seen.iter().map(|seen| (seen.states, seen.visible)).collect::<Vec<_>>()
        };
        assert_eq!(counts(true), counts(false), "{text}");
    }
}
