//! # What other languages do to locks, threads and channels
//! `pthread_mutex_lock(&m)`, `m.lock()`, `signal(c)`, `spawn f()`: one operation under many names, and the statement that does the same.

/// An operation of another language, written as a procedure, a statement or a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Acquire,
    Release,
    TryLock,
    Wait,
    Notify,
    NotifyAll,
    Join,
    Start,
    Load,
    Store,
    FetchAndAdd,
    CompareAndSwap,
    Print,
    Pause,
    Fail,
    Send,
    Receive,
    /// Makes a lock or a semaphore, or ends it.
    Prepare,
    Fence,
    Exchange,
    TestAndSet,
    Assume,
    Check,
    BeginAtomic,
    EndAtomic,
    /// Ends the thread that acts.
    Leave,
    /// Ends the whole program.
    Exit,
    /// Waits at a barrier.
    Meet,
}

/// The operation that a word means in other languages, in upper or lower case.
pub(crate) fn operation(word: &str) -> Option<Operation> {
    match word {
        "P" => return Some(Operation::Acquire),
        "V" => return Some(Operation::Release),
        _ => {}
    }
    let word = word.to_ascii_lowercase().replace('_', "");
    Some(match word.as_str() {
        "lock" | "acquire" | "enter" | "down" | "mutexlock" | "pthreadmutexlock" | "mtxlock"
        | "lockacquire" | "semwait" | "semacquire" | "spinlock" => Operation::Acquire,
        "unlock" | "release" | "leave" | "up" | "post" | "mutexunlock" | "pthreadmutexunlock"
        | "mtxunlock" | "lockrelease" | "sempost" | "semrelease" | "spinunlock" => {
            Operation::Release
        }
        "trylock" | "tryacquire" | "pthreadmutextrylock" | "mtxtrylock" | "semtrywait" => {
            Operation::TryLock
        }
        "wait" | "await" | "condwait" | "pthreadcondwait" | "cndwait" | "barrierwait"
        | "pthreadbarrierwait" => Operation::Wait,
        "signal" | "notify" | "notifyone" | "wake" | "wakeup" | "condsignal"
        | "pthreadcondsignal" | "cndsignal" => Operation::Notify,
        "broadcast"
        | "notifyall"
        | "signalall"
        | "wakeall"
        | "condbroadcast"
        | "pthreadcondbroadcast"
        | "cndbroadcast" => Operation::NotifyAll,
        "join" | "pthreadjoin" | "thrdjoin" | "threadjoin" => Operation::Join,
        "spawn" | "run" | "go" | "fork" | "start" | "launch" | "pthreadcreate" | "thrdcreate"
        | "threadcreate" | "createthread" | "startthread" => Operation::Start,
        "load" | "atomicload" | "atomicloadn" | "atomicloadexplicit" | "atomicread"
        | "readonce" => Operation::Load,
        "store"
        | "atomicstore"
        | "atomicstoren"
        | "atomicstoreexplicit"
        | "atomicset"
        | "writeonce" => Operation::Store,
        "atomicfetchadd"
        | "atomicfetchaddexplicit"
        | "syncfetchandadd"
        | "atomicaddfetch"
        | "fetchadd"
        | "getandadd"
        | "getandincrement"
        | "incrementandget"
        | "atomicadd" => Operation::FetchAndAdd,
        "compareandswap"
        | "cas"
        | "syncboolcompareandswap"
        | "syncvalcompareandswap"
        | "atomiccompareexchange"
        | "atomiccompareexchangen"
        | "atomiccompareexchangestrong"
        | "atomiccompareexchangeweak"
        | "cmpxchg"
        | "atomiccmpxchg"
        | "compareandset"
        | "compareexchange"
        | "compareexchangestrong"
        | "compareexchangeweak" => Operation::CompareAndSwap,
        "print" | "println" | "printf" | "fprintf" | "puts" | "putchar" | "echo" | "log"
        | "eprintln" | "eprint" | "dbg" | "format" | "printm" | "perror" => Operation::Print,
        "send" | "tosend" | "chansend" => Operation::Send,
        "recv" | "receive" | "chanrecv" => Operation::Receive,
        "pthreadmutexinit"
        | "pthreadmutexdestroy"
        | "pthreadcondinit"
        | "pthreadconddestroy"
        | "pthreadbarrierinit"
        | "pthreadbarrierdestroy"
        | "mtxinit"
        | "mtxdestroy"
        | "cndinit"
        | "cnddestroy"
        | "seminit"
        | "semdestroy"
        | "spinlockinit"
        | "atomicinit" => Operation::Prepare,
        "atomicthreadfence" | "syncsynchronize" | "fence" | "compilerfence" | "smpmb" | "mb"
        | "membarrier" | "memorybarrier" | "threadfence" => Operation::Fence,
        "atomicexchange"
        | "atomicexchangen"
        | "atomicexchangeexplicit"
        | "synclocktestandset"
        | "xchg"
        | "exchange"
        | "getandset" => Operation::Exchange,
        "testandset" | "tas" | "atomicflagtestandset" => Operation::TestAndSet,
        "verifierassume" => Operation::Assume,
        "verifierassert" => Operation::Check,
        "verifieratomicbegin" => Operation::BeginAtomic,
        "verifieratomicend" => Operation::EndAtomic,
        "pthreadexit" | "thrdexit" | "exitthread" => Operation::Leave,
        "sleep" | "usleep" | "nanosleep" | "park" | "parktimeout" | "yield" | "yieldnow"
        | "schedyield" | "pause" | "spinloop" => Operation::Pause,
        "exit" | "quit" => Operation::Exit,
        "abort" | "panic" | "throw" | "raise" | "error" | "reacherror" | "verifiererror" => {
            Operation::Fail
        }
        _ => return None,
    })
}

impl Operation {
    /// What it is if it is done with a semaphore.
    pub fn of_semaphore(self) -> Operation {
        match self {
            Operation::Wait => Operation::Acquire,
            Operation::Notify | Operation::NotifyAll => Operation::Release,
            other => other,
        }
    }

    /// What to write instead. The first of the objects is the one that the operation acts on.
    pub fn advice(self, objects: &[&str]) -> String {
        let object = |default| objects.first().copied().unwrap_or(default);
        match self {
            Operation::Acquire => format!("write `acquire {};`", object("m")),
            Operation::Release => format!("write `release {};`", object("m")),
            Operation::TryLock => {
                format!("write `if trylock({}) {{ … }}`", object("m"))
            }
            Operation::Wait => match objects {
                [condition, lock, ..] => format!("write `wait {condition}, {lock};`"),
                _ => format!(
                    "write `assume {0};` to wait until it holds, `wait {0}, m;` if it is a condition with its lock, and \
                     `wait {0};` if it is a barrier",
                    object("c")
                ),
            },
            Operation::Meet => format!("write `wait {};`", object("b")),
            Operation::Notify => format!("write `notify {};`", object("c")),
            Operation::NotifyAll => format!("write `notify all {};`", object("c")),
            Operation::Join => format!("write `join {};`", object("t")),
            Operation::Start => {
                format!("write `async {0}(…);`, or `tid t := async {0}(…);`", object("f"))
            }
            Operation::Load => {
                format!("every variable is read in one step: write `{}`", object("x"))
            }
            Operation::Store => match objects {
                [variable, value] => {
                    format!("every variable is written in one step: write `{variable} := {value};`")
                }
                _ => format!("every variable is written in one step: write `{} := …;`", object("x")),
            },
            Operation::FetchAndAdd => {
                let amount = objects.get(1).unwrap_or(&"1");
                format!("write `y := fetch_and_add({}, {amount});`", object("x"))
            }
            Operation::CompareAndSwap => match objects {
                [variable, old, new, ..] => format!("write `b := cas({variable}, {old}, {new});`"),
                _ => format!("write `b := cas({}, expected, new);`", object("x")),
            },
            Operation::Print => {
                "nothing is printed: leave it out; the schedule of a violation shows every variable"
                    .to_owned()
            }
            Operation::Pause => {
                "leave it out: a thread may be slow at every step; `wait(e);` waits until `e` holds"
                    .to_owned()
            }
            Operation::Send => match objects {
                [channel, message, ..] => format!("write `send({channel}, {message});`"),
                _ => format!("write `send({}, …);`, for a `chan[2] int`", object("c")),
            },
            Operation::Receive => {
                format!("write `x := receive({});`, for a `chan[2] int`", object("c"))
            }
            Operation::Prepare => {
                "leave it out: a lock, a semaphore, a condition and a barrier are ready when they are declared, as in `semaphore s := 1;`"
                    .to_owned()
            }
            Operation::Fence => {
                "leave it out: every variable is read from and written to memory, in the order of the program"
                    .to_owned()
            }
            Operation::Exchange => {
                let value = objects.get(1).unwrap_or(&"1");
                format!("write `y, {0} := {0}, {value};`, which is one step", object("x"))
            }
            Operation::TestAndSet => format!(
                "write `while !cas({0}, 0, 1) {{ skip; }}`, which waits until `{0}` was 0, or false, and sets it to 1 in that step",
                object("x")
            ),
            Operation::Assume => "write `assume e;`".to_owned(),
            Operation::Check => "write `assert e;`".to_owned(),
            Operation::BeginAtomic => {
                "write `atomic_begin;`, or `atomic { … }` round what is one step".to_owned()
            }
            Operation::EndAtomic => {
                "write `atomic_end;`, or `atomic { … }` round what is one step".to_owned()
            }
            Operation::Leave => "write `return;`: a thread ends where its procedure does".to_owned(),
            Operation::Exit => {
                "a thread ends where its procedure does: `return;`; `assert false;` is a violation"
                    .to_owned()
            }
            Operation::Fail => {
                "`assert false;` is a violation, `assume false;` ends what is looked at".to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_they_mean_elsewhere() {
        let cases = [
            ("signal", &["c"][..], "write `notify c;`"),
            ("notifyAll", &["c"], "write `notify all c;`"),
            ("notify_all", &["c"], "write `notify all c;`"),
            ("pthread_cond_wait", &["c", "m"], "write `wait c, m;`"),
            ("pthread_mutex_lock", &["m"], "write `acquire m;`"),
            ("sem_post", &[], "write `release m;`"),
            ("tryLock", &["m"], "write `if trylock(m) { … }`"),
            ("go", &["f"], "write `async f(…);`, or `tid t := async f(…);`"),
        ];
        for (word, objects, advice) in cases {
            assert_eq!(operation(word).unwrap().advice(objects), advice, "{word}");
        }
        assert_eq!(operation("signals"), None);
        assert_eq!(operation(""), None);
    }
}
