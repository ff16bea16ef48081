//! Comma-separated values: the crate `csv` writes and reads them.

use csv::{ReaderBuilder, StringRecord, Terminator, WriterBuilder};

/// Writes records, the names of the columns first. Fields stand in quotes where they have to.
pub(crate) fn write<R>(records: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator,
    R::Item: AsRef<[u8]>,
{
    let mut writer = WriterBuilder::new()
        .flexible(true)
        .terminator(Terminator::Any(b'\n'))
        .from_writer(Vec::new());
    for record in records {
        // Writing to memory does not fail.
        let _ = writer.write_record(record);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Reads records, each with the line on which it begins. Empty lines are none.
pub(crate) fn read(text: &str) -> Result<Vec<(u64, StringRecord)>, String> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let record = |record: Result<StringRecord, csv::Error>| {
        let record = record.map_err(|why| why.to_string())?;
        Ok((record.position().map_or(1, csv::Position::line), record))
    };
    reader.records().map(record).collect()
}
