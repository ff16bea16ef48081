//! Mistakes with structs, parameters that stand for shared variables, and channels.

use expect_test::{Expect, expect};
use selvedge_frontend::check::{CheckOptions, check as check_file};
use selvedge_frontend::{Diagnostics, weave};
use selvedge_program::Source;

/// All that is said about a text, one line each: where, what, and what to do about it.
fn check(text: &str, expected: Expect) {
    let source = Source::new("t.weave", text);
    let (file, syntax) = weave::parse(&source);
    let (program, problems) = check_file(&file, &CheckOptions::default());
    let found = Diagnostics::new(source.clone(), [syntax, problems].concat());
    assert!(program.is_none() && found.has_errors(), "there are mistakes, and no program");
    let line = |d: &selvedge_frontend::Diagnostic| {
        let hint = d.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
        let at = source.line_column(d.label.span.start);
        format!("{}:{}: {}{hint}\n", at.line, at.column, d.message)
    };
    expected.assert_eq(&found.list.iter().map(line).collect::<String>());
}

#[test]
fn declarations_of_structs() {
    check(
        "struct empty { }
struct node { int value; bool value; int n := 3; ref int r; node next; }
struct a { b inner; }
struct b { int x; a outer; }
enum node { A }
struct c { int x }
struct d { int x; } e;
thread t { struct f { int x; } struct c g; typedef h; }
",
        expect![[r#"
            1:8: the struct `empty` has no members (list them: `struct empty { int value; }`)
            2:31: `node` has two members `value` (give one of them another name)
            2:47: the member `n` has no first value of its own (give the variable a first value, as in `node n := {1, false};`; only semaphores and barriers have theirs in the struct)
            2:54: expected the name of a variable, but `int` is a reserved word (choose another name)
            2:66: the struct `node` has itself as a part (to refer to another `node`, keep its index in an array: `int[0..3] next;`)
            3:14: the struct `a` has itself as a part (to refer to another `a`, keep its index in an array: `int[0..3] inner;`)
            5:6: `node` is already the name of a struct (give one of them another name)
            6:17: write `;` before `}` (a statement or declaration ends with `;`)
            7:21: a variable cannot be declared together with its struct (end the declaration before it, and write its type: `d e;`)
            8:12: a struct cannot be declared inside a procedure (move it to the top of the file, or add a missing `}`)
            8:32: `struct` stands before declarations of structs only (leave it out: its name is the type, as in `c x;`)
            8:44: there is no type `typedef` (types have no second names: write `int`, `u8` to `i64`, `bool`; `enum NAME { A, B }` and `struct NAME { int x; }` declare some)
        "#]],
    );
}

#[test]
fn members() {
    check(
        "struct node { int[0..3] value; bool used; int items[2]; }
struct guarded { int x; lock l; }
node q[2], one := {1}, two := {1, true, 0, 4}, three := 3;
guarded g := {1}, h;
int plain;
void f(node n) { }
guarded k() { return g; }
void m(guarded x) { }
thread t {
  q[1].valu := 1;
  q.value := 1;
  one[0].value := 1;
  one.value[0] := 1;
  plain.x := 1;
  missing.x := 1;
  plain := one;
  plain := one + 1;
  one := plain;
  one := g;
  g := h;
  assert g == h;
  one.items.x := 1;
  guarded local_one;
  q[*] := one;
  one := {1, 2};
  one.used := 3;
  q[5].value := 1;
  acquire one.value;
  acquire g;
  node one;
  node two, two;
  bool b := cas(one, two, q[0]);
  one := plain == 0 ? two : g;
}
",
        expect![[r#"
            3:19: 1 value for the 3 members of `node` (one for each of `value`, `used`, `items`, as in `{0, false, {0, …}}`)
            3:31: 4 values for the 3 members of `node` (one for each of `value`, `used`, `items`, as in `{0, false, {0, …}}`)
            3:57: expected a `node` (a variable of that type, or a value for each member, as in `{0, false, {0, …}}`)
            6:8: a parameter cannot have an array in it, as `items` is (a parameter can stand for a shared variable: `ref` before its type)
            7:1: a `guarded` is not copied or compared as a whole: its `l` is a lock (use its other members one by one; a procedure gets it as `ref guarded …`)
            7:15: `k` has no results, but 2 values are returned (the type of the result stands before the name, in the place of `void`)
            7:22: `g.l` is a lock, and has no value (locks are only used with `acquire`, `release` and `trylock`)
            8:8: a `guarded` is not copied or compared as a whole: its `l` is a lock (use its other members one by one; a procedure gets it as `ref guarded …`)
            10:8: `q[…]` has no member `valu` (did you mean `value`?)
            11:3: `q` is an array; one element is wanted here (say which one, as in `q[0]`)
            12:3: `one` is not an array
            13:3: `one.value` is not an array
            14:3: `plain` has no members, such as `x` (a variable has members if its type is a struct: `struct pair { int x; int y; }`)
            15:3: there is no variable `missing` (declare it, as in `int[0..9] missing;`)
            16:12: this is a whole `node`; one of its members is wanted here (name it, as in `….value`)
            17:12: this is a whole `node`; one of its members is wanted here (name it, as in `….value`)
            18:10: expected a `node`, but this is none
            19:10: expected a `node`, but this is a `guarded`
            20:3: a `guarded` is not copied or compared as a whole: its `l` is a lock (use its other members one by one; a procedure gets it as `ref guarded …`)
            21:10: a `guarded` is not copied or compared as a whole: its `l` is a lock (use its other members one by one; a procedure gets it as `ref guarded …`)
            22:3: `one.items` is an array; one element is wanted here (say which one, as in `one.items[0]`)
            23:11: `local_one` has a lock in it, and cannot be local (`l` is there for several threads: declare `local_one` outside of the procedures)
            24:5: this would be chosen for each member anew (choose it first: `i := *;`)
            25:10: 2 values for the 3 members of `node` (one for each of `value`, `used`, `items`, as in `{0, false, {0, …}}`)
            26:15: expected a truth value, but this is an integer (truth values are `true` and `false`)
            27:5: there is no element 5 in `q[].value` (indices go from 0 to 1)
            28:11: `acquire` needs a lock, but `one.value` is an integer (locks are shared variables: `lock m;`)
            29:11: this is a whole `guarded`; one of its members is wanted here (name it, as in `….x`)
            31:13: there is a local variable `two` already (give one of them another name)
            33:29: expected a `node`, but this is a `guarded`
        "#]],
    );
}

#[test]
fn channels() {
    check(
        "chan[2] int c; chan bool m; chan[100] int large; chan[*] int odd; chan[1] lock locks; chan[1] int cs[2];
struct pair { int x; int y; } chan[1] pair ps; int n; const N = 3; chan[N - 2] int small;
thread t {
  int x; bool b; pair p; chan[1] int mine;
  send(c);
  send(c, true);
  send(n, 1);
  send(missing, 1);
  x := send(c, 1);
  b := receive(c);
  x := receive(c) + 1;
  if (receive(c)) skip;
  b := trysend(m, true);
  atomic { send(m, true); }
  either when send(m, true) { }
  send(cs, 1);
  send(cs[n], 1);
  p := receive(c);
  x := receive(ps);
  send(ps, 1);
  x := c;
  c.length := 1;
  x := c.size;
  b := tryreceive(c, 1);
  small.full;
}
",
        expect![[r#"
            1:34: a channel cannot hold that many messages (write a constant from 0 to 64, as in `chan[2] int c;`)
            1:55: a channel cannot hold that many messages (write a constant from 0 to 64, as in `chan[2] int c;`)
            1:75: a lock cannot be sent (send an index, or another value that says which one)
            4:26: a channel cannot be local (declare it outside of the procedures: `chan[1] int mine;`)
            5:3: `send` is not used like this (write `send(c, 1);`)
            6:11: expected an integer, but this is a truth value (write `1`, or declare a `bool`)
            7:8: `send` needs a channel, but `n` is none (channels are shared variables: `chan[2] int c;`)
            8:8: there is no channel `missing` (declare it, as in `chan[2] int missing;`)
            9:3: `send` has no result (write `send(c, 1);`)
            10:8: expected a truth value, but this is an integer (compare it, as in `n != 0`; only `0` and `1` count as truth values)
            11:8: `receive` cannot stand inside of an expression (it is a step of its own: `x := receive(c);`)
            12:6: `receive` waits until it is done, and is no condition (`tryreceive` says whether it was done)
            13:8: nobody knows whether somebody receives: the channel holds no messages (let it hold some, as in `chan[1] int c;`, or `send`, which waits)
            14:12: nobody can receive inside of `atomic` (no other thread acts before the block ends, and the channel holds no messages: send before or after it, or let the channel hold some, as in `chan[1] int c;`)
            15:15: nobody can receive inside of `atomic` (no other thread acts before the block ends, and the channel holds no messages: send before or after it, or let the channel hold some, as in `chan[1] int c;`)
            16:3: this is an array of channels; one of them is wanted here (write `send(c, 1);`)
            18:3: this is a whole `pair`; one of its members is wanted here (name it, as in `….x`)
            19:3: a message is a `pair`, but this is none
            20:12: expected a `pair` (a variable of that type, or a value for each member, as in `{0, 0}`)
            21:8: a channel has no value (`send(c, e);` and `x := receive(c);` use it; `c.length`, `c.empty` and `c.full` ask)
            22:3: this can be read, and is set by `send` and `receive` alone
            23:10: a channel has no member `size` (there are `c.length`, `c.empty` and `c.full`; `send(c, …);` and `x := receive(c);` use it)
            24:22: `tryreceive` needs a variable for the message (write `if tryreceive(c, x) { … }`)
            25:13: write `:=` here, not `;` (`small := value;` assigns, `small(…);` calls, `assume small;` waits until it holds)
        "#]],
    );
}

#[test]
fn what_other_languages_write() {
    for text in [
        "struct node { int x; node *next; }",
        "struct node { int x; }; struct node n; thread t { }",
        "typedef struct { int x; } node;",
        "thread t { c <- 1; x := <-c; }",
        "thread t { c ! 1; c ? x; }",
        "chan c = [2] of { int };",
        "chan[1] int c; thread t { c.send(1); }",
        "int c; thread t { int x := c.recv(); }",
        "void f(int *p) { *p := 1; }",
        "thread t { p->x := 1; }",
    ] {
        let source = selvedge_program::Source::new("t.weave", text);
        let (file, syntax) = selvedge_frontend::weave::parse(&source);
        let (_, problems) = selvedge_frontend::check::check(&file, &Default::default());
        let all = [syntax, problems].concat();
        assert!(!all.is_empty(), "{text}");
        let first = &all[0];
        let bare = first.message.starts_with("expected") && first.hint.is_none();
        assert!(!bare, "{text}: {}", first.message);
    }
}
