//! Any text as a table with its initial state and its targets.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| selvedge_frontend::testing::survive_tables(text));
