//! The extension for VS Code: its files are well formed, name each other, and know every word of the lexers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn extension(file: &str) -> PathBuf {
    repository().join("editors/vscode").join(file)
}

fn json(file: &str) -> Value {
    let text = fs::read_to_string(extension(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The words among the tokens of a lexer, from its text.
pub fn words_of_lexer(language: &str) -> BTreeSet<String> {
    let path = repository().join(format!("crates/frontend/src/{language}/lexer.rs"));
    let text = fs::read_to_string(path).unwrap();
    let tokens = text.split("#[token(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let is_word = |t: &&str| t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let words: BTreeSet<String> = tokens.filter(is_word).map(str::to_owned).collect();
    assert!(words.len() > 20, "the lexer has words: {words:?}");
    words
}

/// All patterns of a grammar.
fn patterns(grammar: &Value) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for pattern in grammar["patterns"].as_array().unwrap() {
        let name = pattern["name"].as_str().unwrap().to_owned();
        for key in ["match", "begin", "end"] {
            let regex = pattern.get(key).and_then(Value::as_str);
            list.extend(regex.map(|regex| (name.clone(), regex.to_owned())));
        }
    }
    list
}

#[test]
fn the_parts_of_the_extension_name_each_other() {
    let package = json("package.json");
    assert!(extension(package["main"].as_str().unwrap()).is_file());
    let contributes = &package["contributes"];
    let languages: BTreeSet<&str> = (contributes["languages"].as_array().unwrap().iter())
        .map(|language| {
            json(language["configuration"].as_str().unwrap());
            language["id"].as_str().unwrap()
        })
        .collect();
    assert_eq!(languages, BTreeSet::from(["bp", "weave"]));
    for grammar in contributes["grammars"].as_array().unwrap() {
        assert!(languages.contains(grammar["language"].as_str().unwrap()));
        assert_eq!(json(grammar["path"].as_str().unwrap())["scopeName"], grammar["scopeName"]);
    }
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    let script = fs::read_to_string(extension("extension.js")).unwrap();
    assert!(script.contains("\"lsp\""), "the extension starts the server");
    for setting in contributes["configuration"]["properties"].as_object().unwrap().keys() {
        let name = setting.strip_prefix("selvedge.").unwrap();
        assert!(script.contains(&format!("\"{name}\"")), "the extension reads {setting}");
    }
}

#[test]
fn every_word_of_a_language_has_a_colour() {
    for language in ["weave", "bp"] {
        let grammar = json(&format!("syntaxes/{language}.tmLanguage.json"));
        let mut coloured = BTreeSet::new();
        for (_, regex) in patterns(&grammar) {
            if let Some(list) = regex.strip_prefix("\\b(").and_then(|r| r.strip_suffix(")\\b")) {
                coloured.extend(list.split('|').map(str::to_owned));
            }
        }
        let missing: Vec<_> = words_of_lexer(language).difference(&coloured).cloned().collect();
        assert_eq!(missing, Vec::<String>::new(), "words of {language} without a colour");
    }
}

#[test]
fn the_patterns_of_a_grammar_can_be_read() {
    for language in ["weave", "bp"] {
        for (name, regex) in patterns(&json(&format!("syntaxes/{language}.tmLanguage.json"))) {
            if let Err(error) = regex_syntax::parse(&regex) {
                panic!("{language}, {name}: {error}");
            }
        }
    }
}

#[test]
fn the_page_colours_every_word_of_the_lexers() {
    let path = repository().join("crates/report/src/page/assets/source.js");
    let text = fs::read_to_string(path).unwrap().replace("\"\n    + \"", "");
    for language in ["weave", "bp"] {
        let (_, rest) = text.split_once(&format!("\n  {language}: \"")).unwrap();
        let known: BTreeSet<&str> = rest.split_once('"').unwrap().0.split(' ').collect();
        for word in words_of_lexer(language) {
            assert!(known.contains(word.as_str()), "{language}: {word}");
        }
    }
}
