//! The rate of a growing number during the last second.

use std::time::Duration;

/// The time over which the rate is taken.
const LATELY: Duration = Duration::from_secs(1);

/// Numbers that grow, and when they were told.
#[derive(Default)]
pub struct Rate {
    told: Vec<(Duration, u64)>,
}

impl Rate {
    /// Notes a number, and says how many a second there were over the last second; if nothing was told for longer, since then.
    pub fn tell(&mut self, now: Duration, number: u64) -> f64 {
        // Another engine has begun to count.
        if self.told.last().is_some_and(|(_, last)| *last > number) {
            self.told.clear();
        }
        if self.told.is_empty() {
            self.told.push((Duration::ZERO, 0));
        }
        let older = self.told.iter().rposition(|(time, _)| *time + LATELY <= now).unwrap_or(0);
        self.told.drain(..older);
        let (since, before) = self.told.first().copied().unwrap_or_default();
        self.told.push((now, number));
        (number - before) as f64 / now.saturating_sub(since).as_secs_f64().max(1e-3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_second_counts() {
        let mut rate = Rate::default();
        let mut at = |millis, number| rate.tell(Duration::from_millis(millis), number).round();
        assert_eq!(at(500, 1000), 2000.0, "from the start");
        assert_eq!(at(1000, 1100), 1100.0);
        assert_eq!(at(1500, 1200), 200.0, "the fast beginning is over");
        assert_eq!(at(2000, 1300), 200.0);
        assert_eq!(at(9500, 2050), 100.0, "nothing was told for long");
        assert_eq!(at(9600, 96), 10.0, "another engine counts from its start");
    }
}
