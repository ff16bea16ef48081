//! Broken programs: whatever the parser makes of a text, the checker comes to an end, and its problems are inside of the text.

use fastrand::Rng;

use super::right;
use crate::c::types::DataModel;
use crate::c::{check, parse};

const SEEDS: [&str; 4] = [
    "typedef struct { int __lock; } pthread_mutex_t; typedef unsigned long pthread_t; struct node { int value; struct node *next; union { char c[4]; int bits : 3; }; } *head, pool[3] = { [1].value = 2, { 3, pool } }; pthread_mutex_t m = { { 0, 0, 0, 1 } }; enum color { RED, GREEN = 5 } color; int f(int a[], char *s, ...); int f(int a[], char *s, ...) { static int count = sizeof(struct node); for (int i = 0; i < GREEN; i++) { switch (a[i]) { case RED ... GREEN: count += *s++; break; default: goto out; } } out: return count ? count : -1; } int main(void) { struct node n = { .next = &n }, *p = head; while (p && p->next != 0) p = p->next; p->c[1] = ({ int x = f((int[]){1, 2}, \"ab\", 3); x; }); return f(&n.value, 0) + (color == RED); }",
    "_Atomic int a; int *p = &((struct { int x, y; } *)0)->y; int g(b, c) char b; int *c; { return b + *c; } typedef int T; T (*table[])(char, int *) = { g, 0 }; double d = 1.5; long long big = 0x7fffffffffffffff; int main(int argc, char **argv) { T T = 1; __auto_type y = a; __typeof__((void)0, a) z = y; __atomic_fetch_add(&a, 1, 5); __sync_bool_compare_and_swap(&z, 0, 1); _Generic(d, double: z, default: y)++; int v[argc]; v[0] = table[0](1, &z); do { z <<= 2; z |= ~y ^ 3u; } while (!d); if (z) return __builtin_offsetof(struct q { char a; int b[3]; }, b[2]); { extern int e; e = sizeof v; } return argv[0][1] ?: (char)big; }",
    "struct a { struct b *b; } x = { 0 }; union u { struct { short s, t; }; int i; } u = { .t = 1 }; int m[2][3] = { { 1 }, [1][1 ... 2] = 4, 5 }; char s[] = \"text\", t[2] = { 'a' }; void h(void) { } void (*k)(void) = h; int main(void) { u.s = m[1][2], x.b = 0, (*k)(), (**k)(); struct a y = x, z[2] = { x, { 0 } }; int *q = &m[0][1], n = q - m[0]; q += n; q[-1]--; 1[q] *= 2; return u.i % 3 << n & 1 || !q && y.b == z->b; }",
    "inline static int w(void) { return 0; } extern int arr[]; int arr[] = { 1, 2, 3 }; int tentative; int tentative; __thread int tls = 4; int main(void) { register int r = sizeof arr / sizeof *arr; const volatile int c = r, *pc = &c; l1: if (r-- > 0) goto l1; else ; for (;;) { if (*pc) continue; break; } struct { int n; char flex[]; } *fl = 0; return w() + fl->flex[2] + tls + __func__[0] + (int)sizeof(long double) + _Alignof(double); }",
];

#[test]
fn broken_programs_do_no_harm() {
    let mut rng = Rng::with_seed(9);
    let words: Vec<Vec<&str>> = SEEDS.iter().map(|seed| words_of(seed)).collect();
    for seed in SEEDS {
        right(seed, DataModel::Lp64);
    }
    let mut checked = 0;
    for _ in 0..4000 {
        let mut text: Vec<&str> = words[rng.usize(..words.len())].clone();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..text.len());
            let other = &words[rng.usize(..words.len())];
            let word = other[rng.usize(..other.len())];
            match rng.u8(..16) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, word),
                2 => text[at] = word,
                // Most often a name for a name, a sign for a sign: the parser lets that pass.
                _ => {
                    let class = |word: &str| {
                        word.chars().next().map(|c| (c.is_alphabetic() || c == '_', c.is_numeric()))
                    };
                    let is_brace = |word: &str| "(){}[];".contains(word);
                    if class(word) == class(text[at]) && !is_brace(word) && !is_brace(text[at]) {
                        text[at] = word;
                    }
                }
            }
        }
        let text = text.join(" ");
        let (tree, problems) = parse(&text);
        checked += usize::from(problems.is_empty());
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            for problem in check(&tree, model).1 {
                let span = problem.label.span;
                assert!(span.start <= span.end && span.end as usize <= text.len(), "{problem:?}");
            }
        }
    }
    assert!(checked > 500, "{checked} texts without mistakes of syntax");
}

/// The words of a text: names and numbers, strings, and single signs.
fn words_of(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = if let Some(quote) = Some(first).filter(|c| "\"'".contains(*c)) {
            rest[1..].find(quote).map_or(1, |end| end + 2)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            let double = rest.get(..2).is_some_and(|two| {
                [
                    "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
                    "*=", "|=",
                ]
                .contains(&two)
            });
            if double { 2 } else { first.len_utf8() }
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    words
}

#[test]
fn depth_and_size_are_limited() {
    let deep = [
        format!("int main(void) {{ return {}1; }}", "-".repeat(2000)),
        format!("int main(void) {{ return 1{}; }}", " + 1".repeat(5000)),
        format!("int x; int main(void) {{ return x{}; }}", " ? 1 : x".repeat(900)),
        format!("int {} p; int main(void) {{ p; }}", "*".repeat(5000)),
        format!("int main(void) {{ int a{}; }}", "[2]".repeat(5000)),
        format!("int main(void) {{ {} ; {} }}", "{".repeat(900), "}".repeat(900)),
        format!("int main(void) {{ int i; switch (i) {{ {} ; }} }}", cases(3000)),
        format!("int main(void) {{ int i; {} ; }}", "if (i) ; else ".repeat(900)),
        "int a[1ull << 62], b[1ull << 62][8]; int main(void) { a[0]; b[0]; }".to_owned(),
        "int a[] = { [0 ... 1099511627775] = 1 }; int main(void) { a[0]; }".to_owned(),
        "struct { } a[1000000000] = { 1, 2 }, b[] = { 1 }; int main(void) { a; b; }".to_owned(),
        "struct s { char a[1ull << 61], b[1ull << 61], c[1ull << 61]; } s; int main(void) { s; }"
            .to_owned(),
        format!("typedef int t0(void); {} int main(void) {{ t60 *p = 0; p; }}", types(60)),
        format!(
            "int f(int), x; int main(void) {{ return {}x{}; }}",
            "f(".repeat(300),
            ")".repeat(300)
        ),
    ];
    for text in deep {
        let (tree, _) = parse(&text);
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            drop(check(&tree, model));
        }
    }
}

fn cases(count: usize) -> String {
    (0..count).map(|i| format!("case {i}: ")).collect()
}

/// Types of functions, each with two parameters of the one before: the last has 2^count parts.
fn types(count: usize) -> String {
    (1..=count).map(|i| format!("typedef int t{i}(t{0} *, t{0} *);\n", i - 1)).collect()
}
