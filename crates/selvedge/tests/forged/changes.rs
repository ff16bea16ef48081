//! What somebody does to evidence who wants it to be accepted: leave out what speaks against it, say
//! things twice, and put numbers at the limits of their types.

use fastrand::Rng;
use serde_json::{Number, Value};

/// Small numbers, and those at the limits of their types that can be read where there is no sign.
const NUMBERS: [i64; 7] = [0, 1, 2, i32::MAX as i64, 1 << 31, u32::MAX as i64 - 1, u32::MAX as i64];

/// Numbers that can be read only where there is a sign, or more bits.
const LONG: [i64; 5] = [-1, i32::MIN as i64, u32::MAX as i64 + 1, i64::MIN, i64::MAX];

/// Changes something in a value, by chance.
pub fn change(value: &mut Value, rng: &mut Rng) {
    let places = count(value);
    let mut at = rng.usize(0..places.max(1));
    visit(value, &mut |found| {
        let is_meant = at == 0;
        at = at.wrapping_sub(1);
        if is_meant {
            change_here(found, rng);
        }
    });
}

/// How many places there are to change something.
fn count(value: &mut Value) -> usize {
    let mut places = 0;
    visit(value, &mut |_| places += 1);
    places
}

/// Shows every list, number and truth value, each before its parts.
fn visit(value: &mut Value, show: &mut dyn FnMut(&mut Value)) {
    if matches!(value, Value::Array(_) | Value::Number(_) | Value::Bool(_)) {
        show(value);
    }
    match value {
        Value::Array(list) => list.iter_mut().for_each(|part| visit(part, show)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, part)| visit(part, show)),
        _ => {}
    }
}

fn change_here(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Bool(holds) => *holds = !*holds,
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or(0);
            *number = Number::from(match rng.u32(0..8) {
                0..3 => old.wrapping_add(1),
                3 => old.wrapping_sub(1).max(0),
                4 => LONG[rng.usize(0..LONG.len())],
                _ => NUMBERS[rng.usize(0..NUMBERS.len())],
            });
        }
        Value::Array(list) if !list.is_empty() => {
            let (at, other) = (rng.usize(0..list.len()), rng.usize(0..list.len()));
            match rng.u32(0..5) {
                0 | 1 => drop(list.remove(at)),
                2 => list.push(list[at].clone()),
                3 => list.truncate(at),
                _ => list.swap(at, other),
            }
        }
        _ => {}
    }
}

/// Takes the state out that a refusal names, and whatever is said of it; `false` if it names none.
pub fn repair(body: &mut Value, refusal: &str) -> bool {
    let Some((_, after)) = refusal.split_once("state ") else { return false };
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    let Ok(number) = digits.parse::<usize>() else { return false };
    let Some(states) = body.get_mut("states").and_then(Value::as_array_mut) else { return false };
    if number >= states.len() {
        return false;
    }
    states.remove(number);
    for measure in body.get_mut("measures").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(least) = measure.get_mut(1).and_then(Value::as_array_mut)
            && number < least.len()
        {
            least.remove(number);
        }
    }
    true
}
