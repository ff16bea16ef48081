//! # Generator test
//!
//! **Question.** The visible states stopped growing at bound k. Can growth resume?
//!
//! **Idea.** Growth after a plateau must first show a state uncovered by a pop: a *generator*. If no
//! possibly reachable generator is unseen, nothing can restart it.
//!
//! **Claim** [Liu, Wahl 2018, Thm. 11]. If T(R_{k-1}) = T(R_k) and G ∩ Z ⊆ T(R_k), the sequence has
//! collapsed.
//!
//! **Needs.** A context bound; the visible states; Z ⊇ T(R); tables, since G is defined by all rules.
//!
//! **Otherwise.** Gives the unseen generators; never says that anything is unsafe.

use rustc_hash::FxHashSet;
use selvedge_model::{SharedId, SymbolId, System, Tables, TemplateId, VisibleState, Word};

/// The generators of a table: what a pop may uncover, by template.
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
        let mut generators = Generators {
            templates: tables.threads().iter().map(|t| t.template).collect(),
            popped_to: FxHashSet::default(),
            emerging: FxHashSet::default(),
        };
        for template in (0..tables.template_count()).map(TemplateId::from) {
            for rule in tables.rules(template) {
                match rule.word {
                    Word::Pop if rule.top.is_some() => {
                        generators.popped_to.insert((template, rule.to_shared));
                    }
                    Word::Push { under, .. } => {
                        generators.emerging.insert((template, under));
                    }
                    _ => {}
                }
            }
        }
        generators
    }

    /// Whether a visible state is a generator: some thread of it may have just popped.
    #[must_use]
    pub fn contains(&self, state: &VisibleState) -> bool {
        self.templates.iter().zip(&state.tops).any(|(&template, &top)| {
            self.popped_to.contains(&(template, state.shared))
                && top.is_none_or(|symbol| self.emerging.contains(&(template, symbol)))
        })
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
