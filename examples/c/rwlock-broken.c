// A writer that takes the lock of readers: wrong.
// Written for Selvedge. See rwlock.c.
//
// expected: verify: unsafe, 3 contexts: a reader comes in while a writer is in the middle.
//           With --property no-data-race: unsafe, 3 contexts.

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high;       // the data: always the same

static void *reader(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_rdlock(&lock);
        assert(low == high);
        pthread_rwlock_unlock(&lock);
    }
    return 0;
}

static void *writer(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&lock);       // should be the one for writers
    low++;
    high++;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, writer, 0);
    pthread_create(&threads[2], 0, reader, 0);
    pthread_create(&threads[3], 0, reader, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(low == 2);
    return 0;
}
