//! What the standard demands of the objects that we write: section 3 of SARIF 2.1.0, by hand.

use serde_json::Value;

/// What a property holds.
#[derive(Clone, Copy)]
enum Is {
    Text,
    /// One of these texts.
    Word(&'static [&'static str]),
    /// An integer that is not less.
    Number(u64),
    Truth,
    /// An object of this shape.
    One(&'static str),
    /// An array of objects of this shape, at least so many.
    Many(&'static str, usize),
    /// An object with any names for objects of this shape.
    Map(&'static str),
}

/// A property: its name, whether it must be there, and what it holds.
type Property = (&'static str, bool, Is);

const LEVELS: &[&str] = &["none", "note", "warning", "error"];
const KINDS: &[&str] = &["notApplicable", "pass", "fail", "review", "open", "informational"];
const IMPORTANCE: &[&str] = &["important", "essential", "unimportant"];
const COLUMNS: &[&str] = &["utf16CodeUnits", "unicodeCodePoints"];

const SHAPES: &[(&str, &[Property])] = &[
    (
        "sarifLog",
        &[
            ("$schema", false, Is::Text),
            ("version", true, Is::Word(&["2.1.0"])),
            ("runs", true, Is::Many("run", 0)),
        ],
    ),
    (
        "run",
        &[
            ("tool", true, Is::One("tool")),
            ("invocations", false, Is::Many("invocation", 0)),
            ("columnKind", false, Is::Word(COLUMNS)),
            ("results", false, Is::Many("result", 0)),
        ],
    ),
    ("tool", &[("driver", true, Is::One("toolComponent"))]),
    (
        "toolComponent",
        &[
            ("name", true, Is::Text),
            ("version", false, Is::Text),
            ("semanticVersion", false, Is::Text),
            ("rules", false, Is::Many("reportingDescriptor", 0)),
        ],
    ),
    (
        "reportingDescriptor",
        &[
            ("id", true, Is::Text),
            ("name", false, Is::Text),
            ("shortDescription", false, Is::One("multiformatMessageString")),
            ("help", false, Is::One("multiformatMessageString")),
            ("defaultConfiguration", false, Is::One("reportingConfiguration")),
        ],
    ),
    ("reportingConfiguration", &[("level", false, Is::Word(LEVELS))]),
    ("multiformatMessageString", &[("text", true, Is::Text)]),
    ("message", &[("text", true, Is::Text)]),
    (
        "invocation",
        &[
            ("executionSuccessful", true, Is::Truth),
            ("exitCode", false, Is::Number(0)),
            ("toolConfigurationNotifications", false, Is::Many("notification", 0)),
            ("toolExecutionNotifications", false, Is::Many("notification", 0)),
        ],
    ),
    (
        "notification",
        &[
            ("level", false, Is::Word(LEVELS)),
            ("message", true, Is::One("message")),
            ("locations", false, Is::Many("location", 0)),
        ],
    ),
    (
        "result",
        &[
            ("ruleId", false, Is::Text),
            ("ruleIndex", false, Is::Number(0)),
            ("kind", false, Is::Word(KINDS)),
            ("level", false, Is::Word(LEVELS)),
            ("message", true, Is::One("message")),
            ("locations", false, Is::Many("location", 0)),
            ("relatedLocations", false, Is::Many("location", 0)),
            ("codeFlows", false, Is::Many("codeFlow", 0)),
        ],
    ),
    (
        "codeFlow",
        &[("message", false, Is::One("message")), ("threadFlows", true, Is::Many("threadFlow", 1))],
    ),
    (
        "threadFlow",
        &[("id", false, Is::Text), ("locations", true, Is::Many("threadFlowLocation", 1))],
    ),
    (
        "threadFlowLocation",
        &[
            ("location", false, Is::One("location")),
            ("state", false, Is::Map("multiformatMessageString")),
            ("nestingLevel", false, Is::Number(0)),
            ("executionOrder", false, Is::Number(0)),
            ("importance", false, Is::Word(IMPORTANCE)),
        ],
    ),
    (
        "location",
        &[
            ("physicalLocation", false, Is::One("physicalLocation")),
            ("message", false, Is::One("message")),
        ],
    ),
    (
        "physicalLocation",
        &[
            ("artifactLocation", false, Is::One("artifactLocation")),
            ("region", false, Is::One("region")),
        ],
    ),
    ("artifactLocation", &[("uri", false, Is::Text)]),
    (
        "region",
        &[
            ("startLine", true, Is::Number(1)),
            ("startColumn", false, Is::Number(1)),
            ("endColumn", false, Is::Number(1)),
            ("snippet", false, Is::One("artifactContent")),
        ],
    ),
    ("artifactContent", &[("text", true, Is::Text)]),
];

/// Panics unless a log has the form of the standard.
pub fn check_log(log: &Value) {
    object(log, "sarifLog", "");
    for run in log["runs"].as_array().unwrap() {
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for result in run["results"].as_array().unwrap() {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[index]["id"], result["ruleId"], "index and id name one rule");
            // 3.27.9: whatever is no failure has no level.
            let level = result["level"].as_str().unwrap();
            assert_eq!(result["kind"] == "fail", level != "none", "kind and level go together");
        }
        for value in regions(run) {
            let (from, to) = (value["startColumn"].as_u64(), value["endColumn"].as_u64());
            assert!(to.is_none_or(|to| from.unwrap_or(1) <= to), "a region has its end behind");
        }
    }
}

fn regions(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(map) => {
            let inside = map.iter().flat_map(|(name, value)| {
                let own = (name == "region").then_some(value);
                own.into_iter().chain(regions(value))
            });
            inside.collect()
        }
        Value::Array(list) => list.iter().flat_map(regions).collect(),
        _ => Vec::new(),
    }
}

fn object(value: &Value, shape: &str, at: &str) {
    let map = value.as_object().unwrap_or_else(|| panic!("{at} is no object"));
    let (_, properties) = SHAPES.iter().find(|(name, _)| *name == shape).unwrap();
    for name in map.keys() {
        assert!(properties.iter().any(|(n, ..)| n == name), "{at}: no {shape} has {name}");
    }
    for (name, required, is) in *properties {
        let at = format!("{at}.{name}");
        match map.get(*name) {
            Some(value) => holds(value, *is, &at),
            None => assert!(!required, "{at} is missing"),
        }
    }
}

fn holds(value: &Value, is: Is, at: &str) {
    match is {
        Is::Text => assert!(value.as_str().is_some_and(|text| !text.is_empty()), "{at} is no text"),
        Is::Word(words) => {
            assert!(value.as_str().is_some_and(|text| words.contains(&text)), "{at}: {value}");
        }
        Is::Number(least) => assert!(value.as_u64().is_some_and(|n| n >= least), "{at}: {value}"),
        Is::Truth => assert!(value.is_boolean(), "{at}: {value}"),
        Is::One(shape) => object(value, shape, at),
        Is::Many(shape, least) => {
            let list = value.as_array().unwrap_or_else(|| panic!("{at} is no array"));
            assert!(list.len() >= least, "{at} has too few elements");
            list.iter().for_each(|value| object(value, shape, at));
        }
        Is::Map(shape) => {
            let map = value.as_object().unwrap_or_else(|| panic!("{at} is no object"));
            map.values().for_each(|value| object(value, shape, at));
        }
    }
}
