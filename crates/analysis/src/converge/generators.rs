//! # Generator test
//!
//! **Question.** The visible states stopped growing at bound k. Can growth resume?
//!
//! **Idea.** Growth after a plateau must first show a state uncovered by a pop: a *generator*. If no
//! possibly reachable generator is unseen, nothing can restart it.
//!
//! **Claim** [Liu, Wahl 2018, Thm. 11]. If T(R_{k-1}) = T(R_k) and G ∩ Z ⊆ T(R_k), the sequence has
//! collapsed. Then T(R) = Z, with a plateau or without: what a push or a rewrite leads to depends on the
//! visible state alone, and what a pop leads to in Z is in G. So the test proves no more than Z does,
//! and Z is the certificate.
//!
//! The paper lets stacks begin with one symbol. Where they are higher, what lies below the top at the
//! start may be uncovered, too, and belongs to the symbols that emerge.
//!
//! **Needs.** A context bound; the visible states; Z ⊇ T(R); a fixed set of threads. In a table G is
//! defined by all rules; in a program by those that Z can take, which is enough for the proof.
//!
//! **Otherwise.** Gives the unseen generators; never says that anything is unsafe.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{
    Fault, SharedId, State, SymbolId, System, Tables, TemplateId, VisibleState, Word,
};

use super::above::Above;
use crate::explore::windows::Cut;
use crate::explore::{Classes, Explorer};
use crate::{Budget, Stop};

/// The generators of a system: what a pop may uncover, by template.
#[derive(Clone, Debug)]
pub struct Generators {
    templates: Vec<TemplateId>,
    /// Shared states that a pop of the template leads to.
    popped_to: FxHashSet<(TemplateId, SharedId)>,
    /// Symbols that a push of the template leaves under the top.
    emerging: FxHashSet<(TemplateId, SymbolId)>,
}

impl Generators {
    /// The generators of a table [CUBA, Eq. 2].
    #[must_use]
    pub fn new(tables: &Tables) -> Self {
        let initial = tables.initial().unwrap_or_default();
        let mut generators = Generators::of_initial(tables, &initial);
        for template in (0..tables.template_count()).map(TemplateId::from) {
            for rule in tables.rules(template) {
                generators.add(template, rule.top, rule.to_shared, rule.word);
            }
        }
        generators
    }

    /// The generators that the rules allow which are taken in Z.
    pub fn taken_in(system: &dyn System, z: &Above<'_>) -> Result<Self, Fault> {
        let mut generators = Generators::of_initial(system, &system.initial()?);
        let windows = z.explorer().locals();
        let heads = z.explorer().reached().heads();
        let heads: FxHashSet<_> = heads
            .map(|(shared, template, local)| {
                (shared, template, windows.get(local).symbols.first().copied())
            })
            .collect();
        let mut actions = Vec::new();
        for (shared, template, top) in heads {
            actions.clear();
            system.actions(template, shared, top, &mut actions)?;
            for action in &actions {
                generators.add(template, top, action.shared, action.word);
            }
        }
        Ok(generators)
    }

    fn of_initial(system: &dyn System, initial: &[State]) -> Self {
        let threads = initial.iter().flat_map(|state| &state.threads);
        let below = threads.flat_map(|t| t.stack.iter().skip(1).map(|symbol| (t.template, symbol)));
        Generators {
            templates: system.threads().iter().map(|t| t.template).collect(),
            popped_to: FxHashSet::default(),
            emerging: below.collect(),
        }
    }

    fn add(&mut self, template: TemplateId, top: Option<SymbolId>, to: SharedId, word: Word) {
        match word {
            Word::Pop if top.is_some() => {
                self.popped_to.insert((template, to));
            }
            Word::Push { under, .. } => {
                self.emerging.insert((template, under));
            }
            _ => {}
        }
    }

    /// Whether a visible state is a generator: some thread of it may have just popped.
    #[must_use]
    pub fn contains(&self, state: &VisibleState) -> bool {
        self.templates.iter().zip(&state.tops).any(|(&template, &top)| {
            self.popped_to.contains(&(template, state.shared))
                && top.is_none_or(|symbol| self.emerging.contains(&(template, symbol)))
        })
    }

    /// The generators as patterns, sorted: the number of a thread that may have just popped, the shared
    /// state, and what is on top of its stack then. The other threads may be anywhere.
    #[must_use]
    pub fn patterns(&self) -> Vec<(usize, SharedId, Option<SymbolId>)> {
        let mut patterns = Vec::new();
        for (thread, &template) in self.templates.iter().enumerate() {
            let own = self.emerging.iter().filter(|(of, _)| *of == template);
            let tops: Vec<_> = own.map(|&(_, symbol)| Some(symbol)).chain([None]).collect();
            for &(_, shared) in self.popped_to.iter().filter(|(of, _)| *of == template) {
                patterns.extend(tops.iter().map(|&top| (thread, shared, top)));
            }
        }
        patterns.sort_unstable();
        patterns
    }

    /// The generators in Z that were not seen: the sequence has collapsed at its plateau if there
    /// are none.
    pub fn unseen<'a>(
        &'a self,
        z: impl IntoIterator<Item = VisibleState> + 'a,
        seen: &'a FxHashSet<VisibleState>,
    ) -> impl Iterator<Item = VisibleState> + 'a {
        z.into_iter().filter(|state| self.contains(state) && !seen.contains(state))
    }
}

/// G, Z and G ∩ Z, and which of G ∩ Z were seen at which bound. Of visible states that differ by a
/// permutation of interchangeable threads, one is given.
#[derive(Clone, Debug)]
pub struct GeneratorTest {
    /// The generators.
    pub generators: Generators,
    /// Z, as the paper defines it, sorted.
    pub z: Vec<VisibleState>,
    /// How many visible states Z has without symmetry reduction, if they can be counted.
    pub z_count: Option<u128>,
    /// The generators that are in Z, sorted, with the bound at which each was seen.
    pub in_z: Vec<(VisibleState, Option<usize>)>,
    classes: Classes,
    /// The place of each of them in `in_z`.
    numbers: FxHashMap<VisibleState, usize>,
    /// How many visible states there were at each bound, up to permutations.
    counts: Vec<usize>,
}

impl GeneratorTest {
    /// Finds G and Z. Nothing was seen yet.
    pub fn new(system: &dyn System, symmetry: bool, budget: &Budget) -> Result<Self, Stop> {
        let above = Above::explore(system, Cut::PUBLISHED, symmetry, budget)?;
        let generators = match system.as_tables() {
            Some(tables) => Generators::new(tables),
            None => Generators::taken_in(system, &above)?,
        };
        let classes = Classes::new(&system.initial()?, symmetry);
        let explorer = above.explorer();
        let states = (0..=explorer.bound()).flat_map(|bound| explorer.new_visible(bound));
        let mut z: Vec<_> = states.map(|state| canonical(&classes, state)).collect();
        z.sort_unstable();
        z.dedup();
        let in_z: Vec<_> = z.iter().filter(|s| generators.contains(s)).cloned().collect();
        let numbers = in_z.iter().cloned().zip(0..).collect();
        let in_z = in_z.into_iter().map(|state| (state, None)).collect();
        let z_count = above.visible();
        Ok(GeneratorTest { generators, z, z_count, in_z, classes, numbers, counts: Vec::new() })
    }

    /// Looks at what an exploration has seen at its new bounds.
    pub fn look(&mut self, explorer: &dyn Explorer) {
        for bound in self.counts.len()..=explorer.bound() {
            let new = explorer.new_visible(bound);
            let before = self.counts.last().copied().unwrap_or(0);
            self.counts.push(before + new.len());
            for state in new {
                if let Some(&number) = self.numbers.get(&canonical(&self.classes, state)) {
                    self.in_z[number].1.get_or_insert(bound);
                }
            }
        }
    }

    /// The generators that may be reached and were not within a bound that was looked at.
    pub fn unseen(&self, bound: usize) -> impl Iterator<Item = &VisibleState> {
        let is_unseen = move |&&(_, seen): &&(_, Option<usize>)| seen.is_none_or(|at| at > bound);
        self.in_z.iter().filter(is_unseen).map(|(state, _)| state)
    }

    /// Whether a plateau begins at the bound before this one: nothing is new here, and something was
    /// there.
    #[must_use]
    pub fn is_new_plateau(&self, bound: usize) -> bool {
        let count = |bound: usize| self.counts.get(bound).copied();
        let before = bound.checked_sub(1).and_then(count);
        let earlier = bound.checked_sub(2).map_or(Some(0), count);
        before.is_some() && before == count(bound) && earlier < before
    }

    /// Whether Alg. 3 ends at this bound: a plateau is new, and every generator that may be reached was
    /// seen.
    #[must_use]
    pub fn passes(&self, bound: usize) -> bool {
        self.is_new_plateau(bound) && self.unseen(bound).next().is_none()
    }
}

/// Maps a visible state and its permutations of interchangeable threads to one representative.
fn canonical(classes: &Classes, mut state: VisibleState) -> VisibleState {
    if classes.are_single() {
        return state;
    }
    let of_threads = classes.of_threads();
    for (class, _) in (0..).zip(of_threads) {
        let places = || (0..state.tops.len()).filter(|&t| of_threads.get(t) == Some(&class));
        let places: Vec<usize> = places().collect();
        let mut tops: Vec<_> = places.iter().map(|&place| state.tops[place]).collect();
        tops.sort_unstable();
        for (place, top) in places.into_iter().zip(tops) {
            state.tops[place] = top;
        }
    }
    state
}
