//! Tries a program.
#![allow(missing_docs)]
use std::sync::Arc;
use std::time::Instant;
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_predicates::{Answer, Question, verify};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let input = load(std::path::Path::new(&args[1]), &LoadOptions::default()).map_err(|e| format!("{e:?}")).unwrap();
    let Input::Program { program, source, .. } = input else { return };
    let mut p = (*program).clone();
    let given = args.iter().any(|a| a == "given");
    if args.iter().any(|a| a == "none") { p.predicates.clear(); }
    let mut counts = std::collections::BTreeMap::new();
    for a in &args[2..] { if let Some((n, k)) = a.split_once('=') { counts.insert(n.to_owned(), k.parse().unwrap()); } }
    let program = Arc::new(p);
    let q = Question { program: &program, source: &source, counts: &counts, solver: Default::default(), only_given: given };
    let t = Instant::now();
    match verify(&q, &Default::default(), &mut |_, _| {}) {
        Answer::Safe(p) => { println!("SAFE {} asked {}", p.checked, p.asked);
            for e in &p.certificate.entries { println!("{:?}: {:?} {:?}", e.places, e.clauses, e.views); }
            for (i, x) in p.certificate.predicates.iter().enumerate() { println!("{} {x}", i + 1); } }
        Answer::Unsafe { counts, trace, .. } => println!("UNSAFE {counts:?} {} steps", trace.steps.len()),
        Answer::Unknown(f) => println!("UNKNOWN {f}"),
    }
    println!("{:?}", t.elapsed());
}
