// Peterson's algorithm with atomic variables: mutual exclusion for two threads.
// Written for Selvedge, after G. L. Peterson, Myths About the Mutual Exclusion Problem (1981).
//
// Say that you want to enter; then let the other one go first; then wait while the other one wants
// to enter and it is its turn. Both threads come back for ever.
//
// expected: verify: safe, for every schedule. With --property no-data-race: safe.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool wants[2];
atomic_int turn;
int inside;                 // how many are in the critical section; the lock protects it

static void enter(int me)
{
    atomic_store(&wants[me], true);
    atomic_store(&turn, 1 - me);
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
        ;
}

static void leave(int me)
{
    atomic_store(&wants[me], false);
}

static void section(int me)
{
    for (;;) {
        enter(me);
        inside++;
        assert(inside == 1);
        inside--;
        leave(me);
    }
}

static void *first(void *unused)
{
    (void)unused;
    section(0);
    return 0;
}

static void *second(void *unused)
{
    (void)unused;
    section(1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
