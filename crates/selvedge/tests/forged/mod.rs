//! Somebody wants a false claim to be accepted. For random programs that are wrong, the evidence of a
//! neighbour that is right is made to look like evidence about them: its digest and its options are
//! changed, what speaks against it is left out, numbers are put at their limits. Every claim here is
//! false, so that every one has to be refused. The same for runs that are said to go wrong, or to go
//! on for ever, in programs that do not.

mod c;
mod changes;
mod options;
mod programs;

use std::collections::BTreeMap;
use std::process::Command;

use fastrand::Rng;
use programs::{Family, Recipe, recipe};
use selvedge::{
    Bound, Deadlocks, EngineName, InputOptions, Limits, Livelock, Options, Subject, VerdictName,
    check, livelock, recheck, verify,
};
use selvedge_evidence::format::digest;
use selvedge_smt::solver::DEFAULT;
use serde_json::{Value, json};

/// How many recipes of a family are tried; `SELVEDGE_SEEDS=1000` makes the tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// How many forgeries are made of one piece of evidence.
const CHANGES: usize = 6;

/// How often the state is taken out that the last refusal named.
const REPAIRS: usize = 20;

/// A program, and what is true of it.
struct Known {
    subject: Subject,
    is_safe: bool,
    /// Genuine evidence, from several engines.
    evidence: Vec<Value>,
}

fn subject(text: &str, threads: &[(&str, u32)]) -> Subject {
    let threads = threads.iter().map(|&(name, n)| (name.to_owned(), n)).collect();
    let options = InputOptions { threads, ..InputOptions::default() };
    Subject::parse("forged.weave", text, options).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn options(family: Family, engine: EngineName) -> Options {
    Options {
        engine,
        deadlock: Deadlocks::if_asked(family == Family::Waiting),
        evidence: true,
        limits: Limits::work(1 << 20),
        ..Options::default()
    }
}

/// Asks about a program in every way that fits its family; `None` if an answer is missing.
fn ask(family: Family, subject: &Subject) -> Option<Known> {
    let answers = match family {
        Family::Circling => {
            vec![livelock(subject, &Livelock::default(), &options(family, EngineName::Auto))]
        }
        Family::Single => {
            vec![check(subject, Bound::rounds(1), &options(family, EngineName::Lazy))]
        }
        Family::Any | Family::Unbounded => {
            vec![verify(subject, &options(family, EngineName::Auto))]
        }
        // Sets of stacks from below, and cut stacks from above: certificates of two kinds, where there are some.
        Family::Fixed | Family::Waiting => vec![
            verify(subject, &options(family, EngineName::Auto)),
            check(subject, Bound::contexts(64), &options(family, EngineName::Symbolic)),
            verify(subject, &options(family, EngineName::Cuts)),
        ],
    };
    let mut known = Known { subject: subject.clone(), is_safe: false, evidence: Vec::new() };
    for (number, answer) in answers.into_iter().enumerate() {
        let answer = answer.ok()?;
        let is_safe = match answer.name() {
            VerdictName::Safe => true,
            VerdictName::Unsafe | VerdictName::Nonterminating => false,
            VerdictName::Bounded | VerdictName::Unknown if number > 0 => continue,
            VerdictName::Bounded | VerdictName::Unknown => return None,
        };
        assert!(number == 0 || is_safe == known.is_safe, "engines differ: {subject:?}");
        known.is_safe = is_safe;
        let text = answer.evidence().ok()??.to_text();
        known.evidence.push(serde_json::from_str(&text).ok()?);
    }
    Some(known)
}

/// What came of all forgeries.
#[derive(Default, Debug)]
struct Tally {
    /// Refused forgeries, by their kind.
    refused: BTreeMap<String, usize>,
    /// Refused forgeries, by the first words of why.
    why: BTreeMap<String, usize>,
    accepted: Vec<String>,
}

impl Tally {
    /// Whether a false claim is refused, and why.
    fn claim(&mut self, family: Family, about: &Subject, forged: &Value) -> Option<String> {
        let asked = options(family, EngineName::Auto);
        let said = recheck(about, &forged.to_string(), &asked);
        let kind = forged["kind"].as_str().unwrap_or_default().to_owned();
        match said {
            // What cannot be read claims nothing.
            Ok(Err(why)) if why.starts_with("this is no evidence") => None,
            Ok(Err(why)) => {
                *self.refused.entry(kind).or_default() += 1;
                let words: Vec<&str> = why.split_whitespace().take(4).collect();
                let words = words.join(" ").replace(|c: char| c.is_ascii_digit(), "9");
                *self.why.entry(words).or_default() += 1;
                Some(why)
            }
            Err(failure) => panic!("{failure:?}: {forged}"),
            Ok(Ok(_)) => {
                let text = about.source().text();
                self.accepted.push(format!("{kind}:\n{text}\n{forged}"));
                None
            }
        }
    }

    /// Forges evidence of one program to be about another one, of which the contrary is true.
    fn forge(&mut self, family: Family, genuine: &Value, about: &Subject, rng: &mut Rng) {
        let mut forged = genuine.clone();
        forged["digest"] = json!(digest(about.source().text()));
        forged["options"] = match family {
            Family::Waiting => json!({ "deadlock": true }),
            _ => json!({}),
        };
        let kind = forged["kind"].as_str().unwrap_or_default().to_owned();
        let mut repaired = forged.clone();
        for _ in 0..REPAIRS {
            let Some(why) = self.claim(family, about, &repaired) else { break };
            if !changes::repair(&mut repaired[&kind], &why) {
                break;
            }
        }
        for number in 0..CHANGES {
            let mut changed = if number % 2 == 0 { forged.clone() } else { repaired.clone() };
            for _ in 0..rng.usize(1..=3) {
                changes::change(&mut changed[&kind], rng);
            }
            self.claim(family, about, &changed);
        }
    }
}

/// Forges evidence of the programs of a family about each other.
fn try_family(family: Family, recipes: u64, tally: &mut Tally) {
    let mut rng = Rng::with_seed(7);
    for seed in 0..recipes {
        let first: Recipe = recipe(family, seed);
        let mut all = vec![first.clone()];
        let mut neighbours = first.neighbours();
        rng.shuffle(&mut neighbours);
        all.extend(neighbours.into_iter().take(5));
        let known: Vec<Known> =
            all.iter().filter_map(|recipe| ask(family, &subject(&recipe.text(), &[]))).collect();
        for (from, about) in known.iter().flat_map(|a| known.iter().map(move |b| (a, b))) {
            if from.is_safe != about.is_safe {
                for genuine in &from.evidence {
                    tally.forge(family, genuine, &about.subject, &mut rng);
                }
            }
        }
    }
}

fn forgeries(family: Family, recipes: u64, kinds: &[(&str, usize)]) {
    let mut tally = Tally::default();
    try_family(family, many(recipes), &mut tally);
    println!("{family:?}: {:?}\n{:#?}", tally.refused, tally.why);
    assert!(tally.accepted.is_empty(), "accepted: {}", tally.accepted.join("\n\n"));
    for &(kind, least) in kinds {
        let refused = tally.refused.get(kind).copied().unwrap_or(0);
        assert!(refused >= least, "{kind}: {refused} of {least}");
    }
}

#[test]
fn threads_of_a_fixed_number() {
    let kinds = [("cut", 400), ("aggregate", 300), ("violation", 500)];
    forgeries(Family::Fixed, 24, &kinds);
}

#[test]
fn deadlocks() {
    let kinds = [("cut", 150), ("aggregate", 100), ("violation", 200)];
    forgeries(Family::Waiting, 12, &kinds);
}

#[test]
fn any_number_of_threads() {
    forgeries(Family::Any, 20, &[("cover", 200), ("violation", 300)]);
}

#[test]
fn one_thread() {
    forgeries(Family::Single, 40, &[("summaries", 400), ("violation", 600)]);
}

#[test]
fn endless_runs() {
    forgeries(Family::Circling, 60, &[("termination", 300), ("lasso", 300)]);
}

#[test]
fn integers_without_bounds() {
    if !has_solver("integers_without_bounds") {
        return;
    }
    forgeries(Family::Unbounded, 6, &[("views", 80), ("violation", 80)]);
}

/// Whether there is a solver; says so if not.
fn has_solver(test: &str) -> bool {
    let found = Command::new(DEFAULT).arg("--version").output().is_ok();
    if !found {
        eprintln!("{test}: skipped: there is no {DEFAULT}");
    }
    found
}
