//! What `docs/language.md` shows is accepted. Parts of programs are completed first.

use crate::check_programs::program;

const REFERENCE: &str = include_str!("../../../../docs/language.md");

/// The examples of the reference, in order, with something in the place of what is left out.
fn examples() -> Vec<String> {
    let blocks = REFERENCE.split("```weave").skip(1).filter_map(|block| block.split_once('\n'));
    blocks.filter_map(|(_, b)| b.split("```").next()).map(|b| b.replace('…', "skip;")).collect()
}

/// The example that mentions a text, after what it needs.
fn completed(mentions: &str, before: &str) {
    let example = examples().into_iter().find(|e| e.contains(mentions));
    let example = example.expect("the reference has this example");
    program(&format!("{before}\n{example}"));
}

#[test]
fn the_whole_program() {
    completed("void work(bool fast)", "");
}

#[test]
fn procedures() {
    completed("proc q(var x: bool)", "void main() { }");
}

#[test]
fn threads() {
    completed(
        "thread phil[i]",
        "const N = 3; void worker() { } void adder() { } void eat(int[0..2] i) { } void serve() { }",
    );
}

#[test]
fn semaphores_conditions_and_barriers() {
    completed("notify has_items", "");
}

#[test]
fn predicates() {
    completed("predicate unique", "");
}

#[test]
fn every_statement() {
    program(
        "bool b := false, c;
         int[0..3] n := 0;
         int big;
         int[0..3] a[2] := {1, 2};
         bool seen[2][2] := {{true, false}, false};
         lock m, fork[2];
         semaphore s := 1, few[2] := {1, 0};
         condition changed, both[2];
         barrier meet := 2;
         tid last;
         (bool, int) two(int x) { return true, x + 1; }
         bool one() { return *; }
         void f(bool x) { return; }
         void main() {
           skip;
           ;
           b := 1;
           b, a[n] := c, n + 1;
           n++; n--; n += 2; n -= 1;
           b, c := *, * constrain 'b != 'c && b == c;
           havoc b, n, a;
           big := {0 .. n};
           b := {true, c} == *;
           b := n < * || 1 == b || b != c || schoose[b, c];
           n := b ? {0, 1} : a[1];
           if b { skip; } else { skip; }
           if (c) n := 0;
           while b { if (*) break; else continue; }
           either { skip; } or { skip; } or { b := false; }
           L: M: skip;
           goto L, M;
           assume n >= 0;
           wait(b ==> c);
           acquire s; release s; acquire(few[n % 2]); release(few[0]);
           wait changed, m; wait(both[1], fork[0]); notify changed; notify all both[n % 2];
           wait meet; wait(meet);
           atomic { n := 0; assume b; }
           acquire m; release m; acquire(fork[n]); release(fork[0]);
           f(true); call f(b);
           b := one();
           b, big := two(3);
           two(4);
           tid t := async f(0);
           async f(1);
           last := t;
           assert t != none && last == t;
           join t;
           bool got := trylock(m);
           if (!trylock(m)) skip;
           while (cas(n, 0, 1)) skip;
           big := fetch_and_add(n);
           fetch_and_add(n, 2);
           assert n / 2 * 2 + n % 2 == n;
           return;
         }",
    );
}
