// Dining philosophers: everybody takes the left fork first, and then waits for the right one.
// Written for Selvedge, after E. W. Dijkstra, Hierarchical Ordering of Sequential Processes (1971).
//
// When all have taken their left forks, all wait, and nobody ever moves again. Nothing goes wrong in
// that state, so deadlocks have to be asked for. See philosophers-ordered.c for the way out.
//
// expected: verify: safe (every fork is put down by its holder).
//           verify --deadlock: unsafe, 4 contexts: main, and one for each of them to take a fork.

#include <pthread.h>

#define N 3

static pthread_mutex_t forks[N] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};
static const int places[N] = { 0, 1, 2 };

static void *philosopher(void *arg)
{
    int place = *(const int *)arg;
    int left = place, right = (place + 1) % N;
    for (;;) {
        pthread_mutex_lock(&forks[left]);
        pthread_mutex_lock(&forks[right]);
        // eat
        pthread_mutex_unlock(&forks[right]);
        pthread_mutex_unlock(&forks[left]);
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
