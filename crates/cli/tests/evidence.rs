//! From `verify --evidence` to `recheck`, as two processes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::expect;

fn selvedge(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.env("NO_COLOR", "1").args(arguments).output().expect("it runs")
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.to_str().expect("plain names").to_owned()
}

fn place(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evidence");
    std::fs::create_dir_all(&directory).expect("a place for files");
    directory.join(name)
}

#[test]
fn what_verify_writes_is_walked() {
    let cases: [(&str, &[&str], &[&str], i32); 7] = [
        ("start/race.weave", &[], &[], 10),
        ("start/race.weave", &["--threads", "worker=3"], &[], 10),
        ("cuba/fig2.cpds", &["--target", "1|4,9"], &[], 10),
        ("locks/philosophers.weave", &[], &["--deadlock"], 10),
        ("any/reader-writer.weave", &["--const", "BUG=true"], &[], 10),
        ("any/pool.weave", &["--const", "BUG=true"], &[], 10),
        ("start/mutex.weave", &[], &[], 65),
    ];
    for (number, (name, options, more, code)) in cases.into_iter().enumerate() {
        let (file, path) = (example(name), place(&format!("walked-{number}.json")));
        let evidence = path.to_str().expect("plain names");
        selvedge(&[&["verify", &file, "--evidence", evidence, "-q"], options, more].concat());
        let walked = selvedge(&[&["simulate", &file, "--schedule", evidence], options].concat());
        assert_eq!(walked.status.code(), Some(code), "{name}: {walked:?}");
        let said =
            String::from_utf8_lossy(if code == 65 { &walked.stderr } else { &walked.stdout });
        assert!(
            said.contains(if code == 65 { "it is a proof" } else { "it goes wrong" }),
            "{said}"
        );
    }
}

#[test]
fn what_verify_writes_is_accepted() {
    let cases: [(&str, &[&str], i32); 19] = [
        ("start/race.weave", &[], 10),
        ("start/race.weave", &["--threads", "worker=3"], 10),
        ("start/mutex.weave", &[], 0),
        ("start/recursion.weave", &[], 0),
        ("start/parity.weave", &[], 0),
        ("start/forkjoin.weave", &[], 0),
        ("cuba/fig2.cpds", &["--target", "1|4,9"], 10),
        ("cuba/fig2.cpds", &["--deadlock"], 0),
        ("start/forkjoin.weave", &["--deadlock"], 0),
        ("locks/philosophers.weave", &["--deadlock"], 10),
        ("locks/philosophers-ordered.weave", &["--deadlock"], 0),
        ("locks/philosophers.weave", &["--target", "*@eating,*@eating"], 0),
        ("locks/philosophers.weave", &["--const", "N=4", "--target", "*@eating,dine@21"], 10),
        ("any/reader-writer.weave", &[], 0),
        ("any/reader-writer.weave", &["--const", "BUG=true"], 10),
        ("any/test-and-set.weave", &["--target", "*@critical,*@critical"], 0),
        ("any/pool.weave", &[], 0),
        ("any/pool.weave", &["--const", "BUG=true"], 10),
        ("any/handshake.tts", &[], 10),
    ];
    for (number, (name, options, code)) in cases.into_iter().enumerate() {
        let (file, path) = (example(name), place(&format!("{number}.json")));
        let evidence = path.to_str().expect("plain names");
        let verified =
            selvedge(&[&["verify", &file, "--evidence", evidence, "-q"], options].concat());
        assert_eq!(verified.status.code(), Some(code), "{name}");
        let rechecked = selvedge(&[&["recheck", evidence, &file, "--show"], options].concat());
        let said = String::from_utf8_lossy(&rechecked.stdout);
        assert_eq!(rechecked.status.code(), Some(0), "{name}: {rechecked:?}");
        assert!(said.starts_with(if code == 0 { "accepted: safe" } else { "accepted: unsafe" }));
    }
}

#[test]
fn what_livelock_writes_is_accepted() {
    let cases: [(&str, &[&str], &[&str], i32); 8] = [
        ("livelock/fig1a.weave", &[], &["--none-ended"], 0),
        ("livelock/fig1a.weave", &[], &[], 11),
        ("livelock/started-workers.weave", &[], &[], 11),
        ("livelock/recursion-int.weave", &[], &[], 11),
        ("livelock/fig1b.weave", &[], &["--fairness", "weak"], 11),
        ("livelock/fig3a-philosophers.weave", &["--const", "N=3"], &[], 11),
        ("livelock/fig3c-timeout-fair.weave", &[], &[], 0),
        ("start/livelock.weave", &[], &[], 11),
    ];
    for (number, (name, options, asked, code)) in cases.into_iter().enumerate() {
        let (file, path) = (example(name), place(&format!("livelock-{number}.json")));
        let evidence = path.to_str().expect("plain names");
        let command = ["livelock", &file, "--evidence", evidence, "-q"];
        let answered = selvedge(&[&command, options, asked].concat());
        assert_eq!(answered.status.code(), Some(code), "{name}");
        let rechecked = selvedge(&[&["recheck", evidence, &file, "--show"], options].concat());
        let said = String::from_utf8_lossy(&rechecked.stdout);
        assert_eq!(rechecked.status.code(), Some(0), "{name}: {rechecked:?}");
        let verdict = if code == 0 { "safe" } else { "nonterminating" };
        assert!(said.starts_with(&format!("accepted: {verdict}: ")), "{said}");
        let other = example("start/race.weave");
        let refused = selvedge(&["recheck", evidence, &other]);
        assert_eq!(refused.status.code(), Some(65), "{name}");
    }
}

/// Writes a sequential program of an example; where it is.
fn sequentialized(name: &str, rounds: &str) -> String {
    let path = place(&format!("{}-{rounds}.weave", name.replace(['/', '.'], "-")));
    let path = path.to_str().expect("plain names").to_owned();
    let made = selvedge(&["sequentialize", &example(name), "--rounds", rounds, "-o", &path]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    path
}

#[test]
fn proofs_by_summaries_are_accepted() {
    let files = [
        example("sequentialization/carry.weave"),
        sequentialized("start/mutex.weave", "2"),
        sequentialized("locks/philosophers-ordered.weave", "2"),
        sequentialized("bluetooth/bluetooth1.weave", "2"),
    ];
    for (number, file) in files.iter().enumerate() {
        let path = place(&format!("summaries-{number}.json"));
        let evidence = path.to_str().expect("plain names");
        let asked = ["check", file, "--rounds", "1", "--engine", "lazy", "--evidence", evidence];
        let answered = selvedge(&asked);
        assert_eq!(answered.status.code(), Some(0), "{file}: {answered:?}");
        let rechecked = selvedge(&["recheck", evidence, file, "--show"]);
        let said = String::from_utf8_lossy(&rechecked.stdout);
        assert_eq!(rechecked.status.code(), Some(0), "{file}: {rechecked:?}");
        assert!(said.starts_with("accepted: safe: relations at "), "{said}");
        let other = selvedge(&["recheck", evidence, &files[(number + 1) % files.len()]]);
        assert_eq!(other.status.code(), Some(65), "{file}");
        let small = selvedge(&["recheck", evidence, file, "--memory", "1KiB"]);
        let said = String::from_utf8_lossy(&small.stderr);
        assert_eq!(small.status.code(), Some(65), "{said}");
        assert!(said.contains("refused: it could not be checked: the memory limit"), "{said}");
        // Without its first place, and without its last node.
        let text = std::fs::read_to_string(&path).expect("it was written");
        for (list, first) in [("\"thread\": [", true), ("\"nodes\": [", false)] {
            let start = text.find(list).expect("the list") + list.len();
            let end = start + text[start..].find("\n  ]").expect("its end");
            let mut entries: Vec<&str> = text[start..end].split(",\n").collect();
            entries.remove(if first { 0 } else { entries.len() - 1 });
            let changed = format!("{}{}{}", &text[..start], entries.join(",\n"), &text[end..]);
            std::fs::write(&path, changed).expect("it can be written");
            let refused = selvedge(&["recheck", evidence, file]);
            let said = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(65), "{said}");
            assert!(said.contains("refused: ") && refused.stdout.is_empty(), "{said}");
        }
    }
}

#[test]
fn the_invariant_is_shown_line_by_line() {
    let path = place("mutex.json");
    let evidence = path.to_str().expect("plain names");
    let file = example("start/mutex.weave");
    selvedge(&["verify", &file, "--evidence", evidence]);
    let shown = selvedge(&["recheck", evidence, &file, "--show"]);
    expect![[r#"
        accepted: safe: a set of 3 states, with whole stacks, contains the initial states, no step leaves it, and none of its states breaks a property; steps from 1 place concern nobody but their thread, locks hide steps from 6 places: they are merged with those before
          property  assertions; wait-deadlock

        worker
          line 13   count = 0..2, finished = 0..2, m ∈ {free, held}
          line 14   count ∈ {0, 1}, finished ∈ {0, 1}, m = held
          line 15   count ∈ {0, 1}, finished ∈ {0, 1}, m = held, seen ∈ {0, 1}
          line 16   count ∈ {1, 2}, finished ∈ {0, 1}, m = held
          line 17   count ∈ {1, 2}, finished ∈ {1, 2}, m = held
          line 18   count ∈ {1, 2}, finished ∈ {1, 2}, m = held
          line 19   count = 0..2, finished = 0..2, m ∈ {free, held}
          ended     count = 0..2, finished = 0..2, m ∈ {free, held}
    "#]]
    .assert_eq(&String::from_utf8_lossy(&shown.stdout));
}

#[test]
fn old_evidence_is_replaced_and_nothing_is_left_over() {
    let directory = place("replaced");
    std::fs::create_dir_all(&directory).expect("a place for files");
    let path = directory.join("race.json");
    std::fs::write(&path, "old").expect("it can be written");
    let evidence = path.to_str().expect("plain names");
    let file = example("start/race.weave");
    selvedge(&["verify", &file, "--evidence", evidence, "-q"]);
    assert_eq!(selvedge(&["recheck", evidence, &file]).status.code(), Some(0));
    assert_eq!(std::fs::read_dir(&directory).expect("it is there").count(), 1);
}

#[test]
fn without_an_answer_there_is_no_evidence() {
    let path = place("none.json");
    let evidence = path.to_str().expect("plain names");
    let file = example("start/race.weave");
    let result = selvedge(&["check", &file, "--contexts", "2", "--evidence", evidence]);
    assert_eq!(result.status.code(), Some(1));
    let notes = String::from_utf8_lossy(&result.stderr);
    assert!(notes.contains("no evidence was written"), "{notes}");
    assert!(!path.exists());
}

/// What a proof is about is part of it: one without deadlocks says nothing about them.
#[test]
fn evidence_is_for_the_question_that_was_asked() {
    let path = place("no-deadlock.json");
    let evidence = path.to_str().expect("plain names");
    let file = example("locks/philosophers.weave");
    let without = ["verify", &file, "--no-deadlock", "--evidence", evidence];
    assert_eq!(selvedge(&without).status.code(), Some(0));
    let refused = selvedge(&["recheck", evidence, &file, "--deadlock"]);
    assert_eq!(refused.status.code(), Some(65));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("made with no options, not with --deadlock"), "{said}");
    // With the option forged, there is still a deadlock in it; and where threads begin is not the same question.
    let every = ["verify", &file, "--no-deadlock", "--no-reduction", "--evidence", evidence];
    assert_eq!(selvedge(&every).status.code(), Some(0));
    let text = std::fs::read_to_string(&path).expect("it was written");
    let forged = text.replace("\"options\": {}", "\"options\": {\"deadlock\": true}");
    assert_ne!(text, forged);
    std::fs::write(&path, forged).expect("it can be written");
    let refused = selvedge(&["recheck", evidence, &file, "--deadlock"]);
    assert_eq!(refused.status.code(), Some(65));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("may be a deadlock"), "{said}");
}

/// Wherever a file ends too early, it is refused, and nothing else happens.
#[test]
fn what_is_cut_off_is_refused() {
    for (name, code) in [("start/race.weave", 10), ("cuba/fig1.cpds", 0)] {
        let (whole, cut) = (place("whole.json"), place("cut.json"));
        let file = example(name);
        let evidence = whole.to_str().expect("plain names");
        let verified = selvedge(&["verify", &file, "--evidence", evidence]);
        assert_eq!(verified.status.code(), Some(code), "{name}");
        let text = std::fs::read(&whole).expect("it was written");
        for part in 0..16 {
            let cut_off = &text[..text.len() * part / 16];
            std::fs::write(&cut, cut_off).expect("it can be written");
            let refused = selvedge(&["recheck", cut.to_str().expect("plain names"), &file]);
            let said = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(65), "{said}");
            assert!(said.contains("refused: ") && refused.stdout.is_empty(), "{said}");
            assert_eq!(std::fs::read(&cut).expect("it is still there"), cut_off);
        }
    }
}

/// A question without an answer, or with a mistake in it, leaves an earlier file as it is.
#[test]
fn nothing_is_written_half() {
    let path = place("kept.json");
    let evidence = path.to_str().expect("plain names");
    std::fs::write(&path, "kept").expect("it can be written");
    let file = example("locks/filter.weave");
    let asked = |options: &[&str]| {
        let result = selvedge(&[&["verify", &file, "--evidence", evidence], options].concat());
        assert_eq!(std::fs::read_to_string(&path).expect("it is still there"), "kept");
        result.status.code()
    };
    assert_eq!(asked(&["--const", "N=7", "--timeout", "300ms"]), Some(20));
    assert_eq!(asked(&["--const", "N=7", "--memory", "20MB"]), Some(20));
    assert_eq!(asked(&["--target", "nobody@nowhere"]), Some(64));
    let beside = std::fs::read_dir(path.parent().expect("a folder")).expect("it can be listed");
    let left = beside.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_string_lossy().contains("kept.json") && name != "kept.json"
    });
    assert_eq!(left.count(), 0, "nothing else is left behind");
}

#[test]
fn the_answer_says_where_the_evidence_is() {
    let path = place("race.json");
    let evidence = path.to_str().expect("plain names");
    let file = example("start/race.weave");
    let result = selvedge(&["verify", &file, "--evidence", evidence, "--format", "json"]);
    let said = String::from_utf8_lossy(&result.stdout);
    assert!(said.contains(&format!("\"evidence\": \"{evidence}\"")), "{said}");
    let nowhere = place("none").join("race.json");
    let nowhere = nowhere.to_str().expect("plain names");
    let result = selvedge(&["verify", &file, "--evidence", nowhere]);
    assert_eq!(result.status.code(), Some(66));
}

#[cfg(target_os = "linux")]
#[test]
fn the_verdict_is_printed_even_if_the_evidence_is_lost() {
    let file = example("start/race.weave");
    let result = selvedge(&["verify", &file, "--evidence", "/dev/full"]);
    assert_eq!(result.status.code(), Some(66));
    let said = String::from_utf8_lossy(&result.stdout);
    assert!(said.starts_with("unsafe: "), "{said}");
    let notes = String::from_utf8_lossy(&result.stderr);
    assert_eq!(notes, "error: cannot write /dev/full: no space is left there\n");
}

#[cfg(unix)]
#[test]
fn the_input_is_kept_under_another_name() {
    let (first, second) = (place("kept.weave"), place("other-name.weave"));
    std::fs::copy(example("start/race.weave"), &first).expect("a copy");
    let _ = std::fs::remove_file(&second);
    std::fs::hard_link(&first, &second).expect("a second name");
    let names = [&first, &second].map(|path| path.to_str().expect("plain names").to_owned());
    let result = selvedge(&["verify", &names[0], "--evidence", &names[1]]);
    assert_eq!(result.status.code(), Some(64));
    let text = std::fs::read_to_string(&first).expect("it is still there");
    assert!(text.contains("thread worker"), "{text}");
}
