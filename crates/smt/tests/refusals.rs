//! What cannot be followed is refused, with a reason; nothing is proved of it.

use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_program::flow;
use selvedge_program::{Source, ThreadCounts};
use selvedge_smt::Refusal;
use selvedge_smt::layout::{Layout, Standing};
use selvedge_smt::symbolic::paths;

fn refusal(text: &str) -> String {
    let source = Source::new("test.weave", text);
    let (file, mistakes) = weave::parse(&source);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let (program, mistakes) = check(&file, &CheckOptions::default());
    let program = program.unwrap_or_else(|| panic!("{mistakes:?}"));
    let flow = flow::build(&program).expect("a flow graph");
    let all = || -> Result<(), Refusal> {
        let layout = Layout::new(&program, &flow, &ThreadCounts::new())?;
        for index in 0..flow.locations.len() {
            let loc = flow::Loc(index as u32);
            if flow.location(loc).proc == layout.classes[0].proc && !flow.location(loc).atomic {
                paths(&layout, &source, Standing { class: 0, loc: Some(loc) })?;
            }
        }
        Ok(())
    };
    all().expect_err("refused").to_string()
}

#[test]
fn what_is_not_followed_names_its_line() {
    let cases = [
        (
            "int x;\nvoid f() { x := 1; }\nvoid p() {\n f();\n}\nthread p;",
            "line 4: `f` is called here: write its body in its place; the engine `predicates` does not",
        ),
        (
            "int x;\nvoid f() { x := 1; }\nvoid p() {\n async f();\n}\nthread p;",
            "line 4: threads are started or joined here: declare them, as in `thread worker * any`;",
        ),
        (
            "int x := 0;\nvoid p() {\n atomic { while (x < 3) { x++; } }\n}\nthread p;",
            "too many ways through, or a loop",
        ),
        ("int x;\nvoid p(int[0..2] i) { x := i; }\nthread q[i] * any = p(i);", "may not fit `i`"),
        (
            "u8 x := 1;\nvoid p() {\n x := x + 200;\n x := x << 1;\n}\nthread p;",
            "line 4: `<<` works on bits, and formulas are about whole numbers",
        ),
        ("int x[100] := 0;\nvoid p() { x[0] := 1; }\nthread p;", "more than 64 elements"),
    ];
    for (text, reason) in cases {
        let said = refusal(text);
        assert!(said.contains(reason), "{said}");
    }
}
