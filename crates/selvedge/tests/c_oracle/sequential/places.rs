//! Places and initialisers: what can be read, written and pointed to.

use super::*;

impl Make {
    /// An initialiser.
    pub(super) fn init(&mut self, ty: &Ty) -> String {
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
    pub(super) fn ways(&self, from: &Ty, to: &Ty) -> Vec<Vec<Piece>> {
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

    pub(super) fn index(&mut self, length: usize) -> String {
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

    pub(super) fn walk(&mut self, start: String, way: &[Piece]) -> String {
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
    pub(super) fn place_of(&mut self, ty: &Ty, pointed_to: bool) -> Option<String> {
        let vars = self.vars.clone();
        self.place_among(&vars, ty, pointed_to, false)
    }

    pub(super) fn place_among(
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
    pub(super) fn pointed(&mut self, ty: &Ty, write: bool) -> Option<String> {
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
    pub(super) fn lvalue(&mut self, ty: &Ty, write: bool) -> Option<String> {
        if !self.constant
            && self.chance(3)
            && let Some(place) = self.pointed(ty, write)
        {
            return Some(place);
        }
        let vars = self.vars.clone();
        self.place_among(&vars, ty, false, write)
    }
}
