//! # The preprocessor
//! `.c` files go through the preprocessor of the system, which is run as a process: `$CC`, `cc`, `gcc` or `clang`. What it
//! leaves behind, [`Lines`] reads. A text that is being written goes the same way, through the standard input of the process.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use selvedge_program::Source;

use super::types::DataModel;
use super::{Lines, Settings};

/// The compilers that are looked for, in this order, after `$CC`.
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

/// The name that preprocessors give to standard input.
const STANDARD_INPUT: &str = "<stdin>";

/// The text that the preprocessor makes of a file, with places as they are in the file; or why there is none.
pub fn preprocess(path: &Path, original: &Source, settings: &Settings) -> Result<Source, String> {
    // A name that begins with a dash is no option.
    let file = if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) };
    let run = |command: &mut Command| command.arg(&file).stdin(Stdio::null()).output();
    let text = preprocessed(settings, &run)?;
    Ok(with_places(&file.to_string_lossy(), original, text))
}

/// The text that the preprocessor makes of a text that need not be in the file of its name; headers are looked for beside that.
pub fn preprocess_text(
    path: &Path,
    original: &Source,
    settings: &Settings,
) -> Result<Source, String> {
    let run = |command: &mut Command| {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            command.arg("-iquote").arg(dir);
        }
        command.args(["-x", "c", "-"]);
        fed(command, original.text())
    };
    let text = preprocessed(settings, &run)?;
    Ok(with_places(STANDARD_INPUT, original, text))
}

/// Runs a process with a text as its input. It may answer before it has read all, so both happen at once.
fn fed(command: &mut Command, text: &str) -> io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let input = child.stdin.take();
    thread::scope(|scope| {
        scope.spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        child.wait_with_output()
    })
}

/// Runs the first compiler that is found, and returns its output.
fn preprocessed(
    settings: &Settings,
    run: &dyn Fn(&mut Command) -> io::Result<Output>,
) -> Result<String, String> {
    let given = std::env::var("CC").ok().filter(|name| !name.trim().is_empty());
    let compilers: Vec<String> = given.into_iter().chain(COMPILERS.map(str::to_owned)).collect();
    for compiler in &compilers {
        let mut command = Command::new(compiler);
        command.args(["-E", "-std=gnu11"]);
        if settings.model == Some(DataModel::Ilp32) {
            command.arg("-m32");
        }
        command.args(settings.include.iter().flat_map(|dir| [Path::new("-I"), dir.as_path()]));
        command.args(settings.define.iter().flat_map(|name| ["-D", name.as_str()]));
        match run(&mut command) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(format!("the preprocessor `{compiler} -E` cannot be run: {error}"));
            }
            Ok(output) if output.status.success() => {
                let text = String::from_utf8(output.stdout);
                return text.map_err(|_| format!("what `{compiler} -E` wrote is not UTF-8 text"));
            }
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(format!(
                    "the preprocessor `{compiler} -E` refuses the file:\n{}",
                    said.trim_end()
                ));
            }
        }
    }
    Err(format!(
        "there is no C preprocessor (looked for {}): install a compiler, name one in $CC, or give a preprocessed \
         file (.i)",
        compilers.join(", ")
    ))
}

/// The text with the line of the file for each of its lines; what comes from a header stands where that is included.
fn with_places(name: &str, original: &Source, text: String) -> Source {
    let lines = Lines::new(name, &text);
    let mut known = Vec::new();
    let mut last = 1;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (origin, number) = lines.place(at);
        if *origin == *name {
            last = number;
        }
        known.push(last);
        at = at.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX));
    }
    Source::made_from(original.name(), text, original.text(), known)
}
