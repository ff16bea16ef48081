//! Any text as preprocessed C.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    selvedge_frontend::testing::survive_c(text);
    selvedge_frontend::testing::survive_c_whole(text);
});
