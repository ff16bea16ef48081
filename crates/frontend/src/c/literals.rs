//! # Literals
//! What numbers, characters and strings mean. Numbers have any length; one that does not fit is reported, as is an escape that there is not.

use super::tree::{ExprKind, Rank};

/// How many bytes a `long double` has; 16 where `long` has 64 bits.
pub(super) const LONG_DOUBLE: u32 = 12;

/// Reads a number, or says what is wrong with it.
pub(super) fn number(text: &str) -> Result<ExprKind, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', ..] => (lower.as_str(), 8),
        _ => (lower.as_str(), 10),
    };
    let is_digit = |c: char| if radix == 16 { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
    let exponent = if radix == 16 { 'p' } else { 'e' };
    if digits[end..].starts_with(['.', exponent]) && radix != 2 {
        return floating(digits, radix);
    }
    let suffix = &digits[end..];
    if radix != 16 && matches!(suffix, "i" | "j") {
        return Ok(ExprKind::Unsupported("an imaginary number"));
    }
    let (unsigned, rank) = integer_suffix(suffix).ok_or_else(|| {
        let shown = cut(&text[text.len() - suffix.len()..]);
        format!("`{shown}` cannot follow a number")
    })?;
    let digits = &digits[..end];
    if digits.is_empty() {
        return Err("this number has no digits".to_owned());
    }
    if let Some(wrong) = digits.chars().find(|c| !c.is_digit(radix)) {
        let kind =
            if radix == 8 { "an octal number, which begins with 0" } else { "a binary number" };
        return Err(format!("`{wrong}` is no digit of {kind}"));
    }
    let value =
        u128::from_str_radix(digits, radix).ok().filter(|&value| value <= u128::from(u64::MAX));
    let value = value.ok_or("this number does not fit into 64 bits")?;
    Ok(ExprKind::Integer { value, octal_or_hex: radix != 10, unsigned, rank, character: false })
}

/// Cuts a text to what a message repeats.
fn cut(text: &str) -> &str {
    text.get(..20).unwrap_or(text)
}

/// Whether a suffix in small letters says `unsigned`, and the rank that it asks for.
fn integer_suffix(suffix: &str) -> Option<(bool, Rank)> {
    Some(match suffix {
        "" => (false, Rank::Int),
        "u" => (true, Rank::Int),
        "l" => (false, Rank::Long),
        "ul" | "lu" => (true, Rank::Long),
        "ll" => (false, Rank::LongLong),
        "ull" | "llu" => (true, Rank::LongLong),
        _ => return None,
    })
}

/// Reads a number with a point or an exponent, in small letters and without `0x`.
fn floating(text: &str, radix: u32) -> Result<ExprKind, String> {
    let exponent = if radix == 16 { 'p' } else { 'e' };
    let is_digit = |c: char| if radix == 16 { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let mantissa_end = text.find(|c| !is_digit(c) && c != '.').unwrap_or(text.len());
    let (mantissa, rest) = text.split_at(mantissa_end);
    let (power, suffix) = match rest.strip_prefix(exponent) {
        Some(rest) => {
            let sign = usize::from(rest.starts_with(['+', '-']));
            let end =
                rest[sign..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |at| at + sign);
            if end == sign {
                return Err("this exponent has no digits".to_owned());
            }
            (&rest[..end], &rest[end..])
        }
        None if radix == 16 => {
            return Err("a number with a point in hexadecimal needs an exponent, as in `0x1.8p3`"
                .to_owned());
        }
        None => ("0", rest),
    };
    if mantissa.matches('.').count() > 1 || !mantissa.contains(is_digit) {
        return Err("this is not a number".to_owned());
    }
    let bytes = match suffix {
        "" | "f64" | "f32x" | "d" | "dd" => 8,
        "f" | "f32" | "df" => 4,
        "f16" | "bf16" => 2,
        "l" | "w" => LONG_DOUBLE,
        "q" | "f128" | "f64x" | "dl" => 16,
        "i" | "j" | "fi" | "if" | "li" | "il" => {
            return Ok(ExprKind::Unsupported("an imaginary number"));
        }
        _ => return Err(format!("`{}` cannot follow a number", cut(suffix))),
    };
    let value = match radix {
        16 => hexadecimal(mantissa, power),
        _ => format!("{mantissa}e{power}").parse().unwrap_or(f64::INFINITY),
    };
    Ok(ExprKind::Floating(if bytes == 4 { f64::from(value as f32) } else { value }, bytes))
}

/// The value of a hexadecimal mantissa with a point, times two to a power.
fn hexadecimal(mantissa: &str, power: &str) -> f64 {
    // A power that is out of all proportion gives 0 or infinity in any case.
    let out_of_proportion = if power.starts_with('-') { i32::MIN } else { i32::MAX };
    let mut power = power.parse().unwrap_or(out_of_proportion);
    let mut bits: u64 = 0;
    let mut after_point = false;
    for c in mantissa.chars() {
        let Some(digit) = c.to_digit(16) else {
            after_point = true;
            continue;
        };
        if bits >> 60 == 0 {
            bits = bits << 4 | u64::from(digit);
            power = power.saturating_sub(if after_point { 4 } else { 0 });
        } else {
            // What is too small to keep decides how to round: one bit tells that there was something.
            bits |= u64::from(digit != 0);
            power = power.saturating_add(if after_point { 0 } else { 4 });
        }
    }
    let mut value = bits as f64;
    while power > 0 && value.is_finite() && value != 0.0 {
        let step = power.min(1000);
        value *= 2f64.powi(step);
        power -= step;
    }
    while power < 0 && value != 0.0 {
        let step = power.max(-1000);
        value *= 2f64.powi(step);
        power -= step;
    }
    value
}

/// How the characters of a literal are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Encoding {
    /// Bytes of UTF-8.
    Bytes,
    /// `u8"…"`: bytes of UTF-8 as well.
    Utf8,
    /// `u"…"`
    Utf16,
    /// `U"…"` and `L"…"`
    Utf32,
}

impl Encoding {
    /// The number of bytes of a unit.
    pub(super) fn width(self) -> u32 {
        match self {
            Encoding::Bytes | Encoding::Utf8 => 1,
            Encoding::Utf16 => 2,
            Encoding::Utf32 => 4,
        }
    }

    fn most(self) -> u32 {
        match self {
            Encoding::Bytes | Encoding::Utf8 => 0xff,
            Encoding::Utf16 => 0xffff,
            Encoding::Utf32 => u32::MAX,
        }
    }

    fn push(self, c: char, into: &mut Vec<u32>) {
        match self {
            Encoding::Bytes | Encoding::Utf8 => {
                into.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from))
            }
            Encoding::Utf16 => {
                into.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&unit| u32::from(unit)))
            }
            Encoding::Utf32 => into.push(u32::from(c)),
        }
    }
}

/// The encoding of a literal and what stands between its quotes.
pub(super) fn unquote(text: &str, quote: char) -> (Encoding, &str) {
    let (prefix, rest) = text.split_at(text.find(quote).unwrap_or(0));
    let encoding = match prefix {
        "u8" => Encoding::Utf8,
        "u" => Encoding::Utf16,
        "U" | "L" => Encoding::Utf32,
        _ => Encoding::Bytes,
    };
    let inside = rest.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    (encoding, inside.unwrap_or(""))
}

/// Reads a character: as an `int` of 32 bits in two's complement.
pub(super) fn character(text: &str) -> Result<ExprKind, String> {
    let (encoding, inside) = unquote(text, '\'');
    let mut units = Vec::new();
    decode(inside, encoding, &mut units)?;
    let value = match (units.as_slice(), encoding) {
        ([], _) => return Err("there is no character between the quotes".to_owned()),
        (&[unit], Encoding::Bytes) if unit >= 0x80 => unit | 0xffff_ff00,
        (&[unit], _) => unit,
        (units, Encoding::Bytes) if units.len() <= 4 => {
            units.iter().fold(0, |value, unit| value << 8 | unit)
        }
        _ => return Err("there are too many characters between the quotes".to_owned()),
    };
    // `L'a'` has the type of the characters of `L"a"`, which is `long` where that has 32 bits.
    let (unsigned, rank) = match text.split('\'').next() {
        Some("L") => (false, Rank::Long),
        Some("u") => (true, Rank::Short),
        Some("U") => (true, Rank::Int),
        _ => (false, Rank::Int),
    };
    Ok(ExprKind::Integer {
        value: u128::from(value),
        octal_or_hex: false,
        unsigned,
        rank,
        character: true,
    })
}

/// Adds the units of what stands between quotes.
pub(super) fn decode(text: &str, encoding: Encoding, into: &mut Vec<u32>) -> Result<(), String> {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            encoding.push(c, into);
            continue;
        }
        let Some(escape) = rest.chars().next() else {
            return Err("there is nothing after this `\\`".to_owned());
        };
        rest = &rest[escape.len_utf8()..];
        let unit = match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            '\\' | '\'' | '"' | '?' => u32::from(escape),
            // A line that goes on with the next one.
            '\n' => continue,
            '\r' => {
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                continue;
            }
            '0'..='7' => {
                let digits =
                    1 + rest.bytes().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let start = text.len() - rest.len() - 1;
                let value = u32::from_str_radix(&text[start..start + digits], 8).unwrap_or(0);
                rest = &rest[digits - 1..];
                value
            }
            'x' => {
                let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
                if digits == 0 {
                    return Err("`\\x` needs hexadecimal digits after it".to_owned());
                }
                let value = u32::from_str_radix(rest[..digits].trim_start_matches('0'), 16);
                let value = if rest[..digits].bytes().all(|b| b == b'0') { Ok(0) } else { value };
                rest = &rest[digits..];
                value.map_err(|_| too_large(encoding))?
            }
            'u' | 'U' => {
                let digits = if escape == 'u' { 4 } else { 8 };
                let code =
                    rest.get(..digits).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
                let named = code
                    .and_then(|code| u32::from_str_radix(code, 16).ok())
                    .and_then(char::from_u32);
                let Some(named) = named else {
                    return Err(format!(
                        "`\\{escape}` needs the {digits} hexadecimal digits of a character after it"
                    ));
                };
                rest = &rest[digits..];
                encoding.push(named, into);
                continue;
            }
            // As in GNU C, a character without a special meaning stands for itself.
            _ => {
                encoding.push(escape, into);
                continue;
            }
        };
        if unit > encoding.most() {
            return Err(too_large(encoding));
        }
        into.push(unit);
    }
    Ok(())
}

fn too_large(encoding: Encoding) -> String {
    format!("this escape does not fit into a character of {} bits", encoding.width() * 8)
}
