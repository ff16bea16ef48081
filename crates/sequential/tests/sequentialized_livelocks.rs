//! What `sequentialize --for livelock` prints: a program that is read again and checked, and that
//! goes wrong exactly if there is a lasso.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use selvedge_analysis::engine::Verdict;
use selvedge_analysis::{Bound, Budget, Stop};
use selvedge_evidence::replay;
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Endless, Fairness, Property, System};
use selvedge_program::sequentialize::{self, Bounds};
use selvedge_program::{Lowering, Program, Source, ThreadCounts, print};
use selvedge_sequential::engine::{RoundsQuestion, check};
use selvedge_sequential::{Options, livelock};

/// How much work one answer may take.
const LIMIT: u64 = 1 << 20;

/// Whether a program goes wrong within so many rounds; `None` if there is no answer.
fn answer(program: &Lowering, rounds: usize) -> Option<bool> {
    let asked = RoundsQuestion { program, properties: &[Property::NeverWrong], evidence: false };
    let budget = limited();
    match check(&asked, rounds, Options::default(), &budget, &|_| {}).verdict {
        Verdict::Safe(_) | Verdict::Bounded { .. } => Some(false),
        Verdict::Unsafe { bound, trace, .. } => {
            assert!(bound.count <= rounds && bound == Bound::rounds(bound.count));
            let states = replay(program, &trace).expect("it replays");
            assert!(states.last().is_some_and(|state| program.wrong(state.shared).is_some()));
            Some(true)
        }
        Verdict::Unknown { stop: Stop::Work | Stop::Fault(_), .. } => None,
        Verdict::Unknown { stop, .. } => panic!("{stop}"),
    }
}

fn limited() -> Budget {
    Budget::default().with_work(LIMIT)
}

/// Whether the program has a lasso within some rounds; `None` if there is no answer.
fn repeats(
    program: &Arc<Program>,
    source: &Arc<Source>,
    bounds: Bounds,
    endless: Endless,
) -> Option<bool> {
    let counts = ThreadCounts::new();
    let program = Lowering::new(Arc::clone(program), Arc::clone(source), &counts).ok()?;
    let program = program.choosing_at_once();
    let asked = livelock::LivelockQuestion { program: &program, counts: &counts, endless };
    match livelock::find(&asked, bounds, &limited()) {
        Ok(found) => Some(found.is_some()),
        Err(Stop::Work | Stop::Fault(_)) => None,
        Err(stop) => panic!("{stop}"),
    }
}

fn read_again(header: &str, program: &Program, file: &Path) -> Lowering {
    let text = format!("{header}{}", print::weave(program));
    let name =
        format!("selvedge-sequentialized-{}-{:?}", std::process::id(), thread::current().id());
    let path = std::env::temp_dir().join(name);
    let path = path.with_extension("weave");
    std::fs::write(&path, &text).expect("a file");
    let read = load(&path, &LoadOptions::default());
    let _ = std::fs::remove_file(&path);
    match read {
        Ok(Input::Program { program, source, .. }) => {
            Lowering::new(program, source, &ThreadCounts::new()).expect("lowered")
        }
        Ok(_) => panic!("{}: not a program", file.display()),
        Err(error) => panic!("{}: {error}\n{text}", file.display()),
    }
}

fn examples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            examples(&path, found);
        } else if path.extension().is_some_and(|e| e == "weave" || e == "bp") {
            found.push(path);
        }
    }
}

/// What is printed for a livelock is a program, and goes wrong exactly if there is one.
#[test]
fn printed_livelocks_of_examples_give_the_same_answers() {
    let mut files = Vec::new();
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut files);
    files.sort();
    let (mut printed, mut same, mut lassos, mut unknown) = (0, 0, 0, Vec::new());
    for file in &files {
        let Ok(Input::Program { program, source, .. }) = load(file, &LoadOptions::default()) else {
            continue; // a thread of any number
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_small = file.parent().is_some_and(|folder| folder.ends_with("livelock"));
        for fairness in Fairness::ALL {
            for (stem, lasso) in [(1, 1), (1, 2)] {
                let endless = Endless { fairness, ended: fairness == Fairness::Weak };
                let bounds = Bounds { stem, lasso };
                let made = sequentialize::livelock(&program, &ThreadCounts::new(), bounds, endless);
                let Ok(sequential) = made else { continue };
                let again = read_again(&sequential.header(&name), &sequential.program, file);
                printed += 1;
                if !is_small || (name.contains("fig3b") && lasso > 1) {
                    continue;
                }
                match (repeats(&program, &source, bounds, endless), answer(&again, 1)) {
                    (Some(expected), Some(found)) => {
                        assert_eq!(found, expected, "{} {bounds:?} {endless:?}", file.display());
                        same += 1;
                        lassos += usize::from(found);
                    }
                    _ => unknown.push(format!("{name} {stem}+{lasso} {fairness}")),
                }
            }
        }
    }
    println!("{printed} programs, {same} answers agree ({lassos} of them lassos)");
    println!("no answer in time: {}", unknown.join(", "));
    assert!(printed > 200 && same > 20 && lassos > 10, "{printed} {same} {lassos}");
}
