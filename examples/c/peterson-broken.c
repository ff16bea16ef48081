// Peterson's algorithm with its first two lines swapped: wrong.
// Written for Selvedge. See peterson.c.
//
// A thread that has given away its turn, but has not yet said that it wants to enter, is not seen
// by the other one.
//
// expected: verify: unsafe, 4 contexts: after main, one thread gives away the turn; the other one gives
//           it back and enters, as nobody else wants to; the first one says that it wants to, has
//           the turn, and enters too.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool wants[2];
atomic_int turn;
int inside;                 // how many are in the critical section; the lock protects it

static void enter(int me)
{
    atomic_store(&turn, 1 - me);           // should be the second line
    atomic_store(&wants[me], true);        // should be the first line
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
