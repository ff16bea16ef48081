//! Which Booleans stand for a variable.

use num_bigint::BigInt;

use crate::make;
use crate::names::Names;
use crate::print::NotBoolean;
use crate::{GlobalId, LocalId, Place, ProcId, Program, Span, Type, Value, VarRef, Variable};

/// More Booleans than this for one program are not written down.
const MOST_BITS: usize = 1 << 16;

/// The Booleans of all variables.
pub(super) struct Layout {
    globals: Group,
    locals: Vec<Group>,
    params: Vec<usize>,
}

/// The Booleans of the variables of a scope.
#[derive(Default)]
struct Group {
    variables: Vec<Variable>,
    /// For each variable and each of its elements, the first Boolean and how many there are.
    elements: Vec<Vec<(usize, usize)>>,
}

/// The least value of a type and the number of its values.
pub(super) fn values(program: &Program, ty: &Type) -> Option<(BigInt, BigInt)> {
    match ty {
        Type::Bool | Type::Lock => Some((BigInt::ZERO, BigInt::from(2))),
        Type::Range { .. } | Type::Machine { .. } => {
            ty.bounds().map(|(lo, hi)| (lo.clone(), hi - lo + 1))
        }
        Type::Enum(id) => {
            Some((BigInt::ZERO, BigInt::from(program.enums[id.index()].enumerators.len())))
        }
        Type::Int | Type::ThreadId | Type::Array { .. } => None,
    }
}

/// How many bits a scalar type takes.
pub(super) fn bits(program: &Program, ty: &Type, span: Span) -> Result<usize, NotBoolean> {
    let refuse = |what: &str| Err(NotBoolean { what: what.to_owned(), span });
    match values(program, ty) {
        Some((_, count)) => Ok(usize::try_from((count - 1u32).bits()).unwrap_or(usize::MAX)),
        None if *ty == Type::Int => {
            refuse("an unbounded `int` has no end of bits: give it a range, as in `int[0..9]`")
        }
        None => refuse("a thread id has no bits"),
    }
}

impl Layout {
    pub fn new(program: &Program) -> Result<Self, NotBoolean> {
        let mut names = Names::of(program);
        let mut layout =
            Layout { globals: Group::default(), locals: Vec::new(), params: Vec::new() };
        for global in &program.globals {
            layout.globals.add(program, global, &mut names)?;
        }
        for proc in &program.procs {
            let mut group = Group::default();
            let mut params = 0;
            for (position, local) in proc.locals.iter().enumerate() {
                group.add(program, local, &mut names)?;
                if position < proc.params {
                    params = group.variables.len();
                }
            }
            layout.locals.push(group);
            layout.params.push(params);
        }
        Ok(layout)
    }

    fn group(&self, proc: ProcId, var: VarRef) -> (&Group, usize) {
        match var {
            VarRef::Global(id) => (&self.globals, id.index()),
            VarRef::Local(id) => (&self.locals[proc.index()], id.index()),
        }
    }

    /// The Booleans of an element of a variable, the least bit first.
    pub fn element(&self, proc: ProcId, var: VarRef, element: usize) -> Vec<Place> {
        let (group, index) = self.group(proc, var);
        let (first, count) = group.elements[index][element];
        let place = |bit: usize| {
            let bit_of = match var {
                VarRef::Global(_) => VarRef::Global(GlobalId(bit as u32)),
                VarRef::Local(_) => VarRef::Local(LocalId(bit as u32)),
            };
            make::variable(bit_of, &group.variables[bit].ty)
        };
        (first..first + count).map(place).collect()
    }

    pub fn globals(self) -> Vec<Variable> {
        self.globals.variables
    }

    pub fn locals(&self, proc: ProcId) -> Vec<Variable> {
        self.locals[proc.index()].variables.clone()
    }

    pub fn params(&self, proc: ProcId) -> usize {
        self.params[proc.index()]
    }
}

impl Group {
    fn add(
        &mut self,
        program: &Program,
        variable: &Variable,
        names: &mut Names,
    ) -> Result<(), NotBoolean> {
        let scalar = variable.ty.scalar();
        let count = bits(program, scalar, variable.span)?;
        let slots = variable.ty.slots();
        if self.variables.len() + slots.saturating_mul(count) > MOST_BITS {
            let what = format!("`{}` needs too many bits", variable.name);
            return Err(NotBoolean { what, span: variable.span });
        }
        let mut elements = Vec::new();
        let own = variable.name.replace("[]", "");
        for (slot, indices) in element_names(&variable.ty).into_iter().enumerate() {
            let first = self.variables.len();
            let is_array = matches!(variable.ty, Type::Array { .. });
            let plain = matches!(scalar, Type::Bool | Type::Lock);
            for bit in 0..count {
                let wanted = match plain {
                    true => format!("{own}{indices}"),
                    false => format!("{own}{indices}_b{bit}"),
                };
                let name = if wanted == variable.name { wanted } else { names.fresh(&wanted) };
                // Elements of an array of locks are variables: which one is taken is computed.
                let ty = if *scalar == Type::Lock && !is_array { Type::Lock } else { Type::Bool };
                let init = variable.init.get(slot).map(|v| code_bit(program, scalar, v, bit));
                let init = init.into_iter().collect();
                self.variables.push(Variable {
                    name,
                    ty,
                    init,
                    counts_threads: false,
                    looks: None,
                    span: variable.span,
                });
            }
            elements.push((first, count));
        }
        self.elements.push(elements);
        Ok(())
    }
}

/// `_0`, `_1`, … for the elements of an array; nothing for a scalar.
fn element_names(ty: &Type) -> Vec<String> {
    let Type::Array { element, length } = ty else { return vec![String::new()] };
    let inner = element_names(element);
    (0..*length).flat_map(|i| inner.iter().map(move |rest| format!("_{i}{rest}"))).collect()
}

/// A bit of the code of a value.
pub(super) fn code_bit(program: &Program, ty: &Type, value: &Value, bit: usize) -> Value {
    match (value.to_big(), values(program, ty)) {
        (Some(n), Some((least, _))) => Value::from((n - least).bit(bit as u64)),
        _ => Value::Open,
    }
}
