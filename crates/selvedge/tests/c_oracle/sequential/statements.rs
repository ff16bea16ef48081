//! Statements, and the function that looks at everything in the end.

use super::*;

impl Make {
    pub(super) fn block(&mut self, size: u32) {
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

    pub(super) fn statement(&mut self, size: u32) {
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

    pub(super) fn assignment(&mut self) {
        let ty = self.int();
        if let Some(place) = self.lvalue(&ty, true) {
            let value = self.expr(3);
            self.line(format!("{place} = {value};"));
        }
    }

    pub(super) fn combined(&mut self) {
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

    pub(super) fn copy(&mut self) {
        let record = self.random.usize(0..self.records.len());
        let Some(place) = self.lvalue(&Ty::Record(record), true) else { return };
        if let Some(value) = self.record_value(record, 2) {
            self.line(format!("{place} = {value};"));
        }
    }

    pub(super) fn point_elsewhere(&mut self) {
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
    pub(super) fn call_statement(&mut self) {
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

    pub(super) fn counter(&mut self) -> String {
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

    pub(super) fn looping(&mut self, size: u32) {
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

    pub(super) fn backwards(&mut self, size: u32) {
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

    pub(super) fn switch(&mut self, size: u32) {
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
    pub(super) fn device(&mut self, size: u32) {
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
    pub(super) fn cursor(&mut self) {
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

    pub(super) fn main(&mut self) {
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
    pub(super) fn sum(&mut self, place: &str, ty: &Ty) {
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
