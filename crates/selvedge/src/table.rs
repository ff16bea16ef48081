//! Observation tables.

use selvedge_analysis::engine::Table;
use selvedge_analysis::engine::grid::Grid;
use selvedge_report::grid::GridReport;
use selvedge_report::table::TableReport;

use crate::options::Cost;
use selvedge_check::Opened;

/// Longer lists of states are shown only to who asks for all of them.
pub const SHORT_LIST: usize = 30;

/// An observation table, with the system that it is about.
pub struct Observed {
    /// The system that was explored.
    pub opened: Opened,
    /// The table.
    pub table: Table,
    /// The time and memory that it took.
    pub cost: Cost,
}

impl Observed {
    /// The table for people and for other programs.
    #[must_use]
    pub fn report(&self) -> TableReport<'_> {
        TableReport {
            file: self.opened.source.name(),
            system: &*self.opened.system,
            table: &self.table,
            time: self.cost.time,
            peak_memory: self.cost.peak_memory,
        }
    }
}

/// The counts within each number of rounds and delays, with the system that they are about.
pub struct Gridded {
    /// The system that was explored.
    pub opened: Opened,
    /// What was observed, as the options said it.
    pub observe: Option<String>,
    /// The numbers.
    pub grid: Grid,
    /// The time and memory that it took.
    pub cost: Cost,
}

impl Gridded {
    /// The grid for people and for other programs.
    #[must_use]
    pub fn report(&self) -> GridReport<'_> {
        GridReport {
            file: self.opened.source.name(),
            observe: self.observe.as_deref(),
            grid: &self.grid,
            time: self.cost.time,
            peak_memory: self.cost.peak_memory,
        }
    }
}
