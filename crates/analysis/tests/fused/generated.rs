//! # Random texts of programs that take locks and wait for each other
//! Locks are taken and given back mostly as they should be, and variables are mostly touched with their locks: whoever believes a little too much
//! of what locks protect, or of who may wait, is wrong about some of these.

use std::fmt::Write;

/// What may come beside locks that are simply taken and given back, in programs of [`random_locked`]: locks and variables that are handed over, locks in structs, locks that are given back in
/// an atomic section or by another procedure, names of locks that change, sections that call, recursion while a lock is held, conditions, channels, and `cas`.
const BESIDE_LOCKS: &[&str] = &[
    "with(m, x);",
    "with(n, y);",
    "with(m, y);",
    "with(k[i], d[i]);",
    "with(k[i], d[1 - i]);",
    "with(s[i].l, s[i].v);",
    "acquire s[i].l; s[i].v := (s[i].v + 1) % 3; release s[i].l; l := 2;",
    "acquire s[i].l; l := s[1 - i].v; s[i].v := l; release s[i].l; assert l != 1;",
    "acquire s[l % 2].l; s[l % 2].v := 1; release s[l % 2].l;",
    "acquire m; x := 1; atomic { z := x; release m; }",
    "acquire m; atomic { x := 2; release m; acquire m; } l := x; release m;",
    "atomic { acquire m; inside(); z := x; release m; }",
    "atomic { inside(); l := z; }",
    "acquire m; give(); x := (x + 1) % 3; take(); release m;",
    "take(); x := 1; x := 2; give();",
    "acquire m; dive(2); release m; assert x != 2 || z != 2;",
    "acquire m; l := down(1); release m; assert l != 1;",
    "acquire k[l % 2]; d[l % 2] := 1; release k[l % 2];",
    "acquire k[l % 2]; l := (l + 1) % 2; d[l] := 1; release k[1 - l];",
    "acquire k[i]; l := down(1); d[i] := l; release k[i];",
    "acquire m; if (x == 0) wait w, m; x := 2; release m;",
    "acquire m; x := 0; notify w; release m;",
    "notify all w;",
    "send(c, l);",
    "l := receive(c); assert l != 2;",
    "acquire n; l := receive(c); y := l; release n;",
    "acquire n; y := 1; send(c, y); release n;",
    "if (tryreceive(c, l)) z := l;",
    "if (cas(z, 0, 1)) { l := 1; } else { l := 2; }",
    "acquire n; if (cas(y, 0, 2)) { z := 1; } release n;",
    "l := 2; l := (l + i) % 3; assert l != 0 || z != 1;",
    "either when z == 0 { z := 1; } or when x == 1 { l := 1; }",
    "acquire m; either when x == 0 { x := 1; } or when x != 0 { release m; acquire m; } release m;",
    "while (fair *) { acquire m; x := (x + 1) % 3; release m; }",
];

/// What may come beside cells, flags and locks in programs of [`random_ring`].
const BESIDE_CELLS: &[&str] = &[
    "send(c[me], l);",
    "l := receive(c[me]);",
    "send(c[(me + 1) % N], 1); l := receive(c[me]); assert l != 0;",
    "if (tryreceive(c[me], l)) b := true;",
    "either when l := receive(c[me]) { b := true; } or when flag[me] { skip; }",
    "acquire m; if (g == 0) wait w, m; g := 2; release m;",
    "acquire m; g := 0; notify w; release m;",
    "notify all w;",
    "if (cas(cell[me], 0, 1)) { l := 1; } else { l := 2; }",
    "b := cas(g, 1, 2); assert !b || l != 1;",
    "put(cell[me], k[me]);",
    "put(cell[(me + 1) % N], k[me]);",
    "put(s[me].v, s[me].l);",
    "acquire s[me].l; s[me].v := (s[me].v + 1) % 3; l := s[me].v; release s[me].l; assert l != 2;",
    "l := s[(me + 1) % N].v;",
    "l := (l + 1) % 3; l := (l * 2) % 3; assert l != 1 || !b;",
    "while (fair *) { cell[me] := 1; }",
    "l := sum(me, 1); cell[me] := l;",
    "atomic { l := sum(me, 1); wait(l != 2); put(cell[me], m); }",
    "acquire k[me]; l := sum(me, 1); release k[me];",
];

/// A program with two locks. `m` mostly protects `x` and `a`, `n` mostly protects `y`; `z` is anybody's.
pub fn random_locked(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut text = "lock m, n, k[2]; int[0..2] x := 0, y := 0, z := 0; bool a[2] := false; int[0..2] d[2] := 0;\n\
         struct cell { lock l; int[0..2] v; } cell s[2] := {0}; condition w; chan[1] int[0..2] c;\n\
         void with(lock h, ref int[0..2] v) { acquire h; v := (v + 1) % 3; release h; }\n\
         void take() { acquire m; } void give() { release m; }\n\
         void dive(int[0..2] n) { if (n > 0) { x := n; dive(n - 1); } }\n\
         int[0..2] down(int[0..1] n) { if (n == 0) return x; return down(n - 1); }\n"
        .to_owned();
    let held = |rng: &mut fastrand::Rng, lock: &str, depth: usize| -> String {
        let mut body = String::new();
        for _ in 0..rng.usize(1..4) {
            let statement = match (lock, rng.u32(0..14)) {
                (_, 0) => "z := (z + 1) % 3;".to_owned(),
                (_, 1) => "l := z;".to_owned(),
                (_, 2) => "l := (l + 1) % 3;".to_owned(),
                (_, 3) => format!("if (*) {{ release {lock}; acquire {lock}; }}"),
                ("m", 4) => "inside();".to_owned(),
                ("m", 5) => "a[x % 2] := !a[(x + 1) % 2];".to_owned(),
                ("m", 6) => "while (x > 0) x := x - 1;".to_owned(),
                ("m", 7) => "assume x < 2;".to_owned(),
                ("m", 8) => "assert !a[0] || x != 1;".to_owned(),
                ("m", 9) if depth == 0 => "acquire n; y := x; release n;".to_owned(),
                ("m", _) => "x := (x + 1) % 3;".to_owned(),
                (_, 4) => "assert y != 2 || z != 1;".to_owned(),
                (_, 5) if depth == 0 => "acquire m; x := y; release m;".to_owned(),
                (_, 6) => "l := y;".to_owned(),
                (_, 7) => "if (y == l) y := 0; else y := 1;".to_owned(),
                _ => "y := (y + l) % 3;".to_owned(),
            };
            body += &statement;
            body += " ";
        }
        format!("acquire {lock}; {body}release {lock};")
    };
    text += [
        "void inside() { x := (x + 2) % 3; }\n",
        "void inside() { if (x == 0) { inside(); x := 1; } }\n",
        "void inside() { release m; acquire m; }\n",
    ][rng.usize(0..3)];
    for name in ["p", "q"] {
        let _ = write!(text, "void {name}(int[0..1] i) {{ int[0..2] l := 0; ");
        for _ in 0..rng.usize(1..3) {
            if rng.u32(0..3) == 0 {
                text += BESIDE_LOCKS[rng.usize(0..BESIDE_LOCKS.len())];
                text += " ";
                continue;
            }
            let statement = match rng.u32(0..32) {
                0 => "x := 0;".to_owned(),
                1 => "z := 1;".to_owned(),
                2 => "assert z != 2;".to_owned(),
                3 => "if (trylock(n)) { y := 1; release n; }".to_owned(),
                4 => "release m;".to_owned(),
                5 => "atomic { acquire m; x := 1; release m; }".to_owned(),
                6 => "l := {0 .. 1};".to_owned(),
                7 => "i := 1 - i;".to_owned(),
                8 => "acquire k[i]; acquire k[(i + 1) % 2]; d[i] := l; release k[i]; release k[(i + 1) % 2];".to_owned(),
                9 => "d[i] := 0;".to_owned(),
                30 => "acquire m; release m; z := 2;".to_owned(),
                31 => "acquire n; if (trylock(m)) { l := 1; } else { l := z; } release n; assert l != 2;".to_owned(),
                28 => "acquire k[i]; i, d[i] := 1 - i, 1; release k[1 - i];".to_owned(),
                29 => "acquire k[i]; d[i], i := 1, 1 - i; release k[1 - i];".to_owned(),
                10 => "acquire k[1 - i]; if (*) i := {0 .. 1}; release k[1 - i];".to_owned(),
                11 => "acquire k[0]; z := 1; release k[0];".to_owned(),
                12 => "acquire k[i]; inside(); d[i] := (d[i] + 1) % 3; l := d[i]; release k[i];".to_owned(),
                13..17 => format!(
                    "acquire k[i]; {}d[i] := (d[i] + 1) % 3; {}assert d[i] != 2; release k[i];",
                    ["", "l := d[i]; ", "d[1 - i] := 1; "][rng.usize(0..3)],
                    ["", "z := (z + 1) % 3; ", "release k[i]; acquire k[i]; "][rng.usize(0..3)]
                ),
                17..22 => held(&mut rng, "m", 0),
                _ => held(&mut rng, "n", 0),
            };
            text += &statement;
            text += " ";
        }
        text += "}\n";
    }
    text += [
        "thread p = p(0); thread q = q(1);\n",
        "thread p[j] * 2 = p(j); thread q = q(0);\n",
        "thread p = p(1); thread t { tid j; j := async q(1); acquire m; x := 2; release m; join j; assert x != 0; }\n",
    ][rng.usize(0..3)];
    text
}

/// Threads on a ring, with cells and locks between neighbours, and a loop each.
pub fn random_ring(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let n = rng.u32(2..4);
    let mut text = format!(
        "const N = {n}; int[0..2] cell[N] := 0; bool flag[N] := false; lock k[N]; lock m; int[0..2] g := 0;\n\
         void deep(int[0..N - 1] me, int[0..2] d) {{ if (d > 0) deep(me, d - 1); else cell[me] := 1; }}\n\
         bool full(int[0..N - 1] me) {{ return cell[me] != 0; }}\n\
         void grow(int[0..N - 1] me, int[0..3] n) {{ if (n < g) grow(me, n + 1); else cell[me] := n % 3; }}\n\
         void raise() {{ if (g == 0) g := 1; else g := 2; }}\n\
         struct pair {{ lock l; int[0..2] v; }} pair s[N]; condition w; chan[1] int[0..2] c[N];\n\
         void put(ref int[0..2] v, lock h) {{ acquire h; v := (v + 1) % 3; release h; }}\n\
         int[0..2] sum(int[0..N - 1] me, int[0..1] n) {{ if (n == 0) return cell[me]; return sum((me + 1) % N, n - 1); }}\n"
    );
    for name in ["p", "q"] {
        let _ =
            writeln!(text, "void {name}(int[0..N - 1] me) {{ int[0..2] l := 0; bool b := false;");
        let is_loop = rng.u32(0..3) == 0;
        if is_loop {
            text += "while (true) {\n";
        }
        for _ in 0..rng.usize(2..6) {
            if rng.u32(0..4) == 0 {
                text += BESIDE_CELLS[rng.usize(0..BESIDE_CELLS.len())];
                text += "\n";
                continue;
            }
            text += match rng.u32(0..29) {
                0 => "wait(cell[me] != 0);",
                1 => "wait(cell[(me + 1) % N] == 0); cell[(me + 1) % N] := 1;",
                2 => "l := cell[me]; cell[me] := 0;",
                3 => "cell[(me + 1) % N] := l;",
                4 => "acquire k[me]; flag[me] := !flag[me]; release k[me];",
                5 => {
                    "acquire k[me]; acquire k[(me + 1) % N]; release k[me]; release k[(me + 1) % N];"
                }
                6 => "acquire m; g := (g + 1) % 3; release m;",
                7 => "assert cell[me] != 2;",
                8 => "assert l != 2 || !flag[me];",
                9 => "deep(me, 2);",
                10 => "b := full(me);",
                11 => "if (flag[me]) l := 2; else l := 1;",
                12 => "flag[(me + 1) % N] := true;",
                13 => "if (*) cell[me] := 2;",
                14 => "assert g != 2 || !b;",
                15 => "atomic { l := g; wait(cell[me] == 0); g := 1; }",
                16 => "flag[me] := true; wait(flag[(me + 1) % N]);",
                17 => "l := (l + 1) % 3;",
                18 => "if (cell[me] == 0) { cell[me] := 1; } else { wait(flag[me]); }",
                19 => "cell[l % N] := 1;",
                20 => "if (trylock(k[me])) { l := 0; release k[me]; }",
                21 => "wait(g == me % 3); g := (me + 1) % N;",
                22 => "assume g != 2;",
                23 => "atomic { deep(me, 1); l := g; }",
                24 => "atomic { b := full(me); wait(b); g := 0; }",
                25 => "atomic { raise(); if (l == 0) raise(); }",
                26 => "grow(me, 0);",
                27 => "atomic { grow(me, 1); wait(cell[me] != 0); }",
                _ => "b := flag[me];",
            };
            text += "\n";
        }
        text += if is_loop { "} }\n" } else { "}\n" };
    }
    text += [
        "thread p[i] * N = p(i);\n",
        "thread p[i] * N = p(i); thread q = q(0);\n",
        "thread p = p(0); thread q = q(1);\n",
        "thread p = p(0); thread t { async q(1); wait(flag[0]); g := 2; }\n",
        "thread t { tid j; j := async p(1); cell[0] := 1; join j; assert cell[1] != 2; }\n",
        "thread q * 2 = q(1); thread p = p(0);\n",
    ][rng.usize(0..6)];
    text
}
