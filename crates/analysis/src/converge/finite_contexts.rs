//! # Finite context reachability
//!
//! **Question.** Does each context reach finitely many states, so that states can be explored one
//! by one?
//!
//! **Idea.** A context starts at some head. Saturate from all heads at once: if the stacks that are
//! reachable from single symbols are finitely many, no context can build infinitely many.
//!
//! **Claim** [CUBA, Thm. 17]. If post* of all heads is finite for every thread, every R_k is finite.
//!
//! **Needs.** A set of heads that contains all reachable ones. The paper takes all shared states and
//! symbols; the heads of an exploration from above do as well, and are fewer.

use selvedge_automata::{Control, Dfa, LanguageId, Languages, Psa, post_star};
use selvedge_model::{SharedId, SymbolId, System, TemplateId};

use super::above::Above;
use crate::explore::Explorer;
use crate::{Budget, Pace, Stop};

/// Whether the contexts of threads of each template reach finitely many states, for the templates
/// that occur.
pub type FiniteContexts = Vec<(TemplateId, bool)>;

/// Finds out for each template whether contexts reach finitely many states.
pub fn finite_contexts(
    system: &dyn System,
    above: &Above<'_>,
    budget: &Budget,
) -> Result<FiniteContexts, Stop> {
    let windows = above.explorer().locals();
    let mut heads: Vec<(TemplateId, SharedId, Option<SymbolId>)> = above
        .explorer()
        .reached()
        .heads()
        .map(|(shared, template, local)| {
            (template, shared, windows.get(local).symbols.first().copied())
        })
        .collect();
    heads.sort_unstable();
    heads.dedup();
    let mut result = Vec::new();
    for of_template in heads.chunk_by(|a, b| a.0 == b.0) {
        let template = of_template[0].0;
        let of_template = of_template.iter().map(|&(_, shared, top)| (shared, top));
        result.push((template, is_finite(system, template, of_template, budget)?));
    }
    Ok(result)
}

/// Whether finitely many states are reachable from these heads by a thread of the template alone.
pub fn is_finite(
    system: &dyn System,
    template: TemplateId,
    heads: impl Iterator<Item = (SharedId, Option<SymbolId>)>,
    budget: &Budget,
) -> Result<bool, Stop> {
    let (languages, found) = saturate(system, template, heads, budget)?;
    Ok(found.into_iter().all(|(_, language)| languages.get(language).is_finite()))
}

/// What the contexts of threads of one template can leave on their stacks.
#[derive(Clone, Debug)]
pub struct ContextAutomaton {
    /// The template.
    pub template: TemplateId,
    /// The stacks at each shared state in which a context can end, from one symbol or none: the pushdown
    /// store automaton of the paper, by initial state [CUBA, Fig. 4].
    pub stacks: Vec<(SharedId, Dfa)>,
}

/// What contexts can leave on the stacks of each template that has threads. In a table they begin at all
/// heads, as in the paper; in a program at those that are left from above.
pub fn context_automata(
    system: &dyn System,
    above: &Above<'_>,
    budget: &Budget,
) -> Result<Vec<ContextAutomaton>, Stop> {
    let mut templates: Vec<_> = system.threads().iter().map(|thread| thread.template).collect();
    templates.sort_unstable();
    templates.dedup();
    let windows = above.explorer().locals();
    let mut automata = Vec::new();
    for template in templates {
        let heads: Vec<(SharedId, Option<SymbolId>)> = match system.as_tables() {
            Some(tables) => {
                let symbols = (0..tables.symbol_count()).map(SymbolId::from);
                let own = symbols.filter(|&symbol| tables.template_of(symbol) == template);
                let tops: Vec<_> = own.map(Some).chain([None]).collect();
                let shared = (0..tables.shared_count()).map(SharedId::from);
                shared.flat_map(|q| tops.iter().map(move |&top| (q, top))).collect()
            }
            None => {
                let heads = above.explorer().reached().heads();
                let own = heads.filter(|&(_, of, _)| of == template);
                own.map(|(q, _, local)| (q, windows.get(local).symbols.first().copied())).collect()
            }
        };
        let (languages, found) = saturate(system, template, heads.into_iter(), budget)?;
        let stacks = found
            .into_iter()
            .map(|(control, language)| (SharedId(control.0), languages.get(language).clone()));
        let mut stacks: Vec<_> = stacks.collect();
        stacks.sort_by_key(|(shared, _)| *shared);
        automata.push(ContextAutomaton { template, stacks });
    }
    Ok(automata)
}

/// The stacks that are reachable from these heads by a thread of the template alone, by shared state.
fn saturate(
    system: &dyn System,
    template: TemplateId,
    heads: impl Iterator<Item = (SharedId, Option<SymbolId>)>,
    budget: &Budget,
) -> Result<(Languages, Vec<(Control, LanguageId)>), Stop> {
    let mut psa = Psa::default();
    for (shared, top) in heads {
        psa.add_language(Control(shared.0), &Dfa::word(top));
    }
    let mut actions = Vec::new();
    let mut pace = Pace::new(budget);
    let reachable = post_star(psa, |control, top, out| {
        actions.clear();
        system.actions(template, SharedId(control.0), top, &mut actions)?;
        out.extend(actions.iter().map(|action| (Control(action.shared.0), action.word)));
        pace.spend(1 + actions.len())
    })?;
    let mut languages = Languages::default();
    let found = reachable.languages(&mut languages)?;
    Ok((languages, found.into_iter().collect()))
}

/// Whether every template has finite contexts.
pub fn all_finite(system: &dyn System, above: &Above<'_>, budget: &Budget) -> Result<bool, Stop> {
    debug_assert!(above.explorer().has_collapsed());
    Ok(finite_contexts(system, above, budget)?.into_iter().all(|(_, finite)| finite))
}
