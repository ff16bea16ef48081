//! Steps as formulas against lowering, which is the definition: the same outcomes from the same
//! values, for every command, on random values.

use std::collections::BTreeSet;
use std::sync::Arc;

use num_bigint::BigInt;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_model::{System, TemplateId, Word};
use selvedge_program::flow::Loc;
use selvedge_program::{Lowering, Source, ThreadCounts};
use selvedge_smt::layout::{Layout, SlotInfo, Standing};
use selvedge_smt::symbolic::{Outcome, Path, paths};
use selvedge_smt::term::{Sort, Val, Var};

/// Where a step ends, and the values there; `None` is any value. A wrong step has no place.
type End = (Option<Option<Loc>>, Vec<Option<BigInt>>);

const PROGRAM: &str = "
enum color { red, green, blue }
shared int x := 0, y := 0;
shared int[0..4] r := 0;
shared bool b := 0;
shared color c := red;
shared lock m;
shared int a[3] := 0;
shared lock n[2];
shared u8 u := 0;
shared i8 s := 0;
void p() {
  local int i := 0, j := 0;
  local bool d := 0;
  local int[0..3] k := 0;
  while (1) {
    x := y + i * 2 - j;
    i, j := j, i;
    r := r + 1;
    r := i;
    b := !b && (x < y || i >= j);
    c := green;
    if (c == blue) { x := -x; } else { x := x > 0 ? i : j; }
    a[i] := x;
    x := a[j];
    a[a[0]] := 1;
    x := i / j;
    y := i % 3;
    if (j != 0 && i / j > 0) { skip; }
    d := *;
    k := {0 .. 3};
    k := {i .. j};
    i := {1, x, j};
    havoc k;
    assume x == y;
    assert x <= y;
    lock(m);
    unlock(m);
    d := trylock(m);
    if (trylock(m)) { unlock(m); }
    i := fetch_and_add(y, 2);
    r := fetch_and_add(x, i);
    d := cas(x, i, j);
    if (cas(r, k, i)) { skip; }
    i := fetch_and_add(a[{0 .. 2}], 1);
    d := cas(a[{0, i}], x, j);
    if (cas(a[{1 .. 2}], {0, x}, 3)) { skip; }
    d := trylock(n[{0 .. 1}]);
    lock(n[{j, 1}]);
    atomic {
      if (x > 0) { x := x - 1; assume i > 0; } else { y := y + 1; assert j > 0; }
      a[2] := y;
    }
    either { x := 0; } or { y := 0; }
    u := u * 3 + 200;
    s := -s - 100;
    s := s / -1;
    u := u8(s) - u8(x);
    x := int(u) % 7 - int(s);
    u := ~u;
    s := ~s;
    if (u < 9 && s > -9) { skip; }
    u := fetch_and_add(u, 255);
    d := cas(s, -128, 127);
  }
}
thread p;
";

fn value(slot: &SlotInfo, seeds: &mut fastrand::Rng) -> BigInt {
    BigInt::from(match slot.kind.span() {
        Some(span) => span.first + seeds.i64(0..i64::try_from(span.count).expect("few")),
        None => seeds.i64(-2..5),
    })
}

fn val(slot: &SlotInfo, n: &BigInt) -> Val {
    match slot.sort() {
        Sort::Bool => Val::Bool(*n != BigInt::ZERO),
        Sort::Int => Val::Int(n.clone()),
    }
}

fn number(val: &Val) -> BigInt {
    match val {
        Val::Bool(b) => BigInt::from(i32::from(*b)),
        Val::Int(n) => n.clone(),
    }
}

/// All ends of a path from these values, with every choice from -3 to 6.
fn ends(path: &Path, layout: &Layout<'_>, before: &dyn Fn(Var) -> Option<Val>) -> BTreeSet<End> {
    let mut all = BTreeSet::new();
    let mut choices: Vec<Vec<Val>> = vec![Vec::new()];
    for var in &path.fresh {
        let options: Vec<Val> = match var {
            Var::Fresh(_, Sort::Bool) => vec![Val::Bool(false), Val::Bool(true)],
            _ => (-3..=6).map(|n| Val::Int(BigInt::from(n))).collect(),
        };
        choices = choices
            .into_iter()
            .flat_map(|chosen| {
                options.iter().map(move |option| {
                    let mut longer = chosen.clone();
                    longer.push(option.clone());
                    longer
                })
            })
            .collect();
    }
    for chosen in choices {
        let of = |var: Var| match var {
            Var::Fresh(..) => {
                path.fresh.iter().position(|f| *f == var).map(|at| chosen[at].clone())
            }
            other => before(other),
        };
        if path.guard.value(&of) != Some(Val::Bool(true)) {
            continue;
        }
        let place = match &path.to {
            Outcome::Wrong(_) => {
                all.insert((None, Vec::new()));
                continue;
            }
            Outcome::At(loc) => Some(*loc),
            Outcome::Ends => None,
        };
        let after = layout.variables(&[0]).into_iter();
        let after = after.map(|(var, _)| path.after(var).value(&of).map(|val| number(&val)));
        all.insert((Some(place), after.collect()));
    }
    all
}

/// Whether the values of lowering, in which some may be open, are these.
fn matches(lowered: &End, found: &End) -> bool {
    lowered.0 == found.0
        && lowered.1.iter().zip(&found.1).all(|(a, b)| a.is_none() || a == b)
        && lowered.1.len() == found.1.len()
}

#[test]
fn formulas_and_lowering_agree_on_every_step() {
    let source = Arc::new(Source::new("test.weave", PROGRAM));
    let (file, mistakes) = weave::parse(&source);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (program, mistakes) = check(&file, &CheckOptions::default());
    let program = Arc::new(program.unwrap_or_else(|| panic!("{mistakes:?}")));
    let counts = ThreadCounts::new();
    let system =
        Lowering::new(Arc::clone(&program), Arc::clone(&source), &counts).expect("lowered");
    let layout = Layout::new(&program, system.flow(), &counts).expect("followed");
    let mut seeds = fastrand::Rng::with_seed(7);
    let (mut steps, mut wrong) = (0, 0);
    for index in 0..system.flow().locations.len() {
        let loc = Loc(index as u32);
        if system.flow().location(loc).atomic {
            continue;
        }
        let all = paths(&layout, &source, Standing { class: 0, loc: Some(loc) }).expect("followed");
        for _ in 0..150 {
            let locals = layout.locals_of(0);
            let before: Vec<(Var, BigInt)> = layout
                .variables(&[0])
                .into_iter()
                .map(|(var, slot)| (var, value(slot, &mut seeds)))
                .collect();
            let known = |var: Var| {
                let (_, slot) = layout.variables(&[0]).into_iter().find(|(v, _)| *v == var)?;
                before.iter().find(|(v, _)| *v == var).map(|(_, n)| val(slot, n))
            };
            let list = |range: &[(Var, BigInt)]| {
                range.iter().map(|(_, n)| n.to_string()).collect::<Vec<_>>().join(",")
            };
            let (globals, own) = before.split_at(layout.globals.len());
            let shared = system.keys().find_shared_key(&list(globals)).expect("a shared state");
            let symbol = format!("{}:{}", loc.0, list(own));
            let symbol = system.keys().find_symbol_key(&symbol).expect("a frame");
            let mut actions = Vec::new();
            system.actions(TemplateId(0), shared, Some(symbol), &mut actions).expect("listed");
            let lowered: Vec<End> = actions
                .iter()
                .map(|action| {
                    if system.wrong(action.shared).is_some() {
                        return (None, Vec::new());
                    }
                    let globals = system.values_of(action.shared);
                    let mut values: Vec<_> = globals.iter().map(|v| v.to_big()).collect();
                    let place = match action.word {
                        Word::Rewrite(top) => {
                            let (loc, locals) = system.frame_of_symbol(top).expect("a frame");
                            values.extend(locals.iter().map(|v| v.to_big()));
                            Some(loc)
                        }
                        _ => {
                            values.extend(locals.iter().map(|_| None));
                            None
                        }
                    };
                    (Some(place), values)
                })
                .collect();
            let found: BTreeSet<End> =
                all.iter().flat_map(|path| ends(path, &layout, &known)).collect();
            let text = system.describe().statement(symbol).unwrap_or_default();
            for end in &found {
                let same = lowered.iter().any(|l| matches(l, end));
                assert!(same, "{text} from {before:?}: {end:?} is not among {lowered:?}");
            }
            for end in &lowered {
                let same = found.iter().any(|f| matches(end, f));
                assert!(same, "{text} from {before:?}: {end:?} is missing in {found:?}");
            }
            steps += found.len();
            wrong += usize::from(found.contains(&(None, Vec::new())));
        }
    }
    assert!(steps > 1000 && wrong > 100, "{steps} steps, {wrong} wrong");
}
