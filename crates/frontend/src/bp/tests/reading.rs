//! What is read, of both dialects.

use expect_test::{Expect, expect};

use super::{outline, read};
use crate::syntax::{Item, StmtKind};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&outline::file(&read(text)));
}

/// Compares an expression with all its parentheses.
fn check_expr(text: &str, expected: &str) {
    let file = read(&format!("main() begin assume {text}; end"));
    let [Item::Proc(main)] = file.items.as_slice() else { panic!("one procedure: {file:?}") };
    let StmtKind::Assume(e) = &main.body[0].kind else { panic!("an assumption: {main:?}") };
    assert_eq!(outline::expr(e), expected, "for {text}");
}

#[test]
fn satabs() {
    check(
        "// made by a tool
         decl b0;  // shared
         void main() begin
           decl b1;   // LOCAL -- x < y
           b0:=*; 
          PC0: skip; // location only
           l1:
          PC8: if 0 then goto l6; fi;
          PC9: start_thread goto l2;
               goto l1;
           l2:
         PC13: assume((*) & (*) & (*));
         PC14: atomic_begin;
         PC15: b0,b1 := *,* constrain
                 ((!'b0) | b1' & b0);
         PC16: atomic_end;
         PC31: assert(!(*));
         PC35: end_thread;
           l6:
         end
         void c$$thr1() begin end",
        expect![[r#"
            shared b0
            0 <- main()
              local b1
              b0 := *
              PC0: Skip
              l1: PC8: if 0
                goto l6
              PC9: start thread at l2
              goto l1
              l2: PC13: assume ((* & *) & *)
              PC14: AtomicBegin
              PC15: b0, b1 := *, * constrain (!'b0 | ('b1 & b0))
              PC16: AtomicEnd
              PC31: assert !*
              PC35: EndThread
              l6: Empty
            0 <- c$$thr1()
        "#]],
    );
}

#[test]
fn classic() {
    check(
        "decl x, y; decl z := 1, w := F;
         void main() begin
           decl a := T, b;
           call f(a, x);
           call a, b := g(x);
           a, b := g(x & y);
           a := h();
           f(1, 0);
           if a then skip; elsif b then x := 1; else y := *; fi;
           while !a do a := schoose[x, y]; od
           dead a, b;
           thread_create(f, a, b); thread_create(&f, 1, *); start_thread h();
           sync_begin; sync_end;
           goto l, m;
           l: m: return;
         end
         f(a, b) begin skip; end;
         bool<2> g(a) { return a, !a; }
         bool h() begin return choose; end",
        expect![[r#"
            shared x
            shared y
            shared z := 1
            shared w := 0
            0 <- main()
              local a := 1
              local b
              f(a, x)
              a, b := g(x)
              a, b := g((x & y))
              a := h()
              f(1, 0)
              if a
                Skip
              else
                if b
                  x := 1
                else
                  y := *
              while !a
                a := schoose[x, y]
              havoc a, b
              async f(a, b)
              async f(1, *)
              async h()
              AtomicBegin
              AtomicEnd
              goto l, m
              l: m: return
            0 <- f(a, b)
              Skip
            2 <- g(a)
              return a, !a
            1 <- h()
              return *
        "#]],
    );
}

#[test]
fn braces_as_in_c() {
    check(
        "void main() {
           if (x) { skip; } else if (y) { goto l; } else { x := 1; }
           while (*) { f(); }
           { decl t := f(); t := 0; }
           begin skip; end
           /* a comment
              of two lines */
           l: ;
         }",
        expect![[r#"
            0 <- main()
              if x
                Skip
              else
                if y
                  goto l
                else
                  x := 1
              while *
                f()
              block
                local t := f()
                t := 0
              block
                Skip
              l: Empty
        "#]],
    );
}

#[test]
fn labels_may_be_numbers() {
    check(
        "void main() begin 10: if * then goto 12; fi; 11: start_thread goto 10; 12: skip; end",
        expect![[r#"
            0 <- main()
              10: if *
                goto 12
              11: start thread at 10
              12: Skip
        "#]],
    );
}

#[test]
fn precedence() {
    check_expr("a | b & c", "(a | (b & c))");
    check_expr("a & b | c", "((a & b) | c)");
    check_expr("a | b ^ c & d = e", "(a | (b != (c & (d = e))))");
    check_expr("a = b & c ^ d | e", "((((a = b) & c) != d) | e)");
    check_expr("a => b => c | d", "(a => (b => (c | d)))");
    check_expr("a | b => c", "((a | b) => c)");
    check_expr("a ? b : c ? d : e", "(a ? b : (c ? d : e))");
    check_expr("a ? b ? c : d : e", "(a ? (b ? c : d) : e)");
    check_expr("a => b ? c => d : e => f", "((a => b) ? (c => d) : (e => f))");
    check_expr("!a & ~!b", "(!a & !!b)");
    check_expr("!(a | b) && (c)", "(!(a | b) & c)");
    check_expr("a = b == c != d <> e", "((((a = b) = c) != d) != e)");
    check_expr("* & *", "(* & *)");
    check_expr("schoose[a | b, schoose[c, *]]", "schoose[(a | b), schoose[c, *]]");
}

#[test]
fn a_chain_of_one_operator_is_a_balanced_tree() {
    check_expr("a & b & c & d & e", "(((a & b) & (c & d)) & e)");
    check_expr("a | b | c | d", "((a | b) | (c | d))");
    check_expr("a ^ b ^ c ^ d", "((a != b) != (c != d))");
    let chain = vec!["x"; 100_000].join(" & ");
    let file = read(&format!("main() begin assume {chain}; end"));
    assert_eq!(file.items.len(), 1);
}

#[test]
fn places_cover_what_they_name() {
    let text = "main() begin assume (a) & b'; end";
    let file = read(text);
    let Item::Proc(main) = &file.items[0] else { panic!("one procedure") };
    let StmtKind::Assume(e) = &main.body[0].kind else { panic!("an assumption") };
    let slice = |span: selvedge_program::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(slice(e.span), "(a) & b'");
    assert_eq!(slice(main.body[0].span), "assume (a) & b'");
    assert_eq!(slice(main.span), "main()");
}

#[test]
fn a_file_may_be_empty() {
    check("", expect![""]);
    check("\u{feff}// nothing\r\n", expect![""]);
}
