// A ticket lock: draw a number, wait until it is called.
// Written for Selvedge, after J. M. Mellor-Crummey and M. L. Scott, Algorithms for Scalable
// Synchronization on Shared-Memory Multiprocessors (1991).
//
// Three threads. The numbers are one byte wide and start close to the end, so they wrap around.
//
// expected: verify: safe, for every schedule. With --property no-data-race: safe.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

atomic_uchar next_ticket = 254;
atomic_uchar now_serving = 254;
int inside;                 // how many are in the critical section; the lock protects it

static void lock(void)
{
    unsigned char mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&now_serving) != mine)
        ;
}

static void unlock(void)
{
    atomic_fetch_add(&now_serving, 1);
}

static void *client(void *unused)
{
    (void)unused;
    lock();
    inside++;
    assert(inside == 1);
    inside--;
    unlock();
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, client, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
