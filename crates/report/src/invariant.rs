//! # Invariants for people
//! The states of a certificate, summed up. For a program: line by line, the values that the
//! variables have whenever a thread stands there. For a table: for each shared state, what is on
//! top of the stacks. Which values go together is not shown; the certificate has that.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_evidence::{CountedState, Evidence};
use selvedge_model::{Datum, PlaceId, SharedId, SymbolId, System, TemplateId, Values};
use selvedge_program::Program;

use crate::page::InvariantPlace;
use crate::riding;
use crate::style::{Paint, Role};

/// More values than this are only counted.
const MOST_VALUES: usize = 8;

/// A short text about a certificate; empty for a violation.
#[must_use]
pub fn text(system: &dyn System, evidence: &Evidence, paint: Paint) -> String {
    let seen = seen(system, evidence);
    if has_lines(system, &seen.heads) {
        by_line(system, &seen, paint)
    } else {
        by_shared(system, &seen.heads, paint)
    }
}

/// What a certificate restricts, place by place; nothing where there are more places than this. A variable that may have every value of
/// its type says nothing, and what is the same everywhere is said once.
#[must_use]
pub fn places(
    system: &dyn System,
    program: Option<&Program>,
    evidence: &Evidence,
    most: usize,
) -> Option<Vec<InvariantPlace>> {
    let seen = seen(system, evidence);
    let places = if has_lines(system, &seen.heads) {
        let sizes = program.map(sizes).unwrap_or_default();
        let values = values(system, &seen);
        let everywhere = everywhere(&values);
        let facts = |variables: &Variables| {
            variables.iter().flat_map(|(name, all)| restricted(name, all, &sizes)).collect()
        };
        let first = InvariantPlace {
            thread: "all".to_owned(),
            place: "everywhere".to_owned(),
            line: None,
            facts: facts(&everywhere),
        };
        let place = |((template, line), mut variables): (Place, Variables)| {
            variables.retain(|told| !everywhere.contains(told));
            InvariantPlace {
                thread: system.describe().template_name(template),
                place: place_text(line),
                line: Some(line).filter(|&line| line != ENDED),
                facts: facts(&variables),
            }
        };
        let places = [first].into_iter().chain(values.into_iter().map(place));
        places.filter(|place| !place.facts.is_empty()).collect()
    } else {
        let mut tops: BTreeMap<(SharedId, TemplateId), Vec<String>> = BTreeMap::new();
        for &(shared, template, top) in &seen.heads {
            let top = top.map_or("-".to_owned(), |symbol| system.describe().show_symbol(symbol));
            tops.entry((shared, template)).or_default().push(top);
        }
        let place =
            |((shared, template), tops): ((SharedId, TemplateId), Vec<String>)| InvariantPlace {
                thread: system.describe().template_name(template),
                place: format!("shared state {}", system.describe().show_shared(shared)),
                line: None,
                facts: vec![format!("top of the stack: {}", tops.join(", "))],
            };
        tops.into_iter().map(place).collect()
    };
    Some(places).filter(|places: &Vec<_>| places.len() <= most)
}

/// All values of the variables that are told at every place: a place where they have all of these says nothing of its own.
fn everywhere(values: &BTreeMap<Place, Variables>) -> Variables {
    let mut all: BTreeMap<&str, (usize, BTreeSet<Datum>)> = BTreeMap::new();
    for (name, values) in values.values().flatten() {
        let (places, known) = all.entry(name).or_default();
        *places += 1;
        known.extend(values.iter().cloned());
    }
    // One place is not everywhere.
    let is_everywhere = |places: usize| places > 1 && places == values.len();
    let told = all.into_iter().filter(|(_, (places, _))| is_everywhere(*places));
    told.map(|(name, (_, values))| (name.to_owned(), values)).collect()
}

/// The number of values of a variable and of each scalar in it; `None` for types with too many.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Size {
    whole: Option<usize>,
    scalar: Option<usize>,
}

/// How many values each variable may have, by its name; nothing is known where variables of one name differ.
fn sizes(program: &Program) -> BTreeMap<&str, Size> {
    let mut sizes: BTreeMap<&str, Size> = BTreeMap::new();
    let locals = program.procs.iter().flat_map(|proc| &proc.locals);
    for variable in program.globals.iter().chain(locals) {
        let size = Size {
            whole: program.count_of_values(&variable.ty),
            scalar: program.count_of_values(variable.ty.scalar()),
        };
        let known = sizes.entry(&variable.name).or_insert(size);
        if *known != size {
            *known = Size::default();
        }
    }
    sizes
}

/// What the values of a variable say: nothing if there are all of its type. An array with many values says what it does of its elements, or how
/// many values there are.
fn restricted(name: &str, values: &BTreeSet<Datum>, sizes: &BTreeMap<&str, Size>) -> Vec<String> {
    let size = sizes.get(name).copied().unwrap_or_default();
    if !says_something(values, size.whole) {
        return Vec::new();
    }
    let is_array = values.iter().all(|value| matches!(value, Datum::List(_)));
    if !is_array || values.len() <= MOST_VALUES {
        return vec![format!("{name} {}", show(values))];
    }
    let mut elements: BTreeMap<Vec<usize>, BTreeSet<Datum>> = BTreeMap::new();
    for value in values {
        scalars(value, &mut Vec::new(), &mut elements);
    }
    let told = elements.into_iter().filter(|(_, values)| says_something(values, size.scalar));
    let told: Vec<String> = told
        .map(|(at, values)| {
            let at: String = at.iter().map(|index| format!("[{index}]")).collect();
            format!("{name}{at} {}", show(&values))
        })
        .collect();
    match (told.is_empty(), size.whole) {
        (false, _) => told,
        (true, Some(all)) => vec![format!("{name} has {} of {all} values", values.len())],
        (true, None) => vec![format!("{name} has {} values", values.len())],
    }
}

/// Whether values are fewer than all of a type.
fn says_something(values: &BTreeSet<Datum>, all: Option<usize>) -> bool {
    let both = BTreeSet::from([false.into(), true.into()]);
    !values.contains(&Datum::Any) && *values != both && all.is_none_or(|all| values.len() < all)
}

/// Collects the scalars of an array, by their indices.
fn scalars(value: &Datum, at: &mut Vec<usize>, found: &mut BTreeMap<Vec<usize>, BTreeSet<Datum>>) {
    match value {
        Datum::List(elements) => {
            for (index, element) in elements.iter().enumerate() {
                at.push(index);
                scalars(element, at, found);
                at.pop();
            }
        }
        scalar => drop(found.entry(at.clone()).or_default().insert(scalar.clone())),
    }
}

fn has_lines(system: &dyn System, heads: &BTreeSet<Head>) -> bool {
    heads.iter().any(|&(_, _, top)| line(system, top).is_some())
}

/// A shared state, with the template and the top of a thread in it.
pub(crate) type Head = (SharedId, TemplateId, Option<SymbolId>);

/// Collects the heads of a certificate, and what may be seen beside them.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) heads: BTreeSet<Head>,
    /// The values of variables while a thread holds a lock: others may see them, unless they hold it themselves.
    pub(crate) meanwhile: BTreeMap<String, BTreeSet<Datum>>,
    /// Heads of threads that have been left where they are while others went on.
    pub(crate) left: BTreeSet<Head>,
    /// The variables that no other thread changes while a thread is at a place.
    pub(crate) own: BTreeMap<PlaceId, BTreeSet<String>>,
    /// Variables of which nothing is said: which values their elements have together is not known.
    pub(crate) untold: BTreeSet<String>,
}

impl Seen {
    fn is_own(&self, system: &dyn System, top: Option<SymbolId>, name: &str) -> bool {
        let place = top.and_then(|top| system.place_of(top));
        let own = place.and_then(|place| self.own.get(&place));
        own.is_some_and(|own| has_variable(own, name))
    }
}

/// The variables that a name may be an element or a member of: `a` for `a[1]`; `q` and `q[].value` for `q[1].value`.
pub(crate) fn variables(name: &str) -> [String; 2] {
    let whole = name.split('[').next().unwrap_or(name).to_owned();
    let mut part = String::new();
    let mut inside = false;
    for c in name.chars() {
        inside &= c != ']';
        if !inside {
            part.push(c);
        }
        inside |= c == '[';
    }
    [whole, part.trim_end_matches("[]").to_owned()]
}

/// Whether a set has the variable that a name is an element or a member of.
fn has_variable(set: &BTreeSet<String>, name: &str) -> bool {
    variables(name).iter().any(|variable| set.contains(variable))
}

fn seen(system: &dyn System, evidence: &Evidence) -> Seen {
    let mut seen = Seen::default();
    let heads = &mut seen.heads;
    let mut add = |states: &[CountedState], seen: &[(TemplateId, Vec<Option<SymbolId>>)]| {
        for state in states {
            for &(kind, _) in &state.threads {
                if let Some((template, tops)) = seen.get(kind as usize) {
                    heads.extend(tops.iter().map(|&top| (state.shared, *template, top)));
                }
            }
        }
    };
    match evidence {
        Evidence::Cut(certificate) => {
            let templates = templates(system, &certificate.classes, &certificate.started);
            let kinds = certificate.kinds.iter();
            let see = |kind: &selvedge_evidence::CutThread| {
                let top = kind.window.symbols.first().copied();
                (templates[kind.class as usize], vec![top])
            };
            add(&certificate.states, &kinds.map(see).collect::<Vec<_>>());
        }
        Evidence::Aggregate(certificate) => {
            let templates = templates(system, &certificate.classes, &certificate.started);
            let kinds = certificate.kinds.iter();
            let see = |kind: &selvedge_evidence::AggregateThread| {
                let tops = certificate.languages[kind.language as usize].tops();
                (templates[kind.class as usize], tops)
            };
            add(&certificate.states, &kinds.map(see).collect::<Vec<_>>());
        }
        Evidence::Cover(certificate) => {
            for place in &certificate.places {
                let kinds = place.groups.iter().flat_map(|group| &group.kinds);
                heads.extend(kinds.filter_map(|&kind| {
                    let kind = certificate.kinds.get(kind as usize)?;
                    Some((place.shared, kind.template, kind.stack.first().copied()))
                }));
            }
        }
        Evidence::Termination(proof) => {
            for (state, _) in &proof.states {
                let threads = state.threads.iter();
                heads.extend(threads.map(|t| (state.shared, t.template, t.stack.top())));
            }
        }
        // Where threads wait, the states are not all there are.
        Evidence::Reduced(reduced) if !reduced.waiting.is_empty() => {}
        Evidence::Reduced(reduced) => {
            seen = self::seen(system, &reduced.proof);
            riding::add(system, &reduced.local, &mut seen);
        }
        Evidence::Summaries(_) | Evidence::Violation(_) | Evidence::Lasso(_) => {}
    }
    seen
}

/// The template of each class.
pub(crate) fn templates(
    system: &dyn System,
    classes: &[u32],
    started: &[TemplateId],
) -> Vec<TemplateId> {
    let mut templates = Vec::new();
    for (thread, &class) in system.threads().iter().zip(classes) {
        if class as usize == templates.len() {
            templates.push(thread.template);
        }
    }
    templates.extend(started);
    templates
}

fn line(system: &dyn System, top: Option<SymbolId>) -> Option<u32> {
    top.and_then(|symbol| system.describe().symbol_line(symbol))
}

/// Where a thread stands: its template, and the line; [`ENDED`] without one.
type Place = (TemplateId, u32);

/// The line number of ended threads: after all lines.
const ENDED: u32 = u32::MAX;

/// Variables, and the values that they have.
type Variables = Vec<(String, BTreeSet<Datum>)>;

fn values(system: &dyn System, seen: &Seen) -> BTreeMap<Place, Variables> {
    let mut places: BTreeMap<Place, Variables> = BTreeMap::new();
    // Variables that others may have changed meanwhile.
    let mut open: BTreeSet<(Place, String)> = BTreeSet::new();
    // Variables come in the order of the first head that has them all.
    let (left, others): (Vec<_>, Vec<_>) =
        seen.heads.iter().partition(|head| seen.left.contains(head));
    for head @ &(shared, template, top) in others.into_iter().chain(left) {
        let variables = places.entry((template, line(system, top).unwrap_or(ENDED))).or_default();
        let locals =
            top.map_or(Values::default(), |symbol| system.describe().symbol_values(symbol));
        let is_left = seen.left.contains(head);
        let own = |name: &String| seen.is_own(system, top, name);
        let shared = system.describe().shared_values(shared).into_iter();
        let shared = shared
            .filter(|(name, _)| !has_variable(&seen.untold, name) && (!is_left || !own(name)));
        let shared = shared.collect::<Vec<_>>();
        let place = (template, line(system, top).unwrap_or(ENDED));
        let changed = seen.meanwhile.keys().filter(|name| !own(name));
        open.extend(changed.map(|name| (place, name.clone())));
        for (name, value) in shared.into_iter().chain(locals) {
            let at = variables.iter().position(|(n, _)| *n == name).unwrap_or_else(|| {
                variables.push((name, BTreeSet::new()));
                variables.len() - 1
            });
            variables[at].1.insert(value);
        }
    }
    for (place, variables) in &mut places {
        for (name, values) in variables {
            let meanwhile = seen.meanwhile.get(name).into_iter().flatten();
            let is_open = open.contains(&(*place, name.clone()));
            values.extend(meanwhile.filter(|_| is_open).cloned());
        }
    }
    places
}

fn place_text(line: u32) -> String {
    if line == ENDED { "ended".to_owned() } else { format!("line {line}") }
}

fn facts(variables: &Variables) -> Vec<String> {
    variables.iter().map(|(name, values)| format!("{name} {}", show(values))).collect()
}

fn by_line(system: &dyn System, seen: &Seen, paint: Paint) -> String {
    let mut text = String::new();
    let mut last = None;
    for ((template, line), variables) in values(system, seen) {
        if last != Some(template) {
            let heading = system.describe().template_name(template);
            text += &format!("{}\n", paint.paint(Role::Heading, &heading));
            last = Some(template);
        }
        text += &format!("  {:<10}{}\n", place_text(line), facts(&variables).join(", "));
    }
    text
}

fn by_shared(system: &dyn System, heads: &BTreeSet<Head>, paint: Paint) -> String {
    let mut text = String::new();
    let mut last: Option<(SharedId, TemplateId)> = None;
    for &(shared, template, top) in heads {
        if last.map(|(shared, _)| shared) != Some(shared) {
            let separator = if text.is_empty() { "" } else { "\n" };
            let heading = format!("shared state {}", system.describe().show_shared(shared));
            text += &format!("{separator}{}", paint.paint(Role::Heading, &heading));
        }
        if last != Some((shared, template)) {
            text += &format!("\n  {}:", system.describe().template_name(template));
        }
        let top = top.map_or("-".to_owned(), |symbol| system.describe().show_symbol(symbol));
        text += &format!(" {top}");
        last = Some((shared, template));
    }
    text + "\n"
}

/// The values that occur: one, a range, a few, or how many.
fn show(values: &BTreeSet<Datum>) -> String {
    if let (Some(Datum::Integer(low)), Some(Datum::Integer(high))) = (values.first(), values.last())
        && values.len() > 2
        && high - low == (values.len() - 1).into()
    {
        return format!("= {low}..{high}");
    }
    let mut list: Vec<String> = values.iter().map(ToString::to_string).collect();
    if let [only] = list.as_slice() {
        return format!("= {only}");
    }
    if list.len() > MOST_VALUES {
        let more = list.len() - MOST_VALUES;
        list.truncate(MOST_VALUES);
        list.push(format!("and {more} more"));
    }
    format!("∈ {{{}}}", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_ranges_where_they_can_be() {
        let numbers = |values: &[i64]| show(&values.iter().map(|&n| Datum::from(n)).collect());
        assert_eq!(numbers(&[3]), "= 3");
        assert_eq!(numbers(&[10, 9]), "∈ {9, 10}");
        assert_eq!(numbers(&[2, 0, 1, 3]), "= 0..3");
        assert_eq!(show(&[true.into(), false.into()].into()), "∈ {false, true}");
        assert_eq!(show(&[Datum::Any, 0.into(), 1.into()].into()), "∈ {0, 1, ?}");
        let far = [i64::MIN, 0, i64::MAX];
        assert_eq!(numbers(&far), format!("∈ {{{}, 0, {}}}", i64::MIN, i64::MAX));
        let many: Vec<i64> = (0..10).map(|n| 2 * n).collect();
        assert_eq!(numbers(&many), "∈ {0, 2, 4, 6, 8, 10, 12, 14, and 2 more}");
    }

    #[test]
    fn of_arrays_with_many_values_only_what_is_restricted_is_told() {
        let array = |a: i64, b: i64| Datum::List(vec![a.into(), b.into()]);
        let sizes = |whole, scalar| BTreeMap::from([("a", Size { whole, scalar })]);
        let all: BTreeSet<Datum> = (0..4).flat_map(|a| (0..4).map(move |b| array(a, b))).collect();
        let told = |values: &BTreeSet<Datum>| restricted("a", values, &sizes(Some(16), Some(4)));
        assert_eq!(told(&all), [""; 0], "every value of the type");
        let low: BTreeSet<Datum> = (0..4).flat_map(|a| (0..3).map(move |b| array(a, b))).collect();
        assert_eq!(told(&low), ["a[1] = 0..2"]);
        let mut one_less = all.clone();
        one_less.remove(&array(1, 2));
        assert_eq!(told(&one_less), ["a has 15 of 16 values"]);
        let unknown = restricted("a", &one_less, &BTreeMap::new());
        assert_eq!(unknown, ["a[0] = 0..3", "a[1] = 0..3"], "no type is known");
        let few = BTreeSet::from([array(0, 1), array(1, 0)]);
        assert_eq!(told(&few), ["a ∈ {[0,1], [1,0]}"]);
    }
}
