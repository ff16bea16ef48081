// Dining philosophers: the forks have an order, and everybody takes the lower one first.
// Written for Selvedge, after E. W. Dijkstra, Hierarchical Ordering of Sequential Processes (1971).
//
// Whoever holds the highest fork that is taken can go on. See philosophers.c.
//
// expected: verify: safe. With --deadlock: safe.

#include <pthread.h>

#define N 3

static pthread_mutex_t forks[N] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};
static const int places[N] = { 0, 1, 2 };

static void *philosopher(void *arg)
{
    int place = *(const int *)arg;
    int next = (place + 1) % N;
    int low = place < next ? place : next;
    int high = place < next ? next : place;
    for (;;) {
        pthread_mutex_lock(&forks[low]);
        pthread_mutex_lock(&forks[high]);
        // eat
        pthread_mutex_unlock(&forks[high]);
        pthread_mutex_unlock(&forks[low]);
        // think
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)&places[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
