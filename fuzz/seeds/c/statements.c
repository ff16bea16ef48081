typedef unsigned int T;
extern void reach_error(void) __attribute__((noreturn));
int g;
void *worker(void *arg) {
  __label__ local;
  int i = 0, *p = arg;
  T T = sizeof(T), u = sizeof (int[3]) + _Alignof(long);
  for (int k = 0; k < 10; ++k) { if (k == 3) continue; else if (k > 5) break; else g += k; }
  for (;;) { goto local; }
local: ;
  while (i < 3) i++;
  do { --i; } while (i > 0 && g != 'a' || !p);
  switch (g) { case 0: case 1: g = 1; break; case 2 ... 5: g = 2; __attribute__((fallthrough)); default: ; }
  if (!(g == 0)) { reach_error(); abort(); }
  ((void) sizeof ((g == 1) ? 1 : 0), __extension__ ({ if (g == 1) ; else __assert_fail ("g == 1", "x.c", 12, __extension__ __PRETTY_FUNCTION__); }));
  g = p ? *p : -1; g = g ?: 2; g <<= 1, g ^= ~g & 0xFFu | 017;
  asm volatile ("lock; addl %1,%0" : "+m" (g), [o] "=r" (i) : "ir" (1) : "memory", "cc");
  __asm__ goto ("" : : : : out);
  struct s { int m; struct s *n; } v = { 1, &v }, w = (struct s) { .m = 2 };
  v.n->n->m = w.m; (*p)++; p[1] = *(p + 2); (&v)->m--;
  i = __builtin_offsetof(struct s, n) + __builtin_types_compatible_p(int, long) + __builtin_choose_expr(1, 2, 3);
  i = _Generic(i, int: 1, char *: 2, default: 3);
  void *table[] = { &&out, &&local }; goto *table[i];
  int nested(int x) { return x + i; }
  const char *s = "a\tb\x41\101\u00e4" L"wide" "\
more"; s = u8"x"; i = L'\0' + 'ab' + '\'';
  double d = 1.5e3 + .5f - 1.; /* comment */ // another
out: return (void *) 0;
}
int main(void) {
  int x = ((int) (char) g) * 2 - - 1 / 3 % 4 >> 2 < 5 <= 6 == 7 & 8;
  return __atomic_load_n(&g, 5) + worker(&(int){ 1 }) != (void *)0 ? 0 : 1;
}
