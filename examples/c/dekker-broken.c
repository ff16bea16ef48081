// Dekker's algorithm with its first line moved behind the loop: wrong.
// Written for Selvedge. See dekker.c.
//
// Both look before either of them has said that it wants to enter.
//
// expected: verify: unsafe, 4 contexts: after main, one thread looks, the other one looks and enters,
//           and the first one enters, too.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int wants[2];
_Atomic int turn;
int inside;                 // how many are in the critical section; the lock protects it

static void enter(int me)
{
    int other = 1 - me;
    while (wants[other]) {
        if (turn == other) {
            while (turn == other)
                ;
        }
    }
    wants[me] = 1;          // too late: should come before the loop
}

static void leave(int me)
{
    turn = 1 - me;
    wants[me] = 0;
}

static void *worker(void *arg)
{
    int me = *(int *)arg;
    for (;;) {
        enter(me);
        inside++;
        assert(inside == 1);
        inside--;
        leave(me);
    }
    return 0;
}

int main(void)
{
    static int number[2] = { 0, 1 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
