// A bounded buffer whose consumer forgets to say that there is room again: wrong.
// Written for Selvedge. See bounded-buffer.c.
//
// No assertion fails. But the producer waits for a call that never comes: unless it is lucky and
// wakes without one, which nobody may rely on.
//
// expected: verify: safe (no assertion fails). With --deadlock: unsafe, 3 contexts:
//           the producer waits for room and the consumer for an item.

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
