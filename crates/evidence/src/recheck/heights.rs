//! # Heights of stacks
//! What the measures of a certificate say. A measure has a *value* in a state of the system: the sum
//! of the heights of all stacks, each times the weight of the class of its thread. In a covered
//! state the value is not less than the least one that the measure has for the state of the
//! certificate.
//!
//! Numbers come from a file: weights and numbers of threads of 32 bits, least values of 64 bits and
//! sums of 128 bits. All heights that are summed up stand in memory, symbol by symbol, and so are
//! less than 2^63 together: no sum exceeds 2^126.

use super::Refusal;
use super::form::form;
use crate::{CutCertificate, CutThread, Measure};

/// The class of a thread, and the height of its stack or by how much that grows.
pub(super) type Height = (u32, i64);

/// The measures of a certificate.
pub(super) struct Heights<'a> {
    measures: &'a [Measure],
}

impl<'a> Heights<'a> {
    /// The measures, if they have a weight for each class and a value for each state.
    pub fn new(certificate: &'a CutCertificate, classes: usize) -> Result<Self, Refusal> {
        for (number, measure) in certificate.measures.iter().enumerate() {
            let (weights, states) = (measure.weights.len(), measure.least.len());
            if weights != classes || states != certificate.states.len() {
                return Err(form(format!(
                    "measure {number} has weights of {weights} classes and values of {states} \
                     states; there are {classes} and {}",
                    certificate.states.len()
                )));
            }
        }
        Ok(Heights { measures: &certificate.measures })
    }

    /// Whether stacks may have these heights in a state.
    pub fn allow(&self, state: usize, heights: &[Height]) -> bool {
        self.measures
            .iter()
            .all(|measure| least(measure, state).is_none_or(|least| least <= sum(measure, heights)))
    }

    /// Whether what is known in one state is enough for another one, if heights grow like this in
    /// between.
    pub fn carry_over(&self, state: usize, next: usize, growths: &[Height]) -> bool {
        self.measures.iter().all(|measure| {
            let before = least(measure, state).map(|least| least + sum(measure, growths));
            least(measure, next).is_none_or(|least| before.is_some_and(|before| least <= before))
        })
    }

    /// Whether no stacks with these windows are as high as they would have to be when heights have
    /// grown like this since a state.
    pub fn exclude(&self, state: usize, growths: &[Height], threads: &[(&CutThread, u32)]) -> bool {
        self.measures.iter().any(|measure| {
            let before = least(measure, state).map(|least| least + sum(measure, growths));
            before.zip(most(measure, threads)).is_some_and(|(before, most)| most < before)
        })
    }
}

fn least(measure: &Measure, state: usize) -> Option<i128> {
    measure.least[state].map(i128::from)
}

fn sum(measure: &Measure, heights: &[Height]) -> i128 {
    let value = |&(class, height): &Height| weight(measure, class) * i128::from(height);
    heights.iter().map(value).sum()
}

/// The greatest value that threads with these windows can have, if there is one.
fn most(measure: &Measure, threads: &[(&CutThread, u32)]) -> Option<i128> {
    threads.iter().try_fold(0, |total, &(thread, count)| {
        let weight = weight(measure, thread.class) * i128::from(count);
        let kept = thread.window.symbols.len() as i128;
        match (weight > 0, thread.window.hidden) {
            (true, true) => None,
            // Something is hidden: the stack has one symbol more at least.
            (_, hidden) => Some(total + weight * (kept + i128::from(hidden))),
        }
    })
}

fn weight(measure: &Measure, class: u32) -> i128 {
    i128::from(measure.weights[class as usize])
}
