//! # Random programs that run alone
//! All of C that is defined: every access is to something that lives and has a value, divisors are not 0, shifts are within the width, and
//! nothing depends on an order that C leaves open. To that end functions that are called inside of expressions change nothing that others see, and
//! what an expression changes on its way is a variable that it names nowhere else and that no pointer points to.

use crate::text::{Line, Program};

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

    /// An initialiser.
    fn init(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int(_) => self.expr(if self.constant { 2 } else { 1 }),
            Ty::Array(element, length) => {
                let is_text = matches!(**element, Ty::Int(2..=4)) && self.chance(2);
                if is_text {
                    let texts = ["", "a", "ab", "\\n", "\\x41", "\\377z"];
                    let texts: Vec<&str> =
                        texts.into_iter().filter(|text| *length > 2 || *text != "ab").collect();
                    return format!("\"{}\"", texts[self.random.usize(0..texts.len())]);
                }
                let mut parts = Vec::new();
                // A range of elements that are arrays has to be constant.
                let style = self.random.u32(0..if matches!(**element, Ty::Int(_)) { 4 } else { 3 });
                for number in 0..*length {
                    let value = self.init(element);
                    match style {
                        0 => parts.push(value),
                        1 if self.random.bool() => parts.push(value),
                        1 => break,
                        2 if self.random.bool() => parts.push(format!("[{number}] = {value}")),
                        3 if number == 0 => {
                            // Elements of a range are evaluated once.
                            parts.push(format!(
                                "[0 ... {}] = {value}",
                                self.random.usize(0..*length)
                            ));
                        }
                        _ => {}
                    }
                }
                if parts.is_empty() {
                    parts.push(self.init(element));
                }
                if style == 2 {
                    self.random.shuffle(&mut parts);
                }
                format!("{{ {} }}", parts.join(", "))
            }
            Ty::Record(number) => {
                let fields = self.records[*number].fields.clone();
                if !self.constant
                    && self.chance(4)
                    && let Some(whole) = self.record_value(*number, 1)
                {
                    return whole;
                }
                if self.records[*number].is_union {
                    let (name, ty) = fields[self.random.usize(0..fields.len())].clone();
                    return format!("{{ .{name} = {} }}", self.init(&ty));
                }
                let mut parts = Vec::new();
                let style = self.random.u32(0..4);
                for (name, ty) in &fields {
                    match style {
                        0 => parts.push(self.init(ty)),
                        1 if self.random.bool() => parts.push(self.init(ty)),
                        1 => break,
                        _ if self.random.bool() => {
                            parts.push(format!(".{name} = {}", self.init(ty)))
                        }
                        _ => {}
                    }
                }
                if parts.is_empty() {
                    let (name, ty) = &fields[0];
                    parts.push(format!(".{name} = {}", self.init(ty)));
                }
                if style > 1 {
                    self.random.shuffle(&mut parts);
                }
                format!("{{ {} }}", parts.join(", "))
            }
        }
    }

    /// Ways into something of a type that end at another.
    fn ways(&self, from: &Ty, to: &Ty) -> Vec<Vec<Piece>> {
        let mut ways = Vec::new();
        if from == to {
            ways.push(Vec::new());
        }
        let mut add = |piece: Piece, more: Vec<Vec<Piece>>| {
            ways.extend(more.into_iter().map(|way| [vec![piece.clone()], way].concat()));
        };
        match from {
            Ty::Int(_) => {}
            Ty::Array(element, length) => add(Piece::Index(*length), self.ways(element, to)),
            Ty::Record(number) => {
                for (name, ty) in &self.records[*number].fields {
                    add(Piece::Field(name.clone()), self.ways(ty, to));
                }
            }
        }
        ways
    }

    fn index(&mut self, length: usize) -> String {
        if self.constant || self.chance(2) {
            return self.random.usize(0..length).to_string();
        }
        let value = self.expr(1);
        if length.is_power_of_two() {
            format!("({value}) & {}", length - 1)
        } else {
            format!("(unsigned)({value}) % {length}u")
        }
    }

    fn walk(&mut self, start: String, way: &[Piece]) -> String {
        let mut text = start;
        for piece in way {
            match piece {
                Piece::Field(name) => text = format!("{text}.{name}"),
                Piece::Index(length) => text = format!("{text}[{}]", self.index(*length)),
            }
        }
        text
    }

    /// A variable, or a part of one, of a type; one that pointers may point to, if that is asked for.
    fn place_of(&mut self, ty: &Ty, pointed_to: bool) -> Option<String> {
        let vars = self.vars.clone();
        self.place_among(&vars, ty, pointed_to, false)
    }

    fn place_among(
        &mut self,
        vars: &[Var],
        ty: &Ty,
        pointed_to: bool,
        write: bool,
    ) -> Option<String> {
        let mut found = Vec::new();
        for var in vars {
            let may = !write || var.is_writable && !(self.is_pure && var.is_global);
            let may = may && (!pointed_to || var.is_pointed_to && !(self.is_pure && var.is_global));
            if may && !self.changed.contains(&var.name) && (!self.constant || pointed_to) {
                found.extend(self.ways(&var.ty, ty).into_iter().map(|way| (var.name.clone(), way)));
            }
        }
        let (name, way) = self.pick(&found)?;
        self.named.push(name.clone());
        Some(self.walk(name, &way))
    }

    /// What a pointer points to, or a part of it.
    fn pointed(&mut self, ty: &Ty, write: bool) -> Option<String> {
        let mut found = Vec::new();
        for pointer in &self.pointers {
            if (pointer.is_writable || !write) && !(write && self.is_pure && pointer.scope == 0) {
                found.extend(
                    self.ways(&pointer.to, ty).into_iter().map(|way| (pointer.clone(), way)),
                );
            }
        }
        let (pointer, way) = self.pick(&found)?;
        let name = &pointer.name;
        let index = if pointer.length > 1 { self.index(pointer.length) } else { "0".to_owned() };
        let style = self.random.u32(0..4);
        if pointer.length == 1
            && style == 0
            && let [Piece::Field(field), rest @ ..] = &*way
        {
            return Some(self.walk(format!("{name}->{field}"), rest));
        }
        let start = match style {
            1 if pointer.length == 1 => format!("(*{name})"),
            2 => format!("(*({name} + ({index})))"),
            _ => format!("{name}[{index}]"),
        };
        Some(self.walk(start, &way))
    }

    /// Something of a type that can be read or written.
    fn lvalue(&mut self, ty: &Ty, write: bool) -> Option<String> {
        if !self.constant
            && self.chance(3)
            && let Some(place) = self.pointed(ty, write)
        {
            return Some(place);
        }
        let vars = self.vars.clone();
        self.place_among(&vars, ty, false, write)
    }

    /// A whole expression.
    fn full(&mut self, depth: u32) -> String {
        self.named.clear();
        self.changed.clear();
        self.expr(depth)
    }

    fn constant_text(&mut self) -> String {
        let constant = CONSTANTS[self.random.usize(0..CONSTANTS.len())];
        if self.chance(5) { format!("-{constant}") } else { constant.to_owned() }
    }

    fn leaf(&mut self) -> String {
        if !self.constant && !self.chance(3) {
            let ty = self.int();
            if let Some(place) = self.lvalue(&ty, false) {
                return place;
            }
        }
        match self.random.u32(0..9) {
            0 => {
                let ty = self.ty(1);
                format!("sizeof({})", self.type_name(&ty))
            }
            1 => ["SOME", "MORE", "TWICE", "MINUS", "LAST"][self.random.usize(0..5)].to_owned(),
            2 => self.random.u32(0..1000).to_string(),
            _ => self.constant_text(),
        }
    }

    /// An expression of any type of integers.
    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.random.u32(0..if self.constant { 17 } else { 30 }) {
            0 | 1 => self.leaf(),
            2..=6 => {
                let op = ["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="]
                    [self.random.usize(0..12)];
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            7 => {
                let op = ["/", "%"][self.random.usize(0..2)];
                let divisor = match self.random.u32(0..5) {
                    0 => "3".to_owned(),
                    1 => "-7".to_owned(),
                    2 => "10ul".to_owned(),
                    3 => format!("(({} & 7) + 1)", self.expr(d)),
                    _ => format!("-((int)({} & 15) + 2)", self.expr(d)),
                };
                format!("({} {op} {divisor})", self.expr(d))
            }
            8 => {
                let number = self.random.usize(0..INTS.len());
                let (name, width) = INTS[number];
                let op = ["<<", ">>"][self.random.usize(0..2)];
                format!("(({name})({}) {op} ({} & {}))", self.expr(d), self.expr(d), width - 1)
            }
            9 | 10 => {
                let name = INTS[self.random.usize(0..INTS.len())].0;
                format!("({name})({})", self.expr(d))
            }
            11 | 12 => {
                let op = ["-", "~", "!", "+"][self.random.usize(0..4)];
                format!("({op} {})", self.expr(d))
            }
            13 => format!("({} ? {} : {})", self.expr(d), self.expr(d), self.expr(d)),
            14 | 15 => {
                let op = ["&&", "||"][self.random.usize(0..2)];
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            16 => format!("sizeof({})", self.unevaluated(d)),
            17 => format!("({} ?: {})", self.expr(d), self.expr(d)),
            18 => format!("({}, {})", self.expr(d), self.expr(d)),
            19..=21 => self.changing(d).unwrap_or_else(|| self.leaf()),
            22 | 23 => self.called(true, d).unwrap_or_else(|| self.leaf()),
            24 => {
                let callable = self.pick(&self.callables.clone());
                match callable {
                    Some(callable) => format!("{callable}({}, {})", self.expr(d), self.expr(d)),
                    None => self.leaf(),
                }
            }
            25 => self.of_record(d).unwrap_or_else(|| self.leaf()),
            26 => self.about_pointers().unwrap_or_else(|| self.leaf()),
            27 => {
                let index = self.index(3);
                format!("(int[]){{ {}, {}, {} }}[{index}]", self.expr(d), self.leaf(), self.leaf())
            }
            28 => {
                let name = self.name("s");
                let ty = self.int();
                let value = self.expr(d);
                format!("({{ {} = {value}; {name} * 3; }})", self.declared(&ty, &name))
            }
            _ => {
                let index = self.index(3);
                format!("\"xyz\"[{index}]")
            }
        }
    }

    /// An expression that is only looked at for its type.
    fn unevaluated(&mut self, depth: u32) -> String {
        let (named, changed) = (self.named.clone(), self.changed.clone());
        let value = self.expr(depth);
        (self.named, self.changed) = (named, changed);
        value
    }

    /// An expression that changes a variable on its way.
    fn changing(&mut self, depth: u32) -> Option<String> {
        let may = |var: &&Var| {
            !var.is_pointed_to
                && var.is_writable
                && matches!(var.ty, Ty::Int(_))
                && !self.named.contains(&var.name)
                && !self.changed.contains(&var.name)
        };
        let vars: Vec<Var> = self.vars.iter().filter(may).cloned().collect();
        let Var { name, ty, .. } = self.pick(&vars)?;
        self.changed.push(name.clone());
        let is_truth = ty == Ty::Int(11);
        Some(match self.random.u32(0..6) {
            0 => format!("{name}++"),
            1 if !is_truth => format!("{name}--"),
            2 => format!("++{name}"),
            3 if !is_truth => format!("--{name}"),
            4 => format!("({name} = {})", self.expr(depth)),
            _ => {
                let op = ["+=", "-=", "*=", "&=", "|=", "^="][self.random.usize(0..6)];
                format!("({name} {op} {})", self.expr(depth))
            }
        })
    }

    /// A member of a value of a record.
    fn of_record(&mut self, depth: u32) -> Option<String> {
        let record = self.random.usize(0..self.records.len());
        let value = self.record_value(record, depth)?;
        let ty = self.int();
        let ways = self.ways(&Ty::Record(record), &ty);
        let way = self.pick(&ways)?;
        Some(self.walk(format!("({value})"), &way))
    }

    /// A value of a record.
    fn record_value(&mut self, record: usize, depth: u32) -> Option<String> {
        let ty = Ty::Record(record);
        match self.random.u32(0..6) {
            0 if depth > 0 => {
                let before = self.constant;
                let init = self.init(&ty);
                self.constant = before;
                init.starts_with('{').then(|| format!("({}){init}", self.tag(record)))
            }
            1 if depth > 0 => {
                let cond = self.expr(depth - 1);
                let (a, b) =
                    (self.record_value(record, depth - 1)?, self.record_value(record, depth - 1)?);
                Some(format!("({cond} ? {a} : {b})"))
            }
            2 if depth > 0 => {
                let functions: Vec<Function> = self
                    .functions
                    .iter()
                    .filter(|f| f.is_pure && f.result == ty)
                    .cloned()
                    .collect();
                let function = self.pick(&functions)?;
                self.call_of(&function, depth - 1)
            }
            _ => self.lvalue(&ty, false),
        }
    }

    /// What can be asked about pointers themselves.
    fn about_pointers(&mut self) -> Option<String> {
        let pointer = self.pick(&self.pointers.clone())?;
        let (name, length) = (&pointer.name, pointer.length);
        Some(match self.random.u32(0..6) {
            0 => format!("(!{name})"),
            1 => format!("({name} != 0)"),
            2 => format!("(&{name}[{}] - {name})", self.random.usize(0..=length)),
            3 => format!("({name} + {} > {name})", self.random.usize(0..=length)),
            4 => format!("(&{name}[{length}] == {name} + {})", self.random.usize(0..=length)),
            _ => {
                let other = self
                    .place_of(&pointer.to, false)
                    .filter(|place| !self.changed.iter().any(|c| place.contains(c)))?;
                // Only what may be pointed to has an address here.
                let root: String = other.chars().take_while(|c| c.is_alphanumeric()).collect();
                let may = self.vars.iter().any(|var| {
                    var.name == root && var.is_pointed_to && !(self.is_pure && var.is_global)
                });
                if !may {
                    return None;
                }
                format!("({name} == &{other})")
            }
        })
    }

    /// A call of a function with one integer as its result.
    fn called(&mut self, pure: bool, depth: u32) -> Option<String> {
        let functions: Vec<Function> = (self.functions.iter())
            .filter(|f| (f.is_pure || !pure) && matches!(f.result, Ty::Int(_)))
            .cloned()
            .collect();
        let function = self.pick(&functions)?;
        self.call_of(&function, depth)
    }

    fn call_of(&mut self, function: &Function, depth: u32) -> Option<String> {
        let mut args = Vec::new();
        for param in &function.params {
            args.push(match param {
                Param::Value(Ty::Record(record)) => self.record_value(*record, depth)?,
                Param::Value(_) => self.expr(depth),
                Param::Depth => self.random.u32(0..4).to_string(),
                Param::Pointer(ty, length) => self.address(ty, *length)?,
            });
        }
        Some(format!("{}({})", function.name, args.join(", ")))
    }

    /// The address of the first of so many.
    fn address(&mut self, ty: &Ty, length: usize) -> Option<String> {
        let vars = self.vars.clone();
        self.address_among(&vars, ty, length)
    }

    fn address_among(&mut self, vars: &[Var], ty: &Ty, length: usize) -> Option<String> {
        if length == 1 {
            return self.place_among(vars, ty, true, false).map(|place| format!("&{place}"));
        }
        let array = Ty::Array(Box::new(ty.clone()), length);
        let place = self.place_among(vars, &array, true, false)?;
        Some(if self.chance(2) { place } else { format!("&{place}[0]") })
    }

    /// A function, with the statements of its body.
    fn function(&mut self) {
        let is_pure = !self.chance(3);
        let recursive = is_pure && self.chance(3);
        let result = match self.random.u32(0..3) {
            0 => Ty::Record(self.random.usize(0..self.records.len())),
            _ => self.int(),
        };
        let name = self.name("fun");
        let mut params = Vec::new();
        if recursive {
            params.push(Param::Depth);
        }
        for _ in 0..self.random.usize(1..4) {
            params.push(match self.random.u32(0..4) {
                0 => Param::Value(Ty::Record(self.random.usize(0..self.records.len()))),
                1 => {
                    let known: Vec<Ty> = self.vars.iter().map(|var| var.ty.clone()).collect();
                    match self.pick(&known) {
                        Some(Ty::Array(element, length)) => Param::Pointer(*element, length),
                        Some(ty) => Param::Pointer(ty, 1),
                        None => Param::Value(self.int()),
                    }
                }
                _ => Param::Value(self.int()),
            });
        }
        let (vars, pointers) = (self.vars.len(), self.pointers.clone());
        if is_pure {
            self.pointers.clear();
        }
        let mut texts = Vec::new();
        for (number, param) in params.iter().enumerate() {
            let name = format!("p{number}");
            match param {
                Param::Value(ty) => {
                    texts.push(self.declared(ty, &name));
                    let (ty, is_pointed_to) = (ty.clone(), !recursive && self.chance(3));
                    self.vars.push(Var {
                        name,
                        ty,
                        is_global: false,
                        is_writable: true,
                        is_pointed_to,
                    });
                }
                Param::Depth => texts.push(format!("int {name}")),
                Param::Pointer(ty, length) => {
                    texts.push(self.declared(ty, &format!("(*{name})")));
                    self.pointers.push(Pointer {
                        name,
                        to: ty.clone(),
                        length: *length,
                        is_writable: !is_pure,
                        scope: 0,
                    });
                }
            }
        }
        self.is_pure = is_pure;
        self.line(format!(
            "static {} {{",
            self.declared(&result, &format!("{name}({})", texts.join(", ")))
        ));
        self.depth += 1;
        if !is_pure && self.random.bool() {
            let ty = self.int();
            let count = self.name("count");
            let start = self.random.u32(0..300);
            self.line(format!("static {} = {start};", self.declared(&ty, &count)));
            self.vars.push(Var {
                name: count,
                ty,
                is_global: true,
                is_writable: true,
                is_pointed_to: true,
            });
        }
        let function = Function { name, params, result: result.clone(), is_pure };
        if recursive {
            let base = self.result(&result);
            self.line(format!("if (p0 <= 0) return {base};"));
        }
        for _ in 0..self.random.usize(1..4) {
            self.statement(2);
        }
        if recursive {
            self.named.clear();
            self.changed.clear();
            if let Some(args) = self.again(&function) {
                match &result {
                    Ty::Int(_) => {
                        let more = self.expr(1);
                        self.line(format!("return {}(p0 - 1{args}) * 5 + {more};", function.name));
                    }
                    _ => self.line(format!("return {}(p0 - 1{args});", function.name)),
                }
            }
        }
        let value = self.result(&result);
        self.line(format!("return {value};"));
        self.depth -= 1;
        self.line("}".to_owned());
        self.is_pure = false;
        self.vars.truncate(vars);
        self.pointers = pointers;
        self.functions.push(function);
    }

    /// Arguments for a function that calls itself.
    fn again(&mut self, function: &Function) -> Option<String> {
        let mut args = String::new();
        for (number, param) in function.params.iter().enumerate() {
            args += &match param {
                Param::Depth => continue,
                Param::Value(Ty::Record(record)) => format!(", {}", self.record_value(*record, 1)?),
                Param::Value(_) => format!(", {}", self.expr(1)),
                Param::Pointer(..) => format!(", p{number}"),
            };
        }
        Some(args)
    }

    fn result(&mut self, ty: &Ty) -> String {
        self.named.clear();
        self.changed.clear();
        match ty {
            Ty::Record(record) => {
                let value = self.record_value(*record, 1);
                value.unwrap_or_else(|| {
                    self.named.clear();
                    self.changed.clear();
                    format!("({}){{ 0 }}", self.tag(*record))
                })
            }
            _ => self.full(2),
        }
    }

    fn declare(&mut self, ty: Ty, is_pointed_to: bool) {
        let name = self.name("v");
        self.named.clear();
        self.changed.clear();
        // The order of what initialisers do is open.
        let init = self.init(&ty);
        self.line(format!("{} = {init};", self.declared(&ty, &name)));
        self.vars.push(Var { name, ty, is_global: false, is_writable: true, is_pointed_to });
    }

    fn declare_pointer(&mut self) {
        let vars: Vec<Var> = self.vars.iter().filter(|var| var.is_pointed_to).cloned().collect();
        let Some(var) = self.pick(&vars) else { return };
        let (to, length) = match var.ty {
            Ty::Array(element, length) if self.random.bool() => (*element, length),
            ty if self.random.bool() => (ty, 1),
            _ => (self.int(), 1),
        };
        if matches!(to, Ty::Array(..)) {
            return;
        }
        self.named.clear();
        self.changed.clear();
        if let Some(address) = self.address(&to, length) {
            let name = self.name("q");
            self.line(format!("{} = {address};", self.declared(&to, &format!("(*{name})"))));
            let scope = self.vars.len().max(1);
            self.pointers.push(Pointer { name, to, length, is_writable: true, scope });
        }
    }

    fn block(&mut self, size: u32) {
        self.depth += 1;
        let (vars, pointers, callables) =
            (self.vars.len(), self.pointers.len(), self.callables.len());
        if self.chance(3) {
            let ty = self.ty(1);
            let pointed_to = self.chance(3);
            self.declare(ty, pointed_to);
        }
        for _ in 0..self.random.usize(1..3) {
            self.statement(size - 1);
        }
        self.vars.truncate(vars);
        self.pointers.truncate(pointers);
        self.callables.truncate(callables);
        self.depth -= 1;
    }

    fn statement(&mut self, size: u32) {
        self.named.clear();
        self.changed.clear();
        match self.random.u32(0..if size > 0 { 20 } else { 9 }) {
            0..=2 => self.assignment(),
            3 | 4 => self.combined(),
            5 => {
                let value = self.expr(2);
                self.line(format!("{value};"));
            }
            6 => self.copy(),
            7 => self.point_elsewhere(),
            8 => self.call_statement(),
            9 | 10 => {
                let cond = self.full(2);
                self.line(format!("if ({cond}) {{"));
                self.block(size);
                if self.random.bool() {
                    self.line("} else {".to_owned());
                    self.block(size);
                }
                self.line("}".to_owned());
            }
            11 | 12 if self.loops < 2 => self.looping(size),
            13 if self.loops < 2 => self.backwards(size),
            14 => self.switch(size),
            15 => {
                let label = self.name("skip");
                let cond = self.full(2);
                self.line(format!("if ({cond}) goto {label};"));
                self.line("{".to_owned());
                self.block(size);
                self.line("}".to_owned());
                self.line(format!("{label}:;"));
            }
            16 => {
                self.line("{".to_owned());
                self.block(size);
                self.line("}".to_owned());
            }
            17 if self.loops < 2 => self.device(size),
            18 => self.cursor(),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let ty = self.int();
        if let Some(place) = self.lvalue(&ty, true) {
            let value = self.expr(3);
            self.line(format!("{place} = {value};"));
        }
    }

    fn combined(&mut self) {
        let number = self.random.usize(0..INTS.len());
        let Some(place) = self.lvalue(&Ty::Int(number), true) else { return };
        let width = INTS[number].1;
        let text = match self.random.u32(0..10) {
            0 => format!("{place}++"),
            1 => format!("++{place}"),
            2 if number != 11 => format!("{place}--"),
            3 => format!("{place} <<= {} & {}", self.expr(1), width - 1),
            4 => format!("{place} >>= {} & {}", self.expr(1), width - 1),
            5 => format!("{place} /= ({} & 7) + 1", self.expr(1)),
            6 => format!("{place} %= -3"),
            _ => {
                let op = ["+=", "-=", "*=", "&=", "|=", "^="][self.random.usize(0..6)];
                format!("{place} {op} {}", self.expr(2))
            }
        };
        self.line(format!("{text};"));
    }

    fn copy(&mut self) {
        let record = self.random.usize(0..self.records.len());
        let Some(place) = self.lvalue(&Ty::Record(record), true) else { return };
        if let Some(value) = self.record_value(record, 2) {
            self.line(format!("{place} = {value};"));
        }
    }

    fn point_elsewhere(&mut self) {
        let may: Vec<Pointer> =
            self.pointers.iter().filter(|p| p.is_writable && p.scope > 0).cloned().collect();
        let Some(pointer) = self.pick(&may) else { return self.assignment() };
        let vars: Vec<Var> = self.vars.iter().take(pointer.scope).cloned().collect();
        if let Some(address) = self.address_among(&vars, &pointer.to, pointer.length) {
            let name = &pointer.name;
            self.line(format!("{name} = {address};"));
        }
    }

    /// A call of a function that may change what others see, with nothing else in the statement.
    fn call_statement(&mut self) {
        let functions: Vec<Function> =
            self.functions.iter().filter(|f| f.is_pure || !self.is_pure).cloned().collect();
        let Some(function) = self.pick(&functions) else { return self.assignment() };
        let vars: Vec<Var> = self.vars.iter().filter(|var| !var.is_pointed_to).cloned().collect();
        let place = self.place_among(&vars, &function.result, false, true);
        let place = place.filter(|place| !place.contains('['));
        if let Some(call) = self.call_of(&function, 1) {
            match place {
                Some(place) => self.line(format!("{place} = {call};")),
                None => self.line(format!("{call};")),
            }
        }
    }

    fn counter(&mut self) -> String {
        let name = self.name("i");
        self.vars.push(Var {
            name: name.clone(),
            ty: Ty::Int(0),
            is_global: false,
            is_writable: false,
            is_pointed_to: false,
        });
        name
    }

    fn looping(&mut self, size: u32) {
        self.loops += 1;
        let turns = self.random.u32(1..5);
        let vars = self.vars.len();
        let cond = self.full(1);
        let name = self.counter();
        let end = match self.random.u32(0..3) {
            0 => {
                self.line(format!("for (int {name} = 0; {name} < {turns}; {name}++) {{"));
                "}".to_owned()
            }
            1 => {
                self.line("{".to_owned());
                self.line(format!("int {name} = {turns}; while ({name}-- > 0) {{"));
                "} }".to_owned()
            }
            _ => {
                self.line("{".to_owned());
                self.line(format!("int {name} = {turns}; do {{"));
                format!("}} while (--{name} > 0 && (({cond}) | 1)); }}")
            }
        };
        self.block(size);
        if self.random.bool() {
            let cond = self.full(2);
            let word = ["break", "continue"][self.random.usize(0..2)];
            self.line(format!("if ({cond}) {word};"));
            self.block(size);
        }
        self.line(end);
        self.vars.truncate(vars);
        self.loops -= 1;
    }

    fn backwards(&mut self, size: u32) {
        self.loops += 1;
        let label = self.name("again");
        let vars = self.vars.len();
        let name = self.counter();
        self.line(format!("{{ int {name} = 0;"));
        self.line(format!("{label}: {{"));
        self.block(size);
        self.line(format!("}} if ({name}++ < 2) goto {label}; }}"));
        self.vars.truncate(vars);
        self.loops -= 1;
    }

    fn switch(&mut self, size: u32) {
        let value = self.full(2);
        self.line(format!("switch (({value}) & 3) {{"));
        let mut cases = vec!["case 0:", "case 1:", "case 2 ... 3:", "default:"];
        if self.random.bool() {
            cases = vec!["case 3:", "default:", "case ZERO:"];
        }
        self.random.shuffle(&mut cases);
        for case in cases {
            self.line(format!("{case} {{"));
            self.block(size);
            let end = if self.random.bool() { "} break;" } else { "}" };
            self.line(end.to_owned());
        }
        self.line("}".to_owned());
    }

    /// A jump into the middle of a loop.
    fn device(&mut self, size: u32) {
        self.loops += 1;
        let value = self.full(2);
        let vars = self.vars.len();
        let name = self.counter();
        self.line(format!("{{ int {name} = 2; switch (({value}) & 3) {{ case 0: do {{"));
        for case in 1..4 {
            self.line("{".to_owned());
            self.block(size);
            self.line(format!("}} case {case}:;"));
        }
        self.line(format!("}} while (--{name} > 0); }} }}"));
        self.vars.truncate(vars);
        self.loops -= 1;
    }

    /// A pointer that goes through an array.
    fn cursor(&mut self) {
        let pointers: Vec<Pointer> = self
            .pointers
            .iter()
            .filter(|p| p.length > 1 && matches!(p.to, Ty::Int(_)))
            .cloned()
            .collect();
        let Some(pointer) = self.pick(&pointers) else { return self.assignment() };
        let Some(sum) = self.lvalue(&Ty::Int(0), true) else { return };
        if sum.contains('[') || sum.contains('*') || sum.contains('>') {
            return;
        }
        let (q, c, n) = (&pointer.name, self.name("c"), pointer.length);
        let declared = self.declared(&pointer.to, &format!("(*{c})"));
        let line = match self.random.u32(0..4) {
            0 => format!("for ({declared} = {q}; {c} < {q} + {n}; {c}++) {sum} += *{c} * 3;"),
            1 => format!("for ({declared} = {q} + {n}; {c} != {q}; ) {sum} = {sum} * 7 + *--{c};"),
            2 => format!("{{ {declared} = {q}; while ({c} - {q} < {n}) {sum} ^= *{c}++; }}"),
            _ => format!(
                "{{ {declared} = &{q}[{}]; {c} -= 1; {sum} += {c}[1] + *{c} + ({c} - {q}); }}",
                n - 1
            ),
        };
        self.line(line);
    }

    fn main(&mut self) {
        self.line("int main(void) {".to_owned());
        self.depth += 1;
        for number in 0..self.random.usize(3..6) {
            let ty = if number < 2 { self.int() } else { self.ty(2) };
            let pointed_to = number > 1 && self.random.bool();
            self.declare(ty, pointed_to);
        }
        for _ in 0..self.random.usize(1..4) {
            self.declare_pointer();
        }
        if self.random.bool() {
            let cond = self.full(1);
            self.line(format!("Operation fp = {cond} ? op0 : table[2];"));
            self.callables.push("fp".to_owned());
            self.callables.push("(*fp)".to_owned());
        }
        for _ in 0..self.random.usize(4..10) {
            self.statement(3);
            let value = self.full(2);
            self.look(value);
        }
        self.line("unsigned long long sum;".to_owned());
        for var in self.vars.clone() {
            self.line("sum = 0;".to_owned());
            self.sum(&var.name, &var.ty);
            self.look("sum".to_owned());
        }
        self.line("return 0;".to_owned());
        self.depth -= 1;
        self.line("}".to_owned());
    }

    /// Adds up all that a variable holds.
    fn sum(&mut self, place: &str, ty: &Ty) {
        match ty {
            Ty::Int(_) => self.line(format!("sum = sum * 31 + {place};")),
            Ty::Array(element, length) => {
                for index in 0..*length {
                    self.sum(&format!("{place}[{index}]"), element);
                }
            }
            Ty::Record(number) => {
                for (name, ty) in self.records[*number].fields.clone() {
                    self.sum(&format!("{place}.{name}"), &ty);
                }
            }
        }
    }
}
