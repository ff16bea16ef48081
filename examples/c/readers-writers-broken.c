// Many readers or one writer, with a gap between counting readers and keeping writers out: wrong.
// Written for Selvedge. See readers-writers.c.
//
// The first reader has counted itself and still waits for the writer. The second one finds a reader
// there, and believes that the writer is out.
//
// expected: verify: unsafe, 4 contexts: the writer is in the middle, a reader counts itself and waits,
//           another one reads.

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
    int now = ++readers;
    pthread_mutex_unlock(&lock);
    if (now == 1)
        sem_wait(&room);    // too late: a second reader does not wait for this

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
