//! Numbers, times and sizes for people.

use std::time::Duration;

/// A number that may be too large to be known.
#[must_use]
pub fn number(number: Option<u128>) -> String {
    number.map_or("-".to_owned(), |n| n.to_string())
}

/// A number of things that may be too large to be known: `1 state`, `2 states`.
#[must_use]
pub fn amount(of: Option<u128>, thing: &str) -> String {
    format!("{} {thing}{}", number(of), if of == Some(1) { "" } else { "s" })
}

/// A time: `0.12 s`, `75 s`.
#[must_use]
pub fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 99.95 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// A size: `12 KiB`, `3.4 GiB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    let mut size = bytes as f64;
    let mut unit = "B";
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if size < 1023.5 {
            break;
        }
        size /= 1024.0;
        unit = larger;
    }
    if size < 9.95 && unit != "B" {
        format!("{size:.1} {unit}")
    } else {
        format!("{size:.0} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_short() {
        let sizes = [0, 1023, 1024, 10 << 10, (1 << 20) - 1, 3 << 29, u64::MAX].map(bytes);
        assert_eq!(
            sizes,
            ["0 B", "1023 B", "1.0 KiB", "10 KiB", "1.0 MiB", "1.5 GiB", "16777216 TiB"]
        );
        let times = [0.0, 9.99, 9.999, 99.9, 4000.4].map(Duration::from_secs_f64).map(seconds);
        assert_eq!(times, ["0.00 s", "9.99 s", "10.0 s", "99.9 s", "4000 s"]);
    }
}
