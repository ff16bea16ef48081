//! Proofs by summaries: each is accepted by a check that shares no search with it, and what was
//! changed in any way that matters is refused.

mod forged;

use std::sync::Arc;
use std::time::Instant;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::Verdict;
use selvedge_evidence::summaries::recheck;
use selvedge_evidence::{Checked, Evidence, Flaw, Refusal, SummaryCertificate, SummaryNode};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::Property;
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Lowering, Program, Source, ThreadCounts};
use selvedge_sequential::engine::{RoundsQuestion, check_focused};
use selvedge_sequential::{Calls, Focus, Guesses, Options};

const PROPERTIES: [Property; 1] = [Property::NeverWrong];

fn budget() -> Budget {
    Budget::default().with_work(1 << 24)
}

fn program(text: &str) -> Lowering {
    let path = std::env::temp_dir().join(format!("selvedge-certificates-{}", std::process::id()));
    let path = path.with_extension(format!("{:?}.weave", std::thread::current().id()));
    std::fs::write(&path, text).expect("a file");
    let read = load(&path, &LoadOptions::default());
    let _ = std::fs::remove_file(&path);
    let Ok(Input::Program { program, source, .. }) = read else { panic!("{text}") };
    Lowering::new(program, source, &ThreadCounts::new()).expect("lowered")
}

/// What a proof rests on; `None` if there is no proof.
fn proof(program: &Lowering, options: Options, focus: Focus) -> Option<SummaryCertificate> {
    let asked = RoundsQuestion { program, properties: &PROPERTIES, evidence: true };
    let outcome = check_focused(&asked, 1, options, Ok(focus), &budget(), &|_| {});
    match (outcome.verdict, outcome.evidence) {
        (Verdict::Safe(_), Some(Evidence::Summaries(certificate))) => Some(certificate),
        (Verdict::Safe(_), other) => panic!("a proof without evidence: {other:?}"),
        _ => None,
    }
}

fn check(program: &Lowering, certificate: &SummaryCertificate) -> Result<Checked, Refusal> {
    recheck(program, &PROPERTIES, certificate, &budget())
}

fn accepted(program: &Lowering) -> SummaryCertificate {
    let certificate =
        proof(program, Options::default(), Focus::all(program)).expect("it is proved");
    let checked = check(program, &certificate);
    let nodes = certificate.nodes.len();
    assert!(
        matches!(checked, Ok(Checked::Summaries { nodes: n, .. }) if n == nodes),
        "{checked:?}"
    );
    certificate
}

/// Recursion, results, locals without values, a lock, and an atomic block.
const FACTORIALS: &str = "
int[0..7] depth := 0;
bool odd := false;
lock m;
int[0..7] down(int[0..7] n) {
  int[0..7] r;
  bool b;
  if (n == 0) return 0;
  depth := n - 1;
  odd := !odd;
  r := down(n - 1);
  if (b) { acquire m; release m; }
  atomic { odd := !odd; assert depth == 0; }
  return r;
}
thread main {
  int[0..7] n := {0 .. 6};
  int[0..7] r;
  depth := n;
  r := down(n);
  assert r == 0;
  assert !odd;
}
";

#[test]
fn a_proof_is_accepted_however_it_was_found() {
    let program = program(FACTORIALS);
    accepted(&program);
    for guesses in [Guesses::Lazy, Guesses::Near, Guesses::Eager] {
        for calls in [Calls::Lazy, Calls::Eager] {
            for focus in [Focus::all(&program), Focus::needed(&program).expect("finite")] {
                let options = Options { guesses, calls };
                let certificate = proof(&program, options, focus).expect("it is proved");
                check(&program, &certificate).unwrap_or_else(|e| panic!("{options:?}: {e}"));
            }
        }
    }
}

/// Every change to a certificate; which of them say the same is found out by the check itself.
fn mutations(certificate: &SummaryCertificate) -> Vec<(String, SummaryCertificate)> {
    let mut all = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut SummaryCertificate)| {
        let mut changed = certificate.clone();
        change(&mut changed);
        all.push((what, changed));
    };
    for at in 0..certificate.thread.len() {
        add(format!("thread place {at} is empty"), &|c| c.thread[at].diagram = 0);
        add(format!("thread place {at} is dropped"), &|c| {
            c.thread.remove(at);
        });
        add(format!("thread place {at} is full"), &|c| c.thread[at].diagram = 1);
    }
    for at in 0..certificate.procedures.len() {
        add(format!("place {at} is empty"), &|c| c.procedures[at].diagram = 0);
        add(format!("place {at} is dropped"), &|c| {
            c.procedures.remove(at);
        });
        add(format!("place {at} is full"), &|c| c.procedures[at].diagram = 1);
    }
    for at in 0..certificate.nodes.len() {
        add(format!("node {at} is dropped"), &|c| {
            c.nodes.remove(at);
        });
        add(format!("node {at} is turned"), &|c| {
            let node = &mut c.nodes[at];
            std::mem::swap(&mut node.low, &mut node.high);
        });
        for leaf in [0, 1] {
            add(format!("node {at}: low is {leaf}"), &|c| c.nodes[at].low = leaf);
            add(format!("node {at}: high is {leaf}"), &|c| c.nodes[at].high = leaf);
        }
        add(format!("node {at}: another variable"), &|c| {
            c.nodes[at].variable = (c.nodes[at].variable + 1) % c.variables.len() as u32;
        });
    }
    for at in 0..certificate.variables.len() {
        add(format!("variable {at}: another moment"), &|c| {
            c.variables[at].entry = !c.variables[at].entry;
        });
        add(format!("variable {at}: another bit"), &|c| c.variables[at].bit ^= 1);
        add(format!("variable {at}: no bit"), &|c| c.variables[at].bit = u32::MAX);
        add(format!("variable {at} is dropped"), &|c| {
            c.variables.remove(at);
        });
    }
    all
}

/// A path through a diagram that ends with 1, if it can, and where it ends.
fn path(
    certificate: &SummaryCertificate,
    mut at: u32,
    dice: &mut fastrand::Rng,
) -> (Vec<(SummaryNode, bool)>, u32) {
    let mut path = Vec::new();
    while at > 1 {
        let node = certificate.nodes[at as usize - 2];
        let high = if node.low == 0 { true } else { node.high != 0 && dice.bool() };
        path.push((node, high));
        at = if high { node.high } else { node.low };
    }
    (path, at)
}

/// The relations that the search has found are the least ones, but for locals that are never read
/// again, which may have any value there. So nearly every change is refused.
#[test]
fn what_was_changed_is_refused() {
    let program = program(FACTORIALS);
    let certificate = accepted(&program);
    let (mut refused, mut others) = (0, Vec::new());
    for (what, changed) in mutations(&certificate) {
        match check(&program, &changed) {
            _ if changed == certificate => {} // it was so before
            Err(_) => refused += 1,
            Ok(_) => others.push(what),
        }
    }
    println!("{refused} refused; {} prove it, too: {}", others.len(), others.join(", "));
    for what in &others {
        assert!(!what.contains("empty") && !what.contains("dropped") && !what.contains("no bit"));
    }
    assert!(refused > 2000 && others.len() < 50, "{refused} {others:?}");
}

/// The certificate without some states at a place: those of one path through its diagram.
fn without(
    certificate: &SummaryCertificate,
    place: usize,
    dice: &mut fastrand::Rng,
) -> Option<SummaryCertificate> {
    let mut changed = certificate.clone();
    let root = changed.thread.iter().chain(&changed.procedures).nth(place)?.diagram;
    let (path, at) = path(certificate, root, dice);
    let mut last = 1 - at; // there are no paths to 0
    for (mut node, high) in path.into_iter().rev() {
        *(if high { &mut node.high } else { &mut node.low }) = last;
        changed.nodes.push(node);
        last = changed.nodes.len() as u32 + 1;
    }
    let threads = changed.thread.len();
    match place.checked_sub(threads) {
        None => changed.thread[place].diagram = last,
        Some(place) => changed.procedures[place].diagram = last,
    }
    (at == 1).then_some(changed)
}

#[test]
fn states_that_are_missing_are_missed() {
    let program = program(FACTORIALS);
    let certificate = accepted(&program);
    let mut dice = fastrand::Rng::with_seed(7);
    let places = certificate.thread.len() + certificate.procedures.len();
    let mut refused = 0;
    for place in (0..places).flat_map(|place| [place; 8]) {
        let Some(changed) = without(&certificate, place, &mut dice) else { continue };
        let checked = check(&program, &changed);
        let flaw = checked.as_ref().map_err(|refusal| refusal.flaw);
        assert!(matches!(flaw, Err(Flaw::NotClosed | Flaw::Initial)), "place {place}: {checked:?}");
        refused += 1;
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn evidence_about_another_program_is_refused() {
    let certificate = accepted(&program(FACTORIALS));
    let changes = [
        ("odd := !odd;\n  r", "odd := !odd;\n  depth := 0;\n  r"), // fewer values
        ("return 0;", "return 1;"),
        ("assert !odd", "assert odd"),
        ("bool odd := false", "bool odd := true"),
        ("{0 .. 6}", "{0 .. 7}"),
        ("assert depth == 0", "assert depth == 1"),
    ];
    for (from, to) in changes {
        let text = FACTORIALS.replacen(from, to, 1);
        assert_ne!(text, FACTORIALS, "{from}");
        check(&program(&text), &certificate).expect_err(to);
    }
    let two = program(&(FACTORIALS.to_owned() + "thread other { skip; }"));
    assert_eq!(check(&two, &certificate).expect_err("two threads").flaw, Flaw::Claim);
    let none = SummaryCertificate::default();
    assert_eq!(check(&program(FACTORIALS), &none).expect_err("nothing").flaw, Flaw::Initial);
}

#[test]
fn the_check_has_a_budget() {
    let program = program(FACTORIALS);
    let certificate = accepted(&program);
    let late = Budget { deadline: Some(Instant::now()), ..Budget::default() };
    let small = Budget { memory: Some(1), ..Budget::default() };
    for budget in [late, small] {
        let refusal = recheck(&program, &PROPERTIES, &certificate, &budget).expect_err("no room");
        assert_eq!(refusal.flaw, Flaw::Unfinished, "{refusal}");
    }
}

/// One thread of a random program.
fn alone(mut program: Program) -> Option<Lowering> {
    program.threads.truncate(1);
    program.threads.iter_mut().for_each(|thread| thread.count = Count::Fixed(1));
    let source = Arc::new(Source::default());
    Lowering::new(Arc::new(program), source, &ThreadCounts::new()).ok()
}

#[test]
fn every_proof_about_a_random_program_is_accepted() {
    let mut dice = fastrand::Rng::with_seed(11);
    let (mut proved, mut hidden, mut unsafe_, mut refused) = (0, 0, 0, 0);
    for seed in 0..600 {
        let shape = Shape { numbers: seed % 2 == 0, ..Shape::default() };
        let Some(program) = alone(random_program(seed, &shape)) else { continue };
        let Some(certificate) = proof(&program, Options::default(), Focus::all(&program)) else {
            unsafe_ += 1;
            continue;
        };
        check(&program, &certificate).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        proved += 1;
        let focus = Focus::needed(&program).expect("finite");
        if !focus.is_all()
            && let Some(certificate) = proof(&program, Options::default(), focus)
        {
            check(&program, &certificate).unwrap_or_else(|e| panic!("seed {seed}, hidden: {e}"));
            hidden += 1;
        }
        // An empty place that was not empty is missed, wherever it is.
        let places = certificate.thread.len() + certificate.procedures.len();
        let place = dice.usize(..places.max(1));
        let mut changed = certificate.clone();
        let threads = changed.thread.len();
        match place.checked_sub(threads) {
            None => _ = changed.thread.remove(place),
            Some(place) => _ = changed.procedures.remove(place),
        }
        let refusal = check(&program, &changed).expect_err("a place is missing");
        assert!(matches!(refusal.flaw, Flaw::NotClosed | Flaw::Initial), "seed {seed}: {refusal}");
        refused += 1;
    }
    println!(
        "{proved} proofs, {hidden} with hidden variables, {unsafe_} others, {refused} changed"
    );
    assert!(proved > 100 && refused > 100 && hidden > 20);
}
