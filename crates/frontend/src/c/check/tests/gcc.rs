//! gcc as an oracle: sizes, offsets, types and values that were computed here are put into a program that gcc must accept, for both
//! data models.

use std::fmt::Write as _;
use std::io;
use std::process::{Command, Stdio};

use fastrand::Rng;

use super::{checked, right};
use crate::c::check::Checker;
use crate::c::typed::{Expr, ExprKind, StmtKind, Unit};
use crate::c::types::DataModel;

const MODELS: [(DataModel, &str); 2] = [(DataModel::Ilp32, "-m32"), (DataModel::Lp64, "-m64")];

/// Asks gcc whether all assertions of a text hold; nothing if there is no gcc.
fn refused(text: &str, option: &str) -> Option<String> {
    let mut gcc = Command::new("gcc")
        .args([option, "-std=gnu11", "-fsyntax-only", "-w", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    io::Write::write_all(&mut gcc.stdin.take()?, text.as_bytes()).ok()?;
    let output = gcc.wait_with_output().ok()?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = complaints.lines().filter(|line| line.contains("error: ")).collect();
    Some(errors.join("\n"))
}

fn assert_accepted(text: &str, option: &str) {
    match refused(text, option) {
        None => println!("skipped: there is no gcc"),
        Some(complaints) => {
            let shown: Vec<&str> = complaints.lines().take(20).collect();
            let lines: Vec<String> = shown
                .iter()
                .filter_map(|line| line.split(':').nth(1)?.parse::<usize>().ok())
                .filter_map(|line| text.lines().nth(line - 1).map(str::to_owned))
                .collect();
            assert!(complaints.is_empty(), "{option}\n{}\n{}", shown.join("\n"), lines.join("\n"));
        }
    }
}

/// What `main` computes in its statements that are expressions.
fn values(unit: &Unit) -> Vec<&Expr> {
    let main = unit.functions.iter().find(|function| function.name == "main").unwrap();
    let statements = main.body.as_deref().unwrap();
    statements
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Expr(expr) => Some(expr),
            _ => None,
        })
        .collect()
}

const SCALARS: [&str; 15] = [
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "_Bool",
    "void *",
    "long double",
];

/// Picks one of several texts.
pub fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.usize(..from.len())]
}

/// A random record with members `m0`, `m1`, …; the names of those that have an offset are told.
fn record(rng: &mut Rng, name: &str, earlier: usize, members: &mut Vec<String>) -> String {
    let word = pick(rng, &["struct", "struct", "struct", "union"]);
    let mut text = format!("{word} {name} {{ ");
    let count = rng.usize(1..8);
    for i in 0..count {
        let member = format!("m{i}");
        let scalar = pick(rng, &SCALARS);
        match rng.usize(..12) {
            0 | 1 => {
                let integer = pick(rng, &SCALARS[..10]);
                let most = match integer {
                    "char" | "unsigned char" => 8,
                    "short" | "unsigned short" => 16,
                    "long long" | "unsigned long long" => 64,
                    _ => 32,
                };
                let width = rng.u32(0..=most);
                let shown = if width == 0 { "" } else { &member };
                write!(text, "{integer} {shown} : {width}; ").unwrap();
                continue;
            }
            2 if earlier > 0 => {
                let which = rng.usize(..earlier);
                write!(text, "T{which} {member}; ").unwrap();
            }
            3 => write!(text, "{scalar} {member}[{}]; ", rng.usize(..4)).unwrap(),
            4 => {
                let align = pick(rng, &["1", "2", "8", "16", "sizeof(int)"]);
                let how = pick(rng, &["", ", packed"]);
                write!(text, "{scalar} {member} __attribute__((aligned({align}){how})); ").unwrap();
            }
            5 => write!(text, "struct {{ char a{i}; {scalar} {member}; }}; ").unwrap(),
            6 => write!(text, "{scalar} {member} __attribute__((packed)); ").unwrap(),
            // gcc aligns `_Atomic long long` in one of three ways with 32 bits, depending on what stands beside it.
            7 => write!(text, "_Atomic {} {member}; ", pick(rng, &SCALARS[..8])).unwrap(),
            8 => write!(text, "enum {{ E{name}{i} = {} }} {member}; ", rng.i32(-2..2)).unwrap(),
            _ => write!(text, "{scalar} {member}; ").unwrap(),
        }
        members.push(member);
    }
    let attribute =
        pick(rng, &["", "", "", "", "__attribute__((packed))", "__attribute__((aligned(16)))"]);
    write!(text, "}} {attribute};").unwrap();
    text
}

#[test]
fn records_have_the_layout_of_gcc() {
    let mut rng = Rng::with_seed(1);
    for (model, option) in MODELS {
        let mut text = String::new();
        let mut questions = Vec::new();
        for i in 0..400 {
            let mut members = Vec::new();
            let declaration = record(&mut rng, &format!("R{i}"), i, &mut members);
            let word = declaration.split(' ').next().unwrap();
            writeln!(text, "{declaration} typedef {word} R{i} T{i};").unwrap();
            questions.push(format!("sizeof(T{i})"));
            questions.push(format!("_Alignof(T{i})"));
            for member in members {
                questions.push(format!("__builtin_offsetof(T{i}, {member})"));
            }
        }
        let unit = right(&format!("{text}int main(void) {{ {}; }}", questions.join("; ")), model);
        for (question, value) in questions.iter().zip(values(&unit)) {
            let ExprKind::Int(value) = value.kind else { panic!("{question}") };
            let record = question.split(['(', ',', ')']).nth(1).unwrap().replace('T', "R");
            let declaration = text.lines().find(|line| line.contains(&format!(" {record} {{")));
            let about = declaration.unwrap_or_default().to_owned();
            writeln!(text, "_Static_assert({question} == {value}, \"{question}\"); // {about}")
                .unwrap();
        }
        assert_accepted(&text, option);
    }
}

/// A random constant expression.
fn constant(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.u8(..5) == 0 {
        let value = match rng.u8(..4) {
            0 => rng.u64(..4),
            1 => rng.u64(..300),
            2 => u64::from(u32::MAX) / 2 + rng.u64(..3),
            _ => rng.u64(..) >> rng.u32(..64),
        };
        let suffix = pick(rng, &["", "", "", "u", "ul", "ull"]);
        return match rng.u8(..8) {
            0 => format!("{value:#x}{suffix}"),
            1 => format!("'{}'", pick(rng, &["a", "\\n", "\\xff", "\\0", "\\377"])),
            2 => format!("sizeof({})", pick(rng, &SCALARS)),
            3 => format!("{}.5", rng.u8(..)),
            // What is too large for `long long` without saying that it is unsigned has 128 bits in gcc.
            _ if suffix.is_empty() => format!("{}", value >> 1),
            _ => format!("{value}{suffix}"),
        };
    }
    let mut next = || constant(rng, depth - 1);
    let (a, b, c) = (next(), next(), next());
    match rng.u8(..20) {
        0 => format!("(-{a})"),
        1 => format!("(~(long){a})"),
        2 => format!("(!{a})"),
        3 => format!("({a} ? {b} : {c})"),
        4..=7 => format!("(({}){a})", pick(rng, &SCALARS[..13])),
        8 => format!("((int){a} {} ({b} & 15))", pick(rng, &["<<", ">>"])),
        9 => format!("({a} {} {b})", pick(rng, &["&&", "||"])),
        10 | 11 => format!("({a} {} {b})", pick(rng, &["<", "<=", ">", ">=", "==", "!="])),
        12 | 13 => format!("({a} {} {b})", pick(rng, &["&", "|", "^", "%"])),
        _ => format!("({a} {} {b})", pick(rng, &["+", "-", "*", "/"])),
    }
}

#[test]
fn constants_have_the_values_and_types_of_gcc() {
    let mut rng = Rng::with_seed(2);
    for (model, option) in MODELS {
        let mut text = String::new();
        let mut compared = 0;
        for _ in 0..4000 {
            let written = constant(&mut rng, 4);
            let (unit, problems) = checked(&format!("int main(void) {{ {written}; }}"), model);
            if !problems.is_empty() {
                // `%` and the like of numbers with a point: gcc refuses it, too.
                continue;
            }
            let mut checker = Checker::new(model);
            checker.types = unit.types.clone();
            let value = values(&unit)[0];
            let ty = checker.spell(&value.ty);
            writeln!(text, "_Static_assert(_Generic({written}, {ty}: 1, default: 0), \"type\");")
                .unwrap();
            // A number too large for `long long` is written as the sum of two.
            if let Some(folded) = checker.fold_int(value) {
                let half = folded / 2;
                let is = format!("({ty})({half}ull + {}ull)", folded - half);
                let is = is.replace("(-", "((long long)-").replace("+ -", "+ (long long)-");
                writeln!(text, "_Static_assert({written} == {is}, \"value\");").unwrap();
                compared += 1;
            }
        }
        assert!(compared > 1000, "{compared}");
        assert_accepted(&text, option);
    }
}

/// A random expression over variables, which need not be constant.
fn expression(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.u8(..6) == 0 {
        return pick(
            rng,
            &[
                "c",
                "uc",
                "s",
                "us",
                "i",
                "u",
                "l",
                "ul",
                "ll",
                "ull",
                "f",
                "d",
                "ld",
                "b",
                "e",
                "n",
                "1",
                "2u",
                "3l",
                "'x'",
                "A",
                "r.i",
                "q->c",
                "p[i]",
                "*p",
                "m[1][2]",
                "at",
                "(c, s)",
                "arr[u]",
                "(int)d",
                "(char)i",
                "(b ? c : uc)",
                "p - p",
                "sizeof c",
            ],
        )
        .to_owned();
    }
    let (a, b) = (expression(rng, depth - 1), expression(rng, depth - 1));
    match rng.u8(..14) {
        0 => format!("(-{a})"),
        1 => format!("(+{a})"),
        2 => format!("(!{a})"),
        3 => format!("({a} ? {b} : {a})"),
        4 => format!("(i ? {a} : {b})"),
        5 => format!("({a} ?: {b})"),
        6 => format!("({a}, {b})"),
        7 => format!("(({}){a})", pick(rng, &SCALARS[..13])),
        8 => format!("({a} {} {b})", pick(rng, &["<", "==", "&&", "||"])),
        9 => format!(
            "({} {} {a})",
            pick(rng, &["c", "uc", "i", "ll", "f", "b"]),
            pick(rng, &["=", "+=", "*="])
        ),
        10 => format!("((long long){a} {} (int){b})", pick(rng, &["<<", "&", "|", "%"])),
        _ => format!("({a} {} {b})", pick(rng, &["+", "-", "*", "/"])),
    }
}

#[test]
fn expressions_have_the_types_of_gcc() {
    let declarations = "char c; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul; long long ll; unsigned long long ull; float f; double d; long double ld; _Bool b; enum e { A, B } e; enum n { N = -1 } n; enum big { HUGE_ONE = 1ull << 40, SMALL_ONE } big; struct r { int i; char c; int *p; } r, *q; int *p; int m[3][4]; _Atomic short at; int arr[5]; void *v; char *cp; int (*fp)(void); int fun(char);";
    let pointers = "p + i, &arr[2], arr, &arr, m, m[1], &r, q, &r.p, r.p, p - i, i + p, &*p, v, i ? p : 0, i ? v : p, i ? 0 : p, fp, fun, &fun, *fp, p - p, &at, cp + 1, (char *)p, \"abc\", &\"abc\", big, HUGE_ONE, SMALL_ONE, e, A, n, N, fun(1), fp(), sizeof(int), p == 0, p++, q++, cp -= 2, *&i, &m[1][2], *m, **m, &*arr, (v), (i, p), ({ c; }), ({ p; }), (struct r){1}.p, (int[]){1, 2}, &(int){3}, L\"ab\"[0], u\"ab\"[0], 'a', at++, at += 1, i++, c++, --uc, b++, f--, __builtin_expect(i, 0), __builtin_offsetof(struct r, p), __sync_fetch_and_add(&ll, 1), __atomic_load_n(&at, 0), __sync_bool_compare_and_swap(&i, 0, 1), __builtin_strlen(cp), __builtin_popcount(i), __builtin_bswap32(i), __builtin_bswap64(i), __builtin_bswap16(i), __builtin_memcpy(v, v, 1), __builtin_strchr(cp, 1), __atomic_exchange_n(&p, 0, 5), __builtin_inf(), __builtin_inff(), __builtin_add_overflow(i, i, &i), __builtin_clzll(ull), __builtin_fabs(d), __builtin_constant_p(i), __builtin_object_size(p, 0)";
    let mut rng = Rng::with_seed(3);
    for (model, option) in MODELS {
        let mut text = format!("{declarations}\nvoid asserts(void) {{\n");
        let mut all: Vec<String> =
            split(pointers).into_iter().map(|written| format!("({written})")).collect();
        all.extend((0..3000).map(|_| expression(&mut rng, 3)));
        let mut compared = 0;
        for written in all {
            let (unit, problems) =
                checked(&format!("{declarations} int main(void) {{ {written}; }}"), model);
            if !problems.is_empty() {
                // The right operand of `%`, say, may be a number with a point; gcc refuses it as well.
                let complaints =
                    refused(&format!("{declarations} void f(void) {{ {written}; }}"), option);
                assert!(complaints.is_none_or(|text| !text.is_empty()), "{written}: {problems:?}");
                continue;
            }
            let mut checker = Checker::new(model);
            checker.types = unit.types.clone();
            let value = values(&unit)[0];
            // `signed char` and `const` are not told apart here; `typeof` drops an `_Atomic` that no value has.
            let ty = checker.spell(&value.ty);
            writeln!(text, "_Static_assert(_Generic({written}, {ty}: 1, default: 0), \"type\");")
                .unwrap();
            compared += 1;
        }
        assert!(compared > 2000, "{compared}");
        text += "}\n";
        assert_accepted(&text, option);
    }
}

/// Splits at commas outside of parentheses, braces and brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}
