//! # Pictures
//! What is reached bound by bound, drawn as `selvedge bench` draws it.

use pyo3::prelude::*;
use selvedge_report::plot::{Counted, observations, svg};

/// A bound, how many states, how many visible ones, and how many of those are new.
type Row = (u64, Option<u64>, Option<u64>, Option<u64>);

/// A picture of what is reached within each bound, as SVG; nothing if no number is known.
#[pyfunction]
pub fn _plot(title: String, bound: String, rows: Vec<Row>) -> Option<String> {
    let counted = |(bound, states, visible, new_visible): Row| Counted {
        bound,
        states,
        visible,
        new_visible,
    };
    let rows: Vec<Counted> = rows.into_iter().map(counted).collect();
    observations(title, bound, &rows).map(|plot| svg::write(&plot))
}
