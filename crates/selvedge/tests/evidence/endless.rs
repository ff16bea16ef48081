//! Lassos and proofs of fair termination.

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_analysis::fair::{Question, search};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::format::Document;
use selvedge_evidence::{Evidence, recheck};
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_model::{Endless, Fairness, System};
use selvedge_program::{Lowering, Source, ThreadCounts};

use crate::evidence::{text_of, through_text};

fn questions() -> impl Iterator<Item = Endless> {
    let both = |fairness| [false, true].map(|ended| Endless { fairness, ended });
    Fairness::ALL.into_iter().flat_map(both)
}

fn answer(system: &dyn System, endless: Endless) -> Option<Evidence> {
    let question = Question { system, endless, evidence: true };
    search(&question, &Budget::default(), &|_| {}).evidence
}

fn program(text: &str) -> Lowering {
    let source = Source::new("test.weave", text);
    let (file, mistakes) = weave::parse(&source);
    let (program, more) = check(&file, &CheckOptions::default());
    assert!(mistakes.is_empty() && more.is_empty(), "{mistakes:?} {more:?}");
    let program = Arc::new(program.expect("no mistakes"));
    let lowering = Lowering::new(program, Arc::new(source), &ThreadCounts::new());
    lowering.expect("nothing is missing").choosing_at_once()
}

#[test]
fn what_is_written_is_read_by_another_run() {
    let mut kinds = [0, 0];
    let finite = |seed: &u64| {
        let system = random_system(*seed, &Shape::default());
        let mut naive = selvedge_analysis::naive::Naive::with_limit(&system, 300).ok()?;
        while !naive.advance().ok()?.has_collapsed() {}
        Some(())
    };
    for seed in (0..200).filter(|seed| finite(seed).is_some()) {
        let system = random_system(seed, &Shape::default());
        for endless in questions() {
            let evidence = answer(&system, endless).expect("an answer");
            let read = through_text(&system, &evidence, &random_system(seed, &Shape::default()));
            assert_eq!(read, evidence);
            assert!(recheck(&system, &[], &read).is_ok());
            kinds[usize::from(matches!(read, Evidence::Lasso(_)))] += 1;
        }
    }
    assert!(kinds.iter().all(|&n| n >= 20), "{kinds:?}");
}

/// Fair choices are known by their place in the text: another run finds them again.
#[test]
fn fair_choices_keep_their_places() {
    let going = "bool a; thread t { while (true) { a := fair *; if (fair * && a) break; } }";
    let leaving = "thread t { while (fair *) skip; } thread u { while (fair *) skip; }";
    for text in [going, leaving] {
        let system = program(text);
        let evidence = answer(&system, Endless::default()).expect("an answer");
        // Another run, that has met states in another order.
        let other = program(text);
        for key in ["4:", "3:", "2:"] {
            other.keys().find_symbol_key(key).map(|symbol| other.describe().show_symbol(symbol));
        }
        let read = through_text(&system, &evidence, &other);
        let checked = recheck(&other, &[], &read);
        assert!(checked.is_ok(), "{checked:?}");
        assert_eq!(matches!(read, Evidence::Lasso(_)), text == going);
    }
}

#[test]
fn changed_text_is_refused_and_says_why() {
    let system = program("bool g := false; thread t { while (!g) skip; } thread u { g := true; }");
    let texts =
        questions().map(|endless| text_of(&system, &answer(&system, endless).expect("an answer")));
    let texts: Vec<String> = texts.collect();
    let refused = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        let document = Document::parse(&text.replacen(from, to, 1));
        let evidence = document.and_then(|document| document.evidence(&system));
        match evidence {
            Err(error) => error.to_string(),
            Ok(evidence) => recheck(&system, &[], &evidence).unwrap_err().to_string(),
        }
    };
    let (lasso, proof) = (&texts[0], &texts[4]);
    expect_test::expect![[r#"
        thread u can act in the period and does not
        there is no fairness `very`
        the shared state after the period is not the one before it
        state 0: a step of t keeps the rank, and nobody has to be fair, at level 0
        state 0: a step of t is a step of the helper, at level 0
        state 0: a step of t has a helper that is not there, at level 0
        state 0: a step of t is excluded by no level, at level 1
        the system has no shared state `x`"#]]
    .assert_eq(
        &[
            refused(lasso, "\"none\"", "\"strong\""),
            refused(lasso, "\"none\"", "\"very\""),
            refused(lasso, "\"t * 2\"", "\"u * 2\""),
            refused(proof, "\"strong\"", "\"none\""),
            refused(proof, "{\"thread\": 1}", "{\"thread\": 0}"),
            refused(proof, "{\"thread\": 1}", "{\"thread\": 77}"),
            refused(proof, "{\"thread\": 1}", "{\"choice\": [0, 5, true]}"),
            refused(proof, "\"shared\": [", "\"shared\": [\"x\", "),
        ]
        .join("\n"),
    );
}
