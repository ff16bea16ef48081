// A lock-free stack that frees a node as soon as it is taken: wrong.
// Written for Selvedge. See treiber.c.
//
// Another thread has read the top and is about to follow it to the next node: a use after free.
//
// expected: verify: unsafe: the next pointer of a node is read after free. Not found yet: a node that is
//           given again has a next pointer that may be any address, and those are not listed one by one.

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

static int pop(void)
{
    struct node *first = atomic_load(&top);
    while (first && !atomic_compare_exchange_strong(&top, &first, first->next))
        ;
    int value = first ? first->value : 0;
    free(first);            // too early: others may still look at it
    return value;
}

static int taken[2];

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
    assert(taken[0] + taken[1] == 3);
    return 0;
}
