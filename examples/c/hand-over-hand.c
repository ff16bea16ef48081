// A sorted list with a lock in each node, taken hand over hand.
// Written for Selvedge, after R. Bayer and M. Schkolnick, Concurrency of Operations on B-Trees (1977),
// and Herlihy and Shavit, The Art of Multiprocessor Programming, Section 9.5.
//
// A thread holds the lock of a node until it has the lock of the next one. Two threads remove the
// two inner nodes of a list, which are neighbours.
//
// expected: verify: safe, for every schedule. With --property no-data-race: safe.

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
    pthread_mutex_lock(&here->lock);
    while (here->key < key) {
        pthread_mutex_unlock(&before->lock);
        before = here;
        here = here->next;
        pthread_mutex_lock(&here->lock);
    }
    if (here->key == key) {
        before->next = here->next;
        pthread_mutex_unlock(&here->lock);
        free(here);
    } else {
        pthread_mutex_unlock(&here->lock);
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
