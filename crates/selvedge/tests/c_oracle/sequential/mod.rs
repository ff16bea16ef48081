//! # Random programs that run alone
//! All of C that is defined: every access is to something that lives and has a value, divisors are not 0, shifts are within the width, and
//! nothing depends on an order that C leaves open. To that end functions that are called inside of expressions change nothing that others see, and
//! what an expression changes on its way is a variable that it names nowhere else and that no pointer points to.

mod expressions;
mod functions;
mod places;
mod statements;

use crate::c_oracle::text::{Line, Program};

/// What a variable is.
#[derive(Clone, PartialEq, Debug)]
enum Ty {
    /// An integer, by its number among [`INTS`].
    Int(usize),
    Array(Box<Ty>, usize),
    Record(usize),
}

/// Integers, with the widths to which they are promoted.
const INTS: [(&str, u32); 14] = [
    ("int", 32),
    ("unsigned", 32),
    ("signed char", 32),
    ("unsigned char", 32),
    ("char", 32),
    ("short", 32),
    ("unsigned short", 32),
    ("long", 64),
    ("unsigned long", 64),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 32),
    ("enum Signed", 32),
    ("enum Unsigned", 32),
];

/// Integers of one size, for unions.
const TWINS: [[usize; 2]; 5] = [[0, 1], [2, 3], [5, 6], [7, 8], [10, 9]];

const CONSTANTS: [&str; 40] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "31",
    "100",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "4294967295u",
    "4294967296",
    "037777777777",
    "0x8000000000000000",
    "9223372036854775807",
    "0xffffffffffffffff",
    "18446744073709551615u",
    "1u",
    "5l",
    "6ul",
    "7LL",
    "8ull",
    "0b1011",
    "'a'",
    "'\\n'",
    "'\\377'",
    "'\\x7f'",
    "'\\0'",
    "ALPHA",
];

struct Record {
    is_union: bool,
    fields: Vec<(String, Ty)>,
}

#[derive(Clone)]
struct Var {
    name: String,
    ty: Ty,
    is_global: bool,
    /// Whether statements may write it.
    is_writable: bool,
    /// Whether pointers may point to it; an expression may change it on its way otherwise.
    is_pointed_to: bool,
}

/// A pointer to something that lives at least as long, or to the first of so many elements.
#[derive(Clone)]
struct Pointer {
    name: String,
    to: Ty,
    length: usize,
    is_writable: bool,
    /// How many variables there were when it was declared: it points to none that came later.
    scope: usize,
}

#[derive(Clone)]
enum Param {
    Value(Ty),
    /// A pointer to the first of so many.
    Pointer(Ty, usize),
    /// How many more calls there may be.
    Depth,
}

#[derive(Clone)]
struct Function {
    name: String,
    params: Vec<Param>,
    result: Ty,
    /// Whether it changes nothing that others see.
    is_pure: bool,
}

struct Make {
    random: fastrand::Rng,
    program: Program,
    records: Vec<Record>,
    functions: Vec<Function>,
    vars: Vec<Var>,
    pointers: Vec<Pointer>,
    /// Names of pointers to functions from two integers to one.
    callables: Vec<String>,
    /// Variables that the expression names.
    named: Vec<String>,
    /// Variables that the expression changes.
    changed: Vec<String>,
    /// Whether nothing that others see may be changed.
    is_pure: bool,
    /// Whether constants are wanted.
    constant: bool,
    loops: usize,
    next: usize,
    depth: usize,
}

/// Makes a program.
pub fn program(seed: u64) -> Program {
    let mut make = Make {
        random: fastrand::Rng::with_seed(seed),
        program: Program::default(),
        records: Vec::new(),
        functions: Vec::new(),
        vars: Vec::new(),
        pointers: Vec::new(),
        callables: Vec::new(),
        named: Vec::new(),
        changed: Vec::new(),
        is_pure: false,
        constant: false,
        loops: 0,
        next: 0,
        depth: 0,
    };
    make.whole();
    make.program
}

/// A way into an object.
#[derive(Clone)]
enum Piece {
    Field(String),
    Index(usize),
}

impl Make {
    fn whole(&mut self) {
        self.line("enum Signed { MINUS = -3, ALPHA, ZERO = 0, LAST = 'z' };".to_owned());
        self.line("enum Unsigned { NONE, SOME = 40, MORE, TWICE = SOME * 2 };".to_owned());
        for _ in 0..self.random.usize(1..4) {
            self.record();
        }
        for _ in 0..self.random.usize(2..5) {
            let ty = self.ty(2);
            self.global(ty);
        }
        for _ in 0..2 {
            let ty = Ty::Int(self.random.usize(0..INTS.len()));
            self.global(ty);
        }
        if self.random.bool() {
            self.global_pointer();
        }
        self.operations();
        for _ in 0..self.random.usize(2..5) {
            self.function();
        }
        self.main();
    }

    fn line(&mut self, text: String) {
        let indent = "  ".repeat(self.depth);
        self.program.lines.push(Line::Text(format!("{indent}{text}")));
    }

    fn look(&mut self, value: String) {
        self.program.lines.push(Line::Look(value));
    }

    fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn chance(&mut self, of: u32) -> bool {
        self.random.u32(0..of) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.random.usize(0..from.len())].clone()) }
    }

    fn int(&mut self) -> Ty {
        Ty::Int(self.random.usize(0..INTS.len()))
    }

    fn ty(&mut self, depth: u32) -> Ty {
        match self.random.u32(0..5) {
            0 if depth > 0 => {
                let length = [2, 3, 4][self.random.usize(0..3)];
                Ty::Array(Box::new(self.ty(depth - 1)), length)
            }
            1 | 2 if !self.records.is_empty() => {
                Ty::Record(self.random.usize(0..self.records.len()))
            }
            _ => self.int(),
        }
    }

    /// A declaration of a name.
    fn declared(&self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Int(number) => format!("{} {name}", INTS[*number].0),
            Ty::Array(element, length) => self.declared(element, &format!("{name}[{length}]")),
            Ty::Record(number) => format!("{} {name}", self.tag(*number)),
        }
    }

    fn tag(&self, record: usize) -> String {
        let kind = if self.records[record].is_union { "union" } else { "struct" };
        format!("{kind} R{record}")
    }

    fn type_name(&self, ty: &Ty) -> String {
        self.declared(ty, "").trim_end().to_owned()
    }

    fn record(&mut self) {
        let is_union = self.chance(5);
        let mut fields = Vec::new();
        let twins = TWINS[self.random.usize(0..TWINS.len())];
        for number in 0..self.random.usize(1..4) {
            let ty = match is_union {
                true => Ty::Int(twins[number % 2]),
                false => self.ty(1),
            };
            fields.push((format!("f{number}"), ty));
        }
        self.records.push(Record { is_union, fields: fields.clone() });
        let tag = self.tag(self.records.len() - 1);
        let fields: Vec<String> =
            fields.iter().map(|(name, ty)| format!("{};", self.declared(ty, name))).collect();
        self.line(format!("{tag} {{ {} }};", fields.join(" ")));
    }

    fn global(&mut self, ty: Ty) {
        let name = self.name("g");
        self.constant = true;
        let init = if self.chance(4) { String::new() } else { format!(" = {}", self.init(&ty)) };
        self.constant = false;
        let word = ["", "static "][self.random.usize(0..2)];
        self.line(format!("{word}{}{init};", self.declared(&ty, &name)));
        self.vars.push(Var { name, ty, is_global: true, is_writable: true, is_pointed_to: true });
    }

    fn global_pointer(&mut self) {
        let name = self.name("gp");
        let to = self.int();
        self.constant = true;
        let place = self.place_of(&to, true);
        self.constant = false;
        if let Some(place) = place {
            self.line(format!("static {} = &{place};", self.declared(&to, &format!("(*{name})"))));
            self.pointers.push(Pointer { name, to, length: 1, is_writable: true, scope: 0 });
        }
    }

    /// Functions that are called by their addresses.
    fn operations(&mut self) {
        self.line("typedef int (*Operation)(int, int);".to_owned());
        let ops: Vec<String> = (0..3).map(|number| format!("op{number}")).collect();
        for op in &ops {
            let body = self.alone(&["x", "y"]);
            self.line(format!("static int {op}(int x, int y) {{ return {body}; }}"));
        }
        self.line("static Operation table[3] = { op0, &op1, op2 };".to_owned());
        self.line(
            "static struct { int k; int (*f)(int, int); } ops = { .f = op1, .k = 5 };".to_owned(),
        );
        self.callables = vec![
            "op0".to_owned(),
            "(*table[1])".to_owned(),
            "ops.f".to_owned(),
            "(&op2)".to_owned(),
        ];
    }

    /// An expression over variables of type `int` alone.
    fn alone(&mut self, names: &[&str]) -> String {
        let vars = names.iter().map(|name| Var {
            name: (*name).to_owned(),
            ty: Ty::Int(0),
            is_global: false,
            is_writable: false,
            is_pointed_to: true,
        });
        let (before, pointers) =
            (std::mem::replace(&mut self.vars, vars.collect()), std::mem::take(&mut self.pointers));
        let value = self.full(3);
        (self.vars, self.pointers) = (before, pointers);
        value
    }
}
