// A ticket lock whose tickets are drawn in two steps: wrong.
// Written for Selvedge. See ticket-lock.c.
//
// Both accesses are atomic, so this is no data race; but two threads may draw the same number.
//
// expected: verify: unsafe, 4 contexts: after main, one thread reads the next number, the other one
//           draws it and enters, and the first one enters with the same number.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3

atomic_uchar next_ticket = 254;
atomic_uchar now_serving = 254;
int inside;                 // how many are in the critical section; the lock protects it

static void lock(void)
{
    unsigned char mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);   // should be one step with the line above
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
