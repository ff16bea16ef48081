// A lock-free stack with a tag beside the number of the top node.
// Written for Selvedge, after R. K. Treiber, Systems Programming: Coping with Parallelism (1986).
// See treiber-aba.c for what goes wrong without the tag.
//
// One word holds the number of the top node and a tag that counts the changes. A thread that has
// been asleep finds another tag, even if the node is the same, and tries again.
//
// There are at most five changes here, so the tag never runs over. In a real program it starts
// again from zero sometime, and the repair is only as good as the tag is wide.
//
// expected: verify: safe, for every schedule.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NONE 0u
#define NODE(word) ((word) & 3u)
#define AFTER(word, node) ((((word) >> 2) + 1u) << 2 | (node))

static atomic_uint next[3] = { NONE, 2, NONE };
static atomic_int owners[3];            // how many threads have taken a node: for the assertion only
static atomic_uint top = 1;             // node 1, tag 0

static unsigned pop(void)
{
    unsigned word = atomic_load(&top);
    while (NODE(word) != NONE) {
        unsigned second = atomic_load(&next[NODE(word)]);
        if (atomic_compare_exchange_strong(&top, &word, AFTER(word, second)))
            break;
    }
    if (NODE(word) != NONE)
        assert(atomic_fetch_add(&owners[NODE(word)], 1) == 0);
    return NODE(word);
}

static void push(unsigned node)
{
    atomic_fetch_sub(&owners[node], 1);
    unsigned word = atomic_load(&top);
    do
        atomic_store(&next[node], NODE(word));
    while (!atomic_compare_exchange_strong(&top, &word, AFTER(word, node)));
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
    unsigned a = pop();
    pop();
    if (a != NONE)
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
