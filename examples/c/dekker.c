// Dekker's algorithm with atomic variables: mutual exclusion for two threads.
// Written for Selvedge, after E. W. Dijkstra, Cooperating Sequential Processes (1965).
//
// Each thread says that it wants to enter. If both do, the one whose turn it is insists, and the
// other one steps back until it is its turn.
//
// expected: verify: safe, for every schedule. With --property no-data-race: safe.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int wants[2];
_Atomic int turn;
int inside;                 // how many are in the critical section; the lock protects it

static void enter(int me)
{
    int other = 1 - me;
    wants[me] = 1;
    while (wants[other]) {
        if (turn == other) {
            wants[me] = 0;
            while (turn == other)
                ;
            wants[me] = 1;
        }
    }
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
