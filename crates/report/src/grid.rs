//! # Rounds by delays
//! How many abstract states R(r, d) has [Johnson, Wahl 2021, Table 1], and how many images it takes [Table
//! 3], as text, Markdown, CSV and JSON.

use std::time::Duration;

use selvedge_analysis::Bound as Within;
use selvedge_analysis::engine::grid::{Cell, Grid};
use serde::Serialize;

use crate::amount::{bytes, number, seconds};
use crate::answer::layout;
use crate::json::{self, Bound, VERSION};
use crate::lines;
use crate::style::{Paint, Role};

/// A grid and what it is about.
#[derive(Clone, Copy)]
pub struct GridReport<'a> {
    /// The file.
    pub file: &'a str,
    /// What is observed of a state; visible states if nothing is said.
    pub observe: Option<&'a str>,
    /// The numbers.
    pub grid: &'a Grid,
    /// How long it took.
    pub time: Duration,
    /// The largest amount of memory that was in use.
    pub peak_memory: u64,
}

impl GridReport<'_> {
    /// The grid for people. Cells on the way of Alg. 1 are in brackets.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let mut rows = vec![self.titles()];
        rows.extend((0..=self.grid.rounds).map(|rounds| self.row(rounds)));
        let columns = rows[0].len();
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (index, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            let line = line.trim_end();
            let shown = if index == 0 { paint.paint(Role::Heading, line) } else { line.to_owned() };
            text += &format!("{shown}\n");
        }
        let mut details = self.conclusion();
        let effort = format!("{}, {} at the peak", seconds(self.time), bytes(self.peak_memory));
        details.push(("effort", effort));
        text + "\n" + &layout(&details, paint)
    }

    /// The grid in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let titles = self.titles();
        let mut text = format!("| {} |\n", titles.join(" | "));
        text += &format!("|{}\n", " ---: |".repeat(titles.len()));
        for rounds in 0..=self.grid.rounds {
            text += &format!("| {} |\n", self.row(rounds).join(" | "));
        }
        for (label, words) in self.conclusion() {
            text += &format!("\n*{label}*: {words}\n");
        }
        text
    }

    /// The cells as comma-separated values.
    #[must_use]
    pub fn csv(&self) -> String {
        let names = ["rounds", "delays", "states", "observed", "images", "path"];
        let known = |n: Option<u128>| n.map_or(String::new(), |n| n.to_string());
        let row = |(rounds, delays, cell): (usize, usize, &Cell)| {
            let is_on_path = self.grid.path.cells.contains(&(rounds, delays));
            let (states, observed) = (known(cell.states), known(cell.observed));
            let numbers = [rounds.to_string(), delays.to_string(), states, observed];
            numbers.into_iter().chain([cell.images.to_string(), is_on_path.to_string()]).collect()
        };
        let names: Vec<String> = names.map(str::to_owned).to_vec();
        lines::write(std::iter::once(names).chain(self.cells().map(row)))
    }

    /// The grid as an object.
    #[must_use]
    pub fn json(&self) -> JsonGrid {
        let path = &self.grid.path;
        let cell = |(rounds, delays, cell): (usize, usize, &Cell)| JsonCell {
            bound: Within::round_robin(rounds, delays).into(),
            states: json::small(cell.states),
            observed: json::small(cell.observed),
            images: cell.images,
        };
        JsonGrid {
            selvedge: VERSION,
            file: self.file.to_owned(),
            engine: "delays",
            observe: self.observe.map(str::to_owned),
            cells: self.cells().map(cell).collect(),
            path: JsonPath {
                bounds: (path.cells.iter())
                    .map(|&(rounds, delays)| Within::round_robin(rounds, delays).into())
                    .collect(),
                plateau: path.ends_in_plateau,
                images_before_plateau: path.images_before,
                images_with_frontier: path.images,
                images_without_frontier: path.images_from_start,
            },
            reason: self.grid.stop.as_ref().map(ToString::to_string),
            time_s: self.time.as_secs_f64(),
            peak_memory_bytes: self.peak_memory,
        }
    }

    fn titles(&self) -> Vec<String> {
        let delays = (0..=self.grid.delays).map(|delays| format!("d = {delays}"));
        ["rounds".to_owned()].into_iter().chain(delays).collect()
    }

    fn row(&self, rounds: usize) -> Vec<String> {
        let cell = |delays: usize| match self.grid.cell(rounds, delays) {
            None => "?".to_owned(),
            Some(cell) if self.grid.path.cells.contains(&(rounds, delays)) => {
                format!("[{}]", number(cell.observed))
            }
            Some(cell) => number(cell.observed),
        };
        let cells = (0..=self.grid.delays).map(cell);
        [format!("r = {rounds}")].into_iter().chain(cells).collect()
    }

    /// The cells that were completed, by rounds.
    fn cells(&self) -> impl Iterator<Item = (usize, usize, &Cell)> {
        (0..=self.grid.rounds).flat_map(move |rounds| {
            (0..=self.grid.delays)
                .filter_map(move |delays| Some((rounds, delays, self.grid.cell(rounds, delays)?)))
        })
    }

    fn conclusion(&self) -> Vec<(&'static str, String)> {
        let path = &self.grid.path;
        let mut details = Vec::new();
        let what = match self.observe {
            None => "visible states of R(r, d)".to_owned(),
            Some(observe) => {
                format!("abstract states of R(r, d), as --observe {observe} sees them")
            }
        };
        details.push(("numbers", what));
        if let Some(stop) = &self.grid.stop {
            details.push(("unknown", format!("{stop}; cells with ? were not completed")));
        }
        if let Some(&(rounds, delays)) = path.cells.last() {
            let end = Within::round_robin(rounds, delays);
            details.push((
                "path",
                match path.ends_in_plateau {
                    true => format!("in brackets, that of Alg. 1: a plateau ends at {end}"),
                    false => format!("in brackets, that of Alg. 1: it leaves the grid after {end}"),
                },
            ));
            let before = match path.ends_in_plateau {
                true => format!(", {} of them before its plateau", path.images_before),
                false => String::new(),
            };
            details.push((
                "images",
                format!(
                    "{} along the path with frontiers{before}; {} without",
                    path.images, path.images_from_start
                ),
            ));
        }
        details
    }
}

/// A grid of rounds and delays.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JsonGrid {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file.
    pub file: String,
    /// Which engine explored.
    pub engine: &'static str,
    /// What is observed; visible states if nothing is said.
    pub observe: Option<String>,
    /// The cells that were completed, by rounds and then by delays.
    pub cells: Vec<JsonCell>,
    /// The way of Alg. 1 through them.
    pub path: JsonPath,
    /// Why cells are missing.
    pub reason: Option<String>,
    /// Wall-clock time, in seconds.
    pub time_s: f64,
    /// The largest amount of memory that was in use.
    pub peak_memory_bytes: u64,
}

/// The counts of R(r, d).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonCell {
    /// The rounds and delays.
    pub bound: Bound,
    /// How many states.
    pub states: Option<u64>,
    /// How many abstract states.
    pub observed: Option<u64>,
    /// How many images it takes from the initial states.
    pub images: u64,
}

/// The way of Alg. 1.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonPath {
    /// Its cells.
    pub bounds: Vec<Bound>,
    /// Whether it ends with a plateau in rounds and delays.
    pub plateau: bool,
    /// Images before that plateau, following frontiers.
    pub images_before_plateau: u64,
    /// All images, following frontiers.
    pub images_with_frontier: u64,
    /// All images if each cell begins at the initial states.
    pub images_without_frontier: u64,
}
