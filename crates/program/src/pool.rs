//! # Objects in bounded pools
//!
//! **Question.** Programs with a heap make objects, hold references to them, and give them back. What does the core have to
//! know of it?
//!
//! **Idea.** Nothing. A pool of N objects is an array of N elements for each field, and an array of marks that says which objects are
//! in use. A reference is an integer from 0 to N: 0 is null, and i is the object at index i − 1. `new` looks for the first mark
//! that is not set; `p->f` is the element `p - 1` of the array of f, so null goes wrong as any index outside of an array does; to use what was given back
//! is a check of the mark. What a step touches is then known field by field, and every domain and every engine that has
//! arrays has objects.
//!
//! **Claim.** References are compared for equality, followed, and nothing else; so objects can be exchanged for each other, and a
//! run that takes any free object is one that takes the first one, with other names. Objects that are not in use hold
//! the values that new ones have: what an object held before it was given back makes no other state.
//!
//! **Needs.** References without choices in them: they are evaluated more than once in a step.
//!
//! **Otherwise.** Where no object is free, `new` gives null: that is what a heap of N objects does, and whoever wants to look at no such
//! runs, or to be told of them, says so with an `assume` or an `assert`. A reference to an object that was given back and made anew is a
//! reference to the new one, as with addresses.

use crate::make::{
    any, assign, binary, branch, constant, equal, if_then_else, not, number, range, read, stmt,
    truth,
};
use crate::names::Names;
use crate::{
    BinaryOp, Expr, GlobalId, Place, Program, Span, Stmt, StmtKind, Type, Value, VarRef, Variable,
};

/// The most objects in a pool: the search for a free one is an expression as deep as there are objects.
pub const MOST_OBJECTS: u32 = 128;

/// A fixed number of objects with the same fields.
#[derive(Clone, Debug)]
pub struct Pool {
    objects: u32,
    used: GlobalId,
    fields: Vec<(GlobalId, Field)>,
}

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type: a scalar or an array.
    pub ty: Type,
    /// The initial value of each of its scalars; [`Value::Open`] for any value.
    pub first: Value,
}

impl Pool {
    /// Adds a pool to a program: so many objects, none of them in use. `None` if there would be none, or more than
    /// [`MOST_OBJECTS`].
    pub fn declare(
        program: &mut Program,
        name: &str,
        objects: u32,
        fields: Vec<Field>,
        span: Span,
    ) -> Option<Pool> {
        if !(1..=MOST_OBJECTS).contains(&objects) {
            return None;
        }
        let mut names = Names::of(program);
        let mut add = |name: &str, element: &Type, first: &Value| {
            let ty = Type::Array { element: Box::new(element.clone()), length: objects };
            let init = vec![first.clone(); ty.slots()];
            let name = names.fresh(name);
            let id = GlobalId(u32::try_from(program.globals.len()).unwrap_or(u32::MAX));
            program.globals.push(Variable {
                name,
                ty,
                init,
                counts_threads: false,
                looks: None,
                span,
            });
            id
        };
        let used = add(&format!("{name}_used"), &Type::Bool, &Value::FALSE);
        let add =
            |field: Field| (add(&format!("{name}_{}", field.name), &field.ty, &field.first), field);
        Some(Pool { objects, used, fields: fields.into_iter().map(add).collect() })
    }

    /// The type of references to the objects of a pool with `objects` objects.
    #[must_use]
    pub fn reference(objects: u32) -> Type {
        range(0, objects)
    }

    /// The reference to no object.
    #[must_use]
    pub fn null() -> Expr {
        number(0)
    }

    /// Makes an object and stores a reference to it, or null if all are in use; one step.
    #[must_use]
    pub fn new_object(&self, dest: &Place, span: Span) -> StmtKind {
        let first_free = || {
            (1..=self.objects).rev().fold(Pool::null(), |rest, object| {
                if_then_else(not(self.in_use(&number(object))), number(object), rest)
            })
        };
        let found = not(equal(first_free(), Pool::null()));
        let taken = vec![(dest.clone(), first_free()), (self.used(&first_free()), truth(true))];
        let none = vec![(dest.clone(), Pool::null())];
        let (taken, none) = (vec![assign(taken, span)], vec![assign(none, span)]);
        StmtKind::Atomic(vec![branch(found, taken, none, span)])
    }

    /// Gives an object back; one step. Nothing happens for null; what was given back before goes wrong.
    #[must_use]
    pub fn give_back(&self, object: &Expr, span: Span) -> StmtKind {
        // All at once: the reference may be a field of the object itself.
        let mut cleared = vec![(self.used(object), truth(false))];
        for (number, (_, field)) in self.fields.iter().enumerate() {
            let places = indices_of(&field.ty).into_iter();
            let places = places.filter_map(|indices| self.part(object, number, indices));
            cleared.extend(places.map(|place| {
                let value = match &field.first {
                    Value::Open => any(&place.ty),
                    value => constant(value.clone(), &place.ty),
                };
                (place, value)
            }));
        }
        let is_object = not(equal(object.clone(), Pool::null()));
        let check = stmt(StmtKind::Assert(self.in_use(object)), span);
        let clear = vec![check, assign(cleared, span)];
        StmtKind::Atomic(vec![branch(is_object, clear, Vec::new(), span)])
    }

    /// Whether the object of a reference is in use. Goes wrong for null.
    #[must_use]
    pub fn in_use(&self, object: &Expr) -> Expr {
        read(self.used(object))
    }

    /// A field of an object, or an element of it; `None` if there is no such field. Goes wrong for null.
    #[must_use]
    pub fn part(&self, object: &Expr, field: usize, indices: Vec<Expr>) -> Option<Place> {
        let (array, declared) = self.fields.get(field)?;
        let indices = [index(object.clone())].into_iter().chain(indices).collect();
        let ty = declared.ty.scalar().clone();
        Some(Place { var: VarRef::Global(*array), indices, ty, span: object.span })
    }

    /// A statement that goes wrong if one of the objects is not in use; one step.
    #[must_use]
    pub fn checked(&self, objects: &[Expr], statement: Stmt) -> StmtKind {
        let span = statement.span;
        let checks = objects.iter().map(|o| stmt(StmtKind::Assert(self.in_use(o)), span));
        StmtKind::Atomic(checks.chain([statement]).collect())
    }

    fn used(&self, object: &Expr) -> Place {
        let indices = vec![index(object.clone())];
        Place { var: VarRef::Global(self.used), indices, ty: Type::Bool, span: object.span }
    }
}

/// Where the object of a reference is in the arrays.
fn index(object: Expr) -> Expr {
    binary(BinaryOp::Sub, object, number(1))
}

/// The indices of all scalars of a type.
fn indices_of(ty: &Type) -> Vec<Vec<Expr>> {
    let mut all = vec![Vec::new()];
    for length in ty.lengths() {
        let longer = |before: &Vec<Expr>| {
            let before = before.clone();
            (0..length).map(move |i| before.iter().cloned().chain([number(i)]).collect())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
