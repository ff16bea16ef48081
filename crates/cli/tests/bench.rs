//! `selvedge bench` on a small suite: rows for all that can happen to a run, and what is written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with three programs and a list of them.
struct Suite(PathBuf);

impl Suite {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        for file in ["start/race.weave", "start/mutex.weave", "cuba/fig1.cpds"] {
            let to = folder.join(Path::new(file).file_name().unwrap());
            fs::copy(examples.join(file), to).unwrap();
        }
        let suite = Suite(folder);
        suite.put(
            "list.tsv",
            "file\toptions\tverdict\tbound\trun\nrace.weave\t\tunsafe\t3\ttest\n\
             mutex.weave\t\tsafe\t-\ttest\nfig1.cpds\t\tsafe\t5\ttest\n",
        );
        suite
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.current_dir(&self.0).args(["bench", "list.tsv", "--repeat", "1"]).args(arguments);
        command
    }

    fn bench(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let Output { status, stdout, .. } = self.command(arguments).arg("-q").output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap())
    }

    /// File, column, verdict and whether it is right, of each row.
    fn rows(&self, folder: &str) -> Vec<[String; 4]> {
        self.rows_of(&format!("{folder}/results.csv"))
    }

    fn rows_of(&self, file: &str) -> Vec<[String; 4]> {
        let text = self.text(file);
        let row = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            [0, 3, 4, 6].map(|place| fields[place].to_owned())
        };
        text.lines().skip(1).map(row).collect()
    }
}

#[test]
fn three_files_and_two_engines_are_six_rows() {
    let suite = Suite::new("engines");
    let growth = ["--threads", "mutex.weave:worker=1..3", "--contexts", "race.weave:1..2"];
    let engines = ["--engine", "auto", "--engine", "symbolic"];
    let (code, text) = suite.bench(&[&engines[..], &growth[..]].concat());
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("auto: 3 of 3 questions answered in "), "{text}");
    let rows = suite.rows("bench-results");
    let suite_rows: Vec<String> = rows[..6].iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        suite_rows,
        [
            "race.weave auto unsafe yes",
            "race.weave symbolic unsafe yes",
            "mutex.weave auto safe yes",
            "mutex.weave symbolic safe yes",
            "fig1.cpds auto safe yes",
            "fig1.cpds symbolic safe yes",
        ]
    );
    // Three numbers of threads and two of contexts, in both columns.
    assert_eq!(rows.len(), 6 + 10);
    let table = suite.text("bench-results/results.md");
    let pictures = [
        "cactus.svg",
        "scatter-auto-symbolic.svg",
        "observations.svg",
        "threads-time.svg",
        "threads-memory.svg",
        "contexts-time.svg",
        "contexts-memory.svg",
    ];
    for name in pictures {
        assert!(table.contains(&format!("]({name})")), "{name} is not in the table");
        let svg = suite.text(&format!("bench-results/{name}"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
    }
}

#[test]
fn an_engine_that_is_not_for_a_question_is_a_row() {
    let suite = Suite::new("refused");
    let (code, _) = suite.bench(&["--engine", "lazy"]);
    assert_eq!(code, Some(0));
    assert!(suite.rows("bench-results").iter().all(|row| row[2] == "refused" && row[3].is_empty()));
}

#[cfg(unix)]
#[test]
fn other_tools_may_die_hang_grow_or_lie() {
    let suite = Suite::new("tools");
    let tool = |name: &str, script: &str| {
        suite.put(&format!("{name}.sh"), script);
        let text = format!(
            "name = {name}\ncommand = sh {{folder}}/{name}.sh {{file}}\nreads = weave\n\
             unsafe = violated\nsafe = verified\n"
        );
        suite.put(&format!("{name}.tool"), &text);
    };
    tool("dies", "echo verifie; kill -SEGV $$");
    // What it starts holds its output, and outlives it unless somebody cares.
    tool("hangs", "sleep 600 & echo $! >> sleepers; sleep 600");
    tool("grows", "x=0123456789abcdef; while true; do x=$x$x; done");
    tool("silent", "exit 3");
    tool("knows", "case $1 in *race*) echo violated;; *) echo verified;; esac");
    tool("lies", "echo all verified");
    // Only who hangs needs a limit that can be waited for: on a busy machine, others need their time.
    let (code, text) = suite.bench(&["--timeout", "1s", "--tool", "hangs.tool", "-o", "late"]);
    assert!(code.is_some(), "{text}");
    let late = suite.rows("late");
    let hangs: Vec<_> = late.iter().filter(|row| row[1] == "hangs").collect();
    assert_eq!(hangs.len(), 2, "{late:?}");
    assert!(hangs.iter().all(|row| row[2] == "timeout"), "{late:?}");
    let mut arguments = vec!["--timeout", "600s", "--memory", "100MB"];
    for name in ["dies.tool", "grows.tool", "silent.tool", "knows.tool", "lies.tool"] {
        arguments.extend(["--tool", name]);
    }
    let (code, text) = suite.bench(&arguments);
    assert_eq!(code, Some(10), "{text}");
    assert!(
        text.starts_with("wrong answers\n  race.weave (lies): safe, expected unsafe\n"),
        "{text}"
    );
    let rows = suite.rows("bench-results");
    let of = |file: &str, tool: &str| {
        let row = rows.iter().find(|row| row[0] == file && row[1] == tool);
        row.map(|row| row[2..].join(" "))
    };
    for file in ["race.weave", "mutex.weave"] {
        assert_eq!(of(file, "dies").as_deref(), Some("died "));
        assert_eq!(of(file, "grows").as_deref(), Some("memory "));
        assert_eq!(of(file, "silent").as_deref(), Some("unknown "));
        assert_eq!(of(file, "knows").as_deref(), of(file, "auto").as_deref());
    }
    assert_eq!(of("race.weave", "lies").as_deref(), Some("safe no"));
    assert_eq!(of("mutex.weave", "lies").as_deref(), Some("safe yes"));
    // They do not read tables.
    assert_eq!(of("fig1.cpds", "knows"), None);
    for sleeper in suite.text("sleepers").lines() {
        assert!(ends(sleeper), "{sleeper} was left behind");
    }
    assert!(suite.text("bench-results/results.md").contains("## Wrong answers\n"));
}

/// Whether a process is gone, or nobody has taken note of its end yet.
#[cfg(unix)]
fn ends(process: &str) -> bool {
    let is_gone = || {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let there = Command::new("kill").args(["-0", process]).output().unwrap();
        stat.contains(") Z") || !there.status.success()
    };
    (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        is_gone()
    })
}

/// The lists of the checkout ask nothing that is refused, and no question is answered without time.
#[test]
fn the_lists_can_be_asked() {
    let suite = Suite::new("lists");
    for list in ["papers", "contexts"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches").join(list);
        let Output { status, stderr, .. } = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .current_dir(&suite.0)
            .arg("bench")
            .arg(path.with_extension("tsv"))
            .args(["--all", "--repeat", "1", "--timeout", "0s", "-q"])
            .output()
            .unwrap();
        assert_eq!(status.code(), Some(0), "{}", String::from_utf8_lossy(&stderr));
        let rows = suite.rows("bench-results");
        assert!(rows.len() > 20, "{list}: {rows:?}");
        let is_late = |row: &[String; 4]| matches!(&*row[2], "unknown" | "timeout");
        assert!(rows.iter().all(is_late), "{list}: {rows:?}");
    }
}

#[test]
fn an_earlier_run_is_compared() {
    let suite = Suite::new("compare");
    let (code, _) = suite.bench(&["-o", "old"]);
    assert_eq!(code, Some(0));
    // However busy the machine is now, it was busier then.
    let old: Vec<String> = (suite.text("old/results.csv").lines().enumerate())
        .map(|(number, line)| {
            let mut fields: Vec<&str> = line.split(',').collect();
            if number > 0 {
                (fields[7], fields[8]) = ("1000.0", "1000.0");
            }
            fields.join(",") + "\n"
        })
        .collect();
    suite.put("old/results.csv", &old.concat());
    let (code, text) = suite.bench(&["--compare", "old/results.csv", "--timeout", "600s"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("no regression in 3 rows"), "{text}");
    // Without any time there is no answer.
    let (code, text) = suite.bench(&["--compare", "old/results.csv", "--timeout", "0s"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("worse\n"), "{text}");
    assert!(text.contains("mutex.weave (auto): safe is now "), "{text}");
    // An answer where there was none is no regression.
    let (code, text) = suite.bench(&["--compare", "bench-results/results.csv"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("other verdicts\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_was_measured() {
    let suite = Suite::new("interrupt");
    let result = stopped(&suite, "-INT", 600);
    let text = String::from_utf8(result.stdout).unwrap();
    assert!(text.starts_with("interrupted: "), "{text}");
    assert_eq!(result.status.code(), Some(20));
    assert_eq!(suite.rows("bench-results").len(), 1);
    assert!(suite.text("bench-results/results.md").contains("- Interrupted: "));
    assert!(!suite.0.join("bench-results/results.partial.csv").exists());
}

#[cfg(unix)]
#[test]
fn who_is_killed_leaves_what_was_measured() {
    let suite = Suite::new("killed");
    let result = stopped(&suite, "-KILL", 5);
    assert_eq!(result.status.code(), None);
    assert_eq!(suite.rows_of("bench-results/results.partial.csv").len(), 1);
    assert!(!suite.0.join("bench-results/results.csv").exists());
}

/// What comes of a suite that gets a signal after its first row, while a tool sleeps for so many seconds.
#[cfg(unix)]
fn stopped(suite: &Suite, signal: &str, seconds: u32) -> Output {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let tool = format!("name = waits\ncommand = sleep {seconds}\nreads = weave\nsafe-exit = 0\n");
    suite.put("waits.tool", &tool);
    let mut command = suite.command(&["--tool", "waits.tool", "--timeout", "10m"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    notes.read_line(&mut line).unwrap();
    assert_eq!(&line[..25], "[1/3] race.weave, auto: u");
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    child.wait_with_output().unwrap()
}
