// Two threads that are too polite: each holds one mutex, tries the other one, and steps back.
// Written for Selvedge.
//
// Nobody waits, so there is no deadlock. But both may take their first mutex, find the other one
// taken, give up, and do so again, in step, for ever: a livelock. See polite-ordered.c.
//
// expected: verify: safe (no assertion fails). With --deadlock: safe. livelock: nonterminating.

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
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&right);
        if (pthread_mutex_trylock(&left) == 0)
            break;
        pthread_mutex_unlock(&right);   // after you
    }
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return 0;
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
