// Many readers or one writer, by a mutex and a count of readers.
// Written for Selvedge, after P. J. Courtois, F. Heymans and D. L. Parnas, Concurrent Control with
// "Readers" and "Writers" (1971).
//
// The first reader takes the semaphore that keeps writers out, the last one gives it back.
//
// expected: verify: safe, for every schedule. With --deadlock: safe.
//           With --property no-data-race: safe.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;          // taken by the writer, or by all readers together
static int readers;
static int low, high;       // the data: always the same

static void *reader(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&lock);

    assert(low == high);

    pthread_mutex_lock(&lock);
    if (--readers == 0)
        sem_post(&room);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *writer(void *unused)
{
    (void)unused;
    sem_wait(&room);
    low++;
    high++;
    sem_post(&room);
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    sem_init(&room, 0, 1);
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, reader, 0);
    pthread_create(&threads[3], 0, writer, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(low == 2 && high == 2);
    return 0;
}
