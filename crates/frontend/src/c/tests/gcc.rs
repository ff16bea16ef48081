//! gcc as an oracle: what the parser makes of random expressions, declarators and literals is written so that no precedence is left, and
//! gcc finds it equal to the original.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{outline, parse, read};
use crate::c::tree::{Derived, ExprKind, Init, Item, Unit};

/// How many random cases there are of each kind: gcc looks at all of them at once.
const CASES: usize = 2000;

/// What gcc says against a text, with the lines that are meant; `None`, and a remark, where there is no gcc.
fn refused(text: &str) -> Option<Vec<(usize, String)>> {
    let mut command = Command::new("gcc");
    command.args(["-fsyntax-only", "-w", "-fmax-errors=0", "-std=gnu11", "-x", "c", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let Ok(mut gcc) = command.spawn() else {
        println!("skipped: there is no gcc");
        return None;
    };
    gcc.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = gcc.wait_with_output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = |message: &str| message.strip_prefix("<stdin>:")?.split(':').next()?.parse().ok();
    let errors = messages.lines().filter(|message| message.contains(" error: "));
    let list: Vec<(usize, String)> =
        errors.filter_map(|message| Some((line(message)?, message.to_owned()))).collect();
    assert_eq!(output.status.success(), list.is_empty(), "{messages}");
    Some(list)
}

/// Lets gcc check a text.
fn accepted(text: &str) {
    if let Some((line, error)) = refused(text).unwrap_or_default().first() {
        panic!("{error}\n{}", text.lines().nth(line - 1).unwrap_or_default());
    }
}

/// The initialiser of the only declaration, without its tree.
fn only_value(unit: &Unit) -> &ExprKind {
    let [Item::Declaration(declaration)] = &*unit.items else { panic!("not one declaration") };
    match declaration.declarators[0].init.as_ref() {
        Some(Init::Expr(expr)) => &expr.kind,
        _ => panic!("no value"),
    }
}

fn value_text(unit: &Unit) -> String {
    let [Item::Declaration(declaration)] = &*unit.items else { panic!("not one declaration") };
    match declaration.declarators[0].init.as_ref() {
        Some(Init::Expr(expr)) => outline::expr(expr),
        _ => panic!("no value"),
    }
}

/// A random constant expression, with few parentheses. Divisors and distances of shifts are numbers, unless
/// what follows binds tighter.
fn expression(random: &mut fastrand::Rng, depth: u32) -> String {
    let number = |random: &mut fastrand::Rng| format!("{}u", random.u32(0..100));
    if depth == 0 {
        return number(random);
    }
    let operand = |random: &mut fastrand::Rng| expression(random, depth - 1);
    match random.u32(0..12) {
        0 => number(random),
        1 => format!("{}{}", ["-", "~", "!", "+ "][random.usize(0..4)], number(random)),
        2 => format!("({})", operand(random)),
        3 => format!("{} ? {} : {}", operand(random), operand(random), operand(random)),
        4 => {
            format!("{} {} {}u", operand(random), ["/", "%"][random.usize(0..2)], random.u32(1..9))
        }
        5 => format!(
            "(0u + ({})) {} {}u",
            operand(random),
            ["<<", ">>"][random.usize(0..2)],
            random.u32(0..9)
        ),
        _ => {
            let all = [
                "+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||", "+",
                "-",
            ];
            format!("{} {} {}", operand(random), all[random.usize(0..all.len())], operand(random))
        }
    }
}

#[test]
fn expressions_group_as_gcc_groups_them() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut cases: Vec<String> = (0..CASES).map(|_| expression(&mut random, 5)).collect();
    // A shift by more bits than there are is no constant: such cases are left out.
    let constant = |case: &String| format!("_Static_assert(({case}) || 1, \"\");\n");
    let refused = refused(&cases.iter().map(constant).collect::<String>()).unwrap_or_default();
    for (line, _) in refused.iter().rev() {
        cases.remove(line - 1);
    }
    assert!(cases.len() > CASES * 9 / 10, "{} are left", cases.len());
    let mut text = String::new();
    for case in cases {
        let ours = value_text(&read(&format!("int x = {case};")));
        writeln!(text, "_Static_assert((unsigned) ({case}) == (unsigned) {ours}, \"\");").unwrap();
    }
    accepted(&text);
}

/// A random type, from the name outward, as C writes it round a name.
fn declarator(random: &mut fastrand::Rng, name: &str) -> String {
    let mut text = name.to_owned();
    let mut last = ' ';
    for _ in 0..random.u32(0..7) {
        if random.u32(0..4) == 0 {
            text = format!("({text})");
        }
        let kind = random.u32(0..4);
        let suffix = match kind {
            2 if last != 'f' => format!("[{}]", random.u32(1..9)),
            3 if last == ' ' || last == 'p' => {
                ["(void)", "(int, char *)", "(int (*)(int), ...)", "(int x[3])"][random.usize(0..4)]
                    .to_owned()
            }
            _ => String::new(),
        };
        if suffix.is_empty() {
            text = format!("{}{text}", ["*", "* const ", "*volatile "][random.usize(0..3)]);
            last = 'p';
        } else {
            let is_pointer = text.starts_with('*');
            text = if is_pointer { format!("({text}){suffix}") } else { format!("{text}{suffix}") };
            last = if suffix.starts_with('[') { 'a' } else { 'f' };
        }
    }
    text
}

/// A type as gcc reads it without doubt: `typeof` round each step.
fn steps(derived: &[Derived], base: &str) -> String {
    let mut text = base.to_owned();
    for one in derived.iter().rev() {
        text = match one {
            Derived::Pointer(q) => {
                let word = |is, word| if is { word } else { "" };
                format!(
                    "typeof({text} * {} {})",
                    word(q.is_const, "const"),
                    word(q.is_volatile, "volatile")
                )
            }
            Derived::Array(length) => {
                format!(
                    "typeof({text} [{}])",
                    length.as_ref().map_or(String::new(), |l| outline::expr(l))
                )
            }
            Derived::Function { params, variadic, .. } => {
                let mut list: Vec<String> = Vec::new();
                for param in params {
                    let base = match outline::ty(&param.specifiers.ty) {
                        word if word == "int" || word == "char" => word,
                        other => panic!("{other} was not generated"),
                    };
                    list.push(steps(&param.declarator.derived, &base));
                }
                let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
                format!("typeof({text} ({list}{}))", if *variadic { ", ..." } else { "" })
            }
        };
    }
    text
}

#[test]
fn declarators_mean_what_gcc_means() {
    let mut random = fastrand::Rng::with_seed(18);
    let mut text = String::new();
    for case in 0..CASES {
        let original = format!("extern int {};", declarator(&mut random, &format!("x{case}")));
        let unit = read(&original);
        let [Item::Declaration(declaration)] = &*unit.items else { panic!("not one declaration") };
        let ours = steps(&declaration.declarators[0].declarator.derived, "int");
        writeln!(text, "{original} extern typeof({ours}) x{case};").unwrap();
        writeln!(
            text,
            "_Static_assert(__builtin_types_compatible_p(typeof(x{case}), {ours}), \"\");"
        )
        .unwrap();
    }
    accepted(&text);
}

/// A random number or character, as C writes it.
fn literal(random: &mut fastrand::Rng) -> String {
    let digits = |random: &mut fastrand::Rng, alphabet: &str, most: usize| -> String {
        (0..random.usize(1..=most))
            .map(|_| char::from(random.choice(alphabet.bytes()).unwrap()))
            .collect()
    };
    let suffix = ["", "u", "L", "uL", "lu", "LL", "llu", "ULL"][random.usize(0..8)];
    let exponent = |random: &mut fastrand::Rng| {
        format!("{}{}", ["", "+", "-"][random.usize(0..3)], random.u32(0..40))
    };
    match random.u32(0..9) {
        0 => format!("0{}{suffix}", digits(random, "01234567", 15)),
        1 => format!("0x{}{suffix}", digits(random, "0123456789abcdefABCDEF", 15)),
        2 => format!("0b{}{suffix}", digits(random, "01", 31)),
        3 => format!("{}{suffix}", digits(random, "123456789", 18)),
        4 => format!(
            "{}.{}e{}",
            digits(random, "0123456789", 20),
            digits(random, "0123456789", 20),
            exponent(random)
        ),
        5 => format!(
            "0x{}.{}p{}",
            digits(random, "0123456789abcdef", 20),
            digits(random, "0123456789abcdef", 9),
            exponent(random)
        ),
        6 => format!(".{}f", digits(random, "0123456789", 12)),
        7 => format!("'{}'", char::from(random.choice("abcXYZ09 +#~".bytes()).unwrap())),
        _ => {
            let escapes = [
                "\\n",
                "\\\\",
                "\\'",
                "\\0",
                "\\377",
                "\\x7f",
                "\\x80",
                "\\xff",
                "ab",
                "\\1z",
                "abc\\200",
                "\\a\\v",
                "\\t\\\"\\?\\e",
            ];
            format!("'{}'", escapes[random.usize(0..escapes.len())])
        }
    }
}

#[test]
fn literals_have_the_values_that_gcc_gives_them() {
    let mut random = fastrand::Rng::with_seed(19);
    let mut text = String::new();
    for _ in 0..CASES {
        let original = literal(&mut random);
        let unit = read(&format!("int x = {original};"));
        let ours = match only_value(&unit) {
            ExprKind::Integer { value, character: true, .. } => format!("(int) {value}u"),
            ExprKind::Integer { value, .. } => format!("{value}ull"),
            ExprKind::Floating(value, _) => format!("{value:e}"),
            other => panic!("{original} is {other:?}"),
        };
        writeln!(text, "_Static_assert({original} == {ours}, {original:?});").unwrap();
    }
    accepted(&text);
}

/// The places of words and signs, without those on lines with literals, attributes and instructions: what stands in these is hardly
/// looked at.
fn places(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut places = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_plain = !["\"", "'", "asm", "__attribute__"].iter().any(|word| line.contains(word));
        let mut from = start;
        for (at, c) in line.char_indices().filter(|_| is_plain) {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let next = line[at + c.len_utf8()..].chars().next();
            if is_word(c) && next.is_some_and(is_word) {
                continue;
            }
            let end = start + at + c.len_utf8();
            if !c.is_whitespace() {
                places.push(from..end);
            }
            from = end;
        }
        start += line.len();
    }
    places
}

/// A program that lacks one word or sign is refused by the grammar exactly if gcc refuses it for the grammar.
#[test]
fn what_gcc_cannot_read_is_refused_and_nothing_else() {
    const MUTANTS: usize = 150;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/c/statements.c");
    let seed = std::fs::read_to_string(path).unwrap();
    let places = places(&seed);
    assert!(places.len() > MUTANTS, "{} words and signs", places.len());
    let mut random = fastrand::Rng::with_seed(20);
    let (mut read, mut unread) = (0, 0);
    for _ in 0..MUTANTS {
        let place = places[random.usize(..places.len())].clone();
        let mutant = format!("{} {}", &seed[..place.start], &seed[place.end..]);
        let Some(errors) = refused(&mutant) else { return };
        let (_, mistakes) = parse(&mutant);
        let shown =
            || format!("without `{}` at {place:?}\n{mistakes:?}\n{errors:?}", &seed[place.clone()]);
        match errors.first() {
            None => assert!(mistakes.is_empty(), "gcc reads this: {}", shown()),
            Some((_, error)) if error.contains(": expected ") => {
                assert!(!mistakes.is_empty(), "gcc cannot read this: {}", shown());
                unread += 1;
            }
            Some(_) => {}
        }
        read += usize::from(errors.is_empty());
    }
    assert!(unread > MUTANTS / 3 && read > 0, "{read} were read, {unread} were not");
}
