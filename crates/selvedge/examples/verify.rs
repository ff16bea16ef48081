//! Verifies a string: `cargo run -p selvedge --example verify`.

use selvedge::{InputOptions, Options, Subject, verify};

fn main() -> Result<(), selvedge::Failure> {
    let text = "lock m; int[0..2] count := 0;
                void add() { acquire m; count := count + 1; release m; assert count > 0; }
                thread add * 2;";
    let subject = Subject::parse("counter.weave", text, InputOptions::default())?;
    let answer = verify(&subject, &Options::default())?;
    println!("{}: {}", answer.verdict().word(), answer.sentence());
    Ok(())
}
