//! Links the program to a fixed address where that spares it work at its start: see docs/decisions/0100-the-start-of-a-small-run.md.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let cfg = |name: &str| env::var(format!("CARGO_CFG_{name}")).unwrap_or_default();
    // A static program is linked in another way, and other linkers may not know the word.
    let is_static = cfg("TARGET_FEATURE").split(',').any(|feature| feature == "crt-static");
    if cfg("TARGET_OS") == "linux" && cfg("TARGET_ENV") == "gnu" && !is_static {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
