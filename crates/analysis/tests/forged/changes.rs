//! What is done to a set of states so that it shows what is not so.

use fastrand::Rng;
use selvedge_automata::Dfa;
use selvedge_evidence::{
    AggregateThread, CountedState, CutCertificate, CutThread, Evidence, Measure, Window,
};
use selvedge_model::{SharedId, SymbolId, Tables, TemplateId};

/// Numbers of threads at the limits of their type.
const COUNTS: [u32; 6] = [0, 1, 2, 1 << 31, u32::MAX - 1, u32::MAX];

/// Numbers of threads of two kinds that were never started: some are none at all if they wrap.
pub const PHANTOMS: [[u32; 2]; 4] =
    [[1 << 31, 1 << 31], [u32::MAX - 1, 2], [1, 1], [u32::MAX - 1, u32::MAX - 1]];

fn states_of(evidence: &mut Evidence) -> &mut Vec<CountedState> {
    match evidence {
        Evidence::Cut(cut) => &mut cut.states,
        Evidence::Aggregate(aggregate) => &mut aggregate.states,
        other => panic!("this is no set of states: {other:?}"),
    }
}

/// Takes the state out that a refusal names; `false` if it names none.
pub fn repair(evidence: &mut Evidence, refusal: &str) -> bool {
    let Some((_, after)) = refusal.split_once("state ") else { return false };
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    let Ok(number) = digits.parse::<usize>() else { return false };
    let is_there = number < states_of(evidence).len();
    if is_there {
        remove_state(evidence, number);
    }
    is_there
}

fn remove_state(evidence: &mut Evidence, number: usize) {
    states_of(evidence).remove(number);
    if let Evidence::Cut(cut) = evidence {
        for measure in &mut cut.measures {
            if number < measure.least.len() {
                measure.least.remove(number);
            }
        }
    }
}

/// Sets with cut stacks from which no step leads to a state that was taken out: because heights of
/// stacks would have to be what they cannot be, or because nothing lies below a symbol.
pub fn excluded(evidence: &Evidence) -> Vec<Evidence> {
    let Evidence::Cut(cut) = evidence else { return Vec::new() };
    let mut all = Vec::new();
    let classes = cut.classes.iter().max().map_or(0, |&c| c as usize + 1) + cut.started.len();
    for first in 0..cut.states.len().min(4) {
        let mut forged = cut.clone();
        let least = |at: usize| Some(if at == first { 0 } else { i64::MAX });
        let least = (0..cut.states.len()).map(least).collect();
        forged.measures = vec![Measure { weights: vec![0; classes], least }];
        all.push(Evidence::Cut(forged));
    }
    let mut above: Vec<_> = cut.guesses.iter().map(|guess| (guess.class, &guess.above)).collect();
    above.sort_unstable();
    above.dedup();
    for pair in above {
        let mut forged = cut.clone();
        forged.guesses.retain(|guess| (guess.class, &guess.above) != pair);
        all.push(Evidence::Cut(forged));
    }
    all
}

/// Adds threads of two kinds to every state that were never started: they can act, or wait.
pub fn add_phantoms(system: &Tables, evidence: &mut Evidence, counts: [u32; 2], rng: &mut Rng) {
    let template = TemplateId::from(rng.usize(0..system.template_count()));
    let symbols: Vec<SymbolId> = (0..system.symbol_count())
        .map(SymbolId::from)
        .filter(|&symbol| system.template_of(symbol) == template)
        .collect();
    let stacks = [rng.choice(&symbols).copied(), None];
    let first = match evidence {
        Evidence::Cut(cut) => {
            let class = class_of_started(&cut.classes, &mut cut.started, template);
            for measure in &mut cut.measures {
                measure.weights.resize(class as usize + 1, 0);
            }
            let first = cut.kinds.len() as u32;
            for symbol in stacks {
                let window = Window { symbols: symbol.into_iter().collect(), hidden: false };
                cut.kinds.push(CutThread { class, window });
            }
            first
        }
        Evidence::Aggregate(aggregate) => {
            let class = class_of_started(&aggregate.classes, &mut aggregate.started, template);
            let first = aggregate.kinds.len() as u32;
            for symbol in stacks {
                let language = aggregate.languages.len() as u32;
                aggregate.languages.push(Dfa::word(symbol));
                aggregate.kinds.push(AggregateThread { class, language });
            }
            first
        }
        other => panic!("this is no set of states: {other:?}"),
    };
    for state in states_of(evidence) {
        let more = [(first, counts[0]), (first + 1, counts[1])];
        state.threads = state.threads.iter().copied().chain(more).collect();
    }
}

/// The class of threads of a template that are started, which is added if there is none.
fn class_of_started(classes: &[u32], started: &mut Vec<TemplateId>, template: TemplateId) -> u32 {
    let first = classes.iter().max().map_or(0, |&class| class + 1);
    let at = started.iter().position(|&other| other == template).unwrap_or_else(|| {
        started.push(template);
        started.len() - 1
    });
    first + at as u32
}

/// Changes something by chance.
pub fn change(system: &Tables, evidence: &mut Evidence, rng: &mut Rng) {
    let states = states_of(evidence);
    if states.is_empty() {
        return;
    }
    let at = rng.usize(0..states.len());
    match rng.u32(0..10) {
        0 | 1 => remove_state(evidence, at),
        2 => states.push(states[at].clone()),
        3 => states.truncate(at),
        4 if !states[at].threads.is_empty() => {
            let entry = rng.usize(0..states[at].threads.len());
            states[at].threads[entry].1 = COUNTS[rng.usize(0..COUNTS.len())];
        }
        5 => states[at].shared = SharedId::from(rng.usize(0..system.shared_count())),
        _ => match evidence {
            Evidence::Cut(cut) => change_cut(system, cut, rng),
            Evidence::Aggregate(aggregate) => {
                let (kinds, languages) = (aggregate.kinds.len(), aggregate.languages.len());
                let (kind, language) = (rng.usize(0..kinds), rng.usize(0..languages));
                match rng.u32(0..5) {
                    0 => aggregate.languages[language] = Dfa::default(),
                    1 => {
                        let word = [0; 2].map(|_| any_symbol(system, rng));
                        aggregate.languages[language] = Dfa::word(word);
                    }
                    2 => aggregate.kinds[kind].language = language as u32,
                    3 => aggregate.kinds[kind].class ^= 1,
                    _ => {
                        change_classes(system, &mut aggregate.classes, &mut aggregate.started, rng)
                    }
                }
            }
            other => panic!("this is no set of states: {other:?}"),
        },
    }
}

fn any_symbol(system: &Tables, rng: &mut Rng) -> SymbolId {
    SymbolId::from(rng.usize(0..system.symbol_count()))
}

fn change_cut(system: &Tables, cut: &mut CutCertificate, rng: &mut Rng) {
    let kind = rng.usize(0..cut.kinds.len());
    match rng.u32(0..9) {
        0 => cut.depth = [0, 1, 2, 3, usize::MAX][rng.usize(0..5)],
        1 => cut.kinds[kind].window.hidden ^= true,
        2 => cut.kinds[kind].class ^= 1,
        3 if !cut.kinds[kind].window.symbols.is_empty() => {
            cut.kinds[kind].window.symbols[0] = any_symbol(system, rng);
        }
        4 if !cut.guesses.is_empty() => drop(cut.guesses.remove(rng.usize(0..cut.guesses.len()))),
        5 => cut.guesses.clear(),
        6 => change_classes(system, &mut cut.classes, &mut cut.started, rng),
        _ => {
            let number =
                |rng: &mut Rng| [0, 1, -1, 2, i64::MIN, i64::MAX, i32::MAX.into()][rng.usize(0..7)];
            let classes =
                cut.classes.iter().max().map_or(0, |&c| c as usize + 1) + cut.started.len();
            let weight = |rng: &mut Rng| [0, 1, -1, i32::MIN, i32::MAX][rng.usize(0..5)];
            // What is known at the first state is true of most of them, and unknown is always true.
            let least = |rng: &mut Rng, at: usize| match at {
                0 => Some(i64::MIN),
                _ => rng.bool().then(|| number(rng)),
            };
            cut.measures.push(Measure {
                weights: (0..classes).map(|_| weight(rng)).collect(),
                least: (0..cut.states.len()).map(|at| least(rng, at)).collect(),
            });
        }
    }
}

/// Threads are in other classes, or classes are missing or repeated.
fn change_classes(
    system: &Tables,
    classes: &mut Vec<u32>,
    started: &mut Vec<TemplateId>,
    rng: &mut Rng,
) {
    match rng.u32(0..5) {
        0 => drop(classes.pop()),
        1 => classes.fill(0),
        2 => classes.reverse(),
        3 => drop(started.pop()),
        _ => started.push(TemplateId::from(rng.usize(0..system.template_count()))),
    }
}
