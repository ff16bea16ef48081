//! Observation tables.

use selvedge_analysis::engine::Table;
use selvedge_report::table::TableReport;

use crate::options::Cost;
use crate::subject::Opened;

/// What is new at each bound.
pub struct Observed {
    /// What was explored.
    pub opened: Opened,
    /// The table.
    pub table: Table,
    /// What it cost.
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
