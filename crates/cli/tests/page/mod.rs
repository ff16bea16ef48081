//! The page of `explore` and of `report`, in a real browser: what a person would do, and see.
//! Pictures are written to `target/screenshots`, so that a person can look at them.

mod browser;
mod files;
mod follow;
mod live;
mod panels;
mod speed;
mod walks;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn selvedge() -> Command {
    Command::new(env!("CARGO_BIN_EXE_selvedge"))
}

/// A folder of this test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a report, and says where it is and how large.
fn report(file: &Path, output: &Path, options: &[&str]) -> (String, u64) {
    let _ = fs::remove_file(output);
    let done =
        selvedge().arg("report").arg(file).arg("-o").arg(output).args(options).output().unwrap();
    let words = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(matches!(done.status.code(), Some(0 | 1 | 10 | 11 | 20)), "{file:?}: {words}");
    assert!(output.exists(), "{file:?}: there is no report: {words}");
    let size = fs::metadata(output).unwrap().len();
    (format!("file://{}", output.canonicalize().unwrap().display()), size)
}

/// `selvedge explore`, until it is dropped.
struct Explorer {
    child: Child,
    url: String,
}

impl Explorer {
    fn start(file: &Path, options: &[&str]) -> Self {
        let mut child = selvedge()
            .args(["explore", "--no-open", "--quiet"])
            .arg(file)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Explorer { child, url: url.trim().to_owned() }
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
