//! # Lowering on the fly

use std::collections::BTreeMap;

/// Numbers of threads that replace those of the program (`--threads NAME=N`).
pub type ThreadCounts = BTreeMap<String, u32>;
