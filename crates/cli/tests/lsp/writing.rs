//! What helps to write: layout, completion, references, renaming, quick fixes, colours.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::client::Client;
use super::{lens, place, run, slice};

const TEXT: &str = "int[0..3] count:=0;\nenum Mode { On, Off }\nvoid add(int[0..3] by) {\n      count := count + by;\n}\nvoid other() { bool by; by := true; }\nthread adder = add(1);\nthread other;\n";

const URI: &str = "file:///a.weave";

fn opened(text: &str) -> Client {
    let mut client = Client::start(&[], json!({}));
    client.open(URI, text);
    client
}

/// Asks at the first place of some words, with more parameters.
fn asked(client: &mut Client, method: &str, text: &str, at: &str, more: Value) -> Value {
    let (line, character) = place(text, at);
    let mut params = json!({
        "textDocument": {"uri": URI},
        "position": {"line": line, "character": character},
    });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.request(method, params)
}

#[test]
fn a_text_is_laid_out() {
    let mut client = opened(TEXT);
    let params =
        json!({"textDocument": {"uri": URI}, "options": {"tabSize": 8, "insertSpaces": true}});
    let edits = client.result("textDocument/formatting", params.clone());
    let expected = TEXT.replace("count:=0", "count := 0").replace("      count", "  count");
    assert_eq!(edits[0]["newText"], expected);
    assert_eq!(edits[0]["range"]["start"], json!({"line": 0, "character": 0}));
    client.change(URI, 2, json!([{"text": expected}]));
    assert_eq!(client.result("textDocument/formatting", params.clone()), json!([]));
    client.change(URI, 3, json!([{"text": "x := §;"}]));
    assert_eq!(client.result("textDocument/formatting", params), Value::Null);
    client.goodbye();
}

#[test]
fn names_and_words_are_offered_where_they_are_known() {
    let mut client = opened(TEXT);
    let labels = |client: &mut Client, at: &str| -> Vec<String> {
        let answer = asked(client, "textDocument/completion", TEXT, at, json!({}));
        let list = answer["result"].as_array().unwrap();
        list.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    };
    let inside = labels(&mut client, "count := count");
    for name in ["count", "by", "add", "Off", "assume"] {
        assert!(inside.iter().any(|label| label == name), "{name}: {inside:?}");
    }
    let outside = labels(&mut client, "enum Mode");
    assert!(!outside.iter().any(|label| label == "by"), "{outside:?}");
    client.goodbye();
}

/// The labels that are offered at `@` in a text, which is without it.
fn offered(client: &mut Client, number: usize, marked: &str) -> Vec<String> {
    let uri = format!("file:///{number}.weave");
    client.open(&uri, &marked.replace('@', ""));
    let (line, character) = place(marked, "@");
    let params =
        json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let list = client.result("textDocument/completion", params);
    let label = |item: &Value| item["label"].as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(label).collect()
}

/// Who writes needs them most where the text is not right yet.
#[test]
fn members_are_offered_in_a_text_that_is_being_written() {
    let before = "struct pair { bool first; int[0..3] second; }\nstruct box { pair both; lock m; }\npair p;\nbox boxes[2];\n";
    let pair: &[&str] = &["first", "second"];
    let mut client = Client::silent(&[]);
    let answer = client.request("initialize", json!({"capabilities": {}}));
    let can = &answer["result"]["capabilities"]["completionProvider"];
    assert_eq!(can["triggerCharacters"], json!(["."]));
    client.notify("initialized", json!({}));
    for (number, (text, members)) in [
        ("thread t { p.@", pair),
        ("thread t { p.@ }", pair),
        ("thread t { p.fi@ }", pair),
        ("thread t {\n  p.@\n  p.first := true;\n}\n", pair),
        ("thread t {\n  p.@\nthread u { skip; }\n", pair),
        ("thread t {\n  if (p.@\n}\n", pair),
        ("thread t {\n  while (p.first && p.@) {\n", pair),
        ("thread t {\n  bogus := 'x;\n  p.second := p.@\n", pair),
        ("bool missing\nthread t { either when p.@", pair),
        ("invariant p.@", pair),
        ("thread t { boxes[0].@", &["both", "m"]),
        ("thread t { acquire boxes[p.second].@\n}\n", &["both", "m"]),
        ("thread t { boxes[p.@].both", pair),
        ("thread t { boxes[0].both.@ := }", pair),
        ("void f(ref pair into) {\n  into.@\n}\n", pair),
        ("void f() {\n  pair own;\n  own.@\n}\nthread t { f(", pair),
        ("thread t { nobody.@", &[]),
        ("int[0.@", &[]),
        ("int[0..@", &[]),
        ("thread t { p.first.@", &[]),
    ]
    .into_iter()
    .enumerate()
    {
        let labels = offered(&mut client, number, &format!("{before}{text}"));
        assert_eq!(labels, members, "{text}");
    }
    client.goodbye();
}

/// The list of words in the reference is what the lexer reserves, and what an editor offers.
#[test]
fn every_word_of_the_language_is_offered() {
    let reference =
        std::fs::read_to_string(super::extension::repository().join("docs/language.md"));
    let reference = reference.unwrap();
    let (_, listed) = reference.split_once("These cannot be names: ").unwrap();
    let (reserved, rest) = listed.split_once("\nAll other words can").unwrap();
    let (others, _) = rest.split_once("\n\n").unwrap();
    let words = |list: &str| -> BTreeSet<String> {
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    assert_eq!(words(reserved), super::extension::words_of_lexer("weave"));
    let all: BTreeSet<String> = words(reserved).union(&words(others)).cloned().collect();
    let mut client = Client::start(&[], json!({}));
    for (number, text) in ["@", "thread t {\n  @\n", "se@", "thread t { if (@"].iter().enumerate() {
        let labels: BTreeSet<String> = offered(&mut client, number, text).into_iter().collect();
        let missing: Vec<&String> = all.difference(&labels).collect();
        assert_eq!(missing, Vec::<&String>::new(), "{text}");
        assert!(labels.len() <= all.len() + 1, "nothing but words, and `t`: {labels:?}");
    }
    // A word that is a name here is offered once.
    let labels = offered(&mut client, 9, "bool all;\nthread t { @");
    assert_eq!(labels.iter().filter(|label| *label == "all").count(), 1, "{labels:?}");
    client.goodbye();
}

#[test]
fn uses_are_found_and_renamed_together() {
    let mut client = opened(TEXT);
    let context = json!({"context": {"includeDeclaration": true}});
    let found = asked(&mut client, "textDocument/references", TEXT, "count", context);
    let found = found["result"].as_array().unwrap().clone();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().all(|place| slice(TEXT, &place["range"]) == "count"));
    let context = json!({"context": {"includeDeclaration": false}});
    let uses = asked(&mut client, "textDocument/references", TEXT, "count", context);
    assert_eq!(uses["result"].as_array().unwrap().len(), 2);

    let rename = |client: &mut Client, at: &str, name: &str| {
        asked(client, "textDocument/rename", TEXT, at, json!({"newName": name}))
    };
    let renamed = rename(&mut client, "by) {", "amount");
    let edits = renamed["result"]["changes"][URI].as_array().unwrap().clone();
    assert_eq!(edits.len(), 2, "the other `by` is another variable: {renamed}");
    // Words that have a meaning in other places only.
    for word in ["shared", "local", "var", "proc", "mutex", "call", "none", "fair"] {
        let renamed = rename(&mut client, "count", word);
        let edits = renamed["result"]["changes"][URI].as_array();
        assert_eq!(edits.map(Vec::len), Some(3), "{word}: {renamed}");
    }
    // Names that are taken, that hide what is meant, or that are no names.
    for (at, name) in [("count", "Mode"), ("by) {", "count"), ("count", "while"), ("count", "a b")]
    {
        let refused = rename(&mut client, at, name);
        let why = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("would not mean the same"), "{name}: {refused}");
    }
    client.change(URI, 2, json!([{"text": TEXT.replace("count + by", "count +")}]));
    let refused = rename(&mut client, "count", "total");
    assert!(refused["error"]["message"].as_str().unwrap().contains("mistakes"), "{refused}");
    client.goodbye();
}

/// One of each: what waits, channels, structs, loops, quantifiers, guarded choices, texts, invariants, parameters that stand for variables, calls
/// in expressions.
const CONSTRUCTS: &str = "\
struct node { int[0..2] item; bool used; }
node nodes[2] := {{0, false}, {1, false}};
chan[1] node jobs;
semaphore free := 1;
lock guard;
condition changed;

int[0..2] taken(int[0..1] slot) { return nodes[slot].item; }

void put(lock l, ref node into, int[0..2] wanted) {
  acquire l;
  into.item := wanted;
  notify changed;
  release l;
}

thread worker {
  for (int[0..2] k := 0; k < 2; k++) { if (taken(0) + taken(1) > 3) skip; }
  acquire free;
  put(guard, nodes[1], 2);
  either when nodes[0].used { skip; } or when send(jobs, {2, true}) { skip; }
  assert exists i: nodes[i].item == 2, \"nothing was put\";
  release free;
}

thread sleeper {
  acquire guard;
  while (nodes[1].item == 1) wait changed, guard;
  release guard;
}

invariant forall i: nodes[i].item <= 2, \"too large\";
";

/// Where each construct has a name, the editor knows what it is, where it is declared and where it is used.
#[test]
fn every_construct_has_names_that_are_known() {
    let mut client = Client::start(&[], json!({}));
    assert_eq!(client.open(URI, CONSTRUCTS), Vec::<Value>::new());
    for (at, name, declared) in [
        ("item; }\n\nvoid", "item", "int[0..2] item"),
        ("item == 2", "item", "int[0..2] item"),
        ("jobs, {", "jobs", "chan[1] node jobs"),
        ("free;\n  put", "free", "semaphore free"),
        ("guard, nodes", "guard", "lock guard"),
        ("changed, guard", "changed", "condition changed"),
        ("taken(0)", "taken", "taken(int[0..1] slot)"),
        ("l;\n  into", "l", "lock l"),
        ("into.item", "into", "ref node into"),
        ("wanted;", "wanted", "int[0..2] wanted"),
        ("k < 2", "k", "int[0..2] k"),
    ] {
        let hover = asked(&mut client, "textDocument/hover", CONSTRUCTS, at, json!({}));
        let words = hover["result"]["contents"]["value"].as_str().unwrap_or_default();
        assert!(words.contains(declared), "{name}: {hover}");
        let found = asked(&mut client, "textDocument/definition", CONSTRUCTS, at, json!({}));
        let range = &found["result"]["range"];
        assert_eq!(slice(CONSTRUCTS, range), name, "{found}");
        let (line, _) = place(CONSTRUCTS, declared);
        assert_eq!(range["start"]["line"], line, "{name}: {found}");
    }
    // A member is one name wherever it stands, also behind what stands for a struct.
    for (at, name, times) in [("item;", "item", 6), ("jobs;", "jobs", 2), ("k :=", "k", 3)] {
        let new_name = json!({"newName": "another"});
        let renamed = asked(&mut client, "textDocument/rename", CONSTRUCTS, at, new_name);
        let edits = renamed["result"]["changes"][URI].as_array().cloned().unwrap_or_default();
        assert_eq!(edits.len(), times, "{name}: {renamed}");
        assert!(edits.iter().all(|edit| slice(CONSTRUCTS, &edit["range"]) == name), "{edits:?}");
    }
    let params =
        json!({"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": true}});
    assert_eq!(client.result("textDocument/formatting", params), json!([]), "it is laid out");
    client.goodbye();
}

#[test]
fn what_was_meant_is_a_quick_fix() {
    let text = "bool ready;\nthread t { redy := true; }\n";
    let mut client = opened(text);
    let (line, character) = place(text, "redy");
    let position = json!({"line": line, "character": character});
    let params = |at: Value| json!({"textDocument": {"uri": URI}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}});
    let fixes = client.result("textDocument/codeAction", params(position));
    assert_eq!(fixes[0]["title"], "Write `ready`");
    let edit = &fixes[0]["edit"]["changes"][URI][0];
    assert_eq!((slice(text, &edit["range"]), &edit["newText"]), ("redy", &json!("ready")));
    let elsewhere = json!({"line": 0, "character": 0});
    assert_eq!(client.result("textDocument/codeAction", params(elsewhere)), json!([]));
    client.goodbye();
}

/// The text after the only quick fix at a place.
fn fixed(client: &mut Client, uri: &str, text: &str, at: &str) -> String {
    let (line, character) = place(text, at);
    let position = json!({"line": line, "character": character});
    let params = json!({
        "textDocument": {"uri": uri},
        "range": {"start": position, "end": position},
        "context": {"diagnostics": []},
    });
    let fixes = client.result("textDocument/codeAction", params);
    assert_eq!(fixes.as_array().unwrap().len(), 1, "{text}: {fixes}");
    let edit = &fixes[0]["edit"]["changes"][uri][0];
    let marked = slice(text, &edit["range"]);
    let from = marked.as_ptr() as usize - text.as_ptr() as usize;
    format!(
        "{}{}{}",
        &text[..from],
        edit["newText"].as_str().unwrap(),
        &text[from + marked.len()..]
    )
}

#[test]
fn what_is_replaced_word_for_word_has_a_fix_that_mends_it() {
    let right = "const N = 31; struct Pair { int x; } int[0..31] n; Pair p; thread t { n := N; assert n == 31 && n != 3; if (n == 0) { n := 1; } else if (n == 1) { n := 2; } }\n";
    for (is, was) in [
        (":= N", "= N"),
        ("n == 31", "n = 31"),
        ("31 &&", "31 /\\"),
        ("!= 3", "# 3"),
        ("= 31;", "= 0x1f;"),
        ("const N", "const int N"),
        ("Pair p", "struct Pair p"),
        ("else if", "elif"),
        ("n := 1;", "n := 1"),
    ] {
        let wrong = right.replacen(is, was, 1);
        let mut client = Client::start(&[], json!({}));
        let uri = "file:///t.weave";
        let said = client.open(uri, &wrong);
        assert_eq!(said.len(), 1, "{was}: {said:?}");
        let start = &said[0]["range"]["start"];
        let params = json!({
            "textDocument": {"uri": uri},
            "range": {"start": start, "end": start},
            "context": {"diagnostics": []},
        });
        let fixes = client.result("textDocument/codeAction", params);
        assert_eq!(fixes.as_array().unwrap().len(), 1, "{was}: {fixes}");
        let edit = &fixes[0]["edit"]["changes"][uri][0];
        let from = edit["range"]["start"]["character"].as_u64().unwrap() as usize;
        let to = edit["range"]["end"]["character"].as_u64().unwrap() as usize;
        let mut mended = wrong.clone();
        mended.replace_range(from..to, edit["newText"].as_str().unwrap());
        assert_eq!(client.open("file:///again.weave", &mended), Vec::<Value>::new(), "{mended}");
        client.goodbye();
    }
}

#[test]
fn every_did_you_mean_has_a_fix_that_mends_it() {
    // What is written wrongly, in a text that is right otherwise: variables, procedures, types, values, members, labels, places, words that begin something.
    let wrong = [
        ("redy", "bool ready; thread t { redy := true; }"),
        ("redy", "bool ready; thread t { assert !redy; }"),
        ("wrok", "void work() { skip; } thread t { wrok(); }"),
        ("wrok", "void work() { skip; } thread t = wrok();"),
        ("Mdoe", "enum Mode { On, Off } Mdoe m := On; thread t { m := Off; }"),
        ("Ofw", "enum Mode { On, Off } Mode m; thread t { m := Ofw; }"),
        ("LIMTI", "const LIMIT = 2; int[0..LIMTI] n; thread t { n := 1; }"),
        ("firts", "struct Pair { bool first; bool second; } Pair p; thread t { p.firts := true; }"),
        ("agian", "bool x; thread t { again: x := !x; if (x) goto agian; }"),
        ("thraed", "bool x; thraed t { x := true; }"),
        ("bol", "bol x; thread t { x := true; }"),
        ("viod", "viod f() { skip; } thread t { f(); }"),
        ("whlie", "bool x; thread t { whlie (x) { skip; } }"),
        ("whlie", "bool x; thread t { whlie (x) skip; }"),
        ("asert", "bool x; thread t { asert x; }"),
        ("retrun", "bool x; thread t { if (x) { retrun; } }"),
        ("acquier", "lock m; thread t { acquier m; release m; }"),
        ("eithr", "bool x; thread t { eithr { skip; } or { x := true; } }"),
    ];
    let mut client = Client::start(&[], json!({}));
    for (number, (at, text)) in wrong.into_iter().enumerate() {
        let uri = format!("file:///{number}.weave");
        let list = client.open(&uri, text);
        assert!(list[0]["message"].as_str().unwrap().contains("did you mean"), "{text}: {list:?}");
        let mended = fixed(&mut client, &uri, text, at);
        let left = client.change(&uri, 2, json!([{"text": mended}]));
        assert_eq!(left, Vec::<Value>::new(), "{mended}");
    }
    // A sign is mended where it stands, and not the whole of what is marked.
    let signs = [
        ("x == 1;", "int x; int main(void) { x == 1; return 0; }", "x = 1;"),
        ("x = 1)", "int x; int main(void) { if (x = 1) return 1; return 0; }", "x == 1)"),
        ("countr", "int counter; int main(void) { countr = 1; return 0; }", "counter = 1"),
        ("p;", "void p; int main(void) { return 0; }", "void *p;"),
    ];
    for (number, (at, text, mended)) in signs.into_iter().enumerate() {
        let uri = format!("file:///{number}.c");
        client.open(&uri, text);
        let new = fixed(&mut client, &uri, text, at);
        assert!(new.contains(mended), "{new}");
        assert_eq!(client.change(&uri, 2, json!([{"text": new}])), Vec::<Value>::new());
    }
    client.goodbye();
}

#[test]
fn names_have_colours_by_what_they_mean() {
    let text = "bool go; const N = 2;\nthread t * N { go := true; }\n";
    let mut client = opened(text);
    let answer =
        client.result("textDocument/semanticTokens/full", json!({"textDocument": {"uri": URI}}));
    // Lines and columns are relative; a shared variable is static, a constant is read only.
    let expected = [
        [0, 5, 2, 0, 0b101],  // bool go
        [0, 10, 1, 0, 0b011], // const N
        [1, 7, 1, 5, 0b001],  // thread t
        [0, 4, 1, 0, 0b010],  // * N
        [0, 4, 2, 0, 0b100],  // go := true
    ];
    assert_eq!(answer["data"], json!(expected.concat()));
    client.goodbye();
}

#[test]
fn a_lens_asks_for_runs_that_never_end() {
    let text = "bool go;\nthread t { while (!go) skip; }\nthread u { while (true) go := false; }\n";
    let mut client = opened(text);
    let lenses = lens(&mut client, URI);
    let last = lenses.last().unwrap();
    assert_eq!(last["command"]["command"], "selvedge.livelock");
    run(&mut client, last);
    let said = client.wait_for("window/showMessage");
    assert!(said["message"].as_str().unwrap().starts_with("nonterminating: "), "{said}");
    client.goodbye();
}

#[test]
fn a_lens_asks_for_all_deadlocks() {
    // The thread waits in an `assume`, which `verify` does not count.
    let mut client = opened("bool go := false;\nthread t { assume go; }\n");
    let lenses = lens(&mut client, URI);
    run(&mut client, &lenses[0]);
    let said = client.wait_for("window/showMessage");
    assert!(said["message"].as_str().unwrap().starts_with("safe: "), "{said}");
    let deadlock = lenses.iter().find(|lens| lens["command"]["command"] == "selvedge.deadlock");
    run(&mut client, deadlock.unwrap());
    let said = client.wait_for("window/showMessage");
    assert!(said["message"].as_str().unwrap().contains("deadlock"), "{said}");
    client.goodbye();
}

#[test]
fn what_no_schedule_executes_fades() {
    let text = "bool go := false;\nint[0..3] x := 0;\nthread t {\n  assume go;\n  x := 2;\n  x := 1;\n\n  assert x == 1;\n}\nthread u { assert x == 0; }\n";
    let mut client = opened(text);
    let lenses = lens(&mut client, URI);
    run(&mut client, &lenses[0]);
    let list = client.diagnostics(URI, 1);
    assert!(list.iter().all(|hint| hint["severity"] == 4), "hints only: {list:?}");
    let lines = |hint: &Value| {
        let line = |end: &str| hint["range"][end]["line"].as_u64().unwrap() + 1;
        (line("start"), line("end"))
    };
    let (faded, hints): (Vec<_>, Vec<_>) = list.iter().partition(|hint| hint["tags"] == json!([1]));
    let faded: Vec<_> = faded.into_iter().map(lines).collect();
    assert_eq!(faded, [(5, 6), (8, 8)], "lines that follow each other are one piece");
    let [hint] = hints.as_slice() else { panic!("one assertion is not reached: {hints:?}") };
    assert_eq!(lines(hint), (8, 8));
    assert!(hint["message"].as_str().unwrap().contains("no schedule gets to this assertion"));

    // Another text is not known, and nothing of it fades.
    let list = client.change(URI, 2, json!([{"text": text.replace("go := false", "go := true")}]));
    assert_eq!(list, Vec::<Value>::new());
    let lenses = lens(&mut client, URI);
    run(&mut client, &lenses[0]);
    assert_eq!(client.diagnostics(URI, 2)[0]["severity"], 1, "now it goes wrong");
    client.goodbye();
}

#[test]
fn what_is_reached_has_no_hints() {
    let text = "int[0..3] x := 0;\nthread t { x := 1; assert x == 1; }\n";
    let mut client = opened(text);
    let lenses = lens(&mut client, URI);
    run(&mut client, &lenses[0]);
    assert_eq!(client.diagnostics(URI, 1), Vec::<Value>::new());
    client.goodbye();
}
