//! The C compiler of the machine, for tests that need one.

use std::process::Command;

/// A C compiler, as `selvedge` itself looks for one; says that tests are skipped if there is none.
pub fn compiler(skipped: &str) -> Option<String> {
    let given = std::env::var("CC").ok().filter(|name| !name.trim().is_empty()).into_iter();
    let found = given.chain(["cc", "gcc", "clang"].map(str::to_owned)).find(|compiler| {
        let version = Command::new(compiler).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        println!("SKIPPED: {skipped}: this machine has no C compiler");
    }
    found
}
