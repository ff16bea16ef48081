//! The Boolean programs that SATABS made (Liu and Wahl's benchmarks), in rounds, beside what contexts say of them.

use std::path::{Path, PathBuf};

use selvedge::{
    Bound, EngineName, InputOptions, Options, Subject, VerdictName, WithSlots, check, verify,
};
use selvedge_analysis::{Tabulated, tabulate};
use selvedge_program::print;
use selvedge_program::sequentialize::sequentialize;

use super::{found, with};

/// The programs; none if they are not beside this repository.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/bp/satabs");
    let Ok(families) = folder.read_dir() else {
        println!("skipped: there is no {}", folder.display());
        return Vec::new();
    };
    let files = families.flatten().flat_map(|family| family.path().read_dir().unwrap().flatten());
    let mut all: Vec<PathBuf> = files.map(|file| file.path()).collect();
    all.retain(|path| path.extension().is_some_and(|ending| ending == "bp"));
    all.sort();
    assert_eq!(all.len(), 14, "{all:?}");
    all
}

fn read(path: &Path) -> Subject {
    Subject::read(path, InputOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn rounds_of_the_satabs_programs_agree_with_contexts() {
    for path in programs() {
        let name = path.display().to_string();
        let subject = read(&path);
        let contexts = found(&subject, Bound::contexts(3), &with(EngineName::Auto, None), &name);
        for engine in [EngineName::Auto, EngineName::Explicit, EngineName::Lazy] {
            // Three rounds have all that three contexts have.
            let rounds = found(&subject, Bound::rounds(3), &with(engine, None), &name);
            assert!(
                contexts.is_none() || rounds <= contexts && rounds.is_some(),
                "{name}: {engine:?}"
            );
            // Rounds of three threads are contexts, one after the other.
            if let Some(rounds) = rounds {
                let bound = Bound::contexts(rounds * 3);
                assert!(
                    found(&subject, bound, &with(EngineName::Auto, None), &name).is_some(),
                    "{name}"
                );
            }
        }
        let proof = verify(&subject, &Options::default()).unwrap().name();
        let delays =
            found(&subject, Bound::round_robin(45, 1), &with(EngineName::Auto, None), &name);
        assert_eq!(delays.is_some(), proof == VerdictName::Unsafe, "{name}");
        one_thread(&subject, &name);
        tables(&subject, contexts, &name);
    }
}

/// The program with one thread goes wrong where two rounds do.
fn one_thread(subject: &Subject, name: &str) {
    let rounds = found(subject, Bound::rounds(2), &with(EngineName::Auto, None), name);
    let made = WithSlots::of(subject, None, Some(1)).unwrap().unwrap().unwrap();
    let one = sequentialize(&made.slotted.program, &Default::default(), 2).unwrap();
    let text = print::weave(&one.program);
    let one = Subject::parse("one.weave", text, InputOptions::default()).unwrap();
    let wrong = found(&one, Bound::rounds(1), &with(EngineName::Lazy, None), name);
    assert_eq!(wrong.is_some(), rounds.is_some(), "{name}");
}

/// The tables for three contexts go wrong as the program does.
fn tables(subject: &Subject, contexts: Option<usize>, name: &str) {
    let made = WithSlots::for_contexts(subject, 3).unwrap().unwrap().unwrap();
    let opened = made.subject(subject).system().unwrap();
    let Tabulated { tables, targets } = tabulate(&*opened.system, 1_000_000).unwrap();
    let text = selvedge_frontend::tables::print::cpds(&tables, &targets).unwrap();
    let table = Subject::parse("table.cpds", text, InputOptions::default()).unwrap();
    let answer = check(&table, Bound::contexts(3), &Options::default()).unwrap();
    let bound = match answer.name() {
        VerdictName::Unsafe => answer.object().bound.unwrap().contexts,
        _ => None,
    };
    assert_eq!(bound, contexts, "{name}");
}

/// Fig. 2 of the CUBA paper starts its two threads at the beginning: nothing is assumed.
#[test]
fn the_threads_of_fig2_are_known() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cuba/fig2.bp");
    let subject = read(&path);
    for bound in [Bound::rounds(3), Bound::round_robin(8, 2)] {
        let answer = check(&subject, bound, &Options::default()).unwrap();
        assert_eq!(answer.name(), VerdictName::Bounded, "{}", answer.sentence());
        assert_eq!(answer.object().assumption, None);
    }
    let made = WithSlots::of(&subject, None, None).unwrap().unwrap().unwrap();
    assert_eq!((made.slotted.slots, made.started.assumed), (2, false));
    one_thread(&subject, "fig2.bp");
    let opened = made.subject(&subject).system().unwrap();
    assert!(tabulate(&*opened.system, 10_000).is_ok());
}
