//! # Choices
//! A step with free choices is run once for each combination of choices: each run asks for its
//! picks in order, and the last pick that is not exhausted is advanced for the next run.

/// The picks of one run, and through [`Choices::advance`] of all runs.
#[derive(Default)]
pub struct Choices {
    /// Each pick with the number of possibilities it had.
    picks: Vec<(usize, usize)>,
    /// How many picks this run has asked for.
    asked: usize,
}

impl Choices {
    /// One of `0..count`. `count` must not be 0 and must be the same whenever the picks before it
    /// were the same.
    pub fn pick(&mut self, count: usize) -> usize {
        if self.asked == self.picks.len() {
            self.picks.push((0, count));
        }
        self.asked += 1;
        self.picks[self.asked - 1].0
    }

    /// Goes to the next combination; false if there is none.
    pub fn advance(&mut self) -> bool {
        self.asked = 0;
        while let Some((pick, count)) = self.picks.last_mut() {
            if *pick + 1 < *count {
                *pick += 1;
                return true;
            }
            self.picks.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn all_combinations_once() {
        let mut choices = Choices::default();
        let mut seen = Vec::new();
        loop {
            let first = choices.pick(2);
            // The second choice exists only on one side.
            seen.push((first, if first == 1 { Some(choices.pick(3)) } else { None }));
            if !choices.advance() {
                break;
            }
        }
        assert_eq!(seen, [(0, None), (1, Some(0)), (1, Some(1)), (1, Some(2))]);
    }
}
