//! # The untyped tree
//! What the parsers of `.weave` and `.bp` produce: names as written, nothing checked. Every node
//! has its place in the source. [`crate::check`] turns it into a typed program.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Quantifier, Span, Type, UnaryOp};

use crate::Diagnostic;

/// A name as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its declarations, in order.
    pub items: Vec<Item>,
    /// Whether something in it is made of parts: structs, channels, parameters that stand for shared variables.
    /// `crate::parts` writes it without them.
    pub has_parts: bool,
    /// Warnings about the text that cannot be seen in the tree.
    pub doubts: Vec<Diagnostic>,
}

/// A declaration at the top of a file.
#[derive(Clone, Debug)]
pub enum Item {
    /// `const N = 5;`
    Const(ConstDecl),
    /// `enum State { Idle, Busy }`
    Enum(EnumDecl),
    /// `struct node { int value; lock l; }`
    Struct(StructDecl),
    /// A shared variable.
    Global(VarDecl),
    /// A procedure.
    Proc(ProcDecl),
    /// Threads that exist from the start.
    Thread(ThreadDecl),
    /// `predicate p in worker: s == l;`
    Predicate(PredicateDecl),
}

/// `const NAME = value;`
#[derive(Clone, Debug)]
pub struct ConstDecl {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expr,
}

/// `enum NAME { A, B }`
#[derive(Clone, Debug)]
pub struct EnumDecl {
    /// The name.
    pub name: Name,
    /// The names of the values.
    pub enumerators: Vec<Name>,
}

/// `struct NAME { TYPE member; … }`
#[derive(Clone, Debug)]
pub struct StructDecl {
    /// The name.
    pub name: Name,
    /// The members; only semaphores and barriers have first values.
    pub members: Vec<VarDecl>,
    /// The whole declaration.
    pub span: Span,
}

/// One variable: shared, local, or a parameter. `bool x, y;` gives two.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The element type.
    pub ty: TypeExpr,
    /// The name.
    pub name: Name,
    /// The lengths of the dimensions; empty for a scalar.
    pub dims: Vec<Expr>,
    /// The first value.
    pub init: Option<Init>,
}

/// The first value of a variable.
#[derive(Clone, Debug)]
pub enum Init {
    /// An expression; `{a, b, c}` for an array lists its elements.
    Expr(Expr),
    /// A call, `async`, `trylock`, `cas` or `fetch_and_add` (local variables only).
    Effect(Effect),
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The kind of the type.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The kind of a type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `int[lo..hi]`
    Range(Box<Expr>, Box<Expr>),
    /// `u8`, `i32` and so on.
    Machine(Type),
    /// `lock`
    Lock,
    /// `semaphore[0..hi]`
    Semaphore(Box<Expr>, Box<Expr>),
    /// `tid`
    ThreadId,
    /// The name of an enumeration or a struct; `semaphore`, `condition` or `barrier`, if there is none of that name.
    Named(Name),
    /// `ref TYPE`: a parameter that stands for a shared variable.
    Ref(Box<TypeExpr>),
    /// `chan[2] TYPE`
    Channel {
        /// The number of messages that it holds; `None` if none is given.
        capacity: Option<Box<Expr>>,
        /// The type of its messages.
        message: Box<TypeExpr>,
    },
    /// The number of messages in a channel of this capacity. It cannot be written.
    Messages(Option<Box<Expr>>),
}

impl TypeKind {
    /// The machine integer that it is, if it is one.
    #[must_use]
    pub fn machine(&self) -> Option<Type> {
        match self {
            TypeKind::Machine(ty) => Some(ty.clone()),
            _ => None,
        }
    }
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct ProcDecl {
    /// The name.
    pub name: Name,
    /// The parameters (without initial values).
    pub params: Vec<VarDecl>,
    /// The types of the results.
    pub results: Vec<TypeExpr>,
    /// The body.
    pub body: Vec<Stmt>,
    /// The part before the body.
    pub span: Span,
    /// The sign that ends the body.
    pub end: Span,
}

/// `thread NAME[i] * COUNT = entry(args);` or `thread NAME * COUNT { … }`
#[derive(Clone, Debug)]
pub struct ThreadDecl {
    /// The name of the template.
    pub name: Name,
    /// The name of the instance number, for use in the arguments.
    pub binder: Option<Name>,
    /// The number of threads; `None` is one.
    pub count: Option<Count>,
    /// The procedure or body that they run.
    pub entry: Entry,
    /// The declaration up to the body.
    pub span: Span,
    /// The last token of the declaration; of a body, the closing brace.
    pub end: Span,
}

/// A number of threads.
#[derive(Clone, Debug)]
pub enum Count {
    /// This many (a constant expression).
    Number(Expr),
    /// `any`
    Any(Span),
}

/// The code that a thread runs.
#[derive(Clone, Debug)]
pub enum Entry {
    /// The procedure that has the name of the thread, without arguments.
    SameName,
    /// A procedure with arguments.
    Call(Name, Vec<Expr>),
    /// A body of its own.
    Body(Vec<Stmt>),
}

/// A predicate.
#[derive(Clone, Debug)]
pub struct PredicateDecl {
    /// The name; made up from the position if there is none.
    pub name: Option<Name>,
    /// The procedure whose locals it may mention.
    pub scope: Option<Name>,
    /// The predicate.
    pub expr: Expr,
    /// The declaration.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels before it.
    pub labels: Vec<Name>,
    /// The kind of the statement.
    pub kind: StmtKind,
    /// Where it stands; for compound statements the part up to the body.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `skip;`
    Skip,
    /// `;`: nothing at all, not even a step. Carries labels.
    Empty,
    /// `{ … }`: a scope.
    Block(Vec<Stmt>),
    /// A local variable.
    Local(VarDecl),
    /// Local variables that get their first values in one step. It cannot be written.
    Together {
        /// The variables; each has a first value, or none has.
        variables: Vec<VarDecl>,
        /// The effect that gives all of them their first values.
        effect: Option<Effect>,
        /// Whether the next statement sets them, so that this one does nothing.
        is_set: bool,
    },
    /// `x, y := e, f constrain c;`
    Assign {
        /// The places left of `:=`.
        targets: Vec<PlaceExpr>,
        /// The values right of `:=`.
        values: Vec<Expr>,
        /// The condition after `constrain`.
        constrain: Option<Expr>,
    },
    /// `x, y := f(e);`, `f(e);`, `t := async f(e);`, `b := trylock(m);` and so on.
    Effect {
        /// Left of `:=`; empty if there is none.
        targets: Vec<PlaceExpr>,
        /// The effect right of `:=`.
        effect: Effect,
    },
    /// `havoc x, y;`
    Havoc(Vec<PlaceExpr>),
    /// `assume e;`
    Assume(Expr),
    /// `wait(e);`, `wait b;` with a barrier, `wait c, m;` with a condition and a lock.
    Wait(Expr, Option<PlaceExpr>),
    /// `notify c;`
    Notify(PlaceExpr),
    /// `notify all c;`
    NotifyAll(PlaceExpr),
    /// `assert e;`, `assert e, "text";`
    Assert(Expr, Option<String>),
    /// `if c { … } else { … }`
    If {
        /// The condition.
        cond: Cond,
        /// The first branch.
        then: Vec<Stmt>,
        /// The second branch.
        otherwise: Vec<Stmt>,
    },
    /// `while c { … }`
    While {
        /// The condition.
        cond: Cond,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `either { … } or { … }`
    Choose(Vec<Vec<Stmt>>),
    /// `goto a, b;`
    Goto(Vec<Name>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e, f;`
    Return(Vec<Expr>),
    /// `atomic { … }`
    Atomic(Vec<Stmt>),
    /// `atomic_begin;`
    AtomicBegin,
    /// `atomic_end;`
    AtomicEnd,
    /// `acquire m;`
    Acquire(PlaceExpr),
    /// `release m;`
    Release(PlaceExpr),
    /// `start_thread goto l;`
    StartThread(Name),
    /// `end_thread;`
    EndThread,
    /// `join t;`
    Join(Expr),
}

/// What may stand alone or right of `:=` and is more than an expression.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The kind of the effect.
    pub kind: EffectKind,
    /// Where it stands.
    pub span: Span,
}

/// The kind of an effect.
#[derive(Clone, Debug)]
pub enum EffectKind {
    /// `f(e)`
    Call(Name, Vec<Expr>),
    /// `async f(e)`
    Async(Name, Vec<Expr>),
    /// `trylock(m)`
    TryLock(PlaceExpr),
    /// `cas(x, old, new)`
    CompareAndSwap(PlaceExpr, Box<Expr>, Box<Expr>),
    /// `fetch_and_add(x)` or `fetch_and_add(x, n)`
    FetchAndAdd(PlaceExpr, Option<Box<Expr>>),
}

/// The condition of `if` and `while`.
#[derive(Clone, Debug)]
pub enum Cond {
    /// An expression.
    Expr(Expr),
    /// An effect with a Boolean result, negated or not: `if !trylock(m)`.
    Effect {
        /// The effect.
        effect: Effect,
        /// Whether `!` stands before it.
        negated: bool,
    },
}

/// A variable, an array element or a member as written: `a[i].next`.
#[derive(Clone, Debug)]
pub struct PlaceExpr {
    /// The variable.
    pub name: Name,
    /// The indices.
    pub indices: Vec<Expr>,
    /// The members, the outermost first.
    pub members: Vec<MemberExpr>,
    /// Where it stands.
    pub span: Span,
}

impl PlaceExpr {
    /// All indices, those of members too, from left to right.
    pub fn all_indices(&self) -> impl Iterator<Item = &Expr> {
        self.indices.iter().chain(self.members.iter().flat_map(|member| &member.indices))
    }
}

/// `.next` or `.items[i]` of a place.
#[derive(Clone, Debug)]
pub struct MemberExpr {
    /// The name of the member.
    pub name: Name,
    /// The indices after it.
    pub indices: Vec<Expr>,
}

/// An expression as written.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind of the expression.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

impl Expr {
    /// The expression as it is written, for advice: a number, a truth value, a name or an element; `None` for anything longer.
    pub(crate) fn brief(&self) -> Option<String> {
        Some(match &self.kind {
            ExprKind::Int(n) => n.to_string(),
            ExprKind::Bool(b) => b.to_string(),
            ExprKind::Place(place) if place.members.is_empty() => {
                let mut text = place.name.text.clone();
                for index in &place.indices {
                    text = format!("{text}[{}]", index.brief()?);
                }
                text
            }
            _ => return None,
        })
    }
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// A number of any size. In `.bp`, `0` and `1` are given as [`ExprKind::Bool`].
    Int(BigInt),
    /// A variable, a constant, an enumerator, or (with indices) an array element.
    Place(PlaceExpr),
    /// `'x`: the value after, in `constrain`.
    Primed(PlaceExpr),
    /// `none`: no thread.
    NoThread,
    /// `*`
    Any,
    /// `fair *`
    Fair,
    /// `{a, b, c}`
    Braces(Vec<Expr>),
    /// `{a .. b}`
    Between(Box<Expr>, Box<Expr>),
    /// `schoose[p, n]`
    Schoose(Box<Expr>, Box<Expr>),
    /// An operation with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands. Chains of one associative operator (`&`, `|`, `+`, `*`) are built as
    /// balanced trees, so that a long chain is not a deep one.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `f(e)` inside of an expression: it is called before the rest is computed.
    Call(Name, Vec<Expr>),
    /// `u8(e)`, `int(e)`
    Convert(TypeExpr, Box<Expr>),
    /// `c ? a : b`
    IfThenElse(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall i: e`, `exists i != self: e`, `#{i : e}` (predicates only)
    Quantified {
        /// All, some, or how many.
        quantifier: Quantifier,
        /// The bound thread.
        binder: Name,
        /// Whether `i != self` restricts the thread.
        others_only: bool,
        /// The body of the quantifier.
        body: Box<Expr>,
    },
    /// `i.x`: a local variable of a bound thread (predicates only).
    LocalOf(Name, Name),
    /// `at L` or `i.at L`, also `pc == L` and `i.pc == L` (predicates only).
    At(Option<Name>, Name),
}
