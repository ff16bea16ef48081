//! Random programs with two or three threads: locked sections, C11 atomics, plain accesses under locks, joins.

/// A program with threads, and what makes up its final state.
pub struct Program {
    body: String,
    state: Vec<String>,
}

impl Program {
    /// The program that prints its final state, with noise in between.
    pub fn printing(&self) -> String {
        let formats = vec!["%d"; self.state.len()].join(" ");
        let end = format!("printf(\"{formats}\\n\", {});", self.state.join(", "));
        let noise = "static __thread unsigned noise_;\n\
            static void noise(void) {\n\
              if (!noise_) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); noise_ = (unsigned)t.tv_nsec | 1; }\n\
              noise_ = noise_ * 1664525u + 1013904223u;\n\
              if ((noise_ >> 24) % 3 == 0) sched_yield();\n\
              if ((noise_ >> 24) % 7 == 0) usleep((noise_ >> 16) % 50);\n\
            }\n";
        let heads = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <time.h>\n#include <sched.h>\n#include <unistd.h>\n";
        format!("{heads}{noise}{}", self.body.replace("@END@", &end).replace("@NOISE@", "noise();"))
    }

    /// The program that fails if it ends in a state.
    pub fn failing_at(&self, values: &[&str]) -> String {
        let tests = self.state.iter().zip(values).map(|(name, value)| format!("{name} == {value}"));
        let end = format!("if ({}) reach_error();", tests.collect::<Vec<_>>().join(" && "));
        let body = self.body.replace("@END@", &end).replace("@NOISE@", "");
        format!("extern void reach_error(void);\n{body}")
    }
}

/// Makes a program.
pub fn program(seed: u64) -> Program {
    let mut random = fastrand::Rng::with_seed(seed ^ 0x7468_7265_6164);
    let r = &mut random;
    let threads = if r.u32(0..4) == 0 { 3 } else { 2 };
    let mut body =
        String::from("#define _GNU_SOURCE\n#include <pthread.h>\n#include <stdatomic.h>\n");
    body +=
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n";
    // `x` and `y` are protected by `m`, `u` by `n`.
    body += &format!(
        "static int x = {}, y, u;\nstatic _Atomic int a, b = {};\n",
        r.i32(-1..3),
        r.i32(0..3)
    );
    body += "static atomic_uchar c;\n";
    // Half of the programs tell their threads apart.
    let apart = r.bool();
    if apart {
        body += "static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\n";
        body += "static __thread int own = 3;\n";
    }
    body += "static int r, v;\n";
    for number in 0..threads {
        body += &format!(
            "static void *run{number}(void *given) {{\n  int me = *(int *)given, l = me;\n"
        );
        for _ in 0..if threads == 2 { r.usize(1..4) } else { 1 } {
            let statement = match apart && r.u32(0..3) == 0 {
                true => APART[r.usize(0..APART.len())].to_owned(),
                false => statement(r),
            };
            body += &format!("  {statement} @NOISE@\n");
        }
        let ends = match apart {
            true => [
                "return (void *)(long)l;",
                "return (void *)(long)(own + me);",
                "pthread_exit((void *)5L);",
            ],
            false => ["return 0;", "return given;", "pthread_exit(0);"],
        };
        body += &format!("  {}\n}}\n", ends[r.usize(0..3)]);
    }
    body +=
        &format!("static int given[{threads}];\nint main(void) {{\n  pthread_t t[{threads}];\n");
    for number in 0..threads {
        body += &format!("  given[{number}] = {};\n", r.i32(0..4));
        body += &format!("  pthread_create(&t[{number}], 0, run{number}, &given[{number}]);\n");
    }
    if r.bool() {
        let op = [
            "a += 2;",
            "atomic_store(&b, 4);",
            "pthread_mutex_lock(&m); x ^= 1; pthread_mutex_unlock(&m);",
        ];
        body += &format!("  {} @NOISE@\n", op[r.usize(0..op.len())]);
    }
    for number in 0..threads {
        match apart {
            true => {
                body += &format!(
                    "  {{ void *got; pthread_join(t[{number}], &got); r = r * 3 + (int)(long)got; }}\n"
                )
            }
            false => body += &format!("  pthread_join(t[{number}], 0);\n"),
        }
    }
    body += "  @END@\n  return 0;\n}\n";
    Program { body, state: ["x", "y", "u", "a", "b", "c", "r", "v"].map(str::to_owned).to_vec() }
}

/// Statements of programs that tell their threads apart.
const APART: [&str; 4] = [
    "own += me; a += own;",
    "pthread_mutex_lock(&again); v++; pthread_mutex_lock(&again); v = v * 2 + me; pthread_mutex_unlock(&again); pthread_mutex_unlock(&again);",
    "l = pthread_equal(pthread_self(), pthread_self()) + own;",
    "if (pthread_mutex_trylock(&again) == 0) { pthread_mutex_lock(&again); pthread_mutex_unlock(&again); pthread_mutex_unlock(&again); } else b += 3;",
];

fn protected(r: &mut fastrand::Rng) -> &'static str {
    const ALL: [&str; 7] = [
        "x++;",
        "y = x + me;",
        "if (x > y) y += 2; else x -= 1;",
        "l = x; y = l * 2;",
        "for (int i = 0; i < 2; i++) x += y;",
        "x = x * 3 + me;",
        "{ int *p = me & 1 ? &x : &y; *p += 1; }",
    ];
    ALL[r.usize(0..ALL.len())]
}

fn statement(r: &mut fastrand::Rng) -> String {
    match r.u32(0..14) {
        0..=2 => format!("pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);", protected(r)),
        3 => format!(
            "pthread_mutex_lock(&m); {} @NOISE@ {} pthread_mutex_unlock(&m);",
            protected(r),
            protected(r)
        ),
        4 => "pthread_mutex_lock(&n); u = u * 2 + me; pthread_mutex_unlock(&n);".to_owned(),
        5 => "pthread_mutex_lock(&m); pthread_mutex_lock(&n); u += x; pthread_mutex_unlock(&n); \
              pthread_mutex_unlock(&m);"
            .to_owned(),
        6 => "if (pthread_mutex_trylock(&n) == 0) { u += 1; @NOISE@ pthread_mutex_unlock(&n); } else a += 10;"
            .to_owned(),
        7 => "l = a; @NOISE@ a = l + 1;".to_owned(),
        8 => "a += me + 1;".to_owned(),
        9 => format!("atomic_fetch_{}(&b, {});", ["add", "sub", "or", "and", "xor"][r.usize(0..5)], r.i32(1..6)),
        10 => "l = atomic_exchange(&b, l);".to_owned(),
        11 => "{ int e = 1; if (!atomic_compare_exchange_strong(&a, &e, 7)) b += e; }".to_owned(),
        12 => "c -= 1; c++;".to_owned(),
        _ => "atomic_store(&c, (unsigned char)(atomic_load(&a) + 254));".to_owned(),
    }
}
