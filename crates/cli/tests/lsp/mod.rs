//! The language server, driven over its protocol.

mod c;
mod client;
#[path = "extension.rs"]
mod extension;
mod writing;

use std::path::Path;

use client::Client;
use serde_json::{Value, json};

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The line and column of a text, in UTF-16 units.
fn place(text: &str, wanted: &str) -> (u64, u64) {
    let at = text.find(wanted).unwrap();
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[..at].matches('\n').count() as u64;
    (line, text[line_start..at].encode_utf16().count() as u64)
}

/// The text in a range.
fn slice<'t>(text: &'t str, range: &Value) -> &'t str {
    let line = range["start"]["line"].as_u64().unwrap() as usize;
    assert_eq!(range["end"]["line"], range["start"]["line"]);
    let line = text.split('\n').nth(line).unwrap();
    let byte = |column: &Value| {
        let column = column.as_u64().unwrap() as usize;
        let mut units = 0;
        let inside = line.char_indices().take_while(|(_, c)| {
            units += c.len_utf16();
            units <= column
        });
        inside.last().map_or(0, |(at, c)| at + c.len_utf8())
    };
    &line[byte(&range["start"]["character"])..byte(&range["end"]["character"])]
}

#[test]
fn mistakes_are_shown_as_one_types() {
    let mut client = Client::start(&[], json!({}));
    let uri = "file:///a.weave";
    // A character outside of the basic plane counts twice in UTF-16, four times in bytes.
    let text = "bool x;\nvoid main() {\n  /* \u{1F9F5}é */ y := z; x := 1 +;\n}\n";
    let list = client.open(uri, text);
    assert_eq!(list.len(), 1, "what could be wrong after a mistake of form waits: {list:?}");
    assert_eq!(list[0]["severity"], 1);

    let text = text.replace("1 +", "true");
    let list = client.change(uri, 2, json!([{"text": text}]));
    let shown: Vec<&str> = list.iter().map(|d| slice(&text, &d["range"])).collect();
    assert_eq!(shown, ["y", "z"], "all mistakes, at their places: {list:?}");
    assert!(list[0]["message"].as_str().unwrap().starts_with("there is no variable `y`"));

    // A part of the text is replaced, and nothing is wrong any more.
    let (line, from) = place(&text, "y := z");
    let range = json!({
        "start": {"line": line, "character": from},
        "end": {"line": line, "character": from + 6},
    });
    let list = client.change(uri, 3, json!([{"range": range, "text": "x := !x"}]));
    assert_eq!(list, Vec::<Value>::new());

    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    let closed = client.wait_for("textDocument/publishDiagnostics");
    assert_eq!(closed, json!({"uri": uri, "diagnostics": []}));
    client.goodbye();
}

#[test]
fn mistakes_know_their_relatives() {
    let mut client = Client::start(&[], json!({}));
    let text = "int x;\nbool x;\nvoid main() { skip; }\n";
    let list = client.open("file:///twice.weave", text);
    let related = &list[0]["relatedInformation"][0];
    assert_eq!(related["message"], "first declared here");
    assert_eq!(related["location"]["range"]["start"], json!({"line": 0, "character": 4}));
    client.goodbye();
}

#[test]
fn names_lead_to_declarations_and_have_types() {
    let mut client = Client::start(&[], json!({}));
    let (uri, text) = ("file:///race.weave", example("start/race.weave"));
    assert_eq!(client.open(uri, &text), Vec::<Value>::new());
    let (line, column) = place(&text, "count := seen");
    let found = client.at("textDocument/definition", uri, line, column + 1);
    assert_eq!(slice(&text, &found["range"]), "count");
    assert_eq!(found["range"]["start"]["line"], place(&text, "int[0..2] count").0);
    let hover = client.at("textDocument/hover", uri, line, column);
    let words = hover["contents"]["value"].as_str().unwrap();
    assert!(words.contains("int[0..2] count") && words.contains("shared variable"), "{words}");
    assert_eq!(slice(&text, &hover["range"]), "count");
    // The thread runs a procedure.
    let (line, column) = place(&text, "worker * 2");
    let found = client.at("textDocument/definition", uri, line, column);
    assert_eq!(found["range"]["start"]["line"], place(&text, "void worker").0);
    // Where there is no name, there is nothing.
    assert_eq!(client.at("textDocument/hover", uri, 0, 0), Value::Null);
    assert_eq!(client.at("textDocument/definition", uri, 9999, 9999), Value::Null);

    let symbols =
        client.result("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["count", "finished", "worker", "worker"]);
    let inner = symbols[2]["children"].as_array().unwrap();
    assert_eq!(
        (&inner[0]["name"], &inner[0]["detail"]),
        (&"seen".into(), &"int[0..2] seen".into())
    );
    client.goodbye();
}

#[test]
fn boolean_programs_are_served_too() {
    let mut client = Client::start(&[], json!({}));
    let (uri, text) = ("file:///fig2.bp", example("cuba/fig2.bp"));
    assert_eq!(client.open(uri, &text), Vec::<Value>::new());
    let symbols =
        client.result("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}));
    assert!(!symbols.as_array().unwrap().is_empty());
    // Every definition is found from its own name, and a label from a jump.
    let text = "void main() begin\n  a: skip;\n  goto a;\nend\n";
    assert_eq!(client.change(uri, 2, json!([{"text": text}])), Vec::<Value>::new());
    let found = client.at("textDocument/definition", uri, 2, 7);
    assert_eq!(found["range"]["start"], json!({"line": 1, "character": 2}));
    client.goodbye();
}

fn lens(client: &mut Client, uri: &str) -> Vec<Value> {
    let lenses = client.result("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    lenses.as_array().unwrap().clone()
}

fn run(client: &mut Client, lens: &Value) {
    let command = &lens["command"];
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    client.result("workspace/executeCommand", params);
}

#[test]
fn a_violation_is_shown_with_its_schedule() {
    let refresh = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    let mut client = Client::start(&[], refresh);
    let (uri, text) = ("file:///race.weave", example("start/race.weave"));
    client.open(uri, &text);
    let lenses = lens(&mut client, uri);
    assert_eq!(
        lenses.len(),
        4,
        "one for the file, one for the thread, one for deadlocks, one for runs without an end"
    );
    assert_eq!(lenses[1]["range"]["start"]["line"], place(&text, "thread worker").0);
    assert_eq!(lenses[0]["command"]["title"], "▶ Verify");
    run(&mut client, &lenses[0]);

    let list = client.diagnostics(uri, 1);
    let [found] = list.as_slice() else { panic!("one violation: {list:?}") };
    assert!(slice(&text, &found["range"]).contains("assert count == 2"));
    assert_eq!(found["source"], "selvedge verify");
    assert!(found["message"].as_str().unwrap().starts_with("unsafe: a schedule with 3 contexts"));
    let steps = found["relatedInformation"].as_array().unwrap();
    // Both read before one has written: the switches and the writes are there, in order.
    let words: Vec<&str> = steps.iter().map(|step| step["message"].as_str().unwrap()).collect();
    let numbers: Vec<u64> =
        words.iter().map(|w| w.split('.').next().unwrap().parse().unwrap()).collect();
    assert!(numbers.is_sorted() && *numbers.last().unwrap() == 8, "{words:?}");
    assert!(words.iter().any(|w| w.contains("count := seen + 1 (count: 0 → 1)")), "{words:?}");
    for (step, words) in steps.iter().zip(&words) {
        let line = slice(&text, &step["location"]["range"]);
        let statement = words.split(": ").nth(1).unwrap().split(" (count").next().unwrap();
        let statement = statement.split(" [").next().unwrap().split(" (").next().unwrap();
        assert!(line.contains(statement), "`{statement}` is on its line: `{line}`");
    }
    let message = client.wait_for("window/showMessage");
    assert_eq!(message["type"], 1);
    client.wait(|message| message["method"] == "workspace/codeLens/refresh");
    assert!(
        lens(&mut client, uri)[0]["command"]["title"].as_str().unwrap().starts_with("✗ unsafe: ")
    );

    // Another text is not known to be unsafe.
    let list = client.change(uri, 2, json!([{"text": example("start/mutex.weave")}]));
    assert_eq!(list, Vec::<Value>::new());
    let lenses = lens(&mut client, uri);
    assert_eq!(lenses[0]["command"]["title"], "▶ Verify");
    run(&mut client, &lenses[0]);
    let message = client.wait_for("window/showMessage");
    assert!(message["message"].as_str().unwrap().starts_with("safe: no schedule"), "{message}");
    assert!(
        lens(&mut client, uri)[0]["command"]["title"].as_str().unwrap().starts_with("✓ safe: ")
    );
    client.goodbye();
}

#[test]
fn a_run_has_limits_and_can_be_stopped() {
    let mut client = Client::start(&["--timeout", "0s"], json!({}));
    let (uri, text) = ("file:///mutex.weave", example("start/mutex.weave"));
    client.open(uri, &text);
    let lenses = lens(&mut client, uri);
    run(&mut client, &lenses[0]);
    let message = client.wait_for("window/showMessage")["message"].clone();
    assert!(
        message.as_str().unwrap().starts_with("unknown: the time limit was reached"),
        "{message}"
    );
    client.goodbye();

    let mut client = Client::start(&["--stdio"], json!({"window": {"workDoneProgress": true}}));
    let text = example("locks/filter.weave").replace("const N = 4", "const N = 6");
    assert_ne!(text, example("locks/filter.weave"), "a question that takes long");
    client.open(uri, &text);
    let lenses = lens(&mut client, uri);
    run(&mut client, &lenses[0]);
    let begun = client.wait_for("$/progress");
    assert_eq!(begun["value"]["kind"], "begin");
    let running = lens(&mut client, uri);
    assert_eq!(running[0]["command"]["command"], "selvedge.cancel");
    // The text can be asked about meanwhile.
    client.at("textDocument/hover", uri, 3, 3);
    run(&mut client, &running[0]);
    client.wait(|message| message["params"]["value"]["kind"] == "end");
    assert_eq!(lens(&mut client, uri)[0]["command"]["title"], "▶ Verify");

    // By the editor's own button; and by a change of the text.
    run(&mut client, &lenses[0]);
    let begun = client.wait(|message| message["params"]["value"]["kind"] == "begin");
    let token = begun["params"]["token"].clone();
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    client.wait(|message| message["params"]["value"]["kind"] == "end");
    run(&mut client, &lenses[0]);
    client.change(uri, 2, json!([{"text": "void main() { skip; }"}]));
    client.wait(|message| message["params"]["value"]["kind"] == "end");
    client.goodbye();
}

#[test]
fn there_is_nothing_to_verify_in_a_wrong_text() {
    let mut client = Client::start(&[], json!({}));
    let uri = "file:///wrong.weave";
    assert_eq!(client.open(uri, "void main() { x := 1; }").len(), 1);
    assert_eq!(lens(&mut client, uri), Vec::<Value>::new());
    let params = json!({"command": "selvedge.verify", "arguments": [uri]});
    client.result("workspace/executeCommand", params);
    assert_eq!(client.wait_for("window/showMessage")["type"], 2);
    client.goodbye();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut client = Client::silent(&[]);
    let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    assert_eq!(code(&client.request("textDocument/hover", json!({}))), -32002, "too early");
    client.notify("textDocument/didOpen", json!({"textDocument": {"uri": "x", "text": "y"}}));
    client.request("initialize", json!({"capabilities": 7}));
    assert_eq!(code(&client.request("initialize", json!({}))), -32600, "twice");
    assert_eq!(code(&client.request("no/such", json!([]))), -32601);
    for params in [
        json!(null),
        json!([1]),
        json!({"textDocument": 3}),
        json!({"textDocument": {"uri": "file:///no"}}),
    ] {
        assert_eq!(
            code(&client.request("textDocument/definition", params.clone())),
            -32602,
            "{params}"
        );
    }
    for params in
        [json!({}), json!({"command": "rm"}), json!({"command": "rm", "arguments": ["x"]})]
    {
        assert_eq!(code(&client.request("workspace/executeCommand", params)), -32602);
    }
    client.open("file:///a.weave", "void main() { skip; }");
    let at = json!({"textDocument": {"uri": "file:///a.weave"}, "position": {"line": -1, "character": "x"}});
    assert_eq!(code(&client.request("textDocument/hover", at)), -32602);
    // Unknown notifications, and those without what they need, are passed over.
    client.notify("$/whatever", json!({}));
    client.notify("textDocument/didChange", json!({"textDocument": {"uri": "file:///no"}}));
    client.notify("textDocument/didChange", json!({"contentChanges": [{"range": 1}]}));
    client.notify("textDocument/didOpen", json!({"textDocument": {"uri": "file:///b.weave"}}));
    let change = json!({"textDocument": {"uri": "file:///a.weave", "version": 2}, "contentChanges": [{"range": {}, "text": ""}]});
    client.notify("textDocument/didChange", change);
    assert_eq!(client.wait_for("window/logMessage")["type"], 1);
    client.goodbye();
}

#[test]
fn bytes_that_are_no_message_are_skipped() {
    let mut client = Client::start(&[], json!({}));
    for bytes in [
        &b"Content-Length: 5\r\n\r\n{oops"[..],
        b"Content-Length: 3\r\n\r\n\"\xff\"",
        b"Content-Length: many\r\n\r\n",
        b"Hello\r\n\r\n",
    ] {
        client.send_bytes(bytes);
        let answer =
            client.wait(|message| message["id"].is_null() && message.get("error").is_some());
        assert_eq!(answer["error"]["code"], -32700);
    }
    for message in [json!([]), json!(7), json!({"id": 9}), json!({"method": 3, "id": 9})] {
        client.send(&message);
        let answer = client.wait(|message| message.get("error").is_some());
        assert_eq!(answer["error"]["code"], -32600);
    }
    client.goodbye();
}

#[test]
fn large_texts_and_other_files_are_no_burden() {
    let mut client = Client::start(&[], json!({}));
    let huge = "// nothing\n".repeat(1 << 20);
    let list = client.open("file:///huge.weave", &huge);
    assert!(list[0]["message"].as_str().unwrap().contains("too large"));
    assert_eq!(client.at("textDocument/hover", "file:///huge.weave", 1, 1), Value::Null);
    let long = format!("bool x;\nvoid main() {{ {} }}\n", "x := !x; ".repeat(20_000));
    assert_eq!(client.open("file:///long.weave", &long), Vec::<Value>::new());
    // Many names on one line that is not ASCII.
    let many: String = (0..20_000).map(|n| format!("bool v{n}; ")).collect();
    let one_line = format!("/* é */ {many} void main() {{ skip; }}");
    assert_eq!(client.open("file:///one.weave", &one_line), Vec::<Value>::new());
    let uri = json!({"textDocument": {"uri": "file:///one.weave"}});
    let symbols = client.result("textDocument/documentSymbol", uri);
    let last = &symbols[19_999];
    assert_eq!(slice(&one_line, &last["selectionRange"]), "v19999");
    let deep = format!("bool x;\nvoid main() {{ x := {}x; }}\n", "!(".repeat(100_000));
    assert!(!client.open("file:///deep.weave", &deep).is_empty());
    assert_eq!(client.open("file:///notes.txt", "not a program {{{"), Vec::<Value>::new());
    assert_eq!(lens(&mut client, "file:///notes.txt"), Vec::<Value>::new());
    client.goodbye();
}

#[test]
fn an_end_that_is_not_in_order_is_said() {
    let framed = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    let exit = framed(r#"{"jsonrpc":"2.0","method":"exit"}"#);
    for (input, words) in [
        (String::new(), "no message came in: an editor starts `selvedge lsp`"),
        (exit, "the editor said `exit` without `shutdown`"),
        (framed("{}"), "the connection ended before the editor said `exit`"),
    ] {
        let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_selvedge"));
        let mut child = server
            .arg("lsp")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut pipe = child.stdin.take().expect("an input");
        std::io::Write::write_all(&mut pipe, input.as_bytes()).expect("the server listens");
        drop(pipe);
        let ended = child.wait_with_output().expect("the server ends");
        assert_eq!(ended.status.code(), Some(1));
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(said.starts_with(words), "{said}");
    }
}

#[test]
fn the_end_comes_in_order_or_not() {
    let mut client = Client::start(&[], json!({}));
    client.result("shutdown", Value::Null);
    let late = client.request("textDocument/hover", json!({}));
    assert_eq!(late["error"]["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(), Some(0));

    let mut client = Client::start(&[], json!({}));
    client.notify("exit", Value::Null);
    assert_eq!(client.ended(), Some(1), "nobody said `shutdown`");

    let mut client = Client::start(&[], json!({}));
    client.send_bytes(b"Content-Length: 100\r\n\r\n{");
    assert_eq!(client.ended(), Some(1), "the editor went away");
}
