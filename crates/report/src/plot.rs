//! # Plots
//! Lines and points on two axes, as a picture (SVG). Written by hand: what is needed is little, and a picture
//! is a text that a test can read. [`scale`] puts numbers on an axis, [`svg`] draws.
//!
//! A picture has its own background and colours, for light and for dark surroundings; series differ in the shape of
//! their points and in their dashes, too, so that nobody has to tell colours apart.

pub mod scale;
pub mod svg;

pub use scale::Scale;

/// A plot of series of points.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// Its title.
    pub title: String,
    /// The name and scale of the horizontal axis.
    pub x: (String, Scale),
    /// The name and scale of the vertical axis.
    pub y: (String, Scale),
    /// The series of points to draw.
    pub series: Vec<Series>,
    /// If both axes are the same, with a line where both numbers are: what the line means.
    pub diagonal: Option<String>,
}

/// Points with a name of their own.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The coordinates of the points.
    pub points: Vec<(f64, f64)>,
    /// The style in which they are drawn.
    pub mark: Mark,
}

/// The style in which points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A mark at each point.
    Points,
    /// A line through the points.
    Line,
    /// A line with a mark at each point.
    LineAndPoints,
}

/// The counts within a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The bound.
    pub bound: u64,
    /// How many states, if that is known.
    pub states: Option<u64>,
    /// How many visible states.
    pub visible: Option<u64>,
    /// How many of these need the bound.
    pub new_visible: Option<u64>,
}

/// A picture of what is reached bound by bound, if anything is known of it. Numbers that differ much are drawn on a logarithmic
/// axis, on which what is zero has no place.
#[must_use]
pub fn observations(title: String, bound: String, rows: &[Counted]) -> Option<Plot> {
    let line = |name: &str, of: fn(&Counted) -> Option<u64>| Series {
        name: name.to_owned(),
        points: (rows.iter())
            .filter_map(|seen| Some((seen.bound as f64, of(seen)? as f64)))
            .collect(),
        mark: Mark::LineAndPoints,
    };
    let most = rows.iter().filter_map(|seen| seen.states.max(seen.visible)).max();
    let scale = if most > Some(MANY_TIMES) { Scale::Log } else { Scale::Count };
    Plot {
        title,
        x: (bound, Scale::Count),
        y: ("reached within the bound".to_owned(), scale),
        series: vec![
            line("states", |seen| seen.states),
            line("visible states", |seen| seen.visible),
            line("new visible states", |seen| seen.new_visible),
        ],
        diagonal: None,
    }
    .some()
}

/// Beyond this many states, one state more cannot be seen on an axis that grows by the same amount.
const MANY_TIMES: u64 = 200;

impl Plot {
    /// The picture, if there is anything to see. Points that have no place are left out: on a
    /// logarithmic axis those that are not positive, and what is no number.
    #[must_use]
    pub fn some(mut self) -> Option<Self> {
        let (x, y) = (self.x.1, self.y.1);
        for series in &mut self.series {
            series.points.retain(|point| x.has(point.0) && y.has(point.1));
        }
        self.series.retain(|series| !series.points.is_empty());
        (!self.series.is_empty()).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_have_an_axis_with_zero() {
        let row = |bound, visible| Counted {
            bound,
            states: None,
            visible: Some(visible),
            new_visible: Some(0),
        };
        let drawn = |rows: &[Counted]| observations("t".to_owned(), "contexts".to_owned(), rows);
        let small = drawn(&[row(0, 1), row(1, 1)]).expect("two lines");
        let names: Vec<_> = small.series.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(
            (small.y.1, names),
            (Scale::Count, vec!["visible states", "new visible states"])
        );
        let large = drawn(&[row(0, 1), row(1, 10_000)]).expect("a line");
        assert_eq!((large.y.1, large.series.len()), (Scale::Log, 1));
        assert_eq!(drawn(&[]), None);
    }
}
