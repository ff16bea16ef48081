//! Expressions and literals.

use super::outline;
use super::read;
use crate::c::tree::{BlockItem, Item, StmtKind};

/// Compares the trees of expressions; `T` is a type.
fn check_exprs(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        let unit = read(&format!("typedef int T; void f(void) {{ {text}; }}"));
        let Some(Item::Function(function)) = unit.items.last() else { panic!("no function") };
        let [BlockItem::Stmt(stmt)] = &*function.body.items else {
            panic!("{text} is no statement")
        };
        let StmtKind::Expr(Some(expr)) = &stmt.kind else { panic!("{text} is no expression") };
        assert_eq!(outline::expr(expr), *expected, "for {text}");
    }
}

#[test]
fn precedence() {
    check_exprs(&[
        ("a + b * c - d", "((a + (b * c)) - d)"),
        (
            "a || b && c | d ^ e & f == g < h << i + j * k",
            "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + (j * k))))))))))",
        ),
        (
            "a * b + c << d < e == f & g ^ h | i && j || k",
            "((((((((((a * b) + c) << d) < e) == f) & g) ^ h) | i) && j) || k)",
        ),
        ("a - b - c, d / e % f", "(((a - b) - c) , ((d / e) % f))"),
        ("a = b += c <<= d", "(a = (b += (c <<= d)))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b, c : d", "(a ? (b , c) : d)"),
        ("a ?: b", "(a ?: b)"),
        ("a == b != c", "((a == b) != c)"),
        ("a >= b <= c > d", "(((a >= b) <= c) > d)"),
        (
            "a *= b /= c %= d -= e >>= f &= g ^= h |= i",
            "(a *= (b /= (c %= (d -= (e >>= (f &= (g ^= (h |= i))))))))",
        ),
    ]);
}

#[test]
fn operators_with_one_operand() {
    check_exprs(&[
        ("-~!+*&a", "(-(~(!(+(*(&a))))))"),
        ("++a, --a, a++, a--", "((((++a) , (--a)) , (a++)) , (a--))"),
        ("*p++", "(*(p++))"),
        ("a.b->c[1](2, 3)++", "(a.b->c[1](2, 3)++)"),
        ("- - a - -b", "((-(-a)) - (-b))"),
        ("a+++b", "((a++) + b)"),
        ("f()", "f()"),
        ("&&here", "<the address of a label>"),
        ("__real__ a + __imag__ b", "(<__real__> + <__imag__>)"),
    ]);
}

#[test]
fn types_in_expressions() {
    check_exprs(&[
        ("(T) a + (b) + 1", "(((<'T>a) + b) + 1)"),
        ("(T)(T *)a", "(<'T>(<*'T>a))"),
        ("(int (*)(void)) a", "(<*fn() int>a)"),
        ("(T) { 1 }.x", "<'T>{1}.x"),
        ("sizeof a + 1", "(sizeof(a) + 1)"),
        ("sizeof (T) + 1", "(sizeof<'T> + 1)"),
        ("sizeof (a) + 1", "(sizeof(a) + 1)"),
        ("sizeof (T) { 1 }.x", "sizeof(<'T>{1}.x)"),
        ("sizeof (int[3])", "sizeof<[3]int>"),
        ("sizeof -a", "sizeof((-a))"),
        ("_Alignof(T), __alignof__ a", "(alignof<'T> , alignof<typeof(a)>)"),
        ("__extension__ (T) a", "(<'T>a)"),
        ("(__extension__ T) a", "(<'T>a)"),
        ("(const struct s *) a", "(<*const struct s>a)"),
    ]);
}

#[test]
fn what_gnu_knows_by_name() {
    check_exprs(&[
        ("({ int x = 1; x; })", "({ x: int = 1; x; })"),
        ("__builtin_va_arg(list, int *)", "va_arg(list, *int)"),
        ("__builtin_offsetof(struct s, a.b[1])", "offsetof<struct s>.a.b[1]"),
        ("__builtin_types_compatible_p(T, int)", "compatible<'T, int>"),
        ("__builtin_choose_expr(1, a, b)", "choose(1, a, b)"),
        ("__builtin_expect(a, 1)", "__builtin_expect(a, 1)"),
        ("_Generic(a, int: 1, T *: 2, default: 3)", "generic(a, int: 1, *'T: 2, default: 3)"),
        ("__func__", "\"f\""),
    ]);
}

#[test]
fn integers() {
    check_exprs(&[
        ("0", "0"),
        ("07", "0x7"),
        ("12", "12"),
        ("017", "0xf"),
        ("0xFf", "0xff"),
        ("0b101", "0x5"),
        ("1u, 1U", "(1u , 1u)"),
        ("1l, 1Lu, 1UL", "((1l , 1ul) , 1ul)"),
        ("1ll, 1LLU, 1uLL", "((1ll , 1ull) , 1ull)"),
        ("18446744073709551615", "18446744073709551615"),
        ("0xFFFFFFFFFFFFFFFFull", "0xffffffffffffffffull"),
        ("'a', '\\n', '\\0', '\\377', '\\x41'", "(((('97' , '10') , '0') , '4294967295') , '65')"),
        ("'ab', '\\'', '\"'", "(('24930' , '39') , '34')"),
        ("L'ä', u'ä', U'\\U0001F600', u8'a'", "((('228l' , '228u') , '128512u') , '97')"),
    ]);
}

#[test]
fn floating_numbers() {
    check_exprs(&[
        ("1.5", "1.5f8"),
        ("1.", "1.0f8"),
        (".5f", "0.5f4"),
        ("1e3", "1000.0f8"),
        ("1E-2L", "0.01f12"),
        ("0x1.8p3", "12.0f8"),
        ("0x.8P-1F", "0.25f4"),
        ("0x1p-1074", "5e-324f8"),
        ("0x1p99999999999999999999", "inff8"),
        ("0x0p99999999999999999999", "0.0f8"),
        ("0x1p-99999999999999999999", "0.0f8"),
        ("010.5", "10.5f8"),
        ("1.0f128, 1.0q", "(1.0f16 , 1.0f16)"),
        ("2.0i", "<an imaginary number>"),
    ]);
}

#[test]
fn strings() {
    check_exprs(&[
        (r#""a\tb""#, r#""a\tb""#),
        (r#""a" "b"   "c""#, r#""abc""#),
        (r#"L"a" "ä""#, r#""aä":4"#),
        (r#"u"😀""#, r#""??":2"#),
        (r#""\x41\101\u00e4""#, r#""AAÃ¤""#),
        (r#""\0" "1""#, r#""\01""#),
        (r#""\?\"\e\(""#, r#""?\"\u{1b}(""#),
        ("\"a\\\nb\"", r#""ab""#),
        (r#""""#, r#""""#),
    ]);
}
