//! # Types of other languages
//! `uint8_t`, `pthread_mutex_t`, `Vec<u32>`, `static`: the type that is meant, or what there is in its place.

use selvedge_program::Type;

use super::{GLOBAL, beginning};

/// What to write instead of `Vec<u32> v`, a type of another language with a parameter.
pub(crate) fn generic(word: &str, argument: &str) -> String {
    match word {
        "Vec" | "vector" | "List" | "ArrayList" | "array" | "Array" => {
            format!("an array has a fixed length: `{argument} a[3];`")
        }
        "Option" | "Optional" | "Maybe" => {
            format!("there are no options: `bool is_there; {argument} x;`")
        }
        "Mutex" | "RwLock" => {
            format!("a lock stands beside what it guards: `lock m; {argument} x;`")
        }
        "Arc" | "Rc" | "Box" | "Cell" | "RefCell" | "atomic" | "Atomic" | "shared_ptr"
        | "unique_ptr" => {
            format!(
                "write `{argument} x;`: what stands outside of the procedures is shared by all threads"
            )
        }
        "Sender" | "Receiver" | "Channel" | "Queue" | "BlockingQueue" | "queue" => {
            format!("write `chan[2] {argument} c;`, for a channel that holds two")
        }
        _ => "types have no parameters: write it for each type".to_owned(),
    }
}

/// What to write instead of `let m = Mutex::new(…)`.
pub(crate) fn declaration(ty: &str, name: &str) -> Option<String> {
    let known = same_type(ty)?;
    Some(match known {
        "lock" | "condition" => format!("write `{known} {name};`, outside of the procedures"),
        "semaphore" | "barrier" => {
            format!("write `{known} {name} := …;`, outside of the procedures")
        }
        _ => format!("write `{known} {name} := …;`"),
    })
}

/// A word for a type, without what languages add to it.
fn plain_type(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    lower.trim_start_matches("std").trim_end_matches("_t").replace('_', "")
}

/// What a type of another language is called.
pub(crate) fn same_type(word: &str) -> Option<&'static str> {
    known_type(&plain_type(word))
}

/// The machine integer that a word stands for.
pub(crate) fn machine_integer(word: &str) -> Option<Type> {
    Type::machine(word).or_else(|| Type::machine(same_type(word)?))
}

/// The type that a word stands for.
fn known_type(plain: &str) -> Option<&'static str> {
    Some(match plain {
        "cond" | "condvar" | "cv" | "conditionvariable" | "pthreadcond" | "cnd" => "condition",
        "mutex" | "pthreadmutex" | "mtx" | "spinlock" | "reentrantlock" | "pthreadspinlock" => {
            "lock"
        }
        "sem" | "semaphore" => "semaphore",
        "barrier" | "cyclicbarrier" | "pthreadbarrier" => "barrier",
        "thread" | "pthread" | "thrd" | "threadid" | "joinhandle" => "tid",
        "uint8" | "byte" | "uchar" | "char" | "unsigned" => "u8",
        "uint16" | "ushort" => "u16",
        "uint32" | "uint" | "atomicuint" | "atomicu32" => "u32",
        "uint64" | "ulong" | "size" | "usize" | "uintptr" | "atomicusize" | "atomicu64" => "u64",
        "int8" => "i8",
        "int16" | "short" => "i16",
        "atomicu8" => "u8",
        "int32" | "signed" | "atomici32" => "i32",
        "int64" | "long" | "isize" | "ssize" | "atomici64" | "atomicisize" => "i64",
        "integer" | "nat" | "atomicint" | "atomicinteger" | "bigint" | "number" => "int",
        "atomicbool" | "atomicboolean" | "atomicflag" | "bit" => "bool",
        _ => return None,
    })
}

/// What to write instead of a type of another language.
pub(crate) fn ty(word: &str) -> Option<String> {
    let plain = plain_type(word);
    let Some(known) = known_type(&plain) else {
        return match plain.as_str() {
            "float" | "double" | "real" | "f32" | "f64" => {
                Some("there are no fractions: count in small units, with `int`".to_owned())
            }
            "int128" | "uint128" | "i128" | "u128" => Some(
                "the widest machine integers are `i64` and `u64`; `int` has no bounds".to_owned(),
            ),
            "rwlock" | "pthreadrwlock" | "readwritelock" | "sharedmutex" => Some(
                "there is none: a `lock`, the number of readers and a `condition` make one"
                    .to_owned(),
            ),
            "string" | "str" => {
                Some("there are no strings: `enum` gives names to values".to_owned())
            }
            "global" => Some(GLOBAL.to_owned()),
            _ => beginning(word).filter(|_| modifier(word).is_none()).map(str::to_owned),
        };
    };
    let unsized_word = matches!(plain.as_str(), "unsigned" | "signed" | "char" | "byte");
    Some(match unsized_word {
        true => format!("write `{known}`, or another of `u8` to `u64` and `i8` to `i64`"),
        false => format!("write `{known}`"),
    })
}

/// The advice about a word that stands before a type in other languages.
pub(crate) fn modifier(word: &str) -> Option<&'static str> {
    Some(match word {
        "unsigned" | "signed" | "long" | "short" => {
            "machine integers are `u8` to `u64` and `i8` to `i64`; `int` has no bounds"
        }
        "volatile" | "_Atomic" => {
            "leave it out: every variable is read from and written to memory, in the order of the program"
        }
        "inline" | "register" | "constexpr" => {
            "leave it out: it changes nothing about what happens"
        }
        "static" | "extern" | "public" | "private" | "protected" | "final" | "global" | "pub"
        | "mut" | "export" | "hidden" => {
            "leave it out: what stands outside of the procedures is shared by all threads"
        }
        "_Thread_local" | "thread_local" | "__thread" => {
            "declare it inside the procedure: each thread has its own variables there"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_other_languages() {
        for (word, known) in [
            ("cond", "condition"),
            ("condvar", "condition"),
            ("condition_variable", "condition"),
            ("pthread_mutex_t", "lock"),
            ("Mutex", "lock"),
            ("sem_t", "semaphore"),
            ("uint8_t", "u8"),
            ("size_t", "u64"),
            ("long", "i64"),
            ("pthread_t", "tid"),
        ] {
            assert_eq!(ty(word).unwrap(), format!("write `{known}`"));
        }
        assert_eq!(ty("Phase"), None);
    }
}
