//! Functions, and variables with their first values.

use super::*;

impl Make {
    /// A function, with the statements of its body.
    pub(super) fn function(&mut self) {
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
    pub(super) fn again(&mut self, function: &Function) -> Option<String> {
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

    pub(super) fn result(&mut self, ty: &Ty) -> String {
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

    pub(super) fn declare(&mut self, ty: Ty, is_pointed_to: bool) {
        let name = self.name("v");
        self.named.clear();
        self.changed.clear();
        // The order of what initialisers do is open.
        let init = self.init(&ty);
        self.line(format!("{} = {init};", self.declared(&ty, &name)));
        self.vars.push(Var { name, ty, is_global: false, is_writable: true, is_pointed_to });
    }

    pub(super) fn declare_pointer(&mut self) {
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
}
