// A work-stealing deque: its owner works at one end, thieves take from the other.
// Written for Selvedge, after D. Chase and Y. Lev, Dynamic Circular Work-Stealing Deque (2005).
//
// The owner gives up its place first and looks at the top then. Only for the last item the two may
// meet, and then a compare-and-swap decides.
//
// expected: verify: safe, for every schedule.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ITEMS 2
#define NOTHING (-1)

static atomic_int top, bottom;
static atomic_int items[ITEMS];
static atomic_int done[ITEMS];          // how often an item was done: for the assertions only

static void push(int item)
{
    int b = atomic_load(&bottom);
    atomic_store(&items[b], item);
    atomic_store(&bottom, b + 1);
}

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, t);
        return NOTHING;
    }
    int item = atomic_load(&items[b]);
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            item = NOTHING;
        atomic_store(&bottom, b + 1);
    }
    return item;
}

static int steal(void)
{
    int t = atomic_load(&top);
    int b = atomic_load(&bottom);
    if (t >= b)
        return NOTHING;
    int item = atomic_load(&items[t]);
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return NOTHING;
    return item;
}

static void work_on(int item)
{
    if (item != NOTHING)
        assert(atomic_fetch_add(&done[item], 1) == 0);
}

static void *thief(void *unused)
{
    (void)unused;
    work_on(steal());
    work_on(steal());
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, thief, 0);
    for (int item = 0; item < ITEMS; item++)
        push(item);
    for (int turn = 0; turn < ITEMS; turn++)
        work_on(take());
    pthread_join(a, 0);
    for (int item = 0; item < ITEMS; item++)
        assert(atomic_load(&done[item]) == 1);
    return 0;
}
