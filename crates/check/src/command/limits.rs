//! # Limits
//! `60s`, `5m`, `500ms`: how long. `4GiB`, `4G`, `500MB`: how large.

use std::time::Duration;

/// Reads a time.
pub fn time(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 5] =
        [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0)];
    let seconds = amount(text, &UNITS, "a time is a number with ms, s, m or h: 90s, 1.5m, 500ms")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "this is too long".to_owned())
}

/// Reads a size in bytes.
pub fn size(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, f64); 13] = [
        ("B", 1.0),
        // As other programs take them.
        ("K", 1024.0),
        ("M", 1_048_576.0),
        ("G", 1_073_741_824.0),
        ("T", 1_099_511_627_776.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("TiB", 1_099_511_627_776.0),
    ];
    let bytes = amount(text, &UNITS, "a size is a number with MB, GB, MiB or GiB: 500MB, 4GiB")?;
    // Where this rounds, a byte more or less does not matter; what is too large is no limit.
    Ok(bytes as usize)
}

/// A number and its unit.
fn amount(text: &str, units: &[(&str, f64)], usage: &str) -> Result<f64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()));
    match (number.parse::<f64>(), factor) {
        (Ok(number), Some((_, factor))) => Ok(number * factor),
        _ => Err(usage.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        let times = ["500ms", "60s", "5m", "1.5 h", "0s"].map(|text| time(text).unwrap());
        assert_eq!(times.map(|t| t.as_millis()), [500, 60_000, 300_000, 5_400_000, 0]);
        let sizes = ["4GiB", "500MB", "1kib", "12B", "4G", "2k"].map(|text| size(text).unwrap());
        assert_eq!(sizes, [4 << 30, 500_000_000, 1024, 12, 4 << 30, 2048]);
        for wrong in ["", "60", "s", "-1s", "1e9s", "1.2.3s", "٣s", "1 GiB"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "60", "GiB", "-1B", "1 s"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert!(time(&format!("{}h", "9".repeat(400))).is_err());
        assert_eq!(size(&format!("{}GiB", "9".repeat(400))), Ok(usize::MAX));
    }
}
