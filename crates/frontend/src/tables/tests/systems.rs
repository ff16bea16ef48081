//! What tables mean, and what a reader must accept.

use expect_test::{Expect, expect};
use selvedge_model::{System, TemplateId};

use super::super::{Format, TableInput, print};
use super::{read_with, refusal};

fn read(format: Format, text: &str, init: Option<&str>, target: Option<&str>) -> TableInput {
    match read_with(format, text, init, target) {
        Ok(input) => input,
        Err(error) => panic!("{error}"),
    }
}

/// A table as `.cpds`, which shows all of it.
fn check(format: Format, text: &str, init: Option<&str>, target: Option<&str>, expect: Expect) {
    let input = read(format, text, init, target);
    let printed = print::cpds(&input.tables, &input.targets);
    expect.assert_eq(&printed.unwrap_or_else(|error| error.to_string()));
}

/// The running example of the CUBA paper, Fig. 1.
const FIGURE_1: &str = "\
# CUBA, Fig. 1
shared 0 1 2 3
init 0
thread T1 starts 1 {
  0 1 -> 1 2
  3 2 -> 0 1
}
thread T2 starts 4 {
  0 4 -> 0 -
  1 4 -> 2 5
  2 5 -> 3 4 6
}
target 3|*,4
";

#[test]
fn the_running_example() {
    check(
        Format::Cpds,
        FIGURE_1,
        None,
        None,
        expect![[r#"
        shared 0..3
        init 0

        thread T1 starts 1 {
          0 1 -> 1 2
          3 2 -> 0 1
        }

        thread T2 starts 4 {
          0 4 -> 0 -
          1 4 -> 2 5
          2 5 -> 3 4 6
        }

        target 3|*,4
    "#]],
    );
}

#[test]
fn quirks_of_published_files() {
    // Comments before the count and after a rule, both ends of lines, symbols outside of the
    // range, a repeated rule, a last line without end.
    let text = "# comment\r\n\n  2 # states\r\nPDA 2 5 # thread\n0 2 -> 0 13 3 # call\r\n\
                0 5->1 6\r\n0 5 -> 1 6\n\tPDA 9 9\n0 - -> 0 9\n1 09 -> 0 -";
    check(
        Format::Pds,
        text,
        Some("0|2.5,-"),
        Some("1|13,*\n0|2,-"),
        expect![[r#"
        shared 0..1
        init 0

        thread T1 starts 2 5 {
          0 2 -> 0 13 3
          0 5 -> 1 6
        }

        thread T2 starts - {
          0 - -> 0 9
          1 9 -> 0 -
        }

        target 1|13,*
        target 0|2,-
    "#]],
    );
}

#[test]
fn equal_rules_are_one_template() {
    let text = "1\nPDA 1 2\n0 1 -> 0 2\n0 2 -> 0 1\nPDA 1 5\n0 2 -> 0 1\n0 1 -> 0 2\n\
                PDA 1 2\n0 1 -> 0 2\n";
    check(
        Format::Pds,
        text,
        Some("0|1,4,1"),
        Some("somewhere 0|2"),
        expect![[r#"
        shared 0
        init 0

        thread T1 starts 1 {
          0 1 -> 0 2
          0 2 -> 0 1
        }

        thread T2 like T1 starts 4

        thread T3 starts 1 {
          0 1 -> 0 2
        }

        target somewhere 0|2 in T1
        target somewhere 0|2 in T3
    "#]],
    );
    let tables = read(Format::Pds, text, Some("0|1,4,1"), None).tables;
    assert_eq!(tables.threads()[0].template, tables.threads()[1].template);
    assert_ne!(tables.threads()[0].template, tables.threads()[2].template);
}

#[test]
fn the_first_line_of_a_repeated_rule_is_kept() {
    let tables =
        read(Format::Pds, "1\nPDA 1 2\n0 2 -> 0 -\n0 1 -> 0 2\n0 1 -> 0 2\n", Some("0|1"), None);
    let lines: Vec<_> = tables.tables.rules(TemplateId(0)).iter().map(|rule| rule.line).collect();
    assert_eq!(lines, [4, 3]);
}

#[test]
fn instances() {
    let text = "shared idle busy\ninit idle\nthread W * 2 starts a | b c {\n  idle a -> busy - + b\n}\n\
                thread V like W starts -\ntarget somewhere busy|a in V\n";
    check(
        Format::Cpds,
        text,
        None,
        None,
        expect![[r#"
        shared idle busy
        init idle

        thread W * 2 starts a | b c {
          idle a -> busy - + b
        }

        thread V like W starts -

        target somewhere busy|a in W
    "#]],
    );
    let tables = read(Format::Cpds, text, None, None).tables;
    assert_eq!(tables.initial().expect("listed").len(), 4);
    check(
        Format::Cpds,
        text,
        Some("busy|b.c,a,-"),
        Some("*|-,-,-"),
        expect![[r#"
            shared idle busy
            init busy

            thread W * 0 starts - {
              idle a -> busy - + b
            }

            thread W.1 like W starts b c

            thread W.2 like W starts a

            thread V like W starts -

            target *|-,-,-
        "#]],
    );
}

#[test]
fn transition_systems() {
    let text = "# shared state 0: m=0\n# shared state 2: m=1\n# local state num is pc\n# shared state space: small\n\
                # local state 0: pc=0\n5 24\n# local state 7: not in the header\n\
                0 0 -> 0 1\n0 1 +> 1 2\n";
    check(
        Format::Tts,
        text,
        None,
        Some("4|23"),
        expect![[r#"
        shared 0..4
        init 0 2

        thread thread with 23 starts 0 {
          0 0 -> 0 1
          0 1 -> 1 1 + 2
        }

        target somewhere 4|23
    "#]],
    );
    check(
        Format::Tts,
        "1 1\n",
        None,
        None,
        expect![[r#"
        shared 0
        init 0

        thread thread starts 0 {
        }
    "#]],
    );
}

#[test]
fn huge_counts_cost_nothing() {
    let text = "4000000000\nPDA 0 4294967295\n3999999999 4294967295 -> 0 7\n";
    check(
        Format::Pds,
        text,
        Some("3999999999|4294967295"),
        None,
        expect![[r#"
        shared 0..3999999999
        init 3999999999

        thread T1 starts 4294967295 {
          3999999999 4294967295 -> 0 7
        }
    "#]],
    );
    check(
        Format::Cpds,
        "shared 0..3999999999\ninit 7\nthread T starts a { }",
        None,
        None,
        expect![[r#"
            shared 0..3999999999
            init 7

            thread T starts a {
            }
        "#]],
    );
    check(
        Format::Tts,
        "4294967295 4294967295\n",
        None,
        Some("9|4294967294"),
        expect![[r#"
        shared 0..4294967294
        init 0

        thread thread with 4294967294 starts 0 {
        }

        target somewhere 9|4294967294
    "#]],
    );
}

#[test]
fn other_formats() {
    let input = read(Format::Cpds, FIGURE_1, None, Some("3|2,4"));
    let files = print::pds(&input.tables, &input.targets).expect("expressible");
    expect![[r#"
        4
        # T1
        PDA 1 2
        0 1 -> 1 2
        3 2 -> 0 1
        # T2
        PDA 4 6
        0 4 -> 0 -
        1 4 -> 2 5
        2 5 -> 3 4 6
        ---
        0|1,4
        ---
        3|2,4
    "#]]
    .assert_eq(&format!("{}---\n{}---\n{}", files.pds, files.init, files.spec.unwrap_or_default()));
    let named = "shared idle busy\ninit idle\nthread W starts a {\n  idle a -> busy b\n}\n";
    let input = read(Format::Cpds, named, None, Some("somewhere busy|b"));
    let files = print::tts(&input.tables, &input.targets).expect("expressible");
    expect![[r#"
        # shared 0: idle
        # shared 1: busy
        #   0: a
        #   1: b
        # shared state 0:
        # local state 0:
        2 2
        0 0 -> 1 1
        ---
        1|1
    "#]]
    .assert_eq(&format!("{}---\n{}", files.tts, files.prop.unwrap_or_default()));
    let why = print::pds(&input.tables, &input.targets).expect_err("about any thread");
    expect!["a target is about any thread"].assert_eq(&why.to_string());
}

#[test]
fn no_bytes_make_a_reader_panic() {
    let pieces: Vec<&str> = "0 1 PDA -> +> | , - * + { } \n \r # é \u{feff} \0 shared init thread \
        target starts like with somewhere in 0..3 99999999999 :"
        .split(' ')
        .chain(["# shared state 1:"])
        .collect();
    let mut seed = 7u32;
    for _ in 0..1_000 {
        let mut text = String::new();
        for _ in 0..20 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text += pieces[(seed >> 16) as usize % pieces.len()];
            text += if seed & 0x1000 == 0 { " " } else { "" };
        }
        for format in [Format::Pds, Format::Cpds, Format::Tts] {
            let _ = refusal(format, &text, Some(&text), Some(&text));
            let _ = refusal(format, "1\nPDA 0 1\n", Some(&text), Some(&text));
        }
    }
}
