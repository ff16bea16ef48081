//! Certificates for any number of threads, from the search to the check, through text.

use std::path::Path;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, verify};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::{CoverCertificate, Evidence, recheck};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Pattern, Property, SharedId, SymbolId};
use selvedge_program::{Lowering, ThreadCounts};

use crate::evidence::{through_text, verified};

#[test]
fn certificates_for_any_number_of_threads_are_accepted() {
    let (mut safe, mut violations) = (0, 0);
    let shape = Shape { spawns: true, threads: 2, ..Shape::default() };
    for seed in 0..150 {
        let system = random_system(seed, &shape);
        for symbol in (0..system.symbol_count()).map(SymbolId::from) {
            let shared = Some(SharedId(1));
            let somewhere = Pattern::Somewhere { shared, template: None, symbol };
            let properties = [Property::Unreachable(somewhere)];
            let question = Question {
                system: &system,
                properties: &properties,
                method: Method::Coverability,
                symmetry: true,
                evidence: true,
            };
            // Where stacks grow there is no answer.
            let outcome = verify(&question, &Budget::default(), &|_| {});
            let Some(evidence) = outcome.evidence else { continue };
            let read = through_text(&system, &evidence, &system.clone());
            assert_eq!(read, evidence, "seed {seed}");
            let checked = recheck(&system, &properties, &read);
            assert!(checked.is_ok(), "seed {seed}: {checked:?}");
            match evidence {
                Evidence::Cover(_) => safe += 1,
                _ => violations += 1,
            }
        }
    }
    println!("{safe} safe, {violations} violations");
    assert!(safe > 30 && violations > 30, "{safe} {violations}");
}

/// An example with any number of threads; each call is another run, with other ids.
fn example(name: &str) -> Lowering {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/any").join(name);
    let Ok(Input::Program { program, source, .. }) = load(&path, &LoadOptions::default()) else {
        panic!("{name} is a program")
    };
    let lowering = Lowering::for_any_number(program, source, &ThreadCounts::new());
    lowering.expect("any number").dropping_threads()
}

/// Whether the evidence is accepted in another run, after a change.
fn is_accepted(name: &str, good: &Evidence, change: fn(&mut CoverCertificate)) -> bool {
    let mut changed = good.clone();
    let Evidence::Cover(certificate) = &mut changed else { panic!("{name}: {good:?}") };
    change(certificate);
    let (system, other) = (example(name), example(name));
    // The ids of the evidence are those of a run that is over: through text they become others.
    let first = verified(&system, &[Property::NeverWrong], Method::Auto);
    assert_eq!(first.evidence.as_ref(), Some(good), "{name}: the same question, the same answer");
    let read = through_text(&system, &changed, &other);
    recheck(&other, &[Property::NeverWrong], &read).is_ok()
}

#[test]
fn proofs_about_any_number_of_recursive_threads_are_accepted() {
    for (name, depth, relations) in [
        ("doorkeeper.weave", 1, 1),
        ("bluetooth.weave", 2, 1),
        ("walkers.weave", 1, 0),
        ("divide.weave", 1, 0),
        ("reentrant.weave", 1, 0),
    ] {
        let outcome = verified(&example(name), &[Property::NeverWrong], Method::Auto);
        let evidence = outcome.evidence.unwrap_or_else(|| panic!("{name}: {:?}", outcome.verdict));
        let Evidence::Cover(certificate) = &evidence else { panic!("{name}: {evidence:?}") };
        let cut = certificate.cut.as_ref().map(|cut| cut.depth);
        assert_eq!((cut, certificate.relations.len()), (Some(depth), relations), "{name}");
        assert!(is_accepted(name, &evidence, |_| {}), "{name}");
        let no_guesses = |c: &mut CoverCertificate| {
            c.cut.iter_mut().for_each(|cut| cut.guesses.clear());
        };
        assert!(!is_accepted(name, &evidence, no_guesses), "{name}");
        assert!(!is_accepted(name, &evidence, |c| c.cut = None), "{name}");
        if relations > 0 {
            assert!(!is_accepted(name, &evidence, |c| c.relations.clear()), "{name}");
            let lighter = |c: &mut CoverCertificate| c.relations[0].heights.clear();
            assert!(!is_accepted(name, &evidence, lighter), "{name}");
            let heavier = |c: &mut CoverCertificate| c.relations[0].kinds.fill(i32::MIN);
            assert!(!is_accepted(name, &evidence, heavier), "{name}");
        }
    }
}
