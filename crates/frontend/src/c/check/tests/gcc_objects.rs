//! gcc as an oracle for initialisers: what objects hold at first is printed by a program that gcc compiles, where it can run.

use std::fmt::Write as _;
use std::process::Command;
use std::{env, fs};

use fastrand::Rng;

use super::gcc::pick;
use super::{checked, right};
use crate::c::typed::{ExprKind, Unit};
use crate::c::types::{DataModel, Type};

/// A type for objects: its declaration around a name, and what may stand in it.
#[derive(Clone)]
enum Shape {
    Scalar(&'static str),
    Array(Box<Shape>, usize),
    Record(usize, Vec<Shape>, bool),
}

fn shape(rng: &mut Rng, depth: usize, records: &mut String, next: &mut usize) -> Shape {
    match rng.u8(..if depth == 0 { 2 } else { 6 }) {
        0 | 1 => Shape::Scalar(
            ["char", "short", "int", "unsigned", "long long", "unsigned char"][rng.usize(..6)],
        ),
        2 | 3 => Shape::Array(Box::new(shape(rng, depth - 1, records, next)), rng.usize(1..4)),
        which => {
            let count = rng.usize(1..4);
            let members: Vec<Shape> =
                (0..count).map(|_| shape(rng, depth - 1, records, next)).collect();
            let id = *next;
            *next += 1;
            let is_union = which == 4;
            let word = if is_union { "union" } else { "struct" };
            let mut text = format!("{word} R{id} {{ ");
            for (i, member) in members.iter().enumerate() {
                write!(text, "{}; ", declare(member, &format!("m{i}"))).unwrap();
            }
            writeln!(records, "{text}}};").unwrap();
            Shape::Record(id, members, is_union)
        }
    }
}

fn declare(shape: &Shape, name: &str) -> String {
    match shape {
        Shape::Scalar(word) => format!("{word} {name}"),
        Shape::Array(element, length) => declare(element, &format!("{name}[{length}]")),
        Shape::Record(id, _, true) => format!("union R{id} {name}"),
        Shape::Record(id, _, false) => format!("struct R{id} {name}"),
    }
}

/// A random initialiser in braces.
fn braces(rng: &mut Rng, shape: &Shape, depth: usize) -> String {
    let mut items = Vec::new();
    // An empty list for a scalar is newer than some gcc.
    for _ in 0..rng.usize(1..5) {
        let mut part = shape.clone();
        let mut designator = String::new();
        if rng.u8(..3) == 0 {
            for _ in 0..rng.usize(1..3) {
                part = match part {
                    Shape::Array(element, length) => {
                        let (a, b) = (rng.usize(..length), rng.usize(..length));
                        if a < b && rng.bool() {
                            write!(designator, "[{a} ... {b}]").unwrap();
                        } else {
                            write!(designator, "[{a}]").unwrap();
                        }
                        *element
                    }
                    Shape::Record(_, members, _) => {
                        let i = rng.usize(..members.len());
                        write!(designator, ".m{i}").unwrap();
                        members[i].clone()
                    }
                    scalar @ Shape::Scalar(_) => scalar,
                };
            }
            if !designator.is_empty() {
                designator += " = ";
            }
        } else {
            part = match &part {
                Shape::Array(element, _) => (**element).clone(),
                Shape::Record(_, members, _) => members[rng.usize(..members.len())].clone(),
                Shape::Scalar(_) => part,
            };
        }
        let is_characters = matches!(&part, Shape::Array(element, _) if matches!(**element, Shape::Scalar("char" | "unsigned char")));
        let value = if depth > 0 && rng.u8(..3) == 0 && !matches!(part, Shape::Scalar(_)) {
            braces(rng, &part, depth - 1)
        } else if is_characters && rng.bool() {
            format!("\"{}\"", pick(rng, &["", "a", "xyz"]))
        } else {
            rng.u32(1..100_000).to_string()
        };
        items.push(format!("{designator}{value}"));
    }
    format!("{{ {} }}", items.join(", "))
}

/// The bytes that an object starts with.
fn bytes_of(unit: &Unit, name: &str) -> Vec<u8> {
    let object = unit.objects.iter().find(|object| object.name == name).unwrap();
    let size = usize::try_from(unit.types.size(&object.ty).unwrap()).unwrap();
    let mut bytes = vec![0; size];
    for part in &object.init {
        let (ExprKind::Int(value), Type::Int { bits, .. }) = (&part.value.kind, &part.value.ty)
        else {
            panic!("{part:?}")
        };
        let at = usize::try_from(part.offset).unwrap();
        let width = usize::try_from(bits / 8).unwrap();
        bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }
    bytes
}

#[test]
fn objects_start_with_the_bytes_of_gcc() {
    let mut rng = Rng::with_seed(4);
    let (mut text, mut dump, mut next) = (String::new(), String::new(), 0);
    for i in 0..600 {
        let shape = shape(&mut rng, 3, &mut text, &mut next);
        let (shape, open) = match shape {
            Shape::Array(element, length) if rng.bool() => (Shape::Array(element, length), true),
            shape => (shape, false),
        };
        let name = format!("x{i}");
        let declaration = match &shape {
            Shape::Array(element, _) if open => declare(element, &format!("{name}[]")),
            shape => declare(shape, &name),
        };
        let init = braces(&mut rng, &shape, 2);
        let init = if matches!(shape, Shape::Scalar(_)) { "{ 7 }".to_owned() } else { init };
        if open && init == "{  }" {
            continue;
        }
        // Values that have no place are dropped here, and refused by gcc if they stand in braces.
        let candidate = format!("{text}{declaration} = {init};\n");
        let (unit, problems) =
            checked(&format!("{candidate} int main(void) {{ {name}; }}"), DataModel::Lp64);
        let has_strings = unit.objects.iter().any(|object| object.is_string);
        if !problems.is_empty() || has_strings {
            continue;
        }
        text = candidate;
        writeln!(dump, "show(&{name}, sizeof {name});").unwrap();
    }
    let program = format!(
        "int printf(const char *, ...);\n{text}static void show(void *p, unsigned long n) {{ for (unsigned long i = 0; i < n; i++) printf(\"%02x\", ((unsigned char *)p)[i]); printf(\"\\n\"); }}\nint main(void) {{ {dump} return 0; }}\n"
    );
    let folder = env::temp_dir().join(format!("selvedge-c-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (source, binary) = (folder.join("objects.c"), folder.join("objects"));
    fs::write(&source, &program).unwrap();
    let built = Command::new("gcc").args(["-w", "-o"]).arg(&binary).arg(&source).status();
    let printed = match built {
        Ok(status) if status.success() => Command::new(&binary).output().unwrap().stdout,
        Ok(_) => panic!("gcc refuses\n{program}"),
        Err(_) => {
            println!("skipped: there is no gcc");
            return;
        }
    };
    fs::remove_dir_all(&folder).unwrap();
    let unit = right(&program, DataModel::Lp64);
    let printed = String::from_utf8(printed).unwrap();
    let names = dump.lines().map(|line| line.split(['&', ',']).nth(1).unwrap());
    let mut compared = 0;
    for (name, line) in names.zip(printed.lines()) {
        let ours: String = bytes_of(&unit, name).iter().map(|b| format!("{b:02x}")).collect();
        let declaration = text.lines().find(|text| text.contains(&format!(" {name}")));
        assert_eq!(ours, line, "{declaration:?}");
        compared += 1;
    }
    assert!(compared > 300, "{compared}");
}
