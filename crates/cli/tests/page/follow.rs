//! The page of `selvedge explore` follows its file, and shows and sets every option.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::compiler::compiler;
use crate::page::browser::Browser;
use crate::page::{Explorer, example, folder, report};

fn is(verdict: &str) -> String {
    format!("document.querySelector('#badge').textContent === '{verdict}'")
}

#[test]
fn a_file_that_changes_is_asked_about_again() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("follow").join("race.weave");
    let text = fs::read_to_string(example("start/race.weave")).unwrap();
    fs::write(&file, &text).unwrap();
    let explorer = Explorer::start(&file, &[]);
    browser.open(&explorer.url);
    browser.wait_for(&is("unsafe"));
    // Mended on disk: the page says so, shows it and has another answer.
    let mended = text.replace("thread worker * 2", "thread worker * 1");
    assert_ne!(mended, text);
    fs::write(&file, mended.replace("count == 2", "count <= 2")).unwrap();
    browser.wait_for(&is("safe"));
    assert!(
        browser.text("#status").contains("race.weave has changed"),
        "{}",
        browser.text("#status")
    );
    assert!(browser.text(".code").contains("count <= 2"));
    assert_eq!(browser.run("return document.querySelector('#threads-worker').value"), json!("1"));
    // Broken: what is wrong is said, with its place.
    fs::write(&file, "int[0..2] x := ;\n").unwrap();
    browser.wait_for(&is("no answer"));
    assert!(browser.text("#sentence").contains("race.weave:1:"), "{}", browser.text("#sentence"));
    assert!(browser.text("#status").contains("cannot be read"));
    // And right again.
    fs::write(&file, &text).unwrap();
    browser.wait_for(&is("unsafe"));
    browser.no_errors();
}

/// What a header says is asked about as well.
#[test]
fn a_header_that_changes_is_asked_about_again() {
    let Some(browser) = Browser::start() else { return };
    if compiler("the page of a program with a header").is_none() {
        return;
    }
    let folder = folder("header");
    let (file, header) = (folder.join("count.c"), folder.join("count.h"));
    fs::write(&header, "#define LEAST 1\n").unwrap();
    let text = "#include <assert.h>\n#include \"count.h\"\nint main(void) { int n = 1; assert(n >= LEAST); return 0; }\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &[]);
    browser.open(&explorer.url);
    browser.wait_for(&is("safe"));
    fs::write(&header, "#define LEAST 20\n").unwrap();
    browser.wait_for(&is("unsafe"));
    let said = browser.text("#status");
    assert!(said.contains("count.c, or what it includes, has changed"), "{said}");
    fs::write(&header, "#define LEAST 0\n").unwrap();
    browser.wait_for(&is("safe"));
    // Without it there is no program; with it there is one again.
    fs::remove_file(&header).unwrap();
    browser.wait_for(&is("no answer"));
    assert!(browser.text("#sentence").contains("count.h"), "{}", browser.text("#sentence"));
    fs::write(&header, "#define LEAST 30\n").unwrap();
    browser.wait_for(&is("unsafe"));
    browser.no_errors();
}

#[test]
fn options_are_shown_and_can_be_set() {
    let Some(browser) = Browser::start() else { return };
    let explorer =
        Explorer::start(&example("locks/filter.weave"), &["--const", "N=2", "--no-symmetry"]);
    browser.open(&explorer.url);
    browser.wait_for(&is("safe"));
    let command = browser.text("#command");
    assert!(
        command.starts_with("selvedge verify ") && command.contains("--const N=2 --no-symmetry"),
        "{command}"
    );
    assert_eq!(browser.run("return document.querySelector('#const-N').value"), json!("2"));
    assert_eq!(browser.run("return document.querySelector('#no-symmetry').checked"), json!(true));
    // Engines have a word each.
    let said = browser.run(
        "return [...byId('engine').options].map(({ value }) => { byId('engine').value = value; \
         byId('engine').dispatchEvent(new Event('change')); return [value, byId('engine-about').textContent]; })",
    );
    let said = said.as_array().unwrap();
    assert!(said.len() > 3, "{said:?}");
    for engine in said {
        let (name, about) = (engine[0].as_str().unwrap(), engine[1].as_str().unwrap());
        let words = about.strip_prefix(&format!("{name}: "));
        assert!(words.is_some_and(|words| words.len() > 10), "{name}: {about}");
    }
    browser.run("byId('engine').value = 'auto'; byId('engine').dispatchEvent(new Event('change'))");
    browser.run("document.querySelector('#options').open = true");
    browser.run("document.querySelector('#no-symmetry').checked = false");
    browser.run("document.querySelector('#const-N').value = '3'");
    browser.run("document.querySelector('#jobs').value = '1'");
    browser.run("document.querySelector('#target').value = 'process@24'");
    browser.run("document.querySelector('#predicates').checked = true");
    browser.screenshot("options", 1280);
    browser.screenshot("options", 400);
    browser.click("#restart");
    browser.wait_for("document.querySelector('#command') && document.querySelector('#command').textContent.includes('N=3')");
    let command = browser.text("#command");
    assert!(
        command.ends_with("--const N=3 --target process@24 --predicates given --jobs 1"),
        "{command}"
    );
    // What one engine observes is asked where it is chosen, and proofs where no bound is.
    let are_open = "return ['observe', 'closure', 'predicates'].map((id) => !byId(id).disabled)";
    let choose = |id: &str, value: &str| {
        browser.run(&format!(
            "byId('{id}').value = '{value}'; byId('{id}').dispatchEvent(new Event('change'))"
        ));
    };
    assert_eq!(browser.run(are_open), json!([false, false, true]));
    choose("question", "contexts");
    assert_eq!(browser.run(are_open), json!([false, false, false]));
    choose("question", "verify");
    choose("engine", "delays");
    assert_eq!(browser.run(are_open), json!([true, true, true]));
    for (id, value) in [("const-N", "2"), ("target", ""), ("observe", " top=1"), ("closure", "all")]
    {
        choose(id, value);
    }
    browser.run("byId('timeout').value = '60'; byId('predicates').checked = false");
    browser.click("#restart");
    browser.wait_for("byId('command') && byId('command').textContent.includes('N=2 --e')");
    let command = browser.text("#command");
    let expected = "--engine delays --observe top=1 --closure all --jobs 1 --timeout 60s";
    assert!(command.ends_with(expected), "{command}");
    // What cannot be asked for says so.
    browser.run("document.querySelector('#const-N').value = 'many'");
    browser.click("#restart");
    browser.wait_for(&is("no answer"));
    assert!(browser.text("#sentence").contains("const N"), "{}", browser.text("#sentence"));
    browser.no_errors();
}

/// The answer does not wait for what is made beside it.
#[test]
fn the_answer_comes_before_the_table() {
    let Some(browser) = Browser::start() else { return };
    // The violation is found at once; the table has as much work as it may have.
    let explorer = Explorer::start(
        &example("locks/filter.weave"),
        &["--const", "N=5", "--target", "process@33"],
    );
    browser.open(&explorer.url);
    browser.wait_for(&is("unsafe"));
    assert_eq!(
        browser.run("return page.explorer.isDone"),
        json!(false),
        "the table is still being made"
    );
    browser.wait_for("document.querySelector('#now')");
    browser.no_errors();
}

/// Of threads that wait for each other, of all that cannot go on, or none.
#[test]
fn which_deadlocks_count_is_chosen() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("deadlocks").join("both.weave");
    let text = "lock a;\nlock b;\nvoid left() { acquire a; acquire b; release b; release a; }\n\
                void right() { acquire b; acquire a; release a; release b; }\nthread left;\nthread right;\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &["--no-deadlock"]);
    browser.open(&explorer.url);
    browser.wait_for(&is("safe"));
    let chosen = "return document.querySelector('#deadlock').value";
    assert_eq!(browser.run(chosen), json!("none"), "what the command line says is shown");
    for (value, option) in [("", ""), ("all", " --deadlock")] {
        browser.run(&format!("document.querySelector('#deadlock').value = '{value}'"));
        browser.click("#restart");
        browser.wait_for(&is("unsafe"));
        let command = browser.text("#command");
        assert!(command.ends_with(&format!("both.weave{option}")), "{command}");
        assert!(browser.text("#wrong").contains("deadlock"));
    }
    browser.run("document.querySelector('#deadlock').value = 'none'");
    browser.click("#restart");
    browser.wait_for(&is("safe"));
    assert!(browser.text("#command").ends_with("--no-deadlock"), "{}", browser.text("#command"));
    browser.no_errors();
}

/// The command in a report asks the same.
#[test]
fn a_report_can_be_repeated() {
    let folder = folder("repeat");
    let file = example("locks/filter.weave");
    let options = ["--const", "N=2", "--deadlock", "--threads", "process=2", "--timeout", "60s"];
    let text = folder.join("report.md");
    report(&file, &text, &options);
    let text = fs::read_to_string(&text).unwrap();
    let line = text.lines().find(|line| line.starts_with("selvedge ")).unwrap();
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    assert_eq!(words[0], "verify");
    let again = crate::page::selvedge().args(&words).arg("--quiet").output().unwrap();
    let said = String::from_utf8(again.stdout).unwrap();
    let verdict =
        text.lines().find_map(|line| line.strip_prefix("**")?.split_once("**")).unwrap().0;
    assert!(said.starts_with(verdict), "{line}: {said}");
    let log = folder.join("report.sarif");
    report(&file, &log, &options);
    let log: serde_json::Value = serde_json::from_str(&fs::read_to_string(&log).unwrap()).unwrap();
    assert_eq!(log["runs"][0]["invocations"][0]["commandLine"], line);
    let object = folder.join("report.json");
    report(&file, &object, &options);
    let object: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&object).unwrap()).unwrap();
    assert_eq!((&object["command"], &object["verdict"]), (&json!(line), &json!(verdict)));
    let page = folder.join("report.html");
    let (url, _) = report(&file, &page, &options);
    let Some(browser) = Browser::start() else { return };
    browser.open(&url);
    assert_eq!(browser.text("#command"), line);
    browser.no_errors();
}

/// Every kind of report says which assertions were reached, and which lines no schedule executes.
#[test]
fn every_report_says_what_is_reached() {
    let folder = folder("reached");
    let file = folder.join("vacuous.weave");
    let text = "bool go := false;\nint[0..3] x := 0;\nthread t {\n  assume go;\n  x := 2;\n  assert x == 1;\n}\n\
                thread u { x := 1; assert x >= 0; }\n";
    fs::write(&file, text).unwrap();
    let written = |name: &str, options: &[&str]| {
        report(&file, &folder.join(name), options);
        fs::read_to_string(folder.join(name)).unwrap()
    };
    let reached = "1 of 2 assertions: no schedule gets to the assertion in line 6";
    for name in ["report.md", "report.html"] {
        let said = written(name, &[]);
        assert!(
            said.contains(reached) && said.contains("lines 5, 6: no schedule executes them"),
            "{said}"
        );
    }
    let object: serde_json::Value = serde_json::from_str(&written("report.json", &[])).unwrap();
    let coverage = json!({"schedules": "all", "assertions": 2, "reached": 1, "unreached_lines": [6], "unexecuted_lines": [5, 6]});
    assert_eq!((&object["verdict"], &object["coverage"]), (&json!("safe"), &coverage));
    // Within a bound, only that is known.
    let said = written("report.json", &["--contexts", "1"]);
    let object: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(object["verdict"], "bounded");
    assert_eq!(object["coverage"]["schedules"], "bound");
    assert_eq!(object["coverage"]["unexecuted_lines"], json!([5, 6]));
    let said = written("report.sarif", &["--contexts", "1"]);
    assert!(said.contains("lines 5, 6: no schedule within 1 context executes them"), "{said}");
    // Whoever requires it has no proof.
    let object: serde_json::Value =
        serde_json::from_str(&written("report.json", &["--require-reached"])).unwrap();
    assert_eq!(object["verdict"], "unknown");
}

/// A proof with the predicates of the program alone, and properties from a file, can be made into reports.
#[test]
fn a_report_has_the_options_of_verify() {
    let folder = folder("proofs");
    let asked = |file: &Path, options: &[&str]| -> (String, String) {
        let object = folder.join("report.json");
        report(file, &object, options);
        let object = fs::read_to_string(&object).unwrap();
        let object: serde_json::Value = serde_json::from_str(&object).unwrap();
        let text = |key: &str| object[key].as_str().unwrap().to_owned();
        (text("verdict"), text("command"))
    };
    let program = example("delays/program-p.weave");
    let given = ["--engine", "delays", "--observe", "predicates", "--closure", "all"];
    let few = ["--threads", "p=2", "--const", "SIZE=2"];
    let (_, command) = asked(&program, &[&given[..], &["--timeout", "0s"], &few[..2]].concat());
    assert!(
        command.ends_with("--engine delays --observe predicates --closure all --timeout 0s"),
        "{command}"
    );
    let (_, command) = asked(&program, &["--predicates", "given", "--timeout", "0s"]);
    assert!(command.ends_with("--predicates given --timeout 0s"), "{command}");
    // Where every choice of predicates is the same, the answer is.
    let (verdict, _) = asked(&example("start/mutex.weave"), &["--predicates", "given"]);
    assert_eq!(verdict, "safe");

    let specification = folder.join("race.prp");
    fs::write(&specification, "CHECK( init(main()), LTL(G ! data-race) )\n").unwrap();
    let specification = specification.to_str().unwrap();
    let (verdict, command) = asked(&example("c/race.c"), &["--spec", specification]);
    assert_eq!(verdict, "unsafe");
    assert!(command.ends_with(&format!("--spec {specification}")), "{command}");

    let refused = |options: &[&str]| {
        let output = folder.join("refused.html");
        let mut command = crate::page::selvedge();
        command.arg("report").arg(&program).arg("-o").arg(&output).args(options);
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(64), "{options:?}");
        String::from_utf8(done.stderr).unwrap()
    };
    let said = refused(&["--predicates", "given", "--contexts", "2"]);
    assert!(said.contains("leave out --contexts"), "{said}");
    let said = refused(&["--spec", specification]);
    assert!(said.contains("--spec is for programs in C"), "{said}");
}

/// The options of a command, as its help tells them.
fn options(command: &str) -> Vec<String> {
    let help = crate::page::selvedge().args(["help", command]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let lines = help.lines().map(str::trim_start);
    let options = lines.filter(|line| line.starts_with('-') && !line.starts_with("- "));
    let long = options
        .flat_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")))
        .map(str::to_owned);
    long.collect()
}

/// Options of `verify` that are not about the question and its answer.
const OF_VERIFY: [(&str, &str); 11] = [
    ("--format", "a report has an ending"),
    ("--full", "a page and a report show all"),
    ("--evidence", "another file, for `recheck`"),
    ("--keep-smt", "other files, for those who doubt a solver"),
    ("--witness", "another file, for other verifiers"),
    ("--process", "several processes have one answer, which the first one prints"),
    ("--hosts", "several processes"),
    ("--secret-file", "several processes"),
    ("--patience", "several processes"),
    ("--checkpoint", "a run that goes on another day"),
    ("--resume", "a run that goes on another day"),
];

/// Whatever `verify` can be asked, `explore` and `report` can be asked.
#[test]
fn reports_and_pages_have_the_options_of_verify() {
    let verify = options("verify");
    for (exception, why) in OF_VERIFY {
        assert!(verify.iter().any(|option| option == exception), "{exception}: {why}");
    }
    for command in ["explore", "report"] {
        let known = options(command);
        let missing: Vec<_> = verify
            .iter()
            .filter(|option| !known.contains(option))
            .filter(|option| !OF_VERIFY.iter().any(|(exception, _)| exception == option))
            .collect();
        assert!(missing.is_empty(), "{command} lacks {missing:?}");
    }
}

/// Options that are about the program on the machine, not about the question.
const ABOUT_THE_PROGRAM: [&str; 7] =
    ["--no-open", "--help", "--version", "--format", "--color", "--quiet", "--verbose"];

/// Every option of `explore` can be set on the page of some file, or is shown there.
#[test]
fn the_page_has_every_option() {
    let mut options = options("explore");
    options.retain(|option| !ABOUT_THE_PROGRAM.contains(&option.as_str()));
    assert!(options.len() > 15, "{options:?}");
    let Some(browser) = Browser::start() else { return };
    let mut titles = String::new();
    // Explorers outlive what their pages still ask for.
    let mut explorers = Vec::new();
    let solver = ["--const", "N=2", "--solver", "cvc5"];
    let specification = folder("specification").join("race.prp");
    fs::write(&specification, "CHECK( init(main()), LTL(G ! data-race) )\n").unwrap();
    let specification = ["--spec", specification.to_str().unwrap()];
    for (file, given) in [
        ("locks/filter.weave", &solver[..]),
        ("cuba/fig1.cpds", &[]),
        ("c/race.c", &specification[..]),
    ] {
        let explorer = Explorer::start(&example(file), given);
        browser.open(&explorer.url);
        browser.wait_for("document.querySelector('#options') && page.explorer.isDone");
        let words = "return [...document.querySelectorAll('#form [title], #options [title], label[title]')].map((e) => e.title).join(' ') \
                     + ' ' + (document.querySelector('#fixed') || { textContent: '' }).textContent";
        titles += browser.run(words).as_str().unwrap();
        titles.push(' ');
        explorers.push(explorer);
    }
    let shown: Vec<&str> = titles.split([' ', ':', ';', ',']).collect();
    let missing: Vec<&String> =
        options.iter().filter(|option| !shown.contains(&option.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?} are not on the page: {titles}");
    browser.no_errors();
}
