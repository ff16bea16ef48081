//! # Plots
//! Lines and points on two axes, as a picture (SVG). Written by hand: what is needed is little, and a picture
//! is a text that a test can read. [`scale`] puts numbers on an axis, [`svg`] draws.
//!
//! A picture has its own background and colours, for light and for dark surroundings; series differ in the shape of
//! their points and in their dashes, too, so that nobody has to tell colours apart.

pub mod scale;
pub mod svg;

pub use scale::Scale;

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// Its title.
    pub title: String,
    /// What is to the right.
    pub x: (String, Scale),
    /// What is up.
    pub y: (String, Scale),
    /// What is drawn.
    pub series: Vec<Series>,
    /// If both axes are the same, with a line where both numbers are: what the line means.
    pub diagonal: Option<String>,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub mark: Mark,
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Each one.
    Points,
    /// A line through them.
    Line,
    /// Both.
    LineAndPoints,
}

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
