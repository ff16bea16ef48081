//! Engines of one shape: one that is made here takes part in the list of names, in the portfolio and in JSON.

use selvedge::{
    Answer, Bound, Engine, EngineName, Engines, Failure, InputOptions, Options, Portions, Question,
    Resource, Subject, VerdictName, check, verify,
};

/// Answers nothing but questions without a bound, by asking another engine, and at once.
struct Toy {
    place: Option<Portions>,
}

impl Engine for Toy {
    fn name(&self) -> EngineName {
        EngineName::Other("toy")
    }

    fn about(&self) -> &'static str {
        "Asks somebody else"
    }

    fn refuses_bound(&self, resource: Option<Resource>) -> Option<Failure> {
        resource.map(|_| Failure::usage("the toy knows no bounds"))
    }

    fn place(&self, question: &Question) -> Option<Portions> {
        self.place.filter(|_| question.bound().is_none())
    }

    fn answer(&self, question: &Question) -> Result<Answer, Failure> {
        let explicit =
            question.options().engines.get(EngineName::Explicit).expect("it is built in");
        Ok(explicit.answer(question)?.by("toy"))
    }
}

fn options(engine: EngineName, place: Option<Portions>) -> Options {
    let engines = Engines::default().with(Toy { place });
    Options { engine, engines, ..Options::default() }
}

fn race() -> Subject {
    let text = "int[0..2] count := 0;
        void worker() { int[0..2] seen := count; count := seen + 1; assert count == seen + 1; }
        thread worker * 2;";
    Subject::parse("race.weave", text, InputOptions::default()).unwrap()
}

#[test]
fn an_engine_is_registered_with_one_line() {
    let options = options(EngineName::Other("toy"), None);
    let names: Vec<_> = options.engines.names().collect();
    assert!(names.contains(&(EngineName::Other("toy"), "Asks somebody else")));
    assert_eq!(options.engines.parse("toy").unwrap(), EngineName::Other("toy"));
    let wrong = options.engines.parse("toi").unwrap_err().to_string();
    assert_eq!(wrong, "there is no engine `toi`; did you mean `toy`?");

    let answer = verify(&race(), &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Unsafe);
    assert_eq!(answer.object().engine.as_deref(), Some("toy"));
    assert!(answer.json(None).contains("\"engine\": \"toy\""), "{}", answer.json(None));

    let refused = check(&race(), Bound::contexts(2), &options).err().expect("it is refused");
    assert_eq!(refused.to_string(), "the toy knows no bounds");
}

#[test]
fn an_engine_takes_turns_with_the_others() {
    // Whoever stands first in the list answers first where all are done in one portion.
    let beside = options(EngineName::Auto, Some(Portions::FIRST));
    assert_eq!(
        verify(&race(), &beside).unwrap().object().engine.as_deref(),
        Some("contexts-explicit")
    );
    let absent = options(EngineName::Auto, None);
    assert_eq!(
        verify(&race(), &absent).unwrap().object().engine.as_deref(),
        Some("contexts-explicit")
    );

    // What the others never answer, it does: a counter without an end, and no solver.
    let text =
        "int n := 0; void count() { while (true) { n := n + 1; assert n < 50000; } } thread count;";
    let counter = Subject::parse("counter.weave", text, InputOptions::default()).unwrap();
    let late = Some(Portions::later(1 << 12, 1 << 20));
    for jobs in [1, 2] {
        let options = Options { solver: None, jobs, ..options(EngineName::Auto, late) };
        assert_eq!(verify(&counter, &options).unwrap().object().engine.as_deref(), Some("toy"));
    }
}

/// From above, threads that wait for a call are seen beside the results of another one.
#[test]
fn results_of_another_call_are_nobodys() {
    let text = "enum One { A } enum Two { B, C }
        One f() { return A; }
        Two g() { return C; }
        thread a { One o := f(); assert o == A; }
        thread b { Two t := g(); assert t == C; }";
    let subject = Subject::parse("results.weave", text, InputOptions::default()).unwrap();
    for engine in Engines::default().names().map(|(name, _)| name) {
        let options = Options { engine, solver: None, ..Options::default() };
        match verify(&subject, &options) {
            // Generators may be missing for ever.
            Ok(answer) if engine == EngineName::Generators => {
                assert_ne!(answer.name(), VerdictName::Unsafe, "{engine}");
            }
            Ok(answer) => assert_eq!(answer.name(), VerdictName::Safe, "{engine}"),
            Err(refused) => {
                let why = refused.to_string();
                assert!(why.contains("only") || why.contains("need a solver"), "{engine}: {why}");
            }
        }
    }
}

/// Where delays are the first to find a violation, sets of stacks still tell how few contexts it takes.
#[test]
fn a_violation_that_delays_find_has_the_fewest_contexts() {
    let text = "u8 x := 0; bool f := false;
        void go(int[0..1] me) {
          if (*) go(me);
          u8 t := x; x := t + 1;
          if (x > 3) x := 0;
          if (f && *) go(1 - me);
          assert x < 4 || f;
          assert !f || x != 3;
        }
        thread a = go(0);
        thread b = go(1);
        thread c { f := true; }";
    let subject = Subject::parse("recursive.weave", text, InputOptions::default()).unwrap();
    let answer = verify(&subject, &Options::default()).unwrap();
    assert_eq!(answer.name(), VerdictName::Unsafe);
    assert_eq!(answer.object().bound.and_then(|bound| bound.contexts), Some(2));
}
