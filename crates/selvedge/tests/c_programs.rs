//! Small programs in C that were once misread, with what is to be said of them.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};

/// What is said of a program whose `main` has these statements, after these declarations.
fn verdict(declarations: &str, statements: &str) -> VerdictName {
    let text = format!(
        "extern void reach_error(void);\n{declarations}\nint main(void) {{ {statements} return 0; }}\n"
    );
    let subject = Subject::parse("program.i", text, InputOptions::default()).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

/// Something holds where `main` ends, and is reached there: its opposite fails.
fn holds(declarations: &str, statements: &str, condition: &str) {
    let test = |negation: &str| format!("{statements} if ({negation}({condition})) reach_error();");
    assert_eq!(verdict(declarations, &test("!")), VerdictName::Safe, "{condition}");
    assert_eq!(verdict(declarations, &test("")), VerdictName::Unsafe, "{condition}");
}

#[test]
fn structures_with_arrays_are_passed_as_they_are() {
    let declarations = "struct S { int a; unsigned char b[3]; struct { short x; long long y; } in[2]; };
        static struct S next(struct S s) { s.a++; s.b[1] = s.b[2]; s.in[1].y = s.in[0].x; return s; }
        static int through(struct S s) { unsigned char *p = &s.b[1]; return *p + s.in[1].x; }";
    let statements =
        "struct S s = { 1, { 2, 3, 4 }, { { 5, 6 }, { 7, 8 } } }; struct S t = next(s);";
    let condition = "t.a == 2 && t.b[0] == 2 && t.b[1] == 4 && t.b[2] == 4 && t.in[0].x == 5 \
        && t.in[0].y == 6 && t.in[1].x == 7 && t.in[1].y == 5 && s.b[1] == 3 && through(s) == 10";
    holds(declarations, statements, condition);
}

#[test]
fn a_structure_is_read_before_any_of_it_is_written() {
    let declarations = "struct S { int k; int v; };";
    let elements = "struct S a[2] = { { 1, 5 }, { 0, 7 } };";
    holds(declarations, &format!("{elements} a[0] = a[a[0].k];"), "a[0].k == 0 && a[0].v == 7");
    holds(declarations, &format!("{elements} a[a[1].k] = a[1];"), "a[0].k == 0 && a[0].v == 7");
    holds(declarations, &format!("{elements} a[a[0].k] = a[0];"), "a[1].k == 1 && a[1].v == 5");
}

#[test]
fn the_value_for_a_range_of_elements_is_computed_once() {
    let statements = "int v = 4; int a[3] = { [0 ... 2] = v++ };";
    holds("", statements, "v == 5 && a[0] == 4 && a[1] == 4 && a[2] == 4");
}
