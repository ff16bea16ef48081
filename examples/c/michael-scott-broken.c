// The queue of Michael and Scott without compare-and-swap at its end: wrong.
// Written for Selvedge. See michael-scott.c.
//
// Two threads see that there is nothing behind the last node. Both write their own node there, and
// one of the two is lost.
//
// expected: verify: unsafe, 5 contexts: main, one thread looks, the other one enqueues, the first one
//           writes over it, and main finds one value only.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *_Atomic next;
};

static struct node dummy;
static struct node *_Atomic head = &dummy;
static struct node *_Atomic tail = &dummy;

static void enqueue(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else {
            atomic_store(&last->next, node);    // should be a compare-and-swap
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static int dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (next == NULL)
            return 0;                   // the queue is empty
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&head, &first, next)) {
            return next->value;
        }
    }
}

static void *producer(void *unused)
{
    (void)unused;
    enqueue(1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, producer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int first = dequeue();
    int second = dequeue();
    assert(first + second == 2);
    return 0;
}
