//! Programs of a megabyte: lowering takes time in the size of the text, and no deep recursion.

use std::fmt::Write;
use std::time::Duration;

use selvedge_model::{System, ThreadId, step};

use crate::effort;
use crate::support::system;

/// Loads a program and takes a few steps; that must not take long.
fn runs(text: &str) {
    let about = format!("{} bytes", text.len());
    effort::within(Duration::from_secs(30), about, || runs_a_little(text));
}

fn runs_a_little(text: &str) {
    let system = system(text);
    let mut state = system.initial().expect("no fault").remove(0);
    for _ in 0..4 {
        let steps = step(&system, &state, ThreadId(0)).expect("no fault");
        let Some((_, next)) = steps.into_iter().next() else { break };
        state = next;
    }
}

#[test]
fn many_labels_on_one_statement() {
    let mut text = String::from("bool x; void main() {\n");
    for i in 0..80_000 {
        let _ = writeln!(text, "L{i}: ");
    }
    text += "x := true; goto L79999; }";
    runs(&text);
}

#[test]
fn a_long_chain_of_jumps() {
    let mut text = String::from("bool x; void main() { goto L0;\n");
    for i in 0..60_000 {
        let _ = writeln!(text, "L{i}: goto L{};", i + 1);
    }
    text += "L60000: x := true; }";
    runs(&text);
}

#[test]
fn a_long_chain_of_jumps_back() {
    let mut text = String::from("bool x; void main() { goto L59999; L0: x := true; return;\n");
    for i in 1..60_000 {
        let _ = writeln!(text, "L{i}: goto L{};", i - 1);
    }
    text += "}";
    runs(&text);
}

#[test]
fn a_long_sequence_with_locks_and_threads() {
    let mut text = String::from("lock m[4]; bool x; void main() { int[0..3] i := 1; bool b;\n");
    for i in 0..10_000 {
        let _ = writeln!(text, "S{i}: acquire m[i]; if (b) {{ x := *; }} release m[i];");
    }
    text += "start_thread goto S0; }";
    runs(&text);
}

#[test]
fn a_loop_in_an_atomic_block() {
    runs("int n := 0; void main() { atomic { while (n < 50000) { n++; } } assert n == 50000; }");
}

#[test]
fn recursion_in_an_atomic_block() {
    runs("void f(int n) { if (n > 0) { f(n - 1); } } void main() { atomic { f(20000); } }");
}
