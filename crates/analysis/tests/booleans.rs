//! Programs with bits in the place of numbers go wrong in the same contexts.

use crate::support;

use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Program, print, to_booleans};
use support::{Behaviour, lower, read_bp, read_weave};

const BOUND: usize = 3;
const LIMIT: usize = 6_000;

/// Compares a program with its bits, and with the text of its bits; says how many contexts it
/// takes to go wrong, if that is known.
fn compare(program: &Program, about: &str) -> Option<Option<usize>> {
    let bits = to_booleans(program).ok()?;
    let (Ok(first), Ok(second)) = (lower(program, about), lower(&bits, about)) else {
        return None;
    };
    let first = Behaviour::of(&first, BOUND, LIMIT);
    let second = Behaviour::of(&second, BOUND, LIMIT);
    // A lock of an array does not know who holds it.
    let owner = first.wrong.as_ref().is_some_and(|(_, why)| why.contains("does not hold it"));
    if owner || first.completed() != Some(BOUND) || second.completed() != Some(BOUND) {
        return None;
    }
    let message = || format!("{about}\n{}", print::weave(&bits));
    assert_eq!(first.wrong_at(), second.wrong_at(), "{}", message());
    let text = match print::bp(&bits) {
        Ok(text) => text,
        // Only what locks know is lost in bits.
        Err(why) => {
            assert!(why.to_string().contains("does not hold the lock"), "{why}\n{}", message());
            return Some(first.wrong_at());
        }
    };
    let read = read_bp(&text);
    if program.threads.len() == 1 && program.threads[0].count == Count::Fixed(1) {
        let third = Behaviour::of(&lower(&read, &text).ok()?, BOUND, LIMIT);
        if third.completed() == Some(BOUND) {
            assert_eq!(first.wrong_at().is_some(), third.wrong_at().is_some(), "{}", message());
        }
    }
    Some(first.wrong_at())
}

#[test]
fn machine_integers_are_bits() {
    for (body, wrong) in [
        ("x := x + 3; assert x == 1;", None),
        ("x := -x - 1; assert x != 1;", Some(1)),
        ("i8 y := i8(x); assert y == -2; y := y >> 1; assert y == -1 && ~y == 0;", None),
        ("x := x << 1 & 15; assert x != 12;", Some(1)),
        ("havoc x; assert (x ^ 85) != 0;", Some(1)),
        ("u8 old := fetch_and_add(x, 2); assert old == 254 && x == 0;", None),
    ] {
        let text = format!("u8 x := 254; void main() {{ {body} }}");
        assert_eq!(compare(&read_weave(&text), body), Some(wrong), "{body}");
    }
}

#[test]
fn random_programs_go_wrong_in_the_same_contexts() {
    let shape = Shape {
        globals: 3,
        procs: 2,
        locals: 2,
        statements: 4,
        depth: 2,
        dynamic_threads: false,
        predicates: false,
        boolean_programs: false,
        ..Shape::default()
    };
    let (mut compared, mut wrong, mut other) = (0, 0, 0);
    let chosen = Shape { calls: false, chosen_indices: true, ..shape.clone() };
    let shapes =
        [Shape { calls: false, ..shape.clone() }, Shape { atomic: false, ..shape }, chosen];
    for shape in shapes {
        for seed in 0..250 {
            let mut program = random_program(seed, &shape);
            for thread in &mut program.threads {
                if thread.count == Count::Any {
                    thread.count = Count::Fixed(1);
                }
            }
            match compare(&program, &format!("seed {seed}\n{}", print::weave(&program))) {
                Some(at) => {
                    compared += 1;
                    wrong += usize::from(at.is_some());
                }
                None => other += 1,
            }
        }
    }
    println!("{compared} compared, {wrong} go wrong, {other} are too large or not Boolean");
    assert!(compared > 150 && wrong > 50);
}

/// Each statement for all values of its operands.
#[test]
fn statements_of_every_kind_go_wrong_in_the_same_contexts() {
    let statements = [
        "x := y + z;",
        "x := y - z;",
        "x := y * z;",
        "x := y / z;",
        "x := y % z;",
        "x := -y;",
        "x := y < z ? y : z;",
        "x := {y .. z};",
        "x := {y, z, 3};",
        "x := {0 .. 2}; a[0] := {0 .. 1}; a[y] := {-1 .. z};",
        "x := pick(); x := get({0 .. 1});",
        "a[y] := z;",
        "x := a[z];",
        "a[y], a[z] := z, y;",
        "x, y := y, x;",
        "c := Green; if (y == 0) c := Red;",
        "havoc c; if (c == Red) x := 0;",
        "x := get(y);",
        "y := get(z);",
        "a[x] := get(y);",
        "b := cas(x, y, z);",
        "if (cas(x, y, z)) y := z;",
        "while (!cas(x, y, 2)) x := y;",
        "z := fetch_and_add(x, y);",
        "acquire locks[y]; release locks[z];",
        "b := trylock(locks[x]); if (b) release locks[y];",
        "acquire locks[{0 .. 1}]; x := 1; b := trylock(locks[0]);",
        "b := cas(a[{0, 1}], y, 1); x := a[0];",
        "if (cas(a[{0 .. 1}], {0, 1}, z)) x := a[0]; else x := a[1];",
        "x := fetch_and_add(a[{0 .. 1}], -1);",
        "if (a[y] == z) x := 1; else x := 2;",
        "while (a[x] != y) x := x + 1;",
        "assume y <= z; x := z - y;",
        "x := * ? y : z;",
        "b := y == z;",
        "x := (y > z) == b ? 1 : 0;",
    ];
    let checks = ["x == 2", "x < y", "a[0] == 1", "a[1] != z", "b", "c == Green", "y != z"];
    let mut wrong = 0;
    for statement in statements {
        for check in checks {
            let text = format!(
                "enum Colour {{ Red, Green, Blue }}\nint[-1..3] x; int[0..2] y; int[0..2] z; bool b;\n\
                 int[-1..1] a[2]; Colour c; lock locks[2];\n\
                 int[0..3] get(int[0..2] p) {{ return p + z; }}\n\
                 int[-1..3] pick() {{ return {{y .. 2}}; }}\n\
                 void main() {{ {statement} assert {check}; }}\n"
            );
            let compared = compare(&read_weave(&text), &text);
            wrong += usize::from(compared.is_some_and(|at| at.is_some()));
            let fails = |with: &str| {
                let text = text.replace(&format!("assert {check}"), with);
                compare(&read_weave(&text), &text).unwrap_or_else(|| panic!("{text}"))
            };
            fails(&format!("assume {check}"));
        }
    }
    assert!(wrong > 100);
}
