// A bounded buffer: a mutex, and one condition variable each for "not full" and "not empty".
// Written for Selvedge, after C. A. R. Hoare, Monitors: An Operating System Structuring Concept (1974).
//
// Who wakes looks again: somebody else may have been quicker, and POSIX may wake a thread without a
// signal.
//
// expected: verify: safe, for every schedule. With --deadlock: safe.
//           With --property no-data-race: safe.

#include <assert.h>
#include <pthread.h>

#define SIZE 1
#define EACH 2              // how many items each thread puts or takes

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE];
static int count, in, out;
static int sum;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (count == SIZE)
        pthread_cond_wait(&not_full, &lock);
    assert(count < SIZE);
    buffer[in] = item;
    in = (in + 1) % SIZE;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    assert(count > 0);
    int item = buffer[out];
    out = (out + 1) % SIZE;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *producer(void *unused)
{
    (void)unused;
    for (int i = 1; i <= EACH; i++)
        put(i);
    return 0;
}

static void *consumer(void *unused)
{
    (void)unused;
    for (int i = 0; i < EACH; i++)
        sum += take();      // only one thread takes
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 3);
    return 0;
}
