// The lock-free queue of Michael and Scott: a list with a dummy node in front.
// Written for Selvedge, after M. M. Michael and M. L. Scott, Simple, Fast, and Practical
// Non-Blocking and Blocking Concurrent Queue Algorithms (1996).
//
// Nodes are never used again, so that no tags are needed. The tail may be one node behind; whoever
// finds it there moves it on.
//
// expected: verify: safe, for every schedule.

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
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
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
    enqueue(2);
    return 0;
}

static void *consumer(void *unused)
{
    (void)unused;
    int first = dequeue();
    int second = dequeue();
    assert(first <= 1);                 // nothing, or what came first
    assert(second == 0 || second == first + 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
