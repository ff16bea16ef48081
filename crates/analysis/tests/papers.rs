//! What the papers say of their examples, on the files of `examples/`.

use std::collections::BTreeSet;
use std::path::Path;

use rustc_hash::FxHashSet;
use selvedge_analysis::converge::above::Above;
use selvedge_analysis::converge::finite_contexts::finite_contexts;
use selvedge_analysis::converge::generators::Generators;
use selvedge_analysis::engine::{Method, Question, Shown, Verdict, check, table, verify};
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::windows::Cut;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Locals};
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_automata::LanguageId;
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Property, SharedId, SymbolId, System, Tables, VisibleState};
use selvedge_program::{Lowering, ThreadCounts};

fn example(name: &str) -> Input {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    load(&path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn tables(name: &str) -> Tables {
    match example(name) {
        Input::Tables { input, .. } => input.tables,
        Input::Program { .. } => panic!("{name} is a program"),
    }
}

fn show<'s>(
    system: &Tables,
    states: impl IntoIterator<Item = &'s VisibleState>,
) -> BTreeSet<String> {
    let top =
        |top: &Option<SymbolId>| top.map_or("-".to_owned(), |s| system.describe().show_symbol(s));
    let show = |state: &VisibleState| {
        let tops: Vec<_> = state.tops.iter().map(top).collect();
        format!("{}|{}", system.describe().show_shared(state.shared), tops.join(","))
    };
    states.into_iter().map(show).collect()
}

fn set(states: &[&str]) -> BTreeSet<String> {
    states.iter().map(|&state| state.to_owned()).collect()
}

fn question<'a>(system: &'a dyn System, properties: &'a [Property]) -> Question<'a> {
    Question { system, properties, method: Method::Auto, symmetry: true, evidence: false }
}

/// What is visible for the first time at each bound.
fn new_visible<L: Locals>(system: &Tables, locals: L, bounds: usize) -> Vec<BTreeSet<String>> {
    let mut explorer = ContextExplorer::new(system, locals, false).expect("starts");
    for _ in 0..bounds {
        explorer.advance(&Budget::default()).expect("goes on");
    }
    (0..=bounds).map(|bound| show(system, &explorer.new_visible(bound))).collect()
}

/// CUBA, Fig. 1 and Ex. 5: plateaus at 2 and 5; the second one is the end.
#[test]
fn cuba_figure_1_plateaus_at_2_and_5_and_collapses_at_5() {
    let system = tables("cuba/fig1.cpds");
    let expected = [
        set(&["0|1,4"]),
        set(&["1|2,4", "0|1,-"]),
        set(&["2|2,5", "3|2,4", "1|2,-"]),
        set(&[]),
        set(&["0|1,6"]),
        set(&["1|2,6"]),
        set(&[]),
        set(&[]),
    ];
    assert_eq!(new_visible(&system, Stacks::default(), 7), expected);
    assert_eq!(new_visible(&system, Languages::default(), 7), expected);
    let found =
        table(&question(&system, &[]), Resource::Contexts, None, 10, &Budget::default(), &|_| {});
    assert_eq!(found.outcome.collapse, Some(Bound::contexts(5)));
    // The states themselves never repeat: the second stack grows for ever (Ex. 5, Sec. 4).
    let mut states = ContextExplorer::new(&system, Stacks::default(), false).expect("starts");
    for _ in 0..30 {
        states.advance(&Budget::default()).expect("goes on");
        assert!(!states.has_collapsed(), "at bound {}", states.bound());
    }
}

/// All visible states that there could be.
fn all_visible(system: &Tables) -> Vec<VisibleState> {
    let initial = system.initial().expect("no fault");
    let templates: Vec<_> = initial[0].threads.iter().map(|thread| thread.template).collect();
    let shared = (0..system.shared_count()).map(SharedId::from);
    let mut states: Vec<_> = shared.map(|q| VisibleState { shared: q, tops: Vec::new() }).collect();
    for template in templates {
        let symbols = (0..system.symbol_count()).map(SymbolId::from);
        let own = symbols.filter(|&symbol| system.template_of(symbol) == template);
        let tops: Vec<_> = own.map(Some).chain([None]).collect();
        let extended = |state: VisibleState| {
            tops.iter().map(move |&top| {
                let tops = state.tops.iter().copied().chain([top]).collect();
                VisibleState { tops, ..state.clone() }
            })
        };
        states = states.into_iter().flat_map(extended).collect();
    }
    states
}

/// CUBA, Ex. 13 and 14: Z, the generators, and which of them are in Z; the generator test fails at
/// the plateau at 2 because of one of them, and succeeds at 5.
#[test]
fn cuba_examples_13_and_14_generators_and_z() {
    let system = tables("cuba/fig1.cpds");
    let above = Above::explore(&system, Cut::PUBLISHED, false, &Budget::default()).expect("ends");
    let explorer = above.explorer();
    let z: Vec<_> = (0..=explorer.bound()).flat_map(|b| explorer.new_visible(b)).collect();
    // The tree of Fig. 3 is lost; this is what Alg. 2 gives from 0|1,4.
    let expected = set(&["0|1,4", "0|1,-", "0|1,6", "1|2,4", "1|2,-", "1|2,6", "2|2,5", "3|2,4"]);
    assert_eq!(show(&system, &z), expected);

    let generators = Generators::new(&system);
    let all = all_visible(&system);
    assert_eq!(all.len(), 4 * 3 * 4);
    let g: Vec<_> = all.iter().filter(|state| generators.contains(state)).collect();
    // The paper leaves out those in which the first thread has ended: it never does.
    let g: BTreeSet<_> = show(&system, g).into_iter().filter(|s| !s.contains("|-,")).collect();
    assert_eq!(g, set(&["0|1,-", "0|1,6", "0|2,-", "0|2,6"]));
    let in_z = z.iter().filter(|state| generators.contains(state));
    assert_eq!(show(&system, in_z), set(&["0|1,-", "0|1,6"]));

    let mut below = ContextExplorer::new(&system, Stacks::default(), false).expect("starts");
    let mut seen: FxHashSet<VisibleState> = below.new_visible(0).into_iter().collect();
    let mut unseen = Vec::new();
    for bound in 1..=6 {
        below.advance(&Budget::default()).expect("goes on");
        seen.extend(below.new_visible(bound));
        let left: Vec<_> = generators.unseen(z.iter().cloned(), &seen).collect();
        unseen.push(show(&system, &left).into_iter().collect::<Vec<_>>().join(" "));
    }
    assert_eq!(unseen, ["0|1,6", "0|1,6", "0|1,6", "", "", ""]);
}

/// What Ex. 14 says of Fig. 1: the plateaus begin at 2 and at 5.
#[test]
fn cuba_example_14_plateaus_of_a_table() {
    let system = tables("cuba/fig1.cpds");
    let shown = Shown { listed: 30, generators: true, automata: false };
    let (properties, method) = (&[][..], Method::Auto);
    let asked = Question { system: &system, properties, method, symmetry: true, evidence: false };
    let found = table(&asked, Resource::Contexts, None, shown, &Budget::default(), &|_| {});
    let test = found.generators.expect("asked for").expect("found");
    let plateaus: Vec<_> = (0..=6).filter(|&bound| test.is_new_plateau(bound)).collect();
    assert_eq!(plateaus, [3, 6]);
    assert_eq!((test.z.len(), test.in_z.len()), (8, 2));
    assert_eq!(test.unseen(3).count(), 1);
    assert!(!test.passes(3) && test.passes(6));
}

/// The states with stacks of at most `HIGHEST` symbols.
fn low_states(explorer: &ContextExplorer<'_, Languages>) -> BTreeSet<(SharedId, Vec<Word>)> {
    let mut found = BTreeSet::new();
    for (shared, mut threads) in explorer.reached().states() {
        threads.sort_unstable(); // by class: without symmetry, by thread
        let mut stacks = vec![Vec::new()];
        for ((_, local), _) in threads {
            let words = explorer.locals().store().get(LanguageId(local)).words(HIGHEST);
            let extended = |stacks: Vec<Word>| {
                let with = |word: &Word| [&stacks[..], std::slice::from_ref(word)].concat();
                words.iter().map(with).collect::<Vec<_>>()
            };
            stacks = stacks.into_iter().flat_map(extended).collect();
        }
        found.extend(stacks.into_iter().map(|stacks| (shared, stacks)));
    }
    found
}

type Word = Vec<SymbolId>;

const HIGHEST: usize = 5;

/// CUBA, Fig. 2 and Ex. 8: contexts are infinite, and yet R_1 ⊂ R_2 = R_3.
#[test]
fn cuba_figure_2_has_infinite_contexts_and_stops_at_2() {
    let system = tables("cuba/fig2.cpds");
    let above = Above::explore(&system, Cut::tight(1), true, &Budget::default()).expect("ends");
    let finite = finite_contexts(&system, &above, &Budget::default()).expect("no fault");
    assert!(finite.len() == 2 && finite.iter().all(|(_, finite)| !finite), "{finite:?}");

    let mut states = ContextExplorer::new(&system, Languages::default(), false).expect("starts");
    let mut reached = vec![low_states(&states)];
    while !states.has_collapsed() {
        states.advance(&Budget::default()).expect("goes on");
        reached.push(low_states(&states));
    }
    // A set of stacks that is contained in another one may still be new, so that the explorer
    // needs a bound more than R does.
    assert!(states.bound() > 3 && reached[0].len() == 1, "{}", states.bound());
    assert!(reached[1].is_subset(&reached[2]) && reached[1] != reached[2]);
    assert!(reached[3..].iter().all(|r| *r == reached[2]));
    // 1|4,9 is reached with two contexts, not with one.
    let at = |bound| show(&system, &states.new_visible(bound));
    assert!(at(2).contains("1|4,9") && !at(1).contains("1|4,9") && !at(0).contains("1|4,9"));

    let question = Question { method: Method::Symbolic, ..question(&system, &[]) };
    let outcome = verify(&question, &Budget::default(), &|_| {});
    assert_eq!(outcome.collapse, Some(Bound::contexts(2)));
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
}

/// Qadeer and Rehof, Fig. 1: three contexts break the driver, two do not.
#[test]
fn the_driver_of_qadeer_and_rehof_fails_with_3_contexts_and_not_with_2() {
    let Input::Program { program, source, .. } = example("context-bounded/fig1-cancel.weave")
    else {
        panic!("not a program")
    };
    let system = Lowering::new(program, source, &ThreadCounts::new()).expect("lowered");
    for method in [Method::Explicit, Method::Symbolic] {
        let properties = [Property::NeverWrong];
        let question = Question { method, ..question(&system, &properties) };
        let within = |contexts| {
            check(&question, Bound::contexts(contexts), &Budget::default(), &|_| {}).verdict
        };
        assert!(
            matches!(within(2), Verdict::Bounded { bound: Bound { count: 2, .. } }),
            "{method:?}"
        );
        let Verdict::Unsafe { bound: Bound { count: contexts, .. }, trace, .. } = within(3) else {
            panic!("{method:?}")
        };
        assert_eq!(contexts, 3);
        assert_eq!(trace.contexts(), 3);
    }
}
