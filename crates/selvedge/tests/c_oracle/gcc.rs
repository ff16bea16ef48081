//! The compiler of the system, as a process.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that is removed in the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("selvedge-c-oracle-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether there is a gcc for LP64; says so where there is none.
pub fn is_there() -> bool {
    let output =
        Command::new("gcc").args(["-dM", "-E", "-x", "c", "-"]).stdin(Stdio::null()).output();
    let there =
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("__LP64__ 1"));
    if !there {
        println!("skipped: there is no gcc for a machine with 64 bits");
    }
    there
}

/// Compiles a program; says whether that was possible: on some, gcc itself breaks down.
pub fn compile(text: &str, to: &Path) -> bool {
    let mut command = Command::new("gcc");
    command
        .args(["-std=gnu11", "-w", "-O0", "-fwrapv", "-pipe", "-pthread", "-x", "c", "-", "-o"])
        .arg(to);
    let mut gcc = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    gcc.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = gcc.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let breaks_down = said.contains("internal compiler error");
    assert!(output.status.success() || breaks_down, "{said}\n{text}");
    !breaks_down
}

/// Runs a program, whose text is shown if it crashes: what it prints.
pub fn run(program: &Path, text: &str) -> String {
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{:?}\n{text}", output.status);
    String::from_utf8(output.stdout).unwrap()
}
