//! Which pictures there are of measurements: [`all`] makes those that have something to show.

use super::{Measured, NumberOf, Part, columns};
use crate::plot::{self, Counted, Mark, Plot, Scale, Series};

/// The least time that is drawn, in seconds: below it, starting a process is all there is.
const LEAST: f64 = 1e-3;

/// Pictures with the names of their files and their titles; `limit` is how long a run could take, in seconds.
#[must_use]
pub fn all(rows: &[Measured], limit: f64) -> Vec<(String, Plot)> {
    let mut plots = Vec::new();
    let suite: Vec<&Measured> = rows.iter().filter(|row| row.part == Part::Suite).collect();
    plots.extend(cactus(&suite).map(|plot| ("cactus.svg".to_owned(), plot)));
    let columns = columns(rows);
    if let Some((first, others)) = columns.split_first() {
        for other in others {
            let name = format!("scatter-{}-{}.svg", file_name(first), file_name(other));
            plots.extend(scatter(&suite, first, other, limit).map(|plot| (name, plot)));
        }
    }
    plots.extend(observations(&suite).map(|plot| ("observations.svg".to_owned(), plot)));
    let threads: NumberOf = Part::threads;
    let growths = [
        ("threads", "number of threads", threads),
        ("contexts", "bound, contexts", Part::contexts),
    ];
    for (name, axis, number) in growths {
        plots.extend(
            growth(rows, axis, number)
                .into_iter()
                .map(|(what, plot)| (format!("{name}-{what}.svg"), plot)),
        );
    }
    plots
}

/// How many questions each column answers within which time.
fn cactus(suite: &[&Measured]) -> Option<Plot> {
    let mut series = Vec::new();
    for engine in names(suite) {
        let mine = suite.iter().filter(|row| row.key.engine == engine && row.is_answered());
        let mut times: Vec<f64> = mine.map(|row| row.time.max(LEAST)).collect();
        times.sort_unstable_by(f64::total_cmp);
        let points = times.iter().enumerate().map(|(n, &time)| ((n + 1) as f64, time)).collect();
        series.push(Series { name: engine.to_owned(), points, mark: Mark::Line });
    }
    Plot {
        title: "Questions answered within a time".to_owned(),
        x: ("questions answered".to_owned(), Scale::Count),
        y: ("time limit of a question, s".to_owned(), Scale::Log),
        series,
        diagonal: None,
    }
    .some()
}

/// One column against another: a point for each question that both were asked.
fn scatter(suite: &[&Measured], first: &str, other: &str, limit: f64) -> Option<Plot> {
    let time = |row: &Measured| if row.is_answered() { row.time.max(LEAST) } else { limit };
    let (mut both, mut not_both) = (Vec::new(), Vec::new());
    for row in suite.iter().filter(|row| row.key.engine == first) {
        let is_same =
            |o: &&&Measured| o.key.engine == other && o.key.question() == row.key.question();
        let Some(beside) = suite.iter().find(is_same) else { continue };
        let point = (time(row), time(beside));
        let is_answered = row.is_answered() && beside.is_answered();
        if is_answered { both.push(point) } else { not_both.push(point) }
    }
    Plot {
        title: format!("Time of {first} against {other}"),
        x: (format!("time of {first}, s"), Scale::Log),
        y: (format!("time of {other}, s"), Scale::Log),
        series: vec![
            Series { name: "both answer".to_owned(), points: both, mark: Mark::Points },
            Series {
                name: "one or both do not (drawn at the limit)".to_owned(),
                points: not_both,
                mark: Mark::Points,
            },
        ],
        diagonal: Some(format!("the same time; above it {first} is faster, below it {other}")),
    }
    .some()
}

/// States and visible states, bound by bound, of the answer that has most to show.
fn observations(suite: &[&Measured]) -> Option<Plot> {
    // Best where more is reached than is seen; the first one of several.
    let worth = |row: &&&Measured| {
        let hides = |seen: &super::AtBound| seen.states > seen.visible && seen.visible.is_some();
        (row.seen.iter().any(hides), row.seen.len())
    };
    let best = suite.iter().rev().filter(|row| row.is_answered()).max_by_key(worth)?;
    // What the bound counts, if it is one thing.
    let unit = best.bound.as_deref().filter(|bound| !bound.contains(','));
    let unit = unit.and_then(|bound| bound.split_whitespace().nth(1));
    let bound = unit.map_or("bound".to_owned(), |unit| {
        let end = if unit.ends_with('s') { "" } else { "s" };
        format!("bound, {unit}{end}")
    });
    let counted = |seen: &super::AtBound| Counted {
        bound: seen.bound,
        states: seen.states,
        visible: seen.visible,
        new_visible: None,
    };
    let rows: Vec<Counted> = best.seen.iter().map(counted).collect();
    plot::observations(format!("Observations: {}", best.key.question()), bound, &rows)
}

/// Time and memory against a number, a line for each column; where there is no answer, its name says so.
fn growth(rows: &[Measured], axis: &str, number: NumberOf) -> Vec<(&'static str, Plot)> {
    let mine: Vec<&Measured> = rows.iter().filter(|row| number(row.part).is_some()).collect();
    let Some(key) = mine.first().map(|row| &row.key) else { return Vec::new() };
    // The last option is the one that grows: `--threads adder=1`, `--contexts 1`.
    let mut options = key.options.rsplitn(3, ' ');
    let of_whom = options.next().and_then(|last| last.split_once('='));
    let axis = of_whom.map_or(axis.to_owned(), |(name, _)| format!("{axis} {name}"));
    let same = options.nth(1).map_or(String::new(), |options| format!(" {options}"));
    let question = format!("{}{same}", key.file);
    let plot = |what: &str, unit: &str, of: fn(&Measured) -> Option<f64>| {
        let line = |engine: &str| {
            let answered = mine.iter().filter(|row| row.key.engine == engine && row.is_answered());
            let point = |row: &&&Measured| Some((number(row.part)? as f64, of(row)?));
            Series {
                name: format!("{engine}{}", unanswered(&mine, engine, number)),
                points: answered.filter_map(|row| point(&row)).collect(),
                mark: Mark::LineAndPoints,
            }
        };
        Plot {
            title: format!("{what}: {question}"),
            x: (axis.clone(), Scale::Count),
            y: (unit.to_owned(), Scale::Log),
            series: names(&mine).into_iter().map(line).collect(),
            diagonal: None,
        }
        .some()
    };
    let time = plot("Time", "time, s", |row| Some(row.time.max(LEAST)));
    let memory = plot("Memory", "memory, MiB", |row| Some(row.memory? as f64 / f64::from(1 << 20)));
    time.map(|plot| ("time", plot)).into_iter().chain(memory.map(|plot| ("memory", plot))).collect()
}

/// For which numbers a column has no answer, as a part of its name.
fn unanswered(rows: &[&Measured], engine: &str, number: NumberOf) -> String {
    let open = rows.iter().filter(|row| row.key.engine == engine && !row.is_answered());
    let open: Vec<_> = open.filter_map(|row| Some(number(row.part)?.to_string())).collect();
    if open.is_empty() { String::new() } else { format!(" (no answer for {})", open.join(", ")) }
}

fn names<'a>(rows: &[&'a Measured]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for row in rows {
        if !names.contains(&row.key.engine.as_str()) {
            names.push(row.key.engine.as_str());
        }
    }
    names
}

/// A part of the name of a file.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;
    use crate::bench::AtBound;

    #[test]
    fn there_are_pictures_of_what_was_measured() {
        let mut rows = vec![
            row("a", "auto", "safe", &[("safe", 0.5)]),
            row("a", "my tool", "safe", &[("timeout", 10.0)]),
            row("b", "auto", "safe", &[("safe", 0.0)]),
            row("c", "auto", "safe", &[("safe", 1.0)]),
            row("c", "auto", "safe", &[("bounded", 1.0)]),
        ];
        rows[2].seen = vec![AtBound { bound: 0, states: Some(1), visible: None }];
        rows[3].part = Part::Threads(2);
        rows[3].key.options = "-a b --threads w=2".to_owned();
        rows.push(row("c", "auto", "safe", &[("timeout", 1.0)]));
        rows[5].part = Part::Threads(3);
        let names = |rows: &[Measured]| {
            all(rows, 10.0).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(
            names(&rows),
            [
                "cactus.svg",
                "scatter-auto-my_tool.svg",
                "observations.svg",
                "threads-time.svg",
                "threads-memory.svg"
            ]
        );
        assert_eq!(names(&[row("a", "auto", "safe", &[("died", 1.0)])]), [""; 0]);
        let growth = &all(&rows, 10.0)[3].1;
        assert_eq!((&*growth.title, &*growth.x.0), ("Time: c -a b", "number of threads w"));
        assert_eq!(growth.series[0].name, "auto (no answer for 3)");
        // Fewer bounds, but not all is visible.
        let seen = |bound, visible| AtBound { bound, states: Some(3), visible: Some(visible) };
        rows[2].seen = vec![seen(0, 3), seen(1, 3)];
        assert_eq!(all(&rows, 10.0)[2].1.title, "Observations: b");
        rows[0].seen = vec![seen(0, 2)];
        assert_eq!(all(&rows, 10.0)[2].1.title, "Observations: a");
        let scatter = &all(&rows, 10.0)[1].1;
        assert_eq!(scatter.series.len(), 1);
        assert_eq!(scatter.series[0].points, [(0.5, 10.0)]);
    }
}
