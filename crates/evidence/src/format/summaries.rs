//! Proofs by summaries, as they stand in a file. Slots, procedures and locations have the numbers
//! that the text of the program gives them; the digest says which text that is.

use crate::{SummaryBit, SummaryCertificate, SummaryNode, SummaryPlace, SummaryScalar};
use serde::{Deserialize, Serialize};

use super::EvidenceError;

/// A [`SummaryCertificate`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SummariesText {
    /// `shared 3 now 0`: slot, moment, bit; `local 2 1 entry 0`: procedure, slot, moment, bit;
    /// `result 2 0 now 1`.
    variables: Vec<String>,
    /// A variable, the diagram for false, and that for true.
    nodes: Vec<(u32, u32, u32)>,
    /// A location and a diagram.
    thread: Vec<(u32, u32)>,
    procedures: Vec<(u32, u32)>,
}

impl SummariesText {
    pub fn new(certificate: &SummaryCertificate) -> Self {
        let place = |place: &SummaryPlace| (place.location, place.diagram);
        let node = |node: &SummaryNode| (node.variable, node.low, node.high);
        SummariesText {
            variables: certificate.variables.iter().map(write).collect(),
            nodes: certificate.nodes.iter().map(node).collect(),
            thread: certificate.thread.iter().map(place).collect(),
            procedures: certificate.procedures.iter().map(place).collect(),
        }
    }

    pub fn read(&self) -> Result<SummaryCertificate, EvidenceError> {
        let variable = |text: &String| {
            read(text).ok_or_else(|| EvidenceError::new(format!("`{text}` is no variable")))
        };
        let place = |&(location, diagram): &(u32, u32)| SummaryPlace { location, diagram };
        let node = |&(variable, low, high): &(u32, u32, u32)| SummaryNode { variable, low, high };
        Ok(SummaryCertificate {
            variables: self.variables.iter().map(variable).collect::<Result<_, _>>()?,
            nodes: self.nodes.iter().map(node).collect(),
            thread: self.thread.iter().map(place).collect(),
            procedures: self.procedures.iter().map(place).collect(),
        })
    }
}

fn write(&SummaryBit { scalar, entry, bit }: &SummaryBit) -> String {
    let moment = if entry { "entry" } else { "now" };
    match scalar {
        SummaryScalar::Shared(slot) => format!("shared {slot} {moment} {bit}"),
        SummaryScalar::Local(proc, slot) => format!("local {proc} {slot} {moment} {bit}"),
        SummaryScalar::Result(proc, slot) => format!("result {proc} {slot} {moment} {bit}"),
    }
}

fn read(text: &str) -> Option<SummaryBit> {
    let mut words = text.split(' ');
    let kind = words.next()?;
    let number = |words: &mut std::str::Split<'_, char>| words.next()?.parse::<u32>().ok();
    let scalar = match kind {
        "shared" => SummaryScalar::Shared(number(&mut words)?),
        "local" => SummaryScalar::Local(number(&mut words)?, number(&mut words)?),
        "result" => SummaryScalar::Result(number(&mut words)?, number(&mut words)?),
        _ => return None,
    };
    let entry = match words.next()? {
        "entry" => true,
        "now" => false,
        _ => return None,
    };
    let bit = number(&mut words)?;
    words.next().is_none().then_some(SummaryBit { scalar, entry, bit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_as_they_were_written() {
        let scalars =
            [SummaryScalar::Shared(3), SummaryScalar::Local(2, 1), SummaryScalar::Result(0, 7)];
        for scalar in scalars {
            for entry in [false, true] {
                let bit = SummaryBit { scalar, entry, bit: 5 };
                assert_eq!(read(&write(&bit)), Some(bit));
            }
        }
        for wrong in [
            "",
            "shared",
            "shared 1 now",
            "shared 1 then 0",
            "local 1 now 0",
            "shared -1 now 0",
            "shared 1 now 0 0",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
