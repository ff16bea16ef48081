//! Threads that are started and end, again and again: the graph of all states would have no end.

use selvedge_analysis::fair::Verdict;
use selvedge_evidence::{Checked, Evidence, recheck};
use selvedge_model::{Endless, Fairness};

use crate::fair::oracle::Graph;
use crate::fair::{MOST_STATES, ask, generate, lowered, mutations};
use crate::support::many;

/// The questions for which ended threads are forgotten.
fn questions() -> [Endless; 3] {
    Fairness::ALL.map(|fairness| Endless { fairness, ended: true })
}

/// Fork and join in a loop against threads that are there from the beginning and take turns.
#[test]
fn random_forks_and_joins() {
    let (mut compared, mut lassos, mut proofs, mut begin) = (0, 0, 0, 0);
    for seed in 0..many(400) {
        let [started, waiting] = generate::forking(seed);
        let Some(graph) = Graph::new(&lowered(&waiting), MOST_STATES) else { continue };
        let system = lowered(&started);
        compared += 1;
        for endless in questions() {
            let about = format!("seed {seed} {endless:?}\n{started}\n{waiting}");
            let expected = graph.goes_on(endless);
            let outcome = ask(&system, endless);
            // What is said of runs in which nobody has ended is another thing for threads that wait.
            let may = |other: Endless| !other.ended || graph.goes_on(other);
            let does = |other: Endless| other.ended && graph.goes_on(other);
            match (outcome.verdict, outcome.evidence) {
                (Verdict::Nonterminating { lasso, .. }, Some(evidence)) => {
                    assert!(expected, "there is no such run: {lasso:?}\n{about}");
                    let checked = recheck(&system, &[], &evidence);
                    assert!(matches!(checked, Ok(Checked::Lasso { .. })), "{checked:?}\n{about}");
                    lassos += 1;
                    begin += usize::from(lasso.period.iter().any(|(_, a)| a.spawn.is_some()));
                    mutations::lasso(&system, &lasso, &may, &about);
                }
                (Verdict::Terminating { .. }, Some(Evidence::Termination(proof))) => {
                    assert!(!expected, "there is such a run\n{about}");
                    let checked = recheck(&system, &[], &Evidence::Termination(proof.clone()));
                    assert!(
                        matches!(checked, Ok(Checked::Termination { .. })),
                        "{checked:?}\n{about}"
                    );
                    proofs += 1;
                    mutations::proof(&system, &proof, &does, &about);
                }
                (other, _) => panic!("no answer: {other:?}\n{about}"),
            }
        }
    }
    println!(
        "{compared} programs, {lassos} lassos, {begin} of them start threads, {proofs} proofs"
    );
    assert!(compared >= 100 && lassos >= 100 && begin >= 50 && proofs >= 50);
}

fn goes_on(text: &str, fairness: Fairness) -> bool {
    let system = lowered(text);
    let outcome = ask(&system, Endless { fairness, ended: true });
    if let Some(evidence) = &outcome.evidence {
        assert!(recheck(&system, &[], evidence).is_ok());
    }
    match outcome.verdict {
        Verdict::Nonterminating { .. } => true,
        Verdict::Terminating { .. } => false,
        other => panic!("no answer: {other:?}\n{text}"),
    }
}

/// The loop of Qadeer and Rehof goes on for ever; where the task stops it, it does not.
#[test]
fn fork_and_join_in_a_loop() {
    let task = |work: &str| {
        format!(
            "bool task := false, go := true; void DoTask() {{ {work} }}
             thread zero {{ tid t; while (go) {{ task := *; t := async DoTask(); join t; }} }}"
        )
    };
    for fairness in Fairness::ALL {
        assert!(goes_on(&task("task := !task;"), fairness));
        assert!(!goes_on(&task("go := false;"), fairness));
        assert!(!goes_on(&task("assume false;"), fairness));
    }
}

/// A choice is fair for each thread, and each of these makes it once.
#[test]
fn threads_that_choose_once_may_all_choose_alike() {
    let text = "bool stop := false; void f() { if (fair *) stop := true; }
                thread main { tid t; while (!stop) { t := async f(); join t; } }";
    assert!(goes_on(text, Fairness::Strong));
    let alone = "bool stop := false; thread main { while (!stop) if (fair *) stop := true; }";
    assert!(!goes_on(alone, Fairness::Strong));
}

/// Threads that nobody waits for get more and more, unless they end.
#[test]
fn a_thread_in_the_place_of_another_is_another_thread() {
    // The second thread never has its turn in the place that the first one left.
    let text = "bool stop := false, ready := false; void first() { ready := true; } void second() { stop := true; }
                thread main { tid t; t := async first(); join t; async second(); while (!stop) skip; }";
    assert!(goes_on(text, Fairness::None));
    assert!(!goes_on(text, Fairness::Weak) && !goes_on(text, Fairness::Strong));
}
