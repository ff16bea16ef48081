//! What the paper prints: Table 2 (abstract states, rounds and delays at the end of the plateau) and
//! Table 3 (images before the last plateau, images on it).

/// A row of both tables.
pub struct Published {
    /// The file.
    pub name: &'static str,
    /// Column 3 of Table 2.
    pub abstract_states: &'static str,
    /// Column 7 of Table 2.
    pub bound: &'static str,
    /// Columns 3 and 4 of Table 3.
    pub images: &'static str,
}

const fn row(
    name: &'static str,
    abstract_states: &'static str,
    bound: &'static str,
    images: &'static str,
) -> Published {
    Published { name, abstract_states, bound, images }
}

/// All rows.
pub const PAPER: [Published; 21] = [
    row("bluetooth1-11", "1010", "23, 15", "4034, 1"),
    row("bluetooth1-12", "5468", "32, 29", "23441, 3"),
    row("bluetooth1-21", "18972", "33, 26", "80283, 19"),
    row("bluetooth2-11", "1018", "23, 15", "4103, 1"),
    row("bluetooth2-12", "5468", "32, 29", "23493, 3"),
    row("bluetooth2-21", "18972", "33, 26", "80714, 19"),
    row("bluetooth3-11", "1018", "23, 15", "4096, 8"),
    row("bluetooth3-12", "5468", "32, 29", "23496, 3"),
    row("bluetooth3-21", "19002", "33, 26", "80834, 19"),
    row("bluetooth3-22", "94335", "44, 40", "478426, 2"),
    row("bluetooth3-23", "460684", "56, 56", "2766625, 6"),
    row("bst-insert-11", "272", "31, 16", "780, 1"),
    row("bst-insert-21", "6644", "49, 32", "29802, 6"),
    row("bst-insert-22", "14256", "50, 38", "62190, 25"),
    row("filecrawler-12", "246", "20, 12", "1056, 4"),
    row("k-induction-11", "130", "20, 9", "5636, 974"),
    row("proc-2-22", "130", "19, 20", "2501, 1298"),
    row("stefan-2", "31", "13, 2", "367, 59"),
    row("stefan-4", "687", "32, 4", "658696, 261881"),
    row("stefan-5", "3085", "35, 5", "10299275, 16920446"),
    row("dekker-2", "1507", "37, 16", "3636, 2"),
];
