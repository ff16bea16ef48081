//! The tree as text: every operator in parentheses, types read from left to right (`[3]*int` is an array of three pointers).

use crate::c::tree::{
    Alignment, Asm, Binary, Block, BlockItem, Declaration, Declarator, Derived, Designator, Expr,
    ExprKind, Function, Init, Item, Member, Name, Param, Qualifiers, Rank, Specifiers, Stmt,
    StmtKind, Storage, TypeName, TypeWords, Unary, Unit,
};

fn join<T>(list: &[T], between: &str, show: impl Fn(&T) -> String) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(between)
}

pub(super) fn unit(unit: &Unit) -> String {
    join(&unit.items, "\n", |item| match item {
        Item::Function(f) => function(f),
        Item::Declaration(d) => declaration(d),
        Item::Asm(_) => "asm".to_owned(),
    })
}

fn function(f: &Function) -> String {
    let old = join(&f.old_style, "", |d| format!(" {}", declaration(d)));
    format!("{}{old} {}", declared(&f.specifiers, &f.declarator), block(&f.body))
}

fn declaration(d: &Declaration) -> String {
    if d.declarators.is_empty() {
        return format!("{};", specifiers(&d.specifiers));
    }
    join(&d.declarators, " ", |one| {
        let init = one.init.as_ref().map_or(String::new(), |i| format!(" = {}", init(i)));
        format!("{}{init};", declared(&d.specifiers, &one.declarator))
    })
}

/// `static x: *int`
fn declared(s: &Specifiers, d: &Declarator) -> String {
    let name = d.name.as_ref().map_or("_", |name| &name.text);
    format!(
        "{}{name}: {}{}{}",
        storage(s),
        derived(&d.derived),
        words(s),
        attributes(&d.attributes, &d.alignments)
    )
}

fn storage(s: &Specifiers) -> String {
    let mut text = String::new();
    text += match s.storage {
        Some(Storage::Typedef) => "typedef ",
        Some(Storage::Extern) => "extern ",
        Some(Storage::Static) => "static ",
        Some(Storage::Automatic) => "auto ",
        None => "",
    };
    for (is, word) in
        [(s.thread_local, "thread "), (s.noreturn, "noreturn "), (s.inline, "inline ")]
    {
        text += if is { word } else { "" };
    }
    text
}

fn specifiers(s: &Specifiers) -> String {
    format!("{}{}", storage(s), words(s))
}

fn words(s: &Specifiers) -> String {
    format!("{}{}{}", qualifiers(s.qualifiers), ty(&s.ty), attributes(&s.attributes, &s.alignments))
}

fn qualifiers(q: Qualifiers) -> String {
    let each = [(q.is_const, "const "), (q.is_volatile, "volatile "), (q.is_atomic, "atomic ")];
    each.into_iter().filter(|one| one.0).map(|one| one.1).collect()
}

fn attributes(names: &[Name], alignments: &[Alignment]) -> String {
    let names = join(names, "", |name| format!(" @{}", name.text));
    let alignments = join(alignments, "", |alignment| match alignment {
        Alignment::Most => " align".to_owned(),
        Alignment::Bytes(bytes) => format!(" align {}", expr(bytes)),
        Alignment::Of(ty) => format!(" align of {}", type_name(ty)),
    });
    names + &alignments
}

pub(super) fn derived(list: &[Derived]) -> String {
    join(list, "", |one| match one {
        Derived::Pointer(q) => format!("*{}", qualifiers(*q)),
        Derived::Array(None) => "[]".to_owned(),
        Derived::Array(Some(length)) => format!("[{}]", expr(length)),
        Derived::Function { params, variadic, unspecified } => {
            let dots = if *variadic { ", ..." } else { "" };
            let unspecified = if *unspecified { "?" } else { "" };
            format!("fn{unspecified}({}{dots}) ", join(params, ", ", param))
        }
    })
}

fn param(p: &Param) -> String {
    declared(&p.specifiers, &p.declarator)
}

pub(super) fn type_name(ty: &TypeName) -> String {
    format!("{}{}", derived(&ty.declarator.derived), words(&ty.specifiers))
}

pub(super) fn ty(ty: &TypeWords) -> String {
    match ty {
        TypeWords::Void => "void".to_owned(),
        TypeWords::Bool => "bool".to_owned(),
        TypeWords::Char(None) => "char".to_owned(),
        TypeWords::Char(Some(signed)) => format!("{}char", sign(*signed)),
        TypeWords::Integer(rank, signed) => {
            let word = match rank {
                Rank::Short => "short",
                Rank::Int => "int",
                Rank::Long => "long",
                Rank::LongLong => "llong",
                Rank::Int128 => "int128",
            };
            format!("{}{word}", if *signed { "" } else { "u" })
        }
        TypeWords::Floating(bytes) => format!("float{bytes}"),
        TypeWords::Named(name) => format!("'{}", name.text),
        TypeWords::Record(r) => {
            let word = if r.is_union { "union" } else { "struct" };
            let tag = r.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.text));
            let members = r.members.as_ref();
            let members =
                members.map_or(String::new(), |m| format!(" {{{}}}", join(m, " ", member)));
            format!("{word}{tag}{members}{}", attributes(&r.attributes, &r.alignments))
        }
        TypeWords::Enum(e) => {
            let tag = e.tag.as_ref().map_or(String::new(), |tag| format!(" {}", tag.text));
            let one = |(name, value): &(Name, Option<Expr>)| match value {
                Some(value) => format!("{} = {}", name.text, expr(value)),
                None => name.text.to_string(),
            };
            let list = e.enumerators.as_ref();
            let list = list.map_or(String::new(), |list| format!(" {{{}}}", join(list, ", ", one)));
            format!("enum{tag}{list}{}", attributes(&e.attributes, &[]))
        }
        TypeWords::TypeofExpr(e) => format!("typeof({})", expr(e)),
        TypeWords::TypeofType(t) => format!("typeof({})", type_name(t)),
        TypeWords::Atomic(t) => format!("atomic({})", type_name(t)),
        TypeWords::Auto => "auto".to_owned(),
        TypeWords::VaList => "va_list".to_owned(),
        TypeWords::Missing => "missing".to_owned(),
    }
}

fn sign(signed: bool) -> &'static str {
    if signed { "signed " } else { "unsigned " }
}

fn member(m: &Member) -> String {
    if m.declarators.is_empty() {
        return format!("{};", specifiers(&m.specifiers));
    }
    join(&m.declarators, " ", |(declarator, width)| {
        let width = width.as_ref().map_or(String::new(), |width| format!(" : {}", expr(width)));
        format!("{}{width};", declared(&m.specifiers, declarator))
    })
}

fn init(i: &Init) -> String {
    match i {
        Init::Expr(e) => expr(e),
        Init::List(parts, _) => list(parts),
    }
}

fn list(parts: &[(Vec<Designator>, Init)]) -> String {
    let part = |(path, value): &(Vec<Designator>, Init)| {
        let equals = if path.is_empty() { "" } else { " = " };
        format!("{}{equals}{}", designators(path), init(value))
    };
    format!("{{{}}}", join(parts, ", ", part))
}

fn designators(path: &[Designator]) -> String {
    join(path, "", |one| match one {
        Designator::Member(name) => format!(".{}", name.text),
        Designator::Index(index) => format!("[{}]", expr(index)),
        Designator::Range(from, to) => format!("[{} ... {}]", expr(from), expr(to)),
    })
}

fn block(b: &Block) -> String {
    format!("{{ {} }}", join(&b.items, " ", block_item))
}

fn block_item(item: &BlockItem) -> String {
    match item {
        BlockItem::Declaration(d) => declaration(d),
        BlockItem::Function(f) => function(f),
        BlockItem::Stmt(s) => stmt(s),
    }
}

fn stmt(s: &Stmt) -> String {
    let some = |e: &Option<Expr>| e.as_ref().map_or(String::new(), expr);
    match &s.kind {
        StmtKind::Expr(e) => format!("{};", some(e)),
        StmtKind::Block(b) => block(b),
        StmtKind::If(c, then, None) => format!("if ({}) {}", expr(c), stmt(then)),
        StmtKind::If(c, then, Some(or)) => {
            format!("if ({}) {} else {}", expr(c), stmt(then), stmt(or))
        }
        StmtKind::While(c, body) => format!("while ({}) {}", expr(c), stmt(body)),
        StmtKind::DoWhile(body, c) => format!("do {} while ({});", stmt(body), expr(c)),
        StmtKind::For { init, cond, step, body } => {
            let init = init.as_ref().map_or(";".to_owned(), |init| block_item(init));
            format!("for ({init} {}; {}) {}", some(cond), some(step), stmt(body))
        }
        StmtKind::Switch(value, body) => format!("switch ({}) {}", expr(value), stmt(body)),
        StmtKind::Case(from, None, body) => format!("case {}: {}", expr(from), stmt(body)),
        StmtKind::Case(from, Some(to), body) => {
            format!("case {} ... {}: {}", expr(from), expr(to), stmt(body))
        }
        StmtKind::Default(body) => format!("default: {}", stmt(body)),
        StmtKind::Label(name, body) => format!("{}: {}", name.text, stmt(body)),
        StmtKind::Goto(name) => format!("goto {};", name.text),
        StmtKind::GotoComputed(e) => format!("goto *{};", expr(e)),
        StmtKind::Break => "break;".to_owned(),
        StmtKind::Continue => "continue;".to_owned(),
        StmtKind::Return(None) => "return;".to_owned(),
        StmtKind::Return(Some(e)) => format!("return {};", expr(e)),
        StmtKind::Asm(Asm { template, outputs, inputs, clobbers }) => {
            let (outputs, inputs) = (join(outputs, ", ", expr), join(inputs, ", ", expr));
            format!("asm({template:?} : {outputs} : {inputs} : {});", clobbers.join(", "))
        }
    }
}

pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Integer { value, octal_or_hex, unsigned, rank, character } => {
            let suffix = match rank {
                Rank::Long => "l",
                Rank::LongLong => "ll",
                _ => "",
            };
            let prefix = if *octal_or_hex && *value != 0 { "0x" } else { "" };
            let value = if *octal_or_hex { format!("{value:x}") } else { value.to_string() };
            let unsigned = if *unsigned { "u" } else { "" };
            let quote = if *character { "'" } else { "" };
            format!("{quote}{prefix}{value}{unsigned}{suffix}{quote}")
        }
        ExprKind::Floating(value, bytes) => format!("{value:?}f{bytes}"),
        ExprKind::String(units, width) => {
            let text: String =
                units.iter().map(|&unit| char::from_u32(unit).unwrap_or('?')).collect();
            format!("{text:?}{}", if *width == 1 { String::new() } else { format!(":{width}") })
        }
        ExprKind::Call(f, arguments) => format!("{}({})", expr(f), join(arguments, ", ", expr)),
        ExprKind::Index(array, index) => format!("{}[{}]", expr(array), expr(index)),
        ExprKind::Member(e, name) => format!("{}.{}", expr(e), name.text),
        ExprKind::Arrow(e, name) => format!("{}->{}", expr(e), name.text),
        ExprKind::Step { place, up, postfix } => {
            let sign = if *up { "++" } else { "--" };
            if *postfix {
                format!("({}{sign})", expr(place))
            } else {
                format!("({sign}{})", expr(place))
            }
        }
        ExprKind::Unary(op, e) => format!("({}{})", unary(*op), expr(e)),
        ExprKind::Unsupported(what) => format!("<{what}>"),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", expr(a), binary(*op), expr(b)),
        ExprKind::Assign(op, a, b) => {
            format!("({} {}= {})", expr(a), op.map_or("", binary), expr(b))
        }
        ExprKind::Conditional(c, Some(a), b) => {
            format!("({} ? {} : {})", expr(c), expr(a), expr(b))
        }
        ExprKind::Conditional(c, None, b) => format!("({} ?: {})", expr(c), expr(b)),
        ExprKind::Cast(ty, e) => format!("(<{}>{})", type_name(ty), expr(e)),
        ExprKind::Compound(ty, parts) => format!("<{}>{}", type_name(ty), list(parts)),
        ExprKind::SizeofExpr(e) => format!("sizeof({})", expr(e)),
        ExprKind::SizeofType(ty) => format!("sizeof<{}>", type_name(ty)),
        ExprKind::Alignof(ty, _) => format!("alignof<{}>", type_name(ty)),
        ExprKind::Statement(b) => format!("({})", block(b)),
        ExprKind::Offsetof(ty, path) => format!("offsetof<{}>{}", type_name(ty), designators(path)),
        ExprKind::Compatible(a, b) => format!("compatible<{}, {}>", type_name(a), type_name(b)),
        ExprKind::Choose(c, a, b) => format!("choose({}, {}, {})", expr(c), expr(a), expr(b)),
        ExprKind::Generic(e, choices) => {
            let choice = |(ty, e): &(Option<TypeName>, Expr)| {
                format!("{}: {}", ty.as_ref().map_or("default".to_owned(), type_name), expr(e))
            };
            format!("generic({}, {})", expr(e), join(choices, ", ", choice))
        }
        ExprKind::VaArg(list, ty) => format!("va_arg({}, {})", expr(list), type_name(ty)),
    }
}

fn unary(op: Unary) -> &'static str {
    match op {
        Unary::Address => "&",
        Unary::Deref => "*",
        Unary::Plus => "+",
        Unary::Minus => "-",
        Unary::Complement => "~",
        Unary::Not => "!",
    }
}

fn binary(op: Binary) -> &'static str {
    match op {
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::BitAnd => "&",
        Binary::BitXor => "^",
        Binary::BitOr => "|",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Comma => ",",
    }
}
