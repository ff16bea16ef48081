//! SPIN on the filter lock, if it is installed: the same steps, so the same states.

use std::fs;
use std::process::Command;
use std::time::Instant;

use super::run::{Measured, Row, made, repository};
use super::timed::timed;

/// Explores the filter lock with SPIN, with partial-order reduction or without.
pub fn filter(reduction: bool) -> Row {
    let case = format!("filter 4, SPIN{}", if reduction { " with reduction" } else { "" });
    match explore(reduction) {
        Ok(measured) => Row { case, measured: Some(measured), note: "safe".to_owned() },
        Err(why) => Row::skipped(&case, &why),
    }
}

fn explore(reduction: bool) -> Result<Measured, String> {
    let folder = made("spin");
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let model = repository("benches/spin/filter.pml");
    let spin = Command::new("spin").arg("-a").arg(&model).current_dir(&folder).output();
    spin.map_err(|_| "spin is not installed".to_owned())?;
    let mut compile = Command::new("cc");
    compile.args(["-O2", "-w", "-DSAFETY", "-DMEMLIM=8000", "-o", "pan", "pan.c"]);
    if !reduction {
        compile.arg("-DNOREDUCE");
    }
    let compiled = compile.current_dir(&folder).output();
    let compiled = compiled.map_err(|_| "no C compiler is installed".to_owned())?;
    if !compiled.status.success() {
        return Err("the C compiler refuses what spin made".to_owned());
    }
    let pan = folder.join("pan").display().to_string();
    let start = Instant::now();
    let (said, _, cpu) = timed(&[&pan, "-m2000000", "-w23"])?;
    let time = start.elapsed().as_secs_f64();
    if said.contains("search depth too small") {
        return Err("the search was cut off: its stack is too small".to_owned());
    }
    let number = |what: &str| {
        let line = said.lines().find(|line| line.contains(what))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let stored = number("states, stored").map(|n| n as u64);
    let megabytes = number("total actual memory usage").unwrap_or(0.0);
    Ok(Measured { time, cpu, memory: (megabytes * f64::from(1 << 20)) as u64, stored })
}
