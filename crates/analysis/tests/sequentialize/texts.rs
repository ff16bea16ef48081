//! Small programs in which threads wait for each other, so that rounds matter.

use std::fmt::Write;

/// A program made from a number: two or three threads that pass flags and a counter to and fro.
pub fn random_text(seed: u64) -> String {
    let mut dice = fastrand::Rng::with_seed(seed);
    // Every shared variable that is written multiplies the guesses: only some are.
    let kinds = ["", "", "n", "n", "m", "p"][dice.usize(..6)];
    let mut text = "bool a := false;\nbool b := false;\nint[0..1] n := 0;\nlock m;\n".to_owned();
    text += "int[0..1] pair[2] := {0, 1};\n";
    text += "bool ask(bool p) {\n  if (p) { return b; }\n  a := !a;\n  return a;\n}\n";
    text += "void count(int[0..2] left) {\n  if (left > 0) { n := n + 1; count(left - 1); }\n}\n";
    for thread in 0..dice.usize(2..=3) {
        let _ = write!(text, "thread t{thread} {{\n  bool l := false; int[0..2] i := 0;\n");
        for _ in 0..dice.usize(2..=4) {
            let _ = writeln!(text, "  {}", statement(&mut dice, 2, kinds));
        }
        let _ = write!(text, "  {}\n}}\n", dice.choice(ASSERTIONS).unwrap());
    }
    text
}

const ASSERTIONS: [&str; 6] =
    ["assert !(a && b);", "assert n != 1;", "assert !a;", "assert l ==> b;", "skip;", "skip;"];

/// Statements, and the variables that they write besides `a` and `b`: the counter, the lock, the
/// array.
const SIMPLE: [(&str, &str); 27] = [
    ("", "a := true;"),
    ("", "b := !b;"),
    ("", "a, b := b, a;"),
    ("", "assume a;"),
    ("", "assume !b;"),
    ("", "assume b; b := false;"),
    ("", "assume a; b := true;"),
    ("", "a := true; assume !a;"),
    ("", "b := true; assume a; a := false;"),
    ("", "l := ask(true);"),
    ("", "b := ask(l);"),
    ("", "i := {0 .. 1}; i := 2 / i;"),
    ("", "i := pair[i] + 1;"),
    ("", "atomic { assume !a; b := true; l := ask(l); }"),
    ("n", "n := n + 1;"),
    ("n", "n := 1 - n;"),
    ("n", "assume n == 1;"),
    ("n", "n := {0, i};"),
    ("n", "count(1);"),
    ("n", "l := cas(n, i, i + 1);"),
    ("n", "i := fetch_and_add(n);"),
    ("n", "atomic { a := ask(l); n := n * 2 / (n + i); count(1); }"),
    ("m", "acquire m;"),
    ("m", "release m;"),
    ("m", "l := trylock(m);"),
    ("p", "pair[i] := 1 - pair[i];"),
    ("p", "i := pair[1] * 2;"),
];

fn statement(dice: &mut fastrand::Rng, depth: usize, kinds: &str) -> String {
    if depth == 0 || dice.usize(..4) > 0 {
        let fits: Vec<_> = SIMPLE.iter().filter(|(kind, _)| kinds.contains(kind)).collect();
        return dice.choice(&fits).unwrap().1.to_owned();
    }
    let first = statement(dice, depth - 1, kinds);
    let second = statement(dice, depth - 1, kinds);
    match dice.usize(..6) {
        0 => format!("if (a) {{ {first} }} else {{ {second} }}"),
        1 => format!("if (n == i) {{ {first} }}"),
        2 => format!("while (!a && n < 2) {{ {first} }}"),
        3 => format!("either {{ {first} }} or {{ {second} }}"),
        4 => format!("if (cas(b, false, true)) {{ {first} }} else {{ {second} }}"),
        _ => format!("while (pair[i] == 0) {{ {first} break; }}"),
    }
}
