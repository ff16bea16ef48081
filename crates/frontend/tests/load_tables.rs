//! Tables as files: what lies beside them, and the examples of the language reference.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use selvedge_frontend::tables::{Format, TableInput, print, read};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_program::Source;

/// A folder for one test, removed with all that is in it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("selvedge-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).expect("a file for the test");
        path
    }

    /// The table as `.cpds`, or why it is refused.
    fn load(&self, path: &Path, options: &LoadOptions) -> String {
        let shown = match load(path, options) {
            Ok(Input::Tables { input: TableInput { tables, targets }, .. }) => {
                print::cpds(&tables, &targets).expect("names are words")
            }
            Ok(Input::Program { .. }) => "a program".to_owned(),
            Err(error) => error.to_string() + "\n",
        };
        let folder = format!("{}{}", self.0.display(), std::path::MAIN_SEPARATOR);
        shown.replace(&folder, "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const TABLE: &str = "2\nPDA 1 2\n0 1 -> 1 2";

#[test]
fn files_beside_a_table() {
    let folder = Folder::new("beside");
    let table = folder.write("a.b.pds", TABLE);
    let check = |options: &LoadOptions, expect: Expect| {
        expect.assert_eq(&folder.load(&table, options));
    };
    let nothing = LoadOptions::default();
    check(
        &nothing,
        expect![[r#"
        a.b.pds: the initial state is missing: there is no file a.b.init; write one, or say --init 'q|w' with the shared state q and a stack w for each thread
    "#]],
    );
    folder.write("a.b.init", "0|1");
    folder.write("a.b.spec", "1|2");
    check(
        &nothing,
        expect![[r#"
        shared 0..1
        init 0

        thread T1 starts 1 {
          0 1 -> 1 2
        }

        target 1|2
    "#]],
    );
    let both = LoadOptions {
        init: Some("1|2.1".to_owned()),
        target: Some("somewhere *|1".to_owned()),
        ..LoadOptions::default()
    };
    check(
        &both,
        expect![[r#"
        shared 0..1
        init 1

        thread T1 starts 2 1 {
          0 1 -> 1 2
        }

        target somewhere *|1
    "#]],
    );
    folder.write("a.b.init", "0|7");
    check(
        &nothing,
        expect![[r#"
        error: thread T1 has no stack symbol `7`
         --> a.b.init:1:3
          |
        1 | 0|7
          |   ^ no thread has it

        a.b.init: 1 error

    "#]],
    );
    folder.write("a.b.init", b"0|\xff");
    check(
        &nothing,
        expect![[r#"
        a.b.init:1:3: byte 0xff is not UTF-8 text; save the file as UTF-8
    "#]],
    );
}

#[test]
fn transition_systems_and_their_targets() {
    let folder = Folder::new("tts");
    let table = folder.write("x.tts", "2 2\n0 0 +> 0 1\n");
    folder.write("x.prop", "1|1\n");
    expect![[r#"
        shared 0..1
        init 0

        thread thread starts 0 {
          0 0 -> 0 0 + 1
        }

        target somewhere 1|1
    "#]]
    .assert_eq(&folder.load(&table, &LoadOptions::default()));
    folder.write("x.prop", "1|1|1\n");
    expect![[r#"
        error: end the line before `|`
         --> x.prop:1:4
          |
        1 | 1|1|1
          |    ^
          |
          = help: a target is written `shared|local`, like `4|23`

        x.prop: 1 error

    "#]]
    .assert_eq(&folder.load(&table, &LoadOptions::default()));
}

#[test]
fn examples_of_the_language_reference() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let text = fs::read_to_string(path).expect("the language reference");
    let examples: Vec<_> = text.split("```cpds\n").skip(1).collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let (example, _) = example.split_once("```").expect("an end");
        let source = Source::new("language.md", example);
        let input = read(Format::Cpds, &source, &Default::default());
        let input = input.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(input.targets.len(), 1);
    }
}
