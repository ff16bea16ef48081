// A lost update: two threads add one to a counter, each in two steps.
// Written for Selvedge.
//
// Both read 0, and both write 1. The two accesses are also a data race.
//
// expected: verify: unsafe, 5 contexts: main, one thread reads, the other one reads and writes, the
//           first one writes, main looks. With --property no-data-race: unsafe, 3 contexts.

#include <assert.h>
#include <pthread.h>

int counter;

static void *worker(void *unused)
{
    (void)unused;
    counter = counter + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
