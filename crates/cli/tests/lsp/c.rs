//! Texts in C, in the language server.

use serde_json::{Value, json};

use super::client::Client;
use super::{example, lens, run, slice};
use crate::compiler::compiler;

#[test]
fn mistakes_in_c_stand_where_they_are_written() {
    let Some(_) = compiler("mistakes in C in the language server") else { return };
    let mut client = Client::start(&["--preprocess"], json!({}));
    let uri = "file:///nowhere/a.c";
    let text = "#include <assert.h>\n#define TWICE(x) ((x) + (x))\nint counter;\nint main(void) {\n    counter = undeclared;\n    assert(counter == 1);\n    return TWICE(missing);\n}\n";
    let list = client.open(uri, text);
    let shown: Vec<&str> = list.iter().map(|d| slice(text, &d["range"])).collect();
    assert!(shown.starts_with(&["undeclared"]), "{list:?}");
    assert!(shown.len() > 1 && shown[1..].iter().all(|p| p.contains("missing")), "{list:?}");
    assert!(list[0]["message"].as_str().unwrap().starts_with("`undeclared` is not declared"));

    // What the preprocessor says stands at its line.
    let missing = "int x;\n#include \"not_there.h\"\nint main(void) { return 0; }\n";
    let list = client.change(uri, 2, json!([{"text": missing}]));
    assert_eq!(slice(missing, &list[0]["range"]), "#include \"not_there.h\"", "{list:?}");
    let list = client.change(
        uri,
        3,
        json!([{"text": text.replace("undeclared", "1").replace("missing", "counter")}]),
    );
    assert_eq!(list, Vec::<Value>::new());
    client.goodbye();
}

#[test]
fn programs_in_c_are_verified() {
    let Some(_) = compiler("verifying C in the language server") else { return };
    let mut client = Client::start(&["--preprocess"], json!({}));
    let (uri, text) = ("file:///examples/race.c", example("c/race.c"));
    assert_eq!(client.open(uri, &text), Vec::<Value>::new());
    let lenses = lens(&mut client, uri);
    assert_eq!(lenses[0]["command"]["title"], "▶ Verify");
    assert!(slice(&text, &lenses[1]["range"]).contains("main"), "{lenses:?}");
    run(&mut client, &lenses[0]);
    let list = client.diagnostics(uri, 1);
    let [found] = list.as_slice() else { panic!("one violation: {list:?}") };
    assert!(slice(&text, &found["range"]).contains("assert(counter == 2)"), "{found}");
    let steps = found["relatedInformation"].as_array().unwrap();
    let words: Vec<&str> = steps.iter().map(|step| step["message"].as_str().unwrap()).collect();
    assert!(words.iter().any(|w| w.contains("counter: 0 → 1")), "{words:?}");
    assert!(words.iter().filter(|w| w.contains("counter = counter + 1")).count() >= 3, "{words:?}");
    for (step, words) in steps.iter().zip(&words) {
        if let Some(statement) = words.split(": ").nth(1).filter(|w| w.contains("counter = ")) {
            let statement = statement.split(" (").next().unwrap().split(" [").next().unwrap();
            let line = slice(&text, &step["location"]["range"]);
            assert!(line.contains(statement), "`{statement}` is on its line: `{line}`");
        }
    }
    client.goodbye();
}

#[test]
fn without_a_preprocessor_only_preprocessed_texts_are_read() {
    let mut client = Client::start(&[], json!({}));
    let text = "#include <assert.h>\nint main(void) { return 0; }\n";
    let list = client.open("file:///a.c", text);
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(
        (&list[0]["severity"], slice(text, &list[0]["range"])),
        (&json!(2), "#include <assert.h>")
    );
    let made = "int main(void) { return missing; }\n";
    let list = client.open("file:///a.i", made);
    assert_eq!(list.len(), 1);
    assert_eq!(slice(made, &list[0]["range"]), "missing");
    assert_eq!(client.open("file:///b.c", "int main(void) { return 0; }\n"), Vec::<Value>::new());
    client.goodbye();
}
