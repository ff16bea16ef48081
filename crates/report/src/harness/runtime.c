#define _GNU_SOURCE
/* The compiler knows these functions with other types of pointers. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SV_QUIET __attribute__((no_sanitize("thread")))
enum { SV_STACKS = 64 };

static pthread_mutex_t sv_door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sv_called = PTHREAD_COND_INITIALIZER;
enum { SV_THREADS = 1024 };
static volatile char sv_gone[SV_THREADS];
static volatile unsigned sv_at, sv_created, sv_moves;
static volatile int sv_is_over;
static _Thread_local int sv_self, sv_has_turn;
static struct { char *low, *high; } sv_stacks[SV_STACKS];
static volatile int sv_stack_count;

/* The stack of this thread: what is there belongs to no schedule. */
SV_QUIET static void sv_know_stack(void) {
  pthread_attr_t attributes;
  void *low;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  int mine = sv_stack_count < SV_STACKS ? sv_stack_count++ : SV_STACKS - 1;
  sv_stacks[mine].low = low;
  sv_stacks[mine].high = (char *)low + size;
}

SV_QUIET static int sv_is_local(const void *address) {
  for (int i = 0; i < sv_stack_count; i++)
    if (sv_stacks[i].low <= (char *)address && (char *)address < sv_stacks[i].high) return 1;
  return 0;
}

/* Leaves out what the schedule has for threads that have ended: accesses that the compiled program does not make. */
SV_QUIET static void sv_skip(void) {
  while (sv_at < SV_LENGTH && sv_turns[sv_at] < SV_THREADS && sv_gone[sv_turns[sv_at]]) {
    sv_at++;
    pthread_cond_broadcast(&sv_called);
  }
}

/* Gives the turn to whoever is next. */
SV_QUIET static void sv_pass(void) {
  pthread_mutex_lock(&sv_door);
  if (sv_has_turn) {
    sv_has_turn = 0;
    sv_at++;
    pthread_cond_broadcast(&sv_called);
  }
  sv_skip();
  pthread_mutex_unlock(&sv_door);
}

/* The thread ends. */
SV_QUIET static void sv_leave(void) {
  if (0 <= sv_self && sv_self < SV_THREADS) sv_gone[sv_self] = 1;
  sv_pass();
}

/* Kinds of steps: 0 for those that write what threads share, or wait; 1 for reads of it; from 2 on for what is on stacks, by size. */
SV_QUIET static int sv_kind_on_stack(int size, int reads) { return 4 * size + (reads ? 3 : 2); }

/* Whether the schedule has a step of this kind for this thread, before one that it cannot do without. */
SV_QUIET static int sv_comes(int kind) {
  for (unsigned at = sv_at + sv_has_turn; at < SV_LENGTH; at++) {
    if (sv_turns[at] != sv_self) continue;
    if (sv_kinds[at] == kind) return 1;
    if (sv_kinds[at] == 0) return 0;
  }
  return 0;
}

/* Whether the schedule has any more steps for this thread. */
SV_QUIET static int sv_has_more(void) {
  for (unsigned at = sv_at + sv_has_turn; at < SV_LENGTH; at++)
    if (sv_turns[at] == sv_self) return 1;
  return 0;
}

/* What the thread is about to access, and whether to write it; nothing for calls. */
static _Thread_local const volatile void *sv_about;
static _Thread_local int sv_about_writes;
static const volatile void *sv_met;
static int sv_met_by = -1, sv_met_writes;

/* The schedule is over, and two threads are to be found that are about to access the same object. Who is first waits for the other. */
SV_QUIET static void sv_meet(void) {
  if (sv_about && sv_met_by >= 0 && sv_met_by != sv_self && sv_met == sv_about && (sv_met_writes || sv_about_writes)) {
    fputs("data race: two threads are about to access the same object, one of them to write it\n", stderr);
    _exit(1);
  }
  if (sv_about && sv_met_by < 0) {
    sv_met = sv_about;
    sv_met_by = sv_self;
    sv_met_writes = sv_about_writes;
  }
  for (;;) pthread_cond_wait(&sv_called, &sv_door);
}

/* Waits for the next turn of this thread that has one of these kinds. Those before it are accesses that the compiled program does not make. */
SV_QUIET static void sv_wait(int kind, int other) {
  if (sv_is_over) {
    sv_moves++;
    return;
  }
  sv_pass();
  pthread_mutex_lock(&sv_door);
  for (;;) {
    while (sv_self < 0 || (sv_at < SV_LENGTH && sv_turns[sv_at] != sv_self))
      pthread_cond_wait(&sv_called, &sv_door);
    if (sv_at == SV_LENGTH || sv_kinds[sv_at] == kind || sv_kinds[sv_at] == other) break;
    sv_at++;
    sv_skip();
    pthread_cond_broadcast(&sv_called);
  }
  if (sv_at == SV_LENGTH) {
    if (SV_RACE) sv_meet();
    if (!SV_DEADLOCK) {
      fputs("the schedule is over, and nothing has gone wrong\n", stderr);
      _exit(3);
    }
    sv_is_over = 1;
    pthread_cond_broadcast(&sv_called);
  }
  sv_has_turn = 1;
  pthread_mutex_unlock(&sv_door);
}

SV_QUIET static void sv_point(void) { sv_wait(0, 0); }

SV_QUIET static void sv_stack(int size, int reads) {
  int kind = sv_kind_on_stack(size, reads);
  if (!sv_is_over && sv_comes(kind)) sv_wait(kind, kind);
}

SV_QUIET static void sv_about_to(const volatile void *address, int writes) {
  sv_about = address;
  sv_about_writes = writes;
}

SV_QUIET static void sv_see(const void *address, int size) {
  if (sv_is_local(address)) {
    sv_stack(size, 0);
    return;
  }
  sv_about_to(address, 1);
  sv_point();
  sv_about_to(0, 0);
}

/* An atomic operation may be one that only reads. */
SV_QUIET static void sv_atomic(const volatile void *address) {
  if (sv_is_local((const void *)address)) return;
  sv_about_to(address, 1);
  sv_wait(0, 1);
  sv_about_to(0, 0);
}

/* A read that the schedule does not have is one more that the compiler makes, of what the thread has just written. */
SV_QUIET static void sv_read(const void *address, int size) {
  if (sv_is_local(address)) {
    sv_stack(size, 1);
    return;
  }
  sv_about_to(address, 0);
  if (sv_is_over || sv_at + sv_has_turn >= SV_LENGTH || (SV_RACE && !sv_has_more())) sv_point();
  else if (sv_comes(1)) sv_wait(1, 1);
  sv_about_to(0, 0);
}

void __tsan_init(void) {}
void __tsan_func_entry(void *at) { (void)at; }
void __tsan_func_exit(void) {}
#define SV_ACCESS(size)                                                    \
  SV_QUIET void __tsan_read##size(void *a) { sv_read(a, size); }                 \
  SV_QUIET void __tsan_write##size(void *a) { sv_see(a, size); }                 \
  SV_QUIET void __tsan_unaligned_read##size(void *a) { sv_read(a, size); }       \
  SV_QUIET void __tsan_unaligned_write##size(void *a) { sv_see(a, size); }       \
  SV_QUIET void __tsan_volatile_read##size(void *a) { sv_read(a, size); }        \
  SV_QUIET void __tsan_volatile_write##size(void *a) { sv_see(a, size); }
SV_ACCESS(1) SV_ACCESS(2) SV_ACCESS(4) SV_ACCESS(8) SV_ACCESS(16)
SV_QUIET void __tsan_read_range(void *a, unsigned long n) { sv_read(a, (int)n); }
SV_QUIET void __tsan_write_range(void *a, unsigned long n) { sv_see(a, (int)n); }

#define SV_FETCH(bits, T, name)                                                          \
  SV_QUIET T __tsan_atomic##bits##_##name(volatile T *a, T v, int o) {                   \
    (void)o; sv_atomic(a); return __atomic_##name(a, v, __ATOMIC_SEQ_CST);          \
  }
#define SV_ATOMIC(bits, T)                                                               \
  SV_QUIET T __tsan_atomic##bits##_load(const volatile T *a, int o) {                    \
    (void)o; sv_atomic(a); return __atomic_load_n(a, __ATOMIC_SEQ_CST);       \
  }                                                                                      \
  SV_QUIET void __tsan_atomic##bits##_store(volatile T *a, T v, int o) {                 \
    (void)o; sv_atomic(a); __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                \
  }                                                                                      \
  SV_QUIET T __tsan_atomic##bits##_exchange(volatile T *a, T v, int o) {                 \
    (void)o; sv_atomic(a); return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);      \
  }                                                                                      \
  SV_QUIET int __tsan_atomic##bits##_compare_exchange_strong(volatile T *a, T *e, T v, int o, int f) { \
    (void)o; (void)f; sv_atomic(a);                                                 \
    return __atomic_compare_exchange_n(a, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
  }                                                                                      \
  SV_QUIET int __tsan_atomic##bits##_compare_exchange_weak(volatile T *a, T *e, T v, int o, int f) { \
    return __tsan_atomic##bits##_compare_exchange_strong(a, e, v, o, f);                 \
  }                                                                                      \
  SV_FETCH(bits, T, fetch_add) SV_FETCH(bits, T, fetch_sub) SV_FETCH(bits, T, fetch_and) \
  SV_FETCH(bits, T, fetch_or) SV_FETCH(bits, T, fetch_xor) SV_FETCH(bits, T, fetch_nand)
SV_ATOMIC(8, unsigned char) SV_ATOMIC(16, unsigned short) SV_ATOMIC(32, unsigned) SV_ATOMIC(64, unsigned long)
void __tsan_atomic_thread_fence(int o) { (void)o; }
void __tsan_atomic_signal_fence(int o) { (void)o; }

struct sv_start { void *(*run)(void *); void *with; int self; };

SV_QUIET static void *sv_thread(void *given) {
  struct sv_start start = *(struct sv_start *)given;
  free(given);
  pthread_mutex_lock(&sv_door);
  sv_know_stack();
  pthread_mutex_unlock(&sv_door);
  sv_self = start.self;
  /* A thread of which the schedule says nothing never begins. */
  if (sv_self < 0) sv_point();
  void *result = start.run(start.with);
  sv_leave();
  return result;
}

SV_QUIET static int sv_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
  sv_point();
  struct sv_start *start = malloc(sizeof *start);
  start->run = run;
  start->with = with;
  start->self = sv_created < SV_CREATED ? sv_children[sv_created] : -1;
  sv_created++;
  int result = pthread_create(thread, how, sv_thread, start);
  return result;
}

#define SV_CALL(call) (sv_point(), call)
#define pthread_create(t, h, r, w) sv_create(t, h, r, w)
#define pthread_join(t, r) SV_CALL(pthread_join(t, r))
#define pthread_exit(r) (sv_leave(), pthread_exit(r))
#define pthread_mutex_init(m, a) SV_CALL(pthread_mutex_init(m, a))
#define pthread_mutex_destroy(m) SV_CALL(pthread_mutex_destroy(m))
#define pthread_mutex_lock(m) SV_CALL(pthread_mutex_lock(m))
#define pthread_mutex_trylock(m) SV_CALL(pthread_mutex_trylock(m))
#define pthread_mutex_unlock(m) SV_CALL(pthread_mutex_unlock(m))
/* May wake although nobody called, and the schedule says when. */
#define pthread_cond_wait(c, m) ((void)(c), pthread_mutex_unlock(m), pthread_mutex_lock(m))
#define pthread_cond_signal(c) ((void)(c), 0)
#define pthread_cond_broadcast(c) ((void)(c), 0)
#define pthread_rwlock_init(l, a) SV_CALL(pthread_rwlock_init(l, a))
#define pthread_rwlock_destroy(l) SV_CALL(pthread_rwlock_destroy(l))
#define pthread_rwlock_rdlock(l) SV_CALL(pthread_rwlock_rdlock(l))
#define pthread_rwlock_wrlock(l) SV_CALL(pthread_rwlock_wrlock(l))
#define pthread_rwlock_unlock(l) SV_CALL(pthread_rwlock_unlock(l))
#define pthread_spin_lock(l) SV_CALL(pthread_spin_lock(l))
#define pthread_spin_unlock(l) SV_CALL(pthread_spin_unlock(l))
#define sem_init(s, p, v) SV_CALL(sem_init(s, p, v))
#define sem_wait(s) SV_CALL(sem_wait(s))
#define sem_trywait(s) SV_CALL(sem_trywait(s))
#define sem_post(s) SV_CALL(sem_post(s))

SV_QUIET static void *sv_watch(void *unused) {
  (void)unused;
  unsigned moves;
  do {
    moves = sv_moves;
    sleep(2);
  } while (moves != sv_moves);
  if (SV_DEADLOCK && sv_is_over) {
    fputs("deadlock: no thread gets on\n", stderr);
    _exit(1);
  }
  fputs("the schedule cannot be followed to its end\n", stderr);
  _exit(4);
}

int sv_main();
SV_QUIET int main(int count, char **arguments) {
  pthread_t watch;
  sv_know_stack();
  (pthread_create)(&watch, 0, sv_watch, 0);
  int result = sv_main(count, arguments);
  fputs("the program has ended, and nothing has gone wrong\n", stderr);
  return result ? result : 2;
}
#define main sv_main
#ifndef reach_error
static inline void sv_reach_error(void) { abort(); }
#define reach_error sv_reach_error
#endif
