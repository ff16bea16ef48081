//! A text in C is followed up to limits. What engines say of it is accepted without anybody repeating how they asked; what holds of the
//! program up to a limit, and not of the text, is refused.

use std::collections::BTreeMap;

use selvedge::{
    Budget, Deadlocks, InputOptions, Livelock, Options, Subject, VerdictName, livelock, recheck,
    verify,
};
use selvedge_analysis::fair::{Question, search};
use selvedge_check::evidence_options;
use selvedge_evidence::format::{Document, Subject as About, digest};
use selvedge_model::Endless;
use serde_json::{Value, json};

/// Eight objects at a time, and pools have five at first.
const EIGHT: &str = "extern void reach_error(void); extern void *malloc(unsigned long); extern void free(void *);
struct n { struct n *next; };
int main(void) {
  struct n *h = 0; int c = 0;
  for (int i = 0; i < 8; i++) { struct n *k = malloc(sizeof *k); if (!k) return 0; k->next = h; h = k; }
  while (h) { struct n *k = h->next; free(h); h = k; c++; }
  if (c != 8) reach_error();
  return 0;
}";

/// More objects at a time than any pool has; then it ends.
const MANY: &str = "extern void *malloc(unsigned long);
int main(void) {
  int c = 0;

  for (int i = 0; i < 100; i++) { _Bool *k = malloc(1); if (!k) return 0; c++; }
  return c;
}";

const COUNTER: &str = "typedef unsigned long pthread_t; typedef struct { int kind; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *);
int x; pthread_mutex_t m;
void *w(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0); return 0; }";

fn program(text: &str, property: Option<&str>) -> Subject {
    let mut options = InputOptions::default();
    if let Some(property) = property {
        options.c.options = selvedge_frontend::c::lower::Options::only(property).unwrap();
    }
    Subject::parse("program.i", text, options).unwrap()
}

fn asked() -> Options {
    Options { evidence: true, ..Options::default() }
}

/// Why evidence is refused; `None` if it is accepted.
fn refused(about: &Subject, evidence: &Value) -> Option<String> {
    recheck(about, &evidence.to_string(), &Options::default()).expect("it can be looked at").err()
}

/// Gives the evidence of an answer as JSON.
fn evidence(answer: &selvedge::Answer) -> Value {
    let text = answer.evidence().expect("it can be written").expect("there is some").to_text();
    serde_json::from_str(&text).expect("JSON")
}

/// A run of so many steps of `main`, which is said to be a violation.
fn run(text: &str, steps: usize) -> Value {
    json!({
        "selvedge": "0.1.0", "evidence": 3, "file": "program.i", "digest": digest(text), "options": {},
        "property": "assertions", "kind": "violation",
        "violation": { "property": 0, "contexts": 1, "schedule": [format!("main * {steps}")] },
    })
}

#[test]
fn larger_pools_need_not_be_asked_for() {
    let subject = program(EIGHT, None);
    let answer = verify(&subject, &asked()).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe, "{}", answer.sentence());
    let genuine = evidence(&answer);
    assert_eq!(genuine["options"], json!({ "c": { "heap": "20" } }));
    assert_eq!(refused(&subject, &genuine), None);
    let mut forged = genuine;
    for heap in ["7", "5", "100000000"] {
        forged["options"]["c"]["heap"] = json!(heap);
        let why = refused(&subject, &forged).expect("refused");
        assert!(why.contains(&format!("made with heap: {heap}")), "{why}");
    }
}

#[test]
fn a_run_that_ends_at_a_limit_is_no_violation() {
    let subject = program(EIGHT, None);
    let why = (1..200).map(|steps| refused(&subject, &run(EIGHT, steps)).expect("it is safe"));
    let why: Vec<String> = why.collect();
    let at_a_limit =
        |why: &&String| why.contains("cannot be followed beyond line 5: more than 5 objects");
    assert_eq!(why.iter().filter(at_a_limit).count(), 1, "{why:?}");
}

#[test]
fn what_the_text_alone_shows_is_accepted() {
    let subject = program(COUNTER, Some("no-data-race"));
    let answer = verify(&subject, &asked()).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe, "{}", answer.sentence());
    let genuine = evidence(&answer);
    assert_eq!(genuine["options"]["c"]["limits"], "end runs");
    assert_eq!(refused(&subject, &genuine), None);
    // Where something else is asked, a proof is about runs that go on.
    let subject = program(MANY, None);
    let ending = subject.ending_at_limits().unwrap();
    let forged = evidence(&verify(&ending, &asked()).unwrap());
    assert_eq!(forged["options"]["c"]["limits"], "end runs");
    let why = refused(&subject, &forged).expect("refused");
    assert!(why.contains("made with limits: end runs"), "{why}");
}

#[test]
fn endless_runs_in_c_need_no_options() {
    let text = "int x; int main(void) { while (1) { x = !x; } return 0; }";
    let ends = "int x; int main(void) { while (x < 3) { x++; } return 0; }";
    for (text, verdict) in [(text, VerdictName::Nonterminating), (ends, VerdictName::Safe)] {
        let subject = program(text, None);
        let answer = livelock(&subject, &Livelock::default(), &asked()).unwrap();
        assert_eq!(answer.name(), verdict, "{}", answer.sentence());
        let genuine = evidence(&answer);
        assert_eq!(refused(&subject, &genuine), None);
    }
}

/// That all runs end which end at a limit at the latest says nothing of the text.
#[test]
fn an_end_at_a_limit_is_no_end() {
    let subject = program(MANY, None);
    let answer = livelock(&subject, &Livelock::default(), &asked()).unwrap();
    assert_eq!(answer.name(), VerdictName::Unknown, "{}", answer.sentence());
    let opened = subject.marking_the_end().unwrap().with_all_threads().unwrap();
    let question =
        Question { system: &*opened.system, endless: Endless::default(), evidence: true };
    let outcome = search(&question, &Budget::default(), &|_| {});
    let proof = outcome.evidence.unwrap_or_else(|| panic!("{:?}", outcome.verdict));
    let about = About {
        file: "program.i".to_owned(),
        digest: digest(MANY),
        options: evidence_options(&opened.options, Deadlocks::No),
        chosen: BTreeMap::new(),
        property: "fair-termination".to_owned(),
    };
    let forged = Document::new(&*opened.system, about, &proof).expect("it can be written");
    let forged = serde_json::from_str(&forged.to_text()).expect("JSON");
    let why = refused(&subject, &forged).expect("refused");
    assert!(why.contains("runs cannot be followed beyond line 5: more than 5 objects"), "{why}");
}
