//! Structs, parameters that stand for shared variables, and channels are the programs that one would write by hand.

use super::made_of_others::same;
use super::program as read;

#[test]
fn structs_are_a_variable_for_each_member() {
    same(
        "struct node { int[0..3] value; bool used; lock l; }
         node q[2] := {{1, false}, {2, true}}; node one := {3, true};
         thread t { acquire q[1].l; q[1].value := q[0].value + one.value; q[0].used := !q[1].used; release q[1].l; }",
        "int[0..3] q_value[2] := {1, 2}; bool q_used[2] := {false, true}; lock q_l[2];
         int[0..3] one_value := 3; bool one_used := true; lock one_l;
         thread t { acquire q_l[1]; q_value[1] := q_value[0] + one_value; q_used[0] := !q_used[1]; release q_l[1]; }",
    );
}

#[test]
fn whole_structs_are_copied_and_compared_in_one_step() {
    same(
        "struct pair { int[0..3] x; bool y; }
         pair a := {1, true}, b, ps[2];
         thread t[i] * 2 { a := b; ps[i] := a; a, b := b, a; b := {2, *}; a := b.y ? a : ps[1];
           assert a == b; assert ps[i] != {2, true}; havoc ps; havoc ps[i], a; b := *; }",
        "int[0..3] a_x := 1; bool a_y := true; int[0..3] b_x; bool b_y; int[0..3] ps_x[2]; bool ps_y[2];
         thread t[i] * 2 { a_x, a_y := b_x, b_y; ps_x[i], ps_y[i] := a_x, a_y; a_x, a_y, b_x, b_y := b_x, b_y, a_x, a_y;
           b_x, b_y := 2, *; a_x, a_y := b_y ? a_x : ps_x[1], b_y ? a_y : ps_y[1];
           assert a_x == b_x && a_y == b_y; assert !(ps_x[i] == 2 && ps_y[i] == true);
           havoc ps_x, ps_y; havoc ps_x[i], ps_y[i], a_x, a_y; b_x, b_y := *, *; }",
    );
}

#[test]
fn structs_in_structs_and_arrays_in_them() {
    same(
        "const N = 2; struct point { int x; int y; } struct shape { point corners[N]; bool filled; int weights[3]; }
         shape s[2] := {{{{0, 1}, {2, 3}}, true, {7, 8, 9}}, {{5, 5}, false, 0}}; shape u;
         thread t { int i := 1; s[i].corners[0].x := s[0].corners[i].y; u := s[i]; s[0].corners[1] := u.corners[0];
           assert u == s[1]; havoc s[i]; u.weights[2]++; assert forall k: s[k].filled; }",
        "int s_corners_x[2][2] := {{0, 2}, 5}; int s_corners_y[2][2] := {{1, 3}, 5}; bool s_filled[2] := {true, false};
         int s_weights[2][3] := {{7, 8, 9}, 0};
         int u_corners_x[2]; int u_corners_y[2]; bool u_filled; int u_weights[3];
         thread t { int i := 1; s_corners_x[i][0] := s_corners_y[0][i];
           u_corners_x[0], u_corners_x[1], u_corners_y[0], u_corners_y[1], u_filled, u_weights[0], u_weights[1], u_weights[2] :=
             s_corners_x[i][0], s_corners_x[i][1], s_corners_y[i][0], s_corners_y[i][1], s_filled[i],
             s_weights[i][0], s_weights[i][1], s_weights[i][2];
           s_corners_x[0][1], s_corners_y[0][1] := u_corners_x[0], u_corners_y[0];
           assert (u_corners_x[0] == s_corners_x[1][0] && u_corners_x[1] == s_corners_x[1][1] &&
                   (u_corners_y[0] == s_corners_y[1][0] && u_corners_y[1] == s_corners_y[1][1])) &&
                  (u_filled == s_filled[1] &&
                   (u_weights[0] == s_weights[1][0] && u_weights[1] == s_weights[1][1] && u_weights[2] == s_weights[1][2]));
           havoc s_corners_x[i][0], s_corners_x[i][1], s_corners_y[i][0], s_corners_y[i][1], s_filled[i],
             s_weights[i][0], s_weights[i][1], s_weights[i][2];
           u_weights[2] := u_weights[2] + 1; assert s_filled[0] && s_filled[1]; }",
    );
}

#[test]
fn local_structs_parameters_and_results() {
    same(
        "struct pair { int x; bool y; } pair g := {1, false};
         pair swap(pair p, int more) { pair r := {p.x + more, !p.y}; return r; }
         (pair, int) both(bool c) { if (c) return g, 1; return {2, c}, 2; }
         thread t { pair z := g; z := swap(z, 2); pair v := swap({4, true}, 1); int n; v, n := both(z.y);
           while (*) { pair inner; inner.x := 3; pair again := inner; } }",
        "int g_x := 1; bool g_y := false;
         (int, bool) swap(int p_x, bool p_y, int more) { int r_x; bool r_y; r_x, r_y := p_x + more, !p_y; return r_x, r_y; }
         (int, bool, int) both(bool c) { if (c) return g_x, g_y, 1; return 2, c, 2; }
         thread t { int z_x; bool z_y; int v_x; bool v_y; int n; int inner_x; bool inner_y; int again_x; bool again_y;
           z_x, z_y := g_x, g_y; z_x, z_y := swap(z_x, z_y, 2); v_x, v_y := swap(4, true, 1);
           v_x, v_y, n := both(z_y);
           while (*) { havoc inner_x, inner_y; inner_x := 3; again_x, again_y := inner_x, inner_y; } }",
    );
}

#[test]
fn ways_to_wait_in_structs() {
    same(
        "struct buffer { lock m; condition more; semaphore room := 2; int[0..2] items; barrier all := 2; }
         buffer b[2] := {0};
         thread t[i] * 2 { acquire b[i].room; acquire b[i].m; while (b[i].items == 0) wait b[i].more, b[i].m;
           notify all b[i].more; release b[i].m; release b[i].room; wait b[0].all; }",
        "lock b_m[2]; condition b_more[2]; semaphore b_room[2] := 2; int[0..2] b_items[2] := 0; barrier b_all[2] := 2;
         thread t[i] * 2 { acquire b_room[i]; acquire b_m[i]; while (b_items[i] == 0) wait b_more[i], b_m[i];
           notify all b_more[i]; release b_m[i]; release b_room[i]; wait b_all[0]; }",
    );
}

#[test]
fn whole_arrays() {
    same(
        "int a[2], b[2]; int m[2][2]; thread t { int k := 1; a := b; a := {1, 2}; m[k] := a; m[0], a := b, m[k]; havoc m[k]; }",
        "int a[2], b[2]; int m[2][2]; thread t { int k := 1; a[0], a[1] := b[0], b[1]; a[0], a[1] := 1, 2;
           m[k][0], m[k][1] := a[0], a[1]; m[0][0], m[0][1], a[0], a[1] := b[0], b[1], m[k][0], m[k][1];
           havoc m[k][0], m[k][1]; }",
    );
}

#[test]
fn procedures_are_written_for_each_variable_that_is_handed_over() {
    same(
        "lock a; lock b; int n := 0;
         void with(lock m, int by) { acquire m; n := n + by; release m; }
         thread t { with(a, 1); with(b, 2); with(a, 3); }",
        "lock a; lock b; int n := 0;
         void with_a(int by) { acquire a; n := n + by; release a; }
         void with_b(int by) { acquire b; n := n + by; release b; }
         thread t { with_a(1); with_b(2); with_a(3); }",
    );
    // Indices are numbers; recursion hands on what was handed over; `ref` is for all other types.
    same(
        "lock l[3]; struct box { int[0..9] v; lock m; } box bs[2] := {0}; box one := {0};
         void down(lock m, ref box b, int[0..2] k) {
           acquire m; b.v := b.v + 1; release b.m; if (k > 0) down(m, b, k - 1); else down(l[k], one, 0); }
         thread t[i] * 2 = down(l[i], bs[1], 2);",
        "lock l[3]; int[0..9] bs_v[2] := 0; lock bs_m[2]; int[0..9] one_v := 0; lock one_m;
         void down_l__bs(int[0..2] m$index, int[0..1] b$index, int[0..2] k) {
           acquire l[m$index]; bs_v[b$index] := bs_v[b$index] + 1; release bs_m[b$index];
           if (k > 0) down_l__bs(m$index, b$index, k - 1); else down_l__one(k, 0); }
         void down_l__one(int[0..2] m$index, int[0..2] k) {
           acquire l[m$index]; one_v := one_v + 1; release one_m;
           if (k > 0) down_l__one(m$index, k - 1); else down_l__one(k, 0); }
         thread t[i] * 2 = down_l__bs(i, 1, 2);",
    );
    same(
        "condition c; semaphore s := 1; barrier b := 2; lock k; bool f := false;
         void use(condition x, lock m, semaphore y, barrier z, ref bool done) {
           acquire y; acquire m; while (!done) wait x, m; notify x; done := true; release m; release y; wait z; }
         thread t { use(c, k, s, b, f); tid x := async use(c, k, s, b, f); join x; }",
        "condition c; semaphore s := 1; barrier b := 2; lock k; bool f := false;
         void use_c__k__s__b__f() {
           acquire s; acquire k; while (!f) wait c, k; notify c; f := true; release k; release s; wait b; }
         thread t { tid x; use_c__k__s__b__f(); x := async use_c__k__s__b__f(); join x; }",
    );
}

#[test]
fn channels_are_numbers_and_messages() {
    same(
        "chan[2] int[0..3] c; thread t { int[0..3] x; send(c, 1); x := receive(c); receive(c);
           bool b := trysend(c, x + 1); b := c.empty || c.full; assert c.length < 2; }",
        "int[0..2] c_length := 0; int[0..3] c_items[2] := 0; thread t { int[0..3] x; bool b;
           atomic { assume c_length < 2; c_items[c_length], c_length := 1, c_length + 1; }
           atomic { assume c_length > 0; x, c_items[0], c_items[1], c_length := c_items[0], c_items[1], 0, c_length - 1; }
           atomic { assume c_length > 0; c_items[0], c_items[1], c_length := c_items[1], 0, c_length - 1; }
           atomic { if (c_length < 2) { c_items[c_length], c_length, b := x + 1, c_length + 1, true; } else { b := false; } }
           b := c_length == 0 || c_length == 2; assert c_length < 2; }",
    );
    // A channel that holds nothing: offered, taken, left.
    same(
        "chan bool c[2]; thread t { int i := 1; send(c[i], true); bool x := receive(c[0]); if (c[1].empty) skip; }",
        "int[0..2] c_length[2] := 0; bool c_items[2] := false; thread t { int i := 1; bool x;
           atomic { assume c_length[i] == 0; c_items[i], c_length[i] := true, 1; }
           atomic { assume c_length[i] == 2; c_length[i] := 0; }
           atomic { assume c_length[0] == 1; x, c_items[0], c_length[0] := c_items[0], false, 2; }
           if (!(c_length[1] == 1)) skip; }",
    );
    // Structs as messages, a capacity that is a constant, channels as parameters and in structs.
    same(
        "const N = 1; struct msg { bool ok; int[1..2] n; } struct link { chan[N] msg down; } link k;
         void put(chan msg c, msg m) { send(c, m); }
         thread t { put(k.down, {true, 2}); msg got := receive(k.down); }",
        "int[0..1] k_down_length := 0; bool k_down_items_ok[1] := false; int[1..2] k_down_items_n[1] := 1;
         void put_k_down(bool m_ok, int[1..2] m_n) {
           atomic { assume k_down_length < 1;
             k_down_items_ok[k_down_length], k_down_items_n[k_down_length], k_down_length := m_ok, m_n, k_down_length + 1; } }
         thread t { bool got_ok; int[1..2] got_n; put_k_down(true, 2);
           atomic { assume k_down_length > 0; got_ok, got_n, k_down_items_ok[0], k_down_items_n[0], k_down_length :=
             k_down_items_ok[0], k_down_items_n[0], false, 1, k_down_length - 1; } }",
    );
}

#[test]
fn whole_structs_are_compared_and_swapped_in_one_step() {
    same(
        "struct head { int[0..2] node; u8 version; } head top := {1, 0}, tops[2] := {1, 0};
         thread t { head old := top; bool ok := cas(top, old, {2, old.version + 1}); cas(tops[old.node], {1, 0}, top); }",
        "int[0..2] top_node := 1; u8 top_version := 0; int[0..2] tops_node[2] := 1; u8 tops_version[2] := 0;
         thread t { int[0..2] old_node; u8 old_version; bool ok; old_node, old_version := top_node, top_version;
           atomic { if (top_node == old_node && top_version == old_version) { top_node, top_version, ok := 2, old_version + 1, true; }
             else { ok := false; } }
           atomic { if (tops_node[old_node] == 1 && tops_version[old_node] == 0) {
             tops_node[old_node], tops_version[old_node] := top_node, top_version; } } }",
    );
    same(
        "struct pair { int[0..2] x; bool y; } pair p := {0, false}; thread t { while (!cas(p, {0, true}, {1, false})) { skip; } p.x := 2; }",
        "int[0..2] p_x := 0; bool p_y := false;
         thread t { while (true) {
             atomic { if (!(p_x == 0 && p_y == true)) { goto A; } else { p_x, p_y := 1, false; goto B; } }
             A: skip; }
           B: p_x := 2; }",
    );
}

#[test]
fn channels_in_conditions_and_choices() {
    same(
        "chan[1] int[0..3] c; int[0..3] x; thread t { if (trysend(c, 2)) x := 1; else x := 2; }",
        "int[0..1] c_length := 0; int[0..3] c_items[1] := 0; int[0..3] x;
         thread t { atomic { if (c_length < 1) { c_items[c_length], c_length := 2, c_length + 1; goto A; } else { goto B; } }
           A: x := 1; goto C; B: x := 2; C: skip; }",
    );
    same(
        "chan[1] int[0..3] c; int[0..3] x; thread t { while (!tryreceive(c, x)) { skip; } x := 0; }",
        "int[0..1] c_length := 0; int[0..3] c_items[1] := 0; int[0..3] x;
         thread t { while (true) {
             atomic { if (!(c_length > 0)) { goto A; } else { x, c_items[0], c_length := c_items[0], 0, c_length - 1; goto B; } }
             A: skip; }
           B: x := 0; }",
    );
    same(
        "chan[1] int[0..3] c; chan bool d; int[0..3] x; bool y; thread t {
           either when x := receive(c) { skip; } or when send(c, 1) { x := 1; } or when y := receive(d) { x := 2; } or when x == 3 { } }",
        "int[0..1] c_length := 0; int[0..3] c_items[1] := 0; int[0..2] d_length := 0; bool d_items := false; int[0..3] x; bool y; thread t {
           atomic { either { assume c_length > 0; x, c_items[0], c_length := c_items[0], 0, c_length - 1; goto A; }
             or { assume c_length < 1; c_items[c_length], c_length := 1, c_length + 1; goto B; }
             or { assume d_length == 1; y, d_items, d_length := d_items, false, 2; goto C; }
             or { assume x == 3; goto D; } }
           A: skip; goto E; B: x := 1; goto E; C: x := 2; goto E; D: E: skip; }",
    );
}

#[test]
fn none_of_the_words_is_reserved() {
    read("enum struct { a, b } struct s := a; thread t { s := b; }");
    read("bool ref, chan, struct; thread t { ref := chan; struct := ref; }");
    read(
        "enum ref { a, b } void f(ref x) { } void send(int a) { } void receive() { } thread t { f(a); send(1); receive(); }",
    );
    read("int chan[2]; thread t { chan[1] := 2; chan[0]++; }");
}
