//! Random programs with two threads that take locks on some paths, through pointers, by index, in functions and by trying, and access variables somewhere in between.

/// Makes a program.
pub fn program(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed ^ 0x7261_6365);
    let r = &mut random;
    let mut text = String::from(HEAD);
    for function in ["f", "g"] {
        let body: String = (0..r.usize(1..3)).map(|_| statement(r, 2)).collect();
        text += &format!("void *{function}(void *arg) {{ int i = 0; {body} return 0; }}\n");
    }
    let between = if r.u32(0..3) == 0 { statement(r, 1) } else { String::new() };
    let second = ["f", "g"][r.usize(0..2)];
    text += &format!(
        "int main(void) {{ pthread_t a, b; int i = 0; q = {}; pthread_create(&a, 0, f, 0); {between} pthread_create(&b, 0, {second}, 0); {} return 0; }}\n",
        ["&m", "&n", "&l[1]"][r.usize(0..3)],
        ["", "pthread_join(a, 0); x = 1;", "pthread_join(a, 0); pthread_join(b, 0); x = 1;"]
            [r.usize(0..3)],
    );
    text
}

const HEAD: &str = "typedef unsigned long pthread_t; typedef union { long a; } pthread_mutex_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *); extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
pthread_mutex_t m, n, l[2]; union { pthread_mutex_t a, b; } u; pthread_mutex_t *q; int x, y, c; _Atomic int z;
void take(void) { pthread_mutex_lock(&m); } void give(void) { pthread_mutex_unlock(&m); }
void add(void) { x++; } void with(pthread_mutex_t *k) { pthread_mutex_lock(k); x++; pthread_mutex_unlock(k); }\n";

fn access(r: &mut fastrand::Rng) -> &'static str {
    ["x++;", "y = x;", "x = 1;", "y++;", "z++;", "add();", "if (z) x = 2;"][r.usize(0..7)]
}

/// A lock, and other names of it.
fn lock(r: &mut fastrand::Rng) -> (&'static str, &'static str) {
    match r.u32(0..8) {
        0..=2 => ("&m", "&m"),
        3 => ("&n", "&n"),
        4 => ("q", "q"),
        5 => ("&l[i]", "&l[i]"),
        6 => ("&u.a", "&u.b"),
        _ => ("&l[0]", "l"),
    }
}

fn statement(r: &mut fastrand::Rng, depth: u32) -> String {
    if depth == 0 {
        return access(r).to_owned();
    }
    let (name, other) = lock(r);
    let inner = statement(r, depth - 1);
    let more = access(r);
    let taken = format!("pthread_mutex_lock({name});");
    let given = format!("pthread_mutex_unlock({other});");
    match r.u32(0..17) {
        0..=3 => format!("{taken} {inner} {given}"),
        4 => format!("{taken} {inner} {given} {more}"),
        5 => format!("if (pthread_mutex_trylock({name}) == 0) {{ {inner} {given} }}"),
        6 => format!("if (!pthread_mutex_trylock({name})) {{ {inner} {given} }} else {{ {more} }}"),
        7 => format!("{{ int k = c; if (k) {taken} if (k) {{ {inner} }} if (k) {given} }}"),
        8 => format!("take(); {inner} give();"),
        9 => format!("with({name});"),
        10 => format!(
            "while (pthread_mutex_lock({name}) == 0) {{ {more} {given} if (z) break; z = 1; }} {inner}"
        ),
        11 => format!("while (1) {{ {taken} if (z) break; z = 1; {given} }} {inner} {given}"),
        12 => format!("__VERIFIER_atomic_begin(); {more} __VERIFIER_atomic_end(); {inner}"),
        13 => format!("{taken} if (z) goto out; {inner} out: {given}")
            .replace("out", &format!("o{}", r.u32(0..1 << 30))),
        14 => format!("switch (z) {{ case 0: {taken} break; default: {taken} }} {inner} {given}"),
        15 => format!("for (i = 0; i < 2; i++) {{ {taken} {inner} {given} }} i = 0;"),
        _ => format!(
            "do {{ {taken} if (z) {{ {given} break; }} {inner} {given} }} while (0); {more}"
        ),
    }
}
