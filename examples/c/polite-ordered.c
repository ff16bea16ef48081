// Two threads that try for two mutexes in the same order: one of them always gets on.
// Written for Selvedge. See polite.c.
//
// Whoever has the first mutex finds the second one free, so nobody steps back.
//
// expected: verify: safe. With --deadlock: safe. livelock: none.

#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&left);
        if (pthread_mutex_trylock(&right) == 0)
            break;
        pthread_mutex_unlock(&left);    // after you
    }
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return 0;
}

static void *second(void *unused)
{
    return first(unused);
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
