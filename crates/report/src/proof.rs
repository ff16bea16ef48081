//! # Proofs in words

use crate::text::count;

/// Stacks that are cut, threads that are counted.
pub(crate) fn cuts_and_counting(depth: usize, dangerous: usize, relations: usize) -> String {
    let kept = match depth {
        1 => "the top symbol".to_owned(),
        n => format!("the top {n} symbols"),
    };
    let tied = match relations {
        0 => String::new(),
        n => {
            format!(", {} between heights of stacks and numbers of threads", count(n, "relation"))
        }
    };
    let states = match dangerous {
        0 => {
            return format!(
                "stacks cut and threads counted: {kept} of each stack kept{tied}; no violation is left, \
                 whatever the other threads do"
            );
        }
        1 => "a dangerous state".to_owned(),
        n => format!("one of {n} dangerous states"),
    };
    format!(
        "stacks cut and threads counted: {kept} of each stack kept{tied}; a violation has to go through \
         {states}, and no number of threads gets there"
    )
}
