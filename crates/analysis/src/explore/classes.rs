//! # Interchangeable threads
//!
//! Threads with the same template and the same stack at the start form a *class*. Permuting the
//! threads of a class permutes executions, so a state needs to say only how many threads of a
//! class have which local. A state that stands for its permutations is counted as many times as it
//! has them: reported numbers are those without the reduction.

use rustc_hash::FxHashMap;
use selvedge_model::{State, TemplateId, Thread};

/// The classes of the threads of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classes {
    /// The class of each thread of the initial states.
    of_thread: Vec<u32>,
    /// The template of each class.
    templates: Vec<TemplateId>,
}

impl Classes {
    /// The classes of the threads of these initial states; each thread is its own class if
    /// `symmetry` is not wanted.
    #[must_use]
    pub fn new(initial: &[State], symmetry: bool) -> Self {
        let threads = initial.first().map_or(0, |state| state.threads.len());
        let mut classes = Classes { of_thread: Vec::new(), templates: Vec::new() };
        // How a thread begins, in each initial state, and the class of those that begin so.
        let mut known: FxHashMap<Vec<&Thread>, _> = FxHashMap::default();
        for thread in 0..threads {
            let begins: Vec<&Thread> = initial.iter().map(|s| &s.threads[thread]).collect();
            let earlier = known.get(&begins).copied().filter(|_| symmetry);
            let class = earlier.unwrap_or_else(|| {
                classes.templates.push(initial[0].threads[thread].template);
                class(classes.templates.len() - 1)
            });
            known.entry(begins).or_insert(class);
            classes.of_thread.push(class);
        }
        classes
    }

    /// The class of a thread of the initial states.
    #[must_use]
    pub fn of_thread(&self, thread: usize) -> u32 {
        self.of_thread[thread]
    }

    /// The class of each thread of the initial states.
    #[must_use]
    pub fn of_threads(&self) -> &[u32] {
        &self.of_thread
    }

    /// The template of a class.
    #[must_use]
    pub fn template(&self, class: u32) -> TemplateId {
        self.templates[class as usize]
    }

    /// Whether every class has one thread only, so that nothing is interchangeable. Of those that are started there may be several.
    #[must_use]
    pub fn are_single(&self) -> bool {
        let own = self.own();
        own == self.of_thread.len() && own == self.templates.len()
    }

    /// Whether threads of a class are started later.
    #[must_use]
    pub fn is_started(&self, class: u32) -> bool {
        class as usize >= self.own()
    }

    /// How many classes the threads of the initial states have.
    fn own(&self) -> usize {
        self.of_thread.iter().copied().max().map_or(0, |c| c as usize + 1)
    }

    /// The templates of the classes of threads that are started later.
    #[must_use]
    pub fn started(&self) -> &[TemplateId] {
        &self.templates[self.own()..]
    }

    /// The class of threads that are started later: one for each template.
    pub fn of_started(&mut self, template: TemplateId) -> u32 {
        let later = self.own()..self.templates.len();
        match later.into_iter().find(|&known| self.templates[known] == template) {
            Some(known) => class(known),
            None => {
                self.templates.push(template);
                class(self.templates.len() - 1)
            }
        }
    }
}

/// The class of a number. Threads and templates have 32-bit numbers in the model, and each class has
/// a thread or a template of its own, half of them at most: no class has this number twice.
fn class(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
impl Classes {
    /// Classes of `threads` threads that are all alike.
    pub(super) fn all_alike(threads: usize) -> Self {
        Self::of_sizes(&[threads])
    }

    /// Classes of these sizes, whose threads take turns.
    pub(super) fn of_sizes(sizes: &[usize]) -> Self {
        let most = sizes.iter().copied().max().unwrap_or(0);
        let turn =
            |turn: usize| (0..sizes.len()).filter(move |&class| turn < sizes[class]).map(class);
        let of_thread = (0..most).flat_map(turn).collect();
        Classes { of_thread, templates: sizes.iter().map(|_| TemplateId(0)).collect() }
    }
}

/// How many lists of threads have these numbers of threads of a kind, given as class and number:
/// within a class the multinomial coefficient of the numbers. `None` when it does not fit.
pub(super) fn arrangements(kinds: impl Iterator<Item = (u32, u32)>) -> Option<u128> {
    let mut placed: Vec<(u32, u128)> = Vec::new();
    let mut result: u128 = 1;
    for (class, count) in kinds {
        let at = placed.iter().position(|&(c, _)| c == class).unwrap_or_else(|| {
            placed.push((class, 0));
            placed.len() - 1
        });
        // C(placed + count, count), one factor at a time so that it stays exact.
        for i in 1..=u128::from(count) {
            result = result.checked_mul(placed[at].1 + i)? / i;
        }
        placed[at].1 += u128::from(count);
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use selvedge_model::TemplateId;

    use super::{Classes, arrangements};

    /// Two alike and a class of started ones are two classes, as two that differ are.
    #[test]
    fn threads_that_are_started_are_not_single() {
        let mut classes = Classes::of_sizes(&[2]);
        assert!(!classes.are_single());
        classes.of_started(TemplateId(1));
        assert!(!classes.are_single());
        let mut classes = Classes::of_sizes(&[1, 1]);
        assert!(classes.are_single());
        classes.of_started(TemplateId(1));
        assert!(!classes.are_single());
    }

    #[test]
    fn multinomials() {
        let of_one_class = |counts: &[u32]| arrangements(counts.iter().map(|&n| (0, n)));
        assert_eq!(of_one_class(&[]), Some(1));
        assert_eq!(of_one_class(&[3]), Some(1));
        assert_eq!(of_one_class(&[1, 1, 1]), Some(6));
        assert_eq!(of_one_class(&[2, 1, 3]), Some(60));
        // C(32, 16) · C(48, 16) · C(64, 16)
        let product = 601_080_390u128 * 2_254_848_913_647 * 488_526_937_079_580;
        assert_eq!(of_one_class(&[16, 16, 16, 16]), Some(product));
        assert_eq!(arrangements([(0, 1), (1, 2), (0, 1), (1, 1)].into_iter()), Some(6));
    }
}
