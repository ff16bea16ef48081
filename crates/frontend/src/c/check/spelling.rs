//! # Types as C writes them
//! For messages.

use super::Checker;
use crate::c::types::{Opaque, Signature, Type};

/// Types are written out so deep; what is below is `…`.
const DEEPEST: usize = 12;

impl Checker<'_> {
    /// The type as C writes it.
    pub fn spell(&self, ty: &Type) -> String {
        self.spell_around(ty, String::new(), DEEPEST)
    }

    fn spell_around(&self, ty: &Type, inner: String, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else { return format!("… {inner}") };
        let base = match ty {
            Type::Pointer(to) => {
                let inner = match &**to {
                    Type::Array(..) | Type::Function(_) => format!("(*{inner})"),
                    _ => format!("*{inner}"),
                };
                return self.spell_around(to, inner, depth);
            }
            Type::Array(element, length) => {
                let length = length.map(|n| n.to_string()).unwrap_or_default();
                return self.spell_around(element, format!("{inner}[{length}]"), depth);
            }
            Type::Function(signature) => {
                let params = self.spell_params(signature, depth);
                return self.spell_around(&signature.result, format!("{inner}({params})"), depth);
            }
            Type::Atomic(of) => {
                format!("_Atomic({})", self.spell_around(of, String::new(), depth))
            }
            Type::Void => "void".to_owned(),
            Type::Bool => "_Bool".to_owned(),
            Type::Int { signed, rank, .. } => {
                let word = match rank {
                    0 => "char",
                    1 => "short",
                    2 => "int",
                    3 => "long",
                    4 => "long long",
                    _ => "__int128",
                };
                if *signed { word.to_owned() } else { format!("unsigned {word}") }
            }
            Type::Floating(bytes) => match bytes {
                4 => "float".to_owned(),
                8 => "double".to_owned(),
                _ => "long double".to_owned(),
            },
            Type::Record(id) => {
                let record = self.types.record(*id);
                let word = if record.is_union { "union" } else { "struct" };
                if record.name.is_empty() {
                    format!("{word} {{…}}")
                } else {
                    format!("{word} {}", record.name)
                }
            }
            Type::Opaque(opaque) => name_of(*opaque).to_owned(),
        };
        if inner.is_empty() { base } else { format!("{base} {inner}") }
    }

    fn spell_params(&self, signature: &Signature, depth: usize) -> String {
        let mut params: Vec<String> =
            signature.params.iter().map(|ty| self.spell_around(ty, String::new(), depth)).collect();
        if signature.variadic {
            params.push("...".to_owned());
        }
        if params.is_empty() && !signature.unspecified {
            params.push("void".to_owned());
        }
        params.join(", ")
    }
}

/// The most common name of a type of the library.
pub(super) fn name_of(opaque: Opaque) -> &'static str {
    match opaque {
        Opaque::Thread => "pthread_t",
        Opaque::Mutex => "pthread_mutex_t",
        Opaque::MutexAttribute => "pthread_mutexattr_t",
        Opaque::Condition => "pthread_cond_t",
        Opaque::ReadWriteLock => "pthread_rwlock_t",
        Opaque::Barrier => "pthread_barrier_t",
        Opaque::SpinLock => "pthread_spinlock_t",
        Opaque::Semaphore => "sem_t",
        Opaque::Once => "pthread_once_t",
        Opaque::Key => "pthread_key_t",
        Opaque::Attribute => "pthread_attr_t",
        Opaque::VaList => "va_list",
    }
}

/// The type of the library that a typedef of this name stands for.
pub(super) fn opaque_named(name: &str) -> Option<Opaque> {
    Some(match name {
        "pthread_t" | "thrd_t" => Opaque::Thread,
        "pthread_mutex_t" | "mtx_t" => Opaque::Mutex,
        "pthread_mutexattr_t" => Opaque::MutexAttribute,
        "pthread_cond_t" | "cnd_t" => Opaque::Condition,
        "pthread_rwlock_t" => Opaque::ReadWriteLock,
        "pthread_barrier_t" => Opaque::Barrier,
        "pthread_spinlock_t" => Opaque::SpinLock,
        "sem_t" => Opaque::Semaphore,
        "pthread_once_t" | "once_flag" => Opaque::Once,
        "pthread_key_t" | "tss_t" => Opaque::Key,
        "pthread_attr_t"
        | "pthread_condattr_t"
        | "pthread_rwlockattr_t"
        | "pthread_barrierattr_t" => Opaque::Attribute,
        _ => return None,
    })
}
