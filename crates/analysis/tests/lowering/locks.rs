//! Locks, and whether they know who holds them.

use std::path::Path;

use expect_test::expect;
use selvedge_frontend::{Input, LoadOptions, load};

use crate::lowering::check;
use crate::support::{lower, system};

fn tracks(text: &str) -> bool {
    system(text).flow().tracks_owners
}

fn body(body: &str) -> String {
    format!(
        "lock m, k[2], grid[2][2]; bool b; int[0..1] s;
         void take() {{ acquire m; }} void other() {{ acquire k[0]; release k[0]; }}
         void main() {{ int[0..1] i := 0; int[0..1] j := 1; {body} }}"
    )
}

#[test]
fn evident_releases_need_no_owners() {
    for text in [
        "",
        "acquire m;",
        "acquire m; release m;",
        "acquire m; if (b) { s := 0; } release m;",
        "if (trylock(m)) { release m; }",
        "if (!trylock(m)) { skip; } else { release m; }",
        "while (!trylock(m)) {} release m;",
        "if (b) { acquire m; } else { acquire m; } release m;",
        "acquire m; other(); release m;",
        "acquire k[i]; release k[i];",
        "acquire k[i]; acquire k[j]; release k[i]; release k[j];",
        "acquire k[(i + 1) % 2]; release k[(i + 1) % 2];",
        "acquire grid[i][0]; b := *; release grid[i][0];",
        "acquire k[i]; s := i; release k[i]; i := 1; acquire k[i]; release k[i];",
        "return; release m;",
    ] {
        assert!(!tracks(&body(text)), "{text}");
    }
}

#[test]
fn releases_in_doubt_need_owners() {
    for text in [
        "release m;",
        "acquire m; release m; release m;",
        "if (b) { acquire m; } release m;",
        "take(); release m;",
        "acquire m; take(); release m;",
        "acquire k[0]; other(); release k[0];",
        "b := trylock(m); if (b) { release m; }",
        "trylock(m); release m;",
        "if (trylock(m)) { skip; } else { release m; }",
        "while (trylock(m)) {} release m;",
        "acquire k[i]; release k[j];",
        "acquire k[i]; i := 1; release k[i];",
        "acquire k[i]; havoc i; release k[i];",
        "acquire k[i]; i := fetch_and_add(s); release k[i];",
        "acquire k[s]; release k[s];",
        "acquire m; start_thread goto L; L: release m;",
        "L: release m; acquire m; goto L;",
    ] {
        assert!(tracks(&body(text)), "{text}");
    }
}

#[test]
fn philosophers_need_no_owners() {
    let path = "../../examples/livelock/fig3a-philosophers.weave";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let Ok(Input::Program { program, source, .. }) = load(&path, &LoadOptions::default()) else {
        panic!("{} cannot be read", path.display())
    };
    let system = lower(&program, source.text()).expect("a flow graph");
    assert!(!system.flow().tracks_owners);
    expect!["safe; ends: Lock=[free,free]"].assert_eq(&crate::lowering::summary(&system));
}

#[test]
fn only_the_holder_releases() {
    check(
        "lock m; thread a { acquire m; } thread b { release m; }",
        expect!["wrong at 1: line 1: `m` is released but nobody holds it; never ends"],
    );
    check(
        "lock m; bool b := false; thread a { acquire m; b := true; } thread b { assume b; release m; }",
        expect![
            "wrong at 2: line 1: `m` is released by a thread that does not hold it; never ends"
        ],
    );
    check(
        "lock m[2]; thread a[i] * 2 { acquire m[i]; release m[1 - i]; }",
        expect!["wrong at 1: line 1: `m` is released but nobody holds it; never ends"],
    );
    check(
        "lock m; void get() { acquire m; } void give() { release m; } thread a * 2 { get(); give(); }",
        expect!["safe; ends: m=free"],
    );
}

#[test]
fn started_threads_are_owners_of_their_own() {
    check(
        "lock m; void f() { release m; } void main() { acquire m; async f(); }",
        expect![
            "wrong at 2: line 1: `m` is released by a thread that does not hold it; never ends"
        ],
    );
    check(
        "lock m; bool bad := false; void f() { acquire m; release m; } void get() { acquire m; }
         void main() { async f(); async f(); get(); release m; }",
        expect!["safe; ends: m=free bad=false"],
    );
    check(
        "lock m; void main() { acquire m; start_thread goto L; L: release m; }",
        expect!["wrong at 2: line 1: `m` is released but nobody holds it; never ends"],
    );
}

#[test]
fn locks_exclude() {
    check(
        "lock m; int[0..9] n := 0; thread a * 2 { acquire m; int[0..9] k := n; n := k + 1; release m; }",
        expect!["safe; ends: m=free n=2"],
    );
    check("lock m; void main() { acquire m; acquire m; }", expect!["safe; never ends"]);
    check(
        "lock m; int[0..3] n := 0; thread a * 2 { if (trylock(m)) { n++; } }",
        expect!["safe; ends: m=held n=1"],
    );
    check(
        "lock l, r;
         thread a { acquire l; acquire r; release r; release l; }
         thread b { acquire r; acquire l; release l; release r; }",
        expect!["safe; ends: l=free r=free"],
    );
}
