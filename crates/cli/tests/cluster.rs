//! Several processes answer as one does; and when one of them is gone, or somebody comes who does not belong to them, that is said, and nothing wrong.
//!
//! `SELVEDGE_EXAMPLES=1000` compares all examples, and not only some.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;

/// How long something is waited for that takes a few seconds, however busy the machine is. What does not end then would go
/// on for twice as long.
pub(crate) const SOON: Duration = Duration::from_secs(300);

/// How often what happens at random moments is tried.
#[cfg(target_os = "linux")]
const TEN: usize = 10;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.env("NO_COLOR", "1").args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn selvedge(arguments: &[&str]) -> Output {
    program(arguments).output().expect("it runs")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.to_str().expect("plain names").to_owned()
}

fn place(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cluster");
    fs::create_dir_all(&directory).expect("a place for files");
    directory.join(name)
}

pub(crate) fn write(name: &str, words: &str) -> String {
    let path = place(name);
    fs::write(&path, words).expect("a place for files");
    path.to_str().expect("plain names").to_owned()
}

/// A question that takes a while: all threads count, and one more looks at all of them.
pub(crate) fn long(name: &str) -> String {
    counting(name, 41)
}

/// A question that nobody answers while a test runs.
pub(crate) fn endless(name: &str) -> String {
    counting(name, 4001)
}

fn counting(name: &str, values: u32) -> String {
    let most = values - 1;
    let text = format!(
        "int[0..{most}] a := 0; int[0..{most}] b := 0; int[0..{most}] c := 0;
        thread one {{ while (true) {{ a := (a + 1) % {values}; }} }}
        thread two {{ while (true) {{ b := (b + 1) % {values}; }} }}
        thread three {{ while (true) {{ c := (c + 1) % {values}; }} }}
        thread judge {{ while (true) {{ assert a + b + c < 3 * {most} + 1; }} }}\n"
    );
    write(name, &text)
}

fn seconds(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for changing in ["time_s", "peak_memory_bytes", "processes", "command", "evidence"] {
        answer.as_object_mut().expect("an object").remove(changing);
    }
    // Of schedules with equally few steps, any one is shown, and why it goes wrong is about that one.
    if let Some(steps) = answer["trace"].as_array().map(Vec::len) {
        answer["trace"] = steps.into();
        for of_schedule in ["violation", "why"] {
            answer.as_object_mut().expect("an object").remove(of_schedule);
        }
    }
    answer
}

/// The examples that explicit contexts answer, in a short time.
#[test]
fn examples_have_the_answers_of_one_process() {
    let most = std::env::var("SELVEDGE_EXAMPLES").ok().and_then(|n| n.parse().ok()).unwrap_or(16);
    let list = fs::read_to_string(example("expected.tsv")).expect("the list");
    let rows: Vec<Vec<&str>> =
        list.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let fits = |row: &&Vec<&str>| {
        let file = row[0];
        row[4] == "test" && !file.ends_with(".yml")
    };
    let rows: Vec<_> = rows.iter().filter(fits).collect();
    let step = (rows.len() / most).max(1);
    let mut compared = 0;
    for row in rows.iter().step_by(step) {
        let file = example(row[0]);
        let options: Vec<&str> = row[1].split_whitespace().collect();
        let limits = ["--timeout", "3s", "--format", "json", "-q"];
        let line = [&["verify", &file, "--engine", "explicit"], &options[..]].concat();
        let mut alone = selvedge(&[&line, &limits[..]].concat());
        if !matches!(alone.status.code(), Some(0 | 10)) {
            continue;
        }
        let mut expected: Value = serde_json::from_slice(&alone.stdout).expect("JSON");
        // The limit ended the search for the fewest steps.
        if !expected["reason"].is_null() {
            alone =
                selvedge(&[&line, &["--timeout", "60s", "--format", "json", "-q"][..]].concat());
            expected = serde_json::from_slice(&alone.stdout).expect("JSON");
        }
        if expected["engine"] != "contexts-explicit" {
            continue; // proofs from above, and of all schedules without bounds, are of one process
        }
        for processes in ["1", "2", "4"] {
            let name = format!("{} {} with {processes}", row[0], row[1]);
            let path = place(&format!("{compared}-{processes}.json"));
            let path = path.to_str().expect("plain names");
            let line = ["cluster", &file, "--processes", processes, "--evidence", path];
            let limits = ["--timeout", "60s", "--format", "json", "-q"];
            let many = selvedge(&[&line, &options[..], &limits].concat());
            assert_eq!(many.status.code(), alone.status.code(), "{name}: {}", text(&many.stdout));
            assert_eq!(text(&many.stderr), "", "{name}");
            let answer: Value = serde_json::from_slice(&many.stdout).expect("JSON");
            assert_eq!(seconds(&answer), seconds(&expected), "{name}");
            let used = answer["processes"].as_array().expect("processes");
            assert_eq!(used.len().to_string(), processes, "{name}");
            let evidence = selvedge(&[&["recheck", path, &file, "-q"], &options[..]].concat());
            assert_eq!(evidence.status.code(), Some(0), "{name}: {}", text(&evidence.stderr));
        }
        compared += 1;
    }
    assert!(compared >= most.min(rows.len()) / 2, "{compared} of {most}");
}

#[test]
fn what_one_process_has_to_answer_is_said() {
    let cases: [(&str, &[&str], &str); 4] = [
        (
            "start/race.weave",
            &["--engine", "symbolic"],
            "the engine `symbolic` works in one process",
        ),
        ("any/bluetooth.weave", &[], "any number of threads has no list of states"),
        ("start/race.weave", &["--processes", "0"], "from 1 to 64"),
        ("start/race.weave", &["--processes", "65"], "from 1 to 64"),
    ];
    for (file, options, words) in cases {
        let output = selvedge(&[&["cluster", &example(file)], options].concat());
        assert_eq!(output.status.code(), Some(64), "{file} {options:?}");
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

/// Several workers in each process, and a limit of memory, which each of them has.
#[test]
fn workers_and_limits_are_those_of_each_process() {
    let file = long("limits.weave");
    let line = ["cluster", &file, "--contexts", "3", "--jobs", "2", "--format", "json"];
    let answer: Value = serde_json::from_slice(&selvedge(&line).stdout).expect("JSON");
    assert_eq!(answer["verdict"], "bounded");
    assert!(answer["processes"].as_array().expect("two").iter().all(|one| one["workers"] == 2));
    let line = ["cluster", &file, "--no-reduction", "--memory", "8MB", "--processes", "3"];
    let output = selvedge(&line);
    assert_eq!(output.status.code(), Some(20), "{}", text(&output.stdout));
    let said = text(&output.stdout);
    assert!(said.starts_with("unknown: the memory limit was reached"), "{said}");
}

/// Free ports below those that a system gives to whoever connects: with thousands of connections in tests beside this one, such a
/// port would not stay free until it is used.
pub(crate) fn free_ports(count: usize) -> Vec<u16> {
    let from = fastrand::u16(10_000..30_000);
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let ports: Vec<u16> = (from..from + 2000).filter(free).take(count).collect();
    assert_eq!(ports.len(), count, "no free ports above {from}");
    ports
}

/// Free ports, as lines of a host file.
pub(crate) fn hosts(name: &str, processes: usize) -> (String, Vec<u16>) {
    let ports = free_ports(processes);
    let lines: String = ports.iter().map(|port| format!("127.0.0.1:{port}\n")).collect();
    (write(name, &lines), ports)
}

pub(crate) fn member(hosts: &str, process: &str, arguments: &[&str]) -> Child {
    let line =
        [arguments, &["--hosts", hosts, "--process", process, "--patience", "200s"]].concat();
    program(&line).spawn().expect("it runs")
}

#[test]
fn other_files_options_and_secrets_are_refused() {
    let (race, mutex) = (example("start/race.weave"), example("start/mutex.weave"));
    let right = write("right.secret", "0123456789abcdef0123456789abcdef");
    let wrong = write("wrong.secret", "0123456789abcdef0123456789abcdee");
    let short = write("short.secret", "0123");
    let of = |file, secret| ["verify", file, "--secret-file", secret];
    let cases: [(&[&str], &str); 5] = [
        (&of(&mutex, &right), "has another file"),
        (&[&of(&race, &right)[..], &["--no-symmetry"]].concat(), "has other options"),
        (&[&of(&race, &right)[..], &["--jobs", "2"]].concat(), "has --jobs"),
        (&of(&race, &wrong), "does not let this process in: does it have the same secret?"),
        (&of(&race, &short), "a secret has 16 bytes or more"),
    ];
    for (number, (line, words)) in cases.into_iter().enumerate() {
        let (hosts, _) = hosts(&format!("refused-{number}"), 2);
        let asks = member(&hosts, "0", &of(&race, &right));
        let refused = member(&hosts, "1", line).wait_with_output().expect("it ends");
        let said = text(&refused.stderr);
        assert!(
            said.contains(words) || said.contains("left before the run began"),
            "{words}: {said}"
        );
        assert!(!refused.status.success());
        if number >= 3 {
            // Somebody who does not belong here changes nothing: the right one comes later.
            let works = member(&hosts, "1", &of(&race, &right));
            let asked = asks.wait_with_output().expect("it ends");
            assert_eq!(asked.status.code(), Some(10), "{}", text(&asked.stderr));
            assert_eq!(works.wait_with_output().expect("it ends").status.code(), Some(10));
        } else {
            let asked = asks.wait_with_output().expect("it ends");
            assert_eq!(asked.status.code(), Some(20));
            let both = text(&asked.stderr) + &said;
            assert!(both.contains(words), "{words}: {both}");
        }
    }
    let beyond = write("beyond", "192.0.2.1:4000\n192.0.2.2:4000\n");
    let refused = member(&beyond, "0", &["verify", &race]).wait_with_output().expect("it ends");
    assert_eq!(refused.status.code(), Some(64));
    assert!(text(&refused.stderr).contains("--secret-file"), "{}", text(&refused.stderr));
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(parent: &Child) -> Vec<u32> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{}/task", parent.id())).into_iter().flatten().flatten()
    {
        let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(list.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
    }
    found.sort_unstable();
    found
}

#[cfg(target_os = "linux")]
fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(sent.expect("there is `kill`").success());
}

#[cfg(target_os = "linux")]
fn is_alive(process: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !matches!(
        state.rsplit(')').next().map(|rest| rest.trim_start().chars().next()),
        None | Some(None | Some('Z'))
    )
}

/// Starts four processes on something that does not end, and waits for so long once all are there.
#[cfg(target_os = "linux")]
fn four(name: &str, after: Duration) -> (Child, Vec<u32>) {
    let file = endless(name);
    let line = ["cluster", &file, "--processes", "4", "--no-reduction", "--timeout", "600s"];
    let asks = program(&line).spawn().expect("it runs");
    let until = Instant::now() + SOON;
    while children(&asks).len() < 3 {
        assert!(Instant::now() < until, "the processes are not there");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(after);
    let found = children(&asks);
    (asks, found)
}

#[cfg(target_os = "linux")]
fn ends_soon(mut asks: Child, others: &[u32], since: Instant) -> (Option<i32>, String) {
    while asks.try_wait().expect("it is there").is_none() {
        if since.elapsed() > SOON {
            let _ = asks.kill();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(10));
    }
    while others.iter().any(|&other| is_alive(other)) {
        assert!(since.elapsed() < SOON, "a process is left");
        thread::sleep(Duration::from_millis(10));
    }
    let output = asks.wait_with_output().expect("it has ended");
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// At moments all over the start and the run.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_ends_the_run_and_is_named() {
    let mut moments = fastrand::Rng::with_seed(7);
    for round in 0..TEN {
        let (asks, others) = four("killed.weave", Duration::from_millis(moments.u64(0..1500)));
        let since = Instant::now();
        let victim = moments.usize(0..others.len());
        signal("-KILL", others[victim]);
        let (code, said) = ends_soon(asks, &others, since);
        assert_eq!(code, Some(20), "{said}");
        let name = format!("process {}", victim + 1);
        assert!(said.contains(&name), "{round}: {name} is not named: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_process_ends_the_run_and_is_named() {
    let (asks, others) = four("stopped.weave", Duration::from_millis(1500));
    let since = Instant::now();
    signal("-STOP", others[1]);
    let (code, said) = ends_soon(asks, &others, since);
    assert_eq!(code, Some(20), "{said}");
    assert!(said.contains("process 2"), "{said}");
}

/// Whoever asks is gone: nobody works on for nothing.
#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left_alone() {
    for after in [0, 1200] {
        let (mut asks, others) = four("alone.weave", Duration::from_millis(after));
        let since = Instant::now();
        asks.kill().expect("it can be killed");
        ends_soon(asks, &others, since);
    }
}

/// What does not change from run to run.
fn counted(output: &Output) -> Value {
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    seconds(&answer)
}

/// Runs that are killed, and go on with another number of processes, or alone, end as the one that was not.
#[cfg(target_os = "linux")]
#[test]
fn a_run_goes_on_after_it_was_killed() {
    let file = long("resumed.weave");
    let question = [file.as_str(), "--no-reduction", "--contexts", "4"];
    let shown = ["--format", "json", "-q"];
    let alone = [&["check", "--engine", "explicit"], &question[..], &shown].concat();
    let whole = counted(&selvedge(&alone));
    let mut moments = fastrand::Rng::with_seed(11);
    for round in 0..TEN {
        let folder = place(&format!("resumed-{round}"));
        let _ = fs::remove_dir_all(&folder);
        let kept = folder.to_str().expect("plain names");
        let first =
            [&["cluster", "--processes", "3", "--checkpoint", kept], &question[..]].concat();
        let mut asks = program(&first).spawn().expect("it runs");
        let goes_on = |asks: &mut Child| asks.try_wait().expect("it is there").is_none();
        while !folder.join("checkpoint").exists() && goes_on(&mut asks) {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(moments.u64(0..600)));
        let others = children(&asks);
        match others.get(round % 3) {
            Some(&other) if round % 3 < 2 => signal("-KILL", other),
            _ => drop(asks.kill()),
        }
        ends_soon(asks, &others, Instant::now());
        let hidden = |folder: &Path| {
            let entries = fs::read_dir(folder).expect("a folder").flatten();
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count()
        };
        let resume = ["--resume", kept, "--checkpoint", kept];
        let line = match round % 3 {
            1 => [&["check"], &question[..], &resume, &shown].concat(),
            0 => [&["cluster", "--processes", "2"], &question[..], &resume, &shown].concat(),
            _ => [&["cluster", "--processes", "4"], &question[..], &resume, &shown].concat(),
        };
        let rest = selvedge(&line);
        assert_eq!(counted(&rest), whole, "round {round}");
        assert_eq!(hidden(&folder), 0, "half a checkpoint is left");
        let other = selvedge(&["check", &file, "--contexts", "4", "--resume", kept]);
        assert_eq!(other.status.code(), Some(66));
        assert!(text(&other.stderr).contains("of other options"), "{}", text(&other.stderr));
    }
}

/// Where nothing can be written, that is said: before the run if it is known then, and otherwise beside the answer.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_checkpoint_and_not_the_answer() {
    let file = long("full.weave");
    let no_folder = write("no-folder", "a file");
    let refused = selvedge(&["check", &file, "--contexts", "2", "--checkpoint", &no_folder]);
    assert_eq!(refused.status.code(), Some(66));
    assert!(text(&refused.stderr).contains("no checkpoint can be written"), "{refused:?}");
    let nothing = selvedge(&["check", &file, "--contexts", "2", "--resume", &no_folder]);
    assert_eq!(nothing.status.code(), Some(66), "{nothing:?}");
    // No file may have more than a few blocks: after the second bound there is more to be written than that.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let question = [file.as_str(), "--no-reduction"];
    let shown = ["--format", "json", "-q"];
    let within = |most: &'static str| ["--contexts", most];
    let alone = [&["check", "--engine", "explicit"], &question[..], &within("3"), &shown].concat();
    let whole = counted(&selvedge(&alone));
    let cases: [(&str, &[&str]); 2] =
        [("alone", &["check"]), ("three", &["cluster", "--processes", "3"])];
    for (name, command) in cases {
        let folder = place(&format!("full-{name}"));
        let _ = fs::remove_dir_all(&folder);
        let kept = folder.to_str().expect("plain names");
        let line = [command, &question, &within("2"), &["--checkpoint", kept]].concat();
        let output = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_selvedge")])
            .args(line)
            .output()
            .expect("there is `sh`");
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        let said = text(&output.stderr);
        assert!(said.contains("no checkpoint was written after 2 contexts"), "{name}: {said}");
        assert!(!said.contains("after 1 context:"), "{name}: {said}");
        let names: Vec<String> = fs::read_dir(&folder)
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let is_whole = |name: &String| name == "checkpoint" || name.starts_with("share-1-");
        assert!(names.len() > 1 && names.iter().all(is_whole), "{name}: {names:?}");
        // The checkpoint before is as good as ever.
        let line = [command, &question, &within("3"), &["--resume", kept], &shown].concat();
        assert_eq!(counted(&selvedge(&line)), whole, "{name}");
    }
}
