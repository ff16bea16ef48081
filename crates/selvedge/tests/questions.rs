//! The library as another program uses it: texts in, answers out, with evidence that its own checker accepts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use selvedge::{
    Blame, Bound, Bounds, Deadlocks, EngineName, Heard, InputOptions, Livelock, Options, Paint,
    Resource, Subject, System, TraceOptions, Verdict, VerdictName, check, livelock, recheck, table,
    verify,
};

use selvedge_model::{Tables, Word};

const RACE: &str = "int[0..2] count := 0; int[0..2] finished := 0;
    void worker() {
      int[0..2] seen := count;
      count := seen + 1;
      finished := finished + 1;
      if (finished == 2) assert count == 2;
    }
    thread worker * 2;";

/// Two threads that call themselves for ever.
const ENDLESS: &str = "lock m; bool busy := false;
    void work() { acquire m; assert !busy; busy := true; busy := false; release m; work(); }
    thread work * 2;";

/// More states than anybody can count.
const HUGE: &str = "int a := 0; int b := 0;
    void up() { while (*) { a := a + 1; assert a != b + 1000000; } }
    void down() { while (*) b := b - a; }
    thread up; thread down * 2;";

fn subject(name: &str, text: &str) -> Subject {
    Subject::parse(name, text, InputOptions::default()).unwrap()
}

fn with_evidence() -> Options {
    Options { evidence: true, ..Options::default() }
}

#[test]
fn a_race_is_found_with_the_fewest_contexts() {
    let answer = verify(&subject("race.weave", RACE), &Options::default()).unwrap();
    assert_eq!(answer.name(), VerdictName::Unsafe);
    let Verdict::Unsafe(violation) = answer.verdict() else { unreachable!("see above") };
    let trace: Vec<_> = violation.steps().collect();
    assert_eq!(trace.last().unwrap().context, 3);
    assert_eq!(answer.object().bound.unwrap().contexts, Some(3));
    assert!(answer.sentence().contains("assertion failed"));
}

#[test]
fn a_bound_is_exact() {
    let race = subject("race.weave", RACE);
    let verdict = |bound| check(&race, bound, &Options::default()).unwrap().name();
    assert_eq!(verdict(Bound::contexts(2)), VerdictName::Bounded);
    assert_eq!(verdict(Bound::contexts(3)), VerdictName::Unsafe);
    assert_eq!(verdict(Bound::rounds(1)), VerdictName::Bounded);
    assert_eq!(verdict(Bound::rounds(2)), VerdictName::Unsafe);
}

#[test]
fn evidence_is_accepted_and_only_for_its_own_text() {
    for (name, text, verdict) in
        [("race.weave", RACE, VerdictName::Unsafe), ("lock.weave", ENDLESS, VerdictName::Safe)]
    {
        let asked = subject(name, text);
        let answer = verify(&asked, &with_evidence()).unwrap();
        assert_eq!(answer.name(), verdict);
        let evidence = answer.evidence().unwrap().unwrap().to_text();
        let accepted = recheck(&asked, &evidence, &Options::default()).unwrap().unwrap();
        assert_eq!(accepted.verdict, verdict);
        let other = subject(name, &format!("{text} // the same?"));
        assert!(recheck(&other, &evidence, &Options::default()).unwrap().is_err());
        assert!(recheck(&asked, &evidence[1..], &Options::default()).unwrap().is_err());
    }
}

#[test]
fn no_evidence_is_made_that_nobody_asked_for() {
    let answer = verify(&subject("race.weave", RACE), &Options::default()).unwrap();
    assert!(answer.evidence().unwrap().is_none());
}

#[test]
fn an_endless_run_is_a_lasso_with_evidence() {
    let asked = subject("lock.weave", ENDLESS);
    let answer = livelock(&asked, &Livelock::default(), &with_evidence()).unwrap();
    assert_eq!(answer.name(), VerdictName::Nonterminating);
    assert!(matches!(answer.verdict(), Verdict::Nonterminating(run) if !run.period.is_empty()));
    let evidence = answer.evidence().unwrap().unwrap().to_text();
    assert!(recheck(&asked, &evidence, &Options::default()).unwrap().is_ok());
    let json: serde_json::Value = serde_json::from_str(&answer.json(None)).unwrap();
    assert_eq!(json["verdict"], "nonterminating");
    assert!(json["lasso"]["period"].is_array());

    let bounds = Some(Bounds { stem: 1, lasso: 1 });
    let ends = subject("race.weave", RACE);
    let which = Livelock { bounds, ..Livelock::default() };
    assert_eq!(livelock(&ends, &which, &Options::default()).unwrap().name(), VerdictName::Bounded);
}

#[test]
fn a_table_says_what_is_new() {
    let race = subject("race.weave", RACE);
    let observed = table(&race, Resource::Contexts, None, 10, &Options::default()).unwrap();
    let json = serde_json::to_value(observed.report().json()).unwrap();
    assert!(json.to_string().contains("new_visible"));
}

#[test]
fn tables_are_texts_too() {
    // The first thread lets the second one go on.
    let text = "2\nPDA 0 1\n0 0 -> 1 1\nPDA 0 1\n1 0 -> 1 1\n";
    let verdict = |target: &str| {
        let (init, target) = (Some("0|0,0".to_owned()), Some(target.to_owned()));
        let options = InputOptions { init, target, ..InputOptions::default() };
        let asked = Subject::parse("two.pds", text, options).unwrap();
        verify(&asked, &Options::default()).unwrap().name()
    };
    assert_eq!(verdict("1|1,1"), VerdictName::Unsafe);
    assert_eq!(verdict("0|0,1"), VerdictName::Safe);
}

#[test]
fn failures_say_who_is_to_blame() {
    let parse = |name, text| Subject::parse(name, text, InputOptions::default()).unwrap_err();
    assert_eq!(parse("wrong.weave", "int x := ;").blame(), Blame::Input);
    assert_eq!(parse("program.txt", RACE).blame(), Blame::Input);
    let missing = Subject::read("there/is/none.weave".as_ref(), InputOptions::default());
    assert_eq!(missing.unwrap_err().blame(), Blame::File);
    let threads = vec![("wrker".to_owned(), 2)];
    let options = InputOptions { threads, ..InputOptions::default() };
    let misnamed = Subject::parse("race.weave", RACE, options).unwrap();
    let failure = verify(&misnamed, &Options::default()).err().unwrap();
    assert_eq!(failure.blame(), Blame::Options);
    assert!(failure.to_string().contains("did you mean `worker`?"), "{failure}");
    let lazy = Options { engine: EngineName::Lazy, ..Options::default() };
    assert_eq!(verify(&subject("race.weave", RACE), &lazy).err().unwrap().blame(), Blame::Options);
}

#[test]
fn a_run_ends_when_time_is_up_or_somebody_says_so() {
    let options = Options { solver: None, ..Options::default() };
    let mut timed = options.clone();
    timed.limits.timeout = Some(Duration::from_millis(200));
    let huge = subject("huge.weave", HUGE);
    let answer = verify(&huge, &timed).unwrap();
    assert_eq!(answer.name(), VerdictName::Unknown);
    assert!(answer.sentence().contains("time limit"), "{}", answer.sentence());

    let cancelled = Arc::clone(&options.limits.cancelled);
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        cancelled.store(true, Ordering::Relaxed);
    });
    let answer = verify(&huge, &options).unwrap();
    canceller.join().unwrap();
    assert!(answer.sentence().contains("interrupted"), "{}", answer.sentence());
}

#[test]
fn what_goes_on_can_be_heard() {
    let (events, ticks) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let notes = Arc::new(Mutex::new(Vec::new()));
    let mut options = Options { solver: None, ..Options::default() };
    // Goes on until everything was heard.
    let enough = Arc::clone(&options.limits.cancelled);
    options.listener = Some({
        let (events, ticks, notes) = (Arc::clone(&events), Arc::clone(&ticks), Arc::clone(&notes));
        Arc::new(move |heard| {
            match heard {
                Heard::Event(_) => drop(events.fetch_add(1, Ordering::Relaxed)),
                Heard::Tick => drop(ticks.fetch_add(1, Ordering::Relaxed)),
                Heard::Note(note) => notes.lock().unwrap().push(note.to_owned()),
                _ => {}
            }
            if events.load(Ordering::Relaxed) > 0 && ticks.load(Ordering::Relaxed) > 0 {
                enough.store(true, Ordering::Relaxed);
            }
        })
    });
    let silent = HUGE.replace("assert a != b + 1000000;", "");
    verify(&subject("huge.weave", &silent), &options).unwrap();
    assert!(events.load(Ordering::Relaxed) > 0);
    assert!(ticks.load(Ordering::Relaxed) > 0);
    assert!(notes.lock().unwrap().iter().any(|note| note.contains("no `assert`")));
}

#[test]
fn a_violation_by_predicates_is_one_of_the_program_as_it_is_written() {
    for text in [
        "int n := 0; void up() { n := n + 1; assert n < 3; } thread up * 3;",
        "int n := 0; void f() { n := n + 1; } void w() { tid t; t := async f(); assert n < 2; } thread w * 2;",
    ] {
        let asked = subject("up.weave", text);
        let options = Options { engine: EngineName::Predicates, ..with_evidence() };
        let answer = verify(&asked, &options).unwrap();
        if answer.name() == VerdictName::Unknown && answer.sentence().contains("solver") {
            eprintln!("skipped: {}", answer.sentence());
            return;
        }
        assert_eq!(answer.name(), VerdictName::Unsafe);
        let evidence = answer.evidence().unwrap().unwrap().to_text();
        // No other numbers of threads than the text has.
        let accepted = recheck(&asked, &evidence, &Options::default()).unwrap();
        assert_eq!(accepted.map(|accepted| accepted.verdict), Ok(VerdictName::Unsafe));
    }
}

/// Bytes in use, for a test: more and more, until somebody has looked often enough.
fn grown() -> usize {
    static LOOKS: AtomicUsize = AtomicUsize::new(0);
    LOOKS.fetch_add(1, Ordering::Relaxed)
}

#[test]
fn memory_is_looked_at_when_something_happens_however_short_the_run() {
    let mut options = Options::default();
    options.limits.memory_in_use = Some(grown);
    let answer = verify(&subject("race.weave", RACE), &options).unwrap();
    // At the start and at the end, and for each bound.
    let bounds = answer.observations().len() as u64;
    assert!(answer.object().peak_memory_bytes.unwrap() > bounds, "{bounds} bounds");
}

/// A program that was built, and a system that is no program, are asked like a text.
#[test]
fn programs_and_systems_are_subjects() {
    let race = subject("race.weave", RACE);
    let program = race.counted_program().unwrap().unwrap();
    let built = Subject::of_program("built", &program, InputOptions::default()).unwrap();
    assert_eq!(built.source().name(), "built.weave");
    let [read, built] = [&race, &built].map(|it| verify(it, &Options::default()).unwrap());
    assert_eq!(built.object().bound, read.object().bound);
    assert_eq!(built.object().bound.unwrap().contexts, Some(3));

    // Two threads, each of which moves the shared state on once: `done` takes both.
    let make = || -> Arc<dyn System> {
        let mut tables = Tables::builder();
        let [idle, half, done] = ["idle", "half", "done"].map(|name| tables.shared(name));
        let worker = tables.template("worker");
        let work = tables.symbol(worker, "work");
        tables.rule(worker, idle, Some(work), half, Word::EMPTY);
        tables.rule(worker, half, Some(work), done, Word::EMPTY);
        tables.thread("one", worker, vec![work]);
        tables.thread("two", worker, vec![work]);
        tables.initial(idle);
        Arc::new(tables.build())
    };
    let deadlock = Options { deadlock: Deadlocks::All, evidence: true, ..Options::default() };
    let workers = Subject::of_system("workers", Vec::new(), make).unwrap();
    let answer = verify(&workers, &deadlock).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe, "{}", answer.sentence());
    let evidence = answer.evidence().unwrap().unwrap().to_text();
    assert!(recheck(&workers, &evidence, &deadlock).unwrap().is_ok());
    // Without deadlocks nothing was asked for, and the evidence is not about that.
    assert!(recheck(&workers, &evidence, &Options::default()).unwrap().is_err());
}

/// Whole stacks have no end where ids are kept, since there are more and more of them; two threads show the violation.
#[test]
fn any_number_of_threads_with_kept_ids_is_tried_from_below() {
    let text = "tid g; void f() { skip; } \
                void w() { tid t; t := async f(); g := t; assert g == t; } thread w * any;";
    let subject = subject("kept.weave", text);
    let answer = verify(&subject, &with_evidence()).unwrap();
    assert_eq!(answer.name(), VerdictName::Unsafe, "{}", answer.sentence());
    let evidence = answer.evidence().unwrap().expect("a schedule").to_text();
    assert!(recheck(&subject, &evidence, &Options::default()).unwrap().is_ok());
}

/// From above there are proofs and no violations, with started threads, too.
#[test]
fn cuts_never_find_a_violation() {
    let ask = |text: &str| {
        let options = Options { engine: EngineName::Cuts, ..Options::default() };
        verify(&subject("cuts.weave", text), &options).unwrap().name()
    };
    let started = |claim: &str| {
        format!(
            "bool x := false; void f() {{ x := true; }} thread m {{ async f(); assert {claim}; }}"
        )
    };
    assert_eq!(ask(&started("!x")), VerdictName::Unknown);
    assert_eq!(ask(&started("x || !x")), VerdictName::Safe);
    assert_eq!(ask("bool x; thread a { assert x; }"), VerdictName::Unknown);
}

/// Threads that are started and joined in a loop, in rounds; two ids are not compared there.
#[test]
fn fork_and_join_in_a_loop_in_rounds() {
    let ask = |body: &str| {
        let text = format!(
            "bool task := false; void DoTask() {{ task := !task; }}
             thread zero {{ tid t, u; bool v; while (true) {{ v := *; task := v; {body} }} }}"
        );
        let subject = subject("loop.weave", &text);
        let answer = check(&subject, Bound::rounds(3), &Options::default()).unwrap();
        (answer.name(), answer.sentence())
    };
    let joined = ask("t := async DoTask(); join t; assert task != v;");
    assert_eq!(joined.0, VerdictName::Bounded, "{}", joined.1);
    let not_joined = ask("t := async DoTask(); assert t != none; assert task == v;");
    assert_eq!(not_joined.0, VerdictName::Unsafe, "{}", not_joined.1);
    // Whoever joins a thread that never acts waits for ever.
    let late = ask("t := async DoTask(); u := async DoTask(); join u; join t; assert task == v;");
    assert_eq!(late.0, VerdictName::Bounded, "{}", late.1);
    let compared = ask("t := async DoTask(); u := async DoTask(); assert t != u;");
    assert_eq!(compared.0, VerdictName::Unknown);
    assert!(compared.1.contains("two ids of started threads are compared"), "{}", compared.1);
}

/// What an answer says, but for what it cost.
fn told(answer: &selvedge::Answer) -> (String, Option<String>) {
    let mut object = answer.object();
    (object.time_s, object.peak_memory_bytes) = (None, None);
    let evidence = answer.evidence().unwrap().map(|evidence| evidence.to_text());
    (serde_json::to_string(&object).unwrap(), evidence)
}

/// Going on to a larger bound says what a new question says, whether states are left out or not.
#[test]
fn an_answer_goes_on() {
    let locks = "lock a; lock b; int[0..3] x := 0;
        thread left { acquire(a); acquire(b); x := x + 1; release(b); release(a); }
        thread right * 2 { acquire(b); x := 2; release(b); assert x != 3; }";
    for (name, text) in [("race.weave", RACE), ("endless.weave", ENDLESS), ("locks.weave", locks)] {
        let subject = subject(name, text);
        for reduction in [true, false] {
            let anew = Options { reduction, ..with_evidence() };
            let options = Options { keep: true, ..anew.clone() };
            let mut answer = check(&subject, Bound::contexts(0), &options).unwrap();
            for contexts in 1..6 {
                answer = answer.further(contexts, &options).unwrap();
                let other = check(&subject, Bound::contexts(contexts), &anew).unwrap();
                assert_eq!(told(&answer), told(&other), "{name}, {contexts}, {reduction}");
            }
            // A smaller bound is asked about anew, and an answer that was not kept as well.
            let smaller = answer.further(2, &options).unwrap();
            let other = check(&subject, Bound::contexts(2), &anew).unwrap();
            assert_eq!(told(&smaller), told(&other), "{name}, {reduction}");
            assert_eq!(told(&other.further(2, &anew).unwrap()), told(&smaller), "{name}");
        }
    }
    let race = subject("race.weave", RACE);
    let without_bound = verify(&race, &Options { keep: true, ..Options::default() }).unwrap();
    assert!(without_bound.further(3, &Options::default()).is_err());
}

/// The table beside an answer goes on from what was explored for it.
#[test]
fn a_table_goes_on_from_an_answer() {
    let subject = subject("race.weave", RACE);
    let anew = Options { reduction: false, ..Options::default() };
    let kept = verify(&subject, &Options { keep: true, ..anew.clone() }).unwrap();
    let other = verify(&subject, &anew).unwrap();
    let tables = [kept, other].map(|answer| answer.table(30, 1 << 20).unwrap());
    let [on, new] = tables.map(|table| (table.outcome.observations, table.new_visible));
    assert_eq!(on, new);
    assert!(on.0.len() > 4, "it goes on after the violation at three contexts");
}

/// Asks about a text.
fn asked(text: &str, options: &Options) -> selvedge::Answer {
    let subject = Subject::parse("t.weave", text, InputOptions::default()).unwrap();
    verify(&subject, options).unwrap()
}

#[test]
fn who_waits_for_another_thread_for_ever_is_a_violation() {
    let locks = "lock a; lock b; bool x := false;\n\
        thread left { acquire a; acquire b; release b; release a; assert !x; }\n\
        thread right { acquire b; acquire a; release a; release b; assert !x; }";
    let none = Options { deadlock: Deadlocks::No, ..Options::default() };
    let all = Options { deadlock: Deadlocks::All, ..Options::default() };
    let waits = Options::default();
    let broken = |answer: &selvedge::Answer| answer.object().broken;
    let answer = asked(locks, &waits);
    assert_eq!(
        (answer.name(), broken(&answer).as_deref()),
        (VerdictName::Unsafe, Some("wait-deadlock"))
    );
    assert_eq!(asked(locks, &none).name(), VerdictName::Safe);
    assert_eq!(broken(&asked(locks, &all)).as_deref(), Some("deadlock"));
    // In front of an `assume` alone it may be meant.
    let assumes = "bool go := false; lock m; thread t { acquire m; release m; assume go; }";
    assert_eq!(asked(assumes, &waits).name(), VerdictName::Safe);
    assert_eq!(asked(assumes, &all).name(), VerdictName::Unsafe);
    // One who waits for a thread that does is enough.
    let joins =
        "bool go := false; void f() { assume go; } thread t { tid t := async f(); join t; }";
    assert_eq!(asked(joins, &waits).name(), VerdictName::Unsafe);
    // So is a lock inside of an atomic section, also in what it calls.
    let inside =
        "lock m; void take() { acquire m; } thread t { atomic { take(); } atomic { take(); } }";
    assert_eq!(asked(inside, &waits).name(), VerdictName::Unsafe);
    for waits_for in [
        "semaphore s := 0; thread t { acquire s; }",
        "lock m; condition c; thread t { acquire m; wait c, m; release m; }",
        "barrier b := 2; thread t { wait b; }",
        "chan[1] bool c; thread t { send(c, true); send(c, true); }",
        "chan[1] bool c; thread t { bool b := receive(c); }",
        "chan bool c; thread t { send(c, true); }",
        "chan bool c, d; bool b; thread t { either when b := receive(c) { } or when b := receive(d) { } }",
    ] {
        let answer = asked(waits_for, &waits);
        assert_eq!(answer.name(), VerdictName::Unsafe, "{waits_for}");
        assert_eq!(broken(&answer).as_deref(), Some("wait-deadlock"), "{waits_for}");
        assert_eq!(asked(waits_for, &none).name(), VerdictName::Safe, "{waits_for}");
    }
}

/// In Boolean programs and tables deadlocks have to be asked for; a proof says that nobody did.
#[test]
fn other_languages_are_asked_for_deadlocks_by_option() {
    let table = "shared 0 1\ninit 0\nthread T starts a {\n  0 a -> 1 b\n}\ntarget 0|b\n";
    let program = "void main() begin assume(0); assert(0); end";
    for (name, text) in [("t.cpds", table), ("t.bp", program)] {
        let subject = subject(name, text);
        let answer = verify(&subject, &Options::default()).unwrap();
        assert_eq!(answer.name(), VerdictName::Safe, "{name}");
        let told = answer.text(TraceOptions { full: false, paint: Paint { colours: false } });
        assert!(told.contains("deadlocks (--deadlock)"), "{told}");
        let all = Options { deadlock: Deadlocks::All, ..Options::default() };
        let answer = verify(&subject, &all).unwrap();
        assert_eq!(answer.name(), VerdictName::Unsafe, "{name}");
        assert_eq!(answer.object().broken.as_deref(), Some("deadlock"), "{name}");
    }
}

#[test]
fn the_fewest_contexts_are_those_of_both_kinds_of_violation() {
    // The assertion takes three contexts, the deadlock two; and the other way round.
    let text = |first: &str| {
        format!(
            "lock a; lock b; int[0..9] x := 0;\n\
         thread left {{ {first} acquire a; acquire b; release b; release a; }}\n\
         thread right {{ acquire b; x := 1; acquire a; release a; release b; }}"
        )
    };
    let answer = asked(&text("x := 2; assert x == 2;"), &Options::default());
    assert_eq!(answer.object().broken.as_deref(), Some("wait-deadlock"), "{}", answer.sentence());
    assert_eq!(answer.object().bound.unwrap().contexts, Some(2));
    let answer = asked(&text("assert x == 0;"), &Options::default());
    assert_eq!(answer.object().bound.unwrap().contexts, Some(2), "{}", answer.sentence());
}

/// There is nothing to prove about their assertions, so that question is over long before the deadlock is found.
#[test]
fn eight_philosophers_have_their_deadlock_by_default() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/locks/philosophers.weave");
    let text = std::fs::read_to_string(path).unwrap().replace("const N = 3;", "const N = 8;");
    assert!(text.contains("const N = 8;"));
    let answer = asked(&text, &Options::default());
    assert_eq!(answer.name(), VerdictName::Unsafe, "{}", answer.sentence());
    assert_eq!(answer.object().bound.unwrap().contexts, Some(8));
}

#[test]
fn what_is_not_decided_about_deadlocks_is_said_and_costs_no_proof() {
    // Any number of threads.
    let any = "lock m; int[0..1] x := 0;\n\
        thread w * any { acquire m; x := 1 - x; assert x <= 1; release m; }";
    let options = Options { evidence: true, ..Options::default() };
    let answer = asked(any, &options);
    assert_eq!(answer.name(), VerdictName::Safe, "{}", answer.sentence());
    assert_eq!(answer.object().property, "assertions");
    assert!(answer.object().undecided.unwrap().contains("any number"));
    // States without an end: the values before the lock make ever more of them.
    let endless = "lock m; bool x := true;\n\
        void down() { if (*) down(); acquire m; assert x; release m; }\n\
        thread t { down(); }";
    let answer = asked(endless, &options);
    assert_eq!(answer.name(), VerdictName::Safe, "{}", answer.sentence());
    // Evidence says what it is about, and nobody takes it for more.
    let subject = Subject::parse("t.weave", any, InputOptions::default()).unwrap();
    let answer = verify(&subject, &options).unwrap();
    let evidence = answer.evidence().unwrap().unwrap().to_text();
    let accepted =
        recheck(&subject, &evidence, &options).unwrap().unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(accepted.property, "assertions");
    let all = Options { deadlock: Deadlocks::All, ..Options::default() };
    assert!(recheck(&subject, &evidence, &all).unwrap().is_err());
    let claimed = evidence.replace("\"options\": {}", "\"options\": { \"waits\": true }");
    assert_ne!(claimed, evidence);
    assert!(recheck(&subject, &claimed, &options).unwrap().is_err());
}
