//! Tokens, directives and line markers.

use super::{check_each, read};
use crate::c::{Lines, parse};

#[test]
fn white_space_and_comments() {
    check_each(&[
        ("int/* a */x; // b\nint y; // c \\\n still c\nint z;", "x: int;\ny: int;\nz: int;"),
        ("\u{feff}int\u{c}x;\r\n\u{b}int \\\n y;", "x: int;\ny: int;"),
        ("int /**/ /***/ /* ** */ x; /* \"' */", "x: int;"),
        ("char *s = \"/* none */ // none\";", "s: *char = \"/* none */ // none\";"),
    ]);
}

#[test]
fn names_and_signs() {
    check_each(&[
        ("int a$b, $, _, größe;", "a$b: int; $: int; _: int; größe: int;"),
        ("int x <: 2 :> = <% 1, 2 %>;", "x: [2]int = {1, 2};"),
        (
            "int x = a>>=b, y = a->b, z = a-- -b;",
            "x: int = (a >>= b); y: int = a->b; z: int = ((a--) - b);",
        ),
    ]);
}

#[test]
fn directives_that_the_preprocessor_leaves() {
    let text =
        "# 1 \"a.c\"\n#line 5\n#pragma once\n  #  pragma \\\n GCC x\n#ident \"x\"\n#\nint x;";
    assert_eq!(read(text).items.len(), 1);
}

#[test]
fn line_markers() {
    let text = "int a;\n# 10 \"x.c\"\nint b;\nint c;\n# 3 \"/usr/include/h.h\" 1 3 4\nint d;\n/*\n# 7 \"no.c\"\n*/\
                int e;\n# 12 \"x.c\" 2\n\nint f;\n#line 100\nint g;\n#line 1 \"\\303\\244\\\\\\\"\"\nint h;";
    let lines = Lines::new("first.c", text);
    let place = |what: &str| {
        let offset = u32::try_from(text.find(what).unwrap()).unwrap();
        let (file, line) = lines.place(offset);
        format!("{file}:{line}{}", if lines.is_system(offset) { " system" } else { "" })
    };
    assert_eq!(place("int a"), "first.c:1");
    assert_eq!(place("int b"), "x.c:10");
    assert_eq!(place("int c"), "x.c:11");
    assert_eq!(place("int d"), "/usr/include/h.h:3 system");
    assert_eq!(place("int e"), "/usr/include/h.h:6 system");
    assert_eq!(place("int f"), "x.c:13");
    assert_eq!(place("int g"), "x.c:100");
    assert_eq!(place("int h"), "ä\\\":1");
    let (file, line) = lines.place(u32::MAX);
    assert_eq!((&*file, line), ("ä\\\"", 1));
    assert_eq!(Lines::new("empty.c", "").place(0).1, 1);
}

#[test]
fn spans_are_those_of_the_text() {
    let text = "int f(void) { return (a + b) * 2; }";
    let (unit, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    let crate::c::tree::Item::Function(f) = &unit.items[0] else { panic!("no function") };
    let at = |span: selvedge_program::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(at(f.span), text);
    assert_eq!(at(f.declarator.span), "f(void)");
    assert_eq!(at(f.body.span), "{ return (a + b) * 2; }");
    let crate::c::tree::BlockItem::Stmt(stmt) = &f.body.items[0] else { panic!("no statement") };
    assert_eq!(at(stmt.span), "return (a + b) * 2;");
    let crate::c::tree::StmtKind::Return(Some(value)) = &stmt.kind else { panic!("no value") };
    assert_eq!(at(value.span), "(a + b) * 2");
}
