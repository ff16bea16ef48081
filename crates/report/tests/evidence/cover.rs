//! Certificates for any number of threads, from the search to the check, through text.

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, verify};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::{Evidence, recheck};
use selvedge_model::{Pattern, Property, SharedId, SymbolId};

use crate::through_text;

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
