//! A reader for the YAML of witnesses: mappings and lists by indentation, texts in quotation marks, numbers, and `[]`. It shares nothing with
//! the writer, and whatever else is there is an error.

use serde_json::{Map, Value};

/// A document as JSON.
pub fn read(text: &str) -> Result<Value, String> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        lines.push((line.len() - body.len(), body.to_owned()));
    }
    let mut at = 0;
    let value = block(&mut lines, &mut at)?;
    match lines.get(at) {
        Some((_, line)) => Err(format!("line {}: `{line}` belongs to nothing", at + 1)),
        None => Ok(value),
    }
}

fn block(lines: &mut [(usize, String)], at: &mut usize) -> Result<Value, String> {
    let indent = lines.get(*at).ok_or("the text ends too early")?.0;
    let is_list = lines[*at].1.starts_with("- ");
    let (mut list, mut map) = (Vec::new(), Map::new());
    while let Some((here, line)) = lines.get(*at).cloned() {
        if here != indent || line.starts_with("- ") != is_list {
            break;
        }
        if let Some(rest) = line.strip_prefix("- ") {
            if key(rest).is_none() {
                *at += 1;
                list.push(scalar(rest)?);
                continue;
            }
            lines[*at] = (indent + 2, rest.to_owned());
            list.push(block(lines, at)?);
            continue;
        }
        let (name, rest) = key(&line).ok_or_else(|| format!("`{line}` has no key"))?;
        *at += 1;
        let value = match rest.as_str() {
            "" => {
                let is_inside = lines.get(*at).is_some_and(|(next, _)| *next > indent);
                if !is_inside {
                    return Err(format!("`{name}` has no value"));
                }
                block(lines, at)?
            }
            rest => scalar(rest)?,
        };
        if map.insert(name.clone(), value).is_some() {
            return Err(format!("`{name}` is there twice"));
        }
    }
    Ok(if is_list { Value::Array(list) } else { Value::Object(map) })
}

/// A key and what follows it.
fn key(line: &str) -> Option<(String, String)> {
    if line.starts_with('"') {
        let mut texts = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let name = texts.next()?.ok()?;
        let rest = line[texts.byte_offset()..].strip_prefix(':')?;
        return Some((name, rest.trim().to_owned()));
    }
    let (name, rest) = line.split_once(':')?;
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_plain.then(|| (name.to_owned(), rest.trim().to_owned()))
}

/// A text, a number, or a list of nothing: as in JSON.
fn scalar(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|why| format!("`{text}`: {why}"))
}
