//! Keys of shared states and frames of programs: the same in every run, and no other text.

use std::sync::Arc;

use selvedge_analysis::naive::Naive;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_model::{State, System};
use selvedge_program::{Lowering, Source, ThreadCounts};

/// Big numbers, negative ones, results, open values, owners of locks, joins, what goes wrong.
const PROGRAM: &str = "\
int big := 9223372036854775807;
bool any;
int[-3..3] low := -3;
bool marks[3] := true;
lock m;

int double(int n) {
  return n + n;
}

void work() {
  acquire(m);
  big := double(big);
  marks[1] := *;
  release(m);
}

void main() {
  tid a := async work();
  tid b := async work();
  join a;
  if (*) release(m);
  assert low == 3;
}
";

fn lower() -> Lowering {
    let source = Source::new("keys.weave", PROGRAM);
    let (file, diagnostics) = weave::parse(&source);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (program, diagnostics) = check(&file, &CheckOptions::default());
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?}"));
    Lowering::new(Arc::new(program), Arc::new(source), &ThreadCounts::new()).expect("lowers")
}

fn states(system: &dyn System) -> Vec<State> {
    let mut naive = Naive::with_limit(system, 3000).expect("starts");
    while !naive.level().has_collapsed() && naive.advance().is_ok() {}
    naive.states().map(|(state, _)| state.clone()).collect()
}

#[test]
fn keys_mean_the_same_to_another_run() {
    let (first, second) = (lower(), lower());
    let states = states(&first);
    assert!(states.len() > 80, "{}", states.len());
    let mut wrong = 0;
    // The other run meets everything from the end.
    for state in states.iter().rev() {
        let key = first.keys().shared_key(state.shared);
        let found = second.keys().find_shared_key(&key).unwrap_or_else(|| panic!("{key}"));
        assert_eq!(second.keys().shared_key(found), key);
        assert_eq!(
            second.describe().shared_values(found),
            first.describe().shared_values(state.shared)
        );
        assert_eq!(second.wrong(found), first.wrong(state.shared));
        wrong += usize::from(first.wrong(state.shared).is_some());
        for thread in &state.threads {
            let template = first.keys().template_key(thread.template);
            assert_eq!(second.keys().find_template_key(&template), Some(thread.template));
            for symbol in thread.stack.iter() {
                let key = first.keys().symbol_key(symbol);
                let found = second.keys().find_symbol_key(&key).unwrap_or_else(|| panic!("{key}"));
                assert_eq!(second.keys().symbol_key(found), key);
                assert_eq!(
                    second.describe().show_symbol(found),
                    first.describe().show_symbol(symbol)
                );
            }
        }
    }
    assert!(wrong > 3, "{wrong}");
}

/// Text that is no key is refused; text that is one is what it says. Nothing ends in a panic, not
/// even what a thread can do in a state that makes no sense.
#[test]
fn other_text_is_no_key() {
    let system = lower();
    let (mut known, mut unknown) = (0, 0);
    let mut rng = fastrand::Rng::with_seed(7);
    for state in states(&system).iter().step_by(3) {
        let shared_key = system.keys().shared_key(state.shared);
        let symbols = state.threads.iter().flat_map(|t| t.stack.iter());
        let keys: Vec<String> = symbols.map(|s| system.keys().symbol_key(s)).collect();
        for _ in 0..100 {
            let key = damage(&shared_key, &mut rng);
            let shared = system.keys().find_shared_key(&key);
            let symbol = rng.choice(&keys).map(|key| damage(key, &mut rng));
            let symbol = symbol.and_then(|key| system.keys().find_symbol_key(&key));
            match shared {
                Some(found) => assert_eq!(system.keys().shared_key(found), key),
                None => unknown += 1,
            }
            if let (Some(shared), Some(symbol)) = (shared, symbol) {
                known += 1;
                let template = state.threads[0].template;
                // A fault is an answer, too.
                let _ = system.actions(template, shared, Some(symbol), &mut Vec::new());
                let _ =
                    (system.describe().show_shared(shared), system.describe().show_symbol(symbol));
            }
        }
    }
    println!("{known} other states, {unknown} texts that are no keys");
    assert!(known > 100 && unknown > 1000);
    for text in
        ["", " ", ",", "?", "@", "@-1", "1:", ":", "4294967296:", "é", "\u{0}", " w", " w0:"]
    {
        assert_eq!(system.keys().find_shared_key(text), None, "{text}");
        assert_eq!(system.keys().find_symbol_key(text), None, "{text}");
        assert_eq!(system.keys().find_template_key(text), None, "{text}");
    }
}

fn damage(key: &str, rng: &mut fastrand::Rng) -> String {
    let mut chars: Vec<char> = key.chars().collect();
    let other =
        *rng.choice(&['0', '1', '7', '9', '-', '?', ',', ':', '^', '@', ' ', 'w', 'é']).unwrap();
    match (rng.u32(..3), chars.len()) {
        (_, 0) => chars.push(other),
        (0, n) => chars[rng.usize(..n)] = other,
        (1, n) => chars.insert(rng.usize(..=n), other),
        (_, n) => drop(chars.remove(rng.usize(..n)).to_string()),
    }
    chars.into_iter().collect()
}
