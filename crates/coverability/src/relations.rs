//! # Relations between heights and numbers of threads
//!
//! **Question.** A cut forgets how much is hidden in a stack. Which of its states are impossible because the
//! height of a stack is tied to the number of threads that are somewhere?
//!
//! **Idea.** Give each shared state, each local state and the height of the stacks of each template a weight.
//! The *value* of a state is the weight of its shared state, and for each thread that of its local state and
//! that of the height, times the height. If no step changes the value, and it is not negative at the start, it
//! never is. So a state is impossible if whoever covers it has a negative value.
//!
//! **Claim.** The weights that no step changes are the kernel of a matrix with a row for each step, like the
//! place invariants of a Petri net [Lautenbach 1975]; whether one of them excludes a given state is a
//! linear program over that kernel, and both are solved exactly. Nothing of it has to be believed:
//! `selvedge_evidence::recheck` looks at each step, and would also accept values that grow.
//!
//! **Needs.** Values that can be bounded: threads of which there is any number may only make them smaller, and
//! so may stacks in which something is hidden.

use rustc_hash::FxHashMap;
use selvedge_evidence::Relation as Written;
use selvedge_model::{SymbolId, TemplateId};

use crate::elements::Element;
use crate::linear::{Kernel, Row, add, positive};
use crate::modular::{Modular, Transition};
use crate::views::Views;

/// More shared states and local states than this are not looked at.
const MOST_COLUMNS: usize = 4_000;

/// More steps than this are not looked at.
const MOST_STEPS: usize = 200_000;

/// Laws with more than this many independent weights are not combined.
const MOST_LAWS: usize = 60;

/// More conditions than this are not solved at once.
const MOST_ROWS: usize = 2_000;

/// How many steps are looked at between two questions whether to go on.
const ASK_EVERY: usize = 1 << 8;

/// Weights such that the value of every reachable state is not negative.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    places: Vec<i64>,
    kinds: Vec<i64>,
    heights: FxHashMap<TemplateId, i64>,
    /// For each shared state: the greatest value that a thread of a limited template may have there, if
    /// there is one; nothing if other threads can make values grow.
    others: Vec<Option<FxHashMap<TemplateId, Option<i64>>>>,
}

impl Relation {
    fn new(
        modular: &Modular,
        listed: &[Vec<u32>],
        places: Vec<i64>,
        kinds: Vec<i64>,
        heights: FxHashMap<TemplateId, i64>,
    ) -> Self {
        let mut relation = Relation { places, kinds, heights, others: Vec::new() };
        let others = listed.iter().map(|kinds| {
            let mut most: FxHashMap<TemplateId, Option<i64>> = FxHashMap::default();
            for &kind in kinds {
                let (template, value) =
                    (modular.kinds.template(kind), relation.most(modular, kind));
                if modular.limits.contains_key(&template) {
                    let known = most.entry(template).or_insert(value);
                    *known = known.zip(value).map(|(a, b)| a.max(b));
                } else if value.is_none_or(|value| value > 0) {
                    return None;
                }
            }
            Some(most)
        });
        relation.others = others.collect();
        relation
    }

    /// The greatest value that a thread may add, if there is one.
    fn most(&self, modular: &Modular, kind: u32) -> Option<i64> {
        let (weight, window) =
            (self.height(modular.kinds.template(kind)), modular.kinds.window(kind));
        // Where something is hidden, the stack has one symbol more at least.
        let height = window.symbols.len() as i64 + i64::from(window.hidden);
        (weight <= 0 || !window.hidden).then(|| self.kinds[kind as usize] + weight * height)
    }

    fn height(&self, template: TemplateId) -> i64 {
        self.heights.get(&template).copied().unwrap_or(0)
    }

    /// Whether no reachable state covers this one.
    pub fn excludes(&self, modular: &Modular, place: u32, kinds: &[u32]) -> bool {
        let Some(others) = &self.others[place as usize] else { return false };
        let mut total = self.places[place as usize];
        for &kind in kinds {
            let Some(value) = self.most(modular, kind) else { return false };
            total += value;
        }
        for (template, &limit) in &modular.limits {
            let rest = i64::from(limit) - count(modular, kinds, *template);
            if rest > 0 {
                let Some(&Some(value)) = others.get(template) else { return false };
                total += rest * value;
            }
        }
        total < 0
    }

    /// The relation for a certificate that has these shared states.
    pub fn written(&self, is_listed: &dyn Fn(u32) -> bool) -> Written {
        // All weights come from numbers of 32 bits: see `Laws::exclude`.
        let narrow = |weight: &i64| i32::try_from(*weight).unwrap_or(0);
        let listed = (0..).zip(&self.places).filter(|(place, _)| is_listed(*place));
        let mut heights: Vec<(TemplateId, i32)> =
            self.heights.iter().map(|(&template, weight)| (template, narrow(weight))).collect();
        heights.sort_unstable();
        Written {
            places: listed.map(|(_, weight)| narrow(weight)).collect(),
            kinds: self.kinds.iter().map(narrow).collect(),
            heights,
        }
    }
}

/// How many of the threads are of a template.
fn count(modular: &Modular, kinds: &[u32], template: TemplateId) -> i64 {
    kinds.iter().filter(|&&kind| modular.kinds.template(kind) == template).count() as i64
}

/// All weights that no step changes.
pub(crate) struct Laws {
    templates: Vec<TemplateId>,
    /// The local states that threads may have in each shared state.
    listed: Vec<Vec<u32>>,
    /// Columns are shared states, then local states, then templates.
    basis: Vec<Row>,
}

impl Laws {
    /// Finds the laws; none if there is too much to look at.
    pub fn new<S>(
        modular: &Modular,
        views: Option<&Views>,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<Self, S> {
        let mut templates: Vec<TemplateId> =
            modular.kinds.ids().map(|kind| modular.kinds.template(kind)).collect();
        templates.sort_unstable();
        templates.dedup();
        let may_have =
            |place: u32, kind: u32| views.is_none_or(|views| views.may_have(place, kind));
        let listed = (0..).zip(&modular.places).map(|(number, place)| {
            place.kinds.iter().copied().filter(|&kind| may_have(number, kind)).collect()
        });
        let mut laws = Laws { templates, listed: listed.collect(), basis: Vec::new() };
        let columns = modular.places.len() + modular.kinds.len() + laws.templates.len();
        if columns <= MOST_COLUMNS && modular.transitions.len() <= MOST_STEPS {
            laws.basis = laws.kernel(modular, columns, &may_have, go_on)?.unwrap_or_default();
        }
        if laws.basis.len() > MOST_LAWS {
            laws.basis.clear();
        }
        Ok(laws)
    }

    fn kernel<S>(
        &self,
        modular: &Modular,
        columns: usize,
        may_have: &dyn Fn(u32, u32) -> bool,
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<Option<Vec<Row>>, S> {
        let mut kernel = Kernel::default();
        let steps = modular.transitions.iter().filter(|step| may_have(step.from, step.actor));
        for (number, step) in steps.enumerate() {
            if number % ASK_EVERY == 0 {
                go_on()?;
            }
            let drops = modular.drops_threads && step.spawn.is_some();
            let dropping = drops.then_some(Transition { spawn: None, ..*step });
            for step in [Some(*step), dropping].into_iter().flatten() {
                if kernel.require(self.change(modular, &step)).is_none() {
                    return Ok(None);
                }
            }
        }
        Ok(kernel.basis(column(columns)))
    }

    fn kind_column(&self, modular: &Modular, kind: u32) -> u32 {
        column(modular.places.len() + kind as usize)
    }

    fn height_column(&self, modular: &Modular, template: TemplateId) -> Option<u32> {
        let at = self.templates.binary_search(&template).ok()?;
        Some(column(modular.places.len() + modular.kinds.len() + at))
    }

    /// By how much a step changes the value.
    fn change(&self, modular: &Modular, step: &Transition) -> Row {
        let &Transition { from, to, actor, after, spawn, action } = step;
        let mut row = Row::new();
        add(&mut row, to, 1);
        add(&mut row, from, -1);
        add(&mut row, self.kind_column(modular, after), 1);
        add(&mut row, self.kind_column(modular, actor), -1);
        let growth = i128::from(modular.kinds.growth(actor, action.word));
        if let Some(column) = self.height_column(modular, modular.kinds.template(actor)) {
            add(&mut row, column, growth);
        }
        if let (Some(kind), Some(started)) = (spawn, action.spawn) {
            add(&mut row, self.kind_column(modular, kind), 1);
            let height = started.stack.symbols().collect::<Vec<SymbolId>>().len() as i128;
            if let Some(column) = self.height_column(modular, started.template) {
                add(&mut row, column, height);
            }
        }
        row
    }

    /// A relation that excludes an element of a run: the last that can be.
    pub fn excluding<S>(
        &self,
        modular: &Modular,
        path: &[&Element],
        go_on: &dyn Fn() -> Result<(), S>,
    ) -> Result<Option<Relation>, S> {
        for element in path.iter().rev() {
            go_on()?;
            if let Some(relation) = self.exclude(modular, element) {
                return Ok(Some(relation));
            }
        }
        Ok(None)
    }

    /// A relation that excludes an element, if there is one.
    fn exclude(&self, modular: &Modular, element: &Element) -> Option<Relation> {
        if self.basis.is_empty() {
            return None;
        }
        let mut program = Program { laws: self, modular, limits: Vec::new(), rows: Vec::new() };
        let objective = program.prepare(element)?;
        program.rows.sort_unstable();
        program.rows.dedup();
        if program.rows.len() > MOST_ROWS {
            return None;
        }
        let found = positive(&objective, &program.rows)?;
        let mut weights = Row::new();
        for (vector, &times) in self.basis.iter().zip(&found) {
            for (&column, &value) in vector.iter().filter(|_| times != 0) {
                let entry = weights.entry(column).or_insert(0);
                *entry = entry.checked_add(value.checked_mul(times)?)?;
            }
        }
        let places = column(modular.places.len());
        let weight = |column: u32| {
            let weight = weights.get(&column).copied().unwrap_or(0);
            i32::try_from(weight).map(i64::from).ok()
        };
        let kinds = modular.kinds.ids();
        let heights = self.templates.iter().filter_map(|&template| {
            let column = self.height_column(modular, template)?;
            Some(weight(column).map(|weight| (template, weight)))
        });
        let relation = Relation::new(
            modular,
            &self.listed,
            (0..places).map(weight).collect::<Option<_>>()?,
            kinds.map(|kind| weight(places + kind)).collect::<Option<_>>()?,
            heights.collect::<Option<_>>()?,
        );
        relation.excludes(modular, element.place, &element.kinds).then_some(relation)
    }
}

/// The linear program: its columns are the laws, and for each limited template of which threads are not named
/// by the element, what one of them adds at most.
struct Program<'a> {
    laws: &'a Laws,
    modular: &'a Modular,
    limits: Vec<(TemplateId, i64)>,
    rows: Vec<Vec<i128>>,
}

impl Program<'_> {
    /// Fills in the rows; what has to be positive.
    fn prepare(&mut self, element: &Element) -> Option<Vec<i128>> {
        let Modular { limits, initial, any, .. } = self.modular;
        for (&template, &limit) in limits {
            let rest = i64::from(limit) - count(self.modular, &element.kinds, template);
            if rest > 0 {
                self.limits.push((template, rest));
            }
        }
        self.limits.sort_unstable();
        let width = self.laws.basis.len() + self.limits.len();
        // At the start, values are not negative, however many threads there are.
        for (place, kinds) in initial {
            let mut row = Row::from([(*place, -1)]);
            for &kind in kinds {
                self.add_thread(&mut row, kind, -1, false)?;
            }
            self.push(&row, None, width)?;
        }
        for &kind in any {
            let mut row = Row::new();
            self.add_thread(&mut row, kind, -1, false)?;
            self.push(&row, None, width)?;
        }
        let mut value = Row::from([(element.place, -1)]);
        for &kind in &element.kinds {
            self.add_thread(&mut value, kind, -1, true)?;
            self.bound(kind, width)?;
        }
        for &kind in &self.laws.listed[element.place as usize] {
            let template = self.modular.kinds.template(kind);
            let rest = self.limits.iter().position(|(limited, _)| *limited == template);
            if limits.contains_key(&template) && rest.is_none() {
                continue;
            }
            let mut row = Row::new();
            self.add_thread(&mut row, kind, 1, true)?;
            self.push(&row, rest.map(|at| (at, -1)), width)?;
            self.bound(kind, width)?;
        }
        let mut objective = self.combined(&value, width)?;
        for (at, (_, rest)) in self.limits.iter().enumerate() {
            objective[self.laws.basis.len() + at] = -i128::from(*rest);
        }
        Some(objective)
    }

    /// Adds what a thread adds, so many times; at most, if its stack may be higher than is seen.
    fn add_thread(&self, row: &mut Row, kind: u32, times: i128, at_most: bool) -> Option<()> {
        let window = self.modular.kinds.window(kind);
        let hidden = i128::from(window.hidden);
        if window.hidden && !at_most {
            return None; // a first stack that is higher than the cut
        }
        add(row, self.laws.kind_column(self.modular, kind), times);
        let template = self.modular.kinds.template(kind);
        let height = window.symbols.len() as i128 + hidden;
        add(row, self.laws.height_column(self.modular, template)?, times * height);
        Some(())
    }

    /// Where something is hidden, higher stacks have no greater value.
    fn bound(&mut self, kind: u32, width: usize) -> Option<()> {
        if self.modular.kinds.window(kind).hidden {
            let template = self.modular.kinds.template(kind);
            let row = Row::from([(self.laws.height_column(self.modular, template)?, 1)]);
            self.push(&row, None, width)?;
        }
        Some(())
    }

    fn push(&mut self, row: &Row, extra: Option<(usize, i128)>, width: usize) -> Option<()> {
        let mut row = self.combined(row, width)?;
        if let Some((at, value)) = extra {
            row[self.laws.basis.len() + at] = value;
        }
        self.rows.push(row);
        Some(())
    }

    /// A row over weights as one over laws.
    fn combined(&self, row: &Row, width: usize) -> Option<Vec<i128>> {
        let mut combined = vec![0; width];
        for (entry, law) in combined.iter_mut().zip(&self.laws.basis) {
            for (column, &value) in row {
                let weight = law.get(column).copied().unwrap_or(0);
                *entry = i128::checked_add(*entry, value.checked_mul(weight)?)?;
            }
        }
        Some(combined)
    }
}

/// A column by number. There are no more than [`MOST_COLUMNS`], or nobody looks at them.
fn column(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
