// A lock-free stack with nodes from malloc that nobody frees while others may look at them.
// Written for Selvedge, after R. K. Treiber, Systems Programming: Coping with Parallelism (1986).
//
// Nodes are freed at the end only, so no node is ever used again: without that, there is no ABA
// problem and no use after free. See treiber-broken.c.
//
// expected: verify: safe, for every schedule.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *_Atomic top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &node->next, node))
        ;
}

static struct node *pop(void)
{
    struct node *first = atomic_load(&top);
    while (first && !atomic_compare_exchange_strong(&top, &first, first->next))
        ;
    return first;
}

static struct node *taken[2];

static void *first(void *unused)
{
    (void)unused;
    push(1);
    taken[0] = pop();
    return 0;
}

static void *second(void *unused)
{
    (void)unused;
    push(2);
    taken[1] = pop();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(taken[0] && taken[1] && taken[0] != taken[1]);
    assert(taken[0]->value + taken[1]->value == 3);
    assert(!atomic_load(&top));
    free(taken[0]);
    free(taken[1]);
    return 0;
}
