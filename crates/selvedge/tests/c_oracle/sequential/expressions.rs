//! Expressions, with what they change on their way.

use super::*;

impl Make {
    /// A whole expression.
    pub(super) fn full(&mut self, depth: u32) -> String {
        self.named.clear();
        self.changed.clear();
        self.expr(depth)
    }

    pub(super) fn constant_text(&mut self) -> String {
        let constant = CONSTANTS[self.random.usize(0..CONSTANTS.len())];
        if self.chance(5) { format!("-{constant}") } else { constant.to_owned() }
    }

    pub(super) fn leaf(&mut self) -> String {
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
    pub(super) fn expr(&mut self, depth: u32) -> String {
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
    pub(super) fn unevaluated(&mut self, depth: u32) -> String {
        let (named, changed) = (self.named.clone(), self.changed.clone());
        let value = self.expr(depth);
        (self.named, self.changed) = (named, changed);
        value
    }

    /// An expression that changes a variable on its way.
    pub(super) fn changing(&mut self, depth: u32) -> Option<String> {
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
    pub(super) fn of_record(&mut self, depth: u32) -> Option<String> {
        let record = self.random.usize(0..self.records.len());
        let value = self.record_value(record, depth)?;
        let ty = self.int();
        let ways = self.ways(&Ty::Record(record), &ty);
        let way = self.pick(&ways)?;
        Some(self.walk(format!("({value})"), &way))
    }

    /// A value of a record.
    pub(super) fn record_value(&mut self, record: usize, depth: u32) -> Option<String> {
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
    pub(super) fn about_pointers(&mut self) -> Option<String> {
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
    pub(super) fn called(&mut self, pure: bool, depth: u32) -> Option<String> {
        let functions: Vec<Function> = (self.functions.iter())
            .filter(|f| (f.is_pure || !pure) && matches!(f.result, Ty::Int(_)))
            .cloned()
            .collect();
        let function = self.pick(&functions)?;
        self.call_of(&function, depth)
    }

    pub(super) fn call_of(&mut self, function: &Function, depth: u32) -> Option<String> {
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
    pub(super) fn address(&mut self, ty: &Ty, length: usize) -> Option<String> {
        let vars = self.vars.clone();
        self.address_among(&vars, ty, length)
    }

    pub(super) fn address_among(&mut self, vars: &[Var], ty: &Ty, length: usize) -> Option<String> {
        if length == 1 {
            return self.place_among(vars, ty, true, false).map(|place| format!("&{place}"));
        }
        let array = Ty::Array(Box::new(ty.clone()), length);
        let place = self.place_among(vars, &array, true, false)?;
        Some(if self.chance(2) { place } else { format!("&{place}[0]") })
    }
}
