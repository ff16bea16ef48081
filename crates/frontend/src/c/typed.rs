//! # C with its types
//! What the checker makes of the tree: names are resolved, every expression has a type, every conversion is written out, sizes and
//! offsets are numbers, members of records are offsets. Lvalues and values are different things; arrays and functions have become
//! pointers where C says so. What is left to say is what it *means*, and `lower` says it.

use selvedge_program::Span;

use super::types::{RecordId, Type, Types};

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $id(pub u32);

        impl $id {
            /// The id as an index.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}
ids! {
    /// An object that lives as long as the program: a global, a static, a string.
    ObjectId;
    /// A function, with or without a body.
    FunctionId;
    /// A parameter or a local variable of a function.
    LocalId;
    /// A label of a function.
    LabelId;
}

/// A translation unit.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Structures and unions, with their layout.
    pub types: Types,
    /// Objects that live as long as the program.
    pub objects: Vec<Object>,
    /// All functions, also those that are only declared.
    pub functions: Vec<Function>,
}

/// An object that lives as long as the program.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name; a static variable of a function is `f.x`, a string `"…"`.
    pub name: String,
    /// Its type; an array has a length.
    pub ty: Type,
    /// Its initial value, part by part, constants only; the rest is 0.
    pub init: Vec<Part>,
    /// Whether each thread has one of its own.
    pub thread_local: bool,
    /// Whether it is a string literal.
    pub is_string: bool,
    /// Whether it is only declared (`extern`), and defined nowhere.
    pub is_extern: bool,
    /// Its declaration.
    pub span: Span,
}

/// A part of an initialiser: the scalar (or the whole record) at an offset.
#[derive(Clone, Debug)]
pub struct Part {
    /// The distance in bytes from the start of the object.
    pub offset: u64,
    /// The value, converted to the type of the part. A part of an object that lives as long as the program is a constant:
    /// an integer, an address, a function, or conversions of these.
    pub value: Expr,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The type of its result.
    pub result: Type,
    /// How many of the locals are parameters: the first ones.
    pub params: usize,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Parameters, then local variables of all blocks.
    pub locals: Vec<Local>,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// The body; `None` if it is only declared.
    pub body: Option<Vec<Stmt>>,
    /// Its name in the declaration.
    pub span: Span,
}

/// A parameter or a local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; two may have the same, in different blocks.
    pub name: String,
    /// Its type; parameters that are arrays are pointers.
    pub ty: Type,
    /// Its declaration.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Tells the statements apart, with their parts.
    pub kind: StmtKind,
    /// Where it stands; for compound statements the part up to the body.
    pub span: Span,
}

/// The kinds of statements, with their parts.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression whose value is dropped.
    Expr(Expr),
    /// A variable comes to life. Without an initialiser it has no value yet; with one (`Some`), the parts get their values in this order, and
    /// what no part covers is 0. A scalar has one part at offset 0, a record that is copied one part of its type.
    Declare(LocalId, Option<Vec<Part>>),
    /// Statements one after the other.
    Block(Vec<Stmt>),
    /// `if`: the condition is any scalar, compared with 0.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while`
    While(Expr, Vec<Stmt>),
    /// `do … while`
    DoWhile(Vec<Stmt>, Expr),
    /// `for`, without what happens first (that stands before it, in a block).
    For {
        /// Tested before each turn.
        cond: Option<Expr>,
        /// After each turn, and after `continue`.
        step: Option<Expr>,
        /// The turn.
        body: Vec<Stmt>,
    },
    /// `switch`: the value is promoted. Its cases stand in the body, at any depth.
    Switch(Expr, Vec<Stmt>),
    /// A label of the innermost `switch`: from the first value to the second, both included, of its type.
    Case(i128, i128),
    /// `default:` of the innermost `switch`.
    Default,
    /// A label; control falls through.
    Label(LabelId),
    /// `goto`
    Goto(LabelId),
    /// Leaves the innermost loop or `switch`.
    Break,
    /// Goes on with the innermost loop.
    Continue,
    /// Leaves the function. The value has the type of the result.
    Return(Option<Expr>),
    /// Instructions of a machine; `true` if they are known to do nothing but order memory (an empty template).
    Asm {
        /// Whether the template is empty.
        is_barrier: bool,
    },
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Tells the expressions apart, with their operands.
    pub kind: ExprKind,
    /// Its type, without qualifiers; never an array or a function.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant: an integer, a truth value, or a pointer (0 is null).
    Int(i128),
    /// A number with a fraction.
    Floating(f64),
    /// Reads an object. A record is read as a whole.
    Load(Box<Lvalue>),
    /// The address of an object; of the first element, for an array that becomes a pointer.
    Address(Box<Lvalue>),
    /// The address of a function.
    Function(FunctionId),
    /// `-e` and `~e`, of a promoted operand.
    Unary(Unary, Box<Expr>),
    /// `!e`, of any scalar; gives an `int`.
    Not(Box<Expr>),
    /// Two operands of the same type (but for shifts), which is that of the result.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// Two operands of the same type: integers, floats, or pointers; gives an `int`.
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// A pointer moved by so many bytes; `p + i` is an offset of `i` times the size of what p points to. The offset is a
    /// signed integer of the width of a pointer.
    Offset(Box<Expr>, Box<Expr>),
    /// The difference of two pointers in elements of so many bytes.
    Difference(Box<Expr>, Box<Expr>, u64),
    /// `a && b`: the second is evaluated only if the first is not 0; gives an `int`.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; of type `void` as well.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `c ?: b`: c is evaluated once, and is the value if it is not 0; it is converted to the type of the result afterwards.
    Elvis(Box<Expr>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `a = b`: the value is that of b, which has the type of a. Records are copied.
    Assign(Box<Lvalue>, Box<Expr>),
    /// `a op= b`: a is read once, converted to the type `at`, combined with b, converted back and stored; the value is what is stored. For
    /// pointers, `op` is `Add` and b is an offset in bytes.
    AssignWith {
        /// Names the object that is read and written.
        place: Box<Lvalue>,
        /// The operator.
        op: Arithmetic,
        /// The right operand, of type `at` (for shifts, of its own promoted type).
        value: Box<Expr>,
        /// The type in which it is computed; that of the place if it is a pointer.
        at: Type,
        /// Whether the value is that before the change (`a++`).
        postfix: bool,
    },
    /// A call.
    Call(Callee, Vec<Expr>),
    /// The value, converted to the type of this expression: integers, `_Bool`, pointers, floats, `void`.
    Convert(Box<Expr>),
    /// `({ … })`: the value is that of the last statement, if that is an expression and not of type `void`.
    Statement(Vec<Stmt>, Option<Box<Expr>>),
    /// The name of something unsupported, of which it is not known yet whether it is ever reached.
    Unsupported(String),
}

/// The function of the compiler that makes room for an array whose length is not constant, until its function returns or its declaration is reached again.
pub const VARYING: &str = "__builtin_variable_array";

/// The function that a call calls.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function by name, with or without a body. Arguments are converted to the types of its parameters; those that have none
    /// are promoted.
    Direct(FunctionId),
    /// A function by its address.
    Pointer(Box<Expr>),
    /// A function of the compiler, by name: `__builtin_expect`, `__sync_fetch_and_add`, `__atomic_load_n`, …. Nothing is known of
    /// its parameters, and the type of the result is that of the first argument's target where there is one.
    Builtin(String),
}

/// A place that can be read and written.
#[derive(Clone, Debug)]
pub struct Lvalue {
    /// Says how the object is found.
    pub kind: LvalueKind,
    /// The type of what it holds; may be an array, or `_Atomic`.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of lvalues: the ways to name a place in memory.
#[derive(Clone, Debug)]
pub enum LvalueKind {
    /// A parameter or local variable.
    Local(LocalId),
    /// An object that lives as long as the program.
    Object(ObjectId),
    /// `*p`
    Deref(Box<Expr>),
    /// A member of a record.
    Member(Box<Lvalue>, RecordId, usize),
    /// An element of an array that is itself an lvalue: `a[i]`. The index is an integer of any type.
    Element(Box<Lvalue>, Box<Expr>),
    /// A value of record type that is in no object: the result of a function.
    Temporary(Box<Expr>),
}

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `-`
    Minus,
    /// `~`
    Complement,
}

/// An operator with two operands, whose type the result has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}
