//! The results of a run, read from the object that `--format json` prints.

use serde_json::Value;

use super::Run;

/// The counts at a bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AtBound {
    /// The bound.
    pub bound: u64,
    /// How many states there are, if that is known.
    pub states: Option<u64>,
    /// How many visible ones, if that is known.
    pub visible: Option<u64>,
}

/// The answer in an object, without times; nothing if it is no such object.
#[must_use]
pub fn read(text: &str) -> Option<Run> {
    let object: Value = serde_json::from_str(text).ok()?;
    let word = |name: &str| object.get(name)?.as_str().map(str::to_owned);
    let bound = object.get("bound").and_then(Value::as_object).map(|bound| {
        let part = |(name, value): (&String, &Value)| match value.as_u64() {
            Some(1) => format!("1 {}", name.trim_end_matches('s')),
            _ => format!("{value} {name}"),
        };
        bound.iter().filter(|(_, value)| value.is_u64()).map(part).collect::<Vec<_>>().join(", ")
    });
    let seen = object.get("observations").and_then(Value::as_array);
    let seen = seen.into_iter().flatten().filter_map(|seen| {
        let number = |name: &str| seen.get(name).and_then(Value::as_u64);
        // Bounds of two numbers are in no order.
        let bound = seen.get("bound")?.as_object().filter(|bound| bound.len() == 1)?;
        let bound = bound.values().next()?.as_u64()?;
        Some(AtBound { bound, states: number("states"), visible: number("visible") })
    });
    Some(Run {
        // A wrong command line or a wrong input has no verdict.
        verdict: word("verdict").unwrap_or_else(|| "refused".to_owned()),
        note: word("reason").or_else(|| first_diagnostic(&object)).unwrap_or_default(),
        memory: object.get("peak_memory_bytes").and_then(Value::as_u64),
        bound: bound.filter(|bound| !bound.is_empty()),
        by: word("engine"),
        stored: object.get("stored_states").and_then(Value::as_u64).filter(|&stored| stored > 0),
        seen: seen.collect(),
        ..Run::default()
    })
}

/// The first of the things that are wrong with an input.
fn first_diagnostic(object: &Value) -> Option<String> {
    let first = object.get("diagnostics")?.as_array()?.first()?;
    let line = first.get("line").and_then(Value::as_u64).unwrap_or(0);
    Some(format!("line {line}: {}", first.get("message")?.as_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let run = read(
            r#"{"selvedge": "0.1.0", "verdict": "unsafe", "bound": {"contexts": 3}, "reason": null,
                "engine": "contexts-explicit", "stored_states": 4,
                "observations": [{"bound": {"contexts": 1}, "states": 5, "visible": null},
                                 {"bound": {"delays": 1, "rounds": 2}, "states": 6, "visible": 6}],
                "peak_memory_bytes": 7}"#,
        );
        let run = run.unwrap();
        assert_eq!((run.verdict.as_str(), run.bound.as_deref()), ("unsafe", Some("3 contexts")));
        assert_eq!(run.seen, [AtBound { bound: 1, states: Some(5), visible: None }]);
        assert_eq!((run.memory, run.stored), (Some(7), Some(4)));
        assert_eq!(run.by.as_deref(), Some("contexts-explicit"));
        let refused = read(
            r#"{"verdict": null, "reason": null, "diagnostics": [{"line": 2, "message": "no"}]}"#,
        );
        let refused = refused.unwrap();
        assert_eq!((refused.verdict.as_str(), refused.note.as_str()), ("refused", "line 2: no"));
        assert_eq!(read("{\"verdict\": \"sa"), None);
    }
}
