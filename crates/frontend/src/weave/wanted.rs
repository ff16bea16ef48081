//! What the parser can want in the place of a token: how a message calls it, and what helps where nothing else is known.
//!
//! Both are matched without a rest, so that whoever adds something also says what to write: no message says only what was wanted.

/// What belongs in the place of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Declaration,
    Statement,
    Expression,
    Condition,
    Type,
    /// A variable that exists.
    Variable,
    /// The name of one that is declared.
    VariableName,
    ParameterName,
    ProcedureName,
    ConstantName,
    EnumName,
    EnumValue,
    PredicateName,
    MemberName,
    ThreadName,
    ThreadNumber,
    /// The name that is quantified.
    Binder,
    LocalOrAt,
    /// The procedure of which a predicate speaks.
    ScopeName,
    /// The procedure that is called.
    Callee,
    /// The procedure that a thread runs.
    Started,
    Call,
    Label,
    Text,
    Number,
    Semicolon,
    Comma,
    Colon,
    DotDot,
    Star,
    Equal,
    Assign,
    CommaOrAssign,
    CommaOrSemicolon,
    OpenParen,
    OpenBracket,
    OpenBrace,
    CloseParen,
    CloseBracket,
    CloseBrace,
    CommaOrCloseParen,
    CommaOrCloseBrace,
    ThreadRest,
    ColonOrNotSelf,
    InOrColon,
    Itself,
    Receive,
    Goto,
    ExpectedValue,
    NewValue,
}

impl Wanted {
    /// How a message calls it.
    pub(super) fn phrase(self) -> &'static str {
        match self {
            Wanted::Declaration => "a declaration",
            Wanted::Statement => "a statement",
            Wanted::Expression => "an expression",
            Wanted::Condition => "a condition",
            Wanted::Type => "a type",
            Wanted::Variable => "a variable",
            Wanted::VariableName => "the name of a variable",
            Wanted::ParameterName => "the name of the parameter",
            Wanted::ProcedureName => "the name of the procedure",
            Wanted::ConstantName => "the name of the constant",
            Wanted::EnumName => "the name of the enumeration",
            Wanted::EnumValue => "the name of a value",
            Wanted::PredicateName => "the name of the predicate",
            Wanted::MemberName => "the name of a member",
            Wanted::ThreadName => "the name of the thread",
            Wanted::ThreadNumber => "a name for the number of the thread",
            Wanted::Binder => "a name for an index or a thread",
            Wanted::LocalOrAt => "a local variable or `at`",
            Wanted::ScopeName => "a procedure",
            Wanted::Callee => "the name of a procedure",
            Wanted::Started => "the procedure that the thread runs",
            Wanted::Call => "the call of a procedure",
            Wanted::Label => "a label",
            Wanted::Text => "a text",
            Wanted::Number => "a number",
            Wanted::Semicolon => "`;`",
            Wanted::Comma => "`,`",
            Wanted::Colon => "`:`",
            Wanted::DotDot => "`..`",
            Wanted::Star => "`*`",
            Wanted::Equal => "`=`",
            Wanted::Assign => "`:=`",
            Wanted::CommaOrAssign => "`,` or `:=`",
            Wanted::CommaOrSemicolon => "`,` or `;`",
            Wanted::OpenParen => "`(`",
            Wanted::OpenBracket => "`[`",
            Wanted::OpenBrace => "`{`",
            Wanted::CloseParen => "`)`",
            Wanted::CloseBracket => "`]`",
            Wanted::CloseBrace => "`}`",
            Wanted::CommaOrCloseParen => "`,` or `)`",
            Wanted::CommaOrCloseBrace => "`,` or `}`",
            Wanted::ThreadRest => "`*`, `=`, `{` or `;`",
            Wanted::ColonOrNotSelf => "`:` or `!= self:`",
            Wanted::InOrColon => "`in` or `:`",
            Wanted::Itself => "`self`",
            Wanted::Receive => "`receive`",
            Wanted::Goto => "`goto`",
            Wanted::ExpectedValue => "`,` and the expected value",
            Wanted::NewValue => "`,` and the new value",
        }
    }

    /// What helps where nothing else is known.
    pub(super) fn usual(self) -> &'static str {
        match self {
            Wanted::Declaration => {
                "a file is a list of declarations: `const N = 3;`, `int x := 0;`, `void f() { … }`, `thread NAME { … }`"
            }
            Wanted::Statement => {
                "a statement is an assignment (`x := 1;`), a call (`f();`), or begins with its word (`if`, `while`, `assert`)"
            }
            Wanted::Expression => {
                "an expression is a value or a variable, or several with operators between them: `x + 1`, `!b`, `a[i] == 0`"
            }
            Wanted::Condition => "a condition is true or false: `x == 1`, `b && !c`",
            Wanted::Type => {
                "types are `bool`, `int`, `int[0..3]`, `u8` to `i64`, `lock`, `tid`, and those declared with `enum` and `struct`"
            }
            Wanted::Variable => "name a variable, a member or an element: `x`, `n.x`, `a[i]`",
            Wanted::VariableName => {
                "after the type stand one or more names: `int x;`, `int x := 1, y := 2;`, `int a[3];`"
            }
            Wanted::ParameterName => {
                "each parameter has a type and a name: `void f(int x, bool y)`"
            }
            Wanted::ProcedureName => "a procedure has a name: `void f() { … }`",
            Wanted::ConstantName => "write `const NAME = value;`",
            Wanted::EnumName | Wanted::EnumValue => "write `enum NAME { A, B }`",
            Wanted::PredicateName => "write `predicate NAME: e;`, or `predicate: e;`",
            Wanted::MemberName => "a member is named after the `.`: `n.x`",
            Wanted::ThreadName | Wanted::ThreadRest => {
                "write `thread NAME { … }`, `thread NAME * 2 { … }` or `thread NAME * any = f();`"
            }
            Wanted::ThreadNumber => {
                "a name stands there, which is 0 in the first thread: `thread NAME[i] * 2 { … }`"
            }
            Wanted::Binder | Wanted::ColonOrNotSelf => {
                "write `forall i: a[i] == 0`, `exists i: a[i] == 0` or `#{i : a[i] == 0}`"
            }
            Wanted::LocalOrAt => {
                "write `i.x` for a local variable of thread `i`, `i.at L` for a label"
            }
            Wanted::ScopeName | Wanted::InOrColon => {
                "write `predicate NAME in f: e;`, or `predicate NAME: e;`"
            }
            Wanted::Callee | Wanted::Call => "a call names a procedure, with parentheses: `f(1);`",
            Wanted::Started => {
                "a thread that is started runs a procedure: `void f() { … }`, then `async f();`"
            }
            Wanted::Label => "a label is a name: `goto again;` jumps to `again: skip;`",
            Wanted::Text => "a text stands between quotes: `assert e, \"text\";`",
            Wanted::Number => {
                "how many there are is a number or a constant: `thread NAME * 2 { … }`"
            }
            Wanted::Semicolon => "a statement or declaration ends with `;`",
            Wanted::Comma => "a comma stands between the two",
            Wanted::Colon => "`c ? a : b` has a `:`, as a quantifier has: `forall i: a[i] == 0`",
            Wanted::DotDot => "a range has two dots: `int[0..3]`",
            Wanted::Star => "write `fair *`",
            Wanted::Equal => "write `const NAME = value;`",
            Wanted::Assign => "`x := value;` assigns, `f(…);` calls",
            Wanted::CommaOrAssign => "an assignment to several variables is `x, y := 1, 2;`",
            Wanted::CommaOrSemicolon => {
                "a comma stands between a condition and its lock: `wait c, m;`"
            }
            Wanted::OpenParen => {
                "parentheses stand here, with nothing in them if there is nothing to say: `f()`"
            }
            Wanted::OpenBracket => "brackets stand here: `schoose[a, b]`",
            Wanted::OpenBrace => {
                "braces stand round a block: `if c { … }`, `while c { … }`, `void f() { … }`"
            }
            Wanted::CloseParen => "add the missing `)`, or leave out the `(`",
            Wanted::CloseBracket => "add the missing `]`, or leave out the `[`",
            Wanted::CloseBrace => "add the missing `}`",
            Wanted::CommaOrCloseParen => {
                "commas stand between the parts, and `)` after the last one"
            }
            Wanted::CommaOrCloseBrace => {
                "commas stand between the parts, and `}` after the last one"
            }
            Wanted::Itself => "the thread that is left out is `self`: `exists i != self: e`",
            Wanted::Receive => {
                "a guard is a condition, or receives a message: `when x := receive(c)`"
            }
            Wanted::Goto => "write `start_thread goto L;`",
            Wanted::ExpectedValue | Wanted::NewValue => {
                "`b := cas(x, old, new);` sets `x` to `new` if it is `old`, and tells whether it was"
            }
        }
    }
}
