//! # The test that led to a value that was not computed
//! Who writes a constant writes it because of what was tested before.

use super::origin::Origin;
use super::untested::is_outcome;
use super::{MOST_LOOKS, Moment, Read, Run, Where};

impl Run<'_> {
    /// The last test of a thread before it wrote a value that came from nowhere, if it read what another thread had written, or has changed since then: `, after line 3
    /// (if (!go)) found go = false since line 5 of s (go := false)`.
    pub(super) fn led_to(&mut self, written: Moment, to: Where) -> Option<String> {
        if !matches!(to, Where::Shared(_)) || !self.reads_for(to, written, true).is_empty() {
            return None;
        }
        let (them, frame) = (self.steps[written.0].thread, self.frame(written)?);
        let mut at = written;
        for _ in 0..MOST_LOOKS {
            at = self.before(at)?;
            let (_, outcome) = self.said(at)?;
            if !is_outcome(&outcome) || self.frame(at)? > frame {
                continue;
            }
            for read in self.reads(at)? {
                let Read { place: place @ Where::Shared(_), told: Some(told), .. } = &read else {
                    continue;
                };
                self.looks = 0;
                let origin = self.origin(*place, at)?;
                let here = self.moment(at, Some(them));
                if let Some((changed, value)) = self.changed(&read, at, written.0) {
                    let there = self.moment(changed, None);
                    return Some(format!(
                        ", after {here} found {told}, then {value} since {there}"
                    ));
                }
                if let Origin::Written(found) = origin
                    && self.steps[found.0].thread != them
                {
                    let there = self.moment(found, None);
                    return Some(format!(", after {here} found {told} since {there}"));
                }
            }
            return None;
        }
        None
    }
}
