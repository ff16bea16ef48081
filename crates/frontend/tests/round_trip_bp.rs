//! What is printed is read again as the same program: text → program → text → program → text
//! comes to rest at the first printed text.

use crate::corpus;

use std::fs;

use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, bp, weave};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Program, Source, print};

/// Reads a program; panics with the text if it is not accepted.
fn program(source: &Source, is_weave: bool) -> Program {
    let (file, mut diagnostics) = if is_weave { weave::parse(source) } else { bp::parse(source) };
    let (program, more) = check(&file, &CheckOptions::default());
    diagnostics.extend(more);
    let diagnostics = Diagnostics::new(source.clone(), diagnostics);
    assert!(!diagnostics.has_errors(), "{diagnostics}{}", source.text());
    program.expect("a program, since there are no errors")
}

fn printed(program: &Program) -> String {
    print::bp(program).unwrap_or_else(|e| panic!("not Boolean: {e}"))
}

/// Prints and reads a program until the text must have come to rest.
fn check_round_trip(name: &str, text: &str) {
    let first_text = printed(&program(&Source::new(name, text), false));
    let second = program(&Source::new(name, first_text.as_str()), false);
    assert_eq!(first_text, printed(&second), "{name}");
}

/// For programs of the other language the text comes to rest one round later: what is written
/// out in the first round is all there is in the second.
fn check_export(name: &str, text: &str) {
    check_exported(name, &program(&Source::new(name, text), true));
}

fn check_exported(name: &str, original: &Program) {
    let first = program(&Source::new(name, printed(original)), false);
    check_round_trip(name, &printed(&first));
}

#[test]
fn corpus_programs() {
    for path in corpus::files("bp", "bp") {
        let text = fs::read_to_string(&path).unwrap();
        check_round_trip(&path.display().to_string(), &text);
    }
}

#[test]
fn recursion_and_results() {
    check_round_trip(
        "recursion.bp",
        "decl g := 0, h;
         void main() begin
           decl a, b := 1;
           a, b := swap(a, b);
           call a := flip(a & b);
           flip(*);
           if a then g := 1; elsif b then g, h := h, g; else skip; fi;
           while !g do g := schoose[a, b]; od
           assert(g | h ^ a => b);
         end
         bool<2> swap(x, y) begin return y, x; end
         bool flip(x) begin
           decl r;
           if * then r := flip(!x); return !r; fi;
           return !x;
         end",
    );
}

#[test]
fn threads_and_jumps() {
    check_round_trip(
        "threads.bp",
        "decl s, turn := T;
         void main() begin
           thread_create(work, *);
           thread_create(&work, 1);
           l: goto l, m;
           m: 7: dead s;
           start_thread goto n;
           goto end_;
           n: atomic_begin; assume(turn); turn := 0; atomic_end;
           s, turn := *, * constrain 's != s & (turn' | s);
           end_thread;
           end_: skip;
         end
         work(id) { decl s2; { while (id) { id := *; } } if (s) { skip; } else { s2 := s ? id : *; } }",
    );
}

#[test]
fn a_local_variable_that_hides_a_shared_one() {
    check_round_trip(
        "hidden.bp",
        "decl x; void main() begin decl x; x := 1; f(x); end f(x) { x := 0; }",
    );
}

#[test]
fn weave_programs() {
    check_export(
        "locks.weave",
        "lock m;
         bool busy := false, T;
         void work(bool fast) {
           while (true) {
             acquire m;
             if (fast) { busy := !busy; } else { either { skip; } or { busy := *; } or { break; } }
             release m;
             if (trylock(m)) { release m; continue; }
             atomic { assume !busy; T := busy; if (T) { return; } }
             bool done := cas(busy, false, true);
             async work(done);
           }
         }
         thread begin * 2 = work(*);
         thread server * any = work(true);
         thread main { assert busy || !busy; }",
    );
}

/// Random programs with Boolean variables, in the words of either language.
fn random_programs(seeds: std::ops::Range<u64>) {
    let locks = Shape { locks: true, boolean_programs: false, ..Shape::boolean() };
    let sections = Shape { atomic: false, ..Shape::boolean() };
    for (shape, name) in [(Shape::plain(), "plain"), (locks, "locks"), (sections, "sections")] {
        let mut survived = 0;
        for seed in seeds.clone() {
            let program = random_program(seed, &shape);
            match print::bp(&program) {
                // Locks whose owners matter have no place there.
                Err(why) => assert!(why.what.contains("does not hold the lock"), "{why}"),
                Ok(_) => {
                    check_exported(&format!("{name}-{seed}.bp"), &program);
                    survived += 1;
                }
            }
        }
        println!("{name}: {survived} survived");
        assert!(survived > seeds.clone().count() / 4, "{name}: {survived}");
    }
}

/// `SELVEDGE_SEEDS=10000` makes it thorough.
#[test]
fn random_programs_survive() {
    let seeds = std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok());
    random_programs(0..seeds.unwrap_or(200));
}
