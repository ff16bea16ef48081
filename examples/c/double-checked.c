// Double-checked initialisation, with an atomic flag.
// Written for Selvedge, after D. C. Schmidt and T. Harrison, Double-Checked Locking (1997).
//
// Whoever finds the flag down takes the mutex and looks again. Whoever finds it up reads the table
// without the mutex: it was written before the flag.
//
// expected: verify: safe, for every schedule. With --property no-data-race: safe.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int table[2];
static int times;           // how often the table was made; the mutex protects it

static int lookup(int index)
{
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            table[0] = 3;
            table[1] = 5;
            times++;
            atomic_store_explicit(&ready, 1, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return table[index];
}

static void *user(void *unused)
{
    (void)unused;
    assert(lookup(0) == 3);
    assert(lookup(1) == 5);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    assert(lookup(1) == 5);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(times == 1);
    return 0;
}
