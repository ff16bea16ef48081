//! Sequential programs against rounds by the definition, on random programs and on the examples.

mod answers;
mod examples;
mod rounds;
use crate::support;
mod texts;

use selvedge_program::sequentialize::{NotSequential, sequentialize};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Program, ThreadCounts, print};

use support::{lower, read_weave};

/// More states than this are not enumerated.
const LIMIT: usize = 30_000;

/// Two or three threads, or `None`.
fn with_few_threads(mut program: Program) -> Option<Program> {
    for thread in &mut program.threads {
        if thread.count == Count::Any {
            thread.count = Count::Fixed(1);
        }
    }
    if let [only] = &mut program.threads[..] {
        only.count = Count::Fixed(2);
    }
    let count = |c: Count| if let Count::Fixed(n) = c { n } else { 0 };
    let total: u32 = program.threads.iter().map(|t| count(t.count)).sum();
    (2..=3).contains(&total).then_some(program)
}

/// How many programs were compared, and with what result.
#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    wrong: usize,
    only_with_more_rounds: usize,
    refused: usize,
    too_large: usize,
}

fn compare(program: &Program, tally: &mut Tally) {
    let text = print::weave(program);
    let Ok(original) = lower(program, &text) else { return };
    let mut before = false;
    for rounds in 1..=3 {
        let sequential = match sequentialize(program, &ThreadCounts::new(), rounds) {
            Ok(sequential) => sequential,
            Err(NotSequential::At { .. }) => {
                tally.refused += 1;
                return;
            }
            Err(error) => panic!("{error}\n{text}"),
        };
        let Ok(expected) = rounds::goes_wrong(&original, rounds as usize, LIMIT) else {
            tally.too_large += 1;
            return;
        };
        let Some(answer) = answers::answer(&sequential, &original, rounds as usize, 1 << 18) else {
            tally.too_large += 1;
            return;
        };
        assert_eq!(
            answer,
            expected,
            "{rounds} rounds\n{text}\n{}",
            print::weave(&sequential.program)
        );
        tally.compared += 1;
        tally.wrong += usize::from(answer);
        tally.only_with_more_rounds += usize::from(answer && !before && rounds > 1);
        before = answer;
    }
}

fn tiny(shape: Shape) -> Shape {
    Shape {
        globals: 2,
        procs: 1,
        locals: 1,
        statements: 3,
        depth: 2,
        threads: 2,
        dynamic_threads: false,
        predicates: false,
        ..shape
    }
}

fn seeds(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn threads_that_wait_for_each_other_go_wrong_in_the_same_rounds() {
    let mut tally = Tally::default();
    for seed in 0..seeds(60) {
        compare(&read_weave(&texts::random_text(seed)), &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.compared > 50 && tally.only_with_more_rounds > 2);
}

/// One program for each construct that is made of others; what waits is above. All of them go wrong, some in the first round and some in a later one.
const CONSTRUCTS: [&str; 10] = [
    "chan[1] int[0..2] c; thread t { send(c, 1); send(c, 2); } thread u { int[0..2] x := receive(c); x := receive(c); assert x != 2; }",
    "chan bool c; bool done := false; thread t { send(c, true); done := true; } thread u { bool x := receive(c); assume done; assert !x; }",
    "int[0..3] n := 0; thread t { for (int[0..2] i := 0; i < 2; i++) n++; } thread u { assert n != 1; }",
    "struct pair { int[0..2] x; bool b; } pair p := {0, false}; thread t { p.x := 1; p.b := true; } thread u { assert p != {1, false}; }",
    "struct pair { bool x; int[0..2] v; } pair p := {false, 0}; thread t * 2 { pair old := p; if (!cas(p, old, {true, old.v + 1})) assert false; }",
    "int[0..2] x := 0; thread t { x := 1; x := 2; } invariant x != 1, \"it is 1\";",
    "int[0..3] x := 1; int[0..3] twice(int[0..3] n) { return n + n; } thread t { x := twice(x) + 1; } thread u { assert x != 3; }",
    "lock a; lock b; int[0..2] x := 0; void up(lock l) { acquire l; int[0..2] y := x; x := y + 1; release l; }
     thread t = both(); void both() { up(a); } thread u { up(b); assert x == 2; }",
    "int[0..2] a[3] := 0; thread t { a[1] := 1; a[2] := 2; } thread u { assert forall i: i > 0 ==> a[i - 1] == a[i]; }",
    "int[0..2] a := 0, b := 0; thread t { either when a > 0 { a := 2; } or when b > 0 { b := 2; } } thread u { b := 1; assume b == 2; assert false; }",
];

#[test]
fn what_is_made_of_other_statements_goes_wrong_in_the_same_rounds() {
    for text in CONSTRUCTS {
        let mut tally = Tally::default();
        compare(&read_weave(text), &mut tally);
        // Some are too large for a round more than it takes.
        assert!(tally.wrong > 0 && tally.refused == 0, "{tally:?}: {text}");
    }
}

/// `SELVEDGE_SEEDS=5000` makes it thorough.
#[test]
fn random_programs_go_wrong_in_the_same_rounds() {
    let mut tally = Tally::default();
    let chosen = Shape { chosen_indices: true, ..Shape::default() };
    for shape in [Shape::plain(), Shape::boolean(), Shape::default(), chosen] {
        for seed in 0..seeds(120) {
            if let Some(program) = with_few_threads(random_program(seed, &tiny(shape.clone()))) {
                compare(&program, &mut tally);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.compared > 300 && tally.only_with_more_rounds > 0);
}
