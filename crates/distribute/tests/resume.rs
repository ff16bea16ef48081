//! A run that goes on from a checkpoint, with another number of workers, is the run that was not interrupted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check_spread, verify_spread};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Budget, Stop};
use selvedge_distribute::{Checkpoints, Fleet};
use selvedge_evidence::recheck;
use selvedge_model::{Property, System};

use crate::local::{LOCK, RACE, Text, counts, lowered};

pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resume").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

struct Run<'a> {
    workers: usize,
    save: Option<&'a Path>,
    load: Option<&'a Path>,
    /// Up to so many contexts; or until all is known.
    most: Option<usize>,
}

impl Run<'_> {
    fn outcome(
        &self,
        system: &Arc<dyn System>,
        properties: &[Property],
        symmetry: bool,
    ) -> Outcome {
        let [save, load] = [self.save, self.load].map(|folder| folder.map(Path::to_owned));
        let checkpoints = Checkpoints { save, load, question: "the same".to_owned() };
        let system = Arc::clone(system);
        let properties = properties.to_vec();
        let subject =
            Text { system: Arc::clone(&system), properties: properties.clone(), checkpoints };
        let fleet = Fleet::local(self.workers, Arc::new(subject)).unwrap();
        let (properties, method) = (&properties[..], Method::Explicit);
        let question = Question { system: &*system, properties, method, symmetry, evidence: true };
        let (form, budget) = (fleet.of("plain"), Budget::default());
        let outcome = match self.most {
            Some(most) => check_spread(&question, &form, most, &budget, &|_| {}),
            None => verify_spread(&question, &form, &budget, &|_| {}),
        };
        assert_eq!(fleet.notes(), Vec::<String>::new());
        if let Some(evidence) = &outcome.evidence {
            recheck(&*system, properties, evidence).expect("holds");
        }
        outcome
    }
}

#[test]
fn programs_go_on_with_any_number_of_workers() {
    let properties = [Property::NeverWrong];
    for (name, text) in [("lock", LOCK), ("race", RACE)] {
        for symmetry in [true, false] {
            let whole = Run { workers: 1, save: None, load: None, most: None };
            let whole = whole.outcome(&lowered(text), &properties, symmetry);
            for (before, after, most) in [(1, 1, 1), (2, 1, 2), (1, 3, 2), (3, 2, 1)] {
                let folder = folder(&format!("{name}-{symmetry}-{before}-{after}"));
                let part =
                    Run { workers: before, save: Some(&folder), load: None, most: Some(most) };
                part.outcome(&lowered(text), &properties, symmetry);
                let rest =
                    Run { workers: after, save: Some(&folder), load: Some(&folder), most: None };
                let rest = rest.outcome(&lowered(text), &properties, symmetry);
                assert_eq!(counts(&rest.observations), counts(&whole.observations));
                match (&whole.verdict, &rest.verdict) {
                    (Verdict::Safe(a), Verdict::Safe(b)) => assert_eq!(a, b),
                    (
                        Verdict::Unsafe { bound: a, trace: one, .. },
                        Verdict::Unsafe { bound: b, trace: other, .. },
                    ) => assert_eq!((a, one.steps.len()), (b, other.steps.len())),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

#[test]
fn random_systems_go_on() {
    let seeds = std::env::var("SELVEDGE_SEEDS").ok();
    let seeds: u64 = seeds.and_then(|count| count.parse().ok()).unwrap_or(30);
    let mut gone_on = 0;
    for seed in 0..seeds {
        let make = || -> Arc<dyn System> { Arc::new(random_system(seed, &Shape::default())) };
        let symmetry = seed % 2 == 0;
        let whole = Run { workers: 1, save: None, load: None, most: Some(4) };
        let whole = whole.outcome(&make(), &[], symmetry);
        let folder = folder(&format!("seed-{seed}"));
        let (workers, most) = (1 + (seed % 3) as usize, Some(1 + (seed % 2) as usize));
        Run { workers, save: Some(&folder), load: None, most }.outcome(&make(), &[], symmetry);
        if !folder.join("checkpoint").exists() {
            continue; // all was known by then
        }
        let workers = 1 + (seed / 3 % 3) as usize;
        let rest = Run { workers, save: None, load: Some(&folder), most: Some(4) };
        let rest = rest.outcome(&make(), &[], symmetry);
        assert_eq!(counts(&rest.observations), counts(&whole.observations), "seed {seed}");
        gone_on += 1;
    }
    assert!(gone_on > seeds / 5, "{gone_on} of {seeds}");
}

/// What is damaged, or of another question, is refused; and nothing half is left.
#[test]
fn damaged_checkpoints_are_refused() {
    let folder = folder("damaged");
    let part = Run { workers: 2, save: Some(&folder), load: None, most: Some(2) };
    part.outcome(&lowered(LOCK), &[Property::NeverWrong], true);
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
    let other = Checkpoints {
        load: Some(folder.clone()),
        question: "another".to_owned(),
        ..Checkpoints::default()
    };
    assert!(other.prepare().unwrap_err().contains("of another file"));
    for name in names {
        let path = folder.join(&name);
        let right = fs::read(&path).unwrap();
        for at in [0, right.len() / 2, right.len() - 2] {
            let mut wrong = right.clone();
            wrong[at] ^= 1;
            fs::write(&path, &wrong).unwrap();
            let run = Run { workers: 1, save: None, load: Some(&folder), most: None };
            let outcome = run.outcome(&lowered(LOCK), &[Property::NeverWrong], true);
            let Verdict::Unknown { stop: Stop::Fault(_), .. } = outcome.verdict else {
                panic!("{name} at {at}: {:?}", outcome.verdict)
            };
        }
        fs::write(&path, right).unwrap();
    }
}
