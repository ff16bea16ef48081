// A sorted list whose locks are taken one at a time, not hand over hand: wrong.
// Written for Selvedge. See hand-over-hand.c.
//
// One thread stands at node 1 and cuts off node 2 there, while the other one has taken node 1 out of
// the list: so node 2 stays in it.
//
// expected: verify: unsafe, 5 contexts: main, one thread up to node 1, the other one takes node 1 out,
//           the first one takes out node 2, and main finds it in the list.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
};

static struct node *make(int key, struct node *next)
{
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->next = next;
    pthread_mutex_init(&node->lock, NULL);
    return node;
}

static struct node *list;

static void take_out(int key)
{
    struct node *before = list;
    pthread_mutex_lock(&before->lock);
    struct node *here = before->next;
    while (here->key < key) {
        pthread_mutex_unlock(&before->lock);    // should come after the next line but one
        before = here;
        pthread_mutex_lock(&before->lock);
        here = here->next;
    }
    if (here->key == key) {
        before->next = here->next;
    }
    pthread_mutex_unlock(&before->lock);
}

static void *first(void *unused)
{
    (void)unused;
    take_out(1);
    return 0;
}

static void *second(void *unused)
{
    (void)unused;
    take_out(2);
    return 0;
}

int main(void)
{
    list = make(0, make(1, make(2, make(3, NULL))));
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(list->next->key == 3);
    return 0;
}
