//! Verifies a string: `cargo run -p selvedge --example verify`.

use selvedge::{InputOptions, Options, Subject, Verdict, verify};

fn main() -> Result<(), selvedge::Failure> {
    let text = "int[0..2] count := 0;
                void add() { int[0..2] seen := count; count := seen + 1; assert count == seen + 1; }
                thread add * 2;";
    let subject = Subject::parse("counter.weave", text, InputOptions::default())?;
    let answer = verify(&subject, &Options::default())?;
    println!("{}: {}", answer.name().word(), answer.sentence());
    if let Verdict::Unsafe(violation) = answer.verdict() {
        for step in violation.steps() {
            println!("{} makes count {}", step.thread, step.shared["count"]);
        }
    }
    Ok(())
}
