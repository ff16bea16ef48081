//! Transcripts of the command line, executed. `TRYCMD=overwrite cargo test -p selvedge-cli` writes
//! what it says now; read the difference before you keep it.

#[test]
fn transcripts() {
    trycmd::TestCases::new()
        .case("tests/cmd/*.md")
        .case("tests/cmd/*.toml")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100");
}
