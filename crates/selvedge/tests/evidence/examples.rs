//! Programs and tables of the examples, from the file to the check.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::{Method, Question, Verdict, verify};
use selvedge_evidence::{Evidence, recheck};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Property, System};
use selvedge_program::{Count, Lowering, ThreadCounts};

use crate::evidence::{text_of, through_text};

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the examples are there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "weave" || e == "bp" || e == "cpds") {
            found.push(path);
        }
    }
    found.sort();
}

/// The system of a file; each call is another run, with other ids.
fn open(path: &Path) -> Option<(Box<dyn System>, Vec<Property>)> {
    match load(path, &LoadOptions::default()).ok()? {
        Input::Tables { input, .. } => Some((Box::new(input.tables), input.targets)),
        Input::Program { program, source, .. } => {
            let any = program.threads.iter().filter(|t| t.count == Count::Any);
            let counts: ThreadCounts = any.map(|t| (t.name.clone(), 2)).collect();
            let lowering = Lowering::new(Arc::clone(&program), source, &counts).ok()?;
            let lowering = lowering.dropping_threads();
            Some((Box::new(lowering), vec![Property::NeverWrong]))
        }
    }
}

#[test]
fn verdicts_on_the_examples_have_evidence_that_is_accepted() {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut paths);
    let (mut safe, mut broken) = (0, 0);
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((system, properties)) = open(&path) else { continue };
        let question = Question {
            system: &*system,
            properties: &properties,
            method: Method::Auto,
            symmetry: true,
            evidence: true,
        };
        let outcome = verify(&question, &Budget::default().with_work(1 << 21), &|_| {});
        let Some(evidence) = outcome.evidence else {
            let answered = matches!(outcome.verdict, Verdict::Safe(_) | Verdict::Unsafe { .. });
            assert!(!answered, "{name}: {:?}", outcome.verdict);
            println!("{name}: {:?}", outcome.verdict);
            continue;
        };
        // The other run meets states in another order: some are already known to it.
        let (other, properties) = open(&path).expect("it was opened before");
        if let Evidence::Cut(certificate) = &evidence {
            for state in certificate.states.iter().rev().step_by(7) {
                let key = system.keys().shared_key(state.shared);
                let found = other.keys().find_shared_key(&key).expect("the key is known");
                assert_eq!(other.keys().shared_key(found), key);
                assert_eq!(
                    other.describe().show_shared(found),
                    system.describe().show_shared(state.shared)
                );
            }
        }
        let read = through_text(&*system, &evidence, &*other);
        let size = text_of(&*system, &evidence).len();
        match recheck(&*other, &properties, &read) {
            Ok(checked) => println!("{name}: {checked} ({size} bytes)"),
            Err(refusal) => panic!("{name}: {refusal}"),
        }
        match outcome.verdict {
            Verdict::Safe(_) => safe += 1,
            _ => broken += 1,
        }
    }
    println!("{safe} safe, {broken} unsafe");
    assert!(safe >= 8 && broken >= 5);
}
