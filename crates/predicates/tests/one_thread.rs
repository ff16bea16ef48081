//! The test for closure of Johnson and Wahl (CAV 2021), Sec. 5, as it is applied there: an abstract state
//! is what is seen of *one* thread, and only its *own* actions are tried. It gives all answers of the
//! paper about program ℙ, and is wrong: see `docs/decisions/0024-views-of-one-thread.md`.

#[allow(dead_code)]
#[path = "../../analysis/tests/delays/published.rs"]
mod published;
use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use published::{Reading, Sets};
use selvedge_evidence::replay;
use selvedge_model::{State, System};
use selvedge_predicates::Conclusion;
use selvedge_predicates::count::{AbstractState, abstract_states};
use selvedge_predicates::sample::snapshot;
use selvedge_program::Lowering;
use selvedge_smt::goal::Goal;
use selvedge_smt::invariant::{Fact, Form, Invariant};
use selvedge_smt::obligation::{Obligation, inside, outside};
use selvedge_smt::plain::About;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Sat, Solver, SolverOptions};
use selvedge_smt::term::{Term, Var};
use support::{Example, example, has_solver};

/// What Alg. 1 does with views of one thread.
struct Seen {
    /// How many abstract states there are on the plateau.
    states: usize,
    /// The first step of the thread itself that leaves them.
    own: Option<String>,
    /// The first step of another thread that does.
    others: Option<String>,
}

/// Alg. 1 up to its plateau, and the test for closure. All actions of the thread itself are tried; that
/// some respect the abstraction would only spare the question. Numbers are natural ones if so wanted.
fn one_thread(example: &Example, natural: bool) -> Seen {
    let Example { program, source, counts, property: _ } = example;
    let prepared = Prepared::new(program, source).expect("a flow graph");
    let layout = prepared.layout(counts).expect("a layout");
    let system = Lowering::new(Arc::clone(program), Arc::clone(source), counts).expect("lowered");
    let predicates: Vec<_> = program.predicates.iter().collect();
    let look =
        |state: &State| abstract_states(&layout, &predicates, &[snapshot(&system, &layout, state)]);
    // The views of all threads, as the program is symmetric.
    let reading = Reading::new(Sets::OneForDelays, system.thread_count());
    let run = published::run(&system, look, reading, 60).expect("it ends");
    let views: BTreeSet<AbstractState> = run.states().flat_map(look).collect();
    let mut facts = BTreeMap::new();
    for (place, bits) in &views {
        let threads = [*place];
        let proc = layout.classes[place.class].proc;
        let about =
            About { layout: &layout, threads: &threads, own: Some(0), proc, instance: None };
        let terms = || predicates.iter().map(|p| about.term(&p.expr).expect("a term")).collect();
        let fact = facts
            .entry(threads.to_vec())
            .or_insert_with(|| Fact { predicates: terms(), form: Form::Views(Vec::new()) });
        if let Form::Views(views) = &mut fact.form {
            views.push(bits.iter().map(|bit| bit.expect("a value")).collect());
        }
    }
    let globals = (0..layout.globals.len()).filter(|_| natural);
    let not_negative = |slot| Term::le(Term::int(0), Term::Var(Var::Global(slot)));
    let bounds = globals.map(not_negative).collect();
    let invariant = Invariant { width: 1, facts, bounds, laws: Vec::new() };
    let mut solver = Solver::start(&SolverOptions::default()).expect("a solver");
    let mut leaves = |obligation: &Obligation| {
        let query = obligation.query(&layout, &invariant);
        let open = solver.ask(&query, &|| false).expect("an answer") != Sat::No;
        open.then(|| obligation.describe(&layout, source))
    };
    let (mut own, mut others) = (None, None);
    for view in invariant.facts.keys() {
        for obligation in inside(&layout, source, &Goal::NeverWrong, view).expect("steps") {
            own = own.or_else(|| leaves(&obligation));
        }
        for other in invariant.facts.keys().flatten() {
            for obligation in outside(&layout, source, view, *other).expect("steps") {
                others = others.or_else(|| leaves(&obligation));
            }
        }
    }
    Seen { states: views.len(), own, others }
}

fn program_p(names: &[&str], threads: u32) -> Example {
    example("program-p.weave").only(names).with("p", threads)
}

/// What the paper says of program ℙ: 7 abstract states with α1, of which the `if` leads out; 12 with α2,
/// closed with two threads and not with three; 14 with α3, closed. All of it with own actions only. By
/// Def. 4 of the paper the actions of the other threads count, too; and they lead out each time.
#[test]
fn the_answers_of_the_paper_come_from_own_actions_alone() {
    if !has_solver("the_answers_of_the_paper_come_from_own_actions_alone") {
        return;
    }
    let (alpha_1, alpha_2) = (&["p"][..], &["p", "m_is_1"][..]);
    let alpha_3 = &["p", "m_is_1", "m_is_0"][..];
    let cases = [
        (alpha_1, 2, 7, Some("of p at L1")),
        (alpha_2, 2, 12, None),
        (alpha_2, 3, 13, Some("of p at L0")),
        (alpha_3, 3, 14, None),
        (alpha_3, 4, 14, None),
    ];
    for (names, threads, states, leaves) in cases {
        let seen = one_thread(&program_p(names, threads), true);
        let case = format!("{names:?} with {threads} threads: {:?} {:?}", seen.own, seen.others);
        assert_eq!(seen.states, states, "{case}");
        match leaves {
            None => assert_eq!(seen.own, None, "{case}"),
            Some(at) => assert!(seen.own.is_some_and(|step| step.contains(at)), "{case}"),
        }
        assert!(seen.others.is_some(), "{case}");
    }
}

/// Two threads count their steps; with the ninth one a thread counts `s` and its own `l` up. That leaves
/// `s = l` as it is for that thread, always, so that all of its own actions respect the abstraction by
/// line and `s = l`. For the other one `s = l` is lost.
const MISLEADING: &str = "\
shared int s := 0;
void P(int l, int c) {
  L0: s, l, c := (c == 8 ? s + 1 : s), (c == 8 ? l + 1 : l), c + 1;
  L1: assert s == l;
      goto L0;
}
thread p * 2 = P(0, 0);
predicate p in P: s == l;
";

#[test]
fn own_actions_alone_prove_a_program_that_goes_wrong() {
    if !has_solver("own_actions_alone_prove_a_program_that_goes_wrong") {
        return;
    }
    let misleading = Example::of(MISLEADING);
    // On the plateau: both lines with s = l. No own action leads out; all is "safe".
    let seen = one_thread(&misleading, true);
    assert_eq!((seen.states, seen.own), (2, None));
    // The action of the other thread does, and so Selvedge does not believe it.
    assert!(seen.others.is_some_and(|step| step.contains("line 3")));
    // It goes wrong indeed.
    let Conclusion::Unsafe { system, trace, .. } = misleading.verify(true).answer else {
        panic!("a violation")
    };
    let states = replay(&*system, &trace).expect("it can be replayed");
    let wrong = states.last().and_then(|state| system.wrong(state.shared));
    assert!(wrong.is_some());
}
