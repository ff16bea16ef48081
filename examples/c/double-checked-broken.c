// Double-checked initialisation that raises its flag too early: wrong.
// Written for Selvedge. See double-checked.c.
//
// A thread finds the flag up while the table is still empty. And the flag is a plain variable: that
// it is read outside of the mutex is a data race, wherever it is set.
//
// expected: verify: unsafe, 2 contexts: main raises the flag, and a thread reads the table.

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;           // should be atomic, and be set last
static int table[2];
static int times;           // how often the table was made; the mutex protects it

static int lookup(int index)
{
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            ready = 1;
            table[0] = 3;
            table[1] = 5;
            times++;
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
