//! A process and the processor time that it takes, for all benchmarks.

use std::process::{Command, Stdio};

/// Runs a command; its output, its notes, and the processor time that it took.
pub fn timed(command: &[&str]) -> Result<(String, String, f64), String> {
    let mut child = Command::new("bash");
    child.args(["-c", "TIMEFORMAT='cpu %U %S'; time \"$@\"", "bash"]).args(command);
    child.stdin(Stdio::null()).env("NO_COLOR", "1").env("LC_ALL", "C");
    let output = child.output().map_err(|e| format!("bash is needed: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let stderr = text(&output.stderr);
    let last = stderr.lines().rev().find_map(|line| line.strip_prefix("cpu "));
    let cpu = last.map_or(0.0, |line| line.split(' ').filter_map(|n| n.parse::<f64>().ok()).sum());
    Ok((text(&output.stdout), stderr, cpu))
}
