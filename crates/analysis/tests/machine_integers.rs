//! Machine integers at their limits, from the text to what the program does: each line is a fact that an
//! assertion states, or an operation that goes wrong.

use crate::support;

use support::{Behaviour, system};

/// How a program with one procedure goes wrong, if it does.
fn wrong(body: &str) -> Option<String> {
    let text = format!("void main() {{ {body} }}");
    let behaviour = Behaviour::of(&system(&text), 1, 100_000);
    assert!(behaviour.stopped.is_none(), "{body}: {:?}", behaviour.stopped);
    behaviour.wrong.map(|(_, why)| why)
}

/// Each of these holds.
fn hold(facts: &[(&str, &str)]) {
    for (declared, fact) in facts {
        assert_eq!(wrong(&format!("{declared} assert {fact};")), None, "{declared} {fact}");
        let opposite = wrong(&format!("{declared} assert !({fact});"));
        assert!(opposite.is_some(), "{declared} !({fact})");
    }
}

#[test]
fn arithmetic_wraps_around() {
    hold(&[
        ("u8 x := 255;", "x + 1 == 0"),
        ("u8 x := 0;", "x - 1 == 255"),
        ("u8 x := 16;", "x * x == 0"),
        ("u8 x := 1;", "-x == 255"),
        ("i8 x := 127;", "x + 1 == -128"),
        ("i8 x := -128;", "x - 1 == 127"),
        ("i8 x := -128;", "-x == -128"),
        ("i8 x := -128;", "x / -1 == -128"),
        ("i8 x := -128;", "x % -1 == 0"),
        ("i8 x := -7;", "x / 2 == -4 && x % 2 == 1"),
        ("i8 x := -7;", "x / -2 == 4 && x % -2 == 1"),
        ("u8 x := 7;", "x / 2 == 3 && x % 2 == 1"),
        ("i8 x := 16;", "x * 8 == -128"),
        ("u16 x := 65535;", "x + 1 == 0"),
        ("i16 x := 32767;", "x + 1 == -32768"),
        ("u32 x := 4294967295;", "x + 1 == 0 && x * x == 1"),
        ("i32 x := 2147483647;", "x + 1 == -2147483648"),
        ("u64 x := 18446744073709551615;", "x + 1 == 0 && x * x == 1"),
        ("i64 x := 9223372036854775807;", "x + 1 == -9223372036854775808"),
        ("i64 x := -9223372036854775808;", "x / -1 == x && -x == x"),
    ]);
}

#[test]
fn comparisons_are_those_of_the_type() {
    hold(&[
        ("u8 x := 200;", "x > 100 && x <= 200 && 100 < x"),
        ("i8 x := -1;", "x < 0 && x >= -1"),
        ("u64 x := 18446744073709551615;", "x > 9223372036854775808"),
    ]);
}

#[test]
fn conversions_keep_the_last_bits() {
    hold(&[
        ("int n := 300;", "u8(n) == 44"),
        ("int n := -1;", "u8(n) == 255 && i8(n) == -1 && u64(n) == 18446744073709551615"),
        ("int[0..999] n := 200;", "i8(n) == -56"),
        ("u8 x := 200;", "i8(x) == -56 && int(x) + 100 == 300 && u16(x) + 100 == 300"),
        ("i8 x := -1;", "u16(x) == 65535 && u8(x) == 255 && i64(x) == -1 && int(x) == -1"),
        ("u64 x := 18446744073709551615;", "i64(x) == -1 && int(x) == 18446744073709551615"),
    ]);
}

#[test]
fn constants_take_the_type_that_is_asked_for() {
    hold(&[
        ("u8 x := 255; u8 y := x;", "x + 1 + 0 == y - 255"),
        ("u8 x := 255 + 1;", "x == 0"),
        ("u8 x := true ? 3 : 4;", "3 == x"),
        ("i8 x := {-3 .. -1};", "x < 0"),
        ("u8 x := {3, 255};", "x != 4"),
        ("u8 a[3] := {1, 2, 3}; u8 i := 2;", "a[i] == 3 && a[i - 1] == 2"),
        ("u8 x; havoc x;", "int(x) <= 255 && int(x) >= 0"),
        ("i8 x := *;", "int(x) <= 127 && int(x) >= -128"),
        ("u8 x := 250; x += 10; x++; x--; x -= 1;", "x == 3"),
    ]);
}

#[test]
fn atomic_operations_wrap_around() {
    let text = "u8 x := 255; i8 y := -128; bool done;
        void main() {
          u8 before := fetch_and_add(x);
          assert before == 255 && x == 0;
          i8 old := fetch_and_add(y, -1);
          assert old == -128 && y == 127;
          done := cas(x, 0, 200);
          assert done && x == 200;
          done := cas(x, 0, 1);
          assert !done && x == 200;
        }";
    let behaviour = Behaviour::of(&system(text), 1, 10_000);
    assert!(behaviour.stopped.is_none() && behaviour.wrong.is_none(), "{behaviour:?}");
}

#[test]
fn results_and_arguments_keep_their_types() {
    let text = "u8 next(u8 x) { return x + 1; }
        thread t[i] * 2 { u8 y := u8(i) - 1; y := next(y); assert y == u8(i); }";
    let behaviour = Behaviour::of(&system(text), 2, 10_000);
    assert!(behaviour.stopped.is_none() && behaviour.wrong.is_none(), "{behaviour:?}");
}

#[test]
fn going_wrong() {
    for (body, why) in [
        ("u8 x := 0; u8 y := 1 / x;", "division"),
        ("i64 x := 0; i64 y := 1 % x;", "division"),
        ("bool a[2]; i8 i := -1; a[i] := true;", "-1"),
        ("bool a[2]; u64 i := 18446744073709551615; a[i] := true;", "18446744073709551615"),
    ] {
        let found = wrong(body).unwrap_or_else(|| panic!("{body} does not go wrong"));
        assert!(found.contains(why), "{body}: {found}");
    }
}

#[test]
fn bit_operators() {
    hold(&[
        ("u8 x := 12;", "(x & 10) == 8 && (x | 10) == 14 && (x ^ 10) == 6"),
        ("u8 x := 0;", "~x == 255 && ~~x == 0"),
        ("i8 x := 0;", "~x == -1"),
        ("i8 x := -128;", "~x == 127 && (x | 1) == -127 && (x & 127) == 0 && (x ^ -1) == 127"),
        ("u64 x := 18446744073709551615;", "~x == 0 && (x ^ x) == 0 && (x & 1) == 1"),
        ("i64 x := -1;", "(x & 9223372036854775807) == 9223372036854775807 && ~x == 0"),
        ("u8 x := 6; u8 y := 3;", "(x & -x) == 2 && (x & ~y) == 4"),
    ]);
}

#[test]
fn shifts() {
    hold(&[
        ("u8 x := 1;", "x << 7 == 128 && x << 8 == 0 && x << 0 == 1"),
        ("u8 x := 255;", "x << 4 == 240 && x >> 4 == 15 && x >> 8 == 0 && x >> 1000 == 0"),
        ("i8 x := -128;", "x >> 1 == -64 && x >> 7 == -1 && x >> 8 == -1 && x >> 300 == -1"),
        ("i8 x := 1;", "x << 7 == -128 && x << 8 == 0"),
        ("i8 x := 64;", "x >> 6 == 1 && x >> 7 == 0 && x >> 8 == 0"),
        ("u64 x := 1;", "x << 63 == 9223372036854775808 && x << 64 == 0"),
        ("i64 x := -9223372036854775808;", "x >> 63 == -1 && x << 1 == 0"),
        ("u8 x := 1; int n := 1000000000000;", "x << n == 0 && x >> n == 0"),
        ("u8 x := 1; u64 n := 18446744073709551615;", "x << n == 0"),
        ("u8 x := 1; i8 n := 3;", "x << n == 8 && x << n >> n == 1"),
    ]);
    // The left operand is evaluated, however far it is shifted.
    let divides = "u8 x := 0; int n := 9; x := 1 / x << n;";
    assert!(wrong(divides).is_some_and(|why| why.contains("division")));
    let nested = format!("u8 x := 1; x := {}x{};", "x << (".repeat(100), ")".repeat(100));
    assert_eq!(wrong(&nested), None);
    for body in ["u8 x := 1; int n := -1; x := x << n;", "i8 n := -1; n := n >> n;"] {
        let found = wrong(body).unwrap_or_else(|| panic!("{body} does not go wrong"));
        assert!(found.contains("shift"), "{body}: {found}");
    }
}

#[test]
fn precedence() {
    hold(&[
        ("u8 x := 6;", "(x & 2) == 2 && (8 | x & 3) == 10"),
        ("u8 x := 1;", "x << 1 + 1 == 4 && 1 + x << 1 == 4 && (x | x << 1) == 3"),
        ("u8 x := 1;", "-x >> 7 == 1 && (~x & 1) == 0 && (x + x & 1) == 0"),
        ("u8 x := 3; u8 y := 5;", "x < (y & 7) && (x ^ y) > (x & y)"),
        // Between truth values they are what they always were.
        ("bool a := true; bool b := false;", "a | b & b && (a ^ b) && a & b == b"),
        ("bool a := true; int n := 3;", "a & n == 3 & n < 4 | false"),
    ]);
}
