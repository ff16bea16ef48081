//! # Numbers
//! Numbers of Python have any size and any sign; what is counted has not.

use std::time::Duration;

use num_bigint::BigInt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::errors;

/// A number that is not negative; larger ones than fit are as good as the largest.
pub fn count(name: &str, number: &Bound<'_, PyAny>) -> PyResult<usize> {
    let number = natural(name, number)?;
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}

/// A number of threads.
pub fn few(name: &str, number: &Bound<'_, PyAny>) -> PyResult<u32> {
    let number = natural(name, number)?;
    u32::try_from(number).map_err(|_| errors::option(&format!("{name}: this number is too large")))
}

/// A number of rounds in which something happens.
pub fn rounds(name: &str, number: &Bound<'_, PyAny>) -> PyResult<u32> {
    match few(name, number)? {
        0 => Err(errors::option(&format!("{name}: there is no run in 0 rounds: give 1 or more"))),
        rounds => Ok(rounds),
    }
}

fn natural(name: &str, number: &Bound<'_, PyAny>) -> PyResult<BigInt> {
    let number = integer(name, number)?;
    match number < BigInt::ZERO {
        true => Err(errors::option(&format!("{name}: write 0 or more, not {number}"))),
        false => Ok(number),
    }
}

/// How long, in seconds.
pub fn seconds(name: &str, seconds: f64) -> PyResult<Option<Duration>> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) => Ok(Some(time)),
        // Longer than anybody waits.
        Err(_) if seconds > 0.0 => Ok(None),
        Err(_) => {
            Err(errors::option(&format!("{name}: a time is 0 seconds or more, not {seconds}")))
        }
    }
}

/// An integer, whatever its type is called.
pub fn integer(name: &str, number: &Bound<'_, PyAny>) -> PyResult<BigInt> {
    let wrong = |_| PyTypeError::new_err(format!("{name}: this has to be an integer: {number}"));
    let number = number.call_method0("__index__").map_err(wrong)?;
    // As digits to the base of 16, of which Python allows any number.
    let digits: String = number.call_method1("__format__", ("x",))?.extract()?;
    BigInt::parse_bytes(digits.as_bytes(), 16)
        .ok_or_else(|| errors::bug(&format!("the number {digits} cannot be read")))
}

/// Numbers with names.
pub fn named<T>(
    option: &str,
    numbers: Option<&Bound<'_, PyMapping>>,
    read: impl Fn(&str, &Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<(String, T)>> {
    let Some(numbers) = numbers else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for item in numbers.items()?.iter() {
        let (name, number): (String, Bound<'_, PyAny>) = item.extract()?;
        let number = read(&format!("{option} {name}"), &number)?;
        found.push((name, number));
    }
    Ok(found)
}
