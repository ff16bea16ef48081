// A lock-free stack that takes its nodes from a pool: wrong, by the ABA problem.
// Written for Selvedge, after R. K. Treiber, Systems Programming: Coping with Parallelism (1986).
//
// A thread reads the top node A and its successor B, and falls asleep. Another one takes A and B,
// and puts A back. The top is A again, so the compare-and-swap of the first one succeeds; but B,
// which it makes the top, belongs to somebody else. See treiber-tagged.c for a way out.
//
// expected: verify: unsafe, 4 contexts: main, then asleep, then the other thread, then awake.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic next;
    atomic_int owners;      // how many threads have taken it: for the assertion only
};

static struct node pool[2] = { { &pool[1], 0 }, { NULL, 0 } };
static struct node *_Atomic top = &pool[0];

static struct node *pop(void)
{
    struct node *first = atomic_load(&top);
    while (first != NULL) {
        struct node *second = atomic_load(&first->next);
        if (atomic_compare_exchange_strong(&top, &first, second))
            break;
    }
    if (first != NULL)
        assert(atomic_fetch_add(&first->owners, 1) == 0);
    return first;
}

static void push(struct node *node)
{
    atomic_fetch_sub(&node->owners, 1);
    struct node *first = atomic_load(&top);
    do
        atomic_store(&node->next, first);
    while (!atomic_compare_exchange_strong(&top, &first, node));
}

static void *popper(void *unused)
{
    (void)unused;
    pop();
    pop();
    return 0;
}

static void *juggler(void *unused)
{
    (void)unused;
    struct node *a = pop();
    pop();
    if (a != NULL)
        push(a);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, popper, 0);
    pthread_create(&b, 0, juggler, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
