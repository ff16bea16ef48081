//! Programs in C: what answers say of them, and what is made of them.
#![cfg(unix)]

use crate::compiler;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use compiler::compiler;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The rows of the list that are about programs in C and are always asked: the file, its options, and the verdict.
fn rows() -> Vec<(String, Vec<String>, String)> {
    let list = fs::read_to_string(examples().join("expected.tsv")).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, options, verdict, _, "test"] = fields[..] else { return None };
        let options = options.split_whitespace().map(str::to_owned).collect();
        file.ends_with(".c").then(|| (file.to_owned(), options, verdict.to_owned()))
    };
    list.lines().filter_map(row).collect()
}

fn selvedge(command: &str, file: &Path, options: &[String]) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    process.env("NO_COLOR", "1").arg(command).arg(file).args(options).output().unwrap()
}

/// A folder for the files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// Schedules have no variables that nobody wrote, no marks of objects, and no addresses that are numbers.
#[test]
fn schedules_are_told_in_c() {
    if compiler("schedules of the examples in C").is_none() {
        return;
    }
    let mut schedules = 0;
    for (file, mut options, verdict) in rows() {
        if verdict != "unsafe" {
            continue;
        }
        options.push("--quiet".to_owned());
        let answer = selvedge("verify", &examples().join(&file), &options);
        let text = String::from_utf8(answer.stdout).unwrap();
        assert!(text.contains("last state"), "{file}: {text}");
        schedules += 1;
        // Temporary variables are called `t`; so may one of the text be.
        let written = fs::read_to_string(examples().join(&file)).unwrap();
        for unwanted in [" t = ", " t'", ".used", "race.at", "ended = ", "__atomic_", "# 1"] {
            let is_written = written.contains(unwanted);
            assert!(is_written || !text.contains(unwanted), "{file}: `{unwanted}` in\n{text}");
        }
        let schedule = text.split_once("first state").map_or("", |(_, schedule)| schedule);
        let mut numbers = schedule
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter_map(|w| w.parse::<u64>().ok());
        assert!(!numbers.any(|n| (4096..100_000).contains(&n)), "{file}: an address in\n{text}");
    }
    assert!(schedules > 10, "{schedules}");
}

/// What is converted has the verdict of what it was made of.
#[test]
fn programs_in_c_keep_their_verdicts_as_weave() {
    if compiler("converting the examples in C").is_none() {
        return;
    }
    let folder = folder("c-to-weave");
    let mut converted = 0;
    for (file, options, verdict) in rows() {
        // The question about deadlocks is one of its own.
        if options.iter().any(|option| option == "--deadlock") {
            continue;
        }
        let name = format!("{}{}.weave", file.replace(['/', '.'], "-"), options.concat());
        let written = folder.join(name);
        let mut all = options.clone();
        all.extend(words(&["--to", "weave", "-o", written.to_str().unwrap()]));
        let result = selvedge("convert", &examples().join(&file), &all);
        assert_eq!(result.status.code(), Some(0), "{file}: {result:?}");
        // Waiting for ever is a violation of a program in our own language, and of one in C only if that is asked.
        let answer = selvedge("verify", &written, &words(&["--quiet", "--no-deadlock"]));
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(text.starts_with(&verdict), "{file} {options:?} is {verdict}; as .weave: {text}");
        converted += 1;
    }
    assert!(converted > 30, "{converted}");
}

/// The choices of a run: numbers that look like chance. A run that is not looked at ends with 0, one that goes wrong with 1.
const CHOICES: &str = r#"
#include <stdlib.h>
static unsigned long state;
unsigned long __VERIFIER_nondet_ulong(void) {
  if (!state) state = strtoul(getenv("SEED"), 0, 10) * 88172645463325252ul + 1;
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  unsigned long high = state >> 33;
  return high % 8 == 0 ? high : high / 8 % 3;
}
_Bool __VERIFIER_nondet_bool(void) { return __VERIFIER_nondet_ulong() & 1; }
void __VERIFIER_assume(int holds) { if (!holds) exit(0); }
void reach_error(void) { exit(1); }
"#;

/// How a run ends whose choices come from a number; nothing if it takes too long.
fn run(binary: &Path, seed: u32) -> Option<i32> {
    let mut limited = Command::new("timeout");
    limited.arg("2").arg(binary).env("SEED", seed.to_string());
    limited.output().unwrap().status.code()
}

/// Makes a program of two rounds and compiles it; what is said if it cannot be made.
fn compiled(compiler: &str, file: &Path, folder: &Path) -> Result<PathBuf, String> {
    let choices = folder.join("choices.c");
    fs::write(&choices, CHOICES).unwrap();
    let written = folder.join(format!("rounds-{}", file.file_name().unwrap().display()));
    let mut options = words(&["--rounds", "2", "--to", "c", "-o"]);
    options.push(written.display().to_string());
    let result = selvedge("sequentialize", file, &options);
    if result.status.code() != Some(0) {
        return Err(String::from_utf8_lossy(&result.stderr).into_owned());
    }
    let binary = written.with_extension("");
    let mut build = Command::new(compiler);
    build.args(["-std=gnu11", "-O1", "-w", "-o"]).args([&binary, &written, &choices]);
    let built = build.output().unwrap();
    assert!(built.status.success(), "{file:?}: {}", String::from_utf8_lossy(&built.stderr));
    Ok(binary)
}

/// A run of the sequential program goes wrong where the program does.
#[test]
fn rounds_in_c_go_wrong() {
    let Some(compiler) = compiler("running sequential programs") else { return };
    let folder = folder("c-wrong");
    let file = folder.join("wrong.c");
    let text = "extern void reach_error(void); int x = 6;\n\
                int main(void) { unsigned char y = x * 50; if (y == 44) reach_error(); return 0; }\n";
    fs::write(&file, text).unwrap();
    let binary = compiled(&compiler, &file, &folder).unwrap();
    assert!((1..200).any(|seed| run(&binary, seed) == Some(1)), "no run goes wrong");
}

/// A program of so many rounds is one that compilers take; where no schedule of so many rounds goes wrong, no run of it does.
#[test]
fn rounds_become_c_that_compiles() {
    let Some(compiler) = compiler("compiling sequential programs") else { return };
    let folder = folder("c-rounds");
    let (mut made, mut refused) = (0, Vec::new());
    for (file, options, _) in rows() {
        if !options.is_empty() {
            continue;
        }
        let binary = match compiled(&compiler, &examples().join(&file), &folder) {
            Ok(binary) => binary,
            Err(said) => {
                // Threads that are started again and again, and joined by ids that may not be set yet.
                assert!(said.contains("may be read before it is set"), "{file}: {said}");
                refused.push(file);
                continue;
            }
        };
        made += 1;
        let bounded = words(&["--rounds", "2", "--quiet"]);
        let checked = selvedge("check", &examples().join(&file), &bounded);
        if checked.status.code() != Some(0) {
            continue;
        }
        for seed in 1..40 {
            assert_ne!(run(&binary, seed), Some(1), "{file}: the run {seed} goes wrong");
        }
    }
    println!("not sequential: {refused:?}");
    assert!(made > 15, "{made}");
}

/// How a forced schedule ends: nothing if no test can be made or compiled of it, with the reason.
fn forced(
    compiler: &str,
    file: &Path,
    options: &[String],
    folder: &Path,
) -> Result<String, String> {
    let written = folder.join(file.file_name().unwrap());
    let mut all = options.to_vec();
    all.extend(["-o".to_owned(), written.display().to_string()]);
    let result = selvedge("report", file, &all);
    if !written.exists() {
        return Err(String::from_utf8_lossy(&result.stderr).trim().to_owned());
    }
    let object = written.with_extension("o");
    let build = |arguments: &[&str], from: &Path, to: &Path| {
        let mut build = Command::new(compiler);
        let built = build.args(arguments).arg(from).arg("-o").arg(to).output().unwrap();
        assert!(built.status.success(), "{file:?}: {}", String::from_utf8_lossy(&built.stderr));
    };
    build(&["-g", "-O0", "-w", "-fsanitize=thread", "-c"], &written, &object);
    let binary = written.with_extension("");
    build(&["-pthread"], &object, &binary);
    let ended = Command::new("timeout").arg("20").arg(&binary).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    // An assertion ends the process by a signal; a deadlock is told by the test.
    match ended.status.code() {
        None | Some(1 | 134 | 139) => Ok(said),
        code => Err(format!("{code:?}: {said}")),
    }
}

/// The schedules of violations are those of the compiled programs.
#[test]
fn schedules_are_forced_in_compiled_programs() {
    let Some(compiler) = compiler("forcing schedules in compiled programs") else { return };
    let folder = folder("c-forced");
    let (mut done, mut not) = (Vec::new(), Vec::new());
    for (file, options, verdict) in rows() {
        if verdict != "unsafe" {
            continue;
        }
        let name = format!("{file} {}", options.join(" "));
        let inner = folder.join(name.replace(['/', ' '], "_"));
        fs::create_dir_all(&inner).unwrap();
        match forced(&compiler, &examples().join(&file), &options, &inner) {
            Ok(said) => {
                let is_deadlock = options.iter().any(|option| option == "--deadlock");
                let is_race = options.iter().any(|option| option == "no-data-race");
                let expected = match (is_deadlock, is_race) {
                    (true, _) => "deadlock",
                    (_, true) => "data race",
                    _ => "ssertion",
                };
                assert!(said.contains(expected), "{name}: {said}");
                done.push(name);
            }
            Err(why) => not.push(format!("{name}: {why}")),
        }
    }
    println!("forced: {done:#?}\nnot forced: {not:#?}");
    // Not among them: what a compiled program does not notice, and schedules in which threads wait or end in ways that the
    // turnstile does not follow.
    assert!(done.len() >= 16, "{not:#?}");
}

/// Who has no compiler is told what was looked for, and what to do; a program without directives needs none.
#[test]
fn a_machine_without_a_preprocessor_is_told_so() {
    let folder = folder("no-preprocessor");
    let (with, without) = (folder.join("with.c"), folder.join("without.c"));
    let body = "int main(void) { return 0; }\n";
    fs::write(&with, format!("#include <assert.h>\n{body}")).unwrap();
    fs::write(&without, body).unwrap();
    let verify = |file: &Path, compiler: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.env_remove("CC").envs(compiler.map(|name| ("CC", name)));
        command.env("PATH", &folder).arg("verify").arg(file).output().unwrap()
    };
    for (compiler, looked_for) in [(None, "cc, gcc, clang"), (Some("nocc"), "nocc, cc, gcc, clang")]
    {
        let done = verify(&with, compiler);
        assert_eq!(done.status.code(), Some(65));
        let said = String::from_utf8(done.stderr).unwrap();
        let expected = format!(
            "there is no C preprocessor (looked for {looked_for}): install a compiler, name one in $CC, or give a \
             preprocessed file (.i)\n"
        );
        assert!(said.ends_with(&expected), "{said}");
    }
    assert_eq!(verify(&without, None).status.code(), Some(0));
}
