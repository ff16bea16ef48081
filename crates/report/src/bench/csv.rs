//! Rows as comma-separated values, with a line of names first. What is written can be read again, except
//! for what was seen at each bound; columns that are not known are passed over.

use super::{Key, Measured, Part, is_answer};
use crate::lines;

/// Columns that earlier versions did not write.
const NEW: [&str; 2] = ["by", "stored_states"];

const NAMES: [&str; 13] = [
    "file",
    "options",
    "command",
    "engine",
    "verdict",
    "expected",
    "ok",
    "time_s",
    "cpu_s",
    "memory_bytes",
    "bound",
    "repeats",
    "note",
];

/// Writes rows as CSV.
#[must_use]
pub fn write(rows: &[Measured]) -> String {
    let seconds = |time: f64| format!("{time:.4}");
    let fields = |row: &Measured| -> [String; NAMES.len() + NEW.len()] {
        [
            row.key.file.clone(),
            row.key.options.clone(),
            row.key.command.clone(),
            row.key.engine.clone(),
            row.verdict.clone(),
            row.expected.clone().unwrap_or_default(),
            row.ok.map_or("", |ok| if ok { "yes" } else { "no" }).to_owned(),
            seconds(row.time),
            row.cpu.map(seconds).unwrap_or_default(),
            row.memory.map(|bytes| bytes.to_string()).unwrap_or_default(),
            row.bound.clone().unwrap_or_default(),
            row.repeats.to_string(),
            row.note.clone(),
            row.by.clone().unwrap_or_default(),
            row.stored.map(|states| states.to_string()).unwrap_or_default(),
        ]
    };
    let names = [&NAMES[..], &NEW[..]].concat().into_iter().map(str::to_owned).collect();
    let rows = rows.iter().map(|row| fields(row).to_vec());
    lines::write(std::iter::once(names).chain(rows))
}

/// Reads rows, or says what is wrong with which line.
pub fn read(text: &str) -> Result<Vec<Measured>, String> {
    let mut records = lines::read(text)?.into_iter();
    let (_, names) = records.next().ok_or("it is empty")?;
    let place = |wanted: &str| {
        let found = names.iter().position(|name| name == wanted);
        found.ok_or_else(|| format!("line 1: there is no column `{wanted}`"))
    };
    let mut places = [0; NAMES.len()];
    for (place_of, name) in places.iter_mut().zip(NAMES) {
        *place_of = place(name)?;
    }
    let row = |(line, fields): (u64, csv::StringRecord)| {
        if fields.len() != names.len() {
            let (has, wants) = (fields.len(), names.len());
            return Err(format!("line {line}: {has} fields, but the first line has {wants}"));
        }
        let [
            file,
            options,
            command,
            engine,
            verdict,
            expected,
            ok,
            time,
            cpu,
            memory,
            bound,
            repeats,
            note,
        ] = places.map(|place| fields[place].to_owned());
        let newer = |name: &str| {
            let place = names.iter().position(|known| known == name);
            place.map(|place| fields[place].to_owned()).unwrap_or_default()
        };
        let number = |name: &str, text: &str| match text.parse::<f64>() {
            Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
            _ => Err(format!("line {line}: `{text}` is no number for `{name}`")),
        };
        let known = |text: String| Some(text).filter(|text| !text.is_empty());
        let maybe = |name: &str, text: String| known(text).map(|t| number(name, &t)).transpose();
        Ok(Measured {
            key: Key { file, options, command, engine },
            part: Part::Suite,
            expected: known(expected).filter(|verdict| is_answer(verdict)),
            ok: known(ok).map(|ok| ok == "yes"),
            verdict,
            time: number("time_s", &time)?,
            cpu: maybe("cpu_s", cpu)?,
            memory: maybe("memory_bytes", memory)?.map(|bytes| bytes as u64),
            bound: known(bound),
            by: known(newer(NEW[0])),
            stored: maybe(NEW[1], newer(NEW[1]))?.map(|states| states as u64),
            repeats: number("repeats", &repeats)? as usize,
            note,
            seen: Vec::new(),
        })
    };
    records.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut rows = vec![
            row("a,b \"c\".weave", "auto", "safe", &[("safe", 0.5)]),
            row("d", "symbolic", "unsafe", &[("safe", 0.25)]),
            row("e", "other", "-", &[("died", 0.0)]),
        ];
        rows[1].note = "two\nlines".to_owned();
        rows[1].cpu = Some(0.25);
        (rows[1].by, rows[1].stored) = (Some("cuts".to_owned()), Some(7));
        assert_eq!(read(&write(&rows)).unwrap(), rows);
        assert_eq!(read(&write(&[])).unwrap(), []);
        // Line ends of other systems, and no end of line at the end.
        let other = write(&rows[2..]).replace('\n', "\r\n");
        assert_eq!(read(other.trim_end()).unwrap(), rows[2..]);
    }

    #[test]
    fn mistakes_have_lines() {
        let text = write(&[row("a", "auto", "safe", &[("safe", 0.5)])]);
        let wrong = |text: &str| read(text).unwrap_err();
        assert_eq!(wrong(""), "it is empty");
        assert_eq!(wrong("file,verdict\n"), "line 1: there is no column `options`");
        assert_eq!(
            wrong(&text.replace("0.5000", "soon")),
            "line 2: `soon` is no number for `time_s`"
        );
        assert_eq!(
            wrong(&text.replace("0.5000", "NaN")),
            "line 2: `NaN` is no number for `time_s`"
        );
        assert_eq!(wrong(&(text.clone() + "b,c\n")), "line 3: 2 fields, but the first line has 15");
        let open = wrong(&(text + "\"b,c\n"));
        assert_eq!(open, "line 3: 1 fields, but the first line has 15", "a quotation mark is open");
    }
}
