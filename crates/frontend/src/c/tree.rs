//! # C as it is written
//! The untyped tree of a translation unit: what the parser makes and the checker reads. Names are strings, types are the words that
//! were written; the parser knows which names are typedefs, because the grammar needs it, and nothing else.

use std::sync::Arc;

use selvedge_program::Span;

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    /// Its letters.
    pub text: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A translation unit.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// What it declares, in the order of the text.
    pub items: Vec<Item>,
}

/// An item outside of functions.
#[derive(Clone, Debug)]
pub enum Item {
    /// A function with its body.
    Function(Function),
    /// A declaration.
    Declaration(Declaration),
    /// `asm("…");`
    Asm(Span),
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// The specifiers before the name.
    pub specifiers: Specifiers,
    /// The name and its parameters.
    pub declarator: Declarator,
    /// The declarations between the parameters and the body, in the old style.
    pub old_style: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// The whole definition.
    pub span: Span,
}

/// A declaration of variables, functions, typedefs, or of a type alone.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The specifiers that all declarators share.
    pub specifiers: Specifiers,
    /// The declarators; empty for `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
    /// The whole declaration.
    pub span: Span,
}

/// A declarator with its initialiser.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// The name and what stands around it.
    pub declarator: Declarator,
    /// The initialiser after `=`.
    pub init: Option<Init>,
}

/// The words before declarators.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto` or `register`.
    pub storage: Option<Storage>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: bool,
    /// `_Noreturn`, or an attribute that says so.
    pub noreturn: bool,
    /// `inline`.
    pub inline: bool,
    /// `const`, `volatile`, `_Atomic`.
    pub qualifiers: Qualifiers,
    /// The type.
    pub ty: TypeWords,
    /// Attributes, by name: see [`Attributes`].
    pub attributes: Vec<Name>,
    /// The requested alignments: `_Alignas`, or the attribute.
    pub alignments: Vec<Alignment>,
    /// All of it.
    pub span: Span,
}

impl Specifiers {
    /// Says a type and nothing else.
    #[must_use]
    pub fn of(ty: TypeWords, span: Span) -> Self {
        Specifiers {
            storage: None,
            thread_local: false,
            noreturn: false,
            inline: false,
            qualifiers: Qualifiers::default(),
            ty,
            attributes: Vec::new(),
            alignments: Vec::new(),
            span,
        }
    }
}

/// Attributes as the parser collects them. Their names are without underscores at both ends (`packed` for `__packed__`); what stands in
/// parentheses is left out, except for `mode(QI)`. `pack(2)` stands for `#pragma pack(2)`, and `asm` for a name that the linker sees.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// The names.
    pub names: Vec<Name>,
    /// Asks for multiples of so many bytes (`aligned`, `_Alignas`).
    pub alignments: Vec<Alignment>,
}

impl Attributes {
    /// Whether an attribute of this name is there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|attribute| &*attribute.text == name)
    }
}

/// At a multiple of how many bytes something stands, at least.
#[derive(Clone, Debug)]
pub enum Alignment {
    /// `aligned` without a number: as much as any type needs.
    Most,
    /// A number of bytes.
    Bytes(Expr),
    /// As much as a type needs.
    Of(TypeName),
}

/// Where something is kept, and who sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// No object: a name for a type.
    Typedef,
    /// Defined elsewhere.
    Extern,
    /// As long as the program, or seen in this file only.
    Static,
    /// `auto` or `register`: as if nothing was written.
    Automatic,
}

/// The qualifiers of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `_Atomic`
    pub is_atomic: bool,
}

/// The words for a type.
#[derive(Clone, Debug)]
pub enum TypeWords {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// `char`; whether it is signed, if that is said.
    Char(Option<bool>),
    /// `short`, `int`, `long`, `long long`, `__int128`, and whether it is signed.
    Integer(Rank, bool),
    /// `float`, `double`, `long double`, `__float128` and so on: how many bytes; `_Complex` has twice as many. A `long double` has 12
    /// here; 16 where `long` has 64 bits.
    Floating(u32),
    /// The name of a typedef.
    Named(Name),
    /// `struct` or `union`.
    Record(Record),
    /// `enum`
    Enum(Enumeration),
    /// `typeof (expression)`
    TypeofExpr(Box<Expr>),
    /// `typeof (type)`
    TypeofType(Box<TypeName>),
    /// `_Atomic (type)`
    Atomic(Box<TypeName>),
    /// `__auto_type`: that of the initialiser.
    Auto,
    /// `__builtin_va_list`
    VaList,
    /// Nothing was written: `int`, as C once was.
    Missing,
}

/// The rank of an integer type, as a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `long long`
    LongLong,
    /// `__int128`
    Int128,
}

/// `struct` or `union`, defined here or only named.
#[derive(Clone, Debug)]
pub struct Record {
    /// Whether its members share one place.
    pub is_union: bool,
    /// Its tag.
    pub tag: Option<Name>,
    /// Its members, if they are told here.
    pub members: Option<Vec<Member>>,
    /// Attributes, by name: see [`Attributes`].
    pub attributes: Vec<Name>,
    /// Requested alignments (`aligned`, `_Alignas`).
    pub alignments: Vec<Alignment>,
    /// The keyword and the tag.
    pub span: Span,
}

/// A line of members.
#[derive(Clone, Debug)]
pub struct Member {
    /// The type.
    pub specifiers: Specifiers,
    /// The names, with the widths of bit-fields; none for a record without a name.
    pub declarators: Vec<(Declarator, Option<Expr>)>,
    /// All of it.
    pub span: Span,
}

/// `enum`, defined here or only named.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Its tag.
    pub tag: Option<Name>,
    /// Its enumerators, if they are told here.
    pub enumerators: Option<Vec<(Name, Option<Expr>)>>,
    /// Attributes, by name: see [`Attributes`].
    pub attributes: Vec<Name>,
    /// The keyword and the tag.
    pub span: Span,
}

/// A name, and what stands around it.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name; none in a type, or for a parameter without one.
    pub name: Option<Name>,
    /// From the name outward: `*a[3]` is an array (first), of pointers.
    pub derived: Vec<Derived>,
    /// Attributes, by name: see [`Attributes`].
    pub attributes: Vec<Name>,
    /// Asks for multiples of so many bytes (`aligned`, `_Alignas`).
    pub alignments: Vec<Alignment>,
    /// All of it.
    pub span: Span,
}

/// A step from the type that the specifiers name to the type that is declared.
#[derive(Clone, Debug)]
pub enum Derived {
    /// A pointer.
    Pointer(Qualifiers),
    /// An array; `[]` has no length.
    Array(Option<Box<Expr>>),
    /// A function.
    Function {
        /// Its parameters; `(void)` has none.
        params: Vec<Param>,
        /// Whether more may follow: `...`.
        variadic: bool,
        /// `()`: nothing is said of parameters. `f(a, b)` in the old style has parameters of missing types, and says nothing of them.
        unspecified: bool,
    },
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its type.
    pub specifiers: Specifiers,
    /// Its name, and what stands around it.
    pub declarator: Declarator,
}

/// A type in an expression: of a cast, of `sizeof`.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// The words.
    pub specifiers: Specifiers,
    /// The declarator, without a name.
    pub declarator: Declarator,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Init {
    /// One value.
    Expr(Expr),
    /// `{ … }`
    List(Vec<(Vec<Designator>, Init)>, Span),
}

/// Says which part an initialiser is for.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name`
    Member(Name),
    /// `[index]`
    Index(Expr),
    /// `[from ... to]`
    Range(Expr, Expr),
}

/// Statements in braces.
#[derive(Clone, Debug)]
pub struct Block {
    /// Statements and declarations.
    pub items: Vec<BlockItem>,
    /// The place, with the braces.
    pub span: Span,
}

/// A part of a block.
#[derive(Clone, Debug)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// A function inside of a function.
    Function(Function),
    /// A statement.
    Stmt(Stmt),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Tells the statements apart, with their parts.
    pub kind: StmtKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of statements, with their parts.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`, or an expression.
    Expr(Option<Expr>),
    /// `{ … }`
    Block(Block),
    /// `if`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`
    While(Expr, Box<Stmt>),
    /// `do … while`
    DoWhile(Box<Stmt>, Expr),
    /// `for`
    For {
        /// Executed before the loop.
        init: Option<Box<BlockItem>>,
        /// The condition, tested before each turn.
        cond: Option<Expr>,
        /// Executed after each turn.
        step: Option<Expr>,
        /// The body of the loop.
        body: Box<Stmt>,
    },
    /// `switch`
    Switch(Expr, Box<Stmt>),
    /// `case a:` or `case a ... b:`
    Case(Expr, Option<Expr>, Box<Stmt>),
    /// `default:`
    Default(Box<Stmt>),
    /// `name:`
    Label(Name, Box<Stmt>),
    /// `goto name;`
    Goto(Name),
    /// `goto *expression;`
    GotoComputed(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return`
    Return(Option<Expr>),
    /// `asm`
    Asm(Asm),
}

/// An `asm` statement.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The template of the instructions.
    pub template: String,
    /// The operands that are written.
    pub outputs: Vec<Expr>,
    /// The operands that are read.
    pub inputs: Vec<Expr>,
    /// What else changes, as strings.
    pub clobbers: Vec<String>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Tells the expressions apart, with their operands.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions, with their operands.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A variable, a function or an enumerator.
    Name(Arc<str>),
    /// An integer or a character.
    Integer {
        /// Its value.
        value: u128,
        /// Whether it was not written in decimal, so that it may be unsigned without saying so.
        octal_or_hex: bool,
        /// `u`
        unsigned: bool,
        /// `l` and `ll`: the least rank.
        rank: Rank,
        /// `'a'`: an `int`, with the value of a `char`, as 32 bits in two's complement; `L'a'` is one as well.
        character: bool,
    },
    /// A number with a point or an exponent, and how many bytes it has.
    Floating(f64, u32),
    /// A string: pieces that stand side by side are one; with the width of its characters in bytes, without the 0 at the end.
    String(Vec<u32>, u32),
    /// `f(x)`
    Call(Box<Expr>, Vec<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `e.m`
    Member(Box<Expr>, Name),
    /// `e->m`
    Arrow(Box<Expr>, Name),
    /// `e++`, `e--`, `++e`, `--e`
    Step {
        /// Names the object that is read and written.
        place: Box<Expr>,
        /// Whether it adds 1, instead of subtracting it.
        up: bool,
        /// Whether the value is that before.
        postfix: bool,
    },
    /// `&e`, `*e`, `+e`, `-e`, `~e`, `!e`
    Unary(Unary, Box<Expr>),
    /// `__real__ e`, `__imag__ e`, and `&&label`: not supported, by name.
    Unsupported(&'static str),
    /// `a + b` and so on, `&&`, `||` and `,` as well.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a = b`, `a += b`
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`; GNU has `c ?: b`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `(type) e`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type) { … }`
    Compound(Box<TypeName>, Vec<(Vec<Designator>, Init)>),
    /// `sizeof e`
    SizeofExpr(Box<Expr>),
    /// `sizeof (type)`
    SizeofType(Box<TypeName>),
    /// `_Alignof (type)`, or `__alignof__`, which gives the alignment that the compiler prefers.
    Alignof(Box<TypeName>, bool),
    /// `({ … })`
    Statement(Box<Block>),
    /// `__builtin_offsetof(type, member)`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(a, b)`
    Compatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `_Generic(e, type: a, default: b)`
    Generic(Box<Expr>, Vec<(Option<TypeName>, Expr)>),
    /// `__builtin_va_arg(list, type)`
    VaArg(Box<Expr>, Box<TypeName>),
}

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `&`
    Address,
    /// `*`
    Deref,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
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
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `,`
    Comma,
}
