// A recursive sum that adds up before its other half is done: wrong.
// Written for Selvedge. See parallel-sum.c.
//
// expected: verify: unsafe, 6 contexts: all four threads run to their ends, so that main gets to its
//           assertion, with a sum that was taken before any of the others had written.

#include <assert.h>
#include <pthread.h>

static const int numbers[4] = { 3, 1, 4, 2 };

struct part {
    int from, to;           // which numbers: from the first up to, but not including, the second
    int sum;
};

static void *add_up(void *arg);

static int in_halves(int from, int to)
{
    int middle = (from + to) / 2;
    struct part low = { from, middle, 0 };
    struct part high = { middle, to, 0 };
    pthread_t helper;
    pthread_create(&helper, 0, add_up, &low);
    add_up(&high);
    int sum = low.sum + high.sum;       // too early: should come after the join
    pthread_join(helper, 0);
    return sum;
}

static void *add_up(void *arg)
{
    struct part *part = arg;
    if (part->to - part->from == 1)
        part->sum = numbers[part->from];
    else
        part->sum = in_halves(part->from, part->to);
    return 0;
}

int main(void)
{
    struct part all = { 0, 4, 0 };
    add_up(&all);
    assert(all.sum == 10);
    return 0;
}
